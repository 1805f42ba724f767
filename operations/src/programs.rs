//! The programs that play: bots that are built in, and the isolation in which processes and modules run.
//!
//! Built-in bots and the compiler of modules are this very program, started again with an argument. So are the probe of
//! the jail and, on machines that forbid to execute a small one in memory, its stage. A program that uses this crate
//! therefore begins with [`enter_if_asked`], and looks for [`SAMPLE`] if it knows such bots.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use flipside_games::{GAMES, find, without_version};
use flipside_protocol::Clock;
use flipside_referee::Player;
use flipside_sample_bots::{SAMPLES, Sample, Spec};
use flipside_sandbox::jail::{self, Group, seek_group};
use flipside_sandbox::{Compiler, Isolation, Jail, Program, Sandbox, SandboxSettings, Start};
use flipside_store::Arena;
use flipside_tournament::{SAMPLE_PREFIX, Settings as TournamentSettings, TournamentSpec};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::failure::{Failure, Result};

/// The first argument of the program that becomes a jail's stage or probe. A stage has no time to lose.
const STAGE: &str = "jail";

/// The first argument of the program that compiles one module.
const COMPILER: &str = "compile";

/// The first argument of the program that becomes a built-in bot, by [`flipside_sample_bots::run`]; the second is the
/// bot's name, with its parameters.
pub const SAMPLE: &str = "sample";

/// How processes run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Processes {
    /// Whether they run without isolation.
    pub trust: bool,
    /// Whether they may compute on the turns of others.
    pub ponder: bool,
}

impl Processes {
    /// How those of a tournament run.
    pub(crate) fn of(settings: &TournamentSettings) -> Self {
        let (trust, ponder) = (settings.trust, settings.ponder);
        Processes { trust, ponder }
    }

    /// How those of a tournament run that somebody asks for.
    pub(crate) fn asked(spec: &TournamentSpec) -> Self {
        let asks = |key| spec.get(key) == Some(&Value::Bool(true));
        Processes {
            trust: asks("trust"),
            ponder: asks("ponder"),
        }
    }

    /// Where the bots of so many matches at once run. They see nothing of the arena in this folder, whose cache of
    /// compiled modules they use if it is there.
    pub fn sandbox(self, arena: &Path, matches: usize) -> Sandbox {
        let cache = Arena::open(arena).ok().map(|arena| arena.cache());
        self.sandbox_with(arena, cache, matches)
    }

    /// The same with this cache, or none.
    pub fn sandbox_with(self, arena: &Path, cache: Option<PathBuf>, matches: usize) -> Sandbox {
        let settings = SandboxSettings::default();
        let seats = u32::try_from(matches * flipside_games::MAX_SEATS).unwrap_or(u32::MAX);
        Sandbox::new(SandboxSettings {
            cache,
            compiler: Some(Compiler::of_this_program([COMPILER])),
            instances: settings.instances.max(seats),
            isolation: if self.trust {
                Isolation::Trust
            } else {
                Isolation::Jail(jail_in_a_group().hiding(arena))
            },
            ponder: self.ponder,
            ..settings
        })
    }
}

/// The same jail, after the user's systemd was asked for a control group where that helps.
pub fn jail_in_a_group() -> Jail {
    let jail = jail();
    match seek_group(&jail.limits()) {
        Group::NotAsked => {}
        group => tracing::info!("{group}"),
    }
    jail
}

/// The jail of this program.
pub fn jail() -> Jail {
    Jail::of_this_program([STAGE])
}

/// If this program was started as a jail's stage, it becomes that, and in the end a bot; if it was started as the
/// compiler, it compiles a module. Then it is to end. Otherwise gives nothing.
///
/// `args` are the arguments without the program's name. There must be one thread.
///
/// # Errors
/// When a person has started it so, or the compiler fails.
pub fn enter_if_asked(mut args: impl Iterator<Item = OsString>) -> Option<Result<()>> {
    let first = args.next()?;
    if first == STAGE {
        let typed = || Failure::usage(format!("`{STAGE}` is how flipside starts a bot"));
        return Some((jail::enter(args) == 0).then_some(()).ok_or_else(typed));
    }
    (first == COMPILER).then(|| {
        Compiler::enter().map_err(|error| {
            Failure::usage(error)
                .hint("modules are compiled as they are needed; there is nothing to do")
        })
    })
}

/// Reads the name of a bot that is built in, with its parameters and without the prefix.
pub(crate) fn sample_spec(name: &str) -> Result<Spec> {
    name.parse::<Spec>().map_err(|error| {
        let mut names = SAMPLES.iter().map(|sample| sample.name);
        let hint = if names.any(|known| name.split(':').next() == Some(known)) {
            error.hint
        } else {
            let names = SAMPLES
                .iter()
                .map(|it| format!("{SAMPLE_PREFIX}{}", it.name));
            format!("there are {}", names.collect::<Vec<_>>().join(", "))
        };
        Failure::usage(error.message).hint(hint)
    })
}

