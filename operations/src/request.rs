//! A tournament as somebody asks for it: by keys, by a file, or both.

use std::path::Path;

use flipside_games::without_version;
use flipside_sandbox::shell::quoted;
use flipside_store::{Journal, seeds};
use flipside_tournament::spec::RunOptions;
use flipside_tournament::{Bot, Name, Seeding, Settings, Tournament, TournamentSpec};
use serde_json::Value;

use crate::arena_games::{NewGameProgram, is_path_of_game, use_games};
use crate::failure::{Failure, Result};
use crate::files::read_text;
use crate::games::{find_game, set_up};
use crate::programs::{Processes, is_surely_a_path};
use crate::{NoteSink, seed};

/// The longest file that describes a tournament, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// What is asked for, read and checked.
pub struct Request {
    pub(crate) spec: TournamentSpec,
    /// What is no setting, with the bots as they were typed.
    pub(crate) run: RunOptions,
    /// The settings, but for the seed.
    pub(crate) settings: Settings,
    /// Whether a bot may be a file of this machine.
    pub(crate) files: bool,
    /// The program of the game, where it is named by its path.
    pub(crate) game: Option<NewGameProgram>,
}

/// What only a user of this machine may ask for.
const OF_USERS: [&str; 5] = [
    "trust",
    "concurrency",
    "force-concurrency",
    "use-affinity",
    "no-affinity",
];

impl Request {
    /// The tournament that a description asks for, whose author may be no user of this machine. It is between bots of
    /// the arena and built-in bots: no word is a path. All processes run isolated, as many at once as there are cores.
    ///
    /// # Errors
    /// When a value, the game or the number of bots does not fit, or a key is not for such an author.
    pub fn for_others(spec: &TournamentSpec) -> Result<Self> {
        Request::for_organisers(spec, false)
    }

    /// The same of an organiser of a server, which may let single bots use its network.
    ///
    /// # Errors
    /// As [`Request::for_others`].
    pub fn for_organisers(spec: &TournamentSpec, network: bool) -> Result<Self> {
        if let Some(key) = OF_USERS.iter().find(|key| spec.get(key).is_some()) {
            let what = format!("{key} is for users of this machine");
            return Err(Failure::usage(what).hint(format!(
                "leave {key} out, or start the tournament with the command"
            )));
        }
        let request = Request {
            files: false,
            ..Request::read(spec.clone())?
        };
        for (bot, own) in request.settings.bot.iter() {
            if !own.env.is_empty() {
                let what = format!("[bot.{bot}] env is for users of this machine");
                return Err(Failure::usage(what)
                    .hint("leave env out, or start the tournament with the command"));
            }
            if own.network && !network {
                let what =
                    format!("this server gives no bot a network, and [bot.{bot}] asks for it");
                return Err(Failure::usage(what).hint(
                    "leave network out, or ask whoever runs the server to allow it (serve --bot-network)",
                ));
            }
        }
        Ok(request)
    }

    /// The tournament of a game between bots, or of the file in TOML that stands in the place of the game. What is
    /// asked for beside it is in `flags`. A note says which of these replaces a key of the file. The game may be the path
    /// of its program, which enters the arena in the folder `arena` when the tournament begins.
    ///
    /// # Errors
    /// When a value, the game, the file or the number of bots does not fit.
    pub fn of(
        arena: &Path,
        flags: &TournamentSpec,
        game: &str,
        bots: &[String],
        note: NoteSink<'_>,
    ) -> Result<Self> {
        let mut spec = if is_a_file(game) {
            with_file(flags, game, bots, note)?
        } else {
            let describes = |bot: &&String| is_a_file(bot) && Path::new(bot).is_file();
            if let Some(file) = bots.iter().find(describes) {
                let what = format!("{file} describes a tournament, and is no bot");
                return Err(
                    Failure::usage(what).hint(format!("flipside tournament {}", quoted(file)))
                );
            }
            between(flags, game, bots)
        };
        let processes = Processes::asked(&spec);
        if processes.trust {
            use_games(arena, processes);
        }
        let mut game = None;
        if let Some(path) = spec.get("game").and_then(Value::as_str)
            && is_path_of_game(path)
        {
            let program = NewGameProgram::open(arena, Path::new(path), processes)?;
            spec.put("game", &*program.foresee(arena, processes)?.to_string());
            game = Some(program);
        }
        Ok(Request {
            game,
            ..Request::read(spec)?
        })
    }

    /// The name that was asked for.
    pub fn name(&self) -> Option<&Name> {
        self.run.name.as_ref()
    }

    /// How many matches there will be, at most.
    ///
    /// # Errors
    /// When the settings do not fit the number of bots.
    pub fn matches(&self) -> Result<u64> {
        let director = self.settings.director(self.run.bots.len());
        Ok(director.map_err(Failure::usage)?.total().most())
    }

