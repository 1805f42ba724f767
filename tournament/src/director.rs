//! What a format is to the runner: it says which match comes next, and hears what came of each.
//!
//! A director is a pure function of the settings, of the changes and of the results, which it hears in the order of the
//! schedule, whatever order the matches finished in. So a tournament goes on from its journal by telling
//! a new director what is there, and is the same at any concurrency.

use std::fmt;

use flipside_referee::MatchResult;
use schemars::JsonSchema;
use serde::Serialize;

use crate::change::Change;
use crate::formats::ranking::{Encounter, Ranking};

use crate::schedule::Pairing;

/// Says what is played.
pub trait Director: Send {
    /// The next match. Indices count from 0 without a gap.
    fn next(&mut self) -> Next;

    /// Takes what came of a match that [`next`](Director::next) gave: of each once, in order of their indices.
    fn take(&mut self, index: u64, result: &MatchResult);

    /// How many matches there will be, as far as is known now.
    fn total(&self) -> Total;

    /// A change acts from now on, before anything of the next result is heard. What was named before stays named.
    fn change(&mut self, _: &Change) {}

    /// An entrant comes to none of its matches from now on: it is paused or leaves by the next change. What was named
    /// before stays named.
    fn absent(&mut self, _entrant: usize) {}

    /// Whether a result has ended it, so that it cannot be extended.
    fn is_decided(&self) -> bool {
        false
    }

    /// The order of the bots after the results that were taken, where the format has one of its own; none
    /// where it is that of their points.
    fn ranking(&self) -> Option<Ranking> {
        None
    }

    /// The encounters of a knockout after these results, round by round, by the numbers of the entrants; none in
    /// other formats.
    fn encounters(&self) -> Vec<Encounter<usize>> {
        Vec::new()
    }
}

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// This match; it may be played beside all that came before it.
    Match(Pairing),
    /// Nothing, until more results are taken.
    Wait,
    /// Nothing any more. Matches beyond it do not count, though they may have been played: a director that
    /// is over by a result says so from then on, and tells in [`Total`] how many matches there are.
    Over,
}

/// A number of matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Total {
    /// So many.
    Exactly(u64),
    /// Not more than so many.
    AtMost(u64),
}

impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Total::Exactly(matches) => write!(f, "{matches}"),
            Total::AtMost(matches) => write!(f, "at most {matches}"),
        }
    }
}

impl Total {
    /// The number, exact or not.
    pub fn most(self) -> u64 {
        match self {
            Total::Exactly(matches) | Total::AtMost(matches) => matches,
        }
    }
}
