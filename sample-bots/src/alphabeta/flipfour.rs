//! FlipFour for the search. The rules crate says what the rules are; tests compare both.

use super::faces::{BISHOP, FacePieces, ROOK};
use super::grid::{Bits, RAYS, Worths, any_gap, board, each, has_four, lines_worth, worths, write};
use super::position::{GameEnd, Move, PositionKey, SearchPosition};

const BOARD: Bits = board(5);

/// The pieces of each seat, and of a line.
const PIECES: u32 = 4;

const WORTHS: Worths = worths([0, 5, 25, 80, 80]);

const MOVE: u16 = 0;
const PLACE_ROOK: u16 = 1;
const PLACE_BISHOP: u16 = 2;

#[derive(Clone, Copy, Debug)]
pub(super) struct FlipFourPosition(FacePieces);

/// By face and square, where a piece moves on an empty board.
const STARS: [[Bits; super::grid::BITS]; 2] = {
    let mut stars = [[0; super::grid::BITS]; 2];
    let mut from = 0;
    while from < super::grid::BITS {
        let mut direction = 0;
        while direction < 8 {
            stars[direction % 2][from] |= RAYS[direction][from];
            direction += 1;
        }
        from += 1;
    }
    stars
};

impl FlipFourPosition {
    fn empty(&self) -> Bits {
        BOARD & !(self.0.own | self.0.enemy)
    }

    fn targets(&self, from: u8, empty: Bits) -> Bits {
        STARS[self.0.face(from)][usize::from(from)] & empty
    }
}

impl SearchPosition for FlipFourPosition {
    fn read(rows: &[String], _: [u8; 2], to_move: u8) -> Option<Self> {
        FacePieces::read(rows, to_move).map(FlipFourPosition)
    }

    fn moves(&self, mut add: impl FnMut(Move, i32)) {
        let empty = self.empty();
        for from in each(self.0.own) {
            for to in each(self.targets(from, empty)) {
                add(Move::new(MOVE, from, to), 0);
            }
        }
        if self.0.own.count_ones() < PIECES {
            for to in each(empty) {
                add(Move::new(PLACE_ROOK, to, to), 1);
                add(Move::new(PLACE_BISHOP, to, to), 1);
            }
        }
    }

    fn play(&self, action: Move) -> (Self, GameEnd) {
        let FlipFourPosition(pieces) = self;
        let next = FlipFourPosition(match action.kind() {
            MOVE => pieces.moved(action.from(), action.to()),
            PLACE_ROOK => pieces.placed(action.to(), ROOK),
            _ => pieces.placed(action.to(), BISHOP),
        });
        let (last, to_move) = (next.0.enemy, next.0.own);
        let is_stuck = || {
            let empty = next.empty();
            each(to_move).all(|from| next.targets(from, empty) == 0)
        };
        let won = has_four(last, last) || (to_move.count_ones() == PIECES && is_stuck());
        (next, if won { GameEnd::Won } else { GameEnd::Open })
    }

    fn is_irreversible(&self, action: Move) -> bool {
        action.kind() != MOVE
    }

    fn key(&self) -> PositionKey {
        self.0.key()
    }

    fn evaluate(&self) -> i32 {
        lines_worth(&WORTHS, self.0.own, self.0.enemy)
    }

    fn wins_at_once(&self) -> bool {
        any_gap(self.0.own, self.empty(), |gap, others| {
            let last = self.0.own & !others;
            last == 0 || each(last).all(|from| self.targets(from, 1 << gap) != 0)
        })
    }

    fn write(&self, action: Move, out: &mut String) {
        match action.kind() {
            PLACE_ROOK => out.push('+'),
            PLACE_BISHOP => out.push('x'),
            _ => {
                write(action.from(), out);
                out.push('-');
            }
        }
        write(action.to(), out);
    }
}
