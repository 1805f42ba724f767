//! What the notes of a bot tell of the language model behind it. [docs/reference/records.md](../../docs/reference/records.md)
//! describes the form.
//!
//! Bots write these notes themselves, so the counts say what a bot says, and nothing that the referee has seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What ends the form in a note; a remark for people may follow.
const REMARK: char = ';';

/// The most digits of a number in a note, so that sums fit a journal whatever bots write.
const MAX_DIGITS: usize = 9;

/// Sums over the actions of a bot whose notes have the form. Provider errors are no answers of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelUse {
    /// Actions with such a note.
    pub moves: u64,
    /// Of these, those for which the model gave at least one answer.
    pub answered: u64,
    /// Of these, those whose first answer was a legal action.
    pub first_try: u64,
    /// Answers of the model.
    pub tries: u64,
    /// Requests that the provider failed to answer.
    pub provider_errors: u64,
    /// Tokens of all requests.
    pub tokens_in: u64,
    /// Tokens of all answers.
    pub tokens_out: u64,
    /// Actions that the bot chose without the model.
    pub fallbacks: u64,
}

impl ModelUse {
    /// Reads a note of one action: `tries=2 errors=1 in=812 out=34 fallback`, and perhaps a remark after `;`. All but
    /// `tries` may be absent, and the order is this one. None if a note has another form.
    pub fn of_note(note: &str) -> Option<Self> {
        let form = note.split(REMARK).next()?;
        let mut words = form.trim_end_matches(' ').split(' ').peekable();
        let mut number = |key: &str| {
            let number = words.peek().and_then(|word| number_of(word, key))?;
            words.next();
            Some(number)
        };
        let tries = number("tries")?;
        let mut or_none = |key| number(key).unwrap_or_default();
        let (provider_errors, tokens_in, tokens_out) =
            (or_none("errors"), or_none("in"), or_none("out"));
        let is_fallback = words.next_if_eq(&"fallback").is_some();
        // A word that is left over is none of the form, and neither is a number that could not be read.
        if words.next().is_some() {
            return None;
        }
        Some(ModelUse {
            moves: 1,
            answered: u64::from(tries > 0),
            first_try: u64::from(tries == 1 && !is_fallback),
            tries,
            provider_errors,
            tokens_in,
            tokens_out,
            fallbacks: u64::from(is_fallback),
        })
    }

    /// Adds another sum.
    pub fn add(&mut self, other: &Self) {
        // Taken apart so that a new field cannot be forgotten here.
        let ModelUse {
            moves,
            answered,
            first_try,
            tries,
            provider_errors,
            tokens_in,
            tokens_out,
            fallbacks,
        } = other;
        for (sum, more) in [
            (&mut self.moves, moves),
            (&mut self.answered, answered),
            (&mut self.first_try, first_try),
            (&mut self.tries, tries),
            (&mut self.provider_errors, provider_errors),
            (&mut self.tokens_in, tokens_in),
            (&mut self.tokens_out, tokens_out),
            (&mut self.fallbacks, fallbacks),
        ] {
            *sum = sum.saturating_add(*more);
        }
    }

    /// The same of what may be nothing.
    pub fn add_to(sum: &mut Option<Self>, more: Option<&Self>) {
        if let Some(more) = more {
            sum.get_or_insert_default().add(more);
        }
    }
}

/// The number of a word such as `tries=2`.
fn number_of(word: &str, key: &str) -> Option<u64> {
    let digits = word.strip_prefix(key)?.strip_prefix('=')?;
    let fits = digits.len() <= MAX_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    fits.then_some(digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(note: &str) -> Option<[u64; 8]> {
        let ModelUse {
            moves,
            answered,
            first_try,
            tries,
            provider_errors,
            tokens_in,
            tokens_out,
            fallbacks,
        } = ModelUse::of_note(note)?;
        Some([
            moves,
            answered,
            first_try,
            tries,
            provider_errors,
            tokens_in,
            tokens_out,
            fallbacks,
        ])
    }

    #[test]
    fn a_note_of_the_form_is_read() {
        for (note, counts) in [
            ("tries=1 in=812 out=34", [1, 1, 1, 1, 0, 812, 34, 0]),
            (
                "tries=2 errors=1 in=1 out=2 fallback",
                [1, 1, 0, 2, 1, 1, 2, 1],
            ),
            ("tries=0 errors=3 fallback", [1, 0, 0, 0, 3, 0, 0, 1]),
            ("tries=1", [1, 1, 1, 1, 0, 0, 0, 0]),
            ("tries=1 fallback", [1, 1, 0, 1, 0, 0, 0, 1]),
            (
                "tries=3 out=5; the corner; tries=9",
                [1, 1, 0, 3, 0, 0, 5, 0],
            ),
            ("tries=999999999", [1, 1, 0, 999_999_999, 0, 0, 0, 0]),
        ] {
            assert_eq!(read(note), Some(counts), "{note}");
        }
    }

    #[test]
    fn any_other_note_tells_nothing() {
        for note in [
            "",
            "the corner",
            "tries",
            "tries=",
            "tries=x",
            "tries=-1",
            "tries=+1",
            "tries=1.5",
            "tries=1000000000",
            "in=5 out=6",
            "tries=1 in=",
            "tries=1 in=x out=5",
            "tries=1 in=1000000000",
            "tries=1 out=5 in=6",
            "tries=1 tries=1",
            "tries=1 the corner",
            "tries=1  in=5",
            " tries=1",
            "tries=1\nin=5",
            "tries=1 fallback fallback",
            "+0.35, depth 2, 81 nodes: f2f3 e7e5",
        ] {
            assert_eq!(read(note), None, "{note:?}");
        }
    }

    #[test]
    fn sums_are_of_those_that_tell_something() {
        let mut sum = None;
        ModelUse::add_to(&mut sum, None);
        assert_eq!(sum, None);
        for note in ["tries=1 in=5 out=1", "tries=2 errors=4 in=7 out=3 fallback"] {
            ModelUse::add_to(&mut sum, ModelUse::of_note(note).as_ref());
        }
        let one = sum.unwrap();
        assert_eq!(
            [
                one.moves,
                one.answered,
                one.first_try,
                one.tries,
                one.provider_errors
            ],
            [2, 2, 1, 3, 4]
        );
        assert_eq!([one.tokens_in, one.tokens_out, one.fallbacks], [12, 4, 1]);
    }
}
