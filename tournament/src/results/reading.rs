//! Lists of results as CSV: which columns there are, and what their lines say.

use std::collections::{HashMap, HashSet};

use flipside_games::MAX_SEATS;
use flipside_ratings::{MAX_IN_BLOCK, Seating};
use flipside_referee::{MatchResult, SeatFault};

use super::list::{
    Form, ListedMatch, MAX_RESULT_LINES, MAX_RESULT_NAME, MAX_RESULTS, RESULT_FORMS, ResultBlock,
    ResultList, ResultsError,
};
use crate::limits::MAX_ENTRANTS;
use crate::names::head;

/// What a line of scores needs.
const SCORES: &str =
    "a score is 1, 0.5 or 0, or 1-0, 1/2-1/2 or 0-1, for the bot that is named first";

/// What a line of counts needs.
const COUNTS: &str = "counts are whole numbers: how many matches, or pairs of matches, ended so";

/// What a line of seats needs.
const SEATS: &str = "a line is a seat: the name of the match, the bot, and its place from 1; as `flipside export NAME FILE.csv` writes it";

/// What a limit asks for.
const SMALLER: &str = "rate a part of it, or write all results of two bots into one line: bot,opponent,wins,draws,losses";

/// Reads a list.
pub(super) fn read(text: &str) -> Result<ResultList, ResultsError> {
    let text = text.trim_start_matches('\u{feff}');
    let reader = |delimiter: u8| {
        csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes())
    };
    let columns = |delimiter: u8| Columns::of(reader(delimiter).headers().map_err(not_read)?);
    // The one by which the headings are known.
    let mut others = [b';', b'\t'].into_iter();
    let delimiter = match columns(b',') {
        Ok(_) => b',',
        Err(error) => others.find(|&one| columns(one).is_ok()).ok_or(error)?,
    };
    let mut reader = reader(delimiter);
    let mut reading = ResultParser::new(Columns::of(reader.headers().map_err(not_read)?)?);
    for (number, line) in (1..).zip(reader.records()) {
        let line = line.map_err(not_read)?;
        let position = line.position().map(csv::Position::line);
        let taken = match number > MAX_RESULT_LINES {
            true => Err(ResultsError::new(
                format!("a file has at most {MAX_RESULT_LINES} lines"),
                SMALLER,
            )),
            false => reading.take(&line),
        };
        taken.map_err(|error| ResultsError {
            line: position,
            ..error
        })?;
    }
    reading.list()
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn not_read(error: csv::Error) -> ResultsError {
    let line = error.position().map(csv::Position::line);
    let (what, hint) = match error.kind() {
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => (
            format!("{len} fields, where the first line has {expected_len}"),
            "every line has a field for each column; a name with a comma stands in quotes",
        ),
        _ => (error.to_string(), RESULT_FORMS),
    };
    ResultsError {
        line,
        ..ResultsError::new(what, hint)
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
            return Err(ResultsError::new("it is empty", RESULT_FORMS));
        }
        let headings: Vec<String> = headings.iter().take(MAX_SHOWN).map(head).collect();
        let what = format!("its columns are no results: {}", headings.join(", "));
        Err(ResultsError::new(what, RESULT_FORMS))
    }
}

/// How many names an error shows.
const MAX_SHOWN: usize = 12;

/// A list that is being read.
struct ResultParser {
    columns: Columns,
    bots: Vec<String>,
    numbers: HashMap<String, usize>,
    /// What the lines of two bots said, by their numbers.
    pairs: HashMap<[usize; 2], Vec<u64>>,
    blocks: Vec<ResultBlock>,
    matches: u64,
    /// Where a block stands, by what it is called and its bots in order.
    named_blocks: HashMap<(String, Vec<usize>), usize>,
    /// The match whose seats are being read.
    open: Option<OpenResult>,
    /// What the matches are called that were read.
    named_matches: HashSet<String>,
}

