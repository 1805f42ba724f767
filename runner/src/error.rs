//! Why a tournament is not played on.

use flipside_store::{Error, ErrorKind, GOES_ON};
use flipside_tournament::ScheduleError;

/// Why a tournament is not played on.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// Matches cannot be played.
    #[error("{0}")]
    Play(String),
    /// The machine has too little of something, such as open files, to play matches.
    #[error("{0}")]
    Short(String),
    /// The arena or its journal fails.
    #[error(transparent)]
    Store(#[from] Error),
}

impl From<ScheduleError> for RunnerError {
    fn from(error: ScheduleError) -> Self {
        RunnerError::Store(error.into())
    }
}

impl RunnerError {
    /// The way out, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            RunnerError::Play(_) | RunnerError::Short(_) => Some(GOES_ON.into()),
            RunnerError::Store(error) => error.hint(),
        }
    }

    /// What kind of error it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            RunnerError::Play(_) => ErrorKind::Broken,
            RunnerError::Short(_) => ErrorKind::Short,
            RunnerError::Store(error) => error.kind(),
        }
    }
}
