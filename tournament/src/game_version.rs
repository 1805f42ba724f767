//! Which game of an arena: the id that its program says, and the version in the arena.

use std::fmt;
use std::str::FromStr;

use crate::limits::MAX_VERSIONS;

/// A version of a game of an arena. As text it is `nim@2`, as settings and records name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GameVersion {
    /// The id that its program says.
    pub name: String,
    /// Its version, counted from 1 by name.
    pub version: u32,
}

/// The id of a game as a part of a name, which has no `@`: `nim@2` is `nim.2`. No id has a dot, so no two become one.
pub fn game_in_names(id: &str) -> String {
    id.replace('@', ".")
}

/// A text that is no version of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no game with a version, such as nim@2")]
pub struct GameVersionError;

impl fmt::Display for GameVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

impl FromStr for GameVersion {
    type Err = GameVersionError;

    fn from_str(text: &str) -> Result<Self, GameVersionError> {
        let (name, version) = text.split_once('@').ok_or(GameVersionError)?;
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_letter);
        let number = version.parse().map_err(|_| GameVersionError)?;
        // What is read is written so.
        let is_plain = version == u32::to_string(&number) && (1..=MAX_VERSIONS).contains(&number);
        if !is_plain || !name.split('-').all(is_word) {
            return Err(GameVersionError);
        }
        Ok(GameVersion {
            name: name.to_owned(),
            version: number,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_have_the_version_of_a_game() {
        assert_eq!(game_in_names("nim@12"), "nim.12");
        assert_eq!(game_in_names("flipflop-3x3"), "flipflop-3x3");
        assert!(
            format!("ladder-{}", game_in_names("nim@12"))
                .parse::<crate::Name>()
                .is_ok()
        );
    }

    #[test]
    fn only_an_id_with_a_version_is_one() {
        for text in ["nim@1", "a-2@1000000", "9@12"] {
            let version: GameVersion = text.parse().unwrap();
            assert_eq!(version.to_string(), text);
        }
        for text in [
            "",
            "nim",
            "@1",
            "nim@",
            "nim@0",
            "nim@01",
            "nim@+1",
            "nim@1000001",
            "nim@1@2",
            "Nim@1",
            "../nim@1",
            "a--b@1",
            "-a@1",
            "nim@1 ",
            "nim@-1",
            "n\u{e4}m@1",
        ] {
            assert!(text.parse::<GameVersion>().is_err(), "{text:?}");
        }
    }
}
