//! Sequential tests: is a bot stronger than another by so much, or not; decided as soon as may be.
//!
//! The generalised sequential probability ratio test over blocks, by Van den Bergh's "Comments on
//! Normalized Elo" (sections 1 and 4), which chess engine testers use. The log-likelihood ratio is that
//! between the most likely distributions of a block's score that have the one and the other Elo difference.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statistics::game_pairs::{BlockScores, NORMALISED};

/// What stands in the place of a count of 0, so that every score stays possible: the number that fishtest
/// and fastchess use.
pub const INSTEAD_OF_ZERO: f64 = 1e-3;

/// Where the search for the most likely distribution ends: a change of no probability by more.
const CONVERGENCE: f64 = 1e-12;

/// The most steps of that search; it takes about ten, and some hundred where nearly all blocks are alike.
const MAX_STEPS: usize = 2_000;

/// The largest difference in Elo that can be tested, either way: a bot so much stronger loses one match in a
/// hundred thousand.
const MAX_ELO: f64 = 2_000.0;

/// The same in normalised Elo: 0.81 standard deviations of a pair.
const MAX_NORMALISED: f64 = 200.0;

/// The most standard deviations of a block that a gain is searched for. From 0.94 on (pairs), the search for the
/// most likely distribution does not find one, and the further the less it is the only one.
const MAX_GAIN: f64 = 0.9;

/// A number with more digits than this is told by its exponent.
const MAX_DIGITS: usize = 20;

/// How much of a word that is no model is shown, in characters.
const SHOWN: usize = 80;

/// A sequential test of whether a bot is stronger than another by `elo1`, or only by `elo0`.
///
/// ```
/// use flipside_ratings::{BlockScores, Model, Sprt, SprtDecision};
///
/// let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05, Model::Logistic)?;
/// let blocks = BlockScores::pentanomial([22, 231, 620, 305, 44]);
/// assert_eq!(sprt.decision(sprt.llr(&blocks)), Some(SprtDecision::Elo1));
/// # Ok::<(), flipside_ratings::SprtError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct Sprt(Unchecked);

/// A test as somebody asks for it, before it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Unchecked {
    elo0: f64,
    elo1: f64,
    #[serde(default = "usual_error")]
    alpha: f64,
    #[serde(default = "usual_error")]
    beta: f64,
    #[serde(default)]
    model: Model,
}

/// What testers of engines take when nothing is said.
fn usual_error() -> f64 {
    0.05
}

/// What an Elo difference is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Of the mean score: 400 points make the odds ten to one.
    #[default]
    Logistic,
    /// Of the mean score in standard deviations of a match, which does not shrink where many draw.
    Normalized,
}

/// Where the test ends.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Bounds {
    /// At this log-likelihood ratio or below it, `elo0` is accepted.
    pub lower: f64,
    /// At this one or above it, `elo1`.
    pub upper: f64,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Decision")]
pub enum SprtDecision {
    /// The difference is `elo0`, or less.
    Elo0,
    /// The difference is `elo1`, or more.
    Elo1,
}

/// How a sequential test stands.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "TestStatus")]
pub struct Running {
    /// How many blocks it has heard of.
    pub blocks: u64,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// Where the test ends.
    pub bounds: Bounds,
    /// What is decided.
    pub decision: Option<SprtDecision>,
}

