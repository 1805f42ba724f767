//! Pictures that other sites show beside a link to a page: a board and words beside it, as PNG.

pub(crate) mod card;
mod draw;
pub(crate) mod serve;
