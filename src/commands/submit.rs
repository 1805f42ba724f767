use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flipside_games::{AnyGame, GAMES};
use flipside_protocol::Clock;
use flipside_referee::{Match, MatchSeed, Player, Referee};
use flipside_sandbox::{LARGEST_PROGRAM, Program, Sandbox, open_regular};
use flipside_tournament::{Name, unix_ms};

use crate::arena::{ArenaArg, keep, name_of, sandbox};
use crate::commands::games;
use crate::failure::{Failure, Result};
use crate::files::cannot_read;
use crate::isolation::ProcessArgs;
use crate::output::note;
use crate::output::{self, Format, plain_line};
use crate::seed;

/// How many lines of a bot's standard error are shown.
const MAX_STDERR_LINES: usize = 20;

/// Check a bot and add it to the arena
///
/// The bot plays a short match against itself at each --game, or at every game. It is refused if it finishes none
/// without a fault. With --game, it must finish all.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Executable, .wasm or .wat file
    file: PathBuf,
    /// Name [default: the file's name]
    #[arg(long)]
    name: Option<Name>,
    /// Game that the bot must play; repeatable
    #[arg(long = "game")]
    games: Vec<String>,
    /// Clock of the test match
    #[arg(long, default_value = "move=1s")]
    clock: Clock,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    process: ProcessArgs,
    #[command(flatten)]
    arena: ArenaArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let original = Program::open(&args.file)?;
    let name = match &args.name {
        Some(name) => name.clone(),
        None => name_of(original.name())?,
    };
    // What is checked is a copy, alone in its folder as it will be in the arena, and it is this copy
    // that the arena gets.
    let folder = tempfile::tempdir().map_err(Failure::new)?;
    let copy = folder
        .path()
        .join(args.file.file_name().unwrap_or_default());
    copy_program(&args.file, &copy)?;
    let program = Program::open(&copy)?;
    let sandbox = sandbox(Some(args.arena.path()), None, 1, args.process);
    sandbox.prepare(&program)?;
    let passed = try_out(args, &name, &sandbox, &program)?;
    let arena = args.arena.create()?;
    let mut journal = arena.journal()?;
    let added = journal.add_bot(&name, &keep(&arena, &program)?, unix_ms())?;
    for id in passed {
        journal.pass(added.bot.id, id, unix_ms())?;
    }
    if !args.format.for_people() {
        let bot = journal
            .bots()?
            .into_iter()
            .filter(|bot| bot.id == added.bot.id);
        return args.format.print(&bot.collect::<Vec<_>>());
    }
    let label = added.bot.label();
    output::print(&match added.new {
        true => format!("{label} is in the arena\n"),
        false => format!("{label} is in the arena already, with the same bytes\n"),
    })
}

/// Lets a program play itself at every game that is wanted, and returns the ids of those that it can play.
fn try_out(
    args: &Args,
    name: &Name,
    sandbox: &Sandbox,
    program: &Program,
) -> Result<Vec<&'static str>> {
    let wanted = args
        .games
        .iter()
        .map(|id| games::find(id))
        .collect::<Result<Vec<_>>>()?;
    let must_play_all = !wanted.is_empty();
    let wanted = if must_play_all {
        wanted
    } else {
        GAMES.to_vec()
    };
    let mut passed = Vec::new();
    let mut first_failure = None;
    for game in wanted {
        let id = game.info().id;
        let seed = seed::of_match(None)?;
        match check(sandbox, program, game, args.clock, seed) {
            Ok(()) => {
                if args.format.for_people() {
                    output::print(&format!("{id}: plays\n"))?;
                }
                passed.push(id);
            }
            Err(failure) => {
                note!("{id}: {}", failure.lines().next().unwrap_or_default());
                first_failure.get_or_insert((game, seed, failure));
            }
        }
    }
    if let Some((game, seed, failure)) =
        first_failure.filter(|_| must_play_all || passed.is_empty())
    {
        let id = game.info().id;
        return Err(Failure::new(format!(
            "{name} is refused: it did not finish a match against itself at {id}: {failure}"
        ))
        .hint(format!(
            "flipside match {id} {0} {0} --options '{1}' --seed {seed}",
            args.file.display(),
            game.brief(),
        ))
        .and_hint("PROTOCOL.md shows every message of a match"));
    }
    Ok(passed)
}

/// Copies a bot's file, which was looked at, with its permissions; no more of it than a bot may have.
fn copy_program(from: &Path, to: &Path) -> Result<()> {
    let (source, found) = open_regular(from).map_err(|error| cannot_read(from, error))?;
    File::create_new(to)
        .and_then(|mut copy| {
            std::io::copy(&mut source.take(LARGEST_PROGRAM + 1), &mut copy)?;
            copy.set_permissions(found.permissions())
        })
        .map_err(|error| Failure::new(format!("cannot copy {}: {error}", from.display())))
}

/// Lets a program play itself; an error says what it did wrong, in lines.
fn check(
    sandbox: &Sandbox,
    program: &Program,
    game: &'static dyn AnyGame,
    clock: Clock,
    seed: MatchSeed,
) -> Result<(), String> {
    let seats = game.info().least_seats();
    let the_match = Match {
        id: format!("check-{}", game.info().id),
        game,
        options: game.brief(),
        clock,
        seed,
        players: vec![Player::of(program.clone()); seats.into()],
        opening_plies: 0,
    };
    let mut referee = Referee::new(sandbox.clone()).map_err(|error| error.to_string())?;
    let played = referee
        .play(&the_match)
        .map_err(|error| match error.hint() {
            Some(hint) => format!("{error}\n  {hint}"),
            None => error.to_string(),
        })?;
    let Some(fault) = played.seats.iter().find_map(|seat| seat.fault.as_ref()) else {
        return Ok(());
    };
    let mut told = plain_line(&fault.to_string());
    if let Some(evidence) = &fault.evidence {
        told += &format!("\n  it wrote: {}", plain_line(evidence));
    }
    let lines: Vec<&str> = fault.stderr.lines().collect();
    for line in &lines[lines.len().saturating_sub(MAX_STDERR_LINES)..] {
        told += &format!("\n  stderr: {}", plain_line(line));
    }
    Err(told)
}
