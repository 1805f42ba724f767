//! A list of results while its files are read: bots get numbers, and matches get into blocks.

use std::collections::{BTreeSet, HashMap};

use flipside_ratings::{MAX_IN_BLOCK, Seating};

use super::list::{
    LeftOut, ListedMatch, MAX_RESULT_NAME, MAX_RESULTS, RESULT_FORMS, ResultBlock, ResultList,
    ResultsError,
};
use crate::limits::MAX_ENTRANTS;
use crate::names::head;

/// What a limit asks for.
pub(super) const SMALLER: &str = "rate a part of it, or write all results of two bots into one line: bot,opponent,wins,draws,losses";

/// What the matches of a block are.
const BLOCKS: &str =
    "a block is the matches of the same bots with permuted seats; name each block once";

/// What every match of a list has alike.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    seats: usize,
    /// How many seats each bot has.
    copies: usize,
    /// By seat, its side; nothing where each is on its own.
    sides: Vec<u8>,
}

/// A list that is being read.
#[derive(Debug)]
pub(super) struct ListBuilder {
    bots: Vec<String>,
    numbers: HashMap<String, usize>,
    blocks: Vec<ResultBlock>,
    matches: u64,
    /// Where a block of this file stands, by what it is called and its bots in order.
    named_blocks: HashMap<(String, Vec<usize>), usize>,
    /// By tournament and name, the file in which a match stands.
    named_matches: HashMap<(String, String), u32>,
    files: u32,
    shape: Option<Shape>,
    pub(super) has_pairs: bool,
    pub(super) is_ordered: bool,
    pub(super) has_seats: bool,
    pub(super) games: BTreeSet<String>,
    pub(super) left_out: LeftOut,
}

impl ListBuilder {
    pub(super) fn new() -> Self {
        ListBuilder {
            bots: Vec::new(),
            numbers: HashMap::new(),
            blocks: Vec::new(),
            matches: 0,
            named_blocks: HashMap::new(),
            named_matches: HashMap::new(),
            files: 0,
            shape: None,
            has_pairs: false,
            is_ordered: true,
            has_seats: true,
            games: BTreeSet::new(),
            left_out: LeftOut::default(),
        }
    }

    /// Another file begins, which names its blocks for itself, and its matches if it names no tournament.
    pub(super) fn begin_file(&mut self) {
        self.named_blocks.clear();
        self.named_matches
            .retain(|(tournament, _), _| !tournament.is_empty());
        self.files += 1;
    }

    /// A match has this name in its tournament; which is empty if it is not known.
    ///
    /// # Errors
    /// Another match has it: its results would count twice.
    pub(super) fn name_match(&mut self, tournament: &str, name: &str) -> Result<(), ResultsError> {
        let key = (tournament.to_owned(), name.to_owned());
        let name = head(name);
        match self.named_matches.insert(key, self.files) {
            None => Ok(()),
            Some(file) if file == self.files => Err(ResultsError::new(
                format!("the match {name} stands there already"),
                "give each match a name of its own, and write its seats one after the other",
            )),
            Some(_) => Err(ResultsError::new(
                format!(
                    "the match {name} of {} stands in another file, too",
                    head(tournament)
                ),
                "give the results of each tournament once",
            )),
        }
    }

    /// Adds a match to the block of this name between its bots, or as a block of its own. `sides` are the sides of its
    /// seats, if several share one.
    pub(super) fn add(
        &mut self,
        block: Option<String>,
        played: ListedMatch,
        sides: Vec<u8>,
    ) -> Result<(), ResultsError> {
        self.fit(&played, sides)?;
        self.count(1, 1)?;
        let new = self.blocks.len();
        let at = match block {
            None => new,
            Some(name) => {
                let mut bots = played.bots.clone();
                bots.sort_unstable();
                bots.dedup();
                *self.named_blocks.entry((name, bots)).or_insert(new)
            }
        };
        if at == new {
            self.blocks.push(ResultBlock {
                times: 1,
                matches: Vec::new(),
            });
        }
        let matches = &mut self.blocks[at].matches;
        if matches.len() >= usize::from(MAX_IN_BLOCK) {
            let what = format!("a block has at most {MAX_IN_BLOCK} matches of the same bots");
            return Err(ResultsError::new(what, BLOCKS));
        }
        matches.push(played);
        Ok(())
    }

