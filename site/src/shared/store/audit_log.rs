//! The log of who did what.

use rusqlite::{Connection, Row, params};
use schemars::JsonSchema;
use serde::Serialize;

use super::error::Error;
use super::{AccountStore, rows};

/// How many lines of the log are kept, the newest.
const MAX_AUDIT: i64 = 100_000;

/// A line of the log.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "LogRow")]
pub(crate) struct AuditRow {
    /// When, in milliseconds since 1970; in JSON, RFC 3339.
    #[serde(serialize_with = "flipside_tournament::serialize_utc")]
    #[schemars(with = "String")]
    pub(crate) at: u64,
    /// The name of an account, or `(command)`.
    pub(crate) who: String,
    /// What was done.
    pub(crate) what: String,
}

impl AccountStore {
    /// The newest lines of the log.
    pub(crate) fn audit(&self, most: u32) -> Result<Vec<AuditRow>, Error> {
        let query = "SELECT at, who, what FROM audit ORDER BY id DESC LIMIT ?";
        let read = |row: &Row<'_>| {
            Ok(AuditRow {
                at: row.get(0)?,
                who: row.get(1)?,
                what: row.get(2)?,
            })
        };
        self.read(|store| rows(store, query, [most], read))
    }
}

/// Writes a line of the log.
pub(crate) fn note(store: &Connection, at: u64, who: &str, what: &str) -> Result<(), Error> {
    store.execute(
        "INSERT INTO audit (at, who, what) VALUES (?, ?, ?)",
        params![at, who, what],
    )?;
    let newest = store.last_insert_rowid();
    store.execute("DELETE FROM audit WHERE id <= ?", [newest - MAX_AUDIT])?;
    Ok(())
}
