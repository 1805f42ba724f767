//! Settings of single bots of a tournament: handicaps, and what slow players such as language models need.

use std::collections::BTreeMap;

use flipside_referee::BotSettings;
use serde::{Deserialize, Serialize};

use crate::bot::Bot;
use crate::names::{BotRef, Name};

/// The settings of single bots, by `NAME`, which stands for all versions, or by `NAME@VERSION`, which comes first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    try_from = "BTreeMap<String, BotSettings>",
    into = "BTreeMap<String, BotSettings>"
)]
pub struct BotsSettings(BTreeMap<String, BotSettings>);

impl TryFrom<BTreeMap<String, BotSettings>> for BotsSettings {
    type Error = String;

    fn try_from(all: BTreeMap<String, BotSettings>) -> Result<Self, String> {
        for (bot, settings) in &all {
            bot.parse::<BotRef>().map_err(|error| error.to_string())?;
            let checked = settings.check();
            checked.map_err(|error| format!("{bot}: {error}"))?;
            if settings.is_empty() {
                return Err(format!(
                    "{bot}: set its clock, memory, options, network, env or at_once"
                ));
            }
        }
        Ok(BotsSettings(all))
    }
}

impl From<BotsSettings> for BTreeMap<String, BotSettings> {
    fn from(all: BotsSettings) -> Self {
        all.0
    }
}

impl BotsSettings {
    /// Returns the settings of a bot; empty ones if it has none of its own.
    pub fn of(&self, bot: &Bot) -> BotSettings {
        self.of_version(&bot.name, Some(bot.version))
    }

    /// Returns the settings of a bot of this name, and of this version if it is known.
    pub fn of_version(&self, name: &Name, version: Option<u32>) -> BotSettings {
        let of_version = version.and_then(|version| self.0.get(&format!("{name}@{version}")));
        let found = of_version.or_else(|| self.0.get(name.as_str()));
        found.cloned().unwrap_or_default()
    }

    /// Returns the same where a bot has another name; nothing if it has no settings here.
    pub fn renamed(&self, from: &Name, to: &Name) -> Option<Self> {
        let renamed = |bot: &String| match bot.split_once('@') {
            Some((name, version)) if name == from.as_str() => Some(format!("{to}@{version}")),
            None if bot == from.as_str() => Some(to.to_string()),
            _ => None,
        };
        if !self.0.keys().any(|bot| renamed(bot).is_some()) {
            return None;
        }
        let all = self.0.iter();
        let all = all.map(|(bot, own)| (renamed(bot).unwrap_or_else(|| bot.clone()), own.clone()));
        Some(BotsSettings(all.collect()))
    }

    /// Returns each bot as it was named, with its settings.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &BotSettings)> {
        self.0.iter().map(|(bot, settings)| (&**bot, settings))
    }

    /// Returns a bot that has settings here and is not among these, whose version may not be known.
    pub fn stray(&self, bots: &[(&Name, Option<u32>)]) -> Option<&str> {
        let plays = |wanted: &str| {
            let wanted: BotRef = wanted.parse().expect("it was parsed before");
            let is_it = |(name, version): &(&Name, Option<u32>)| {
                let same_version = [&None, version].contains(&&wanted.version);
                **name == wanted.name && (same_version || version.is_none())
            };
            bots.iter().any(is_it)
        };
        self.0.keys().map(|bot| &**bot).find(|bot| !plays(bot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<BotsSettings, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn a_version_comes_before_a_name() {
        let json = r#"{"yon":{"clock":"move=2s"},"yon@2":{"memory":"512M","options":{"depth":6},"network":true,"env":["KEY"]}}"#;
        let all = read(json).unwrap();
        assert_eq!(serde_json::to_string(&all).unwrap(), json);
        let yon: Name = "yon".parse().unwrap();
        let words = |version| all.of_version(&yon, version).in_words();
        assert_eq!(words(Some(1)), "clock move=2s");
        assert_eq!(
            words(Some(2)),
            r#"memory 512M, options {"depth":6}, network, env KEY"#
        );
        assert_eq!(words(None), "clock move=2s");
        let other: Name = "other".parse().unwrap();
        assert!(all.of_version(&other, Some(1)).is_empty());
    }

    #[test]
    fn a_bot_that_does_not_play_is_found() {
        let all = read(r#"{"yon@2":{"memory":"512M"}}"#).unwrap();
        let yon: Name = "yon".parse().unwrap();
        let other: Name = "other".parse().unwrap();
        for (name, version, stray) in [
            (&yon, Some(2), None),
            (&yon, None, None),
            (&yon, Some(1), Some("yon@2")),
            (&other, Some(2), Some("yon@2")),
        ] {
            assert_eq!(all.stray(&[(name, version)]), stray);
        }
    }

    #[test]
    fn values_have_ranges() {
        for (json, why) in [
            (r#"{"a b":{"memory":"512M"}}"#, "is not a name"),
            (
                r#"{"yon":{}}"#,
                "yon: set its clock, memory, options, network, env or at_once",
            ),
            (r#"{"yon":{"at_once":0}}"#, "from 1 to 1000, not 0"),
            (r#"{"yon":{"network":"on"}}"#, "a boolean"),
            (r#"{"yon":{"env":"KEY"}}"#, "a sequence"),
            (r#"{"yon":{"env":["KEY","KEY"]}}"#, "\"KEY\" is not one"),
            (r#"{"yon":{"env":["key"]}}"#, "\"key\" is not one"),
            (r#"{"yon":{"env":["2KEY"]}}"#, "\"2KEY\" is not one"),
            (r#"{"yon":{"env":["A=B"]}}"#, "is not one"),
            (r#"{"yon":{"env":[""]}}"#, "is not one"),
            (r#"{"yon":{"env":["PATH"]}}"#, "is not one"),
            (r#"{"yon":{"env":["LD_PRELOAD"]}}"#, "is not one"),
            (r#"{"yon":{"env":["PYTHONPATH"]}}"#, "is not one"),
            (
                r#"{"yon":{"env":["A","B","C","D","E","F","G","H","I","J","K","L","M","N","O","P","Q"]}}"#,
                "at most 16 names, not 17",
            ),
            (r#"{"yon":{"memory":"512K"}}"#, "from 1M to 1T, not 512K"),
            (r#"{"yon":{"memory":"2T"}}"#, "from 1M to 1T, not 2T"),
            (r#"{"yon":{"memory":512}}"#, "a string"),
            (r#"{"yon":{"clock":"soon"}}"#, "is not a clock"),
            (r#"{"yon":{"clocks":"move=1s"}}"#, "unknown field"),
            (r#"{"yon":{"options":[1]}}"#, "a map"),
            (
                &format!(r#"{{"yon":{{"options":{{"a":"{}"}}}}}}"#, "x".repeat(4096)),
                "at most 4096 bytes",
            ),
        ] {
            let told = read(json).unwrap_err();
            assert!(told.contains(why), "{json}: {told}");
        }
    }
}
