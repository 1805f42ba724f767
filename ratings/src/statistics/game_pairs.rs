//! How many blocks had each possible score, between two bots, and what follows from it.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::interval::{BlockSample, Interval, PRIOR_BLOCKS, WIDTH, binomial, normal, width};
use crate::numbers::hundredths;

/// The most matches of a block: all orders of three bots.
pub const MAX_IN_BLOCK: u8 = 6;

/// The unit of normalised Elo (Van den Bergh): so many points for an expected gain of one standard deviation
/// of a match. For small differences between equals who never draw it is as large as logistic Elo.
pub const NORMALISED: f64 = 800.0 / std::f64::consts::LN_10;

/// How many blocks had each score. Between two bots the score of a match is 1 for the better place, one half
/// for the same, 0 for the worse; that of a block of m matches is their mean, one of 2 m + 1 values. With
/// blocks of one match it is the trinomial distribution, with pairs the pentanomial one.
///
/// ```
/// use flipside_ratings::BlockScores;
///
/// let blocks = BlockScores::pentanomial([34, 54, 63, 64, 75]);
/// let elo = blocks.elo().expect("there are blocks");
/// assert_eq!(elo.to_string(), "Elo: 55.58 +/- 27.65, nElo: 57.94 +/- 28.28");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockScores {
    matches: u8,
    /// From the worst score to the best.
    counts: Vec<u64>,
}

/// The difference between two bots in Elo, as chess tools print it: with errors that are half the width of
/// 95 % intervals, from the variance that was seen. Where one bot has all points, or nothing varied, some
/// are not finite; JSON then has null. The interval of the score itself, which is sound there too, is
/// [`BlockScores::score`], and its ends in Elo are `low` and `high`.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Elo {
    /// Logistic Elo: 400 points make the odds ten to one.
    #[serde(serialize_with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub elo: f64,
    /// Its error.
    #[serde(serialize_with = "told_error")]
    #[schemars(with = "Option<f64>")]
    pub error: f64,
    /// Normalised Elo: the expected gain in standard deviations of a match.
    #[serde(serialize_with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub normalised: f64,
    /// Its error.
    #[serde(serialize_with = "told_error")]
    #[schemars(with = "Option<f64>")]
    pub normalised_error: f64,
    /// The likelihood of superiority by the normal distribution, from 0 to 1.
    #[serde(serialize_with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub superiority: f64,
    /// The lower end of the score's 95 % interval, in logistic Elo.
    #[serde(serialize_with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub low: f64,
    /// The upper end.
    #[serde(serialize_with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub high: f64,
}

fn finite<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    // No minus stands before a zero.
    number.is_finite().then_some(number + 0.0).serialize(to)
}

/// An error, where one can be told: blocks that are all alike tell none, and the formula gives zero.
pub fn told(error: f64) -> Option<f64> {
    (error.is_finite() && error > 0.0).then_some(error)
}

fn told_error<S: Serializer>(error: &f64, to: S) -> Result<S::Ok, S::Error> {
    told(*error).serialize(to)
}

impl BlockScores {
    /// No blocks yet, of so many matches each.
    ///
    /// # Panics
    /// When a block would have no match, or more than [`MAX_IN_BLOCK`].
    pub fn new(matches: u8) -> Self {
        assert!(
            (1..=MAX_IN_BLOCK).contains(&matches),
            "a block has 1 to {MAX_IN_BLOCK} matches"
        );
        BlockScores {
            matches,
            counts: vec![0; 2 * usize::from(matches) + 1],
        }
    }

    /// Single matches: how many were lost, drawn, won.
    pub fn trinomial(counts: [u64; 3]) -> Self {
        BlockScores {
            matches: 1,
            counts: counts.into(),
        }
    }

    /// Pairs of matches: how many gave 0, one half, 1, one and a half, 2 points.
    pub fn pentanomial(counts: [u64; 5]) -> Self {
        BlockScores {
            matches: 2,
            counts: counts.into(),
        }
    }

    /// So many blocks of each score.
    pub(crate) fn of(counts: &[u32]) -> Self {
        BlockScores {
            matches: (counts.len() / 2) as u8,
            counts: counts.iter().copied().map(u64::from).collect(),
        }
    }

    /// Counts a block in which so many half points were made.
    ///
    /// # Panics
    /// When these are more than its matches give.
    pub fn add(&mut self, half_points: usize) {
        self.counts[half_points] += 1;
    }

    /// Adds the counts of other blocks.
    ///
    /// # Panics
    /// When these have another number of matches.
    pub fn add_all(&mut self, other: &BlockScores) {
        assert_eq!(self.matches, other.matches, "blocks are of one size");
        for (own, more) in self.counts.iter_mut().zip(&other.counts) {
            *own += more;
        }
    }

