//! What is wrong with a bot's line, in words for the bot's author: where it is, what is there, and what to write.
//!
//! Only a line that could not be read comes here, so this may take its time.

use std::fmt;

use serde_json::error::Category;
use serde_json::{Error, Map, Value};

use crate::text::head;

/// The most that is shown of what is wrong in a line, in characters.
const MAX_SHOWN: usize = 24;

/// Why a line is not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Malformed {
    what: String,
    hint: Option<&'static str>,
}

/// What a field of a bot's message must be.
#[derive(Clone, Copy)]
enum FieldType {
    Text,
    Number,
    Flag,
}

/// The fields of a bot's messages.
const FIELDS: [(&str, FieldType); 10] = [
    ("type", FieldType::Text),
    ("id", FieldType::Number),
    ("action", FieldType::Text),
    ("note", FieldType::Text),
    ("name", FieldType::Text),
    ("version", FieldType::Text),
    ("actions", FieldType::Flag),
    ("reuse", FieldType::Flag),
    ("events", FieldType::Flag),
    ("reason", FieldType::Text),
];

/// The fields of each message, by its type.
const FIELDS_OF: [(&str, &[&str]); 3] = [
    ("act", &["type", "id", "action", "note"]),
    (
        "ready",
        &["type", "name", "version", "actions", "reuse", "events"],
    ),
    ("pause", &["type", "reason"]),
];

/// What other languages write where JSON has another word: how it begins, what is wrong, and the hint.
const FOREIGN_WORDS: [(&str, &str, &str); 8] = [
    ("'", "JSON has double quotes only", PYTHON),
    ("None", "None is Python; JSON has null", PYTHON),
    ("True", "True is Python; JSON has true", PYTHON),
    ("False", "False is Python; JSON has false", PYTHON),
    ("NaN", "JSON has no NaN", JAVASCRIPT),
    (
        "undefined",
        "undefined is JavaScript; JSON has null",
        JAVASCRIPT,
    ),
    ("}", "there is a comma before the brace", LIBRARY),
    ("nil", "nil is not JSON; JSON has null", LIBRARY),
];

const PYTHON: &str =
    "write messages with json.dumps(message), not with str(message) or print(message)";
const JAVASCRIPT: &str = "write messages with JSON.stringify(message), and check what is in it";
const LIBRARY: &str = "write messages with a JSON library";
const ONLY_MESSAGES: &str =
    "print messages to standard output and nothing else; debug output belongs on standard error";
const ONE_NEWLINE: &str = "write one newline after each message; print adds one by itself";
const NO_ACTION: &str =
    "the bot found no action: `action` must be a string, such as one of `actions`";
const ONE_LINE: &str = "write each message in one line (no indentation), and nothing after it";
pub(crate) const ACT: &str = "answer a turn with {\"type\":\"act\",\"id\":3,\"action\":\"…\"} and the turn's own id; `note` is the \
                   only other field";
pub(crate) const READY: &str = "answer `hello` with {\"type\":\"ready\"}; the other fields are name, version, actions, reuse and \
                     events";
pub(crate) const PAUSE: &str = "write {\"type\":\"pause\",\"reason\":\"…\"} before the `act`; `reason` is the only other field";
const WITHOUT_BOM: &str = "write UTF-8 without a byte order mark: \"utf-8\", not \"utf-8-sig\"";

impl Malformed {
    pub(crate) fn new(what: String) -> Self {
        Malformed { what, hint: None }
    }

    /// The same with a hint.
    pub(crate) fn with(self, hint: &'static str) -> Self {
        let hint = Some(hint);
        Malformed { hint, ..self }
    }

    fn hinted(what: impl fmt::Display, hint: &'static str) -> Self {
        Malformed::new(format!("not a message: {what}")).with(hint)
    }

