//! The folder that an archive of a stranger is unpacked into, within bounds: how many files it may have, how many bytes,
//! how deep they may lie, and how much more they may be than the archive. No path leads out of the folder, and there
//! are no links.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use flipside_sandbox::bundle::{LONGEST_PATH, MAX_DEPTH};

use crate::failure::{Failure, Result};

/// The most bytes that the files of an archive have together.
pub const MAX_UNPACKED: u64 = 256 << 20;

/// The most files and folders of an archive.
pub const MAX_UNPACKED_FILES: usize = 10_000;

/// How many times its own size an archive may have unpacked, beyond [`FREE_UNPACKED`]. Source code has five times its
/// size.
pub const MAX_RATIO: u64 = 100;

/// The bytes that an archive may always have unpacked, however small it is.
pub const FREE_UNPACKED: u64 = 4 << 20;

/// The longest name of a file that Linux has, in bytes.
const LONGEST_NAME: usize = 255;

/// What systems put into archives that belongs to no bot: folders, and files.
const LITTER: [&str; 4] = ["__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"];

/// How the files of macOS begin that hold what other systems have no place for.
const FORK: &str = "._";

/// A folder that an archive is unpacked into.
pub(super) struct Unpacked<'a> {
    root: &'a Path,
    /// The bytes of the archive.
    packed: u64,
    /// The bytes that were unpacked.
    bytes: u64,
    /// Each path, and whether it is a folder that the archive names.
    entries: BTreeMap<String, bool>,
    /// All entries, also those that are left out.
    count: usize,
}

impl<'a> Unpacked<'a> {
    /// An archive of so many bytes is unpacked into this folder, which is empty.
    pub(super) fn new(root: &'a Path, packed: u64) -> Self {
        Unpacked {
            root,
            packed,
            bytes: 0,
            entries: BTreeMap::new(),
            count: 0,
        }
    }

    /// Makes a folder.
    pub(super) fn folder(&mut self, path: &str) -> Result<()> {
        let Some(path) = self.path(path)? else {
            return Ok(());
        };
        match self.entries.get(&path) {
            None => {}
            // Some programs write a folder again for each file in it.
            Some(true) => return Ok(()),
            Some(false) => return Err(twice(&path)),
        }
        self.make_around(&path)?;
        let made = fs::create_dir_all(self.root.join(&path));
        made.map_err(|error| Failure::of_system(&error))?;
        self.entries.insert(path, true);
        Ok(())
    }

