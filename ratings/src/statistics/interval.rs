//! The 95 % interval of a mean score.

use libm::erfc;
use schemars::JsonSchema;
use serde::Serialize;

/// The 97.5 % point of the normal distribution.
pub(super) const WIDTH: f64 = 1.959_963_984_540_054;

/// How many blocks of independent matches between equals the estimates of what the strata save begins with, and
/// that of the design effect where nothing else is known. Of the numbers tried it holds the coverage nearest to
/// 95 % over strengths, draws and correlations.
pub(super) const PRIOR_BLOCKS: f64 = 1.0;

/// The variance of one match between equals who do not draw: the largest there is.
pub(super) const LARGEST_VARIANCE: f64 = 0.25;

/// A score, from 0 to 1, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Interval {
    /// The mean score.
    pub mean: f64,
    /// The lower bound; at least 0.
    pub low: f64,
    /// The upper bound; at most 1.
    pub high: f64,
}

/// What is known of a mean score over blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockSample {
    /// How many blocks.
    pub(super) blocks: f64,
    /// How many matches each has.
    pub(super) matches: f64,
    /// The mean score.
    pub(super) mean: f64,
    /// The sum of the squared deviations of blocks from what was expected of them.
    pub(super) squares: f64,
    /// How many such deviations are free.
    pub(super) freedom: f64,
    /// The variance that one match would have if it were won or lost, at the scores that were expected.
    pub(super) expected: f64,
    /// The design effect to begin with.
    pub(super) guess: f64,
    /// As how many blocks between equals that counts.
    pub(super) prior: f64,
    /// How many standard errors lie to each side in the interval: as [`width`] has it.
    pub(super) width: f64,
}

/// The 97.5 % point for the mean of so many blocks of one bot against another. Of pairs of matches it is Student's t:
/// their spread is estimated from few of them. In blocks of one match the mean tells the spread, and in those of more
/// the normal point holds already (`docs/reference/statistics.md`).
///
/// By Satterthwaite ("An approximate distribution of estimates of variance components", 1946) a variance has
/// 2 n / (κ − 1) degrees of freedom, κ being the kurtosis. That of a pair of independent matches between equals is 2.
/// The point is the expansion of Abramowitz and Stegun (1964), 26.7.5: right to 0.04 for one pair and to 0.001 from
/// two on.
pub(super) fn width(blocks: f64, matches: u8) -> f64 {
    if matches != 2 {
        return WIDTH;
    }
    let (z, freedom) = (WIDTH, 2.0 * blocks);
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
        (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5)
            - 1920.0 * z.powi(3)
            - 945.0 * z)
            / 92_160.0,
    ];
    let tail = terms
        .iter()
        .rev()
        .fold(0.0, |sum, term| (sum + term) / freedom);
    z + tail
}

/// The variance of one match that is won or lost, estimated from a mean over so many.
pub(super) fn binomial(mean: f64, matches: f64) -> f64 {
    if matches > 1.0 {
        mean * (1.0 - mean) * matches / (matches - 1.0)
    } else {
        LARGEST_VARIANCE
    }
}

impl BlockSample {
    /// As how many independent matches, won or lost, the blocks tell: their number over the design effect
    /// (Kish), the variance of a block over that of as many independent matches at the expected scores, times
    /// what the strata save. The one is drawn towards its guess and the other, by [`PRIOR_BLOCKS`], towards 1, so
    /// that blocks that are all alike do not seem to tell everything.
    fn effective(&self) -> f64 {
        let design = self.design();
        let prior = PRIOR_BLOCKS * LARGEST_VARIANCE;
        let whole = binomial(self.mean, self.blocks * self.matches);
        let strata = (self.blocks * self.expected + prior) / (self.blocks * whole + prior);
        self.blocks * self.matches / (design * strata)
    }

    /// The design effect.
    pub(super) fn design(&self) -> f64 {
        let prior = self.prior * LARGEST_VARIANCE;
        (self.squares * self.matches + prior * self.guess)
            / (self.freedom.max(0.0) * self.expected + prior)
    }

