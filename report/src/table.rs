//! Tables as data: columns with their cells, whose rows have no type any more.

use std::borrow::Cow;

use crate::column::{Column, ReportStyle, ReportUnit, ReportView, columns};
use crate::plain::plain_line;
use crate::value::{Value, fixed, range};
use crate::words;

/// What stands before the heading of a column of estimates.
pub const ESTIMATE: char = '~';

/// A table whose rows have no type any more: what renderers take.
#[derive(Clone, Debug)]
pub struct ReportTable {
    /// The title of its section on a page.
    pub title: Cow<'static, str>,
    /// What its figures are called in a list of all figures; nothing for a table that is not in it.
    pub figures: Option<&'static str>,
    /// What stands below it.
    pub captions: Vec<String>,
    /// An SVG drawing that a page shows above it, with what stands below that. Its colours are in
    /// [`DRAWING_STYLE`](crate::DRAWING_STYLE).
    pub drawing: Option<(String, &'static str)>,
    pub(super) columns: Vec<CellFormats>,
    pub(super) rows: usize,
}

/// A column with its cells.
#[derive(Clone, Debug)]
pub(super) struct CellFormats {
    pub(super) key: Cow<'static, str>,
    pub(super) heading: Cow<'static, str>,
    pub(super) style: ReportStyle,
    pub(super) values: Vec<Value>,
}

/// The keys of the columns that say whom a figure is of, and against whom.
pub(super) const OF: &str = "of";

pub(super) const AGAINST: &str = "against";

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
    pub(super) fn without_zeros(mut self, keys: &[&str]) -> Self {
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

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The columns that a reader sees.
    pub(super) fn seen(&self, view: ReportView) -> impl Iterator<Item = &CellFormats> {
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
    pub(super) fn column_mut(&mut self, key: &str, view: ReportView) -> Option<&mut CellFormats> {
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

    /// Whether its cells are moments, in RFC 3339.
    pub fn is_moment(&self) -> bool {
        self.0.style.unit == ReportUnit::Moment
    }

    /// A cell as people read it.
    pub fn cell(&self, row: usize) -> String {
        self.0.shown(row)
    }

    /// The number by which rows are ordered, where what people read is in a unit of its own.
    pub fn measure(&self, row: usize) -> Option<String> {
        let is_measured = matches!(
            self.0.style.unit,
            ReportUnit::Milliseconds | ReportUnit::Bytes
        );
        is_measured.then(|| self.0.exact(row))
    }
}

impl CellFormats {
    pub(super) fn new(
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

    pub(super) fn heading(&self) -> String {
        let mark = self.style.is_estimate.then_some(ESTIMATE);
        mark.into_iter().chain(self.heading.chars()).collect()
    }

    /// A cell as people read it, on one line.
    pub(super) fn shown(&self, row: usize) -> String {
        let decimals = self.style.decimals;
        match (&self.values[row], self.style.unit) {
            (Value::Number(ms), ReportUnit::Milliseconds) => return words::took(1e3 * ms),
            (Value::Count(bytes), ReportUnit::Bytes) => return words::size(*bytes),
            _ => {}
        }
        match &self.values[row] {
            Value::Nothing => "-".into(),
            Value::Text(text) => plain_line(text),
            Value::Count(number) => number.to_string(),
            Value::Number(number) => fixed(*number, decimals),
            Value::Range(low, high) => range(*low, *high, decimals),
        }
    }

    /// A cell as programs read it.
    pub(super) fn exact(&self, row: usize) -> String {
        match &self.values[row] {
            Value::Number(number) if number.is_finite() => fixed(*number, self.style.exact),
            Value::Nothing | Value::Number(_) => String::new(),
            Value::Count(count) => count.to_string(),
            _ => self.shown(row),
        }
    }
}
