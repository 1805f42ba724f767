//! The command, end to end: what it prints, what it stores, what it refuses.

mod archives;
mod bad_input;
mod bench;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod exports;
mod formats;
mod hostile_text;
mod journals;
mod play;
mod policy;
mod resume;
mod tournaments;
mod verify;
mod watching;