/// Why there is no such test.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// The bounds are the wrong way round, or equal.
    #[error("elo0 must be less than elo1, and {elo0} is not less than {elo1}")]
    Elo {
        /// The lower one, as it was said.
        elo0: f64,
        /// The upper one.
        elo1: f64,
    },
    /// An Elo difference that no matches can tell from infinity, or no number.
    #[error(
        "{name} must be a number from -{most} to {most}{}, not {}",
        if *most < MAX_ELO { " in normalised Elo" } else { "" },
        short(*value)
    )]
    Range {
        /// `elo0` or `elo1`.
        name: &'static str,
        /// The most that the model has.
        most: f64,
        /// What was said.
        value: f64,
    },
    /// A rate of errors that is no use.
    #[error("{name} must be between 0 and 0.5, not {}; 0.05 is usual", short(*value))]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// What was said.
        value: f64,
    },
    /// Blocks are too long for a difference in normalised Elo.
    #[error(
        "{name} is at most {} in normalised Elo where a block has {matches} matches, and {value} is more",
        most.floor()
    )]
    Gain {
        /// `elo0` or `elo1`.
        name: &'static str,
        /// What was said.
        value: f64,
        /// How many matches a block has.
        matches: u8,
        /// The most that can be tested.
        most: f64,
    },
    /// A word that is no model.
    #[error("{0:?} is not a model; there are logistic and normalized")]
    Model(String),
}

/// A number as it was said, but for one that would take a line of digits.
fn short(number: f64) -> String {
    let plain = number.to_string();
    if plain.len() > MAX_DIGITS {
        format!("{number:e}")
    } else {
        plain
    }
}

impl Sprt {
    /// A test that takes a bot for stronger by `elo1` with a probability of at most `alpha` if it is by `elo0`
    /// or less, and takes it for stronger only by `elo0` with one of at most `beta` if it is by `elo1` or more.
    ///
    /// # Errors
    /// When `elo0` is not less than `elo1`, either is not from -2000 to 2000 (in normalised Elo from -200 to
    /// 200), or a rate is not between 0 and 0.5.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: Model,
    ) -> Result<Self, SprtError> {
        Sprt::try_from(Unchecked {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        })
    }

    /// The lesser difference.
    pub fn elo0(&self) -> f64 {
        self.0.elo0
    }

    /// The greater difference.
    pub fn elo1(&self) -> f64 {
        self.0.elo1
    }

    /// The most probable wrong acceptance of the greater difference.
    pub fn alpha(&self) -> f64 {
        self.0.alpha
    }

    /// The most probable wrong acceptance of the lesser one.
    pub fn beta(&self) -> f64 {
        self.0.beta
    }

    /// What the differences are of.
    pub fn model(&self) -> Model {
        self.0.model
    }

    /// The bounds for the log-likelihood ratio: ln β and ln 1/α. With these a test between two distributions
    /// errs no more often than it may (Wald 1945, section 3.2). The more usual ln β/(1 − α) and ln (1 − β)/α, which
    /// Wald takes as an approximation, end a little sooner and let it err α/(1 − β) and β/(1 − α) of the times.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            lower: self.0.beta.ln(),
            upper: -self.0.alpha.ln(),
        }
    }

    /// Whether blocks of so many matches can be put to it.
    ///
    /// # Errors
    /// When a difference in normalised Elo is of over 0.9 standard deviations of a block: one of over 180 in blocks of
    /// three matches, or of over 127 in blocks of six.
    pub fn suits(&self, matches: u8) -> Result<(), SprtError> {
        let most = match self.0.model {
            Model::Logistic => f64::INFINITY,
            Model::Normalized => MAX_GAIN * NORMALISED / f64::from(matches).sqrt(),
        };
        for (name, value) in [("elo0", self.0.elo0), ("elo1", self.0.elo1)] {
            if value.abs() > most {
                return Err(SprtError::Gain {
                    name,
                    value,
                    matches,
                    most,
                });
            }
        }
        Ok(())
    }

    /// How a test of these blocks stands.
    ///
    /// # Panics
    /// When it does not [suit](Sprt::suits) them.
    pub fn running(&self, blocks: &BlockScores) -> Running {
        let llr = self.llr(blocks);
        Running {
            blocks: blocks.total(),
            llr,
            bounds: self.bounds(),
            decision: self.decision(llr),
        }
    }

    /// What a log-likelihood ratio decides; none as long as the test goes on.
    pub fn decision(&self, llr: f64) -> Option<SprtDecision> {
        let Bounds { lower, upper } = self.bounds();
        match llr {
            _ if llr >= upper => Some(SprtDecision::Elo1),
            _ if llr <= lower => Some(SprtDecision::Elo0),
            _ => None,
        }
    }

    /// The log-likelihood ratio of `elo1` against `elo0`, natural logarithm; 0 without blocks. A count of 0 is
    /// taken as [`INSTEAD_OF_ZERO`].
    ///
    /// # Panics
    /// When it does not [suit](Sprt::suits) them.
    pub fn llr(&self, blocks: &BlockScores) -> f64 {
        if blocks.total() == 0 {
            return 0.0;
        }
        let seen = ScoreCounts::of(blocks);
        let likeliest = |elo: f64| match self.0.model {
            Model::Logistic => seen.with_mean(expected_score(elo)),
            Model::Normalized => {
                let matches = f64::from(blocks.matches_of_block());
                seen.with_gain(elo / NORMALISED * matches.sqrt())
            }
        };
        let (under_elo0, under_elo1) = (likeliest(self.0.elo0), likeliest(self.0.elo1));
        let terms = seen.counts.iter().zip(under_elo0.iter().zip(&under_elo1));
        terms
            .map(|(count, (zero, one))| count * (one.ln() - zero.ln()))
            .sum()
    }
}

