//! The nearest to a control group for memory: init looks, a few times a second, how much
//! the processes of its namespace use together. It stands in where the machine gives no group.

use std::fs;
use std::io::{self, Read};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::jail::syscalls;
use crate::process::usage::own_cpu;

/// The longest and the shortest time between two looks. The less is left of the memory, the shorter it is.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_millis(50);
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);

/// How fast a bot can take memory: so many bytes a second with each processor, and so many processors count at most, for
/// beyond them the machine's memory is the bound. A thread that touches new pages takes a few gigabytes a second.
const GROWTH: u64 = 4_000_000_000;
const MAX_PROCESSORS: usize = 4;

/// Init rests at least so many times as long as a look has taken.
const REST: u32 = 9;

/// A look is late that begins or ends so long after it was due.
const LATE: Duration = Duration::from_millis(5);

/// So many processes stand still while they are looked at, for together they leave init too small a share of
/// the processors.
const CROWD: u32 = 8;

/// So many times in a row nothing may be seen, as where the machine has no more files to open; then
/// nobody knows what the bot uses.
const MAX_BLIND: u32 = 20;

/// How often a process is looked at whose threads come and go faster than they are read.
const MAX_READS: u32 = 16;

/// What a socket counts for. By default the kernel keeps up to 208 KiB for its reader, with what it needs for itself a
/// little more; nobody else learns how much that is at the moment.
const SOCKET: u64 = 256 * 1024;

/// What a mapping counts for: the kernel needs some 200 bytes for it, and to count more of them takes too long.
const MAPPING: u64 = 1024;

/// What a process counts for that hides its mappings: with as many of them as a process may have, the kernel needs less.
const HIDDEN_MAPPINGS: u64 = 16 * 1024 * 1024;

/// So many looks are between two at the mappings, which take longer.
const MAPPINGS_EVERY: u32 = 10;

/// Who looks.
#[derive(Debug)]
pub(crate) struct Watch {
    /// In bytes, of all processes together.
    limit: u64,
    /// In bytes a second, how fast they can take memory.
    growth: u64,
    /// When to look next.
    due: Instant,
    /// In bytes, what they used at the last look.
    used: u64,
    /// Whether they are to stand still from the beginning of the next look on, for the last one came too late: where
    /// many of them run, init gets only its share of the processors.
    hurries: bool,
    /// The same, for the last look saw many of them.
    crowd: bool,
    /// How many times in a row nothing was seen.
    blind: u32,
    /// How often it was looked.
    looks: u32,
    /// What the mappings counted for when they were looked at last.
    mappings: u64,
}

/// What was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// They use no more than they may.
    Fits,
    /// They use more.
    Exceeds,
    /// It cannot be seen any more.
    Nothing,
}

impl Watch {
    pub(crate) fn new(limit: u64) -> Self {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let processors = processors.min(MAX_PROCESSORS) as u64;
        let mut watch = Watch {
            limit,
            growth: GROWTH * processors,
            due: Instant::now(),
            used: 0,
            hurries: false,
            crowd: false,
            blind: 0,
            looks: 0,
            mappings: 0,
        };
        watch.due += watch.pause(0);
        watch
    }

