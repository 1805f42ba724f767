//! Results that were played anywhere, as a CSV file: rated like those of a tournament, or put to a sequential test.

mod reading;

use flipside_referee::MatchResult;
use schemars::JsonSchema;
use serde::Serialize;

use crate::formats::Ranking;
use crate::placing::half_points;
use crate::statistics::{Blocks, Elo, Interval, Running, Sprt, Statistics};
use crate::tables::{against_rows, with_statistics};
use crate::{Against, Fit, FullTable, Pairing, Scored, Seating, Standings, Tally};

/// The most matches of a list.
pub const MAX_RESULTS: u64 = 10_000_000;

/// What files of results look like, for whoever gives another.
pub const RESULT_FORMS: &str = "the first line names the columns: bot,opponent,wins,draws,losses, or \
                                bot,opponent,score, or bot,opponent,0,0.5,1,1.5,2, or match,bot,place";

/// Results of bots against each other.
///
/// ```
/// use flipside_tournament::ResultList;
///
/// let list = ResultList::from_csv("bot,opponent,wins,draws,losses\nada,bob,12,3,5\nbob,eve,9,2,9\n")?;
/// let table = list.table();
/// assert_eq!(table.standings.rows[0].bot, "ada");
/// assert!(table.standings.rows[0].low < table.standings.rows[0].rating);
/// # Ok::<(), flipside_tournament::ResultsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ResultList {
    /// By number.
    bots: Vec<String>,
    seats: u8,
    matches_of_block: u8,
    blocks: Vec<Block>,
    form: Form,
}

/// Matches that hang together, and how often there was such a block.
#[derive(Clone, Debug)]
struct Block {
    times: u64,
    matches: Vec<Match>,
}

/// Who played by seat, and what came of it.
#[derive(Clone, Debug)]
struct Match {
    bots: Vec<usize>,
    result: MatchResult,
}

/// What the lines of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// How many matches one bot won, drew and lost against another.
    Counts,
    /// How many pairs of matches gave a bot each number of points against another.
    Pairs,
    /// The score of a match of two bots.
    Matches,
    /// A seat of a match.
    Seats,
}

/// Why a text is no list of results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", line.map_or_else(String::new, |line| format!("line {line}: ")))]
pub struct ResultsError {
    line: Option<u64>,
    what: String,
    hint: Option<&'static str>,
}

impl ResultsError {
    fn new(what: impl Into<String>) -> Self {
        ResultsError {
            line: None,
            what: what.into(),
            hint: None,
        }
    }

    fn hint_at(self, hint: &'static str) -> Self {
        ResultsError {
            hint: Some(hint),
            ..self
        }
    }

    /// The way out.
    pub fn hint(&self) -> Option<&'static str> {
        self.hint
    }
}

/// A sequential test of results that are there already.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Tested {
    /// The bot that is tested, and the one that it is tested against.
    pub bots: [String; 2],
    /// How the test stands; in a list of matches, at the end of the block that decides it.
    #[serde(flatten)]
    pub running: Running,
    /// Whole blocks in the results.
    pub of_blocks: u64,
    /// How many of the blocks that count gave each score of the first bot, from 0 to 1 in equal steps.
    pub counts: Vec<u64>,
    /// The score of the first bot. None without blocks.
    pub score: Option<Interval>,
    /// The difference in Elo.
    pub elo: Option<Elo>,
    /// How likely the first bot is the better one.
    pub superiority: Option<f64>,
}

impl Tested {
    /// The test of these blocks, which have no order.
    pub fn of(bots: [String; 2], sprt: &Sprt, blocks: &Blocks) -> Self {
        Tested::after(bots, sprt, blocks, blocks.total())
    }

    fn after(bots: [String; 2], sprt: &Sprt, blocks: &Blocks, of_blocks: u64) -> Self {
        Tested {
            bots,
            running: sprt.running(blocks),
            of_blocks,
            counts: blocks.counts().to_vec(),
            score: blocks.score(),
            elo: blocks.elo(),
            superiority: blocks.superiority(),
        }
    }
}

impl ResultList {
    /// Reads a list of results. Columns are found by their names, in any order, and further ones are passed over. They
    /// are divided by commas, semicolons or tabs.
    ///
    /// | columns | a line is |
    /// |---|---|
    /// | `bot,opponent,wins,draws,losses` | all matches of two bots; they may stand a second time the other way round |
    /// | `bot,opponent,0,0.5,1,1.5,2` | how many pairs of matches gave the bot so many points |
    /// | `bot,opponent,score`, perhaps `block` | a match: `1`, `0.5`, `0`, or `1-0`, `1/2-1/2`, `0-1` |
    /// | `match,bot,place`, perhaps `block`, `fault`, `reason` | a seat of a match, in the order of the seats |
    ///
    /// # Errors
    /// When it is none, has no result, more than [`MAX_ENTRANTS`](crate::MAX_ENTRANTS) bots or more than [`MAX_RESULTS`] matches.
    pub fn from_csv(text: &str) -> Result<Self, ResultsError> {
        reading::read(text)
    }

