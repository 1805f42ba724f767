//! Results that were played anywhere, as files of CSV, PGN or TRF: rated like those of a tournament, or put to a
//! sequential test.

mod builder;
mod csv_lines;
pub(super) mod list;
mod pgn_games;
mod trf_games;

use std::collections::BTreeSet;

use flipside_ratings::{BlockScores, Elo, Fit, Interval, Running, Sprt, Statistics};
use flipside_referee::MatchResult;
use serde::Serialize;

use self::builder::ListBuilder;
pub use self::list::{
    LeftOut, MAX_RESULT_LINES, MAX_RESULT_NAME, MAX_RESULTS, RESULT_FORMS, ResultList, ResultsError,
};
use self::list::{ListedMatch, ResultBlock};
use crate::formats::ranking::Ranking;
use crate::full_table::{Against, FullTable, against_rows, with_statistics};
use crate::names::head;
use crate::outcome::half_points_of;
use crate::schedule::Pairing;
use crate::scored_pairing::ScoredPairing;
use crate::standings::{Standings, Tally};
use crate::trf::is_trf;

impl ResultsError {
    fn new(what: impl Into<String>, hint: &'static str) -> Self {
        ResultsError {
            line: None,
            what: what.into(),
            hint,
        }
    }

    /// The way out.
    pub fn hint(&self) -> &'static str {
        self.hint
    }
}

/// A sequential test of results that are there already.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tested {
    /// The test: the differences, the rates of errors and the model.
    #[serde(flatten)]
    pub test: Sprt,
    /// The bot that is tested, and the one that it is tested against.
    pub bots: [String; 2],
    /// How the test stands; in a list of matches, at the end of the block that decides it.
    #[serde(flatten)]
    pub running: Running,
    /// Whole blocks in the results.
    pub of_blocks: u64,
    /// Blocks that miss a match; they do not count.
    pub broken: u64,
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
    pub fn of(bots: [String; 2], sprt: &Sprt, blocks: &BlockScores) -> Self {
        Tested {
            test: *sprt,
            bots,
            running: sprt.running(blocks),
            of_blocks: blocks.total(),
            broken: 0,
            counts: blocks.counts().to_vec(),
            score: blocks.score(),
            elo: blocks.elo(),
            superiority: blocks.superiority(),
        }
    }
}

/// Reads files of results into one list.
#[derive(Debug)]
pub struct ResultsReader(ListBuilder);

impl Default for ResultsReader {
    fn default() -> Self {
        ResultsReader(ListBuilder::new())
    }
}

impl ResultsReader {
    /// Reads the text of a file. Its beginning tells its form: PGN begins with a tag in brackets, TRF with a number of
    /// three digits, CSV with the names of its columns.
    ///
    /// PGN needs the tags White, Black and Result of each game, TRF the lines of the players. The columns of CSV are
    /// found by their names, in any order, and further ones are passed over. They are divided by commas, semicolons or
    /// tabs.
    ///
    /// | columns | a line is |
    /// |---|---|
    /// | `bot,opponent,wins,draws,losses` | all matches of two bots; they may stand a second time the other way round |
    /// | `bot,opponent,0,0.5,1,1.5,2` | how many pairs of matches gave the bot so many points |
    /// | `bot,opponent,score`, perhaps `block` | a match: `1`, `0.5`, `0`, or `1-0`, `1/2-1/2`, `0-1` |
    /// | `match,bot,place`, perhaps `block`, `side`, `fault`, `reason`, `counts` | a seat of a match, in the order of the seats |
    ///
    /// Matches of the same bots with the same `block` of a `tournament` are one block.
    ///
    /// # Errors
    /// When it is none of this, or the list has more than [`MAX_ENTRANTS`](crate::limits::MAX_ENTRANTS) bots,
    /// [`MAX_RESULTS`] matches or [`MAX_RESULT_LINES`] lines, or a name that is longer than [`MAX_RESULT_NAME`].
    pub fn read(&mut self, text: &str) -> Result<(), ResultsError> {
        let text = text.trim_start_matches('\u{feff}');
        let list = &mut self.0;
        match text.trim_start().chars().next() {
            Some('[' | '%' | ';' | '{') => pgn_games::read(text, list),
            Some(_) if is_trf(text) => trf_games::read(text, list),
            _ => csv_lines::read(text, list),
        }
    }

    /// The list of all that was read.
    ///
    /// # Errors
    /// When there is no result in it.
    pub fn list(self) -> Result<ResultList, ResultsError> {
        self.0.list()
    }
}