    /// How long it is until the next look.
    pub(crate) fn due_in(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    /// Looks whether all processes here use more memory together than they may. `hold` has them stand still, for
    /// `true`, and go on.
    pub(crate) fn look(&mut self, hold: impl Fn(bool)) -> Seen {
        let before = own_cpu();
        // Not before that, for what a bot has stopped itself goes on with the others.
        if self.used > self.limit / 4 && (self.crowd || self.hurries || self.is_late()) {
            hold(true);
        }
        let (seen, used) = self.judge(Path::new("/proc"), || hold(true));
        // Those that are to be ended do not go on before that.
        if seen == Seen::Fits {
            hold(false);
        }
        self.used = used;
        self.hurries = self.is_late();
        // Without what it had to wait for a processor.
        let took = own_cpu().saturating_sub(before);
        self.due = Instant::now() + self.pause(used).max(took * REST);
        seen
    }

    fn is_late(&self) -> bool {
        self.due.elapsed() > LATE
    }

    /// How long it takes them at least to use all that is left.
    fn pause(&self, used: u64) -> Duration {
        let left = self.limit.saturating_sub(used);
        let micros = left.saturating_mul(1_000_000) / self.growth;
        Duration::from_micros(micros).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
    }

    /// What is seen, and how much they use.
    fn judge(&mut self, proc: &Path, hold: impl Fn()) -> (Seen, u64) {
        // What is shared is counted for each of them first, which is quick; and only where that is too
        // much, exactly, while they stand still.
        let kernel = self.kernel(proc);
        let mut processes = 0;
        let rough = all(proc, |process| {
            processes += 1;
            rough(process)
        });
        let rough = rough.map(|rough| rough + kernel);
        self.crowd = processes >= CROWD;
        self.blind = if rough.is_some() { 0 } else { self.blind + 1 };
        match rough {
            None if self.blind >= MAX_BLIND => (Seen::Nothing, 0),
            Some(rough) if rough > self.limit => {
                hold();
                match all_exactly(proc).map(|exact| exact + kernel) {
                    Some(exact) if exact <= self.limit => (Seen::Fits, exact),
                    _ => (Seen::Exceeds, rough),
                }
            }
            used => (Seen::Fits, used.unwrap_or(0)),
        }
    }
}

impl Watch {
    /// What the kernel may hold for the processes, beside the tables of their pages.
    fn kernel(&mut self, proc: &Path) -> u64 {
        if self.looks.is_multiple_of(MAPPINGS_EVERY) {
            let mut left = self.limit / MAPPING + 1;
            let all = all(proc, |process| Some(mappings(process, &mut left)));
            self.mappings = all.unwrap_or(0);
        }
        self.looks = self.looks.wrapping_add(1);
        self.mappings + sockets(proc)
    }
}

/// What the mappings of a process count for; they are counted as long as some are left of this number.
fn mappings(process: &Path, left: &mut u64) -> u64 {
    let Ok(mut file) = fs::File::open(process.join("maps")) else {
        // One that has ended has none.
        return status(process).map_or(0, |_| HIDDEN_MAPPINGS);
    };
    let (mut bytes, mut lines) = ([0; 16 * 1024], 0);
    while *left > 0 {
        let Ok(length @ 1..) = file.read(&mut bytes) else {
            break;
        };
        let more = memchr::memchr_iter(b'\n', &bytes[..length]).count() as u64;
        lines += more;
        *left = left.saturating_sub(more);
    }
    lines * MAPPING
}

/// Whether it could be looked, here.
pub(crate) fn possible() -> io::Result<()> {
    fs::read_dir("/proc/self").map(drop)
}

/// Nothing where they are not to be seen; the one that asks is always there.
fn all(proc: &Path, mut used: impl FnMut(&Path) -> Option<u64>) -> Option<u64> {
    let mut entries = fs::read_dir(proc).ok()?.flatten().peekable();
    entries.peek()?;
    fs::File::open(proc.join("self/status")).ok()?;
    let numbers = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        // The first is ours.
        (name != "1" && name.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
    });
    Some(numbers.filter_map(|number| used(&proc.join(number))).sum())
}

/// What all sockets together may hold, also of those that are on their way between processes. They are pairs, for the
/// filter allows no others, and in the network of the one that asks there are none but the bot's.
fn sockets(proc: &Path) -> u64 {
    let told = fs::read_to_string(proc.join("self/net/sockstat")).unwrap_or_default();
    let line = told
        .lines()
        .find_map(|line| line.strip_prefix("sockets: used"));
    let number = line.and_then(|line| line.trim().parse::<u64>().ok());
    number.unwrap_or(0) * SOCKET
}

/// Where the memory of a process is told, and what its status says: with its first thread, or where that has
/// ended and others have not, with one of these. Nothing where all have ended.
fn living(process: &Path) -> Option<(PathBuf, String)> {
    let has_memory = |of: PathBuf| status(&of).map(|status| (of, status));
    if let Some(first) = has_memory(process.into()) {
        return Some(first);
    }
    // Each that is listed may end before it is read, and have a successor.
    for _ in 0..MAX_READS {
        let threads: Vec<_> = fs::read_dir(process.join("task")).ok()?.flatten().collect();
        let alone = threads.len() <= 1;
        let found = threads
            .into_iter()
            .find_map(|thread| has_memory(thread.path()));
        if alone || found.is_some() {
            return found;
        }
    }
    None
}

