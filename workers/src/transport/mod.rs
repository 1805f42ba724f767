//! The only module that talks to NATS.
//!
//! | in NATS | purpose |
//! |---|---|
//! | stream `FLIPSIDE_WORK`, `flipside.work.<run>.<queue>` | work; a message lives until it is acknowledged |
//! | stream `FLIPSIDE_RESULTS`, `flipside.results.<run>.<worker>` | results, the same way |
//! | object store `flipside-files` | files of bots; the name of an object is its SHA-256 |
//! | object store `flipside-large` | results that do not fit into a message, below the names of their workers |
//! | key-value bucket `flipside-workers` | who is there; entries expire |
//!
//! Every request has a deadline, and every wait for messages is a bounded fetch. Messages that a worker may have
//! written are read in JSON. Nothing here relies on a message being delivered once. The buckets of files and of
//! presence have the standard layouts, so that the usual tools can read them.
//!
//! Workers are not trusted. `docs/organisers/workers/nats.conf` gives each an account of its own, which imports the few
//! subjects that it needs: the server checks the subject of a message but not its reply subject, so in one account with
//! the arena, a worker could let the server answer to any subject. No stream permits rollups, and only the director
//! creates consumers.

pub(crate) mod address;
pub(crate) mod connection;
pub(crate) mod credentials;
pub(crate) mod director;
pub(crate) mod error;
mod fetch;
pub(crate) mod names;
mod objects;
mod stored;
pub(crate) mod streams;
pub(crate) mod worker;

pub use address::{Address, AddressError};
pub use connection::{ACK_WAIT, CALL_TIMEOUT, CONNECT_TIMEOUT, Connection, Options};
pub use credentials::{Credentials, CredentialsError, Key};
pub use director::{Backlog, Presence, Publication, RunResult, TransportDirector};
pub use error::{Error, MIN_SERVER};
pub use fetch::{GRACE, MAX_FETCH};
pub use names::{QueueName, RunId, Sha256Hash, SubjectError, WorkerName};
pub use objects::{MAX_FILE_BYTES, MAX_RESULT_BYTES};
pub use streams::{MAX_ACK_PENDING, MAX_RESULTS_BYTES, MAX_WORK_BYTES, PRESENCE_TTL, RETENTION};
pub use worker::{WorkItem, Worker};
