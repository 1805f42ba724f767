//! The key of an arena, and what it signs: records and archives that leave the arena.

use std::path::Path;

use flipside_referee::{PublicKey, SecretKey, sign_record};
use flipside_report::words;
use flipside_store::{Arena, Error};

use crate::failure::Result;
use crate::files::NewFile;

/// The public key of the arena in this folder.
///
/// # Errors
/// When there is no arena, or it has no key that can be used.
pub fn public_key(arena: &Path) -> Result<PublicKey> {
    let arena = Arena::open(arena)?;
    let path = arena.key_path();
    let key = arena.key()?.ok_or(Error::NoKey { path })?;
    Ok(key.public())
}

/// A new file for the record of a match that is to be played. What would keep it from being written is found before the
/// match.
pub struct RecordFile<'a> {
    file: NewFile<'a>,
    key: Option<SecretKey>,
}

impl<'a> RecordFile<'a> {
    /// Makes the file. The record will be signed if there is an arena with a key in this folder.
    ///
    /// # Errors
    /// When there is something at the path, its folder cannot be written, or the key cannot be used.
    pub fn make(path: &'a Path, arena: &Path) -> Result<Self> {
        let key = match Arena::open(arena) {
            Ok(arena) => arena.key()?,
            Err(_) => None,
        };
        let file = NewFile::make(path)?;
        Ok(RecordFile { file, key })
    }

    /// Writes the record that the referee has written.
    ///
    /// # Errors
    /// When the disk does not take it, or somebody has put something at the path meanwhile.
    pub fn write(self, record: &str) -> Result<()> {
        match self.key {
            None => self.file.write(record.as_bytes()),
            Some(key) => {
                let signed = sign_record(record, &key).map_err(Error::from)?;
                self.file.write(signed.as_bytes())
            }
        }
    }
}

/// Who signed something, in words, and whether that is the arena in this folder.
pub fn signed_by(arena: &Path, signer: Option<PublicKey>) -> String {
    let words = words::signed(signer);
    let is_own = signer.is_some() && public_key(arena).ok() == signer;
    match is_own {
        true => format!("{words} (this arena)"),
        false => words,
    }
}
