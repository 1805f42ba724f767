//! Drawing whole numbers and orders from a stream of random bits.
//!
//! Written out here, and not taken from a library, because a record's draws are checked against
//! its seed for ever: the same bits must give the same draws in every version.

use rand_core::Rng;

/// A number from 0 to `bound - 1`, all alike. Lemire's method, "Fast random integer generation in
/// an interval" (2019), with rejection, so without any bias.
///
/// # Panics
/// When `bound` is 0.
pub fn below(rng: &mut dyn Rng, bound: u32) -> u32 {
    assert!(bound > 0, "nothing to choose from");
    let threshold = bound.wrapping_neg() % bound;
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(bound);
        if product as u32 >= threshold {
            return (product >> 32) as u32;
        }
    }
}

/// Puts the items into an order drawn from all orders alike (Fisher and Yates, from the end).
pub fn shuffle<T>(rng: &mut dyn Rng, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        let other = below(rng, last as u32 + 1) as usize;
        items.swap(last, other);
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    #[test]
    fn numbers_below_a_bound_are_uniform() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut counts = [0f64; 7];
        let draws = 70_000;
        for _ in 0..draws {
            counts[below(&mut rng, 7) as usize] += 1.0;
        }
        let expected = f64::from(draws) / 7.0;
        let chi_squared: f64 = counts
            .iter()
            .map(|count| (count - expected).powi(2) / expected)
            .sum();
        // 6 degrees of freedom: 22.46 is exceeded once in a thousand.
        assert!(chi_squared < 22.46, "{chi_squared}");
    }

    #[test]
    fn every_order_is_alike() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut counts = std::collections::BTreeMap::<[u8; 4], f64>::new();
        let draws = 48_000;
        for _ in 0..draws {
            let mut items = [0, 1, 2, 3];
            shuffle(&mut rng, &mut items);
            *counts.entry(items).or_default() += 1.0;
        }
        assert_eq!(counts.len(), 24);
        let expected = f64::from(draws) / 24.0;
        let chi_squared: f64 = counts
            .values()
            .map(|count| (count - expected).powi(2) / expected)
            .sum();
        // 23 degrees of freedom: 49.73 is exceeded once in a thousand.
        assert!(chi_squared < 49.73, "{chi_squared}");
    }

    #[test]
    fn the_draws_of_a_seed_never_change() {
        let mut rng = ChaCha8Rng::seed_from_u64(2026);
        let draws: Vec<u32> = (0..10).map(|_| below(&mut rng, 36)).collect();
        let mut cards: Vec<u8> = (0..8).collect();
        shuffle(&mut rng, &mut cards);
        assert_eq!(draws, [2, 21, 12, 9, 26, 1, 17, 6, 32, 8]);
        assert_eq!(cards, [2, 6, 1, 0, 7, 3, 5, 4]);
    }
}
