//! Words as a shell reads them, for commands that somebody pastes.

use std::path::Path;

/// A word, or a path, in quotes where a shell would read it otherwise.
pub fn quoted(word: impl AsRef<Path>) -> String {
    let word = word.as_ref().to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_a_quoted_word_as_it_was() {
        for (word, due) in [
            ("./bot-1.wasm", "./bot-1.wasm"),
            ("my bot", "'my bot'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), due);
        }
    }
}
