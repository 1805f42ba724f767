//! Options of a game: read once, at the door, with errors that name the option and its range.

pub(crate) mod given;

use std::fmt;

use serde::de::{DeserializeOwned, Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::json::inline_schema;
use given::{OptionProblem, RawOptions};

/// Why a game cannot be set up so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OptionsError(pub String);

/// Names less alike than this are not taken for one another.
const ALIKE: f64 = 0.7;

/// Reads options from JSON text.
///
/// # Errors
/// Names the option, and says what was given and what is allowed.
pub(crate) fn read<O>(json: &str) -> Result<O, OptionsError>
where
    O: DeserializeOwned + Serialize + Default,
{
    let given = parse(json)?;
    serde_path_to_error::deserialize(&given).map_err(|error| {
        let wrong = error.inner();
        let name = wrong.name(error.path());
        let instead = match wrong {
            OptionProblem::Unknown { known, .. } => {
                let mut names = Vec::new();
                collect_names(&json_of(&O::default()), "", &mut names);
                instead(&name, known, names)
            }
            _ => String::new(),
        };
        OptionsError(format!("{}: {wrong}{}", about(&name), instead))
    })
}

/// Reads JSON, whatever it says.
fn parse(json: &str) -> Result<RawOptions, OptionsError> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let given = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        // A name that could not be read is a question mark.
        let name = path.trim_end_matches('?').trim_end_matches('.');
        OptionsError(format!("{}: {}", about(name), not_json(error.inner())))
    })?;
    let rest = reader.end();
    rest.map_err(|error| {
        let place = place(&error);
        OptionsError(format!("options: something follows the JSON {place}"))
    })?;
    Ok(given)
}

/// Reads an object, each name once.
///
/// # Errors
/// As [`read`].
pub(crate) fn parse_object(json: &str) -> Result<serde_json::Map<String, Value>, OptionsError> {
    let given = parse(json)?;
    let RawOptions::Object(fields) = &given else {
        return Err(OptionsError(format!("options: an object, not {given}")));
    };
    let mut object = serde_json::Map::new();
    for (name, value) in fields {
        if object.insert(name.clone(), value.to_json()).is_some() {
            return Err(OptionsError(format!("{}: it is given twice", about(name))));
        }
    }
    Ok(object)
}

/// Why a text is not JSON.
fn not_json(error: &serde_json::Error) -> String {
    let why = error.to_string();
    let place = place(error);
    if error.is_eof() {
        "the JSON ends too early".into()
    } else if why.starts_with("number out of range") {
        format!("the number {place} is too large")
    } else if why.starts_with("recursion limit") {
        "the JSON is nested too deeply".into()
    } else {
        format!("this is not JSON {place}; names and words are in double quotes")
    }
}

fn place(error: &serde_json::Error) -> String {
    match (error.line(), error.column()) {
        (1, column) => format!("at character {column}"),
        (line, column) => format!("in line {line} at character {column}"),
    }
}

/// What an error is about: an option, or all of them.
fn about(name: &str) -> String {
    match name {
        "" => "options".into(),
        name => format!("option {}", given::cut(name)),
    }
}

/// The names of all options, with those of the objects that they are in.
fn collect_names(options: &Value, path: &str, names: &mut Vec<String>) {
    for (name, value) in options.as_object().into_iter().flatten() {
        match value {
            Value::Object(_) => collect_names(value, &format!("{path}{name}."), names),
            _ => names.push(format!("{path}{name}")),
        }
    }
}

/// What may be meant by an unknown name: the nearest one of all, or those that are known beside it.
pub(crate) fn instead(name: &str, known: &[&str], mut names: Vec<String>) -> String {
    let (path, last) = name.rsplit_once('.').unwrap_or(("", name));
    let dot = if path.is_empty() { "" } else { "." };
    names.extend(known.iter().map(|known| format!("{path}{dot}{known}")));
    let typed = last.to_lowercase().replace('-', "_");
    let alike = |name: &String| {
        let own = name.rsplit('.').next().unwrap_or(name);
        strsim::normalized_damerau_levenshtein(own, &typed)
    };
    let nearest = names
        .iter()
        .max_by(|one, other| alike(one).total_cmp(&alike(other)));
    match nearest.filter(|nearest| alike(nearest) >= ALIKE) {
        Some(nearest) => format!("; did you mean {nearest}?"),
        None => format!("; there are {}", known.join(", ")),
    }
}

