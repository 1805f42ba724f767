//! Tables and documents as lines of text, for a terminal of some width or for none.

use flipside_games::words::joined;

use crate::column::{ReportStyle, ReportView};
use crate::document::{Document, RenderedPart};
use crate::plain::plain_line;
use crate::table::{CellFormats, ReportTable};
use crate::width::{cut, cut_name, left, right, width as columns_of};

/// Names are cut to so many columns before a column is dropped.
const MIN_NAME: usize = 10;

/// The blanks between two columns.
const GAP: &str = "  ";

/// How many dropped columns are named; of more, the number is told.
const MAX_NAMED: usize = 8;

/// What a line of a table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// The headings.
    Heading,
    /// A row.
    Row,
}

/// A column ready to be set.
struct Set {
    heading: String,
    cells: Vec<String>,
    is_number: bool,
    is_name: bool,
    spare: u16,
    width: usize,
}

impl ReportTable {
    /// Its lines for a reader, none wider than `width` if columns can be dropped and names cut, and the headings of
    /// the columns that were dropped.
    pub fn lines(
        &self,
        view: ReportView,
        width: Option<usize>,
    ) -> (Vec<(LineKind, String)>, Vec<String>) {
        let mut columns: Vec<Set> = self
            .seen(view)
            .map(|column| Set::of(column, view))
            .collect();
        let dropped = width.map_or_else(Vec::new, |width| fit(&mut columns, width));
        let line = |cell: &dyn Fn(&Set) -> &str| {
            let cells = columns.iter().map(|column| column.set(cell(column)));
            joined(cells, GAP).trim_end().to_owned()
        };
        let mut lines = vec![(LineKind::Heading, line(&|column| &column.heading))];
        lines.extend((0..self.rows).map(|row| (LineKind::Row, line(&|column| &column.cells[row]))));
        (lines, dropped)
    }

    /// The table with these captions, for people.
    pub fn text(&self, captions: &[String], width: Option<usize>) -> String {
        let (lines, dropped) = self.lines(ReportView::Page, width);
        let mut text: String = lines.iter().map(|(_, line)| format!("{line}\n")).collect();
        for caption in captions.iter().cloned().chain(told(&dropped)) {
            text += &wrapped(&plain_line(&caption), width);
        }
        text
    }
}

impl Set {
    fn of(column: &CellFormats, view: ReportView) -> Self {
        let rows = 0..column.values.len();
        let heading = match view {
            ReportView::Page => column.heading(),
            ReportView::Screen | ReportView::Data => column.heading.clone().into_owned(),
        };
        let cells: Vec<String> = rows.map(|row| column.shown(row)).collect();
        let wide = cells.iter().chain([&heading]).map(|cell| columns_of(cell));
        Set {
            width: wide.max().unwrap_or(0),
            heading,
            cells,
            is_number: column.style.is_number,
            is_name: column.style.is_name,
            spare: column.style.spare,
        }
    }

    /// The columns that it takes at least.
    fn least(&self) -> usize {
        if self.is_name {
            self.width.min(MIN_NAME)
        } else {
            self.width
        }
    }

    fn set(&self, cell: &str) -> String {
        match (self.is_number, self.is_name) {
            (true, _) => right(cell, self.width),
            (false, true) => left(&cut_name(cell, self.width), self.width),
            (false, false) => left(cell, self.width),
        }
    }
}

