//! Signatures: who gives a record or an archive out. Only the closing hash is signed. What is hashed, and where a key
//! lies, is left to others.
//!
//! The signed message is a line that names what is signed, such as `flipside record 1`, and the 32 bytes of the closing
//! hash. Ed25519 is deterministic: the same key and hash always give the same signature.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use rand::rngs::SysError;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::seed::random_bytes;

/// What stands before the digits of a public key.
const PUBLIC: &str = "ed25519:";

/// What stands before the digits of a secret key.
const SECRET: &str = "ed25519-secret:";

/// What a signature is of. A signature of one kind is never valid for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedKind {
    /// The record of a match.
    Record,
    /// The archive of a tournament.
    Archive,
}

impl SignedKind {
    /// The message that is signed for a closing hash.
    fn message(self, sha256: &[u8; 32]) -> Vec<u8> {
        let domain: &[u8] = match self {
            SignedKind::Record => b"flipside record 1\n",
            SignedKind::Archive => b"flipside archive 1\n",
        };
        [domain, sha256].concat()
    }
}

/// The secret key of an arena. Its memory is overwritten when it is dropped.
pub struct SecretKey(SigningKey);

impl SecretKey {
    /// A key from the operating system's random bytes.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn draw() -> Result<Self, SysError> {
        let bytes = random_bytes()?;
        Ok(SecretKey(SigningKey::from_bytes(&bytes)))
    }

    /// The key that verifies what this one signs.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// Signs a closing hash.
    pub fn sign(&self, kind: SignedKind, sha256: &[u8; 32]) -> Signature {
        Signature {
            key: self.public(),
            value: SignatureBytes(self.0.sign(&kind.message(sha256)).to_bytes()),
        }
    }

    /// The key as its file holds it. Keep it secret.
    pub fn to_text(&self) -> String {
        format!("{SECRET}{}\n", hex::encode(self.0.as_bytes()))
    }
}

impl fmt::Debug for SecretKey {
    /// Shows the public key only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({})", self.public())
    }
}

impl FromStr for SecretKey {
    type Err = KeyError;

    /// Reads what [`SecretKey::to_text`] wrote.
    fn from_str(text: &str) -> Result<Self, KeyError> {
        let line = text.strip_suffix('\n').unwrap_or(text);
        let bytes = digits(line.strip_prefix(SECRET).ok_or(KeyError)?).ok_or(KeyError)?;
        Ok(SecretKey(SigningKey::from_bytes(&bytes)))
    }
}

/// The public key of an arena: its name for others. It is written as `ed25519:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// The key of these bytes. Whether any signature is valid by it is another question.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        PublicKey(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC}{}", hex::encode(self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let bytes = digits(text.strip_prefix(PUBLIC).ok_or(KeyError)?);
        bytes.map(PublicKey).ok_or(KeyError)
    }
}

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for PublicKey {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PublicKey".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^ed25519:[0-9a-f]{64}$" })
    }
}

/// Why a text is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not a key: {PUBLIC} or {SECRET}, and 64 hexadecimal digits in lower case")]
pub struct KeyError;

/// A signature with the key that made it. Until it was compared with a hash, it says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// Who signed.
    key: PublicKey,
    /// The signature of Ed25519.
    value: SignatureBytes,
}

impl Signature {
    /// Who signed this closing hash; none if this is not a signature of it.
    #[must_use]
    pub fn signer(&self, kind: SignedKind, sha256: &[u8; 32]) -> Option<PublicKey> {
        let key = VerifyingKey::from_bytes(&self.key.0).ok()?;
        let signature = ed25519_dalek::Signature::from_bytes(&self.value.0);
        // The strict form leaves no two signatures for one message, and no key that fits every message.
        let valid = key.verify_strict(&kind.message(sha256), &signature);
        valid.is_ok().then_some(self.key)
    }
}

/// The bytes of a signature, as 128 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SignatureBytes([u8; 64]);

impl Serialize for SignatureBytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&hex::encode(self.0))
    }
}

