//! Files that somebody names: read in bounds and without waiting for anybody, and written whole or not at all.

use std::fmt::Display;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use flipside_sandbox::shell::quoted;
use flipside_sandbox::{FileError, PRIVATE_FOLDER, open_regular, refuse_others};
use rustix::fs::OFlags;
use tempfile::{NamedTempFile, TempDir};

use crate::failure::{Failure, Result};

/// Where a shell puts what it hands over: `flipside verify <(zstd -dc FILE)`.
const HANDED_OVER: [&str; 3] = ["/dev/fd", "/dev/stdin", "/proc/self/fd"];

/// Reads a text of at most so many bytes.
///
/// # Errors
/// When the path leads to no file that can be read, or its text is longer or none.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(read_bytes(path, most)?).map_err(|_| is_no_text(path))
}

/// The failure of a file whose bytes are no text.
pub(crate) fn is_no_text(path: &Path) -> Failure {
    cannot_read(path, io::Error::other("it is not text").into())
}

/// Reads at most so many bytes of a file.
///
/// # Errors
/// When the path leads to no file that can be read, or it is longer.
pub(crate) fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = open_to_read(path).map_err(|error| cannot_read(path, error))?;
    let failed = |error: io::Error| cannot_read(path, error.into());
    let mut bytes = Vec::new();
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > most {
        let what = format!("it is larger than {most} bytes");
        return Err(failed(io::Error::other(what)));
    }
    Ok(bytes)
}

/// Opens a file, or a pipe that a shell has handed over: whoever started us holds its other end. A pipe that lies in a
/// folder has perhaps nobody there.
fn open_to_read(path: &Path) -> Result<File, FileError> {
    let handed_over = HANDED_OVER.iter().any(|place| path.starts_with(place));
    if !(handed_over && fs::metadata(path)?.file_type().is_fifo()) {
        return Ok(open_regular(path)?.0);
    }
    let file = rustix::fs::open(path, OFlags::NONBLOCK, rustix::fs::Mode::empty())
        .map_err(io::Error::from)?;
    rustix::fs::fcntl_setfl(&file, OFlags::empty()).map_err(io::Error::from)?;
    Ok(file.into())
}

/// Why a file is not read.
pub(crate) fn cannot_read(path: &Path, error: FileError) -> Failure {
    match error {
        FileError::NotRegular(found) => {
            let what = found.what;
            Failure::usage(found).hint(match what {
                "a folder" => "name a file in it",
                _ => "write it into a file first, and name that",
            })
        }
        FileError::Io(error) => {
            let hint = match error.kind() {
                io::ErrorKind::NotFound => Some("the path begins where you are".into()),
                io::ErrorKind::PermissionDenied => {
                    Some(format!("may you read it? ls -ld {}", quoted(path)))
                }
                _ => None,
            };
            Failure::usage(format!("cannot read {}: {error}", path.display())).maybe_hint(hint)
        }
    }
}

/// A file that is not there yet: it is written whole or not at all, and never over another.
pub struct NewFile<'a> {
    path: &'a Path,
    file: NamedTempFile,
}

impl<'a> NewFile<'a> {
    /// Makes the file, beside its path.
    ///
    /// # Errors
    /// When there is something at the path, or its folder cannot be written.
    pub fn make(path: &'a Path) -> Result<Self> {
        // With the mode that the user's mask leaves a file: it is for others, too.
        NewFile::for_readers(path, Readers::Others)
    }

    /// The same for a file that only its owner can read.
    ///
    /// # Errors
    /// As above.
    pub fn private(path: &'a Path) -> Result<Self> {
        NewFile::for_readers(path, Readers::Owner)
    }

    fn for_readers(path: &'a Path, readers: Readers) -> Result<Self> {
        refuse_taken(path)?;
        let mut new = tempfile::Builder::new();
        let file = new
            .permissions(readers.permissions())
            .tempfile_in(folder_of(path));
        let file = file.map_err(|error| cannot_make(path, &error))?;
        Ok(NewFile { path, file })
    }

    /// Writes all of it, and gives it its path.
    ///
    /// # Errors
    /// When the disk does not take it, or somebody has put something at the path meanwhile.
    pub fn write(self, bytes: &[u8]) -> Result<()> {
        self.write_and(bytes, || Ok(()))
    }