/// The mean score that a difference in logistic Elo lets expect.
fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// What was seen: counts without zeros, and the scores that they are of.
struct ScoreCounts {
    counts: Vec<f64>,
    scores: Vec<f64>,
    total: f64,
}

impl ScoreCounts {
    fn of(blocks: &BlockScores) -> Self {
        let counts: Vec<f64> = blocks
            .counts()
            .iter()
            .map(|&count| match count {
                0 => INSTEAD_OF_ZERO,
                _ => count as f64,
            })
            .collect();
        let steps = (counts.len() - 1) as f64;
        ScoreCounts {
            scores: (0..counts.len()).map(|at| at as f64 / steps).collect(),
            total: counts.iter().sum(),
            counts,
        }
    }

    /// The most likely distribution with this mean, which lies between 0 and 1 (proposition 1.1).
    fn with_mean(&self, mean: f64) -> Vec<f64> {
        let off: Vec<f64> = self.scores.iter().map(|score| score - mean).collect();
        self.balanced(&off)
    }

    /// The most likely distribution whose mean lies so many of its standard deviations over one half, by the
    /// fixed point of section 4.1, from the uniform distribution.
    fn with_gain(&self, gain: f64) -> Vec<f64> {
        assert!(
            gain.abs() <= MAX_GAIN,
            "a gain of {gain} deviations of a block is too large"
        );
        if gain == 0.0 {
            return self.with_mean(0.5);
        }
        let mut found = vec![1.0 / self.counts.len() as f64; self.counts.len()];
        for _ in 0..MAX_STEPS {
            let mean: f64 = self.weighed(&found, |score| score);
            let variance: f64 = self.weighed(&found, |score| (score - mean).powi(2));
            let deviation = variance.sqrt();
            let off: Vec<f64> = self
                .scores
                .iter()
                .map(|score| {
                    let part = (score - mean) / deviation;
                    score - 0.5 - gain * deviation * (1.0 + part * part) / 2.0
                })
                .collect();
            let next = self.balanced(&off);
            let moved = found
                .iter()
                .zip(&next)
                .map(|(one, other)| (one - other).abs());
            let moved = moved.fold(0.0, f64::max);
            found = next;
            if moved < CONVERGENCE {
                break;
            }
        }
        found
    }

    fn weighed(&self, probabilities: &[f64], of: impl Fn(f64) -> f64) -> f64 {
        let terms = probabilities.iter().zip(&self.scores);
        terms
            .map(|(probability, &score)| probability * of(score))
            .sum()
    }

