//! Matches on other machines. A director publishes blocks of work; workers fetch them, play, and return results.
//!
//! The [`Dispatcher`] stays with the arena and hands out the blocks of a tournament; [`work`] is what a worker does.
//! The transport below them is the only part that talks to NATS, and moves opaque bytes. The journal of the arena stays
//! the truth: after any loss, the remaining work is published again.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//! use flipside_workers::{Connection, TransportDirector, Options, QueueName, RunId, WorkerName};
//!
//! let options = Options::new(WorkerName::new("director")?);
//! let connection = Connection::connect(&"nats://127.0.0.1".parse()?, &options).await?;
//! let director = TransportDirector::new(connection);
//! let queue = QueueName::new("0-1-0")?;
//! director.set_up(&queue).await?;
//!
//! let run = RunId::random();
//! director.publish(&run, &queue, "block-1", "work".into()).await?;
//! for result in director.results(&run, 100, Duration::from_secs(5)).await? {
//!     // Store result.payload() before you acknowledge it.
//!     result.ack().await?;
//! }
//! # Ok(())
//! # }
//! ```

mod audit;
mod dispatcher;
mod error;
mod job;
mod list;
mod player;
mod presence;
mod transport;

pub use dispatcher::{Dispatcher, DispatcherSettings};
pub use error::RunError;
pub use list::{WorkerRow, WorkerSnapshot, list, make_credentials};
pub use player::{PlayerSettings, WorkDone, work};
pub use presence::About;

pub use transport::{
    ACK_WAIT, Address, AddressError, Backlog, CALL_TIMEOUT, CONNECT_TIMEOUT, Connection,
    Credentials, CredentialsError, Error, GRACE, Key, MAX_ACK_PENDING, MAX_FETCH, MAX_FILE_BYTES,
    MAX_RESULT_BYTES, MAX_RESULTS_BYTES, MAX_WORK_BYTES, MIN_SERVER, Options, PRESENCE_TTL,
    Presence, Publication, QueueName, RETENTION, RunId, RunResult, Sha256Hash, SubjectError,
    TransportDirector, WorkItem, Worker, WorkerName,
};