    /// The names of the bots, in the order in which they are first named.
    pub fn bots(&self) -> &[String] {
        &self.bots
    }

    /// How many matches there are.
    pub fn matches(&self) -> u64 {
        let blocks = self.blocks.iter();
        blocks
            .map(|block| block.times * block.matches.len() as u64)
            .sum()
    }

    /// Whether it says only how many points pairs of matches gave. A pair of one point then counts as a match won and a
    /// match lost, which two draws can be too.
    pub fn is_of_pairs(&self) -> bool {
        self.form == Form::Pairs
    }

    /// The bots by their ratings, with what the table of a tournament says of them. There are no ratings over time:
    /// nothing says which results belong to one period.
    pub fn table(&self) -> FullTable {
        self.rated().0
    }

    /// How much stronger each other bot is than this one, in the order of the ratings. None if no bot has this name.
    pub fn against(&self, name: &str) -> Option<Vec<Against>> {
        let from = self.bots.iter().position(|bot| bot == name)?;
        let (table, fit, order) = self.rated();
        Some(against_rows(table.standings, &fit, &order, from))
    }

    fn rated(&self) -> (FullTable, Fit, Vec<usize>) {
        let seating = Seating::single(self.seats);
        let mut tally = Tally::new(self.bots.len(), &seating);
        let mut statistics =
            Statistics::of_blocks(self.bots.len(), &seating, self.matches_of_block);
        self.for_each_block(|block| {
            for scored in block {
                tally.take(scored);
                statistics.take(scored);
            }
        });
        let fit = tally.fit(statistics.design());
        let standings = tally.standings(&self.bots, None, &fit);
        let standings = Standings {
            ranking: None,
            over: true,
            ..standings.ranked_by(Ranking::by_rating(self.bots.len(), &fit), &self.bots)
        };
        let (mut table, fit, order) =
            with_statistics(standings, &self.bots, fit, &tally, statistics);
        let report = &mut table.statistics;
        if self.form != Form::Seats {
            // Who is named first need not have begun.
            report.seats.clear();
        }
        report.ends.retain(|end| !end.reason.is_empty());
        (table, fit, order)
    }

    /// Puts the first bot that is named to a test against the other. A list of matches is taken in its order, and what
    /// comes behind the block that decides is left out, as in a tournament.
    ///
    /// # Errors
    /// When there are not two bots.
    pub fn tested(&self, sprt: &Sprt) -> Result<Tested, ResultsError> {
        let [one, other] = &self.bots[..] else {
            let bots = self.bots.len();
            return Err(ResultsError::new(format!(
                "a sequential test is of one bot against another, and here are {bots}"
            ))
            .hint_at("leave only the lines of two bots; `flipside rate` compares any number"));
        };
        sprt.suits(self.matches_of_block)
            .map_err(|error| ResultsError::new(error.to_string()))?;
        let is_ordered = matches!(self.form, Form::Matches | Form::Seats);
        let mut blocks = Blocks::new(self.matches_of_block);
        let mut of_blocks = 0;
        let mut is_over = false;
        self.for_each_block(|block| {
            // One that misses a match does not count, as in a tournament.
            if block.len() < usize::from(self.matches_of_block) {
                return;
            }
            of_blocks += 1;
            if !is_over {
                blocks.add(block.iter().map(half_points_of_first).sum());
                is_over = is_ordered && sprt.decision(sprt.llr(&blocks)).is_some();
            }
        });
        let bots = [one.clone(), other.clone()];
        Ok(Tested::after(bots, sprt, &blocks, of_blocks))
    }

    /// Shows block after block.
    fn for_each_block(&self, mut show: impl FnMut(&[Scored])) {
        let (mut number, mut index) = (0, 0);
        for Block { times, matches } in &self.blocks {
            let mut all: Vec<Scored> = matches.iter().map(Match::scored).collect();
            for _ in 0..*times {
                for scored in &mut all {
                    scored.pairing.block = number;
                    scored.pairing.index = index;
                    index += 1;
                }
                number += 1;
                show(&all);
            }
        }
    }
}

/// What the first of two bots made in a match.
fn half_points_of_first(scored: &Scored) -> usize {
    let place = |of: usize| -> u32 {
        let own = scored.seats().filter(|&(bot, _)| bot == of);
        own.map(|(_, seat)| u32::from(seat.place)).sum()
    };
    half_points(place(0), place(1)) as usize
}

impl Match {
    fn of(bots: [usize; 2], half_points: usize) -> Self {
        let places = [[2, 1], [1, 1], [1, 2]][half_points];
        Match {
            bots: bots.into(),
            result: MatchResult::of_places(places),
        }
    }

    fn scored(&self) -> Scored {
        Scored {
            pairing: Pairing {
                seats: self.bots.clone(),
                ..Pairing::default()
            },
            result: self.result.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
