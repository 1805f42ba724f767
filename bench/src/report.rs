//! What was measured, as it is printed, stored, and read again.

use std::path::Path;

use flipside_operations::{Failure, Result, read_text};
use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::plan::BenchPlan;

/// The version of the stored form of a report.
pub const FORMAT: u32 = 1;

/// The largest file that is read as a report, in bytes.
pub const MAX_SAVED: u64 = 16 * 1024 * 1024;

/// Digits after the point of a value. So a value that is stored and read is the same value.
const DIGITS: f64 = 1e4;

/// The range of a value, so that no ratio leaves the range of numbers.
const VALUES: std::ops::RangeInclusive<f64> = 1.0 / DIGITS..=1e12;

/// All figures of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// The version of this form: [`FORMAT`].
    pub flipside_bench: u32,
    /// The version of Flipside.
    pub version: String,
    /// Whether Flipside was built with optimisation.
    pub optimized: bool,
    /// When, in UTC: `2026-11-22T14:05:09Z`.
    pub date: String,
    /// Where.
    pub machine: Machine,
    /// What was asked for.
    pub plan: BenchPlan,
    /// The length of a question, which is the length of the yardsticks' lines.
    pub question_bytes: usize,
    /// The figures, each with a name of its own.
    pub figures: Vec<Figure>,
    /// What was not measured, and why.
    pub notes: Vec<String>,
    /// How it differs from an earlier one, if somebody compared them.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
}

/// Two sides that were measured in turns, and how they compare.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredFigure")]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// What both sides are measured in.
    pub unit: String,
    /// Which ratio is better.
    pub aim: FigureTarget,
    /// What is compared with.
    pub baseline: Series,
    /// What is measured.
    pub measured: Series,
    /// The measured values by those of the baseline, repeat by repeat.
    pub ratio: Spread,
    /// The measured values without those of the baseline, repeat by repeat.
    pub difference: Spread,
}

/// What is read of a figure: the rest follows from it.
#[derive(Deserialize)]
struct StoredFigure {
    name: String,
    unit: String,
    aim: FigureTarget,
    baseline: Series,
    measured: Series,
}

/// Which ratio is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FigureTarget {
    /// A low one: costs.
    Low,
    /// A high one: speeds.
    High,
}

/// The values of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What they are values of.
    pub what: String,
    /// By repeat.
    pub values: Vec<f64>,
}

/// The middle of some values, and the range of their middle half.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Half of the values are lower.
    pub median: f64,
    /// A quarter of the values is lower.
    pub low: f64,
    /// A quarter of the values is higher.
    pub high: f64,
}

impl Series {
    /// The values of a side.
    pub fn new(what: &str, values: Vec<f64>) -> Self {
        let rounded = |value: f64| (value * DIGITS).round() / DIGITS;
        Series {
            what: what.into(),
            values: values.into_iter().map(rounded).collect(),
        }
    }

    /// The middle of the values.
    pub fn median(&self) -> f64 {
        Spread::of(self.values.iter().copied()).median
    }
}

impl Figure {
    /// A figure of these two sides.
    ///
    /// # Errors
    /// When they do not have the same number of values, have none, or a value is not a positive number of usual size.
    pub fn new(
        name: &str,
        unit: &str,
        aim: FigureTarget,
        baseline: Series,
        measured: Series,
    ) -> Result<Self, String> {
        let repeats = baseline.values.len();
        if repeats == 0 || measured.values.len() != repeats {
            return Err(format!("{name} does not have values in pairs"));
        }
        let mut values = baseline.values.iter().chain(&measured.values);
        if let Some(value) = values.find(|value| !VALUES.contains(value)) {
            let (least, most) = VALUES.into_inner();
            return Err(format!(
                "{name} has the value {value:?}, and none is below {least} or above {most:e}"
            ));
        }
        Ok(Figure {
            name: name.into(),
            unit: unit.into(),
            aim,
            ratio: Spread::of(ratios(&baseline, &measured)),
            difference: Spread::of(pairs(&baseline, &measured).map(|(base, value)| value - base)),
            baseline,
            measured,
        })
    }

    /// The ratio of each repeat.
    pub fn ratios(&self) -> impl Iterator<Item = f64> {
        ratios(&self.baseline, &self.measured)
    }

