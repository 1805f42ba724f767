//! Where the results of a tournament come from: runs of this arena, and archives of others.

use flipside_referee::PublicKey;
use schemars::JsonSchema;
use serde::Serialize;

/// An archive that was taken in.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Import {
    /// The SHA-256 of its file, hexadecimal.
    pub archive: String,
    /// The tournament's name in the other arena.
    pub name: String,
    /// The version of the program that wrote it.
    pub flipside: String,
    /// The public key of who signed it; null if nobody did.
    pub signer: Option<PublicKey>,
    /// When it was taken in, in milliseconds since 1970.
    pub at: u64,
    /// Whether nothing of it is missing here. One that was broken off is finished too once another archive that
    /// reaches as far was taken in whole, or the tournament went on here or is over: there is nothing to go on with.
    pub finished: bool,
    /// How many matches came with it.
    pub matches: u64,
}

/// The runs of a tournament that played at least one match in this arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// How many there were.
    pub all: u64,
    /// In how many of them each match had cores of its own.
    pub pinned: u64,
}
