//! The table at every step of a replay, drawn on demand.

use std::collections::BTreeMap;

use flipside_games::{Table, Viewer, unmarked};
use flipside_referee::{Replay, VerifyError};

use super::parts::MatchReplay;
use crate::failure::Result;
use crate::game_table::view_of;

/// A copy of the table is kept for every so many steps, so that going back replays at most so many.
const KEPT_EVERY: usize = 64;

/// The table at every step of a match. Going forward costs a step; going back at most 64.
pub struct Frames<'a> {
    replay: &'a MatchReplay,
    walk: Replay<'a>,
    /// The step of the walk.
    at: usize,
    /// Walks at some steps.
    kept: BTreeMap<usize, Replay<'a>>,
}

impl<'a> Frames<'a> {
    pub(super) fn new(replay: &'a MatchReplay) -> Result<Self, VerifyError> {
        Ok(Frames {
            replay,
            walk: Replay::new(&replay.record)?,
            at: 0,
            kept: BTreeMap::new(),
        })
    }

    /// What a viewer sees after a step, as text for a terminal.
    ///
    /// # Errors
    /// When the rules refuse a line of the record.
    pub fn text(&mut self, step: usize, viewer: Viewer) -> Result<String> {
        let viewer = self.allowed(step, viewer);
        Ok(self.table(step)?.text(viewer))
    }

    /// What a viewer sees after a step, as one `<svg>` element; nobody points at it, so it has no marks.
    ///
    /// # Errors
    /// When the rules refuse a line of the record.
    pub fn svg(&mut self, step: usize, viewer: Viewer) -> Result<String> {
        let viewer = self.allowed(step, viewer);
        Ok(unmarked(&self.table(step)?.svg(viewer)))
    }

    /// What a viewer sees after a step, as JSON of the game's.
    ///
    /// # Errors
    /// When the rules refuse a line of the record.
    pub fn view(&mut self, step: usize, viewer: Viewer) -> Result<String> {
        let viewer = self.allowed(step, viewer);
        Ok(view_of(self.table(step)?, viewer))
    }

    /// Returns the viewer whose view is drawn. If the match is shown to one viewer, no other view is drawn before the
    /// end. At the end a seat sees everything; the public does not, because what is open then may tell something of
    /// other matches, which are still to come.
    fn allowed(&self, step: usize, viewer: Viewer) -> Viewer {
        match self.replay.seen_by {
            Viewer::Open => viewer,
            Viewer::Public => Viewer::Public,
            Viewer::Seat(_) if step >= self.replay.open_from => Viewer::Open,
            own @ Viewer::Seat(_) => own,
        }
    }

    /// The table after a step. The last step, the end, changes nothing.
    fn table(&mut self, step: usize) -> Result<&dyn Table> {
        if step < self.at {
            let (at, walk) = match self.kept.range(..=step).next_back() {
                Some((&at, walk)) => (at, walk.clone()),
                None => (0, Replay::new(&self.replay.record)?),
            };
            (self.at, self.walk) = (at, walk);
        }
        while self.at < step && self.walk.step()?.is_some() {
            self.at += 1;
            if self.at.is_multiple_of(KEPT_EVERY) && !self.kept.contains_key(&self.at) {
                self.kept.insert(self.at, self.walk.clone());
            }
        }
        Ok(self.walk.table())
    }
}
