//! The time of one question to a process. It stands still while the machine keeps the bot from running,
//! or the referee from reading the answer: neither is the bot's doing.
//!
//! Most answers come before anybody has looked at anything. Only a bot that thinks for longer is looked
//! at, first soon after the question, and again when it answers or its time seems to be up: the times
//! between the two count. Where it waited for a processor at the first look, the time before counts as well,
//! as far as it has used none since it was asked.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::process::usage::{FIRST_LOOK, OwnTimes, Usage, Used, own_cpu};

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
/// from running for so long cannot be played on now. It is more than the number of processes that a bot may
/// have: what remains beside the threads of one other bot on each processor is enough. With a small allowance
/// that is no time, and a bot could see to it that its allowance is small: so long a machine may always take.
pub const MAX_STRETCH: u32 = 100;
/// See [`MAX_STRETCH`].
pub const MIN_STRETCH: Duration = Duration::from_secs(1);

/// How late the referee may wake and count as awake. Its timers have steps of a millisecond, so that an
/// answer may come before the first look though its time was up.
const MAX_DOZE: Duration = Duration::from_millis(5);

/// How soon after the first look others are looked at, and the longest time between two looks. The pauses
/// grow slowly from one to the other: a bot that computes on another's turn is stopped some 15 ms after its
/// opponent was asked, with [`IDLE_ALLOWANCE`](crate::IDLE_ALLOWANCE).
const LOOK_AGAIN: Duration = Duration::from_millis(4);
const LONGEST_PAUSE: Duration = Duration::from_millis(40);
const PAUSE_GROWTH: f64 = 1.5;

/// Of the time between two looks, the part that the first may take at most; but no pause is longer than that.
const LOOKING_PART: u32 = 10;
const SLOWEST_PAUSE: Duration = Duration::from_millis(160);

/// What an answer took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// What counts as the bot's time.
    pub charged: Duration,
    /// By the clock on the wall. What is more than the charge, the machine withheld.
    pub wall: Duration,
    /// The time on the processors, of all its processes; nothing for a process that answered before it
    /// was looked at, and where the kernel does not tell.
    pub cpu: Option<Duration>,
    /// The fuel that a module used, where its clock counts fuel. Then the times are those of the fuel.
    pub fuel: Option<u64>,
}

/// What a stopwatch looks at: the time, and what the kernel tells of a bot.
pub(crate) trait UsageReader {
    fn now(&self) -> Instant;
    /// What the bot has used until now; nothing where the kernel does not tell.
    fn usage(&self) -> Option<Usage>;
    /// The same without the waits.
    fn used(&self) -> Option<Used>;
    /// Whether what it has used is known.
    fn is_counted(&self) -> bool;
    /// Whether one of its threads is ready to run.
    fn ready_to_run(&self) -> bool;
}

/// A running question.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    begun: Instant,
    /// What the answer may take.
    pub(crate) allowance: Duration,
    /// What it had used at the end of an earlier question, where that is known.
    known: Option<Arc<Used>>,
    first: Option<Box<Usage>>,
    /// Whether one of its threads was ready to run then, and a wait may have lasted.
    was_ready: bool,
    last: Option<Box<Usage>>,
    /// Whether it was looked again after the time was up.
    looked_again: bool,
    /// Whether the bot was found to be late.
    is_late: bool,
    pause: Duration,
    /// When it rings next.
    pub(crate) next: Instant,
    /// How long the referee's thread has run to look.
    looking: Duration,
    /// How long the thread did other things while there may have been an answer to read.
    aside: Duration,
    /// What was told of the referee's thread at the last look, of this question or another one before it.
    own: Option<OwnTimes>,
    /// How long the thread has run, and waited for a processor, between the last two looks: it was not the
    /// machine that stood still then.
    awake: Duration,
    /// Whether all that the bot uses is counted.
    counted: bool,
}

/// What is to be done when a stopwatch rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimerOutcome {
    /// Wait until then.
    Again(Instant),
    /// The time is up; that is noticed so long after it, as far as it was to be looked then.
    Late(Duration),
    /// The machine did not let the bot run.
    Starved,
}

