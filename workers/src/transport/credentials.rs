//! How a director or a worker identifies itself to the server.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nkeys::KeyPair;

/// The largest credentials file, in bytes.
const MAX_CREDENTIALS: u64 = 64 * 1024;

/// What a file of credentials contains.
#[derive(Clone)]
pub enum Credentials {
    /// The seed of an NKey. The server knows only the public key.
    Seed(String),
    /// A JWT and the seed of its key, as `nsc` writes them.
    Jwt(String),
    /// A token that the server knows, too.
    Token(String),
}

/// Why credentials cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    /// The file cannot be read.
    #[error("cannot read the credentials in {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file of a new key cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A JWT and its seed cannot be read.
    #[error("the JWT credentials are damaged: {0}")]
    Jwt(io::Error),
    /// The file holds neither a seed, nor a JWT with its seed, nor a token.
    #[error("{} holds no credentials", .0.display())]
    Unknown(PathBuf),
}

impl CredentialsError {
    /// Returns what a file of credentials looks like.
    pub fn hint(&self) -> &'static str {
        match self {
            CredentialsError::Read { .. } => "give the path of the file with --credentials FILE",
            CredentialsError::Write { .. } => "name a new file in a folder that you can write to",
            CredentialsError::Jwt(_) => "write the file again with nsc generate creds",
            CredentialsError::Unknown(_) => {
                "the file holds the seed of a user's NKey (SU...), a .creds file, or a token in one line"
            }
        }
    }
}

impl Credentials {
    /// Reads a file with the seed of an NKey, with a JWT and its seed, or with a token in one line.
    pub fn read(path: &Path) -> Result<Self, CredentialsError> {
        let read_error = |source| CredentialsError::Read {
            path: path.into(),
            source,
        };
        let file = fs::File::open(path).map_err(read_error)?;
        let mut text = String::new();
        let mut file = file.take(MAX_CREDENTIALS + 1);
        file.read_to_string(&mut text).map_err(read_error)?;
        let unknown = || CredentialsError::Unknown(path.into());
        if text.len() as u64 > MAX_CREDENTIALS {
            return Err(unknown());
        }
        Credentials::parse(&text).ok_or_else(unknown)
    }

    fn parse(text: &str) -> Option<Self> {
        if text.contains("-----BEGIN NATS USER JWT-----") {
            return Some(Credentials::Jwt(text.into()));
        }
        let line = text.trim();
        if line.is_empty() || line.contains(char::is_whitespace) {
            return None;
        }
        if KeyPair::from_seed(line).is_ok() {
            return Some(Credentials::Seed(line.into()));
        }
        Some(Credentials::Token(line.into()))
    }
}

/// Shows the kind without the secret.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Credentials::Seed(_) => "Seed",
            Credentials::Jwt(_) => "Jwt",
            Credentials::Token(_) => "Token",
        })
    }
}

/// A new NKey of a user.
pub struct Key {
    /// What the configuration of the server names: `nkey: "U..."`.
    pub public: String,
    /// What the file of credentials holds. It is a secret.
    pub seed: String,
}

impl Key {
    /// Makes a key.
    pub fn random() -> Self {
        let pair = KeyPair::new_user();
        Key {
            public: pair.public_key(),
            seed: pair.seed().expect("a new key has a seed"),
        }
    }

    /// Writes the secret to a new file that only this user can read.
    pub fn write(&self, path: &Path) -> Result<(), CredentialsError> {
        let new = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path);
        let written = new.and_then(|mut file| writeln!(file, "{}", self.seed));
        written.map_err(|source| CredentialsError::Write {
            path: path.into(),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_of_credentials_are_told_apart() {
        let kind = |text: &str| Credentials::parse(text).map(|it| format!("{it:?}"));
        let seed = Key::random().seed;
        assert_eq!(kind(&format!("{seed}\n")).as_deref(), Some("Seed"));
        assert_eq!(kind("s3cret\n").as_deref(), Some("Token"));
        let creds = "-----BEGIN NATS USER JWT-----\nx\n------END NATS USER JWT------\n";
        assert_eq!(kind(creds).as_deref(), Some("Jwt"));
        assert_eq!(kind(" \n"), None);
        assert_eq!(kind("two words"), None);
    }

    #[test]
    fn a_file_without_credentials_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials");
        assert!(matches!(
            Credentials::read(&path),
            Err(CredentialsError::Read { .. })
        ));
        let large = "x".repeat(MAX_CREDENTIALS as usize + 1);
        for text in ["", "two words", &large] {
            fs::write(&path, text).unwrap();
            let refused = Credentials::read(&path);
            assert!(
                matches!(refused, Err(CredentialsError::Unknown(_))),
                "{refused:?}"
            );
        }
        fs::write(&path, "token\n").unwrap();
        assert!(
            matches!(Credentials::read(&path), Ok(Credentials::Token(token)) if token == "token")
        );
    }
}
