//! Text of strangers, made safe to print.

use flipside_referee::steers;

/// A text of somebody's with each character that steers written as an escape: `\u{202e}`. Lines stay lines. All that a
/// bot, a file's name, a record, an archive or a journal contains goes through here before it is printed.
pub fn plain(text: &str) -> String {
    with_escapes(
        text,
        |c| c != '\n' && steers(c),
        |c| c.escape_default().to_string(),
    )
}

/// The same, as one line.
pub fn plain_line(text: &str) -> String {
    with_escapes(text, steers, |c| c.escape_default().to_string())
}

/// The same of JSON, with the escapes of JSON: such characters stand nowhere but in its strings.
pub fn plain_json(json: &str) -> String {
    with_escapes(
        json,
        |c| c != '\n' && steers(c),
        |c| {
            let mut units = [0; 2];
            let units = c.encode_utf16(&mut units).iter();
            units.map(|unit| format!("\\u{unit:04x}")).collect()
        },
    )
}

fn with_escapes(
    text: &str,
    steers: impl Fn(char) -> bool,
    escape: impl Fn(char) -> String,
) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            out += &escape(c);
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_somebody_cannot_steer_the_terminal() {
        assert_eq!(plain("a\x1b[2J\u{202e}b\nc"), "a\\u{1b}[2J\\u{202e}b\nc");
        for hidden in [
            '\r',
            '\u{7f}',
            '\u{85}',
            '\u{9b}',
            '\u{61c}',
            '\u{200b}',
            '\u{2028}',
            '\u{2067}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{e0041}',
            '\u{e0101}',
        ] {
            let escape = hidden.escape_default();
            assert_eq!(
                plain(&format!("a{hidden}b")),
                format!("a{escape}b"),
                "{escape}"
            );
            assert!(escape.clone().all(|c| c.is_ascii_graphic()), "{escape}");
        }
        assert_eq!(plain_line("a\nb"), "a\\nb");
        // What people write stays.
        for text in ["五子棋の王", "e\u{301}té", "naïve – “quoted” … 🎲"] {
            assert_eq!(plain_line(text), text);
        }
    }

    #[test]
    fn json_means_the_same_when_it_is_plain() {
        let text = "a\x1b\u{9b}\u{202e}\u{e0041}\n\"\\é";
        let json = serde_json::to_string_pretty(&[text]).unwrap();
        let plain = plain_json(&json);
        assert!(!plain.contains(|c| c != '\n' && steers(c)), "{plain}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&plain).unwrap(), [text]);
    }
}
