//! The state of a match of Phase 10 Flip, and its settings.

use serde::{Deserialize, Serialize};

use crate::json::named;
use crate::options::BoundedInt;
use crate::phase10::cards::{CARDS, Card, CardId, CardList, CardSide};
use crate::phase10::groups::{MAX_GROUPS, Phase10Group};
use crate::seats::{MAX_SEATS, Points, Seat, Seats};

named! {
    /// What comes next in a match.
    pub enum Stage {
        /// Chance draws which faces share a card.
        Cards = "cards",
        /// Chance draws who deals first.
        Dealer = "dealer",
        /// Chance deals a round.
        Deal = "deal",
        /// Chance makes a new draw pile of the discards.
        Reshuffle = "reshuffle",
        /// A seat draws a card.
        Draw = "draw",
        /// A seat that has drawn lays, hits or discards.
        Play = "play",
        /// Nothing: the match is over.
        Over = "over",
    }
}

/// The number of cards dealt to each seat.
pub(super) const DEALT: usize = 10;

/// The maximum number of cards in a hand: those dealt, and the one just drawn.
pub(super) const MAX_HAND: usize = DEALT + 1;

/// A match of Phase 10 Flip.
#[derive(Clone, Debug)]
pub struct Phase10 {
    pub(super) rules: Phase10Rules,
    pub(super) seats: u8,
    /// The faces of the cards by number, once they are sampled.
    pub(super) cards: Option<[Card; CARDS]>,
    /// The number of the round, from 1; 0 before the first deal.
    pub(super) round: u32,
    pub(super) dealer: Option<Seat>,
    /// The seats that are dealt cards in this round.
    pub(super) playing: Seats,
    /// Whether this is the deciding round.
    pub(super) deciding: bool,
    pub(super) side: CardSide,
    /// How many turns have ended in this round.
    pub(super) turns: u32,
    pub(super) stage: Stage,
    pub(super) places: [PlayerState; MAX_SEATS],
    /// The last card is the top.
    pub(super) draw_pile: CardList<CardId, CARDS>,
    pub(super) discard_pile: CardList<CardId, CARDS>,
    pub(super) over: Option<(Phase10Reason, Points)>,
}

/// The options, as the match uses them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phase10Rules {
    pub(super) variant: Variant,
    /// The phase that ends the match.
    pub(super) last_phase: u8,
    pub(super) flips_each_side: u8,
    pub(super) round_winner_points: u32,
    pub(super) max_rounds: u32,
    pub(super) max_turns: u32,
}

/// The score, the hand and the groups of a seat.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlayerState {
    pub(super) score: u32,
    /// The number of phases that it has completed.
    pub(super) completed: u8,
    /// Whether its phase of this round is down.
    pub(super) laid: bool,
    pub(super) hand: CardList<CardId, MAX_HAND>,
    pub(super) groups: CardList<Phase10Group, MAX_GROUPS>,
}

/// The settings of Phase 10 Flip.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, remote = "Self")]
pub struct Phase10Options {
    /// Which way of playing.
    pub variant: Variant,
    /// With the variant `short`: how many phases decide, 5 if nothing else is said.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[cfg_attr(feature = "schema", schemars(with = "BoundedInt<1, 9>"))]
    pub phases: Option<BoundedInt<1, 9>>,
    /// How many cards have a flip symbol on each side: a multiple of 4.
    pub flips_each_side: BoundedInt<0, 24>,
    /// What the seat that goes out scores.
    pub round_winner_points: BoundedInt<0, 100>,
    /// After so many rounds the match ends as it stands.
    pub max_rounds: BoundedInt<1, 1000>,
    /// After so many turns of seats in one round the match ends as it stands.
    pub max_turns_per_round: BoundedInt<1, 10_000>,
}

/// A way of playing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// Until somebody has completed phase 10.
    #[default]
    Standard,
    /// Ten rounds; everybody goes on to the next phase after each, and the lowest total wins.
    TenRounds,
    /// Until somebody has completed as many phases as the option `phases` says.
    Short,
}

/// Reads a number of phases that is given, and so is not null.
fn given<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<BoundedInt<1, 9>>, D::Error> {
    BoundedInt::deserialize(from).map(Some)
}

/// The default number of phases of the variant `short`.
pub(super) const SHORT: BoundedInt<1, 9> = BoundedInt::new(5);

impl Default for Phase10Options {
    fn default() -> Self {
        Phase10Options {
            variant: Variant::Standard,
            phases: None,
            flips_each_side: BoundedInt::new(8),
            round_winner_points: BoundedInt::new(10),
            max_rounds: BoundedInt::new(60),
            max_turns_per_round: BoundedInt::new(300),
        }
    }
}

/// Written by hand, since the derived functions are those of a type that has no traits yet.
impl Serialize for Phase10Options {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Phase10Options::serialize(self, serializer)
    }
}

/// Written by hand, since the number of phases has a default in one variant only.
impl<'de> Deserialize<'de> for Phase10Options {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut options = Phase10Options::deserialize(deserializer)?;
        if options.variant == Variant::Short {
            options.phases.get_or_insert(SHORT);
        }
        Ok(options)
    }
}

named! {
    /// The rules by which a match ends.
    pub enum Phase10Reason {
        /// A seat completed the last phase, alone or with the lowest total.
        LastPhase = "last-phase",
        /// A seat went out first in the deciding round.
        DecidingRound = "deciding-round",
        /// Ten rounds were played (variant `ten-rounds`).
        TenRounds = "ten-rounds",
        /// The most rounds, or the most turns of a round, were played.
        Limit = "limit",
    }
}
