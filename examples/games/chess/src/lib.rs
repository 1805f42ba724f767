//! Chess as a game of Flipside. The crate `cozy-chess` knows how the pieces move; this one adds a match: when it is
//! over, how moves are written, what a bot sees and what people see.

mod action;
mod chess;
mod ending;
mod position;
mod san;
mod svg;
mod text;
mod view;

pub use action::ChessMove;
pub use chess::{Chess, ChessOptions};
pub use ending::{ChessOver, ChessReason};
pub use position::Position;
pub use view::ChessView;

/// The page of rules, in Markdown.
pub const RULES: &str = include_str!("../rules.md");
