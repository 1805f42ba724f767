//! How much time a bot has, in the words people type: `move=1s`, `10s+100ms`, `…,start=5s`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The start allowance when none is named.
pub const DEFAULT_START: Duration = Duration::from_secs(5);

/// The longest time of any part of a clock.
pub const LONGEST_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// A clock: the pace of the moves, and an allowance for starting up.
///
/// It reads and prints as people write it; parts of a day down to a millisecond:
///
/// ```
/// use flipside_protocol::Clock;
/// let clock: Clock = "10s+100ms".parse()?;
/// assert_eq!(clock.to_string(), "10s+100ms");
/// let clock: Clock = "move=0.5s,start=20s".parse()?;
/// assert_eq!(clock.to_string(), "move=500ms,start=20s");
/// # Ok::<(), flipside_protocol::ClockError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// What a bot gets for its moves.
    pub pace: Pace,
    /// What a bot gets to start and to answer `hello`; what is left of it is added to its first
    /// move.
    pub start: Duration,
}

/// The pace of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// So much for every move; what is not used is lost.
    Move(Duration),
    /// A bank for the whole match, which grows by an increment after every move.
    Bank {
        /// The bank at the start of the match.
        bank: Duration,
        /// What is added after every move.
        increment: Duration,
    },
}

/// Why a text is not a clock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a clock; write move=1s (a time for each move) or 10s+100ms (bank and \
     increment), with ,start=5s behind it for the time to start; times are 1ms to 24h in h, m, s or ms"
)]
pub struct ClockError(String);

impl Clock {
    /// A clock with so much time for every move and the default start allowance.
    pub fn per_move(time: Duration) -> Self {
        Clock {
            pace: Pace::Move(time),
            start: DEFAULT_START,
        }
    }
}

impl FromStr for Clock {
    type Err = ClockError;

    fn from_str(text: &str) -> Result<Self, ClockError> {
        parse(text).ok_or_else(|| ClockError(text.chars().take(80).collect()))
    }
}

fn parse(text: &str) -> Option<Clock> {
    let (pace, start) = match text.split_once(",start=") {
        Some((pace, start)) => (pace, time(start)?),
        None => (text, DEFAULT_START),
    };
    let pace = match pace.strip_prefix("move=") {
        Some(each) => Pace::Move(time(each)?),
        None => {
            let (bank, increment) = pace.split_once('+').unwrap_or((pace, "0ms"));
            let increment = if increment == "0ms" {
                Duration::ZERO
            } else {
                time(increment)?
            };
            Pace::Bank {
                bank: time(bank)?,
                increment,
            }
        }
    };
    Some(Clock { pace, start })
}

/// A time from 1 ms to [`LONGEST_TIME`]: a decimal number and a unit, a whole number of milliseconds.
fn time(text: &str) -> Option<Duration> {
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(unit_at);
    let unit_ms: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |s: &str| !s.is_empty() && s.len() <= 9 && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let scale = 10u64.pow(fraction.len() as u32);
    let parts = whole.parse::<u64>().ok()? * scale + fraction.parse::<u64>().ok()?;
    let ms = parts.checked_mul(unit_ms)?;
    if ms % scale != 0 {
        return None;
    }
    let time = Duration::from_millis(ms / scale);
    (Duration::from_millis(1)..=LONGEST_TIME)
        .contains(&time)
        .then_some(time)
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pace {
            Pace::Move(each) => write!(f, "move={}", Time(each))?,
            Pace::Bank { bank, increment } => write!(f, "{}+{}", Time(bank), Time(increment))?,
        }
        if self.start != DEFAULT_START {
            write!(f, ",start={}", Time(self.start))?;
        }
        Ok(())
    }
}

/// Prints a time in the largest unit in which it is a whole number.
struct Time(Duration);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_millis() {
            0 => write!(f, "0ms"),
            ms if ms % 3_600_000 == 0 => write!(f, "{}h", ms / 3_600_000),
            ms if ms % 60_000 == 0 => write!(f, "{}m", ms / 60_000),
            ms if ms % 1_000 == 0 => write!(f, "{}s", ms / 1_000),
            ms => write!(f, "{ms}ms"),
        }
    }
}

impl Serialize for Clock {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Clock {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Clock {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Clock".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A time for each move, or bank+increment; then the start allowance, if it is not 5s.",
            "examples": ["move=1s", "10s+100ms", "move=500ms,start=20s"]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_prints_as_it_reads() {
        for text in [
            "move=1s",
            "10s+100ms",
            "1m+0ms",
            "move=1500ms",
            "move=2h,start=1ms",
            "24h+1s,start=20s",
        ] {
            assert_eq!(text.parse::<Clock>().unwrap().to_string(), text);
        }
        assert_eq!("3m".parse::<Clock>().unwrap().to_string(), "3m+0ms");
        assert_eq!(
            "move=1.5s".parse::<Clock>().unwrap().to_string(),
            "move=1500ms"
        );
    }

    #[test]
    fn what_is_no_clock_is_refused_with_the_way_to_write_one() {
        for text in [
            "",
            "1",
            "move=",
            "move=0s",
            "move=1",
            "10s+",
            "+1s",
            "-1s",
            "25h",
            "move=1s,start=",
            "0.0001s",
            "1e3s",
            "move=1s start=2s",
            "99999999999s",
            "1.s",
            ".5s",
            "move=1s,start=0ms",
            "ſ",
            "1é",
        ] {
            let error = text.parse::<Clock>().unwrap_err();
            assert!(error.to_string().contains("move=1s"), "{text}");
        }
    }
}
