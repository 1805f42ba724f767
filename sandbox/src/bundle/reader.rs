//! The rules that hold for all entries of a bundle together, and its SHA-256, wherever it is read from.

use std::cmp::Ordering;
use std::io::{self, Read};

use sha2::{Digest, Sha256};

use crate::bundle::entry::{BLOCK, BundleEntry, EntryKind, padding};
use crate::bundle::error::BundleError;
use crate::bundle::limits::{LARGEST_BUNDLE, MAX_ENTRIES};

/// The bytes that are taken at a time.
const PIECE: usize = 64 * 1024;

/// What takes the entries of a bundle.
pub(crate) trait Sink {
    /// Takes an entry, with its content where it is a file; the content need not be read to its end.
    fn take(&mut self, entry: &BundleEntry, content: &mut dyn Read) -> Result<(), BundleError>;

    /// Takes the bytes of the archive as they come, before it is compressed.
    fn archive(&mut self, _bytes: &[u8]) -> Result<(), BundleError> {
        Ok(())
    }
}

/// What a bundle comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleSum {
    /// The SHA-256 of its archive before compression, hexadecimal.
    pub sha256: String,
    /// The files, folders and links.
    pub entries: u64,
    /// The bytes of all files together.
    pub bytes: u64,
}

/// Takes a bundle's entries in their order, and hands them on.
pub(crate) struct BundleReader<'a> {
    sink: &'a mut dyn Sink,
    packed: bool,
    hash: Sha256,
    entries: u64,
    bytes: u64,
    /// The path of the last entry.
    last: String,
    /// The folders that the last entry is or lies in.
    folders: Vec<String>,
}

impl<'a> BundleReader<'a> {
    /// `packed`: whether it is read from an archive, or from a folder.
    pub(crate) fn new(sink: &'a mut dyn Sink, packed: bool) -> Self {
        BundleReader {
            sink,
            packed,
            hash: Sha256::new(),
            entries: 0,
            bytes: 0,
            last: String::new(),
            folders: Vec::new(),
        }
    }

    /// Whether there is room for one more entry: for who makes a list before it reads.
    pub(crate) fn has_room_for(&self, entries: usize) -> Result<(), BundleError> {
        match self.entries + entries as u64 {
            ..=MAX_ENTRIES => Ok(()),
            _ => Err(BundleError::TooMany),
        }
    }

    /// Takes the next entry. The content has exactly the bytes that the entry says.
    pub(crate) fn take(
        &mut self,
        entry: &BundleEntry,
        content: &mut dyn Read,
    ) -> Result<(), BundleError> {
        self.admit(entry)?;
        let headers = entry.headers();
        self.hash.update(&headers);
        self.sink.archive(&headers)?;
        let size = entry.size();
        let mut piece = HashingReader {
            left: size,
            hash: &mut self.hash,
            content,
            failed: None,
        };
        let taken = self.sink.take(entry, &mut piece);
        // What the sink had no use for counts as well. How it fails stands in the piece.
        let _ = taken.is_ok() && io::copy(&mut piece, &mut io::sink()).is_ok();
        if let Some(error) = piece.failed.take() {
            return Err(self.failed(entry, error));
        }
        taken?;
        let zeros = &[0; BLOCK][..padding(size)];
        self.hash.update(zeros);
        self.sink.archive(zeros)
    }

    /// Why a content cannot be read.
    fn failed(&self, entry: &BundleEntry, error: io::Error) -> BundleError {
        match error.kind() {
            _ if self.packed => BundleError::Cut,
            // The file has become shorter.
            io::ErrorKind::UnexpectedEof => BundleError::Changed,
            _ => BundleError::io(&entry.path)(error),
        }
    }

    /// Whether an entry keeps the rules, and comes where it is due.
    fn admit(&mut self, entry: &BundleEntry) -> Result<(), BundleError> {
        let path = || entry.path.clone();
        self.has_room_for(1)?;
        self.entries += 1;
        entry.check()?;
        match in_order(&self.last, &entry.path) {
            Ordering::Less => {}
            Ordering::Equal => return Err(BundleError::Twice(path())),
            Ordering::Greater => {
                let what = format!("{} comes too late in it", entry.path);
                return Err(BundleError::Foreign(what));
            }
        }
        let folder = entry.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        while let Some(around) = self.folders.last()
            && folder != around
            && !folder.starts_with(&format!("{around}/"))
        {
            self.folders.pop();
        }
        if folder != self.folders.last().map_or("", String::as_str) {
            return Err(BundleError::NoFolder(path()));
        }
        if entry.kind == EntryKind::Folder {
            self.folders.push(path());
        }
        self.bytes = self.bytes.saturating_add(entry.size());
        if self.bytes > LARGEST_BUNDLE {
            return Err(BundleError::TooLarge);
        }
        self.last = path();
        Ok(())
    }

    /// What all of it came to.
    pub(crate) fn finish(mut self) -> Result<BundleSum, BundleError> {
        let end = [0; 2 * BLOCK];
        self.hash.update(end);
        self.sink.archive(&end)?;
        Ok(BundleSum {
            sha256: hex::encode(self.hash.finalize()),
            entries: self.entries,
            bytes: self.bytes,
        })
    }
}

/// The order of entries: name by name, so that what a folder holds follows it.
pub(crate) fn in_order(one: &str, other: &str) -> Ordering {
    one.split('/').cmp(other.split('/'))
}

/// A content that is hashed while it is read.
struct HashingReader<'a> {
    left: u64,
    hash: &'a mut Sha256,
    content: &'a mut dyn Read,
    failed: Option<io::Error>,
}

impl Read for HashingReader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        let most = most.min(bytes.len()).min(PIECE);
        if most == 0 {
            return Ok(0);
        }
        let read = loop {
            match self.content.read(&mut bytes[..most]) {
                Ok(0) => break Err(io::ErrorKind::UnexpectedEof.into()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        match read {
            Ok(read) => {
                self.hash.update(&bytes[..read]);
                self.left -= read as u64;
                Ok(read)
            }
            Err(error) => {
                let kind = error.kind();
                self.failed = Some(error);
                Err(kind.into())
            }
        }
    }
}