    /// How often it was measured.
    pub fn repeats(&self) -> usize {
        self.measured.values.len()
    }
}

fn pairs(baseline: &Series, measured: &Series) -> impl Iterator<Item = (f64, f64)> {
    let measured = measured.values.iter().copied();
    baseline.values.iter().copied().zip(measured)
}

fn ratios(baseline: &Series, measured: &Series) -> impl Iterator<Item = f64> {
    pairs(baseline, measured).map(|(base, value)| value / base)
}

impl TryFrom<StoredFigure> for Figure {
    type Error = String;

    fn try_from(stored: StoredFigure) -> Result<Self, String> {
        let StoredFigure {
            name,
            unit,
            aim,
            baseline,
            measured,
        } = stored;
        Figure::new(&name, &unit, aim, baseline, measured)
    }
}

impl Spread {
    /// Of at least one value: the middle one, and those at a quarter and at three quarters of their order.
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let last = values.len() - 1;
        let quarter = last / 4;
        let middle = (values[last / 2] + values[last.div_ceil(2)]) / 2.0;
        Spread {
            median: middle,
            low: values[quarter],
            high: values[last - quarter],
        }
    }

    /// Whether the middle halves have nothing in common.
    pub fn is_apart_from(&self, other: &Spread) -> bool {
        self.high < other.low || other.high < self.low
    }
}

impl BenchReport {
    /// The figure of this name.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.name == name)
    }

    /// Reads a file that `flipside-bench --json` has printed.
    ///
    /// # Errors
    /// When the file cannot be read, or is not such a file of this version.
    pub fn read(path: &Path) -> Result<Self> {
        let text = read_text(path, MAX_SAVED)?;
        BenchReport::parse(&text).map_err(|failure| failure.about(path.display()))
    }

    /// Reads the JSON of a report.
    ///
    /// # Errors
    /// When it is no report of this version.
    pub fn parse(text: &str) -> Result<Self> {
        /// What every version has.
        #[derive(Deserialize)]
        struct Any {
            flipside_bench: u32,
        }
        const SAVE: &str = "flipside-bench --json > FILE saves a run";
        let foreign = |error: serde_json::Error| {
            Failure::usage(format!("no saved run of `flipside-bench`: {error}")).hint(SAVE)
        };
        let any: Any = serde_json::from_str(text).map_err(foreign)?;
        if any.flipside_bench != FORMAT {
            let version = any.flipside_bench;
            let what = format!("a saved run in version {version} of the form, and not {FORMAT}");
            return Err(Failure::usage(what)
                .hint("compare runs of the same version, or measure with both versions again"));
        }
        let report: BenchReport = serde_json::from_str(text).map_err(foreign)?;
        let mut names: Vec<&str> = report.figures.iter().map(|it| it.name.as_str()).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(report),
            Some(twice) => {
                let what = format!(
                    "no saved run of `flipside-bench`: it has {} twice",
                    twice[0]
                );
                Err(Failure::usage(what).hint(SAVE))
            }
        }
    }
}

/// How a run differs from an earlier one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// When the earlier one was.
    pub date: String,
    /// The version of the earlier one.
    pub version: String,
    /// What makes them hard to compare, in words: another machine, other settings.
    pub warnings: Vec<String>,
    /// The figures that both have.
    pub figures: Vec<ComparedFigure>,
    /// Figures that only the earlier one has.
    pub gone: Vec<String>,
    /// Figures that only the later one has.
    pub new: Vec<String>,
}

/// A figure of two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedFigure {
    /// Its name.
    pub name: String,
    /// The earlier ratio.
    pub before: Spread,
    /// The later ratio.
    pub now: Spread,
    /// The later ratio by the earlier one; medians.
    pub quotient: f64,
    /// The same of the baselines, which are alike where the machine is.
    pub baseline_quotient: f64,
    /// The same of what is measured.
    pub measured_quotient: f64,
    /// Whether that is a change.
    pub change: RatioChange,
}

/// Whether a ratio has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RatioChange {
    /// It varies as much by itself.
    None,
    /// It is better by more than it varies.
    Better,
    /// It is worse by more than it varies.
    Worse,
    /// It was not measured often enough to tell.
    Unknown,
}