    /// How many blocks had each score, from 0 to 1 in equal steps.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many matches a block has.
    pub fn matches_of_block(&self) -> u8 {
        self.matches
    }

    /// How many blocks there are.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The same blocks as the other bot sees them.
    pub fn reversed(&self) -> Self {
        BlockScores {
            matches: self.matches,
            counts: self.counts.iter().rev().copied().collect(),
        }
    }

    /// The same blocks as the one bot or the other sees them.
    pub(super) fn seen_by(self, the_one: bool) -> Self {
        if the_one { self } else { self.reversed() }
    }

    /// The mean score and the variance of a block's score, the one of the sample itself. None without blocks.
    pub fn moments(&self) -> Option<(f64, f64)> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let steps = (self.counts.len() - 1) as f64;
        let half_points = |power: i32, from: f64| -> f64 {
            let terms = self.counts.iter().enumerate();
            terms
                .map(|(at, &count)| count as f64 * (at as f64 - from).powi(power))
                .sum()
        };
        let mean = half_points(1, 0.0) / total as f64;
        let variance = half_points(2, mean) / total as f64;
        Some((mean / steps, variance / (steps * steps)))
    }

    /// The variance of a block's score, estimated without bias. 0 for less than two blocks.
    pub(super) fn sample_variance(&self) -> f64 {
        let total = self.total() as f64;
        self.moments().map_or(0.0, |(_, variance)| {
            variance * total / (total - 1.0).max(1.0)
        })
    }

    /// The mean score with its 95 % interval, which holds at few blocks and at extreme scores too. None
    /// without blocks.
    pub fn score(&self) -> Option<Interval> {
        self.sample()?.interval()
    }

    /// How likely this bot is the better one of the two, from 0 to 1, at few blocks too. None without blocks.
    pub fn superiority(&self) -> Option<f64> {
        self.sample()?.superiority()
    }

    fn sample(&self) -> Option<BlockSample> {
        let (mean, variance) = self.moments()?;
        let (blocks, matches) = (self.total() as f64, f64::from(self.matches));
        Some(BlockSample {
            blocks,
            matches,
            mean,
            squares: blocks * variance,
            freedom: blocks - 1.0,
            expected: binomial(mean, blocks * matches),
            guess: 1.0,
            prior: PRIOR_BLOCKS,
            width: width(blocks, self.matches),
        })
    }

    /// How many times the variance of a block is as large as that of independent matches that are won or lost.
    pub(super) fn design(&self) -> f64 {
        self.sample().map_or(1.0, |sample| sample.design())
    }

    /// The difference in Elo. None without blocks.
    pub fn elo(&self) -> Option<Elo> {
        let (mean, variance) = self.moments()?;
        let interval = self.score()?;
        let blocks = self.total() as f64;
        let off = WIDTH * (variance / blocks).sqrt();
        let deviation = (f64::from(self.matches) * variance).sqrt();
        Some(Elo {
            elo: elo_of(mean),
            error: (elo_of(mean + off) - elo_of(mean - off)) / 2.0,
            normalised: NORMALISED * (mean - 0.5) / deviation,
            normalised_error: NORMALISED * off / deviation,
            superiority: if variance > 0.0 {
                normal((mean - 0.5) / (variance / blocks).sqrt())
            } else {
                // Blocks that are all alike tell no variance.
                f64::NAN
            },
            low: elo_of(interval.low),
            high: elo_of(interval.high),
        })
    }
}

/// The difference in logistic Elo that a mean score tells; infinite at 0 and 1 and beyond.
fn elo_of(score: f64) -> f64 {
    match score {
        ..=0.0 => f64::NEG_INFINITY,
        1.0.. => f64::INFINITY,
        _ => -400.0 * (1.0 / score - 1.0).log10(),
    }
}

