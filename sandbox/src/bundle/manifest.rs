//! `bot.toml` and `game.toml`: what a bundle's author says of it.

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::bundle::entry::check_path;
use crate::bundle::error::BundleError;
use crate::bundle::limits::{GAME_MANIFEST, LONGEST_MANIFEST, MANIFEST};
use crate::open_regular::open_no_link;
use crate::suggest::nearest;

/// The least memory that a bot can wish for, in bytes: no runtime starts with less.
pub const MIN_MEMORY: u64 = 4 * 1024 * 1024;

/// The longest name, version or author, in characters.
const LONGEST_TEXT: usize = 100;

/// The most words of a command, files and games, each, and the longest of them, in bytes.
const MAX_WORDS: usize = 1000;
const LONGEST_WORD: usize = 1024;

/// Keys and languages less alike than this are not taken for one another.
const ALIKE: f64 = 0.7;

/// The keys.
const KEYS: [&str; 9] = [
    "name", "version", "author", "language", "main", "command", "files", "games", "memory",
];

/// The units of memory, in bytes.
const UNITS: [(&str, u64); 6] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
];

/// What a `bot.toml` or a `game.toml` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The bot's name.
    pub name: Option<String>,
    /// Its version, in its author's words.
    pub version: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// The language it is written in; without a command it says how the bot is started.
    pub language: Option<String>,
    /// The file that is started.
    pub main: Option<String>,
    /// How it is started: a program of the bundle or of the system, and its arguments.
    pub command: Option<Vec<String>>,
    /// The files and folders that are packed; otherwise all.
    pub files: Option<Vec<String>>,
    /// The games that it plays; empty where it does not say.
    pub games: Vec<String>,
    /// The memory that it wishes for, in bytes.
    pub memory: Option<u64>,
    /// Whether it is a `game.toml`: the bundle is a game, and no bot.
    pub is_game: bool,
}

/// How a bundle is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ManifestRun {
    /// A module of the bundle.
    Module {
        /// Its path.
        path: String,
    },
    /// A program of the bundle.
    Own {
        /// Its path.
        path: String,
        args: Vec<String>,
    },
    /// A program of the machine.
    Program {
        /// Its name, which is looked up as a shell does.
        name: String,
        args: Vec<String>,
        /// The folder of the bundle in which Python finds packages.
        packages: Option<String>,
        /// Whether it is told, by its first argument, how large its heap may be; see [`heap_of`](super::run::heap_of).
        has_heap: bool,
    },
}

impl ManifestRun {
    /// A program of the machine that is told nothing of its heap.
    pub(crate) fn program(name: &str, args: &[String], packages: Option<String>) -> Self {
        ManifestRun::Program {
            name: name.into(),
            args: args.to_vec(),
            packages,
            has_heap: false,
        }
    }
}

impl Manifest {
    /// Reads that of a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, BundleError> {
        let is_there = |name: &&str| folder.join(name).symlink_metadata().is_ok();
        let name = [MANIFEST, GAME_MANIFEST].into_iter().find(is_there);
        let name = name.ok_or(BundleError::NoManifest)?;
        let path = &folder.join(name);
        let failed = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => BundleError::NoManifest,
            _ => BundleError::io(path)(error),
        };
        let file = open_no_link(path).map_err(failed)?;
        let mut bytes = Vec::new();
        let read = file.take(LONGEST_MANIFEST + 1).read_to_end(&mut bytes);
        read.map_err(BundleError::io(path))?;
        Manifest::parse(&bytes, name)
    }

    /// Understands the bytes of the file of this name.
    pub(crate) fn parse(bytes: &[u8], name: &str) -> Result<Self, BundleError> {
        let mut manifest = Manifest {
            is_game: name == GAME_MANIFEST,
            ..Manifest::default()
        };
        let file = manifest.file();
        if bytes.len() as u64 > LONGEST_MANIFEST {
            return Err(BundleError::LongManifest { file });
        }
        let wrong = |what: &str, hint| manifest_error(file, what, hint);
        let text = std::str::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8", None))?;
        let table = DeTable::parse(text).map_err(|error| {
            let line = line(text, error.span().unwrap_or(text.len()..text.len()));
            let message = error.message().replace('\n', ", ");
            wrong(&format!("line {line} is not TOML: {message}"), None)
        })?;
        for (key, value) in table.into_inner() {
            let at = line(text, key.span());
            let taken = manifest.set(key.get_ref(), value);
            taken.map_err(|(what, hint)| wrong(&format!("line {at}: {what}"), hint))?;
        }
        manifest.check()?;
        Ok(manifest)
    }

    /// The name of its file.
    pub(crate) fn file(&self) -> &'static str {
        match self.is_game {
            true => GAME_MANIFEST,
            false => MANIFEST,
        }
    }

    /// It does not go with what is in the bundle.
    pub(crate) fn wrong(&self, what: impl Into<String>, hint: Option<String>) -> BundleError {
        manifest_error(self.file(), what, hint)
    }

    fn set(&mut self, key: &str, value: Spanned<DeValue<'_>>) -> Result<(), ManifestError> {
        match key {
            "name" => self.name = Some(text(key, value)?),
            "version" => self.version = Some(text(key, value)?),
            "author" => self.author = Some(text(key, value)?),
            "language" => self.language = Some(text(key, value)?),
            "main" => self.main = Some(path(key, &text(key, value)?)?),
            "command" => self.command = Some(words(key, value)?),
            "games" => self.games = words(key, value)?,
            "files" => {
                let files = words(key, value)?;
                let files = files.iter().map(|file| path(key, file));
                self.files = Some(files.collect::<Result<_, _>>()?);
            }
            "memory" => self.memory = Some(memory(&text(key, value)?)?),
            _ => return Err(unknown(key)),
        }
        Ok(())
    }

    /// Whether the keys go together.
    fn check(&self) -> Result<(), BundleError> {
        let (what, hint) = match (&self.command, &self.language) {
            (Some(_), _) if self.main.is_some() => (
                "there is a command, and main as well".into(),
                Some("leave one of them out".into()),
            ),
            (Some(command), _) if command.is_empty() => {
                for_example("command", "command is empty".into())
            }
            (Some(command), _) if !is_program(&command[0]) => {
                let what = format!(
                    "command begins with {:?}, which names no program",
                    command[0]
                );
                for_example("command", what)
            }
            (None, None) => for_example(
                "language",
                "it says neither a language nor a command".into(),
            ),
            _ => return Ok(()),
        };
        Err(self.wrong(what, hint))
    }
}

