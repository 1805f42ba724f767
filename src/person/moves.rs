//! The moves that a person has: listing them in columns, and understanding what is typed.

use std::fmt::Write as _;

use flipside_games::Refusal;
use flipside_referee::SeatView;
use flipside_report::plain_line;

use crate::page;
use crate::prompt::begins;
use crate::terminal::Style;

/// How many moves are offered for a mistyped one.
const MAX_OFFERED: usize = 8;

/// So many letters at least are the beginning of a move.
const MIN_BEGINNING: usize = 2;

/// Numbers under this one are tried for whether a game's moves are written as numbers.
const NUMBERS: usize = 100;

/// The words that are no moves, each with what it does.
const COMMANDS: &[(&str, &str)] = &[
    (
        "moves [WORD]",
        "all your moves, or those that have WORD in them",
    ),
    ("board", "the board again"),
    ("rules", "the rules of this game"),
    ("quit", "leave the table"),
    ("help", "this; ? does it too"),
];

/// Whether the beginning of a move is enough to play it: a move cannot be taken back, so a letter
/// or the beginning of another word that is understood is not.
fn is_enough(typed: &str) -> bool {
    let is_command = |(usage, _): &(&str, &str)| begins(usage, typed);
    typed.chars().count() >= MIN_BEGINNING && !COMMANDS.iter().any(is_command)
}

/// What a person has typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TypedInput {
    Nothing,
    Move(String),
    Moves(String),
    Board,
    Rules,
    Help,
    Quit,
    /// None of these; and why, in whole lines.
    Refused(String),
}

/// The moves that a person has.
pub(super) struct Moves {
    all: Vec<String>,
    /// What stands in front of a move's number. In a game whose moves may be numbers themselves a
    /// number alone is always the move.
    sign: &'static str,
}

impl Moves {
    pub(super) fn of(place: &SeatView<'_>) -> Self {
        let is_written = |number: usize| {
            let checked = place.check(&number.to_string());
            !matches!(checked, Err(Refusal::Malformed(_)))
        };
        Moves {
            all: place.actions(),
            sign: if (0..NUMBERS).any(is_written) {
                "#"
            } else {
                ""
            },
        }
    }

    /// The words that can be typed: the commands and the moves.
    pub(super) fn words(&self) -> impl Iterator<Item = String> {
        let commands = COMMANDS
            .iter()
            .filter_map(|(usage, _)| usage.split(' ').next());
        let moves = self.all.iter().map(String::as_str);
        commands.chain(moves).map(str::to_owned)
    }

    /// What was meant. A move as it is written comes before all else.
    pub(super) fn understand(
        &self,
        typed: &str,
        check: impl FnOnce(&str) -> Result<(), Refusal>,
    ) -> TypedInput {
        if typed.is_empty() {
            return TypedInput::Nothing;
        }
        let malformed = match check(typed) {
            Ok(()) => return TypedInput::Move(typed.to_owned()),
            Err(Refusal::Malformed(why)) => why.to_string(),
            Err(why) => return TypedInput::Refused(self.refusal(typed, &why.to_string())),
        };
        match typed.split_once(' ').unwrap_or((typed, "")) {
            ("?" | "help", _) => return TypedInput::Help,
            ("quit" | "exit" | "q", "") => return TypedInput::Quit,
            ("board", "") => return TypedInput::Board,
            ("rules", "") => return TypedInput::Rules,
            ("moves", word) => return TypedInput::Moves(word.trim().to_owned()),
            _ => {}
        }
        if let Some(picked) = self.picked(typed) {
            return picked;
        }
        let whole = self
            .all
            .iter()
            .find(|action| action.eq_ignore_ascii_case(typed));
        match (whole, &self.beginning(typed)[..]) {
            (Some(action), _) => TypedInput::Move(action.clone()),
            (None, [only]) if is_enough(typed) => TypedInput::Move((*only).clone()),
            (None, _) => TypedInput::Refused(self.refusal(typed, &malformed)),
        }
    }

