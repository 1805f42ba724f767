//! What can be started: a file or a bundle, sniffed once at the door. Whether a module keeps the rules of the
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

use crate::bundle::error::BundleError;
use crate::bundle::{self, Bundle};
use crate::error::OpenError;
use crate::file_kind::{has_windows_line, is_component_text, is_module, is_module_text, is_packed};
use crate::open_regular::{FileError, open_regular};
use crate::sizes::{LARGEST_MODULE, LARGEST_PROGRAM, LARGEST_TEXT};

/// What the name of a packed bundle ends with.
const PACKED: &str = ".tar.zst";

/// How much of a file is looked at to learn what it is.
const HEAD: usize = 64 * 1024;

/// How a bot runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProgramKind {
    /// A process of the operating system.
    Process,
    /// A WebAssembly module inside this process.
    Module,
}

impl fmt::Display for ProgramKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ProgramKind::Process => "process",
            ProgramKind::Module => "module",
        })
    }
}

/// A text that names no [`ProgramKind`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a bot is a \"process\" or a \"module\"")]
pub struct UnknownProgramKind;

impl FromStr for ProgramKind {
    type Err = UnknownProgramKind;

    fn from_str(text: &str) -> Result<Self, UnknownProgramKind> {
        match text {
            "process" => Ok(ProgramKind::Process),
            "module" => Ok(ProgramKind::Module),
            _ => Err(UnknownProgramKind),
        }
    }
}

/// Something that can be started, as often as wished; cheap to clone.
#[derive(Clone)]
pub struct Program {
    inner: Arc<ProgramInner>,
    own: Arc<OwnSettings>,
}

/// What the bots of a program have that others have not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OwnSettings {
    /// The memory that they may use, in bytes; none: as much as all bots.
    pub memory: Option<u64>,
    /// Whether processes may use the network of this machine.
    pub network: bool,
    /// The names of variables of this process's environment that processes have in theirs.
    pub variables: Vec<String>,
}

#[derive(Default)]
struct ProgramInner {
    path: PathBuf,
    args: Vec<OsString>,
    name: String,
    size: u64,
    sha256: String,
    /// The binary module; nothing for a process.
    module: Option<Binary>,
    /// Where it is a bot of several files.
    bundle: Option<Bundle>,
}

/// A module.
struct Binary {
    bytes: Vec<u8>,
    /// The SHA-256 of its file, which may be text.
    sha256: String,
}

impl Binary {
    /// Of the bytes of a file.
    fn of(path: &Path, bytes: Vec<u8>) -> Result<Self, OpenError> {
        let sha256 = hex::encode(Sha256::digest(&bytes));
        let bytes = binary_module(path, bytes)?;
        Ok(Binary { bytes, sha256 })
    }
}

impl ProgramInner {
    /// That of a file without arguments, which is started itself.
    fn at(path: &Path, size: u64, sha256: String) -> Result<Self, OpenError> {
        let name = path.file_stem().unwrap_or(path.as_os_str());
        Ok(ProgramInner {
            name: name.to_string_lossy().into_owned(),
            // The bot runs in its file's folder, so its path must not depend on ours.
            path: io_at(path, std::path::absolute(path))?,
            size,
            sha256,
            ..ProgramInner::default()
        })
    }
}

impl Program {
    /// A program whose file is gone, by what is known of it. It cannot be started.
    pub fn absent(name: &str, kind: ProgramKind, sha256: &str, size: u64) -> Self {
        let module = (kind == ProgramKind::Module).then(|| Binary {
            bytes: Vec::new(),
            sha256: sha256.into(),
        });
        Program::of(ProgramInner {
            name: name.into(),
            size,
            sha256: sha256.into(),
            module,
            ..ProgramInner::default()
        })
    }

