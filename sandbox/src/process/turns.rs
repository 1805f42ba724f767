//! Whose turn it is among the bots of a match, and that nobody computes on another's.
//!
//! A bot that waits for its turn reads, and uses no processor. Only while somebody thinks for long are the
//! others looked at; one that is seen computing is stopped from then on whenever it is not its turn. Bots
//! that keep still are never touched.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

use crate::cores::processors;
use crate::jail::cgroup::Account;
use crate::lock::lock;
use crate::process::affinity::Placement;
use crate::process::stopwatch::UsageReader;
use crate::process::usage::{FIRST_LOOK, ProcessRoot, Usage, Used};

/// How much of the processors a bot may use in all on others' turns, as far as it is looked at: runtimes
/// clean up after an answer.
pub const IDLE_ALLOWANCE: Duration = Duration::from_millis(6);

/// And beyond that, this part of the time of which it was seen.
const IDLE_PART: u32 = 20;

/// How much a bot may use, after it was seen and stopped, on others' turns in all, and [`FIRST_LOOK`] more for each
/// of them: its stop is on its way for a moment. One that finds ways around it is ended.
pub const DEFIANCE_ALLOWANCE: Duration = Duration::from_millis(250);

/// How long it is looked at others at a time; who is begun with is looked at to the end. A bot can make it take
/// long, by many processes, and somebody else is thinking meanwhile.
const LOOKING: Duration = Duration::from_millis(1);

/// How often one that rests is looked at though looking at those that play took all the time.
const RESTING_EVERY: usize = 4;

/// How soon after a ring is read what came meanwhile.
const JUST_NOW: Duration = Duration::from_millis(1);

/// How many looks there were, of all companies.
static LOOKS: AtomicU64 = AtomicU64::new(1);

/// The bots of one match, who take turns, and those that rest beside it.
#[derive(Clone, Debug, Default)]
pub struct PonderGuard(Arc<Mutex<Members>>);

#[derive(Debug, Default)]
struct Members {
    /// Whether they may compute on the turns of others.
    may_ponder: bool,
    playing: Vec<Weak<TurnAccounting>>,
    resting: Vec<Weak<TurnAccounting>>,
    /// Who of those that play is looked at next.
    next: usize,
    looks: usize,
    /// How many stopwatches of its bots rang, and when and for how long the last one kept the thread of all.
    rings: u64,
    rang: Option<(Instant, Duration)>,
    /// When one of them was stopped or ended last because another had to wait.
    hushed: Option<Instant>,
}

impl PonderGuard {
    /// A guard whose bots may compute on the turns of others.
    #[must_use]
    pub fn that_ponders() -> Self {
        let ponder_guard = PonderGuard::default();
        lock(&ponder_guard.0).may_ponder = true;
        ponder_guard
    }

    /// Whether its bots may compute on the turns of others.
    pub fn may_ponder(&self) -> bool {
        lock(&self.0).may_ponder
    }

    /// Stops all whose turn it is not, until it is: the machine does not let another one run. That holds for
    /// those as well that may compute then.
    pub fn hush(&self) {
        let mut members = lock(&self.0);
        let playing: Vec<_> = members.playing.iter().filter_map(Weak::upgrade).collect();
        let others = playing.iter().filter(|bot| !bot.is_own());
        if others.filter(|bot| bot.stop()).count() > 0 {
            members.hushed = Some(Instant::now());
        }
    }

    /// One of them has ended for a fault: it keeps nobody waiting from now on.
    pub(crate) fn has_lost_one(&self) {
        lock(&self.0).hushed = Some(Instant::now());
    }

    /// When one of them was stopped or ended last because another had to wait.
    pub(crate) fn hushed(&self) -> Option<Instant> {
        lock(&self.0).hushed
    }

    /// Looks at those whose turn it is not, and stops those that compute; and at one of those that rest, for
    /// they are stopped.
    pub(crate) fn look(&self) {
        self.look_for(LOOKING);
    }