    /// The move with this number; nothing where it is no number.
    fn picked(&self, typed: &str) -> Option<TypedInput> {
        let number = match typed.strip_prefix('#') {
            Some(number) => number.trim(),
            None if self.sign.is_empty() => typed,
            None => return None,
        };
        if number.is_empty() || !number.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let number = number
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1));
        Some(match number.and_then(|at| self.all.get(at)) {
            Some(action) => TypedInput::Move(action.clone()),
            None => TypedInput::Refused(format!(
                "There is no such number: your moves are {sign}1 to {sign}{}.\n",
                self.all.len(),
                sign = self.sign
            )),
        })
    }

    fn beginning(&self, typed: &str) -> Vec<&String> {
        self.all
            .iter()
            .filter(|action| begins(action, typed))
            .collect()
    }

    /// Why something typed is not taken, and what may have been meant.
    fn refusal(&self, typed: &str, why: &str) -> String {
        let near = self.beginning(typed);
        let mut text = format!("Not taken: {}.\n", plain_line(why));
        if near.is_empty() {
            text.push_str("`moves` lists what you can do, ? helps.\n");
            return text;
        }
        let some: Vec<&str> = near
            .iter()
            .take(MAX_OFFERED)
            .map(|near| near.as_str())
            .collect();
        let more = if near.len() > MAX_OFFERED {
            ", …"
        } else {
            ""
        };
        let _ = writeln!(text, "What begins so: {}{more}", some.join(", "));
        text
    }

    pub(super) fn help(&self, style: Style) -> String {
        let sign = self.sign;
        let mut text = format!(
            "Type a move as the list writes it; its beginning is enough where only one begins so.\n\
            {sign}1 is the first one of the list"
        );
        text += match sign {
            "" => ". Also:\n",
            _ => " (a number alone is a move itself). Also:\n",
        };
        for (usage, what) in COMMANDS {
            let gap = " ".repeat(14 - usage.len());
            let _ = writeln!(text, "  {}{gap}{what}", style.bold(usage));
        }
        text.push_str("The Tab key completes. A move cannot be taken back.\n");
        text
    }

    /// The moves that have a word in them, in columns, with their numbers; no more than so many lines.
    pub(super) fn listed(&self, word: &str, width: usize, most_lines: usize) -> String {
        let word = word.to_ascii_lowercase();
        let last = self.all.len().to_string().len();
        let entries: Vec<String> = (1..)
            .zip(&self.all)
            .filter(|(_, action)| action.to_ascii_lowercase().contains(&word))
            .map(|(number, action)| {
                let number = format!("{}{number}", self.sign);
                format!("{number:>last$} {action}", last = last + self.sign.len())
            })
            .collect();
        if entries.is_empty() {
            return format!("No move has {} in it.\n", plain_line(&word));
        }
        let longest = entries.iter().map(|entry| entry.chars().count()).max();
        let column = 3 + longest.unwrap_or(0);
        // The gap behind the last column may fall off the edge.
        let columns = ((width + 3).saturating_sub(2) / column).max(1);
        let lines = entries.len().div_ceil(columns).min(most_lines);
        let shown = entries.len().min(lines * columns);
        let mut text = match (self.all.len(), word.is_empty()) {
            (1, _) => "Your only move:\n".to_owned(),
            (all, true) => format!("Your {all} moves:\n"),
            (all, false) => format!("{} of your {all} moves:\n", entries.len()),
        };
        for line in entries[..shown].chunks(columns) {
            let row: String = line
                .iter()
                .map(|entry| format!("{entry:column$}"))
                .collect();
            let _ = writeln!(text, "  {}", row.trim_end());
        }
        if shown < entries.len() {
            let more = entries.len() - shown;
            let rest =
                format!("… and {more} more: `moves` lists all, `moves WORD` those with WORD");
            text += &page::filled(&rest, width);
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use flipside_games::{Illegal, ParseError};

    use super::*;

    /// As many lines as are listed in these tests.
    const MAX_LINES: usize = 8;

    fn moves(sign: &'static str, all: &[&str]) -> Moves {
        let all = all.iter().map(|action| (*action).to_owned()).collect();
        Moves { all, sign }
    }

    /// A table that takes these moves, and to which every number is a square.
    fn check(moves: &Moves, typed: &str) -> Result<(), Refusal> {
        if moves.all.iter().any(|known| known == typed) {
            Ok(())
        } else if typed.bytes().all(|byte| byte.is_ascii_digit()) {
            Err(Refusal::Illegal(Illegal("that square is taken".into())))
        } else {
            Err(Refusal::Malformed(ParseError("that is no square".into())))
        }
    }

    fn understood(moves: &Moves, typed: &str) -> TypedInput {
        moves.understand(typed, |action| check(moves, action))
    }

    fn taken(action: &str) -> TypedInput {
        TypedInput::Move(action.to_owned())
    }

    #[test]
    fn a_number_is_the_move_where_moves_are_numbers_and_picks_one_elsewhere() {
        let numbers = moves("#", &["12", "15", "3"]);
        assert_eq!(understood(&numbers, "3"), taken("3"));
        assert_eq!(understood(&numbers, "#3"), taken("3"));
        assert_eq!(understood(&numbers, "#1"), taken("12"));
        assert!(
            matches!(understood(&numbers, "1"), TypedInput::Refused(why)
                if why.contains("taken") && why.contains("12, 15")),
            "a number that is no legal move picks nothing"
        );
        let names = Moves {
            all: vec!["pass".into(), "throw".into()],
            sign: "",
        };
        let malformed = |_: &str| Err(Refusal::Malformed(ParseError("no such word".into())));
        assert_eq!(names.understand("2", malformed), taken("throw"));
        assert_eq!(names.understand("#2", malformed), taken("throw"));
        for wrong in ["0", "3", "#0", "99999999999999999999999"] {
            assert!(
                matches!(names.understand(wrong, malformed), TypedInput::Refused(why) if why.contains("1 to 2")),
                "{wrong}"
            );
        }
        for wrong in ["#", "#x", "-1"] {
            assert!(
                matches!(names.understand(wrong, malformed), TypedInput::Refused(why) if why.contains("no such word")),
                "{wrong}"
            );
        }
    }

    #[test]
    fn the_beginning_of_one_move_is_enough_and_that_of_several_is_not() {
        let moves = moves("#", &["draw discard", "draw pile", "lay r3", "lay r3 r4"]);
        assert_eq!(understood(&moves, "draw p"), taken("draw pile"));
        assert_eq!(understood(&moves, "DRAW PILE"), taken("draw pile"));
        assert_eq!(understood(&moves, "lay r3"), taken("lay r3"));
        assert!(
            matches!(understood(&moves, "draw"), TypedInput::Refused(why)
                if why.contains("no square") && why.contains("draw discard, draw pile"))
        );
    }

    #[test]
    fn a_move_comes_before_a_command_of_the_same_name() {
        let moves = moves("#", &["quit", "pass"]);
        assert_eq!(understood(&moves, "quit"), taken("quit"));
        assert_eq!(understood(&moves, "exit"), TypedInput::Quit);
        assert_eq!(understood(&moves, "?"), TypedInput::Help);
        assert_eq!(understood(&moves, "moves a"), TypedInput::Moves("a".into()));
        assert_eq!(understood(&moves, ""), TypedInput::Nothing);
    }

    #[test]
    fn many_moves_are_cut_and_found_by_a_word_and_no_line_is_too_long() {
        let all: Vec<String> = (0..100).map(|number| format!("launch {number}")).collect();
        let moves = Moves { all, sign: "" };
        for width in [24, 40, 80, 100] {
            let few = moves.listed("", width, MAX_LINES);
            assert!(few.contains("more: `moves`"), "{few}");
            let rows = few.lines().filter(|line| line.contains("launch"));
            assert_eq!(rows.count(), MAX_LINES, "{few}");
            let all = moves.listed("", width, usize::MAX);
            assert!(
                all.contains("100 launch 99") && !all.contains("more"),
                "{all}"
            );
            for line in all.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
        assert!(moves.listed("LAUNCH 99", 80, 8).contains("100 launch 99"));
        assert!(moves.listed("x", 80, 8).contains("No move has x"));
    }
}
