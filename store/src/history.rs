//! Ratings over time, and their fingerprint: what was said of them once can be computed again.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::Result;
use crate::journal::Journal;
use crate::tables::{GameRatings, fold, rated};

/// A bot's rating after a rating period in which it was entered.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct HistoryRow {
    /// The game's id.
    pub game: String,
    /// The tournament's name.
    pub tournament: String,
    /// The round, from 1.
    pub round: u32,
    /// The bot, with its version: `greedy@2`.
    pub bot: String,
    /// The rating after it, rounded to hundredths.
    pub rating: f64,
    /// Its standard deviation.
    pub deviation: f64,
    /// The lower bound of the rating's 95 % interval.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// Matches with a result until then, in all tournaments.
    pub games: u64,
}

/// The ratings of all versions of a bot at a game, after every period of a tournament that they were
/// entered in; in order of the periods, then of the versions.
///
/// # Errors
/// When the journal cannot be read.
pub fn history(journal: &Journal, game: &str, name: &str) -> Result<Vec<HistoryRow>> {
    let mut rows = Vec::new();
    for_each_in_history(journal, game, name, |row| rows.push(row))?;
    Ok(rows)
}

/// Shows the same row by row: there may be as many as matches.
///
/// # Errors
/// When the journal cannot be read.
pub fn for_each_in_history(
    journal: &Journal,
    game: &str,
    name: &str,
    mut show: impl FnMut(HistoryRow),
) -> Result<()> {
    fold(journal, game, |period| {
        for &at in period.entrants {
            let bot = &period.bots[at];
            if bot.name.as_str() != name {
                continue;
            }
            let [rating, deviation, low, high] = period.ratings[at].rounded();
            show(HistoryRow {
                game: game.into(),
                tournament: period.tournament.name.to_string(),
                round: period.round + 1,
                bot: bot.label(),
                rating,
                deviation,
                low,
                high,
                games: period.games[at],
            });
        }
    })?;
    Ok(())
}

/// The most points of a [`RatingCurve`].
pub const MAX_CURVE: usize = 128;

/// How the rating of a bot came to be what it is, for a plot: of its history at most [`MAX_CURVE`] points, among them
/// the first and the last, evenly over its rating periods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RatingCurve {
    points: Vec<CurvePoint>,
    /// The last period, if it is none of the points.
    last: Option<CurvePoint>,
    /// How many periods there were, and each how many of them there is a point of.
    periods: usize,
    stride: usize,
}

/// A bot's rating after a rating period, rounded to hundredths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Matches with a result until then, in all tournaments.
    pub games: u64,
    /// The rating.
    pub rating: f64,
    /// The lower bound of its 95 % interval.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl RatingCurve {
    fn push(&mut self, point: CurvePoint) {
        let stride = self.stride.max(1);
        self.last = Some(point);
        if self.periods.is_multiple_of(stride) {
            // The last one has a place beside them.
            if self.points.len() == MAX_CURVE - 1 {
                let mut is_kept = false;
                self.points.retain(|_| {
                    is_kept = !is_kept;
                    is_kept
                });
                self.stride = 2 * stride;
            }
            if self.periods.is_multiple_of(self.stride.max(1)) {
                self.points.push(point);
                self.last = None;
            }
        }
        self.periods += 1;
    }

    /// The points, in order.
    pub fn points(&self) -> impl Iterator<Item = CurvePoint> + '_ {
        self.points.iter().copied().chain(self.last)
    }
}

/// The ratings of a game, and how each bot came to its own: by the bot with its version, such as `greedy@2`. All from
/// one way through the results.
///
/// # Errors
/// When the journal cannot be read.
pub fn ratings_with_curves(
    journal: &Journal,
    game: &str,
) -> Result<(GameRatings, HashMap<String, RatingCurve>)> {
    let mut curves: Vec<RatingCurve> = Vec::new();
    let folded = fold(journal, game, |period| {
        curves.resize_with(period.bots.len(), RatingCurve::default);
        for &at in period.entrants {
            let [rating, _, low, high] = period.ratings[at].rounded();
            curves[at].push(CurvePoint {
                games: period.games[at],
                rating,
                low,
                high,
            });
        }
    })?;
    let named = folded.bots.iter().zip(curves);
    let curves = named.map(|(bot, curve)| (bot.label(), curve)).collect();
    Ok((rated(game, &folded), curves))
}

/// What comes of folding all results of a game anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rerated {
    /// The game's id.
    pub game: String,
    /// How many results were folded.
    pub matches: u64,
    /// In how many rating periods.
    pub periods: u64,
    /// How many bots have a rating.
    pub bots: u64,
    /// SHA-256, hexadecimal, over every bot's label and the bits of its rating, deviation and volatility:
    /// equal when the ratings are, to the last bit.
    pub sha256: String,
}

