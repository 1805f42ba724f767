//! A description of a tournament in TOML, and what is wrong with one that cannot be read.

use std::ops::Range;

use flipside_games::words::joined;
use serde::Deserialize;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::TournamentSpec;
use super::described::SettingsError;
use super::key::SpecKey;
use crate::names::nearest;

/// The longest value that a message repeats, in characters.
const LONGEST_VALUE: usize = 40;

/// What a file must not name, for the arena is no part of a tournament.
const ARENA: &str = "arena";

/// Why a file does not describe a tournament.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct SpecFileError {
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// What is wrong there.
    pub what: String,
    /// The way out, if there is one.
    pub hint: Option<String>,
}

impl From<SpecFileError> for SettingsError {
    fn from(error: SpecFileError) -> Self {
        SettingsError {
            what: error.to_string(),
            hint: error.hint,
        }
    }
}

impl TournamentSpec {
    /// Reads an object with the keys of a file.
    ///
    /// # Errors
    /// When it has a key or a value that no tournament has.
    pub fn from_json(object: &Map<String, Value>) -> Result<Self, SettingsError> {
        let mut spec = TournamentSpec::default();
        for (name, value) in object {
            let key = TournamentSpec::key(name).ok_or_else(|| unknown(name))?;
            let text = value.to_string();
            spec.set(key, taken(key, value, &written(&text, 0..text.len()))?);
        }
        Ok(spec)
    }

    /// Reads a file in TOML.
    ///
    /// # Errors
    /// When it is not TOML, or has a key or a value that no tournament has: where, and the way out.
    pub fn from_toml(text: &str) -> Result<Self, SpecFileError> {
        TournamentSpec::from_toml_with(text, |_, _| None)
    }

    /// The same of a file that describes more than a tournament: `other` takes the keys that are not a tournament's.
    ///
    /// # Errors
    /// As above; and what `other` says of a value that does not fit.
    pub(crate) fn from_toml_with(
        text: &str,
        mut other: impl FnMut(&str, &Value) -> Option<Result<(), SettingsError>>,
    ) -> Result<Self, SpecFileError> {
        let table = DeTable::parse(text).map_err(|error| not_toml(text, &error))?;
        let mut spec = TournamentSpec::default();
        for (name, value) in table.into_inner() {
            let span = value.span();
            let json = as_json(value);
            let Some(key) = TournamentSpec::key(name.get_ref()) else {
                match other(name.get_ref(), &json) {
                    Some(Ok(())) => continue,
                    Some(Err(error)) => return Err(at(text, span.start, error)),
                    None => return Err(at(text, name.span().start, unknown(name.get_ref()))),
                }
            };
            let value = taken(key, &json, &written(text, span.clone()));
            spec.set(key, value.map_err(|error| at(text, span.start, error))?);
        }
        Ok(spec)
    }
}

/// Takes the value of a key. `written` is how it is written there.
fn taken(key: &SpecKey, value: &Value, written: &str) -> Result<Value, SettingsError> {
    let hint = || format!("for example {}", key.example());
    (key.take(value, written)).map_err(|what| SettingsError::new(what).hint_at(hint()))
}

fn at(text: &str, at: usize, SettingsError { what, hint }: SettingsError) -> SpecFileError {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    SpecFileError {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        what,
        hint,
    }
}

/// The value as JSON; null where JSON has no such value.
fn as_json(value: Spanned<DeValue<'_>>) -> Value {
    if let DeValue::Datetime(_) = value.get_ref() {
        return Value::Null;
    }
    Value::deserialize(ValueDeserializer::from(value)).unwrap_or(Value::Null)
}

