//! Work that several threads share.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does some work for each item on so many threads; what comes of it is in the order of the items.
pub(crate) fn in_parallel<T: Sync, U: Send>(
    items: &[T],
    threads: NonZeroUsize,
    work: impl Fn(&T) -> U + Sync,
) -> Vec<U> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let share = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return;
            };
            let result = work(item);
            done.lock().expect("nobody panicked").push((at, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.get().min(items.len()) {
            scope.spawn(share);
        }
        share();
    });
    let mut done = done.into_inner().expect("nobody panicked");
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
