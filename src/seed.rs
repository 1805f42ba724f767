//! The seeds and salts that a person types, or leaves out.

use std::str::FromStr;

use flipside_referee::{MatchSeed, Salt};

use crate::failure::{Failure, Result};
use crate::number;
use crate::output::note;

/// What is said to who passes what decides the chance by itself.
const KNOWN: &str = "whoever knows it before the matches are over knows their chance";

/// The seed of a match, as it is typed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SeedArg {
    /// A number, which is mixed with a salt.
    Number(u64),
    /// All of it.
    Whole(MatchSeed),
}

impl FromStr for SeedArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let whole = |_| text.parse().map(SeedArg::Whole);
        let refused = |refusal| format!("{refusal}; or a whole seed of 64 hexadecimal digits");
        number::whole(0, u64::MAX)(text)
            .map(SeedArg::Number)
            .or_else(|refusal| whole(()).map_err(|_| refused(refusal)))
    }
}

/// The seed of a single match.
pub(crate) fn of_match(typed: Option<SeedArg>) -> Result<MatchSeed> {
    let seed = match typed {
        None => MatchSeed::draw().map_err(no_chance)?,
        Some(SeedArg::Number(number)) => MatchSeed::salted(number, &draw_salt()?),
        Some(SeedArg::Whole(seed)) => {
            note!("a whole seed was passed: {KNOWN}");
            seed
        }
    };
    Ok(seed.numbered(0))
}

/// The id of a single match. It says nothing of the match's seed.
pub(crate) fn drawn_id(game: &str) -> String {
    format!("{game}-{:016x}", rand::random::<u64>())
}

/// The salt of a new tournament.
pub(crate) fn salt(typed: Option<Salt>) -> Result<Salt> {
    match typed {
        None => draw_salt(),
        Some(salt) => {
            note!("a salt was passed: {KNOWN}, with the seed");
            Ok(salt)
        }
    }
}

fn draw_salt() -> Result<Salt> {
    Salt::draw().map_err(no_chance)
}

fn no_chance(error: impl std::fmt::Display) -> Failure {
    Failure::new(format!("the system gives no random bytes: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_number_gives_another_seed_in_every_match() {
        let number: SeedArg = "2026".parse().unwrap();
        let [one, other] = [(); 2].map(|()| of_match(Some(number)).unwrap());
        assert_ne!(one.to_string(), other.to_string());
        assert_ne!(drawn_id("flip4"), drawn_id("flip4"));
    }

    #[test]
    fn a_whole_seed_is_taken_as_it_is() {
        let digits = "0123456789abcdef".repeat(4);
        let whole: SeedArg = digits.parse().unwrap();
        assert_eq!(of_match(Some(whole)).unwrap().to_string(), digits);
        for wrong in ["", "-1", "seven", "18446744073709551616", &digits[1..]] {
            let told = wrong.parse::<SeedArg>().unwrap_err();
            assert!(told.contains("64 hexadecimal digits"), "{told}");
        }
    }
}
