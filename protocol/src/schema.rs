//! JSON Schemas of the messages.

use schemars::Schema;

use crate::message::{FromBot, FromReferee};

/// The schema of every line a referee writes.
pub fn from_referee() -> Schema {
    schemars::schema_for!(FromReferee)
}

/// The schema of every line a bot writes.
pub fn from_bot() -> Schema {
    schemars::schema_for!(FromBot)
}
