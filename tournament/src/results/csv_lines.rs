//! Lists of results as CSV: which columns there are, and what their lines say.

use std::collections::HashMap;

use flipside_games::MAX_SEATS;
use flipside_referee::{MatchResult, SeatFault};

use super::builder::{ListBuilder, SMALLER};
use super::list::{ListedMatch, MAX_RESULT_LINES, RESULT_FORMS, ResultsError};
use crate::names::head;

/// What a line of scores needs.
const SCORES: &str =
    "a score is 1, 0.5 or 0, or 1-0, 1/2-1/2 or 0-1, for the bot that is named first";

/// What a line of counts needs.
const COUNTS: &str = "counts are whole numbers: how many matches, or pairs of matches, ended so";

/// What a line of seats needs.
const SEATS: &str = "a line is a seat: the name of the match, the bot, and its place from 1; as `flipside export NAME FILE.csv` writes it";

/// Reads a file.
pub(super) fn read(text: &str, list: &mut ListBuilder) -> Result<(), ResultsError> {
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
    let columns = Columns::of(reader.headers().map_err(not_read)?)?;
    let mut reading = CsvReader::new(columns, list);
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
    reading.close()
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
    tournament: Option<usize>,
    game: Option<usize>,
    block: Option<usize>,
    side: Option<usize>,
    fault: Option<usize>,
    reason: Option<usize>,
    counts: Option<usize>,
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
                    tournament: place("tournament"),
                    game: place("game"),
                    block: place("block"),
                    side: place("side"),
                    fault: place("fault"),
                    reason: place("reason"),
                    counts: place("counts"),
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

/// A file that is being read.
struct CsvReader<'a> {
    columns: Columns,
    list: &'a mut ListBuilder,
    /// What the lines of two bots said, by their numbers.
    pairs: HashMap<[usize; 2], Vec<u64>>,
    /// The match whose seats are being read.
    open: Option<OpenResult>,
}

/// The tournament and the name of a match.
type MatchName = (String, String);

/// A match whose seats are being read.
struct OpenResult {
    name: MatchName,
    /// What all its lines repeat.
    shared: SharedFields,
    sides: Vec<u8>,
    played: ListedMatch,
}

/// What all lines of a match repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SharedFields {
    block: Option<String>,
    reason: String,
    counts: bool,
}

impl<'a> CsvReader<'a> {
    fn new(columns: Columns, list: &'a mut ListBuilder) -> Self {
        list.begin_file();
        list.has_pairs |= columns.form == Form::Pairs;
        list.is_ordered &= matches!(columns.form, Form::Matches | Form::Seats);
        // Who is named first in a line need not have begun.
        list.has_seats &= columns.form == Form::Seats;
        CsvReader {
            columns,
            list,
            pairs: HashMap::new(),
            open: None,
        }
    }

    fn take(&mut self, line: &csv::StringRecord) -> Result<(), ResultsError> {
        let needed: Vec<&str> = self.columns.needed.iter().map(|&at| &line[at]).collect();
        if let Some(game) = field(self.columns.game, line)
            && !self.list.games.contains(game)
        {
            self.list.games.insert(game.to_owned());
        }
        match self.columns.form {
            Form::Counts | Form::Pairs => self.take_counts(&needed),
            Form::Matches => {
                let bots = self.list.two(needed[0], needed[1])?;
                let played = ListedMatch::of(bots, score(needed[2])?);
                let block = self.block(line);
                self.list.add(block, played, Vec::new())
            }
            Form::Seats => self.take_seat(&needed, line),
        }
    }

    /// What the block of a line is called. Each tournament names its own.
    fn block(&self, line: &csv::StringRecord) -> Option<String> {
        let block = field(self.columns.block, line)?;
        let tournament = field(self.columns.tournament, line).unwrap_or_default();
        Some(format!("{tournament}\n{block}"))
    }