    /// Returns what the bot's author can do, if there is something to name.
    pub fn hint(&self) -> Option<&'static str> {
        self.hint
    }

    /// Says why this line could not be read.
    pub(crate) fn of(line: &str, error: &Error) -> Self {
        match error.classify() {
            _ if line.starts_with('\u{feff}') => {
                Malformed::hinted("the line begins with a byte order mark (BOM)", WITHOUT_BOM)
            }
            _ if line.trim().is_empty() => Malformed::hinted("the line is empty", ONE_NEWLINE),
            _ if !line.trim_start().starts_with('{') => {
                let what = format!(
                    "the line begins with {}, not with {{",
                    shown(line.trim_start())
                );
                Malformed::hinted(what, ONLY_MESSAGES)
            }
            Category::Syntax => Malformed::syntax(line, error),
            Category::Eof | Category::Io => {
                Malformed::hinted("the line ends in the middle of a message", ONE_LINE)
            }
            Category::Data => Malformed::data(line, error),
        }
    }

    fn syntax(line: &str, error: &Error) -> Self {
        let column = error.column();
        let (before, rest) = line.split_at(head(line, column.saturating_sub(1)).len());
        let text = error.to_string();
        if text.starts_with("trailing characters") {
            let what = format!(
                "after the message, at column {column}, comes {}",
                shown(rest)
            );
            return Malformed::hinted(what, ONE_LINE);
        }
        let place = |column: usize, rest: &str| format!("at column {column}, at {}", shown(rest));
        for (word, what, hint) in FOREIGN_WORDS {
            // The parser may have read the first letters.
            let back = (0..word.len().min(3)).find_map(|back| {
                let from = before.len().checked_sub(back)?;
                let found = line.get(from..)?;
                found.starts_with(word).then_some((column - back, found))
            });
            if let Some((column, found)) = back {
                let before = line[..line.len() - found.len()].trim_end();
                let is_nothing = ["None", "NaN", "undefined", "nil"].contains(&word);
                let hint = if is_nothing && before.ends_with("\"action\":") {
                    NO_ACTION
                } else {
                    hint
                };
                return Malformed::hinted(format!("{what}, {}", place(column, found)), hint);
            }
        }
        let what = text.split(" at line ").next().unwrap_or_default();
        Malformed::hinted(format!("{what}, {}", place(column, rest)), LIBRARY)
    }

    /// The line is JSON, and its fields are not those of a message.
    fn data(line: &str, error: &Error) -> Self {
        let fields: Map<String, Value> = serde_json::from_str(line).unwrap_or_default();
        for (name, must_be) in FIELDS {
            if let Some(wrong) = fields.get(name).and_then(|value| must_be.refuses(value)) {
                let what = format!("{name:?} is {wrong}");
                return Malformed::hinted(what, must_be.hint(name));
            }
        }
        let text = error.to_string();
        let mut what: String = text.split(" at line ").next().unwrap_or_default().into();
        let kind = fields.get("type").and_then(Value::as_str);
        let known = FIELDS_OF.iter().find(|(name, _)| kind == Some(name));
        if let Some((kind, known)) = known {
            let mut names = fields.keys().map(String::as_str);
            if let Some(other) = names.find(|name| !known.contains(name)) {
                let other = shown(other);
                what = format!("`{kind}` has no field {other}");
            }
        }
        let hint = match kind {
            Some("act") => ACT,
            Some("pause") => PAUSE,
            _ => READY,
        };
        Malformed::hinted(what, hint)
    }
}

impl FieldType {
    /// What a value is instead; nothing where it is right.
    fn refuses(self, value: &Value) -> Option<String> {
        let must_be = match (self, value) {
            (FieldType::Text, Value::String(_) | Value::Null) => return None,
            (FieldType::Number, Value::Null) => return None,
            (FieldType::Number, value) if value.is_u64() => return None,
            (FieldType::Flag, Value::Bool(_) | Value::Null) => return None,
            (FieldType::Text, _) => "a string",
            (FieldType::Number, _) => "a whole number",
            (FieldType::Flag, _) => "true or false",
        };
        let is = match value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        let text = value.to_string();
        Some(format!("{} ({is}), and must be {must_be}", cut(&text)))
    }

    fn hint(self, name: &str) -> &'static str {
        match (self, name) {
            (FieldType::Number, _) => {
                "copy the id of the turn as it is: {\"type\":\"act\",\"id\":3,\"action\":\"…\"}"
            }
            (FieldType::Text, "action") => {
                "an action is a string in the game's notation, as `actions` lists it if `ready` asks for it"
            }
            _ => "`flipside protocol` prints every message",
        }
    }
}

/// A text in quotes, or its beginning.
fn shown(text: &str) -> String {
    let (beginning, more) = beginning(text);
    format!("{beginning:?}{more}")
}

/// A text as it is, or its beginning.
fn cut(text: &str) -> String {
    let (beginning, more) = beginning(text);
    format!("{beginning}{more}")
}

/// The first [`MAX_SHOWN`] characters, and what stands for the rest.
fn beginning(text: &str) -> (&str, &'static str) {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => (&text[..end], "…"),
        None => (text, ""),
    }
}

#[cfg(test)]
mod tests {
    use crate::message::FromBot;