/// Drops columns and cuts names until the rest fits. Gives the headings of those that were dropped, in order.
fn fit(columns: &mut Vec<Set>, width: usize) -> Vec<String> {
    let all: Vec<String> = columns
        .iter()
        .map(|column| column.heading.clone())
        .collect();
    let mut kept: Vec<usize> = (0..all.len()).collect();
    let taken = |columns: &[Set], each: fn(&Set) -> usize| {
        columns.iter().map(each).sum::<usize>() + GAP.len() * columns.len().saturating_sub(1)
    };
    while taken(columns, Set::least) > width {
        let spare = columns.iter().map(|column| column.spare).max().unwrap_or(0);
        if spare == 0 {
            break;
        }
        let mut stays = columns.iter().map(|column| column.spare != spare);
        kept.retain(|_| stays.next().unwrap_or(true));
        columns.retain(|column| column.spare != spare);
    }
    // The longest name gives way first.
    while taken(columns, |column| column.width) > width {
        let names = columns
            .iter_mut()
            .filter(|column| column.width > column.least());
        match names.max_by_key(|column| column.width) {
            Some(name) => name.width -= 1,
            None => break,
        }
    }
    let dropped = all.into_iter().enumerate();
    let dropped = dropped.filter(|(at, _)| !kept.contains(at));
    dropped.map(|(_, heading)| heading).collect()
}

/// What is told of columns that were dropped.
fn told(dropped: &[String]) -> Option<String> {
    let columns = match dropped {
        [] => return None,
        [one] => format!("column {one} is"),
        _ if dropped.len() <= MAX_NAMED => format!("columns {} are", dropped.join(", ")),
        _ => format!("{} columns are", dropped.len()),
    };
    Some(format!(
        "{columns} left out: `COLUMNS=200` before the command, or --csv, shows all"
    ))
}

/// A line broken between words.
fn wrapped(line: &str, width: Option<usize>) -> String {
    match width {
        None => format!("{line}\n"),
        Some(width) => textwrap::fill(line, width) + "\n",
    }
}

/// A document for people, in so many columns, or as wide as it is.
pub fn text(document: &Document, width: Option<usize>) -> String {
    let head = document.headline.iter().map(String::as_str);
    let head = head.chain(document.remark.iter().flat_map(|remark| remark.lines()));
    let mut text: String = head.map(|line| wrapped(&plain_line(line), width)).collect();
    text += &wrapped(&format!("{} - {}", document.title, document.about), width);
    for part in document.shown() {
        text.push('\n');
        match part {
            RenderedPart::Lines(lines) => {
                lines.lines().for_each(|line| text += &wrapped(line, width));
            }
            RenderedPart::Table(table, captions) => text += &table.text(&captions, width),
        }
    }
    for (at, note) in document.notes.iter().enumerate() {
        if at == 0 {
            text.push('\n');
        }
        text += &wrapped(&plain_line(note), width);
    }
    text
}

impl ReportTable {
    /// The first lines that fit into `room` lines of `width` columns; the last tells of the rows that do not.
    pub fn screen(&self, width: usize, room: usize) -> Vec<(LineKind, String)> {
        let fitting = room.saturating_sub(1).min(self.rows);
        let (shown, more) = match self.rows - fitting {
            0 => (fitting, 0),
            _ if fitting < 2 => (fitting, 0),
            hidden => (fitting - 1, hidden + 1),
        };
        let (mut lines, _) = self.first(shown).lines(ReportView::Screen, Some(width));
        if more > 0 {
            lines.push((LineKind::Heading, format!("and {more} more")));
        }
        lines.truncate(room);
        lines
            .iter_mut()
            .for_each(|(_, line)| *line = cut(line, width));
        lines
    }

    /// The first rows.
    #[must_use]
    pub fn first(&self, rows: usize) -> Self {
        let mut table = self.clone();
        table.rows = rows.min(table.rows);
        let columns = table.columns.iter_mut();
        columns.for_each(|column| column.values.truncate(rows));
        table
    }
}

/// Aligned columns under any headings: the first is text, the others stand to the right.
pub fn grid(headings: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.collect();
    let mut table = ReportTable::of::<()>("", &[], &[]);
    table.rows = rows.len();
    for (at, heading) in headings.iter().enumerate() {
        let style = ReportStyle {
            is_number: at > 0,
            ..ReportStyle::TEXT
        };
        let values = rows.iter().map(|row| row[at].as_str().into());
        table
            .columns
            .push(CellFormats::new(heading.clone(), style, values));
    }
    table.text(&[], None).trim_end().to_owned()
}
