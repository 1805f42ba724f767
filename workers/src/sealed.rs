//! Files of bots on the server are encrypted. The key is in the orders for which a bot is needed, so a worker can read only
//! the bots that it has to play.

use std::fs;
use std::io::Write;
use std::path::Path;

use chacha20poly1305::aead::Aead;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit, Nonce};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::transport::Sha256Hash;

/// A file as it is on the server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SealedFile {
    /// The SHA-256 of its bytes, hexadecimal.
    pub(crate) content: String,
    /// The SHA-256 of its encrypted bytes, which is its name on the server.
    pub(crate) object: String,
    /// The key, 64 hexadecimal digits.
    key: String,
}

/// Why a file cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its file on the server was not encrypted with the key of the order")]
pub(crate) struct NotReadable;

/// What only the arena knows. The key of each file follows from it, so that no two files have the same.
#[derive(Clone, Copy)]
pub(crate) struct Secret([u8; 32]);

/// The file in the folder of an arena that holds its secret.
const FILE: &str = "workers.key";

impl Secret {
    /// The secret of the arena in this folder. It stays the same, so that a file is on the server once.
    pub(crate) fn of(arena: &Path) -> Self {
        let path = arena.join(FILE);
        let read = || <[u8; 32]>::try_from(fs::read(&path).ok()?).ok();
        if let Some(secret) = read() {
            return Secret(secret);
        }
        let secret: [u8; 32] = rand::random();
        let written = tempfile::NamedTempFile::new_in(arena).and_then(|mut file| {
            file.write_all(&secret)?;
            file.persist_noclobber(&path).map_err(|error| error.error)
        });
        match written {
            Ok(_) => Secret(secret),
            // Another process was quicker, or the folder cannot be written.
            Err(error) => {
                tracing::debug!(%error, "the secret of the arena was not written");
                Secret(read().unwrap_or(secret))
            }
        }
    }

    /// Encrypts a file, and tells its description.
    pub(crate) fn seal(&self, bytes: &[u8]) -> (SealedFile, Vec<u8>) {
        let content = Sha256Hash::of(bytes).to_string();
        let key = Sha256::new()
            .chain_update(self.0)
            .chain_update(&content)
            .finalize();
        let sealed = cipher(&key.into()).encrypt(&Nonce::default(), bytes);
        let sealed = sealed.expect("a file of a bot is shorter than 256 GiB");
        let file = SealedFile {
            content,
            object: Sha256Hash::of(&sealed).to_string(),
            key: hex::encode(key),
        };
        (file, sealed)
    }
}

impl SealedFile {
    /// Decrypts the bytes that are on the server.
    pub(crate) fn open(&self, sealed: &[u8]) -> Result<Vec<u8>, NotReadable> {
        let mut key = [0; 32];
        hex::decode_to_slice(&self.key, &mut key).map_err(|_| NotReadable)?;
        let opened = cipher(&key).decrypt(&Nonce::default(), sealed);
        let opened = opened.map_err(|_| NotReadable)?;
        match Sha256Hash::of(&opened).to_string() == self.content {
            true => Ok(opened),
            false => Err(NotReadable),
        }
    }
}

/// Each key encrypts one file only, so the nonce need not differ.
fn cipher(key: &[u8; 32]) -> ChaCha20Poly1305 {
    ChaCha20Poly1305::new(key.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::CIPHER_OVERHEAD;

    #[test]
    fn a_file_is_read_with_its_own_key_and_no_other() {
        let arena = tempfile::tempdir().unwrap();
        let secret = Secret::of(arena.path());
        let (file, sealed) = secret.seal(b"a bot");
        assert_eq!(file.open(&sealed).unwrap(), b"a bot");
        assert!(!sealed.windows(5).any(|part| part == b"a bot"));
        // The largest bot fits into the largest file.
        assert_eq!(sealed.len() as u64, 5 + CIPHER_OVERHEAD);
        // The same file is on the server once.
        assert_eq!(secret.seal(b"a bot"), (file.clone(), sealed.clone()));
        let (other, other_sealed) = secret.seal(b"a cat");
        assert_ne!(other.key, file.key);
        assert_eq!(other.open(&sealed), Err(NotReadable));
        assert_eq!(file.open(&other_sealed), Err(NotReadable));
        assert_eq!(Secret::of(arena.path()).seal(b"a bot").0, file);
        let another = tempfile::tempdir().unwrap();
        assert_ne!(Secret::of(another.path()).seal(b"a bot").0, file);
        let mut damaged = sealed;
        damaged[2] ^= 1;
        assert_eq!(file.open(&damaged), Err(NotReadable));
    }
}
