//! Why a tournament is not played on.

use flipside_store::{Error, ErrorKind, GOES_ON};
use flipside_tournament::ScheduleError;

/// So many matches of a run may be void because the program of the game failed; then the run ends.
pub const MAX_GAME_FAILURES: u32 = 3;

/// Why a tournament is not played on.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// Matches cannot be played.
    #[error("{0}")]
    Play(String),
    /// The machine has too little of something, such as open files, to play matches.
    #[error("{0}")]
    Short(String),
    /// The program of the game fails.
    #[error("{MAX_GAME_FAILURES} matches are void, for which no bot is to blame; the last: {0}")]
    Game(String),
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
            RunnerError::Game(_) => Some(
                "`flipside game check` tries the program; `flipside game add` takes a mended one as a new version, whose \
                 tournaments are new; the same command again plays on with this one"
                    .into(),
            ),
            RunnerError::Store(error) => error.hint(),
        }
    }

    /// What kind of error it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            RunnerError::Play(_) | RunnerError::Game(_) => ErrorKind::Broken,
            RunnerError::Short(_) => ErrorKind::Short,
            RunnerError::Store(error) => error.kind(),
        }
    }
}
