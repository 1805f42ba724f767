//! Reading a bundle from a folder: of its author, or where it was unpacked.

use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::bundle::entry::{BundleEntry, EntryKind};
use crate::bundle::error::{BundleError, shown};
use crate::bundle::limits::is_manifest;
use crate::bundle::manifest::Manifest;
use crate::bundle::reader::{BundleReader, in_order};
use crate::open_regular::{open_no_link, refuse_others};

/// What is never packed, by the name of a file or a folder: version control, and what programs leave behind when they
/// run.
pub const IGNORED: [&str; 7] = [
    ".git",
    ".hg",
    ".svn",
    ".DS_Store",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
];

/// The folder in which Python keeps what it has compiled.
const COMPILED: &str = "__pycache__";

/// How a compiled Python module begins, and the flag that it is found by the hash of its source; others are found by
/// its time, which a bundle does not have.
const COMPILED_HEAD: usize = 8;
const BY_HASH: u8 = 1;

/// What makes a folder a virtual environment of Python.
pub(crate) const ENVIRONMENT: &str = "pyvenv.cfg";

/// What of a folder is read.
#[derive(Clone, Debug)]
pub(crate) enum FileSelection {
    /// All that is there.
    All,
    /// What its author lists, or all but what is never packed.
    ByItsAuthor(Box<Manifest>),
}

impl FileSelection {
    /// What the manifest of a folder asks for.
    pub(crate) fn by_its_author(folder: &Path) -> Result<Self, BundleError> {
        let manifest = Manifest::read(folder)?;
        Ok(FileSelection::ByItsAuthor(Box::new(manifest)))
    }

    /// The files that its author lists, and the manifest with the list.
    fn listed(&self) -> Option<(&Manifest, &[String])> {
        match self {
            FileSelection::All => None,
            FileSelection::ByItsAuthor(manifest) => {
                let files = manifest.files.as_deref();
                files.map(|files| (&**manifest, files))
            }
        }
    }

    /// Whether an entry is read, perhaps only for what it holds.
    fn has(&self, path: &str) -> bool {
        match self.listed() {
            None => true,
            Some((_, files)) => {
                let below = |one: &str, other: &str| {
                    let rest = one.strip_prefix(other);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                };
                is_manifest(path)
                    || files
                        .iter()
                        .any(|file| below(path, file) || below(file, path))
            }
        }
    }
}

/// Hands over what a folder holds, in order.
pub(crate) fn read(
    folder: &Path,
    wanted: &FileSelection,
    reader: &mut BundleReader<'_>,
) -> Result<(), BundleError> {
    if let Some((manifest, files)) = wanted.listed() {
        // A name that is misspelt would be missed only when the bot plays.
        for file in files {
            if folder.join(file).symlink_metadata().is_err() {
                let what = format!("files names {file}, which is not in the folder");
                return Err(manifest.wrong(what, None));
            }
            not_through_link(folder, manifest, file)?;
            not_left_out(folder, manifest, file)?;
        }
    }
    FolderWalk { folder, wanted }.folder("", reader)
}

/// Refuses a file that is named by a link to a folder that it lies in: the link would be packed, and the file would
/// not.
fn not_through_link(folder: &Path, manifest: &Manifest, file: &str) -> Result<(), BundleError> {
    let is_link = |path: &&str| {
        let found = folder.join(path).symlink_metadata();
        found.is_ok_and(|found| found.is_symlink())
    };
    let mut around = file.match_indices('/').map(|(end, _)| &file[..end]);
    let Some(link) = around.find(is_link) else {
        return Ok(());
    };
    let real = folder.join(file).canonicalize().ok();
    let real = real.zip(folder.canonicalize().ok());
    let real = real.and_then(|(file, folder)| Some(file.strip_prefix(folder).ok()?.to_owned()));
    let hint = match real {
        Some(real) => {
            let real = shown(&real.to_string_lossy());
            format!(
                "name {real}, and {} as well if the program uses it",
                shown(link)
            )
        }
        None => "copy it into the folder".into(),
    };
    let what = format!("files names {file}, but {link} is a link");
    Err(manifest.wrong(what, Some(hint)))
}

/// Refuses a file that is never packed, though it is named.
fn not_left_out(folder: &Path, manifest: &Manifest, file: &str) -> Result<(), BundleError> {
    let mut around = folder.to_owned();
    for name in file.split('/') {
        if leaves_out(&around, name) {
            let what = format!("files names {file}, but {} is never packed", shown(name));
            let hint = "take it off the list: arenas, version control and what belongs to this machine's Python are left \
                        out";
            return Err(manifest.wrong(what, Some(hint.into())));
        }
        around.push(name);
    }
    Ok(())
}