    /// Writes all of it, does what belongs to it, and gives it its path. If that fails, there is no file.
    ///
    /// # Errors
    /// When that fails; else as above.
    pub fn write_and(self, bytes: &[u8], act: impl FnOnce() -> Result<()>) -> Result<()> {
        let path = self.path;
        self.write_with(|file| {
            file.write_all(bytes)
                .map_err(|error| cannot_write(path, &error))?;
            act()
        })
    }

    /// The same with what writes it. If that fails, there is no file.
    pub(crate) fn write_with(self, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
        let NewFile { path, mut file } = self;
        let failed = |error: io::Error| cannot_write(path, &error);
        write(file.as_file_mut())?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist_noclobber(path).map(drop).map_err(|error| {
            let failure = failed(error.error);
            // Somebody has put something there meanwhile; nothing is lost for that.
            match error.file.keep() {
                Ok((_, kept)) => {
                    failure.hint(format!("what was to be written is in {}", kept.display()))
                }
                Err(_) => failure,
            }
        })
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write {}: {error}", path.display()))
}

/// Makes a file that is not there yet, to be written piece by piece. What was written stays if this program ends.
///
/// # Errors
/// When there is something at the path, or its folder cannot be written.
pub fn new_file(path: &Path) -> Result<File> {
    refuse_taken(path)?;
    File::create_new(path).map_err(|error| cannot_make(path, &error))
}

fn cannot_make(path: &Path, error: &io::Error) -> Failure {
    let what = format!("cannot write {}: {}", path.display(), error.kind());
    Failure::usage(what).hint("its folder must be there and writable")
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    folder
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Who may read a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Only its owner: it may hold what others are not to know.
    Owner,
    /// Whom the user's mask lets read files.
    Others,
}

impl Readers {
    fn permissions(self) -> Permissions {
        Permissions::from_mode(match self {
            Readers::Owner => 0o600,
            Readers::Others => 0o666,
        })
    }
}

/// Writes the file at `target`, which `path` names. It is written beside it first: nobody finds half of one, and what
/// was there stays if this fails.
pub(crate) fn replace<T>(
    path: &Path,
    target: &Path,
    readers: Readers,
    write: impl FnOnce(&mut File) -> Result<T>,
) -> Result<T> {
    let failed =
        |what: &dyn Display| Failure::new(format!("{} cannot be written: {what}", path.display()));
    let mut file = tempfile::Builder::new()
        .prefix(".flipside-export-")
        .permissions(readers.permissions())
        .tempfile_in(folder_of(target))
        // The error names the file beside it, which nobody asked for.
        .map_err(|error| failed(&error.kind()))?;
    let written = write(file.as_file_mut())?;
    file.persist(target).map_err(|error| failed(&error.error))?;
    Ok(written)
}

/// Where a file is to be written that may, with `force`, replace what is at this path: at the end of links. Nothing but
/// a regular file is replaced.
pub(crate) fn to_replace(path: &Path, force: bool) -> Result<PathBuf> {
    if fs::symlink_metadata(path).is_err() {
        return Ok(path.into());
    }
    let end = fs::canonicalize(path).and_then(|end| Ok((fs::metadata(&end)?, end)));
    let (found, end) = end.map_err(|error| {
        Failure::usage(format!("cannot write {}: {error}", path.display()))
            .hint("is it a link that leads nowhere? name another file")
    })?;
    refuse_others(path, &found).map_err(not_written)?;
    if !force {
        let what = format!("{} is there already", path.display());
        return Err(Failure::new(what).hint("--force replaces it"));
    }
    Ok(end)
}

/// A folder for a while that only this user can enter.
pub(crate) fn private_folder() -> Result<TempDir> {
    let mut new = tempfile::Builder::new();
    new.permissions(Permissions::from_mode(PRIVATE_FOLDER));
    new.tempdir().map_err(Failure::new)
}

/// Makes sure that a new file can come to this path.
fn refuse_taken(path: &Path) -> Result<()> {
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(
            Failure::usage(format!("{} names a folder", path.display())).hint("name a file")
        );
    }
    // A link that leads nowhere is there as well.
    match fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(found) if found.is_dir() => refuse_others(path, &found).map_err(not_written),
        Ok(_) => Err(
            Failure::usage(format!("{} is there already", path.display()))
                .hint("name another file, or remove this one first"),
        ),
    }
}

fn not_written(found: flipside_sandbox::NotRegular) -> Failure {
    Failure::usage(found).hint("name a file, new or to be replaced")
}
