//! How much time or fuel a bot has, in the words people type: `move=1s`, `10s+100ms`, `fuel=50M`, `…,start=5s`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The start allowance when none is named.
pub const DEFAULT_START: Duration = Duration::from_secs(5);

/// The longest time of any part of a clock.
pub const LONGEST_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// A clock: what it counts, the pace of the moves, and an allowance for starting up.
///
/// It reads and prints as people write it; parts of a day down to a millisecond, and fuel in millions:
///
/// ```
/// use flipside_protocol::Clock;
/// let clock: Clock = "10s+100ms".parse()?;
/// assert_eq!(clock.to_string(), "10s+100ms");
/// let clock: Clock = "move=0.5s,start=20s".parse()?;
/// assert_eq!(clock.to_string(), "move=500ms,start=20s");
/// let clock: Clock = "fuel=1.5G+50M".parse()?;
/// assert_eq!(clock.to_string(), "fuel=1500M+50M");
/// # Ok::<(), flipside_protocol::ClockError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// What it counts.
    pub unit: ClockUnit,
    /// What a bot gets for its moves.
    pub pace: Pace,
    /// What a bot gets to start and to answer `hello`; what is left of it is added to its first
    /// move.
    pub start: Duration,
}

/// What a clock counts.
///
/// Times of a clock that counts fuel are those of a processor that executes [`FUEL_PER_NS`] instructions of WebAssembly
/// in a nanosecond, about as fast as today's. So a bot can manage its fuel as it manages its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClockUnit {
    /// The time that a bot computes.
    #[default]
    Time,
    /// The instructions that a WebAssembly module executes, whatever the machine.
    Fuel,
}

/// How many units of fuel count as a nanosecond.
pub const FUEL_PER_NS: u64 = 10;

/// How many units of fuel count as a microsecond.
pub const FUEL_PER_US: u64 = FUEL_PER_NS * 1_000;

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
    "{0:?} is not a clock; write move=1s (for each move), 10s+100ms (bank and increment), or for modules fuel=10G or \
     fuel=100G+1G; ,start=5s or ,start=50G behind it is for the start; times are 1ms to 24h in h, m, s or ms, fuel is \
     1M to 864000G in G or M"
)]
pub struct ClockError(String);

impl Clock {
    /// A clock with so much time for every move and the default start allowance.
    pub fn per_move(time: Duration) -> Self {
        Clock {
            unit: ClockUnit::Time,
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
        Some((pace, start)) => (pace, Some(start)),
        None => (text, None),
    };
    let (unit, pace) = match pace.strip_prefix("fuel=") {
        Some(fuel) => (ClockUnit::Fuel, fuel_pace(fuel)?),
        None => (ClockUnit::Time, time_pace(pace)?),
    };
    let start = match start {
        Some(start) => unit.amount(start)?,
        None => DEFAULT_START,
    };
    Some(Clock { unit, pace, start })
}

fn time_pace(text: &str) -> Option<Pace> {
    match text.strip_prefix("move=") {
        Some(each) => Some(Pace::Move(ClockUnit::Time.amount(each)?)),
        None => {
            let (bank, increment) = text.split_once('+').unwrap_or((text, "0ms"));
            bank_pace(ClockUnit::Time, bank, increment)
        }
    }
}

fn fuel_pace(text: &str) -> Option<Pace> {
    match text.split_once('+') {
        Some((bank, increment)) => bank_pace(ClockUnit::Fuel, bank, increment),
        None => Some(Pace::Move(ClockUnit::Fuel.amount(text)?)),
    }
}

fn bank_pace(unit: ClockUnit, bank: &str, increment: &str) -> Option<Pace> {
    let is_none = increment == TimeText(unit, Duration::ZERO).to_string();
    let bank = unit.amount(bank)?;
    let increment = if is_none {
        Duration::ZERO
    } else {
        unit.amount(increment)?
    };
    Some(Pace::Bank { bank, increment })
}

impl ClockUnit {
    /// The units of a text, each with its microseconds, the largest first.
    fn scales(self) -> &'static [(&'static str, u64)] {
        match self {
            ClockUnit::Time => &[
                ("h", 3_600_000_000),
                ("m", 60_000_000),
                ("s", 1_000_000),
                ("ms", 1_000),
            ],
            ClockUnit::Fuel => &[
                ("G", 1_000_000_000 / FUEL_PER_US),
                ("M", 1_000_000 / FUEL_PER_US),
            ],
        }
    }

    /// An amount from the smallest unit to [`LONGEST_TIME`]: a decimal number and a unit, a whole number of the
    /// smallest.
    pub(crate) fn amount(self, text: &str) -> Option<Duration> {
        let unit_at = text.find(|c: char| c.is_ascii_alphabetic())?;
        let (number, unit) = text.split_at(unit_at);
        let &(_, unit_us) = self.scales().iter().find(|(name, _)| *name == unit)?;
        let &(_, least_us) = self.scales().last()?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let digits =
            |s: &str| !s.is_empty() && s.len() <= 9 && s.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(fraction) {
            return None;
        }
        let scale = 10u64.pow(fraction.len() as u32);
        let parts = whole.parse::<u64>().ok()? * scale + fraction.parse::<u64>().ok()?;
        let us = parts.checked_mul(unit_us)?;
        if us % (scale * least_us) != 0 {
            return None;
        }
        let time = Duration::from_micros(us / scale);
        (Duration::from_micros(least_us)..=LONGEST_TIME)
            .contains(&time)
            .then_some(time)
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let amount = |time| TimeText(self.unit, time);
        if self.unit == ClockUnit::Fuel {
            f.write_str("fuel=")?;
        }
        match self.pace {
            Pace::Move(each) if self.unit == ClockUnit::Fuel => write!(f, "{}", amount(each))?,
            Pace::Move(each) => write!(f, "move={}", amount(each))?,
            Pace::Bank { bank, increment } => write!(f, "{}+{}", amount(bank), amount(increment))?,
        }
        if self.start != DEFAULT_START {
            write!(f, ",start={}", amount(self.start))?;
        }
        Ok(())
    }
}

/// Prints an amount in the largest unit in which it is a whole number.
pub(crate) struct TimeText(pub(crate) ClockUnit, pub(crate) Duration);

impl fmt::Display for TimeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TimeText(unit, time) = self;
        let us = time.as_micros();
        let is_whole = |(_, scale): &&(_, u64)| us > 0 && us % u128::from(*scale) == 0;
        let scales = unit.scales();
        let (name, scale) = (scales.iter().find(is_whole).or(scales.last())).expect("there is one");
        write!(f, "{}{name}", us / u128::from(*scale))
    }
}

text_json!(Clock);

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Clock {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Clock".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A time for each move, or bank+increment; or fuel for each move, or bank+increment; then the start allowance, if it is not 5s or 50G.",
            "examples": ["move=1s", "10s+100ms", "move=500ms,start=20s", "fuel=50M", "fuel=1G+50M"]
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
            "fuel=50M",
            "fuel=1G+50M",
            "fuel=864000G+0M,start=20G",
            "fuel=1500M,start=1M",
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
            "fuel=",
            "fuel=50",
            "fuel=50m",
            "fuel=0M",
            "fuel=1k",
            "fuel=0.5M",
            "fuel=1G+",
            "fuel=1s",
            "fuel=864001G",
            "fuel=1G,start=5s",
            "move=1M",
            "move=1s,start=5G",
            "move=1.0001ms",
            "fuel=+1M",
        ] {
            let error = text.parse::<Clock>().unwrap_err();
            assert!(error.to_string().contains("move=1s"), "{text}");
        }
    }
}
