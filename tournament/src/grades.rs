//! What came of a class: a row for each of its people, with the best of their bots.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::league::totals::LeagueRow;
use crate::standings::{LeftAs, Standings};

/// How a bot came off, in a tournament or in a season of a league.
#[derive(Clone, Debug, PartialEq)]
pub struct BotResult {
    /// Its name and version.
    pub bot: String,
    /// Its division in a league, from 1; none in a tournament.
    pub division: Option<u64>,
    /// Its rank there, from 1.
    pub rank: u64,
    /// Its rating; none over the games of a league.
    pub rating: Option<f64>,
    /// Its points.
    pub points: f64,
    /// The matches that it has played.
    pub matches: u64,
    /// Those that it lost by a fault.
    pub faults: u64,
    /// How it has left, if it has; not told over the games of a league.
    pub left: Option<LeftAs>,
}

/// How somebody of a class came off.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct GradeRow {
    /// The name of the account.
    pub account: String,
    /// The best of its bots; none if it has none there.
    pub bot: Option<String>,
    /// The division of a league, from 1; none in a tournament.
    pub division: Option<u64>,
    /// From 1; bots that are level share it.
    pub rank: Option<u64>,
    /// The rating; none over the games of a league.
    pub rating: Option<f64>,
    /// The points.
    pub points: Option<f64>,
    /// The matches played.
    pub matches: Option<u64>,
    /// Those that were lost by a fault.
    pub faults: Option<u64>,
    /// How the bot has left, if it has; not told over the games of a league.
    pub left: Option<LeftAs>,
}

impl BotResult {
    /// Those of a tournament.
    pub fn of_standings(standings: &Standings) -> Vec<Self> {
        let rows = standings.rows.iter();
        rows.map(|row| BotResult {
            bot: row.bot.clone(),
            division: None,
            rank: row.rank as u64,
            rating: Some(row.rating),
            points: row.score,
            matches: row.games,
            faults: row.faults,
            left: row.left,
        })
        .collect()
    }

    /// Those of a division of a league, which is counted from 1.
    pub fn of_division(division: usize, rows: &[LeagueRow]) -> Vec<Self> {
        let rows = rows.iter();
        rows.map(|row| BotResult {
            bot: row.bot.clone(),
            division: Some(division as u64),
            rank: row.rank as u64,
            rating: None,
            points: row.points,
            matches: row.matches,
            faults: row.faults,
            left: None,
        })
        .collect()
    }
}

/// A row for each account, in the order of the accounts. `owned` gives the account of each bot's name that one owns, in
/// lower case; the bots of nobody are left out.
pub fn grades(
    accounts: &[String],
    owned: &HashMap<String, String>,
    results: &[BotResult],
) -> Vec<GradeRow> {
    let owner = |result: &BotResult| {
        let name = result.bot.split('@').next().unwrap_or_default();
        owned.get(&name.to_ascii_lowercase())
    };
    let row = |account: &String| {
        let own = (results.iter()).filter(|result| owner(result) == Some(account));
        let best = own.min_by_key(|result| (result.division, result.rank));
        GradeRow {
            account: account.clone(),
            bot: best.map(|best| best.bot.clone()),
            division: best.and_then(|best| best.division),
            rank: best.map(|best| best.rank),
            rating: best.and_then(|best| best.rating),
            points: best.map(|best| best.points),
            matches: best.map(|best| best.matches),
            faults: best.map(|best| best.faults),
            left: best.and_then(|best| best.left),
        }
    };
    accounts.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(bot: &str, division: u64, rank: u64) -> BotResult {
        BotResult {
            bot: bot.into(),
            division: Some(division),
            rank,
            rating: Some(1500.0 - rank as f64),
            points: 10.0 - rank as f64,
            matches: 20,
            faults: rank,
            left: None,
        }
    }

    #[test]
    fn everybody_has_a_row_with_the_best_bot_and_bots_of_nobody_have_none() {
        let accounts = ["ada", "bob", "cy"].map(String::from);
        let owned = [("yon", "ada"), ("slow", "ada"), ("star", "bob")];
        let owned = owned.map(|(bot, account)| (bot.to_owned(), account.to_owned()));
        let results = [
            result("greedy@1", 1, 1),
            result("slow@3", 1, 3),
            result("Yon@2", 1, 2),
            result("star@1", 2, 1),
        ];
        let rows = grades(&accounts, &owned.into(), &results);
        let told: Vec<_> = rows
            .iter()
            .map(|row| (&*row.account, row.bot.as_deref(), row.division, row.rank))
            .collect();
        assert_eq!(
            told,
            [
                ("ada", Some("Yon@2"), Some(1), Some(2)),
                ("bob", Some("star@1"), Some(2), Some(1)),
                ("cy", None, None, None),
            ]
        );
        assert_eq!((rows[0].points, rows[0].faults), (Some(8.0), Some(2)));
        assert_eq!(rows[2].matches, None);
    }
}
