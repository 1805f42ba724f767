//! Matches on other machines. A director publishes blocks of work; workers fetch them, play, and return results.
//!
//! This crate holds the transport. It moves opaque bytes; the callers define what they mean. The journal of the arena
//! stays the truth: after any loss, the remaining work is published again.
//!
//! ```no_run
//! # async fn example() -> Result<(), flipside_workers::Error> {
//! use std::time::Duration;
//! use flipside_workers::{Class, Connection, Director, Options, RunId, WorkerName};
//!
//! let options = Options::new(WorkerName::new("director")?);
//! let connection = Connection::connect(&"nats://127.0.0.1".parse()?, &options).await?;
//! let director = Director::new(connection);
//! director.set_up().await?;
//!
//! let run = RunId::random();
//! director.publish(&run, &Class::new("small")?, "block-1", "work".into()).await?;
//! for result in director.results(&run, 100, Duration::from_secs(5)).await? {
//!     // Store result.payload() before you acknowledge it.
//!     result.ack().await?;
//! }
//! # Ok(())
//! # }
//! ```

mod transport;

pub use transport::{
    ACK_WAIT, Address, AddressError, CALL_TIMEOUT, CONNECT_TIMEOUT, Class, Connection, Credentials,
    CredentialsError, Director, Error, GRACE, Key, MAX_ACK_PENDING, MAX_FETCH, MAX_OBJECT_BYTES,
    MAX_RESULTS_BYTES, MAX_WORK_BYTES, MIN_SERVER, NameError, Options, PRESENCE_TTL, Presence,
    Publication, RETENTION, RunId, RunResult, Sha256Hash, WorkItem, Worker, WorkerName,
};