/// How the file writes a value, on one line and not too long.
fn written(text: &str, span: Range<usize>) -> String {
    let line = text
        .get(span)
        .unwrap_or_default()
        .replace(['\r', '\n'], " ");
    match line.char_indices().nth(LONGEST_VALUE) {
        None => line,
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}

/// What is wrong with a key that there is not, and the way out.
fn unknown(name: &str) -> SettingsError {
    let keys = || TournamentSpec::keys().iter().map(|key| &*key.name);
    let hint = match nearest(&name.replace('_', "-"), keys()) {
        _ if name == ARENA => "name the arena by --arena DIR or FLIPSIDE_ARENA".into(),
        Some(nearest) => format!("did you mean {nearest}?"),
        None => format!("the keys are {}", joined(keys(), ", ")),
    };
    SettingsError::new(format!("there is no key {name:?}")).hint_at(hint)
}

/// What is wrong with a text that is not TOML. The parser's words alone tell a person little.
fn not_toml(text: &str, error: &toml::de::Error) -> SpecFileError {
    let start = error.span().map_or(text.len(), |span| span.start);
    let place = text.get(..start).unwrap_or(text);
    let line = place.rfind('\n').map_or(0, |end| end + 1);
    let line = text[line..].lines().next().unwrap_or_default();
    let plain = || format!("this is not TOML: {}", error.message().replace('\n', ", "));
    let (what, hint) = match (line.split_once('='), error.message()) {
        (_, message) if message.contains("duplicate key") => {
            let name = line.split('=').next().unwrap_or_default().trim();
            (
                format!("{name} is there twice"),
                Some(format!("keep one line with {name}")),
            )
        }
        (Some((name, value)), _) if unquoted(value).is_some() => {
            let name = name.trim();
            let quoted = unquoted(value).expect("it was found");
            (
                format!("{name}: a text needs quotes"),
                Some(format!("{name} = {quoted}")),
            )
        }
        (Some((name, value)), _) if value.trim().is_empty() => {
            let name = name.trim();
            let example =
                TournamentSpec::key(name).map(|key| format!("for example {}", key.example()));
            (format!("{name}: a value is missing"), example)
        }
        (Some((name, value)), _) if value.matches('"').count() % 2 == 1 => (
            format!("{}: a quote is not closed", name.trim()),
            Some("write a text as \"text\"".into()),
        ),
        (Some((name, value)), _) if value.matches('[').count() > value.matches(']').count() => (
            format!("{}: a list is not closed", name.trim()),
            Some("write a list as [\"one\", \"two\"]".into()),
        ),
        (None, _) if line.trim_start().starts_with('[') && !line.contains(']') => {
            let closed = format!("{}]", line.trim());
            ("a heading is not closed".into(), Some(closed))
        }
        // An item of a list that spans lines.
        (None, message) if message.contains("array") || message.contains("quoted") => {
            match unquoted(line.trim().trim_end_matches(',')) {
                Some(quoted) => ("a text needs quotes".into(), Some(format!("{quoted},"))),
                None => (plain(), None),
            }
        }
        (None, _) if !line.trim().is_empty() && !line.trim_start().starts_with('[') => {
            let line = written(line, 0..line.len());
            (
                format!("{line:?} is neither KEY = VALUE nor [options]"),
                None,
            )
        }
        _ => (plain(), None),
    };
    at(text, start, SettingsError { what, hint })
}

/// A value, or a list of values, of which some are words without quotes: with the quotes.
fn unquoted(value: &str) -> Option<String> {
    let value = value.split('#').next().unwrap_or_default().trim();
    let list = value
        .strip_prefix('[')
        .and_then(|list| list.strip_suffix(']'));
    let words: Vec<&str> = match list {
        Some(list) => list
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .collect(),
        None => vec![value],
    };
    let is_toml = |word: &str| DeTable::parse(&format!("it = {word}")).is_ok();
    let is_word = |word: &str| {
        let plain = |c: char| c.is_alphanumeric() || " _-+./:@=".contains(c);
        word.chars().all(plain) && word.contains(char::is_alphabetic)
    };
    let fits = |word: &&str| is_toml(word) || is_word(word);
    if words.iter().all(|word| is_toml(word)) || !words.iter().all(fits) {
        return None;
    }
    let quoted = |word: &&str| {
        if is_toml(word) {
            (*word).to_owned()
        } else {
            format!("{word:?}")
        }
    };
    let all: Vec<String> = words.iter().map(quoted).collect();
    Some(match list {
        Some(_) => format!("[{}]", all.join(", ")),
        None => all.join(""),
    })
}