impl ResultList {
    /// Reads a list from the text of one file, as [`ResultsReader::read`] does.
    ///
    /// # Errors
    /// When it is none, or has no result.
    pub fn read(text: &str) -> Result<Self, ResultsError> {
        let mut reader = ResultsReader::default();
        reader.read(text)?;
        reader.list()
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
        self.has_pairs
    }

    /// The games that its matches name: by ids, or by titles that other programs have for them.
    pub fn games(&self) -> &BTreeSet<String> {
        &self.games
    }

    /// What stood in the files, and is not in the list.
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// Whether all bots of a match are opponents, because nothing says which seats are one side.
    pub fn is_without_sides(&self) -> bool {
        !self.seating.has_partners()
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
        let (bots, seating) = (self.bots.len(), &self.seating);
        let mut tally = Tally::new(bots, seating);
        let mut statistics = Statistics::of_blocks(bots, seating, self.matches_of_block);
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
        if !self.has_seats {
            report.seats.clear();
        }
        report.ends.retain(|end| !end.reason.is_empty());
        (table, fit, order)
    }

    /// In how many matches some bots, and not all, share the first place, so that they may be a team.
    pub fn shared(&self) -> u64 {
        let is_shared = |one: &&ListedMatch| {
            let places = one.result.places();
            let best = places.iter().min();
            let first = places.iter().zip(&one.bots);
            let mut first = first
                .filter(|(place, _)| Some(*place) == best)
                .map(|(_, bot)| bot);
            let bot = first.next();
            first.any(|other| Some(other) != bot) && places.iter().max() != best
        };
        let matches = self.blocks.iter().flat_map(|block| &block.matches);
        matches.filter(is_shared).count() as u64
    }

    /// Puts a bot to a test against the other; without a name, the one that is named first. A list of matches is taken
    /// in its order, and what comes after the block that decides is left out, as in a tournament.
    ///
    /// # Errors
    /// When there are not two bots, this is none of them, or the blocks are too long for the test.
    pub fn tested(&self, sprt: &Sprt, bot: Option<&str>) -> Result<Tested, ResultsError> {
        let [one, other] = &self.bots[..] else {
            let bots = self.bots.len();
            return Err(ResultsError::new(
                format!("a sequential test is of one bot against another, and here are {bots}"),
                "leave only the lines of two bots; `flipside rate` compares any number",
            ));
        };
        let tested = match bot {
            None => 0,
            Some(bot) => self
                .bots
                .iter()
                .position(|name| name == bot)
                .ok_or_else(|| {
                    ResultsError::new(
                        format!("{:?} is not in it", head(bot)),
                        "name one of its two bots",
                    )
                })?,
        };
        sprt.suits(self.matches_of_block).map_err(|error| {
            ResultsError::new(
                error.to_string(),
                "take elo0 and elo1 nearer to 0, or --model logistic",
            )
        })?;
        let mut blocks = BlockScores::new(self.matches_of_block);
        let (mut whole, mut broken) = (0, 0);
        let mut is_over = false;
        self.for_each_block(|block| {
            // One that misses a match does not count, as in a tournament.
            if block.len() < usize::from(self.matches_of_block) {
                broken += 1;
                return;
            }
            whole += 1;
            if !is_over {
                let own = block.iter().map(|scored| {
                    half_points_of([tested, 1 - tested], &scored.pairing.seats, &scored.result)
                });
                blocks.add(own.sum());
                is_over = self.is_ordered && sprt.decision(sprt.llr(&blocks)).is_some();
            }
        });
        let bots = match tested {
            0 => [one.clone(), other.clone()],
            _ => [other.clone(), one.clone()],
        };
        Ok(Tested {
            of_blocks: whole,
            broken,
            ..Tested::of(bots, sprt, &blocks)
        })
    }

    /// Shows block after block.
    fn for_each_block(&self, mut show: impl FnMut(&[ScoredPairing])) {
        let (mut number, mut index) = (0, 0);
        for ResultBlock { times, matches } in &self.blocks {
            let mut all: Vec<ScoredPairing> = matches.iter().map(ListedMatch::scored).collect();
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

impl ListedMatch {
    fn of(bots: [usize; 2], half_points: usize) -> Self {
        let places = [[2, 1], [1, 1], [1, 2]][half_points];
        ListedMatch {
            bots: bots.into(),
            result: MatchResult::of_places(places),
        }
    }

    fn scored(&self) -> ScoredPairing {
        ScoredPairing {
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
