//! What workers take their matches from: a short queue, filled by the thread that owns the journal.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use super::Stop;

/// How often a worker that has nothing to do looks whether it is to stop.
const STOP_LOOK: Duration = Duration::from_millis(50);

/// Matches that wait for a worker.
#[derive(Debug)]
pub(super) struct Queue<'a, T> {
    waiting: Mutex<VecDeque<T>>,
    filled: Condvar,
    closed: AtomicBool,
    stop: &'a Stop,
}

impl<'a, T> Queue<'a, T> {
    pub(super) fn new(stop: &'a Stop) -> Self {
        Queue {
            waiting: Mutex::default(),
            filled: Condvar::new(),
            closed: AtomicBool::new(false),
            stop,
        }
    }

    pub(super) fn put(&self, task: T) {
        self.waiting().push_back(task);
        self.filled.notify_one();
    }

    /// The next task; sleeps until there is one. None: the worker is to end.
    pub(super) fn take(&self) -> Option<T> {
        let mut waiting = self.waiting();
        loop {
            if self.stop.is_asked() || self.is_closed() {
                return None;
            }
            if let Some(task) = waiting.pop_front() {
                return Some(task);
            }
            (waiting, _) = self
                .filled
                .wait_timeout(waiting, STOP_LOOK)
                .expect(NO_PANIC);
        }
    }

    /// Takes the tasks out that are not wanted any more.
    pub(super) fn withdraw(&self, unwanted: impl Fn(&T) -> bool) -> Vec<T> {
        let mut waiting = self.waiting();
        let (out, left) = waiting.drain(..).partition(unwanted);
        *waiting = left;
        Vec::from(out)
    }

    /// Whether nobody waits any more for what is being played.
    pub(super) fn is_abandoned(&self) -> bool {
        self.stop.is_now() || self.is_closed()
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<T>> {
        self.waiting.lock().expect(NO_PANIC)
    }
}

const NO_PANIC: &str = "nobody panics who holds the queue";

/// Ends the workers when it is dropped, however the run ends: what they still play is broken off.
pub(super) struct Closing<'a, 'b, T>(pub(super) &'a Queue<'b, T>);

impl<T> Drop for Closing<'_, '_, T> {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::Relaxed);
        self.0.filled.notify_all();
    }
}
