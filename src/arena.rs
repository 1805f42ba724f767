//! The arena on the command line: which folder, which bots, which records.

use std::path::{Path, PathBuf};

use flipside_referee::Player;
use flipside_sandbox::{Program, Sandbox, Settings};
use flipside_tournament::{Arena, Bot, BotKind, BotRef, Error, Journal, KeptFile, Name, unix_ms};

use crate::bots::{self, SAMPLE};
use crate::failure::{Failure, Result};

/// Which arena.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ArenaArg {
    /// The arena's folder: bots, results, ratings.
    #[arg(
        long = "arena",
        value_name = "DIR",
        env = "FLIPSIDE_ARENA",
        default_value = "arena"
    )]
    path: PathBuf,
}

impl ArenaArg {
    /// The arena, which must be there.
    pub(crate) fn open(&self) -> Result<Arena> {
        Ok(Arena::open(&self.path)?)
    }

    /// The arena, made if it is not there.
    pub(crate) fn create(&self) -> Result<Arena> {
        Ok(Arena::create(&self.path)?)
    }

    /// Where bots run: with the arena's cache of compiled modules, if there is an arena.
    pub(crate) fn sandbox(&self) -> Sandbox {
        let cache = Arena::open(&self.path).ok().map(|arena| arena.cache());
        sandbox(cache)
    }

    /// A bot for a single match: a file, a sample, or one of the arena's. The arena does not change.
    pub(crate) fn player(&self, typed: &str) -> Result<Player> {
        if let Some(name) = typed.strip_prefix(SAMPLE) {
            return Ok(Player {
                name: typed.to_owned(),
                program: bots::sample(name)?,
            });
        }
        if bots::is_path(typed) {
            return Ok(Player::of(Program::open(Path::new(typed))?));
        }
        let wanted = named(typed)?;
        let arena = Arena::open(&self.path).map_err(|_| {
            Failure::usage(format!("there is no file {typed:?}, and no arena at {} to look the name up in", self.path.display()))
                .hint("name a file, sample:greedy, or a bot that was submitted to the arena (--arena DIR)")
        })?;
        let bot = arena
            .read_journal()?
            .bot(&wanted)
            .map_err(|error| no_such_bot(&error))?;
        player(&arena, &bot)
    }
}

/// Where bots run.
pub(crate) fn sandbox(cache: Option<PathBuf>) -> Sandbox {
    Sandbox::new(Settings {
        cache,
        ..Settings::default()
    })
}

fn named(typed: &str) -> Result<BotRef> {
    typed.parse().map_err(|error| {
        Failure::usage(format!(
            "{typed:?} is neither a file nor a bot's name: {error}"
        ))
        .hint("a path with a slash is always a file: ./bot")
    })
}

fn no_such_bot(error: &Error) -> Failure {
    let hint = error
        .hint()
        .unwrap_or_else(|| "`flipside bots` lists the arena's bots".into());
    Failure::usage(error).hint(format!("{hint}; a path or sample:greedy is a bot too"))
}

/// A bot of the arena, ready to be started.
pub(crate) fn player(arena: &Arena, bot: &Bot) -> Result<Player> {
    let program = match bot.file.strip_prefix(SAMPLE) {
        Some(name) => bots::sample(name)?,
        None => Program::open(arena.bot_path(bot))?,
    };
    if program.sha256() != bot.sha256 {
        let what = format!(
            "the file of {} is no longer the one that was submitted",
            bot.label()
        );
        return Err(Failure::new(what).hint(match bot.file.starts_with(SAMPLE) {
            true => "this flipside was built anew since; name the sample again, it enters as a new version",
            false => "submit it again",
        }));
    }
    Ok(Player {
        name: bot.label(),
        program,
    })
}

/// A bot for a tournament: one of the arena's, or a file or a sample, which enters the arena now,
/// under the name of its file.
pub(crate) fn entrant(arena: &Arena, journal: &mut Journal, typed: &str) -> Result<Bot> {
    if let Some(name) = typed.strip_prefix(SAMPLE) {
        let program = bots::sample(name)?;
        let file = KeptFile {
            kind: BotKind::Process,
            sha256: program.sha256().to_owned(),
            size: program.size(),
            file: typed.to_owned(),
        };
        return Ok(journal.add_bot(&name_of(name)?, &file, unix_ms())?.bot);
    }
    if bots::is_path(typed) {
        let program = Program::open(Path::new(typed))?;
        let name = name_of(program.name())?;
        return Ok(journal
            .add_bot(&name, &arena.keep(Path::new(typed))?, unix_ms())?
            .bot);
    }
    journal
        .bot(&named(typed)?)
        .map_err(|error| no_such_bot(&error))
}

/// A file's name as a bot's: what a name may not have becomes a hyphen.
pub(crate) fn name_of(text: &str) -> Result<Name> {
    let fitting: String = text
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '-'
            }
        })
        .take(64)
        .collect();
    let fitting = fitting.trim_start_matches(['.', '_', '-']);
    fitting.parse().map_err(|error| {
        Failure::usage(format!("{text:?} does not give a bot's name: {error}"))
            .hint("give one with --name")
    })
}

/// The text of a record: of a file, or of a match in the arena.
pub(crate) fn read_record(arena: &ArenaArg, typed: &str) -> Result<String> {
    let path = Path::new(typed);
    if path.exists() || typed.contains('/') {
        let failed = |what: String| Failure::usage(format!("cannot read {typed}: {what}"));
        let size = std::fs::metadata(path)
            .map_err(|error| failed(error.to_string()))?
            .len();
        if size > flipside_referee::LONGEST_RECORD as u64 {
            return Err(failed(format!("it has {size} bytes, which no record has")));
        }
        let bytes = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
        return String::from_utf8(bytes)
            .map_err(|_| failed("it is not text".into()).hint("a record is JSON lines"));
    }
    let arena = Arena::open(&arena.path).map_err(|_| {
        Failure::usage(format!(
            "there is no file {typed:?}, and no arena at {} with a match of this id",
            arena.path.display()
        ))
        .hint("name a record's file, or pick the arena with --arena DIR")
    })?;
    arena.read_journal()?.record(typed).map_err(|error| {
        Failure::usage(&error).hint("`flipside matches` lists the matches with their ids")
    })
}
