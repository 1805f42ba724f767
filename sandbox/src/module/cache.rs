//! Compiled modules in a folder, so that a module is compiled once on a machine and not with every
//! command.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmtime::{Engine, Module};

/// How much all compiled modules of a folder may take together, in bytes. The oldest go first; a module
/// that is gone is compiled again.
pub const LARGEST_CACHE: u64 = 2 * 1024 * 1024 * 1024;

/// The ending of a compiled module's file, and what that of one begins with that is being written.
const ENDING: &str = "cwasm";
const WRITING: &str = "new-";

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
        fs::create_dir_all(&self.folder)?;
        let file = self.file(sha256);
        // Another process may be doing the same; whole files replace each other.
        let new = file.with_extension(format!("{WRITING}{}", std::process::id()));
        fs::write(&new, bytes)
            .and_then(|()| fs::rename(&new, &file))
            .inspect_err(|_| {
                // What is left of it is of no use to anybody.
                let _ = fs::remove_file(&new);
            })?;
        make_room(&self.folder, &file, LARGEST_CACHE)
    }
}

/// Removes the oldest compiled modules of a folder until all take no more than this together, and what
/// nobody finished writing with them; but not the one that is kept.
fn make_room(folder: &Path, kept: &Path, most: u64) -> io::Result<()> {
    let ours = |path: &Path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ending == ENDING || ending.starts_with(WRITING))
    };
    let mut files = Vec::new();
    let mut all = 0;
    for entry in fs::read_dir(folder)? {
        // Another process may be doing the same.
        let Ok((path, meta)) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?))) else {
            continue;
        };
        if ours(&path) && meta.is_file() {
            all += meta.len();
            files.push((meta.modified()?, meta.len(), path));
        }
    }
    files.sort();
    for (_, size, file) in files.iter().filter(|(.., file)| file != kept) {
        if all <= most {
            break;
        }
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => all -= size,
        }
    }
    Ok(())
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

    #[test]
    fn the_oldest_modules_go_first_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let now = SystemTime::now();
        for (name, age) in [
            ("a.cwasm", 1),
            ("b.cwasm", 4),
            ("c.new-17", 3),
            ("d.cwasm", 2),
            ("journal.sqlite", 9),
            ("kept.cwasm", 8),
        ] {
            fs::write(at(name), [0; 100]).unwrap();
            let then = now - Duration::from_secs(age);
            let file = fs::File::options().write(true).open(at(name)).unwrap();
            file.set_modified(then).unwrap();
        }
        let left = |most| {
            make_room(folder.path(), &at("kept.cwasm"), most).unwrap();
            let entries = fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let all = [
            "a.cwasm",
            "b.cwasm",
            "c.new-17",
            "d.cwasm",
            "journal.sqlite",
            "kept.cwasm",
        ];
        assert_eq!(left(500), all);
        assert_eq!(left(499), [all[0], all[2], all[3], all[4], all[5]]);
        assert_eq!(left(200), [all[0], all[4], all[5]]);
        assert_eq!(left(0), [all[4], all[5]]);
    }
}
