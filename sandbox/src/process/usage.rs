//! What the kernel tells of a bot's processes: how long they ran, and how long they were ready to run and
//! had to wait for a processor.
//!
//! A control group of the bot's own counts all that its processes use, whatever becomes of them. Without
//! one, each process is counted by itself: the time of one that vanished is in nobody's figures any more,
//! or in those of another, so that a sum over all of them would fall.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::jail::cgroup::Account;
use crate::proc_file::read;

/// When it is first looked at what a bot uses; with little time for its answer, sooner.
pub const FIRST_LOOK: Duration = Duration::from_millis(5);

/// The most threads that are looked at: no bot in a jail may have more.
const MAX_THREADS: usize = 256;

/// The flag of a process that is ending, in its `stat` (`PF_EXITING`).
const EXITING: u64 = 4;

/// Where the processes of a bot are found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ProcessRoot {
    /// This one is the first of them.
    Bot(u32),
    /// They are the children of this one, the first of a jail, and their children.
    Below(u32),
}

/// What the processes of a bot have used until a moment.
#[derive(Clone, Debug)]
pub(crate) struct Used {
    /// The moment.
    pub(crate) at: Instant,
    /// All that was ever used in the bot's control group, where it has one that counts this.
    group: Option<Duration>,
    /// What init of the jail has reaped.
    first_reaped: Duration,
    /// By number, the processes that there are.
    members: BTreeMap<u32, Member>,
    /// How many threads they have together.
    pub(crate) threads: usize,
}

/// One of the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Member {
    /// When it began, in ticks of the system: numbers are given again.
    began: u64,
    /// How long it has run with all its threads, and the children that it has reaped, with theirs.
    clock: Duration,
    reaped: Duration,
    /// Whether it has ended, or does nothing else any more.
    ends: bool,
}

/// What was used between two moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UsageDelta {
    /// The time on the processors, as far as it is known.
    pub(crate) used: Duration,
    /// Whether a process came or went whose time may be counted nowhere.
    pub(crate) is_open: bool,
}

/// The same, and how long they and the referee waited.
#[derive(Clone, Debug)]
pub(crate) struct Usage {
    pub(crate) used: Used,
    /// By thread, how long it was ready to run and waited for a processor. A wait that lasts is not in it.
    delays: BTreeMap<u32, Duration>,
    pub(crate) own: OwnTimes,
}

/// How long the thread that asks was ready to run and waited for a processor, and how long it has run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnTimes {
    pub(crate) delay: Duration,
    pub(crate) cpu: Duration,
}

impl ProcessRoot {
    /// What they have used until now; nothing where the kernel does not tell.
    pub(crate) fn used(self, account: Option<&Account>) -> Option<Used> {
        self.count(account, |_, _| {})
    }

    /// The same with how long they waited, which takes longer to learn.
    pub(crate) fn usage(self, account: Option<&Account>) -> Option<Usage> {
        let mut delays = BTreeMap::new();
        let used = self.count(account, |process, threads| {
            for &thread in threads {
                let delay = delay(&format!("/proc/{process}/task/{thread}/schedstat"));
                delays.insert(thread, delay.unwrap_or_default());
            }
        })?;
        Some(Usage {
            used,
            delays,
            own: OwnTimes::now()?,
        })
    }

    fn count(self, account: Option<&Account>, mut each: impl FnMut(u32, &[u32])) -> Option<Used> {
        let first_reaped = match self {
            ProcessRoot::Bot(_) => Duration::ZERO,
            ProcessRoot::Below(first) => Stat::of(first)?.reaped(),
        };
        let (mut members, mut all_threads) = (BTreeMap::new(), 0);
        let whole = self.each_process(|process, threads, stat| {
            all_threads += threads.len();
            members.insert(process, Member::of(process, threads, stat));
            each(process, threads);
        });
        whole.then(|| Used {
            at: Instant::now(),
            group: account.and_then(Account::used),
            first_reaped,
            members,
            threads: all_threads,
        })
    }

    /// The numbers of all their threads; nothing where there are too many to look at.
    pub(crate) fn threads(self) -> Option<Vec<u32>> {
        let mut all = Vec::new();
        let whole = self.each_process(|_, threads, _| all.extend_from_slice(threads));
        whole.then_some(all)
    }

