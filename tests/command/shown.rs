//! What a person sees of the command, for inline snapshots.

use std::path::Path;

use regex_lite::Regex;

use crate::common::{TestRun, run};

/// What differs from run to run and from machine to machine, and what stands for it.
const DIFFERS: [(&str, &str); 14] = [
    // Long work tells now and then how far it is.
    (r"(?m)^\d+ of \d+ [a-z ]+, [0-9.]+ a second, .* left\n", ""),
    (r"/tmp/\.tmp[0-9A-Za-z]{6}", "FOLDER"),
    (r"\b[0-9a-f]{64}\b", "HASH"),
    (r"\b[0-9a-f]{16}\b", "ID"),
    (r"\b(flipflop-3x3|flipfour)-[0-9a-f]{8}\b", "$1-ID"),
    (r#""clocks":\[[0-9,]*\]"#, r#""clocks":[CLOCKS]"#),
    (r#""charged":\d+"#, r#""charged":MS"#),
    // A line that is cut, in which times may stand.
    (r" \.\.\. \(\d+ bytes\)", " ... (N bytes)"),
    (r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z", "DATE"),
    (r"\b(seed) \d{12,20}\b", "$1 SEED"),
    (
        r"\b(microseconds of seat \d): \d+, not \d+",
        "$1: TIME, not TIME",
    ),
    (r"\bat column \d{3}\b", "at column N"),
    // Editors remove it.
    (r"(?m) +$", ""),
    (r"\b\d+(\.\d+)? (ms|s|min)\b", "TIME"),
];

/// A text without what differs from run to run.
pub fn unvarying(text: &str) -> String {
    let text = text
        .replace(env!("CARGO_BIN_EXE_flipside"), "flipside")
        .replace(concat!(env!("CARGO_MANIFEST_DIR"), "/"), "");
    replaced(&text, &DIFFERS)
}

/// A text with something that stands for each match of a pattern.
pub fn replaced(text: &str, patterns: &[(&str, &str)]) -> String {
    let patterns = patterns.iter();
    patterns.fold(text.to_owned(), |text, (pattern, stands)| {
        let pattern = Regex::new(pattern).expect("a pattern");
        pattern.replace_all(&text, *stands).into_owned()
    })
}

/// The headings of a table, whose widths depend on what is below them.
pub fn headings(table: &str) -> String {
    let headings = table.lines().next().expect("a line of headings");
    headings.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Standard output; then, where there is any, the exit status other than 0 and standard error.
pub fn shown(run: &TestRun) -> String {
    let TestRun { stdout, stderr, .. } = run;
    let status = match run.code {
        Some(0) => String::new(),
        Some(code) => format!("exit status {code}"),
        None => "killed".into(),
    };
    let after = match (status.as_str(), stderr.as_str()) {
        ("", "") => String::new(),
        (status, "") => format!("-- {status}\n"),
        ("", stderr) => format!("-- stderr:\n{stderr}"),
        (status, stderr) => format!("-- {status}, stderr:\n{stderr}"),
    };
    unvarying(&format!("{stdout}{after}"))
}

/// Runs the commands, one a line, in a folder, and shows each with what it prints. Single quotes hold a word with
/// spaces together.
pub fn session(folder: &Path, commands: &str) -> String {
    session_by(commands, |args| run(folder, args))
}

/// A session of commands that are run in another way.
pub fn session_by(commands: &str, run: impl Fn(&[&str]) -> TestRun) -> String {
    let lines = commands.lines().map(str::trim);
    let all = lines.filter(|line| !line.is_empty()).map(|line| {
        let run = run(&words(line));
        format!("$ flipside {}\n{}", unvarying(line), shown(&run))
    });
    all.collect::<Vec<_>>().join("\n")
}

/// The words of a line as a shell splits it.
pub fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'').expect("a quote that ends"),
            None => rest.split_at(rest.find(' ').unwrap_or(rest.len())),
        };
        words.push(word);
        rest = after.trim_start();
    }
    words
}
