//! Bots: their list, the page of each one, what its owner does with it, and the API. Those that come over the network
//! are in `uploads`.

mod actions;
pub(crate) mod api;
mod highlights;
pub(crate) mod list_page;
mod names;
pub(crate) mod own_page;
pub(crate) mod page;
pub(crate) mod players;
pub(crate) mod uploads;