/// What is wrong, and the way out.
pub(crate) type ManifestError = (String, Option<String>);

fn manifest_error(
    file: &'static str,
    what: impl Into<String>,
    hint: Option<String>,
) -> BundleError {
    let what = what.into();
    BundleError::Manifest { file, what, hint }
}

fn line(text: &str, span: Range<usize>) -> usize {
    text.get(..span.start).unwrap_or(text).matches('\n').count() + 1
}

fn unknown(key: &str) -> ManifestError {
    let hint = match nearly(key, KEYS.into_iter()) {
        Some(nearest) => format!("did you mean {nearest}?"),
        None => format!("the keys are {}", KEYS.join(", ")),
    };
    (format!("there is no key {key:?}"), Some(hint))
}

/// The word that is nearly this one.
pub(crate) fn nearly(
    word: &str,
    known: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    nearest(&word.to_lowercase(), known, ALIKE)
}

/// Whether a word may name a program: `--help` and such are arguments of one.
fn is_program(word: &str) -> bool {
    !word.trim().is_empty() && !word.starts_with('-') && !word.chars().any(char::is_control)
}

fn text(key: &str, value: Spanned<DeValue<'_>>) -> Result<String, ManifestError> {
    let read = String::deserialize(ValueDeserializer::from(value));
    let text = read.map_err(|_| for_example(key, format!("{key} is a text")))?;
    let plain = !text.trim().is_empty() && !text.chars().any(char::is_control);
    if !plain || text.chars().count() > LONGEST_TEXT {
        let what = format!("{key} is a line of 1 to {LONGEST_TEXT} characters");
        return Err((what, None));
    }
    Ok(text)
}

fn words(key: &str, value: Spanned<DeValue<'_>>) -> Result<Vec<String>, ManifestError> {
    let read = Vec::<String>::deserialize(ValueDeserializer::from(value));
    let words = read.map_err(|_| for_example(key, format!("{key} is a list of texts")))?;
    let fits = |word: &String| word.len() <= LONGEST_WORD && !word.contains('\0');
    if words.len() > MAX_WORDS || !words.iter().all(fits) {
        let what = format!("{key} has at most {MAX_WORDS} texts of {LONGEST_WORD} bytes");
        return Err((what, None));
    }
    Ok(words)
}

/// What is wrong with the value of a key, with an example of a right one.
fn for_example(key: &str, what: String) -> ManifestError {
    let example = match key {
        "name" => "name = \"greedy\"",
        "version" => "version = \"1.2\"",
        "author" => "author = \"Ada\"",
        "language" => "language = \"python\"",
        "main" => "main = \"bot.py\"",
        "command" => "command = [\"python3\", \"bot.py\"]",
        "files" => "files = [\"bot.py\", \"weights\"]",
        "games" => "games = [\"flipfour\"]",
        _ => "memory = \"128 MiB\"",
    };
    (what, Some(format!("for example {example}")))
}

/// A path in the bundle, in the form that entries have.
fn path(key: &str, text: &str) -> Result<String, ManifestError> {
    let path = plain(text);
    check_path(path).map_err(|error| (format!("{key}: {error}"), None))?;
    Ok(path.into())
}

/// A path without what people put around it.
pub(crate) fn plain(path: &str) -> &str {
    let path = path.strip_prefix("./").unwrap_or(path);
    path.strip_suffix('/').unwrap_or(path)
}

fn memory(text: &str) -> Result<u64, ManifestError> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = UNITS.iter().find(|(name, _)| *name == unit.trim());
    let bytes = number
        .parse::<u64>()
        .ok()
        .zip(unit)
        .and_then(|(number, (_, unit))| number.checked_mul(*unit));
    let what = match bytes {
        Some(bytes) if bytes >= MIN_MEMORY => return Ok(bytes),
        Some(_) => format!("memory is at least {} MiB", MIN_MEMORY >> 20),
        None => "memory is a number with a unit".into(),
    };
    Err(for_example("memory", what))
}
