//! Lists of the command as tables of a page.

use flipside_report::{ReportRow, ReportTable};

use super::table::{Grid, TableQuery};

/// A list that the command prints, as a table of a page.
pub(crate) fn listed<R: ReportRow>(
    id: &'static str,
    title: &'static str,
    rows: &[R],
    asked: &TableQuery,
) -> Grid {
    Grid::of(id, ReportTable::of(title, R::COLUMNS, rows), asked)
}

/// The same without links that sort.
pub(crate) fn plain<R: ReportRow>(id: &'static str, title: &'static str, rows: &[R]) -> Grid {
    Grid::plain(id, ReportTable::of(title, R::COLUMNS, rows))
}
