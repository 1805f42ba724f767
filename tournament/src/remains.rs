//! What of a tournament is still to be played, without playing it.

use std::iter;

use crate::policy::Disposition;
use crate::walk::Walk;
use crate::{Director, Indices, Journal, Pairing, Result, Tournament};

/// The matches that are still to be played, as far as the results tell now: without those that bots will forfeit
/// which are paused, or that are left out for them.
pub struct Remains<'a> {
    walk: Walk<'a>,
    next: Option<(Pairing, Disposition)>,
    there: Indices,
}

impl<'a> Remains<'a> {
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
        let mut walk = Walk::new(tournament, director);
        let next = walk.up_to_now(journal)?;
        let there = journal.played(tournament.id)?;
        Ok(Remains { walk, next, there })
    }

    /// How many matches have a result.
    pub fn played(&self) -> u64 {
        self.there.len()
    }

    /// How many matches were left out, because bots of them are paused.
    pub fn left_out(&self) -> u64 {
        self.walk.left_out
    }

    /// How many matches there will be, with those that have a result.
    pub fn total(&self) -> crate::Total {
        self.walk.total()
    }
}

impl Iterator for Remains<'_> {
    type Item = Pairing;

    fn next(&mut self) -> Option<Pairing> {
        if let Some((pairing, Disposition::Play(_))) = self.next.take() {
            return Some(pairing);
        }
        iter::from_fn(|| self.walk.ahead()).find(|pairing| !self.there.contains(pairing.index))
    }
}
