//! The nearest to a control group for memory: init looks, a few times a second, how much
//! the processes of its namespace use together. It stands in where the machine gives no group.

use core::time::Duration;

use crate::sys::{self, Fd};
use crate::text::{self, JailText};

/// A path in `/proc`.
type ProcPath = JailText<256>;

/// The longest and the shortest time between two looks. The less is left of the memory, the shorter it is.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_millis(50);
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);

/// How fast a bot can take memory: so many bytes a second with each processor, and so many processors count at most,
/// for beyond them the machine's memory is the bound. A thread that touches new pages takes a few gigabytes a second.
const GROWTH: u64 = 4_000_000_000;
const MAX_PROCESSORS: u64 = 4;

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

/// What a process counts for that hides its mappings: with as many of them as a process may have, the kernel needs
/// less.
const HIDDEN_MAPPINGS: u64 = 16 * 1024 * 1024;

/// So many looks are between two at the mappings, which take longer.
const MAPPINGS_EVERY: u32 = 10;

/// So many processes are compared whether they share memory; it counts for each of those beyond.
const MAX_COMPARED: usize = 1024;

/// So much of a line is read; the fields that are looked for are shorter.
const LONGEST_FIELD: usize = 64;

/// Who looks.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// In bytes, of all processes together.
    limit: u64,
    /// In bytes a second, how fast they can take memory.
    growth: u64,
    /// When to look next.
    due: Duration,
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
pub(crate) enum MemoryVerdict {
    /// They use no more than they may.
    Fits,
    /// They use more.
    Exceeds,
    /// It cannot be seen any more.
    Nothing,
}

impl Watch {
    /// On a machine with so many processors.
    pub(crate) fn new(limit: u64, processors: u64) -> Self {
        let processors = processors.clamp(1, MAX_PROCESSORS);
        let mut watch = Watch {
            limit,
            growth: GROWTH * processors,
            ..Watch::default()
        };
        watch.due = sys::now() + watch.pause(0);
        watch
    }

    /// How long it is until the next look.
    pub(crate) fn due_in(&self) -> Duration {
        self.due.saturating_sub(sys::now())
    }

    /// Looks whether all processes here use more memory together than they may. `hold` has them stand still, for
    /// `true`, and go on.
    pub(crate) fn look(&mut self, hold: impl Fn(bool)) -> MemoryVerdict {
        let before = sys::own_cpu();
        // Not before that, for what a bot has stopped itself goes on with the others.
        if self.used > self.limit / 4 && (self.crowd || self.hurries || self.is_late()) {
            hold(true);
        }
        let (seen, used) = self.judge(b"/proc", || hold(true));
        // Those that are to be ended do not go on before that.
        if seen == MemoryVerdict::Fits {
            hold(false);
        }
        self.used = used;
        self.hurries = self.is_late();
        // Without what it had to wait for a processor.
        let took = sys::own_cpu().saturating_sub(before);
        self.due = sys::now() + self.pause(used).max(took * REST);
        seen
    }

    fn is_late(&self) -> bool {
        sys::now() > self.due + LATE
    }

    /// How long it takes them at least to use all that is left.
    fn pause(&self, used: u64) -> Duration {
        let left = self.limit.saturating_sub(used);
        let micros = left.saturating_mul(1_000_000) / self.growth;
        Duration::from_micros(micros).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
    }

