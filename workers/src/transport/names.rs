//! Names that become part of NATS subjects. None of them can contain a separator or a wildcard.

use std::fmt;
use std::str::FromStr;

use flipside_referee::is_hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The most characters of a name.
const MAX_NAME: usize = 64;

/// The bytes of an id.
const ID_BYTES: usize = 16;

/// Why a text is not a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubjectError {
    /// It has another form than names have.
    #[error("{0:?} is not a name")]
    Name(String),
    /// It is not the id of a run or a job.
    #[error("{0:?} is not an id")]
    Id(String),
    /// It is not a SHA-256.
    #[error("{0:?} is not a SHA-256")]
    Hash(String),
}

impl SubjectError {
    /// Returns the form that is expected.
    pub fn hint(&self) -> String {
        match self {
            SubjectError::Name(_) => {
                format!("use 1 to {MAX_NAME} of the characters a-z, 0-9, - and _")
            }
            SubjectError::Id(_) => format!("use {} hexadecimal digits", 2 * ID_BYTES),
            SubjectError::Hash(_) => "use 64 hexadecimal digits".into(),
        }
    }
}

/// Whether a text has the form of a name.
fn is_name(text: &str) -> bool {
    let is_allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    (1..=MAX_NAME).contains(&text.len()) && text.bytes().all(is_allowed)
}

/// Whether a text has the form of an id.
fn is_id(text: &str) -> bool {
    is_hex(text, ID_BYTES)
}

/// Declares a text with a form: what tells it, and what is said of others.
macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $is_one:ident, $error:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Checks the form of a name.
            pub fn new(text: &str) -> Result<Self, SubjectError> {
                text.parse()
            }

            /// Returns the name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = SubjectError;

            fn from_str(text: &str) -> Result<Self, SubjectError> {
                match $is_one(text) {
                    true => Ok($name(text.into())),
                    false => Err($error(text.into())),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name! {
    /// The name of a queue of work, which is for those workers that may do it.
    QueueName, is_name, SubjectError::Name
}

name! {
    /// The name of a worker or of a director. It is part of the subjects that the server lets its user use.
    WorkerName, is_name, SubjectError::Name
}

name! {
    /// The id of a run of a tournament.
    RunId, is_id, SubjectError::Id
}

/// The id of a job. It stands in a header of its answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct JobId(String);

impl JobId {
    /// Makes an id that nobody can guess.
    pub fn random() -> Self {
        JobId(random_id())
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for JobId {
    type Error = SubjectError;

    fn try_from(text: String) -> Result<Self, SubjectError> {
        match is_id(&text) {
            true => Ok(JobId(text)),
            false => Err(SubjectError::Id(text)),
        }
    }
}

fn random_id() -> String {
    hex::encode(rand::random::<[u8; ID_BYTES]>())
}

impl RunId {
    /// Returns the id that follows from a text.
    pub fn of(text: &str) -> Self {
        let hash = Sha256::digest(text);
        RunId(hex::encode(&hash[..ID_BYTES]))
    }

    /// Makes an id that nobody can guess.
    pub fn random() -> Self {
        RunId(random_id())
    }
}

/// The SHA-256 of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256Hash(pub(super) [u8; 32]);

impl Sha256Hash {
    /// Computes the hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Sha256Hash(Sha256::digest(bytes).into())
    }
}

impl FromStr for Sha256Hash {
    type Err = SubjectError;

    fn from_str(text: &str) -> Result<Self, SubjectError> {
        let mut hash = [0; 32];
        let decoded = hex::decode_to_slice(text, &mut hash);
        decoded.map_err(|_| SubjectError::Hash(text.into()))?;
        Ok(Sha256Hash(hash))
    }
}

impl TryFrom<String> for Sha256Hash {
    type Error = SubjectError;

    fn try_from(text: String) -> Result<Self, SubjectError> {
        text.parse()
    }
}

impl From<Sha256Hash> for String {
    fn from(hash: Sha256Hash) -> Self {
        hash.to_string()
    }
}

impl fmt::Display for Sha256Hash {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_reaches_beyond_its_part_of_a_subject() {
        for text in [
            "",
            "a.b",
            "*",
            ">",
            "a b",
            "a\r\nPUB x 0",
            "A",
            "ä",
            &"a".repeat(65),
        ] {
            assert!(QueueName::new(text).is_err(), "{text}");
            assert!(RunId::from_str(text).is_err(), "{text}");
            // A job with another id is not read, and so never answered.
            assert!(JobId::try_from(text.to_owned()).is_err(), "{text}");
            let json = serde_json::to_string(text).unwrap();
            assert!(serde_json::from_str::<JobId>(&json).is_err(), "{text}");
        }
        assert_eq!(QueueName::new("epyc-9_b").unwrap().as_str(), "epyc-9_b");
    }

    #[test]
    fn a_run_id_survives_its_text_and_is_new_each_time() {
        let id = RunId::random();
        assert_eq!(id.to_string().parse(), Ok(id.clone()));
        assert_ne!(id, RunId::random());
    }

    #[test]
    fn a_hash_survives_its_text() {
        let hash = Sha256Hash::of(b"a");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert!("00".parse::<Sha256Hash>().is_err());
    }
}
