//! Requested matches: an account asks for a match or a short series. The page, the API, the action, and how often one
//! may ask.

pub(crate) mod actions;
pub(crate) mod api;
pub(crate) mod page;
pub(crate) mod rows;
