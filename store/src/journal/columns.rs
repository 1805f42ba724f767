//! Values of other crates in columns: a number, a text or JSON.

use std::error::Error;
use std::str::FromStr;

use flipside_tournament::{BotId, TournamentId};
use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value that a column has as text.
pub(super) struct Parsed<T>(pub(super) T);

impl<T: FromStr<Err: Error + Send + Sync + 'static>> FromSql for Parsed<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let parsed = value.as_str()?.parse();
        parsed.map(Parsed).map_err(FromSqlError::other)
    }
}

/// A value that a column has as JSON.
pub(super) struct Json<T>(pub(super) T);

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let read = serde_json::from_str(value.as_str()?);
        read.map(Json).map_err(FromSqlError::other)
    }
}

/// A value as [`Json`] reads it.
pub(super) fn as_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("what a column has is always JSON")
}

/// The bot whose number a column has.
pub(super) fn bot_id(row: &Row<'_>, column: usize) -> rusqlite::Result<BotId> {
    row.get(column).map(BotId::of_number)
}

/// The tournament whose number a column has.
pub(super) fn tournament_id(row: &Row<'_>, column: usize) -> rusqlite::Result<TournamentId> {
    row.get(column).map(TournamentId::of_number)
}