struct FolderWalk<'a> {
    folder: &'a Path,
    wanted: &'a FileSelection,
}

impl FolderWalk<'_> {
    /// What lies in a folder of the bundle, which has a path; the bundle's own has none.
    fn folder(&self, path: &str, reader: &mut BundleReader<'_>) -> Result<(), BundleError> {
        for (path, meta) in self.list(path, reader)? {
            let entry = BundleEntry {
                kind: self.kind(&path, &meta)?,
                path,
            };
            let at = self.folder.join(&entry.path);
            match entry.kind {
                EntryKind::File { .. } => {
                    let mut file = open_no_link(&at).map_err(BundleError::io(&at))?;
                    reader.take(&entry, &mut file)?;
                    if file.read(&mut [0]).map_err(BundleError::io(&at))? > 0 {
                        return Err(BundleError::Changed);
                    }
                }
                EntryKind::Link { .. } => reader.take(&entry, &mut io::empty())?,
                EntryKind::Folder => {
                    reader.take(&entry, &mut io::empty())?;
                    self.folder(&entry.path, reader)?;
                }
            }
        }
        Ok(())
    }

    /// The wanted entries of a folder, in order.
    fn list(
        &self,
        path: &str,
        reader: &BundleReader<'_>,
    ) -> Result<Vec<(String, Metadata)>, BundleError> {
        let at = self.folder.join(path);
        let by_author = matches!(self.wanted, FileSelection::ByItsAuthor(_));
        let leaves_out = |name: &str| by_author && leaves_out(&at, name);
        let mut entries = Vec::new();
        for entry in fs::read_dir(&at).map_err(BundleError::io(&at))? {
            let entry = entry.map_err(BundleError::io(&at))?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let path = join(path, &name.to_string_lossy());
                // What is not wanted may have any name.
                if self.wanted.has(&path) {
                    return Err(BundleError::NotText(path));
                }
                continue;
            };
            let path = join(path, name);
            if leaves_out(name) || !self.wanted.has(&path) {
                continue;
            }
            reader.has_room_for(entries.len() + 1)?;
            entries.push((path, entry.metadata().map_err(BundleError::io(&at))?));
        }
        entries.sort_by(|(one, _), (other, _)| in_order(one, other));
        Ok(entries)
    }

    fn kind(&self, path: &str, meta: &Metadata) -> Result<EntryKind, BundleError> {
        if meta.is_dir() {
            return Ok(EntryKind::Folder);
        }
        if meta.is_symlink() {
            let at = self.folder.join(path);
            let to = fs::read_link(&at).map_err(BundleError::io(at))?;
            let to = to.into_os_string().into_string();
            let to = to.map_err(|_| BundleError::BadLink(path.into()))?;
            return Ok(EntryKind::Link { to });
        }
        refuse_others(Path::new(path), meta)
            .map_err(|found| BundleError::kind(path, found.what))?;
        Ok(EntryKind::File {
            size: meta.len(),
            executable: meta.permissions().mode() & 0o111 != 0,
        })
    }
}

fn join(folder: &str, name: &str) -> String {
    match folder {
        "" => name.into(),
        _ => format!("{folder}/{name}"),
    }
}

/// Whether an entry of a folder is none of the bundle.
fn leaves_out(folder: &Path, name: &str) -> bool {
    let is_named = |folder: &Path, name: &str| folder.file_name().is_some_and(|own| own == name);
    if IGNORED.contains(&name) || is_arena(&folder.join(name)) {
        return true;
    }
    if name == COMPILED {
        return !has_compiled(&folder.join(name));
    }
    if is_named(folder, COMPILED) {
        return !is_compiled(&folder.join(name));
    }
    // The Python of an environment is the one of its author's machine; see `run`.
    is_named(folder, "bin")
        && is_python(name)
        && folder
            .parent()
            .is_some_and(|around| around.join(ENVIRONMENT).is_file())
}

/// Whether a folder is an arena, with the bots of others and their results: commands that run in a bundle's folder make
/// one there.
fn is_arena(folder: &Path) -> bool {
    folder.join("journal.sqlite").is_file() && folder.join("bots").is_dir()
}

fn has_compiled(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files = entries.map(|entry| entry.path());
    files.any(|file| is_compiled(&file))
}

/// Whether a file is a Python module that was compiled to be found by its source's hash.
fn is_compiled(file: &Path) -> bool {
    let mut head = [0; COMPILED_HEAD];
    let read = open_no_link(file).and_then(|mut file| file.read_exact(&mut head));
    file.extension().is_some_and(|ending| ending == "pyc") && read.is_ok() && head[4] & BY_HASH != 0
}

/// Whether a file has the name of Python, with a version or without.
pub(crate) fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python");
    version.is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}
