//! The time of one question to a process. It stands still while the machine keeps the bot from running,
//! or the referee from reading the answer: neither is the bot's doing.
//!
//! Most answers come before anybody has looked at anything. Only a bot that thinks for longer is looked
//! at, first soon after the question, and again when it answers or its time seems to be up: the times
//! between the two count. Where it waited for a processor at the first look, the time before counts as well,
//! as far as it has used none since it was asked.

use std::time::{Duration, Instant};

use crate::process::turns::Turns;
use crate::process::usage::{Usage, own_cpu};

/// When it is first looked at what a bot uses; with little time for its answer, sooner.
pub const FIRST_LOOK: Duration = Duration::from_millis(5);

/// Of an allowance, the part after which the first look comes at the latest.
const FIRST_LOOK_PART: u32 = 4;

/// With less than this, what a bot has used is learnt before the question: the referee may wake too late for
/// the first look, and then it counts whether the bot itself held the processors.
pub(crate) const SHORT: Duration = Duration::from_millis(20);

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
    /// What it had used at the end of an earlier question, where that is known.
    known: Option<Duration>,
    first: Option<Box<Usage>>,
    /// Whether one of its threads was ready to run then, and a wait may have lasted.
    was_ready: bool,
    last: Option<Box<Usage>>,
    /// Whether it was looked again after the time was up.
    looked_again: bool,
    pause: Duration,
    next: Instant,
    /// How long the referee's thread has run to look.
    looking: Duration,
    /// How long the thread did other things while there may have been an answer to read.
    aside: Duration,
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
    /// `known` is what the bot had used at the end of an earlier question.
    pub(crate) fn start(begun: Instant, deadline: Instant, known: Option<Duration>) -> Self {
        let allowance = deadline.saturating_duration_since(begun);
        Stopwatch {
            begun,
            allowance,
            known,
            first: None,
            was_ready: false,
            last: None,
            looked_again: false,
            pause: LOOK_AGAIN,
            looking: Duration::ZERO,
            aside: Duration::ZERO,
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
            self.was_ready = turns.ready_to_run();
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
        let ran =
            |(last, before): (&Usage, Box<Usage>)| last.used.cpu_since(&before.used) > JUST_RAN;
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

    /// Because it rang, the referee's thread has run since it had run for `since`; for so long of the time it
    /// looked at others, if there was an answer to read afterwards. When that came nobody knows.
    pub(crate) fn looked(&mut self, since: Duration, aside: Duration) {
        let since = self
            .first
            .as_ref()
            .map_or(since, |first| first.own_cpu.max(since));
        self.looking += own_cpu().saturating_sub(since);
        self.aside = aside;
    }

    /// The answer is there.
    pub(crate) fn stop(&mut self, turns: &Turns) -> Spent {
        let in_all = self.begun.elapsed();
        let wall = in_all.saturating_sub(self.aside);
        if self.first.is_none() {
            return Spent {
                charged: wall,
                wall,
                cpu: None,
            };
        }
        self.last = turns.usage().map(Box::new);
        self.counted = turns.is_counted();
        // Of a bot with children nobody can tell what it did meanwhile.
        match self.counted {
            true => self.spent_at_least(wall, in_all),
            false => self.spent(in_all),
        }
    }

    /// The same with no less charged than it has used: it may have computed while nobody was to read.
    fn spent_at_least(&self, wall: Duration, in_all: Duration) -> Spent {
        let spent = self.spent(wall);
        let used = spent.cpu.unwrap_or_default().min(in_all);
        Spent {
            charged: spent.charged.max(used),
            ..spent
        }
    }

    /// Other stopwatches of the same thread rang for so long before the answer could be read.
    pub(crate) fn others_rang(&mut self, took: Duration) {
        self.aside += took;
    }

    /// What was read is no answer yet, and so nothing was kept waiting.
    pub(crate) fn no_answer_yet(&mut self) {
        self.aside = Duration::ZERO;
    }

    /// What was spent, as the last look has shown.
    pub(crate) fn spent(&self, wall: Duration) -> Spent {
        let looks = self.first.as_ref().zip(self.last.as_ref());
        Spent {
            charged: wall.saturating_sub(self.withheld()),
            wall,
            cpu: looks.map(|(first, last)| self.before(first) + last.used.cpu_since(&first.used)),
        }
    }

    /// Whether the answer came so late that the referee cannot have been awake, and not because the bot itself
    /// held the processors. It can do that for a moment only: with more time there is a first look.
    pub(crate) fn slept(&self, spent: Spent, turns: &Turns) -> bool {
        let dozed = self.dozed(spent, Duration::ZERO);
        if !dozed || self.allowance >= SHORT {
            return dozed;
        }
        // Of a bot of whom nobody can tell what it did, it may have.
        let since = turns.counted_use().zip(self.known);
        since.is_some_and(|(used, known)| self.dozed(spent, used.saturating_sub(known)))
    }

    /// The same for a bot that has used so much of the processors.
    fn dozed(&self, spent: Spent, used: Duration) -> bool {
        let late = self.lateness(spent).saturating_sub(used);
        self.first.is_none() && spent.wall > self.allowance && late > MOST_DOZE
    }

    /// How long after it was to be looked the answer was taken: that is the referee's doing. How much more
    /// than its time a bot has used is none of it.
    pub(crate) fn lateness(&self, spent: Spent) -> Duration {
        (self.begun + spent.wall).saturating_duration_since(self.next)
    }

    /// What the bot has used until now, for its next question; nothing where that is not known.
    pub(crate) fn known(&self) -> Option<Duration> {
        let last = self.last.as_ref().or(self.first.as_ref());
        match last {
            Some(last) => self.counted.then_some(last.used.cpu),
            None => self.known,
        }
    }

    fn withheld(&self) -> Duration {
        let Some((first, last)) = self.first.as_ref().zip(self.last.as_ref()) else {
            return Duration::ZERO;
        };
        // What was used cannot become less, but if a process took it along that nobody reaped.
        if !self.counted || last.used.cpu < first.used.cpu {
            return Duration::ZERO;
        }
        let time = match self.was_ready {
            true => (last.used.at - self.begun).saturating_sub(self.before(first)),
            false => last.used.at - first.used.at,
        };
        last.withheld(time.saturating_sub(self.aside), first, self.looking)
    }

    /// What it used before the first look. Where nothing is known of it, it may have run all the time.
    fn before(&self, first: &Usage) -> Duration {
        let known = self.known.filter(|known| *known <= first.used.cpu);
        let used = first.used.cpu - known.unwrap_or_default();
        used.min(first.used.at - self.begun)
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
            let stopwatch = Stopwatch::start(begun, begun + Duration::from_micros(allowance), None);
            let wall = Duration::from_micros(took);
            let spent = stopwatch.spent(wall);
            assert_eq!(spent.charged, wall);
            let dozed = |used| stopwatch.dozed(spent, Duration::from_micros(used));
            assert_eq!(dozed(0), slept, "{took} of {allowance}");
            // It held the processors itself, most of the time or a part of it.
            assert!(!dozed(took));
            assert_eq!(dozed(took / 2), took == 101_000, "{took} of {allowance}");
        }
    }

    /// A stopwatch that was looked at first 20 ms after the question, and again when the answer came.
    fn looked_at(
        known: Option<u64>,
        was_ready: bool,
        first: [u64; 2],
        last: [u64; 3],
    ) -> Stopwatch {
        let begun = Instant::now();
        let known = known.map(Duration::from_millis);
        let mut stopwatch = Stopwatch::start(begun, begun + Duration::from_secs(1), known);
        let ([cpu, delay], [at, last_cpu, last_delay]) = (first, last);
        stopwatch.first = Some(Box::new(Usage::of_ms(begun, [20, cpu, delay, 0, 0])));
        stopwatch.last = Some(Box::new(Usage::of_ms(
            begun,
            [at, last_cpu, last_delay, 0, 0],
        )));
        stopwatch.was_ready = was_ready;
        stopwatch
    }

    #[test]
    fn a_wait_that_lasted_at_the_first_look_counts_from_the_question_on() {
        // What was known, whether it was ready; used and waited at the first look; when the answer came, used
        // and waited then; what is charged, all in milliseconds.
        for (known, was_ready, first, last, charged) in [
            // It has waited all the time, and computed for 50.
            (Some(100), true, [100, 40], [120, 150, 110], 50),
            // The same where nobody knows that it did not run before.
            (None, true, [100, 40], [120, 150, 110], 70),
            // It had run for 5 before, and for 10.
            (Some(100), true, [105, 40], [120, 155, 110], 55),
            (Some(95), true, [105, 40], [120, 155, 110], 60),
            // It slept at the first look.
            (Some(100), false, [100, 40], [120, 150, 110], 70),
            // More than what it waited for is not given back.
            (Some(100), true, [100, 40], [120, 101, 60], 100),
            // Processes took along what they used: nothing is known.
            (Some(100), true, [100, 40], [120, 90, 110], 120),
            (Some(200), true, [100, 40], [120, 150, 110], 70),
        ] {
            let stopwatch = looked_at(known, was_ready, first, last);
            let spent = stopwatch.spent(Duration::from_millis(last[0]));
            assert_eq!(
                spent.charged,
                Duration::from_millis(charged),
                "{known:?} {was_ready} {first:?} {last:?}"
            );
        }
    }

    #[test]
    fn no_bot_is_charged_less_than_it_is_seen_to_have_used() {
        for known in [None, Some(0), Some(60), Some(90)] {
            for waited in [0, 20, 80, 400] {
                for used in [0, 1, 30, 100] {
                    let stopwatch = looked_at(known, true, [90, 0], [100, 90 + used, waited]);
                    let spent = stopwatch.spent(Duration::from_millis(100));
                    let used = Duration::from_millis(used.min(80));
                    assert!(
                        spent.charged >= used,
                        "{known:?} {waited} {used:?}: {spent:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_the_thread_did_beside_is_not_charged_but_what_was_used_is() {
        let ms = Duration::from_millis;
        for (used, aside, charged) in [(30, 0, 100), (30, 25, 75), (90, 25, 90), (30, 95, 30)] {
            let mut stopwatch = looked_at(Some(90), false, [90, 0], [100, 90 + used, 0]);
            stopwatch.others_rang(ms(aside));
            let spent = stopwatch.spent_at_least(ms(100 - aside), ms(100));
            assert_eq!(spent.charged, ms(charged), "{used} {aside}");
        }
    }

    #[test]
    fn what_is_known_of_a_bot_is_what_was_counted() {
        let mut stopwatch = looked_at(Some(100), true, [100, 40], [120, 150, 110]);
        assert_eq!(stopwatch.known(), Some(Duration::from_millis(150)));
        stopwatch.counted = false;
        assert_eq!(stopwatch.known(), None);
        assert_eq!(
            stopwatch
                .spent(Duration::from_millis(120))
                .charged
                .as_millis(),
            120
        );
        let begun = Instant::now();
        let unseen = Stopwatch::start(begun, begun, Some(Duration::from_millis(7)));
        assert_eq!(unseen.known(), Some(Duration::from_millis(7)));
    }
}
