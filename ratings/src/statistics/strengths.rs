//! What the results of a tournament as a whole tell of the design effect and of the scores that were to be
//! expected, where two bots have met but once and nothing is told by their own results. `docs/reference/statistics.md`
//! says where the formulas come from.

use libm::{exp, log};

use super::interval::LARGEST_VARIANCE;

/// How many times the luck of a block is as large as what all blocks tell of a difference of strengths: the values
/// that are weighed. At the last one there are no differences.
const RATIOS: [f64; 9] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, f64::INFINITY];

/// How many blocks of independent matches between equals the estimate of the variance begins with.
const PRIOR_BLOCKS: f64 = 1.0;

/// The strengths are exact enough where what is left of the equations has shrunk so far.
const EXACT: f64 = 1e-12;

/// The blocks of a tournament, as far as strengths follow from them.
#[derive(Clone, Debug, Default)]
pub(super) struct StrengthBlocks {
    /// Every two entrants that have met, with the number of their blocks.
    pub(super) met: Vec<(usize, usize, f64)>,
    /// For each entrant the sum of the scores of its blocks, each less one half.
    pub(super) above: Vec<f64>,
    /// What was made of all blocks.
    pub(super) sums: Sums,
    /// How many rivals a bot has in a match.
    pub(super) rivals: f64,
    /// How many matches a block has.
    pub(super) matches: f64,
    /// The design effect to begin with.
    pub(super) guess: f64,
}

/// Sums over blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    /// How many scores of bots.
    scores: f64,
    /// How many of these are free: those of a block add up to the half of their number, and partners have the same.
    free: f64,
    /// Their squared deviations from one half, as if the free ones were independent.
    squares: f64,
}

impl Sums {
    /// Counts a block in which so many bots, in so many parties, had these squared deviations from one half, all
    /// added up.
    pub(super) fn add(&mut self, bots: usize, parties: usize, squares: f64) {
        let (bots, free) = (bots as f64, parties.saturating_sub(1) as f64);
        self.scores += bots;
        self.free += free;
        self.squares += squares * free / bots;
    }
}

/// Strengths that may be, weighed by how likely the results make them.
#[derive(Clone, Debug, Default)]
pub(super) struct Strengths {
    /// The design effect.
    pub(super) design: f64,
    fits: Vec<StrengthFit>,
}

/// The strengths at one ratio.
#[derive(Clone, Debug)]
struct StrengthFit {
    /// How likely the ratio is; in the end a part of 1.
    weight: f64,
    /// By how much each entrant's expected score against an average one is over one half.
    strengths: Vec<f64>,
    /// The variance of an expected score of one entrant against another, on average.
    uncertain: f64,
}

impl StrengthFit {
    /// The variance of a match of these two, if it is won or lost.
    fn variance(&self, one: usize, other: usize) -> f64 {
        let score = (0.5 + self.strengths[one] - self.strengths[other]).clamp(0.0, 1.0);
        (score * (1.0 - score) - self.uncertain).max(0.0)
    }
}

impl Strengths {
    /// The variance that one match of these two would have if it were won or lost.
    pub(super) fn variance(&self, one: usize, other: usize) -> f64 {
        self.fits
            .iter()
            .map(|fit| fit.weight * fit.variance(one, other))
            .sum()
    }
}

impl StrengthBlocks {
    /// A linear model with random strengths: a block's score is one half and the difference of two strengths and
    /// luck, both normal. How far strengths lie apart is weighed by the likelihood. That takes no account of how
    /// pairs came to meet, and need not, though a format pairs by results. None without blocks.
    pub(super) fn strengths(&self) -> Option<Strengths> {
        let Sums { scores, free, .. } = self.sums;
        if self.met.is_empty() || free <= 0.0 {
            return None;
        }
        let rank = self.rank();
        // On average over all differences that results can tell.
        let told = scores / rank;
        let own = PRIOR_BLOCKS * LARGEST_VARIANCE * self.guess;
        let mut designs = Vec::new();
        let mut fits = Vec::new();
        for ratio in RATIOS {
            let strengths = self.solved(told * ratio);
            let explained: f64 = strengths.iter().zip(&self.above).map(|(x, y)| x * y).sum();
            let left = (self.sums.squares - explained).max(0.0) + own / self.matches;
            let variance = left / (free + PRIOR_BLOCKS);
            let fit = StrengthFit {
                weight: -0.5
                    * ((free + PRIOR_BLOCKS) * log(variance) + rank * log(1.0 + 1.0 / ratio)),
                strengths,
                uncertain: variance * 2.0 * rank / ((1.0 + ratio) * scores),
            };
            let (mut all, mut single) = (0.0, 0.0);
            for &(one, other, blocks) in &self.met {
                all += blocks;
                single += blocks * fit.variance(one, other);
            }
            let expected = free * single / all + PRIOR_BLOCKS * LARGEST_VARIANCE;
            designs.push(left * self.matches / expected);
            fits.push(fit);
        }
        let most = fits.iter().map(|fit| fit.weight).fold(f64::MIN, f64::max);
        fits.iter_mut()
            .for_each(|fit| fit.weight = exp(fit.weight - most));
        let sum: f64 = fits.iter().map(|fit| fit.weight).sum();
        fits.iter_mut().for_each(|fit| fit.weight /= sum);
        let weighed = fits.iter().zip(&designs);
        Some(Strengths {
            design: weighed.map(|(fit, design)| fit.weight * design).sum(),
            fits,
        })
    }

