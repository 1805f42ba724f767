//! Tables as data.

use std::borrow::Cow;

/// The most bots of a cross table in text; a wider one cannot be read.
pub const MAX_CROSSED: usize = 20;

/// What a cell holds. How it is written is up to its column and the renderer.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing is known, or it does not apply: `-` for people, an empty field for programs.
    Nothing,
    /// Words, which may be a stranger's.
    Text(String),
    /// A count.
    Count(u64),
    /// A measured or computed number.
    Number(f64),
    /// An interval.
    Range(f64, f64),
}

/// A column of a table over rows of type `R`.
pub struct Column<R> {
    pub(super) key: &'static str,
    pub(super) heading: &'static str,
    pub(super) cell: fn(&R) -> Value,
    pub(super) style: ReportStyle,
}

/// Who reads a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportView {
    /// People, in a terminal or on a page.
    Page,
    /// People, where there is little room: the live screen and the brief summary.
    Screen,
    /// Programs.
    Data,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ReportStyle {
    /// Numbers stand to the right.
    pub(super) is_number: bool,
    /// A name may be cut in the middle when there is no room; other cells are never cut.
    pub(super) is_name: bool,
    pub(super) is_estimate: bool,
    /// Digits after the point for people, and for programs.
    pub(super) decimals: usize,
    pub(super) exact: usize,
    /// Columns with the highest number are dropped first, all at once; 0 is never dropped.
    pub(super) spare: u16,
    /// By [`ReportView`].
    pub(super) views: [bool; 3],
    /// People see it only if a cell is neither zero nor nothing.
    pub(super) unless_zero: bool,
}

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
    /// [`DRAWING_STYLE`](super::html::DRAWING_STYLE).
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

/// What text, Markdown and HTML are made from.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What it is called by people, if somebody has said so.
    pub headline: Option<String>,
    /// What its organiser has added to that, in lines.
    pub remark: Option<String>,
    /// The name of what it is about.
    pub title: String,
    /// The facts in one line, for text.
    pub about: String,
    /// The facts one by one, for pages.
    pub facts: Vec<(&'static str, String)>,
    /// Tables and paragraphs, in order.
    pub parts: Vec<Part>,
    /// What a reader must know beside, a line each.
    pub notes: Vec<String>,
}

/// A part of a document.
#[derive(Clone, Debug)]
pub enum Part {
    /// A table.
    Table(ReportTable),
    /// Lines of text.
    Lines(String),
}

/// A part of a document that people see; a table with what stands below it.
pub(super) enum RenderedPart<'a> {
    Lines(&'a str),
    Table(&'a ReportTable, Vec<String>),
}

/// An interval with so many digits after the point, whose ends may be infinite.
pub(super) fn range(low: f64, high: f64, decimals: usize) -> String {
    let [least, most] = [low, high].map(|end| fixed(end, decimals));
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("{least} to {most}"),
        (true, false) => format!("at least {least}"),
        (false, true) => format!("at most {most}"),
        (false, false) => "-".into(),
    }
}

/// The keys of the columns that say whom a figure is of, and against whom.
pub(super) const OF: &str = "of";

pub(super) const AGAINST: &str = "against";

/// A number with so many digits after the point; no minus stands before a zero.
pub(super) fn fixed(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        _ => text,
    }
}
