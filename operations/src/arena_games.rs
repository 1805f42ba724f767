//! Games that are programs: named by a path, or added to the arena and known by their ids from then on.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use flipside_games::words::counted;
use flipside_games::{
    AnyGame, GameHost, GameLink, ProgramGame, all_games, look_for_more, make_known,
    make_known_imported,
};
use flipside_referee::{game_host, open_game};
use flipside_sandbox::shell::quoted;
use flipside_sandbox::{Program, Sandbox};
use flipside_store::{Arena, DamagedGame, StoredGame, unix_ms};
use flipside_tournament::GameVersion;

use crate::check::outcome::{CheckStatus, CheckedStep};
use crate::entry::keep;
use crate::failure::{Failure, FailureKind, Result};
use crate::game_check::{GameCheckRequest, check_game};
use crate::game_program::{game_program, no_game};
use crate::games::find_game;
use crate::left_out::leave_out;
use crate::programs::{Processes, is_surely_a_path};

/// How long the check of a game takes at most that is to enter an arena.
pub const MOST_CHECK_TIME: Duration = Duration::from_secs(300);

/// For so many matches at once there is a place in the sandbox of a game's modules at least.
const MATCHES_AT_ONCE: usize = 64;

/// The game that somebody names: the id of one that is known, or the path of its program. `arena` is the folder of the
/// arena, which the program does not see.
///
/// # Errors
/// When there is no such game, or the program cannot be opened or is no game.
pub fn game_named(arena: &Path, typed: &str, processes: Processes) -> Result<&'static dyn AnyGame> {
    if processes.trust {
        use_games(arena, processes);
    }
    if !is_path_of_game(typed) {
        return find_game(typed).map_err(|failure| match Path::new(typed).exists() {
            true => failure.and_hint(format!("the game in this folder is ./{typed}")),
            false => failure,
        });
    }
    let program = game_program(Path::new(typed))?;
    let sandbox = processes.sandbox(arena, 1);
    let game = open_game(&program, &sandbox).map_err(|error| no_game(error).about(typed))?;
    let hint = "give one of them another id";
    make_known(game).map_err(|taken| Failure::usage(taken).hint(hint))
}

/// Whether what was typed as a game can only be the path of its program.
pub(crate) fn is_path_of_game(typed: &str) -> bool {
    is_surely_a_path(typed) || [".", ".."].contains(&typed)
}

/// Lets the games of the arena in this folder be found by their ids, as soon as one is asked for. Their programs run as
/// `processes` says, from now on.
pub fn use_games(arena: &Path, processes: Processes) {
    let (arena, learnt) = (arena.to_owned(), Mutex::new(HashSet::new()));
    look_for_more(move || {
        // Whoever needs the arena says why it cannot be read.
        let Ok(opened) = Arena::open(&arena) else {
            return;
        };
        let mut learnt = learnt.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(failure) = learn(&opened, processes, &mut learnt) {
            tracing::warn!("the games of the arena: {failure}");
        }
    });
    if processes.trust {
        // Those that are known already run so, too.
        all_games();
    }
}

/// Makes the games of an arena known that were not learnt yet, by their labels.
fn learn(arena: &Arena, processes: Processes, learnt: &mut HashSet<String>) -> Result<()> {
    let journal = arena.read_journal()?;
    if journal.count_games()? == learnt.len() as u64 {
        return Ok(());
    }
    let (games, damaged) = journal.readable_games()?;
    for DamagedGame { label, why } in damaged {
        if learnt.insert(label.clone()) {
            leave_out(label, why);
        }
    }
    for game in games {
        let label = game.label();
        if learnt.insert(label.clone())
            && let Err(failure) = know(arena, &game, processes)
        {
            leave_out(label, failure.message().to_owned());
        }
    }
    Ok(())
}

/// Makes a game of an arena known. Nothing is started.
pub(crate) fn know(arena: &Arena, game: &StoredGame, processes: Processes) -> Result<()> {
    let host = StoredHost {
        arena: arena.path().to_owned(),
        program: arena.game_path(game),
        sha256: game.sha256.clone(),
        processes,
        opened: OnceLock::new(),
    };
    let (version, sha256) = (Some(game.version), &game.sha256);
    let known = ProgramGame::described(&game.description, version, Box::new(host), sha256);
    let known = known.map_err(Failure::new)?;
    if known.info().id != game.label() {
        let what = format!("its program calls itself {}", known.info().id);
        return Err(Failure::new(what));
    }
    let known = if game.imported {
        make_known_imported(known)
    } else {
        make_known(known)
    };
    known.map(drop).map_err(Failure::new)
}

/// Starts the program of a game of an arena.
struct StoredHost {
    arena: PathBuf,
    program: PathBuf,
    sha256: String,
    processes: Processes,
    /// The program, and where it runs: made when it is started first.
    opened: OnceLock<Result<Box<dyn GameHost>, String>>,
}

impl StoredHost {
    fn open(&self) -> Result<Box<dyn GameHost>, String> {
        let program = Program::open(&self.program)
            .map_err(|error| Failure::from(error).with_path(&self.program, Path::new("its file")));
        let program = program.map_err(|failure| failure.message().to_owned())?;
        if program.sha256() != self.sha256 {
            return Err("its file is not the one that was added".into());
        }
        let sandbox = self.processes.sandbox(&self.arena, MATCHES_AT_ONCE);
        Ok(Box::new(game_host(&program, &sandbox)))
    }
}

impl GameHost for StoredHost {
    fn start(&self) -> Result<Box<dyn GameLink>, String> {
        let opened = self.opened.get_or_init(|| self.open());
        opened.as_ref().map_err(String::clone)?.start()
    }
}