    /// Adds a block that was played so many times.
    pub(super) fn add_block(
        &mut self,
        times: u64,
        matches: Vec<ListedMatch>,
    ) -> Result<(), ResultsError> {
        for played in &matches {
            self.fit(played, Vec::new())?;
        }
        self.count(times, matches.len() as u64)?;
        self.blocks.push(ResultBlock { times, matches });
        Ok(())
    }

    /// Refuses a match that is of another shape than those before.
    fn fit(&mut self, played: &ListedMatch, sides: Vec<u8>) -> Result<(), ResultsError> {
        let shape = Shape {
            seats: played.bots.len(),
            copies: (played.bots.iter())
                .filter(|&&bot| bot == played.bots[0])
                .count(),
            sides,
        };
        let first = self.shape.get_or_insert_with(|| shape.clone());
        if *first == shape {
            return Ok(());
        }
        let Shape { seats, copies, .. } = *first;
        let (other, of_other) = (shape.seats, shape.copies);
        Err(ResultsError::new(
            match first.sides == shape.sides {
                true => format!(
                    "one match has {seats} seats, {copies} for each bot, and another {other}, {of_other} for each"
                ),
                false => "the seats of one match have other sides than those of another".into(),
            },
            "write a file for each kind of match, and rate them one by one",
        ))
    }

    fn count(&mut self, times: u64, matches: u64) -> Result<(), ResultsError> {
        let more = times.saturating_mul(matches);
        self.matches = self.matches.saturating_add(more);
        if self.matches > MAX_RESULTS {
            let what = format!("there are at most {MAX_RESULTS} matches in a list");
            return Err(ResultsError::new(what, SMALLER));
        }
        Ok(())
    }

    /// The numbers of two bots.
    pub(super) fn two(&mut self, one: &str, other: &str) -> Result<[usize; 2], ResultsError> {
        if one == other {
            return Err(ResultsError::new(
                format!("{:?} plays against itself", head(one)),
                "a match has two different bots",
            ));
        }
        Ok([self.number(one)?, self.number(other)?])
    }

    /// The number of a bot.
    pub(super) fn number(&mut self, name: &str) -> Result<usize, ResultsError> {
        if name.is_empty() {
            return Err(ResultsError::new(
                "a bot has no name",
                "every line names its bots",
            ));
        }
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        if name.chars().count() > MAX_RESULT_NAME {
            let what = format!(
                "a name has at most {MAX_RESULT_NAME} characters, not {}...",
                head(name)
            );
            return Err(ResultsError::new(what, "shorten it in the file"));
        }
        let number = self.bots.len();
        if number == MAX_ENTRANTS {
            let what = format!("there are at most {MAX_ENTRANTS} bots in a list");
            return Err(ResultsError::new(what, "rate a part of it"));
        }
        self.bots.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }

    /// The list, once all files are read.
    pub(super) fn list(self) -> Result<ResultList, ResultsError> {
        let Some(Shape {
            seats,
            copies,
            sides,
        }) = self.shape
        else {
            return Err(ResultsError::new(
                "there are no results in it",
                RESULT_FORMS,
            ));
        };
        let sides = match sides.is_empty() {
            true => (0..seats as u8).collect(),
            false => sides,
        };
        let seating = Seating::copies(&sides, copies as u8)
            .map_err(|error| ResultsError::new(error.to_string(), BLOCKS))?;
        let longest = self.blocks.iter().map(|block| block.matches.len()).max();
        Ok(ResultList {
            bots: self.bots,
            seating,
            matches_of_block: longest.unwrap_or(1) as u8,
            blocks: self.blocks,
            has_pairs: self.has_pairs,
            is_ordered: self.is_ordered,
            has_seats: self.has_seats,
            games: self.games,
            left_out: self.left_out,
        })
    }
}
