//! Threads that work until they are told to end, beside those of the runtime, and what threads share.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use flipside_operations::{Failure, Result};

/// Threads that were started.
#[derive(Default)]
pub(crate) struct Threads(Mutex<Vec<JoinHandle<()>>>);

impl Threads {
    /// Starts one, under this name.
    ///
    /// # Errors
    /// When there can be no thread.
    pub(crate) fn start(&self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let failed = |error| Failure::new(format!("cannot start a thread: {error}"));
        let thread = Builder::new().name(name.into()).spawn(work);
        locked(&self.0).push(thread.map_err(failed)?);
        Ok(())
    }

    /// Waits for the end of all that were started.
    pub(crate) fn join(&self) {
        let started = std::mem::take(&mut *locked(&self.0));
        for thread in started {
            let name = thread.thread().name().unwrap_or_default().to_owned();
            if thread.join().is_err() {
                tracing::error!(name, "a thread has panicked");
            }
        }
    }
}

/// Locks what a thread that panicked may have left: it is sound at every moment.
pub(crate) fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who is at something now, and how often.
pub(crate) type TurnCounts<K> = Arc<Mutex<HashMap<K, usize>>>;

/// That somebody is at it, until this is dropped.
pub(crate) struct ThreadTurn<K: Hash + Eq> {
    who: K,
    all: TurnCounts<K>,
}

impl<K: Copy + Hash + Eq> ThreadTurn<K> {
    /// Takes a turn of somebody; nothing where so many are taken.
    pub(crate) fn take(all: &TurnCounts<K>, who: K, most: usize) -> Option<Self> {
        let mut taken = locked(all);
        let turns = taken.get(&who).copied().unwrap_or(0);
        if turns >= most {
            return None;
        }
        taken.insert(who, turns + 1);
        let all = Arc::clone(all);
        Some(ThreadTurn { who, all })
    }
}

impl<K: Hash + Eq> Drop for ThreadTurn<K> {
    fn drop(&mut self) {
        let mut taken = locked(&self.all);
        match taken.get_mut(&self.who) {
            Some(turns) if *turns > 1 => *turns -= 1,
            _ => drop(taken.remove(&self.who)),
        }
    }
}

/// How long to wait until something is tried again that has failed: each attempt starts bots.
const RETRY: Duration = Duration::from_secs(5 * 60);

/// What has failed, and when it is tried again.
pub(crate) struct RetryTimes<K>(HashMap<K, Instant>);

impl<K> Default for RetryTimes<K> {
    fn default() -> Self {
        RetryTimes(HashMap::new())
    }
}

impl<K: Hash + Eq> RetryTimes<K> {
    /// Whether something is not to be tried now, because it failed a short time ago.
    pub(crate) fn has(&mut self, what: &K) -> bool {
        self.0.retain(|_, again| *again > Instant::now());
        self.0.contains_key(what)
    }

    pub(crate) fn put(&mut self, what: K) {
        self.0.insert(what, Instant::now() + RETRY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_refused_a_turn_takes_nothing_from_who_has_it() {
        let all = TurnCounts::default();
        for most in [1, 2] {
            let mut turns: Vec<_> = (0..most).map(|_| ThreadTurn::take(&all, 1, most)).collect();
            assert!(turns.iter().all(Option::is_some));
            assert!((0..3).all(|_| ThreadTurn::take(&all, 1, most).is_none()));
            assert!(ThreadTurn::take(&all, 2, most).is_some());
            turns.pop();
            assert!(ThreadTurn::take(&all, 1, most).is_some());
        }
        assert!(locked(&all).is_empty());
    }
}
