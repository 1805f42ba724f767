//! How many files come at the same time.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;

use crate::accounts::people::AccountId;
use crate::shared::rates::RateAddress;
use crate::shared::threads::TurnCounts;

/// What is received now.
pub(crate) struct UploadLimiter {
    pub(super) places: Arc<Semaphore>,
    /// The accounts whose files come now, one of each: otherwise one account could take all places.
    pub(super) accounts: TurnCounts<AccountId>,
    /// The addresses that files come from now, a few from each: otherwise one could take all places with some accounts.
    pub(super) addresses: TurnCounts<RateAddress>,
    /// The bytes that may still come.
    pub(super) bytes: Arc<AtomicU64>,
    /// Held while it is found out whether there is room.
    pub(super) room: Mutex<()>,
}

impl UploadLimiter {
    pub(crate) fn new(at_once: usize) -> Self {
        UploadLimiter {
            places: Arc::new(Semaphore::new(at_once)),
            accounts: Arc::default(),
            addresses: Arc::default(),
            bytes: Arc::default(),
            room: Mutex::new(()),
        }
    }
}
