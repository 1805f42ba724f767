//! The only module that talks to NATS.
//!
//! | in NATS | purpose |
//! |---|---|
//! | stream `FLIPSIDE_WORK`, `flipside.work.<run>.<queue>` | work; a message lives until it is acknowledged |
//! | stream `FLIPSIDE_RESULTS`, `flipside.results.<run>.<worker>` | results, the same way |
//! | object store `flipside-files` | files of bots; the name of an object is its SHA-256 |
//! | object store `flipside-large` | results that do not fit into a message |
//! | key-value bucket `flipside-workers` | who is there; entries expire |
//!
//! Every request has a deadline, and every wait for messages is a bounded fetch. Nothing here relies on a message
//! being delivered once. The buckets have the standard layouts, so that the usual tools can read them.

mod address;
mod connection;
mod credentials;
mod director;
mod error;
mod fetch;
mod names;
mod objects;
mod streams;
mod worker;

pub use address::{Address, AddressError};
pub use connection::{CALL_TIMEOUT, CONNECT_TIMEOUT, Connection, MIN_SERVER, Options};
pub use credentials::{Credentials, CredentialsError, Key};
pub use director::{Backlog, Director, Presence, Publication, RunResult};
pub use error::Error;
pub use fetch::{GRACE, MAX_FETCH};
pub use names::{NameError, QueueName, RunId, Sha256Hash, WorkerName};
pub use objects::MAX_OBJECT_BYTES;
pub use streams::{
    ACK_WAIT, MAX_ACK_PENDING, MAX_RESULTS_BYTES, MAX_WORK_BYTES, PRESENCE_TTL, RETENTION,
};
pub use worker::{WorkItem, Worker};
