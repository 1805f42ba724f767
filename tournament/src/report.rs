//! What people and programs read of an arena: tables and documents as data, and one renderer for each kind of
//! reader. Nothing here opens a file or knows a terminal.
//!
//! A table is a list of [`Column`]s over typed rows. The column says everything about itself: its key, its heading,
//! its cell, its decimals, who sees it, and when it is dropped for want of room. A [`Document`] is a title, facts,
//! tables and notes; text, Markdown and HTML render the same document.

use self::document::{CellFormats, RenderedPart, ReportStyle, fixed, range};
pub use self::document::{Column, Document, MAX_CROSSED, Part, ReportTable, ReportView, Value};
/// Columns over rows of a type, each in a line: what kind of column, the cell of a row, and how it is shown.
macro_rules! columns {
    ($row:ty: $($kind:ident($($argument:expr),*) |$one:ident| $cell:expr
        $(=> $($style:ident$(($value:expr))?),*)?;)*) => {
        &[$($crate::report::Column::<$row>::$kind($($argument,)* |$one| $crate::report::Value::from($cell))
            $($(.$style($($value)?))*)?,)*]
    };
}
pub(crate) use columns;

mod bracket;
mod brief;
mod cross;
pub mod csv;
pub(super) mod document;
mod html;
mod league;
pub(super) mod lists;
mod markdown;
mod page;
mod plain;
pub(super) mod results;
pub(super) mod standings;
mod statistics;
mod svg;
mod text;
mod tournament;
pub mod width;
pub mod words;

use std::borrow::Cow;
use std::cmp::Ordering;

use serde::Serialize;

pub use brief::{RunStats, brief};
pub use csv::figures;
pub use html::DRAWING_STYLE;
pub use league::league_table;
pub use lists::{Rated, overall_table, seats_csv};
pub use markdown::markdown;
pub use page::page;
pub use plain::{plain, plain_json, plain_line};
pub use results::{rated_cross, rated_document, tested_in_words};
pub use standings::{cross_csv, standings_table};
pub use svg::picture;
pub use text::{LineKind, grid, text};
pub use tournament::{cross_document, full_document, headline, salt_note, table_document};

/// What stands before the heading of a column of estimates.
pub const ESTIMATE: char = '~';

/// What that means.
pub const ESTIMATES: &str =
    "~ is an estimate from the results so far; ± half the width of its 95 % interval";

impl Value {
    fn is_zero(&self) -> bool {
        matches!(self, Value::Count(0) | Value::Nothing) || *self == Value::Number(0.0)
    }
}

/// A row of a list that a command prints.
pub trait ReportRow: Serialize + Sized + 'static {
    /// The columns.
    const COLUMNS: &'static [Column<Self>];

    /// What to tell people when there are no rows.
    const NOTHING: &'static str;
}

impl ReportStyle {
    const TEXT: ReportStyle = ReportStyle {
        is_number: false,
        is_name: false,
        is_estimate: false,
        decimals: 0,
        exact: 0,
        spare: 0,
        views: [true, false, true],
        unless_zero: false,
    };
    const DATA: ReportStyle = ReportStyle {
        views: [false, false, true],
        ..ReportStyle::TEXT
    };
}

impl<R> Column<R> {
    const fn new(key: &'static str, cell: fn(&R) -> Value) -> Self {
        Column {
            key,
            heading: key,
            cell,
            style: ReportStyle::TEXT,
        }
    }

    /// A column of words. Its key is its heading, too.
    #[must_use]
    pub const fn text(key: &'static str, cell: fn(&R) -> Value) -> Self {
        Column::new(key, cell)
    }

    /// A column of names, which are cut in the middle where there is no room for them.
    #[must_use]
    pub const fn name(key: &'static str, cell: fn(&R) -> Value) -> Self {
        let mut column = Column::new(key, cell);
        column.style.is_name = true;
        column
    }

