//! Who played a match, and how that went for each seat, as rows.

use flipside_referee::{SeatFault, SeatResult};
use rusqlite::{Connection, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::journal::Queries;

/// Reads a seat from its points, place, fault, detail of the fault, microseconds and plies, which begin at a column.
pub(super) fn read_seat(row: &Row<'_>, first: usize) -> rusqlite::Result<SeatResult> {
    let fault = match row.get(first + 2)? {
        None => None,
        Some(name) => {
            let detail: Option<String> = row.get(first + 3)?;
            Some(SeatFault {
                name,
                detail: detail.unwrap_or_default(),
            })
        }
    };
    Ok(SeatResult {
        points: row.get(first)?,
        place: row.get(first + 1)?,
        fault,
        used_us: row.get(first + 4)?,
        plies: row.get(first + 5)?,
    })
}

/// The tables that hold a match, those first that refer to others.
pub(super) const OF_A_MATCH: [&str; 5] = ["notes", "evidence", "records", "match_seats", "matches"];

/// Where a match was played by a worker on another machine.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct PlayedBy {
    /// The worker; empty where an archive does not tell it.
    pub worker: String,
    /// The class of its machine; empty where no clock counted time.
    pub class: String,
}

impl PlayedBy {
    /// Its number in this journal.
    pub(super) fn id(&self, transaction: &Connection) -> rusqlite::Result<i64> {
        let PlayedBy { worker, class } = self;
        let known = "SELECT id FROM workers WHERE name = ? AND class = ?";
        let read = |row: &Row<'_>| row.get(0);
        if let Some(id) = transaction.first(known, params![worker, class], read)? {
            return Ok(id);
        }
        let insert = "INSERT INTO workers (name, class) VALUES (?, ?)";
        transaction.run(insert, params![worker, class])?;
        Ok(transaction.last_insert_rowid())
    }
}
