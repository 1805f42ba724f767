//! A bot of several files: a folder with a `bot.toml`, or the same packed into one file.
//!
//! Packed, it is a tar archive, compressed with zstd, and there is one way to write it: entries in order, without
//! times and owners. The SHA-256 of a bundle is that of the archive before compression. So the same files always
//! have the same SHA-256, and another version of zstd does not change it.
//!
//! A folder and a packed bundle are read by the same rules, which `BundleReader` checks entry by entry; nothing is
//! written outside of the folder that it is unpacked into, whatever an archive holds.

mod archive;
pub(crate) mod content;
#[cfg(feature = "fuzzing")]
mod direct;
pub(crate) mod entry;
pub(crate) mod error;
mod folder;
pub(crate) mod limits;
pub(crate) mod manifest;
mod pack;
mod reader;
pub(crate) mod run;
pub(crate) mod store;
#[cfg(test)]
mod tests;
mod unpack;

use std::io::Read;
use std::path::{Path, PathBuf};

pub use error::BundleError;
pub use folder::IGNORED;
pub use limits::{
    GAME_MANIFEST, LARGEST_BUNDLE, LARGEST_CONTENT, LARGEST_PACKED, LONGEST_LINK, LONGEST_MANIFEST,
    LONGEST_PATH, MANIFEST, MAX_DEPTH, MAX_ENTRIES,
};
pub use manifest::{MIN_MEMORY, Manifest};
pub use pack::pack;
pub use reader::BundleSum;
pub use store::LARGEST_STORE;

pub use crate::file_kind::is_packed;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use direct::{parse_manifest, unpack_archive};
pub(crate) use manifest::ManifestRun;

pub(crate) use entry::BundleEntry;
use folder::FileSelection;
use reader::BundleReader;
pub(crate) use reader::Sink;
use run::BundleContent;

/// Where the files of a bundle are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A folder of its author.
    Folder(PathBuf),
    /// A packed bundle.
    Packed(PathBuf),
}

/// A bundle that was opened: it was read as a whole, and keeps the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    pub(crate) source: Source,
    pub(crate) manifest: Manifest,
    pub(crate) run: ManifestRun,
    pub(crate) sum: BundleSum,
}

impl Bundle {
    /// Opens the bundle in a folder.
    pub(crate) fn open_folder(path: &Path) -> Result<Self, BundleError> {
        Bundle::open(Source::Folder(path.into()))
    }

    /// Opens a packed bundle.
    pub(crate) fn open_packed(path: &Path) -> Result<Self, BundleError> {
        Bundle::open(Source::Packed(path.into()))
    }

    fn open(source: Source) -> Result<Self, BundleError> {
        let mut found = BundleContent::default();
        let sum = source.read(&mut found)?;
        let manifest = found.manifest()?;
        let run = found.run(&manifest)?;
        if matches!(run, ManifestRun::Module { .. }) && sum.bytes > LARGEST_CONTENT {
            return Err(BundleError::TooMuchContent);
        }
        Ok(Bundle {
            source,
            manifest,
            run,
            sum,
        })
    }

    /// What its manifest says.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// How much there is in it.
    pub fn sum(&self) -> &BundleSum {
        &self.sum
    }

    /// The module that is started, if it is one, with its path.
    pub(crate) fn module(&self) -> Result<Option<(PathBuf, Vec<u8>)>, BundleError> {
        let ManifestRun::Module { path } = &self.run else {
            return Ok(None);
        };
        let mut file = SingleFileSink {
            path,
            bytes: Vec::new(),
        };
        self.read_again(&mut file)?;
        Ok(Some((path.into(), file.bytes)))
    }

    /// Reads all of it again; fails where it is not what it was when it was opened.
    pub(crate) fn read_again(&self, sink: &mut dyn Sink) -> Result<(), BundleError> {
        let sum = self.source.read(sink)?;
        if sum == self.sum {
            Ok(())
        } else {
            Err(BundleError::Changed)
        }
    }
}

impl Source {
    /// Hands every entry over, in order.
    fn read(&self, sink: &mut dyn Sink) -> Result<BundleSum, BundleError> {
        let packed = matches!(self, Source::Packed(_));
        let mut reader = BundleReader::new(sink, packed);
        match self {
            Source::Folder(path) => {
                let wanted = FileSelection::by_its_author(path)?;
                folder::read(path, &wanted, &mut reader)?;
            }
            Source::Packed(path) => archive::read(path, &mut reader)?,
        }
        reader.finish()
    }
}

/// Takes the content of one file.
struct SingleFileSink<'a> {
    path: &'a str,
    bytes: Vec<u8>,
}

impl Sink for SingleFileSink<'_> {
    fn take(&mut self, entry: &BundleEntry, content: &mut dyn Read) -> Result<(), BundleError> {
        if entry.path == self.path {
            let read = content.read_to_end(&mut self.bytes);
            read.map_err(BundleError::io(self.path))?;
        }
        Ok(())
    }
}

/// What the manifest of a packed bundle says. The rest of the bundle is not checked.
///
/// # Errors
/// When it is no packed bundle, or cannot be read as far as that.
pub fn packed_manifest(path: &Path) -> Result<Manifest, BundleError> {
    archive::manifest(path)
}

/// Whether a folder is meant as a bundle.
pub fn is_bundle(folder: &Path) -> bool {
    let found = |name| folder.join(name).symlink_metadata();
    let is_there = |name| found(name).is_ok_and(|found| !found.is_dir());
    [MANIFEST, GAME_MANIFEST].into_iter().any(is_there)
}