    /// A column of numbers with so many digits after the point.
    #[must_use]
    pub const fn number(key: &'static str, decimals: usize, cell: fn(&R) -> Value) -> Self {
        let mut column = Column::new(key, cell);
        column.style.is_number = true;
        column.style.decimals = decimals;
        column.style.exact = decimals;
        column
    }

    /// A column for programs only. Numbers have two digits after the point.
    #[must_use]
    pub const fn data(key: &'static str, cell: fn(&R) -> Value) -> Self {
        let mut column = Column::new(key, cell).exact(2);
        column.style.views = ReportStyle::DATA.views;
        column
    }

    /// A column of numbers for people only.
    #[must_use]
    pub const fn shown(heading: &'static str, decimals: usize, cell: fn(&R) -> Value) -> Self {
        Column::number("", decimals, cell)
            .heading(heading)
            .for_people()
    }

    /// The heading that people read.
    #[must_use]
    pub const fn heading(mut self, heading: &'static str) -> Self {
        self.heading = heading;
        self
    }

    /// So many digits after the point for programs.
    #[must_use]
    pub const fn exact(mut self, decimals: usize) -> Self {
        self.style.exact = decimals;
        self
    }

    /// Marks what is estimated from the results and not counted.
    #[must_use]
    pub const fn estimate(mut self) -> Self {
        self.style.is_estimate = true;
        self
    }

    /// Lets it be dropped where there is no room: the highest number goes first, and columns with the same number
    /// go together.
    #[must_use]
    pub const fn spare(mut self, order: u16) -> Self {
        self.style.spare = order;
        self
    }

    /// Shows it to people only.
    #[must_use]
    pub const fn for_people(mut self) -> Self {
        self.style.views[ReportView::Data as usize] = false;
        self
    }

    /// Hides it from people if all its cells are zero or nothing. Programs always have it.
    #[must_use]
    pub const fn unless_zero(mut self) -> Self {
        self.style.unless_zero = true;
        self
    }

    /// Shows it where there is little room, too.
    #[must_use]
    pub const fn on_screen(mut self) -> Self {
        self.style.views[ReportView::Screen as usize] = true;
        self
    }

    /// Shows it only where there is little room.
    #[must_use]
    pub const fn on_screen_only(mut self) -> Self {
        self.style.views = [false, true, false];
        self
    }
}

impl ReportTable {
    /// A table with these columns.
    pub fn of<R>(title: &'static str, columns: &[Column<R>], rows: &[R]) -> Self {
        let columns = columns.iter().map(|column| {
            let values: Vec<Value> = rows.iter().map(column.cell).collect();
            let mut style = column.style;
            if style.unless_zero && values.iter().all(Value::is_zero) {
                style.views = [false, false, style.views[ReportView::Data as usize]];
            }
            CellFormats {
                key: column.key.into(),
                heading: column.heading.into(),
                style,
                values,
            }
        });
        ReportTable {
            title: title.into(),
            figures: None,
            captions: Vec::new(),
            drawing: None,
            columns: columns.collect(),
            rows: rows.len(),
        }
    }

    /// A table of every one against every other, for people: names with their ranks on the left, and a numbered
    /// column for each.
    pub fn matrix(
        title: &'static str,
        names: &[String],
        cell: impl Fn(usize, usize) -> Value,
    ) -> Self {
        let name: Vec<String> = (1..)
            .zip(names)
            .map(|(rank, name)| format!("{rank} {name}"))
            .collect();
        const NAME: &[Column<String>] =
            columns! { String: name("against") |name| name.as_str() => for_people; };
        let mut table = ReportTable::of(title, NAME, &name);
        for column in 0..names.len() {
            // Those of the last ranks are dropped first, one by one.
            let style = ReportStyle {
                is_number: true,
                decimals: 1,
                spare: column as u16 + 1,
                views: [true, false, false],
                ..ReportStyle::TEXT
            };
            let values = (0..names.len()).map(|row| cell(row, column));
            let heading = (column + 1).to_string();
            table.columns.push(CellFormats::new(heading, style, values));
        }
        table
    }

