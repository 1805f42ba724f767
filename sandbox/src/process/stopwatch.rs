//! The time of one question to a process. It stands still while the machine keeps the bot from running,
//! or the referee from reading the answer: neither is the bot's doing.
//!
//! Most answers come before anybody has looked at anything. Only a bot that thinks for longer is looked
//! at, first soon after the question, and again when it answers or its time seems to be up: the times
//! between the two count.

use std::time::{Duration, Instant};

use crate::process::turns::Turns;
use crate::process::usage::Usage;

/// When it is first looked at what a bot uses; with little time for its answer, sooner.
pub const FIRST_LOOK: Duration = Duration::from_millis(5);

/// Of an allowance, the part after which the first look comes at the latest.
const FIRST_LOOK_PART: u32 = 4;

/// How soon it is looked again where a bot whose time is up is ready to run and does not: only when it
/// has got a processor does the kernel tell how long it waited for it.
const SECOND_LOOK: Duration = Duration::from_millis(5);

/// A bot that used more than this since the last look has got a processor.
const JUST_RAN: Duration = Duration::from_micros(10);

/// How many times its allowance an answer may take by the clock on the wall. A machine that kept a bot
/// from running for so long cannot be played on now. With a small allowance that is no time, and a bot
/// could see to it that its allowance is small: so long a machine may always take.
const MOST_STRETCH: u32 = 10;
const LEAST_STRETCH: Duration = Duration::from_secs(1);

/// How late the referee may wake and count as awake. Its timers have steps of a millisecond, so that an
/// answer may come before the first look though its time was up.
const MOST_DOZE: Duration = Duration::from_millis(5);

/// How soon after the first look others are looked at, and the longest time between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(160);

/// What an answer took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// What counts as the bot's time.
    pub charged: Duration,
    /// By the clock on the wall. What is more than the charge, the machine withheld.
    pub wall: Duration,
    /// The time on the processors, of all its processes; nothing for a process that answered before it
    /// was looked at, and where the kernel does not tell.
    pub cpu: Option<Duration>,
}

/// A running question.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    begun: Instant,
    allowance: Duration,
    first: Option<Box<Usage>>,
    last: Option<Box<Usage>>,
    /// Whether it was looked again after the time was up.
    looked_again: bool,
    pause: Duration,
    next: Instant,
    /// Whether all that the bot uses is counted.
    counted: bool,
}

/// What is to be done when a stopwatch rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rings {
    /// Wait until then.
    Again(Instant),
    /// The time is up; that is noticed so long after it, as far as it was to be looked then.
    Late(Duration),
    /// The machine did not let the bot run.
    Starved,
}

impl Stopwatch {
    pub(crate) fn start(begun: Instant, deadline: Instant) -> Self {
        let allowance = deadline.saturating_duration_since(begun);
        Stopwatch {
            begun,
            allowance,
            first: None,
            last: None,
            looked_again: false,
            pause: LOOK_AGAIN,
            counted: true,
            next: begun + FIRST_LOOK.min(allowance / FIRST_LOOK_PART),
        }
    }

    /// What the answer may take.
    pub(crate) fn allowance(&self) -> Duration {
        self.allowance
    }

    /// When it rings next.
    pub(crate) fn next(&self) -> Instant {
        self.next
    }

    /// It rings, and there is no answer yet.
    pub(crate) fn ring(&mut self, turns: &Turns) -> Rings {
        let now = Instant::now();
        // Whenever it rings, for a bot with children must not know when nobody looks.
        let usage = turns.usage().map(Box::new);
        self.counted = turns.is_counted();
        if self.first.is_none() {
            self.first = usage.clone();
        }
        if now < self.begun + self.allowance {
            return self.again(now);
        }
        let before = std::mem::replace(&mut self.last, usage);
        let withheld = self.withheld();
        let limit = self.begun + self.allowance + withheld;
        let most = (self.allowance * MOST_STRETCH).max(LEAST_STRETCH);
        let starved = now - self.begun > most + SECOND_LOOK;
        if now < limit {
            return match starved {
                true => Rings::Starved,
                false => self.again(now),
            };
        }
        // A wait that lasts does not show yet, but that it lasts does.
        let ran = |(last, before): (&Usage, Box<Usage>)| last.cpu_since(&before) > JUST_RAN;
        let has_run = self.looked_again && self.last.as_deref().zip(before).is_none_or(ran);
        if self.counted && !has_run && turns.ready_to_run() {
            if starved {
                return Rings::Starved;
            }
            self.looked_again = true;
            self.next = now + SECOND_LOOK;
            return Rings::Again(self.next);
        }
        // A bot can take back what was withheld from it, and is no less late then.
        Rings::Late(now.saturating_duration_since(limit.max(self.next)))
    }

    /// The answer is there.
    pub(crate) fn stop(&mut self, turns: &Turns) -> Spent {
        let wall = self.begun.elapsed();
        if self.first.is_none() {
            return Spent {
                charged: wall,
                wall,
                cpu: None,
            };
        }
        self.last = turns.usage().map(Box::new);
        self.counted = turns.is_counted();
        self.spent(wall)
    }

    /// What was spent, as the last look has shown.
    pub(crate) fn spent(&self, wall: Duration) -> Spent {
        let looks = self.first.as_ref().zip(self.last.as_ref());
        // Before the first look it may have run all the time; that is little.
        let before = |first: &Usage| first.cpu.min(first.at - self.begun);
        Spent {
            charged: wall.saturating_sub(self.withheld()),
            wall,
            cpu: looks.map(|(first, last)| before(first) + last.cpu_since(first)),
        }
    }

    /// Whether the answer came so late that the referee cannot have been awake.
    pub(crate) fn slept(&self, spent: Spent) -> bool {
        self.first.is_none() && spent.wall > self.allowance && self.lateness(spent) > MOST_DOZE
    }

    /// How long after it was to be looked the answer was taken: that is the referee's doing. How much more
    /// than its time a bot has used is none of it.
    pub(crate) fn lateness(&self, spent: Spent) -> Duration {
        (self.begun + spent.wall).saturating_duration_since(self.next)
    }

    fn withheld(&self) -> Duration {
        if !self.counted {
            return Duration::ZERO;
        }
        let looks = self.first.as_ref().zip(self.last.as_ref());
        looks.map_or(Duration::ZERO, |(first, last)| last.withheld_since(first))
    }

    fn again(&mut self, now: Instant) -> Rings {
        let limit = self.begun + self.allowance + self.withheld();
        // Nobody can foresee the last digits.
        let jitter = (now - self.begun).subsec_nanos() % 1000;
        self.next = limit.min(now + self.pause.mul_f64(0.5 + f64::from(jitter) / 1000.0));
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Rings::Again(self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_answers_a_little_late_was_not_slept_over() {
        let begun = Instant::now();
        // The allowance and what the answer took, in microseconds.
        for (allowance, took, slept) in [
            (1, 60, false),
            (900, 1_900, false),
            (1_000, 5_100, false),
            (1_000, 5_300, true),
            (4_000, 3_999, false),
            (100_000, 99_000, false),
            (100_000, 101_000, true),
        ] {
            let stopwatch = Stopwatch::start(begun, begun + Duration::from_micros(allowance));
            let wall = Duration::from_micros(took);
            let spent = stopwatch.spent(wall);
            assert_eq!(spent.charged, wall);
            assert_eq!(stopwatch.slept(spent), slept, "{took} of {allowance}");
        }
    }
}
