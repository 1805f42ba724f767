//! What was changed of tournaments since they began, as rows: requested by anybody, settled by who plays.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, params};

use super::tournaments::by_id_of_tournament;
use super::{Journal, Queries, Tournament, TournamentId};
use crate::{Change, Changed, Reason, Requested, Result, changes};

impl Journal {
    /// The changes of a tournament that were requested and are not settled, in the order of their requests.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn requested_changes(&self, tournament: TournamentId) -> Result<Vec<Requested>> {
        requested(&self.connection, tournament)
    }

    /// Whether there are any.
    pub(crate) fn has_requests(&self, tournament: TournamentId) -> Result<bool> {
        let query = "SELECT 1 FROM changes WHERE tournament = ? AND idx IS NULL LIMIT 1";
        let found = self.connection.first(query, [tournament], |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// Requests a change, if the tournament can have it after all that it has and that are requested.
    pub(crate) fn request(
        &mut self,
        tournament: TournamentId,
        change: Change,
        reason: Option<Reason>,
        at: u64,
    ) -> Result<Requested> {
        self.durably(|transaction| {
            let known = by_id_of_tournament(transaction, tournament)?;
            let requested = requested(transaction, tournament)?;
            let settled = known.changes.iter().map(|changed| &changed.change);
            let all = settled
                .chain(requested.iter().map(|requested| &requested.change))
                .chain([&change]);
            changes::check(&known.settings, known.entrants.len(), all)?;
            let number = (known.changes.len() + requested.len()) as u64;
            transaction.execute(
                "INSERT INTO changes (tournament, number, idx, change, reason, at)
                 VALUES (?, ?, NULL, ?, ?, ?)",
                params![tournament, number, change, reason, at],
            )?;
            Ok(Requested {
                number,
                change,
                reason,
                at,
            })
        })
    }

    /// Settles the change of a tournament that was requested first, at the index that `place` gives it. What was played
    /// beyond the end of a tournament that is cancelled is taken out. Says whether there was one.
    pub(crate) fn settle_next(
        &mut self,
        tournament: TournamentId,
        place: impl FnOnce(&Journal, &Tournament, &Requested) -> Result<u64>,
    ) -> Result<bool> {
        self.durably_together(|journal| {
            let requested = journal.requested_changes(tournament)?;
            let Some(next) = requested.first() else {
                return Ok(false);
            };
            let known = journal.tournament_by_id(tournament)?;
            let index = place(journal, &known, next)?;
            journal.connection.execute(
                "UPDATE changes SET idx = ? WHERE tournament = ? AND number = ?",
                params![index, tournament, next.number],
            )?;
            if next.change == Change::Cancel {
                journal.forget_from(tournament, index)?;
            }
            Ok(true)
        })
    }
}

#[cfg(test)]
impl Journal {
    /// Adds changes that were settled elsewhere.
    pub(crate) fn add_changes(&mut self, tournament: TournamentId, changes: &[Changed]) {
        let added = self.durably(|transaction| add(transaction, tournament, (0, changes)));
        added.expect("a new tournament takes them");
    }
}

/// Adds changes that are settled, after those that there are.
pub(super) fn add(
    transaction: &Connection,
    tournament: TournamentId,
    (first, changes): (usize, &[Changed]),
) -> Result<()> {
    for (number, changed) in changes.iter().enumerate() {
        transaction.execute(
            "INSERT INTO changes (tournament, number, idx, change, reason, at)
             VALUES (?, ?, ?, ?, ?, ?)",
            params![
                tournament,
                (first + number) as u64,
                changed.index,
                changed.change,
                changed.reason,
                changed.at
            ],
        )?;
    }
    Ok(())
}

/// The changes of a tournament that are settled, in order.
pub(super) fn settled(connection: &Connection, tournament: TournamentId) -> Result<Vec<Changed>> {
    let read = |row: &Row<'_>| {
        Ok(Changed {
            index: row.get(0)?,
            change: row.get(1)?,
            reason: row.get(2)?,
            at: row.get(3)?,
        })
    };
    Ok(connection.all(
        "SELECT idx, change, reason, at FROM changes
         WHERE tournament = ? AND idx IS NOT NULL ORDER BY idx, number",
        [tournament],
        read,
    )?)
}

pub(super) fn requested(
    connection: &Connection,
    tournament: TournamentId,
) -> Result<Vec<Requested>> {
    let read = |row: &Row<'_>| {
        Ok(Requested {
            number: row.get(0)?,
            change: row.get(1)?,
            reason: row.get(2)?,
            at: row.get(3)?,
        })
    };
    Ok(connection.all(
        "SELECT number, change, reason, at FROM changes
         WHERE tournament = ? AND idx IS NULL ORDER BY number",
        [tournament],
        read,
    )?)
}

impl ToSql for Change {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let json = serde_json::to_string(self).expect("numbers are JSON");
        Ok(json.into())
    }
}

impl FromSql for Change {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?).map_err(FromSqlError::other)
    }
}

impl ToSql for Reason {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

impl FromSql for Reason {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map_err(FromSqlError::other)
    }
}
