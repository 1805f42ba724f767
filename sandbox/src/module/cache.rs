//! Compiled modules in a folder, so that a module is compiled once on a machine and not with every
//! command.

use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmtime::{Engine, Module};

use crate::open_regular::make_private_folder;
use crate::room::{FileUse, make_room};

/// How much all compiled modules of a folder take together at most, in bytes. The oldest go first; a module that is
/// gone is compiled again.
pub const LARGEST_CACHE: u64 = 2 * 1024 * 1024 * 1024;

/// The ending of a compiled module's file, and that of one that is being written.
const ENDING: &str = "cwasm";
const WRITING: &str = "new";

/// A SHA-256, in bytes.
const SUM: usize = 32;

/// A folder of compiled modules. A file is named by its module and by all of the engine that goes
/// into it, and begins with the SHA-256 of its rest.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    engine: String,
}

impl Cache {
    pub(crate) fn new(folder: &Path, engine: &Engine) -> Self {
        let mut hash = ByteHash(Sha256::new());
        engine.precompile_compatibility_hash().hash(&mut hash);
        let engine = hex::encode(&hash.0.finalize()[..8]);
        Cache {
            folder: folder.into(),
            engine,
        }
    }

    fn file(&self, sha256: &str) -> PathBuf {
        self.folder
            .join(format!("{sha256}-{}.{ENDING}", self.engine))
    }

    /// The compiled module, if it is there and whole. A damaged file is passed over, and replaced
    /// when the module has been compiled again.
    pub(crate) fn load(&self, engine: &Engine, sha256: &str) -> Option<Module> {
        let file = self.file(sha256);
        // Opening a pipe would wait for its writer.
        if file.exists() && !file.is_file() {
            tracing::warn!(file = %file.display(), "what should be a compiled module is no file");
            return None;
        }
        let bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(file = %file.display(), %error, "a compiled module is not read");
                }
                return None;
            }
        };
        let whole = bytes
            .split_at_checked(SUM)
            .filter(|(sum, code)| Sha256::digest(code)[..] == **sum);
        let Some((_, code)) = whole else {
            tracing::warn!(file = %file.display(), "a damaged compiled module is passed over");
            return None;
        };
        deserialize(engine, code)
            .inspect_err(|error| {
                tracing::warn!(file = %file.display(), %error, "a compiled module is not taken");
            })
            .ok()
    }

    /// Keeps a compiled module. A cache that cannot be written to is only slower.
    pub(crate) fn store(&self, sha256: &str, module: &Module) {
        if let Err(error) = self.try_store(sha256, module) {
            tracing::warn!(folder = %self.folder.display(), %error, "a compiled module is not kept");
        }
    }

    fn try_store(&self, sha256: &str, module: &Module) -> io::Result<()> {
        let code = module.serialize().map_err(io::Error::other)?;
        let mut bytes = Sha256::digest(&code).to_vec();
        bytes.extend_from_slice(&code);
        make_private_folder(&self.folder)?;
        keep(&self.folder, &self.file(sha256), &bytes, LARGEST_CACHE)
    }
}

/// Writes a file of a folder in which all take no more than this together, one at a time for all processes.
fn keep(folder: &Path, file: &Path, bytes: &[u8], most: u64) -> io::Result<()> {
    let one_at_a_time = File::open(folder)?;
    one_at_a_time.lock()?;
    let size = bytes.len() as u64;
    let Some(rest) = most.checked_sub(size) else {
        let what = format!("it has {size} bytes, and all may have {most}");
        return Err(io::Error::new(io::ErrorKind::QuotaExceeded, what));
    };
    make_room(folder, rest, stored)?;
    let new = file.with_extension(WRITING);
    let written = fs::write(&new, bytes).and_then(|()| fs::rename(&new, file));
    written.inspect_err(|_| {
        // What is left of it is of no use to anybody.
        let _ = fs::remove_file(&new);
    })
}

/// What is a compiled module, by its ending, and what nobody finished writing.
fn stored(name: &str) -> FileUse {
    match Path::new(name)
        .extension()
        .and_then(|ending| ending.to_str())
    {
        Some(WRITING) => FileUse::Broken,
        Some(ENDING) => FileUse::Spare,
        _ => FileUse::Other,
    }
}

/// Takes code that was compiled before, by this program or for its cache.
pub(crate) fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Module> {
    #[expect(
        unsafe_code,
        reason = "the bytes are what this engine's compiler wrote: they come from our own program, \
                  or their hash is right; the folder belongs to this user, who could as well \
                  change this program"
    )]
    unsafe {
        Module::deserialize(engine, code)
    }
}

/// A hasher that is the same for every build of this program.
struct ByteHash(Sha256);

impl Hasher for ByteHash {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let sum = self.0.clone().finalize();
        u64::from_le_bytes(sum[..8].try_into().expect("eight bytes"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn there_is_room_before_a_module_is_kept_and_only_the_oldest_go() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let now = SystemTime::now();
        let made = [
            ("a.cwasm", 1),
            ("b.cwasm", 4),
            ("c.new", 3),
            ("d.cwasm", 2),
            ("journal.sqlite", 9),
        ];
        for (name, age) in made {
            fs::write(at(name), [0; 100]).unwrap();
            let then = now - Duration::from_secs(age);
            let file = File::options().write(true).open(at(name)).unwrap();
            file.set_modified(then).unwrap();
        }
        let keep = |name: &str, size: usize, most| {
            keep(folder.path(), &at(name), &vec![0; size], most).map_err(|error| error.to_string())
        };
        keep("e.cwasm", 100, 400).unwrap();
        let rest = ["a.cwasm", "b.cwasm", "d.cwasm", "e.cwasm", "journal.sqlite"];
        assert_eq!(names(folder.path()), rest);
        keep("f.cwasm", 101, 301).unwrap();
        assert_eq!(
            names(folder.path()),
            ["a.cwasm", "e.cwasm", "f.cwasm", "journal.sqlite"]
        );
        // What would never fit drives nothing out, and is not written either.
        assert_eq!(
            keep("g.cwasm", 302, 301).unwrap_err(),
            "it has 302 bytes, and all may have 301"
        );
        assert_eq!(names(folder.path()).len(), 4);
    }
}
