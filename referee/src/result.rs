//! What came of a match. The referee, the verifier and tournaments all pass on the same [`MatchResult`].

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fault::{Fault, FaultKind};
use crate::model_use::ModelUse;
use crate::traffic::TrafficLine;

/// What came of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchResult {
    /// Why it ended: the game's reason, `fault`, or `forfeit`.
    pub reason: String,
    /// Actions taken, of all seats, with those of the opening and of stand-ins.
    pub plies: u64,
    /// How each seat fared.
    pub seats: Vec<SeatResult>,
}

/// How a seat fared.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct SeatResult {
    /// Its points; more is better.
    pub points: i32,
    /// Its place, from 1; equal is a tie, and the place after a tie of two is two further.
    pub place: u8,
    /// What its bot did wrong, if anything.
    pub fault: Option<SeatFault>,
    /// The time that its bot used, in microseconds.
    pub used_us: u64,
    /// Actions of its bot.
    pub plies: u64,
    /// What the notes of its bot tell of a language model; none if they tell of none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelUse>,
}

/// What a bot did wrong, in a result.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatFault {
    /// The name of the fault.
    pub name: String,
    /// What happened, in words.
    pub detail: String,
}

/// A match that was played.
#[derive(Clone, Debug)]
pub struct PlayedMatch {
    /// What came of it.
    pub result: MatchResult,
    /// What was seen of each seat's bot.
    pub seats: Vec<SeatTrace>,
    /// The record: JSON lines.
    pub record: String,
}

/// What was seen of a seat's bot, beside its result.
#[derive(Clone, Debug, Default)]
pub struct SeatTrace {
    /// Whether it answered `hello` in time: what it did wrong then, it did while it played.
    pub ready: bool,
    /// If it was seen computing on the turns of others, how much CPU time it was seen to use there.
    pub pondered: Option<Duration>,
    /// If [`Referee::looking_for_files`](crate::Referee::looking_for_files): the names of some files that it made in
    /// its working directory, and that vanish with its jail.
    pub files: Vec<String>,
    /// The end of what it wrote to its standard error in this match: at most
    /// [`STDERR_TAIL`](flipside_sandbox::STDERR_TAIL) bytes, after a "…" where there was more.
    pub stderr: String,
    /// What it did wrong, with all that shows it.
    pub fault: Option<Fault>,
    /// If it did, the last lines that were said between the referee and it.
    pub traffic: Vec<TrafficLine>,
}

/// The largest number that a journal keeps.
pub const LARGEST_NUMBER: u64 = i64::MAX as u64;

impl MatchResult {
    /// Returns a result that tells nothing but the places by seat.
    pub fn of_places(places: impl IntoIterator<Item = u8>) -> Self {
        let seat = |place| SeatResult {
            place,
            ..SeatResult::default()
        };
        MatchResult {
            seats: places.into_iter().map(seat).collect(),
            ..MatchResult::default()
        }
    }

    /// Returns the points by seat.
    pub fn points(&self) -> Vec<i32> {
        self.seats.iter().map(|seat| seat.points).collect()
    }

    /// Returns the places by seat.
    pub fn places(&self) -> Vec<u8> {
        self.seats.iter().map(|seat| seat.place).collect()
    }
}

impl SeatFault {
    pub(crate) fn of(kind: FaultKind, detail: &str) -> Self {
        SeatFault {
            name: kind.name().into(),
            detail: detail.into(),
        }
    }
}

impl SeatResult {
    /// Its bot acted, in so many microseconds, with this note in the record.
    pub(crate) fn acted(&mut self, us: u64, note: Option<&str>) {
        self.plies += 1;
        self.used_us = self.used_us.saturating_add(us);
        let told = note.and_then(ModelUse::of_note);
        ModelUse::add_to(&mut self.model, told.as_ref());
    }
}
