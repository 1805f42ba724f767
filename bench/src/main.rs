//! The program `flipside-bench`: it measures, and prints the figures to standard output, and how far it is to standard
//! error. The exit codes are those of `flipside`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};
use std::{io, thread};

use clap::Parser;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use flipside_bench::{
    BenchEvent, BenchPart, BenchPlan, BenchReport, ComparedFigure, Comparison, Figure, RatioChange,
    SERVE, Spread, measure,
};
use flipside_bench_game::serve_flipfour;
use flipside_games::words::{counted, plural};
use flipside_operations::{Failure, FailureKind, Result, enter_if_asked};
use flipside_report::{Column, ReportTable, Value, plain, plain_json};
use flipside_runner::StopSignal;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// The time between two lines that say how far it is.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Measure the speed of Flipside against bare round trips
///
/// Both sides of a ratio are measured alternately. Compare the ratios, not the times. Quit other programs first. With
/// the default settings, it takes about two minutes on two cores.
///
/// Tournaments use an arena in the folder for temporary files; TMPDIR=DIR chooses another.
#[derive(Parser)]
#[command(name = "flipside-bench", version, max_term_width = 100)]
struct BenchArgs {
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
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,
    /// Round trips and plies per measurement
    ///
    /// A tournament of processes has twice as many plies, and one of modules five times as many.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1000..=10_000_000))]
    rounds: u32,
    /// Matches for the memory check; 0 skips it
    #[arg(long, default_value_t = 100_000)]
    matches: u64,
    /// FlipFour as a module, for the part games
    ///
    /// cargo build --release --target wasm32-wasip1 -p flipside-bench-game makes it.
    #[arg(long, value_name = "FILE")]
    game_module: Option<PathBuf>,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
}

/// The parts by name, each with what it measures.
fn parts() -> impl TypedValueParser<Value = BenchPart> {
    let part = |part: BenchPart| PossibleValue::new(part.name()).help(part.about());
    PossibleValuesParser::new(BenchPart::ALL.map(part)).try_map(|name| name.parse::<BenchPart>())
}

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|arg| arg == SERVE) {
        let served = serve_flipfour(io::stdin().lock(), io::stdout().lock());
        return match served {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => tell(&Failure::new(error)),
        };
    }
    let ended = enter_if_asked(std::env::args_os().skip(1));
    match ended.unwrap_or_else(|| run(&BenchArgs::parse())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => tell(&failure),
    }
}

/// Says what went wrong, and gives the exit code.
fn tell(failure: &Failure) -> ExitCode {
    let (what, code) = match failure.kind() {
        FailureKind::Stopped(signal) => ("stopped", 128 + u8::try_from(signal).unwrap_or(0)),
        _ if failure.is_refusal() => ("error", 2),
        _ => ("error", 1),
    };
    eprintln!("{what}: {}", plain(failure.message()));
    for hint in failure.hints() {
        eprintln!("hint: {}", plain(hint));
    }
    ExitCode::from(code)
}

fn run(args: &BenchArgs) -> Result<()> {
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
        game_module: args.game_module.clone(),
    };
    if cfg!(debug_assertions) {
        eprintln!("this flipside-bench was built without optimisation: its figures say little");
    }
    let stop = StopSignal::default();
    let signal = stop_at_signals(&stop)
        .map_err(|error| Failure::new(format!("cannot wait for signals: {error}")))?;
    let mut progress = None;
    let measured = measure(&plan, &stop, &mut |news| hear(news, &mut progress));
    let mut report = measured.map_err(|failure| match signal.load(Ordering::Relaxed) {
        0 => failure,
        signal => Failure::stopped(signal, "nothing is printed"),
    })?;
    report.comparison = before.map(|before| Comparison::of(&before, &report));
    let text = match (args.json, args.csv) {
        (true, _) => plain_json(&as_json(&report)?),
        (_, true) => plain(&as_csv(&report)),
        _ => plain(&told(&report)),
    };
    let failed = |error| Failure::new(format!("cannot write to standard output: {error}"));
    io::stdout().write_all(text.as_bytes()).map_err(failed)
}

/// From now on, SIGINT and SIGTERM stop the run; the second one ends the program. Gives where the signal's number will
/// be; 0: none came.
fn stop_at_signals(stop: &StopSignal) -> io::Result<Arc<AtomicI32>> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let came = Arc::new(AtomicI32::new(0));
    let (stop, heard) = (stop.clone(), Arc::clone(&came));
    let wait = move || {
        for signal in signals.forever() {
            if stop.is_asked() {
                drop(emulate_default_handler(signal));
            }
            heard.store(signal, Ordering::Relaxed);
            stop.soon();
        }
    };
    thread::Builder::new().name("signals".into()).spawn(wait)?;
    Ok(came)
}

/// How far a part is.
struct BenchProgress {
    step: &'static str,
    steps: u64,
    done: u64,
    began: Instant,
    told: Instant,
}

fn hear(news: BenchEvent, progress: &mut Option<BenchProgress>) {
    match (news, progress.as_mut()) {
        (BenchEvent::Begins { part, step, steps }, _) => {
            eprintln!("{part}: {steps} {}", plural(step));
            let now = Instant::now();
            *progress = Some(BenchProgress {
                step,
                steps,
                done: 0,
                began: now,
                told: now,
            });
        }
        (BenchEvent::Step, Some(part)) => {
            part.done += 1;
            if part.told.elapsed() >= LINE_EVERY {
                part.told = Instant::now();
                eprintln!("{} of {} {}", part.done, part.steps, plural(part.step));
            }
        }
        (BenchEvent::Ends, Some(part)) => {
            let seconds = part.began.elapsed().as_secs_f64();
            eprintln!("{} in {seconds:.1} s", counted(part.done, part.step));
            *progress = None;
        }
        // A part that measures nothing here does not begin.
        (BenchEvent::Step | BenchEvent::Ends, None) => {}
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
    text += &table.text(&[], columns());
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
    text += &table.text(&[], columns());
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

/// The columns of the terminal; none for a pipe or a file.
fn columns() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map(|(width, _)| width.0.into())
}

fn as_json(report: &BenchReport) -> Result<String> {
    let json = serde_json::to_string_pretty(report).map_err(Failure::new)?;
    Ok(json + "\n")
}

fn as_csv(report: &BenchReport) -> String {
    match &report.comparison {
        None => ReportTable::of("", FIGURES, &report.figures).csv(),
        Some(comparison) => ReportTable::of("", COMPARED, &comparison.figures).csv(),
    }
}
