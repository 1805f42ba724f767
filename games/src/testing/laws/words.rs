//! How messages show texts.

/// A text in a message has so many letters at most.
const MAX_TEXT: usize = 200;

/// A text as it is if that is plain to read, else in quotes.
pub(super) fn plain(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_plain && !text.is_empty() && text.len() <= MAX_TEXT {
        text.into()
    } else {
        quoted(text)
    }
}

/// A text in quotes, cut where it is long.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}… ({} bytes)", &text[..end], text.len()),
    }
}

/// Says how a text differs from what it was.
pub(super) fn unlike(before: &str, after: &str) -> Option<String> {
    const AROUND: usize = 40;
    if before == after {
        return None;
    }
    let same = before
        .chars()
        .zip(after.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let skipped = same.saturating_sub(AROUND);
    let part = |text: &str| {
        let part: String = text.chars().skip(skipped).take(3 * AROUND).collect();
        let start = if skipped > 0 { "…" } else { "" };
        let end = if text.chars().count() > skipped + 3 * AROUND {
            "…"
        } else {
            ""
        };
        format!("{start}{part}{end}")
    };
    Some(format!("was {} and is {}", part(before), part(after)))
}
