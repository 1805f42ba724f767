//! How long the clock of a seat may stand still in a match: `5m`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::clock::{ClockUnit, TimeText};

/// The most pauses that a bot may take before one answer.
pub const MAX_PAUSES: u32 = 16;

/// The longest reason of a pause that the record keeps, in bytes; the rest is cut.
pub const LONGEST_REASON: usize = crate::LONGEST_NOTE;

/// The time that the clock of a seat may stand still in a match, in all, while its bot waits for the provider of its
/// model: from 1ms to [`LONGEST_TIME`](crate::LONGEST_TIME).
///
/// It reads and prints as people write it:
///
/// ```
/// use flipside_protocol::Patience;
/// let patience: Patience = "5m".parse()?;
/// assert_eq!((patience.time().as_secs(), patience.to_string()), (300, "5m".to_owned()));
/// # Ok::<(), flipside_protocol::PatienceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience(Duration);

/// Why a text is not such a time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a patience is 1ms to 24h in h, m, s or ms: 5m")]
pub struct PatienceError;

impl Patience {
    /// Returns the time.
    pub fn time(self) -> Duration {
        self.0
    }
}

impl FromStr for Patience {
    type Err = PatienceError;

    fn from_str(typed: &str) -> Result<Self, PatienceError> {
        let time = ClockUnit::Time.amount(typed);
        time.map(Patience).ok_or(PatienceError)
    }
}

impl fmt::Display for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        TimeText(ClockUnit::Time, self.0).fmt(f)
    }
}

text_json!(Patience);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patience_prints_as_it_reads() {
        for text in ["1ms", "5m", "90s", "24h"] {
            assert_eq!(text.parse::<Patience>().unwrap().to_string(), text);
        }
        for text in ["", "5", "0s", "25h", "m", "5M", "-1s", "1m30s", "0.5ms"] {
            let error = text.parse::<Patience>().unwrap_err();
            assert!(error.to_string().contains("5m"), "{text}");
        }
    }
}
