//! A tournament as somebody describes it: a map from keys to values, whether they come from flags, a file or a form.
//!
//! `described!` declares a type and its keys together. Flags, files, help, defaults and differences all
//! follow from this one declaration.

pub(super) mod described;
mod file;
pub(super) mod key;

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use serde_json::Value;

pub use described::SettingsError;
pub use file::SpecFileError;
pub use key::{Heading, SpecKey};

use self::described::{DescribedSettings, Values, described};
use crate::formats::Format;
use crate::formats::rules::Rounds;
use crate::limits::MAX_ENTRANTS;
use crate::names::Name;
use crate::schedule::ScheduleError;
use crate::seed::WholeSeed;
use crate::settings::Settings;

/// The most matches that are played at once.
pub const MAX_CONCURRENCY: u32 = 256;

described! {
    /// What describes a tournament beside its settings.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RunOptions {
        /// The game.
        game: Option<String> = None
            => SpecKey::text::<String>(Heading::Format, "GAME").positional().such_as("flipfour");
        /// The bots.
        bots: Vec<String> = Vec::new()
            => SpecKey::texts(Heading::Format, "BOT").positional().such_as(r#"["./mine", "sample:random"]"#);
        /// Name the tournament
        ///
        /// The default follows from the game, the bots and the settings, so the same command resumes its
        /// tournament. Another name begins a new tournament.
        name: Option<Name> = None => SpecKey::text::<Name>(Heading::Where, "NAME").such_as("summer");
        /// Refuse whatever makes a match depend on the machine
        ///
        /// All bots must be WebAssembly modules, and all clocks must count fuel. Then the results and records are the
        /// same on every machine and at any concurrency. To play the same matches elsewhere, pass the same bots,
        /// settings and whole seed.
        deterministic: bool = false => SpecKey::flag(Heading::Clock).detail();
        /// Play N matches at once
        ///
        /// The default is as many as there are cores for: no more bots think at once than there are cores.
        concurrency: Option<NonZeroU32> = None
            => SpecKey::whole(Heading::Where, 1, MAX_CONCURRENCY.into()).usually("by cores").such_as("2");
        /// Play more matches at once than there are cores for
        ///
        /// Bots then wait for each other, and their clocks make up for only part of it.
        force_concurrency: bool = false => SpecKey::flag(Heading::Where).detail();
        /// Pin each running match to cores of its own, or fail
        ///
        /// By default, Flipside pins matches if there are enough cores, and does not pin bots that have several
        /// threads. This flag pins all bots from their start.
        use_affinity: bool = false => SpecKey::flag(Heading::Where).hidden();
        /// Pin no match to cores
        no_affinity: bool = false => SpecKey::flag(Heading::Where).hidden();
    }
}

/// What somebody asked for, by key. Keys that are not there take their defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TournamentSpec {
    values: Values,
}

/// All keys, in the order of the help.
static KEYS: LazyLock<Vec<SpecKey>> = LazyLock::new(|| {
    let mut keys: Vec<SpecKey> = Settings::keys();
    let at = 1 + keys
        .iter()
        .position(|key| key.name == "rounds")
        .expect("it is declared");
    keys.splice(at..at, parameters());
    keys.extend(RunOptions::keys());
    // The format first, and what few ask for last.
    keys.sort_by_key(|key| (key.heading, key.name != "format", key.name == "options"));
    keys
});

/// The keys of all formats. Formats that share a key share its declaration, but for the default.
fn parameters() -> Vec<SpecKey> {
    let mut keys: Vec<SpecKey> = Vec::new();
    for (format, of_format) in Format::keys() {
        for mut key in of_format {
            key.formats.push((format, key.default.take()));
            match keys.iter_mut().find(|known| known.name == key.name) {
                Some(known) => known.formats.append(&mut key.formats),
                None => keys.push(key),
            }
        }
    }
    keys
}

