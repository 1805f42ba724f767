//! The pieces of FlipFlop and FlipFour, which turn over with every move.

use super::grid::{Bits, bit};
use super::position::PositionKey;

/// The faces of a piece: it moves straight, or diagonally.
pub(super) const ROOK: usize = 0;
pub(super) const BISHOP: usize = 1;

#[derive(Clone, Copy, Debug)]
pub(super) struct FacePieces {
    pub(super) own: Bits,
    pub(super) enemy: Bits,
    pub(super) bishops: Bits,
    pub(super) seat: u8,
}

impl FacePieces {
    /// Reads the board of a view.
    pub(super) fn read(rows: &[String], to_move: u8) -> Option<Self> {
        let mut pieces = [0; 2];
        let mut bishops = 0;
        for (rank, row) in (0..5).zip(rows.iter().rev()) {
            for (file, letter) in (0..5).zip(row.bytes()) {
                let square = bit(file, rank);
                match letter {
                    b'R' | b'B' => pieces[0] |= square,
                    b'r' | b'b' => pieces[1] |= square,
                    b'.' => {}
                    _ => return None,
                }
                if letter.eq_ignore_ascii_case(&b'b') {
                    bishops |= square;
                }
            }
        }
        let own = usize::from(to_move);
        Some(FacePieces {
            own: *pieces.get(own)?,
            enemy: pieces[1 - own],
            bishops,
            seat: to_move,
        })
    }

    pub(super) fn face(&self, square: u8) -> usize {
        (self.bishops >> square & 1) as usize
    }

    /// Moves an own piece, which turns over. An enemy piece on the target leaves the board.
    pub(super) fn moved(&self, from: u8, to: u8) -> Self {
        let mut cleared = *self;
        let face = self.face(from);
        cleared.own &= !(1 << from);
        cleared.enemy &= !(1 << to);
        cleared.bishops &= !(1 << from | 1 << to);
        cleared.placed(to, 1 - face)
    }

    /// Places an own piece.
    pub(super) fn placed(&self, to: u8, face: usize) -> Self {
        FacePieces {
            own: self.enemy,
            enemy: self.own | 1 << to,
            bishops: self.bishops | (face as u32) << to,
            seat: 1 - self.seat,
        }
    }

    pub(super) fn key(&self) -> PositionKey {
        PositionKey(
            u64::from(self.own) | u64::from(self.enemy) << 32,
            self.bishops << 1 | u32::from(self.seat),
        )
    }
}
