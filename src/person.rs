//! A person at the terminal: sees the table, hears what the others do, and is asked until there is a
//! legal move.

mod moves;

use std::fmt::Write as _;

use flipside_games::Seat;
use flipside_operations::{Failure, Result};
use flipside_referee::{Decision, Fault, Person, PersonUpdate, SeatChoice, SeatView};
use flipside_report::plain_line;
use serde_json::Value;

use crate::output;
use crate::prompt::Prompt;
use crate::terminal::{self, Style};

use self::moves::{Moves, TypedInput};

/// How many lines of moves are listed unasked.
const MAX_LINES: usize = 8;

/// The most letters of a draw that are shown.
const LONGEST_DRAW: usize = 60;

/// How many lines of the board may be shown as those that changed; with more of them the whole board
/// is easier to read, and it comes anyway when it is the person's turn.
const MAX_CHANGED: usize = 8;

const QUESTION: &str = "move> ";

/// Somebody who sits at the terminal.
pub(crate) struct TerminalPerson {
    /// The names, by seat.
    names: Vec<String>,
    /// The page of the rules.
    rules: String,
    /// What leaving is, and what is said then.
    leaving: (Decision, &'static str),
    /// Whether the person has left.
    pub(crate) has_left: bool,
    /// Why the terminal could not be read or written.
    pub(crate) failure: Option<Failure>,
    prompt: Prompt,
    style: Style,
    /// The board as it was when it or its changes were shown last.
    shown: String,
}

impl Person for TerminalPerson {
    fn choose(&mut self, place: &SeatView<'_>) -> Decision {
        match self.converse(place) {
            Ok(Some(action)) => Decision::Act(action),
            Ok(None) => {
                self.has_left = true;
                let (leaving, farewell) = self.leaving.clone();
                self.failure = output::print(farewell).err();
                leaving
            }
            Err(failure) => {
                self.failure = Some(failure);
                Decision::BreakOff
            }
        }
    }

