//! What a worker says of itself while it is there.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How often a worker says that it is there. The server forgets it some time after the last word.
pub(crate) const ANNOUNCE_EVERY: Duration = Duration::from_secs(3);

/// What a worker says of itself. All of it may be untrue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// The version of Flipside.
    pub flipside: String,
    /// The class of its machine.
    pub class: String,
    /// How many matches it plays at once.
    pub threads: usize,
    /// How many matches it has played since it began.
    pub played: u64,
    /// Matches in a second, lately.
    pub per_second: f64,
    /// What share of its threads was busy lately, from 0 to 1.
    pub busy: f64,
}

/// The most threads of a worker that are believed.
const MAX_THREADS: usize = 1024;

impl About {
    /// Reads what a worker says; what cannot be read is empty.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let mut about: About = serde_json::from_slice(bytes).unwrap_or_default();
        about.threads = about.threads.min(MAX_THREADS);
        about
    }
}
