//! A table with all that its results tell: how sure the order is, and the statistics.

use std::collections::HashMap;

use flipside_ratings::{Estimate, Fit, Statistics, StatisticsReport, hundredths};
use schemars::JsonSchema;
use serde::Serialize;

use crate::slow_moves::SlowMoves;
use crate::standings::{Cell, LeftAs, Standings, StandingsRow, Tally};

/// A tournament's table with all that its results tell.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct FullTable {
    /// Standings and cross table.
    #[serde(flatten)]
    pub standings: Standings,
    /// The statistics, their bots in the order of the standings.
    pub statistics: StatisticsReport,
    /// The slowest move of each bot, if somebody has looked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowest: Option<SlowMoves>,
}

/// A bot's difference from another, rounded to hundredths.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Against {
    /// The bot.
    pub bot: String,
    /// Its rank in the table.
    pub rank: usize,
    /// By how many rating points it is stronger than the other.
    pub difference: f64,
    /// The standard deviation of this difference.
    pub deviation: f64,
    /// The lower bound of its 95 % interval.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// How many matches the two have played against each other.
    pub met: u64,
}

/// How much stronger each other bot of a table is than this one; `order` has the numbers of the bots of its rows.
pub fn against_rows(standings: Standings, fit: &Fit, order: &[usize], from: usize) -> Vec<Against> {
    let own = order.iter().position(|&bot| bot == from);
    let cells = &standings.cross.cells[own.expect("it is in the table")];
    let rows = standings.rows.into_iter().zip(order).zip(cells);
    let others = rows.filter(|&((_, &bot), _)| bot != from);
    let difference = |((row, &bot), cell): ((StandingsRow, &usize), &Cell)| {
        let difference = fit.difference(bot, from);
        Against::of(row.bot, row.rank, &difference, cell.games().into())
    };
    others.map(difference).collect()
}

impl Against {
    /// Rounds the difference.
    pub fn of(bot: String, rank: usize, difference: &Estimate, met: u64) -> Self {
        let [difference, deviation, low, high] = difference.rounded();
        Against {
            bot,
            rank,
            difference,
            deviation,
            low,
            high,
            met,
        }
    }
}

/// Standings with what the results tell beside them: how sure the order is, and the statistics.
pub fn with_statistics(
    mut standings: Standings,
    names: &[String],
    fit: Fit,
    tally: &Tally,
    statistics: Statistics,
) -> (FullTable, Fit, Vec<usize>) {
    let numbers: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
    let rows = standings.rows.iter();
    let order: Vec<usize> = rows.map(|row| numbers[row.bot.as_str()]).collect();
    compare_neighbours(&mut standings, &order, &fit, &tally.links(&order));
    let statistics = statistics.report(names, &order);
    for (row, bot) in standings.rows.iter_mut().zip(&statistics.bots) {
        // Beside the share of all games stands only an interval of that share.
        let whole = bot.matches == bot.blocks * u64::from(statistics.matches_of_block);
        let score = bot.score.filter(|_| whole);
        row.percent_low = score.map(|score| 100.0 * score.low);
        row.percent_high = score.map(|score| 100.0 * score.high);
    }
    let table = FullTable {
        standings,
        statistics,
        slowest: None,
    };
    (table, fit, order)
}

/// Notes in each row how sure it is that the bot above is stronger, and how well the two are linked; the bots of the
/// rows are those of `order`.
fn compare_neighbours(standings: &mut Standings, order: &[usize], fit: &Fit, links: &[f64]) {
    for ((row, two), &link) in (standings.rows.iter_mut().skip(1))
        .zip(order.windows(2))
        .zip(links)
    {
        // Who was disqualified does not stand where its results put it.
        let is_out = row.left == Some(LeftAs::Disqualified);
        if is_out || !two.iter().all(|&bot| fit.has_played(bot)) {
            continue;
        }
        let ahead = fit.difference(two[0], two[1]);
        row.is_told_apart = Some(ahead.points > 0.0 && ahead.is_told());
        row.link = Some(hundredths(link));
    }
}
