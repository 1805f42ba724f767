//! Why a match could not be played.

use flipside_games::{GameFailure, OptionsError, Seat};
use flipside_sandbox::StartError;

use crate::opening::OpeningError;
use crate::record::LONGEST_RECORD;

/// Why a match could not be played: the host's fault or the organiser's, never a bot's.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The game cannot be set up with these options.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The match cannot begin with an opening.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The program of the game failed: the fault of nobody who plays it.
    #[error(transparent)]
    Game(#[from] GameFailure),
    /// A bot cannot be started.
    #[error("{bot}: {error}")]
    Start {
        /// Its seat.
        seat: Seat,
        /// The bot's name.
        bot: String,
        /// The reason.
        error: StartError,
    },
    /// The operating system failed the referee.
    #[error("the match cannot go on: {0}")]
    Host(#[from] std::io::Error),
    /// The match is so long that its record could not be kept.
    #[error(
        "the match has so many plies that its record would be over {LONGEST_RECORD} bytes long"
    )]
    LongRecord,
    /// A person has broken the match off.
    #[error("seat {0} has broken the match off")]
    BrokenOff(Seat),
}

impl Error {
    /// The seat whose bot cannot be started, if the reason lies with the bot and not with the machine.
    pub fn unable(&self) -> Option<Seat> {
        match self {
            Error::Start { seat, error, .. } if error.is_of_program() => Some(*seat),
            _ => None,
        }
    }

    /// Returns the way out, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Start { error, .. } => error.hint(),
            Error::LongRecord => Some(
                "give the game an option that ends it sooner, as max_plies or max_turns".into(),
            ),
            Error::Game(failure) => Some(format!(
                "no bot is at fault; `flipside game check` tries the program of {} as matches do",
                failure.game
            )),
            Error::Options(_) | Error::Opening(_) | Error::Host(_) | Error::BrokenOff(_) => None,
        }
    }
}
