//! What the threads of a watched tournament share.

use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use crate::watch::state::WatchState;

/// What the threads share.
pub(super) struct WatchShared {
    pub(super) state: Mutex<WatchState>,
    /// Whether the run has ended, and who waits for that.
    pub(super) ended: Mutex<bool>,
    pub(super) ends: Condvar,
}

pub(super) const NO_PANIC: &str = "nobody panics who holds it";

impl WatchShared {
    pub(super) fn state(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().expect(NO_PANIC)
    }

    /// Waits until the run ends, or for this time. Says whether it goes on.
    pub(super) fn goes_on_after(&self, time: Duration) -> bool {
        let ended = self.ended.lock().expect(NO_PANIC);
        let waited = self.ends.wait_timeout_while(ended, time, |ended| !*ended);
        !*waited.expect(NO_PANIC).0
    }
}