    /// Hides columns from people, if they tell nothing.
    #[must_use]
    fn without_zeros(mut self, keys: &[&str]) -> Self {
        for column in &mut self.columns {
            if keys.contains(&&*column.key) && column.values.iter().all(Value::is_zero) {
                column.style.views = [false, false, column.style.views[ReportView::Data as usize]];
            }
        }
        self
    }

    /// Names the figures of this table in a list of all.
    #[must_use]
    pub fn figures(mut self, name: &'static str) -> Self {
        self.figures = Some(name);
        self
    }

    /// Adds a line below.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.captions.push(caption.into());
        self
    }

    /// The same in one of a document's parts.
    pub fn part(self) -> Part {
        Part::Table(self)
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The columns that a reader sees.
    fn seen(&self, view: ReportView) -> impl Iterator<Item = &CellFormats> {
        self.columns
            .iter()
            .filter(move |column| column.style.views[view as usize])
    }

    /// Whether people see a column of estimates in it.
    pub fn has_estimates(&self) -> bool {
        self.seen(ReportView::Page)
            .any(|column| column.style.is_estimate)
    }

    /// The column of this key. A key may stand twice, for people and for programs.
    fn column_mut(&mut self, key: &str, view: ReportView) -> Option<&mut CellFormats> {
        let mut columns = self.columns.iter_mut();
        columns.find(|column| column.key == key && column.style.views[view as usize])
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns that people see on a page.
    pub fn shown_columns(&self) -> impl Iterator<Item = ShownColumn<'_>> {
        self.seen(ReportView::Page).map(ShownColumn)
    }

    /// The rows in the order of a column that people see; rows that are level there stay as they are, and those without
    /// a value come last. Nothing changes where there is no such column.
    pub fn sort(&mut self, id: &str, descending: bool) {
        let Some(column) = self.shown_columns().find(|column| column.id() == id) else {
            return;
        };
        let mut order: Vec<usize> = (0..self.rows).collect();
        order.sort_by(|&one, &other| {
            column.0.values[one].order(&column.0.values[other], descending)
        });
        self.pick(&order);
    }

    /// Keeps the rows in which a cell that people see has this text, in whatever case.
    pub fn filter(&mut self, text: &str) {
        let text = text.to_lowercase();
        let has = |row: &usize| {
            let mut columns = self.shown_columns();
            columns.any(|column| column.cell(*row).to_lowercase().contains(&text))
        };
        let kept: Vec<usize> = (0..self.rows).filter(has).collect();
        self.pick(&kept);
    }

    /// Keeps these rows, in this order.
    pub fn pick(&mut self, rows: &[usize]) {
        for column in &mut self.columns {
            column.values = rows.iter().map(|&row| column.values[row].clone()).collect();
        }
        self.rows = rows.len();
    }

    /// Adds text to cells of a column that people see.
    pub fn mark(&mut self, key: &str, marks: impl Fn(usize) -> &'static str) {
        if let Some(column) = self.column_mut(key, ReportView::Page) {
            for (at, value) in column.values.iter_mut().enumerate() {
                if let Value::Text(text) = value {
                    text.push_str(marks(at));
                }
            }
        }
    }
}

impl Document {
    /// What people see of it. The first table with estimates says how these are marked.
    fn shown(&self) -> impl Iterator<Item = RenderedPart<'_>> {
        let mut told = false;
        self.parts.iter().filter_map(move |part| match part {
            Part::Lines(lines) => Some(RenderedPart::Lines(lines)),
            Part::Table(table) => {
                table.seen(ReportView::Page).next()?;
                let tell = !told && table.has_estimates();
                told |= tell;
                let mark = tell.then(|| ESTIMATES.to_owned());
                let captions = mark.into_iter().chain(table.captions.iter().cloned());
                Some(RenderedPart::Table(table, captions.collect()))
            }
        })
    }
}

/// A column as people see it.
#[derive(Clone, Copy)]
pub struct ShownColumn<'a>(&'a CellFormats);