    /// Wilson's interval (1927) with the effective number of matches, as for complex surveys. None without
    /// blocks.
    pub(super) fn interval(&self) -> Option<Interval> {
        if self.blocks <= 0.0 {
            return None;
        }
        let (mean, number, z) = (self.mean, self.effective(), self.width);
        let shrunk = 1.0 + z * z / number;
        let middle = (mean + z * z / (2.0 * number)) / shrunk;
        let half =
            z * (mean * (1.0 - mean) / number + (z / (2.0 * number)).powi(2)).sqrt() / shrunk;
        Some(Interval {
            mean,
            // Where the score is 0 or 1 rounding must not move the bound that is exact.
            low: (middle - half).clamp(0.0, mean),
            high: (middle + half).clamp(mean, 1.0),
        })
    }

    /// How likely the true mean is over one half: by the same test whose acceptance is the interval, so that
    /// it is over 97.5 % just when the interval lies above one half. None without blocks.
    pub(super) fn superiority(&self) -> Option<f64> {
        if self.blocks <= 0.0 {
            return None;
        }
        let deviation = (LARGEST_VARIANCE / self.effective()).sqrt();
        // In units in which the interval is as wide as a normal one.
        Some(normal((self.mean - 0.5) / deviation * WIDTH / self.width))
    }
}

/// The distribution function of the normal distribution.
pub(super) fn normal(z: f64) -> f64 {
    erfc(-z / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        for (z, part) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (WIDTH, 0.975),
            (-3.0, 0.001_349_898_031_630),
            (-40.0, 0.0),
        ] {
            assert!((normal(z) - part).abs() < 1e-12, "{z}");
        }
    }

    fn sample(won: f64, blocks: f64) -> BlockSample {
        let mean = won / (2.0 * blocks);
        BlockSample {
            blocks,
            matches: 2.0,
            mean,
            squares: 0.0,
            freedom: 0.0,
            expected: binomial(mean, 2.0 * blocks),
            guess: 1.0,
            prior: PRIOR_BLOCKS,
            width: WIDTH,
        }
    }

    #[test]
    fn students_t_is_that_of_the_tables() {
        for (freedom, point, by) in [
            (2.0, 4.303, 0.04),
            (4.0, 2.776, 0.001),
            (10.0, 2.228, 0.001),
            (60.0, 2.000, 0.001),
            (1e9, WIDTH, 1e-6),
        ] {
            let ours = width(freedom / 2.0, 2);
            assert!((ours - point).abs() <= by, "{freedom}: {ours}");
        }
        assert_eq!((width(3.0, 1), width(3.0, 6)), (WIDTH, WIDTH));
    }

    /// Wilson's own formula where nothing is known of the design: 20 of 20 matches.
    #[test]
    fn without_a_design_effect_it_is_wilsons_interval() {
        let interval = sample(20.0, 10.0).interval().unwrap();
        assert_eq!(interval.high, 1.0);
        assert!((interval.low - 20.0 / (20.0 + WIDTH * WIDTH)).abs() < 1e-12);
        let half = sample(10.0, 10.0).interval().unwrap();
        assert!((half.low - 0.299_298).abs() < 1e-6 && (half.high - 0.700_702).abs() < 1e-6);
    }

    #[test]
    fn the_likelihood_of_superiority_and_the_interval_agree() {
        for won in 0..=20 {
            let sample = sample(f64::from(won), 10.0);
            let interval = sample.interval().unwrap();
            let superiority = sample.superiority().unwrap();
            assert_eq!(superiority > 0.975, interval.low > 0.5, "{won} of 20");
            assert_eq!(superiority < 0.025, interval.high < 0.5, "{won} of 20");
        }
        assert_eq!(BlockSample::default().interval(), None);
        assert_eq!(BlockSample::default().superiority(), None);
    }
}
