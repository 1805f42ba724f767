//! Names of bots and tournaments, parsed at the door.

use std::fmt;
use std::str::FromStr;

use flipside_protocol::LONGEST_NAME;
use schemars::JsonSchema;
use serde::de::{IntoDeserializer, value};
use serde::{Deserialize, Serialize};

/// The name of a bot or a tournament: letters, digits, `.`, `_` and `-`, so that it can stand in a
/// file name, an address and a table.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize, Deserialize,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = Name::pattern()))]
pub struct Name(String);

/// A bot as people call it: `NAME`, the latest version, or `NAME@VERSION`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotRef {
    /// The name.
    pub name: Name,
    /// The version; none: the latest.
    pub version: Option<u32>,
}

/// Why a text is not a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Not the name of a bot or a tournament.
    #[error(
        "{0:?} is not a name; a name is 1 to {LONGEST_NAME} letters, digits, '.', '_' or '-', \
         beginning with a letter or a digit"
    )]
    Name(String),
    /// What stands behind the `@` is not a version.
    #[error("{0:?} is not a version; versions count 1, 2, 3 …, as in greedy@2")]
    Version(String),
}

/// A plain text of somebody's: at most `MAX` characters in at most `LINES` lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Text<const MAX: usize, const LINES: usize>(String);

/// Why a text cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// Nothing, or too much of it.
    #[error("a text of 1 to {max} characters, not of {is}")]
    Length {
        /// The most characters.
        max: usize,
        /// How many it has.
        is: usize,
    },
    /// Too many lines.
    #[error("a text of at most {max} lines, not of {is}")]
    Lines {
        /// The most lines.
        max: usize,
        /// How many it has.
        is: usize,
    },
    /// A character that a terminal would obey.
    #[error("a text without control characters, not with {0:?}")]
    Control(char),
}

impl<const MAX: usize, const LINES: usize> Text<MAX, LINES> {
    /// The most characters.
    pub const MAX_CHARS: usize = MAX;

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize, const LINES: usize> FromStr for Text<MAX, LINES> {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let text = text.trim();
        let (length, lines) = (text.chars().count(), text.lines().count());
        if !(1..=MAX).contains(&length) {
            let (max, is) = (MAX, length);
            return Err(TextError::Length { max, is });
        }
        if lines > LINES {
            let (max, is) = (LINES, lines);
            return Err(TextError::Lines { max, is });
        }
        match text.chars().find(|&c| c.is_control() && c != '\n') {
            Some(control) => Err(TextError::Control(control)),
            None => Ok(Text(text.into())),
        }
    }
}

impl<const MAX: usize, const LINES: usize> TryFrom<String> for Text<MAX, LINES> {
    type Error = TextError;

    fn try_from(text: String) -> Result<Self, TextError> {
        text.parse()
    }
}

impl<const MAX: usize, const LINES: usize> From<Text<MAX, LINES>> for String {
    fn from(text: Text<MAX, LINES>) -> String {
        text.0
    }
}

impl Name {
    /// The regular expression of a name.
    pub fn pattern() -> String {
        format!("^[A-Za-z0-9][A-Za-z0-9._-]{{0,{}}}$", LONGEST_NAME - 1)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let first_fits = text.starts_with(|first: char| first.is_ascii_alphanumeric());
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if !first_fits || text.len() > LONGEST_NAME || !text.bytes().all(fits) {
            return Err(NameError::Name(head(text)));
        }
        Ok(Name(text.into()))
    }
}

impl FromStr for BotRef {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let (name, version) = match text.split_once('@') {
            None => (text, None),
            Some((name, version)) => (name, Some(version)),
        };
        let number = |version: &str| match version.parse::<u32>() {
            // `+2` and `02` would be second ways to write 2.
            Ok(number) if number >= 1 && number.to_string() == version => Ok(number),
            _ => Err(NameError::Version(head(version))),
        };
        let name = name.parse()?;
        let version = version.map(number).transpose()?;
        Ok(BotRef { name, version })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for BotRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            Some(version) => write!(f, "{}@{version}", self.name),
            None => write!(f, "{}", self.name),
        }
    }
}

impl TryFrom<String> for Name {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.0
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The beginning of a text, for a message.
pub(crate) fn head(text: &str) -> String {
    text.chars().take(80).collect()
}

/// The name that somebody may have meant; of those that are as much alike, the last.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Less alike than this is another name.
    const ALIKE: f64 = 0.7;
    let wanted = wanted.to_lowercase();
    let alike = |name: &str| strsim::normalized_damerau_levenshtein(&wanted, &name.to_lowercase());
    let rated = names.into_iter().map(|name| (alike(name), name));
    let best = rated.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(alike, _)| *alike >= ALIKE)
        .map(|(_, name)| name)
}

/// The variant of this name.
pub(crate) fn word<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    let read: Result<T, value::Error> = T::deserialize(text.into_deserializer());
    read.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_to_its_limits() {
        let read = |text: &str| text.parse::<Text<5, 2>>();
        for text in ["a", "übung", "a b", "a\nb"] {
            assert_eq!(read(text).unwrap().as_str(), text);
        }
        assert_eq!(read(" cup \n").unwrap().as_str(), "cup");
        assert_eq!(read("  "), Err(TextError::Length { max: 5, is: 0 }));
        assert_eq!(read("abcdef"), Err(TextError::Length { max: 5, is: 6 }));
        assert_eq!(read("a\nb\nc"), Err(TextError::Lines { max: 2, is: 3 }));
        for control in ['\u{1b}', '\r', '\t', '\u{9b}'] {
            assert_eq!(
                read(&format!("a{control}b")),
                Err(TextError::Control(control))
            );
        }
        assert!(serde_json::from_str::<Text<5, 2>>("\"abcdef\"").is_err());
    }

    #[test]
    fn a_name_prints_as_it_reads() {
        for text in ["a", "greedy", "Greedy-2.1_beta", "7up", &"x".repeat(64)] {
            assert_eq!(text.parse::<Name>().unwrap().to_string(), text);
        }
        for text in ["greedy", "greedy@1", "g@4294967295"] {
            assert_eq!(text.parse::<BotRef>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_could_leave_a_folder_or_break_a_line_is_no_name() {
        let long = "x".repeat(65);
        for text in [
            "", ".", "..", "-v", "_", "a/b", "a\\b", "a b", "a\n", "ä", "a@1", &long,
        ] {
            assert!(text.parse::<Name>().is_err(), "{text:?}");
        }
        let json = serde_json::from_str::<Name>("\"../a\"");
        assert!(json.unwrap_err().to_string().contains("is not a name"));
    }

    #[test]
    fn a_version_counts_from_one_and_is_written_in_one_way() {
        for text in [
            "a@",
            "a@0",
            "a@01",
            "a@+1",
            "a@-1",
            "a@1.0",
            "a@4294967296",
            "a@1@1",
            "@1",
        ] {
            assert!(text.parse::<BotRef>().is_err(), "{text:?}");
        }
    }
}