impl Stopwatch {
    /// `known` is what the bot had used at the end of an earlier question.
    pub(crate) fn start(begun: Instant, deadline: Instant, known: Option<Arc<Used>>) -> Self {
        let allowance = deadline.saturating_duration_since(begun);
        Stopwatch {
            begun,
            allowance,
            known,
            first: None,
            was_ready: false,
            last: None,
            looked_again: false,
            is_late: false,
            pause: LOOK_AGAIN,
            looking: Duration::ZERO,
            aside: Duration::ZERO,
            own: OwnTimes::last(),
            awake: Duration::ZERO,
            counted: true,
            next: begun + FIRST_LOOK.min(allowance / FIRST_LOOK_PART),
        }
    }

    /// Whether its time would be up, but for what was withheld from it.
    pub(crate) fn is_overdue(&self) -> bool {
        self.begun.elapsed() >= self.allowance
    }

    fn usage(&mut self, looks: &impl UsageReader) -> Option<Box<Usage>> {
        let usage = looks.usage().map(Box::new);
        self.counted = looks.is_counted();
        if let Some(usage) = &usage {
            self.awake = usage.own.since(self.own.unwrap_or(usage.own));
            self.own = Some(usage.own);
        }
        usage
    }

    /// It rings, and there is no answer yet. `hushed` is when the last one was stopped that kept it waiting.
    pub(crate) fn ring(
        &mut self,
        looks: &impl UsageReader,
        hushed: Option<Instant>,
    ) -> TimerOutcome {
        let now = looks.now();
        // Whenever it rings, for a bot with children must not know when nobody looks.
        let usage = self.usage(looks);
        if self.first.is_none() {
            self.first = usage.clone();
            self.was_ready = looks.ready_to_run();
        }
        if now < self.begun + self.allowance {
            return self.again(now, looks);
        }
        let before = std::mem::replace(&mut self.last, usage);
        let run_delay = self.run_delay();
        let limit = self.begun + self.allowance + run_delay;
        let most = (self.allowance * MAX_STRETCH).max(MIN_STRETCH);
        let begun = hushed.map_or(self.begun, |hushed| hushed.max(self.begun));
        let starved = now.saturating_duration_since(begun) > most + SECOND_LOOK;
        if now < limit {
            return if starved {
                TimerOutcome::Starved
            } else {
                self.again(now, looks)
            };
        }
        // A wait that lasts does not show yet, but that it lasts does.
        let ran =
            |(last, before): (&Usage, Box<Usage>)| last.used.cpu_since(&before.used) > JUST_RAN;
        let has_run = self.looked_again && self.last.as_deref().zip(before).is_none_or(ran);
        if self.counted && !has_run && looks.ready_to_run() {
            if starved {
                return TimerOutcome::Starved;
            }
            self.looked_again = true;
            self.next = now + SECOND_LOOK;
            return TimerOutcome::Again(self.next);
        }
        self.is_late = true;
        // A bot can take back what was withheld from it, and is no less late then.
        let late = now.saturating_duration_since(limit.max(self.next));
        TimerOutcome::Late(late.saturating_sub(self.awake))
    }

    /// Because it rang, the referee's thread has run since it had run for `since`; for so long of the time it
    /// looked at others, if there was an answer to read afterwards. When that came nobody knows.
    pub(crate) fn looked(&mut self, since: Duration, aside: Duration) {
        let since = self
            .first
            .as_ref()
            .map_or(since, |first| first.own.cpu.max(since));
        self.looking += own_cpu().saturating_sub(since);
        self.aside = aside;
    }

    /// The answer is there, or it is too late for one. Who was found late has spent its time, though the system may
    /// tell only now that it was kept from running: it books a wait when the wait is over.
    pub(crate) fn stop(&mut self, looks: &impl UsageReader) -> Timing {
        let timing = self.looked_at(looks);
        match self.is_late {
            true => Timing {
                charged: timing.charged.max(self.allowance),
                ..timing
            },
            false => timing,
        }
    }

    fn looked_at(&mut self, looks: &impl UsageReader) -> Timing {
        let in_all = looks.now().saturating_duration_since(self.begun);
        let wall = in_all.saturating_sub(self.aside);
        if self.first.is_none() {
            return Timing {
                charged: wall,
                wall,
                ..Timing::default()
            };
        }
        self.last = self.usage(looks);
        // Of a bot with children nobody can tell what it did meanwhile.
        if self.counted {
            self.spent_at_least(wall, in_all)
        } else {
            self.timing(in_all)
        }
    }

