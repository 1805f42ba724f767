//! A record as the journal keeps it: compressed, with the hash of its text.

use std::io::Read;

use sha2::{Digest, Sha256};

/// The longest record that is unpacked, in bytes: a damaged one must not fill the memory.
pub const LONGEST_RECORD: u64 = 64 << 20;

/// zstd's own default: higher levels take much more time for a little less space.
const LEVEL: i32 = 3;

/// A match's record, ready for the journal. Packing takes about as long as a few plies: do it on
/// the thread that played the match, not on the one that writes the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedRecord {
    pub(super) sha256: [u8; 32],
    pub(super) zstd: Vec<u8>,
}

impl PackedRecord {
    /// Packs the text of a record.
    pub fn pack(text: &str) -> Self {
        PackedRecord {
            sha256: PackedRecord::hash(text),
            zstd: zstd::bulk::compress(text.as_bytes(), LEVEL)
                .expect("compressing into memory cannot fail"),
        }
    }

    /// The SHA-256 of a text.
    pub(crate) fn hash(text: &str) -> [u8; 32] {
        Sha256::digest(text).into()
    }

    /// The SHA-256 of the text.
    pub fn sha256(&self) -> [u8; 32] {
        self.sha256
    }

    /// The text again, or what is wrong with it.
    pub(crate) fn unpack(&self) -> Result<String, String> {
        let mut text = String::new();
        zstd::Decoder::with_buffer(&self.zstd[..])
            .and_then(|decoder| decoder.take(LONGEST_RECORD + 1).read_to_string(&mut text))
            .map_err(|error| error.to_string())?;
        if text.len() as u64 > LONGEST_RECORD {
            return Err(format!("it is longer than {LONGEST_RECORD} bytes"));
        }
        if <[u8; 32]>::from(Sha256::digest(&text)) == self.sha256 {
            Ok(text)
        } else {
            Err("it does not have the hash that it was kept with".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_unpacked_as_it_was_packed() {
        for text in [
            "",
            "{}\n",
            &"{\"type\":\"acts\"}\n".repeat(10_000),
            "ä\0\u{10ffff}",
        ] {
            let packed = PackedRecord::pack(text);
            assert_eq!(packed.unpack().as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_damaged_record_is_noticed() {
        let packed = PackedRecord::pack("{\"type\":\"match\"}\n");
        for at in 0..packed.zstd.len() {
            let mut damaged = packed.clone();
            damaged.zstd[at] ^= 1;
            // A flag that says nothing about the content may be lost.
            assert!(
                damaged.unpack().is_err() || damaged.unpack() == packed.unpack(),
                "byte {at}"
            );
        }
        assert!(
            PackedRecord {
                sha256: [0; 32],
                ..packed
            }
            .unpack()
            .unwrap_err()
            .contains("hash")
        );
    }

    #[test]
    fn a_record_that_would_fill_the_memory_is_refused() {
        let packed = PackedRecord::pack(&" ".repeat(LONGEST_RECORD as usize + 1));
        assert!(packed.zstd.len() < 100_000);
        assert!(packed.unpack().unwrap_err().contains("longer"));
    }
}
