//! What a program says of its game, checked.

use std::collections::BTreeMap;

use flipside_protocol::game::{GAME_VERSION, GameDescription};
use serde_json::value::RawValue;

use super::limits::{
    LONGEST_RULES, LONGEST_SCHEMA, LONGEST_SUMMARY, LONGEST_TITLE, LONGEST_VIEW, MAX_PRESETS,
    check_line, check_object, check_word,
};
use super::options::ProgramOptions;
use crate::game::Info;
use crate::seats::MAX_SEATS;
#[cfg(feature = "schema")]
use crate::table::Schemas;

/// Why a program is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameProgramError {
    /// It did not say what game it is.
    #[error("the program does not describe its game: {0}")]
    Mute(String),
    /// It speaks another version of the protocol.
    #[error(
        "the program speaks version {found} of the protocol of games, and this flipside speaks version {GAME_VERSION}"
    )]
    OtherVersion {
        /// The version that it speaks.
        found: u32,
    },
    /// What it says of its game is wrong.
    #[error("the description of the game is wrong: {0}")]
    Wrong(String),
}

/// What a game program is, checked. What others hold on to lives as long as the process.
pub(super) struct Description {
    pub(super) info: &'static Info,
    pub(super) notation: &'static str,
    /// Whether a state lists the legal actions.
    pub(super) lists: bool,
    pub(super) options: ProgramOptions,
    /// Complete.
    pub(super) brief: String,
    /// The default and the presets, complete.
    pub(super) presets: Vec<(&'static str, String)>,
    pub(super) rules: String,
    #[cfg(feature = "schema")]
    view: Box<RawValue>,
}

impl Description {
    /// Checks what a program says. A game of an arena has a version there, which follows its id.
    pub(super) fn check(
        said: GameDescription,
        version: Option<u32>,
    ) -> Result<Self, GameProgramError> {
        if said.protocol != GAME_VERSION {
            let found = said.protocol;
            return Err(GameProgramError::OtherVersion { found });
        }
        Description::of(said, version).map_err(GameProgramError::Wrong)
    }

    fn of(said: GameDescription, version: Option<u32>) -> Result<Self, String> {
        check_word("id", &said.id)?;
        if crate::list::is_built_in(&said.id) {
            return Err(format!("the id {:?} is that of a built-in game", said.id));
        }
        check_line("title", &said.title, LONGEST_TITLE)?;
        check_line("summary", &said.summary, LONGEST_SUMMARY)?;
        let within = |&seats: &u8| (1..=MAX_SEATS).contains(&seats.into());
        let ascend = said.seats.is_sorted_by(|one, next| one < next);
        if said.seats.is_empty() || !ascend || !said.seats.iter().all(within) {
            return Err(format!(
                "seats are {:?}, not ascending numbers from 1 to {MAX_SEATS}",
                said.seats
            ));
        }
        if said.notation.is_empty() || said.notation.len() > LONGEST_SCHEMA {
            return Err(format!(
                "the notation is not a regular expression of at most {LONGEST_SCHEMA} bytes"
            ));
        }
        if said.rules.len() > LONGEST_RULES {
            return Err(format!("the rules are over {LONGEST_RULES} bytes long"));
        }
        check_object("the schema of the options", &said.options, LONGEST_SCHEMA)?;
        check_object("the schema of the view", &said.view, LONGEST_SCHEMA)?;
        let options = ProgramOptions::of(said.options)?;
        let complete = |name: &str, json: &RawValue| {
            check_object(name, json, LONGEST_VIEW)?;
            let completed = options.complete(json.get());
            completed.map_err(|error| format!("{name} do not fit its options: {error}"))
        };
        let brief = complete("the brief options", &said.brief)?;
        let presets = presets(&said.presets, complete)?;
        let info = Info {
            id: kept(match version {
                None => said.id,
                Some(version) => format!("{}@{version}", said.id),
            }),
            title: kept(said.title),
            summary: kept(said.summary),
            seats: Vec::leak(said.seats),
            chance: said.chance,
            secrets: said.secrets,
            simultaneous: said.simultaneous,
        };
        Ok(Description {
            info: Box::leak(Box::new(info)),
            notation: kept(said.notation),
            lists: said.lists,
            options,
            brief,
            presets,
            rules: said.rules,
            #[cfg(feature = "schema")]
            view: said.view,
        })
    }

    #[cfg(feature = "schema")]
    pub(super) fn schemas(&self) -> Schemas {
        let schema = |json: &RawValue| {
            let value: serde_json::Value = serde_json::from_str(json.get()).unwrap_or_default();
            schemars::Schema::try_from(value).unwrap_or_default()
        };
        Schemas {
            options: schema(&self.options.schema),
            action: schemars::json_schema!({
                "type": "string", "pattern": format!("^(?:{})$", self.notation)
            }),
            view: schema(&self.view),
        }
    }
}

/// The default and the presets, complete.
fn presets(
    said: &BTreeMap<String, Box<RawValue>>,
    complete: impl Fn(&str, &RawValue) -> Result<String, String>,
) -> Result<Vec<(&'static str, String)>, String> {
    if said.len() > MAX_PRESETS {
        return Err(format!("there are more than {MAX_PRESETS} presets"));
    }
    let none = RawValue::from_string("{}".into()).expect("it is JSON");
    let mut presets = vec![("default", complete("the default options", &none)?)];
    for (name, json) in said {
        check_word("name of a preset", name)?;
        if name == "default" {
            return Err("a preset is called default, which is the name of the default".into());
        }
        let completed = complete(&format!("the options of the preset {name}"), json)?;
        presets.push((kept(name.clone()), completed));
    }
    Ok(presets)
}

/// The same text, for as long as the process runs.
fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
