//! Puissance 4 Flip: two sides flick tokens at two trays of cells, one above the other.
//!
//! `trays`, `rush` and `extra_pro` follow the rulebook. `model` stands for the hands of the players:
//! it samples where a launched token lands, and how long that takes.

pub mod extra_pro;
mod facts;
mod model;
pub mod rush;
mod scene;
mod svg;
mod text;
mod trays;
mod view;

pub use self::extra_pro::state::ExtraPro as Puissance4ExtraPro;
use self::rush::modes::{Basic, Championship};
use self::rush::state::RealTime;
pub use facts::{Aim, Cells, Does, Launches, MAX_SIZE};
pub use trays::{LandingSpot, Side, Tray, TrayCell, TrayKind, TraySpot};
pub use view::{LineView, Puissance4Over, Puissance4Reason, ScoredLine, TrayView};

/// Game 1: simultaneous, the first four in a line win.
pub type Puissance4Basic = RealTime<Basic>;

/// Game 2: simultaneous, first to five points.
pub type Puissance4Championship = RealTime<Championship>;
