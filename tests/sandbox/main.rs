//! Bots in the sandbox, end to end: what the jail keeps from them, in which languages they are written, and what a
//! spy can learn.

#[path = "../common/mod.rs"]
mod common;
mod jail;
mod languages;
mod spy;