    /// How many differences of strengths the results can tell: one less than entrants in each part of the field
    /// that has not met the others.
    fn rank(&self) -> f64 {
        let mut part: Vec<usize> = (0..self.above.len()).collect();
        let mut rank = 0.0;
        for &(one, other, _) in &self.met {
            let [one, other] = [one, other].map(|of| first(&mut part, of));
            if one != other {
                part[one.max(other)] = one.min(other);
                rank += 1.0;
            }
        }
        rank
    }

    /// The strengths that leave the least squares, their own weighed so much: by conjugate gradients (Hestenes
    /// and Stiefel, 1952), for the equations are many, and well behaved.
    fn solved(&self, weight: f64) -> Vec<f64> {
        if weight.is_infinite() {
            return vec![0.0; self.above.len()];
        }
        crate::linear_solver::conjugate_gradients(self.above.clone(), EXACT, |direction| {
            self.times(direction, weight)
        })
    }

    /// The left side of the equations: for each entrant the sum over its blocks of how far its strength is over
    /// the mean of its rivals', and its own, weighed.
    fn times(&self, strengths: &[f64], weight: f64) -> Vec<f64> {
        let mut product: Vec<f64> = strengths.iter().map(|own| weight * own).collect();
        for &(one, other, blocks) in &self.met {
            let apart = blocks / self.rivals * (strengths[one] - strengths[other]);
            product[one] += apart;
            product[other] -= apart;
        }
        product
    }
}

/// The first entrant of the part that this one is in.
fn first(part: &mut [usize], mut of: usize) -> usize {
    while part[of] != of {
        part[of] = part[part[of]];
        of = part[of];
    }
    of
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every two of so many bots have met once, with these scores of the first.
    fn met(bots: usize, mut score: impl FnMut(usize, usize) -> f64) -> StrengthBlocks {
        let mut blocks = StrengthBlocks {
            above: vec![0.0; bots],
            matches: 2.0,
            guess: 1.0,
            rivals: 1.0,
            ..StrengthBlocks::default()
        };
        for one in 0..bots {
            for other in one + 1..bots {
                let above = score(one, other) - 0.5;
                blocks.met.push((one, other, 1.0));
                blocks.above[one] += above;
                blocks.above[other] -= above;
                blocks.sums.add(2, 2, 2.0 * above * above);
            }
        }
        blocks
    }

    fn coins() -> impl FnMut() -> bool {
        let mut state = 5u64;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state >> 63 == 0
        }
    }

    #[test]
    fn between_equals_who_met_once_the_design_effect_is_that_of_their_blocks() {
        let mut coin = coins();
        let mut half = || f64::from(u8::from(coin()));
        let alone = met(60, |_, _| (half() + half()) / 2.0).strengths().unwrap();
        let both = met(60, |_, _| half()).strengths().unwrap();
        let split = met(60, |_, _| 0.5).strengths().unwrap();
        assert!((alone.design - 1.0).abs() < 0.1, "{}", alone.design);
        assert!((both.design - 2.0).abs() < 0.1, "{}", both.design);
        assert!(split.design < 0.01, "{}", split.design);
        // Nobody is told to be better, so that every match could go either way.
        for (one, other) in [(0, 1), (7, 59)] {
            assert!((alone.variance(one, other) - 0.25).abs() < 0.02);
        }
    }

    #[test]
    fn where_the_better_bot_wins_all_that_is_strength_and_not_luck() {
        let told = met(12, |one, other| f64::from(u8::from(one < other)));
        let strengths = told.strengths().unwrap();
        assert!(strengths.design < 1.5, "{}", strengths.design);
        assert!(strengths.variance(0, 11) < 0.01);
        assert!(strengths.variance(5, 6) > 0.2);
    }

    #[test]
    fn strengths_leave_the_least_squares() {
        let mut coin = coins();
        let blocks = met(9, |_, _| f64::from(u8::from(coin())));
        // Of a round robin there is a formula.
        for (strength, above) in blocks.solved(2.0).iter().zip(&blocks.above) {
            assert!((strength - above / (9.0 + 2.0)).abs() < 1e-6);
        }
        assert_eq!(blocks.solved(f64::INFINITY), [0.0; 9]);
        assert_eq!(blocks.rank(), 8.0);
    }

    #[test]
    fn parts_that_have_not_met_are_not_compared() {
        let mut blocks = met(6, |_, _| 1.0);
        blocks
            .met
            .retain(|&(one, other, _)| (one < 3) == (other < 3));
        assert_eq!(blocks.rank(), 4.0);
        blocks.met.clear();
        assert!(blocks.strengths().is_none());
    }
}
