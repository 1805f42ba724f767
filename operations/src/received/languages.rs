//! The languages of source files: those whose programs need no build, and those whose programs are built before they come.

use crate::failure::Failure;

/// A language whose programs need no build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLanguage {
    /// As manifests and kits name it.
    pub(super) id: &'static str,
    /// The endings of its files.
    endings: &'static [&'static str],
    /// The files that are started where several are there, the first that is there.
    pub(super) mains: &'static [&'static str],
}

/// Those that are known.
pub(super) const SOURCES: [SourceLanguage; 2] = [
    SourceLanguage {
        id: "python",
        endings: &["py"],
        mains: &["bot.py", "main.py", "__main__.py"],
    },
    SourceLanguage {
        id: "javascript",
        endings: &["js", "mjs"],
        mains: &["bot.js", "bot.mjs", "index.js", "main.js"],
    },
];

/// Languages whose programs are built before they come, with the endings of their source files.
pub(super) const BUILT: [(&str, &[&str]); 6] = [
    ("C", &["c", "h"]),
    ("C++", &["cc", "cpp", "cxx", "hpp"]),
    ("Go", &["go"]),
    ("Java", &["java"]),
    ("Rust", &["rs"]),
    ("C#", &["cs"]),
];

impl SourceLanguage {
    /// That of a file of this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        let ending = ending(name);
        let found = SOURCES.iter().find(|one| one.endings.contains(&&*ending));
        found.copied()
    }
}

/// The language of a source file that must be built.
pub(super) fn built_language(name: &str) -> Option<&'static str> {
    let ending = ending(name);
    let found = BUILT
        .iter()
        .find(|(_, endings)| endings.contains(&&*ending));
    found.map(|(language, _)| *language)
}

/// The ending of a name in small letters, without its point.
fn ending(name: &str) -> String {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending.unwrap_or_default().to_ascii_lowercase()
}

/// There is source code, which the arena does not build.
pub(super) fn source_only(language: &str) -> Failure {
    let what = format!("this is source code in {language}, and the arena builds nothing");
    let hint = "build it on your computer, and submit the program that comes out, alone or in a zip of its folder";
    Failure::usage(what).hint(hint)
}