    /// The most likely distribution in which these offsets have the mean 0: each frequency over 1 + x times
    /// its offset, x solving the secular equation Σ f g / (1 + x g) = 0. Its left side falls from plus to minus
    /// infinity between the poles around 0, so Newton's steps are kept within a bracket that halves at least.
    fn balanced(&self, off: &[f64]) -> Vec<f64> {
        let most = off.iter().copied().fold(f64::MIN, f64::max);
        let least = off.iter().copied().fold(f64::MAX, f64::min);
        debug_assert!(least < 0.0 && most > 0.0, "no mean of {off:?} is 0");
        let (mut low, mut high) = (-1.0 / most, -1.0 / least);
        let mut x: f64 = 0.0;
        for _ in 0..200 {
            let (mut value, mut slope) = (0.0, 0.0);
            for (count, off) in self.counts.iter().zip(off) {
                let term = off / (1.0 + x * off);
                value += count * term;
                slope -= count * term * term;
            }
            if value > 0.0 {
                low = x;
            } else {
                high = x;
            }
            let newton = x - value / slope;
            let next = if low < newton && newton < high {
                newton
            } else {
                low + (high - low) / 2.0
            };
            if value == 0.0 || next == x || (high - low) <= f64::EPSILON * x.abs() {
                break;
            }
            x = next;
        }
        let frequencies = self.counts.iter().map(|count| count / self.total);
        frequencies
            .zip(off)
            .map(|(frequency, off)| frequency / (1.0 + x * off))
            .collect()
    }
}

impl From<Sprt> for Unchecked {
    fn from(sprt: Sprt) -> Self {
        sprt.0
    }
}

impl TryFrom<Unchecked> for Sprt {
    type Error = SprtError;

    fn try_from(said: Unchecked) -> Result<Self, SprtError> {
        let Unchecked {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        } = said;
        let most = match model {
            Model::Logistic => MAX_ELO,
            Model::Normalized => MAX_NORMALISED,
        };
        for (name, value) in [("elo0", elo0), ("elo1", elo1)] {
            if value.is_nan() || value.abs() > most {
                return Err(SprtError::Range { name, most, value });
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Elo { elo0, elo1 });
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if value.is_nan() || value <= 0.0 || value >= 0.5 {
                return Err(SprtError::Rate { name, value });
            }
        }
        Ok(Sprt(said))
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unchecked {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        } = self.0;
        write!(
            f,
            "elo0={elo0} elo1={elo1} alpha={alpha} beta={beta} model={model}"
        )
    }
}

impl Default for Sprt {
    /// Is it 10 Elo stronger, or not at all, with one error in twenty either way.
    fn default() -> Self {
        Sprt::new(0.0, 10.0, 0.05, 0.05, Model::Logistic).expect("the numbers fit")
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl FromStr for Model {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Self, SprtError> {
        match text {
            "logistic" => Ok(Model::Logistic),
            "normalized" | "normalised" => Ok(Model::Normalized),
            _ => Err(SprtError::Model(text.chars().take(SHOWN).collect())),
        }
    }
}

impl fmt::Display for SprtDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sprt(elo0: f64, elo1: f64, model: Model) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap()
    }

    fn most_of(model: Model) -> f64 {
        match model {
            Model::Logistic => MAX_ELO,
            Model::Normalized => MAX_NORMALISED,
        }
    }

    const MODELS: [Model; 2] = [Model::Logistic, Model::Normalized];

    #[test]
    fn a_number_without_end_is_told_shortly() {
        for (elo1, told) in [(1e300, "not 1e300"), (2_001.0, "not 2001")] {
            let error = Sprt::new(0.0, elo1, 0.05, 0.05, Model::Logistic).unwrap_err();
            let error = error.to_string();
            assert!(error.ends_with(told), "{error}");
        }
        let error = Sprt::new(-201.0, 0.0, 0.05, 0.05, Model::Normalized).unwrap_err();
        assert_eq!(
            error.to_string(),
            "elo0 must be a number from -200 to 200 in normalised Elo, not -201"
        );
        let error = Sprt::new(0.0, 1.0, 1e-300 - 1.0, 1e300, Model::Logistic).unwrap_err();
        assert!(error.to_string().contains("not -1;"), "{error}");
        let error = Sprt::new(0.0, 1.0, 0.05, 1e300, Model::Logistic).unwrap_err();
        assert!(error.to_string().contains("not 1e300;"), "{error}");
    }

