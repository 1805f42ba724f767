//! The arena on the command line: which folder, which bots, which records.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use flipside_referee::Player;
use flipside_sandbox::{Compiler, Program, Sandbox, Settings, Start};
use flipside_tournament::{Arena, Bot, BotRef, Error, Journal, KeptFile, Name, unix_ms};

use crate::bots::{self, SAMPLE};
use crate::commands::compile;
use crate::failure::{Failure, Result};
use crate::files::read_text;
use crate::isolation::ProcessArgs;

/// Which arena. The flag is one of the whole command, so that it may stand before the subcommand.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ArenaArg {
    /// The arena's folder [env: FLIPSIDE_ARENA] [default: arena]
    #[arg(long = "arena", id = "arena", value_name = "DIR", global = true)]
    typed: Option<PathBuf>,
}

/// The arena's folder where none is typed.
static USUAL: LazyLock<PathBuf> = LazyLock::new(|| {
    let set = std::env::var_os("FLIPSIDE_ARENA").filter(|folder| !folder.is_empty());
    set.unwrap_or_else(|| "arena".into()).into()
});

impl ArenaArg {
    /// The folder's path.
    pub(crate) fn path(&self) -> &Path {
        self.typed().unwrap_or(&USUAL)
    }

    /// The folder's path, if it was typed.
    pub(crate) fn typed(&self) -> Option<&Path> {
        self.typed.as_deref()
    }

    /// The arena, which must be there.
    pub(crate) fn open(&self) -> Result<Arena> {
        Ok(Arena::open(self.path())?)
    }

    /// The arena, made if it is not there.
    pub(crate) fn create(&self) -> Result<Arena> {
        Ok(Arena::create(self.path())?)
    }

    /// Where the bots of so many matches at once run: with the arena's cache of compiled modules, if
    /// there is an arena.
    pub(crate) fn sandbox(&self, matches: usize, process: ProcessArgs) -> Sandbox {
        let cache = Arena::open(self.path()).ok().map(|arena| arena.cache());
        sandbox(Some(self.path()), cache, matches, process)
    }

    /// A bot for a single match: a file, a sample, or one of the arena's. The arena does not change.
    pub(crate) fn player(&self, typed: &str) -> Result<Player> {
        if let Some(name) = typed.strip_prefix(SAMPLE) {
            return Ok(Player::named(typed, bots::sample(name)?));
        }
        let arena = Arena::open(self.path()).ok();
        match Entry::find(arena.as_ref(), typed)? {
            Entry::New { program, .. } => Ok(Player::of(program)),
            Entry::Known(bot) => player(&arena.expect("a known bot comes from an arena"), &bot),
        }
    }
}

