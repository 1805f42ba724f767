//! What can be started: a file, sniffed once at the door. Whether a module keeps the rules of the
//! engine is seen when it is prepared.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use rustix::fs::Access;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::OpenError;
use crate::regular::{FileError, open_regular};

/// The largest WebAssembly module, in bytes of its file. An interpreter of a large language with
/// its library has room.
pub const LARGEST_MODULE: u64 = 32 * 1024 * 1024;

/// The largest module that is WebAssembly text, in bytes of its file: to read text takes many times
/// its size.
pub const LARGEST_TEXT: u64 = 1024 * 1024;

/// The largest program, in bytes of its file.
pub const LARGEST_PROGRAM: u64 = 256 * 1024 * 1024;

/// How much of a file is looked at to learn what it is.
const HEAD: usize = 64 * 1024;

/// How a bot runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A process of the operating system.
    Process,
    /// A WebAssembly module inside this process.
    Module,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Process => "process",
            Kind::Module => "module",
        })
    }
}

/// A text that names no [`Kind`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a bot is a \"process\" or a \"module\"")]
pub struct UnknownKind;

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        match text {
            "process" => Ok(Kind::Process),
            "module" => Ok(Kind::Module),
            _ => Err(UnknownKind),
        }
    }
}

/// Something that can be started, as often as wished; cheap to clone.
#[derive(Clone)]
pub struct Program(Arc<Inner>);

struct Inner {
    path: PathBuf,
    args: Vec<OsString>,
    name: String,
    size: u64,
    sha256: String,
    /// The binary module; nothing for a process.
    module: Option<Vec<u8>>,
}

impl Program {
    /// Opens a file: a WebAssembly module by its content or its ending, otherwise an executable.
    ///
    /// # Errors
    /// Says why the file cannot be started.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let (mut file, size) = open_file(path)?;
        let mut head = Vec::new();
        io_at(path, file.by_ref().take(HEAD as u64).read_to_end(&mut head))?;
        if !is_module(path, &head) {
            return Self::executable(path, Vec::new(), size, &head, file);
        }
        if size > LARGEST_MODULE {
            return Err(OpenError::TooLarge {
                path: path.into(),
                size,
            });
        }
        if size > LARGEST_TEXT && !head.starts_with(b"\0asm") {
            return Err(OpenError::TooMuchText {
                path: path.into(),
                size,
            });
        }
        // A file that grows meanwhile is read as far as it was.
        let rest = size.saturating_sub(head.len() as u64);
        let mut bytes = head;
        io_at(path, file.take(rest).read_to_end(&mut bytes))?;
        let sha256 = hex::encode(Sha256::digest(&bytes));
        let size = bytes.len() as u64;
        let module = Some(binary_module(path, bytes)?);
        Self::new(path, Vec::new(), size, sha256, module)
    }

    /// Opens an executable that is started with arguments.
    ///
    /// # Errors
    /// Says why the file cannot be started.
    pub fn command<A: Into<OsString>>(
        path: impl AsRef<Path>,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let (file, size) = open_file(path)?;
        Self::executable(
            path,
            args.into_iter().map(Into::into).collect(),
            size,
            &[],
            file,
        )
    }

    /// Opens an executable that is started with arguments, and is known by a name: its SHA-256 is that
    /// of the name, and stays when the executable is built anew.
    ///
    /// # Errors
    /// Says why the file cannot be started.
    pub fn built_in<A: Into<OsString>>(
        path: impl AsRef<Path>,
        args: impl IntoIterator<Item = A>,
        identity: &str,
    ) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let (_, size) = open_file(path)?;
        if rustix::fs::access(path, Access::EXEC_OK).is_err() {
            return Err(OpenError::NotExecutable(path.into()));
        }
        let args = args.into_iter().map(Into::into).collect();
        Self::new(
            path,
            args,
            size,
            hex::encode(Sha256::digest(identity)),
            None,
        )
    }

    fn executable(
        path: &Path,
        args: Vec<OsString>,
        size: u64,
        head: &[u8],
        rest: File,
    ) -> Result<Self, OpenError> {
        if size > LARGEST_PROGRAM {
            return Err(OpenError::TooLargeProgram {
                path: path.into(),
                size,
            });
        }
        if rustix::fs::access(path, Access::EXEC_OK).is_err() {
            return Err(OpenError::NotExecutable(path.into()));
        }
        let mut hash = Sha256::new();
        hash.update(head);
        // A file that grows meanwhile is read as far as it was.
        let mut rest = rest.take(size.saturating_sub(head.len() as u64));
        io_at(path, hash_rest(&mut rest, &mut hash))?;
        if !args.is_empty() {
            // Each part is preceded by its length, so that no two commands hash the same bytes.
            let file = std::mem::take(&mut hash).finalize();
            hash.update(file);
            for arg in &args {
                let arg = arg.as_encoded_bytes();
                hash.update((arg.len() as u64).to_le_bytes());
                hash.update(arg);
            }
        }
        Self::new(path, args, size, hex::encode(hash.finalize()), None)
    }

    fn new(
        path: &Path,
        args: Vec<OsString>,
        size: u64,
        sha256: String,
        module: Option<Vec<u8>>,
    ) -> Result<Self, OpenError> {
        let name = path
            .file_stem()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .into_owned();
        // The bot runs in its file's folder, so its path must not depend on ours.
        let path = io_at(path, std::path::absolute(path))?;
        Ok(Program(Arc::new(Inner {
            path,
            args,
            name,
            size,
            sha256,
            module,
        })))
    }

    /// How it runs.
    pub fn kind(&self) -> Kind {
        if self.0.module.is_some() {
            Kind::Module
        } else {
            Kind::Process
        }
    }

    /// The SHA-256 of the file's bytes, in 64 hexadecimal digits; for a command with arguments, of
    /// the file's hash and of each argument preceded by its length.
    pub fn sha256(&self) -> &str {
        &self.0.sha256
    }

    /// The file's name without its ending.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The file's size in bytes.
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// The file, as an absolute path.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    pub(crate) fn args(&self) -> &[OsString] {
        &self.0.args
    }

    pub(crate) fn module(&self) -> Option<&[u8]> {
        self.0.module.as_deref()
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("kind", &self.kind())
            .field("path", &self.0.path)
            .field("args", &self.0.args)
            .finish_non_exhaustive()
    }
}

