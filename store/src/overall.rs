//! Bots over several games: the mean of their ratings, each game counting the same.

use std::collections::BTreeMap;

use flipside_ratings::{INTERVAL_DEVIATIONS, Rating, hundredths};
use schemars::JsonSchema;
use serde::Serialize;

use crate::tables::{GameRatings, RatingRow, share_ranks};

/// A bot's line over several games, rounded to hundredths.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct OverallRow {
    /// From 1; bots whose ratings are the same, as they are shown, share it.
    pub rank: usize,
    /// The bot: `greedy@2`.
    pub bot: String,
    /// The mean of its ratings at these games. A game that it has not played counts as the prior, 1500 ± 350.
    pub rating: f64,
    /// The standard deviation of this mean.
    pub deviation: f64,
    /// The lower bound of its 95 % interval.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// Matches with a result, at all games.
    pub matches: u64,
    /// Those of them that were played in another arena and imported.
    pub imported: u64,
    /// Its ratings at the games that it has played, by their ids.
    pub games: BTreeMap<String, f64>,
}

/// The bots of these ratings by their means over the games that have any, then by name; and the ids of these games.
pub fn overall(ratings: &[GameRatings]) -> (Vec<String>, Vec<OverallRow>) {
    let rated = ratings.iter().filter(|game| !game.rows.is_empty());
    let rated: Vec<&GameRatings> = rated.collect();
    let mut bots: BTreeMap<&str, Vec<(&str, &RatingRow)>> = BTreeMap::new();
    for game in &rated {
        for row in &game.rows {
            bots.entry(&row.bot).or_default().push((&game.game, row));
        }
    }
    let row = |(bot, own): (&&str, &Vec<(&str, &RatingRow)>)| {
        let prior = Rating::default();
        let (of, missing) = (rated.len() as f64, (rated.len() - own.len()) as f64);
        let points: f64 = own.iter().map(|(_, row)| row.rating).sum();
        let variance: f64 = own.iter().map(|(_, row)| row.deviation.powi(2)).sum();
        let rating = (points + missing * prior.rating) / of;
        // Ratings at different games come from different matches.
        let deviation = (variance + missing * prior.deviation.powi(2)).sqrt() / of;
        let reach = INTERVAL_DEVIATIONS * deviation;
        let [rating, deviation, low, high] =
            [rating, deviation, rating - reach, rating + reach].map(hundredths);
        OverallRow {
            rank: 0,
            bot: (*bot).into(),
            rating,
            deviation,
            low,
            high,
            matches: own.iter().map(|(_, row)| row.games).sum(),
            imported: own.iter().map(|(_, row)| row.imported).sum(),
            games: own
                .iter()
                .map(|(game, row)| ((*game).into(), row.rating))
                .collect(),
        }
    };
    let mut rows: Vec<OverallRow> = bots.iter().map(row).collect();
    rows.sort_by(|one, other| other.rating.total_cmp(&one.rating));
    share_ranks(&mut rows, |row| (row.rating, &mut row.rank));
    let games = rated.iter().map(|game| game.game.clone()).collect();
    (games, rows)
}

/// Whether every bot has played every game, so that the means are of the same games.
pub fn all_play_all(games: &[String], rows: &[OverallRow]) -> bool {
    rows.iter().all(|row| row.games.len() == games.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(bot: &str, rating: f64, deviation: f64) -> RatingRow {
        RatingRow {
            rank: 1,
            bot: bot.into(),
            rating,
            deviation,
            low: 0.0,
            high: 0.0,
            glicko: 1500.0,
            glicko_deviation: 350.0,
            volatility: 0.005,
            games: 10,
            imported: 0,
        }
    }

    fn game(game: &str, rows: Vec<RatingRow>) -> GameRatings {
        GameRatings {
            game: game.into(),
            rows,
        }
    }

    #[test]
    fn each_game_counts_the_same_and_one_that_was_not_played_is_the_prior() {
        let ratings = [
            game(
                "flipfour",
                vec![row("ada", 1700.0, 30.0), row("bob", 1300.0, 30.0)],
            ),
            game("flip4", Vec::new()),
            game(
                "yonmoque",
                vec![row("bob", 1600.0, 40.0), row("eve", 1400.0, 40.0)],
            ),
        ];
        let (games, rows) = overall(&ratings);
        assert_eq!(games, ["flipfour", "yonmoque"]);
        let told: Vec<_> = rows
            .iter()
            .map(|row| (row.rank, &*row.bot, row.rating, row.deviation, row.matches))
            .collect();
        // The deviations by hand: the root of 30² + 350², of 30² + 40², of 40² + 350², each over 2.
        assert_eq!(
            told,
            [
                (1, "ada", 1600.0, 175.64, 10),
                (2, "bob", 1450.0, 25.0, 20),
                (2, "eve", 1450.0, 176.14, 10),
            ]
        );
        assert_eq!((rows[1].low, rows[1].high), (1401.0, 1499.0));
        assert!(!all_play_all(&games, &rows) && all_play_all(&games, &rows[1..2]));
        assert_eq!(overall(&[]), (Vec::new(), Vec::new()));
    }
}
