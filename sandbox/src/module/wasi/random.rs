//! The randomness of a guest: the same seed gives the same bytes.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// The most random bytes a module gets in one call.
pub(crate) const MAX_RANDOM: u32 = 64 * 1024;

/// A stream of random bytes.
#[derive(Debug)]
pub(crate) struct WasiRandom(ChaCha8Rng);

impl WasiRandom {
    pub(crate) fn new(seed: u64) -> Self {
        WasiRandom(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Fills a buffer. Every byte is the lowest of a word of its own, and must stay so: records of
    /// old matches are replayed.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = self.0.next_u32() as u8;
        }
    }
}