/// The program of a game that is to enter an arena, opened.
pub(crate) struct NewGameProgram {
    program: Program,
    /// The id that it says.
    id: &'static str,
    /// The line with which it describes itself.
    description: String,
}

/// A game that was added to an arena.
#[derive(Clone, Debug)]
pub struct AddedGame {
    /// The game.
    pub game: StoredGame,
    /// Whether this version of it was not there before.
    pub new: bool,
}

impl NewGameProgram {
    /// Opens the program at this path.
    pub(crate) fn open(arena: &Path, path: &Path, processes: Processes) -> Result<Self> {
        let program = game_program(path)?;
        let sandbox = processes.sandbox(arena, MATCHES_AT_ONCE);
        let opened = open_game(&program, &sandbox);
        let opened = opened.map_err(|error| no_game(error).about(path.display()))?;
        let facts = opened.program().expect("its rules are a program");
        Ok(NewGameProgram {
            id: opened.info().id,
            description: facts.description.clone(),
            program,
        })
    }

    /// The version that it is in the arena in this folder, or that it becomes. It can be played as that already, though
    /// nothing has entered.
    pub(crate) fn foresee(&self, arena: &Path, processes: Processes) -> Result<GameVersion> {
        let there = Arena::open(arena);
        let there = there.and_then(|arena| arena.read_journal()?.game_versions(self.id));
        // Whether there is an arena and can be read, is found out when it enters.
        let versions = there.unwrap_or_default();
        let same = |game: &&StoredGame| game.sha256 == self.program.sha256();
        let known = versions.iter().rev().find(same).map(|game| game.version);
        let next = StoredGame::next_version(&versions);
        let version = GameVersion {
            name: self.id.to_owned(),
            version: known.unwrap_or(next),
        };
        let sandbox = processes.sandbox(arena, MATCHES_AT_ONCE);
        let game = as_version(&self.program, &self.description, &version, &sandbox)?;
        make_known(game).map_err(Failure::new)?;
        Ok(version)
    }

    /// Enters the arena.
    pub(crate) fn enter(&self, arena: &Arena) -> Result<AddedGame> {
        let kept = keep(arena, &self.program)?;
        let mut journal = arena.journal()?;
        let (game, new) = journal.add_game(self.id, &kept, &self.description, unix_ms())?;
        Ok(AddedGame { game, new })
    }
}

/// Checks the program of a game with a few matches, and adds it to the arena in this folder, which is made if it is not
/// there. A program that is there already stays the version that it is. `hear` is told of each step of the check.
///
/// # Errors
/// When there is no such program, it is no game, it does not pass, or the arena cannot be written.
pub fn add_game(
    arena: &Path,
    path: &Path,
    processes: Processes,
    hear: &mut dyn FnMut(&CheckedStep) -> Result<()>,
) -> Result<AddedGame> {
    let request = GameCheckRequest {
        game: path,
        steps: &[],
        matches: 1,
        seed: 0,
        processes,
        most: Some(MOST_CHECK_TIME),
    };
    let checked = check_game(arena, &request, hear)?;
    let mut failed = checked
        .steps
        .iter()
        .filter(|step| step.outcome.status == CheckStatus::Failed);
    if let Some(first) = failed.next() {
        let more = match failed.count() {
            0 => String::new(),
            more => format!(", and {} more", counted(more as u64, "step")),
        };
        let what = format!(
            "the game does not pass {}: {}{more}",
            first.name, first.outcome.found
        );
        let hint = format!("flipside game check {}", quoted(path));
        let failure = Failure::of(FailureKind::Unfit, what);
        return Err(failure.about(path.display()).hint(hint));
    }
    let program = NewGameProgram::open(arena, path, processes)?;
    if program.program.sha256() != checked.sha256 {
        let what = format!("{} changed while it was checked", path.display());
        let failure = Failure::of(FailureKind::Unfit, what);
        return Err(failure.hint("try again when nothing writes to it"));
    }
    program.enter(&Arena::create(arena)?)
}

/// Makes the game of an archive known, whose program was copied to `path` and is the one of this version there. Gives the
/// line with which it describes itself.
///
/// # Errors
/// When the program is no game, or another one of this version is known.
pub(crate) fn know_archived(
    arena: &Path,
    version: &GameVersion,
    path: &Path,
) -> Result<(Program, String)> {
    let program = game_program(path).map_err(|failure| failure.with_path(path, its_game()))?;
    let sandbox = Processes::default().sandbox_with(arena, None, MATCHES_AT_ONCE);
    let game = game_of_version(&program, version, &sandbox)?;
    let facts = game.program().expect("its rules are a program");
    let description = facts.description.clone();
    make_known_imported(game).map_err(|taken| {
        Failure::new(taken).hint("take the archive into another arena, with --arena DIR")
    })?;
    Ok((program, description))
}

/// Starts the program of a game that is this version in its arena.
///
/// # Errors
/// When the program is no game, or another one.
pub fn game_of_version(
    program: &Program,
    version: &GameVersion,
    sandbox: &Sandbox,
) -> Result<ProgramGame> {
    let opened = open_game(program, sandbox).map_err(no_game)?;
    if opened.info().id != version.name {
        let what = format!("its game is {}, and not {version}", opened.info().id);
        return Err(Failure::new(what));
    }
    let facts = opened.program().expect("its rules are a program");
    as_version(program, &facts.description, version, sandbox)
}

/// The game of a program that has described itself with this line, as this version in its arena. Nothing is started.
fn as_version(
    program: &Program,
    description: &str,
    version: &GameVersion,
    sandbox: &Sandbox,
) -> Result<ProgramGame> {
    let host = Box::new(game_host(program, sandbox));
    let version = Some(version.version);
    ProgramGame::described(description, version, host, program.sha256()).map_err(no_game)
}

fn its_game() -> &'static Path {
    Path::new("the program of its game")
}
