//! How much disk an arena may take.

use std::fmt;
use std::str::FromStr;

use flipside_tournament::{Arena, Error};

/// A number of bytes. The default is the most disk that an arena takes unless somebody says otherwise: a hundred times
/// what a million short matches take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(u64);

impl Default for Size {
    fn default() -> Self {
        Size(64 << 30)
    }
}

/// Looks at how much disk an arena takes, while only its journal grows.
pub(crate) struct Room<'a> {
    arena: &'a Arena,
    most: Size,
    /// The bytes of all but the journal.
    rest: u64,
}

impl<'a> Room<'a> {
    pub(crate) fn of(arena: &'a Arena, most: Size) -> Result<Self, Error> {
        Ok(Room {
            rest: arena.size()?.saturating_sub(arena.journal_size()),
            arena,
            most,
        })
    }

    pub(crate) fn is_left(&self) -> bool {
        self.rest + self.arena.journal_size() < self.most.0
    }

    pub(crate) fn most(&self) -> Size {
        self.most
    }
}

/// The letters of a size, with what each stands for: 1024 to this power.
const UNITS: [(char, u32); 4] = [('T', 4), ('G', 3), ('M', 2), ('K', 1)];

impl FromStr for Size {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let unit = UNITS.iter().find(|(letter, _)| typed.ends_with(*letter));
        let (number, power) = match unit {
            Some((_, power)) => (&typed[..typed.len() - 1], *power),
            None => (typed, 0),
        };
        let bytes = number.parse::<u64>().ok();
        bytes
            .and_then(|number| number.checked_mul(1024u64.pow(power)))
            .filter(|&bytes| bytes > 0)
            .map(Size)
            .ok_or_else(|| "a size is a whole number, with K, M, G or T behind it: 500M".into())
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |&&(_, power): &&(char, u32)| self.0.is_multiple_of(1024u64.pow(power));
        match UNITS.iter().find(whole) {
            Some((letter, power)) => write!(f, "{}{letter}", self.0 / 1024u64.pow(*power)),
            None => write!(f, "{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_they_are_shown() {
        for (text, bytes) in [("1", 1), ("1000", 1000), ("3K", 3072), ("64G", 64 << 30)] {
            let size: Size = text.parse().unwrap();
            assert_eq!((size, size.to_string()), (Size(bytes), text.to_owned()));
        }
        for text in [
            "",
            "0",
            "G",
            "-1",
            "1.5G",
            "1GG",
            "99999999999T",
            "1g",
            "5 G",
        ] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
