//! Continuous ladders: their tournaments, which the server keeps, and where organisers say for which games: the page,
//! the API, the actions and the rows.

mod actions;
pub(crate) mod api;
pub(crate) mod history;
pub(crate) mod keep;
pub(crate) mod page;
pub(crate) mod place;
pub(crate) mod place_page;
mod rows;