/// Opens a regular file that is not empty; gives its size as well.
fn open_file(path: &Path) -> Result<(File, u64), OpenError> {
    let (file, meta) = match open_regular(path) {
        Ok(opened) => opened,
        Err(FileError::NotRegular(found)) if path.is_dir() => {
            return Err(OpenError::Folder(found.path));
        }
        Err(FileError::NotRegular(found)) => return Err(OpenError::NotAFile(found)),
        Err(FileError::Io(error)) => return io_at(path, Err(error)),
    };
    match meta.len() {
        0 => Err(OpenError::Empty(path.into())),
        size => Ok((file, size)),
    }
}

fn hash_rest(file: &mut impl Read, hash: &mut Sha256) -> io::Result<()> {
    let mut bytes = vec![0; HEAD];
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(()),
            length => hash.update(&bytes[..length]),
        }
    }
}

fn io_at<T>(path: &Path, result: io::Result<T>) -> Result<T, OpenError> {
    result.map_err(|source| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => OpenError::NotFound(path.into()),
        _ => OpenError::Io {
            path: path.into(),
            source,
        },
    })
}

/// Whether a file is meant as a WebAssembly module: by its ending, or by how it begins.
pub fn is_module(path: &Path, head: &[u8]) -> bool {
    let ending = path.extension().is_some_and(|ending| {
        ending.eq_ignore_ascii_case("wasm") || ending.eq_ignore_ascii_case("wat")
    });
    ending || head.starts_with(b"\0asm") || is_module_text(head)
}

/// Whether a text begins with `(module` (or `(component`, which is refused later and by name)
/// after spaces and `;;` comments.
fn is_module_text(mut head: &[u8]) -> bool {
    loop {
        head = head.trim_ascii_start();
        let Some(comment) = head.strip_prefix(b";;") else {
            break;
        };
        let Some(end) = memchr::memchr(b'\n', comment) else {
            return false;
        };
        head = &comment[end..];
    }
    let Some(rest) = head.strip_prefix(b"(") else {
        return false;
    };
    let word = rest.trim_ascii_start();
    word.starts_with(b"module") || word.starts_with(b"component")
}

/// The binary of a module; text is translated.
fn binary_module(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, OpenError> {
    let bytes = if bytes.starts_with(b"\0asm") {
        bytes
    } else if path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("wasm"))
        && !is_module_text(&bytes)
    {
        return Err(OpenError::NotWasm(path.into()));
    } else {
        let not_wat = |mut error: wat::Error| {
            error.set_path(path);
            OpenError::NotWat {
                path: path.into(),
                message: error.to_string(),
            }
        };
        wat::parse_bytes(&bytes).map_err(not_wat)?.into_owned()
    };
    // The bytes 4 to 7 are a version and a layer; layer 1 is the component model.
    if bytes.get(6) == Some(&1) {
        return Err(OpenError::Component(path.into()));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_prints_as_it_reads() {
        for kind in [Kind::Process, Kind::Module] {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!("wasm".parse::<Kind>(), Err(UnknownKind));
    }

    #[test]
    fn module_text_is_known_by_its_first_word() {
        for text in ["(module)", " \n;; a (comment\n\t( module $x", "(component)"] {
            assert!(is_module_text(text.as_bytes()), "{text}");
        }
        for text in ["", "#!/bin/sh", ";; (module)", "module", "(list)"] {
            assert!(!is_module_text(text.as_bytes()), "{text}");
        }
    }
}
