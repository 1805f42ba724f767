//! What the kernel tells of a bot's processes: how long they ran, and how long they were ready to run and
//! had to wait for a processor.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

/// The most threads that are looked at: no bot in a jail may have more.
const MOST_THREADS: usize = 256;

/// Where the processes of a bot are found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Root {
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
    /// The time on the processors of all of them, and of those that have ended and were reaped.
    pub(crate) cpu: Duration,
    /// The processes that there are.
    pub(crate) processes: Vec<u32>,
}

/// The same, and how long they and the referee waited.
#[derive(Clone, Debug)]
pub(crate) struct Usage {
    pub(crate) used: Used,
    /// By thread, how long it was ready to run and waited for a processor. A wait that lasts is not in it.
    delays: BTreeMap<u32, Duration>,
    /// The same for the thread that asks, and how long that has run.
    own_delay: Duration,
    pub(crate) own_cpu: Duration,
}

impl Root {
    /// What they have used until now; nothing where the kernel does not tell.
    pub(crate) fn used(self) -> Option<Used> {
        self.count(|_, _| {})
    }

    /// The same with how long they waited, which takes longer to learn.
    pub(crate) fn usage(self) -> Option<Usage> {
        let mut delays = BTreeMap::new();
        let used = self.count(|process, threads| {
            for &thread in threads {
                let delay = delay(&format!("/proc/{process}/task/{thread}/schedstat"));
                delays.insert(thread, delay.unwrap_or_default());
            }
        })?;
        Some(Usage {
            used,
            delays,
            own_delay: delay("/proc/thread-self/schedstat")?,
            own_cpu: own_cpu(),
        })
    }

    fn count(self, mut each: impl FnMut(u32, &[u32])) -> Option<Used> {
        let mut cpu = match self {
            Root::Bot(_) => Duration::ZERO,
            Root::Below(first) => reaped(first)?,
        };
        let mut processes = Vec::new();
        let whole = self.each_process(|process, threads| {
            processes.push(process);
            cpu += clock(process).unwrap_or_default() + reaped(process).unwrap_or_default();
            each(process, threads);
        });
        whole.then(|| Used {
            at: Instant::now(),
            cpu,
            processes,
        })
    }

    /// Whether one of their threads is ready to run: it runs, or waits for a processor.
    pub(crate) fn ready_to_run(self) -> bool {
        let mut ready = false;
        self.each_process(|process, threads| {
            ready |= threads.iter().any(|thread| {
                let stat = fs::read_to_string(format!("/proc/{process}/task/{thread}/stat"));
                stat.is_ok_and(|stat| fields(&stat).is_some_and(|stat| stat.starts_with('R')))
            });
        });
        ready
    }

    /// Visits all processes, each with its threads; false: there are too many.
    fn each_process(self, mut visit: impl FnMut(u32, &[u32])) -> bool {
        let mut open = match self {
            Root::Bot(process) => vec![process],
            Root::Below(first) => children(first, first),
        };
        let mut seen = 0;
        while let Some(process) = open.pop() {
            let threads = threads(process);
            seen += threads.len().max(1);
            if seen > MOST_THREADS {
                return false;
            }
            visit(process, &threads);
            for &thread in &threads {
                open.extend(children(process, thread));
            }
        }
        true
    }
}

impl Used {
    /// Whether a process has begun since then, and is still there.
    pub(crate) fn has_grown_since(&self, earlier: &Used) -> bool {
        let old = &earlier.processes;
        self.processes.iter().any(|process| !old.contains(process))
    }

    /// The time on the processors since then.
    pub(crate) fn cpu_since(&self, earlier: &Used) -> Duration {
        self.cpu.saturating_sub(earlier.cpu)
    }
}