    fn read(mut spec: TournamentSpec) -> Result<Self> {
        let run = spec.run()?;
        let Some(id) = &run.game else {
            return Err(Failure::usage("no game is named").hint("game = \"flipfour\""));
        };
        let game = find_game(id)?;
        // A tournament is of one version of its game.
        spec.put("game", game.info().id);
        let asked = spec.get("seats").and_then(Value::as_u64);
        let seats = asked.map_or(game.info().least_seats(), |seats| seats as u8);
        let options = spec.get("options").and_then(Value::as_str).unwrap_or("{}");
        let of_game = Settings {
            game: game.info().id.to_owned(),
            options: set_up(game, options, seats)?.options,
            seats,
            ..Settings::default()
        };
        let settings = spec.settings(of_game, run.bots.len())?;
        Ok(Request {
            spec,
            run,
            settings,
            files: true,
            game: None,
        })
    }

    /// The settings of a tournament that goes on.
    pub(crate) fn resumed(&self, known: &Tournament) -> Result<Settings> {
        let seeds = known.settings.seeds.clone();
        Ok(Settings {
            seeds,
            ..self.spec.resumed(self.settings.clone(), &known.settings)?
        })
    }

    /// The settings of a new tournament between bots of these labels.
    pub(crate) fn begun(
        &self,
        journal: &Journal,
        labels: &[String],
        note: NoteSink<'_>,
    ) -> Result<Settings> {
        let usual = Settings {
            seed: rand::random(),
            salt: seed::draw_salt()?,
            ..Settings::default()
        };
        let settings = self.spec.resumed(self.settings.clone(), &usual)?;
        let settings = seeded(journal, settings, labels)?;
        if self.spec.whole_seed().is_some() {
            note(seed::WHOLE_SEED_PASSED);
        }
        Ok(settings)
    }
}

/// The settings with the seeds of the bots, where these come from ratings: a bot that has none has an empty label.
pub(crate) fn seeded(journal: &Journal, settings: Settings, labels: &[String]) -> Result<Settings> {
    let seeds = match settings.format.seeding() {
        Some(Seeding::Ratings) => seeds(journal, &settings.game, labels)?,
        _ => Vec::new(),
    };
    Ok(Settings { seeds, ..settings })
}

/// A name that the same request gives again between the same versions of the bots, so that it resumes.
pub(crate) fn default_name(settings: &Settings, bots: &[Bot]) -> Result<Name> {
    let fingerprint = settings.fingerprint(bots);
    format!("{}-{}", without_version(&settings.game), &fingerprint[..8])
        .parse()
        .map_err(Failure::new)
}

/// Whether a word is a file that describes a tournament.
fn is_a_file(typed: &str) -> bool {
    let ending = Path::new(typed).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

fn between(flags: &TournamentSpec, game: &str, bots: &[String]) -> TournamentSpec {
    let mut spec = flags.clone();
    spec.put("game", game);
    spec.put("bots", bots);
    spec
}

/// The flags over a file; what they replace there is said.
fn with_file(
    flags: &TournamentSpec,
    file: &str,
    bots: &[String],
    note: NoteSink<'_>,
) -> Result<TournamentSpec> {
    if !bots.is_empty() {
        let what = format!("{file} names the bots already");
        return Err(Failure::usage(what)
            .hint("write all of them into the file: bots = [\"mybot\", \"sample:greedy\"]"));
    }
    let of_file = read(Path::new(file))?;
    for key in flags.conflicts(&of_file) {
        let value = |spec: &TournamentSpec| {
            spec.get(&key.name)
                .map_or_else(String::new, |it| key.shown(it))
        };
        let typed = if key.is_flag() {
            String::new()
        } else {
            format!(" {}", value(flags))
        };
        note(&format!(
            "--{}{typed} replaces {} = {} of {file}",
            key.name,
            key.name,
            value(&of_file)
        ));
    }
    Ok(flags.clone().or(of_file))
}

/// Reads a file. Paths of bots in it begin at its folder.
fn read(path: &Path) -> Result<TournamentSpec> {
    let text = read_text(path, MAX_FILE).map_err(|failure| {
        failure.hint(
            "what ends in .toml is a file that describes the tournament; the path begins where you are",
        )
    })?;
    let mut spec = TournamentSpec::from_toml(&text).map_err(|error| {
        Failure::usage(format!("{}, {error}", path.display())).maybe_hint(error.hint)
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    if let Some(Value::String(game)) = spec.get("game")
        && is_path_of_game(game)
        && Path::new(game).is_relative()
    {
        let path = Path::new(".").join(folder).join(game);
        spec.put("game", &*path.to_string_lossy().into_owned());
    }
    let from_folder = |bot: &str| -> String {
        if !is_surely_a_path(bot) || !Path::new(bot).is_relative() {
            return bot.into();
        }
        // A bare name would mean a bot of the arena.
        if folder.as_os_str().is_empty() && !bot.contains('/') {
            format!("./{bot}")
        } else {
            folder.join(bot).to_string_lossy().into_owned()
        }
    };
    if let (Some(key), Some(Value::Array(bots))) = (TournamentSpec::key("bots"), spec.get("bots")) {
        let bots = bots.iter().filter_map(Value::as_str).map(from_folder);
        let bots: Vec<String> = bots.collect();
        spec.set(key, bots.into());
    }
    Ok(spec)
}
