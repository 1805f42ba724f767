//! Printing results: aligned text for people, JSON and CSV for programs.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use flipside_tournament::csv;
use serde::Serialize;

use crate::failure::{Result, writing};

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
            serde_json::to_writer_pretty(&mut out, rows).map_err(|error| writing(error.into()))?;
            writeln!(out).map_err(writing)
        } else if self.csv {
            let mut text = String::new();
            csv::line(&mut text, R::COLUMNS.iter().map(|column| column.heading()));
            rows.iter()
                .for_each(|row| csv::line(&mut text, row.cells()));
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
            return print(&(json + "\n"));
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
    table.add_rows(rows);
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
    table.add_rows(rows);
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
        None => drop(writeln!(std::io::stderr(), "{line}")),
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

/// A text of somebody's without the characters that could steer a terminal, turn its reading direction, break
/// lines elsewhere, or be there without being seen. Lines stay lines.
pub(crate) fn plain(text: &str) -> String {
    let steers = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(
                c,
                '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                    | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
            )
    };
    text.chars()
        .map(|c| if steers(c) { '\u{fffd}' } else { c })
        .collect()
}

/// The same, as one line.
pub(crate) fn plain_line(text: &str) -> String {
    plain(text).replace('\n', "\u{fffd}")
}

/// Prints lines of text to standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    std::io::stdout()
        .lock()
        .write_all(text.as_bytes())
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
        assert_eq!(plain("a\x1b[2J\u{202e}b\nc"), "a\u{fffd}[2J\u{fffd}b\nc");
        for hidden in [
            '\u{61c}',
            '\u{200b}',
            '\u{2028}',
            '\u{2067}',
            '\u{feff}',
            '\u{e0041}',
        ] {
            assert_eq!(plain(&format!("a{hidden}b")), "a\u{fffd}b");
        }
        assert_eq!(plain_line("a\nb"), "a\u{fffd}b");
    }
}
