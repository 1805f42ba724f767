//! The grades of a class as a file: a row for each author, with the best of its bots in a tournament or a season.

pub(crate) mod page;
mod rows;