    /// What is seen, and how much they use.
    fn judge(&mut self, proc: &[u8], hold: impl Fn()) -> (MemoryVerdict, u64) {
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
            None if self.blind >= MAX_BLIND => (MemoryVerdict::Nothing, 0),
            Some(rough) if rough > self.limit => {
                hold();
                match all_exactly(proc).map(|exact| exact + kernel) {
                    Some(exact) if exact <= self.limit => (MemoryVerdict::Fits, exact),
                    _ => (MemoryVerdict::Exceeds, rough),
                }
            }
            used => (MemoryVerdict::Fits, used.unwrap_or(0)),
        }
    }

    /// What the kernel may hold for the processes, beside the tables of their pages.
    fn kernel(&mut self, proc: &[u8]) -> u64 {
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
fn mappings(process: &ProcPath, left: &mut u64) -> u64 {
    let Some(file) = open(&[process.bytes(), b"/maps"], sys::open::READ) else {
        // One that has ended has none.
        return WatchUsage::of(process).map_or(0, |_| HIDDEN_MAPPINGS);
    };
    let (mut bytes, mut lines) = ([0; 8 * 1024], 0);
    while *left > 0 {
        let Ok(length @ 1..) = file.read(&mut bytes) else {
            break;
        };
        let ends = bytes[..length].iter().filter(|&&byte| byte == b'\n');
        let more = ends.count() as u64;
        lines += more;
        *left = left.saturating_sub(more);
    }
    lines * MAPPING
}

/// Whether it could be looked, here.
pub(crate) fn possible() -> sys::Result<()> {
    sys::open(c"/proc/self", sys::open::FOLDER).map(drop)
}

/// Opens what has the path of these pieces.
fn open(pieces: &[&[u8]], flags: i32) -> Option<Fd> {
    sys::open(ProcPath::joined(pieces).c_str().ok()?, flags).ok()
}

/// Calls a function with the name of each entry of a folder that is a number, until it returns false. Whether there are
/// any entries; nothing where they are not to be seen.
fn numbers(folder: &[&[u8]], mut each: impl FnMut(&[u8]) -> bool) -> Option<bool> {
    /// In an entry: its own length, and its name, which ends with a null.
    const LENGTH: usize = 16;
    const NAME: usize = 19;
    let folder = open(folder, sys::open::FOLDER)?;
    let (mut bytes, mut any) = ([0; 4096], false);
    loop {
        let length = folder.entries(&mut bytes).ok()?;
        if length == 0 {
            return Some(any);
        }
        let mut rest = &bytes[..length];
        while let Some(size) = rest.get(LENGTH..LENGTH + 2) {
            let size = usize::from(u16::from_ne_bytes([size[0], size[1]]));
            let name = rest.get(NAME..size)?.split(|&byte| byte == 0).next()?;
            rest = &rest[size..];
            any |= name != b"." && name != b"..";
            if name.iter().all(u8::is_ascii_digit) && !each(name) {
                return Some(any);
            }
        }
    }
}

/// Nothing where they are not to be seen; the one that asks is always there.
fn all(proc: &[u8], mut used: impl FnMut(&ProcPath) -> Option<u64>) -> Option<u64> {
    open(&[proc, b"/self/status"], sys::open::READ)?;
    let mut sum = 0;
    let any = numbers(&[proc], |number| {
        // The first is ours.
        if number != b"1" {
            sum += used(&ProcPath::joined(&[proc, b"/", number])).unwrap_or(0);
        }
        true
    })?;
    any.then_some(sum)
}

/// What all sockets together may hold, also of those that are on their way between processes. They are pairs, for the
/// filter allows no others, and in the network of the one that asks there are none but the bot's.
fn sockets(proc: &[u8]) -> u64 {
    let mut number = 0;
    scan(&[proc, b"/self/net/sockstat"], |line| {
        if let Some(used) = line.strip_prefix(b"sockets: used") {
            number = text::number(used.trim_ascii()).unwrap_or(0);
        }
    });
    number * SOCKET
}

/// Calls a function with the beginning of each line of a file. Whether it can be read.
fn scan(path: &[&[u8]], mut each: impl FnMut(&[u8])) -> bool {
    let Some(file) = open(path, sys::open::READ) else {
        return false;
    };
    let (mut bytes, mut line) = ([0; 4096], JailText::<LONGEST_FIELD>::new());
    loop {
        match file.read(&mut bytes) {
            Ok(0) => break,
            Ok(length) => {
                for (number, part) in text::lines(&bytes[..length]).enumerate() {
                    if number > 0 {
                        each(line.bytes());
                        line.truncate(0);
                    }
                    line.push(part);
                }
            }
            Err(_) => return false,
        }
    }
    each(line.bytes());
    true
}

/// What is told of the memory of a thread that has some: that has not ended. In bytes.
#[derive(Clone, Copy, Debug, Default)]
struct WatchUsage {
    /// What it has for itself and what it shares in memory, and what of it was brought onto a disk; files are not
    /// counted, for they can be read again.
    pages: u64,
    /// The tables of its pages.
    tables: u64,
}

impl WatchUsage {
    fn of(thread: &ProcPath) -> Option<Self> {
        let (mut usage, mut lives) = (WatchUsage::default(), false);
        let read = scan(&[thread.bytes(), b"/status"], |line| {
            lives |= line.starts_with(b"RssAnon:");
            let pages = [b"RssAnon:".as_slice(), b"RssShmem:", b"VmSwap:"];
            usage.pages += pages.iter().map(|name| field(line, name)).sum::<u64>();
            usage.tables += field(line, b"VmPTE:");
        });
        (read && lives).then_some(usage)
    }
}

/// Where the memory of a process is told, and what is told: with its first thread, or where that has
/// ended and others have not, with one of these. Nothing where all have ended.
fn living(process: &ProcPath) -> Option<(ProcPath, WatchUsage)> {
    let has_memory = |of: ProcPath| WatchUsage::of(&of).map(|usage| (of, usage));
    if let Some(first) = has_memory(process.clone()) {
        return Some(first);
    }
    // Each that is listed may end before it is read, and have a successor.
    for _ in 0..MAX_READS {
        let (mut threads, mut found) = (0, None);
        numbers(&[process.bytes(), b"/task"], |thread| {
            threads += 1;
            found = has_memory(ProcPath::joined(&[process.bytes(), b"/task/", thread]));
            found.is_none()
        })?;
        if threads <= 1 || found.is_some() {
            return found;
        }
    }
    None
}

/// What a process uses, with all that it shares.
fn rough(process: &ProcPath) -> Option<u64> {
    let (_, usage) = living(process)?;
    Some(usage.pages + usage.tables)
}

fn all_exactly(proc: &[u8]) -> Option<u64> {
    let mut counted = CountedProcess {
        threads: [0; MAX_COMPARED],
        length: 0,
    };
    all(proc, |process| exact(process, &mut counted))
}

/// The threads of processes that were counted.
struct CountedProcess {
    threads: [i32; MAX_COMPARED],
    length: usize,
}

/// The same, where what several share is divided among them. One that has all of its memory together with one of
/// those that were counted uses none: a child of `vfork`, until it executes its program. A process that hides that is
/// counted roughly. The tables of its pages are its own.
fn exact(process: &ProcPath, counted: &mut CountedProcess) -> Option<u64> {
    if counted.has(process) {
        return None;
    }
    // Read only now, for it may have executed another program meanwhile.
    let (thread, usage) = living(process)?;
    let (mut pages, mut told) = (0, false);
    let read = scan(&[thread.bytes(), b"/smaps_rollup"], |line| {
        told |= line.starts_with(b"Pss_Anon:");
        let shares = [b"Pss_Anon:".as_slice(), b"Pss_Shmem:", b"SwapPss:"];
        pages += shares.iter().map(|name| field(line, name)).sum::<u64>();
    });
    if !(read && told) {
        return rough(process);
    }
    Some(pages + usage.tables)
}

impl CountedProcess {
    /// Whether a process has its memory together with one of those that were counted; if not, it is one of them now.
    fn has(&mut self, process: &ProcPath) -> bool {
        for _ in 0..MAX_READS {
            let Some((thread, _)) = living(process) else {
                return false;
            };
            let number = thread.bytes().rsplit(|&byte| byte == b'/').next();
            let number = number.and_then(text::number).map(i32::try_from);
            let Some(Ok(number)) = number else {
                return false;
            };
            let mut others = self.threads[..self.length].iter();
            if !others.any(|&other| sys::share_memory(other, number)) {
                if let Some(free) = self.threads.get_mut(self.length) {
                    *free = number;
                    self.length += 1;
                }
                return false;
            }
            // Two that have ended share what they have: nothing.
            if WatchUsage::of(&thread).is_some() {
                return true;
            }
        }
        false
    }
}

/// A field in kilobytes, as bytes, if the line is of that name; none is nothing.
fn field(line: &[u8], name: &[u8]) -> u64 {
    let number = line
        .strip_prefix(name)
        .and_then(|rest| text::number(rest.trim_ascii().strip_suffix(b" kB")?));
    number.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use std::vec;

    use super::*;
    use crate::limits::MEMORY;

    fn bytes(path: &Path) -> &[u8] {
        path.as_os_str().as_bytes()
    }

    /// The path of a process.
    fn at(path: &str) -> ProcPath {
        ProcPath::joined(&[path.as_bytes()])
    }

    #[test]
    fn this_process_uses_memory() {
        let own = at("/proc/self");
        let mebibyte = 1024 * 1024;
        let held = vec![1_u8; 64 * mebibyte];
        let mut counted = CountedProcess {
            threads: [0; MAX_COMPARED],
            length: 0,
        };
        for used in [rough(&own), exact(&own, &mut counted)] {
            assert!(
                used.is_some_and(|used| used >= held.len() as u64),
                "{used:?}"
            );
        }
        assert_eq!(
            Watch::new(mebibyte as u64, 2).look(|_| {}),
            MemoryVerdict::Exceeds
        );
        assert_eq!(
            Watch::new(u64::MAX / 2, 2).look(|_| {}),
            MemoryVerdict::Fits
        );
        assert_eq!(rough(&at("/proc/0")), None);
        possible().unwrap();
    }

    #[test]
    fn the_less_memory_is_left_the_sooner_it_is_looked_again() {
        let watch = Watch::new(MEMORY, 2);
        assert!(watch.due_in() <= LONGEST_PAUSE);
        let pauses = [0, 2, 3, 4].map(|quarters| watch.pause(MEMORY / 4 * quarters));
        assert!(
            pauses.is_sorted_by(|sooner, later| sooner >= later),
            "{pauses:?}"
        );
        assert_eq!(pauses[3], SHORTEST_PAUSE);
        assert_eq!(watch.pause(u64::MAX), SHORTEST_PAUSE);
        let wide = Watch::new(u64::MAX, 2);
        assert_eq!(wide.pause(0), LONGEST_PAUSE);
    }

    #[test]
    fn memory_that_two_have_together_counts_once() {
        // More than the tests beside this one hold: what is measured is the memory of the whole process.
        let held = vec![1_u8; 256 * 1024 * 1024];
        let proc = tempfile::tempdir().unwrap();
        let own = Path::new("/proc/self/task");
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, proc.path().join(name));
        link(Path::new("/proc/self"), "self").unwrap();
        // The number of a thread, from `PID/task/NUMBER`.
        let number = || fs::read_link("/proc/thread-self").unwrap();
        std::thread::scope(|scope| {
            let (say, hear) = std::sync::mpsc::channel::<()>();
            let (tell, told) = std::sync::mpsc::channel();
            scope.spawn(move || {
                tell.send(number()).unwrap();
                hear.recv()
            });
            // Two threads stand for two processes. Those of other tests come and go.
            for thread in [number(), told.recv().unwrap()] {
                let number = thread.file_name().unwrap();
                link(&own.join(number), number.to_str().unwrap()).unwrap();
            }
            let (rough, exact) = (
                all(bytes(proc.path()), rough),
                all_exactly(bytes(proc.path())),
            );
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
        assert_eq!(all(bytes(proc.path()), rough), Some(300 * 1024));
        assert_eq!(all_exactly(bytes(proc.path())), Some(250 * 1024));
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
        assert_eq!(
            Watch::new(limit, 2).judge(bytes(proc.path()), || {}).0,
            MemoryVerdict::Fits
        );
        assert_eq!(
            Watch::new(limit - 1, 2).judge(bytes(proc.path()), || {}).0,
            MemoryVerdict::Exceeds
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
        assert_eq!(
            Watch::new(uses, 2).judge(bytes(proc.path()), || {}).0,
            MemoryVerdict::Fits
        );
        assert_eq!(
            Watch::new(uses - 1, 2).judge(bytes(proc.path()), || {}).0,
            MemoryVerdict::Exceeds
        );
    }

    #[test]
    fn what_was_brought_onto_a_disk_counts() {
        let proc = proc(&[("7/status", "VmSwap: 400 kB\nRssAnon: 1 kB\n")]);
        assert_eq!(all(bytes(proc.path()), rough), Some(401 * 1024));
        // What each shares is not told here.
        assert_eq!(all_exactly(bytes(proc.path())), Some(401 * 1024));
    }

    #[test]
    fn who_cannot_look_says_so_and_not_at_once() {
        let empty = tempfile::tempdir().unwrap();
        for folder in [empty.path(), Path::new("/nowhere")] {
            let mut watch = Watch::new(0, 2);
            for _ in 1..MAX_BLIND {
                assert_eq!(watch.judge(bytes(folder), || {}).0, MemoryVerdict::Fits);
            }
            assert_eq!(watch.judge(bytes(folder), || {}).0, MemoryVerdict::Nothing);
            // One look that sees begins anew.
            assert_ne!(watch.look(|_| {}), MemoryVerdict::Nothing);
            assert_eq!(watch.judge(bytes(folder), || {}).0, MemoryVerdict::Fits);
        }
    }
}
