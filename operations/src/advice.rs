//! What a person is told of a bot that failed: what happened, what to do about it, and what the bot wrote.
//!
//! The referee says what it saw. Here, the machine is looked at as well: a file that a jailed bot does not find may lie
//! beside it, and a package may be installed for this user only.

use std::fs;
use std::path::{Path, PathBuf};

use flipside_games::GAMES;
use flipside_referee::{Fault, FaultKind};
use flipside_report::plain_line;
use flipside_sandbox::similar_program;
use flipside_tournament::BUNDLE_ENDING;

use crate::programs::Processes;

/// How many lines of a bot's standard error are told with its fault.
pub const MAX_STDERR_LINES: usize = 20;

/// How many folders of packages are looked into.
const MAX_SITES: usize = 32;

/// What each runtime writes when a module is missing: the words before its name, and what the name ends before.
const MISSING_MODULE: [(&str, char); 2] =
    [("No module named '", '\''), ("Cannot find module '", '\'')];

/// What each runtime writes when a file is missing: the same.
const MISSING_FILE: [(&str, char); 4] = [
    ("No such file or directory: '", '\''),
    ("no such file or directory, open '", '\''),
    ("FileNotFoundException: ", ' '),
    ("open ", ':'),
];

/// What a bot writes that cannot write a file.
const NOT_WRITTEN: [&str; 4] = [
    "Read-only file system",
    "EROFS",
    "read-only file system",
    "os error 30",
];

const BUNDLE: &str = "make the bot a bundle, a folder with a bot.toml as `flipside new` makes one, and type the folder's name \
                      in place of the file's";
const ASK_FOR_ACTIONS: &str =
    "answer `hello` with \"actions\":true, and every turn lists the legal actions";
const FIELDS: &str = "its fields are id, clocks and view, and actions or events if `ready` asks for them; `flipside schema GAME \
                      --example` prints real messages";
const LOGS: &str = "log to standard error, which `flipside match --show-stderr` prints; in the jail, only the folder \
                    $TMPDIR can be written, and it is removed after the match";

/// What is told of a bot's fault, in lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultReport {
    /// The fault, in one line.
    pub fault: String,
    /// What to do.
    pub hints: Vec<String>,
    /// What the bot wrote that shows it.
    pub evidence: Option<String>,
    /// The last lines of its standard error.
    pub stderr: Vec<String>,
    /// How many lines there were before them.
    pub more_stderr: usize,
}

impl FaultReport {
    /// Returns the report on a fault of the bot in this file, which ran so. What bots wrote is made plain.
    pub fn of(fault: &Fault, file: Option<&Path>, processes: Processes) -> Self {
        let mut hints = surroundings(&fault.stderr, file, processes);
        let is_known = !hints.is_empty();
        hints.extend(missing_field(&fault.stderr));
        if !is_known || fault.kind != FaultKind::Closed {
            hints.extend(fault.hint.map(String::from));
        }
        let mut lines: Vec<String> = fault.stderr.lines().map(plain_line).collect();
        // The fault quotes the line that tells most, which may be all there is.
        if matches!(&lines[..], [only] if fault.detail.contains(only)) {
            lines.clear();
        }
        let more_stderr = lines.len().saturating_sub(MAX_STDERR_LINES);
        FaultReport {
            fault: plain_line(&fault.to_string()),
            hints,
            evidence: fault.evidence.as_deref().map(plain_line),
            stderr: lines[more_stderr..].to_vec(),
            more_stderr,
        }
    }

    /// Returns what stands below the fault: hints, and what the bot wrote.
    pub fn lines(&self) -> Vec<String> {
        let hints = self.hints.iter().map(|hint| format!("hint: {hint}"));
        hints.chain(self.wrote()).collect()
    }

    /// Returns what the bot wrote, in lines.
    pub(crate) fn wrote(&self) -> Vec<String> {
        let evidence = self.evidence.iter();
        let mut lines: Vec<String> = evidence.map(|text| format!("it wrote: {text}")).collect();
        if self.more_stderr > 0 {
            lines.push(format!(
                "stderr: ({} lines before these; `flipside match --show-stderr` prints all)",
                self.more_stderr
            ));
        }
        lines.extend(self.stderr.iter().map(|line| format!("stderr: {line}")));
        lines
    }

    /// Returns what it says without what differs from game to game: numbers, and this game's name.
    pub(crate) fn likeness(&self, game: &str) -> String {
        let text = format!("{} {:?} {:?}", self.fault, self.hints, self.stderr);
        without_numbers(&text.replace(game, "GAME"))
    }

    /// Returns the same with another path in place of one that nobody typed.
    pub(crate) fn with_path(mut self, path: &Path, typed: &Path) -> Self {
        let (path, typed) = (path.display().to_string(), typed.display().to_string());
        let texts = self.hints.iter_mut().chain(&mut self.stderr);
        let texts = texts.chain(&mut self.evidence);
        for text in texts.chain([&mut self.fault]) {
            *text = text.replace(&path, &typed);
        }
        self
    }
}

/// Returns what a bot's standard error says about its surroundings, also where it had no fault: that it cannot write a
/// file.
pub(crate) fn cannot_write(stderr: &str) -> Option<String> {
    let line = stderr
        .lines()
        .find(|line| NOT_WRITTEN.iter().any(|word| line.contains(word)))?;
    Some(format!(
        "it cannot write a file: {}",
        plain_line(line.trim())
    ))
}

