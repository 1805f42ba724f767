//! Printing results: aligned text for people, JSON and CSV for programs.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use flipside_tournament::csv;
use serde::Serialize;

use crate::failure::{Result, writing};
use crate::terminal;

/// How a result is printed.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct Format {
    /// Print JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV.
    #[arg(long)]
    csv: bool,
}

/// A column of a table: its heading, and whether it holds numbers (which stand to the right).
#[derive(Clone, Copy)]
pub(crate) enum Column {
    /// Text.
    Text(&'static str),
    /// Numbers.
    Number(&'static str),
}

impl Column {
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Column::Text(heading) | Column::Number(heading) => heading,
        }
    }
}

/// A row of a result, as people read it.
pub(crate) trait Row: Serialize {
    /// The columns.
    const COLUMNS: &'static [Column];

    /// The cells, one a column.
    fn cells(&self) -> Vec<String>;

    /// What to print when there are no rows.
    const NOTHING: &'static str;
}

impl Format {
    /// Whether the result is for a person.
    pub(crate) fn for_people(self) -> bool {
        !self.json && !self.csv
    }

    /// Prints rows.
    pub(crate) fn print<R: Row>(self, rows: &[R]) -> Result<()> {
        let mut out = std::io::stdout().lock();
        if self.json {
            let json = serde_json::to_string_pretty(rows).expect("results are JSON");
            writeln!(out, "{}", plain_json(&json)).map_err(writing)
        } else if self.csv {
            let mut text = String::new();
            csv_line(&mut text, R::COLUMNS.iter().map(|column| column.heading()));
            rows.iter().for_each(|row| csv_line(&mut text, row.cells()));
            out.write_all(text.as_bytes()).map_err(writing)
        } else if rows.is_empty() {
            note!("{}", R::NOTHING);
            Ok(())
        } else {
            writeln!(out, "{}", aligned(R::COLUMNS, rows.iter().map(Row::cells))).map_err(writing)
        }
    }

    /// Prints one value that is not a list of rows, by the text that is wanted of it.
    pub(crate) fn print_value(
        self,
        value: &impl Serialize,
        text: impl FnOnce() -> Result<String>,
        csv: impl FnOnce() -> String,
    ) -> Result<()> {
        if self.json {
            let json = serde_json::to_string_pretty(value).expect("results are JSON");
            return print(&(plain_json(&json) + "\n"));
        }
        print(&if self.csv { csv() } else { text()? })
    }
}

/// Columns of text, aligned, with a line under the headings.
pub(crate) fn aligned(columns: &[Column], rows: impl Iterator<Item = Vec<String>>) -> String {
    let headings: Vec<&str> = columns.iter().map(|column| column.heading()).collect();
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings);
    table.add_rows(rows.map(|cells| cells.into_iter().map(|cell| plain_line(&cell))));
    for (at, column) in columns.iter().enumerate() {
        if let (Column::Number(_), Some(column)) = (column, table.column_mut(at)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
        .lines()
        .map(|line| trimmed(&line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Aligned columns under headings of any number: the first is text, the others stand to the right.
pub(crate) fn grid(headings: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings);
    table.add_rows(rows.map(|cells| cells.into_iter().map(|cell| plain_line(&cell))));
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
        .lines()
        .map(|line| trimmed(&line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A line of a table without the blank before its first cell and those after its last.
fn trimmed(line: &str) -> String {
    line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
}

/// Prints a line for people to standard error. Nobody may be there to read it, which is no reason to
/// stop.
macro_rules! note {
    ($($words:tt)*) => {
        $crate::output::say(format_args!($($words)*))
    };
}
pub(crate) use note;

/// The lines that wait until the screen is gone, and how many more there were; none: there is no screen.
static HELD: Mutex<Option<(Vec<String>, usize)>> = Mutex::new(None);

/// How many lines wait at most.
const MOST_HELD: usize = 50;

/// Says a line for people, or keeps it while there is a screen that it would tear.
pub(crate) fn say(line: std::fmt::Arguments<'_>) {
    match &mut *HELD.lock().unwrap_or_else(PoisonError::into_inner) {
        None => drop(writeln!(std::io::stderr(), "{}", plain(&line.to_string()))),
        Some((lines, _)) if lines.len() < MOST_HELD => lines.push(line.to_string()),
        Some((_, more)) => *more += 1,
    }
}

/// From now on lines wait.
pub(crate) fn hold() {
    *HELD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Default::default());
}

/// Lines that waited are said, and wait no more.
pub(crate) fn release() {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (lines, more) = held.unwrap_or_default();
    for line in lines {
        note!("{line}");
    }
    if more > 0 {
        note!("and {more} lines more");
    }
}

/// Whether a character could steer a terminal, turn its reading direction, break lines elsewhere, or be there without
/// being seen: controls, separators, what Unicode calls ignorable by default, and marks of annotations.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// A text of somebody's with each character that steers written as an escape: `\u{202e}`. Lines stay lines. All that a
/// bot, a file's name, a record, an archive or a journal contains goes through here before it is printed.
pub(crate) fn plain(text: &str) -> String {
    with_escapes(
        text,
        |c| c != '\n' && steers(c),
        |c| c.escape_default().to_string(),
    )
}

/// The same, as one line.
pub(crate) fn plain_line(text: &str) -> String {
    with_escapes(text, steers, |c| c.escape_default().to_string())
}

/// The same of JSON, with the escapes of JSON: such characters stand nowhere but in its strings.
pub(crate) fn plain_json(json: &str) -> String {
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
        match steers(c) {
            true => out += &escape(c),
            false => out.push(c),
        }
    }
    out
}

/// Appends a line of CSV, with the fields plain.
pub(crate) fn csv_line<T: AsRef<str>>(out: &mut String, fields: impl IntoIterator<Item = T>) {
    let fields = fields.into_iter().map(|field| plain_line(field.as_ref()));
    csv::line(out, fields);
}

/// Prints lines of text to standard output. Only the styles that this program has of its own reach a terminal.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let plain = match out.is_terminal() {
        true => plain_but_styles(text),
        false => plain(text),
    };
    out.write_all(plain.as_bytes()).map_err(writing)
}

fn plain_but_styles(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, style)) = terminal::STYLES
        .iter()
        .filter_map(|style| Some((rest.find(style)?, style)))
        .min()
    {
        out += &plain(&rest[..at]);
        out += style;
        rest = &rest[at + style.len()..];
    }
    out + &plain(rest)
}

/// Prints a file's content to standard output, every byte of it; a terminal gets it plain.
pub(crate) fn print_content(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.is_terminal() {
        true => out.write_all(plain_json(text).as_bytes()),
        false => out.write_all(text.as_bytes()),
    }
    .map_err(writing)
}

/// Whether standard error is a terminal: then progress may move.
pub(crate) fn on_terminal() -> bool {
    std::io::stderr().is_terminal()
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

    #[test]
    fn of_what_steers_only_our_own_styles_reach_a_terminal() {
        let text = terminal::Style::Terminal.bold("a\x1b[2Jb") + "\x1b[7m";
        assert_eq!(
            plain_but_styles(&text),
            "\x1b[1ma\\u{1b}[2Jb\x1b[0m\\u{1b}[7m"
        );
    }
}
