//! Matches: their lists, the page of each one with its replay, those that run now, and the API.

pub(crate) mod api;
pub(crate) mod boards;
pub(crate) mod list_page;
pub(crate) mod page;
pub(crate) mod picture;
pub(crate) mod replay;
pub(crate) mod results;
pub(crate) mod shown;
