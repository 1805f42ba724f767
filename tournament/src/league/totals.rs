//! The total table of a division.

use std::collections::BTreeMap;

use flipside_ratings::hundredths;
use schemars::JsonSchema;
use serde::Serialize;

use crate::standings::{LeftAs, Standings};

/// The table of a game.
#[derive(Clone, Copy, Debug)]
pub struct GameTable<'a> {
    /// The id of the game.
    pub game: &'a str,
    /// Its standings; none: it was not played.
    pub standings: Option<&'a Standings>,
}

/// A bot's line in a total table.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
pub struct LeagueRow {
    /// From 1; bots that are level share it.
    pub rank: usize,
    /// The bot.
    pub bot: String,
    /// The sum of its shares, in points: at most 100 for each game.
    pub points: f64,
    /// By game, in the order of the league: of the points that it could have won so far, how many in a hundred
    /// it won. None if it has no match there.
    pub shares: Vec<Option<f64>>,
    /// How many matches it has played.
    pub matches: u64,
    /// How many of them it won alone.
    pub wins: u64,
    /// How many it lost by a fault.
    pub faults: u64,
}

/// The total table of a division: for each game, a bot gets its share of the points that it could have won there, in a
/// hundred, and nothing if it does not play there or was disqualified. So each game counts the same, however many matches it has. Bots with
/// equal totals are ordered by matches won; those that are still level share a rank, and stand by name. `bots` are all
/// that play in the division.
pub fn totals(bots: &[String], games: &[GameTable<'_>]) -> Vec<LeagueRow> {
    let row = |bot: &String| LeagueRow {
        bot: bot.clone(),
        shares: vec![None; games.len()],
        ..LeagueRow::default()
    };
    let rows = bots.iter().map(|bot| (&**bot, row(bot)));
    let mut rows: BTreeMap<&str, LeagueRow> = rows.collect();
    for (at, table) in games.iter().enumerate() {
        for line in table.standings.iter().flat_map(|standings| &standings.rows) {
            let Some(row) = rows.get_mut(&*line.bot) else {
                continue;
            };
            let share = match line.left {
                Some(LeftAs::Disqualified) => 0.0,
                Some(LeftAs::Withdrawn) | None => hundredths(line.percent),
            };
            row.shares[at] = (line.games > 0).then_some(share);
            row.matches += line.games;
            row.wins += line.wins;
            row.faults += line.faults;
        }
    }
    let mut rows: Vec<LeagueRow> = rows.into_values().collect();
    for row in &mut rows {
        row.points = hundredths(row.shares.iter().flatten().sum());
    }
    let level = |a: &LeagueRow, b: &LeagueRow| {
        b.points
            .total_cmp(&a.points)
            .then_with(|| b.wins.cmp(&a.wins))
    };
    // They stand by name already, and the sort is stable.
    rows.sort_by(level);
    let mut rank = 1;
    for same in rows.chunk_by_mut(|one, next| level(one, next).is_eq()) {
        same.iter_mut().for_each(|row| row.rank = rank);
        rank += same.len();
    }
    rows
}
