//! Bots that enter the arena, after they have played a match against themselves.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use flipside_games::{AnyGame, GAMES};
use flipside_protocol::Clock;
use flipside_referee::{Fault, FaultKind, Match, MatchSeed, Player, Referee, SeatTrace};
use flipside_report::plain_line;
use flipside_sandbox::shell::quoted;
use flipside_sandbox::{
    LARGEST_PROGRAM, OpenError, Program, Sandbox, bundle, describe, open_regular,
};
use flipside_store::{Arena, Error, Journal, unix_ms};
use flipside_tournament::{Bot, BotFile, BotRef, Name, SAMPLE_PREFIX};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;

use crate::advice::{FaultReport, cannot_write, names_game, without_numbers};
use crate::entry::{keep, name_of};
use crate::failure::{Failure, Result};
use crate::files::{cannot_read, private_folder};
use crate::game_program::refuse_game;
use crate::games::find_game;
use crate::programs::Processes;
use crate::seed::seed_of_match;

/// A bot's file that is to enter the arena.
#[derive(Clone, Debug)]
pub struct Submission<'a> {
    /// An executable, a module, or the folder of a bundle.
    pub file: &'a Path,
    /// The bot's name; otherwise it has the file's.
    pub name: Option<Name>,
    /// The ids of the games that it must play; empty: those that a bundle names, or one of all games is enough.
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
    /// What its author should know, in lines.
    pub warnings: Vec<String>,
}

/// What came of trying a bot out.
#[derive(Clone, Copy, Debug)]
pub enum TryoutResult<'a> {
    /// It has finished a match at this game.
    Plays(&'static str),
    /// It ended at these games before it was ready, and said that it does not play them.
    Declines(&'a [&'static str], &'a FaultReport),
    /// It did something wrong at these games before it was ready, at all in the same way.
    Breaks(&'a [&'static str], &'a FaultReport),
    /// It did something wrong at these games while it played, at all in the same way.
    Fails(&'a [&'static str], &'a FaultReport),
}

