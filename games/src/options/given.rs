//! JSON as somebody gave it, read into a type. Errors say in plain words what was given and what is allowed;
//! serde's own words name types of Rust, which mean nothing to whoever typed the JSON.

use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{
    Deserialize, Deserializer, Error, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    Visitor,
};
use serde_json::{Number, Value};
use serde_path_to_error::Path;

/// The longest piece of JSON that a message repeats, in characters.
const LONGEST_QUOTE: usize = 40;

/// JSON with all its keys, also those that are there twice.
pub(super) enum RawOptions {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<RawOptions>),
    Object(Vec<(String, RawOptions)>),
}

impl RawOptions {
    pub(super) fn to_json(&self) -> Value {
        match self {
            RawOptions::Null => Value::Null,
            RawOptions::Bool(is) => Value::Bool(*is),
            RawOptions::Number(number) => Value::Number(number.clone()),
            RawOptions::Text(text) => Value::String(text.clone()),
            RawOptions::List(items) => items.iter().map(RawOptions::to_json).collect(),
            RawOptions::Object(fields) => fields
                .iter()
                .map(|(name, value)| (name.clone(), value.to_json()))
                .collect(),
        }
    }
}

impl fmt::Display for RawOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&cut(&self.to_json().to_string()))
    }
}

/// A text that is not longer than a message bears.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// Why JSON does not fit a type.
#[derive(Debug)]
pub(super) enum OptionProblem {
    /// This is allowed, and the value is something else.
    Unfit {
        allowed: String,
        given: Option<String>,
    },
    /// An object has this name, and only these are known.
    Unknown {
        name: String,
        known: &'static [&'static str],
    },
    /// An object has this name twice.
    Twice(String),
    /// Another reason.
    Other(String),
}

impl OptionProblem {
    fn unfit(allowed: impl Into<String>, given: &RawOptions) -> Self {
        OptionProblem::Unfit {
            allowed: allowed.into(),
            given: Some(given.to_string()),
        }
    }

    /// Returns the same with the value that is wrong, if it is not known yet.
    fn of(mut self, value: &RawOptions) -> Self {
        if let OptionProblem::Unfit { given, .. } = &mut self {
            given.get_or_insert_with(|| value.to_string());
        }
        self
    }

    /// Returns the name of the wrong value at a path: `model.flight`, `heaps[1]`; empty for the whole.
    pub(super) fn name(&self, path: &Path) -> String {
        let within = path.iter().next().map(|_| path.to_string());
        match (self, within) {
            (OptionProblem::Unknown { name, .. } | OptionProblem::Twice(name), Some(within)) => {
                format!("{within}.{name}")
            }
            (OptionProblem::Unknown { name, .. } | OptionProblem::Twice(name), None) => {
                name.clone()
            }
            (_, within) => within.unwrap_or_default(),
        }
    }
}

