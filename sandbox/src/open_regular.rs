//! Opens files that somebody named, without waiting: a named pipe would wait for its writer, and to open a device
//! may do anything. Reading no more than fits is the caller's.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Something that is no regular file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a file but {what}", path.display())]
pub struct NotRegular {
    /// Where it is.
    pub path: PathBuf,
    /// What it is, with its article.
    pub what: &'static str,
}

/// Why a file is not opened.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is something else.
    #[error(transparent)]
    NotRegular(#[from] NotRegular),
    /// The system's reason.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Opens a regular file for reading.
///
/// # Errors
/// When it is none, or the system refuses.
pub fn open_regular(path: &Path) -> Result<(File, Metadata), FileError> {
    // Once before, for what opening does to a device cannot be undone; and once after, for it may be another one.
    refuse_others(path, &fs::metadata(path)?)?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    let meta = file.metadata()?;
    refuse_others(path, &meta)?;
    Ok((file, meta))
}

/// The mode of a folder that only this user can enter.
pub const PRIVATE_FOLDER: u32 = 0o700;

/// Makes a folder that only this user can enter, with those around it, unless it is there.
///
/// # Errors
/// When it cannot be made.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    let mut new = DirBuilder::new();
    new.mode(PRIVATE_FOLDER).recursive(true).create(path)
}

/// Opens a file of a folder without following a link, and without waiting.
pub(crate) fn open_no_link(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)
}

/// Makes sure that what is at this path is a regular file.
///
/// # Errors
/// When it is something else.
pub fn refuse_others(path: &Path, found: &Metadata) -> Result<(), NotRegular> {
    let kind = found.file_type();
    let what = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () if kind.is_symlink() => "a link",
        () => "a device",
    };
    Err(NotRegular {
        path: path.into(),
        what,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_what_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let pipe = at("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        std::os::unix::fs::symlink(&pipe, at("link")).unwrap();
        for (path, is) in [
            (pipe, "a pipe"),
            (at("link"), "a pipe"),
            (at("socket"), "a socket"),
            (folder.path().into(), "a folder"),
            ("/dev/zero".into(), "a device"),
        ] {
            match open_regular(&path) {
                Err(FileError::NotRegular(NotRegular { what, .. })) => assert_eq!(what, is),
                other => panic!("{}: {other:?}", path.display()),
            }
        }
        fs::write(at("file"), "x").unwrap();
        assert_eq!(open_regular(&at("file")).unwrap().1.len(), 1);
        assert!(matches!(open_regular(&at("none")), Err(FileError::Io(_))));
    }
}
