//! Writing a zip (APPNOTE.TXT of PKWARE, 4.3): deflated files with modes of Unix and without times, so that the same files
//! always have the same bytes.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// The version of the format that is needed: folders and deflated files.
const VERSION: u16 = 20;

/// The system whose modes the attributes have.
const UNIX: u16 = 3 << 8;

/// That names are UTF-8.
const UTF_8: u16 = 1 << 11;

const DEFLATED: u16 = 8;

/// The first day that the format has: 1980-01-01.
const DATE: u16 = 1 << 5 | 1;

/// A zip that is being written, in memory.
#[derive(Default)]
pub(crate) struct ZipWriter {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

impl ZipWriter {
    /// Adds a file. The folders in its path need no entry.
    pub(crate) fn add(&mut self, path: &str, content: &[u8], is_executable: bool) {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        let packed = encoder.write_all(content).and_then(|()| encoder.finish());
        let packed = packed.expect("memory does not fail");
        let mut crc = Crc::new();
        crc.update(content);
        let length = |bytes: usize| u32::try_from(bytes).expect("a kit is small");
        let mut shared = Vec::new();
        for field in [VERSION, UTF_8, DEFLATED, 0, DATE] {
            shared.extend(field.to_le_bytes());
        }
        for field in [crc.sum(), length(packed.len()), length(content.len())] {
            shared.extend(field.to_le_bytes());
        }
        shared.extend((path.len() as u16).to_le_bytes());
        // No further fields.
        shared.extend(0_u16.to_le_bytes());

        let start = length(self.bytes.len());
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&shared);
        self.bytes.extend(path.as_bytes());
        self.bytes.extend(packed);

        let mode: u32 = if is_executable { 0o100_755 } else { 0o100_644 };
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend((UNIX | VERSION).to_le_bytes());
        self.directory.extend(&shared);
        // No comment, the first disk, no attributes of its own.
        self.directory.extend([0; 6]);
        self.directory.extend((mode << 16).to_le_bytes());
        self.directory.extend(start.to_le_bytes());
        self.directory.extend(path.as_bytes());
        self.count += 1;
    }

    /// The whole zip.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let start = self.bytes.len() as u32;
        self.bytes.extend(&self.directory);
        self.bytes.extend(b"PK\x05\x06");
        self.bytes.extend([0; 4]);
        for _ in 0..2 {
            self.bytes.extend(self.count.to_le_bytes());
        }
        self.bytes
            .extend((self.directory.len() as u32).to_le_bytes());
        self.bytes.extend(start.to_le_bytes());
        self.bytes.extend([0; 2]);
        self.bytes
    }
}
