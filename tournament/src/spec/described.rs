//! Settings whose fields are keys of a tournament: one declaration gives the flag, the key of a file and its help.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::schedule::ScheduleError;
use crate::spec::key::SpecKey;

/// Values by key.
pub(crate) type Values = BTreeMap<&'static str, Value>;

/// A type whose fields are keys of a tournament.
pub(crate) trait DescribedSettings: Sized {
    /// The keys, each with its default.
    fn keys() -> Vec<SpecKey>;

    /// This, with the values of its keys.
    ///
    /// # Errors
    /// When a value does not fit its field.
    fn with(self, values: &Values) -> Result<Self, SettingsError>;

    /// The value of each field, in the order of the declaration, whether it is a key or not.
    fn values(&self) -> Vec<(String, Value)>;
}

/// Declares a type: each field with its help, its default and, after `=>`, its key.
macro_rules! described {
    (@key) => { None };
    (@key $key:expr) => { Some($key) };
    (
        $(#[$meta:meta])*
        $visibility:vis struct $Name:ident {
            $(
                $(#[doc = $help:literal])+
                $(#[serde($($serde:tt)*)])?
                $field:ident: $Type:ty = $default:expr $(=> $key:expr)?;
            )+
        }
    ) => {
        $(#[$meta])*
        $visibility struct $Name {
            $($(#[doc = $help])+ $(#[serde($($serde)*)])? pub $field: $Type,)+
        }

        impl Default for $Name {
            fn default() -> Self {
                $Name { $($field: $default,)+ }
            }
        }

        impl $crate::spec::described::DescribedSettings for $Name {
            fn keys() -> Vec<$crate::spec::key::SpecKey> {
                let default = $Name::default();
                let keys = [$(
                    $crate::spec::described::described!(@key $($key)?).map(|key: $crate::spec::key::SpecKey| {
                        key.named(stringify!($field), concat!($($help, "\n"),+), &default.$field)
                    }),
                )+];
                keys.into_iter().flatten().collect()
            }

            fn with(mut self, values: &$crate::spec::described::Values) -> Result<Self, $crate::spec::described::SettingsError> {
                $(
                    let name = $crate::spec::key::kebab(stringify!($field));
                    if let Some(value) = values.get(name.as_str()) {
                        self.$field = $crate::spec::described::typed(&name, value)?;
                    }
                )+
                Ok(self)
            }

            fn values(&self) -> Vec<(String, serde_json::Value)> {
                vec![$((
                    $crate::spec::key::kebab(stringify!($field)),
                    serde_json::to_value(&self.$field).expect("settings are JSON"),
                ),)+]
            }
        }
    };
}
pub(crate) use described;

/// The value of a key as its field has it.
pub(crate) fn typed<T: serde::de::DeserializeOwned>(
    name: &str,
    value: &Value,
) -> Result<T, SettingsError> {
    serde_json::from_value(value.clone())
        .map_err(|error| SettingsError::new(format!("{name}: {error}")))
}

/// Why a tournament cannot be described so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct SettingsError {
    /// What is wrong.
    pub what: String,
    /// The way out, if there is one.
    pub hint: Option<String>,
}

impl SettingsError {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        let what = what.into();
        SettingsError { what, hint: None }
    }

    pub(crate) fn hint_at(self, hint: impl Into<String>) -> Self {
        let hint = Some(hint.into());
        SettingsError { hint, ..self }
    }
}

impl From<ScheduleError> for SettingsError {
    fn from(error: ScheduleError) -> Self {
        SettingsError::new(error.to_string()).hint_at(error.hint())
    }
}