    /// The same with no less charged than it has used: it may have computed while nobody was to read.
    fn spent_at_least(&self, wall: Duration, in_all: Duration) -> Timing {
        let timing = self.timing(wall);
        let used = timing.cpu.unwrap_or_default().min(in_all);
        Timing {
            charged: timing.charged.max(used),
            ..timing
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
    pub(crate) fn timing(&self, wall: Duration) -> Timing {
        let looks = self.first.as_ref().zip(self.last.as_ref());
        Timing {
            charged: wall.saturating_sub(self.run_delay()),
            wall,
            cpu: looks.map(|(first, last)| self.before(first) + last.used.cpu_since(&first.used)),
            fuel: None,
        }
    }

    /// The same where the answer came so late that the referee cannot have been awake: nobody knows when it
    /// came. Then the clock has stood still since the first look was due, but for what the bot has used since
    /// it was looked at `before`, which may be what kept the referee waiting.
    pub(crate) fn in_doubt(
        &self,
        timing: Timing,
        looks: &impl UsageReader,
        before: Option<&Used>,
    ) -> Timing {
        if !self.dozed(timing) {
            return timing;
        }
        let Some(now) = looks.used() else {
            return timing;
        };
        let used = before.map_or(now.total(), |before| now.cpu_since(before));
        Timing {
            charged: self.awake_for(timing).max(used).min(timing.charged),
            ..timing
        }
    }

    fn dozed(&self, timing: Timing) -> bool {
        let is_late = timing.wall > self.allowance && self.lateness(timing) > MAX_DOZE;
        self.first.is_none() && is_late
    }

    /// For how long the referee was awake or had no reason to be.
    fn awake_for(&self, timing: Timing) -> Duration {
        timing.wall - self.lateness(timing)
    }

    /// How long after it was to be looked the answer was taken: that is the referee's doing. How much more
    /// than its time a bot has used is none of it.
    pub(crate) fn lateness(&self, timing: Timing) -> Duration {
        (self.begun + timing.wall).saturating_duration_since(self.next)
    }

    /// How much of its lateness is the machine's doing: how long after it was to be looked the answer was taken,
    /// as far as the referee's thread was not kept from it by what ran beside it.
    pub(crate) fn stood_still(&self, timing: Timing) -> Duration {
        self.lateness(timing).saturating_sub(self.awake)
    }

    /// What the bot had used when it was looked at last, if that was in this question.
    pub(crate) fn into_used(self) -> Option<Used> {
        self.last.or(self.first).map(|last| last.used)
    }

    fn run_delay(&self) -> Duration {
        let Some((first, last)) = self.first.as_ref().zip(self.last.as_ref()) else {
            return Duration::ZERO;
        };
        // A process may have taken along what it used.
        if !self.counted || last.used.since(&first.used).is_open {
            return Duration::ZERO;
        }
        let time = if self.was_ready {
            (last.used.at - self.begun).saturating_sub(self.before(first))
        } else {
            last.used.at - first.used.at
        };
        last.run_delay(time.saturating_sub(self.aside), first, self.looking)
    }

    /// What it used before the first look. Where nothing is known of it, it may have run all the time.
    fn before(&self, first: &Usage) -> Duration {
        let since = self.known.as_ref().map(|known| first.used.since(known));
        let known = since.filter(|since| !since.is_open);
        let used = known.map_or(first.used.total(), |known| known.used);
        used.min(first.used.at - self.begun)
    }

    fn again(&mut self, now: Instant, looks: &impl UsageReader) -> TimerOutcome {
        let limit = self.begun + self.allowance + self.run_delay();
        // Nobody can foresee the last digits.
        let jitter = (now - self.begun).subsec_nanos() % 1000;
        // A bot with many processes takes long to look at, and is looked at less often.
        let looking = looks.now().saturating_duration_since(now);
        let slow = (looking * LOOKING_PART).min(SLOWEST_PAUSE);
        let pause = self.pause.max(slow);
        self.next = limit.min(now + pause.mul_f64(0.5 + f64::from(jitter) / 1000.0));
        self.pause = self.pause.mul_f64(PAUSE_GROWTH).min(LONGEST_PAUSE);
        TimerOutcome::Again(self.next)
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
            let timing = stopwatch.timing(wall);
            assert_eq!(timing.charged, wall);
            assert_eq!(stopwatch.dozed(timing), slept, "{took} of {allowance}");
            // The clock stood still then since the first look was due.
            let first = (allowance / 4).min(5_000);
            let awake = if took > first { first } else { took };
            assert_eq!(
                stopwatch.awake_for(timing).as_micros(),
                u128::from(awake),
                "{took} of {allowance}"
            );
        }
    }

    /// A machine with one bot and the referee, and a clock that only a test moves on.
    struct ScriptedMachine {
        begun: Instant,
        now: Duration,
        /// How long the bot has run, and has waited for a processor.
        used: Duration,
        waited: Duration,
        is_ready: bool,
        is_counted: bool,
    }

    impl ScriptedMachine {
        fn new() -> Self {
            ScriptedMachine {
                begun: Instant::now(),
                now: Duration::ZERO,
                used: Duration::ZERO,
                waited: Duration::ZERO,
                is_ready: true,
                is_counted: true,
            }
        }

        /// Asks with so much time for the answer.
        fn ask(&self, allowance: Duration) -> Stopwatch {
            let now = self.now();
            let known = Some(Arc::new(self.used_until_now()));
            Stopwatch {
                // What an earlier test on this thread was told is of another machine.
                own: Some(OwnTimes::default()),
                ..Stopwatch::start(now, now + allowance, known)
            }
        }

        /// Time passes in which the bot runs for the first part of it, waits for a processor for the second, and sleeps
        /// for the rest.
        fn pass(&mut self, time: Duration, runs: Duration, waits: Duration) {
            assert!(runs + waits <= time);
            self.now += time;
            self.used += runs;
            self.waited += waits;
        }

        fn used_until_now(&self) -> Used {
            Used::of(self.begun + self.now, &[(7, self.used)])
        }
    }

    impl UsageReader for ScriptedMachine {
        fn now(&self) -> Instant {
            self.begun + self.now
        }

        fn usage(&self) -> Option<Usage> {
            let (used, referee) = (self.used_until_now(), OwnTimes::default());
            Some(Usage::of(used, self.waited, referee))
        }

        fn used(&self) -> Option<Used> {
            Some(self.used_until_now())
        }

        fn is_counted(&self) -> bool {
            self.is_counted
        }

        fn ready_to_run(&self) -> bool {
            self.is_ready
        }
    }

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    const ALLOWANCE: Duration = ms(400);

    /// The most steps of a simulation: it does not end, if it takes more.
    const MAX_STEPS: usize = 100_000;

    /// Rings whenever it is to, until the answer comes or the time is up. In each step of a millisecond the bot runs,
    /// waits or sleeps as `step` says; the answer comes when it has run for so long.
    fn asked(
        machine: &mut ScriptedMachine,
        answers_after: Duration,
        step: fn(u64) -> [u64; 2],
    ) -> AskOutcome {
        let mut stopwatch = machine.ask(ALLOWANCE);
        let used = machine.used;
        for number in 0..MAX_STEPS {
            if machine.used - used >= answers_after {
                let timing = stopwatch.stop(machine);
                return AskOutcome::Answered(stopwatch.in_doubt(timing, machine, None));
            }
            let [runs, waits] = step(number as u64).map(Duration::from_micros);
            machine.pass(ms(1), runs, waits);
            if machine.now() >= stopwatch.next {
                match stopwatch.ring(machine, None) {
                    TimerOutcome::Again(next) => assert!(next >= machine.now(), "it goes on"),
                    TimerOutcome::Late(_) => return AskOutcome::Late(stopwatch.stop(machine)),
                    TimerOutcome::Starved => return AskOutcome::Starved(stopwatch.stop(machine)),
                }
            }
        }
        panic!("neither an answer nor an end: {stopwatch:?}");
    }

    /// What came of a question.
    #[derive(Debug)]
    enum AskOutcome {
        Answered(Timing),
        Late(Timing),
        Starved(Timing),
    }

    #[test]
    fn a_clock_stands_still_while_the_machine_is_busy_with_others() {
        // A sixth of a processor is the bot's, in slices of 3 ms.
        let shared = |at: u64| {
            if (at / 3).is_multiple_of(6) {
                [1_000, 0]
            } else {
                [0, 1_000]
            }
        };
        let AskOutcome::Answered(timing) = asked(&mut ScriptedMachine::new(), ms(150), shared)
        else {
            panic!("it is in time by its own clock")
        };
        assert!(timing.wall > ms(800), "{timing:?}");
        assert_eq!(timing.cpu, Some(ms(150)));
        // Until the first look, nobody knows whether it waited.
        assert!(timing.charged >= ms(150), "{timing:?}");
        assert!(timing.charged <= ms(150) + FIRST_LOOK, "{timing:?}");
    }

    #[test]
    fn a_bot_that_gets_no_processor_at_all_is_not_late() {
        let mut machine = ScriptedMachine::new();
        let AskOutcome::Starved(timing) = asked(&mut machine, ms(150), |_| [0, 1_000]) else {
            panic!("it has not run")
        };
        let most = ALLOWANCE * MAX_STRETCH;
        assert!(
            timing.wall >= most && timing.wall <= most + ms(1_000),
            "{timing:?}"
        );
    }

    #[test]
    fn a_busy_machine_excuses_neither_sleep_nor_endless_work() {
        // It sleeps; it computes with a third of a processor.
        let sleeps = |_: u64| [0_u64, 0];
        let computes = |at: u64| {
            if at.is_multiple_of(3) {
                [1_000, 0]
            } else {
                [0, 1_000]
            }
        };
        for (step, is_ready) in [(sleeps as fn(u64) -> [u64; 2], false), (computes, true)] {
            let mut machine = ScriptedMachine {
                is_ready,
                ..ScriptedMachine::new()
            };
            match asked(&mut machine, Duration::MAX, step) {
                AskOutcome::Late(timing) => {
                    assert!(timing.charged >= ALLOWANCE, "{timing:?}");
                    assert!(timing.charged <= ALLOWANCE + ms(50), "{timing:?}");
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn who_has_processes_that_nobody_can_count_is_excused_nothing() {
        let mut machine = ScriptedMachine {
            is_counted: false,
            ..ScriptedMachine::new()
        };
        let shared = |at: u64| {
            if at.is_multiple_of(6) {
                [1_000, 0]
            } else {
                [0, 1_000]
            }
        };
        match asked(&mut machine, ms(150), shared) {
            AskOutcome::Late(timing) => assert_eq!(timing.charged, timing.wall),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_a_bot_takes_back_is_no_lateness_of_the_referee() {
        // It waits for a processor, runs, and takes back what was withheld from it: its threads have waited for
        // nothing.
        let mut machine = ScriptedMachine::new();
        let mut stopwatch = machine.ask(ALLOWANCE);
        while machine.now < ms(600) {
            machine.pass(
                ms(1),
                Duration::from_micros(500),
                Duration::from_micros(500),
            );
            if machine.now() >= stopwatch.next {
                assert!(matches!(
                    stopwatch.ring(&machine, None),
                    TimerOutcome::Again(_)
                ));
            }
        }
        machine.waited = Duration::ZERO;
        let by = loop {
            let left = stopwatch.next - machine.now();
            machine.pass(left, left, Duration::ZERO);
            match stopwatch.ring(&machine, None) {
                TimerOutcome::Again(_) => {}
                TimerOutcome::Late(by) => break by,
                TimerOutcome::Starved => panic!("it has run"),
            }
        };
        let over = stopwatch.stop(&machine).charged - ALLOWANCE;
        assert!(over >= ms(200), "{over:?}");
        assert_eq!(by, Duration::ZERO);
    }

    #[test]
    fn who_was_found_late_has_spent_its_time_though_a_wait_shows_afterwards() {
        let mut machine = ScriptedMachine {
            is_ready: false,
            ..ScriptedMachine::new()
        };
        let mut stopwatch = machine.ask(ALLOWANCE);
        loop {
            let left = stopwatch.next - machine.now();
            machine.pass(left, Duration::ZERO, Duration::ZERO);
            if let TimerOutcome::Late(_) = stopwatch.ring(&machine, None) {
                break;
            }
        }
        // Its thread waited for a processor when the time was up, and gets one now.
        machine.pass(ms(1), Duration::ZERO, Duration::ZERO);
        machine.waited += ms(30);
        let timing = stopwatch.stop(&machine);
        assert_eq!(timing.charged, ALLOWANCE, "{timing:?}");
    }

    #[test]
    fn a_referee_that_was_kept_from_running_is_late_itself() {
        let mut machine = ScriptedMachine {
            is_ready: false,
            ..ScriptedMachine::new()
        };
        let mut stopwatch = machine.ask(ALLOWANCE);
        // It looks first when it is to, and then not for half a minute. The bot sleeps.
        machine.pass(FIRST_LOOK, Duration::ZERO, Duration::ZERO);
        assert!(matches!(
            stopwatch.ring(&machine, None),
            TimerOutcome::Again(_)
        ));
        machine.pass(ms(30_000), Duration::ZERO, Duration::ZERO);
        let TimerOutcome::Late(by) = stopwatch.ring(&machine, None) else {
            panic!("it is late")
        };
        assert!(by >= ms(29_000), "{by:?}");
    }

    #[test]
    fn who_keeps_the_referee_from_waking_is_charged_with_what_it_used() {
        let mut machine = ScriptedMachine::new();
        let before = machine.used_until_now();
        let stopwatch = machine.ask(ms(100));
        let timing = |wall| Timing {
            charged: wall,
            wall,
            ..Timing::default()
        };
        // Nobody looked for 400 ms. It used nothing meanwhile, and gets what was left of its time.
        machine.pass(ms(400), Duration::ZERO, Duration::ZERO);
        let doubtful = stopwatch.in_doubt(timing(ms(400)), &machine, Some(&before));
        assert_eq!(doubtful.charged, FIRST_LOOK);
        // It computed, which nobody excuses.
        machine.pass(ms(120), ms(120), Duration::ZERO);
        let doubtful = stopwatch.in_doubt(timing(ms(520)), &machine, Some(&before));
        assert_eq!(doubtful.charged, ms(120));
    }

    /// What a process has used, in milliseconds; one that seems to have used less than another is another one.
    fn used_of(begun: Instant, ms: [u64; 3], than: u64) -> Usage {
        let [at, cpu, delay] = ms;
        let mut usage = Usage::of_ms(begun, [at, cpu, delay, 0, 0]);
        if cpu < than {
            let cpu = Duration::from_millis(cpu);
            usage.used = Used::of(usage.used.at, &[(8, cpu)]);
        }
        usage
    }

    /// A stopwatch that was looked at first 20 ms after the question, and again when the answer came.
    fn looked_at(
        known: Option<u64>,
        was_ready: bool,
        first: [u64; 2],
        last: [u64; 3],
    ) -> Stopwatch {
        let begun = Instant::now();
        let ([cpu, delay], [_, last_cpu, _]) = (first, last);
        // Where processes took along what they used.
        let number = |known: u64| if known > cpu { 9 } else { 7 };
        let known = known.map(|known| {
            let used = Duration::from_millis(known);
            Arc::new(Used::of(begun, &[(number(known), used)]))
        });
        let mut stopwatch = Stopwatch::start(begun, begun + Duration::from_secs(1), known);
        stopwatch.first = Some(Box::new(used_of(begun, [20, cpu, delay], 0)));
        let another = if last_cpu < cpu { cpu } else { 0 };
        stopwatch.last = Some(Box::new(used_of(begun, last, another)));
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
            let timing = stopwatch.timing(Duration::from_millis(last[0]));
            assert_eq!(
                timing.charged,
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
                    let timing = stopwatch.timing(Duration::from_millis(100));
                    let used = Duration::from_millis(used.min(80));
                    assert!(
                        timing.charged >= used,
                        "{known:?} {waited} {used:?}: {timing:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_the_thread_did_beside_is_not_charged_but_what_was_used_is() {
        for (used, aside, charged) in [(30, 0, 100), (30, 25, 75), (90, 25, 90), (30, 95, 30)] {
            let mut stopwatch = looked_at(Some(90), false, [90, 0], [100, 90 + used, 0]);
            stopwatch.others_rang(ms(aside));
            let timing = stopwatch.spent_at_least(ms(100 - aside), ms(100));
            assert_eq!(timing.charged, ms(charged), "{used} {aside}");
        }
    }

    #[test]
    fn what_is_known_of_a_bot_is_what_was_counted() {
        let mut stopwatch = looked_at(Some(100), true, [100, 40], [120, 150, 110]);
        stopwatch.counted = false;
        assert_eq!(
            stopwatch
                .timing(Duration::from_millis(120))
                .charged
                .as_millis(),
            120
        );
        let used = stopwatch.into_used().unwrap();
        assert_eq!(used.total(), Duration::from_millis(150));
        let begun = Instant::now();
        let unseen = Stopwatch::start(begun, begun, None);
        assert!(unseen.into_used().is_none());
    }
}
