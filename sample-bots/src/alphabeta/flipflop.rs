//! FlipFlop for the search. The rules crate says what the rules are; tests compare both.

use super::faces::FacePieces;
use super::grid::{Bits, RAYS, STEPS, bit, board, each, toward, write};
use super::position::{GameEnd, Move, PositionKey, SearchPosition};

const MOVE: u16 = 0;
const CAPTURE: u16 = 1;

#[derive(Clone, Copy, Debug)]
pub(crate) struct FlipFlopPosition<const N: u8>(FacePieces);

impl<const N: u8> FlipFlopPosition<N> {
    const BOARD: Bits = board(N);

    /// The middle of each seat's home rank.
    const GOALS: [Bits; 2] = [bit(N / 2, 0), bit(N / 2, N - 1)];

    /// By seat and square, what a piece there is worth for being near the goal.
    const NEAR: [[i16; super::grid::BITS]; 2] = {
        let mut near = [[0; super::grid::BITS]; 2];
        let mut at = 0;
        while at < super::grid::BITS {
            let (file, rank) = (at as i16 % 6, at as i16 / 6);
            let mut seat = 0;
            while seat < 2 {
                let goal = if seat == 0 { N as i16 - 1 } else { 0 };
                let files = (file - N as i16 / 2).abs();
                let ranks = (rank - goal).abs();
                near[seat][at] = 60 - 10 * if files > ranks { files } else { ranks };
                seat += 1;
            }
            at += 1;
        }
        near
    };

    /// Returns where a piece of the seat to move can go, and where it captures.
    fn targets(&self, from: u8) -> (Bits, Bits) {
        let FacePieces { own, enemy, .. } = self.0;
        let free = Self::BOARD & !(own | enemy);
        let goals = Self::GOALS[0] | Self::GOALS[1];
        let (mut quiet, mut captures) = (0, 0);
        for step in STEPS.iter().skip(self.0.face(from)).step_by(2) {
            let mut at = toward(1 << from, *step);
            while at & free != 0 {
                quiet |= at;
                at = toward(at, *step);
            }
            captures |= at & enemy & goals;
        }
        (quiet, captures)
    }

    /// Returns whether one of these pieces could go to a square next, if it is not one of their own.
    fn reaches(&self, pieces: Bits, to: Bits) -> bool {
        let occupied = self.0.own | self.0.enemy;
        let at = to.trailing_zeros() as usize;
        let by_face = [pieces & !self.0.bishops, pieces & self.0.bishops];
        STEPS.iter().enumerate().any(|(direction, step)| {
            let fitting = by_face[direction % 2];
            if RAYS[direction][at] & fitting == 0 {
                return false;
            }
            let mut at = toward(to, *step) & Self::BOARD;
            while at & !occupied != 0 {
                at = toward(at, *step) & Self::BOARD;
            }
            at & fitting != 0
        })
    }

    /// Adds up what is good for one side.
    fn side(&self, pieces: Bits, rivals: Bits, seat: u8) -> i32 {
        const PIECE: i32 = 60;
        const STAYS: i32 = 300;
        const ARRIVES: i32 = 150;
        const THREATENS: i32 = 30;
        let near = &Self::NEAR[usize::from(seat)];
        let goal = Self::GOALS[usize::from(1 - seat)];
        let advanced: i32 = each(pieces)
            .map(|square| i32::from(near[usize::from(square)]))
            .sum();
        let is_there = pieces & goal != 0;
        if !is_there && !self.reaches(pieces, goal) {
            return advanced;
        }
        let is_guarded = self.reaches(rivals, goal);
        advanced
            + match (is_there, is_guarded) {
                (true, true) => -PIECE,
                (true, false) => STAYS,
                (false, true) => THREATENS,
                (false, false) => ARRIVES,
            }
    }

    /// The goal that the seat to move defends.
    fn own_goal(&self) -> Bits {
        Self::GOALS[usize::from(self.0.seat)]
    }
}

impl<const N: u8> SearchPosition for FlipFlopPosition<N> {
    fn read(rows: &[String], _: [u8; 2], to_move: u8) -> Option<Self> {
        FacePieces::read(rows, to_move).map(FlipFlopPosition)
    }

    fn moves(&self, mut add: impl FnMut(Move, i32)) {
        const CAPTURES: i32 = 1000;
        const TO_THE_GOAL: i32 = 500;
        let goal = Self::GOALS[usize::from(1 - self.0.seat)];
        for from in each(self.0.own) {
            let (quiet, captures) = self.targets(from);
            for to in each(captures) {
                add(Move::new(CAPTURE, from, to), CAPTURES);
            }
            for to in each(quiet) {
                let reaches = i32::from(goal >> to & 1 != 0);
                add(Move::new(MOVE, from, to), TO_THE_GOAL * reaches);
            }
        }
    }

    fn play(&self, action: Move) -> (Self, GameEnd) {
        let next = FlipFlopPosition::<N>(self.0.moved(action.from(), action.to()));
        let is_stuck = |from| {
            let (quiet, captures) = next.targets(from);
            quiet | captures == 0
        };
        let end = if next.0.own & self.own_goal() != 0 {
            // The piece on the goal was not captured.
            GameEnd::Lost
        } else if each(next.0.own).all(is_stuck) {
            GameEnd::Won
        } else {
            GameEnd::Open
        };
        (next, end)
    }

    fn is_irreversible(&self, action: Move) -> bool {
        action.kind() == CAPTURE
    }

    fn key(&self) -> PositionKey {
        self.0.key()
    }

    fn evaluate(&self) -> i32 {
        let FacePieces {
            own, enemy, seat, ..
        } = self.0;
        self.side(own, enemy, seat) - self.side(enemy, own, 1 - seat)
    }

    /// The enemy has reached the goal and wins if it stays there. A capture removes a piece, so this
    /// cannot last.
    fn is_urgent(&self) -> bool {
        self.0.enemy & self.own_goal() != 0
    }

    fn write(&self, action: Move, out: &mut String) {
        write(action.from(), out);
        out.push(if action.kind() == CAPTURE { 'x' } else { '-' });
        write(action.to(), out);
    }
}
