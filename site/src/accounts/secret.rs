//! Secrets by which somebody is recognised.

use rand::TryRng;
use rand::rngs::SysRng;
use sha2::{Digest, Sha256};

use crate::shared::store::error::Error;

/// The bytes of a secret: 256 bits, so that nobody finds one by trying.
const BYTES: usize = 32;

/// The letters of a secret that people type, five bits each, and how many it has.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const TYPED: usize = 16;

/// What a token begins with, so that programs that look for leaked secrets know it.
const TOKEN: &str = "flipside_";

/// The field of forms with the [word](form_word) of a session.
pub(crate) const WORD_FIELD: &str = "word";

/// The longest text that is looked at as a secret.
const LONGEST: usize = 128;

/// What the store keeps of a secret.
///
/// Rows are looked up by it. How long a look-up takes may tell something about stored hashes. It tells nothing about
/// the secrets: whoever tries one cannot choose its hash.
pub(crate) type SecretHash = [u8; 32];

/// A secret that was just made. It is shown once and not kept.
pub(crate) struct Secret(String);

impl Secret {
    /// 256 random bits of the operating system, as 64 hexadecimal digits.
    pub(crate) fn new() -> Result<Self, Error> {
        let mut bytes = [0; BYTES];
        SysRng
            .try_fill_bytes(&mut bytes)
            .map_err(|error| Error::NoRandom(error.to_string()))?;
        Ok(Secret(hex::encode(bytes)))
    }

    /// The same for a token.
    pub(crate) fn token() -> Result<Self, Error> {
        Ok(Secret(format!("{TOKEN}{}", Secret::new()?.0)))
    }

    /// 80 random bits that people can type from paper: lower-case letters and digits that look alike to nobody.
    pub(crate) fn to_type() -> Result<Self, Error> {
        let mut bytes = [0; TYPED];
        SysRng
            .try_fill_bytes(&mut bytes)
            .map_err(|error| Error::NoRandom(error.to_string()))?;
        let letter = |byte: &u8| char::from(LETTERS[usize::from(byte % 32)]);
        let groups = bytes.chunks(4);
        let groups = groups.map(|group| group.iter().map(letter).collect::<String>());
        Ok(Secret(groups.collect::<Vec<_>>().join("-")))
    }

    /// Its text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// What the store keeps of it.
    pub(crate) fn hash(&self) -> SecretHash {
        Sha256::digest(&self.0).into()
    }
}

/// The hash of a text that somebody shows; nothing where it cannot be a secret.
pub(crate) fn hash_of(shown: &str) -> Option<SecretHash> {
    let shown = shown.trim();
    let may_be = !shown.is_empty() && shown.len() <= LONGEST;
    may_be.then(|| Sha256::digest(shown).into())
}

/// The word that forms of a session hold, derived from the session's secret. Other sites cannot read it, so a form with
/// it comes from one of our pages.
pub(crate) fn form_word(session: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(b"flipside form ");
    hash.update(session);
    hex::encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_long_and_differ() {
        let (one, other) = (Secret::token().unwrap(), Secret::token().unwrap());
        assert_eq!(one.as_str().len(), TOKEN.len() + 64);
        assert_ne!(one.as_str(), other.as_str());
        assert_eq!(hash_of(&format!(" {} \n", one.as_str())), Some(one.hash()));
        assert_eq!(hash_of(&"x".repeat(LONGEST + 1)), None);
        assert_eq!(hash_of(" "), None);
    }

    #[test]
    fn a_secret_to_type_has_80_bits_in_groups_of_four_letters() {
        let secret = Secret::to_type().unwrap();
        let groups: Vec<&str> = secret.as_str().split('-').collect();
        assert_eq!(groups.len(), 4);
        for group in groups {
            assert_eq!(group.len(), 4);
            assert!(group.bytes().all(|letter| LETTERS.contains(&letter)));
        }
        assert_ne!(secret.as_str(), Secret::to_type().unwrap().as_str());
        assert_eq!(
            LETTERS
                .iter()
                .collect::<std::collections::BTreeSet<_>>()
                .len(),
            32
        );
    }

    #[test]
    fn the_word_of_a_form_belongs_to_one_session_and_does_not_tell_its_secret() {
        let secret = Secret::new().unwrap();
        let word = form_word(secret.as_str());
        assert_eq!(word, form_word(secret.as_str()));
        assert_ne!(word, form_word(Secret::new().unwrap().as_str()));
        assert_ne!(word, hex::encode(secret.hash()));
    }
}
