//! A record as the journal keeps it: compressed, with the hash of its text.
//!
//! A short record consists mostly of what is the same in every record. So records are compressed with a dictionary,
//! whose number is in the compressed text.

use std::cell::RefCell;
use std::io::{self, Read};

use crate::error::{Error, Result};
use rusqlite::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use zstd::zstd_safe::{DCtx, DParameter, ResetDirective, get_error_name, get_frame_content_size};
use zstd::{bulk::Compressor, stream::read::Decoder};

/// The longest record that is unpacked, in bytes: a damaged one must not fill the memory.
pub const LONGEST_RECORD: u64 = 64 << 20;

/// zstd's own default: higher levels take much more time for a little less space.
const LEVEL: i32 = 3;

/// What `zstd --train` made of 720 records of all games, with random digits in place of hashes. It never changes, for
/// the records in all journals need it.
const DICTIONARY: &[u8] = include_bytes!("records-1.dict");

thread_local! {
    // To make them takes longer than to compress a short record.
    static COMPRESSOR: RefCell<Compressor<'static>> = RefCell::new(
        Compressor::with_dictionary(LEVEL, DICTIONARY).expect("zstd takes its own dictionary")
    );
    static DECOMPRESSOR: RefCell<DCtx<'static>> = RefCell::new({
        let mut context = DCtx::create();
        context.load_dictionary(DICTIONARY).expect("zstd takes its own dictionary");
        let window = DParameter::WindowLogMax(LONGEST_RECORD.ilog2());
        context.set_parameter(window).expect("zstd takes windows of this size");
        context
    });
}

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
        let compress = |compressor: &RefCell<Compressor<'_>>| {
            let packed = compressor.borrow_mut().compress(text.as_bytes());
            packed.expect("compressing into memory cannot fail")
        };
        PackedRecord {
            sha256: PackedRecord::hash(text),
            zstd: COMPRESSOR.with(compress),
        }
    }

    /// Packs a value as JSON.
    pub fn of(value: &impl Serialize) -> Self {
        PackedRecord::pack(&serde_json::to_string(value).expect("texts and numbers are JSON"))
    }

    /// The value that was packed as JSON, or what is wrong with it.
    pub(crate) fn value<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_str(&self.unpack()?).map_err(|error| error.to_string())
    }

    /// The SHA-256 of a text.
    pub fn hash(text: &str) -> [u8; 32] {
        Sha256::digest(text).into()
    }

    /// The SHA-256 of the text.
    pub fn sha256(&self) -> [u8; 32] {
        self.sha256
    }

    /// How much memory it takes, packed and unpacked, in bytes; as far as it says how long its text is.
    pub(crate) fn bytes(&self) -> usize {
        let text = get_frame_content_size(&self.zstd).ok().flatten();
        let text = text.unwrap_or(0).min(LONGEST_RECORD);
        self.zstd.len() + text as usize
    }

    /// The text again, or what is wrong with it.
    pub(crate) fn unpack(&self) -> Result<String, String> {
        let bytes = DECOMPRESSOR
            .with_borrow_mut(|context| self.unpack_with(context))
            .map_err(|error| error.to_string())?;
        if bytes.len() as u64 > LONGEST_RECORD {
            return Err(format!("it is longer than {LONGEST_RECORD} bytes"));
        }
        if <[u8; 32]>::from(Sha256::digest(&bytes)) != self.sha256 {
            return Err("it does not have the hash that it was kept with".into());
        }
        String::from_utf8(bytes).map_err(|_| "it is not text".into())
    }

    /// The bytes of the text, or the first of them if it is longer than a record may be.
    fn unpack_with(&self, context: &mut DCtx<'static>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if let Ok(Some(length @ 0..=LONGEST_RECORD)) = get_frame_content_size(&self.zstd) {
            bytes.reserve_exact(length as usize);
            if context.decompress(&mut bytes, &self.zstd).is_ok() {
                return Ok(bytes);
            }
        }
        // It has another form than ours, or is damaged; so may the record before it have been.
        bytes.clear();
        let reset = context.reset(ResetDirective::SessionOnly);
        reset.map_err(|code| io::Error::other(get_error_name(code)))?;
        let decoder = Decoder::with_context(&self.zstd[..], context);
        decoder.take(LONGEST_RECORD + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// What is kept of a seat, and the seat in the third column.
pub(super) fn read_of_seat(row: &Row<'_>) -> rusqlite::Result<(u8, PackedRecord)> {
    Ok((row.get(2)?, read_packed(row)?))
}

/// What is kept of the seats of a match under this name, unpacked.
pub(super) fn of_seats<T: DeserializeOwned>(
    name: &str,
    id: &str,
    all: Vec<(u8, PackedRecord)>,
) -> Result<Vec<(u8, T)>> {
    let unpacked = |(seat, packed): (u8, PackedRecord)| match packed.value() {
        Ok(value) => Ok((seat, value)),
        Err(why) => Err(Error::Damaged(format!("the {name} of match {id}: {why}"))),
    };
    all.into_iter().map(unpacked).collect()
}

pub(super) fn read_packed(row: &Row<'_>) -> rusqlite::Result<PackedRecord> {
    Ok(PackedRecord {
        sha256: row.get(0)?,
        zstd: row.get(1)?,
    })
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
    fn the_dictionary_is_the_one_that_journals_need() {
        // Changed bytes would make every record of every journal unreadable.
        assert_eq!(
            hex::encode(Sha256::digest(DICTIONARY)),
            "945c87b60e29ec29b1580e2ade2687b8acae72164f88d2d286aa0fd898259eae"
        );
    }

    #[test]
    fn a_damaged_record_does_not_spoil_the_next() {
        let text = "{\"type\":\"acts\"}\n".repeat(1_000);
        let packed = PackedRecord::pack(&text);
        for cut in 0..packed.zstd.len() {
            let damaged = PackedRecord {
                zstd: packed.zstd[..cut].into(),
                ..packed
            };
            assert!(damaged.unpack().is_err(), "{cut} bytes");
            assert_eq!(packed.unpack().as_ref(), Ok(&text));
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
