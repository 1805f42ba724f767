//! The threads that play, and where they run.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use flipside_sandbox::Cores;

use crate::Error;

/// The threads that play; each plays one match after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workers {
    /// How many.
    pub number: NonZeroUsize,
    /// On which processors each of them stays, with the bots of its matches; of a thread beyond the list
    /// the system decides.
    pub cores: Vec<Cores>,
}

impl From<NonZeroUsize> for Workers {
    fn from(number: NonZeroUsize) -> Self {
        Workers {
            number,
            cores: Vec::new(),
        }
    }
}

/// The places that are left for threads that begin.
pub(super) struct Places(Mutex<std::vec::IntoIter<Cores>>);

impl Places {
    pub(super) fn new(cores: Vec<Cores>) -> Self {
        Places(Mutex::new(cores.into_iter()))
    }

    /// Gives this thread its place.
    pub(super) fn take(&self) -> Result<(), Error> {
        let place = self.0.lock().unwrap_or_else(PoisonError::into_inner).next();
        place.map_or(Ok(()), |cores| {
            let failed = |error| Error::Play(format!("cannot stay on the cores {cores}: {error}"));
            cores.pin().map_err(failed)
        })
    }
}
