//! A match on the terminal, step by step: what the keys do, and what the screen shows.

mod keys;
pub(crate) mod screen;