    /// The same of up to so many threads.
    pub(crate) fn threads_up_to(self, most: usize) -> Vec<u32> {
        let mut all = Vec::new();
        self.each_process_up_to(most, |_, threads, _| all.extend_from_slice(threads));
        all
    }

    /// Whether one of their threads is ready to run: it runs, or waits for a processor.
    pub(crate) fn ready_to_run(self) -> bool {
        let mut ready = false;
        self.each_process(|process, threads, _| {
            ready |= threads.iter().any(|thread| {
                let stat = read(&format!("/proc/{process}/task/{thread}/stat"));
                stat.is_some_and(|stat| fields(&stat).is_some_and(|stat| stat.starts_with('R')))
            });
        });
        ready
    }

    /// Visits all processes, each with its threads and its line; false: there are too many.
    fn each_process(self, visit: impl FnMut(u32, &[u32], Option<&Stat>)) -> bool {
        self.each_process_up_to(MAX_THREADS, visit)
    }

    fn each_process_up_to(
        self,
        most: usize,
        mut visit: impl FnMut(u32, &[u32], Option<&Stat>),
    ) -> bool {
        let mut open = match self {
            ProcessRoot::Bot(process) => vec![process],
            ProcessRoot::Below(first) => children(first, first),
        };
        let mut seen = 0;
        while let Some(process) = open.pop() {
            let stat = Stat::of(process);
            let threads = match &stat {
                Some(stat) if stat.has_one_thread() => vec![process],
                _ => threads(process),
            };
            seen += threads.len().max(1);
            if seen > most {
                return false;
            }
            visit(process, &threads, stat.as_ref());
            for &thread in &threads {
                open.extend(children(process, thread));
            }
        }
        true
    }
}

impl Member {
    /// One that is gone already is as one that ends, and was never seen before.
    fn of(process: u32, threads: &[u32], stat: Option<&Stat>) -> Self {
        // While other threads go on, it does not end with its first.
        let ends = |stat: &Stat| threads.len() <= 1 && stat.ends();
        Member {
            began: stat.map_or(0, Stat::began),
            clock: clock(process).unwrap_or_default(),
            reaped: stat.map_or(Duration::ZERO, Stat::reaped),
            ends: stat.is_none_or(ends),
        }
    }

    fn all(&self) -> Duration {
        self.clock + self.reaped
    }
}

impl Used {
    /// How many processes there are.
    pub(crate) fn processes(&self) -> usize {
        self.members.len()
    }

    /// What was used since then. No process can take along what others use: each is compared with itself.
    pub(crate) fn since(&self, earlier: &Used) -> UsageDelta {
        let before = |number: &u32, member: &Member| {
            let before = earlier.members.get(number);
            before.filter(|before| before.began == member.began)
        };
        let mut clocks = Duration::ZERO;
        let mut reaped = self.first_reaped.saturating_sub(earlier.first_reaped);
        let mut is_new = false;
        for (number, member) in &self.members {
            let old = before(number, member);
            is_new |= old.is_none();
            let (clock, children) =
                old.map_or_else(Default::default, |old| (old.clock, old.reaped));
            clocks += member.clock.saturating_sub(clock);
            reaped += member.reaped.saturating_sub(children);
        }
        if let Some((now, then)) = self.group.zip(earlier.group) {
            // What runs now is counted in the group a moment later.
            let used = now.saturating_sub(then);
            let used = if is_new { used } else { used.max(clocks) };
            return UsageDelta {
                used,
                is_open: false,
            };
        }
        let vanished = earlier.members.iter().filter(|(number, member)| {
            self.members
                .get(number)
                .is_none_or(|now| now.began != member.began)
        });
        let (mut known, mut has_lost) = (Duration::ZERO, false);
        for (_, member) in vanished {
            known += member.all();
            has_lost |= !member.ends;
        }
        UsageDelta {
            used: clocks + reaped.saturating_sub(known),
            is_open: is_new || has_lost,
        }
    }

