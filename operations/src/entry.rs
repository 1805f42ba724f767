//! Bots: what somebody names, looked up and opened, and entered into the arena.

use std::path::Path;

use flipside_referee::Player;
use flipside_sandbox::Program;
use flipside_sandbox::bundle::is_bundle;
use flipside_tournament::{Arena, Bot, BotRef, Error, Journal, KeptFile, Name, unix_ms};

use crate::programs::{SAMPLE_PREFIX, is_surely_a_path, sample, sample_spec};
use crate::{Failure, Result};

/// A bot for a single match: a file, a sample, or one of the arena in this folder, if there is one. The arena does not
/// change.
///
/// # Errors
/// When there is no such bot, or its file is not what was submitted.
pub fn find_player(arena: &Path, typed: &str) -> Result<Player> {
    let arena = Arena::open(arena).ok();
    player(Entry::find(arena.as_ref(), typed)?, typed)
}

/// A bot of the arena or a built-in one for a single match; no word is a path.
///
/// # Errors
/// When there is no such bot, or its file is not what was submitted.
pub fn find_arena_player(arena: &Arena, typed: &str) -> Result<Player> {
    player(Entry::of_arena(arena, typed)?, typed)
}

fn player(entry: Entry, typed: &str) -> Result<Player> {
    if let Some(bot) = entry.deleted() {
        return Err(deleted(bot));
    }
    Ok(match entry.source {
        Source::Arena(bot) => Player::named(bot.label(), entry.program),
        Source::File => Player::of(entry.program),
        Source::BuiltIn(_) => Player::named(typed, entry.program),
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
    Failure::usage(error)
        .hint(hint)
        .and_hint("a path or sample:greedy is a bot too")
}

/// What a bot has run whose file is gone. It cannot be started.
pub(crate) fn absent(bot: &Bot) -> Program {
    Program::absent(bot.name.as_str(), bot.kind, &bot.sha256, bot.size)
}

/// A bot was deleted that is to play.
pub(crate) fn deleted(bot: &Bot) -> Failure {
    let (name, label) = (&bot.name, bot.label());
    Failure::usage(format!(
        "{label} was deleted, and only its results are here"
    ))
    .hint(format!(
        "`flipside submit FILE --name {name}` with the same bytes brings it back"
    ))
}

/// What a bot of the arena runs.
pub(crate) fn program_of(arena: &Arena, bot: &Bot) -> Result<Program> {
    let (name, label) = (&bot.name, bot.label());
    let brings = format!("`flipside submit FILE --name {name}` with the same bytes brings it");
    if bot.deleted_at.is_some() {
        return Err(deleted(bot));
    }
    if !bot.is_here() {
        let what = format!("only results of {label} are here, and not its file");
        return Err(Failure::new(what).hint(brings));
    }
    let program = match bot.file.strip_prefix(SAMPLE_PREFIX) {
        Some(name) => sample(&sample_spec(name)?)?,
        None if !arena.bot_path(bot).exists() => {
            let what = format!("the file of {label} is missing from the arena");
            return Err(Failure::new(what).hint(format!("{brings} back")));
        }
        None => Program::open(arena.bot_path(bot))
            .map_err(|error| Failure::from(error).about(&label))?,
    };
    if program.sha256() != bot.sha256 {
        let what = format!("the file of {label} is no longer the one that was submitted");
        let hint = if bot.file.starts_with(SAMPLE_PREFIX) {
            "this flipside was built anew since; name the sample again, it enters as a new version"
        } else {
            "submit it again"
        };
        return Err(Failure::new(what).hint(hint));
    }
    Ok(program)
}

/// A program of a worker: one that is built in, or a file in its folder.
///
/// # Errors
/// When there is no such sample, or the file is no program.
pub fn worker_program(file: &str, folder: &Path) -> Result<Program> {
    match file.strip_prefix(SAMPLE_PREFIX) {
        Some(name) => sample(&sample_spec(name)?),
        None => Ok(Program::open(folder.join(file))?),
    }
}

/// A bot for a tournament, looked up and opened, with nothing changed yet.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name in the arena.
    pub(crate) name: Name,
    /// What it runs.
    pub(crate) program: Program,
    pub(crate) source: Source,
}

/// Where a bot comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Arena(Bot),
    File,
    /// A sample, by its name and parameters.
    BuiltIn(String),
}

impl Entry {
    /// Looks up what was typed; `arena` is there or not.
    ///
    /// # Errors
    /// When there is no such bot, or its file cannot be opened.
    pub fn find(arena: Option<&Arena>, typed: &str) -> Result<Self> {
        if let Some(name) = typed.strip_prefix(SAMPLE_PREFIX) {
            let spec = sample_spec(name)?;
            let name = spec.to_string();
            return Entry::new(sample(&spec)?, &name, Source::BuiltIn(name.clone()));
        }
        if is_surely_a_path(typed) {
            return Entry::file(typed);
        }
        // A name means the arena's bot, whatever lies in this folder; `./name` is the file.
        let known = match (typed.parse::<BotRef>(), arena) {
            (Ok(wanted), Some(arena)) => Some((arena, arena.read_journal()?.bot(&wanted))),
            _ => None,
        };
        match known {
            Some((arena, Ok(bot))) => Entry::known(arena, bot),
            _ if is_bot(Path::new(typed)) => Entry::file(typed),
            Some((_, Err(error))) => Err(no_such_bot(&error)),
            None => {
                named(typed)?;
                let what =
                    format!("there is no file {typed:?}, and no arena to look the name up in");
                Err(Failure::usage(what)
                    .hint("name a file, sample:greedy, or pick an arena with --arena DIR"))
            }
        }
    }

