//! Unpacking a bundle into a folder of its own, and removing that.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Dir, Mode, OFlags, openat};

use crate::bundle::entry::{BundleEntry, EntryKind};
use crate::bundle::error::BundleError;
use crate::bundle::reader::{BundleSum, Sink};

/// What everybody may do with what was unpacked: a bot in the jail is a user of its own.
const FOLDER_MODE: u32 = 0o555;
const FILE_MODE: u32 = 0o444;
const PROGRAM_MODE: u32 = 0o555;

/// The modes while it is unpacked: it is nobody else's business.
const NEW_FOLDER: u32 = 0o700;
const NEW_FILE: u32 = 0o600;

/// Writes entries into a folder, which is new and empty.
pub(crate) struct Unpacker {
    folder: PathBuf,
    /// Folders, which are closed in the end.
    folders: Vec<PathBuf>,
    /// The entries and bytes that may still come: there was room for no more.
    left: [u64; 2],
}

impl Unpacker {
    /// `folder` is there and empty. `due` is what will come at most.
    pub(crate) fn new(folder: &Path, due: &BundleSum) -> Self {
        Unpacker {
            folder: folder.into(),
            folders: vec![folder.into()],
            left: [due.entries, due.bytes],
        }
    }

    /// Makes all folders read-only.
    pub(crate) fn finish(self) -> Result<(), BundleError> {
        for folder in self.folders.iter().rev() {
            fs::set_permissions(folder, Permissions::from_mode(FOLDER_MODE))
                .map_err(BundleError::io(folder))?;
        }
        Ok(())
    }
}

impl Sink for Unpacker {
    fn take(&mut self, entry: &BundleEntry, content: &mut dyn Read) -> Result<(), BundleError> {
        for (left, more) in self.left.iter_mut().zip([1, entry.size()]) {
            *left = left.checked_sub(more).ok_or(BundleError::Changed)?;
        }
        // The folder that it lies in was made here, for its entry came before; so no link is followed. What is there
        // already, under a name that the file system takes for the same, is never written to.
        let at = self.folder.join(&entry.path);
        let done = match &entry.kind {
            EntryKind::Folder => {
                let made = DirBuilder::new().mode(NEW_FOLDER).create(&at);
                self.folders.push(at.clone());
                made
            }
            EntryKind::Link { to } => symlink(to, &at),
            EntryKind::File { executable, .. } => {
                let mode = if *executable { PROGRAM_MODE } else { FILE_MODE };
                write(&at, mode, content)
            }
        };
        done.map_err(BundleError::io(at))
    }
}

fn write(at: &Path, mode: u32, content: &mut dyn Read) -> io::Result<()> {
    let mut file: File = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(NEW_FILE)
        .open(at)?;
    io::copy(content, &mut file)?;
    file.set_permissions(Permissions::from_mode(mode))
}

/// Removes a folder with all that is in it, though its folders may be read-only.
pub(crate) fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return fs::remove_file(folder),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    }
    open_up(CWD, folder);
    fs::remove_dir_all(folder)
}

/// Lets this user remove what lies in a folder, and never follows a link: whoever may write there could put one in the
/// place of a folder at any time. What does not succeed is told when it is removed.
fn open_up(around: BorrowedFd<'_>, folder: &Path) {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(found) = openat(around, folder, flags, Mode::empty()) else {
        return;
    };
    // What is open in this way has a mode that is changed by its name here only, which leads to nothing else.
    let name = format!("/proc/self/fd/{}", found.as_raw_fd());
    let _ = fs::set_permissions(name, Permissions::from_mode(NEW_FOLDER));
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let entries = openat(&found, ".", flags, Mode::empty()).and_then(Dir::new);
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name();
        // What is no folder is not opened.
        if ![c".", c".."].contains(&name) {
            open_up(found.as_fd(), Path::new(OsStr::from_bytes(name.to_bytes())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_link_is_followed() {
        let around = tempfile::tempdir().unwrap();
        let at = |name: &str| around.path().join(name);
        for folder in ["other/deep", "ours/deep"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        symlink("../other", at("ours/deep/link")).unwrap();
        symlink("other", at("link")).unwrap();
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
        let close = |name: &str| {
            let mode = Permissions::from_mode(FOLDER_MODE);
            fs::set_permissions(at(name), mode).unwrap();
        };
        for folder in ["other/deep", "other", "ours/deep", "ours"] {
            close(folder);
        }
        for folder in ["link", "ours"] {
            open_up(CWD, &at(folder));
        }
        let modes = ["other", "other/deep", "ours", "ours/deep"].map(mode);
        assert_eq!(modes, [FOLDER_MODE, FOLDER_MODE, NEW_FOLDER, NEW_FOLDER]);
        remove_folder(&at("ours")).unwrap();
        remove_folder(&at("link")).unwrap();
        assert!(at("other/deep").is_dir() && !at("ours").exists());
    }
}
