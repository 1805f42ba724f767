//! Lists of results as CSV: which columns there are, and what their lines say.

use std::collections::HashMap;

use flipside_games::MAX_SEATS;
use flipside_referee::{MatchResult, SeatFault};

use super::{Block, Form, MAX_RESULTS, Match, RESULT_FORMS, ResultList, ResultsError};
use crate::MAX_ENTRANTS;
use crate::statistics::MAX_IN_BLOCK;

/// Reads a list.
pub(super) fn read(text: &str) -> Result<ResultList, ResultsError> {
    let text = text.trim_start_matches('\u{feff}');
    let heading = text.lines().next().unwrap_or_default();
    let mut delimiters = [',', ';', '\t'].into_iter();
    let delimiter = delimiters.find(|&one| heading.contains(one));
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter.unwrap_or(',') as u8)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let columns = Columns::of(reader.headers().map_err(not_read)?)?;
    let mut reading = Reading::new(columns);
    for line in reader.records() {
        let line = line.map_err(not_read)?;
        let number = line.position().map(csv::Position::line);
        reading.take(&line).map_err(|error| ResultsError {
            line: number,
            ..error
        })?;
    }
    reading.list()
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn not_read(error: csv::Error) -> ResultsError {
    let line = error.position().map(csv::Position::line);
    let what = match error.kind() {
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => {
            format!("{len} fields, where the first line has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "it is not text".into(),
        _ => error.to_string(),
    };
    ResultsError {
        line,
        ..ResultsError::new(what)
    }
}

/// Where the columns of a file stand.
struct Columns {
    form: Form,
    /// What the form needs, in its order.
    needed: Vec<usize>,
    block: Option<usize>,
    fault: Option<usize>,
    reason: Option<usize>,
}

/// The columns that each form needs; a file has the first form whose columns it has.
const FORMS: [(Form, &[&str]); 4] = [
    (Form::Seats, &["match", "bot", "place"]),
    (
        Form::Counts,
        &["bot", "opponent", "wins", "draws", "losses"],
    ),
    (
        Form::Pairs,
        &["bot", "opponent", "0", "0.5", "1", "1.5", "2"],
    ),
    (Form::Matches, &["bot", "opponent", "score"]),
];

impl Columns {
    fn of(headings: &csv::StringRecord) -> Result<Self, ResultsError> {
        let place = |name: &str| {
            let is_name = |heading: &str| heading.eq_ignore_ascii_case(name);
            headings.iter().position(is_name)
        };
        for (form, names) in FORMS {
            let needed: Option<Vec<usize>> = names.iter().map(|name| place(name)).collect();
            if let Some(needed) = needed {
                return Ok(Columns {
                    form,
                    needed,
                    block: place("block"),
                    fault: place("fault"),
                    reason: place("reason"),
                });
            }
        }
        if headings.is_empty() {
            return Err(ResultsError::new("it is empty").hint_at(RESULT_FORMS));
        }
        let headings: Vec<&str> = headings.iter().collect();
        let what = format!("its columns are no results: {}", headings.join(", "));
        Err(ResultsError::new(what).hint_at(RESULT_FORMS))
    }
}

/// A list that is being read.
struct Reading {
    columns: Columns,
    bots: Vec<String>,
    numbers: HashMap<String, usize>,
    /// What the lines of two bots said, by their numbers.
    pairs: HashMap<[usize; 2], Vec<u64>>,
    blocks: Vec<Block>,
    matches: u64,
    /// Where a block stands, by what it is called.
    named_blocks: HashMap<String, usize>,
    /// In which block a match stands, and where in it, by what it is called.
    named_matches: HashMap<String, [usize; 2]>,
}

impl Reading {
    fn new(columns: Columns) -> Self {
        Reading {
            columns,
            bots: Vec::new(),
            numbers: HashMap::new(),
            pairs: HashMap::new(),
            blocks: Vec::new(),
            matches: 0,
            named_blocks: HashMap::new(),
            named_matches: HashMap::new(),
        }
    }

    fn take(&mut self, line: &csv::StringRecord) -> Result<(), ResultsError> {
        let needed: Vec<&str> = self.columns.needed.iter().map(|&at| &line[at]).collect();
        match self.columns.form {
            Form::Counts | Form::Pairs => self.take_counts(&needed),
            Form::Matches => {
                let bots = self.two(needed[0], needed[1])?;
                let result = Match::of(bots, score(needed[2])?);
                self.add(self.optional(self.columns.block, line), result)
                    .map(drop)
            }
            Form::Seats => self.take_seat(&needed, line),
        }
    }

    fn optional<'a>(&self, column: Option<usize>, line: &'a csv::StringRecord) -> Option<&'a str> {
        let field = column.map(|at| &line[at]);
        field.filter(|field| !field.is_empty())
    }

    /// How often each result came between two bots.
    fn take_counts(&mut self, needed: &[&str]) -> Result<(), ResultsError> {
        let [one, other] = self.two(needed[0], needed[1])?;
        let counts = needed[2..].iter().map(|text| count(text));
        let counts: Vec<u64> = counts.collect::<Result<_, _>>()?;
        let turned: Vec<u64> = counts.iter().rev().copied().collect();
        let twice = |what: &str| {
            let what = format!(
                "{} and {} stand in another line {what}",
                needed[0], needed[1]
            );
            Err(ResultsError::new(what).hint_at("write all results of two bots into one line"))
        };
        if self.pairs.contains_key(&[one, other]) {
            return twice("too");
        }
        match self.pairs.get(&[other, one]) {
            Some(before) if *before != turned => return twice("with other numbers"),
            before => {
                let is_known = before.is_some();
                self.pairs.insert([one, other], counts.clone());
                if is_known {
                    return Ok(());
                }
            }
        }
        let is_single = self.columns.form == Form::Counts;
        let counts = if is_single { turned } else { counts };
        for (half_points, times) in counts
            .into_iter()
            .enumerate()
            .filter(|(_, times)| *times > 0)
        {
            let parts = match (is_single, half_points) {
                (true, own) => vec![own],
                // One point is told as a match that was won and one that was lost.
                (false, own) => vec![[0, 0, 2, 2, 2][own], [0, 1, 0, 1, 2][own]],
            };
            let matches: Vec<Match> = parts
                .into_iter()
                .map(|own| Match::of([one, other], own))
                .collect();
            self.count(times, matches.len() as u64)?;
            self.blocks.push(Block { times, matches });
        }
        Ok(())
    }

    fn take_seat(&mut self, needed: &[&str], line: &csv::StringRecord) -> Result<(), ResultsError> {
        let [name, bot, place] = needed else {
            unreachable!("the form has three columns");
        };
        let bot = self.number(bot)?;
        let place: u8 = match place.parse() {
            Ok(place @ 1..) => place,
            _ => {
                let what = format!("a place is a number from 1, not {place:?}");
                return Err(ResultsError::new(what));
            }
        };
        let block = self.optional(self.columns.block, line);
        let [block, at] = match self.named_matches.get(*name) {
            Some(&at) => at,
            None => {
                let new = Match {
                    bots: Vec::new(),
                    result: MatchResult::default(),
                };
                let at = self.add(block, new)?;
                self.named_matches.insert((*name).to_owned(), at);
                at
            }
        };
        let fault = self.optional(self.columns.fault, line);
        let reason = self.optional(self.columns.reason, line);
        let seat = MatchResult::of_places([place]).seats.remove(0);
        let played = &mut self.blocks[block].matches[at];
        if played.bots.len() >= MAX_SEATS {
            let what = format!("a match has at most {MAX_SEATS} seats");
            return Err(ResultsError::new(what));
        }
        played.bots.push(bot);
        played.result.seats.push(seat);
        if let (Some(seat), Some(fault)) = (played.result.seats.last_mut(), fault) {
            seat.fault = Some(SeatFault {
                name: fault.to_owned(),
                detail: String::new(),
            });
        }
        if let Some(reason) = reason {
            reason.clone_into(&mut played.result.reason);
        }
        Ok(())
    }

    /// Adds a match to the block of this name, or as a block of its own, and says where it stands.
    fn add(&mut self, block: Option<&str>, new: Match) -> Result<[usize; 2], ResultsError> {
        self.count(1, 1)?;
        let known = block.and_then(|name| self.named_blocks.get(name).copied());
        let at = known.unwrap_or(self.blocks.len());
        if known.is_none() {
            self.blocks.push(Block {
                times: 1,
                matches: Vec::new(),
            });
        }
        if let (None, Some(name)) = (known, block) {
            self.named_blocks.insert(name.to_owned(), at);
        }
        let matches = &mut self.blocks[at].matches;
        if matches.len() >= usize::from(MAX_IN_BLOCK) {
            let what = format!("a block has at most {MAX_IN_BLOCK} matches");
            return Err(ResultsError::new(what)
                .hint_at("a block is the matches of the same bots with permuted seats"));
        }
        matches.push(new);
        Ok([at, matches.len() - 1])
    }

    fn count(&mut self, times: u64, matches: u64) -> Result<(), ResultsError> {
        let more = times.saturating_mul(matches);
        self.matches = self.matches.saturating_add(more);
        if self.matches > MAX_RESULTS {
            let what = format!("there are at most {MAX_RESULTS} matches in a list");
            return Err(ResultsError::new(what));
        }
        Ok(())
    }

    fn two(&mut self, one: &str, other: &str) -> Result<[usize; 2], ResultsError> {
        if one == other {
            return Err(ResultsError::new(format!("{one:?} plays against itself")));
        }
        Ok([self.number(one)?, self.number(other)?])
    }

    /// The number of a bot.
    fn number(&mut self, name: &str) -> Result<usize, ResultsError> {
        if name.is_empty() {
            return Err(ResultsError::new("a bot has no name"));
        }
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        let number = self.bots.len();
        if number == MAX_ENTRANTS {
            let what = format!("there are at most {MAX_ENTRANTS} bots in a list");
            return Err(ResultsError::new(what));
        }
        self.bots.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }

    /// The list, once all lines are read.
    fn list(self) -> Result<ResultList, ResultsError> {
        if self.matches == 0 {
            return Err(ResultsError::new("there are no results in it").hint_at(RESULT_FORMS));
        }
        let matches = || self.blocks.iter().flat_map(|block| &block.matches);
        let seats = || matches().map(|one| one.bots.len());
        let (least, most) = (seats().min().unwrap_or(0), seats().max().unwrap_or(0));
        if least < most {
            let what = format!("some matches have {least} seats, and some {most}");
            return Err(ResultsError::new(what)
                .hint_at("write a file for each number of seats, and rate them one by one"));
        }
        if let Some(alone) = matches().find(|one| one.bots.iter().all(|&bot| bot == one.bots[0])) {
            let what = format!("in a match, {} has no opponent", self.bots[alone.bots[0]]);
            return Err(ResultsError::new(what));
        }
        if let Some(uneven) = matches().find(|one| !is_even(&one.bots)) {
            let bots: Vec<&str> = uneven.bots.iter().map(|&bot| &*self.bots[bot]).collect();
            let what = format!(
                "in a match with the seats {}, not every bot has as many seats",
                bots.join(", ")
            );
            return Err(ResultsError::new(what));
        }
        let longest = self.blocks.iter().map(|block| block.matches.len()).max();
        Ok(ResultList {
            bots: self.bots,
            seats: most as u8,
            matches_of_block: longest.unwrap_or(1) as u8,
            blocks: self.blocks,
            form: self.columns.form,
        })
    }
}

/// Whether the bots have as many seats each.
fn is_even(bots: &[usize]) -> bool {
    let seats = |of: usize| bots.iter().filter(|&&bot| bot == of).count();
    bots.iter().all(|&bot| seats(bot) == seats(bots[0]))
}

/// The half points of the bot that is named first.
fn score(text: &str) -> Result<usize, ResultsError> {
    match text {
        "1" | "1.0" | "1-0" => Ok(2),
        "0.5" | ".5" | "0,5" | "½" | "1/2" | "1/2-1/2" => Ok(1),
        "0" | "0.0" | "0-1" => Ok(0),
        _ => Err(ResultsError::new(format!(
            "a score is 1, 0.5 or 0, not {text:?}"
        ))),
    }
}

fn count(text: &str) -> Result<u64, ResultsError> {
    let what = || ResultsError::new(format!("a count is a whole number, not {text:?}"));
    text.parse().map_err(|_| what())
}
