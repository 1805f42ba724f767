//! What a seat does at a turn, and what was measured of it.

use std::time::Duration;

use flipside_sandbox::{ProgramKind, Timing};

use crate::clock::micros;
use crate::pauses::Paused;

/// A run delay below this is not told.
pub const MIN_RUN_DELAY: Duration = Duration::from_millis(1);

/// What a seat does at a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    pub(crate) action: String,
    pub(crate) note: Option<String>,
    /// The time it took, in microseconds; none where the referee acts for a disqualified seat.
    pub(crate) us: Option<u64>,
    pub(crate) measured: MeasuredTime,
    /// The pauses before it, if there were any.
    pub(crate) paused: Option<Paused>,
}

impl Choice {
    /// What the bot wrote beside the action: the reason of its pause, and its note.
    pub(crate) fn texts(&self) -> (Option<&str>, Option<&str>) {
        let reason = self
            .paused
            .as_ref()
            .and_then(|paused| paused.reason.as_deref());
        (reason, self.note.as_deref())
    }

    /// The action that the referee samples for a disqualified seat.
    pub(crate) fn stand_in(action: String) -> Self {
        Choice {
            action,
            ..Choice::default()
        }
    }

    /// The action of a person, who has no clock.
    pub(crate) fn by_hand(action: String) -> Self {
        Choice {
            action,
            us: Some(0),
            ..Choice::default()
        }
    }
}

/// What was measured of an answer beside the time that counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeasuredTime {
    /// The wall-clock time in microseconds, where the run delay was [`MIN_RUN_DELAY`] or more.
    pub wall_us: Option<u64>,
    /// The CPU time in microseconds, of all processes of a bot that thought for longer than
    /// [`FIRST_LOOK`](flipside_sandbox::FIRST_LOOK). For a module, the charged time is its CPU time.
    pub cpu_us: Option<u64>,
    /// The fuel, where the clock counts fuel. Then the time that counts is a microsecond for each
    /// [`FUEL_PER_US`](flipside_protocol::FUEL_PER_US) units, and nothing else is measured.
    pub fuel: Option<u64>,
}

impl MeasuredTime {
    pub(crate) fn of(kind: ProgramKind, timing: Timing) -> Self {
        let run_delay = timing.wall.saturating_sub(timing.charged);
        MeasuredTime {
            wall_us: (run_delay >= MIN_RUN_DELAY).then(|| micros(timing.wall)),
            cpu_us: match kind {
                ProgramKind::Process => timing.cpu.map(micros),
                ProgramKind::Module => None,
            },
            fuel: timing.fuel,
        }
    }
}
