//! The hostile processes of `tests/zoo/processes/`, read from their files: the first lines say what
//! each must get. Playing them is the keeper's.
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "every test file uses another part"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most that the referee's memory may grow by where a file says nothing else, in kilobytes.
const MAX_GROWTH_KB: u64 = 10 * 1024;

/// A hostile bot: a file of the zoo, or one of those that a file stands for.
#[derive(Clone, Debug)]
pub struct Hostile {
    /// The name of its file without the ending; and what it was made for, where there are several.
    pub name: String,
    /// The name of its file without the ending.
    pub file: String,
    pub language: HostileLanguage,
    /// The text, with `@EACH@` filled in.
    pub text: String,
    /// What it may get.
    pub gets: Vec<HostileDue>,
    /// The most time it may take for that, on its own clock.
    pub within: Duration,
    /// The most that the referee's memory may grow by, in kilobytes.
    pub memory_kb: u64,
    /// Whether it takes so much of the machine that others beside it would be late.
    pub alone: bool,
    /// Whether its attack would work without a jail, so that this test can be tested.
    pub trusted: Trusted,
}

/// A fault, and words that its detail has.
#[derive(Clone, Debug)]
pub struct HostileDue {
    pub fault: String,
    pub detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostileLanguage {
    Shell,
    Python,
    C,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trusted {
    /// It would do harm, or nobody knows.
    Untried,
    Works,
    WorksForRoot,
}

impl HostileDue {
    pub fn is(&self, fault: &str, detail: &str) -> bool {
        self.fault == fault && detail.contains(&self.detail)
    }
}

/// The folder of the zoo's processes.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/zoo/processes")
}

/// All of them, in the order of their names.
pub fn all() -> Vec<Hostile> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    files.iter().flat_map(|file| read(file)).collect()
}

/// What a file stands for: one bot, or one for each word after `each`.
fn read(file: &Path) -> Vec<Hostile> {
    let language = match file.extension().and_then(|ending| ending.to_str()) {
        Some("sh") => HostileLanguage::Shell,
        Some("py") => HostileLanguage::Python,
        Some("c") => HostileLanguage::C,
        Some("h") => return Vec::new(),
        _ => panic!("{}: what language is it in?", file.display()),
    };
    let text = fs::read_to_string(file).unwrap();
    let name = file.file_stem().unwrap().to_str().unwrap();
    match said(&text, "each") {
        None => vec![hostile(name, name.to_owned(), language, text)],
        Some(each) => each
            .split_whitespace()
            .map(|each| {
                hostile(
                    name,
                    format!("{name}-{each}"),
                    language,
                    text.replace("@EACH@", each),
                )
            })
            .collect(),
    }
}

fn hostile(file: &str, name: String, language: HostileLanguage, text: String) -> Hostile {
    let number = |what: &str, unit: &str| {
        let number = said(&text, what)?.strip_suffix(unit)?;
        Some(
            number
                .trim()
                .parse::<u64>()
                .unwrap_or_else(|_| panic!("{name}: {what} is no number")),
        )
    };
    let gets = said(&text, "gets")
        .unwrap_or_else(|| panic!("{name}: its file does not say what it must get"));
    let due = |text: &str| {
        let (fault, detail) = text.split_once(", ").unwrap_or((text, ""));
        HostileDue {
            fault: fault.into(),
            detail: detail.into(),
        }
    };
    let within = number("within", "ms")
        .unwrap_or_else(|| panic!("{name}: its file does not say how long it may take"));
    let trusted = match said(&text, "trusted") {
        None => Trusted::Untried,
        Some("works") => Trusted::Works,
        Some("works for root") => Trusted::WorksForRoot,
        Some(other) => panic!("{name}: trusted: {other}?"),
    };
    Hostile {
        gets: gets.split(" or ").map(due).collect(),
        within: Duration::from_millis(within),
        memory_kb: number("memory", "MB").map_or(MAX_GROWTH_KB, |most| most * 1024),
        alone: said(&text, "alone") == Some("yes"),
        trusted,
        file: file.into(),
        name,
        language,
        text,
    }
}

/// What the file's first comments say of this.
fn said<'a>(text: &'a str, what: &str) -> Option<&'a str> {
    let comments = text.lines().take(8).filter_map(|line| {
        let line = line.strip_prefix("# ").or(line.strip_prefix("// "))?;
        line.split_once(": ")
    });
    let mut lines = comments.filter(|(key, _)| *key == what);
    lines.next().map(|(_, said)| said.trim())
}
