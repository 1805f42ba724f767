//! Work that several threads share, with its results in order.
//!
//! The calling thread reads the items and takes the results; while there is nothing to take, it works as the others
//! do. So readers and takers need no lock, and so many threads keep so many processors busy.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use flipside_sandbox::lock::lock;

/// The most items that are held at once: read, and their results not yet taken.
pub(crate) const MAX_HELD: usize = 256;

/// After so many bytes of items, fewer are held: at most these bytes and one item more.
pub(crate) const MAX_HELD_BYTES: usize = 8 << 20;

/// Does some work for each item on so many threads. `next` gives an item with its size in bytes, or none after the
/// last; `take` gets what came of each, in the order of the items.
///
/// # Errors
/// The first error of `take`, with the items in order; otherwise that of `next`, when everything before it was taken.
/// So it is the same at any number of threads. On an error, each thread ends after the item that it works on.
pub(crate) fn in_order<T: Send, U: Send, E>(
    threads: NonZeroUsize,
    next: impl FnMut() -> Result<Option<(T, usize)>, E>,
    work: impl Fn(T) -> U + Sync,
    take: impl FnMut(U) -> Result<(), E>,
) -> Result<(), E> {
    let shared = Shared::new();
    thread::scope(|scope| {
        let _closing = QueueGuard(&shared);
        for _ in 1..threads.get() {
            let help = || {
                let _leaving = Leaving(&shared);
                shared.help(&work);
            };
            // With fewer threads the same is done, only later.
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, help) {
                tracing::warn!(%error, "cannot start a thread");
                break;
            }
        }
        shared.direct(next, &work, take)
    })
}

/// What the threads share.
struct Shared<T, U> {
    state: Mutex<ParallelState<T, U>>,
    /// There is an item, or nothing more to do.
    has_work: Condvar,
    /// The next result is there, or will never be.
    has_result: Condvar,
}

struct ParallelState<T, U> {
    /// Items that nobody works on yet, with their numbers.
    waiting: VecDeque<(u64, T)>,
    /// The results from the next one on that is to be taken, as far as they are there.
    results: VecDeque<Option<U>>,
    /// How many were taken.
    taken: u64,
    closed: bool,
    panicked: bool,
}

impl<T, U> Shared<T, U> {
    fn new() -> Self {
        Shared {
            state: Mutex::new(ParallelState {
                waiting: VecDeque::new(),
                results: VecDeque::new(),
                taken: 0,
                closed: false,
                panicked: false,
            }),
            has_work: Condvar::new(),
            has_result: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, ParallelState<T, U>> {
        // Nothing panics while it is held.
        lock(&self.state)
    }

    /// What the calling thread does.
    fn direct<E>(
        &self,
        mut next: impl FnMut() -> Result<Option<(T, usize)>, E>,
        work: impl Fn(T) -> U,
        mut take: impl FnMut(U) -> Result<(), E>,
    ) -> Result<(), E> {
        // The sizes of the items that are held.
        let mut sizes: VecDeque<usize> = VecDeque::new();
        let mut bytes = 0;
        let mut end: Option<Result<(), E>> = None;
        loop {
            while end.is_none() && sizes.len() < MAX_HELD && bytes < MAX_HELD_BYTES {
                match next() {
                    Ok(Some((item, size))) => {
                        bytes += size;
                        sizes.push_back(size);
                        self.put(item);
                    }
                    Ok(None) => end = Some(Ok(())),
                    Err(error) => end = Some(Err(error)),
                }
            }
            match end {
                Some(end) if sizes.is_empty() => return end,
                _ => {}
            }
            match self.result_or_item() {
                Due::Result(result) => {
                    bytes -= sizes.pop_front().expect("it is held");
                    take(result)?;
                }
                Due::Item(number, item) => self.done(number, work(item)),
            }
        }
    }

    /// What another thread does.
    fn help(&self, work: impl Fn(T) -> U) {
        loop {
            let mut state = self.state();
            let (number, item) = loop {
                if state.closed {
                    return;
                }
                if let Some(item) = state.waiting.pop_front() {
                    break item;
                }
                state = (self.has_work.wait(state)).unwrap_or_else(PoisonError::into_inner);
            };
            drop(state);
            self.done(number, work(item));
        }
    }

    fn put(&self, item: T) {
        let mut state = self.state();
        let number = state.taken + state.results.len() as u64;
        state.waiting.push_back((number, item));
        state.results.push_back(None);
        drop(state);
        self.has_work.notify_one();
    }

    fn done(&self, number: u64, result: U) {
        let mut state = self.state();
        let at = (number - state.taken) as usize;
        state.results[at] = Some(result);
        drop(state);
        if at == 0 {
            self.has_result.notify_one();
        }
    }

    /// The next result; where it is not there yet, an item to work on. Something is held.
    fn result_or_item(&self) -> Due<T, U> {
        let mut state = self.state();
        loop {
            if let Some(Some(_)) = state.results.front() {
                let result = state.results.pop_front().flatten();
                state.taken += 1;
                return Due::Result(result.expect("it was seen"));
            }
            if let Some((number, item)) = state.waiting.pop_front() {
                return Due::Item(number, item);
            }
            assert!(!state.panicked, "a thread that worked has panicked");
            state = (self.has_result.wait(state)).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// What the calling thread does next.
enum Due<T, U> {
    /// Takes this result.
    Result(U),
    /// Works on the item of this number.
    Item(u64, T),
}

/// When it is dropped, the other threads end.
struct QueueGuard<'a, T, U>(&'a Shared<T, U>);

impl<T, U> Drop for QueueGuard<'_, T, U> {
    fn drop(&mut self) {
        self.0.state().closed = true;
        self.0.has_work.notify_all();
    }
}

/// When it is dropped by a panic, the calling thread does not wait for this one's result.
struct Leaving<'a, T, U>(&'a Shared<T, U>);

impl<T, U> Drop for Leaving<'_, T, U> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state().panicked = true;
            self.0.has_result.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use proptest::prelude::*;

    use super::*;

    fn threads(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).unwrap()
    }

