//! How a run is asked to stop, from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const SOON: u8 = 1;
const NOW: u8 = 2;

/// Asks a run to stop. Its clones are one: what is asked of one is asked of all. Whatever way a run is
/// stopped, it goes on when it is run again.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicU8>);

impl Stop {
    /// Nothing new is begun; matches that are running are played to their end.
    pub fn soon(&self) {
        self.0.fetch_max(SOON, Ordering::Relaxed);
    }

    /// Matches that are running are broken off, and played from their beginning another time.
    pub fn now(&self) {
        self.0.fetch_max(NOW, Ordering::Relaxed);
    }

    /// Whether either was asked for.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= SOON
    }

    /// Whether matches are broken off.
    pub fn is_now(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= NOW
    }
}
