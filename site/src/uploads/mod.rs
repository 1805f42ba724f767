//! Bots that come over the network: taking a file, the queue of checks, and what became of each.
//!
//! A file is taken in three steps, so that nothing that was promised is lost: it is written and synced under a name
//! that nobody reads, gets its own name in the folder of uploads, and then a row in the store. A file without a row was
//! never promised, and is removed when the site starts.

mod folder;
pub(super) mod names;
pub(super) mod queue;
pub(super) mod receive;
pub(super) mod report;
pub(super) mod rows;

use folder::UploadFolder;
use queue::UploadQueue;
use receive::UploadLimiter;
pub(crate) use receive::receive;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use flipside_operations::{Failure, QUICK_CHECK_TIME, Result};
use flipside_protocol::Clock;
use flipside_tournament::{Arena, unix_ms};

use crate::accounts::store::AccountStore;

/// Uploads of a site.
pub(crate) struct Uploads {
    pub(crate) folder: Arc<UploadFolder>,
    pub(crate) queue: UploadQueue,
    pub(crate) receiving: UploadLimiter,
}

impl Uploads {
    /// Removes what an earlier server left, and begins to check what waits.
    ///
    /// # Errors
    /// When the folder of uploads cannot be written, or another server uses it.
    pub(crate) fn start(
        arena: &Arena,
        store: &Arc<AccountStore>,
        limits: &UploadLimits,
    ) -> Result<Self> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::WouldBlock => {
                Failure::new("another server takes uploads for this arena")
                    .hint("--sign-up off serves the arena a second time, without accounts")
            }
            _ => Failure::new(format!("the folder of uploads: {error}")),
        };
        let folder = UploadFolder::open(arena.path()).map_err(failed)?;
        let known = store.recover_uploads(unix_ms())?;
        folder.sweep(&known).map_err(failed)?;
        let folder = Arc::new(folder);
        Ok(Uploads {
            queue: UploadQueue::start(
                arena.clone(),
                Arc::clone(store),
                Arc::clone(&folder),
                limits.clone(),
            ),
            folder,
            receiving: UploadLimiter::new(limits.at_once),
        })
    }
}

/// What uploads may take.
#[derive(Clone, Debug)]
pub struct UploadLimits {
    /// Bytes of a file.
    pub file_bytes: u64,
    /// Uploads that are received at the same time.
    pub at_once: usize,
    /// Those of them that come from one address.
    pub of_address: usize,
    /// Uploads of an account that wait for their check, or are checked.
    pub waiting: usize,
    /// Bytes of all files that wait for their check or are received.
    pub waiting_bytes: u64,
    /// Names of bots that an account may own.
    pub names: usize,
    /// Bytes of an account's bots in the arena.
    pub account_bytes: u64,
    /// In each time like this at least `least` more bytes of an upload come, and all that a form has before its file.
    pub pace: Duration,
    /// Bytes of an upload that come in each `pace`; its end may come with fewer.
    pub least: u64,
    /// Until an upload is there.
    pub time: Duration,
    /// Of a bot in the matches of its check.
    pub clock: Clock,
    /// For its check; steps that do not begin in this time are skipped.
    pub check: Duration,
}

impl Default for UploadLimits {
    fn default() -> Self {
        UploadLimits {
            file_bytes: flipside_tournament::LARGEST_BOT,
            at_once: 8,
            of_address: 4,
            waiting: 3,
            waiting_bytes: 2 << 30,
            names: 20,
            account_bytes: 1 << 30,
            pace: Duration::from_secs(10),
            least: 640 << 10,
            time: Duration::from_secs(15 * 60),
            clock: Clock::per_move(Duration::from_secs(1)),
            check: QUICK_CHECK_TIME,
        }
    }
}