    /// Some work that takes longer for some items.
    fn hashed(item: u64) -> u64 {
        let rounds = if item.is_multiple_of(7) { 2_000 } else { 1 };
        (0..rounds).fold(item, |hash, _| {
            hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(9)
        })
    }

    /// What is taken, and how it ends, where an item cannot be read and where a result is refused.
    fn taken(
        number: usize,
        items: u64,
        size: usize,
        unread: u64,
        refused: u64,
    ) -> (Vec<u64>, Result<(), String>) {
        let mut next = 0..items;
        let mut all = Vec::new();
        let end = in_order(
            threads(number),
            || match next.next() {
                Some(item) if item == unread => Err(format!("unread: {item}")),
                item => Ok(item.map(|item| (item, size))),
            },
            |item| (item, hashed(item)),
            |(item, result)| {
                all.push(result);
                match item == refused {
                    true => Err(format!("refused: {item}")),
                    false => Ok(()),
                }
            },
        );
        (all, end)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn everything_is_the_same_at_any_number_of_threads(
            items in 0u64..600, size in 0usize..100_000, unread in 0u64..1_000, refused in 0u64..1_000
        ) {
            let one = taken(1, items, size, unread, refused);
            let last = items.min(unread).min(refused.saturating_add(1));
            prop_assert_eq!(&one.0, &(0..last).map(hashed).collect::<Vec<_>>());
            for number in [2, 3, 9] {
                prop_assert_eq!(&taken(number, items, size, unread, refused), &one);
            }
        }

        #[test]
        fn no_more_is_held_than_the_limits_allow(sizes in prop::collection::vec(0usize..MAX_HELD_BYTES, 1..40), number in 1usize..5) {
            let held = AtomicUsize::new(0);
            let mut items = sizes.iter().copied();
            let all: Result<(), ()> = in_order(
                threads(number),
                || Ok(items.next().map(|size| {
                    // Only while less is held is another one read.
                    assert!(held.fetch_add(size, Ordering::Relaxed) < MAX_HELD_BYTES);
                    (size, size)
                })),
                |size| size,
                |size| {
                    held.fetch_sub(size, Ordering::Relaxed);
                    Ok(())
                },
            );
            prop_assert_eq!(all, Ok(()));
        }
    }

    #[test]
    fn however_many_items_there_are_only_so_many_are_held() {
        let held = AtomicUsize::new(0);
        let mut items = 0..10 * MAX_HELD;
        let all: Result<(), ()> = in_order(
            threads(3),
            || {
                let next = items.next();
                assert!(held.fetch_add(1, Ordering::Relaxed) < MAX_HELD);
                Ok(next.map(|item| (item, 1)))
            },
            |item| item,
            |_| {
                held.fetch_sub(1, Ordering::Relaxed);
                Ok(())
            },
        );
        assert_eq!(all, Ok(()));
    }

    #[test]
    fn a_panic_in_any_thread_ends_all() {
        for number in [1, 2, 5] {
            let mut items = 0..1_000u64;
            let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let next = || Ok::<_, ()>(items.next().map(|item| (item, 1)));
                let work = |item: u64| assert!(item != 500, "on purpose");
                let _ = in_order(threads(number), next, work, |()| Ok(()));
            }));
            assert!(run.is_err(), "{number}");
        }
    }
}
