//! Bots that come over the network: taking a file, the queue of checks, and what became of each.
//!
//! A file is taken in three steps, so that nothing that was promised is lost: it is written and synced under a name
//! that nobody reads, gets its own name in the folder of uploads, and then a row in the store. A file without a row was
//! never promised, and is removed when the site starts.

pub(crate) mod api;
pub(crate) mod file_form;
mod folder;
mod limiter;
pub(crate) mod limits;
pub(crate) mod page;
pub(crate) mod queue;
pub(crate) mod receive;
mod report;
pub(crate) mod rows;
pub(crate) mod submit_page;

use std::io;
use std::sync::Arc;

use flipside_operations::{Failure, Result};
use flipside_store::{Arena, unix_ms};

use self::folder::UploadFolder;
use self::limiter::UploadLimiter;
use self::limits::UploadLimits;
use self::queue::UploadQueue;
use crate::shared::store::AccountStore;

/// Uploads of a site.
pub(crate) struct Uploads {
    pub(crate) folder: Arc<UploadFolder>,
    pub(crate) queue: UploadQueue,
    pub(crate) limiter: UploadLimiter,
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
            limiter: UploadLimiter::new(limits.at_once),
        })
    }
}
