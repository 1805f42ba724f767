//! A tournament as it is asked for on the command line: the flags, which the library's keys declare, a file, or both.

use std::num::NonZeroUsize;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use flipside_tournament::spec::{Key, Run, SpecError};
use flipside_tournament::{Settings, TournamentSpec};
use serde_json::Value;

use crate::bots;
use crate::commands::games;
use crate::concurrency;
use crate::failure::{Failure, Result};
use crate::files::read_text;
use crate::output::note;

/// The longest file that describes a tournament, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The flags of a tournament.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags(TournamentSpec);

impl clap::Args for Flags {
    fn augment_args(command: Command) -> Command {
        command.args(flags().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Flags::augment_args(command)
    }
}

impl clap::FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Flags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for key in flags() {
            if let Some(value) = matches.get_one::<Value>(&key.name) {
                self.0.set(key, value.clone());
            }
        }
        Ok(())
    }
}

fn flags() -> impl Iterator<Item = &'static Key> {
    TournamentSpec::keys().iter().filter(|key| !key.positional)
}

fn flag(key: &'static Key) -> Arg {
    let line = key.help_line();
    let long = match &*key.more {
        "" => line.clone(),
        more => format!("{line}\n\n{more}"),
    };
    let arg = Arg::new(&*key.name)
        .long(&*key.name)
        .help_heading(key.heading.text())
        .hide_short_help(key.detail)
        .help(line)
        .long_help(long)
        .action(ArgAction::Set)
        .value_parser(|typed: &str| key.read(typed));
    if key.is_flag() {
        arg.num_args(0).default_missing_value("true")
    } else {
        arg.value_name(key.value_name)
    }
}

/// What is asked for, read and checked.
pub(crate) struct Request {
    pub(crate) spec: TournamentSpec,
    /// What is no setting, with the bots as they were typed.
    pub(crate) run: Run,
    /// The settings, but for the seed and the salt.
    pub(crate) settings: Settings,
}

impl Request {
    /// The tournament of a game between bots, or of the file that stands in the place of the game.
    pub(crate) fn of(flags: &Flags, game: &str, bots: &[String]) -> Result<Self> {
        let spec = if is_a_file(game) {
            with_file(flags, game, bots)?
        } else {
            if let Some(file) = bots
                .iter()
                .find(|bot| is_a_file(bot) && Path::new(bot).is_file())
            {
                let what = format!("{file} describes a tournament, and is no bot");
                return Err(Failure::usage(what).hint(format!("flipside tournament {file}")));
            }
            between(flags, game, bots)
        };
        let run = spec.run()?;
        let Some(id) = &run.game else {
            return Err(Failure::usage("no game is named").hint("game = \"flipfour\""));
        };
        let game = games::find(id)?;
        let asked = spec.get("seats").and_then(Value::as_u64);
        let seats = asked.map_or(game.info().least_seats(), |seats| seats as u8);
        let options = spec.get("options").and_then(Value::as_str).unwrap_or("{}");
        let of_game = Settings {
            game: id.clone(),
            options: games::set_up(game, options, seats)?.options,
            seats,
            ..Settings::default()
        };
        let settings = spec.settings(of_game, run.bots.len())?;
        Ok(Request {
            spec,
            run,
            settings,
        })
    }

    /// How many matches are to be played at once, and how.
    pub(crate) fn at_once(&self) -> concurrency::Asked {
        let matches = self.run.concurrency;
        concurrency::Asked {
            matches: matches.and_then(|number| NonZeroUsize::try_from(number).ok()),
            force: self.run.force_concurrency,
            affinity: self.run.use_affinity,
        }
    }

    /// The settings to play with: what may be left open is as `begun` has it, the game's options among it.
    ///
    /// An option of the game that was unknown to the version that began a tournament, and is not asked for, is as it was.
    pub(crate) fn resumed(&self, begun: &Settings) -> Result<Settings> {
        let settings = self.spec.resumed(self.settings.clone(), begun)?;
        if begun.game != settings.game {
            return Ok(settings);
        }
        let asked = self.spec.get("options").and_then(Value::as_str);
        let game = games::find(&begun.game)?;
        let options = game.as_begun(asked.unwrap_or("{}"), &begun.options);
        Ok(Settings {
            options: options.map_err(Failure::usage)?,
            ..settings
        })
    }
}

/// Whether a word is a file that describes a tournament.
fn is_a_file(typed: &str) -> bool {
    let ending = Path::new(typed).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

fn between(flags: &Flags, game: &str, bots: &[String]) -> TournamentSpec {
    let mut spec = flags.0.clone();
    for key in TournamentSpec::keys() {
        match &*key.name {
            "game" => spec.set(key, game.into()),
            "bots" => spec.set(key, bots.into()),
            _ => {}
        }
    }
    spec
}

/// The flags over a file; what they replace there is said.
fn with_file(flags: &Flags, file: &str, bots: &[String]) -> Result<TournamentSpec> {
    if !bots.is_empty() {
        let what = format!("{file} names the bots already");
        return Err(Failure::usage(what)
            .hint("write all of them into the file: bots = [\"mybot\", \"sample:greedy\"]"));
    }
    let of_file = read(Path::new(file))?;
    for key in flags.0.conflicts(&of_file) {
        let value = |spec: &TournamentSpec| {
            spec.get(&key.name)
                .map_or_else(String::new, |it| key.shown(it))
        };
        let typed = if key.is_flag() {
            String::new()
        } else {
            format!(" {}", value(&flags.0))
        };
        note!(
            "--{}{typed} replaces {} = {} of {file}",
            key.name,
            key.name,
            value(&of_file)
        );
    }
    Ok(flags.0.clone().or(of_file))
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
    let from_folder = |bot: &str| -> String {
        if !bots::is_surely_a_path(bot) || !Path::new(bot).is_relative() {
            return bot.into();
        }
        // A bare name would mean a bot of the arena.
        match folder.as_os_str().is_empty() && !bot.contains('/') {
            true => format!("./{bot}"),
            false => folder.join(bot).to_string_lossy().into_owned(),
        }
    };
    if let (Some(key), Some(Value::Array(bots))) = (TournamentSpec::key("bots"), spec.get("bots")) {
        let bots = bots.iter().filter_map(Value::as_str).map(from_folder);
        let bots: Vec<String> = bots.collect();
        spec.set(key, bots.into());
    }
    Ok(spec)
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        let hint = error.hint().map(String::from);
        Failure::usage(error).maybe_hint(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_a_flag_but_for_the_game_and_the_bots() {
        let command = <Flags as clap::Args>::augment_args(Command::new("flipside"));
        command.clone().debug_assert();
        let flags = command.get_arguments().filter_map(Arg::get_long);
        let keys = TournamentSpec::keys().iter().map(|key| &*key.name);
        let keys = keys.filter(|name| !["game", "bots"].contains(name));
        assert!(flags.eq(keys));
    }
}
