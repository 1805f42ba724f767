//! Bots that enter the arena, after they have played a match against themselves.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flipside_games::AnyGame;
use flipside_protocol::Clock;
use flipside_referee::{Match, MatchSeed, Player, Referee};
use flipside_sandbox::{LARGEST_PROGRAM, Program, Sandbox, open_regular};
use flipside_tournament::report::plain_line;
use flipside_tournament::{Arena, Bot, Name, unix_ms};

use crate::entry::{keep, name_of};
use crate::files::cannot_read;
use crate::games::{find_game, games_or_all};
use crate::{Failure, Processes, Result, seed_of_match};

/// How many lines of a bot's standard error are shown.
const MAX_STDERR_LINES: usize = 20;

/// A bot's file that is to enter the arena.
#[derive(Clone, Debug)]
pub struct Submission<'a> {
    /// An executable, or a module.
    pub file: &'a Path,
    /// The bot's name; otherwise it has the file's.
    pub name: Option<Name>,
    /// The ids of the games that it must play; empty: one of all games is enough.
    pub games: &'a [String],
    /// The clock of the matches.
    pub clock: Clock,
    /// How it runs if it is a process.
    pub processes: Processes,
}

/// A bot that has entered.
#[derive(Clone, Debug)]
pub struct Submitted {
    /// The bot, with the games that it can play.
    pub bot: Bot,
    /// Whether this version of it was not there before.
    pub new: bool,
}

/// Tries a bot out, and enters it into the arena in this folder, which is made if it is not there. `tried` hears of
/// each game, and what the bot did wrong, in lines.
///
/// # Errors
/// When the bot does not finish a match at any game, or at one that it must play; when its file cannot be read, the
/// arena cannot be written, or `tried` fails.
pub fn submit(
    arena: &Path,
    submission: &Submission<'_>,
    tried: impl FnMut(&'static str, Result<(), &str>) -> Result<()>,
) -> Result<Submitted> {
    let original = Program::open(submission.file)?;
    let name = match &submission.name {
        Some(name) => name.clone(),
        None => name_of(original.name())?,
    };
    // What is checked is a copy, alone in its folder as it will be in the arena, and it is this copy
    // that the arena gets.
    let folder = tempfile::tempdir().map_err(Failure::new)?;
    let copy = folder
        .path()
        .join(submission.file.file_name().unwrap_or_default());
    copy_program(submission.file, &copy)?;
    let program = Program::open(&copy)?;
    let sandbox = submission.processes.sandbox_with(arena, None, 1);
    sandbox.prepare(&program)?;
    let passed = try_out(submission, &name, &sandbox, &program, tried)?;
    let arena = Arena::create(arena)?;
    let mut journal = arena.journal()?;
    let added = journal.add_bot(&name, &keep(&arena, &program)?, unix_ms())?;
    for id in passed {
        journal.pass(added.bot.id, id, unix_ms())?;
    }
    let mut bots = journal.bots()?.into_iter();
    Ok(Submitted {
        bot: bots.find(|bot| bot.id == added.bot.id).unwrap_or(added.bot),
        new: added.new,
    })
}

/// Lets a program play itself at every game that is wanted, and returns the ids of those that it can play.
fn try_out(
    submission: &Submission<'_>,
    name: &Name,
    sandbox: &Sandbox,
    program: &Program,
    mut tried: impl FnMut(&'static str, Result<(), &str>) -> Result<()>,
) -> Result<Vec<&'static str>> {
    let must_play_all = !submission.games.is_empty();
    let games = if must_play_all {
        let games = submission.games.iter().map(|id| find_game(id));
        games.collect::<Result<Vec<_>>>()?
    } else {
        games_or_all(None)?
    };
    let mut passed = Vec::new();
    let mut first_failure = None;
    for game in games {
        let id = game.info().id;
        let seed = seed_of_match(None, &mut |_| ())?;
        let played = check(sandbox, program, game, submission.clock, seed);
        tried(id, played.as_ref().map(|&()| ()).map_err(String::as_str))?;
        match played {
            Ok(()) => passed.push(id),
            Err(failure) => drop(first_failure.get_or_insert((game, seed, failure))),
        }
    }
    let failed = first_failure.filter(|_| must_play_all || passed.is_empty());
    let Some((game, seed, failure)) = failed else {
        return Ok(passed);
    };
    let id = game.info().id;
    Err(Failure::new(format!(
        "{name} is refused: it did not finish a match against itself at {id}: {failure}"
    ))
    .hint(format!(
        "flipside match {id} {0} {0} --options '{1}' --seed {seed}",
        submission.file.display(),
        game.brief(),
    ))
    .and_hint("PROTOCOL.md shows every message of a match"))
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