/// A match whose seats are being read.
struct OpenResult {
    name: String,
    block: Option<String>,
    played: ListedMatch,
}

impl ResultParser {
    fn new(columns: Columns) -> Self {
        ResultParser {
            columns,
            bots: Vec::new(),
            numbers: HashMap::new(),
            pairs: HashMap::new(),
            blocks: Vec::new(),
            matches: 0,
            named_blocks: HashMap::new(),
            open: None,
            named_matches: HashSet::new(),
        }
    }

    fn take(&mut self, line: &csv::StringRecord) -> Result<(), ResultsError> {
        let needed: Vec<&str> = self.columns.needed.iter().map(|&at| &line[at]).collect();
        match self.columns.form {
            Form::Counts | Form::Pairs => self.take_counts(&needed),
            Form::Matches => {
                let bots = self.two(needed[0], needed[1])?;
                let played = ListedMatch::of(bots, score(needed[2])?);
                self.add(self.optional(self.columns.block, line), played)
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
            let [one, other] = [needed[0], needed[1]].map(head);
            Err(ResultsError::new(
                format!("{one} and {other} stand in another line {what}"),
                "write all results of two bots into one line",
            ))
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
            let matches: Vec<ListedMatch> = parts
                .into_iter()
                .map(|own| ListedMatch::of([one, other], own))
                .collect();
            self.count(times, matches.len() as u64)?;
            self.blocks.push(ResultBlock { times, matches });
        }
        Ok(())
    }

    fn take_seat(&mut self, needed: &[&str], line: &csv::StringRecord) -> Result<(), ResultsError> {
        let [name, bot, place] = *needed else {
            unreachable!("the form has three columns");
        };
        if name.is_empty() {
            return Err(ResultsError::new("a match has no name", SEATS));
        }
        let bot = self.number(bot)?;
        let place: u8 = match place.parse() {
            Ok(place @ 1..) => place,
            _ => {
                let what = format!("a place is a number from 1 to 255, not {:?}", head(place));
                return Err(ResultsError::new(what, SEATS));
            }
        };
        let block = self.optional(self.columns.block, line).map(str::to_owned);
        let fault = self.optional(self.columns.fault, line);
        let reason = self.optional(self.columns.reason, line).unwrap_or_default();
        if self.open.as_ref().is_none_or(|open| open.name != name) {
            self.close()?;
            if !self.named_matches.insert(name.to_owned()) {
                return Err(ResultsError::new(
                    format!(
                        "the lines of the match {} do not stand together",
                        head(name)
                    ),
                    "give each match a name of its own, and write its seats one after the other",
                ));
            }
            let result = MatchResult {
                reason: reason.to_owned(),
                ..MatchResult::default()
            };
            self.open = Some(OpenResult {
                name: name.to_owned(),
                block: block.clone(),
                played: ListedMatch {
                    bots: Vec::new(),
                    result,
                },
            });
        }
        let open = self.open.as_mut().expect("a match is open");
        if open.block != block || open.played.result.reason != reason {
            return Err(ResultsError::new(
                format!(
                    "the lines of the match {} have different blocks or reasons",
                    head(name)
                ),
                "a match has one block and one reason, which all its lines repeat",
            ));
        }
        if open.played.bots.len() >= MAX_SEATS {
            let what = format!("a match has at most {MAX_SEATS} seats");
            return Err(ResultsError::new(what, SEATS));
        }
        open.played.bots.push(bot);
        let mut seat = MatchResult::of_places([place]).seats.remove(0);
        seat.fault = fault.map(|fault| SeatFault {
            name: fault.to_owned(),
            detail: String::new(),
        });
        open.played.result.seats.push(seat);
        Ok(())
    }

    /// The match whose seats were read is whole.
    fn close(&mut self) -> Result<(), ResultsError> {
        let Some(OpenResult {
            name,
            block,
            played,
        }) = self.open.take()
        else {
            return Ok(());
        };
        let seats = |of: usize| played.bots.iter().filter(|&&bot| bot == of).count();
        let first = seats(played.bots[0]);
        let what = match () {
            () if first == played.bots.len() => "has one bot only",
            () if played.bots.iter().any(|&bot| seats(bot) != first) => {
                "has more seats for some bots than for others"
            }
            () => return self.add(block.as_deref(), played),
        };
        let what = format!("the match {} {what}", head(&name));
        Err(ResultsError::new(what, SEATS))
    }

    /// Adds a match to the block of this name between its bots, or as a block of its own.
    fn add(&mut self, block: Option<&str>, played: ListedMatch) -> Result<(), ResultsError> {
        self.count(1, 1)?;
        let new = self.blocks.len();
        let at = match block {
            None => new,
            Some(name) => {
                let mut bots = played.bots.clone();
                bots.sort_unstable();
                bots.dedup();
                *self
                    .named_blocks
                    .entry((name.to_owned(), bots))
                    .or_insert(new)
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
            return Err(ResultsError::new(
                format!("a block has at most {MAX_IN_BLOCK} matches of the same bots"),
                "a block is the matches of the same bots with permuted seats; name each block once",
            ));
        }
        matches.push(played);
        Ok(())
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

    fn two(&mut self, one: &str, other: &str) -> Result<[usize; 2], ResultsError> {
        if one == other {
            return Err(ResultsError::new(
                format!("{:?} plays against itself", head(one)),
                "a line has two different bots",
            ));
        }
        Ok([self.number(one)?, self.number(other)?])
    }

    /// The number of a bot.
    fn number(&mut self, name: &str) -> Result<usize, ResultsError> {
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

    /// The list, once all lines are read.
    fn list(mut self) -> Result<ResultList, ResultsError> {
        self.close()?;
        let matches = || self.blocks.iter().flat_map(|block| &block.matches);
        let Some(first) = matches().next() else {
            return Err(ResultsError::new(
                "there are no results in it",
                RESULT_FORMS,
            ));
        };
        let shape = |one: &ListedMatch| {
            let copies = one.bots.iter().filter(|&&bot| bot == one.bots[0]).count();
            [one.bots.len(), copies]
        };
        let [seats, copies] = shape(first);
        if let Some([other, of_other]) = matches().map(shape).find(|&one| one != [seats, copies]) {
            return Err(ResultsError::new(
                format!(
                    "one match has {seats} seats, {copies} for each bot, and another {other}, {of_other} for each"
                ),
                "write a file for each kind of match, and rate them one by one",
            ));
        }
        let each: Vec<u8> = (0..seats as u8).collect();
        let seating = Seating::copies(&each, copies as u8);
        let seating = seating.map_err(|error| ResultsError::new(error.to_string(), SEATS))?;
        let longest = self.blocks.iter().map(|block| block.matches.len()).max();
        Ok(ResultList {
            bots: self.bots,
            seating,
            matches_of_block: longest.unwrap_or(1) as u8,
            blocks: self.blocks,
            form: self.columns.form,
        })
    }
}

/// The half points of the bot that is named first.
fn score(text: &str) -> Result<usize, ResultsError> {
    match text {
        "1-0" => return Ok(2),
        "½" | "1/2" | "½-½" | "1/2-1/2" => return Ok(1),
        "0-1" => return Ok(0),
        _ => {}
    }
    let number: Option<f64> = text.replace(',', ".").parse().ok();
    match number.map(|number| 2.0 * number) {
        Some(2.0) => Ok(2),
        Some(1.0) => Ok(1),
        Some(0.0) => Ok(0),
        _ => {
            let what = format!("{:?} is not a score", head(text));
            Err(ResultsError::new(what, SCORES))
        }
    }
}

fn count(text: &str) -> Result<u64, ResultsError> {
    let what = || ResultsError::new(format!("{:?} is not a count", head(text)), COUNTS);
    text.parse().map_err(|_| what())
}
