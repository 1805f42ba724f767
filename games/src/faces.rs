//! Pieces with two faces, which FlipFlop and FlipFour share: one face moves like a rook, the
//! other like a bishop, and every move turns the moved piece over.

use crate::board::{Cross, Piece, Rows, Side, Square, Squares, Way};
use crate::course::{malformed, other};
use crate::{Malformed, Seat};

/// What the seats play with.
pub(crate) const SIDES: [Side; 2] = [Side::White, Side::Black];

/// What the letters in a drawing mean.
pub(crate) const LEGEND: &str = "White: R like a rook, B like a bishop; Black: r, b";

/// The pieces on a board: whose they are and which face is up. Pieces have no identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pieces<const N: usize> {
    of: [Squares<N>; 2],
    bishops: Squares<N>,
}

impl<const N: usize> Pieces<N> {
    pub(crate) const fn new(of: [Squares<N>; 2]) -> Self {
        Pieces {
            of,
            bishops: Squares::NONE,
        }
    }

    pub(crate) fn of(&self, seat: Seat) -> Squares<N> {
        self.of[usize::from(seat)]
    }

    pub(crate) fn bishops(&self) -> Squares<N> {
        self.bishops
    }

    pub(crate) fn occupied(&self) -> Squares<N> {
        self.of[0] | self.of[1]
    }

    /// The way in which the piece on a square moves.
    pub(crate) fn way(&self, square: Square<N>) -> Way {
        if self.bishops.has(square) {
            Way::Diagonal
        } else {
            Way::Straight
        }
    }

    pub(crate) fn put(&mut self, seat: Seat, square: Square<N>, way: Way) {
        let of = &mut self.of[usize::from(seat)];
        *of = of.with(square);
        if way == Way::Diagonal {
            self.bishops = self.bishops.with(square);
        }
    }

    /// Moves a seat's piece and turns it over. An enemy piece where it arrives is gone.
    pub(crate) fn move_over(&mut self, seat: Seat, from: Square<N>, to: Square<N>) {
        let way = self.way(from);
        for of in &mut self.of {
            *of = of.without(from).without(to);
        }
        self.bishops = self.bishops.without(from).without(to);
        self.put(
            seat,
            to,
            match way {
                Way::Straight => Way::Diagonal,
                Way::Diagonal => Way::Straight,
            },
        );
    }

    /// A number that tells positions apart. The side to move need not be in it: every move turns
    /// one face, so as long as nothing is placed or captured the faces tell the side.
    pub(crate) fn key(&self) -> u128 {
        u128::from(self.of[0].bits())
            | u128::from(self.of[1].bits()) << 32
            | u128::from(self.bishops.bits()) << 64
    }

    /// The board as a view shows it.
    pub(crate) fn rows(&self) -> Rows<N> {
        Rows::of(|square| {
            let bishop = self.bishops.has(square);
            if self.of[0].has(square) {
                if bishop { b'B' } else { b'R' }
            } else if self.of[1].has(square) {
                if bishop { b'b' } else { b'r' }
            } else {
                b'.'
            }
        })
    }

    /// Reads a view's board back.
    ///
    /// # Errors
    /// When a letter is none of `.RBrb`.
    pub(crate) fn read(rows: &Rows<N>) -> Result<Self, Malformed> {
        let mut pieces = Pieces::new([Squares::NONE; 2]);
        for square in Square::all() {
            match (rows.at(square), piece(rows.at(square))) {
                (b'.', _) => {}
                (
                    _,
                    Some(Piece {
                        seat,
                        cross: Cross::Diagonal,
                    }),
                ) => {
                    pieces.put(seat, square, Way::Diagonal);
                }
                (_, Some(Piece { seat, .. })) => pieces.put(seat, square, Way::Straight),
                (letter, None) => {
                    let letter = letter as char;
                    return Err(malformed(format!(
                        "{letter:?} on {square} is none of . R B r b"
                    )));
                }
            }
        }
        Ok(pieces)
    }

    /// Says why a seat has no piece here to move, if it has none.
    pub(crate) fn miss(&self, seat: Seat, square: Square<N>) -> Option<String> {
        if self.of(seat).has(square) {
            None
        } else if self.of(other(seat)).has(square) {
            Some(format!("the piece on {square} is your opponent's"))
        } else {
            Some(format!("there is no piece on {square}"))
        }
    }

    /// Says why the piece on a square does not move in the direction of another, if so.
    pub(crate) fn misdirection(&self, from: Square<N>, to: Square<N>) -> Option<String> {
        if from == to {
            return Some(format!("a move from {from} to {to} goes nowhere"));
        }
        match self.way(from) {
            way if from.way_to(to) == Some(way) => None,
            Way::Straight => Some(format!(
                "the piece on {from} moves like a rook, and {to} is not on its file or rank"
            )),
            Way::Diagonal => Some(format!(
                "the piece on {from} moves like a bishop, and {to} is not on its diagonals"
            )),
        }
    }
}

/// The piece that a letter of a view means.
pub(crate) fn piece(letter: u8) -> Option<Piece> {
    let (seat, cross) = match letter {
        b'R' => (0, Cross::Straight),
        b'B' => (0, Cross::Diagonal),
        b'r' => (1, Cross::Straight),
        b'b' => (1, Cross::Diagonal),
        _ => return None,
    };
    Some(Piece { seat, cross })
}
