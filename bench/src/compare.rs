//! A run compared with an earlier one: which ratios have changed by more than they vary.

use crate::plan::BenchPart;
use crate::report::{BenchReport, ComparedFigure, Comparison, Figure, FigureTarget, RatioChange};

/// How far the ranks of two series must be from those of chance, in standard deviations: one in a hundred is by chance.
const MIN_DEVIATIONS: f64 = 2.576;

impl Comparison {
    /// Compares two runs.
    pub fn of(before: &BenchReport, now: &BenchReport) -> Self {
        let only_in = |one: &BenchReport, other: &BenchReport| {
            let names = one.figures.iter().map(|figure| &figure.name);
            names
                .filter(|name| other.figure(name).is_none())
                .cloned()
                .collect()
        };
        let both = now.figures.iter();
        let both = both.filter_map(|figure| Some((before.figure(&figure.name)?, figure)));
        Comparison {
            date: before.date.clone(),
            version: before.version.clone(),
            warnings: warnings(before, now),
            figures: both
                .map(|(before, now)| ComparedFigure::of(before, now))
                .collect(),
            gone: only_in(before, now),
            new: only_in(now, before),
        }
    }
}

/// What makes two runs hard to compare.
fn warnings(before: &BenchReport, now: &BenchReport) -> Vec<String> {
    let differs = before.machine.differences(&now.machine).into_iter();
    let mut warnings: Vec<String> = differs
        .map(|difference| format!("another machine: {difference}"))
        .collect();
    let build = |report: &BenchReport| match report.optimized {
        true => "with optimisation",
        false => "without optimisation",
    };
    if before.optimized != now.optimized {
        warnings.push(format!("built {}, now {}", build(before), build(now)));
    }
    let both = |part| before.plan.parts.contains(&part) && now.plan.parts.contains(&part);
    let watched = u64::from(both(BenchPart::Memory));
    let settings = |report: &BenchReport| {
        [
            ("--rounds", u64::from(report.plan.rounds)),
            ("--matches", watched * report.plan.matches),
            ("bytes of a question", report.question_bytes as u64),
        ]
    };
    for ((what, before), (_, now)) in settings(before).into_iter().zip(settings(now)) {
        if before != now {
            warnings.push(format!("{what}: {before}, now {now}"));
        }
    }
    warnings
}

impl ComparedFigure {
    fn of(before: &Figure, now: &Figure) -> Self {
        ComparedFigure {
            name: now.name.clone(),
            before: before.ratio,
            now: now.ratio,
            quotient: now.ratio.median / before.ratio.median,
            baseline_quotient: now.baseline.median() / before.baseline.median(),
            measured_quotient: now.measured.median() / before.measured.median(),
            change: change(before, now),
        }
    }
}

/// A change is one that chance makes hardly ever, and that is larger than what a ratio varies by itself: with very many
/// repeats, the smallest change would be beyond chance.
fn change(before: &Figure, now: &Figure) -> RatioChange {
    let (earlier, later): (Vec<f64>, Vec<f64>) =
        (before.ratios().collect(), now.ratios().collect());
    let (deviations, most) = deviations(&earlier, &later);
    if most < MIN_DEVIATIONS {
        return RatioChange::Unknown;
    }
    if deviations.abs() < MIN_DEVIATIONS || !before.ratio.is_apart_from(&now.ratio) {
        return RatioChange::None;
    }
    match (now.aim, deviations > 0.0) {
        (FigureTarget::High, true) | (FigureTarget::Low, false) => RatioChange::Better,
        (FigureTarget::High, false) | (FigureTarget::Low, true) => RatioChange::Worse,
    }
}

/// The rank-sum statistic of Mann and Whitney (1947), in standard deviations from what it is by chance: positive where
/// the later values are higher. And the most that it can be of so many values.
fn deviations(earlier: &[f64], later: &[f64]) -> (f64, f64) {
    let (m, n) = (earlier.len() as f64, later.len() as f64);
    let mut higher = 0.0;
    for late in later {
        for early in earlier {
            higher += match late.total_cmp(early) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    let mean = m * n / 2.0;
    let deviation = (m * n * (m + n + 1.0) / 12.0).sqrt();
    ((higher - mean) / deviation, mean / deviation)
}
