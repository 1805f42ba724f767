//! Actions and their notation.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::dice::Number;

use crate::game::{ParseError, malformed, quoted};
use crate::json::text_json;

/// A regular expression for every action.
pub(super) const NOTATION: &str = "(?:[0-9]|1[0-2568]|2[045]|3[06])\
                                   (?:-(?:C-)?(?:[0-9]|1[0-2568]|2[045]|3[06]))?|pass";

/// The maximum length of an action, as in `15-C-20`.
const MAX_TEXT: usize = 7;

/// An action of a seat. Squares are named by their numbers, so the notation is the same on every
/// layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flip4Action {
    /// `12` places a piece on the 12.
    Place(Number),
    /// `7-16` moves a piece by one square.
    Move(Number, Number),
    /// `15-C-20` moves a piece to the corner that it touches and at once on to another square.
    Corner(Number, Number),
    /// `pass` leaves a free move.
    Pass,
}

impl Flip4Action {
    /// Returns the text padded with zero bytes, which keeps the byte order of the texts.
    fn letters(self) -> [u8; MAX_TEXT] {
        let mut letters = [0; MAX_TEXT];
        let mut at = 0;
        let mut put = |letter| {
            letters[at] = letter;
            at += 1;
        };
        let number = |put: &mut dyn FnMut(u8), number: Number| {
            if number.get() >= 10 {
                put(b'0' + number.get() / 10);
            }
            put(b'0' + number.get() % 10);
        };
        match self {
            Flip4Action::Place(to) => number(&mut put, to),
            Flip4Action::Move(from, to) => {
                number(&mut put, from);
                put(b'-');
                number(&mut put, to);
            }
            Flip4Action::Corner(from, to) => {
                number(&mut put, from);
                b"-C-".iter().copied().for_each(&mut put);
                number(&mut put, to);
            }
            Flip4Action::Pass => b"pass".iter().copied().for_each(&mut put),
        }
        letters
    }

    /// Appends the text.
    pub(super) fn write(self, out: &mut String) {
        let letters = self.letters().into_iter().take_while(|&letter| letter != 0);
        out.extend(letters.map(char::from));
    }
}

impl Ord for Flip4Action {
    fn cmp(&self, other: &Self) -> Ordering {
        self.letters().cmp(&other.letters())
    }
}

impl PartialOrd for Flip4Action {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Flip4Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(MAX_TEXT);
        self.write(&mut text);
        f.pad(&text)
    }
}

impl FromStr for Flip4Action {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let number = |word: &str| {
            Number::read(word).ok_or_else(|| {
                malformed!(
                    "{} in {} is no number of the board",
                    quoted(word),
                    quoted(text)
                )
            })
        };
        let mut parts = text.splitn(4, '-');
        match [parts.next(), parts.next(), parts.next(), parts.next()] {
            [Some("pass"), None, ..] => Ok(Flip4Action::Pass),
            [Some(to), None, ..] => Ok(Flip4Action::Place(number(to)?)),
            [Some(from), Some(to), None, _] => Ok(Flip4Action::Move(number(from)?, number(to)?)),
            [Some(from), Some("C"), Some(to), None] => {
                Ok(Flip4Action::Corner(number(from)?, number(to)?))
            }
            _ => Err(malformed!(
                "{} is not like 12, 7-16, 15-C-20 or pass",
                quoted(text)
            )),
        }
    }
}

text_json! { Flip4Action: format!("^(?:{NOTATION})$"), }

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Flip4Action> {
        let numbers = || (0..=u8::MAX).filter_map(Number::new);
        let mut all = vec![Flip4Action::Pass];
        for from in numbers() {
            all.push(Flip4Action::Place(from));
            all.extend(numbers().map(|to| Flip4Action::Move(from, to)));
            all.extend(numbers().map(|to| Flip4Action::Corner(from, to)));
        }
        all
    }

    #[test]
    fn actions_are_in_the_byte_order_of_their_texts_and_read_back() {
        let mut actions = all();
        assert_eq!(actions.len(), 1 + 21 + 2 * 21 * 21);
        actions.sort();
        let texts: Vec<String> = actions.iter().map(Flip4Action::to_string).collect();
        assert!(texts.is_sorted_by(|before, after| before < after));
        for (action, text) in actions.iter().zip(&texts) {
            assert_eq!(text.parse::<Flip4Action>().as_ref(), Ok(action));
        }
    }

    #[test]
    fn what_is_not_quite_an_action_is_malformed() {
        for text in [
            "", "-", "13", "37", "07", "00", "+7", "7-", "-7", "7--8", "7-c-8", "7-C", "C-7", "C",
            "7-C-", "7-C-8-9", "7-C-13", "7-14", "7 - 8", "Pass", "pass-7", "7-pass", "256", "x",
            "7-C-C-8", "7-C-8-",
        ] {
            assert!(text.parse::<Flip4Action>().is_err(), "{text:?}");
        }
    }
}
