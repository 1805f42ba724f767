//! Who plays matches on other machines, and what comes back from there.

use std::fmt;

use crate::error::RunnerError;
use crate::remote_blocks::RemoteBlocks;

/// Plays matches elsewhere.
pub trait RemoteBackend: Send + Sync {
    /// Plays the blocks that `blocks` gives and hands over what comes of them, until [`RemoteBlocks::is_over`]. It runs
    /// on a thread of its own.
    ///
    /// # Errors
    /// When it cannot go on. The tournament stops, and keeps what it has.
    fn play(&self, blocks: &mut RemoteBlocks<'_>) -> Result<(), RunnerError>;

    /// How many matches are played at the same time, about; at least 1.
    fn at_once(&self) -> usize;
}

/// Where the matches of a tournament are played that are not played here.
#[derive(Clone)]
pub struct RemoteRunner(pub std::sync::Arc<dyn RemoteBackend>);

impl fmt::Debug for RemoteRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RemoteRunner")
    }
}
