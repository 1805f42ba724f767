//! The whole seed of a tournament: one text that repeats all its random events.

use std::fmt;
use std::str::FromStr;

use flipside_referee::Salt;

/// All that the random events of a tournament follow from. As text it is one word, `7-0011…`: the number, and the salt
/// in 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WholeSeed {
    /// The number, which anybody may know.
    pub number: u64,
    /// What makes it unguessable.
    pub salt: Salt,
}

impl fmt::Display for WholeSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.number, self.salt)
    }
}

impl FromStr for WholeSeed {
    type Err = WholeSeedError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, salt) = text.split_once('-').ok_or(WholeSeedError)?;
        let seed = WholeSeed {
            number: number.parse().map_err(|_| WholeSeedError)?,
            salt: salt.parse().map_err(|_| WholeSeedError)?,
        };
        // One seed has one text. A salt of zeros hides nothing.
        if seed.salt.is_set() && seed.to_string() == text {
            Ok(seed)
        } else {
            Err(WholeSeedError)
        }
    }
}

/// A text that is no whole seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a number, a dash and 64 lower-case hexadecimal digits, not all 0")]
pub struct WholeSeedError;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::SALT;

    #[test]
    fn a_whole_seed_is_read_back_as_it_is_printed() {
        for number in [0, 7, u64::MAX] {
            let text = format!("{number}-{SALT}");
            let seed: WholeSeed = text.parse().unwrap();
            assert_eq!((seed.number, seed.salt), (number, SALT.parse().unwrap()));
            assert_eq!(seed.to_string(), text);
        }
    }

    #[test]
    fn what_is_not_printed_so_is_no_whole_seed() {
        let zeros = "0".repeat(64);
        let texts = [
            String::new(),
            "7".into(),
            SALT.into(),
            "7-".into(),
            format!("-{SALT}"),
            format!("-7-{SALT}"),
            format!("+7-{SALT}"),
            format!("07-{SALT}"),
            format!("7-{}", SALT.to_uppercase()),
            format!("7-{SALT}0"),
            format!("7-{zeros}"),
            format!("18446744073709551616-{SALT}"),
        ];
        for text in texts {
            assert_eq!(text.parse::<WholeSeed>(), Err(WholeSeedError), "{text}");
        }
    }
}
