//! Who played a match, and how that went for each seat, as rows.

use flipside_referee::{ModelUse, SeatFault, SeatResult};
use rusqlite::types::{Null, ToSqlOutput, Type};
use rusqlite::{Connection, Row, ToSql, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::journal::Queries;

/// What is kept of a language model: JSON.
pub(super) struct KeptModel<'a>(pub(super) &'a Option<ModelUse>);

impl ToSql for KeptModel<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            None => Null.into(),
            Some(model) => serde_json::to_string(model)
                .expect("numbers are JSON")
                .into(),
        })
    }
}

fn read_model(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<ModelUse>> {
    let wrong = |error: serde_json::Error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
    };
    let json = row.get_ref(column)?.as_str_or_null()?;
    json.map(|json| serde_json::from_str(json).map_err(wrong))
        .transpose()
}

/// The columns that [`read_seat`] reads, in its order.
pub(super) const SEAT_COLUMNS: &str = "points, place, fault, fault_detail, used_us, plies, model";

/// Reads a seat from the [`SEAT_COLUMNS`], which begin at a column.
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
        model: read_model(row, first + 6)?,
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