/// As chess tools print it, where there is something to print: no figure if all points went one way, no normalised one
/// if all blocks were alike, and no error that would be infinite.
impl std::fmt::Display for Elo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let figures = [
            ("Elo", self.elo, self.error),
            ("nElo", self.normalised, self.normalised_error),
        ];
        let figures = figures.into_iter();
        let figures = figures.filter(|(_, figure, _)| figure.is_finite());
        if !self.elo.is_finite() {
            f.write_str("no Elo: all points went to one bot")?;
        }
        for (at, (name, figure, error)) in figures.enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{name}: {:.2}", hundredths(figure))?;
            if let Some(error) = told(error) {
                write!(f, " +/- {error:.2}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_figure_is_printed_that_cannot_be_told() {
        for (counts, told) in [
            ([0, 0, 0, 0, 1], "no Elo: all points went to one bot"),
            ([7, 0, 0, 0, 0], "no Elo: all points went to one bot"),
            ([0, 0, 9, 0, 0], "Elo: 0.00"),
            ([0, 0, 0, 4, 0], "Elo: 190.85"),
            ([0, 1, 0, 0, 0], "Elo: -190.85"),
            ([0, 1, 0, 0, 9], "Elo: 436.43, nElo: 464.05 +/- 152.27"),
        ] {
            let elo = BlockScores::pentanomial(counts).elo().unwrap();
            assert_eq!(elo.to_string(), told, "{counts:?}");
            // The interval beside it is sound there too.
            assert!(elo.low < elo.high && (elo.low.is_finite() || elo.high.is_finite()));
        }
    }

    #[test]
    fn json_has_no_error_that_cannot_be_told() {
        let json = |counts| {
            let elo = BlockScores::pentanomial(counts).elo().unwrap();
            serde_json::to_string(&elo).unwrap()
        };
        let alike = json([0, 0, 5, 0, 0]);
        for part in [r#""elo":0.0,"#, r#""error":null"#, r#""normalised":null"#] {
            assert!(alike.contains(part), "{part}: {alike}");
        }
        assert!(json([0, 0, 0, 4, 0]).contains(r#""normalised_error":null"#));
        let told = BlockScores::pentanomial([1, 2, 3, 2, 4]).elo().unwrap();
        let (error, text) = (told.error, json([1, 2, 3, 2, 4]));
        assert!(text.contains(&format!(r#""error":{error}"#)), "{text}");
    }

    /// In how many of a hundred cases the interval of so many pairs holds the truth, over all results that they may
    /// have; so often a block has 0 to 4 half points. The bots are equals.
    fn coverage(pairs: u64, block: [f64; 5]) -> f64 {
        let mut held = 0.0;
        each(pairs, &block, &mut [0; 5], 1.0, &mut |counts, chance| {
            let interval = BlockScores::pentanomial(*counts).score().unwrap();
            // Where a bound is one half but for rounding, it is one half.
            if interval.low <= 0.5 + 1e-12 && interval.high >= 0.5 - 1e-12 {
                held += chance;
            }
        });
        100.0 * held
    }

    /// Every way in which so many blocks may fall among the scores from `block` on, with its chance.
    fn each(
        pairs: u64,
        block: &[f64],
        counts: &mut [u64; 5],
        chance: f64,
        of: &mut impl FnMut(&[u64; 5], f64),
    ) {
        let at = counts.len() - block.len();
        let (&first, rest) = block.split_first().expect("a score");
        let mut ways = chance;
        for here in 0..=pairs {
            counts[at] = here;
            match rest.is_empty() {
                true if here == pairs => of(counts, ways),
                true => {}
                false => each(pairs - here, rest, counts, ways, of),
            }
            ways *= first * (pairs - here) as f64 / (here + 1) as f64;
        }
        counts[at] = 0;
    }

    /// A block of two independent matches between equals, of which this part is drawn.
    fn independent(drawn: f64) -> [f64; 5] {
        let won = (1.0 - drawn) / 2.0;
        let double = 2.0 * won * drawn;
        [
            won * won,
            double,
            drawn * drawn + 2.0 * won * won,
            double,
            won * won,
        ]
    }

    #[test]
    fn intervals_of_pairs_between_equals_hold_the_truth_exactly_as_often_as_they_say() {
        for pairs in (6..=40).chain([60, 100]) {
            let held = coverage(pairs, independent(0.0));
            assert!((93.0..=97.0).contains(&held), "{pairs} pairs: {held}");
        }
        for pairs in 5..=14 {
            for drawn in [0.2, 0.35, 0.5] {
                let held = coverage(pairs, independent(drawn));
                assert!(
                    (93.0..=97.0).contains(&held),
                    "{pairs} pairs, {drawn} drawn: {held}"
                );
            }
        }
    }

    /// With five pairs and no draws no interval holds the truth in 93 to 97 of a hundred cases. Nine points of ten or
    /// more leave out 2.1; next come eight points with no pair lost, which leave out 7.8 more.
    #[test]
    fn with_few_pairs_and_no_draws_intervals_hold_the_truth_more_often_than_they_say() {
        let held: Vec<String> = (2..=5)
            .map(|pairs| format!("{:.1}", coverage(pairs, independent(0.0))))
            .collect();
        assert_eq!(held, ["100.0", "96.9", "99.2", "97.9"]);
    }

    #[test]
    fn what_is_printed_is_never_nothing() {
        let all =
            (0..4u64.pow(5)).map(|number| [0, 1, 2, 3, 4].map(|at| number / 4u64.pow(at) % 4));
        for counts in all.skip(1) {
            let told = BlockScores::pentanomial(counts).elo().unwrap().to_string();
            let wrong = told.contains("NaN") || told.contains("inf") || told.contains("+/- 0.00");
            let has_words = told.starts_with("Elo: ") || told.starts_with("no Elo: ");
            assert!(has_words && !wrong, "{counts:?}: {told}");
        }
    }
}
