//! What an answer has taken so far, and the pauses before it, in which the clock stands still.

use std::fmt;
use std::time::Duration;

use flipside_protocol::MAX_PAUSES;
use flipside_sandbox::Timing;
use serde::{Deserialize, Serialize};

use crate::clock::{MoveTime, micros};

/// How long a clock stood still before an answer because the bot paused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paused {
    /// How often the bot paused, from 1 to [`MAX_PAUSES`].
    pub times: u32,
    /// How long the clock stood still, in microseconds in all.
    pub us: u64,
    /// The reason that the bot gave last; at most [`LONGEST_REASON`](flipside_protocol::LONGEST_REASON) bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl fmt::Display for Paused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "paused for {} ms", self.us / 1000)?;
        match &self.reason {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}

/// Why a bot may not pause now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PauseRefusal {
    /// It may not pause in this match.
    NotAllowed,
    /// It has paused [`MAX_PAUSES`] times before this answer.
    TooMany,
}

/// What an answer has taken so far.
#[derive(Clone, Debug)]
pub(crate) struct Spent {
    /// What the clock had when the question was asked.
    time: MoveTime,
    /// All that counts until now: the pauses do not.
    timing: Timing,
    paused: Option<Paused>,
}

impl Spent {
    /// Nothing, of what a clock has.
    pub(crate) fn nothing_of(time: MoveTime) -> Self {
        Spent {
            time,
            timing: Timing::default(),
            paused: None,
        }
    }

    /// Whether the bot has paused: it was asked before, and its next line is waited for.
    pub(crate) fn has_paused(&self) -> bool {
        self.paused.is_some()
    }

    /// How long the next line may take, in microseconds: what is left of the time, after what is left of the patience
    /// if the bot pauses.
    pub(crate) fn left_us(&self) -> u64 {
        let counted = micros(self.timing.charged);
        self.time.us.saturating_sub(counted) + self.patience_left_us()
    }

    /// How long the clock stands still from now on.
    fn patience_left_us(&self) -> u64 {
        let paused = self.paused.as_ref().map(|paused| paused.us);
        let left = |paused| self.time.patience_us.unwrap_or(0).saturating_sub(paused);
        paused.map_or(0, left)
    }

    /// How much of the time that a line took was a pause, in whole microseconds.
    fn pause_of(&self, took: Duration) -> Duration {
        Duration::from_micros(micros(took).min(self.patience_left_us()))
    }

    /// What is charged for all until now, with a line that took so long, in microseconds.
    pub(crate) fn charged_us(&self, took: Duration) -> u64 {
        micros(self.timing.charged + (took - self.pause_of(took)))
    }

    /// A line took so long, or its deadline came.
    pub(crate) fn took(&mut self, timing: Timing) {
        let pause = self.pause_of(timing.charged);
        if let Some(paused) = &mut self.paused {
            paused.us += micros(pause);
        }
        let cpu = [self.timing.cpu, timing.cpu].into_iter().flatten();
        self.timing = Timing {
            charged: self.timing.charged + (timing.charged - pause),
            wall: self.timing.wall + timing.wall.saturating_sub(pause),
            cpu: cpu.reduce(|before, now| before + now),
            fuel: timing.fuel,
        };
    }

    /// The bot pauses.
    pub(crate) fn pause(&mut self, reason: Option<String>) -> Result<(), PauseRefusal> {
        if self.time.patience_us.is_none() {
            return Err(PauseRefusal::NotAllowed);
        }
        let paused = self.paused.get_or_insert_default();
        if paused.times == MAX_PAUSES {
            return Err(PauseRefusal::TooMany);
        }
        paused.times += 1;
        paused.reason = reason.or(paused.reason.take());
        Ok(())
    }

    /// What was measured, without the pauses.
    pub(crate) fn timing(&self) -> Timing {
        self.timing
    }

    /// The pauses, if there were any.
    pub(crate) fn into_paused(self) -> Option<Paused> {
        self.paused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(charged_us: u64) -> Timing {
        Timing {
            charged: Duration::from_micros(charged_us),
            wall: Duration::from_micros(charged_us),
            ..Timing::default()
        }
    }

    fn of(us: u64, patience_us: Option<u64>) -> Spent {
        Spent::nothing_of(MoveTime { us, patience_us })
    }

    #[test]
    fn a_pause_counts_for_nothing_until_the_patience_is_over() {
        let mut spent = of(1_000, Some(500));
        assert_eq!(spent.left_us(), 1_000);
        spent.took(timing(300));
        spent.pause(Some("busy".into())).unwrap();
        assert_eq!(spent.left_us(), 700 + 500);
        assert_eq!(spent.charged_us(Duration::from_micros(200)), 300);
        spent.took(timing(200));
        // The reason that was given stays where none is given.
        spent.pause(None).unwrap();
        assert_eq!(spent.left_us(), 700 + 300);
        // 300 of these are a pause.
        assert_eq!(spent.charged_us(Duration::from_micros(400)), 400);
        spent.took(timing(400));
        spent.pause(None).unwrap();
        assert_eq!(spent.left_us(), 600);
        spent.took(timing(600));
        assert_eq!(spent.timing().charged, Duration::from_micros(1_000));
        assert_eq!(spent.timing().wall, Duration::from_micros(1_000));
        let paused = spent.into_paused().unwrap();
        assert_eq!((paused.times, paused.us), (3, 500));
        assert_eq!(paused.reason.as_deref(), Some("busy"));
    }

    #[test]
    fn whoever_may_not_pause_is_refused_and_whoever_may_is_bounded() {
        assert_eq!(of(1, None).pause(None), Err(PauseRefusal::NotAllowed));
        let mut spent = of(1, Some(1));
        for _ in 0..MAX_PAUSES {
            assert_eq!(spent.pause(None), Ok(()));
        }
        assert_eq!(spent.pause(None), Err(PauseRefusal::TooMany));
        assert_eq!(spent.into_paused().unwrap().times, MAX_PAUSES);
    }

    #[test]
    fn without_pauses_all_counts() {
        let mut spent = of(1_000, Some(1_000_000));
        assert_eq!(spent.charged_us(Duration::from_nanos(2_000_999)), 2_000);
        spent.took(timing(1_500));
        assert_eq!(spent.left_us(), 0);
        assert_eq!(spent.into_paused(), None);
    }
}