/// Tries a bot out, and enters it into the arena in this folder, which is made if it is not there. `tried` hears of
/// each game that the bot plays, and at the end once of each fault, with the games where the bot had it.
///
/// # Errors
/// When the bot does not finish a match that it began, plays no game, or not one that it must play; when its file
/// cannot be read, the arena cannot be written, or `tried` fails.
pub fn submit(
    arena: &Path,
    submission: &Submission<'_>,
    tried: impl FnMut(TryoutResult<'_>) -> Result<()>,
) -> Result<Submitted> {
    let original = Program::open(submission.file)
        .map_err(|error| needs_no_submitting(arena, submission.file, error))?;
    refuse_game(&original)?;
    refuse_unwritable(arena)?;
    let name = submission.name.clone();
    let name = name.map_or_else(|| name_of(original.name()), Ok)?;
    // What is checked is a copy, alone in its folder as it will be in the arena, and it is this copy
    // that the arena gets.
    let folder = private_folder()?;
    let copy = copy_program(submission.file, &original, folder.path())?;
    let typed = |failure: Failure| failure.with_path(&copy, submission.file);
    let program = Program::open(&copy).map_err(|error| typed(error.into()))?;
    let sandbox = submission.processes.sandbox_with(arena, None, 1);
    sandbox
        .prepare(&program, submission.clock.unit)
        .map_err(|error| typed(error.into()))?;
    let tried_out = try_out(submission, &name, &sandbox, &program, tried).map_err(typed);
    let (passed, mut warnings) = tried_out?;
    warnings.extend(left_behind(folder.path(), &copy));
    submit_checked(&Arena::create(arena)?, &program, &name, &passed, warnings)
}

/// The failure of a file that is not there: perhaps a bot was named that can play already.
fn needs_no_submitting(arena: &Path, file: &Path, error: OpenError) -> Failure {
    let typed = file.to_string_lossy();
    let is_in_arena = || {
        let wanted: BotRef = typed.parse().ok()?;
        let journal = Arena::open(arena).ok()?.read_journal().ok()?;
        journal.bot(&wanted).ok()
    };
    let missing = matches!(error, OpenError::NotFound(_));
    let failure = Failure::from(error);
    if !missing {
        return failure;
    }
    if typed.starts_with(SAMPLE_PREFIX) {
        let what = format!("{typed} is built in, and needs no submitting");
        return Failure::usage(what).hint(format!(
            "name it where it is to play, such as: flipside match GAME {} BOT",
            quoted(&*typed)
        ));
    }
    match is_in_arena() {
        Some(bot) => Failure::usage(format!(
            "{} is in the arena already, and needs no submitting",
            bot.label()
        ))
        .hint(format!(
            "a new version of it is submitted as a file: flipside submit FILE --name {}",
            bot.name
        )),
        None => failure,
    }
}

/// Finds out before any match whether the arena can be written, and makes nothing: an arena that is not there yet will
/// be made in the nearest folder that is.
fn refuse_unwritable(arena: &Path) -> Result<()> {
    let found = match Arena::open(arena) {
        Ok(found) => Some(found),
        Err(error @ Error::NotAFolder { .. }) => return Err(error.into()),
        Err(_) => None,
    };
    let absolute = std::path::absolute(arena).map_err(Failure::new)?;
    let there = absolute.ancestors().find(|path| path.exists());
    let access = Access::WRITE_OK | Access::EXEC_OK;
    match there.map(|path| accessat(CWD, path, access, AtFlags::EACCESS)) {
        Some(Err(Errno::ACCESS | Errno::ROFS | Errno::PERM)) => {
            let path = match found {
                Some(_) => arena,
                None => there.unwrap_or(arena),
            };
            Err(Error::NotWritable { path: path.into() }.into())
        }
        _ => found.map_or(Ok(()), |found| Ok(found.journal().map(drop)?)),
    }
}

/// Enters a bot that has passed its check into the arena, with the ids of the games that it can play. The warnings are
/// those of the check.
///
/// # Errors
/// When the file is no longer what was opened for the check, or the arena cannot be written.
pub fn submit_checked(
    arena: &Arena,
    program: &Program,
    name: &Name,
    passed: &[&str],
    mut warnings: Vec<String>,
) -> Result<Submitted> {
    refuse_game(program)?;
    let mut journal = arena.journal()?;
    let added = journal.add_bot(name, &keep(arena, program)?, unix_ms())?;
    for id in passed {
        journal.pass(added.bot.id, id)?;
    }
    if added.new {
        warnings.extend(becomes(&journal, arena, &added.bot)?);
    }
    let mut bots = journal.bots()?.into_iter();
    Ok(Submitted {
        bot: bots.find(|bot| bot.id == added.bot.id).unwrap_or(added.bot),
        new: added.new,
        warnings,
    })
}

/// Lets a program play itself at every game that is wanted, and returns the ids of those that it can play.
fn try_out(
    submission: &Submission<'_>,
    name: &Name,
    sandbox: &Sandbox,
    program: &Program,
    mut tried: impl FnMut(TryoutResult<'_>) -> Result<()>,
) -> Result<(Vec<&'static str>, Vec<String>)> {
    let (games, must_play_all) = wanted(submission, program)?;
    let (mut passed, mut warnings) = (Vec::new(), Vec::<String>::new());
    // A bot mostly fails at all games in the same way, and that is told once.
    let mut failures: Vec<Failed> = Vec::new();
    for game in games {
        let id = game.info().id;
        let seed = seed_of_match(None, &mut |_| ())?;
        let checked = check(submission, sandbox, program, game, seed)?;
        for warning in checked.warnings {
            let is_it = |known: &String| without_numbers(known) == without_numbers(&warning);
            if !warnings.iter().any(is_it) {
                warnings.push(warning);
            }
        }
        let Some((mut report, how)) = checked.failed else {
            tried(TryoutResult::Plays(id))?;
            passed.push(id);
            continue;
        };
        let likeness = report.likeness(id);
        if how == FailureStage::Declines {
            // What else there is to do is for bots that mean to play.
            report.hints.clear();
        }
        let is_it = |known: &&mut Failed| known.how == how && known.likeness == likeness;
        match failures.iter_mut().find(is_it) {
            Some(known) => known.games.push(id),
            None => failures.push(Failed {
                games: vec![id],
                how,
                report,
                likeness,
                again: format!(
                    "{id} {0} {0} --options {1} --seed {seed}",
                    quoted(submission.file),
                    quoted(game.brief())
                ),
            }),
        }
    }
    // It is meant for a game that it says it is ready for.
    let worst = (failures.iter()).position(|failed| failed.how == FailureStage::Plays);
    if failures.is_empty() || (!must_play_all && !passed.is_empty() && worst.is_none()) {
        for failed in &mut failures {
            failed.report.hints.push(format!(
                "nothing is wrong if it is meant for {} only; --game GAME tries it at no other",
                passed.join(", ")
            ));
            tried(failed.told())?;
        }
        return Ok((passed, warnings));
    }
    // The worst is told by whoever is told of the failure.
    let worst = failures.remove(worst.unwrap_or(0));
    for failed in &failures {
        tried(failed.told())?;
    }
    Err(refused(name, submission, &worst))
}

/// The games that a program is tried at, and whether it must play all of them.
fn wanted(
    submission: &Submission<'_>,
    program: &Program,
) -> Result<(Vec<&'static dyn AnyGame>, bool)> {
    let named = match program.as_bundle() {
        Some(bundle) if submission.games.is_empty() => &bundle.manifest().games,
        _ => submission.games,
    };
    if named.is_empty() {
        return Ok((GAMES.to_vec(), false));
    }
    let games = named.iter().map(|id| find_game(id));
    Ok((games.collect::<Result<_>>()?, true))
}

/// Whether a bot that was not ready ended because it does not play this game: it named a game, and nothing else is
/// known of the cause.
fn declines(fault: &Fault, report: &FaultReport, game: &str) -> bool {
    fault.kind == FaultKind::Closed
        && report.hints.iter().eq(fault.hint.iter())
        && names_game(&fault.stderr, game)
}

/// How a bot failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailureStage {
    /// It only said that it does not play the game.
    Declines,
    /// Before it was ready.
    Starts,
    /// While it played.
    Plays,
}

/// A fault of a bot that is tried out.
struct Failed {
    games: Vec<&'static str>,
    how: FailureStage,
    report: FaultReport,
    /// What it shares with faults of the same cause at other games.
    likeness: String,
    /// The arguments that play the match again.
    again: String,
}

impl Failed {
    fn told(&self) -> TryoutResult<'_> {
        match self.how {
            FailureStage::Declines => TryoutResult::Declines(&self.games, &self.report),
            FailureStage::Starts => TryoutResult::Breaks(&self.games, &self.report),
            FailureStage::Plays => TryoutResult::Fails(&self.games, &self.report),
        }
    }
}

