//! The guides for authors and organisers, as pages.

pub(crate) mod page;
