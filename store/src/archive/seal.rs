//! The end of a signed archive: the hash of all bytes before, and the signature of that hash. The archive is hashed as
//! a tar reads it, so it may be compressed otherwise. Nothing of its bytes can be changed, and none be added.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

use flipside_referee::{PublicKey, SecretKey, Signature, SignedKind};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tar::Builder;

use super::{ArchiveError, ArchiveFiles, ArchiveHeader};
use crate::container::{append, of_text};

/// A tar consists of blocks of so many bytes. Each file begins with one.
const BLOCK: u64 = 512;

/// The longest that the last file is, in bytes.
pub(super) const LONGEST_SEAL: u64 = 4096;

/// The last file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seal {
    /// SHA-256 of all bytes before this file, hexadecimal.
    sha256: String,
    /// The signature of this hash.
    signature: Signature,
}

impl Seal {
    fn new(sha256: &[u8; 32], signature: Signature) -> Self {
        Seal {
            sha256: hex::encode(sha256),
            signature,
        }
    }

    fn text(&self) -> String {
        serde_json::to_string(self).expect("digits are JSON") + "\n"
    }
}

/// The text of the last file of an archive with this hash.
pub(super) fn sealed(key: &SecretKey, sha256: &[u8; 32]) -> String {
    Seal::new(sha256, key.sign(SignedKind::Archive, sha256)).text()
}

/// What is read, hashed up to the last file, whose bytes are kept.
pub(super) struct HashingReader<R> {
    from: R,
    read: Rc<RefCell<ReadBytes>>,
}

/// The bytes that a [`HashingReader`] has read: the hash of the first ones, and the others.
struct ReadBytes {
    hash: Sha256,
    /// How many were read.
    length: u64,
    /// How many are hashed at most.
    hashed: u64,
    /// Those that are not.
    rest: Vec<u8>,
}

/// What a [`HashingReader`] has read, for whoever does not own it.
pub(super) struct ReadHash(Rc<RefCell<ReadBytes>>);

impl<R: Read> HashingReader<R> {
    pub(super) fn new(from: R) -> (Self, ReadHash) {
        let read = Rc::new(RefCell::new(ReadBytes {
            hash: Sha256::new(),
            length: 0,
            hashed: u64::MAX,
            rest: Vec::new(),
        }));
        let closing = ReadHash(Rc::clone(&read));
        (HashingReader { from, read }, closing)
    }
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.from.read(buffer)?;
        self.read.borrow_mut().take(&buffer[..length]);
        Ok(length)
    }
}

impl ReadBytes {
    fn take(&mut self, bytes: &[u8]) {
        let most = usize::try_from(self.hashed - self.length.min(self.hashed));
        let (hashed, rest) = bytes.split_at(bytes.len().min(most.unwrap_or(usize::MAX)));
        self.hash.update(hashed);
        self.rest.extend_from_slice(rest);
        self.length += bytes.len() as u64;
    }
}

impl ReadHash {
    /// All files but the last were read: what comes after the block of the last byte is not hashed.
    pub(super) fn begins(&self) {
        let mut read = self.0.borrow_mut();
        read.hashed = read.length.next_multiple_of(BLOCK);
    }

    /// Who signed, by the text of the last file. Called when everything was read.
    ///
    /// # Errors
    /// [`ArchiveError::WrongSignature`], also where the last file is not as the signer writes it.
    pub(super) fn signer(
        &self,
        head: &ArchiveHeader,
        text: &str,
    ) -> Result<PublicKey, ArchiveError> {
        let read = self.0.borrow();
        let sha256 = read.hash.clone().finalize().into();
        let wrong = |_| ArchiveError::WrongSignature;
        let seal: Seal = serde_json::from_str(text).map_err(wrong)?;
        let signer = seal.signature.signer(SignedKind::Archive, &sha256);
        let due = Seal::new(&sha256, seal.signature).text();
        let mut end = Builder::new(Vec::new());
        let path = ArchiveFiles(&head.tournament).signature();
        let added = append(&mut end, &path, head.created_at, of_text(&due));
        let end = added.and_then(|()| end.into_inner());
        let is_whole = end.is_ok_and(|end| end == read.rest);
        signer
            .filter(|_| is_whole)
            .ok_or(ArchiveError::WrongSignature)
    }
}
