//! Bots: what somebody names, looked up and opened, and entered into the arena.

use std::path::Path;

use flipside_referee::Player;
use flipside_sandbox::bundle::is_bundle;
use flipside_sandbox::{Program, ProgramKind, Sandbox};
use flipside_store::{Arena, Error, Journal, KeptFile, unix_ms};
use flipside_tournament::{Bot, BotFile, BotRef, Name, SAMPLE_PREFIX, Settings};

use crate::failure::{Failure, Result};
use crate::game_program::refuse_game;
use crate::programs::{
    games_of_sample, is_surely_a_path, plays_as_sample, sample, sample_spec, try_start,
};

/// A bot for a single match: a file, a sample, or one of the arena in this folder, if there is one. The arena does not
/// change.
///
/// # Errors
/// When there is no such bot, or its file is not what was submitted.
pub fn find_player(arena: &Path, typed: &str) -> Result<Player> {
    let arena = Arena::open(arena).ok();
    player(Entry::find(arena.as_ref(), typed)?, typed)
}

/// What a bot runs that somebody names as for [`find_player`].
///
/// # Errors
/// When there is no such bot, or its file is not what was submitted.
pub fn find_program(arena: &Path, typed: &str) -> Result<Program> {
    let player = find_player(arena, typed)?;
    Ok(player.program().expect("it is a bot's player").clone())
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
        BotSource::Arena(bot) => Player::named(bot.label(), entry.program),
        BotSource::File => Player::of(entry.program),
        BotSource::BuiltIn(_) => Player::named(typed, entry.program),
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

/// A bot was deleted that is to play.
pub(crate) fn deleted(bot: &Bot) -> Failure {
    let what = format!("{} was deleted, and only its results are here", bot.label());
    Failure::usage(what).hint(format!("{} back", brings(bot)))
}

/// What brings the file of a bot.
fn brings(bot: &Bot) -> String {
    let name = &bot.name;
    format!("`flipside submit FILE --name {name}` with the same bytes brings it")
}

/// Why the program of a bot of the arena is not there.
pub(crate) struct NotOpened {
    pub(crate) failure: Failure,
    /// Whether the reason lies with the bot's file, and not with the machine.
    pub(crate) is_of_bot: bool,
}

/// What a bot of the arena runs.
pub(crate) fn program_of(arena: &Arena, bot: &Bot) -> Result<Program> {
    opened(arena, bot).map_err(|not| not.failure)
}

/// The same, and whose fault it is when it is not there.
pub(crate) fn opened(arena: &Arena, bot: &Bot) -> Result<Program, NotOpened> {
    let label = bot.label();
    let of_bot = |failure: Failure| NotOpened {
        failure,
        is_of_bot: true,
    };
    if bot.deleted_at.is_some() {
        return Err(of_bot(deleted(bot)));
    }
    let Some(file) = &bot.file else {
        let what = format!("only results of {label} are here, and not its file");
        return Err(of_bot(Failure::new(what).hint(brings(bot))));
    };
    let program = match (file, arena.bot_path(bot)) {
        (BotFile::BuiltIn(name), _) => {
            let spec = sample_spec(name).map_err(of_bot)?;
            sample(&spec).map_err(|failure| NotOpened {
                failure,
                is_of_bot: false,
            })?
        }
        (_, Some(path)) if path.exists() => Program::open(&path).map_err(|error| NotOpened {
            is_of_bot: error.is_of_program(),
            failure: Failure::from(error)
                .with_path(&path, Path::new("its file"))
                .about(&label),
        })?,
        _ => {
            let what = format!("the file of {label} is missing from the arena");
            let hint = format!("{} back", brings(bot));
            return Err(of_bot(Failure::new(what).hint(hint)));
        }
    };
    if program.sha256() != bot.sha256 {
        let what = format!("the file of {label} is no longer the one that was submitted");
        let hint = match file {
            BotFile::BuiltIn(_) => {
                "this flipside was built anew since; name the sample again, it enters as a new version"
            }
            BotFile::Stored { .. } => "submit it again",
        };
        return Err(of_bot(Failure::new(what).hint(hint)));
    }
    Ok(program)
}

/// The same, or what a bot has run whose file was deleted. That cannot be started.
pub(crate) fn program_or_absent(arena: &Arena, bot: &Bot) -> Result<Program> {
    match bot.deleted_at {
        None => program_of(arena, bot),
        Some(_) => Ok(bot.absent()),
    }
}

/// The program of a bot: one that is built in, or a file in this folder.
///
/// # Errors
/// When there is no such sample, or the file is no program.
pub fn program_in(file: &BotFile, folder: &Path) -> Result<Program> {
    match (file, file.path_in(folder)) {
        (BotFile::BuiltIn(name), _) => sample(&sample_spec(name)?),
        (_, path) => Ok(Program::open(path.expect("what is stored has a path"))?),
    }
}

/// A bot for a tournament, looked up and opened, with nothing changed yet.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name in the arena.
    pub(crate) name: Name,
    /// What it runs.
    pub(crate) program: Program,
    pub(crate) source: BotSource,
}

