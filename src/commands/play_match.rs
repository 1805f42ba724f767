use std::fmt::Write;
use std::path::PathBuf;

use flipside_operations::{
    Failure, GivenSeed, NewFile, Processes, Result, drawn_id, find_game, find_player, last_board,
    prepare, seed_of_match, set_up,
};
use flipside_protocol::Clock;
use flipside_referee::{MAX_OPENING_PLIES, Match, Played, Player, Referee, opening_fits};
use flipside_tournament::report::words::{TRUSTED, counted};
use serde::Serialize;

use crate::args::{ArenaArg, ProcessArgs};
use crate::number;
use crate::output::{Format, csv_line, plain_line, say_line};

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
    /// Draw the first N plies from the seed (board games only)
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number::near::<u32>(0, MAX_OPENING_PLIES))]
    opening_plies: u32,
    /// Write the record to this new file
    #[arg(long)]
    record: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    process: ProcessArgs,
    #[command(flatten)]
    arena: ArenaArg,
}

#[derive(Serialize)]
struct SeatResult {
    seat: usize,
    bot: String,
    place: u8,
    points: i32,
    plies: u64,
    used_ms: f64,
    fault: Option<String>,
}

#[derive(Serialize)]
struct MatchResult {
    game: &'static str,
    /// The whole seed, in hexadecimal digits.
    seed: String,
    trust: bool,
    reason: String,
    plies: u64,
    seats: Vec<SeatResult>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let game = find_game(&args.game)?;
    let seats = u8::try_from(args.bots.len()).unwrap_or(u8::MAX);
    let setup = set_up(game, &args.options, seats);
    setup.map_err(|failure| {
        if game.info().seats.contains(&seats) {
            failure
        } else {
            failure.hint("name a bot for every seat")
        }
    })?;
    opening_fits(game.info(), args.opening_plies).map_err(|error| {
        Failure::usage(error).hint(format!(
            "openings are for board games in turns without chance, and have at most {MAX_OPENING_PLIES} plies"
        ))
    })?;
    // The file is made before the match: afterwards it would be too late to learn that it cannot be.
    let file = args.record.as_deref().map(NewFile::make).transpose()?;
    let players = args
        .bots
        .iter()
        .map(|bot| find_player(args.arena.path(), bot))
        .collect::<Result<Vec<Player>>>()?;
    let processes = Processes::from(args.process);
    let sandbox = processes.sandbox(args.arena.path(), 1);
    prepare(&sandbox, &players)?;
    let seed = seed_of_match(args.seed, &mut say_line)?;
    let played = Referee::new(sandbox)?.play(&Match {
        id: drawn_id(&args.game),
        game,
        options: args.options.clone(),
        clock: args.clock,
        seed,
        players: players.clone(),
        opening_plies: args.opening_plies,
    })?;
    if let Some(file) = file {
        file.write(played.record.as_bytes())?;
    }
    let seat_result = |(seat, player): (usize, &Player)| SeatResult {
        seat,
        bot: player.name.clone(),
        place: played.result.seats[seat].place,
        points: played.result.seats[seat].points,
        plies: played.result.seats[seat].plies,
        used_ms: played.result.seats[seat].used_us as f64 / 1000.0,
        fault: played.seats[seat].fault.as_ref().map(ToString::to_string),
    };
    let result = MatchResult {
        game: game.info().id,
        seed: seed.to_string(),
        trust: processes.trust,
        reason: played.result.reason.clone(),
        plies: played.result.plies,
        seats: players.iter().enumerate().map(seat_result).collect(),
    };
    args.format
        .print_value(&result, || told(&result, &played), || as_csv(&result))
}

fn as_csv(result: &MatchResult) -> String {
    let mut text = String::from("seat,bot,place,points,plies,used ms,fault\n");
    for seat in &result.seats {
        let fields = [
            seat.seat.to_string(),
            seat.bot.clone(),
            seat.place.to_string(),
            seat.points.to_string(),
            seat.plies.to_string(),
            format!("{:.3}", seat.used_ms),
            seat.fault.clone().unwrap_or_default(),
        ];
        csv_line(&mut text, fields);
    }
    text
}

/// The last board and the result, for people.
fn told(result: &MatchResult, played: &Played) -> Result<String> {
    let mut text = last_board(&played.record)?;
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
    for (seat, report) in result.seats.iter().zip(&played.seats) {
        let each = seat.used_ms / seat.plies.max(1) as f64;
        let _ = writeln!(
            text,
            "place {}: {} (seat {}), points {}, {} of {each:.3} ms",
            seat.place,
            plain_line(&seat.bot),
            seat.seat,
            seat.points,
            counted(seat.plies, "ply")
        );
        if let Some(fault) = &report.fault {
            let _ = writeln!(text, "  fault: {}", plain_line(&fault.to_string()));
            if let Some(evidence) = &fault.evidence {
                let _ = writeln!(text, "  it wrote: {}", plain_line(evidence));
            }
            for line in fault.stderr.lines() {
                let _ = writeln!(text, "  stderr: {}", plain_line(line));
            }
        }
    }
    Ok(text)
}
