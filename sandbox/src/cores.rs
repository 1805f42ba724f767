//! Which processors a thread runs on: those that are allowed, and parts of them that share none.

use std::fmt;
use std::fs;
use std::io;
use std::num::NonZeroUsize;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

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

    /// So many parts that share nothing, each of as many as are wanted, or fewer where there are not enough.
    /// Nothing where there are fewer processors than parts.
    pub fn parts(&self, parts: NonZeroUsize, wanted: NonZeroUsize) -> Option<Vec<Cores>> {
        let each = wanted.get().min(self.count() / parts);
        (each > 0).then(|| {
            let parts = self.0.chunks(each).take(parts.get());
            parts.map(|part| Cores(part.to_vec())).collect()
        })
    }

    /// Lets this thread, and whatever it starts, run on these alone. A process in the jail cannot undo it.
    ///
    /// # Errors
    /// The system's, where it does not allow it.
    pub fn pin(&self) -> io::Result<()> {
        let mut set = CpuSet::new();
        self.0.iter().for_each(|&number| set.set(number));
        Ok(sched_setaffinity(None, &set)?)
    }
}

impl fmt::Display for Cores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(usize::to_string).collect();
        f.write_str(&numbers.join(","))
    }
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
}