    fn look_for(&self, most: Duration) {
        let begun = Instant::now();
        let mut members = lock(&self.0);
        if members.may_ponder {
            return;
        }
        let all = members.playing.len();
        members.looks += 1;
        let mut is_time = true;
        for _ in 0..all {
            let at = members.next % all;
            members.next = at + 1;
            let looked = members.playing[at].upgrade().is_some_and(|bot| bot.look());
            // To pass over those whose turn it is takes no time.
            if looked && begun.elapsed() >= most {
                is_time = false;
                break;
            }
        }
        if is_time || members.looks.is_multiple_of(RESTING_EVERY) {
            let resting = members.resting.iter().filter_map(Weak::upgrade);
            // A match may be too short to look at all of them.
            if let Some(bot) = resting.min_by_key(|bot| bot.looked.load(Ordering::Relaxed)) {
                bot.look();
            }
        }
    }

    pub(crate) fn join(&self, turns: &Arc<TurnAccounting>) {
        lock(&self.0).playing.push(Arc::downgrade(turns));
    }

    /// For one that waits for its next match.
    pub(crate) fn rest_beside(&self, turns: &Arc<TurnAccounting>) {
        lock(&self.0).resting.push(Arc::downgrade(turns));
    }

    /// A stopwatch of one of its bots rang, and kept the thread of all for so long until now.
    pub(crate) fn rang(&self, now: Instant, took: Duration) {
        let mut members = lock(&self.0);
        members.rings += 1;
        members.rang = Some((now, took));
    }

    /// How many stopwatches rang.
    pub(crate) fn rings(&self) -> u64 {
        lock(&self.0).rings
    }

    /// How long one rang just now, after so many had: what is read now may have come meanwhile.
    pub(crate) fn rang_since(&self, rings: u64, now: Instant) -> Duration {
        let members = lock(&self.0);
        let since = members.rang.filter(|_| members.rings > rings);
        let just_now = since.filter(|(at, _)| now.saturating_duration_since(*at) < JUST_NOW);
        just_now.map_or(Duration::ZERO, |(_, took)| took)
    }
}

/// The turns of a process.
pub(crate) struct TurnAccounting {
    root: ProcessRoot,
    /// What counts all that it uses, where the machine has that; looked for when it is wanted first.
    account: OnceLock<Option<Account>>,
    stopper: Stopper,
    /// Where it is kept, if it is to be.
    placement: Option<Placement>,
    /// Whether it is its turn now.
    own: AtomicBool,
    /// How long its turns have taken together, in nanoseconds.
    took: AtomicU64,
    /// How many of its turns are over.
    over: AtomicU32,
    /// Whether it was seen computing on others' turns.
    seen: AtomicBool,
    stopped: AtomicBool,
    /// Whether it was seen with more than one process since its turn began. Children that the kernel reaps by
    /// itself are counted nowhere, so that nobody can tell any more what such a bot has used.
    crowd: AtomicBool,
    /// Which of all looks was the last one at it.
    looked: AtomicU64,
    idle: Mutex<OffTurnUsage>,
}

/// What was seen of it on others' turns.
#[derive(Debug, Default)]
struct OffTurnUsage {
    last: Option<UsageSample>,
    used: Duration,
    watched: Duration,
    /// What it used after it was seen.
    defied: Duration,
    /// Between how many of its turns it was looked at.
    spells: u32,
    /// Whether between the last two looks, in the same spell, processes came or went.
    was_open: bool,
}

/// A look at it on others' turns.
#[derive(Debug)]
struct UsageSample {
    /// How many of its turns were over, and how long they had taken.
    over: u32,
    took: Duration,
    /// What it had used.
    used: Used,
}

/// What the processes of a bot are to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SuspendOrder {
    Stop,
    GoOn,
    End,
}

