//! What a game program may write at most, and in what form.

use std::fmt::Display;

use serde_json::value::RawValue;

/// The longest id of a game, and the longest name of a preset or of a reason, in bytes.
pub(super) const LONGEST_WORD: usize = 40;

/// The longest title, in characters.
pub(super) const LONGEST_TITLE: usize = 80;

/// The longest summary, in characters.
pub(super) const LONGEST_SUMMARY: usize = 200;

/// The longest page of rules, in bytes.
pub(super) const LONGEST_RULES: usize = 128 * 1024;

/// The longest notation, schema of options or of views, in bytes.
pub(super) const LONGEST_SCHEMA: usize = 64 * 1024;

/// The longest action, in bytes.
pub(super) const LONGEST_ACTION: usize = 256;

/// The longest view and the longest options, in bytes.
pub(super) const LONGEST_VIEW: usize = 256 * 1024;

/// The longest outcome of chance, in bytes.
pub(super) const LONGEST_OUTCOME: usize = 16 * 1024;

/// The longest drawing, in bytes.
pub(super) const LONGEST_DRAWING: usize = 256 * 1024;

/// So many lines, and so many characters of each, are shown of a drawing as text.
pub(super) const MAX_LINES: usize = 200;
pub(super) const MAX_COLUMNS: usize = 400;

/// The longest words for an action or an outcome, and the longest reason why something is refused, in characters.
pub(super) const LONGEST_WORDS: usize = 400;

/// The deepest that JSON of a program is nested.
pub(super) const MAX_DEPTH: usize = 32;

/// So many presets a game has at most.
pub(super) const MAX_PRESETS: usize = 16;

/// So many options a game has at most.
pub(super) const MAX_OPTIONS: usize = 64;

/// For so many different reasons the matches of a game end at most.
pub(super) const MAX_REASONS: usize = 64;

/// So many characters of what a program wrote are quoted.
const QUOTED: usize = 200;

/// An error, and the beginning of what it is about.
pub(super) fn about(error: &dyn Display, line: &str) -> String {
    format!("{error}; it wrote {}", quoted(line))
}

/// The beginning of a text.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}…", &text[..end]),
    }
}

/// Checks words of lower-case letters and digits with hyphens between them.
pub(super) fn check_word(what: &str, text: &str) -> Result<(), String> {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_letter);
    if text.len() <= LONGEST_WORD && text.split('-').all(is_word) {
        return Ok(());
    }
    Err(format!(
        "the {what} {} is not lower-case letters and digits with hyphens between them, at most {LONGEST_WORD}",
        quoted(text)
    ))
}

/// Checks a line for people.
pub(super) fn check_line(what: &str, text: &str, longest: usize) -> Result<(), String> {
    if !text.trim().is_empty()
        && !text.contains(char::is_control)
        && text.chars().count() <= longest
    {
        return Ok(());
    }
    Err(format!(
        "the {what} {} is not one line of at most {longest} characters",
        quoted(text)
    ))
}

/// Checks an action.
pub(super) fn check_action(text: &str) -> Result<(), String> {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\';
    if !text.is_empty() && text.len() <= LONGEST_ACTION && text.bytes().all(is_plain) {
        return Ok(());
    }
    Err(format!(
        "the action {} is not 1 to {LONGEST_ACTION} printable ASCII characters without \\ and \"",
        quoted(text)
    ))
}

/// Checks the size of JSON and how deep it is nested.
pub(super) fn check_json(what: &str, json: &RawValue, longest: usize) -> Result<(), String> {
    let text = json.get();
    if text.len() > longest {
        return Err(format!("{what} is over {longest} bytes long"));
    }
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_text => depth -= 1,
            _ => {}
        }
    }
    if deepest > MAX_DEPTH {
        return Err(format!("{what} is nested more than {MAX_DEPTH} deep"));
    }
    // Numbers and escapes that a strict reader refuses would make a bot with one lose.
    let read = serde_json::from_str::<serde_json::Value>(text);
    read.map(drop)
        .map_err(|error| format!("{what} is not JSON for every reader: {error}"))
}

/// Checks an outcome of chance. Null stands for an outcome that is hidden.
pub(super) fn check_outcome(json: &RawValue) -> Result<(), String> {
    match json.get() {
        "null" => Err("an outcome is null, which stands for a hidden one".into()),
        _ => check_json("an outcome", json, LONGEST_OUTCOME),
    }
}

/// Checks that JSON is an object.
pub(super) fn check_object(what: &str, json: &RawValue, longest: usize) -> Result<(), String> {
    if !json.get().starts_with('{') {
        return Err(format!("{what} is not an object"));
    }
    check_json(what, json, longest)
}

/// Words for people that a program wrote: one line, and cut where they are long.
pub(super) fn in_one_line(text: &str) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    text.chars().map(plain).take(LONGEST_WORDS).collect()
}
