//! The runs of a tournament: how often it was started or resumed, and where its matches ran.

use flipside_tournament::{Runs, TournamentId};
use rusqlite::params;

use super::{Journal, Queries};
use crate::error::Result;

impl Journal {
    /// Notes a run that has played a match.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn note_run(&mut self, tournament: TournamentId, pinned: bool) -> Result<()> {
        let command = "INSERT INTO runs (tournament, pinned) VALUES (?, ?)";
        self.write(command, params![tournament.number(), pinned])
    }

    /// The runs of a tournament.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn runs(&self, tournament: TournamentId) -> Result<Runs> {
        let read = |row: &rusqlite::Row<'_>| {
            let (all, pinned) = (row.get(0)?, row.get(1)?);
            Ok(Runs { all, pinned })
        };
        Ok(self.connection.one(
            "SELECT count(*), coalesce(sum(pinned), 0) FROM runs WHERE tournament = ?",
            [tournament.number()],
            read,
        )?)
    }
}
