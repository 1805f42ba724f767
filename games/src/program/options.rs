//! The options of a game that a program describes by a JSON Schema.
//!
//! Names and plain values are checked here, so that a wrong option is refused as in a built-in game. What else a schema
//! may say, as objects in objects, is left to the program, which refuses what does not fit.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::limits::{LONGEST_WORD, MAX_OPTIONS};
use crate::options::{OptionsError, instead, parse_object};

/// The options of a game.
pub(super) struct ProgramOptions {
    /// As the program wrote it.
    #[cfg(feature = "schema")]
    pub(super) schema: Box<RawValue>,
    /// By name, in order.
    all: Vec<(String, ProgramOption)>,
}

/// An option, as far as its schema is understood here.
#[derive(Deserialize)]
struct ProgramOption {
    /// None: it is not there unless it is given.
    default: Option<Value>,
    #[serde(rename = "type", default, deserialize_with = "one_kind")]
    kind: Option<OptionKind>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    #[serde(rename = "enum")]
    words: Option<Vec<Value>>,
}

/// What an option's schema is.
const OPTION_FORM: &str =
    "it is an object, in which minimum and maximum are numbers, and enum is an array";

/// The type of a plain option.
#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum OptionKind {
    Integer,
    Number,
    String,
    Boolean,
    Object,
    Array,
    Null,
}

/// The type, if it is one and known here.
fn one_kind<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<OptionKind>, D::Error> {
    let kind = Value::deserialize(reader)?;
    Ok(serde_json::from_value(kind).ok())
}

impl ProgramOptions {
    pub(super) fn of(schema: Box<RawValue>) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct OptionsSchema {
            #[serde(default)]
            properties: Map<String, Value>,
        }
        let wrong = |what: String| format!("the schema of the options: {what}");
        let read: OptionsSchema = serde_json::from_str(schema.get())
            .map_err(|_| wrong("its properties are not an object".into()))?;
        if read.properties.len() > MAX_OPTIONS {
            return Err(wrong(format!("there are more than {MAX_OPTIONS} options")));
        }
        let mut all = Vec::new();
        for (name, option) in read.properties {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
            if name.is_empty() || name.len() > LONGEST_WORD || !name.bytes().all(is_name) {
                return Err(wrong(format!(
                    "{name:?} is no name of an option: at most {LONGEST_WORD} letters, digits, _ and -"
                )));
            }
            let option: ProgramOption = serde_json::from_value(option)
                .map_err(|_| wrong(format!("the option {name}: {OPTION_FORM}")))?;
            if let Some(why) = option
                .default
                .as_ref()
                .and_then(|value| option.refuses(value))
            {
                return Err(wrong(format!("the default of the option {name}: {why}")));
            }
            all.push((name, option));
        }
        Ok(ProgramOptions {
            #[cfg(feature = "schema")]
            schema,
            all,
        })
    }

    /// All options as JSON, with those that are given in place of the defaults.
    ///
    /// # Errors
    /// Names the option, and says what was given and what is allowed.
    pub(super) fn complete(&self, given: &str) -> Result<String, OptionsError> {
        let mut given = parse_object(given)?;
        let mut complete = Map::new();
        for (name, option) in &self.all {
            let value = match given.remove(name) {
                Some(value) => {
                    if let Some(why) = option.refuses(&value) {
                        return Err(OptionsError(format!("option {name}: {why}")));
                    }
                    Some(value)
                }
                None => option.default.clone(),
            };
            if let Some(value) = value {
                complete.insert(name.clone(), value);
            }
        }
        if let Some((name, _)) = given.iter().next() {
            let known: Vec<&str> = self.all.iter().map(|(name, _)| name.as_str()).collect();
            let instead = match known.is_empty() {
                true => "; this game has no options".into(),
                false => instead(name, &known, Vec::new()),
            };
            return Err(OptionsError(format!(
                "option {}: there is no such option{instead}",
                crate::options::given::cut(name)
            )));
        }
        Ok(Value::Object(complete).to_string())
    }
}

impl ProgramOption {
    /// What is allowed, and what is there instead; nothing where it fits.
    fn refuses(&self, value: &Value) -> Option<String> {
        let fits_words = self
            .words
            .as_ref()
            .is_none_or(|words| words.contains(value));
        let number = value.as_f64();
        let within = number.is_none_or(|number| {
            self.minimum.is_none_or(|least| number >= least)
                && self.maximum.is_none_or(|most| number <= most)
        });
        if self.kind.is_none_or(|kind| kind.fits(value)) && fits_words && within {
            return None;
        }
        let given = crate::options::given::cut(&value.to_string());
        Some(format!("{}, not {given}", self.allowed()))
    }

    fn allowed(&self) -> String {
        if let Some(words) = &self.words {
            let words: Vec<String> = words.iter().map(Value::to_string).collect();
            return format!("one of {}", words.join(", "));
        }
        let kind = self.kind.map_or("a value", OptionKind::in_words);
        match (self.minimum, self.maximum) {
            (Some(least), Some(most)) => format!("{kind} from {least} to {most}"),
            (Some(least), None) => format!("{kind} of at least {least}"),
            (None, Some(most)) => format!("{kind} of at most {most}"),
            (None, None) => kind.into(),
        }
    }
}

impl OptionKind {
    fn fits(self, value: &Value) -> bool {
        match self {
            OptionKind::Integer => value.is_i64() || value.is_u64(),
            OptionKind::Number => value.is_number(),
            OptionKind::String => value.is_string(),
            OptionKind::Boolean => value.is_boolean(),
            OptionKind::Object => value.is_object(),
            OptionKind::Array => value.is_array(),
            OptionKind::Null => value.is_null(),
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            OptionKind::Integer => "a whole number",
            OptionKind::Number => "a number",
            OptionKind::String => "a text",
            OptionKind::Boolean => "true or false",
            OptionKind::Object => "an object",
            OptionKind::Array => "a list",
            OptionKind::Null => "null",
        }
    }
}
