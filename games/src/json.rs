//! JSON and schemas of types that serde does not derive.

use serde::Serialize;

/// Implements an inlined JSON Schema for a type.
macro_rules! inline_schema {
    ($type:ty $(where [$($generic:tt)+])?, $schema:expr) => {
        #[cfg(feature = "schema")]
        impl$(<$($generic)+>)? schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $schema
            }
        }
    };
}

/// Implements JSON for types with a text form: a string that matches a regular expression.
macro_rules! text_json {
    ($($type:ty: $pattern:expr,)+) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        $crate::json::inline_schema!(
            $type,
            schemars::json_schema!({ "type": "string", "pattern": $pattern })
        );
    )+};
}

/// Defines an enum whose variants have the same names in texts and in JSON.
macro_rules! named {
    (
        $(#[$about:meta])*
        pub enum $type:ident { $($(#[$doc:meta])* $variant:ident = $name:tt,)+ }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $type {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)+
        }

        impl $type {
            /// Returns the name that the rules use.
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }
    };
}

pub(crate) use {inline_schema, named, text_json};

/// Appends the JSON of a number or of few numbers.
pub(crate) fn write_field(value: &impl Serialize, out: &mut Vec<u8>) {
    serde_json::to_writer(out, value).expect("numbers are always JSON");
}
