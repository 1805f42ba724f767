//! Which processors a thread runs on: those that are allowed, parts of them that share none, and which of them other
//! commands of this machine have claimed.

use std::num::{NonZero, NonZeroUsize};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::OnceLock;
use std::thread;
use std::{fmt, fs, io};

use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};

/// What the name of a claim begins with; the number of the processor follows.
const CLAIM: &str = "flipside-core-";

/// Processors, by the system's numbers, in the order in which they are given out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cores(Vec<usize>);

impl Cores {
    /// Those that this thread may run on. Where several are one core (hyper-threads), the first of every
    /// core comes before the second of any.
    ///
    /// # Errors
    /// The system's, where it does not tell.
    pub fn allowed() -> io::Result<Self> {
        let set = sched_getaffinity(None)?;
        let numbers = (0..CpuSet::MAX_CPU).filter(|&number| set.is_set(number));
        Ok(Cores::in_order(numbers.collect(), siblings))
    }

    /// `siblings` of a processor are those of its core, itself among them; empty where that is not known.
    fn in_order(mut numbers: Vec<usize>, siblings: impl Fn(usize) -> Vec<usize>) -> Self {
        let there = numbers.clone();
        numbers.sort_by_cached_key(|&number| {
            let before = |other: &usize| *other < number && there.contains(other);
            (siblings(number).into_iter().filter(before).count(), number)
        });
        Cores(numbers)
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// How many of them each of so many parts has that share nothing: as many as are wanted, or fewer where there are
    /// not enough. Nothing where there are fewer processors than parts.
    pub fn each(&self, parts: NonZeroUsize, wanted: NonZeroUsize) -> Option<NonZeroUsize> {
        NonZeroUsize::new(wanted.get().min(self.count() / parts))
    }

    /// These parts.
    pub fn parts(&self, parts: NonZeroUsize, wanted: NonZeroUsize) -> Option<Vec<Cores>> {
        let each = self.each(parts, wanted)?;
        let parts = self.0.chunks(each.get()).take(parts.get());
        Some(parts.map(|part| Cores(part.to_vec())).collect())
    }

    /// Lets this thread, and whatever it starts, run on these alone. A process in the jail cannot undo it.
    ///
    /// # Errors
    /// The system's, where it does not allow it.
    pub fn pin(&self) -> io::Result<()> {
        self.pin_thread(None)
    }

    /// The same for the thread of this number; without one, for the calling thread.
    pub(crate) fn pin_thread(&self, thread: Option<Pid>) -> io::Result<()> {
        Ok(sched_setaffinity(thread, &self.set())?)
    }

    /// Whether the thread of this number may run on exactly these.
    pub(crate) fn holds(&self, thread: Pid) -> bool {
        sched_getaffinity(Some(thread)).is_ok_and(|set| set == self.set())
    }

    pub(crate) fn set(&self) -> CpuSet {
        let mut set = CpuSet::new();
        self.0.iter().for_each(|&number| set.set(number));
        set
    }

    /// Claims so many of these that no other command has claimed, or nothing where there are not enough.
    pub fn claim(&self, wanted: usize) -> Option<Claim> {
        let claim = self.claim_up_to(wanted);
        (claim.held.len() == wanted).then_some(claim)
    }

    /// Claims so many of these as far as no other command has, and takes others in addition where there are not enough.
    pub fn claim_some(&self, wanted: usize) -> Claim {
        let mut claim = self.claim_up_to(wanted);
        let others = self
            .0
            .iter()
            .filter(|number| !claim.cores.0.contains(number));
        let missing = wanted - claim.held.len();
        let others: Vec<usize> = others.copied().take(missing).collect();
        claim.cores.0.extend(others);
        claim
    }

    fn claim_up_to(&self, wanted: usize) -> Claim {
        let held = |number: usize| {
            let name = SocketAddr::from_abstract_name(format!("{CLAIM}{number}"));
            // It fails where another command has it, and where there are no such names: nothing is claimed then.
            Some((number, UnixDatagram::bind_addr(&name.ok()?).ok()?))
        };
        let free = self.0.iter().copied().filter_map(held);
        let (numbers, held) = free.take(wanted).unzip();
        Claim {
            cores: Cores(numbers),
            held,
        }
    }
}

/// Processors that this command has claimed: another one on this machine claims others meanwhile. A claim is a socket
/// with an abstract name, which ends with its process, however that ends. A process in the jail has a network
/// namespace of its own, and sees none.
#[derive(Debug)]
pub struct Claim {
    cores: Cores,
    held: Vec<UnixDatagram>,
}

impl Claim {
    /// Which these are.
    pub fn cores(&self) -> &Cores {
        &self.cores
    }
}

impl fmt::Display for Cores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(usize::to_string).collect();
        f.write_str(&numbers.join(","))
    }
}

/// How many processors there are for a bot: those of the first thread that asks.
pub(crate) fn processors() -> u32 {
    static PROCESSORS: OnceLock<u32> = OnceLock::new();
    *PROCESSORS.get_or_init(|| {
        let number = thread::available_parallelism().map_or(1, NonZero::get);
        number.try_into().unwrap_or(u32::MAX)
    })
}

