//! Taking a tournament that is not played out of the queue.

use flipside_operations::{Failure, FailureKind, Result};
use flipside_tournament::Name;

use super::state::{DesiredState, Host};

impl Host {
    /// Takes requested matches that are to be deleted out of the queue, if they are there.
    ///
    /// # Errors
    /// When they are played at the moment, or the store cannot be written.
    pub(crate) fn forget(&self, name: &Name) -> Result<()> {
        let mut state = self.shared.state();
        if state
            .now
            .as_ref()
            .is_some_and(|now| now.tournament == *name)
        {
            let what = format!("{name} is being played");
            let failure = Failure::of(FailureKind::Conflict, what);
            return Err(failure.hint("wait until it is over"));
        }
        state.remove(name)
    }

    /// Takes a tournament that was paused or has failed out of the queue. Its results stay in the arena. Says whether
    /// it was in the queue.
    ///
    /// # Errors
    /// When it is played or waits for its turn, or the store cannot be written.
    pub fn remove(&self, name: &Name) -> Result<bool> {
        let mut state = self.shared.state();
        let Some(known) = state.find(name) else {
            return Ok(false);
        };
        let is_played = state
            .now
            .as_ref()
            .is_some_and(|now| now.tournament == *name);
        if is_played || known.wanted == DesiredState::Play {
            let what = format!("{name} is played or waits for its turn");
            return Err(Failure::usage(what).hint("pause it first"));
        }
        state.remove(name)?;
        Ok(true)
    }
}