/// What to do about what a bot did not find or could not write.
fn surroundings(stderr: &str, file: Option<&Path>, processes: Processes) -> Vec<String> {
    if cannot_write(stderr).is_some() {
        return vec![LOGS.into()];
    }
    if let Some(library) = named(stderr, "loading shared libraries: ", ':') {
        return vec![format!(
            "link {library} statically, or put it into a bundle: a jailed bot sees the libraries of /usr/lib only"
        )];
    }
    let first = |all: &[(&str, char)]| {
        let mut all = all.iter();
        all.find_map(|(words, end)| named(stderr, words, *end))
    };
    if let Some(program) = first(&[("env: '", '\''), ("env: ‘", '’')]) {
        return vec![not_in_path(&program)];
    }
    if let Some(module) = first(&MISSING_MODULE) {
        return missing_module(&module, file);
    }
    match first(&MISSING_FILE).or_else(|| named_before(stderr, ": No such file")) {
        Some(missing) if stderr.to_lowercase().contains("no such file") => {
            missing_file(&missing, file, processes)
        }
        _ => Vec::new(),
    }
}

/// What to do if the last field that a bot in Python did not find is meant to be one of a message.
fn missing_field(stderr: &str) -> Option<String> {
    let (_, rest) = stderr.rsplit_once("KeyError: '")?;
    let field = plain_line(rest.split(['\'', '\n']).next()?);
    Some(if field == "actions" {
        ASK_FOR_ACTIONS.into()
    } else {
        format!("if '{field}' is meant as a field of a turn: {FIELDS}")
    })
}

/// The last word before these words.
fn named_before(stderr: &str, words: &str) -> Option<String> {
    let (before, _) = stderr.split_once(words)?;
    let name = before.split_whitespace().next_back()?;
    Some(plain_line(name.trim_matches(['\'', '"', '‘', '’'])))
}

/// The name between these words and this character.
fn named(stderr: &str, words: &str, end: char) -> Option<String> {
    let (_, rest) = stderr.split_once(words)?;
    let name = rest.split([end, '\n']).next()?.trim();
    (!name.is_empty()).then(|| plain_line(name))
}

fn not_in_path(program: &str) -> String {
    let hint = format!(
        "{program} is not in the PATH of a jailed bot: install it in /usr/bin, or correct the script's first line"
    );
    match similar_program(program) {
        Some(similar) => format!("did you mean {similar}? {hint}"),
        None => hint,
    }
}

fn missing_module(module: &str, file: Option<&Path>) -> Vec<String> {
    let first = module
        .trim_start_matches("./")
        .split(['.', '/'])
        .next()
        .unwrap_or(module);
    let names = [first, &format!("{first}.py"), &format!("{first}.js")];
    if let Some(hint) = beside(file, &names) {
        return vec![hint];
    }
    let hint = match user_site(first) {
        Some(site) => format!(
            "{first} is installed for your user only (in {}), where no bot sees it: install it for all users, or put \
             it into a bundle, a folder with a bot.toml",
            site.display()
        ),
        None => format!(
            "is {first} the right name? it is not installed for all users: install it, or put it into a bundle, \
             a folder with a bot.toml"
        ),
    };
    vec![hint]
}

fn missing_file(missing: &str, file: Option<&Path>, processes: Processes) -> Vec<String> {
    let name = Path::new(missing)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    match beside(file, &[missing, &name]) {
        Some(hint) => vec![hint],
        None if processes.trust => Vec::new(),
        None if file.is_some_and(is_bundle) => vec![format!(
            "the bundle has no file {missing}, and a jailed bot sees only its bundle and the system's files"
        )],
        None => vec![format!(
            "there is no file {missing} beside the bot, and a jailed bot sees only its own files and the system's; to \
             give it the file, {BUNDLE}"
        )],
    }
}

/// Whether a bot is a folder or a packed bundle.
fn is_bundle(bot: &Path) -> bool {
    bot.is_dir() || bot.to_string_lossy().ends_with(BUNDLE_ENDING)
}

/// What to do about the first of these names that lies beside the bot's file, or in its bundle's folder.
fn beside(file: Option<&Path>, names: &[&str]) -> Option<String> {
    let file = file?;
    let folder = match file {
        folder if folder.is_dir() => folder,
        packed if is_bundle(packed) => return None,
        file => file.parent()?,
    };
    let there = |name: &&&str| !name.is_empty() && folder.join(name).exists();
    let name = names.iter().find(there)?;
    Some(if is_bundle(file) {
        format!(
            "{name} is in the bundle's folder: does `files` in bot.toml name it, and does the bot look for it there?"
        )
    } else {
        format!("{name} lies beside the bot, and a bot sees only its own file: {BUNDLE}")
    })
}

/// Where this user has a Python package that others do not see.
fn user_site(package: &str) -> Option<PathBuf> {
    let library = PathBuf::from(std::env::var_os("HOME")?).join(".local/lib");
    let versions = fs::read_dir(library).ok()?.take(MAX_SITES);
    let sites = versions.filter_map(|entry| Some(entry.ok()?.path().join("site-packages")));
    let has_it =
        |site: &PathBuf| site.join(package).exists() || site.join(format!("{package}.py")).exists();
    { sites }.find(has_it)
}

/// Whether what a bot wrote names a game: this one, or a built-in one that it may play in its stead. A bot that ends so
/// does not play the game; one that ends without a word about it has failed.
pub(crate) fn names_game(stderr: &str, game: &str) -> bool {
    let in_a_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let is_name = |word: &str| word == game || GAMES.iter().any(|known| known.info().id == word);
    stderr.split(|c| !in_a_word(c)).any(is_name)
}

/// A text without its digits: times differ from match to match.
pub(crate) fn without_numbers(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}
