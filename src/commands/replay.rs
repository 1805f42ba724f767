use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use flipside_games::words::counted;
use flipside_games::{MAX_SEATS, Seat, Viewer};
use flipside_operations::{
    Failure, MatchReplay, NewFile, Result, StepKind, game_named, read_record,
};
use flipside_report::plain_line;
use flipside_site::replay_page;

use crate::args::{ArenaArg, TrustArg};
use crate::output::{self, note};
use crate::screen::Screen;
use crate::{number, replaying};

/// Show a match again from its record
///
/// On a terminal, keys step through the match; `?` lists them. Elsewhere, or with --plain, the whole match is printed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Record file or match id
    record: String,
    /// Show only what this seat saw
    #[arg(long, value_parser = number::near::<Seat>(0, MAX_SEATS - 1))]
    seat: Option<Seat>,
    /// Show only the board after this ply
    #[arg(long, value_parser = number::whole(0, u64::MAX))]
    ply: Option<u64>,
    /// Print the whole match, also on a terminal
    #[arg(long)]
    plain: bool,
    /// Print one JSON object for each step, with the view after it
    #[arg(long, conflicts_with_all = ["ply", "svg", "html", "delay", "plain"])]
    json: bool,
    /// Write the match as an interactive HTML page to this new file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["ply", "svg", "delay", "plain"])]
    html: Option<PathBuf>,
    /// Write the board as SVG to this new file (after --ply, or at the end)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Milliseconds between steps when the match is printed
    #[arg(long, default_value_t = 0, value_parser = number::whole(0u64, 60_000))]
    delay: u64,
    /// Program of the game, where it is no built-in one: a file or a folder
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    #[command(flatten)]
    trust: TrustArg,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(game) = &args.game {
        game_named(args.arena.path(), game, args.trust.into())?;
    }
    let text = read_record(args.arena.path(), &args.record)?;
    let viewer = args.seat.map_or(Viewer::Open, Viewer::Seat);
    let replay = MatchReplay::read(&text, viewer).map_err(|failure| failure.about(&args.record))?;
    if args.ply.is_some_and(|ply| ply > replay.header.plies) {
        let plies = counted(replay.header.plies, "ply");
        return Err(Failure::usage(format!("this match has only {plies}")));
    }
    if let Some(path) = &args.svg {
        let step = args.ply.and_then(|ply| replay.step_of_ply(ply));
        let step = step.unwrap_or(replay.steps.len() - 1);
        let svg = replay.frames().map_err(Failure::new)?.svg(step, viewer)?;
        return write(path, &svg);
    }
    if let Some(path) = &args.html {
        return write(path, &replay_page(&replay)?);
    }
    if args.json {
        return replay.write_json(|line| output::print(&String::from_utf8_lossy(line)));
    }
    let is_printed = args.plain || args.ply.is_some() || args.delay > 0;
    if !is_printed && stdin().is_terminal() && Screen::fits(&stdout()) {
        return replaying::show(&replay);
    }
    print(&replay, args)
}

/// Writes the page or the picture, and says so.
fn write(path: &Path, text: &str) -> Result<()> {
    NewFile::make(path)?.write(text.as_bytes())?;
    note!("{} is written", plain_line(&path.display().to_string()));
    Ok(())
}

/// Prints the match, or one ply of it.
fn print(replay: &MatchReplay, args: &Args) -> Result<()> {
    let mut frames = replay.frames().map_err(Failure::new)?;
    output::print(&replay.heading())?;
    let only = args.ply.map(|ply| replay.step_of_ply(ply));
    for (number, step) in replay.steps.iter().enumerate() {
        let is_wanted = match only {
            None => step.kind != StepKind::Over,
            Some(only) => only == Some(number),
        };
        if !is_wanted {
            continue;
        }
        let board = match step.kind {
            StepKind::Ready | StepKind::Fault | StepKind::Over => String::new(),
            StepKind::Start | StepKind::Opening | StepKind::Chance | StepKind::Acts => {
                frames.text(number, replay.seen_by())?
            }
        };
        output::print(&format!("\n{}{board}", replay.told(step)))?;
        if step.kind != StepKind::Start {
            std::thread::sleep(Duration::from_millis(args.delay));
        }
    }
    output::print(&format!("\n{}", replay.ending()))
}
