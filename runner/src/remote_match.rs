//! What a worker answers: a match that it played, or why it could not.

use std::time::Duration;

use flipside_referee::{Match, SeatTrace, TrafficLine};
use serde::{Deserialize, Serialize};

/// The most lines of the traffic with a bot that are kept of a match that was played elsewhere, and the most bytes of a
/// hint.
const MAX_TRAFFIC: usize = 64;
const MAX_HINT: usize = 1_000;

/// How much a worker elsewhere writes of the standard error of a bot at most, in bytes. It keeps less.
const MAX_STDERR: usize = 64 * 1024;

/// Why a match could not be played, here or elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotPlayed {
    /// In words, without the paths of files.
    pub reason: String,
    /// The seat whose bot cannot be started there, whatever the machine does, if that is why.
    pub seat: Option<usize>,
    /// Whether the program of the game failed.
    pub of_game: bool,
}

impl NotPlayed {
    /// What the referee of a match says.
    pub fn of(error: &flipside_referee::Error, the_match: &Match) -> Self {
        let seat = error.unable().map(usize::from);
        let program = seat.and_then(|seat| the_match.players[seat].program());
        let reason = error.to_string();
        NotPlayed {
            reason: match program.map(|program| program.path().display().to_string()) {
                // A built-in bot has no file.
                Some(path) if !path.is_empty() => reason.replace(&path, "its file"),
                _ => reason,
            },
            seat,
            of_game: matches!(error, flipside_referee::Error::Game(_)),
        }
    }
}

impl From<String> for NotPlayed {
    fn from(reason: String) -> Self {
        NotPlayed {
            reason,
            seat: None,
            of_game: false,
        }
    }
}

/// A match that was played elsewhere, as its worker tells it. Only the record counts, after it was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteMatch {
    /// The record.
    pub record: String,
    /// When it began, in milliseconds since 1970, by the clock of the worker.
    pub started_at: u64,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// What was seen of the bots, by seat.
    pub seats: Vec<RemoteSeat>,
}

/// What was seen of a bot beside the record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteSeat {
    /// The end of its standard error.
    pub stderr: String,
    /// If it was seen computing on the turns of others, its CPU time there in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pondered_us: Option<u64>,
    /// What the author of a bot with a fault can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The last lines to and from a bot with a fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<TrafficLine>,
}

impl RemoteSeat {
    /// What a referee has seen of a seat.
    pub fn of(trace: SeatTrace) -> Self {
        let micros = |time: Duration| time.as_micros().try_into().unwrap_or(u64::MAX);
        RemoteSeat {
            stderr: trace.stderr,
            pondered_us: trace.pondered.map(micros),
            hint: trace.fault.and_then(|fault| fault.hint.map(String::from)),
            traffic: trace.traffic,
        }
    }

    /// Whether a worker that means well can have sent it.
    pub(crate) fn fits(&self) -> bool {
        self.stderr.len() <= MAX_STDERR
            && self.hint.as_ref().is_none_or(|hint| hint.len() <= MAX_HINT)
            && self.traffic.len() <= MAX_TRAFFIC
            && self
                .traffic
                .iter()
                .all(|line| line.line.len() <= MAX_STDERR)
    }

    pub(crate) fn trace(&self) -> SeatTrace {
        SeatTrace {
            pondered: self.pondered_us.map(Duration::from_micros),
            stderr: self.stderr.clone(),
            ..SeatTrace::default()
        }
    }
}
