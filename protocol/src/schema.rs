//! JSON Schemas of the messages.

use schemars::Schema;

use crate::game::{GameReply, GameRequest};
use crate::message::{FromBot, FromReferee};

/// The schema of every line a referee writes.
pub fn from_referee() -> Schema {
    schemars::schema_for!(FromReferee)
}

/// The schema of every line a bot writes.
pub fn from_bot() -> Schema {
    schemars::schema_for!(FromBot)
}

/// The schema of every line that a game program reads.
pub fn game_request() -> Schema {
    schemars::schema_for!(GameRequest)
}

/// The schema of every line that a game program writes.
pub fn game_reply() -> Schema {
    schemars::schema_for!(GameReply)
}
