//! Why a tournament on workers, or a worker, cannot go on.

use std::io;
use std::path::PathBuf;

use flipside_operations::Failure;

use tokio::runtime::{Builder, Runtime};

use crate::transport;

/// Why it cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The server, or the way to it.
    #[error(transparent)]
    Transport(#[from] transport::error::Error),
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Something else failed here.
    #[error("{0}")]
    Here(String),
}

impl RunError {
    /// Whether it may pass by itself.
    pub fn is_passing(&self) -> bool {
        matches!(self, RunError::Transport(error) if error.is_passing())
    }

    /// Returns what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            RunError::Transport(error) => Some(error.hint()),
            RunError::File { .. } => Some("check the folder and its permissions".into()),
            RunError::Here(_) => None,
        }
    }
}

/// The runtime of one thread on which a side talks to the server.
pub(crate) fn runtime() -> Result<Runtime, RunError> {
    let built = Builder::new_current_thread().enable_all().build();
    built.map_err(|error| RunError::Here(format!("cannot start a runtime: {error}")))
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Failure::new(&error).maybe_hint(error.hint())
    }
}
