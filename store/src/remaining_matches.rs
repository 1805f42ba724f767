//! What of a tournament is still to be played, without playing it.

use std::iter;

use flipside_tournament::{Director, Pairing, PolicyDecision, ScheduleCursor, Tournament};

use crate::error::Result;
use crate::indices::Indices;
use crate::journal::Journal;

/// The matches that are still to be played, as far as the results tell now: without those that bots will forfeit
/// which are paused or have left, or that are left out because no side is there.
pub struct RemainingMatches<'a> {
    cursor: ScheduleCursor<'a>,
    next: Option<(Pairing, PolicyDecision)>,
    there: Indices,
}

impl<'a> RemainingMatches<'a> {
    /// What remains of a tournament. The director is the tournament's, and has named nothing yet.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn of(
        journal: &Journal,
        tournament: &'a Tournament,
        director: &'a mut dyn Director,
    ) -> Result<Self> {
        let _moment = journal.snapshot()?;
        let mut cursor = ScheduleCursor::new(tournament, director);
        let next = journal.up_to_now(&mut cursor)?;
        let there = journal.played(tournament.id)?;
        Ok(RemainingMatches {
            cursor,
            next,
            there,
        })
    }

    /// How many matches have a result.
    pub fn played(&self) -> u64 {
        self.there.len()
    }

    /// How many matches were left out, because no side was there.
    pub fn left_out(&self) -> u64 {
        self.cursor.left_out
    }

    /// How many matches there will be, with those that have a result.
    pub fn total(&self) -> flipside_tournament::Total {
        self.cursor.total()
    }
}

impl Iterator for RemainingMatches<'_> {
    type Item = Pairing;

    fn next(&mut self) -> Option<Pairing> {
        if let Some((pairing, PolicyDecision::Play(_))) = self.next.take() {
            return Some(pairing);
        }
        iter::from_fn(|| self.cursor.ahead()).find(|pairing| !self.there.contains(pairing.index))
    }
}
