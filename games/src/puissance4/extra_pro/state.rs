//! The state of a match of extra pro.

use serde::{Deserialize, Serialize};

use crate::puissance4::model::Scatter;
use crate::puissance4::trays::{LandingSpot, Side, TrayKind, TraySpot, Trays};
use crate::puissance4::view::{EdgeRule, ScoredLine};
use crate::seats::Seat;

/// A match of game 3.
#[derive(Clone, Debug)]
pub struct ExtraPro {
    pub(super) seats: u8,
    pub(super) rim: EdgeRule,
    pub(super) powers_each: u8,
    /// Whether a line ends the round before the power of the token that completes it acts.
    pub(super) lines_first: bool,
    pub(super) max_rounds: u32,
    pub(super) scatter: Scatter,
    /// The round, from 1.
    pub(super) round: u32,
    /// The side that launches first in this round, once it is sampled.
    pub(super) first: Option<Side>,
    pub(super) score: [u8; 2],
    pub(super) trays: Trays,
    /// The tokens in hand, by kind.
    pub(super) hands: [[u8; 5]; 2],
    /// The seats that hold the launchers.
    pub(super) holders: [Seat; 2],
    pub(super) landed: Option<FlipLanding>,
    pub(super) scored: Option<ScoredLine>,
    pub(super) phase: ExtraProPhase,
}

/// What a match waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtraProPhase {
    /// Chance samples the side that starts.
    Starter,
    /// A side launches a token: its turn begins.
    Launch(Side),
    /// A side launches one more token, for a double.
    Double(Side),
    /// Chance samples where a token lands.
    Landing(Side, TrayKind, TraySpot),
    /// A side chooses whether to empty the row or the column of this cell.
    Line(Side, TraySpot),
    /// A side chooses which neighbour of this cell to empty.
    Cell(Side, TraySpot),
    /// The match has ended. Without a side it is a draw.
    Over(Option<Side>),
}

/// A token comes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FlipLanding {
    /// The side that launched it.
    pub side: Side,
    /// Its kind.
    pub kind: TrayKind,
    /// Where it came down: `top c3`, `top rim` or `miss`.
    pub place: LandingSpot,
}
