//! Games: their list, the page of each one with its rules, and the API.

pub(crate) mod api;
pub(crate) mod list_page;
pub(crate) mod page;
pub(crate) mod picture;
mod scenes;
pub(crate) mod upload;
