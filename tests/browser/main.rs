//! The site as people use it: a real browser before a real server.

#[path = "../common/browser.rs"]
mod browser;
#[path = "../common/mod.rs"]
mod common;
mod person;
#[path = "../common/server.rs"]
mod server;
mod whole;
