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

/// The longest choice beside a drawing, in characters.
pub(super) const LONGEST_CHOICE: usize = 80;

/// The most marks of a path.
pub(super) const MAX_MARKS: usize = 32;

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
    let scan = JsonScan::of(text);
    if scan.deepest > MAX_DEPTH {
        return Err(format!("{what} is nested more than {MAX_DEPTH} deep"));
    }
    // Numbers and escapes that a strict reader refuses would make a bot with one lose. To read every view whole would
    // cost more than all else that is checked.
    if !scan.is_doubtful {
        return Ok(());
    }
    let read = serde_json::from_str::<serde_json::Value>(text);
    read.map(drop)
        .map_err(|error| format!("{what} is not JSON for every reader: {error}"))
}

/// What one pass over a text shows, which is JSON as far as its grammar goes.
struct JsonScan {
    /// How deep it is nested.
    deepest: usize,
    /// Whether it has what a strict reader may refuse: a code of a character, an exponent, or a very long number.
    is_doubtful: bool,
}

/// So many digits of a number are in range without an exponent: the greatest has 309.
const MAX_DIGITS: usize = 300;

impl JsonScan {
    fn of(text: &str) -> Self {
        let (mut depth, mut deepest) = (0usize, 0);
        let (mut in_text, mut escaped, mut is_doubtful) = (false, false, false);
        let mut digits = 0usize;
        for byte in text.bytes() {
            if in_text {
                match byte {
                    _ if escaped => {
                        is_doubtful |= byte == b'u';
                        escaped = false;
                    }
                    b'\\' => escaped = true,
                    b'"' => in_text = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => in_text = true,
                b'[' | b'{' => {
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                b']' | b'}' => depth -= 1,
                b'e' | b'E' if digits > 0 => is_doubtful = true,
                _ => {}
            }
            digits = match byte.is_ascii_digit() {
                true => digits + 1,
                false => 0,
            };
            is_doubtful |= digits > MAX_DIGITS;
        }
        JsonScan {
            deepest,
            is_doubtful,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<(), String> {
        let json = RawValue::from_string(text.to_owned()).unwrap();
        check_json("it", &json, LONGEST_VIEW)
    }

    #[test]
    fn what_a_strict_reader_refuses_is_refused_and_nothing_else() {
        let long = |digits: usize| format!("[{}]", "9".repeat(digits));
        let good = [
            r#"{"a":[true,false,null,-1.5,"e9 \" \\ {[ ä"]}"#,
            r#"["\u00e4","\ud83d\ude00",1e30,1E-3,"1e999"]"#,
            &long(300),
            &long(308),
        ];
        for text in good {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        for text in [
            r#"[1e999]"#,
            r#"[1E400]"#,
            r#"["\ud800"]"#,
            r#"{"a":"\udc00x"}"#,
            &long(400),
        ] {
            assert!(
                serde_json::from_str::<serde_json::Value>(text).is_err(),
                "{text}"
            );
            assert!(check(text).is_err(), "{text}");
        }
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(check(&nested(MAX_DEPTH)).is_ok() && check(&nested(MAX_DEPTH + 1)).is_err());
        // Brackets in texts are none.
        assert!(check(&format!("[\"{}\"]", "[".repeat(100))).is_ok());
    }
}