/// What is told of a thread that has memory: that has not ended.
fn status(thread: &Path) -> Option<String> {
    let status = fs::read_to_string(thread.join("status")).ok()?;
    status.contains("RssAnon:").then_some(status)
}

/// What it has for itself and what it shares in memory, and what of it was brought onto a disk; files are not
/// counted, for they can be read again.
fn rough(process: &Path) -> Option<u64> {
    let (_, status) = living(process)?;
    let fields = ["RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:"];
    Some(fields.iter().map(|name| field(&status, name)).sum())
}

fn all_exactly(proc: &Path) -> Option<u64> {
    let mut counted = Vec::new();
    all(proc, |process| exact(process, &mut counted))
}

/// The same, where what several share is divided among them. One that has all of its memory together with one of
/// those that were counted uses none: a child of `vfork`, until it executes its program. A process that hides that is
/// counted roughly. The tables of its pages are its own.
fn exact(process: &Path, counted: &mut Vec<Pid>) -> Option<u64> {
    if is_counted(process, counted) {
        return None;
    }
    // Read only now, for it may have executed another program meanwhile.
    let (thread, status) = living(process)?;
    let shares = fs::read_to_string(thread.join("smaps_rollup")).ok();
    let shares = shares.filter(|text| text.contains("Pss_Anon:"));
    shares.map_or_else(
        || rough(process),
        |text| {
            let fields = ["Pss_Anon:", "Pss_Shmem:", "SwapPss:"];
            let pages: u64 = fields.iter().map(|name| field(&text, name)).sum();
            Some(pages + field(&status, "VmPTE:"))
        },
    )
}

/// Whether it has its memory together with one of those that were counted; if not, it is one of them now.
fn is_counted(process: &Path, counted: &mut Vec<Pid>) -> bool {
    for _ in 0..MAX_READS {
        let thread = living(process).map(|(thread, _)| thread);
        let number = |thread: &PathBuf| Pid::from_raw(thread.file_name()?.to_str()?.parse().ok()?);
        let (Some(number), Some(thread)) = (thread.as_ref().and_then(number), thread) else {
            return false;
        };
        if !counted
            .iter()
            .any(|&other| syscalls::share_memory(other, number))
        {
            counted.push(number);
            return false;
        }
        // Two that have ended share what they have: nothing.
        if status(&thread).is_some() {
            return true;
        }
    }
    false
}

