use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use flipside_games::{Table, Turn, Viewer};
use flipside_operations::{Failure, Result, find_game, jail};
use flipside_referee::{Match, MatchSeed, Player, Referee};
use flipside_sandbox::{Isolation, Program, Sandbox, Settings, Start, StartError, bare};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Serialize;

use crate::number;
use crate::output::{Format, csv_line, note};
use crate::progress::Steps;

/// The game of the plies that are measured.
const GAME: &str = "flipfour";
/// The game of the matches over which memory is watched: its matches are the shortest.
const SHORT_GAME: &str = "flipflop-3x3";
/// A bot that plays a random legal action at once, as a module.
const INSTANT_WAT: &str = include_str!("../../sample-bots/wat/instant.wat");

/// Measure the referee against bare round trips
///
/// Both sides of a pair are measured alternately. Compare the ratios, not the times.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Repeats of each pair; medians count
    #[arg(long, default_value_t = 9, value_parser = number::whole(1u32, 1000))]
    repeats: u32,
    /// Round trips and plies per measurement
    #[arg(long, default_value_t = 20_000, value_parser = number::whole(1000u32, 10_000_000))]
    rounds: u32,
    /// Matches for the memory check; 0 skips it
    #[arg(long, default_value_t = 100_000, value_parser = number::whole(0, u64::MAX))]
    matches: u64,
    #[command(flatten)]
    format: Format,
}

/// How many starts are measured for each repeat.
const STARTS: u32 = 10;

/// How long a process may take to start and answer, or to end.
const START_WAIT: Duration = Duration::from_secs(30);

/// What was measured.
#[derive(Serialize)]
struct Figures {
    question_bytes: usize,
    process: Pair,
    /// Against the smallest host of modules.
    module: Pair,
    /// Against plain wasmtime-wasi, where this program was built with it.
    module_wasi: Option<Pair>,
    /// None: this machine gives no jail.
    start: Option<Starts>,
    memory: Option<Memory>,
}

/// From the start of a process until its first answer, in milliseconds; medians.
#[derive(Serialize)]
struct Starts {
    plain_ms: f64,
    jailed_ms: f64,
    /// The median of the differences of pairs.
    more_ms: f64,
}

/// A yardstick and the referee's cost of a ply beside it, in microseconds; medians.
#[derive(Serialize)]
struct Pair {
    ratio: f64,
    bare_us: f64,
    ply_us: f64,
}

/// The referee's resident memory, in kilobytes, after a tenth of the matches and after all.
#[derive(Serialize)]
struct Memory {
    matches: u64,
    after_a_tenth_kb: u64,
    after_all_kb: u64,
    matches_a_second: f64,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let question_bytes = question_bytes()?;
    let files = tempfile::tempdir().map_err(Failure::new)?;
    let wat = files.path().join("instant.wat");
    std::fs::write(&wat, INSTANT_WAT).map_err(Failure::new)?;
    let module = Program::open(&wat)?;
    let myself = std::env::current_exe().map_err(Failure::new)?;
    let process = Program::command(&myself, ["echo", "instant"])?;
    // One core for all: where two processes run decides more than what they do.
    let _pinned = bare::Pinned::here().map_err(Failure::new)?;
    let process = measure(args.repeats, args.rounds, &process, || {
        let mut echo = Command::new(&myself);
        echo.args(["echo", "fixed"]);
        bare::pipe_round_trip(&mut echo, args.rounds, question_bytes, true).map_err(Failure::new)
    })?;
    let module_pair = measure(args.repeats, args.rounds, &module, || {
        bare::lean_round_trip(args.rounds, question_bytes).map_err(Failure::new)
    })?;
    #[cfg(feature = "wasi-yardstick")]
    let module_wasi = Some(measure(args.repeats, args.rounds, &module, || {
        bare::wasi_round_trip(args.rounds, question_bytes).map_err(Failure::new)
    })?);
    #[cfg(not(feature = "wasi-yardstick"))]
    let module_wasi = None;
    let start = starts(&myself, args.repeats)?;
    let memory = match args.matches {
        0 => None,
        matches => Some(watch_memory(&wat, matches)?),
    };
    let figures = Figures {
        question_bytes,
        process,
        module: module_pair,
        module_wasi,
        start,
        memory,
    };
    args.format
        .print_value(&figures, || Ok(told(&figures)), || as_csv(&figures))
}