    /// Looks up a bot of the arena or a built-in one; no word is a path.
    ///
    /// # Errors
    /// When there is no such bot, or its file cannot be opened.
    pub(crate) fn of_arena(arena: &Arena, typed: &str) -> Result<Self> {
        if typed.starts_with(SAMPLE_PREFIX) {
            return Entry::find(Some(arena), typed);
        }
        let wanted: BotRef = typed.parse().map_err(|error| {
            Failure::usage(format!("{typed:?} is no bot's name: {error}"))
                .hint("name a bot of the arena, or a built-in bot such as sample:greedy")
        })?;
        let bot = arena.read_journal()?.bot(&wanted).map_err(|error| {
            Failure::usage(&error)
                .maybe_hint(error.hint())
                .and_hint("a built-in bot such as sample:greedy can play, too")
        })?;
        Entry::known(arena, bot)
    }

    /// Its version, if it is in the arena already.
    pub(crate) fn version(&self) -> Option<u32> {
        match &self.source {
            Source::Arena(bot) => Some(bot.version),
            Source::File | Source::BuiltIn(_) => None,
        }
    }

    fn file(typed: &str) -> Result<Self> {
        let program = Program::open(typed)?;
        let name = program.name().to_owned();
        Entry::new(program, &name, Source::File)
    }

    fn new(program: Program, name: &str, source: Source) -> Result<Self> {
        Ok(Entry {
            name: name_of(name)?,
            program,
            source,
        })
    }

    /// A bot of the arena. One that was deleted can only have played.
    pub(crate) fn known(arena: &Arena, bot: Bot) -> Result<Self> {
        let program = match bot.deleted_at {
            None => program_of(arena, &bot)?,
            Some(_) => absent(&bot),
        };
        Ok(Entry {
            name: bot.name.clone(),
            program,
            source: Source::Arena(bot),
        })
    }

    /// The bot, if its file was deleted.
    pub(crate) fn deleted(&self) -> Option<&Bot> {
        match &self.source {
            Source::Arena(bot) => Some(bot).filter(|bot| bot.deleted_at.is_some()),
            Source::File | Source::BuiltIn(_) => None,
        }
    }

    /// The bot that it is, if the arena has it.
    pub(crate) fn there(&self, journal: &Journal) -> Result<Option<Bot>> {
        if let Source::Arena(bot) = &self.source {
            return Ok(Some(bot.clone()));
        }
        let same = |bot: &Bot| bot.name == self.name && bot.sha256 == self.program.sha256();
        Ok(journal.bots()?.into_iter().rev().find(same))
    }

    /// Enters the arena. Where any version of that name has the very same file, it is that one, so
    /// that the same words always mean the same bots.
    ///
    /// # Errors
    /// When its file changed meanwhile, or the arena cannot be written.
    pub fn enter(self, arena: &Arena, journal: &mut Journal) -> Result<Bot> {
        // The file of one that is not here is brought now.
        if let Some(bot) = self.there(journal)?.filter(Bot::is_here) {
            return Ok(bot);
        }
        if let Some(bot) = self.deleted() {
            return Ok(bot.clone());
        }
        let Entry { name, program, .. } = self;
        let file = match self.source {
            Source::Arena(bot) => return Ok(bot),
            Source::File => keep(arena, &program)?,
            Source::BuiltIn(sample) => KeptFile {
                kind: flipside_sandbox::Kind::Process,
                sha256: program.sha256().to_owned(),
                size: program.size(),
                file: format!("{SAMPLE_PREFIX}{sample}"),
            },
        };
        Ok(journal.add_bot(&name, &file, unix_ms())?.bot)
    }
}

/// Whether a path is one of a file, or of a folder with a bundle.
fn is_bot(path: &Path) -> bool {
    path.is_file() || is_bundle(path)
}

/// Copies a program's file into the arena, and makes sure that it is the one that was opened. A bundle is packed.
pub(crate) fn keep(arena: &Arena, program: &Program) -> Result<KeptFile> {
    if let Some(bundle) = program.as_bundle() {
        return Ok(arena.keep_bundle(program.path(), bundle, program.kind())?);
    }
    let kept = arena.keep(program.path())?;
    if kept.sha256 == program.sha256() {
        return Ok(kept);
    }
    let path = program.path().display();
    Err(
        Failure::new(format!("{path} changed while it was looked at"))
            .hint("try again when nothing writes to it"),
    )
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
