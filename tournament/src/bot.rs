//! A bot of an arena.

use flipside_games::without_version;
use flipside_sandbox::{Program, ProgramKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bot_file::BotFile;
use crate::moment::{serialize_utc, serialize_utc_option};
use crate::names::{BotRef, Name};

/// A bot that was submitted: one version of it.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Bot {
    /// Which, in this journal.
    pub id: BotId,
    /// Its name.
    #[schemars(with = "String")]
    pub name: Name,
    /// Its version, counted from 1 by name.
    pub version: u32,
    /// How it runs.
    #[schemars(with = "String")]
    pub kind: ProgramKind,
    /// The SHA-256 of its file, hexadecimal.
    pub sha256: String,
    /// Its size in bytes; of a bundle, that of all its files together.
    pub size: u64,
    /// Where its program lies: the name of its file in the arena, or `sample:NAME`; none where only its results are
    /// here.
    pub file: Option<BotFile>,
    /// When it was submitted, in milliseconds since 1970; in JSON, RFC 3339.
    #[serde(serialize_with = "serialize_utc")]
    #[schemars(with = "String")]
    pub submitted_at: u64,
    /// The games in which it has passed its check, by their ids without versions.
    pub games: Vec<String>,
    /// The names that it had before: records of its matches have them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub former_names: Vec<Name>,
    /// When its file was deleted, in milliseconds since 1970; in JSON, RFC 3339.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "serialize_utc_option"
    )]
    #[schemars(with = "Option<String>")]
    pub deleted_at: Option<u64>,
}

impl Bot {
    /// The name with the version, as tables and records show it: `greedy@2`.
    pub fn label(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// Whether it has this label, or had it when its matches were played.
    pub fn has_had_label(&self, label: &str) -> bool {
        let mut names = [&self.name].into_iter().chain(&self.former_names);
        names.any(|name| format!("{name}@{}", self.version) == label)
    }

    /// Whether it has passed its check in a game. Bots are not told the version of a game, and are checked for none.
    pub fn plays(&self, game: &str) -> bool {
        let game = without_version(game);
        self.games.iter().any(|id| id == game)
    }

    /// Its program where its file is not to be had: by what is known of it. It cannot be started.
    pub fn absent(&self) -> Program {
        Program::absent(self.name.as_str(), self.kind, &self.sha256, self.size)
    }

    /// Whether its file is in the arena. That of a bot whose results came in an archive, or that was deleted, is not,
    /// until somebody submits it.
    pub fn is_here(&self) -> bool {
        self.file.is_some()
    }
}

/// Which bot, in this journal.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct BotId(i64);

impl BotId {
    /// The bot of this number in its journal.
    pub fn of_number(number: i64) -> Self {
        BotId(number)
    }

    /// The number.
    pub fn number(self) -> i64 {
        self.0
    }
}

impl BotRef {
    /// Whether a bot is one of those that it can mean: without a version, any of its name.
    pub fn fits(&self, bot: &Bot) -> bool {
        self.name == bot.name && self.version.is_none_or(|version| version == bot.version)
    }
}