/// Has the processes of a bot do it. It does not fail: where the bot has ended there is nothing to stop.
pub(crate) type Stopper = Box<dyn Fn(SuspendOrder) + Send + Sync>;

impl UsageReader for TurnAccounting {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn usage(&self) -> Option<Usage> {
        let usage = self.root.usage(self.account());
        self.count(usage.as_ref().map(|usage| &usage.used));
        usage
    }

    fn used(&self) -> Option<Used> {
        let used = self.root.used(self.account());
        self.count(used.as_ref());
        used
    }

    fn ready_to_run(&self) -> bool {
        self.root.ready_to_run()
    }

    /// So that it can be told from what the machine withheld.
    fn is_counted(&self) -> bool {
        !self.crowd.load(Ordering::Relaxed)
    }
}

impl TurnAccounting {
    /// Of a bot that is starting, which is its turn.
    pub(crate) fn new(
        root: ProcessRoot,
        placement: Option<Placement>,
        stopper: Stopper,
    ) -> Arc<Self> {
        Arc::new(TurnAccounting {
            root,
            account: OnceLock::new(),
            stopper,
            placement,
            own: AtomicBool::new(true),
            took: AtomicU64::new(0),
            over: AtomicU32::new(0),
            seen: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            crowd: AtomicBool::new(false),
            looked: AtomicU64::new(0),
            idle: Mutex::default(),
        })
    }

    /// It did not start everywhere, as it is to.
    pub(crate) fn starts_everywhere(&self) {
        if let Some(placement) = &self.placement {
            placement.starts_everywhere(self.root);
        }
    }

    /// It plays in a match, or waits for its next.
    pub(crate) fn plays(&self, plays: bool) {
        if let Some(placement) = &self.placement {
            placement.plays(plays);
        }
    }

    /// It has answered: now and then it is looked at how many threads it has.
    pub(crate) fn answered(&self) {
        if let Some(placement) = &self.placement {
            placement.answered(self.root);
        }
    }

    fn account(&self) -> Option<&Account> {
        let ProcessRoot::Below(first) = self.root else {
            return None;
        };
        self.account.get_or_init(|| Account::of(first)).as_ref()
    }

    fn count(&self, used: Option<&Used>) {
        if used.is_none_or(|used| used.processes() > 1) {
            self.crowd.store(true, Ordering::Relaxed);
        }
        if let Some(placement) = &self.placement {
            // Too many to look at are many.
            let threads = used.map_or(usize::MAX, |used| used.threads);
            placement.seen_with(self.root, threads);
        }
    }

    /// It is stopped until its next turn.
    pub(crate) fn pause(&self) {
        self.own.store(false, Ordering::Relaxed);
        self.over.fetch_add(1, Ordering::Relaxed);
        // What it used since it was looked at last was for the end of a match.
        lock(&self.idle).last = None;
        self.stop();
    }

    /// Whether it is its turn.
    fn is_own(&self) -> bool {
        self.own.load(Ordering::Relaxed)
    }

    /// Its turn begins.
    pub(crate) fn begin(&self) {
        self.own.store(true, Ordering::Relaxed);
        self.crowd.store(false, Ordering::Relaxed);
        if self.stopped.swap(false, Ordering::Relaxed) {
            (self.stopper)(SuspendOrder::GoOn);
        }
    }

    /// Its turn is over, which took so long.
    pub(crate) fn end(&self, took: Duration) {
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.own.store(false, Ordering::Relaxed);
        self.over.fetch_add(1, Ordering::Relaxed);
        self.took.fetch_add(took, Ordering::Relaxed);
        if self.seen.load(Ordering::Relaxed) {
            self.stop();
        }
    }

    /// It is ended for a fault.
    pub(crate) fn fall(&self) {
        self.own.store(false, Ordering::Relaxed);
        (self.stopper)(SuspendOrder::End);
    }