/// Writes options out in full, as canonical JSON.
pub(crate) fn written(options: &impl Serialize) -> String {
    serde_json::to_string(options).expect("options are always JSON")
}

fn json_of(options: &impl Serialize) -> Value {
    serde_json::to_value(options).expect("options are always JSON")
}

/// A whole number from `LEAST` to `MOST`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BoundedInt<const LEAST: u32, const MOST: u32>(u32);

impl<const LEAST: u32, const MOST: u32> BoundedInt<LEAST, MOST> {
    /// The number, checked when the program is compiled if it is used in a `const`.
    ///
    /// # Panics
    /// When the number is out of range.
    pub const fn new(number: u32) -> Self {
        assert!(LEAST <= number && number <= MOST, "out of range");
        BoundedInt(number)
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<'de, const LEAST: u32, const MOST: u32> Deserialize<'de> for BoundedInt<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RangeChecked<const LEAST: u32, const MOST: u32>;
        impl<const LEAST: u32, const MOST: u32> Visitor<'_> for RangeChecked<LEAST, MOST> {
            type Value = BoundedInt<LEAST, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number from {LEAST} to {MOST}")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
                match u32::try_from(number) {
                    Ok(small) if (LEAST..=MOST).contains(&small) => Ok(BoundedInt(small)),
                    _ => Err(E::invalid_value(
                        serde::de::Unexpected::Unsigned(number),
                        &self,
                    )),
                }
            }
        }
        deserializer.deserialize_u64(RangeChecked)
    }
}

inline_schema!(
    BoundedInt<LEAST, MOST> where [const LEAST: u32, const MOST: u32],
    schemars::json_schema!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
);

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
        struct RangeChecked<const LEAST: u32, const MOST: u32>;
        impl<const LEAST: u32, const MOST: u32> Visitor<'_> for RangeChecked<LEAST, MOST> {
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
        deserializer.deserialize_f64(RangeChecked)
    }
}

inline_schema!(Decimal<LEAST, MOST> where [const LEAST: u32, const MOST: u32], {
    // A whole bound is written as one: 1, not 1.0.
    let bound = |thousandths: u32| match thousandths % 1000 {
        0 => Value::from(thousandths / 1000),
        _ => Value::from(f64::from(thousandths) / 1000.0),
    };
    schemars::json_schema!({
        "type": "number", "minimum": bound(LEAST), "maximum": bound(MOST)
    })
});

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

    #[derive(Clone, Debug, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct TestOptions {
        rounds: Few,
        model: OptionModel,
    }

    #[derive(Clone, Debug, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct OptionModel {
        noise: Few,
    }

    type Few = BoundedInt<0, 9>;

    impl Default for TestOptions {
        fn default() -> Self {
            let (rounds, model) = (Few::new(4), OptionModel::default());
            TestOptions { rounds, model }
        }
    }

    impl Default for OptionModel {
        fn default() -> Self {
            OptionModel { noise: Few::new(1) }
        }
    }

    #[test]
    fn options_are_refused_by_their_names() {
        for (json, why) in [
            ("[]", "options: an object with any of rounds, model, not []"),
            (
                r#"{"model":[3]}"#,
                "option model: an object with any of noise, not [3]",
            ),
            (
                r#"{"model":{"noise":"x"}}"#,
                "option model.noise: a whole number from 0 to 9, not \"x\"",
            ),
            (
                r#"{"model":{"hum":1}}"#,
                "option model.hum: there is no such option; there are noise",
            ),
            (
                r#"{"noise":1}"#,
                "option noise: there is no such option; did you mean model.noise?",
            ),
            (
                r#"{"round":1}"#,
                "option round: there is no such option; did you mean rounds?",
            ),
            (
                r#"{"model":{"noise":1,"noise":2}}"#,
                "option model.noise: it is given twice",
            ),
            (
                "{} {}",
                "options: something follows the JSON at character 4",
            ),
            ("", "options: the JSON ends too early"),
            (
                r#"{"rounds":1e999}"#,
                "option rounds: the number at character 15 is too large",
            ),
            (
                "{rounds:1}",
                "options: this is not JSON at character 2; names and words are in double quotes",
            ),
        ] {
            assert_eq!(read::<TestOptions>(json).expect_err(json).0, why);
        }
    }
}
