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
struct ClockReading {
    at: Instant,
    cpu: Duration,
}

thread_local! {
    /// The last reading of this thread's clock.
    static LAST: Cell<Option<ClockReading>> = const { Cell::new(None) };
}

/// The clock of a thread: how long it has run on a processor.
type MeterClock = fn() -> Duration;

impl ClockReading {
    fn take(at: Instant, clock: MeterClock) -> Self {
        let reading = ClockReading { at, cpu: clock() };
        LAST.set(Some(reading));
        reading
    }

    /// One that is at most a tick old.
    fn recent(now: Instant, clock: MeterClock) -> Self {
        match LAST.get() {
            Some(last) if now.saturating_duration_since(last.at) <= TICK => last,
            _ => ClockReading::take(now, clock),
        }
    }
}

/// Measures one turn, on the thread where it began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meter {
    begun: Instant,
    before: ClockReading,
    clock: MeterClock,
}

impl Meter {
    /// Begins a turn now.
    pub(crate) fn begin(now: Instant) -> Self {
        Meter::begin_by(now, own_cpu)
    }

    fn begin_by(now: Instant, clock: MeterClock) -> Self {
        Meter {
            begun: now,
            before: ClockReading::recent(now, clock),
            clock,
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
                let used = ClockReading::take(now, self.clock).cpu;
                used.saturating_sub(self.before.cpu).min(long)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        /// A machine whose clocks only a test moves on: the time since it began, and the thread's own clock.
        static WALL: Cell<Duration> = const { Cell::new(Duration::ZERO) };
        static CPU: Cell<Duration> = const { Cell::new(Duration::ZERO) };
        static BEGUN: Instant = Instant::now();
        static READINGS: Cell<u32> = const { Cell::new(0) };
    }

    fn now() -> Instant {
        BEGUN.with(|begun| *begun) + WALL.get()
    }

    fn clock() -> Duration {
        READINGS.set(READINGS.get() + 1);
        CPU.get()
    }

    /// A thread that has not been measured before, on a machine of its own.
    fn on_a_new_thread(test: impl FnOnce() + Send) {
        std::thread::scope(|scope| scope.spawn(test).join().unwrap());
    }

    fn compute(time: Duration) {
        WALL.set(WALL.get() + time);
        CPU.set(CPU.get() + time);
    }

    fn sleep(time: Duration) {
        WALL.set(WALL.get() + time);
    }

    /// The charge of a turn of this work, and what it used in fact.
    fn charge(work: impl FnOnce()) -> (Duration, Duration) {
        let meter = Meter::begin_by(now(), clock);
        let before = CPU.get();
        work();
        (meter.ran(now()), CPU.get() - before)
    }

    #[test]
    fn a_long_turn_is_charged_what_it_used_and_at_most_a_tick_more() {
        on_a_new_thread(|| {
            for (before, time) in [(0, 2), (1, 20), (2, 50), (5, 50)] {
                let beside = TICK * before / 2;
                compute(beside);
                let time = Duration::from_millis(time);
                let (charged, used) = charge(|| {
                    compute(time);
                    sleep(3 * time);
                });
                // What ran since the last reading is charged, if that was just before.
                let more = if beside <= TICK {
                    beside
                } else {
                    Duration::ZERO
                };
                assert_eq!((charged, used), (time + more, time));
            }
        });
    }

    #[test]
    fn what_another_turn_used_is_charged_once() {
        on_a_new_thread(|| {
            // The one before is shorter than a tick, so no clock of the thread is read at its end.
            let (mut charged, mut used) = (Duration::ZERO, Duration::ZERO);
            for _ in 0..20 {
                for time in [TICK / 2, TICK * 3] {
                    let (more_charged, more_used) = charge(|| compute(time));
                    charged += more_charged;
                    used += more_used;
                }
            }
            // The clock of the thread counts the short turn again, and the wall shows that it was before.
            assert_eq!(charged, used);
        });
    }

    #[test]
    fn a_turn_that_stands_still_is_not_charged() {
        on_a_new_thread(|| {
            let (charged, _) = charge(|| sleep(50 * TICK));
            assert_eq!(charged, Duration::ZERO);
        });
    }

    #[test]
    fn a_short_turn_is_charged_by_the_wall_and_none_more_than_the_wall_shows() {
        on_a_new_thread(|| {
            assert_eq!(charge(|| sleep(TICK / 2)).0, TICK / 2);
            compute(TICK / 2);
            let long = TICK + Duration::from_nanos(1);
            assert_eq!(charge(|| compute(long)).0, long);
        });
    }

    #[test]
    fn the_clock_of_the_thread_is_read_once_a_tick() {
        on_a_new_thread(|| {
            let first = Meter::begin_by(now(), clock);
            let again = Meter::begin_by(now() + TICK, clock);
            assert_eq!((first.before.at, READINGS.get()), (again.before.at, 1));
            let later = Meter::begin_by(now() + TICK + Duration::from_nanos(1), clock);
            assert!(later.before.at > again.before.at);
            assert_eq!(READINGS.get(), 2);
        });
    }

    #[test]
    fn the_clock_of_the_thread_goes_on_while_it_computes() {
        let meter = Meter::begin(Instant::now());
        let before = own_cpu();
        while own_cpu() - before < 5 * TICK {}
        assert!(meter.ran(Instant::now()) >= 5 * TICK);
    }
}
