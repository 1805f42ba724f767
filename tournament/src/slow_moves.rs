//! The slowest moves of bots.

use schemars::JsonSchema;
use serde::Serialize;

use crate::moment::serialize_ms;

/// A slow move: of a bot in a match the slowest.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct SlowMove {
    /// The id of the match.
    pub id: String,
    /// The game's id.
    pub game: String,
    /// The bot: `greedy@2`.
    pub bot: String,
    /// Its seat.
    pub seat: u8,
    /// The plies of all seats before its turn.
    pub ply: u64,
    /// The action.
    pub action: String,
    /// The time that was taken off its clock, in microseconds; in JSON, milliseconds.
    #[serde(rename = "used_ms", serialize_with = "serialize_ms")]
    #[schemars(with = "f64")]
    pub used_us: u64,
}

/// The slowest moves, the slowest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct SlowMoves {
    /// The moves.
    pub moves: Vec<SlowMove>,
    /// How many records were read.
    pub read: usize,
    /// Whether no match that was not read can have a slower move.
    pub all: bool,
}
