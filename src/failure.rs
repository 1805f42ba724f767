//! Why a command did not do what it was asked, and the way out.

use std::fmt::Display;
use std::process::ExitCode;

use crate::output::note;

/// What commands return.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// A command's failure: a message, hints, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hints: Vec<String>,
    code: u8,
}

/// Exit codes above this one tell a signal.
const STOPPED: u8 = 128;

impl Failure {
    /// It was tried, and failed: exit code 1.
    pub(crate) fn new(message: impl Display) -> Self {
        Failure {
            message: message.to_string(),
            hints: Vec::new(),
            code: 1,
        }
    }

    /// It was asked for wrongly: exit code 2.
    pub(crate) fn usage(message: impl Display) -> Self {
        Failure {
            code: 2,
            ..Failure::new(message)
        }
    }

    /// A signal stopped it: exit code 128 and the signal's number, as shells have it.
    pub(crate) fn stopped(signal: i32, what: impl Display) -> Self {
        Failure {
            code: STOPPED.saturating_add(signal.try_into().unwrap_or(0)),
            ..Failure::new(what)
        }
    }

    /// Names the way out, and no other.
    pub(crate) fn hint(self, hint: impl Display) -> Self {
        Failure {
            hints: vec![hint.to_string()],
            ..self
        }
    }

    /// Adds a further way out.
    pub(crate) fn and_hint(mut self, hint: impl Display) -> Self {
        self.hints.push(hint.to_string());
        self
    }

    /// Adds the way out, if there is one.
    pub(crate) fn maybe_hint(self, hint: Option<impl Display>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Says what the failure was about, in front of the message.
    pub(crate) fn about(self, what: impl Display) -> Self {
        Failure {
            message: format!("{what}: {}", self.message),
            ..self
        }
    }

    /// Prints the failure and gives the exit code. A reader of our output that has gone away is no
    /// failure of ours.
    pub(crate) fn tell(self) -> ExitCode {
        if self.message == READER_GONE {
            return ExitCode::SUCCESS;
        }
        let what = if self.code > STOPPED {
            "stopped"
        } else {
            "error"
        };
        note!("{what}: {}", below(&self.message));
        for hint in &self.hints {
            note!("hint: {}", below(hint));
        }
        ExitCode::from(self.code)
    }
}

/// A text whose lines after the first are set in, so that none of them looks like one of ours: it may hold the name of
/// a file.
fn below(text: &str) -> String {
    let mut out = String::new();
    for (at, line) in text.lines().enumerate() {
        out += match at {
            0 => "",
            _ if line.starts_with(' ') => "\n",
            _ => "\n  ",
        };
        out += line;
    }
    out
}

/// The message of a failure that is none: `flipside table | head` has read enough.
const READER_GONE: &str = "the reader of standard output has gone";

/// A failure to write to standard output.
#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
pub(crate) fn writing(error: std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Failure::new(READER_GONE),
        _ => Failure::new(format!("cannot write to standard output: {error}")),
    }
}

impl From<flipside_referee::Error> for Failure {
    fn from(error: flipside_referee::Error) -> Self {
        let hint = error.hint();
        match error {
            flipside_referee::Error::Options(_) | flipside_referee::Error::Opening(_) => {
                Failure::usage(error)
            }
            _ => Failure::new(error),
        }
        .maybe_hint(hint)
    }
}

impl From<flipside_sandbox::StartError> for Failure {
    fn from(error: flipside_sandbox::StartError) -> Self {
        let hint = error.hint();
        Failure::new(error).maybe_hint(hint)
    }
}

impl From<flipside_sandbox::OpenError> for Failure {
    fn from(error: flipside_sandbox::OpenError) -> Self {
        let hint = error.hint().unwrap_or_else(|| A_BOT.into());
        Failure::usage(error).hint(hint)
    }
}

/// The way out where nothing better is known.
const A_BOT: &str =
    "a bot is an executable, a .wasm or .wat file, the name of a submitted bot, or sample:greedy";

impl From<flipside_tournament::Error> for Failure {
    fn from(error: flipside_tournament::Error) -> Self {
        let hint = error.hint();
        Failure::new(error).maybe_hint(hint)
    }
}
