//! What the tests of this crate share: made-up results, and linear algebra written plainly.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use crate::outcome::RankedMatch;
use crate::seating::Seating;

/// A number that follows from these and from the seed of the tests, which `.cargo/config.toml` fixes.
pub(crate) fn drawn(from: [u64; 2]) -> u64 {
    let seed = std::env::var("PROPTEST_RNG_SEED").expect("cargo sets it: .cargo/config.toml");
    let seed: u64 = seed.parse().expect("a seed is a whole number");
    let numbers = [seed, from[0], from[1], 0].map(u64::to_le_bytes);
    let bytes = numbers.as_flattened().try_into();
    ChaCha8Rng::from_seed(bytes.expect("four numbers are 32 bytes")).next_u64()
}

/// A result between two entrants; a score of 2, 1 or 0 for the first.
pub(crate) fn scored(round: u32, [one, other]: [usize; 2], score: u8) -> RankedMatch {
    let [first, second] = [[2, 1], [1, 1], [1, 2]][usize::from(score)];
    ranked(round, &[(one, first), (other, second)])
}

/// A result of a match in which these entrants took these places.
pub(crate) fn ranked(round: u32, places: &[(usize, u8)]) -> RankedMatch {
    RankedMatch::of(round, places)
}

/// One bot in each seat, and every second seat on the same side.
pub(crate) fn in_teams(seats: u8) -> Seating {
    let sides: Vec<u8> = (0..seats).map(|seat| seat % 2).collect();
    Seating::copies(&sides, 1).expect("one bot in each seat")
}

/// What a prior and games between two bots tell, row by row. A game has its bots and how much it tells of their
/// difference.
pub(crate) fn information(
    bots: usize,
    prior: f64,
    games: impl Iterator<Item = (usize, usize, f64)>,
) -> Vec<f64> {
    let mut matrix = vec![0.0; bots * bots];
    (0..bots).for_each(|bot| matrix[bot * bots + bot] = prior);
    for (one, other, told) in games.filter(|(one, other, _)| one != other) {
        matrix[one * bots + one] += told;
        matrix[other * bots + other] += told;
        matrix[one * bots + other] -= told;
        matrix[other * bots + one] -= told;
    }
    matrix
}

/// The covariance that follows from an information matrix, by Gauss and Jordan.
pub(crate) fn inverse(matrix: &[f64], bots: usize) -> Vec<f64> {
    let mut left = matrix.to_vec();
    let mut right = vec![0.0; bots * bots];
    (0..bots).for_each(|bot| right[bot * bots + bot] = 1.0);
    for pivot in 0..bots {
        let by = left[pivot * bots + pivot];
        for at in 0..bots {
            left[pivot * bots + at] /= by;
            right[pivot * bots + at] /= by;
        }
        for row in (0..bots).filter(|&row| row != pivot) {
            let times = left[row * bots + pivot];
            for at in 0..bots {
                left[row * bots + at] -= times * left[pivot * bots + at];
                right[row * bots + at] -= times * right[pivot * bots + at];
            }
        }
    }
    right
}