    /// What is wrong with a line, and the hint.
    fn wrong(line: &str) -> String {
        let error = FromBot::read(line).unwrap_err();
        let hint = error.hint().map(|hint| format!(" [{hint}]"));
        format!("{error}{}", hint.unwrap_or_default())
    }

    #[track_caller]
    fn check(line: &str, words: &[&str]) {
        let told = wrong(line);
        for word in words {
            assert!(told.contains(word), "{line}: {told}");
        }
    }

    #[test]
    fn each_mistake_is_named_with_its_place() {
        check(
            "{'type': 'act'}",
            &["double quotes", "column 2", "'type'", "json.dumps"],
        );
        check(
            r#"{"type":"act","id":1,"action":None}"#,
            &["None is Python", "column 31", "found no action"],
        );
        check(
            r#"{"type":"act","id":1,"action":'a1'}"#,
            &["double quotes", "json.dumps"],
        );
        check(
            r#"{"type":"ready","actions":True}"#,
            &["True is Python", "column 27"],
        );
        check(
            r#"{"type":"ready","actions":undefined}"#,
            &["undefined", "JSON.stringify"],
        );
        check(
            r#"{"type":"act","id":NaN,"action":"a"}"#,
            &["NaN", "column 20"],
        );
        check(r#"{"type":"act","id":1,}"#, &["comma before the brace"]);
        check(
            r#"{"type":"ready"} {"type":"ready"}"#,
            &["after the message", "column 18", "one line"],
        );
        check(
            r#"{"type":"act","id":"1","action":"a"}"#,
            &["\"id\" is \"1\" (a string)", "whole number"],
        );
        check(
            r#"{"type":"act","id":1.5,"action":"a"}"#,
            &["\"id\" is 1.5 (a number)"],
        );
        check(
            r#"{"type":"act","id":1,"action":5}"#,
            &["\"action\" is 5", "must be a string"],
        );
        check(
            r#"{"type":"act","id":1,"action":["a"]}"#,
            &["(an array)", "must be a string"],
        );
        check(
            r#"{"type":"ready","actions":"yes"}"#,
            &["\"actions\" is \"yes\"", "true or false"],
        );
        check("{", &["middle of a message", "one line"]);
        check("", &["the line is empty", "newline"]);
        check(
            r#"{"type":"act","id":1,"move":"a1"}"#,
            &["`act` has no field \"move\"", "only other field"],
        );
        check(
            "thinking about a1",
            &["begins with \"thinking about a1\"", "standard error"],
        );
        check("\u{feff}{\"type\":\"ready\"}", &["byte order mark"]);
    }

    #[test]
    fn the_fields_of_each_message_are_known() {
        for (kind, fields) in super::FIELDS_OF {
            for field in fields {
                assert!(super::FIELDS.iter().any(|(known, _)| known == field));
            }
            let others = super::FIELDS.map(|(name, _)| name);
            let others = others.into_iter().filter(|name| !fields.contains(name));
            for other in others {
                let value = match other {
                    "id" => "1",
                    "actions" | "reuse" | "events" => "true",
                    _ => "\"x\"",
                };
                // A message with all its own fields is one, and with any other it is none.
                let own = match kind {
                    "act" => r#""id":1,"action":"a","note":"n""#,
                    "pause" => r#""reason":"r""#,
                    _ => r#""name":"n","version":"1","actions":true,"reuse":true,"events":true"#,
                };
                let message = format!("{{\"type\":\"{kind}\",{own}}}");
                assert!(FromBot::read(&message).is_ok(), "{message}");
                let more = format!("{{\"type\":\"{kind}\",{own},\"{other}\":{value}}}");
                assert!(FromBot::read(&more).is_err(), "{more}");
            }
        }
    }

    #[test]
    fn every_cut_and_every_changed_byte_has_words() {
        let line = r#"{"type":"act","id":12,"action":"ä1-b2","note":null}"#;
        for at in 0..line.len() {
            if let Some(cut) = line.get(..at) {
                assert!(!wrong(cut).is_empty());
            }
            for byte in [b'\'', b'N', b'{', b'}', b'"', b'0', b' ', 0x7f, 0] {
                let mut changed = line.as_bytes().to_vec();
                changed[at] = byte;
                let changed = String::from_utf8_lossy(&changed).into_owned();
                if let Err(error) = FromBot::read(&changed) {
                    assert!(error.to_string().len() < 300, "{error}");
                }
            }
        }
        let long = format!("{{\"type\":\"act\",\"id\":{:?}}}", "ä".repeat(10_000));
        assert!(wrong(&long).len() < 300, "{}", wrong(&long));
    }
}