    /// Says whether it was not stopped before.
    fn stop(&self) -> bool {
        let before = self.stopped.swap(true, Ordering::Relaxed);
        (self.stopper)(SuspendOrder::Stop);
        !before
    }

    /// Looks at it on others' turns; false: it is its own.
    fn look(&self) -> bool {
        if self.is_own() {
            return false;
        }
        self.looked
            .store(LOOKS.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        if let Some(now) = self.used() {
            self.judge(now);
        }
        true
    }

    /// What follows from what it has used until now, which is others' turn.
    fn judge(&self, now: Used) {
        // One that rests between matches is stopped though it was not seen.
        let seen = self.seen() || self.stopped.load(Ordering::Relaxed);
        let mut idle = lock(&self.idle);
        idle.count(self.look_with(now), seen);
        if idle.defies() {
            tracing::warn!(used = ?idle.defied,
                "a bot computes on the turns of others though it is stopped there, and is ended");
            (self.stopper)(SuspendOrder::End);
        } else if seen {
            // It may have found a way to go on.
            self.stop();
        } else if idle.used > IDLE_ALLOWANCE + idle.watched / IDLE_PART {
            self.seen.store(true, Ordering::Relaxed);
            tracing::info!(used = ?idle.used, watched = ?idle.watched,
                "a bot computes on the turns of others, and is stopped there from now on");
            self.stop();
        }
    }

    fn look_with(&self, used: Used) -> UsageSample {
        UsageSample {
            over: self.over.load(Ordering::Relaxed),
            took: Duration::from_nanos(self.took.load(Ordering::Relaxed)),
            used,
        }
    }

    /// Whether it was seen computing on others' turns.
    pub(crate) fn seen(&self) -> bool {
        self.seen.load(Ordering::Relaxed)
    }

    /// How much CPU time it was seen to use on others' turns.
    pub(crate) fn pondered(&self) -> Duration {
        let idle = lock(&self.idle);
        idle.used + idle.defied
    }

    /// Whether it was ended because it computed there though it was stopped.
    pub(crate) fn defied(&self) -> bool {
        lock(&self.idle).defies()
    }
}

impl OffTurnUsage {
    /// Counts what was used between the last look and this one, by a bot that was seen before or was not.
    fn count(&mut self, now: UsageSample, seen: bool) {
        if let Some(last) = self.last.take() {
            let time = now.used.at - last.used.at;
            let since = now.used.since(&last.used);
            let used = since.used.min(time * processors());
            if now.over != last.over {
                self.spells += 1;
                self.was_open = false;
                // In its own turns it may have run on all processors; and nobody looks at the first moments of
                // the turns between. One that is stopped was stopped at the end of each.
                let own = now.took.saturating_sub(last.took);
                let free = own * processors() + FIRST_LOOK * now.over.saturating_sub(last.over);
                if !seen {
                    self.used += used.saturating_sub(free);
                    self.watched += time.saturating_sub(own);
                }
            } else if seen {
                // What is stopped starts nothing, and what such processes use may be counted nowhere. At first its
                // stop may be on its way.
                let open = match (since.is_open, self.was_open) {
                    (false, _) => Duration::ZERO,
                    (true, false) => time / 4,
                    (true, true) => time,
                };
                self.defied += used + open;
                self.was_open = since.is_open;
            } else {
                // Who waits starts nothing, and what processes use that come and go may be counted nowhere.
                if since.is_open {
                    self.used += 2 * (IDLE_ALLOWANCE + self.watched / IDLE_PART);
                }
                self.used += used;
                self.watched += time;
            }
        }
        self.last = Some(now);
    }

    /// Whether it goes on though it is stopped. A stop may come late each time.
    fn defies(&self) -> bool {
        self.defied > DEFIANCE_ALLOWANCE + FIRST_LOOK * self.spells
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};
    use std::thread;

    use super::*;

    /// Stops nobody, and notes when it is to end the bot.
    fn idler(ended: Arc<AtomicBool>) -> Stopper {
        Box::new(move |order| {
            ended.fetch_or(order == SuspendOrder::End, Ordering::Relaxed);
        })
    }

