//! What one bot of a match has of its own.

use flipside_games::words::counted;
use flipside_protocol::{Clock, Size};
use flipside_sandbox::{OwnSettings, ProgramKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The longest options of a bot, in bytes of JSON.
pub const LONGEST_BOT_OPTIONS: usize = 4 * 1024;

/// The least and the most memory that a bot can be given.
pub const BOT_MEMORY: [Size; 2] = [Size::of(1 << 20), Size::of(1 << 40)];

/// The most variables of the environment that a bot can be given.
pub const MAX_BOT_VARIABLES: usize = 16;

/// The longest name of such a variable, in bytes.
pub const LONGEST_VARIABLE: usize = 64;

/// The most matches of a bot that can be limited to run at the same time.
pub const MAX_AT_ONCE: u32 = 1_000;

/// What the sandbox sets itself, or what changes how programs start.
const RESERVED: [&str; 10] = [
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "PWD",
    "SHELL",
    "IFS",
    "ENV",
    "BASH_ENV",
    "NODE_OPTIONS",
];

/// What the names of other such variables begin with.
const RESERVED_BEGINNINGS: [&str; 6] = ["LD_", "LC_", "PYTHON", "JAVA_", "RUBY", "PERL"];

/// Settings of a single bot. What is not set is as for all bots of the match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotSettings {
    /// The clock of its seats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// The memory that it may use, from 1M to 1T.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Size>,
    /// What `hello` tells it as `bot_options`. The referee does not read them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Map<String, Value>>,
    /// Whether it may use the network of the machine that it runs on. All else of its jail stays.
    #[serde(default, skip_serializing_if = "is_false")]
    pub network: bool,
    /// The names of variables of the director's environment that it has in its own, such as one with a key. Nobody keeps
    /// their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// How many of its matches may run at the same time in a tournament, from 1 to [`MAX_AT_ONCE`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_once: Option<u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Why settings of a bot are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BotSettingsError {
    /// The memory is out of its range.
    #[error("memory is from {least} to {most}, not {is}", least = BOT_MEMORY[0], most = BOT_MEMORY[1])]
    Memory {
        /// What was asked for.
        is: Size,
    },
    /// The options are too long.
    #[error("options have at most {LONGEST_BOT_OPTIONS} bytes of JSON, not {0}")]
    LongOptions(usize),
    /// The number of matches at once is out of its range.
    #[error("at_once is from 1 to {MAX_AT_ONCE}, not {0}")]
    AtOnce(u32),
    /// There are too many variables.
    #[error("env has at most {MAX_BOT_VARIABLES} names, not {0}")]
    ManyVariables(usize),
    /// A variable cannot be given to a bot.
    #[error(
        "env has names of variables in capitals, digits and _, each once, and none that changes how programs start; \
         {0:?} is not one"
    )]
    Variable(String),
}

impl BotSettings {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == BotSettings::default()
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// When a value is out of its range.
    pub fn check(&self) -> Result<(), BotSettingsError> {
        let [least, most] = BOT_MEMORY;
        if let Some(memory) = self.memory
            && !(least..=most).contains(&memory)
        {
            return Err(BotSettingsError::Memory { is: memory });
        }
        let length = self.options_json().map_or(0, |json| json.len());
        if length > LONGEST_BOT_OPTIONS {
            return Err(BotSettingsError::LongOptions(length));
        }
        if let Some(at_once) = self.at_once
            && !(1..=MAX_AT_ONCE).contains(&at_once)
        {
            return Err(BotSettingsError::AtOnce(at_once));
        }
        if self.env.len() > MAX_BOT_VARIABLES {
            return Err(BotSettingsError::ManyVariables(self.env.len()));
        }
        let is_wrong =
            |(at, name): &(usize, &String)| !is_variable(name) || self.env[..*at].contains(name);
        match self.env.iter().enumerate().find(is_wrong) {
            Some((_, name)) => Err(BotSettingsError::Variable(name.chars().take(80).collect())),
            None => Ok(()),
        }
    }

    /// What only a process has that the director starts itself, in words: nothing where a bot of this kind can have all
    /// that is set.
    pub fn unfit_for(&self, kind: ProgramKind) -> Option<&'static str> {
        match kind {
            ProgramKind::Process => None,
            ProgramKind::Module if self.network => Some("a module has no network"),
            ProgramKind::Module if !self.env.is_empty() => Some("a module has no environment"),
            ProgramKind::Module => None,
        }
    }

    /// The same without what only the director's machine gives a bot: for whoever takes settings from others.
    #[must_use]
    pub fn of_others(self) -> Self {
        BotSettings {
            network: false,
            env: Vec::new(),
            ..self
        }
    }

    /// Whether it has something that no worker on another machine gives it: the director's network and variables, or a
    /// number of matches at once.
    pub fn is_of_this_machine(&self) -> bool {
        self.network || !self.env.is_empty() || self.at_once.is_some()
    }

    /// The first of its variables that this process does not have.
    pub fn missing_variable(&self) -> Option<&str> {
        let is_missing = |name: &&String| std::env::var_os(name).is_none();
        self.env.iter().find(is_missing).map(String::as_str)
    }

    /// What the sandbox must know.
    pub fn of_program(&self) -> OwnSettings {
        OwnSettings {
            memory: self.memory.map(Size::bytes),
            network: self.network,
            variables: self.env.clone(),
        }
    }

    /// Returns the options as JSON.
    pub(crate) fn options_json(&self) -> Option<String> {
        let options = self.options.as_ref()?;
        Some(serde_json::to_string(options).expect("a map is JSON"))
    }

    /// Returns what is set, as people read it: `clock move=10s, memory 512M`.
    pub fn in_words(&self) -> String {
        let clock = self.clock.map(|clock| format!("clock {clock}"));
        let memory = self.memory.map(|memory| format!("memory {memory}"));
        let options = self.options_json().map(|json| format!("options {json}"));
        let network = self.network.then(|| "network".to_owned());
        let env = (!self.env.is_empty()).then(|| format!("env {}", self.env.join(" ")));
        let at_once = self
            .at_once
            .map(|most| format!("at most {} at once", counted(most, "match")));
        let all = [clock, memory, options, network, env, at_once];
        let all: Vec<String> = all.into_iter().flatten().collect();
        all.join(", ")
    }
}

/// Whether a bot can be given a variable of this name.
fn is_variable(name: &str) -> bool {
    let fits = |byte: u8| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_');
    let reserved = RESERVED.contains(&name)
        || RESERVED_BEGINNINGS
            .iter()
            .any(|beginning| name.starts_with(beginning));
    (1..=LONGEST_VARIABLE).contains(&name.len())
        && name.bytes().all(fits)
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && !reserved
}
