//! The threads that play, and where they show it.

use std::num::NonZeroUsize;

use super::Live;

/// The threads that play; each plays one match after the other. Whatever is chosen here, the results are
/// the same.
#[derive(Clone, Debug)]
pub struct Workers {
    /// How many.
    pub number: NonZeroUsize,
    /// Where they show what they play, if anybody watches.
    pub live: Option<Live>,
}

impl From<NonZeroUsize> for Workers {
    fn from(number: NonZeroUsize) -> Self {
        Workers { number, live: None }
    }
}
