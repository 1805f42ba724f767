//! Ratings at a game and how they came, kept as long as they are true.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use flipside_store::{
    CurvePoint, GameRatings, HistoryRow, RatingCurve, history, ratings_with_curves,
};

use crate::shared::cache::Weigh;
use crate::shared::kept::ROW;
use crate::shared::problem::Result;
use crate::site::{ReadContext, Site, stamp_of};

/// The ratings at a game, and by bot and version how they came.
pub(crate) struct Ratings(
    pub(crate) GameRatings,
    pub(crate) HashMap<String, RatingCurve>,
);

/// The ratings of a bot after each rating period.
impl Weigh for Vec<HistoryRow> {
    fn bytes(&self) -> usize {
        self.len() * ROW
    }
}

impl Weigh for Ratings {
    fn bytes(&self) -> usize {
        let points: usize = self.1.values().map(|curve| curve.points().count()).sum();
        self.0.rows.len() * 2 * ROW + points * size_of::<CurvePoint>()
    }
}

/// Where the ratings at a game are kept.
fn ratings_key(game: &str) -> String {
    format!("ratings {game}")
}

impl ReadContext<'_> {
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

impl Site {
    /// Computes the ratings at these games in the background, one after the other, so that pages are made meanwhile.
    pub(crate) fn renew_ratings(self: &Arc<Self>, games: BTreeSet<String>) {
        let slot = |game: &String| self.cache.slot(&ratings_key(game));
        let games = games.into_iter().map(|game| (slot(&game), game));
        let due: Vec<_> = games.filter(|(slot, _)| slot.begin_renewal()).collect();
        let site = Arc::clone(self);
        tokio::spawn(async move {
            for (slot, game) in due {
                let renewed = site.read(move |reading| reading.ratings(&game).map(drop));
                if let Err(problem) = renewed.await {
                    tracing::warn!(problem = problem.message, "cannot renew ratings");
                    // The next page that shows them is told why they cannot be computed.
                    site.cache.forget(&slot);
                }
                slot.end_renewal();
            }
        });
    }
}
