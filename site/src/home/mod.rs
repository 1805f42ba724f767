//! The home page, and what the API tells of the server: what is on now.

pub(crate) mod api;
pub(crate) mod page;
pub(crate) mod picture;
