//! What a bot can do wrong, as named values. The host's own errors are never among them.

use std::fmt;

use flipside_games::{GameFailure, Refusal};
use flipside_protocol::Malformed;

use crate::answer::MeasuredTime;
use crate::diagnosis::{self, FaultMoment};
use crate::pauses::Paused;

/// The most that a record keeps of the text that shows a fault, in bytes.
pub const LONGEST_EVIDENCE: usize = 4 * 1024;

/// What a bot did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its name.
    pub kind: FaultKind,
    /// What happened, in words for the bot's author.
    pub detail: String,
    /// The text that shows it: the bot's line, or its action.
    pub evidence: Option<String>,
    /// The end of what the bot wrote to its standard error.
    pub stderr: String,
    /// The time that the bot had used when it fell, in microseconds.
    pub us: u64,
    /// What else was measured of its answer.
    pub measured: MeasuredTime,
    /// The pauses before it, if there were any.
    pub paused: Option<Paused>,
    /// What the bot's author can do, if there is something to name. It is not part of the record.
    pub hint: Option<&'static str>,
}

/// The name of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// No whole answer by the deadline.
    Late,
    /// It closed its output, or exited, while the match ran.
    Closed,
    /// It died by a signal or a trap.
    Crashed,
    /// A line over the limit.
    TooLong,
    /// A line that is not UTF-8.
    NotText,
    /// It wanted more memory than it may have, and ended.
    Memory,
    /// A line that is not a message, or an action that is not in the game's notation.
    Malformed,
    /// An action that the rules do not allow now.
    Illegal,
    /// An answer to a question that is not open: twice, early, or with a wrong id.
    Unasked,
    /// It was not there from the beginning: whoever holds the tournament does not let it play.
    Forfeit,
}

impl FaultKind {
    /// Whether a line came and its content is what is wrong.
    pub fn is_of_a_line(self) -> bool {
        matches!(
            self,
            FaultKind::Malformed | FaultKind::Illegal | FaultKind::Unasked
        )
    }

    /// The name, as records and tables show it.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Late => "late",
            FaultKind::Closed => "closed",
            FaultKind::Crashed => "crashed",
            FaultKind::TooLong => "too-long",
            FaultKind::NotText => "not-text",
            FaultKind::Memory => "memory",
            FaultKind::Malformed => "malformed",
            FaultKind::Illegal => "illegal",
            FaultKind::Unasked => "unasked",
            FaultKind::Forfeit => "forfeit",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, detail: String, us: u64) -> Self {
        Fault {
            kind,
            detail,
            evidence: None,
            stderr: String::new(),
            us,
            measured: MeasuredTime::default(),
            paused: None,
            hint: None,
        }
    }

    /// Returns the same fault with what to do.
    pub(crate) fn hinted(self, hint: &'static str) -> Self {
        let hint = Some(hint);
        Fault { hint, ..self }
    }

    /// Returns the fault of an answer that came in full, but too late.
    pub(crate) fn late(us: u64, allowance_us: u64, when: FaultMoment) -> Self {
        let (detail, hint) = diagnosis::too_late(us, allowance_us, when);
        Fault::new(FaultKind::Late, detail, us).hinted(hint)
    }

    /// Returns the fault of a line that is not a message.
    pub(crate) fn malformed(error: &Malformed, us: u64, when: FaultMoment) -> Self {
        Fault {
            hint: error.hint(),
            ..Fault::new(FaultKind::Malformed, format!("{error}; {when}"), us)
        }
    }

    /// Returns the fault of an action that the table refuses.
    ///
    /// # Errors
    /// Nobody is at fault: the program of the game has failed.
    pub(crate) fn refused(
        refusal: &Refusal,
        us: u64,
        when: FaultMoment,
        evidence: String,
    ) -> Result<Self, GameFailure> {
        let kind = match refusal {
            Refusal::Malformed(_) => FaultKind::Malformed,
            Refusal::Illegal(_) | Refusal::Unasked(_) => FaultKind::Illegal,
            Refusal::Failed(failure) => return Err(failure.clone()),
        };
        Ok(Fault {
            evidence: Some(evidence),
            hint: Some(diagnosis::LEGAL_ACTIONS),
            ..Fault::new(kind, format!("{refusal}; {when}"), us)
        })
    }
}

/// The beginning of a text, as evidence: at most [`LONGEST_EVIDENCE`] bytes, cut at a character.
pub(crate) fn evidence(text: &str) -> String {
    text[..text.floor_char_boundary(LONGEST_EVIDENCE)].to_owned()
}