    #[test]
    fn bounds_the_wrong_way_round_are_refused() {
        let refused = |elo0, elo1, alpha, beta| {
            let error = Sprt::new(elo0, elo1, alpha, beta, Model::Logistic).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            refused(5.0, 0.0, 0.05, 0.05),
            "elo0 must be less than elo1, and 5 is not less than 0"
        );
        assert!(refused(3.0, 3.0, 0.05, 0.05).contains("less"));
        assert!(refused(f64::NAN, 3.0, 0.05, 0.05).starts_with("elo0 must be a number"));
        assert!(refused(0.0, f64::INFINITY, 0.05, 0.05).starts_with("elo1 must be a number"));
        for rate in [0.0, -0.1, 0.5, 1.0, f64::NAN] {
            assert!(refused(0.0, 5.0, rate, 0.05).starts_with("alpha must be between 0 and 0.5"));
            assert!(refused(0.0, 5.0, 0.05, rate).starts_with("beta must be between 0 and 0.5"));
        }
    }

    #[test]
    fn a_test_is_read_from_text_and_no_unknown_key_is_passed_over() {
        let json = r#"{"elo0":0.0,"elo1":5.0,"alpha":0.05,"beta":0.1,"model":"normalized"}"#;
        let read: Sprt = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
        let short: Sprt = serde_json::from_str(r#"{"elo0":0,"elo1":5}"#).unwrap();
        assert_eq!(short, sprt(0.0, 5.0, Model::Logistic));
        assert_eq!(
            read.to_string(),
            "elo0=0 elo1=5 alpha=0.05 beta=0.1 model=normalized"
        );
        let error = |json| serde_json::from_str::<Sprt>(json).unwrap_err().to_string();
        assert!(error(r#"{"elo0":0,"elo1":5,"elo2":6}"#).contains("elo2"));
        assert!(error(r#"{"elo0":9,"elo1":5}"#).contains("less"));
        assert!(
            "bayesian"
                .parse::<Model>()
                .unwrap_err()
                .to_string()
                .contains("logistic")
        );
        for model in MODELS {
            assert_eq!(model.to_string().parse(), Ok(model));
        }
    }

    #[test]
    fn a_bound_is_crossed_when_it_is_reached() {
        let Bounds { lower, upper } = sprt(0.0, 5.0, Model::Logistic).bounds();
        assert!((upper - 2.995_732_274).abs() < 1e-9 && lower == -upper);
        let sprt = sprt(0.0, 5.0, Model::Logistic);
        assert_eq!(sprt.decision(upper), Some(SprtDecision::Elo1));
        assert_eq!(sprt.decision(lower), Some(SprtDecision::Elo0));
        assert_eq!(sprt.decision(0.0), None);
    }

    #[test]
    fn without_blocks_nothing_is_decided() {
        for model in MODELS {
            let sprt = sprt(-3.0, 100.0, model);
            assert_eq!(sprt.llr(&BlockScores::new(6)), 0.0);
        }
    }

    #[test]
    fn the_largest_difference_is_searched_for_in_pairs() {
        assert!(MAX_NORMALISED / NORMALISED * 2f64.sqrt() <= MAX_GAIN);
    }

    #[test]
    fn who_loses_all_is_not_stronger_and_who_draws_all_neither() {
        for model in MODELS {
            for elo in [1.0, 50.0, 140.0, 200.0, 300.0, 600.0, 2_000.0] {
                if elo > most_of(model) {
                    Sprt::new(0.0, elo, 0.05, 0.05, model).unwrap_err();
                    continue;
                }
                for [lost, drawn] in [[5, 0], [0, 30], [1, 0], [3, 3]] {
                    let blocks = BlockScores::pentanomial([lost, 0, drawn, 0, 0]);
                    let told = |low, high| sprt(low, high, model).llr(&blocks);
                    assert!(told(0.0, elo) < 0.0, "{model} {elo} {lost} {drawn}");
                    assert!(drawn > 0 || told(-elo, elo) < 0.0, "{model} {elo} {lost}");
                    let won = blocks.reversed();
                    assert!(sprt(-elo, 0.0, model).llr(&won) > 0.0, "{model} {elo}");
                }
            }
        }
    }

    fn pairs() -> impl Strategy<Value = [u64; 5]> {
        let count = prop_oneof![Just(0u64), 1u64..30, 1u64..100_000];
        prop::array::uniform5(count)
    }

    proptest! {
        #[test]
        fn the_likeliest_distribution_is_one_and_has_the_gain(
            matches in 1u8..=6,
            counts in prop::array::uniform13(prop_oneof![Just(0u32), 1u32..30, 1u32..100_000]),
            gain in -MAX_GAIN..=MAX_GAIN,
        ) {
            let seen = ScoreCounts::of(&BlockScores::of(&counts[..=2 * usize::from(matches)]));
            let found = seen.with_gain(gain);
            prop_assert!(found.iter().all(|&one| one > 0.0), "{:?}", found);
            // What was never seen has a frequency of 1e-9, and may get nearly all: so many digits are lost.
            let sum: f64 = found.iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-6, "{} {:?}", sum - 1.0, found);
            let mean = seen.weighed(&found, |score| score);
            let deviation = seen.weighed(&found, |score| (score - mean).powi(2)).sqrt();
            prop_assert!((mean - 0.5 - gain * deviation).abs() < 1e-6, "{:?}", found);
        }

        #[test]
        fn the_ratio_is_a_number_and_turns_its_sign_with_the_bots(counts in pairs(), low in -1.0f64..0.9, wide in 0.001f64..0.1, model in prop::sample::select(&MODELS)) {
            let most = most_of(model).min(500.0);
            let (low, wide) = (most * low, most * wide);
            let blocks = BlockScores::pentanomial(counts);
            let one = sprt(low, low + wide, model).llr(&blocks);
            let other = sprt(-low - wide, -low, model).llr(&blocks.reversed());
            prop_assert!(one.is_finite());
            prop_assert!((one + other).abs() <= 1e-6 * one.abs().max(1.0), "{} {}", one, other);
        }

        #[test]
        fn ratios_add_up_where_one_test_ends_at_which_the_next_begins(counts in pairs(), low in -100.0f64..100.0, wide in 0.5f64..50.0, model in prop::sample::select(&MODELS)) {
            let blocks = BlockScores::pentanomial(counts);
            let [a, b, c] = [low, low + wide, low + 2.0 * wide];
            let parts = sprt(a, b, model).llr(&blocks) + sprt(b, c, model).llr(&blocks);
            let whole = sprt(a, c, model).llr(&blocks);
            prop_assert!((parts - whole).abs() <= 1e-6 * whole.abs().max(1.0), "{} {}", parts, whole);
        }

        #[test]
        fn twice_as_many_of_each_speak_twice_as_loud(counts in prop::array::uniform5(1u64..10_000), low in -100.0f64..100.0, model in prop::sample::select(&MODELS)) {
            let sprt = sprt(low, low + 20.0, model);
            let once = sprt.llr(&BlockScores::pentanomial(counts));
            let twice = sprt.llr(&BlockScores::pentanomial(counts.map(|count| 2 * count)));
            prop_assert!((twice - 2.0 * once).abs() <= 1e-6 * twice.abs().max(1.0), "{} {}", once, twice);
        }
    }
}
