//! The state of a match of a simultaneous game.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use crate::puissance4::model::{ModelPace, Scatter};
use crate::puissance4::rush::modes::Mode;
use crate::puissance4::trays::{LandingSpot, Side, TOKENS, TrayLine, TraySpot, Trays};
use crate::puissance4::view::{EdgeRule, ScoredLine};
use crate::seats::Seat;

/// A match of a simultaneous game: the basic game, won by the first line, or the championship over
/// several rounds.
#[derive(Clone, Debug)]
pub struct RealTime<M: Mode> {
    pub(super) mode: PhantomData<fn() -> M>,
    pub(super) seats: u8,
    pub(super) rim: EdgeRule,
    pub(super) max_ticks: u32,
    pub(super) max_rounds: u32,
    /// Whether a seat that is asked may wait. In a team that needs an option: the rulebook says that
    /// a team mate launches immediately.
    pub(super) may_wait: bool,
    pub(super) scatter: Scatter,
    pub(super) pace: ModelPace,
    /// The round, from 1.
    pub(super) round: u32,
    /// The tick of the round, from 0.
    pub(super) tick: u32,
    pub(super) score: [u8; 2],
    pub(super) trays: Trays,
    pub(super) hands: [RushHand; 2],
    /// The tokens in the air, by launch and side. Their landing place is sampled when they land.
    pub(super) air: Vec<Flying>,
    /// The lines that stand, apart from the one that ended the match.
    pub(super) found: Vec<LineSet>,
    pub(super) landed: Option<Landed>,
    pub(super) scored: Option<ScoredLine>,
    pub(super) phase: RushPhase,
}

/// The tokens and the launcher of a side.
#[derive(Clone, Debug)]
pub(super) struct RushHand {
    /// The seat that holds the launcher.
    pub(super) holder: Seat,
    /// The tokens in hand.
    pub(super) tokens: u8,
    /// The tokens that are out for the round.
    pub(super) out: u8,
    /// The ticks at which picked-up tokens are back in hand, ascending.
    pub(super) picked_up: Vec<u32>,
    /// The tick of the last launch of the round.
    pub(super) launched: Option<u32>,
    /// The tick at which the launcher is ready again, once it is sampled.
    pub(super) reloaded: Option<u32>,
}

/// A token in the air.
#[derive(Clone, Debug)]
pub(super) struct Flying {
    pub(super) side: Side,
    /// The tick of its launch.
    pub(super) launched: u32,
    pub(super) aim: TraySpot,
    /// The tick of its landing, once it is sampled.
    pub(super) lands: Option<u32>,
}

/// Lines of a side that were found together and will be claimed together.
#[derive(Clone, Debug)]
pub(super) struct LineSet {
    pub(super) side: Side,
    /// The tick at which they were found.
    pub(super) since: u32,
    /// The tick of the claim, once it is sampled. There is none when the match is over.
    pub(super) claimed: Option<u32>,
    /// The lines in the order of claims.
    pub(super) lines: Vec<TrayLine>,
}

/// What a match waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RushPhase {
    /// The sides that are ready choose.
    Choose,
    /// Chance samples the delays of new launches.
    Delays,
    /// Chance samples where the tokens that are due land.
    Landings,
    /// Chance samples the reaction to new lines.
    Reactions,
    /// Both sides claim at once, and chance samples which claim comes first.
    Claimant,
    /// A side claims a line, and chance samples where all tokens in the air land.
    Claim(Side, TrayLine),
    /// After void claims, chance samples the reaction to lines that are new now.
    Void,
    /// The match has ended. Without a side it is a draw.
    Over(Option<Side>),
}

/// A token comes down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Landing {
    /// The side that launched it.
    pub side: Side,
    /// The tick of its launch. A side launches one token in a tick.
    pub launched: u32,
    /// Where it came down: `top c3`, `top rim` or `miss`.
    pub place: LandingSpot,
}

/// The last tick in which something came down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Landed {
    /// The tick.
    pub tick: u32,
    /// What came down in it, in order.
    pub tokens: Vec<Landing>,
}

impl RushHand {
    pub(super) fn full(holder: Seat) -> Self {
        RushHand {
            holder,
            tokens: TOKENS,
            out: 0,
            picked_up: Vec::new(),
            launched: None,
            reloaded: None,
        }
    }

    /// Returns whether the side has a token in hand and its launcher is ready.
    pub(super) fn is_ready(&self, tick: u32) -> bool {
        let is_reloaded = self.reloaded.is_some_and(|reloaded| reloaded <= tick);
        self.tokens > 0 && (self.launched.is_none() || is_reloaded)
    }
}
