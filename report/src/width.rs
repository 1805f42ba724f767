//! Text in columns of a terminal: how wide it is there, cut and filled up. Characters may be two columns
//! wide, or none.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What stands where something was cut.
const CUT: char = '…';

/// The columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// As much of a text as fits into so many columns, with a sign where it was cut.
pub fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut left = columns.saturating_sub(1);
    for letter in text.chars() {
        let wide = letter.width().unwrap_or(0);
        if wide > left {
            break;
        }
        left -= wide;
        out.push(letter);
    }
    if columns > 0 {
        out.push(CUT);
    }
    out
}

/// As much of a name as fits into so many columns, cut in the middle: what tells two versions of a bot apart stands at
/// the end. What follows the last `@` is kept, and a third of the columns at least.
pub fn cut_name(name: &str, columns: usize) -> String {
    if width(name) <= columns {
        return name.to_owned();
    }
    let left = columns.saturating_sub(1);
    let version = name.rfind('@').map_or(0, |at| width(&name[at..]));
    let end = if version < left {
        version.max(left.div_ceil(3))
    } else {
        left
    };
    let mut behind = String::new();
    for letter in name.chars().rev() {
        if width(&behind) + letter.width().unwrap_or(0) > end {
            break;
        }
        behind.insert(0, letter);
    }
    cut(name, columns - width(&behind)) + &behind
}

/// A name in exactly so many columns.
pub fn left_name(name: &str, columns: usize) -> String {
    left(&cut_name(name, columns), columns)
}

/// A text in exactly so many columns, cut or filled up with blanks behind it.
pub fn left(text: &str, columns: usize) -> String {
    let mut text = cut(text, columns);
    let blanks = columns.saturating_sub(width(&text));
    text.extend(std::iter::repeat_n(' ', blanks));
    text
}

/// The same with the blanks before it.
pub fn right(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    let blanks = columns.saturating_sub(width(&text));
    " ".repeat(blanks) + &text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_takes_as_many_columns_as_it_is_given() {
        for text in [
            "",
            "a",
            "four",
            "a longer one",
            "五子棋の王",
            "e\u{301}te\u{301}",
            "a五b五",
        ] {
            for columns in 0..12 {
                assert!(width(&cut(text, columns)) <= columns, "{text} {columns}");
                assert_eq!(width(&left(text, columns)), columns, "{text} {columns}");
                assert_eq!(width(&right(text, columns)), columns, "{text} {columns}");
                assert!(
                    width(&cut_name(text, columns)) <= columns,
                    "{text} {columns}"
                );
                assert_eq!(
                    width(&left_name(text, columns)),
                    columns,
                    "{text} {columns}"
                );
            }
        }
        assert_eq!(cut_name("greedy@1", 5), "gr…@1");
        assert_eq!(cut_name("greedy@123", 5), "…@123");
        assert_eq!(cut_name("greedy@123", 4), "…123");
        assert_eq!(cut_name("a-name-that-is-long@12", 16), "a-name-tha…ng@12");
        assert_eq!(cut_name("a-long-cup-4711", 12), "a-long-…4711");
        assert_eq!(cut("greedy@1", 5), "gree…");
        assert_eq!(cut("五子棋", 5), "五子…");
        assert_eq!(left("五", 4), "五  ");
        assert_eq!(right("12", 4), "  12");
    }
}
