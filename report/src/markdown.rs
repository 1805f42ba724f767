//! A document as Markdown, for a message or a page of somebody's.

use std::fmt::Write;

use flipside_games::words::joined;

use crate::column::ReportView;
use crate::document::{Document, RenderedPart};
use crate::plain::plain_line;
use crate::table::ReportTable;

/// The document.
pub fn markdown(document: &Document) -> String {
    let title = document.headline.as_ref().unwrap_or(&document.title);
    let mut text = format!("# {}\n\n", escaped(title));
    if let Some(remark) = &document.remark {
        let lines = joined(remark.lines().map(escaped_line), "  \n");
        let _ = writeln!(text, "{lines}\n");
    }
    let facts = document.facts.iter();
    let facts = facts.map(|(name, fact)| format!("{name} {}", escaped(fact)));
    let _ = writeln!(text, "{}", joined(facts, ", "));
    for part in document.shown() {
        match part {
            RenderedPart::Lines(lines) => {
                let lines = joined(lines.lines().map(escaped_line), "  \n");
                let _ = writeln!(text, "\n{lines}");
            }
            RenderedPart::Table(table, captions) => {
                add(&mut text, table);
                for caption in captions {
                    let _ = writeln!(text, "\n{}", escaped_line(&caption));
                }
            }
        }
    }
    for (at, note) in document.notes.iter().enumerate() {
        let before = if at == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{before}- {}", escaped_line(note));
    }
    text
}

fn add(text: &mut String, table: &ReportTable) {
    let columns: Vec<_> = table.seen(ReportView::Page).collect();
    text.push('\n');
    line(
        text,
        columns.iter().map(|column| escaped(&column.heading())),
    );
    let rule = |is_number| if is_number { "---:" } else { "---" };
    let rules = columns.iter().map(|column| rule(column.style.is_number));
    line(text, rules.map(str::to_owned));
    for row in 0..table.rows {
        line(
            text,
            columns.iter().map(|column| escaped(&column.shown(row))),
        );
    }
}

fn line(text: &mut String, cells: impl Iterator<Item = String>) {
    for cell in cells {
        let _ = write!(text, "| {cell} ");
    }
    text.push_str("|\n");
}

/// A text that Markdown shows as it is.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain_line(text).chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The same at the beginning of a line, where more begins a heading, a rule or a list, behind a number at most.
fn escaped_line(text: &str) -> String {
    let line = escaped(text.trim_start());
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let begins = match digits {
        0 => ['-', '+', '='].as_slice(),
        _ => ['.', ')'].as_slice(),
    };
    if line[digits..].starts_with(begins) {
        format!("{}\\{}", &line[..digits], &line[digits..])
    } else {
        line
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_of_a_text_is_markup() {
        for (text, escaped) in [
            ("my_bot|*<b>", "my\\_bot\\|\\*\\<b\\>"),
            ("===", "\\==="),
            ("    - x", "\\- x"),
            ("12. x", "12\\. x"),
            ("1.5 - 2", "1\\.5 - 2"),
        ] {
            assert_eq!(super::escaped_line(text), escaped);
        }
    }
}
