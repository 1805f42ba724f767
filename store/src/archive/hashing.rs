//! Readers and writers that hash, and headers of archives.

use std::io;
use std::io::{Read, Write};

use sha2::{Digest, Sha256};
use tar::{EntryType, Header};

use crate::archive::MAX_FILLING;

/// What a tar has before a file of this size. Nothing of this machine or its user is in it. `at` is in milliseconds
/// since 1970.
pub(crate) fn header(path: &str, size: u64, at: u64) -> io::Result<Header> {
    let mut header = Header::new_ustar();
    header.set_path(path)?;
    header.set_entry_type(EntryType::Regular);
    header.set_size(size);
    header.set_mode(0o644);
    header.set_mtime(at / 1000);
    header.set_cksum();
    Ok(header)
}

/// Whether nothing follows the last file of a tar but what fills its last block up. All of it is read, for compression
/// keeps its checksum at the end.
pub(crate) fn ends(rest: impl Read) -> io::Result<bool> {
    let length = io::copy(&mut rest.take(MAX_FILLING + 1), &mut io::sink())?;
    Ok(length <= MAX_FILLING)
}

/// What is written, hashed.
pub(crate) struct HashingWriter<W> {
    pub(super) out: W,
    pub(super) hash: Sha256,
}

impl<W: Write> HashingWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        HashingWriter {
            out,
            hash: Sha256::new(),
        }
    }

    /// The hash of what was written until now.
    pub(crate) fn hash(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.out.write(bytes)?;
        self.hash.update(&bytes[..length]);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
