//! A whole class is invited at once: a list of names becomes a sheet to print, with a link for each of them.

pub(crate) mod names;
pub(crate) mod page;
pub(crate) mod sheet;
pub(crate) mod store;