impl<'de> Deserialize<'de> for SignatureBytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let bytes = digits(&text).map(SignatureBytes);
        bytes.ok_or_else(|| {
            de::Error::custom("a signature has 128 hexadecimal digits in lower case")
        })
    }
}

/// The bytes of hexadecimal digits in lower case, which have only one way to be written.
pub(crate) fn digits<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    hex::decode_to_slice(text, &mut bytes).ok()?;
    is_hex(text, N).then_some(bytes)
}

/// Whether a text is so many bytes, as hexadecimal digits in lower case.
pub fn is_hex(text: &str, bytes: usize) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == 2 * bytes && text.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: [u8; 32] = [7; 32];

    #[test]
    fn a_signature_names_its_key_for_its_kind_and_hash_only() {
        let key = SecretKey::draw().unwrap();
        let signature = key.sign(SignedKind::Record, &HASH);
        assert_eq!(signature, key.sign(SignedKind::Record, &HASH));
        assert_eq!(
            signature.signer(SignedKind::Record, &HASH),
            Some(key.public())
        );
        assert_eq!(signature.signer(SignedKind::Archive, &HASH), None);
        for bit in 0..256 {
            let mut other = HASH;
            other[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(signature.signer(SignedKind::Record, &other), None);
        }
        let other = SecretKey::draw().unwrap();
        assert_ne!(key.public(), other.public());
        let claimed = Signature {
            key: other.public(),
            ..signature
        };
        assert_eq!(claimed.signer(SignedKind::Record, &HASH), None);
    }

    #[test]
    fn the_signature_of_a_known_key_never_changes() {
        // RFC 8032, section 7.1, test 1: the public key of this secret one.
        let secret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        let key: SecretKey = format!("{SECRET}{secret}\n").parse().unwrap();
        assert_eq!(key.public().to_string(), format!("{PUBLIC}{public}"));
        assert_eq!(key.to_text(), format!("{SECRET}{secret}\n"));
        // `openssl pkeyutl -sign -rawin` gives the same signatures.
        for (kind, due) in [
            (
                SignedKind::Record,
                "ddc8e9402998867d7dadb0490510deb84b97a0294da9c1ac18bcb28c8bdebeb8\
                 c10d0ffe1a658ebb4e2b975115f40cb1c486667f6de57c4a0b72517c3927b80e",
            ),
            (
                SignedKind::Archive,
                "7e2f4d327cfeffe38970622d4eaaa64ea41c7591d505f0ca79d7c504a5162e2d\
                 ba1d5a36719a6e9a49b89e6d06f7b7e2fa098b0104803c70bf3924dd0ddbde01",
            ),
        ] {
            let json = serde_json::to_value(key.sign(kind, &HASH)).unwrap();
            assert_eq!(json["value"], due, "{kind:?}");
        }
    }

    #[test]
    fn a_key_has_one_spelling() {
        let public = SecretKey::draw().unwrap().public().to_string();
        assert_eq!(public.parse::<PublicKey>().unwrap().to_string(), public);
        for wrong in [
            public.to_uppercase(),
            public.replacen(':', ": ", 1),
            public[..public.len() - 1].to_owned(),
            format!("{public}0"),
            format!("{}:{}", "rsa", &public[PUBLIC.len()..]),
            String::new(),
        ] {
            assert_eq!(wrong.parse::<PublicKey>(), Err(KeyError), "{wrong}");
        }
        assert!("ed25519-secret:00\n".parse::<SecretKey>().is_err());
    }

    #[test]
    fn a_key_of_small_order_signs_nothing() {
        // By the neutral element, a signature of zeros would be valid for every message.
        let mut neutral = [0; 32];
        neutral[0] = 1;
        let mut value = [0; 64];
        value[0] = 1;
        let forged = Signature {
            key: PublicKey(neutral),
            value: SignatureBytes(value),
        };
        assert_eq!(forged.signer(SignedKind::Record, &HASH), None);
    }

    #[test]
    fn a_secret_key_is_not_printed_by_mistake() {
        let key = SecretKey::draw().unwrap();
        let secret = key.to_text();
        let digits = secret.trim().strip_prefix(SECRET).unwrap();
        assert!(!format!("{key:?}").contains(digits));
    }
}