impl ShownColumn<'_> {
    /// What it is called in an address: its key, or what its heading leaves of letters and digits.
    pub fn id(&self) -> String {
        if !self.0.key.is_empty() {
            return self.0.key.replace(' ', "-");
        }
        let letters = self.0.heading.chars().map(|letter| match letter {
            '%' => 'p',
            letter if letter.is_ascii_alphanumeric() => letter.to_ascii_lowercase(),
            _ => '-',
        });
        letters.collect()
    }

    /// Its heading.
    pub fn heading(&self) -> String {
        self.0.heading()
    }

    /// Whether its cells are numbers, which stand to the right.
    pub fn is_number(&self) -> bool {
        self.0.style.is_number
    }

    /// Whether its cells are names.
    pub fn is_name(&self) -> bool {
        self.0.style.is_name
    }

    /// When it is dropped where there is no room: the highest first; 0 never.
    pub fn spare(&self) -> u16 {
        self.0.style.spare
    }

    /// A cell as people read it.
    pub fn cell(&self, row: usize) -> String {
        self.0.shown(row)
    }
}

impl Value {
    /// The order of two cells of a column: numbers as such, words regardless of case, and nothing last either way.
    fn order(&self, other: &Self, descending: bool) -> Ordering {
        let is_there = |value: &Self| !matches!(value, Value::Nothing);
        let order = match (is_there(self), is_there(other)) {
            (true, true) => self.among(other),
            (one, other) => return other.cmp(&one),
        };
        if descending { order.reverse() } else { order }
    }

    fn among(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Text(one), Value::Text(other)) => one.to_lowercase().cmp(&other.to_lowercase()),
            _ => self.number().total_cmp(&other.number()),
        }
    }

    fn number(&self) -> f64 {
        match self {
            Value::Count(count) => *count as f64,
            Value::Number(number) | Value::Range(number, _) => *number,
            Value::Nothing | Value::Text(_) => f64::NEG_INFINITY,
        }
    }
}

impl CellFormats {
    fn new(
        name: impl Into<Cow<'static, str>>,
        style: ReportStyle,
        values: impl Iterator<Item = Value>,
    ) -> Self {
        let heading = name.into();
        CellFormats {
            key: heading.clone(),
            heading,
            style,
            values: values.collect(),
        }
    }

    fn heading(&self) -> String {
        let mark = self.style.is_estimate.then_some(ESTIMATE);
        mark.into_iter().chain(self.heading.chars()).collect()
    }

    /// A cell as people read it, on one line.
    fn shown(&self, row: usize) -> String {
        let decimals = self.style.decimals;
        match &self.values[row] {
            Value::Nothing => "-".into(),
            Value::Text(text) => plain_line(text),
            Value::Count(number) => number.to_string(),
            Value::Number(number) => fixed(*number, decimals),
            Value::Range(low, high) => range(*low, *high, decimals),
        }
    }

    /// A cell as programs read it.
    fn exact(&self, row: usize) -> String {
        match &self.values[row] {
            Value::Number(number) if number.is_finite() => fixed(*number, self.style.exact),
            Value::Nothing | Value::Number(_) => String::new(),
            _ => self.shown(row),
        }
    }
}

macro_rules! values {
    ($($from:ty => |$value:ident| $to:expr),* $(,)?) => {$(
        impl From<$from> for Value {
            fn from($value: $from) -> Self {
                $to
            }
        }
    )*};
}

values! {
    u8 => |count| Value::Count(count.into()),
    u32 => |count| Value::Count(count.into()),
    u64 => |count| Value::Count(count),
    usize => |count| Value::Count(count as u64),
    f64 => |number| Value::Number(number),
    Option<(f64, f64)> => |bounds| bounds.map_or(Value::Nothing, |(low, high)| Value::Range(low, high)),
    Option<u64> => |count| count.map_or(Value::Nothing, Value::Count),
    Option<bool> => |is| is.map_or(Value::Nothing, |is| Value::Text(is.to_string())),
    Option<f64> => |number| number.map_or(Value::Nothing, Value::Number),
    &str => |text| Value::Text(text.to_owned()),
    String => |text| Value::Text(text),
}

#[cfg(test)]
mod tests;