/// Whether a built-in bot plays a game.
fn plays(sample: &Sample, game: &str) -> bool {
    match GAMES.iter().any(|known| known.info().id == game) {
        true => sample.plays(game),
        false => sample.plays_unknown(),
    }
}

/// The built-in bots that play a game, as they are named: `sample:greedy`.
pub fn samples_of(game: &str) -> Vec<String> {
    let playing = SAMPLES.iter().filter(|sample| plays(sample, game));
    playing
        .map(|sample| format!("{SAMPLE_PREFIX}{}", sample.name))
        .collect()
}

/// Whether what was typed is a built-in bot, which then plays the game of this id.
///
/// # Errors
/// When there is no such built-in bot, it has no such parameters, or does not play the game, in which it would forfeit
/// every match.
pub fn plays_as_sample(typed: &str, game: &str) -> Result<bool> {
    let Some(name) = typed.strip_prefix(SAMPLE_PREFIX) else {
        return Ok(false);
    };
    // The versions of a game program are one game for built-in bots.
    let id = without_version(game);
    if !plays(sample_spec(name)?.sample(), id) {
        let title = find(game).map_or(game, |game| game.info().title);
        let others = samples_of(id).join(", ");
        return Err(Failure::usage(format!("{typed} does not play {title}"))
            .hint(format!("built-in bots that do are {others}")));
    }
    Ok(true)
}

/// The built-in games that a built-in bot plays.
pub(crate) fn games_of_sample(spec: &Spec) -> impl Iterator<Item = &'static str> {
    let sample = spec.sample();
    let ids = GAMES.iter().map(|game| game.info().id);
    ids.filter(|id| sample.plays(id))
}

/// A bot that is built in: this very program, started as the bot. Its parameters are part of its identity.
pub(crate) fn sample(spec: &Spec) -> Result<Program> {
    let myself = std::env::current_exe()
        .map_err(|error| Failure::new(format!("cannot find this program's own file: {error}")))?;
    let name = spec.to_string();
    let identity = format!("{SAMPLE_PREFIX}{name} {}", flipside_sample_bots::VERSION);
    Ok(Program::built_in(&myself, [SAMPLE, &name], &identity)?)
}

/// Whether what was typed can only be a file: it has a slash, or the ending of a module.
pub(crate) fn is_surely_a_path(typed: &str) -> bool {
    typed.contains('/') || typed.ends_with(".wasm") || typed.ends_with(".wat")
}

/// Compiles what is to be compiled, before a match begins. `clock` is that of the players who have none of their own.
///
/// # Errors
/// When a module cannot be compiled or does not keep the rules.
pub fn prepare(sandbox: &Sandbox, players: &[Player], clock: Clock) -> Result<()> {
    for player in players {
        if let Some(program) = player.program() {
            let failed = |error| Failure::from(error).about(&player.name);
            let clock = player.settings().clock.unwrap_or(clock);
            sandbox.prepare(program, clock.unit).map_err(failed)?;
        }
    }
    Ok(())
}

/// Makes sure that a program can be started on this machine with such a clock, by starting it.
pub(crate) fn try_start(sandbox: &Sandbox, program: &Program, clock: Clock) -> Result<()> {
    sandbox.prepare(program, clock.unit)?;
    let start = Start {
        seed: 0,
        unit: clock.unit,
        label: "trial",
    };
    runtime()?.block_on(async { Ok(sandbox.start(program, &start).map(drop)?) })
}

/// The runtime of one thread that talks to bots.
pub(crate) fn runtime() -> Result<Runtime> {
    let built = Builder::new_current_thread().enable_all().build();
    built.map_err(|error| Failure::of_system(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sha256(name: &str) -> String {
        let spec = sample_spec(name).expect("a sample");
        sample(&spec).expect("built in").sha256().to_owned()
    }

    #[test]
    fn parameters_are_part_of_a_samples_identity() {
        let four = sha256("alphabeta:depth=4");
        assert_ne!(four, sha256("alphabeta"));
        assert_ne!(four, sha256("alphabeta:depth=5"));
        assert_eq!(
            sha256("alphabeta:nodes=9:depth=4"),
            sha256("alphabeta:depth=4:nodes=9")
        );
        assert_eq!(sha256("mcts:playouts=3000"), sha256("mcts"));
    }

    #[test]
    fn what_is_no_sample_says_what_there_is() {
        let failure = |name: &str| {
            let failure = sample_spec(name).expect_err("no sample");
            format!("{failure:?}")
        };
        let unknown = failure("deep");
        assert!(
            unknown.contains("there is no sample bot")
                && unknown.contains("there are sample:random, sample:greedy, sample:mcts"),
            "{unknown}"
        );
        let wrong = failure("alphabeta:depth=x");
        assert!(
            wrong.contains("a number from 1 to 100") && wrong.contains("alphabeta takes :depth=N"),
            "{wrong}"
        );
    }
}