fn siblings(number: usize) -> Vec<usize> {
    let path = format!("/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list");
    fs::read_to_string(path).map_or(Vec::new(), |list| from_list(&list))
}

/// The numbers of a list as the system writes it: `0-3,8`. What is no number is passed over.
fn from_list(list: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let last: usize = last.parse().ok()?;
        Some(first.parse().ok()?..=last.min(CpuSet::MAX_CPU))
    };
    list.trim().split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).unwrap()
    }

    #[test]
    fn parts_share_nothing_and_are_as_large_as_there_is_room() {
        for cores in 1..20 {
            let all = Cores((0..cores).collect());
            for parts in 1..20 {
                for wanted in 1..8 {
                    let Some(split) = all.parts(number(parts), number(wanted)) else {
                        assert!(parts > cores);
                        continue;
                    };
                    assert_eq!(split.len(), parts);
                    let each = wanted.min(cores / parts);
                    assert!(split.iter().all(|part| part.count() == each));
                    let mut taken: Vec<usize> = split.into_iter().flat_map(|part| part.0).collect();
                    taken.sort_unstable();
                    taken.dedup();
                    assert_eq!(taken.len(), parts * each);
                }
            }
        }
    }

    #[test]
    fn the_second_thread_of_a_core_comes_after_the_first_of_all() {
        // Four cores of two, of which one thread is not ours.
        let pairs = |number: usize| vec![number % 4, number % 4 + 4];
        let order = Cores::in_order(vec![0, 2, 3, 4, 5, 6, 7], pairs);
        assert_eq!(order.0, [0, 2, 3, 5, 4, 6, 7]);
        let neighbours = |number: usize| vec![number & !1, number | 1];
        let order = Cores::in_order((0..6).collect(), neighbours);
        assert_eq!(order.0, [0, 2, 4, 1, 3, 5]);
        let unknown = Cores::in_order(vec![1, 5], |_| Vec::new());
        assert_eq!(
            (unknown.0.as_slice(), unknown.to_string()),
            (&[1, 5][..], "1,5".into())
        );
    }

    #[test]
    fn a_list_of_the_system_is_read() {
        assert_eq!(from_list("0-2,8\n"), [0, 1, 2, 8]);
        assert_eq!(from_list("7"), [7]);
        assert_eq!(from_list("\n"), Vec::<usize>::new());
        assert_eq!(from_list("x,3-,4"), [4]);
    }

    #[test]
    fn a_thread_stays_where_it_is_pinned_with_all_that_it_starts() {
        let all = Cores::allowed().unwrap();
        let one = &all.parts(number(1), number(1)).unwrap()[0];
        let pinned = std::thread::scope(|scope| {
            let pinned = scope.spawn(|| {
                one.pin().unwrap();
                let status = std::process::Command::new("grep")
                    .args(["Cpus_allowed_list", "/proc/self/status"])
                    .output()
                    .unwrap();
                (
                    Cores::allowed().unwrap(),
                    String::from_utf8(status.stdout).unwrap(),
                )
            });
            pinned.join().unwrap()
        });
        assert_eq!(pinned.0, *one);
        let list = pinned.1.split_whitespace().last().unwrap();
        assert_eq!(from_list(list), one.0);
        // Others run where they ran.
        assert_eq!(Cores::allowed().unwrap(), all);
    }

    /// Processors that no machine of a test has, so that no command has claimed them: each test has its own.
    fn unused(first: usize, count: usize) -> Cores {
        Cores((first..first + count).collect())
    }

    #[test]
    fn what_is_claimed_is_claimed_by_no_other_until_it_is_given_back() {
        let all = unused(5_000_000, 6);
        let first = all.claim(2).unwrap();
        let second = all.claim(3).unwrap();
        assert_eq!(first.cores().0, [5_000_000, 5_000_001]);
        assert_eq!(second.cores().0, [5_000_002, 5_000_003, 5_000_004]);
        // One is left, and nothing was taken by those for whom it was not enough.
        assert!(all.claim(2).is_none());
        let third = all.claim(1).unwrap();
        assert!(all.claim(1).is_none());
        drop(second);
        assert_eq!(
            all.claim(3).unwrap().cores().0,
            [5_000_002, 5_000_003, 5_000_004]
        );
        drop((first, third));
        assert_eq!(all.claim(6).unwrap().cores(), &all);
    }

    #[test]
    fn what_has_to_be_had_is_taken_from_those_that_are_free_first() {
        let all = unused(6_000_000, 4);
        let first = all.claim(3).unwrap();
        let second = all.claim_some(2);
        assert_eq!(second.cores().0, [6_000_003, 6_000_000]);
        assert!(all.claim(1).is_none());
        drop(first);
        // Only what was free is its own.
        assert_eq!(
            all.claim(3).unwrap().cores().0,
            [6_000_000, 6_000_001, 6_000_002]
        );
    }
}
