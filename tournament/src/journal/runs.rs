//! The runs of a tournament: how often it was started or resumed, and where its matches ran.

use rusqlite::params;

use super::{Journal, Queries, TournamentId};
use crate::error::Result;

/// The runs of a tournament that played at least one match in this arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// How many there were.
    pub all: u64,
    /// In how many of them each match had cores of its own.
    pub pinned: u64,
}

impl Journal {
    /// Notes a run that has played a match.
    pub(crate) fn note_run(&mut self, tournament: TournamentId, pinned: bool) -> Result<()> {
        let command = "INSERT INTO runs (tournament, pinned) VALUES (?, ?)";
        self.write(command, params![tournament, pinned])
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
            [tournament],
            read,
        )?)
    }
}