/// Measures the yardstick and the referee in turns.
fn measure(
    repeats: u32,
    rounds: u32,
    bot: &Program,
    mut bare: impl FnMut() -> Result<Duration>,
) -> Result<Pair> {
    let sandbox = Sandbox::new(Settings::default());
    sandbox.prepare(bot)?;
    let mut referee = Referee::new(sandbox)?;
    let (mut bares, mut plies) = (Vec::new(), Vec::new());
    // The first of each warms up, and does not count.
    for repeat in 0..=repeats {
        let bare = micros(bare()?);
        let ply = micros(ply(&mut referee, bot, rounds, u64::from(repeat))?);
        if repeat > 0 {
            bares.push(bare);
            plies.push(ply);
        }
    }
    let ratios = bares.iter().zip(&plies).map(|(bare, ply)| ply / bare);
    Ok(Pair {
        ratio: median(ratios.collect()),
        bare_us: median(bares),
        ply_us: median(plies),
    })
}

/// Starts a process plainly and in a jail, in turns.
fn starts(myself: &Path, repeats: u32) -> Result<Option<Starts>> {
    let echo = Program::command(myself, ["echo", "fixed"])?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::new)?;
    let time = |isolation: Isolation| -> std::result::Result<f64, StartError> {
        let sandbox = Sandbox::new(Settings {
            isolation,
            ..Settings::default()
        });
        runtime.block_on(async {
            let began = Instant::now();
            let start = Start {
                seed: 0,
                label: "bench",
            };
            let mut bot = sandbox.start(&echo, &start)?;
            let answer = bot.ask(b"hello\n", began + START_WAIT).await;
            let took = began.elapsed();
            answer.map_err(|error| StartError::Host(std::io::Error::other(error.to_string())))?;
            bot.finish(START_WAIT).await;
            Ok(micros(took) / 1000.0)
        })
    };
    let (mut plain, mut jailed) = (Vec::new(), Vec::new());
    // The first of each warms up, and does not count.
    for repeat in 0..=repeats * STARTS {
        let without = time(Isolation::Trust)?;
        let with = match time(Isolation::Jail(jail())) {
            Err(StartError::Jail(missing)) => {
                note!("{missing}, so no jailed start is measured");
                return Ok(None);
            }
            with => with?,
        };
        if repeat > 0 {
            plain.push(without);
            jailed.push(with);
        }
    }
    let more = plain
        .iter()
        .zip(&jailed)
        .map(|(without, with)| with - without);
    Ok(Some(Starts {
        more_ms: median(more.collect()),
        plain_ms: median(plain),
        jailed_ms: median(jailed),
    }))
}

/// The cost of a ply: whole matches between two of these bots, from the start of the bots to the
/// closed record, divided by their plies.
fn ply(referee: &mut Referee, bot: &Program, least_plies: u32, seed: u64) -> Result<Duration> {
    let began = Instant::now();
    let mut plies = 0;
    let mut number = seed << 32;
    while plies < u64::from(least_plies) {
        plies += referee.play(&the_match(GAME, bot, number)?)?.result.plies;
        number += 1;
    }
    Ok(began.elapsed().div_f64(plies as f64))
}

fn the_match(game: &str, bot: &Program, seed: u64) -> Result<Match> {
    Ok(Match {
        id: format!("bench-{seed}"),
        game: find_game(game)?,
        options: "{}".into(),
        clock: "move=10s".parse().expect("the clock is right"),
        seed: MatchSeed::from_number(seed),
        players: vec![Player::of(bot.clone()); 2],
        opening_plies: 0,
    })
}

