//! What a match is when it is shown again: its header, its steps, and what is known of each.

use flipside_games::{Seat, Viewer};
use flipside_referee::{Paused, Record};
use flipside_report::words;
use serde::Serialize;
use serde_json::value::RawValue;

/// A match that was played, as far as a viewer may know of it.
#[derive(Debug)]
pub struct MatchReplay {
    /// Who played what, and how it ended.
    pub header: ReplayHeader,
    /// What happened, in order. The first step is the start of the match, the last its end.
    pub steps: Vec<ReplayStep>,
    pub(super) record: Record,
    /// For whom the match is shown.
    pub(super) seen_by: Viewer,
    /// The first step at which the match is over, so that everything is open.
    pub(super) open_from: usize,
}

/// What was fixed before a match, and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayHeader {
    /// The id of the match.
    pub id: String,
    /// The id of the game.
    pub game: String,
    /// The name of the game.
    pub title: String,
    /// All options of the game, as JSON.
    pub options: Box<RawValue>,
    /// The clock of seats without their own.
    pub clock: String,
    /// How processes were isolated.
    pub isolation: String,
    /// The seats, in order.
    pub seats: Vec<ReplaySeat>,
    /// Why the match ended.
    pub reason: String,
    /// The number of plies.
    pub plies: u64,
    /// Whether the game hides anything from a seat.
    pub secrets: bool,
}

/// Who sat on a seat, and how that went.
#[derive(Clone, Debug, Serialize)]
pub struct ReplaySeat {
    /// The seat.
    pub seat: Seat,
    /// The name of the bot, with its version.
    pub bot: String,
    /// How it ran: `process`, `module` or `person`.
    pub kind: String,
    /// Its place, from 1.
    pub place: u8,
    /// Its points, from 0 to 1: one for a win and half of one for a draw of two.
    pub points: f64,
    /// The name of its fault, if it had one.
    pub fault: Option<String>,
}

impl ReplaySeat {
    /// Its points, as people write them.
    pub fn points_in_words(&self) -> String {
        words::points(self.points)
    }
}

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// The position before anything happens.
    Start,
    /// A bot is ready.
    Ready,
    /// The opening was drawn.
    Opening,
    /// A random event.
    Chance,
    /// Seats have acted.
    Acts,
    /// A bot is disqualified.
    Fault,
    /// The match is over.
    Over,
}

/// A step of a match. What the viewer may not know is missing.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayStep {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: StepKind,
    /// The number of plies taken after the step.
    pub ply: u64,
    /// The actions: those of all seats that were asked at once, or of the opening, one after the other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub acts: Vec<ReplayAct>,
    /// The random event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<ReplayChance>,
    /// The fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<ReplayFault>,
    /// The bot that is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<ReplayReady>,
}

/// An action.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayAct {
    /// The seat.
    pub seat: Seat,
    /// The action in the game's notation; none: it is hidden from the viewer.
    pub action: Option<String>,
    /// The same in words that follow the name of the bot.
    pub words: Option<String>,
    /// The time that was taken off the clock, in microseconds; none: nobody was asked.
    pub us: Option<u64>,
    /// The time for the next move, in microseconds.
    pub clock_us: Option<u64>,
    /// How long the clock stood still before it, where the bot paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<Paused>,
    /// The bot's note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether the referee drew it for a disqualified bot.
    pub stand_in: bool,
}

/// A random event.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayChance {
    /// The event, as JSON of the game's; none: it is hidden from the viewer.
    pub event: Option<Box<RawValue>>,
    /// The same in words.
    pub words: Option<String>,
}

/// A fault.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayFault {
    /// The seat.
    pub seat: Seat,
    /// Its name.
    pub fault: String,
    /// What happened, in words; none: it is hidden from the viewer.
    pub detail: Option<String>,
    /// The time that the bot had used, in microseconds.
    pub us: u64,
}

/// A bot that has answered `hello`.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayReady {
    /// The seat.
    pub seat: Seat,
    /// What the bot calls itself.
    pub name: Option<String>,
    /// Its version, as it says.
    pub version: Option<String>,
    /// The time that it took, in microseconds.
    pub us: u64,
}
