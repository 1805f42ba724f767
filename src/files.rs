//! Files that were typed: read in bounds and without waiting for anybody, and where a file may be written.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use flipside_sandbox::{FileError, open_regular, refuse_others};
use rustix::fs::OFlags;

use crate::failure::{Failure, Result};

/// Where a shell puts what it hands over: `flipside verify <(zstd -dc FILE)`.
const HANDED_OVER: [&str; 3] = ["/dev/fd", "/dev/stdin", "/proc/self/fd"];

/// Reads a text of at most so many bytes.
pub(crate) fn read_text(path: &Path, most: u64) -> Result<String> {
    let file = open_to_read(path).map_err(|error| cannot_read(path, error))?;
    let failed = |error: io::Error| cannot_read(path, error.into());
    let mut bytes = Vec::new();
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > most {
        let what = format!("it has over {most} bytes, and no such file has");
        return Err(failed(io::Error::other(what)));
    }
    String::from_utf8(bytes).map_err(|_| failed(io::Error::other("it is not text")))
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
        FileError::Io(error) => Failure::usage(format!("cannot read {}: {error}", path.display())),
    }
}

/// Where a file is to be written that may replace what is at this path: at the end of links. Nothing but a regular file
/// is replaced.
pub(crate) fn to_replace(path: &Path) -> Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Err(_) => Ok(path.into()),
        Ok(_) => {
            let end = fs::canonicalize(path)
                .and_then(|end| Ok((fs::metadata(&end)?, end)))
                .map_err(|error| {
                    Failure::usage(format!("cannot write {}: {error}", path.display()))
                        .hint("is it a link that leads nowhere? name another file")
                })?;
            refuse_others(path, &end.0).map_err(not_written)?;
            Ok(end.1)
        }
    }
}

/// Makes sure that a new file can come to this path.
pub(crate) fn refuse_taken(path: &Path) -> Result<()> {
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
