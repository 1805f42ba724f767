//! Why the transport could not do something, each reason with the way out.

use std::fmt::Display;
use std::io;
use std::time::Duration;

use async_nats::jetstream::ErrorCode;

use super::address::Address;
use super::credentials::CredentialsError;
use super::names::{Sha256Hash, SubjectError};

/// The oldest server that works: major and minor version. It is the first that can sync every message to the disk.
pub const MIN_SERVER: (u32, u32) = (2, 10);

/// Why the transport failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name of the server's host has no address.
    #[error("cannot find the host of {0}")]
    UnknownHost(Address),
    /// Nothing listens there.
    #[error("{0} refuses connections")]
    Refused(Address),
    /// The network failed.
    #[error("cannot reach {address}: {source}")]
    Unreachable {
        /// The server.
        address: Address,
        /// What the system says.
        source: io::Error,
    },
    /// Something listens there, but does not greet as a NATS server does.
    #[error("{address} does not answer as a NATS server: {message}")]
    NotNats {
        /// The server.
        address: Address,
        /// What it did instead.
        message: String,
    },
    /// TLS failed.
    #[error("no TLS connection to {address}: {message}")]
    Tls {
        /// The server.
        address: Address,
        /// What failed.
        message: String,
    },
    /// The server does not know these credentials.
    #[error("{0} refuses the credentials")]
    Unauthorised(Address),
    /// The credentials cannot be used.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// The server lacks features that are needed.
    #[error("{address} is nats-server {version}; {}.{} or newer is needed", MIN_SERVER.0, MIN_SERVER.1)]
    TooOld {
        /// The server.
        address: Address,
        /// Its version, as it says.
        version: String,
    },
    /// The server runs without JetStream, or this user may not use it.
    #[error("{0} has no JetStream")]
    NoJetStream(Address),
    /// A stream or a bucket is missing.
    #[error("the server has nothing for {0}")]
    NotSetUp(String),
    /// The permissions of the user do not include this.
    #[error("the server denies this user: {0}")]
    Forbidden(String),
    /// A stream or the server's storage is full.
    #[error("the server has no room: {0}")]
    Full(String),
    /// Something is larger than its limit.
    #[error("{what} has {size} bytes; the limit is {limit}")]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// Its size in bytes.
        size: u64,
        /// The most bytes that it may have.
        limit: u64,
    },
    /// A stream has no such message.
    #[error("the server has no message for {0}")]
    NoMessage(String),
    /// There is no such file on the server.
    #[error("the server has no file {0}")]
    NoFile(String),
    /// A file from the server is not what was asked for.
    #[error("the server's file {0} is damaged: {1}")]
    Damaged(String, String),
    /// A file does not have the hash under which it should be stored.
    #[error("the bytes have the SHA-256 {found}, not {expected}")]
    WrongHash {
        /// The hash of the bytes.
        found: Sha256Hash,
        /// The hash that the caller gave.
        expected: Sha256Hash,
    },
    /// A name cannot be used.
    #[error(transparent)]
    Name(#[from] SubjectError),
    /// No answer came in time.
    #[error("no answer to {what} within {} ms", waited.as_millis())]
    NoAnswer {
        /// The subject of the request.
        what: String,
        /// How long the answer was awaited.
        waited: Duration,
    },
    /// The server refused for another reason.
    #[error("the server refuses {what}: {message}")]
    Server {
        /// The subject of the request.
        what: String,
        /// What the server said.
        message: String,
    },
}

impl Error {
    /// Whether it may pass by itself: the server is away, or busy, or must be set up again.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Error::Refused(_)
                | Error::Unreachable { .. }
                | Error::NotSetUp(_)
                | Error::Full(_)
                | Error::NoAnswer { .. }
                | Error::NoJetStream(_)
                | Error::Server { .. }
        )
    }

    /// Whether a file on the server is missing or wrong.
    pub fn is_of_the_file(&self) -> bool {
        matches!(
            self,
            Error::NoFile(_) | Error::Damaged(..) | Error::WrongHash { .. } | Error::Name(_)
        )
    }

    /// Returns what a person can do about it.
    pub fn hint(&self) -> String {
        let hint = match self {
            Error::UnknownHost(_) => "check the name of the host",
            Error::Refused(_) => "start the server there: nats-server --config nats.conf",
            Error::Unreachable { .. } => "check the network and the firewall",
            Error::NotNats { .. } => "check the port; NATS usually uses 4222",
            Error::Tls { .. } => {
                "check that the certificate names the host, and that --ca FILE has its authority"
            }
            Error::Unauthorised(_) => {
                "give the file of this user with --credentials FILE, and add the user to nats.conf"
            }
            Error::Credentials(error) => error.hint(),
            Error::TooOld { .. } => "install a newer nats-server",
            Error::NoJetStream(_) => "add to nats.conf: jetstream { store_dir: \"...\" }",
            Error::NotSetUp(_) => "start the director first; it creates the streams",
            Error::Forbidden(_) => {
                "compare the user's permissions in nats.conf with docs/organisers/workers/nats.conf"
            }
            Error::Full(_) => "wait until results are stored, or raise max_file_store in nats.conf",
            Error::TooLarge { .. } => "make it smaller",
            Error::NoMessage(_) => "see who else deletes messages of Flipside",
            Error::NoFile(_) => "publish the work again; the director then uploads the file",
            Error::Damaged(..) => "delete the object and upload the file again",
            Error::WrongHash { .. } => "read the file again; it changed in between",
            Error::Name(error) => return error.hint(),
            Error::NoAnswer { .. } => "check that the server runs; this is safe to repeat",
            Error::Server { .. } => "see the log of the server",
        };
        hint.into()
    }

    /// The server refuses a request for a reason that has no name of its own.
    pub(super) fn refusal(what: &str, message: impl Display) -> Self {
        Error::Server {
            what: what.into(),
            message: message.to_string(),
        }
    }

    /// Refuses what is larger than its limit, in bytes.
    pub(super) fn check_size(what: &'static str, size: usize, limit: u64) -> Result<(), Self> {
        let size = size as u64;
        match size <= limit {
            true => Ok(()),
            false => Err(Error::TooLarge { what, size, limit }),
        }
    }

    /// Translates an error that JetStream sent as the answer to a request.
    pub(super) fn from_jetstream(
        what: &str,
        code: ErrorCode,
        message: String,
        address: &Address,
    ) -> Self {
        match code {
            ErrorCode::JETSTREAM_NOT_ENABLED | ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT => {
                Error::NoJetStream(address.clone())
            }
            ErrorCode::STREAM_NOT_FOUND
            | ErrorCode::CONSUMER_NOT_FOUND
            | ErrorCode::CONSUMER_DOES_NOT_EXIST => {
                Error::NotSetUp(what.into())
            }
            ErrorCode::NO_MESSAGE_FOUND => Error::NoMessage(what.into()),
            ErrorCode::ACCOUNT_RESOURCES_EXCEEDED
            | ErrorCode::INSUFFICIENT_RESOURCES
            | ErrorCode::MEMORY_RESOURCES_EXCEEDED
            | ErrorCode::STORAGE_RESOURCES_EXCEEDED
            // JetStream reports a full stream only as a message that it failed to store.
            | ErrorCode::STREAM_STORE_FAILED => Error::Full(message),
            _ => Error::refusal(what, message),
        }
    }
}