    fn learn(&mut self, place: &SeatView<'_>, news: &PersonUpdate<'_>) {
        let mut text = self.told(place.seat(), news);
        if place.info().secrets {
            let board = place.board();
            let changes = changed(&self.shown, &board);
            if !text.is_empty() && changes.len() <= MAX_CHANGED {
                for line in changes {
                    let _ = writeln!(text, "  {}", self.style.dim(line));
                }
            }
            self.shown = board;
        }
        if self.failure.is_none() {
            self.failure = output::print(&text).err();
        }
    }
}

impl TerminalPerson {
    pub(crate) fn new(
        names: Vec<String>,
        rules: String,
        leaving: (Decision, &'static str),
    ) -> Result<Self> {
        Ok(TerminalPerson {
            names,
            rules,
            leaving,
            has_left: false,
            failure: None,
            prompt: Prompt::open()?,
            style: Style::of_stdout(),
            shown: String::new(),
        })
    }

    /// Asks until there is a legal move; none when the person leaves.
    fn converse(&mut self, place: &SeatView<'_>) -> Result<Option<String>> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let moves = Moves::of(place);
        self.shown = place.board();
        let mut text = format!("\n{}\nYou are seat {}.\n", self.shown, place.seat());
        if place.is_shared() {
            text.push_str("The others choose at the same time; nobody sees it before you have.\n");
        }
        text += &moves.listed("", terminal::width(), MAX_LINES);
        output::print(&text)?;
        loop {
            let Some(typed) = self.prompt.read(QUESTION, self.style, moves.words())? else {
                return Ok(None);
            };
            let reply = match moves.understand(&typed, |action| place.check(action)) {
                TypedInput::Nothing => "Type a move, or ? for help.\n".to_owned(),
                TypedInput::Move(action) => {
                    if action != typed {
                        output::print(&format!("You play {action}.\n"))?;
                    }
                    return Ok(Some(action));
                }
                TypedInput::Quit => return Ok(None),
                TypedInput::Help => moves.help(self.style),
                TypedInput::Board => format!("\n{}\n", self.shown),
                TypedInput::Moves(word) => moves.listed(&word, terminal::width(), usize::MAX),
                TypedInput::Rules => format!("\n{}", self.rules),
                TypedInput::Refused(why) => why,
            };
            output::print(&reply)?;
        }
    }

    /// What has happened, in words; nothing where the person did it alone and knows.
    fn told(&self, own: Seat, news: &PersonUpdate<'_>) -> String {
        match news {
            PersonUpdate::Draw(None) => String::new(),
            PersonUpdate::Draw(Some(draw)) => format!("chance: {}\n", in_words(draw)),
            PersonUpdate::Acts(acts) if acts.iter().all(|acted| acted.seat == own) => String::new(),
            PersonUpdate::Acts(acts) => {
                let told = acts.iter().map(|acted| self.acted(own, acted));
                told.collect::<Vec<_>>().concat()
            }
            PersonUpdate::Fault { seat, kind, fault } => {
                let name = self.name(own, *seat);
                match fault {
                    Some(fault) => {
                        let what = plain_line(&fault.to_string());
                        format!("{name} falls: {what}\n{}", evidence(fault))
                    }
                    None => format!("{name} falls: {kind}\n"),
                }
            }
        }
    }

    fn acted(&self, own: Seat, acted: &SeatChoice<'_>) -> String {
        let name = self.style.bold(&self.name(own, acted.seat));
        let action = (acted.action).map_or(" has acted".into(), |action| format!(": {action}"));
        let by = if acted.stand_in {
            "  (sampled for it, as it is disqualified)"
        } else {
            ""
        };
        format!("{name}{action}{by}\n")
    }

    fn name(&self, own: Seat, seat: Seat) -> String {
        if seat == own {
            return "you".into();
        }
        format!("seat {seat} {}", plain_line(&self.names[usize::from(seat)]))
    }
}

/// What shows a fault: what the bot wrote, and the end of its standard error.
pub(crate) fn evidence(fault: &Fault) -> String {
    let mut text = String::new();
    if let Some(hint) = fault.hint {
        let _ = writeln!(text, "  hint: {hint}");
    }
    if let Some(evidence) = &fault.evidence {
        let _ = writeln!(text, "  it wrote: {}", plain_line(evidence));
    }
    for line in fault.stderr.lines() {
        let _ = writeln!(text, "  stderr: {}", plain_line(line));
    }
    text
}

/// The lines of a board that were not on it before.
fn changed<'a>(before: &str, after: &'a str) -> Vec<&'a str> {
    let fresh = |line: &&str| !line.trim().is_empty() && !before.lines().any(|old| old == *line);
    after.lines().filter(fresh).collect()
}

/// A draw of chance without the signs of JSON: `{"roll":[3,4]}` is `roll 3 4`.
fn in_words(draw: &str) -> String {
    fn say(value: &Value, words: &mut Vec<String>) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                words.push(name.clone());
                say(value, words);
            }),
            Value::Array(values) => values.iter().for_each(|value| say(value, words)),
            Value::String(text) => words.push(text.clone()),
            other => words.push(other.to_string()),
        }
    }
    let mut words = Vec::new();
    match serde_json::from_str(draw) {
        Ok(value) => say(&value, &mut words),
        Err(_) => words.push(draw.to_owned()),
    }
    let all = plain_line(&words.join(" "));
    match all.char_indices().nth(LONGEST_DRAW) {
        Some((end, _)) => format!("{}…", &all[..end]),
        None => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_is_told_without_the_signs_of_json_and_cut() {
        assert_eq!(in_words(r#"{"roll":[3,4]}"#), "roll 3 4");
        assert_eq!(in_words("\"red\""), "red");
        let long = format!("[{}]", vec!["7"; 100].join(","));
        assert_eq!(in_words(&long).chars().count(), LONGEST_DRAW + 1);
    }

    #[test]
    fn only_the_lines_that_changed_are_told() {
        assert_eq!(changed("a\nb\nc\n", "a\nB\n\nc\n"), ["B"]);
        assert!(changed("a\n", "a\n").is_empty());
    }
}
