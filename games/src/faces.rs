//! Pieces with two faces, which FlipFlop and FlipFour share: one face moves like a rook, the
//! other like a bishop, and every move turns the moved piece over.

use crate::board::picture::{BoardStyle, Cross, Ground, PictureSide, Piece};
use crate::board::rows::Rows;
use crate::board::{BoardDirection, Square, Squares};
use crate::board_game::no_move;
use crate::seats::Seat;
use crate::turn_order::other;

/// The colours of the seats.
pub(crate) const SIDES: [PictureSide; 2] = [PictureSide::White, PictureSide::Black];

/// The pieces on a board, with their owners and the faces that are up. Pieces have no identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pieces<const N: usize> {
    of: [Squares<N>; 2],
    bishops: Squares<N>,
}

impl<const N: usize> Pieces<N> {
    /// How a plain board without hands is drawn.
    pub(crate) const LOOK: BoardStyle<N> = BoardStyle {
        sides: SIDES,
        legend: "White: R like a rook, B like a bishop; Black: r, b",
        letters: "R B r b",
        piece,
        ground: |_| Ground::Plain,
        lines: |_, _, _| Squares::NONE,
        has_hands: false,
    };

    pub(crate) const fn new(of: [Squares<N>; 2]) -> Self {
        Pieces {
            of,
            bishops: Squares::NONE,
        }
    }

    pub(crate) fn of(&self, seat: Seat) -> Squares<N> {
        self.of[usize::from(seat)]
    }

    pub(crate) fn occupied(&self) -> Squares<N> {
        self.of[0] | self.of[1]
    }

    /// Returns how the piece on a square moves.
    pub(crate) fn way(&self, square: Square<N>) -> BoardDirection {
        if self.bishops.has(square) {
            BoardDirection::Diagonal
        } else {
            BoardDirection::Straight
        }
    }

    pub(crate) fn put(&mut self, seat: Seat, square: Square<N>, way: BoardDirection) {
        let of = &mut self.of[usize::from(seat)];
        *of = of.with(square);
        if way == BoardDirection::Diagonal {
            self.bishops = self.bishops.with(square);
        }
    }

    /// Moves a seat's piece and turns it over. It captures an enemy piece on the target.
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
                BoardDirection::Straight => BoardDirection::Diagonal,
                BoardDirection::Diagonal => BoardDirection::Straight,
            },
        );
    }

    /// Returns a number that tells positions apart. It omits the side to move: every move turns one
    /// face, so the faces tell the side as long as nothing is placed or captured.
    pub(crate) fn key(&self) -> u128 {
        u128::from(self.of[0].bits())
            | u128::from(self.of[1].bits()) << 32
            | u128::from(self.bishops.bits()) << 64
    }

    /// Returns the letter of a square in a view.
    pub(crate) fn letter(&self, square: Square<N>) -> u8 {
        if !self.occupied().has(square) {
            return b'.';
        }
        match (self.of[0].has(square), self.bishops.has(square)) {
            (true, false) => b'R',
            (true, true) => b'B',
            (false, false) => b'r',
            (false, true) => b'b',
        }
    }

    /// Reads the board of a view.
    pub(crate) fn read(board: &Rows<N>) -> Self {
        let with = |letter| board.with(letter);
        Pieces {
            of: [with(b'R') | with(b'B'), with(b'r') | with(b'b')],
            bishops: with(b'B') | with(b'b'),
        }
    }

    /// Returns why a seat's piece on a square does not move in the direction of another, if so.
    pub(crate) fn misdirection(
        &self,
        seat: Seat,
        from: Square<N>,
        to: Square<N>,
    ) -> Option<String> {
        let no_move = no_move(self.of(seat), self.of(other(seat)), from, to);
        if no_move.is_some() {
            return no_move;
        }
        match self.way(from) {
            way if from.way_to(to) == Some(way) => None,
            BoardDirection::Straight => Some(format!(
                "the piece on {from} moves like a rook, and {to} is not on its file or rank"
            )),
            BoardDirection::Diagonal => Some(format!(
                "the piece on {from} moves like a bishop, and {to} is not on its diagonals"
            )),
        }
    }
}

/// Returns the piece that a letter of a view means.
fn piece(letter: u8) -> Option<Piece> {
    let (seat, cross) = match letter {
        b'R' => (0, Cross::Straight),
        b'B' => (0, Cross::Diagonal),
        b'r' => (1, Cross::Straight),
        b'b' => (1, Cross::Diagonal),
        _ => return None,
    };
    Some(Piece { seat, cross })
}
