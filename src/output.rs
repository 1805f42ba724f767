//! Printing results: aligned text for people, JSON and CSV for programs.

use std::io::{IsTerminal, Write};

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
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
            let headings = R::COLUMNS
                .iter()
                .map(|column| column.heading().to_owned())
                .collect();
            let lines = std::iter::once(headings).chain(rows.iter().map(Row::cells));
            lines
                .map(|cells: Vec<String>| csv_line(&cells))
                .try_for_each(|line| out.write_all(line.as_bytes()))
                .map_err(writing)
        } else if rows.is_empty() {
            eprintln!("{}", R::NOTHING);
            Ok(())
        } else {
            writeln!(out, "{}", aligned(R::COLUMNS, rows.iter().map(Row::cells))).map_err(writing)
        }
    }

    /// Prints one value that is not a list of rows; as CSV it is the given lines.
    pub(crate) fn print_value(
        self,
        value: &impl Serialize,
        text: &str,
        csv: &[Vec<String>],
    ) -> Result<()> {
        let mut out = std::io::stdout().lock();
        if self.json {
            serde_json::to_writer_pretty(&mut out, value).map_err(|error| writing(error.into()))?;
            writeln!(out).map_err(writing)
        } else if self.csv {
            csv.iter()
                .map(|cells| csv_line(cells))
                .try_for_each(|line| out.write_all(line.as_bytes()))
                .map_err(writing)
        } else {
            out.write_all(text.as_bytes()).map_err(writing)
        }
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

/// A line of CSV (RFC 4180): quoted where a comma, a quote or a line break asks for it. A cell that
/// a spreadsheet would take for a formula is kept from it by an apostrophe.
pub(crate) fn csv_line(cells: &[String]) -> String {
    let cell = |cell: &String| {
        let formula = cell.starts_with(['=', '@', '\t', '\r'])
            || (cell.starts_with(['+', '-']) && cell.parse::<f64>().is_err());
        let cell = if formula {
            format!("'{cell}")
        } else {
            cell.clone()
        };
        match cell.contains(['"', ',', '\n', '\r']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell,
        }
    };
    cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\n"
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
    fn a_csv_cell_is_quoted_and_is_never_a_formula() {
        let cells = ["a", "b,c", "say \"x\"", "=1+1", "-5.0", "-cmd"].map(String::from);
        assert_eq!(
            csv_line(&cells),
            "a,\"b,c\",\"say \"\"x\"\"\",'=1+1,-5.0,'-cmd\n"
        );
    }
}
