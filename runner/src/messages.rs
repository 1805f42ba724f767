//! What the threads and the workers of a run tell it.

use flipside_store::{Audit, FinishedMatch};

use crate::error::RunnerError;

/// How often a match is tried that the host fails to play.
pub const MAX_TRIES: u32 = 3;

/// What a thread or a worker tells the run.
pub(crate) enum RunMessage {
    FinishedMatch(Box<FinishedMatch>),
    Void {
        index: u64,
        id: String,
        reason: String,
        again: bool,
        /// The entrant that cannot be started, if that is why.
        unable: Option<usize>,
        /// Whether the program of the game failed.
        of_game: bool,
    },
    /// A match was played again.
    Audited {
        audit: Option<Audit>,
        /// The worker that is banned for what was found, and why.
        banned: Option<(String, String)>,
    },
    /// A worker elsewhere has returned what is not true.
    Banned {
        worker: String,
        reason: String,
    },
    /// The worker itself cannot work.
    Failed(RunnerError),
}
