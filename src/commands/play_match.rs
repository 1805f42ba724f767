use std::fmt::Write;
use std::path::PathBuf;

use flipside_games::words::counted;
use flipside_operations::{
    Failure, FaultReport, GivenSeed, Processes, RecordFile, Result, TypedMatch, last_board,
    warnings,
};
use flipside_protocol::{Clock, Patience};
use flipside_referee::{MAX_OPENING_PLIES, Match, PlayedMatch, Player, Referee};
use flipside_report::words::{self, TRUSTED};
use flipside_report::{Column, ReportTable, plain_line};
use flipside_sandbox::Program;
use flipside_tournament::single_match_points;
use serde::Serialize;

use crate::args::{ArenaArg, BotsArg, ProcessArgs};
use crate::number;
use crate::output::{OutputFormat, finish_transcript, new_transcript, say_line};

/// Play one match and show the result
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game
    game: String,
    /// Bots in the order of seats
    #[arg(required = true)]
    bots: Vec<String>,
    /// Clock: move=1s or 10s+100ms, optionally with ,start=5s
    #[arg(long, default_value = "move=1s")]
    clock: Clock,
    /// Seed of the dice: a number, or the 64 digits that a match printed
    ///
    /// A number is combined with 32 random bytes. The 64 digits repeat the dice exactly, so bots may know them.
    #[arg(long, value_name = "N|DIGITS")]
    seed: Option<GivenSeed>,
    /// Options of the game, as JSON
    #[arg(long, default_value = "{}")]
    options: String,
    /// Begin with N random plies from the seed (board games only)
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number::near::<u32>(0, MAX_OPENING_PLIES))]
    opening_plies: u32,
    /// Let a bot that asks a language model pause its clock for so long in a match, such as 5m
    #[arg(long, value_name = "TIME")]
    provider_patience: Option<Patience>,
    #[command(flatten)]
    own: BotsArg,
    /// Write the record to this new file, signed if the arena has a key
    #[arg(long)]
    record: Option<PathBuf>,
    /// Write every message both ways, with times, to this new file
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Print what each bot wrote to its standard error
    #[arg(long)]
    show_stderr: bool,
    /// Exit with code 1 if a bot failed
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    process: ProcessArgs,
    #[command(flatten)]
    arena: ArenaArg,
}

#[derive(Serialize)]
struct PrintedSeat {
    seat: usize,
    bot: String,
    place: u8,
    /// From 0 to 1: one for a win and half of one for a draw of two.
    points: f64,
    plies: u64,
    used_ms: f64,
    fault: Option<String>,
    /// What to do about the fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<String>,
    /// What its author should know though it did not fail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<String>,
    #[serde(skip)]
    report: Option<FaultReport>,
}

#[derive(Serialize)]
struct PrintedResult {
    game: &'static str,
    /// The whole seed, in hexadecimal digits.
    seed: String,
    trust: bool,
    reason: String,
    plies: u64,
    seats: Vec<PrintedSeat>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let typed = TypedMatch {
        game: &args.game,
        bots: &args.bots,
        options: &args.options,
        clock: args.clock,
        seed: args.seed,
        opening_plies: args.opening_plies,
        patience: args.provider_patience,
        own: &args.own.settings,
    };
    let processes = Processes::from(args.process);
    let (the_match, referee) = typed.prepare(args.arena.path(), processes, &mut say_line)?;
    // The file is made before the match: afterwards it would be too late to learn that it cannot be.
    let arena = args.arena.path();
    let file = args.record.as_deref();
    let file = file.map(|path| RecordFile::make(path, arena)).transpose()?;
    let referee = referee.looking_for_files();
    let played = play(args, referee, &the_match)?;
    if let Some(file) = file {
        file.write(&played.record)?;
    }
    let result = PrintedResult {
        game: the_match.game.info().id,
        seed: the_match.seed.to_string(),
        trust: processes.trust,
        reason: played.result.reason.clone(),
        plies: played.result.plies,
        seats: seat_results(args, &the_match, &played, processes),
    };
    let csv = || ReportTable::of("", COLUMNS, &result.seats).csv();
    args.format
        .print_value(&result, || told(&result, &played), csv)?;
    let failed = result.seats.iter().filter(|seat| seat.fault.is_some());
    match failed.count() {
        failed @ 1.. if args.strict => {
            let bots = result.seats.len();
            Err(Failure::new(format!("{failed} of {bots} bots failed")))
        }
        _ => Ok(()),
    }
}

