//! Taking a tournament that is not played out of the queue.

use flipside_operations::{Failure, Result};
use flipside_tournament::Name;

use super::{Host, Wanted};

impl Host {
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
        if is_played || known.wanted == Wanted::Play {
            let what = format!("{name} is played or waits for its turn");
            return Err(Failure::usage(what).hint("pause it first"));
        }
        state.remove(name)?;
        Ok(true)
    }
}
