//! The state of a match of FLIP 4, and its settings.

use serde::{Deserialize, Serialize};

use crate::board::{Square, Squares, lines};
use crate::flip4::action::Flip4Action;
use crate::flip4::dice::{CORNERS, Layout, Roll, SIDE};
use crate::json::named;
use crate::options::BoundedInt;
use crate::seats::{Seat, Seats};

/// A turn that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Last {
    /// Whose it was.
    pub seat: Seat,
    /// Its last roll.
    pub roll: Roll,
    /// What was done; null if the turn was lost.
    pub action: Option<Flip4Action>,
}

/// The maximum number of seats.
pub(super) const MAX_SEATS: usize = 4;

/// The number of pieces of each seat, and of a line.
pub(super) const PIECES: u8 = 4;

/// The maximum number of rolls in a turn while pieces are placed.
pub(super) const MAX_ROLLS: usize = 3;

/// The number of lost turns in a row that gives a free move.
pub(super) const LOST_TURNS: u8 = 3;

/// A match of FLIP 4.
#[derive(Clone, Debug)]
pub struct Flip4 {
    pub(super) options: Flip4Options,
    pub(super) seats: u8,
    pub(super) pieces: Flip4Pieces,
    /// The seat that begins, once it is sampled.
    pub(super) start: Option<Seat>,
    pub(super) direction: Direction,
    /// Whose turn it is, or would be if the match were not over.
    pub(super) to_move: Seat,
    /// The rolls of this turn, in order.
    pub(super) rolls: [Option<Roll>; MAX_ROLLS],
    /// By seat, the turns lost in a row; at [`LOST_TURNS`] the seat has a free move now.
    pub(super) lost: [u8; MAX_SEATS],
    /// The number of turns that are over.
    pub(super) turns: u32,
    pub(super) last: Option<Last>,
    pub(super) end: Option<Flip4End>,
}

/// The settings of FLIP 4.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Flip4Options {
    /// The 21 numbers of the board row by row from the top, without the corners.
    pub layout: Layout,
    /// Whether a piece that moves to a corner may go back to where it began.
    pub corner_return: bool,
    /// Who wins if a flip completes a line of both.
    pub double_line: DoubleLine,
    /// After so many turns the match is a draw.
    pub max_turns: BoundedInt<1, 1_000_000>,
}

impl Default for Flip4Options {
    fn default() -> Self {
        Flip4Options {
            layout: Layout::default(),
            corner_return: true,
            double_line: DoubleLine::Mover,
            max_turns: BoundedInt::new(3000),
        }
    }
}

/// Who wins if a flip completes a line of the mover and one of the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DoubleLine {
    /// The seat that moved.
    Mover,
    /// The seat whose piece was flipped.
    Opponent,
    /// Each of the two has a point.
    Both,
}

/// The order in which the seats have their turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// After a seat comes the next higher one; after the last, seat 0.
    Ascending,
    /// After a seat comes the next lower one; after seat 0, the last.
    Descending,
}

/// What a match waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Chance draws who begins.
    Start,
    /// Chance rolls the dice for `to_move`.
    Roll,
    /// `to_move` places a piece on an open square of a result.
    Place,
    /// `to_move` places a piece on any open square but a corner: three rolls had no open result.
    PlaceAnywhere,
    /// `to_move` moves a piece that is on a result.
    Move,
    /// `to_move` moves any piece of its own or passes: three turns in a row had no match.
    FreeMove,
    /// Nothing more.
    Over,
}

named! {
    /// Why a match ended.
    pub enum Flip4Reason {
        /// Four pieces in a line.
        Line = "line",
        /// The most turns were played: a draw.
        Limit = "limit",
    }
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flip4End {
    pub(super) winners: Seats,
    pub(super) reason: Flip4Reason,
}

/// The squares of the pieces of each seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flip4Pieces(pub(super) [Squares<SIDE>; MAX_SEATS]);

impl Direction {
    pub(super) fn after(self, seat: Seat, seats: u8) -> Seat {
        match self {
            Direction::Ascending => (seat + 1) % seats,
            Direction::Descending => (seat + seats - 1) % seats,
        }
    }

    pub(super) fn reversed(self) -> Self {
        match self {
            Direction::Ascending => Direction::Descending,
            Direction::Descending => Direction::Ascending,
        }
    }
}

impl Flip4Pieces {
    pub(super) fn of(&self, seat: Seat) -> Squares<SIDE> {
        self.0[usize::from(seat)]
    }

    pub(super) fn on(&self, square: Square<SIDE>) -> Option<Seat> {
        let owner = self.0.iter().position(|pieces| pieces.has(square));
        owner.map(|seat| seat as Seat)
    }

    /// Returns the squares with a number and without a piece.
    pub(super) fn open(&self) -> Squares<SIDE> {
        let occupied = self.0.into_iter().fold(CORNERS, |all, of| all | of);
        !occupied
    }

    pub(super) fn toggle(&mut self, seat: Seat, square: Square<SIDE>) {
        let of = &mut self.0[usize::from(seat)];
        *of = of.toggled(square);
    }

    /// Moves a seat's piece. An opponent's piece on the target changes places with it.
    pub(super) fn exchange(&mut self, seat: Seat, from: Square<SIDE>, to: Square<SIDE>) {
        if from == to {
            return;
        }
        if let Some(opponent) = self.on(to) {
            self.toggle(opponent, to);
            self.toggle(opponent, from);
        }
        self.toggle(seat, from);
        self.toggle(seat, to);
    }

    /// Returns the seats with four in a line.
    pub(super) fn in_line(&self) -> Seats {
        (0..)
            .zip(&self.0)
            .filter(|(_, pieces)| LINES.contains(pieces))
            .map(|(seat, _)| seat)
            .collect()
    }
}

/// The lines that win: all lines without a corner.
pub const LINES: [Squares<SIDE>; 16] = without_corners(lines(PIECES as i8));

const fn without_corners(all: [Squares<SIDE>; 28]) -> [Squares<SIDE>; 16] {
    let mut lines = [Squares::NONE; 16];
    let (mut at, mut count) = (0, 0);
    while at < all.len() {
        if all[at].bits() & CORNERS.bits() == 0 {
            lines[count] = all[at];
            count += 1;
        }
        at += 1;
    }
    assert!(count == lines.len(), "not all lines are filled");
    lines
}
