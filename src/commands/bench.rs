use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use flipside_games::words::plural;
use flipside_operations::bench::{
    BenchEvent, BenchPart, BenchPlan, BenchReport, ComparedFigure, Comparison, Figure, RatioChange,
    Spread, measure,
};
use flipside_operations::{Failure, Result};
use flipside_tournament::report::{Column, ReportTable, Value};

use crate::output::{OutputFormat, note};
use crate::progress::{Progress, Steps};
use crate::stopping::Stopping;
use crate::{number, terminal};

/// Measure the speed of Flipside against bare round trips
///
/// Both sides of a ratio are measured alternately. Compare the ratios, not the times. Quit other programs first. With
/// the default settings, it takes about two minutes on two cores.
///
/// Tournaments use an arena in the folder for temporary files; TMPDIR=DIR chooses another.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Measure only these parts, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = parts())]
    only: Vec<BenchPart>,
    /// Compare with a run that --json saved
    ///
    /// A ratio is marked as better or worse if it changed by more than it varies within the runs. That needs five
    /// values in each run, so nine repeats for tournaments.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Repeats of each figure; medians count
    ///
    /// Tournaments have half as many, and starts ten times as many.
    #[arg(long, default_value_t = 9, value_parser = number::whole(1u32, 1000))]
    repeats: u32,
    /// Round trips and plies per measurement
    ///
    /// A tournament of processes has twice as many plies, and one of modules five times as many.
    #[arg(long, default_value_t = 20_000, value_parser = number::whole(1000u32, 10_000_000))]
    rounds: u32,
    /// Matches for the memory check; 0 skips it
    #[arg(long, default_value_t = 100_000, value_parser = number::whole(0, u64::MAX))]
    matches: u64,
    #[command(flatten)]
    format: OutputFormat,
}

/// The parts by name, each with what it measures.
fn parts() -> impl TypedValueParser<Value = BenchPart> {
    let part = |part: BenchPart| PossibleValue::new(part.name()).help(part.about());
    PossibleValuesParser::new(BenchPart::ALL.map(part)).try_map(|name| name.parse::<BenchPart>())
}

pub(crate) fn run(args: &Args) -> Result<()> {
    // Nobody waits two minutes to hear that a file is not there.
    let before = args.against.as_deref().map(BenchReport::read).transpose()?;
    let wanted = |part: &BenchPart| match (part, args.only.is_empty()) {
        (BenchPart::Memory, _) if args.matches == 0 => false,
        (_, true) => true,
        (part, false) => args.only.contains(part),
    };
    let plan = BenchPlan {
        parts: BenchPart::ALL.into_iter().filter(wanted).collect(),
        repeats: args.repeats,
        rounds: args.rounds,
        matches: args.matches,
    };
    if cfg!(debug_assertions) {
        note!("this flipside was built without optimisation: its figures say little");
    }
    let mut progress = None;
    let stopping = Stopping::begin()?;
    let mut hear = |news| tell(news, &mut progress);
    let measured = measure(&plan, stopping.stop(), &mut hear);
    let mut report = measured.map_err(|failure| match stopping.signal() {
        Some(signal) => Failure::stopped(signal, "nothing is printed"),
        None => failure,
    })?;
    report.comparison = before.map(|before| Comparison::of(&before, &report));
    let text = || Ok(told(&report));
    args.format.print_value(&report, text, || as_csv(&report))
}

fn tell(news: BenchEvent, progress: &mut Option<Progress>) {
    match news {
        BenchEvent::Begins { part, step, steps } => {
            note!("{part}: {steps} {}", plural(step));
            *progress = Some(Progress::new(Steps(step, ""), 0, steps));
        }
        BenchEvent::Step => progress.iter_mut().for_each(Progress::step),
        BenchEvent::Ends => progress.take().into_iter().for_each(Progress::end),
    }
}

