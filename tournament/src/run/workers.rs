//! The threads that play, where they run, and where they show it.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use flipside_sandbox::Cores;

use super::Live;
use crate::Error;

/// The threads that play; each plays one match after the other. Whatever is chosen here, the results are
/// the same.
#[derive(Clone, Debug)]
pub struct Workers {
    /// How many.
    pub number: NonZeroUsize,
    /// On which processors each of them stays, with the bots of its matches; of a thread beyond the list
    /// the system decides.
    pub cores: Vec<Cores>,
    /// Where they show what they play, if anybody watches.
    pub live: Option<Live>,
}

impl From<NonZeroUsize> for Workers {
    fn from(number: NonZeroUsize) -> Self {
        Workers {
            number,
            cores: Vec::new(),
            live: None,
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
