//! A key: its name, what it takes, its default and its help.

use std::fmt::Display;
use std::str::FromStr;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use flipside_games::words::joined;

use crate::seed::{WholeSeed, WholeSeedError};

/// Where the help lists a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heading {
    /// Who plays whom, at what.
    Format,
    /// Time, chance and what becomes of failing bots.
    Clock,
    /// The name, the arena and the computer.
    Where,
    /// What is shown.
    Output,
}

impl Heading {
    /// The heading as the help has it.
    pub fn text(self) -> &'static str {
        match self {
            Heading::Format => "Format",
            Heading::Clock => "Clock and fairness",
            Heading::Where => "Where and how",
            Heading::Output => "Output",
        }
    }
}

/// A key of a tournament: a flag of the command, and a key of a file.
#[derive(Clone, Debug)]
pub struct SpecKey {
    /// The name, as it is typed: `opening-plies`.
    pub name: String,
    /// Where the help lists it.
    pub heading: Heading,
    /// What stands for the value in the help; empty for a flag without a value.
    pub value_name: &'static str,
    /// What it does, in one line.
    pub help: String,
    /// What else there is to know of it.
    pub more: String,
    /// The default, if it has one.
    pub default: Option<String>,
    /// The formats that it is a parameter of, each with its default; none for a key of every tournament.
    pub formats: Vec<(&'static str, Option<String>)>,
    /// The words that it takes, where there are only these.
    pub choices: &'static [&'static str],
    /// Whether only the long help has it.
    pub detail: bool,
    /// Whether no help has it, only its page.
    pub hidden: bool,
    /// Whether it is typed without a name on the command line.
    pub positional: bool,
    /// Whether a tournament that resumes keeps its value where none is asked for.
    pub(crate) stays: bool,
    /// Whether the name that a tournament gets by itself follows from its value, although it stays.
    pub(crate) in_default_name: bool,
    /// Whether a tournament that resumes may change its value.
    pub(crate) may_change: bool,
    /// Whether its value is not that of its field.
    pub(crate) unlike_its_field: bool,
    takes: Takes,
    example: Option<&'static str>,
}

/// What a key takes.
#[derive(Clone, Copy, Debug)]
enum Takes {
    /// A whole number from the one to the other.
    Whole(u64, u64),
    /// A number, perhaps with a fraction.
    Number,
    /// A whole number, or the text of a whole seed.
    Seed,
    /// `true` or `false`; on the command line nothing.
    Flag,
    /// `on` or `off`.
    Switch,
    /// A text that can be read so.
    Text(fn(&str) -> Result<(), String>),
    /// Texts.
    Texts,
    /// An object: a table in a file, JSON on the command line. Its value is the JSON as text.
    Object,
    /// A table in a file, JSON on the command line, that can be read so.
    Table(fn(&Value) -> Result<(), String>),
}

impl SpecKey {
    fn new(heading: Heading, value_name: &'static str, takes: Takes) -> Self {
        SpecKey {
            name: String::new(),
            heading,
            value_name,
            help: String::new(),
            more: String::new(),
            default: None,
            formats: Vec::new(),
            choices: &[],
            detail: false,
            hidden: false,
            positional: false,
            stays: false,
            in_default_name: false,
            may_change: false,
            unlike_its_field: false,
            takes,
            example: None,
        }
    }

    /// A whole number from `min` to `max`.
    pub(crate) fn whole(heading: Heading, min: u64, max: u64) -> Self {
        SpecKey::new(heading, "N", Takes::Whole(min, max))
    }

    /// A number, perhaps with a fraction.
    pub(crate) fn number(heading: Heading, value_name: &'static str) -> Self {
        SpecKey::new(heading, value_name, Takes::Number)
    }

    /// The seed of a tournament.
    pub(crate) fn seed(heading: Heading) -> Self {
        SpecKey::new(heading, "N|N-DIGITS", Takes::Seed)
    }

    /// Something that is so or not.
    pub(crate) fn flag(heading: Heading) -> Self {
        SpecKey::new(heading, "", Takes::Flag)
    }

    /// Something that is on or off.
    pub(crate) fn switch(heading: Heading) -> Self {
        SpecKey::new(heading, "on|off", Takes::Switch)
    }

    /// A text that can be read as a `T`.
    pub(crate) fn text<T: FromStr<Err: Display>>(
        heading: Heading,
        value_name: &'static str,
    ) -> Self {
        let read = |text: &str| {
            text.parse::<T>()
                .map(drop)
                .map_err(|error| error.to_string())
        };
        SpecKey::new(heading, value_name, Takes::Text(read))
    }

    /// Texts.
    pub(crate) fn texts(heading: Heading, value_name: &'static str) -> Self {
        SpecKey::new(heading, value_name, Takes::Texts)
    }

