//! A match of a schedule with what came of it.

use flipside_referee::{MatchResult, SeatResult};

use crate::schedule::Pairing;

/// A match of a schedule with what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScoredPairing {
    /// The match.
    pub pairing: Pairing,
    /// What came of it.
    pub result: MatchResult,
}

impl ScoredPairing {
    /// The seats in order: who sat there, and how that went.
    pub fn seats(&self) -> impl Iterator<Item = (usize, &SeatResult)> {
        self.pairing.seats.iter().copied().zip(&self.result.seats)
    }
}