/// Where the bots of so many matches at once run, who see nothing of the arena.
pub(crate) fn sandbox(
    arena: Option<&Path>,
    cache: Option<PathBuf>,
    matches: usize,
    process: ProcessArgs,
) -> Sandbox {
    let settings = Settings::default();
    let seats = u32::try_from(matches * flipside_games::MAX_SEATS).unwrap_or(u32::MAX);
    Sandbox::new(Settings {
        cache,
        compiler: Some(Compiler::of_this_program([compile::NAME])),
        instances: settings.instances.max(seats),
        isolation: process.isolation(arena),
        ponder: process.ponder(),
        ..settings
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
    if !bot.is_here() {
        let what = format!("only results of {} are here, and not its file", bot.label());
        return Err(Failure::new(what).hint(format!(
            "`flipside submit FILE --name {}` with the same bytes brings it",
            bot.name
        )));
    }
    let program = match bot.file.strip_prefix(SAMPLE) {
        Some(name) => bots::sample(name)?,
        None if !arena.bot_path(bot).exists() => {
            let what = format!("the file of {} is missing from the arena", bot.label());
            return Err(Failure::new(what).hint(format!(
                "`flipside submit FILE --name {}` with the same bytes brings it back",
                bot.name
            )));
        }
        None => Program::open(arena.bot_path(bot))
            .map_err(|error| Failure::from(error).about(bot.label()))?,
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
    Ok(Player::named(bot.label(), program))
}

/// A bot for a tournament, looked up and opened, with nothing changed yet.
pub(crate) enum Entry {
    /// One of the arena's.
    Known(Bot),
    /// A file or a sample, which enters the arena under this name.
    New {
        /// The name.
        name: Name,
        /// What was opened.
        program: Program,
        /// Whether it is built in.
        sample: bool,
    },
}

impl Entry {
    /// Looks up what was typed; `arena` is there or not.
    pub(crate) fn find(arena: Option<&Arena>, typed: &str) -> Result<Self> {
        if let Some(name) = typed.strip_prefix(SAMPLE) {
            return Ok(Entry::New {
                program: bots::sample(name)?,
                name: name_of(name)?,
                sample: true,
            });
        }
        if bots::is_surely_a_path(typed) {
            return Entry::file(typed);
        }
        // A name means the arena's bot, whatever lies in this folder; `./name` is the file.
        let known = match (typed.parse::<BotRef>(), arena) {
            (Ok(wanted), Some(arena)) => Some(arena.read_journal()?.bot(&wanted)),
            _ => None,
        };
        match known {
            Some(Ok(bot)) => Ok(Entry::Known(bot)),
            _ if Path::new(typed).is_file() => Entry::file(typed),
            Some(Err(error)) => Err(no_such_bot(&error)),
            None => {
                named(typed)?;
                let what =
                    format!("there is no file {typed:?}, and no arena to look the name up in");
                Err(Failure::usage(what)
                    .hint("name a file, sample:greedy, or pick an arena with --arena DIR"))
            }
        }
    }

    fn file(typed: &str) -> Result<Self> {
        let program = Program::open(typed)?;
        Ok(Entry::New {
            name: name_of(program.name())?,
            program,
            sample: false,
        })
    }

    /// Its name in the arena.
    pub(crate) fn name(&self) -> &Name {
        match self {
            Entry::Known(bot) => &bot.name,
            Entry::New { name, .. } => name,
        }
    }

    /// What it runs.
    pub(crate) fn program(&self, arena: Option<&Arena>) -> Result<Program> {
        match (self, arena) {
            (Entry::New { program, .. }, _) => Ok(program.clone()),
            (Entry::Known(bot), Some(arena)) => {
                let player = player(arena, bot)?;
                Ok(player.program().expect("a bot's player").clone())
            }
            (Entry::Known(_), None) => unreachable!("a known bot comes from an arena"),
        }
    }

    /// The bot that it is, if the arena has it.
    pub(crate) fn there(&self, journal: &Journal) -> Result<Option<Bot>> {
        match self {
            Entry::Known(bot) => Ok(Some(bot.clone())),
            Entry::New { name, program, .. } => {
                let same = |bot: &Bot| bot.name == *name && bot.sha256 == program.sha256();
                Ok(journal.bots()?.into_iter().rev().find(same))
            }
        }
    }

    /// Enters the arena. Where any version of that name has the very same file, it is that one, so
    /// that the same command always means the same bots.
    pub(crate) fn enter(self, arena: &Arena, journal: &mut Journal) -> Result<Bot> {
        // The file of one that is not here is brought now.
        if let Some(bot) = self.there(journal)?.filter(Bot::is_here) {
            return Ok(bot);
        }
        let (name, file) = match self {
            Entry::Known(bot) => return Ok(bot),
            Entry::New {
                name,
                program,
                sample: false,
            } => (name, keep(arena, &program)?),
            Entry::New {
                name,
                program,
                sample: true,
            } => {
                let file = KeptFile {
                    kind: flipside_sandbox::Kind::Process,
                    sha256: program.sha256().to_owned(),
                    size: program.size(),
                    file: format!("{SAMPLE}{name}"),
                };
                (name, file)
            }
        };
        Ok(journal.add_bot(&name, &file, unix_ms())?.bot)
    }
}

/// Copies a program's file into the arena, and makes sure that it is the one that was opened.
pub(crate) fn keep(arena: &Arena, program: &Program) -> Result<KeptFile> {
    let kept = arena.keep(program.path())?;
    match kept.sha256 == program.sha256() {
        true => Ok(kept),
        false => Err(Failure::new(format!(
            "{} changed while it was looked at",
            program.path().display()
        ))
        .hint("try again when nothing writes to it")),
    }
}

/// Makes sure that a program can be started on this machine, by starting it.
pub(crate) fn try_start(sandbox: &Sandbox, program: &Program) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::new)?;
    runtime.block_on(async {
        let start = Start {
            seed: 0,
            label: "trial",
        };
        Ok(sandbox.start(program, &start).map(drop)?)
    })
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

/// Whether what was typed is a file with a record, and not the id of a match.
pub(crate) fn is_a_record_file(typed: &str) -> bool {
    Path::new(typed).exists() || typed.contains('/')
}

/// The text of a record: of a file, or of a match in the arena.
pub(crate) fn read_record(arena: &ArenaArg, typed: &str) -> Result<String> {
    let path = Path::new(typed);
    if is_a_record_file(typed) {
        return read_text(path, flipside_referee::LONGEST_RECORD as u64);
    }
    let arena = Arena::open(arena.path()).map_err(|_| {
        Failure::usage(format!(
            "there is no file {typed:?}, and no arena at {} with a match of this id",
            arena.path().display()
        ))
        .hint("name a record's file, or pick the arena with --arena DIR")
    })?;
    arena.read_journal()?.record(typed).map_err(|error| {
        Failure::usage(&error).hint("`flipside matches` lists the matches with their ids")
    })
}
