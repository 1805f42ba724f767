//! Flipside in a browser: pages over the operations on an arena, and replays.
//!
//! A page is a struct and a function: the struct holds what the page says and can be asserted
//! without HTML, and a template in `templates/` renders it. What a page says comes from
//! `flipside-operations`; this crate holds no rule of a game or of a tournament.

/// The colours and type of every page, as CSS: variables for light and dark.
pub const THEME: &str = include_str!("../assets/theme.css");