/// Folds all results of a game anew.
///
/// # Errors
/// When the journal cannot be read.
pub fn rerate(journal: &Journal, game: &str) -> Result<Rerated> {
    let mut periods = 0;
    let folded = fold(journal, game, |_| periods += 1)?;
    let mut hash = Sha256::new().chain_update(b"flipside ratings\0");
    let mut bots = 0;
    for ((bot, rating), &games) in folded.bots.iter().zip(&folded.ratings).zip(&folded.games) {
        if games == 0 {
            continue;
        }
        bots += 1;
        hash.update(bot.label());
        for number in [rating.rating, rating.deviation, rating.volatility] {
            hash.update(number.to_bits().to_le_bytes());
        }
    }
    Ok(Rerated {
        game: game.into(),
        matches: folded.matches,
        periods,
        bots,
        sha256: hex::encode(hash.finalize()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::ratings;
    use crate::testing::{finished, new_journal, tournament};

    #[test]
    fn a_history_ends_with_the_ratings_of_now() {
        let (_folder, mut journal) = new_journal();
        let first = tournament(&mut journal, "first", 3, 2);
        let second = tournament(&mut journal, "second", 2, 3);
        for tournament in [&first, &second] {
            for pairing in tournament.schedule().unwrap().iter() {
                journal.land(&finished(tournament, &pairing)).unwrap();
            }
        }
        let now = ratings(&journal, "flipfour").unwrap();
        for (number, bot) in first.entrants.iter().enumerate() {
            let rows = history(&journal, "flipfour", bot.name.as_str()).unwrap();
            let places: Vec<_> = rows
                .iter()
                .map(|row| (row.tournament.as_str(), row.round))
                .collect();
            let both = [
                ("first", 1),
                ("first", 2),
                ("second", 1),
                ("second", 2),
                ("second", 3),
            ];
            // The third bot was not entered in the second tournament.
            assert_eq!(places, both[..if number < 2 { 5 } else { 2 }]);
            let row = now.rows.iter().find(|row| row.bot == bot.label()).unwrap();
            let last = rows.last().unwrap();
            assert_eq!(last.games, row.games);
            if number < 2 {
                assert_eq!(
                    (last.rating, last.deviation),
                    (row.glicko, row.glicko_deviation)
                );
            }
            assert!(rows.is_sorted_by_key(|row| row.games));
        }
        assert!(history(&journal, "flipfour", "nobody").unwrap().is_empty());
        assert!(history(&journal, "yonmoque", "first").unwrap().is_empty());
    }

    #[test]
    fn a_curve_is_a_part_of_the_history_with_both_ends() {
        let (_folder, mut journal) = new_journal();
        let evening = tournament(&mut journal, "evening", 3, 300);
        for pairing in evening.schedule().unwrap().iter() {
            journal.land(&finished(&evening, &pairing)).unwrap();
        }
        let (now, curves) = ratings_with_curves(&journal, "flipfour").unwrap();
        assert_eq!(now, ratings(&journal, "flipfour").unwrap());
        assert_eq!(curves.len(), 3);
        for bot in &evening.entrants {
            let rows = history(&journal, "flipfour", bot.name.as_str()).unwrap();
            let whole = rows.iter().map(|row| CurvePoint {
                games: row.games,
                rating: row.rating,
                low: row.low,
                high: row.high,
            });
            let whole: Vec<CurvePoint> = whole.collect();
            let curve: Vec<CurvePoint> = curves[&bot.label()].points().collect();
            assert!(
                (MAX_CURVE / 2..=MAX_CURVE).contains(&curve.len()),
                "{}",
                curve.len()
            );
            assert_eq!((curve.first(), curve.last()), (whole.first(), whole.last()));
            // Every fourth of 300, and the last.
            let thinned: Vec<CurvePoint> = whole.iter().copied().step_by(4).collect();
            assert_eq!(curve[..curve.len() - 1], thinned);
        }
        assert!(
            ratings_with_curves(&journal, "yonmoque")
                .unwrap()
                .1
                .is_empty()
        );
    }

    #[test]
    fn a_curve_never_has_more_points_than_it_may() {
        let point = |games| CurvePoint {
            games,
            rating: 0.0,
            low: 0.0,
            high: 0.0,
        };
        let mut curve = RatingCurve::default();
        for games in 0..10_000 {
            curve.push(point(games));
            let seen: Vec<u64> = curve.points().map(|point| point.games).collect();
            assert!(
                seen.len() <= MAX_CURVE && seen.len() >= (games as usize + 1).min(MAX_CURVE / 2)
            );
            assert_eq!((seen[0], seen[seen.len() - 1]), (0, games));
            assert!(seen.is_sorted_by(|one, next| one < next));
        }
    }

    #[test]
    fn ratings_folded_anew_are_the_same_to_the_last_bit() {
        let written = |reversed: bool| {
            let (_folder, mut journal) = new_journal();
            let evening = tournament(&mut journal, "evening", 4, 3);
            let schedule = evening.schedule().unwrap();
            let mut order: Vec<u64> = (0..schedule.total()).collect();
            if reversed {
                order.reverse();
            }
            for index in order {
                let pairing = schedule.pairing(index).unwrap();
                journal.land(&finished(&evening, &pairing)).unwrap();
            }
            let rerated = rerate(&journal, "flipfour").unwrap();
            assert_eq!(rerated, rerate(&journal, "flipfour").unwrap());
            rerated
        };
        let one = written(false);
        assert_eq!(one, written(true));
        assert_eq!((one.matches, one.periods, one.bots), (36, 3, 4));

        let (_folder, mut journal) = new_journal();
        let evening = tournament(&mut journal, "evening", 4, 3);
        let pairing = evening.schedule().unwrap().pairing(0).unwrap();
        journal.land(&finished(&evening, &pairing)).unwrap();
        let other = rerate(&journal, "flipfour").unwrap();
        assert_eq!((other.matches, other.bots), (1, 2));
        assert_ne!(other.sha256, one.sha256);
    }
}