fn refused(name: &Name, submission: &Submission<'_>, failed: &Failed) -> Failure {
    let report = &failed.report;
    let mut message = format!(
        "{name} is refused: {}\n  in a match against itself at {}",
        report.fault,
        failed.games.join(", ")
    );
    for line in report.wrote() {
        message += &format!("\n  {line}");
    }
    let trust = match submission.processes.trust {
        true => " --trust",
        false => "",
    };
    let hints = report.hints.iter();
    let mut failure = hints.fold(Failure::new(message), Failure::and_hint);
    let is_asked = !submission.games.is_empty();
    if !is_asked && failed.how == FailureStage::Plays {
        failure = failure.and_hint(format!(
            "it was ready for {}, and so is meant to play there; a bot of one game is submitted with --game GAME",
            failed.games.join(", ")
        ));
    } else if !is_asked {
        failure = failure
            .and_hint("a bot of one game is submitted with --game GAME, and tried at no other");
    } else if failed.how == FailureStage::Declines {
        failure = failure.and_hint("name the game that it plays: --game GAME");
    }
    // A bot that is debugged has time.
    let clock = match report.fault.starts_with(FaultKind::Late.name()) {
        true => format!(" --clock {}", submission.clock),
        false => String::new(),
    };
    let again = &failed.again;
    failure.and_hint(format!("flipside debug {again}{clock}{trust}"))
}

/// Copies a bot's file, which was looked at, with its permissions into a folder, and no more of it than a bot may have;
/// or packs a bundle there.
fn copy_program(from: &Path, program: &Program, folder: &Path) -> Result<PathBuf> {
    let what = format!("cannot copy {}", from.display());
    let failed = |error: io::Error| Failure::new(error).about(&what);
    if let Some(bundle) = program.as_bundle() {
        let to = folder.join("bundle.tar.zst");
        let mut copy = File::create_new(&to).map_err(failed)?;
        let packed = bundle::pack(bundle, &mut copy);
        packed.map_err(|error| Failure::from(error).about(&what))?;
        return Ok(to);
    }
    let to = folder.join(from.file_name().unwrap_or_default());
    let (source, found) = open_regular(from).map_err(|error| cannot_read(from, error))?;
    let mut copy = File::create_new(&to).map_err(failed)?;
    io::copy(&mut source.take(LARGEST_PROGRAM + 1), &mut copy).map_err(failed)?;
    copy.set_permissions(found.permissions()).map_err(failed)?;
    Ok(to)
}

