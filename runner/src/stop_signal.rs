//! How a run is asked to stop, from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use flipside_referee::SuspendCounter;

const SOON: u8 = 1;
const NOW: u8 = 2;

/// Asks a run to stop. Its clones are one: what is asked of one is asked of all. Whatever way a run is
/// stopped, it goes on when it is run again.
#[derive(Clone, Debug, Default)]
pub struct StopSignal {
    asked: Arc<AtomicU8>,
    suspend_counter: SuspendCounter,
}

impl StopSignal {
    /// Nothing new is begun; matches that are running are played to their end.
    pub fn soon(&self) {
        self.asked.fetch_max(SOON, Ordering::Relaxed);
    }

    /// Matches that are running are broken off, and played from their beginning another time.
    pub fn now(&self) {
        self.asked.fetch_max(NOW, Ordering::Relaxed);
    }

    /// Whether either was asked for.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed) >= SOON
    }

    /// Whether matches are broken off.
    pub fn is_now(&self) -> bool {
        self.asked.load(Ordering::Relaxed) >= NOW
    }

    /// Where it is told that the whole process was stopped for a while, as by Ctrl-Z: no bot is charged for
    /// that.
    pub fn suspend_counter(&self) -> &SuspendCounter {
        &self.suspend_counter
    }
}