/// A field in kilobytes, as bytes; none is nothing.
fn field(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    number.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_memory() {
        let own = Path::new("/proc").join(std::process::id().to_string());
        let mebibyte = 1024 * 1024;
        let held = vec![1_u8; 64 * mebibyte];
        for used in [rough(&own), exact(&own, &mut Vec::new())] {
            assert!(
                used.is_some_and(|used| used >= held.len() as u64),
                "{used:?}"
            );
        }
        assert_eq!(Watch::new(mebibyte as u64).look(|_| {}), Seen::Exceeds);
        assert_eq!(Watch::new(u64::MAX / 2).look(|_| {}), Seen::Fits);
        assert_eq!(rough(Path::new("/proc/0")), None);
        possible().unwrap();
    }

    #[test]
    fn the_less_memory_is_left_the_sooner_it_is_looked_again() {
        let watch = Watch::new(crate::MEMORY);
        assert!(watch.due_in() <= LONGEST_PAUSE);
        let pauses = [0, 2, 3, 4].map(|quarters| watch.pause(crate::MEMORY / 4 * quarters));
        assert!(
            pauses.is_sorted_by(|sooner, later| sooner >= later),
            "{pauses:?}"
        );
        assert_eq!(pauses[3], SHORTEST_PAUSE);
        assert_eq!(watch.pause(u64::MAX), SHORTEST_PAUSE);
        let wide = Watch::new(u64::MAX);
        assert_eq!(wide.pause(0), LONGEST_PAUSE);
    }

    #[test]
    fn memory_that_two_have_together_counts_once() {
        let held = vec![1_u8; 64 * 1024 * 1024];
        let proc = tempfile::tempdir().unwrap();
        let own = Path::new("/proc/self/task");
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, proc.path().join(name));
        link(Path::new("/proc/self"), "self").unwrap();
        std::thread::scope(|scope| {
            let (say, hear) = std::sync::mpsc::channel::<()>();
            scope.spawn(move || hear.recv());
            // Two threads stand for two processes.
            for thread in fs::read_dir(own).unwrap().flatten() {
                let number = thread.file_name();
                link(&thread.path(), number.to_str().unwrap()).unwrap();
            }
            let (rough, exact) = (all(proc.path(), rough), all_exactly(proc.path()));
            drop(say);
            let held = held.len() as u64;
            assert!(rough.is_some_and(|rough| rough >= 2 * held), "{rough:?}");
            assert!(
                exact.is_some_and(|exact| (held..2 * held).contains(&exact)),
                "{exact:?}"
            );
        });
    }

    /// A folder like `/proc` with these files.
    fn proc(files: &[(&str, &str)]) -> tempfile::TempDir {
        let proc = tempfile::tempdir().unwrap();
        for (name, text) in [("self/status", "")].iter().chain(files) {
            let file = proc.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        proc
    }

    #[test]
    fn who_has_no_first_thread_any_more_is_counted_by_another() {
        let zombie = "State:\tZ (zombie)\n";
        let proc = proc(&[
            ("7/status", zombie),
            ("7/task/7/status", zombie),
            ("7/task/8/status", "RssAnon:\t     300 kB\n"),
            (
                "7/task/8/smaps_rollup",
                "Pss_Anon: 200 kB\nSwapPss: 50 kB\n",
            ),
            // All of it has ended.
            ("9/status", zombie),
            ("9/task/9/status", zombie),
        ]);
        assert_eq!(all(proc.path(), rough), Some(300 * 1024));
        assert_eq!(all_exactly(proc.path()), Some(250 * 1024));
    }

    #[test]
    fn what_sockets_hold_for_their_readers_counts() {
        let proc = proc(&[
            ("7/status", "RssAnon: 1 kB\n"),
            ("7/maps", ""),
            (
                "self/net/sockstat",
                "sockets: used 3\nTCP: inuse 0 orphan 0\n",
            ),
        ]);
        let limit = 1024 + 3 * SOCKET;
        assert_eq!(Watch::new(limit).judge(proc.path(), || {}).0, Seen::Fits);
        assert_eq!(
            Watch::new(limit - 1).judge(proc.path(), || {}).0,
            Seen::Exceeds
        );
    }

    #[test]
    fn mappings_count_and_so_does_who_hides_them() {
        let proc = proc(&[
            ("7/status", "RssAnon: 0 kB\n"),
            ("7/maps", &"0-1 r--p 0 0:0 0\n".repeat(3000)),
            ("8/status", "RssAnon: 0 kB\n"),
            // It has ended.
            ("9/status", "State:\tZ (zombie)\n"),
        ]);
        let uses = 3000 * MAPPING + HIDDEN_MAPPINGS;
        assert_eq!(Watch::new(uses).judge(proc.path(), || {}).0, Seen::Fits);
        assert_eq!(
            Watch::new(uses - 1).judge(proc.path(), || {}).0,
            Seen::Exceeds
        );
    }

    #[test]
    fn what_was_brought_onto_a_disk_counts() {
        let proc = proc(&[("7/status", "VmSwap: 400 kB\nRssAnon: 1 kB\n")]);
        assert_eq!(all(proc.path(), rough), Some(401 * 1024));
        // What each shares is not told here.
        assert_eq!(all_exactly(proc.path()), Some(401 * 1024));
    }

    #[test]
    fn who_cannot_look_says_so_and_not_at_once() {
        let empty = tempfile::tempdir().unwrap();
        for folder in [empty.path(), Path::new("/nowhere")] {
            let mut watch = Watch::new(0);
            for _ in 1..MAX_BLIND {
                assert_eq!(watch.judge(folder, || {}).0, Seen::Fits);
            }
            assert_eq!(watch.judge(folder, || {}).0, Seen::Nothing);
            // One look that sees begins anew.
            assert_ne!(watch.look(|_| {}), Seen::Nothing);
            assert_eq!(watch.judge(folder, || {}).0, Seen::Fits);
        }
    }
}