/// Where a bot comes from.
#[derive(Clone, Debug)]
pub(crate) enum BotSource {
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
            return Entry::new(sample(&spec)?, &name, BotSource::BuiltIn(name.clone()));
        }
        if is_surely_a_path(typed) {
            return Entry::file(typed);
        }
        // A name means the arena's bot, whatever lies in this folder; `./name` is the file.
        let wanted: Result<BotRef, _> = typed.parse();
        let known = match (&wanted, arena) {
            (Ok(wanted), Some(arena)) => Some((arena, arena.read_journal()?.bot(wanted))),
            _ => None,
        };
        match known {
            Some((arena, Ok(bot))) => Entry::known(arena, bot),
            _ if is_bot(Path::new(typed)) => Entry::file(typed),
            Some((_, Err(error))) => Err(no_such_bot(&error)),
            None => {
                wanted.map_err(|error| {
                    let what = format!("{typed:?} is neither a file nor a bot's name: {error}");
                    Failure::usage(what).hint("a path with a slash is always a file: ./bot")
                })?;
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

    /// The bot of the arena that was named, if it was one.
    fn bot(&self) -> Option<&Bot> {
        match &self.source {
            BotSource::Arena(bot) => Some(bot),
            BotSource::File | BotSource::BuiltIn(_) => None,
        }
    }

    /// Its version, if it is in the arena already.
    pub(crate) fn version(&self) -> Option<u32> {
        self.bot().map(|bot| bot.version)
    }

    fn file(typed: &str) -> Result<Self> {
        let program = Program::open(typed)?;
        refuse_game(&program)?;
        let name = program.name().to_owned();
        Entry::new(program, &name, BotSource::File)
    }

    fn new(program: Program, name: &str, source: BotSource) -> Result<Self> {
        Ok(Entry {
            name: name_of(name)?,
            program,
            source,
        })
    }

    /// A bot of the arena. One that was deleted can only have played.
    pub(crate) fn known(arena: &Arena, bot: Bot) -> Result<Self> {
        Ok(Entry {
            name: bot.name.clone(),
            program: program_or_absent(arena, &bot)?,
            source: BotSource::Arena(bot),
        })
    }

    /// The bot, if its file was deleted.
    pub(crate) fn deleted(&self) -> Option<&Bot> {
        self.bot().filter(|bot| bot.deleted_at.is_some())
    }

    /// Refuses a built-in bot, also one that the arena has, at a game that it does not play.
    pub(crate) fn refuse_unplayed(&self, game: &str) -> Result<()> {
        let sample = match (&self.source, self.bot().and_then(|bot| bot.file.as_ref())) {
            (BotSource::BuiltIn(name), _) | (_, Some(BotFile::BuiltIn(name))) => name,
            _ => return Ok(()),
        };
        plays_as_sample(&format!("{SAMPLE_PREFIX}{sample}"), game).map(drop)
    }

    /// Starts it once as it is to play in a tournament of these settings.
    pub(crate) fn try_out(&self, settings: &Settings, sandbox: &Sandbox) -> Result<()> {
        let own = settings.bot.of_version(&self.name, self.version());
        if let Some(why) = own.unfit_for(self.program.kind()) {
            let hint = format!(
                "leave network and env out of [bot.{}], or let it be a process",
                self.name
            );
            return Err(Failure::usage(why).hint(hint));
        }
        let program = self.program.clone().with_own(own.of_program());
        try_start(sandbox, &program, own.clock.unwrap_or(settings.clock))
    }

    /// The bot that it is, if the arena has it.
    pub(crate) fn there(&self, journal: &Journal) -> Result<Option<Bot>> {
        if let Some(bot) = self.bot() {
            return Ok(Some(bot.clone()));
        }
        let same = |bot: &Bot| bot.name == self.name && bot.sha256 == self.program.sha256();
        Ok(journal.bots()?.into_iter().rev().find(same))
    }

    /// The same bot under another name.
    ///
    /// # Errors
    /// When it is no name of a bot.
    pub fn named(self, name: &str) -> Result<Self> {
        Ok(Entry {
            name: name_of(name)?,
            ..self
        })
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
        let Entry { name, program, .. } = self;
        let mut games = Vec::new();
        let file = match self.source {
            BotSource::Arena(bot) => return Ok(bot),
            BotSource::File => keep(arena, &program)?,
            BotSource::BuiltIn(sample) => {
                // It needs no check.
                games.extend(games_of_sample(&sample_spec(&sample)?));
                KeptFile {
                    kind: ProgramKind::Process,
                    sha256: program.sha256().to_owned(),
                    size: program.size(),
                    file: BotFile::BuiltIn(sample),
                }
            }
        };
        let mut bot = journal.add_bot(&name, &file, unix_ms())?.bot;
        for game in games {
            journal.pass(bot.id, game)?;
            if !bot.plays(game) {
                bot.games.push(game.to_owned());
            }
        }
        bot.games.sort();
        Ok(bot)
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
    let what = format!(
        "{} changed while it was looked at",
        program.path().display()
    );
    Err(Failure::new(what).hint("try again when nothing writes to it"))
}

/// A file's name as a bot's: what a name may not have becomes a hyphen.
pub(crate) fn name_of(text: &str) -> Result<Name> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let fitting = text.chars().map(|c| if fits(c) { c } else { '-' });
    let fitting: String = fitting.take(64).collect();
    let fitting = fitting.trim_start_matches(['.', '_', '-']);
    fitting.parse().map_err(|error| {
        Failure::usage(format!("{text:?} does not give a bot's name: {error}"))
            .hint("give one with --name")
    })
}