    /// Opens a file: a WebAssembly module by its content or its ending, a packed bundle by its content, otherwise an
    /// executable; or the bundle in a folder.
    ///
    /// # Errors
    /// Says why the file cannot be started.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        if path.is_dir() && bundle::is_bundle(path) {
            return Self::bundle(path, Bundle::open_folder);
        }
        let (mut file, size) = open_file(path)?;
        let mut head = Vec::new();
        io_at(path, file.by_ref().take(HEAD as u64).read_to_end(&mut head))?;
        if is_packed(&head) {
            return Self::bundle(path, Bundle::open_packed);
        }
        if !is_module(path, &head) {
            return Self::executable(path, Vec::new(), size, &head, file);
        }
        check_module_size(path, size, &head)?;
        // A file that grows meanwhile is read as far as it was.
        let rest = size.saturating_sub(head.len() as u64);
        let mut bytes = head;
        io_at(path, file.take(rest).read_to_end(&mut bytes))?;
        let size = bytes.len() as u64;
        let module = Binary::of(path, bytes)?;
        let inner = ProgramInner::at(path, size, module.sha256.clone())?;
        let module = Some(module);
        Ok(Program::of(ProgramInner { module, ..inner }))
    }

    fn bundle(
        path: &Path,
        open: impl FnOnce(&Path) -> Result<Bundle, BundleError>,
    ) -> Result<Self, OpenError> {
        let of_bundle = OpenError::bundle(path);
        // Its files are looked for again, perhaps from another folder.
        let whole = io_at(path, std::path::absolute(path))?;
        let bundle = open(&whole).map_err(&of_bundle)?;
        let module = match bundle.module().map_err(&of_bundle)? {
            None => None,
            Some((inside, bytes)) => {
                let inside = path.join(inside);
                let size = bytes.len() as u64;
                if size == 0 {
                    return Err(OpenError::Empty(inside));
                }
                check_module_size(&inside, size, &bytes)?;
                Some(Binary::of(&inside, bytes)?)
            }
        };
        let name = bundle.manifest.name.clone().unwrap_or_else(|| {
            let name = whole.file_name().unwrap_or_default().to_string_lossy();
            name.strip_suffix(PACKED).unwrap_or(&name).to_owned()
        });
        let inner = ProgramInner::at(path, bundle.sum.bytes, bundle.sum.sha256.clone())?;
        Ok(Program::of(ProgramInner {
            name,
            module,
            bundle: Some(bundle),
            ..inner
        }))
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
        let args = args.into_iter().map(Into::into).collect();
        Self::executable(path, args, size, &[], file)
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
        let inner = ProgramInner::at(path, size, hex::encode(Sha256::digest(identity)))?;
        Ok(Program::of(ProgramInner { args, ..inner }))
    }

    fn executable(
        path: &Path,
        args: Vec<OsString>,
        size: u64,
        head: &[u8],
        rest: File,
    ) -> Result<Self, OpenError> {
        if size > LARGEST_PROGRAM {
            let path = path.into();
            return Err(OpenError::TooLargeProgram { path, size });
        }
        if rustix::fs::access(path, Access::EXEC_OK).is_err() {
            return Err(OpenError::NotExecutable(path.into()));
        }
        if has_windows_line(head) {
            return Err(OpenError::WindowsLines(path.into()));
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
        let inner = ProgramInner::at(path, size, hex::encode(hash.finalize()))?;
        Ok(Program::of(ProgramInner { args, ..inner }))
    }

    fn of(inner: ProgramInner) -> Self {
        Program {
            inner: Arc::new(inner),
            own: Arc::default(),
        }
    }

    /// The same program, whose bots have this of their own.
    #[must_use]
    pub fn with_own(self, own: OwnSettings) -> Self {
        let own = Arc::new(own);
        Program { own, ..self }
    }

    /// The same program, whose bots may use so many bytes of memory; or, with none, as much as all bots.
    #[must_use]
    pub fn with_memory(self, memory: Option<u64>) -> Self {
        let own = OwnSettings {
            memory,
            ..(*self.own).clone()
        };
        self.with_own(own)
    }

    /// What its bots have of their own.
    pub fn own(&self) -> &OwnSettings {
        &self.own
    }

    /// How it runs.
    pub fn kind(&self) -> ProgramKind {
        match self.inner.module {
            Some(_) => ProgramKind::Module,
            None => ProgramKind::Process,
        }
    }

    /// The SHA-256 of the file's bytes, in 64 hexadecimal digits; for a command with arguments, of
    /// the file's hash and of each argument preceded by its length; for a bundle, of its archive before compression.
    pub fn sha256(&self) -> &str {
        &self.inner.sha256
    }

    /// The file's name without its ending, or the name that a bundle gives itself.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The file's size in bytes; of a bundle, that of all its files together.
    pub fn size(&self) -> u64 {
        self.inner.size
    }

    /// The file or the bundle's folder, as an absolute path.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    pub(crate) fn args(&self) -> &[OsString] {
        &self.inner.args
    }

    /// The bundle, if it is one.
    pub fn as_bundle(&self) -> Option<&Bundle> {
        self.inner.bundle.as_ref()
    }

    /// How much memory its bots may use, in bytes, where all bots may use so much. A bundle may wish for less.
    pub(crate) fn memory(&self, of_all: u64) -> u64 {
        let limit = self.own.memory.unwrap_or(of_all);
        self.wish().map_or(limit, |wish| wish.min(limit))
    }

    fn wish(&self) -> Option<u64> {
        self.inner.bundle.as_ref()?.manifest.memory
    }

    /// Makes sure that it does not wish for more memory than its bots may use.
    pub(crate) fn check_memory(&self, of_all: u64) -> Result<(), OpenError> {
        let limit = self.own.memory.unwrap_or(of_all);
        match self.wish() {
            Some(wish) if wish > limit => Err(OpenError::WishesMemory {
                path: self.inner.path.clone(),
                wish,
                limit,
            }),
            _ => Ok(()),
        }
    }

    pub(crate) fn module(&self) -> Option<&[u8]> {
        self.inner.module.as_ref().map(|module| &module.bytes[..])
    }

    /// The SHA-256 of the module's file, by which its code is kept.
    pub(crate) fn module_sha256(&self) -> &str {
        let module = self.inner.module.as_ref();
        module.map_or(&self.inner.sha256, |module| &module.sha256)
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("kind", &self.kind())
            .field("path", &self.inner.path)
            .field("args", &self.inner.args)
            .finish_non_exhaustive()
    }
}

/// Whether a module has a size that is taken. `head` is how it begins.
fn check_module_size(path: &Path, size: u64, head: &[u8]) -> Result<(), OpenError> {
    let path = || path.to_path_buf();
    if size > LARGEST_MODULE {
        return Err(OpenError::TooLarge { path: path(), size });
    }
    if size > LARGEST_TEXT && !head.starts_with(b"\0asm") {
        return Err(OpenError::TooMuchText { path: path(), size });
    }
    Ok(())
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
    } else if is_component_text(&bytes) {
        return Err(OpenError::Component(path.into()));
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
        for kind in [ProgramKind::Process, ProgramKind::Module] {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!("wasm".parse::<ProgramKind>(), Err(UnknownProgramKind));
    }
}
