//! What one bot of a match has of its own.

use flipside_protocol::{Clock, Size};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The longest options of a bot, in bytes of JSON.
pub const LONGEST_BOT_OPTIONS: usize = 4 * 1024;

/// The least and the most memory that a bot can be given.
pub const BOT_MEMORY: [Size; 2] = [Size::of(1 << 20), Size::of(1 << 40)];

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
        match self.options_json().map_or(0, |json| json.len()) {
            0..=LONGEST_BOT_OPTIONS => Ok(()),
            length => Err(BotSettingsError::LongOptions(length)),
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
        let all: Vec<String> = [clock, memory, options].into_iter().flatten().collect();
        all.join(", ")
    }
}