impl fmt::Display for OptionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionProblem::Unfit {
                allowed,
                given: Some(given),
            } => write!(f, "{allowed}, not {given}"),
            OptionProblem::Unfit {
                allowed,
                given: None,
            } => f.write_str(allowed),
            OptionProblem::Unknown { .. } => f.write_str("there is no such option"),
            OptionProblem::Twice(_) => f.write_str("it is given twice"),
            OptionProblem::Other(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for OptionProblem {}

impl Error for OptionProblem {
    fn custom<T: fmt::Display>(why: T) -> Self {
        OptionProblem::Other(why.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, allowed: &dyn Expected) -> Self {
        OptionProblem::Unfit {
            allowed: allowed.to_string(),
            given: None,
        }
    }

    fn invalid_value(is: Unexpected<'_>, allowed: &dyn Expected) -> Self {
        OptionProblem::invalid_type(is, allowed)
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        OptionProblem::Unfit {
            allowed: words(known),
            given: None,
        }
    }
}

/// The words that are allowed.
fn words(known: &[&str]) -> String {
    let quoted: Vec<String> = known.iter().map(|word| format!("`{word}`")).collect();
    match &quoted[..] {
        [one, other] => format!("{one} or {other}"),
        all => format!("one of {}", all.join(", ")),
    }
}

/// An object that has options of these names.
fn object(names: &[&str]) -> String {
    format!("an object with any of {}", names.join(", "))
}

impl<'de> Deserializer<'de> for &'de RawOptions {
    type Error = OptionProblem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, OptionProblem> {
        let read = match self {
            RawOptions::Null => visitor.visit_unit(),
            RawOptions::Bool(is) => visitor.visit_bool(*is),
            RawOptions::Text(text) => visitor.visit_str(text),
            RawOptions::List(items) => visitor.visit_seq(SeqDeserializer::new(items.iter())),
            RawOptions::Object(fields) => visitor.visit_map(map(fields)),
            RawOptions::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64())
            {
                (Some(whole), ..) => visitor.visit_u64(whole),
                (_, Some(whole), _) => visitor.visit_i64(whole),
                (_, _, other) => visitor.visit_f64(other.unwrap_or(f64::NAN)),
            },
        };
        read.map_err(|wrong| wrong.of(self))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, OptionProblem> {
        match self {
            RawOptions::Bool(is) => visitor.visit_bool(*is),
            _ => Err(OptionProblem::unfit("true or false", self)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, OptionProblem> {
        match self {
            RawOptions::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, OptionProblem> {
        match self {
            RawOptions::List(_) => self.deserialize_any(visitor),
            _ => {
                let allowed = (&visitor as &dyn Expected).to_string();
                // What has no words of its own is called so by serde.
                let allowed = allowed.replace("a sequence", "a list");
                Err(OptionProblem::unfit(allowed, self))
            }
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, OptionProblem> {
        let RawOptions::Object(fields) = self else {
            return Err(OptionProblem::unfit(object(names), self));
        };
        for (at, (name, _)) in fields.iter().enumerate() {
            if !names.contains(&name.as_str()) {
                return Err(OptionProblem::Unknown {
                    name: name.clone(),
                    known: names,
                });
            }
            if fields[..at].iter().any(|(other, _)| other == name) {
                return Err(OptionProblem::Twice(name.clone()));
            }
        }
        visitor.visit_map(map(fields))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, OptionProblem> {
        match self {
            RawOptions::Text(word) if known.contains(&word.as_str()) => {
                let word: StrDeserializer<'de, OptionProblem> = word.as_str().into_deserializer();
                visitor.visit_enum(word)
            }
            _ => Err(OptionProblem::unfit(words(known), self)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, OptionProblem> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct tuple tuple_struct map identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, OptionProblem> for &'de RawOptions {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Returns the fields of an object.
fn map(fields: &[(String, RawOptions)]) -> impl MapAccess<'_, Error = OptionProblem> {
    MapDeserializer::new(fields.iter().map(|(name, value)| (name.as_str(), value)))
}

impl<'de> Deserialize<'de> for RawOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Anything;
        impl<'de> Visitor<'de> for Anything {
            type Value = RawOptions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }

            fn visit_unit<E>(self) -> Result<RawOptions, E> {
                Ok(RawOptions::Null)
            }

            fn visit_bool<E>(self, is: bool) -> Result<RawOptions, E> {
                Ok(RawOptions::Bool(is))
            }

            fn visit_u64<E>(self, number: u64) -> Result<RawOptions, E> {
                Ok(RawOptions::Number(number.into()))
            }

            fn visit_i64<E>(self, number: i64) -> Result<RawOptions, E> {
                Ok(RawOptions::Number(number.into()))
            }

            fn visit_f64<E>(self, number: f64) -> Result<RawOptions, E> {
                Ok(Number::from_f64(number).map_or(RawOptions::Null, RawOptions::Number))
            }

            fn visit_str<E>(self, text: &str) -> Result<RawOptions, E> {
                Ok(RawOptions::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<RawOptions, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(RawOptions::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<RawOptions, A::Error> {
                let mut object = Vec::new();
                while let Some(field) = fields.next_entry()? {
                    object.push(field);
                }
                Ok(RawOptions::Object(object))
            }
        }
        deserializer.deserialize_any(Anything)
    }
}
