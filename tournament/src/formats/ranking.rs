//! The ranking that a format makes of results.

use flipside_ratings::Fit;
use schemars::JsonSchema;
use serde::Serialize;

/// The order of the bots by the rules of a format, where it is not that of the points alone.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Ranking {
    /// The headings of the cells: what decides, from the first to the last. Byes decide nothing, but explain points.
    pub by: Vec<&'static str>,
    /// The bots in order of rank.
    pub rows: Vec<Ranked>,
}

/// A bot in a ranking.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Ranked {
    /// From 1; bots that are level share it.
    pub rank: usize,
    /// The number of the entrant.
    pub entrant: usize,
    /// What the rank comes from, in words and numbers.
    pub cells: Vec<String>,
}

impl Ranking {
    /// The order by ratings of so many bots, as they are shown: who is level there is level.
    pub fn by_rating(bots: usize, fit: &Fit) -> Self {
        let key = |bot| (fit.rating(bot).points * 100.0).round() as i64;
        let keys: Vec<i64> = (0..bots).map(key).collect();
        let cells = |bot: usize| vec![format!("{:.2}", keys[bot] as f64 / 100.0)];
        Ranking::of(vec!["rating"], &keys, cells)
    }

    /// The entrants in order of these keys, the greater before the less; who has the same shares a rank.
    pub(super) fn of<K: Ord>(
        by: Vec<&'static str>,
        keys: &[K],
        cells: impl Fn(usize) -> Vec<String>,
    ) -> Self {
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|&one, &other| keys[other].cmp(&keys[one]).then(one.cmp(&other)));
        let ranked = |&entrant: &usize| Ranked {
            rank: 1 + keys.iter().filter(|key| **key > keys[entrant]).count(),
            entrant,
            cells: cells(entrant),
        };
        Ranking {
            by,
            rows: order.iter().map(ranked).collect(),
        }
    }
}

/// A match-up, as it stands after the results that are known.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "Encounter")]
pub struct Encounter<Bot = String> {
    /// The round, from 1.
    pub round: u32,
    /// What is played for: `final`, `third place`, `semi-final`, `quarter-final`, `last 16`; `upper final`, `lower
    /// round 2`.
    pub stage: String,
    /// The better seed and the other; at a bye one alone.
    pub bots: Vec<Bot>,
    /// Their points in all matches of the match-up, in the same order: one for a win, half of one for a draw.
    pub points: Vec<f64>,
    /// How many blocks have been played, tie-breaks among them.
    pub blocks: u32,
    /// Who goes on. None until it is decided.
    pub winner: Option<Bot>,
    /// What decided.
    pub decided_by: Option<DecidedBy>,
}

/// What decides a match-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecidedBy {
    /// The score of the blocks of which it is the best.
    Score,
    /// It was level after these, and further blocks decided.
    TieBreak,
    /// It was level after all blocks: the better seed goes on.
    Seed,
    /// Nobody was there to meet.
    Bye,
}
