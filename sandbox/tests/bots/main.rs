//! Bots of every bad kind, and what the sandbox makes of them.

mod common;
mod module;
mod process;
mod program;
