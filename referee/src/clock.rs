//! One seat's clock: what it has for its next move, in whole microseconds, so that a record can be
//! judged by the very same numbers. A clock that counts fuel has a microsecond for each
//! [`FUEL_PER_US`](flipside_protocol::FUEL_PER_US) units.

use std::time::Duration;

use flipside_protocol::{Clock, ClockUnit, FUEL_PER_US, Pace, Patience};

/// The clock of a seat in a running match.
#[derive(Clone, Debug)]
pub(crate) struct SeatClock {
    /// What it counts.
    pub(crate) unit: ClockUnit,
    pace: Pace,
    /// What is left of the bank; not used with a time for each move.
    bank_us: u64,
    /// What is left of the start allowance: for `ready`, then on top of the first move.
    start_us: u64,
    /// What is left of the time that it may stand still in; nothing where its bot may not pause.
    patience_us: Option<u64>,
    /// What it was charged for the last move.
    charged_us: Option<u64>,
}

/// What a clock has for a move, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MoveTime {
    /// The time that counts.
    pub(crate) us: u64,
    /// How long it may stand still meanwhile; nothing where its bot may not pause.
    pub(crate) patience_us: Option<u64>,
}

impl SeatClock {
    /// `patience`: how long it may stand still in the match.
    pub(crate) fn new(clock: Clock, patience: Option<Patience>) -> Self {
        let bank_us = match clock.pace {
            Pace::Move(_) => 0,
            Pace::Bank { bank, .. } => micros(bank),
        };
        SeatClock {
            unit: clock.unit,
            pace: clock.pace,
            bank_us,
            start_us: micros(clock.start),
            patience_us: patience.map(|patience| micros(patience.time())),
            charged_us: None,
        }
    }

    /// The time for starting up and answering `ready`.
    pub(crate) fn for_ready(&self) -> u64 {
        self.start_us
    }

    /// The time for the next move.
    pub(crate) fn for_move(&self) -> u64 {
        let pace = match self.pace {
            Pace::Move(each) => micros(each),
            Pace::Bank { .. } => self.bank_us,
        };
        pace + self.start_us
    }

    /// The same, with how long it may stand still.
    pub(crate) fn move_time(&self) -> MoveTime {
        MoveTime {
            us: self.for_move(),
            patience_us: self.patience_us,
        }
    }

    /// What the last move was charged, in whole milliseconds as bots are told times; nothing before the second.
    pub(crate) fn charged_ms(&self) -> Option<u64> {
        self.charged_us.map(|us| us / 1000)
    }

    /// It stood still for so long, while its bot paused. False: it may not.
    pub(crate) fn stood_still(&mut self, us: u64) -> bool {
        let left = self.patience_us.and_then(|left| left.checked_sub(us));
        self.patience_us = left.or(self.patience_us);
        left.is_some()
    }

    /// The fuel for the next move, if it counts fuel.
    pub(crate) fn fuel_for_move(&self) -> Option<u64> {
        match self.unit {
            ClockUnit::Time => None,
            ClockUnit::Fuel => Some(self.for_move().saturating_mul(FUEL_PER_US)),
        }
    }

    /// Takes the time of `ready` off. False: it was too much.
    pub(crate) fn ready_took(&mut self, us: u64) -> bool {
        let in_time = us <= self.start_us;
        self.start_us = self.start_us.saturating_sub(us);
        in_time
    }

    /// Takes the time of a move off and adds the increment. False: it was too much.
    pub(crate) fn move_took(&mut self, us: u64) -> bool {
        if us > self.for_move() {
            return false;
        }
        let of_pace = us.saturating_sub(self.start_us);
        self.start_us = 0;
        self.charged_us = Some(us);
        if let Pace::Bank { increment, .. } = self.pace {
            self.bank_us = self.bank_us - of_pace + micros(increment);
        }
        true
    }
}

/// A time as whole microseconds. Clocks are at most a day, so it always fits.
pub(crate) fn micros(time: Duration) -> u64 {
    time.as_micros().try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(text: &str) -> SeatClock {
        SeatClock::new(text.parse().unwrap(), None)
    }

    #[test]
    fn a_move_is_charged_to_the_next_question_and_a_start_to_none() {
        let mut clock = clock("10s+1s");
        assert!(clock.ready_took(700_000));
        assert_eq!(clock.charged_ms(), None);
        assert!(clock.move_took(2_999));
        assert_eq!(clock.charged_ms(), Some(2));
        assert!(clock.move_took(0));
        assert_eq!(clock.charged_ms(), Some(0));
    }

    #[test]
    fn a_clock_stands_still_for_its_patience_and_no_longer() {
        assert!(!clock("move=1s").stood_still(0));
        let patience = "3s".parse().unwrap();
        let mut clock = SeatClock::new("move=1s".parse().unwrap(), Some(patience));
        assert!(clock.stood_still(1_000_000));
        assert!(!clock.stood_still(2_000_001));
        assert!(clock.stood_still(2_000_000) && clock.stood_still(0));
        assert_eq!(clock.move_time().patience_us, Some(0));
    }

    #[test]
    fn what_is_left_of_the_start_is_on_top_of_the_first_move_only() {
        let mut clock = clock("move=1s,start=2s");
        assert!(clock.ready_took(500_000));
        assert_eq!(clock.for_move(), 2_500_000);
        assert!(clock.move_took(10));
        assert_eq!(clock.for_move(), 1_000_000);
    }

    #[test]
    fn a_bank_pays_only_what_the_start_did_not() {
        let mut clock = clock("10s+100ms,start=1s");
        assert!(clock.ready_took(400_000));
        assert!(clock.move_took(1_000_000));
        assert_eq!(clock.for_move(), 10_000_000 - 400_000 + 100_000);
        assert!(clock.move_took(9_700_000));
        assert_eq!(clock.for_move(), 100_000);
    }

    #[test]
    fn the_last_microsecond_is_in_time_and_the_next_is_late() {
        for (us, in_time) in [(1_000_000, true), (1_000_001, false)] {
            let mut clock = clock("move=1s");
            clock.ready_took(clock.start_us);
            assert_eq!(clock.move_took(us), in_time);
        }
        assert!(!clock("move=1s,start=1s").ready_took(1_000_001));
    }
}
