//! The workers at a server, as people see them.

use std::path::Path;

use flipside_tournament::report::{Column, Row, Value};
use serde::Serialize;

use crate::error::{RunError, runtime};
use crate::presence::About;
use crate::transport::{Address, Connection, Director, Error, Key, Options};

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

impl Row for WorkerRow {
    const COLUMNS: &'static [Column<Self>] = &[
        Column::text("worker", |row: &WorkerRow| Value::from(row.worker.as_str())),
        Column::text("version", |row| Value::from(row.about.flipside.as_str())),
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
    key.write(file).map_err(crate::transport::Error::from)?;
    Ok(key.public)
}

/// Lists the workers that were seen lately, by name.
///
/// # Errors
/// When the server does not answer, or refuses.
pub fn list(address: &Address, options: &Options) -> Result<Vec<WorkerRow>, RunError> {
    runtime()?.block_on(async {
        let director = Director::new(Connection::connect(address, options).await?);
        let row = |presence: crate::transport::Presence| WorkerRow {
            worker: presence.worker.to_string(),
            about: About::read(&presence.payload),
            seen_seconds_ago: presence.age.as_secs_f64(),
        };
        match director.workers().await {
            Ok(there) => Ok(there.into_iter().map(row).collect()),
            // No worker and no director has been here.
            Err(Error::NotSetUp(_)) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    })
}
