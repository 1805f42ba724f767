//! Puissance 4 Flip: two sides flick tokens at two trays of cells, one above the other.
//!
//! What a token does once it is somewhere is the rulebook's (`trays`, `rush`, `extra_pro`). Where a
//! launched token comes down, and how long that takes, is a model (`model`): bots have no hands.

mod draw;
mod extra_pro;
mod facts;
mod model;
mod presets;
mod rush;
mod trays;
mod view;

pub use extra_pro::ExtraPro as Puissance4ExtraPro;
pub use facts::{Aim, Cells, LARGEST};
use rush::{Basic, Championship, Rush};

/// Game 1: simultaneous, the first four in a line win.
pub type Puissance4Basic = Rush<Basic>;

/// Game 2: simultaneous, first to five points.
pub type Puissance4Championship = Rush<Championship>;
