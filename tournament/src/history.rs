//! Ratings over time, and their fingerprint: what was said of them once can be computed again.

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::tables::fold;
use crate::{Journal, Result};

/// A bot's rating after a rating period in which it was entered.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
        let all = period.bots.iter().zip(period.ratings).zip(period.games);
        for ((bot, rating), &games) in all {
            let entered = || {
                period
                    .tournament
                    .entrants
                    .iter()
                    .any(|one| one.id == bot.id)
            };
            if bot.name.as_str() != name || !entered() {
                continue;
            }
            let [rating, deviation, low, high] = rating.rounded();
            show(HistoryRow {
                game: game.into(),
                tournament: period.tournament.name.to_string(),
                round: period.round + 1,
                bot: bot.label(),
                rating,
                deviation,
                low,
                high,
                games,
            });
        }
    })?;
    Ok(())
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
    use crate::ratings;
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
                assert_eq!((last.rating, last.deviation), (row.rating, row.deviation));
            }
            assert!(rows.is_sorted_by_key(|row| row.games));
        }
        assert!(history(&journal, "flipfour", "nobody").unwrap().is_empty());
        assert!(history(&journal, "yonmoque", "first").unwrap().is_empty());
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
