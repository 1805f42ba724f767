//! What people and programs read of an arena: tables and documents as data, and one renderer for each kind of reader.
//! This crate opens no file and knows no terminal.
//!
//! - A table is a list of [`Column`]s over typed rows. The column says everything about itself: its key, its heading,
//!   its cell, its decimals, who sees it, and when it is dropped for want of room. [`ReportTable::of`] makes the table;
//!   a [`ReportRow`] is a row that has its columns with it.
//! - A [`Document`] is a title, facts, tables and notes. [`table_document`], [`full_document`] and [`rated_document`]
//!   make one of a tournament and of results from elsewhere.
//! - [`text()`], [`markdown()`] and [`page()`] render the same document for a terminal, for Markdown and for a browser.
//!   [`ReportTable::csv`] and [`figures`] write it for programs, [`picture`] draws it, and [`brief()`] has it in a few
//!   lines.
//! - [`words`] has what is said of a tournament in a line. [`plain()`] makes text of strangers safe to print.
//!
//! ```
//! use flipside_report::{Column, Document, ReportTable, markdown};
//!
//! struct Points {
//!     bot: &'static str,
//!     points: f64,
//! }
//!
//! const COLUMNS: &[Column<Points>] = &[
//!     Column::name("bot", |row| row.bot.into()),
//!     Column::number("points", 1, |row| row.points.into()),
//! ];
//!
//! let rows = [("greedy@2", 2.5), ("first", 0.5), ("my_bot", 0.0)];
//! let rows = rows.map(|(bot, points)| Points { bot, points });
//! let evening = Document {
//!     title: "evening".into(),
//!     parts: vec![ReportTable::of("Points", COLUMNS, &rows).part()],
//!     ..Document::default()
//! };
//! let lines = [
//!     "| bot | points |",
//!     "| --- | ---: |",
//!     "| greedy@2 | 2.5 |",
//!     "| first | 0.5 |",
//!     "| my\\_bot | 0.0 |",
//! ];
//! assert!(markdown(&evening).ends_with(&(lines.join("\n") + "\n")));
//! ```

mod bracket;
mod brief;
mod column;
mod cross;
pub mod csv;
mod document;
mod grades;
mod html;
mod league;
mod lists;
mod markdown;
mod page;
mod plain;
mod profile;
mod results;
mod standings;
mod statistics;
mod svg;
mod table;
mod text;
mod tournament;
mod value;
pub mod width;
pub mod words;

pub use bracket::{EncounterLink, linked_bracket};
pub use brief::{RunStats, brief};
pub use column::{Column, ReportRow, ReportView};
pub use cross::MAX_CROSSED;
pub use csv::figures;
pub use document::{Document, ESTIMATES, Part};
pub use html::DRAWING_STYLE;
pub use league::league_table;
pub use lists::{ExportedMatch, Rated, overall_table, seats_csv};
pub use markdown::markdown;
pub use page::page;
pub use plain::{plain, plain_json, plain_line};
pub use results::{rated_cross, rated_document, tested_in_words};
pub use standings::{cross_csv, standings_table};
pub use svg::picture;
pub use table::{ESTIMATE, ReportTable, ShownColumn};
pub use text::{LineKind, grid, text};
pub use tournament::{cross_document, full_document, headline, seed_note, table_document};
pub use value::Value;

#[cfg(test)]
mod tests;
