//! The folder of files that wait for their check.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use flipside_operations::UNPACKING;
use tempfile::NamedTempFile;

/// Its name in the arena's folder.
const FOLDER: &str = "uploads";

/// What a file that is still received begins with.
const INCOMING: &str = ".incoming-";

/// Held by the server that takes uploads.
const LOCK: &str = ".lock";

/// The mode of a file: a bot in the jail may be a user of its own.
const MODE: u32 = 0o755;

/// The folder.
pub(crate) struct UploadFolder {
    path: PathBuf,
    _lock: File,
}

impl UploadFolder {
    /// Opens the folder of an arena for one server at a time, and makes it if it is not there. Only this user can enter
    /// it. Where another server has it, that is [`io::ErrorKind::WouldBlock`].
    pub(crate) fn open(arena: &Path) -> io::Result<Self> {
        // Messages about a program have its whole path, and what an author is told has its name instead.
        let path = std::path::absolute(arena)?.join(FOLDER);
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path.join(LOCK))?;
        lock.try_lock()?;
        Ok(UploadFolder { path, _lock: lock })
    }

    /// A file for what is received. It is removed unless it is kept.
    pub(super) fn incoming(&self) -> io::Result<NamedTempFile> {
        tempfile::Builder::new()
            .prefix(INCOMING)
            .tempfile_in(&self.path)
    }

    /// The folder itself, for what is unpacked for a moment.
    pub(super) fn room(&self) -> &Path {
        &self.path
    }

    /// Keeps a file that is whole, on the disk, and returns its name: a random number and an ending, and nothing that
    /// somebody wrote.
    pub(crate) fn keep(&self, incoming: NamedTempFile, ending: &str) -> io::Result<String> {
        incoming
            .as_file()
            .set_permissions(Permissions::from_mode(MODE))?;
        incoming.as_file().sync_all()?;
        let name = format!("{:032x}{ending}", rand::random::<u128>());
        incoming
            .persist_noclobber(self.path.join(&name))
            .map_err(|error| error.error)?;
        File::open(&self.path)?.sync_all()?;
        Ok(name)
    }

    /// Where a file lies.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Removes a file that was checked. That it is not there is as good.
    pub(crate) fn remove(&self, name: &str) {
        if name.is_empty() {
            return;
        }
        match fs::remove_file(self.path(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, name, "cannot remove an upload");
            }
            _ => {}
        }
    }

    /// Removes all files but these: what a server that ended received and did not promise to check.
    pub(crate) fn sweep(&self, known: &HashSet<String>) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type()?;
            if kind.is_dir() && name.starts_with(UNPACKING) {
                fs::remove_dir_all(entry.path())?;
            } else if name != LOCK && !known.contains(&name) && kind.is_file() {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}