impl TournamentSpec {
    /// All keys, in the order of the help.
    pub fn keys() -> &'static [SpecKey] {
        &KEYS
    }

    /// The key of this name.
    pub fn key(name: &str) -> Option<&'static SpecKey> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// Asks for a value; a later one replaces an earlier one.
    pub fn set(&mut self, key: &'static SpecKey, value: Value) {
        self.values.insert(&key.name, value);
    }

    /// Asks for a value by the name of its key.
    ///
    /// # Panics
    /// When there is no such key.
    pub fn put(&mut self, name: &str, value: impl Into<Value>) {
        let key = TournamentSpec::key(name).expect("it is declared");
        self.set(key, value.into());
    }

    /// The value that is asked for.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// This, with what it leaves open taken from another.
    pub fn or(self, mut other: TournamentSpec) -> Self {
        other.values.extend(self.values);
        other
    }

    /// The keys that both ask for with different values.
    pub fn conflicts<'a>(
        &'a self,
        other: &'a TournamentSpec,
    ) -> impl Iterator<Item = &'static SpecKey> {
        let differs = |key: &&SpecKey| match (self.get(&key.name), other.get(&key.name)) {
            (Some(own), Some(theirs)) => own != theirs,
            _ => false,
        };
        KEYS.iter().filter(differs)
    }

    /// What describes a tournament beside its settings.
    ///
    /// # Errors
    /// When a value does not fit.
    pub fn run(&self) -> Result<RunOptions, SettingsError> {
        RunOptions::default().with(&self.values)
    }

    /// The settings of a tournament of so many bots, but for its seed and its seeds. `game` has the id, the
    /// whole options and the number of seats. When to pause a bot is as it is asked for: the name that a tournament gets
    /// by itself follows from this.
    ///
    /// # Errors
    /// When the values do not fit each other, the game or the number of bots.
    pub fn settings(&self, game: Settings, bots: usize) -> Result<Settings, SettingsError> {
        if bots < 2 {
            let only = if bots == 0 { "none" } else { "only one" };
            let what = format!("a tournament needs at least two bots, and {only} is named");
            return Err(SettingsError::new(what).hint_at(
                "add another, for example sample:random; `flipside bots` lists the arena's",
            ));
        }
        if bots > MAX_ENTRANTS {
            let what = format!("a tournament has at most {MAX_ENTRANTS} bots, not {bots}");
            return Err(SettingsError::new(what));
        }
        let format = self.format()?;
        let rounds = self.get("rounds");
        if let (Some(_), Rounds::Own) = (rounds, format.rounds()) {
            let format = format.rules().in_words();
            return Err(ScheduleError::NoRounds { format }.into());
        }
        let mut values = self.values.clone();
        let later = |key: &SpecKey| key.unlike_its_field || (key.stays && !key.in_default_name);
        values.retain(|name, _| !TournamentSpec::key(name).is_some_and(later));
        let mut settings = Settings {
            format,
            ..game.with(&values)?
        };
        if rounds.is_none() {
            settings.rounds = match format.rounds() {
                Rounds::Own => 1,
                Rounds::Asked(usual) | Rounds::Blocks(usual) => {
                    usual(bots, settings.seating()?.bots())
                }
            };
        }
        settings.director(bots)?;
        Ok(settings)
    }

    /// The format, with what is asked of it.
    fn format(&self) -> Result<Format, SettingsError> {
        let name = self.get("format").and_then(Value::as_str);
        let format = name.map(str::parse::<Format>).transpose();
        let format = format.map_err(|error| SettingsError::new(error.to_string()))?;
        let format = format.unwrap_or_default();
        let own: HashSet<String> = format.own_keys().into_iter().map(|key| key.name).collect();
        let foreign = |key: &&SpecKey| {
            !key.formats.is_empty() && self.get(&key.name).is_some() && !own.contains(&key.name)
        };
        match KEYS.iter().find(foreign) {
            None => format.with(&self.values),
            Some(key) => {
                let all: Vec<&str> = key.formats.iter().map(|(format, _)| *format).collect();
                let (key, of, first) = (&key.name, all.join(" or "), all[0]);
                let this = format.rules().in_words();
                let what = format!("{key} is for {of}, and this is a {this}");
                Err(SettingsError::new(what)
                    .hint_at(format!("leave {key} out, or ask for --format {first}")))
            }
        }
    }

    /// The settings to play with: what is asked for, and what may be left open as it was when the tournament began.
    /// For a new tournament that is what `begun` has.
    ///
    /// # Errors
    /// When a value does not fit.
    pub fn resumed(&self, settings: Settings, begun: &Settings) -> Result<Settings, SettingsError> {
        let mut values = self.values.clone();
        values.retain(|name, _| TournamentSpec::key(name).is_some_and(|key| key.stays));
        for (name, value) in begun.values() {
            let key = TournamentSpec::key(&name).filter(|key| key.stays);
            if let Some(key) = key {
                values.entry(&key.name).or_insert(value);
            }
        }
        // A number alone leaves the salt as it is.
        let mut salt = begun.salt;
        if let Some(whole) = self.whole_seed() {
            values.insert("seed", whole.number.into());
            salt = whole.salt;
        }
        Ok(Settings {
            salt,
            ..settings.with(&values)?
        })
    }

    /// The whole seed that is asked for.
    pub fn whole_seed(&self) -> Option<WholeSeed> {
        self.get("seed")?.as_str()?.parse().ok()
    }

    /// The number of the seed that is asked for.
    pub fn seed_number(&self) -> Option<u64> {
        let number = self.get("seed").and_then(Value::as_u64);
        number.or_else(|| Some(self.whole_seed()?.number))
    }
}

#[cfg(test)]
mod tests;