    /// Writes a file. Gives the bytes that it has, also of one that is left out.
    pub(super) fn file(
        &mut self,
        path: &str,
        is_executable: bool,
        content: &mut dyn Read,
    ) -> Result<u64> {
        let Some(path) = self.path(path)? else {
            return self.copy(content, &mut io::sink()).map(|(size, _)| size);
        };
        if self.entries.contains_key(&path) {
            return Err(twice(&path));
        }
        self.make_around(&path)?;
        let at = self.root.join(&path);
        let system = |error: io::Error| Failure::of_system(&error);
        let mut file = File::create_new(&at).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => twice(&path),
            _ => system(error),
        })?;
        let (size, starts_as_program) = self.copy(content, &mut file)?;
        let mode = match is_executable || starts_as_program {
            true => 0o755,
            false => 0o644,
        };
        let set = file.set_permissions(Permissions::from_mode(mode));
        set.map_err(system)?;
        self.entries.insert(path, false);
        Ok(size)
    }

    /// Copies a content as far as the bounds allow. Gives its bytes, and whether it begins as a program: archives of
    /// Windows do not say which files are programs.
    fn copy(&mut self, content: &mut dyn Read, out: &mut dyn Write) -> Result<(u64, bool)> {
        let mut buffer = vec![0; 64 << 10];
        let (mut size, mut is_program) = (0, false);
        loop {
            let count = match content.read(&mut buffer) {
                Ok(0) => return Ok((size, is_program)),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Err(damaged()),
            };
            if size == 0 {
                let head = &buffer[..count];
                is_program = head.starts_with(b"\x7fELF") || head.starts_with(b"#!");
            }
            size += count as u64;
            self.bytes += count as u64;
            self.refuse_much()?;
            let written = out.write_all(&buffer[..count]);
            written.map_err(|error| Failure::of_system(&error))?;
        }
    }

    fn refuse_much(&self) -> Result<()> {
        let hint = "pack only what the bot needs";
        if self.bytes > MAX_UNPACKED {
            let what = format!(
                "the archive has more than {} MiB unpacked",
                MAX_UNPACKED >> 20
            );
            return Err(Failure::usage(what).hint(hint));
        }
        if self.bytes > self.packed.saturating_mul(MAX_RATIO) + FREE_UNPACKED {
            let what = format!("the archive has more than {MAX_RATIO} times its size unpacked");
            return Err(Failure::usage(what).hint(hint));
        }
        Ok(())
    }

    /// Counts an entry.
    pub(super) fn count(&mut self) -> Result<()> {
        self.count += 1;
        if self.count > MAX_UNPACKED_FILES {
            let what = format!("the archive has more than {MAX_UNPACKED_FILES} files and folders");
            return Err(Failure::usage(what).hint("pack only what the bot needs"));
        }
        Ok(())
    }

    /// The path of an entry in the folder; nothing for what is left out.
    fn path(&mut self, path: &str) -> Result<Option<String>> {
        self.count()?;
        let shown = || shown(path);
        let is_absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
        if is_absolute || path.split('/').any(|part| part == "..") {
            let what = format!(
                "the archive has the path {}, which leads out of it",
                shown()
            );
            return Err(Failure::usage(what).hint("pack the folder of the bot itself"));
        }
        let parts: Vec<&str> = (path.split('/'))
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        let is_litter = |part: &&str| LITTER.contains(part) || part.starts_with(FORK);
        if parts.is_empty() || parts.iter().any(is_litter) {
            return Ok(None);
        }
        let path = parts.join("/");
        let is_long =
            path.len() > LONGEST_PATH || parts.iter().any(|part| part.len() > LONGEST_NAME);
        let what = match () {
            () if path.chars().any(char::is_control) => "has a control character in its name",
            () if is_long => "has too long a name",
            () if parts.len() > MAX_DEPTH => "lies too deep in folders",
            () => return Ok(Some(path)),
        };
        let what = format!("{} in the archive {what}", shown());
        Err(Failure::usage(what).hint("rename it, or leave it out"))
    }

    /// Makes the folders that an entry lies in. None of them is a file.
    fn make_around(&self, path: &str) -> Result<()> {
        let mut around = path.match_indices('/').map(|(end, _)| &path[..end]);
        for folder in around.clone() {
            if self.entries.get(folder) == Some(&false) {
                return Err(twice(folder));
            }
        }
        let around = around.next_back().unwrap_or_default();
        let made = fs::create_dir_all(self.root.join(around));
        made.map_err(|error| Failure::of_system(&error))
    }
}

fn twice(path: &str) -> Failure {
    let what = format!("{} is in the archive twice", shown(path));
    Failure::usage(what).hint("pack the folder again")
}

/// A link, a device or such.
pub(super) fn odd(path: &str, what: &str) -> Failure {
    let hint = "pack the file itself in its place";
    Failure::usage(format!("{} in the archive is {what}", shown(path))).hint(hint)
}

/// The archive ends before its end, or is not what it says.
pub(super) fn damaged() -> Failure {
    Failure::usage("the archive is cut off or damaged").hint("pack the folder again")
}

/// A name in it is none.
pub(super) fn not_text() -> Failure {
    Failure::usage("a name in the archive is not UTF-8").hint("rename the file in plain letters")
}

/// A path as a message shows it: its beginning, without control characters.
fn shown(path: &str) -> String {
    const MOST: usize = 100;
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    path.chars().take(MOST).map(plain).collect()
}