impl Usage {
    /// How much of a time that ends now the machine has kept from the bot: the longest that one of its
    /// threads has waited for a processor since `first`, and that the referee's own has, to read the answer.
    /// A bot whose processes stand in each other's way, or that keeps the referee busy, has no part in it:
    /// what they used together is taken off, but for the time that the referee's thread was `looking`. So
    /// whatever a bot waits for, it is charged with what it used.
    pub(crate) fn withheld(&self, time: Duration, first: &Usage, looking: Duration) -> Duration {
        let waited = self.delays.iter().map(|(thread, delay)| {
            delay.saturating_sub(first.delays.get(thread).copied().unwrap_or_default())
        });
        let waited = waited.max().unwrap_or_default();
        let waited = waited + self.own_delay.saturating_sub(first.own_delay);
        let own = self.own_cpu.saturating_sub(first.own_cpu);
        let used = self.used.cpu_since(&first.used) + own.saturating_sub(looking);
        waited.min(time.saturating_sub(used))
    }

    /// At so many milliseconds after `began`: the bot has used, and waited, so many, and the referee has.
    #[cfg(test)]
    pub(crate) fn of_ms(began: Instant, ms: [u64; 5]) -> Self {
        let [at, cpu, delay, own_delay, own_cpu] = ms.map(Duration::from_millis);
        Usage {
            used: Used {
                at: began + at,
                cpu,
                processes: vec![7],
            },
            delays: BTreeMap::from([(7, delay)]),
            own_delay,
            own_cpu,
        }
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
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    fields(&stat)?.split_whitespace().nth(1)?.parse().ok()
}

/// How long the children of a process that it has reaped have run, and theirs; in steps of mostly 10 ms.
fn reaped(process: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // From the third field on, which is the state; the fields 16 and 17 are the times.
    let mut times = fields(&stat)?.split_whitespace().skip(13);
    let mut next = || times.next()?.parse::<u64>().ok();
    let ticks = next()? + next()?;
    Some(Duration::from_millis(
        ticks * 1000 / rustix::param::clock_ticks_per_second(),
    ))
}

/// What stands behind the name of a process, which may have anything in it.
fn fields(stat: &str) -> Option<&str> {
    stat.rsplit_once(") ").map(|(_, fields)| fields)
}

/// How long a thread has waited for a processor: the second number, in nanoseconds.
fn delay(path: &str) -> Option<Duration> {
    let text = fs::read_to_string(path).ok()?;
    let nanos = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

fn threads(process: u32) -> Vec<u32> {
    let entries = fs::read_dir(format!("/proc/{process}/task"));
    let entries = entries.into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

/// The processes that a thread has started.
fn children(process: u32, thread: u32) -> Vec<u32> {
    let list = fs::read_to_string(format!("/proc/{process}/task/{thread}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace()
        .filter_map(|number| number.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_bot_did_itself_was_not_withheld() {
        let began = Instant::now();
        let first = Usage::of_ms(began, [0, 50, 10, 5, 1]);
        // Elapsed, used, waited, waited by the referee, used by it; withheld.
        for (now, withheld) in [
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
            let found = found.withheld(found.used.at - began, &first, Duration::ZERO);
            assert_eq!(found, Duration::from_millis(withheld), "{now:?}");
        }
    }

    #[test]
    fn what_the_referee_does_to_look_is_not_the_bots_doing() {
        let began = Instant::now();
        let first = Usage::of_ms(began, [0, 50, 10, 5, 1]);
        let last = Usage::of_ms(began, [900, 90, 850, 5, 61]);
        for (looking, withheld) in [(0, 800), (40, 840), (60, 840), (90, 840)] {
            let time = Duration::from_millis(900);
            let found = last.withheld(time, &first, Duration::from_millis(looking));
            assert_eq!(found, Duration::from_millis(withheld), "{looking}");
        }
    }

    #[test]
    fn a_process_that_computes_is_seen_to() {
        let before = Root::Bot(std::process::id()).usage().unwrap();
        let until = Instant::now() + Duration::from_millis(50);
        let own = own_cpu();
        while Instant::now() < until && own_cpu() - own < Duration::from_millis(20) {}
        let after = Root::Bot(std::process::id()).usage().unwrap();
        assert!(after.used.cpu_since(&before.used) >= own_cpu() - own - Duration::from_millis(1));
        assert!(Root::Bot(std::process::id()).ready_to_run());
    }
}