    /// All that was ever used, as far as it is known.
    pub(crate) fn total(&self) -> Duration {
        let all: Duration = self.members.values().map(Member::all).sum();
        self.group.unwrap_or(self.first_reaped + all)
    }

    /// The time on the processors since then, as far as it is known.
    pub(crate) fn cpu_since(&self, earlier: &Used) -> Duration {
        self.since(earlier).used
    }
}

impl Usage {
    /// How much of a time that ends now the machine has kept from the bot: the longest that one of its
    /// threads has waited for a processor since `first`, and that the referee's own has, to read the answer.
    /// A bot whose processes stand in each other's way, or that keeps the referee busy, has no part in it:
    /// what they used together is taken off, but for the time that the referee's thread was `looking`. So
    /// whatever a bot waits for, it is charged with what it used.
    pub(crate) fn run_delay(&self, time: Duration, first: &Usage, looking: Duration) -> Duration {
        let waited = self.delays.iter().map(|(thread, delay)| {
            delay.saturating_sub(first.delays.get(thread).copied().unwrap_or_default())
        });
        let waited = waited.max().unwrap_or_default();
        let waited = waited + self.own.delay.saturating_sub(first.own.delay);
        let own = self.own.cpu.saturating_sub(first.own.cpu);
        let used = self.used.cpu_since(&first.used) + own.saturating_sub(looking);
        waited.min(time.saturating_sub(used))
    }

    /// At so many milliseconds after `began`: the bot has used, and waited, so many, and the referee has.
    #[cfg(test)]
    pub(crate) fn of_ms(began: Instant, ms: [u64; 5]) -> Self {
        let [at, used, waited, delay, cpu] = ms.map(Duration::from_millis);
        let used = Used::of(began + at, &[(7, used)]);
        Usage::of(used, waited, OwnTimes { delay, cpu })
    }

    /// The process 7 has waited for so long.
    #[cfg(test)]
    pub(crate) fn of(used: Used, waited: Duration, own: OwnTimes) -> Self {
        Usage {
            used,
            delays: BTreeMap::from([(7, waited)]),
            own,
        }
    }
}

#[cfg(test)]
impl Used {
    /// The same where the process of this number is another one.
    fn begun_anew(mut self, number: u32) -> Self {
        if let Some(member) = self.members.get_mut(&number) {
            member.began += 1;
        }
        self
    }

    /// By then, processes with these numbers have run so long.
    pub(crate) fn of(at: Instant, processes: &[(u32, Duration)]) -> Self {
        let member = |&(number, clock)| {
            let member = Member {
                began: u64::from(number),
                clock,
                reaped: Duration::ZERO,
                ends: false,
            };
            (number, member)
        };
        Used {
            at,
            group: None,
            first_reaped: Duration::ZERO,
            members: processes.iter().map(member).collect(),
            threads: processes.len(),
        }
    }
}

thread_local! {
    static LAST: Cell<Option<OwnTimes>> = const { Cell::new(None) };
}

impl OwnTimes {
    fn now() -> Option<Self> {
        let times = OwnTimes {
            delay: delay("/proc/thread-self/schedstat")?,
            cpu: own_cpu(),
        };
        LAST.set(Some(times));
        Some(times)
    }

    /// What was told of this thread last.
    pub(crate) fn last() -> Option<Self> {
        LAST.get()
    }

    /// For how long it has run or waited since then.
    pub(crate) fn since(self, earlier: OwnTimes) -> Duration {
        self.delay.saturating_sub(earlier.delay) + self.cpu.saturating_sub(earlier.cpu)
    }
}

/// How long the calling thread has run on a processor.
pub(crate) fn own_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// How long a process has run, with all its threads.
fn clock(process: u32) -> Option<Duration> {
    let mut clock = 0;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    #[expect(
        unsafe_code,
        reason = "what the two calls write to outlives them, and the second takes what the first gave"
    )]
    let told = unsafe {
        libc::clock_getcpuclockid(process.cast_signed(), &raw mut clock) == 0
            && libc::clock_gettime(clock, &raw mut time) == 0
    };
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanos = u32::try_from(time.tv_nsec).ok()?;
    told.then(|| Duration::new(seconds, nanos))
}