fn watch_memory(wat: &Path, matches: u64) -> Result<Memory> {
    let bot = Program::open(wat)?;
    let sandbox = Sandbox::new(Settings::default());
    sandbox.prepare(&bot)?;
    let mut referee = Referee::new(sandbox)?;
    let mut progress = crate::progress::Progress::new(Steps("match", ""), 0, matches);
    let began = Instant::now();
    let mut after_a_tenth_kb = 0;
    for number in 0..matches {
        let played = referee.play(&the_match(SHORT_GAME, &bot, number)?)?;
        if let Some(fault) = played.seats.iter().find_map(|seat| seat.fault.as_ref()) {
            return Err(Failure::new(format!(
                "the instant bot is disqualified: {fault}"
            )));
        }
        if number == matches / 10 {
            after_a_tenth_kb = resident_kb()?;
        }
        progress.step();
    }
    let matches_a_second = matches as f64 / began.elapsed().as_secs_f64();
    progress.end();
    Ok(Memory {
        matches,
        after_a_tenth_kb,
        after_all_kb: resident_kb()?,
        matches_a_second,
    })
}

/// The resident memory of this process, in kilobytes.
fn resident_kb() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(Failure::new)?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .ok_or_else(|| Failure::new("the kernel does not tell the resident memory"))
}

/// The length of a question in the middle of random matches: the yardsticks get lines of that length.
fn question_bytes() -> Result<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let (mut bytes, mut questions) = (0, 0);
    for _ in 0..20 {
        let mut table: Box<dyn Table> = find_game(GAME)?
            .set_up("{}", 2)
            .map_err(Failure::new)?
            .table;
        while let Turn::Seats(seats) = table.turn() {
            let seat = seats.lowest().expect("a turn asks somebody");
            let (mut view, mut actions, mut line) = (Vec::new(), Vec::new(), Vec::new());
            table.write_view(Viewer::Seat(seat), &mut view);
            table.write_actions(seat, &mut actions);
            flipside_protocol::write_turn(
                &mut line,
                questions,
                Some(&actions),
                &[10_000, 10_000],
                &view,
            );
            bytes += line.len();
            questions += 1;
            let mut action = String::new();
            table.random_action(seat, &mut rng, &mut action);
            table.act(&[(seat, &action)]).map_err(Failure::new)?;
        }
    }
    Ok(bytes / questions.max(1) as usize)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn told(figures: &Figures) -> String {
    let mut text = format!(
        "ply of {GAME}, random legal moves, questions of {} bytes, one core\n",
        figures.question_bytes
    );
    let pairs = [
        ("two pipes", Some(&figures.process)),
        ("lean host", Some(&figures.module)),
        ("WASI", figures.module_wasi.as_ref()),
    ];
    let measured = pairs
        .iter()
        .filter_map(|(what, pair)| Some((what, (*pair)?)));
    for (what, pair) in measured {
        let _ = writeln!(
            text,
            "  {what:10} ratio {:.2}   bare round trip {:.2} us   ply {:.2} us",
            pair.ratio, pair.bare_us, pair.ply_us
        );
    }
    if let Some(start) = &figures.start {
        let _ = writeln!(
            text,
            "  start      jailed {:.2} ms   plain {:.2} ms   more {:.2} ms, until the first answer",
            start.jailed_ms, start.plain_ms, start.more_ms
        );
    }
    if let Some(memory) = &figures.memory {
        let _ = writeln!(
            text,
            "memory over {} matches of {SHORT_GAME} between modules: {} kB after a tenth, \
             {} kB after all ({:.0} matches a second)",
            memory.matches, memory.after_a_tenth_kb, memory.after_all_kb, memory.matches_a_second
        );
    }
    text
}

fn as_csv(figures: &Figures) -> String {
    let mut text = String::from("what,ratio,bare us,ply us\n");
    let pairs = [
        ("process", Some(&figures.process)),
        ("module", Some(&figures.module)),
        ("module_wasi", figures.module_wasi.as_ref()),
    ];
    for (name, pair) in pairs
        .iter()
        .filter_map(|(name, pair)| Some((name, (*pair)?)))
    {
        let numbers = [pair.ratio, pair.bare_us, pair.ply_us].map(|number| format!("{number:.3}"));
        csv_line(
            &mut text,
            std::iter::once((*name).to_owned()).chain(numbers),
        );
    }
    if let Some(start) = &figures.start {
        // Of a start, the plain one is the bare one.
        let (bare, ours) = (start.plain_ms * 1000.0, start.jailed_ms * 1000.0);
        let numbers = [ours / bare, bare, ours].map(|number| format!("{number:.3}"));
        csv_line(
            &mut text,
            std::iter::once("start".to_owned()).chain(numbers),
        );
    }
    text
}