    /// The turns of this process.
    fn of_this_process() -> Arc<TurnAccounting> {
        TurnAccounting::new(
            ProcessRoot::Bot(std::process::id()),
            None,
            idler(Arc::default()),
        )
    }

    /// This process, on others' turn.
    fn idle() -> Arc<TurnAccounting> {
        let turns = of_this_process();
        turns.pause();
        turns
    }

    fn was_looked_at(turns: &TurnAccounting) -> bool {
        turns.idle.lock().unwrap().last.take().is_some()
    }

    #[test]
    fn who_takes_long_to_look_at_keeps_nobody_from_being_looked_at() {
        let ponder_guard = PonderGuard::default();
        let all: Vec<_> = (0..4).map(|_| idle()).collect();
        all[..2].iter().for_each(|turns| ponder_guard.join(turns));
        all[2..]
            .iter()
            .for_each(|turns| ponder_guard.rest_beside(turns));
        let look_for = |most| {
            ponder_guard.look_for(most);
            (0..4)
                .filter(|&of| was_looked_at(&all[of]))
                .collect::<Vec<_>>()
        };
        // Who is begun with takes all the time; now and then one that rests has its turn nevertheless.
        let seen: Vec<_> = (0..8).map(|_| look_for(Duration::ZERO)).collect();
        let due: [&[usize]; 8] = [&[0], &[1], &[0], &[1, 2], &[0], &[1], &[0], &[1, 3]];
        assert_eq!(seen, due);
        // With time enough all that play are looked at, and one that rests.
        let enough = Duration::MAX;
        assert_eq!(look_for(enough), [0, 1, 2]);
        assert_eq!(look_for(enough), [0, 1, 3]);
        // In the next match it goes on with who was looked at longest ago.
        let next = PonderGuard::default();
        all[2..].iter().for_each(|turns| next.rest_beside(turns));
        next.look();
        assert!(was_looked_at(&all[2]) && !was_looked_at(&all[3]));
        // Whose turn it is is looked at by nobody here.
        all[0].begin();
        assert_eq!(look_for(Duration::ZERO), [1]);
        assert_eq!(look_for(enough), [1, 3]);
        // Nobody is left, or was ever there.
        drop(all);
        ponder_guard.look();
        PonderGuard::default().look();
    }

    #[test]
    fn a_ring_of_another_is_told_once_and_soon() {
        let (ponder_guard, took) = (PonderGuard::default(), Duration::from_millis(7));
        let now = Instant::now();
        assert_eq!(ponder_guard.rang_since(0, now), Duration::ZERO);
        let before = ponder_guard.rings();
        ponder_guard.rang(now, took);
        let soon = now + JUST_NOW / 2;
        assert_eq!(ponder_guard.rang_since(before, soon), took);
        // Who has waited since then was kept from nothing.
        let rings = ponder_guard.rings();
        assert_eq!(ponder_guard.rang_since(rings, soon), Duration::ZERO);
        let later = now + JUST_NOW;
        assert_eq!(ponder_guard.rang_since(before, later), Duration::ZERO);
    }

    #[test]
    fn who_computes_in_many_short_turns_of_others_is_seen() {
        let begun = Instant::now();
        // Each time between two of its turns it is looked at once, after 12 ms.
        for (used, is_seen) in [(12, true), (4, false)] {
            let mut idle = OffTurnUsage::default();
            let seen = (1..=20).any(|over| {
                let used = Duration::from_millis(used) * over;
                let at = begun + Duration::from_millis(12) * over;
                let used = Used::of(at, &[(7, used)]);
                let took = Duration::ZERO;
                idle.count(UsageSample { over, took, used }, false);
                idle.used > IDLE_ALLOWANCE + idle.watched / IDLE_PART
            });
            assert_eq!(seen, is_seen, "{idle:?}");
        }
    }

