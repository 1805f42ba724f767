//! Samples numbers and permutations from a stream of random bits.
//!
//! These functions are our own and not a library's, because records are verified against their
//! seeds for ever: the same bits must give the same samples in every version and on every machine.
//! Real numbers use only `+ - * /` and comparisons, which IEEE 754 rounds alike everywhere. The `ln`
//! and `sin` of platforms differ.

use rand_core::Rng;

/// Samples a number from 0 to `bound - 1` uniformly. Lemire's method, "Fast random integer
/// generation in an interval" (2019), with rejection and so without bias.
///
/// # Panics
/// Panics when `bound` is 0.
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

/// Samples one of some items uniformly.
///
/// # Panics
/// Panics when there are none.
pub fn one_of<'a, T>(rng: &mut dyn Rng, items: &'a [T]) -> &'a T {
    &items[below(rng, items.len() as u32) as usize]
}

/// Permutes the items uniformly (Fisher and Yates, from the end).
pub fn shuffle<T>(rng: &mut dyn Rng, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        let other = below(rng, last as u32 + 1) as usize;
        items.swap(last, other);
    }
}

/// Samples a multiple of 2^-53 from 0 up to but not including 1 uniformly.
pub fn uniform(rng: &mut dyn Rng) -> f64 {
    const STEPS: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
    (rng.next_u64() >> (u64::BITS - f64::MANTISSA_DIGITS)) as f64 / STEPS
}

/// Samples whether an event of this probability happens: never at 0, always at 1.
pub fn happens(rng: &mut dyn Rng, probability: f64) -> bool {
    uniform(rng) < probability
}

/// Samples the standard normal distribution. Algorithm N of C. F. F. Karney, "Sampling exactly
/// from the normal distribution" (2016), with uniform deviates of 53 bits.
pub fn normal(rng: &mut dyn Rng) -> f64 {
    loop {
        let whole = whole_part(rng);
        // Accept the whole part with the probability from the square in the exponent.
        if !(0..whole * whole.saturating_sub(1)).all(|_| happens_exp(rng, 0.5)) {
            continue;
        }
        let (part, twice) = (uniform(rng), 2.0 * f64::from(whole));
        let exponent = part * (twice + part) / (twice + 2.0);
        if (0..=whole).all(|_| happens_exp(rng, exponent)) {
            let size = f64::from(whole) + part;
            return if below(rng, 2) == 0 { size } else { -size };
        }
    }
}

/// Samples a whole number; each is `exp(-1/2)` times as likely as the one before.
fn whole_part(rng: &mut dyn Rng) -> u32 {
    let mut whole = 0;
    while happens_exp(rng, 0.5) {
        whole += 1;
    }
    whole
}

/// Samples whether an event of probability `exp(-exponent)` happens, for an exponent from 0 to 1: it
/// happens if uniform deviates decrease from there an even number of times (von Neumann, 1951).
fn happens_exp(rng: &mut dyn Rng, exponent: f64) -> bool {
    let (mut last, mut even) = (exponent, true);
    loop {
        let next = uniform(rng);
        if next >= last {
            return even;
        }
        (last, even) = (next, !even);
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    /// By how much counts differ from what is expected.
    fn chi_squared(counts: &[f64], expected: &[f64]) -> f64 {
        let pairs = counts.iter().zip(expected);
        pairs
            .map(|(count, expected)| (count - expected).powi(2) / expected)
            .sum()
    }

    #[test]
    fn uniform_numbers_are_in_the_unit_interval_and_even() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut counts = [0.0; 20];
        for _ in 0..100_000 {
            let number = uniform(&mut rng);
            assert!((0.0..1.0).contains(&number));
            counts[(number * 20.0) as usize] += 1.0;
        }
        let differ = chi_squared(&counts, &[5_000.0; 20]);
        // 19 degrees of freedom: 43.82 is exceeded once in a thousand.
        assert!(differ < 43.82, "{differ}");
    }

    #[test]
    fn what_is_certain_happens_and_what_is_impossible_does_not() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        assert!((0..1000).all(|_| happens(&mut rng, 1.0)));
        assert!((0..1000).all(|_| !happens(&mut rng, 0.0)));
        let often = (0..100_000).filter(|_| happens(&mut rng, 0.3)).count();
        // The deviation is 145.
        assert!((29_500..30_500).contains(&often), "{often}");
    }

    /// The probability of the normal distribution between two numbers, by Simpson's rule.
    fn normal_between(low: f64, high: f64) -> f64 {
        const PARTS: u32 = 200;
        let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let step = (high - low) / f64::from(PARTS);
        let weighed = (0..=PARTS).map(|at| {
            let weight = match at {
                0 | PARTS => 1.0,
                at if at % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight * density(low + f64::from(at) * step)
        });
        weighed.sum::<f64>() * step / 3.0
    }

    #[test]
    fn normal_numbers_are_normal() {
        const DRAWS: u32 = 200_000;
        const BINS: usize = 48;
        // Bins of an eighth from -3 to 3, and all beyond.
        let edge = |bin: usize| bin as f64 / 8.0 - 3.0;
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut counts = vec![0.0; BINS + 2];
        for _ in 0..DRAWS {
            let place = ((normal(&mut rng) + 3.0) * 8.0).floor() + 1.0;
            counts[place.clamp(0.0, BINS as f64 + 1.0) as usize] += 1.0;
        }
        let tail = (1.0 - normal_between(-3.0, 3.0)) / 2.0;
        let mut expected = vec![tail];
        expected.extend((0..BINS).map(|bin| normal_between(edge(bin), edge(bin + 1))));
        expected.push(tail);
        expected
            .iter_mut()
            .for_each(|share| *share *= f64::from(DRAWS));
        let differ = chi_squared(&counts, &expected);
        // 49 degrees of freedom: 85.35 is exceeded once in a thousand.
        assert!(differ < 85.35, "{differ}");
    }

    #[test]
    fn the_real_draws_of_a_seed_never_change() {
        let mut rng = ChaCha8Rng::seed_from_u64(2026);
        let draws: Vec<f64> = (0..3).map(|_| uniform(&mut rng)).collect();
        let normals: Vec<f64> = (0..6).map(|_| normal(&mut rng)).collect();
        assert_eq!(
            draws,
            [
                0.5996557851453859,
                0.25397282124949694,
                0.042222659274811836
            ]
        );
        assert_eq!(
            normals,
            [
                0.7149122845262482,
                -0.5675829873007301,
                2.422840100731424,
                2.214954066667461,
                0.81698748193073,
                0.6235817257235818
            ]
        );
    }

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