const FIGURES: &[Column<Figure>] = &[
    Column::text("figure", |figure: &Figure| text(&figure.name)),
    Column::data("unit", |figure: &Figure| text(&figure.unit)),
    Column::text("", |figure: &Figure| {
        side(figure, &figure.baseline.what, figure.baseline.median()).into()
    })
    .heading("baseline")
    .for_people(),
    Column::text("", |figure: &Figure| {
        side(figure, &figure.measured.what, figure.measured.median()).into()
    })
    .heading("measured")
    .for_people(),
    Column::data("baseline", |figure: &Figure| text(&figure.baseline.what)),
    Column::data("baseline_median", |figure: &Figure| {
        figure.baseline.median().into()
    })
    .exact(4),
    Column::data("measured", |figure: &Figure| text(&figure.measured.what)),
    Column::data("measured_median", |figure: &Figure| {
        figure.measured.median().into()
    })
    .exact(4),
    Column::number("ratio", 2, |figure: &Figure| figure.ratio.median.into()).exact(4),
    Column::text("", |figure: &Figure| middle_half(figure.ratio).into())
        .heading("middle half")
        .for_people()
        .spare(1),
    Column::data("ratio_low", |figure: &Figure| figure.ratio.low.into()).exact(4),
    Column::data("ratio_high", |figure: &Figure| figure.ratio.high.into()).exact(4),
    Column::text("", |figure: &Figure| {
        side(figure, "", figure.difference.median).into()
    })
    .heading("difference")
    .for_people()
    .spare(2),
    Column::data("difference", |figure: &Figure| {
        figure.difference.median.into()
    })
    .exact(4),
    Column::data("repeats", |figure: &Figure| figure.repeats().into()),
];

const COMPARED: &[Column<ComparedFigure>] = &[
    Column::text("figure", |compared: &ComparedFigure| text(&compared.name)),
    Column::number("before", 2, |compared: &ComparedFigure| {
        compared.before.median.into()
    })
    .exact(4),
    Column::number("now", 2, |compared: &ComparedFigure| {
        compared.now.median.into()
    })
    .exact(4),
    Column::number("quotient", 3, |compared: &ComparedFigure| {
        compared.quotient.into()
    })
    .exact(4),
    Column::text("change", |compared: &ComparedFigure| {
        text(change(compared.change))
    }),
    Column::number("baseline_quotient", 3, |compared: &ComparedFigure| {
        compared.baseline_quotient.into()
    })
    .heading("of the baseline")
    .exact(4)
    .spare(1),
    Column::number("measured_quotient", 3, |compared: &ComparedFigure| {
        compared.measured_quotient.into()
    })
    .heading("of what is measured")
    .exact(4)
    .spare(1),
];

fn text(words: &str) -> Value {
    Value::Text(words.into())
}

fn change(change: RatioChange) -> &'static str {
    match change {
        RatioChange::None => "-",
        RatioChange::Better => "better",
        RatioChange::Worse => "worse",
        RatioChange::Unknown => "too few values",
    }
}

/// A median, with what it is of.
fn side(figure: &Figure, what: &str, median: f64) -> String {
    let decimals = match median.abs() {
        size if size < 100.0 => 2,
        size if size < 1000.0 => 1,
        _ => 0,
    };
    let told = format!("{what} {median:.decimals$} {}", figure.unit);
    told.trim_start().to_owned()
}

fn middle_half(spread: Spread) -> String {
    format!("{:.2} to {:.2}", spread.low, spread.high)
}

fn told(report: &BenchReport) -> String {
    let optimized = if report.optimized {
        ""
    } else {
        ", not optimised"
    };
    let mut text = format!(
        "flipside {}{optimized}, {}\n{}\nmedians, with the range of the middle half of the ratios; questions of {} bytes\n\n",
        report.version, report.date, report.machine, report.question_bytes
    );
    let table = ReportTable::of("", FIGURES, &report.figures);
    text += &table.text(&[], terminal::columns());
    for note in &report.notes {
        text += &format!("{note}\n");
    }
    if let Some(comparison) = &report.comparison {
        text += "\n";
        text += &told_of(comparison);
    }
    text
}

fn told_of(comparison: &Comparison) -> String {
    let mut text = format!(
        "ratios against flipside {} on {}\n",
        comparison.version, comparison.date
    );
    for warning in &comparison.warnings {
        text += &format!("{warning}\n");
    }
    text += "\n";
    let table = ReportTable::of("", COMPARED, &comparison.figures);
    text += &table.text(&[], terminal::columns());
    for (names, where_) in [
        (&comparison.gone, "was measured only before"),
        (&comparison.new, "was not measured before"),
    ] {
        for name in names {
            text += &format!("{name} {where_}\n");
        }
    }
    text
}

fn as_csv(report: &BenchReport) -> String {
    match &report.comparison {
        None => ReportTable::of("", FIGURES, &report.figures).csv(),
        Some(comparison) => ReportTable::of("", COMPARED, &comparison.figures).csv(),
    }
}
