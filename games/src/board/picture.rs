//! What a drawing of a board shows, as text and as SVG.

use std::fmt::Write as _;

use super::rows::Rows;
use super::{Square, Squares};
use crate::seats::Seat;
use crate::turn_order::{Reason, Standing, TurnOrderOver};

/// A view of a board game, ready to be drawn.
pub(crate) struct Picture<'a, const N: usize> {
    pub(crate) title: &'static str,
    pub(crate) look: BoardStyle<N>,
    pub(crate) board: &'a Rows<N>,
    /// The squares of the last action, if it is known.
    pub(crate) last: Squares<N>,
    /// The number of pieces in each hand, in games with hands.
    pub(crate) hands: [u8; 2],
    pub(crate) standing: Standing,
}

/// How a board game is drawn.
#[derive(Clone, Copy, Debug)]
pub struct BoardStyle<const N: usize> {
    /// The colour of each seat.
    pub(crate) sides: [PictureSide; 2],
    /// The meaning of the letters and marks of the text, in one line.
    pub(crate) legend: &'static str,
    /// The letters of pieces, for messages.
    pub(crate) letters: &'static str,
    /// Returns the piece that a letter of the board means.
    pub(crate) piece: fn(u8) -> Option<Piece>,
    pub(crate) ground: fn(Square<N>) -> Ground,
    /// Returns the squares of the lines that ended a match which a seat has won for a reason.
    pub(crate) lines: fn(&Rows<N>, Seat, Reason) -> Squares<N>,
    /// Whether seats have pieces in hand.
    pub(crate) has_hands: bool,
}

/// A piece as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) seat: Seat,
    pub(crate) cross: Cross,
}

/// The mark on a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cross {
    None,
    Straight,
    Diagonal,
}

/// The look of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ground {
    Plain,
    Goal,
    Blue,
    White,
    /// Half blue, half white.
    Neutral,
}

/// The colour of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PictureSide {
    White,
    Black,
    Blue,
}

impl PictureSide {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            PictureSide::White => "White",
            PictureSide::Black => "Black",
            PictureSide::Blue => "Blue",
        }
    }
}

impl<const N: usize> Picture<'_, N> {
    /// Describes the state of the match in one line.
    pub(super) fn headline(&self) -> String {
        let Picture {
            title, standing, ..
        } = self;
        let mut headline = format!("{title}, ply {}: {}", standing.ply, self.caption());
        if standing.repetitions > 1 && standing.over.is_none() {
            let _ = write!(
                headline,
                " (this position for the {} time)",
                nth(standing.repetitions)
            );
        }
        headline
    }

    /// Describes in one line whose turn it is or how the match ended.
    pub(super) fn caption(&self) -> String {
        let name = |seat: Seat| {
            let side = self.look.sides.get(usize::from(seat));
            side.map_or("nobody", |side| side.name())
        };
        match (self.standing.over, self.standing.to_move) {
            (Some(TurnOrderOver { winner, reason }), _) => match winner {
                Some(winner) => format!("{} wins: {}", name(winner), reason.name()),
                None => format!("Draw: {}", reason.name()),
            },
            (None, Some(seat)) => format!("{} to move", name(seat)),
            (None, None) => "Nobody to move".into(),
        }
    }
}

fn nth(count: u32) -> String {
    match count {
        2 => "second".into(),
        3 => "third".into(),
        count => format!("{count}th"),
    }
}