    /// An object.
    pub(crate) fn object(heading: Heading) -> Self {
        SpecKey::new(heading, "JSON", Takes::Object)
    }

    /// A table that can be read as a `T`.
    pub(crate) fn table<T: DeserializeOwned>(heading: Heading) -> Self {
        let read = |value: &Value| {
            let read = serde_json::from_value::<T>(value.clone());
            read.map(drop).map_err(|error| error.to_string())
        };
        SpecKey::new(heading, "JSON", Takes::Table(read))
    }

    /// One of these words.
    pub(crate) fn one_of(self, choices: &'static [&'static str]) -> Self {
        SpecKey { choices, ..self }
    }

    /// Only in the long help.
    pub(crate) fn detail(mut self) -> Self {
        self.detail = true;
        self
    }

    /// In no help: who needs it reads its page first.
    pub(crate) fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// What its field has follows from more than its value.
    pub(crate) fn unlike_its_field(mut self) -> Self {
        self.unlike_its_field = true;
        self
    }

    /// Without a name on the command line.
    pub(crate) fn positional(mut self) -> Self {
        self.positional = true;
        self
    }

    /// What a tournament that resumes keeps where nothing is asked for.
    pub(crate) fn stays(mut self) -> Self {
        self.stays = true;
        self
    }

    /// What a tournament that resumes keeps, and what the name that it gets by itself follows from.
    pub(crate) fn stays_in_default_name(mut self) -> Self {
        self.in_default_name = true;
        self.stays()
    }

    /// What a tournament that resumes may change; where nothing is asked for it keeps it.
    pub(crate) fn may_change(mut self) -> Self {
        self.may_change = true;
        self.stays()
    }

    /// The default in words, where it is not that of the field.
    pub(crate) fn usually(self, default: &str) -> Self {
        let default = Some(default.to_owned());
        SpecKey { default, ..self }
    }

    /// A value, as a file has it but for the quotes of a text.
    pub(crate) fn such_as(self, example: &'static str) -> Self {
        let example = Some(example);
        SpecKey { example, ..self }
    }

    /// The key of a field, whose help is its documentation.
    pub(crate) fn named(self, field: &str, help: &str, default: &impl Serialize) -> Self {
        let of_field = match serde_json::to_value(default).expect("defaults are JSON") {
            Value::Number(number) => Some(number.to_string()),
            Value::String(text) => Some(text).filter(|text| !text.is_empty()),
            Value::Bool(on) => matches!(self.takes, Takes::Switch).then(|| on_or_off(on).into()),
            _ => None,
        };
        let lines: Vec<&str> = help.lines().map(str::trim).collect();
        let (help, more) = match lines.iter().position(|line| line.is_empty()) {
            Some(at) => (lines[..at].join(" "), lines[at + 1..].join(" ")),
            None => (lines.join(" "), String::new()),
        };
        SpecKey {
            name: kebab(field),
            help: help.trim_end_matches('.').into(),
            more: more.trim().into(),
            default: self.default.or(of_field),
            ..self
        }
    }

    #[cfg(test)]
    pub(super) fn takes(&self) -> impl std::fmt::Debug {
        self.takes
    }

    /// Whether it takes no value on the command line.
    pub fn is_flag(&self) -> bool {
        matches!(self.takes, Takes::Flag)
    }

    /// The help in one line, with the formats that it is for and the default.
    pub fn help_line(&self) -> String {
        let default = match (&self.default, &self.formats[..]) {
            (Some(default), _) => Some(default.clone()),
            (None, []) => None,
            (None, [(_, first), others @ ..]) if others.iter().all(|(_, other)| other == first) => {
                first.clone()
            }
            (None, formats) => {
                let each = formats.iter().filter_map(|(format, default)| {
                    Some(format!("{} in {format}", default.as_ref()?))
                });
                Some(joined(each, ", "))
            }
        };
        let formats = match &self.formats[..] {
            [] => String::new(),
            formats => format!(
                "{}: ",
                joined(formats.iter().map(|(format, _)| format), ", ")
            ),
        };
        let default = default.map_or_else(String::new, |default| format!(" [default: {default}]"));
        let choices = match self.choices {
            [] => String::new(),
            choices => format!(" [one of: {}]", choices.join(", ")),
        };
        format!("{formats}{}{choices}{default}", self.help)
    }

    /// What a value must be, in words.
    fn due(&self) -> String {
        match self.takes {
            Takes::Whole(min, max) => format!("a whole number from {min} to {max}"),
            Takes::Number => "a number".into(),
            Takes::Seed => format!(
                "a whole number from 0 to {}, or a whole seed: {WholeSeedError}",
                u64::MAX
            ),
            Takes::Flag => "true or false".into(),
            Takes::Switch => "on or off".into(),
            Takes::Text(_) => "a text in quotes".into(),
            Takes::Texts => "a list".into(),
            Takes::Object | Takes::Table(_) => "a table".into(),
        }
    }

    /// Reads what was typed behind the flag.
    ///
    /// # Errors
    /// When it does not fit: what it must be, and what it is.
    pub fn read(&self, typed: &str) -> Result<Value, String> {
        let misfit = || format!("{}, not {typed}", self.due());
        match self.takes {
            Takes::Whole(min, max) => {
                let number = whole_number(typed).filter(|number| (min..=max).contains(number));
                number.map(Value::from).ok_or_else(misfit)
            }
            Takes::Seed => match (whole_number(typed), typed.parse::<WholeSeed>()) {
                (Some(number), _) => Ok(number.into()),
                (None, Ok(seed)) => Ok(seed.to_string().into()),
                (None, Err(_)) => Err(misfit()),
            },
            Takes::Number => {
                let number = typed
                    .parse::<f64>()
                    .ok()
                    .filter(|number| number.is_finite());
                number.map(Value::from).ok_or_else(misfit)
            }
            Takes::Flag => typed.parse::<bool>().map(Value::from).map_err(|_| misfit()),
            Takes::Switch => match typed {
                "on" => Ok(true.into()),
                "off" => Ok(false.into()),
                _ => Err(misfit()),
            },
            Takes::Text(read) => read(typed).map(|()| typed.into()),
            Takes::Texts | Takes::Object => Ok(typed.into()),
            Takes::Table(read) => {
                let value = serde_json::from_str(typed).map_err(|error| {
                    format!("a table as JSON, such as {{\"NAME\":{{…}}}}: {error}")
                })?;
                read(&value).map(|()| value)
            }
        }
    }

    /// Takes the value that a file has, as JSON. `written` is how the file writes it.
    pub(super) fn take(&self, value: &Value, written: &str) -> Result<Value, String> {
        let name = &self.name;
        let misfit = || format!("{name}: {}, not {written}", self.due());
        match (self.takes, value) {
            (Takes::Whole(min, max), Value::Number(number)) => {
                let fits = |whole: &u64| (min..=max).contains(whole);
                let whole = number.as_u64().filter(fits);
                whole.map(Value::from).ok_or_else(misfit)
            }
            (Takes::Seed, Value::Number(number)) => {
                number.as_u64().map(Value::from).ok_or_else(misfit)
            }
            (Takes::Number, Value::Number(number)) => {
                number.as_f64().map(Value::from).ok_or_else(misfit)
            }
            (Takes::Flag, Value::Bool(_)) => Ok(value.clone()),
            (Takes::Switch | Takes::Text(_) | Takes::Seed, Value::String(text)) => {
                self.read(text).map_err(|why| format!("{name}: {why}"))
            }
            (Takes::Texts, Value::Array(items)) => {
                match items.iter().find(|item| !item.is_string()) {
                    None => Ok(value.clone()),
                    Some(item) => Err(format!("{name}: each is a text in quotes, not {item}")),
                }
            }
            (Takes::Object, Value::Object(_)) => Ok(value.to_string().into()),
            (Takes::Table(read), Value::Object(_)) => {
                let read = read(value).map(|()| value.clone());
                read.map_err(|why| format!("{name}: {why}"))
            }
            _ => Err(misfit()),
        }
    }

    /// A line of a file with it.
    pub fn example(&self) -> String {
        let default = || {
            let of_formats = self.formats.iter().find_map(|(_, default)| default.clone());
            self.default.clone().or(of_formats)
        };
        let value = match self.example {
            Some(example) => example.to_owned(),
            None => match self.takes {
                Takes::Flag => "true".into(),
                Takes::Object => "{ max_plies = 100 }".into(),
                _ => default().unwrap_or_else(|| "7".into()),
            },
        };
        match self.takes {
            Takes::Text(_) | Takes::Switch => format!("{} = {value:?}", self.name),
            _ => format!("{} = {value}", self.name),
        }
    }

    /// A value of it, as people read it.
    pub fn shown(&self, value: &Value) -> String {
        match (self.takes, value) {
            (Takes::Switch, Value::Bool(on)) => on_or_off(*on).into(),
            (_, value) => shown(value),
        }
    }
}

/// A number without a sign.
fn whole_number(typed: &str) -> Option<u64> {
    typed.parse().ok().filter(|_| !typed.starts_with('+'))
}

fn on_or_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// A value as people read it: a text without quotes, and nothing as `none`.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".into(),
        value => value.to_string(),
    }
}

/// A field's name as it is typed.
pub(crate) fn kebab(field: &str) -> String {
    field.replace('_', "-")
}
