//! What is new in the arena: one look at a time, for all visitors. A tournament may be played by another process; what
//! tells of it is the journal's version, and who holds the right to run. Seasons of leagues are in the site's own
//! store.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use flipside_store::{Arena, Journal};
use serde::Serialize;

use super::problem::Result;
use super::threads::locked;

/// The state of the arena, as far as it was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct LiveUpdate {
    /// Counts changes.
    pub(crate) version: u64,
    /// The tournaments that are played now.
    pub(crate) running: BTreeSet<String>,
    /// The tournaments that the last change was about; none: it may have been any.
    pub(crate) changed: BTreeSet<String>,
}

/// Looks at the arena. It keeps one connection open, since versions are told apart by the connection that asks.
#[derive(Default)]
pub(crate) struct ArenaWatch {
    open: Mutex<Option<(Journal, u64)>>,
    /// How many changes of the site's store were seen.
    shown_changes: AtomicU64,
}

impl ArenaWatch {
    /// What is new since `before`; nothing where that is still so.
    pub(crate) fn look(
        &self,
        arena: &Arena,
        shown_changes: u64,
        before: &LiveUpdate,
    ) -> Result<Option<LiveUpdate>> {
        let mut open = locked(&self.open);
        let (journal, was) = match open.take() {
            Some(open) => open,
            None => (arena.read_journal()?, u64::MAX),
        };
        let is = journal.data_version()?;
        *open = Some((journal, is));
        let running: BTreeSet<String> = arena.running().iter().map(ToString::to_string).collect();
        let seen = self.shown_changes.swap(shown_changes, Ordering::Relaxed);
        let is_shown_new = seen != shown_changes;
        if is == was && running == before.running && !is_shown_new {
            return Ok(None);
        }
        // Where somebody plays, it is his results that landed.
        let changed = match is_shown_new {
            true => BTreeSet::new(),
            false => running.union(&before.running).cloned().collect(),
        };
        Ok(Some(LiveUpdate {
            version: before.version + 1,
            running,
            changed,
        }))
    }
}