/// Plays the match, with a transcript if it is wanted.
fn play(args: &Args, referee: Referee, the_match: &Match) -> Result<PlayedMatch> {
    let Some(path) = &args.transcript else {
        return Ok({ referee }.play(the_match)?);
    };
    let transcript = new_transcript(path)?;
    let played = referee.observed_by(transcript.clone()).play(the_match);
    // It is there also of a match that the host failed to play.
    finish_transcript(&transcript, path)?;
    Ok(played?)
}

fn seat_results(
    args: &Args,
    the_match: &Match,
    played: &PlayedMatch,
    processes: Processes,
) -> Vec<PrintedSeat> {
    let points = single_match_points(&played.result, &the_match.sides());
    let seat_result = |(seat, player): (usize, &Player)| {
        let (result, trace) = (&played.result.seats[seat], &played.seats[seat]);
        let file = player.program().map(Program::path);
        let report = |fault| FaultReport::of(fault, file, processes);
        let mut report = trace.fault.as_ref().map(report);
        if let Some(report) = report.as_mut().filter(|_| args.show_stderr) {
            // All of it comes below.
            (report.stderr, report.more_stderr) = (Vec::new(), 0);
        }
        PrintedSeat {
            seat,
            bot: player.name.clone(),
            place: result.place,
            points: points[seat],
            plies: result.plies,
            used_ms: result.used_us as f64 / 1000.0,
            fault: trace.fault.as_ref().map(ToString::to_string),
            hints: report
                .iter()
                .flat_map(|report| report.hints.clone())
                .collect(),
            warnings: match trace.fault {
                None => warnings(trace),
                Some(_) => Vec::new(),
            },
            stderr: args.show_stderr.then(|| trace.stderr.clone()),
            report,
        }
    };
    let players = the_match.players.iter().enumerate();
    players.map(seat_result).collect()
}

const COLUMNS: &[Column<PrintedSeat>] = &[
    Column::data("seat", |seat: &PrintedSeat| seat.seat.into()),
    Column::data("bot", |seat: &PrintedSeat| seat.bot.as_str().into()),
    Column::data("place", |seat: &PrintedSeat| seat.place.into()),
    Column::data("points", |seat: &PrintedSeat| {
        seat.points.to_string().into()
    }),
    Column::data("plies", |seat: &PrintedSeat| seat.plies.into()),
    Column::data("used ms", |seat: &PrintedSeat| seat.used_ms.into()).exact(3),
    Column::data("fault", |seat: &PrintedSeat| {
        seat.fault.as_deref().unwrap_or_default().into()
    }),
];

/// What went wrong, the last board and the result, for people.
fn told(result: &PrintedResult, played: &PlayedMatch) -> Result<String> {
    let mut text = String::new();
    for seat in &result.seats {
        tell_faults(&mut text, seat);
    }
    // The match was played, also where the program of its game fails now.
    let board = last_board(&played.record);
    text += &board.unwrap_or_else(|failure| plain_line(failure.message()) + "\n");
    let _ = writeln!(
        text,
        "\n{}, {}, seed {}",
        result.reason,
        counted(result.plies, "ply"),
        result.seed
    );
    if result.trust {
        let _ = writeln!(text, "{TRUSTED}");
    }
    for seat in &result.seats {
        let each = seat.used_ms / seat.plies.max(1) as f64;
        let _ = writeln!(
            text,
            "place {}: {} (seat {}), points {}, {} of {each:.3} ms",
            seat.place,
            plain_line(&seat.bot),
            seat.seat,
            words::points(seat.points),
            counted(seat.plies, "ply")
        );
        for warning in &seat.warnings {
            let _ = writeln!(text, "  warning: {warning}");
        }
        for line in seat.stderr.iter().flat_map(|all| all.lines()) {
            let _ = writeln!(text, "  stderr: {}", plain_line(line));
        }
    }
    Ok(text)
}

/// The fault of a seat's bot, what to do about it, and what it wrote.
fn tell_faults(text: &mut String, seat: &PrintedSeat) {
    let Some(report) = &seat.report else { return };
    let bot = plain_line(&seat.bot);
    let _ = writeln!(text, "seat {} ({bot}) failed: {}", seat.seat, report.fault);
    for line in report.lines() {
        let _ = writeln!(text, "  {line}");
    }
    text.push('\n');
}
