//! What uploads may take.

use std::time::Duration;

use flipside_operations::QUICK_CHECK_TIME;
use flipside_protocol::Clock;

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
            file_bytes: flipside_store::LARGEST_BOT,
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