    #[test]
    fn who_computes_on_others_turns_is_stopped_there_and_who_goes_on_is_ended() {
        let begun = Instant::now();
        let ended = Arc::new(AtomicBool::new(false));
        let turns = TurnAccounting::new(ProcessRoot::Bot(0), None, idler(Arc::clone(&ended)));
        let (look, turn) = (Duration::from_millis(15), Duration::from_millis(100));
        let (mut now, mut used) = (Duration::ZERO, Duration::ZERO);
        let mut turns_of_others = 0;
        while !ended.load(Ordering::Relaxed) {
            // Its own turn is short. It computes without a pause in another's, whoever stops it.
            turns.begin();
            now += look;
            turns.end(look);
            turns_of_others += 1;
            let mut left = turn;
            while !left.is_zero() && !ended.load(Ordering::Relaxed) {
                (now, used, left) = (now + look, used + look, left.saturating_sub(look));
                turns.judge(Used::of(begun + now, &[(7, used)]));
            }
            assert!(turns.seen() && turns.stopped.load(Ordering::Relaxed));
        }
        // Of what it could have used, that is nearly nothing of a long match.
        // Between two looks, and until the first one of a turn, nobody knows.
        let most = IDLE_ALLOWANCE + DEFIANCE_ALLOWANCE + (FIRST_LOOK + look) * turns_of_others;
        let most = most + 2 * look;
        assert!(
            turns.defied() && used <= most,
            "{used:?} in {turns_of_others} turns"
        );
    }

    #[test]
    fn when_somebody_has_to_wait_all_others_are_stopped_until_their_turn() {
        for ponder_guard in [PonderGuard::default(), PonderGuard::that_ponders()] {
            let all = [of_this_process(), of_this_process()];
            all.iter().for_each(|turns| ponder_guard.join(turns));
            // Both think.
            ponder_guard.hush();
            assert!(ponder_guard.hushed().is_none());
            all[1].end(Duration::ZERO);
            ponder_guard.hush();
            let stopped = |turns: &TurnAccounting| turns.stopped.load(Ordering::Relaxed);
            assert!(!stopped(&all[0]) && stopped(&all[1]));
            // The wait of the first one counts from here on, and is not begun anew for who is stopped.
            let hushed = ponder_guard.hushed().unwrap();
            ponder_guard.hush();
            assert_eq!(ponder_guard.hushed(), Some(hushed));
            assert!(!all[1].seen());
            all[1].begin();
            assert!(!stopped(&all[1]));
            ponder_guard.has_lost_one();
            assert!(ponder_guard.hushed().unwrap() > hushed);
        }
    }

    #[test]
    fn who_is_stopped_and_starts_processes_is_ended_though_they_use_nothing() {
        let pause = DEFIANCE_ALLOWANCE / 4;
        for (starts, ends) in [(false, false), (true, true)] {
            let mut command = Command::new("/bin/sh");
            command.args([
                "-c",
                "while read x; do sleep 100 & all=\"$all $!\"; echo; done; [ -z \"$all\" ] || kill $all; wait",
            ]);
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut bot = command.spawn().unwrap();
            let mut orders = bot.stdin.take().unwrap();
            let mut done = BufReader::new(bot.stdout.take().unwrap()).lines();
            let ended = Arc::default();
            let stopper = idler(Arc::clone(&ended));
            let turns = TurnAccounting::new(ProcessRoot::Bot(bot.id()), None, stopper);
            turns.pause();
            // At each look, there is another process than at the one before.
            for _ in 0..9 {
                turns.look();
                if starts {
                    orders.write_all(b"x\n").unwrap();
                    done.next().unwrap().unwrap();
                }
                thread::sleep(pause);
            }
            assert_eq!(ended.load(Ordering::Relaxed), ends);
            drop(orders);
            bot.wait().unwrap();
        }
    }
}
