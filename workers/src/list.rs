//! The workers at a server, as people see them.

use std::path::Path;
use std::time::Duration;

use flipside_report::{Column, ReportRow, Value};
use serde::Serialize;

use crate::error::{RunError, runtime};
use crate::job::queue;
use crate::presence::About;
use crate::transport::address::Address;
use crate::transport::connection::{Connection, Options};
use crate::transport::credentials::Key;
use crate::transport::director::{Backlog, Presence, TransportDirector};
use crate::transport::error::Error;

/// A worker that was seen lately.
#[derive(Clone, Debug, Serialize)]
pub struct WorkerRow {
    /// Its name.
    pub worker: String,
    /// What it says of itself.
    #[serde(flatten)]
    pub about: About,
    /// How long ago it was seen, in seconds.
    pub seen_seconds_ago: f64,
}

impl ReportRow for WorkerRow {
    const COLUMNS: &'static [Column<Self>] = &[
        Column::text("worker", |row: &WorkerRow| Value::from(row.worker.as_str())),
        Column::text("version", |row| Value::from(row.about.flipside.as_str())),
        Column::text("class", |row| Value::from(row.about.class.as_str())),
        Column::number("matches at once", 0, |row| {
            Value::from(row.about.threads as u64)
        }),
        Column::number("busy %", 0, |row| Value::from(row.about.busy * 100.0)),
        Column::number("played", 0, |row| Value::from(row.about.played)),
        Column::number("a second", 1, |row| Value::from(row.about.per_second)),
        Column::number("seen s ago", 0, |row| Value::from(row.seen_seconds_ago)),
    ];
    const NOTHING: &'static str =
        "no worker is there; `flipside worker --server ADDRESS` begins one";
}

/// Makes a key for a user of a server, writes its secret to a new file, and returns the public key.
///
/// # Errors
/// When the file is there already, or cannot be written.
pub fn make_credentials(file: &Path) -> Result<String, RunError> {
    let key = Key::random();
    key.write(file)
        .map_err(crate::transport::error::Error::from)?;
    Ok(key.public)
}

/// What is seen of the workers at a server.
#[derive(Clone, Debug)]
pub struct WorkerSnapshot {
    /// Those that were there lately, by name.
    pub workers: Vec<WorkerRow>,
    /// The jobs of this version of Flipside: those that wait for a worker, and those that workers have. None: the
    /// server does not tell this user.
    pub backlog: Option<Backlog>,
}

/// Lists the workers that were seen lately, again and again for as long as `show` says so, with this time in between.
///
/// # Errors
/// When the server does not answer, or refuses; and what `show` fails with.
pub fn list<E: From<RunError>>(
    address: &Address,
    options: &Options,
    every: Duration,
    mut show: impl FnMut(WorkerSnapshot) -> Result<bool, E>,
) -> Result<(), E> {
    runtime()?.block_on(async {
        let connection = Connection::connect(address, options).await;
        let director = TransportDirector::new(connection.map_err(RunError::from)?);
        loop {
            let seen = look(&director).await.map_err(RunError::from)?;
            if !show(seen)? {
                return Ok(());
            }
            tokio::time::sleep(every).await;
        }
    })
}

async fn look(director: &TransportDirector) -> Result<WorkerSnapshot, Error> {
    let row = |presence: Presence| WorkerRow {
        worker: presence.worker.to_string(),
        about: About::read(&presence.payload),
        seen_seconds_ago: presence.age.as_secs_f64(),
    };
    let there = match director.workers().await {
        // No worker and no director has been here.
        Err(Error::NotSetUp(_)) => Vec::new(),
        there => there?,
    };
    Ok(WorkerSnapshot {
        workers: there.into_iter().map(row).collect(),
        backlog: director.backlog(&queue()).await.ok(),
    })
}
