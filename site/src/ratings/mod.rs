//! Ratings at a game: the page, the API, and what is kept of them.

pub(crate) mod api;
pub(crate) mod cached;
pub(crate) mod page;
