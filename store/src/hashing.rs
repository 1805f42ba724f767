//! Writers that hash.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

/// What is written, hashed.
pub(crate) struct HashingWriter<W> {
    pub(crate) out: W,
    hash: Sha256,
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
