//! Texts that are cut to a number of bytes.

/// The first bytes of a text, at most `most`, cut where a character ends.
pub(crate) fn head(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A text of at most `most` bytes.
pub(crate) fn cut(mut text: String, most: usize) -> String {
    text.truncate(head(&text, most).len());
    text
}
