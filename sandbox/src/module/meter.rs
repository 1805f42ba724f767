//! How long a module runs, by the clock of its thread on the processors where that matters.
//!
//! The clock on the wall is read more quickly, and for less than a tick it is as good. Reading the
//! thread's own clock is a system call that would cost a good part of a turn. So it is read only if a
//! turn lasts for a tick, and before a turn if it was not read for a tick; a longer turn is charged
//! what the thread has used since that reading, but no more than the time on the wall. What other
//! turns used in between is less than a tick, and so is the error.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::module::ticker::TICK;
use crate::process::usage::own_cpu;

/// The clock of a thread, at a moment.
#[derive(Clone, Copy, Debug)]
struct Reading {
    at: Instant,
    cpu: Duration,
}

thread_local! {
    /// The last reading of this thread's clock.
    static LAST: Cell<Option<Reading>> = const { Cell::new(None) };
}

impl Reading {
    fn take(at: Instant) -> Self {
        let reading = Reading { at, cpu: own_cpu() };
        LAST.set(Some(reading));
        reading
    }

    /// One that is at most a tick old.
    fn recent(now: Instant) -> Self {
        match LAST.get() {
            Some(last) if now.saturating_duration_since(last.at) <= TICK => last,
            _ => Reading::take(now),
        }
    }
}

/// Measures one turn, on the thread where it began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meter {
    begun: Instant,
    before: Reading,
}

impl Meter {
    /// Begins a turn now.
    pub(crate) fn begin(now: Instant) -> Self {
        Meter {
            begun: now,
            before: Reading::recent(now),
        }
    }

    /// How long the turn has lasted by the clock on the wall.
    pub(crate) fn wall(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.begun)
    }

    /// What the turn is charged until now.
    pub(crate) fn ran(&self, now: Instant) -> Duration {
        match self.wall(now) {
            short if short < TICK => short,
            long => {
                let used = Reading::take(now).cpu.saturating_sub(self.before.cpu);
                used.min(long)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    /// Keeps the processor busy for so long by the thread's own clock.
    fn compute(time: Duration) {
        let until = own_cpu() + time;
        while own_cpu() < until {}
    }

    /// The charge of a turn of this work, and what it used in fact.
    fn charge(work: impl FnOnce()) -> (Duration, Duration) {
        let meter = Meter::begin(Instant::now());
        let before = own_cpu();
        work();
        let used = own_cpu() - before;
        (meter.ran(Instant::now()), used)
    }

    /// What the measuring itself may use.
    const SLACK: Duration = Duration::from_millis(1);

    #[test]
    fn a_long_turn_is_charged_what_it_used_and_at_most_a_tick_more() {
        compute(TICK);
        for time in [2, 20, 50].map(Duration::from_millis) {
            let (charged, used) = charge(|| {
                compute(time);
                sleep(3 * time);
            });
            assert!(charged >= used, "{charged:?} {used:?}");
            assert!(charged <= used + TICK + SLACK, "{charged:?} {used:?}");
        }
    }

    #[test]
    fn what_another_turn_used_is_charged_once() {
        // The one before is shorter than a tick, so no clock of the thread is read at its end.
        let (mut charged, mut used) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..20 {
            for time in [TICK / 2, TICK * 3] {
                let (more_charged, more_used) = charge(|| compute(time));
                // Never more than the wall shows, so the sum is at most a tick too much for each.
                assert!(more_charged <= more_used.max(TICK) + TICK + 20 * SLACK);
                charged += more_charged;
                used += more_used;
            }
        }
        assert!(charged >= used, "{charged:?} {used:?}");
        // Charging all of it twice would be seen.
        assert!(charged <= used + 40 * TICK, "{charged:?} {used:?}");
    }

    #[test]
    fn a_turn_that_stands_still_is_not_charged() {
        let (charged, used) = charge(|| sleep(50 * TICK));
        assert!(charged <= used + TICK + SLACK, "{charged:?} {used:?}");
    }

    #[test]
    fn the_clock_of_the_thread_is_read_once_a_tick() {
        compute(2 * TICK);
        let first = Meter::begin(Instant::now());
        let again = Meter::begin(first.before.at + TICK);
        assert_eq!(first.before.at, again.before.at);
        let later = Meter::begin(first.before.at + TICK + Duration::from_nanos(1));
        assert!(later.before.at > again.before.at);
    }
}
