//! What pages derive from the journal, kept as long as it is true: lists, tables, ratings.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use flipside_tournament::{
    CurvePoint, FullTable, GameRatings, HistoryRow, RatingCurve, SeatOutcomes, State, Tournament,
    TournamentFilter, TournamentRow, full_table, history, ratings_with_curves, seat_outcomes,
    test_path, tournament_row,
};

use crate::cache::Weigh;
use crate::host::ladders::is_ladder_of;
use crate::problem::Result;
use crate::site::{ReadContext, stamp_of};

/// The table of a tournament, with what pages show beside it.
pub(crate) struct CachedTable {
    pub(crate) full: FullTable,
    pub(crate) seats: SeatOutcomes,
    /// The log-likelihood ratio of a sequential test after each block.
    pub(crate) path: Vec<f64>,
}

/// The ratings at a game, and by bot and version how they came.
pub(crate) struct Ratings(
    pub(crate) GameRatings,
    pub(crate) HashMap<String, RatingCurve>,
);

/// About the bytes of a row of anything with some names.
const ROW: usize = 300;

impl Weigh for CachedTable {
    fn bytes(&self) -> usize {
        let standings = &self.full.standings;
        let rows = standings.rows.len();
        let cells: usize = standings.cross.cells.iter().map(Vec::len).sum();
        let pairs = self.full.statistics.pairs.len();
        rows * 2 * ROW + cells * 32 + pairs * ROW + self.path.len() * 8
    }
}

/// The ratings of a bot after each rating period.
impl Weigh for Vec<HistoryRow> {
    fn bytes(&self) -> usize {
        self.len() * ROW
    }
}

/// The stamp of a tournament in a version of the arena.
impl Weigh for u64 {
    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

/// A tournament as lists have it.
impl Weigh for TournamentRow {
    fn bytes(&self) -> usize {
        ROW
    }
}

impl Weigh for Ratings {
    fn bytes(&self) -> usize {
        let points: usize = self.1.values().map(|curve| curve.points().count()).sum();
        self.0.rows.len() * 2 * ROW + points * size_of::<CurvePoint>()
    }
}

/// Where the ratings at a game are kept.
pub(crate) fn ratings_key(game: &str) -> String {
    format!("ratings {game}")
}

impl ReadContext<'_> {
    fn kept<T: Weigh>(
        &self,
        key: &str,
        stamp: u64,
        make: impl FnOnce() -> Result<(T, u64)>,
    ) -> Result<Arc<T>> {
        let found = self.site.cache.get(key, stamp, make)?;
        if found.fresh {
            self.reuses(key, found.cost);
        }
        Ok(found.value)
    }

    /// Notes that a value was there which took so long.
    fn reuses(&self, key: &str, cost: Duration) {
        self.reused.borrow_mut().insert(key.to_owned(), cost);
    }

    /// How long it took to make all that was there already.
    pub(crate) fn saved(&self) -> Duration {
        self.reused.borrow().values().sum()
    }

    /// The names of the bots of the arena, each once.
    pub(crate) fn bot_names(&self) -> Result<Vec<String>> {
        let bots = self.journal.bots()?;
        let mut names: Vec<String> = bots.iter().map(|bot| bot.name.to_string()).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

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
        Ok(self.row(tournament)?.state == State::Over)
    }

    /// The tournaments that are played now, the latest first.
    pub(crate) fn running(&self) -> Result<Vec<Tournament>> {
        let names = self.site.arena.running().into_iter();
        let found = names.map(|name| self.journal.find_tournament(name.as_str()));
        let found: flipside_tournament::Result<Vec<Option<Tournament>>> = found.collect();
        let mut running: Vec<Tournament> = found?.into_iter().flatten().collect();
        running.sort_by_key(|tournament| std::cmp::Reverse(tournament.id));
        Ok(running)
    }

    /// The table of a tournament.
    pub(crate) fn table(&self, tournament: &Tournament) -> Result<Arc<CachedTable>> {
        let stamp = self.stamp(tournament)?;
        self.kept(&format!("table {}", tournament.name), stamp, || {
            let stamp = self.stamp_of_now(tournament)?;
            let tabled = CachedTable {
                full: full_table(self.journal, tournament)?,
                seats: seat_outcomes(self.journal, tournament)?,
                path: test_path(self.journal, tournament)?,
            };
            Ok((tabled, stamp))
        })
    }

    /// The ratings at a game. If they take long and the page allows it, they are those of an older version.
    pub(crate) fn ratings(&self, game: &str) -> Result<Arc<Ratings>> {
        let stamp = self.stamp_of_ratings(game)?;
        let key = ratings_key(game);
        if let Some(old) = self.old.borrow_mut().as_mut()
            && let Some(found) = self.site.cache.slot(&key).found::<Ratings>(stamp)
            && !found.fresh
            && found.cost > self.site.limits.made_at_once
        {
            old.games.insert(game.to_owned());
            old.as_of = old.as_of.into_iter().chain([found.as_of]).min();
            self.reuses(&key, found.cost);
            return Ok(found.value);
        }
        self.kept(&key, stamp, || {
            let stamp = self.stamp_of_ratings_now(game)?;
            let (ratings, curves) = ratings_with_curves(self.journal, game)?;
            Ok((Ratings(ratings, curves), stamp))
        })
    }

    /// The ratings of all versions of a bot at a game, after each rating period that they were entered in.
    pub(crate) fn history(&self, game: &str, name: &str) -> Result<Arc<Vec<HistoryRow>>> {
        let stamp = self.stamp_of_ratings(game)?;
        self.kept(&format!("history {game} {name}"), stamp, || {
            let stamp = self.stamp_of_ratings_now(game)?;
            Ok((history(self.journal, game, name)?, stamp))
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

    /// What the ratings at a game derive from. It counts their matches, so that one of this version is used.
    fn stamp_of_ratings(&self, game: &str) -> Result<u64> {
        let key = format!("stamp of ratings {game}");
        let make = || Ok((self.stamp_of_ratings_now(game)?, self.version));
        Ok(*self.kept(&key, self.version, make)?)
    }

    /// The same of exactly what this request reads.
    fn stamp_of_ratings_now(&self, game: &str) -> Result<u64> {
        Ok(stamp_of(&self.journal.stamp_of_ratings(game)?))
    }
}
