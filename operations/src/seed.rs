//! The seeds that somebody gives, or leaves out.

use std::str::FromStr;

use flipside_games::without_version;
use flipside_referee::{MatchSeed, Salt};

use crate::NoteSink;
use crate::failure::{Failure, Result};

/// What somebody is told who passes a seed that is known.
pub(crate) const WHOLE_SEED_PASSED: &str =
    "a whole seed was passed: anyone who knows it can predict the random events";

/// The seed of a match, as somebody gives it.
#[derive(Clone, Copy, Debug)]
pub enum GivenSeed {
    /// A number, which is mixed with a salt.
    Number(u64),
    /// All of it.
    Whole(MatchSeed),
}

impl FromStr for GivenSeed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.parse().ok().filter(|_| !text.starts_with('+'));
        let whole = || text.parse().map(GivenSeed::Whole).ok();
        number.map(GivenSeed::Number).or_else(whole).ok_or_else(|| {
            let most = u64::MAX;
            format!(
                "a whole number from 0 to {most}, not {text}; or a whole seed of 64 hexadecimal digits"
            )
        })
    }
}

/// The seed of a single match. A note warns of one that is known.
///
/// # Errors
/// When the system gives no random bytes.
pub fn seed_of_match(typed: Option<GivenSeed>, note: NoteSink<'_>) -> Result<MatchSeed> {
    let seed = match typed {
        None => MatchSeed::draw().map_err(no_chance)?,
        Some(GivenSeed::Number(number)) => MatchSeed::salted(number, &draw_salt()?),
        Some(GivenSeed::Whole(seed)) => {
            note(WHOLE_SEED_PASSED);
            seed
        }
    };
    Ok(seed.numbered(0))
}

/// The id of a single match. It says nothing of the match's seed.
pub fn drawn_id(game: &str) -> String {
    let game = without_version(game);
    format!("{game}-{:016x}", rand::random::<u64>())
}

/// A salt from the operating system.
pub(crate) fn draw_salt() -> Result<Salt> {
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
        let number: GivenSeed = "2026".parse().unwrap();
        let [one, other] = [(); 2].map(|()| seed_of_match(Some(number), &mut |_| ()).unwrap());
        assert_ne!(one.to_string(), other.to_string());
        assert_ne!(drawn_id("flip4"), drawn_id("flip4"));
    }

    #[test]
    fn a_whole_seed_is_taken_as_it_is() {
        let digits = "0123456789abcdef".repeat(4);
        let whole: GivenSeed = digits.parse().unwrap();
        assert_eq!(
            seed_of_match(Some(whole), &mut |_| ()).unwrap().to_string(),
            digits
        );
        for wrong in ["", "-1", "seven", "18446744073709551616", &digits[1..]] {
            let told = wrong.parse::<GivenSeed>().unwrap_err();
            assert!(told.contains("64 hexadecimal digits"), "{told}");
        }
    }
}
