//! Tournaments: their lists, the page of each one, the API, and what organisers do with them. `host` plays those that
//! are this server's.

mod actions;
pub(crate) mod api;
pub(crate) mod begin_page;
mod cached_tables;
pub(crate) mod change_page;
pub(crate) mod downloads;
pub(crate) mod host;
pub(crate) mod hosted_page;
pub(crate) mod hosting;
pub(crate) mod list_page;
pub(crate) mod organiser_api;
pub(crate) mod page;
