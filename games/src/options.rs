//! Options of a game: read once, at the door, with errors that name the key and its range.

use std::fmt;

use serde::de::{DeserializeOwned, Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Why a game cannot be set up so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OptionsError(pub String);

/// Reads options from JSON text.
///
/// # Errors
/// Names the key and what it takes.
pub(crate) fn read<O: DeserializeOwned + Serialize>(json: &str) -> Result<O, OptionsError> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let options = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let key = error.path().to_string();
        let what = error.into_inner();
        OptionsError(if key == "." {
            format!("options: {what}")
        } else {
            format!("option {key}: {what}")
        })
    })?;
    reader
        .end()
        .map_err(|error| OptionsError(format!("options: {error}")))?;
    refuse_lists(
        &serde_json::from_str(json).unwrap_or_default(),
        &json_of(&options),
        "",
    )?;
    Ok(options)
}

/// Serde reads a struct from a list of its fields too, and a word from `{"word":null}`. Options
/// have their names, and words are strings.
fn refuse_lists(given: &Value, taken: &Value, key: &str) -> Result<(), OptionsError> {
    match (given, taken) {
        (Value::Array(_), Value::Object(_)) => {
            let whose = if key.is_empty() {
                "options".into()
            } else {
                format!("option {key}")
            };
            Err(OptionsError(format!(
                "{whose}: invalid type: sequence, expected an object"
            )))
        }
        (Value::Object(_), Value::String(_)) => Err(OptionsError(format!(
            "option {key}: invalid type: map, expected a string"
        ))),
        (Value::Object(given), Value::Object(taken)) => {
            given.iter().try_for_each(|(name, value)| {
                let dot = if key.is_empty() { "" } else { "." };
                refuse_lists(
                    value,
                    taken.get(name).unwrap_or(&Value::Null),
                    &format!("{key}{dot}{name}"),
                )
            })
        }
        _ => Ok(()),
    }
}

fn json_of(options: &impl Serialize) -> Value {
    serde_json::to_value(options).expect("options are always JSON")
}

/// A whole number from `LEAST` to `MOST`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Whole<const LEAST: u32, const MOST: u32>(u32);

impl<const LEAST: u32, const MOST: u32> Whole<LEAST, MOST> {
    /// The number, checked when the program is compiled if it is used in a `const`.
    ///
    /// # Panics
    /// When the number is out of range.
    pub const fn new(number: u32) -> Self {
        assert!(LEAST <= number && number <= MOST, "out of range");
        Whole(number)
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<'de, const LEAST: u32, const MOST: u32> Deserialize<'de> for Whole<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InRange<const LEAST: u32, const MOST: u32>;
        impl<const LEAST: u32, const MOST: u32> Visitor<'_> for InRange<LEAST, MOST> {
            type Value = Whole<LEAST, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number from {LEAST} to {MOST}")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
                match u32::try_from(number) {
                    Ok(small) if (LEAST..=MOST).contains(&small) => Ok(Whole(small)),
                    _ => Err(E::invalid_value(
                        serde::de::Unexpected::Unsigned(number),
                        &self,
                    )),
                }
            }
        }
        deserializer.deserialize_u64(InRange)
    }
}

#[cfg(feature = "schema")]
impl<const LEAST: u32, const MOST: u32> schemars::JsonSchema for Whole<LEAST, MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Whole{LEAST}To{MOST}").into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Options {
        rounds: u32,
        model: Model,
    }

    #[derive(Debug, Default, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Model {
        noise: u32,
    }

    #[test]
    fn options_are_refused_by_their_names() {
        for (json, why) in [
            ("[]", "options: invalid type: sequence, expected an object"),
            (
                r#"{"model":[3]}"#,
                "option model: invalid type: sequence, expected an object",
            ),
        ] {
            assert_eq!(read::<Options>(json).expect_err(json).0, why);
        }
        for (json, start) in [
            (
                r#"{"model":{"noise":"x"}}"#,
                "option model.noise: invalid type: string",
            ),
            (
                r#"{"model":{"hum":1}}"#,
                "option model.hum: unknown field `hum`",
            ),
            ("{} {}", "options: trailing characters"),
            ("", "options: EOF"),
        ] {
            let why = read::<Options>(json).expect_err(json).0;
            assert!(why.starts_with(start), "{why}");
        }
    }
}
