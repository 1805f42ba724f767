//! The site as people use it: a real browser before a real server.

mod access;
mod boards;
#[path = "../common/browser.rs"]
mod browser;
mod class;
#[path = "../common/mod.rs"]
mod common;
mod filled;
mod fold;
mod long;
mod person;
mod pictures;
#[path = "../common/server.rs"]
mod server;
mod walk;
mod whole;