    /// How often each result came between two bots.
    fn take_counts(&mut self, needed: &[&str]) -> Result<(), ResultsError> {
        let [one, other] = self.list.two(needed[0], needed[1])?;
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
            self.list.add_block(times, matches)?;
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
        let place: u8 = match place.parse() {
            Ok(place @ 1..) => place,
            _ => {
                let what = format!("a place is a number from 1 to 255, not {:?}", head(place));
                return Err(ResultsError::new(what, SEATS));
            }
        };
        let side = match field(self.columns.side, line).map(str::parse::<u8>) {
            None => None,
            Some(Ok(side)) => Some(side),
            Some(Err(_)) => {
                let what = "a side is a number from 0 to 255";
                return Err(ResultsError::new(what, SEATS));
            }
        };
        let shared = SharedFields {
            block: self.block(line),
            reason: (field(self.columns.reason, line).unwrap_or_default()).to_owned(),
            counts: match field(self.columns.counts, line) {
                None | Some("true") => true,
                Some("false") => false,
                Some(other) => {
                    let what = format!("counts is true or false, not {:?}", head(other));
                    return Err(ResultsError::new(what, SEATS));
                }
            },
        };
        let tournament = field(self.columns.tournament, line).unwrap_or_default();
        let is_of = |open: &OpenResult| open.name.0 == tournament && open.name.1 == name;
        if !self.open.as_ref().is_some_and(is_of) {
            self.close()?;
            let name = (tournament.to_owned(), name.to_owned());
            self.list.name_match(&name.0, &name.1)?;
            let result = MatchResult {
                reason: shared.reason.clone(),
                ..MatchResult::default()
            };
            self.open = Some(OpenResult {
                name,
                shared: shared.clone(),
                sides: Vec::new(),
                played: ListedMatch {
                    bots: Vec::new(),
                    result,
                },
            });
        }
        // Whose matches are all left out has a place in the table, too.
        let bot = self.list.number(bot)?;
        let open = self.open.as_mut().expect("a match is open");
        if open.shared != shared {
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
        open.sides.extend(side);
        let mut seat = MatchResult::of_places([place]).seats.remove(0);
        seat.fault = field(self.columns.fault, line).map(|fault| SeatFault {
            name: fault.to_owned(),
            detail: String::new(),
        });
        open.played.result.seats.push(seat);
        Ok(())
    }

    /// The match whose seats were read is whole.
    fn close(&mut self) -> Result<(), ResultsError> {
        let Some(OpenResult {
            name: (_, name),
            shared,
            sides,
            played,
        }) = self.open.take()
        else {
            return Ok(());
        };
        if !shared.counts {
            self.list.left_out.uncounted += 1;
            return Ok(());
        }
        let seats = |of: usize| played.bots.iter().filter(|&&bot| bot == of).count();
        let first = seats(played.bots[0]);
        let of_side = |side: u8| sides.iter().filter(|&&other| other == side).count();
        let is_in_teams = sides.iter().any(|&side| of_side(side) > 1);
        let what = match () {
            () if first == played.bots.len() => "has one bot only",
            () if played.bots.iter().any(|&bot| seats(bot) != first) => {
                "has more seats for some bots than for others"
            }
            () if is_in_teams && sides.len() != played.bots.len() => "has seats without a side",
            () if is_in_teams && sides.iter().any(|&side| of_side(side) != of_side(sides[0])) => {
                "has sides with different numbers of seats"
            }
            () if is_in_teams && of_side(sides[0]) == sides.len() => "has one side only",
            () if is_in_teams && !keeps_sides(&played.bots, &sides) => "has a bot on two sides",
            () => {
                let sides = if is_in_teams { sides } else { Vec::new() };
                return self.list.add(shared.block, played, sides);
            }
        };
        let what = format!("the match {} {what}", head(&name));
        Err(ResultsError::new(what, SEATS))
    }
}

/// Whether all seats of each bot are on one side.
fn keeps_sides(bots: &[usize], sides: &[u8]) -> bool {
    let mut of_bots: HashMap<usize, u8> = HashMap::new();
    (bots.iter().zip(sides)).all(|(&bot, &side)| *of_bots.entry(bot).or_insert(side) == side)
}

/// What stands in a column, if there is such a column and anything in it.
fn field(column: Option<usize>, line: &csv::StringRecord) -> Option<&str> {
    let field = column.map(|at| &line[at]);
    field.filter(|field| !field.is_empty())
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