/// What is to know of a match of a program against itself.
#[derive(Default)]
struct SelfPlayResult {
    /// What it did wrong, if anything.
    failed: Option<(FaultReport, FailureStage)>,
    warnings: Vec<String>,
}

/// Lets a program play itself.
fn check(
    submission: &Submission<'_>,
    sandbox: &Sandbox,
    program: &Program,
    game: &'static dyn AnyGame,
    seed: MatchSeed,
) -> Result<SelfPlayResult> {
    let seats = game.info().least_seats();
    let the_match = Match {
        id: format!("check-{}", game.info().id),
        game,
        options: game.brief(),
        clock: submission.clock,
        seed,
        players: vec![Player::of(program.clone()); seats.into()],
        opening_plies: 0,
        patience: None,
    };
    let mut referee = Referee::new(sandbox.clone())?.looking_for_files();
    let played = referee.play(&the_match)?;
    let mut checked = SelfPlayResult::default();
    for seat in &played.seats {
        if let Some(fault) = &seat.fault {
            let report = FaultReport::of(fault, Some(submission.file), submission.processes);
            let report = report.with_path(program.path(), submission.file);
            let how = match seat.ready {
                true => FailureStage::Plays,
                false if declines(fault, &report, game.info().id) => FailureStage::Declines,
                false => FailureStage::Starts,
            };
            // What it did on a seat where it played counts before what kept it from playing on another.
            let is_worse = |(_, known): &(FaultReport, FailureStage)| {
                *known != how && how == FailureStage::Plays
            };
            if checked.failed.as_ref().is_none_or(is_worse) {
                checked.failed = Some((report, how));
            }
            continue;
        }
        checked.warnings.extend(warnings(seat));
    }
    Ok(checked)
}

/// What the author of a bot without a fault should know of a match.
pub fn warnings(seat: &SeatTrace) -> Vec<String> {
    let mut warnings: Vec<String> = seat.pondered.map(pondered).into_iter().collect();
    if !seat.files.is_empty() {
        let files = plain_line(&seat.files.join(", "));
        warnings.push(format!(
            "it wrote {files} into its working directory, which is removed after the match; log to standard error, \
             which `flipside match --show-stderr` prints"
        ));
    }
    warnings.extend(cannot_write(&seat.stderr));
    warnings
}

/// That a process computed on the turns of others, in words.
pub fn pondered(cpu: Duration) -> String {
    let ms = cpu.as_millis();
    format!(
        "it computes on the turns of others ({ms} ms of CPU before it was suspended there); wait for the next line \
         without computing, or allow it with --ponder on"
    )
}

/// What the bot left in its folder, which only it and its copy were in: nobody will find it again.
fn left_behind(folder: &Path, copy: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?;
    let others = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let left = { others }.find(|path| path != copy)?;
    let name = left.file_name().unwrap_or_default().to_string_lossy();
    Some(format!(
        "it wrote {} into its working directory, which without the jail is the folder of the arena's bots; log to \
         standard error, which `flipside match --show-stderr` prints",
        plain_line(&name)
    ))
}

/// That a name becomes something else than it was, in words.
fn becomes(journal: &Journal, arena: &Arena, bot: &Bot) -> Result<Option<String>> {
    let bots = journal.bots()?;
    let is_older = |other: &&Bot| other.name == bot.name && other.version < bot.version;
    let before = bots.iter().filter(is_older);
    let Some(before) = before.max_by_key(|other| other.version) else {
        return Ok(None);
    };
    let what = |bot: &Bot| match &bot.file {
        Some(BotFile::BuiltIn(_)) => Some("a sample bot".to_owned()),
        _ => describe(&arena.bot_path(bot)?),
    };
    let (Some(now), Some(then)) = (what(bot), what(before)) else {
        return Ok(None);
    };
    let differs = now != then;
    Ok(differs.then(|| {
        format!(
            "{} is {now}; {} was {then}: another bot needs another --name",
            bot.label(),
            before.label()
        )
    }))
}
