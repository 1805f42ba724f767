//! Documents: titles, facts, tables and notes, which each renderer writes for its readers.

use crate::column::ReportView;
use crate::table::ReportTable;

/// What [`ESTIMATE`](crate::ESTIMATE) means.
pub const ESTIMATES: &str =
    "~ is an estimate from the results so far; ± half the width of its 95 % interval";

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

impl ReportTable {
    /// The same in one of a document's parts.
    pub fn part(self) -> Part {
        Part::Table(self)
    }
}

impl Document {
    /// What people see of it. The first table with estimates says how these are marked.
    pub(super) fn shown(&self) -> impl Iterator<Item = RenderedPart<'_>> {
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
