//! The runs of a tournament: when it was started or resumed, and where its matches ran.

use rusqlite::params;

use super::{Journal, Queries, TournamentId};
use crate::Result;

/// The runs of a tournament that played at least one match in this arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// How many there were.
    pub all: u64,
    /// In how many of them each match had cores of its own.
    pub pinned: u64,
}

impl Journal {
    /// Notes a run that has played a match. It began at `began_at`, in milliseconds since 1970.
    pub(crate) fn note_run(
        &mut self,
        tournament: TournamentId,
        began_at: u64,
        workers: u64,
        pinned: bool,
    ) -> Result<()> {
        self.write(
            "INSERT INTO runs (tournament, began_at, workers, pinned) VALUES (?, ?, ?, ?)",
            params![tournament, began_at, workers, pinned],
        )
    }

    /// The runs of a tournament. If its first match is older than all that are noted, it was played by a version that
    /// noted none: this counts as one more, which was not pinned as far as anybody knows.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn runs(&self, tournament: TournamentId) -> Result<Runs> {
        let read = |row: &rusqlite::Row<'_>| {
            let (noted, older, pinned): (u64, u64, u64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let all = noted + older;
            Ok(Runs { all, pinned })
        };
        Ok(self.connection.one(
            "SELECT count(*),
                    (SELECT count(*) FROM matches
                     WHERE tournament = ?1 AND import IS NULL
                       AND idx = (SELECT min(idx) FROM matches WHERE tournament = ?1)
                       AND started_at < (SELECT min(began_at) FROM runs WHERE tournament = ?1)),
                    coalesce(sum(pinned), 0)
             FROM runs WHERE tournament = ?1",
            [tournament],
            read,
        )?)
    }
}
