//! When the whole process was stopped and went on, as by Ctrl-Z: that time is no bot's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a referee that finds a bot late waits to hear that the process was stopped: whoever tells it
/// goes on at the same moment.
pub const SUSPEND_HEARD: Duration = Duration::from_millis(20);

/// Counts how often the process was stopped. Its clones are one. A match in which that happened while a bot
/// that is a process was asked is void: its clock ran, and nobody looked for its answer.
#[derive(Clone, Debug, Default)]
pub struct SuspendCounter(Arc<AtomicU64>);

impl SuspendCounter {
    /// Does what stops the process; when it returns, the process goes on.
    pub fn halt(&self, stop: impl FnOnce()) {
        // Odd from here on: a question that begins before the process really stops is known by that.
        self.0.fetch_add(1, Ordering::SeqCst);
        stop();
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    /// The process was stopped by somebody else, and goes on.
    pub fn passed(&self) {
        self.0.fetch_add(2, Ordering::SeqCst);
    }

    /// A moment, to be compared with later ones.
    pub(crate) fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Whether the process was stopped since that moment, or was about to be.
    pub(crate) fn since(&self, then: u64) -> bool {
        then % 2 == 1 || self.now() != then
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_touches_a_halt_knows_of_it() {
        let counter = SuspendCounter::default();
        let before = counter.now();
        assert!(!counter.since(before));
        counter.clone().halt(|| {
            assert!(counter.since(before));
            let within = counter.now();
            assert!(counter.since(within));
        });
        assert!(counter.since(before));
        let after = counter.now();
        assert!(!counter.since(after));
        counter.passed();
        assert!(counter.since(after) && !counter.since(counter.now()));
    }
}
