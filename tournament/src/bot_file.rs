//! Where a bot's program lies. Only this type becomes a path, so that no text of a journal, an archive, a backup or
//! another machine ever does.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use flipside_referee::is_hex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands in front of the name of a bot that is built in.
pub const SAMPLE_PREFIX: &str = "sample:";

/// The ending of a packed bundle.
pub const BUNDLE_ENDING: &str = ".tar.zst";

/// The most bytes of the name of a bot that is built in, with its parameters.
const LONGEST_SAMPLE: usize = 256;

/// Where a bot's program lies. As text it is the name of the file, or `sample:NAME`.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize, Deserialize,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum BotFile {
    /// It is a file in a folder of bots, named by what it holds.
    Stored {
        /// The SHA-256 of the file, or of what a bundle holds: 64 lowercase hexadecimal digits.
        sha256: String,
        /// What kind of file it is.
        form: FileForm,
    },
    /// It is built into Flipside: the name with its parameters, without [`SAMPLE_PREFIX`].
    BuiltIn(String),
}

/// What kind of file a bot's is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileForm {
    /// An executable or a script.
    Program,
    /// A WebAssembly module.
    Module,
    /// The text of a WebAssembly module.
    ModuleText,
    /// A packed bundle.
    Bundle,
}

/// A text that names no file of a bot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the name of a bot's file")]
pub struct BotFileError(String);

impl FileForm {
    const ALL: [FileForm; 4] = [
        FileForm::Program,
        FileForm::Module,
        FileForm::ModuleText,
        FileForm::Bundle,
    ];

    /// The ending of such a file's name.
    pub fn ending(self) -> &'static str {
        match self {
            FileForm::Program => "",
            FileForm::Module => ".wasm",
            FileForm::ModuleText => ".wat",
            FileForm::Bundle => BUNDLE_ENDING,
        }
    }
}

impl BotFile {
    /// Its path, if it is stored in this folder; none if it is built in.
    pub fn path_in(&self, folder: &Path) -> Option<PathBuf> {
        match self {
            BotFile::Stored { .. } => Some(folder.join(self.to_string())),
            BotFile::BuiltIn(_) => None,
        }
    }

    /// The SHA-256 of the program, hexadecimal; none if it is built in.
    pub fn sha256(&self) -> Option<&str> {
        match self {
            BotFile::Stored { sha256, .. } => Some(sha256),
            BotFile::BuiltIn(_) => None,
        }
    }

    /// What kind of file it is; none if it is built in.
    pub fn form(&self) -> Option<FileForm> {
        match self {
            BotFile::Stored { form, .. } => Some(*form),
            BotFile::BuiltIn(_) => None,
        }
    }
}

impl fmt::Display for BotFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BotFile::Stored { sha256, form } => write!(f, "{sha256}{}", form.ending()),
            BotFile::BuiltIn(name) => write!(f, "{SAMPLE_PREFIX}{name}"),
        }
    }
}

impl FromStr for BotFile {
    type Err = BotFileError;

    fn from_str(text: &str) -> Result<Self, BotFileError> {
        let wrong = || BotFileError(text.chars().take(LONGEST_SAMPLE).collect());
        if let Some(name) = text.strip_prefix(SAMPLE_PREFIX) {
            let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"/\\".contains(&byte);
            let fits = (1..=LONGEST_SAMPLE).contains(&name.len()) && name.bytes().all(is_plain);
            return match fits {
                true => Ok(BotFile::BuiltIn(name.into())),
                false => Err(wrong()),
            };
        }
        let (sha256, ending) = text.split_at_checked(64).ok_or_else(wrong)?;
        let form = FileForm::ALL.into_iter().find(|it| it.ending() == ending);
        match form.filter(|_| is_sha256(sha256)) {
            Some(form) => Ok(BotFile::Stored {
                sha256: sha256.into(),
                form,
            }),
            None => Err(wrong()),
        }
    }
}

impl TryFrom<String> for BotFile {
    type Error = BotFileError;

    fn try_from(text: String) -> Result<Self, BotFileError> {
        text.parse()
    }
}

impl From<BotFile> for String {
    fn from(file: BotFile) -> Self {
        file.to_string()
    }
}

/// Whether a text is a SHA-256, hexadecimal.
pub fn is_sha256(text: &str) -> bool {
    is_hex(text, 32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HASH: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn the_name_of_a_file_survives_its_text() {
        let files = FileForm::ALL.map(|form| format!("{HASH}{}", form.ending()));
        let built_in = ["sample:greedy", "sample:mcts:playouts=200,seed=3"].map(String::from);
        for text in files.into_iter().chain(built_in) {
            let file: BotFile = text.parse().unwrap();
            assert_eq!(file.to_string(), text);
            assert_eq!(serde_json::to_string(&file).unwrap(), format!("{text:?}"));
        }
    }

    #[test]
    fn what_is_built_in_has_no_path() {
        let file: BotFile = "sample:greedy".parse().unwrap();
        assert_eq!(file.path_in(Path::new("bots")), None);
    }

    #[test]
    fn no_text_from_outside_names_another_file() {
        for text in [
            "",
            ".",
            "..",
            "canary",
            "../canary",
            "/canary",
            "sample:",
            "sample:../canary",
            "sample:a b",
            "sample:a\n",
            &HASH[1..],
            &HASH.to_uppercase(),
            &format!("{HASH}/../canary"),
            &format!("{HASH}.exe"),
            &format!("{HASH}.wasm/"),
            &format!("../{HASH}.wasm"),
            &format!("{HASH}\0"),
            &format!("sample:{}", "a".repeat(LONGEST_SAMPLE + 1)),
            &format!("{}ä", &HASH[1..]),
        ] {
            assert!(text.parse::<BotFile>().is_err(), "{text:?}");
            let json = serde_json::to_string(text).unwrap();
            assert!(serde_json::from_str::<BotFile>(&json).is_err(), "{text:?}");
        }
    }

    proptest! {
        /// Whatever the text, the path that it becomes is one of a file directly in the folder.
        #[test]
        fn a_path_stays_in_its_folder(text in r"(?s)(\.\./|/|sample:|[0-9a-f]{64}|[0-9a-f]{63})?.{0,70}") {
            if let Ok(file) = text.parse::<BotFile>()
                && let Some(path) = file.path_in(Path::new("bots")) {
                prop_assert_eq!(path.parent(), Some(Path::new("bots")));
                prop_assert_eq!(path.components().count(), 2);
            }
        }
    }
}
