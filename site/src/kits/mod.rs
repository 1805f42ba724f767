//! The kits for new bots, for those who have only a browser.

pub(crate) mod page;
