//! Columns over typed rows. A column says everything about itself: its key, its heading, its cell, its decimals, who
//! sees it, and when it is dropped for want of room.

use serde::Serialize;

use crate::value::Value;

/// Columns over rows of a type, each in a line: what kind of column, the cell of a row, and how it is shown.
macro_rules! columns {
    ($row:ty: $($kind:ident($($argument:expr),*) |$one:ident| $cell:expr
        $(=> $($style:ident$(($value:expr))?),*)?;)*) => {
        &[$($crate::column::Column::<$row>::$kind($($argument,)* |$one| $crate::value::Value::from($cell))
            $($(.$style($($value)?))*)?,)*]
    };
}
pub(crate) use columns;

/// A column of a table over rows of type `R`.
pub struct Column<R> {
    pub(super) key: &'static str,
    pub(super) heading: &'static str,
    pub(super) cell: fn(&R) -> Value,
    pub(super) style: ReportStyle,
}

/// A row of a list that a command prints.
pub trait ReportRow: Serialize + Sized + 'static {
    /// The columns.
    const COLUMNS: &'static [Column<Self>];

    /// What to tell people when there are no rows.
    const NOTHING: &'static str;
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
    pub(super) unit: ReportUnit,
}

/// What the cells of a column measure. People read it in units of its size, programs the number alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportUnit {
    /// What the heading says.
    Plain,
    /// A moment, in RFC 3339.
    Moment,
    /// How long something took, in milliseconds.
    Milliseconds,
    /// A size.
    Bytes,
}

impl ReportStyle {
    pub(super) const TEXT: ReportStyle = ReportStyle {
        is_number: false,
        is_name: false,
        is_estimate: false,
        decimals: 0,
        exact: 0,
        spare: 0,
        views: [true, false, true],
        unless_zero: false,
        unit: ReportUnit::Plain,
    };
    pub(super) const DATA: ReportStyle = ReportStyle {
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

    /// Its cells are moments, in RFC 3339.
    #[must_use]
    pub const fn moment(mut self) -> Self {
        self.style.unit = ReportUnit::Moment;
        self
    }

    /// Its numbers are milliseconds, which people read in units that fit.
    #[must_use]
    pub const fn milliseconds(mut self) -> Self {
        self.style.unit = ReportUnit::Milliseconds;
        self
    }

    /// Its numbers are bytes, which people read in units that fit.
    #[must_use]
    pub const fn bytes(mut self) -> Self {
        self.style.unit = ReportUnit::Bytes;
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