/// Whose child a process is.
pub(crate) fn parent(process: u32) -> Option<u32> {
    Stat::of(process)?.number(1)?.try_into().ok()
}

/// What the kernel tells of a process in a line.
pub(crate) struct Stat(String);

impl Stat {
    pub(crate) fn of(process: u32) -> Option<Self> {
        let stat = read(&format!("/proc/{process}/stat"))?;
        fields(&stat).map(|fields| Stat(fields.to_owned()))
    }

    /// A field of proc_pid_stat(5); the state, which is the third there, is number 0 here.
    fn number(&self, at: usize) -> Option<u64> {
        self.0.split_whitespace().nth(at)?.parse().ok()
    }

    /// Whether it has ended and waits to be reaped, or is ending.
    fn ends(&self) -> bool {
        let is_exiting = || self.number(6).is_some_and(|flags| flags & EXITING != 0);
        self.0.starts_with(['Z', 'X']) || is_exiting()
    }

    /// How long it has run, with all its threads; in steps of mostly 10 ms.
    pub(crate) fn ran(&self) -> Duration {
        self.time([11, 12])
    }

    /// How long the children that it has reaped have run, and theirs; in the same steps.
    pub(crate) fn reaped(&self) -> Duration {
        self.time([13, 14])
    }

    /// The sum of two fields in ticks: in the program itself, and in the kernel for it.
    fn time(&self, fields: [usize; 2]) -> Duration {
        let ticks: u64 = fields.iter().filter_map(|&at| self.number(at)).sum();
        Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
    }

    /// Whether it has one thread, which then is its first.
    fn has_one_thread(&self) -> bool {
        self.number(17) == Some(1)
    }

    fn began(&self) -> u64 {
        self.number(19).unwrap_or_default()
    }
}

/// What stands behind the name of a process, which may have anything in it.
fn fields(stat: &str) -> Option<&str> {
    stat.rsplit_once(") ").map(|(_, fields)| fields)
}

