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
            // The place in the text says nothing that the key does not.
            let what = what.to_string();
            let what = what
                .rsplit_once(" at line ")
                .map_or(&*what, |(what, _)| what);
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

/// The decimals of a [`Decimal`] in one.
const MILLION: f64 = 1e6;

/// A probability.
pub type Probability = Decimal<0, 1000>;

/// A number with at most six decimals, from `LEAST` to `MOST` thousandths. It is kept as a whole
/// number, so that it is written and read back to the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal<const LEAST: u32, const MOST: u32> {
    millionths: u32,
}

impl<const LEAST: u32, const MOST: u32> Decimal<LEAST, MOST> {
    /// The number, checked when the program is compiled if it is used in a `const`.
    ///
    /// # Panics
    /// When the number is out of range or has more than six decimals.
    pub const fn new(number: f64) -> Self {
        match Self::of(number) {
            Some(decimal) => decimal,
            None => panic!("out of range, or too many decimals"),
        }
    }

    const fn of(number: f64) -> Option<Self> {
        const THOUSAND: u32 = 1000;
        // What is not a number fails here too.
        if !(number >= 0.0 && number <= (u32::MAX / THOUSAND / THOUSAND) as f64) {
            return None;
        }
        let millionths = (number * MILLION + 0.5) as u32;
        let off = millionths as f64 - number * MILLION;
        let is_near = -1e-3 < off && off < 1e-3;
        if is_near && LEAST * THOUSAND <= millionths && millionths <= MOST * THOUSAND {
            Some(Decimal { millionths })
        } else {
            None
        }
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.millionths as f64 / MILLION
    }
}

impl<const LEAST: u32, const MOST: u32> Serialize for Decimal<LEAST, MOST> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.get())
    }
}

impl<'de, const LEAST: u32, const MOST: u32> Deserialize<'de> for Decimal<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InRange<const LEAST: u32, const MOST: u32>;
        impl<const LEAST: u32, const MOST: u32> Visitor<'_> for InRange<LEAST, MOST> {
            type Value = Decimal<LEAST, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let [least, most] = [LEAST, MOST].map(|bound| f64::from(bound) / 1000.0);
                write!(
                    f,
                    "a number from {least} to {most} with at most six decimals"
                )
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
                let unexpected = serde::de::Unexpected::Float(number);
                Decimal::of(number).ok_or_else(|| E::invalid_value(unexpected, &self))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
                self.visit_f64(number as f64)
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
                self.visit_f64(number as f64)
            }
        }
        deserializer.deserialize_f64(InRange)
    }
}

#[cfg(feature = "schema")]
impl<const LEAST: u32, const MOST: u32> schemars::JsonSchema for Decimal<LEAST, MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Decimal{LEAST}To{MOST}Thousandths").into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        // A whole bound is written as one: 1, not 1.0.
        let bound = |thousandths: u32| match thousandths % 1000 {
            0 => Value::from(thousandths / 1000),
            _ => Value::from(f64::from(thousandths) / 1000.0),
        };
        schemars::json_schema!({
            "type": "number", "minimum": bound(LEAST), "maximum": bound(MOST)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_and_read_back_to_the_same() {
        for millionths in (0..=1_000_000).step_by(7) {
            let decimal = Probability { millionths };
            let json = serde_json::to_string(&decimal).expect("a number is JSON");
            assert_eq!(
                serde_json::from_str::<Probability>(&json).expect(&json),
                decimal
            );
        }
        for (json, number) in [("0", 0.0), ("1", 1.0), ("-0.0", 0.0), ("0.450", 0.45)] {
            let decimal: Probability = serde_json::from_str(json).expect(json);
            assert_eq!(decimal.get().to_bits(), f64::to_bits(number), "{json}");
        }
    }

    #[test]
    fn what_is_no_probability_is_refused_with_the_range() {
        for json in [
            "-0.000001",
            "1.000001",
            "2",
            "-1",
            "1e300",
            "1e-7",
            "0.1234567",
        ] {
            let why = serde_json::from_str::<Probability>(json)
                .expect_err(json)
                .to_string();
            assert!(
                why.contains("expected a number from 0 to 1 with at most six"),
                "{why}"
            );
        }
        let why = serde_json::from_str::<Decimal<0, 500>>("0.6").expect_err("too much");
        assert!(why.to_string().contains("from 0 to 0.5"), "{why}");
    }

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
