//! What the tests of this crate share.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// A number that follows from these and from the seed of the tests, which `.cargo/config.toml` fixes.
pub(crate) fn drawn(from: [u64; 2]) -> u64 {
    let seed = std::env::var("PROPTEST_RNG_SEED").expect("cargo sets it: .cargo/config.toml");
    let seed: u64 = seed.parse().expect("a seed is a whole number");
    let numbers = [seed, from[0], from[1], 0].map(u64::to_le_bytes);
    let bytes = numbers.as_flattened().try_into();
    ChaCha8Rng::from_seed(bytes.expect("four numbers are 32 bytes")).next_u64()
}