/// How long a thread has waited for a processor: the second number, in nanoseconds.
fn delay(path: &str) -> Option<Duration> {
    let text = read(path)?;
    let nanos = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

fn threads(process: u32) -> Vec<u32> {
    let entries = std::fs::read_dir(format!("/proc/{process}/task"));
    let entries = entries.into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

/// Whether a process has ended, or does nothing else any more.
pub(crate) fn is_ending(process: u32) -> bool {
    // While other threads go on, it does not end with its first.
    threads(process).len() <= 1 && Stat::of(process).is_none_or(|stat| stat.ends())
}

/// The processes that a thread has started.
pub(crate) fn children(process: u32, thread: u32) -> Vec<u32> {
    let list = read(&format!("/proc/{process}/task/{thread}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace()
        .filter_map(|number| number.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threads_of_a_process_are_found_whether_it_has_one_or_several() {
        let mut one = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let root = ProcessRoot::Bot(one.id());
        assert_eq!(root.threads(), Some(vec![one.id()]));
        assert_eq!(root.used(None).unwrap().threads, 1);
        one.kill().unwrap();
        one.wait().unwrap();
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || held.recv());
        let ours = std::process::id();
        assert!(threads(ours).len() > 1);
        assert!(!Stat::of(ours).unwrap().has_one_thread());
        drop(hold);
        let _ = other.join();
    }

    #[test]
    fn what_a_bot_did_itself_was_not_withheld() {
        let began = Instant::now();
        let first = Usage::of_ms(began, [0, 50, 10, 5, 1]);
        // Elapsed, used, waited, waited by the referee, used by it; withheld.
        for (now, run_delay) in [
            ([100, 100, 60, 5, 1], 50),
            ([100, 150, 60, 5, 1], 0),
            ([100, 130, 60, 5, 1], 20),
            ([100, 110, 60, 5, 31], 10),
            ([100, 250, 60, 65, 1], 0),
            ([100, 50, 10, 45, 1], 40),
            ([100, 60, 40, 45, 1], 70),
            ([100, 50, 10, 5, 1], 0),
        ] {
            let found = Usage::of_ms(began, now);
            let found = found.run_delay(found.used.at - began, &first, Duration::ZERO);
            assert_eq!(found, Duration::from_millis(run_delay), "{now:?}");
        }
    }

    #[test]
    fn what_the_referee_does_to_look_is_not_the_bots_doing() {
        let began = Instant::now();
        let first = Usage::of_ms(began, [0, 50, 10, 5, 1]);
        let last = Usage::of_ms(began, [900, 90, 850, 5, 61]);
        for (looking, run_delay) in [(0, 800), (40, 840), (60, 840), (90, 840)] {
            let time = Duration::from_millis(900);
            let found = last.run_delay(time, &first, Duration::from_millis(looking));
            assert_eq!(found, Duration::from_millis(run_delay), "{looking}");
        }
    }

    /// Processes with these numbers: how long they have run, how long those that they reaped have, and whether they
    /// end.
    fn used(members: &[(u32, u64, u64, bool)], first_reaped: u64, group: Option<u64>) -> Used {
        let ms = Duration::from_millis;
        let member = |&(number, clock, reaped, ends)| {
            let member = Member {
                began: 1,
                clock: ms(clock),
                reaped: ms(reaped),
                ends,
            };
            (number, member)
        };
        Used {
            at: Instant::now(),
            group: group.map(ms),
            first_reaped: ms(first_reaped),
            members: members.iter().map(member).collect(),
            threads: members.len(),
        }
    }

    #[test]
    fn no_process_that_vanishes_hides_what_another_one_uses() {
        let main = (1, 50, 0, false);
        for (then, now, used_ms, is_open) in [
            // Nothing came or went.
            (
                used(&[main], 0, None),
                used(&[(1, 80, 0, false)], 0, None),
                30,
                false,
            ),
            // A child of 300 ms is gone, which nobody has reaped, and another one has run for 30.
            (
                used(&[main, (2, 300, 0, false), (3, 10, 0, false)], 0, None),
                used(&[main, (3, 40, 0, false)], 0, None),
                30,
                true,
            ),
            // It was dead, and its parent has reaped it now.
            (
                used(&[main, (2, 300, 0, true)], 0, None),
                used(&[(1, 55, 300, false)], 0, None),
                5,
                false,
            ),
            // Its parent died with it, so that init reaped both.
            (
                used(&[main, (2, 100, 0, true), (3, 300, 0, true)], 0, None),
                used(&[main], 400, None),
                0,
                false,
            ),
            // Children came and went, and were reaped.
            (
                used(&[main], 0, None),
                used(&[(1, 50, 70, false)], 20, None),
                90,
                false,
            ),
            // One is new; one has the number of another that is gone.
            (
                used(&[main], 0, None),
                used(&[main, (4, 20, 0, false)], 0, None),
                20,
                true,
            ),
            (
                used(&[main, (2, 300, 0, true)], 0, None),
                used(&[main, (2, 7, 0, false)], 300, None).begun_anew(2),
                7,
                true,
            ),
            // A group counts all, whatever comes and goes.
            (
                used(&[main, (2, 300, 0, false)], 0, Some(400)),
                used(&[main, (5, 1, 0, false)], 0, Some(460)),
                60,
                false,
            ),
            // What runs now is in it a moment later.
            (
                used(&[main], 0, Some(400)),
                used(&[(1, 53, 0, false)], 0, Some(400)),
                3,
                false,
            ),
        ] {
            let since = now.since(&then);
            let due = UsageDelta {
                used: Duration::from_millis(used_ms),
                is_open,
            };
            assert_eq!(since, due, "{then:?} {now:?}");
        }
    }

    #[test]
    fn a_process_that_computes_is_seen_to() {
        let before = ProcessRoot::Bot(std::process::id()).usage(None).unwrap();
        let own = own_cpu();
        while own_cpu() - own < Duration::from_millis(20) {}
        let after = ProcessRoot::Bot(std::process::id()).usage(None).unwrap();
        // Both clocks of the kernel count the same time, in steps of their own.
        assert!(after.used.cpu_since(&before.used) >= Duration::from_millis(19));
        assert!(ProcessRoot::Bot(std::process::id()).ready_to_run());
    }
}
