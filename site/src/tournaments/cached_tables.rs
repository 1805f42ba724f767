//! Lists and tables of tournaments, kept as long as they are true.

use std::sync::Arc;

use flipside_store::{
    SeatOutcomes, TournamentFilter, TournamentRow, TournamentState, full_table, seat_outcomes,
    test_path, tournament_row,
};
use flipside_tournament::{FullTable, Tournament};

use crate::ladders::keep::is_ladder_of;
use crate::shared::cache::Weigh;
use crate::shared::kept::ROW;
use crate::shared::problem::Result;
use crate::site::{ReadContext, stamp_of};

/// The table of a tournament, with what pages show beside it.
pub(crate) struct CachedTable {
    pub(crate) full: FullTable,
    pub(crate) seats: SeatOutcomes,
    /// The log-likelihood ratio of a sequential test after each block.
    pub(crate) path: Vec<f64>,
}

impl Weigh for CachedTable {
    fn bytes(&self) -> usize {
        let standings = &self.full.standings;
        let rows = standings.rows.len();
        let cells: usize = standings.cross.cells.iter().map(Vec::len).sum();
        let pairs = self.full.statistics.pairs.len();
        rows * 2 * ROW + cells * 32 + pairs * ROW + self.path.len() * 8
    }
}

/// A tournament as lists have it.
impl Weigh for TournamentRow {
    fn bytes(&self) -> usize {
        ROW
    }
}

impl ReadContext<'_> {
    /// A list of tournaments, of at most so many, that says how far they are.
    pub(crate) fn listed(&self, of: &TournamentFilter, limit: usize) -> Result<Vec<TournamentRow>> {
        let tournaments = self.journal.listed_tournaments(of, limit)?;
        tournaments.iter().map(|one| self.row(one)).collect()
    }

    /// One of the list.
    pub(crate) fn row(&self, tournament: &Tournament) -> Result<TournamentRow> {
        let arena = &self.site.arena;
        let is_running = arena.is_running(&tournament.name);
        let stamp_with = |stamp: u64| stamp_of(&(stamp, is_running));
        let make = || {
            let stamp = stamp_with(self.stamp_of_now(tournament)?);
            let row = tournament_row(arena, self.journal, tournament)?;
            Ok((row, stamp))
        };
        let key = format!("row {}", tournament.name);
        let stamp = stamp_with(self.stamp(tournament)?);
        // Its cost does not count: of very many, only those are made anew that change.
        Ok(TournamentRow::clone(
            &self.site.cache.get(&key, stamp, make)?.value,
        ))
    }

    /// Whether everything of a tournament is played. Until then, a record would tell the random events
    /// of matches that are still to come: it reveals the seed of its block.
    pub(crate) fn is_over(&self, tournament: &Tournament) -> Result<bool> {
        // A ladder that lacks bots goes on when one joins, also if no server keeps it at the moment.
        if is_ladder_of(tournament, &tournament.settings.game) && !tournament.is_cancelled() {
            return Ok(false);
        }
        Ok(self.row(tournament)?.state == TournamentState::Over)
    }

    /// The tournaments that are played now, the latest first.
    pub(crate) fn running(&self) -> Result<Vec<Tournament>> {
        let names = self.site.arena.running().into_iter();
        let found = names.map(|name| self.journal.find_tournament(name.as_str()));
        let found: flipside_store::Result<Vec<Option<Tournament>>> = found.collect();
        let mut running: Vec<Tournament> = found?.into_iter().flatten().collect();
        running.sort_by_key(|tournament| std::cmp::Reverse(tournament.id));
        Ok(running)
    }

    /// The table of a tournament.
    pub(crate) fn table(&self, tournament: &Tournament) -> Result<Arc<CachedTable>> {
        let stamp = self.stamp(tournament)?;
        self.kept(&format!("table {}", tournament.name), stamp, || {
            let stamp = self.stamp_of_now(tournament)?;
            let full = full_table(self.journal, tournament)?;
            let tabled = CachedTable {
                full: FullTable {
                    standings: full.standings.without_stderr(),
                    ..full
                },
                seats: seat_outcomes(self.journal, tournament)?,
                path: test_path(self.journal, tournament)?,
            };
            Ok((tabled, stamp))
        })
    }

    /// What webhooks are told of a tournament derives from this.
    pub(crate) fn stamp_of_news(&self, tournament: &Tournament, is_over: bool) -> Result<u64> {
        Ok(stamp_of(&(self.stamp(tournament)?, is_over)))
    }

    /// What the tables of a tournament derive from. It counts the matches, and many pages ask for it, so that one of
    /// this version is used, though the journal may have gone on since this request began to read it.
    fn stamp(&self, tournament: &Tournament) -> Result<u64> {
        let stamp = self.kept(&format!("stamp {}", tournament.name), self.version, || {
            Ok((self.stamp_of_now(tournament)?, self.version))
        })?;
        Ok(*stamp)
    }

    /// The same of exactly what this request reads.
    fn stamp_of_now(&self, tournament: &Tournament) -> Result<u64> {
        let stamp = self.journal.stamp(tournament.id)?;
        let fixed = (&tournament.settings, &tournament.changes);
        let fixed = serde_json::to_string(&fixed).unwrap_or_default();
        Ok(stamp_of(&(tournament.id, stamp, fixed)))
    }
}
