//! The messages between the referee and a bot: one JSON object a line, UTF-8, tagged by `type`.
//!
//! This crate knows no game and does no I/O. PROTOCOL.md, beside it, shows every message in an
//! exchange; the examples there are tests of this crate.
//!
//! ```
//! use flipside_protocol::{Act, FromBot};
//!
//! let line = r#"{"type":"act","id":7,"action":"c3-e5"}"#;
//! let FromBot::Act(act) = FromBot::read(line)? else { panic!("not an act") };
//! assert_eq!((act.id, act.action.as_str()), (7, "c3-e5"));
//! # Ok::<(), flipside_protocol::Malformed>(())
//! ```

/// Implements JSON for a type that reads and prints as text.
macro_rules! text_json {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

mod clock;
pub mod game;
mod malformed;
mod message;
mod patience;
#[cfg(feature = "schema")]
mod schema;
mod size;
mod text;

pub use clock::{
    Clock, ClockError, ClockUnit, DEFAULT_START, FUEL_PER_NS, FUEL_PER_US, LONGEST_TIME, Pace,
};
pub use malformed::Malformed;
pub use message::{
    Act, FromBot, FromReferee, Hello, Limits, Over, Pause, Ready, Turn, TurnAct, TurnEvent,
    TurnFault, TurnText, write_act, write_turn,
};
pub use patience::{LONGEST_REASON, MAX_PAUSES, Patience, PatienceError};
#[cfg(feature = "schema")]
pub use schema::{
    from_bot as schema_from_bot, from_referee as schema_from_referee,
    game_reply as schema_game_reply, game_request as schema_game_request,
};
pub use size::{Size, SizeError};

/// The version of the protocol, sent in `hello`. It changes when a bot must change.
pub const VERSION: u32 = 1;

/// The longest line a bot may write, in bytes, its newline not counted.
pub const LONGEST_LINE: usize = 64 * 1024;

/// The longest list of events in a `turn`, in bytes; older events are left out.
pub const LONGEST_EVENTS: usize = 32 * 1024;

/// The longest note of an `act` that the record keeps, in bytes; the rest is cut.
pub const LONGEST_NOTE: usize = 240;

/// The longest name and the longest version of a bot that the record keeps, in bytes; the rest is cut.
pub const LONGEST_NAME: usize = 64;

/// Seeds are below this number, so that a JSON number of any language holds them exactly.
pub const SEED_RANGE: u64 = 1 << 53;
