//! An entry of a bundle, the rules for its path, and its one way to stand in an archive.

use crate::bundle::error::{BundleError, shown};
use crate::bundle::limits::{LONGEST_LINK, LONGEST_PATH, MAX_DEPTH};

/// The longest name of a file that Linux has, in bytes.
const LONGEST_NAME: usize = 255;

/// The unit of a tar archive, in bytes.
pub(crate) const BLOCK: usize = 512;

/// How much of a path or a target fits into a header.
const SHORT: usize = 100;

/// The path of a header whose content is the path or the target of the next one, as GNU tar writes it.
const LONG_NAME: &[u8] = b"././@LongLink";

/// The types of headers.
pub(crate) const FILE: u8 = b'0';
pub(crate) const LINK: u8 = b'2';
pub(crate) const FOLDER: u8 = b'5';
pub(crate) const LONG_TARGET: u8 = b'K';
pub(crate) const LONG_PATH: u8 = b'L';

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File { size: u64, executable: bool },
    Folder,
    Link { to: String },
}

/// A file, a folder or a link of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BundleEntry {
    /// From the bundle's folder, with single slashes.
    pub(crate) path: String,
    pub(crate) kind: EntryKind,
}

impl BundleEntry {
    /// Whether path and target keep the rules.
    pub(crate) fn check(&self) -> Result<(), BundleError> {
        check_path(&self.path)?;
        match &self.kind {
            EntryKind::Link { to } => check_target(&self.path, to),
            _ => Ok(()),
        }
    }

    /// The bytes of its content.
    pub(crate) fn size(&self) -> u64 {
        match self.kind {
            EntryKind::File { size, .. } => size,
            _ => 0,
        }
    }

    /// The headers that stand before its content.
    pub(crate) fn headers(&self) -> Vec<u8> {
        let (kind, mode, target) = match &self.kind {
            EntryKind::File { executable, .. } => {
                (FILE, if *executable { 0o755 } else { 0o644 }, "")
            }
            EntryKind::Folder => (FOLDER, 0o755, ""),
            EntryKind::Link { to } => (LINK, 0o777, to.as_str()),
        };
        let mut path = self.path.clone().into_bytes();
        if kind == FOLDER {
            path.push(b'/');
        }
        let mut all = Vec::new();
        for (long, kind) in [(&path[..], LONG_PATH), (target.as_bytes(), LONG_TARGET)] {
            if long.len() > SHORT {
                let size = long.len() as u64 + 1;
                all.extend(header(LONG_NAME, kind, 0o644, size, b""));
                all.extend(long);
                // The null at its end, and all up to the end of the block.
                all.resize(all.len() + 1 + padding(size), 0);
            }
        }
        all.extend(header(&path, kind, mode, self.size(), target.as_bytes()));
        all
    }
}

/// How many bytes follow a content of this size, up to the end of its last block.
pub(crate) fn padding(size: u64) -> usize {
    let over = (size % BLOCK as u64) as usize;
    if over == 0 { 0 } else { BLOCK - over }
}

/// A header of GNU tar, without times and owners.
fn header(path: &[u8], kind: u8, mode: u32, size: u64, target: &[u8]) -> [u8; BLOCK] {
    let mut header = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    let short = |text: &'_ [u8]| text.len().min(SHORT);
    put(0, &path[..short(path)]);
    put(100, format!("{mode:07o}").as_bytes());
    put(108, b"0000000");
    put(116, b"0000000");
    put(124, format!("{size:011o}").as_bytes());
    put(136, b"00000000000");
    put(156, &[kind]);
    put(157, &target[..short(target)]);
    put(257, b"ustar  \0");
    // The sum is that of a header in which blanks stand for it.
    put(148, b"        ");
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

/// Whether a path is one of an entry.
pub(crate) fn check_path(path: &str) -> Result<(), BundleError> {
    let owned = || shown(path);
    if path.len() > LONGEST_PATH {
        let start = shown(path).chars().take(SHORT).collect();
        return Err(BundleError::LongPath(start));
    }
    if path.starts_with('/') || path.split('/').any(|part| part == "..") {
        return Err(BundleError::PathLeadsOut(owned()));
    }
    let is_name = |part: &str| !part.is_empty() && part != "." && part.len() <= LONGEST_NAME;
    if path.chars().any(char::is_control) || !path.split('/').all(is_name) {
        return Err(BundleError::BadPath(owned()));
    }
    if path.split('/').count() > MAX_DEPTH {
        return Err(BundleError::Deep(owned()));
    }
    Ok(())
}

/// Whether a link leads to a place in the bundle. Steps back may only stand at its beginning: there they leave folders
/// of the bundle, while after another link nobody knows what they leave.
fn check_target(path: &str, to: &str) -> Result<(), BundleError> {
    let bad = || BundleError::BadLink(path.into());
    if to.is_empty() || to.len() > LONGEST_LINK || to.chars().any(char::is_control) {
        return Err(bad());
    }
    let leads_out = || BundleError::LinkLeadsOut {
        path: path.into(),
        to: to.into(),
    };
    if to.starts_with('/') {
        return Err(leads_out());
    }
    let steps_back = to.split('/').take_while(|part| *part == "..").count();
    if to.split('/').skip(steps_back).any(|part| part == "..") {
        return Err(bad());
    }
    if steps_back >= path.split('/').count() {
        return Err(leads_out());
    }
    Ok(())
}
