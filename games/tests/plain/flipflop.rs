//! FlipFlop, plainly.

use serde_json::{Value, json};

use super::{
    BISHOP, BoardGameSquare, PlainGame, ROOK, draw, name, rows, square, squares, step, view, win,
};

#[derive(Clone)]
pub(crate) struct PlainFlipFlop<const SIDE: usize> {
    /// By file and rank: a face and its owner, or nothing.
    board: [[Option<(usize, PlainFace)>; SIDE]; SIDE],
    /// All boards there have been, with the side to move.
    seen: Vec<String>,
    ply: usize,
    max_plies: usize,
}

pub(crate) type FlipFlop3 = PlainFlipFlop<3>;
pub(crate) type FlipFlop5 = PlainFlipFlop<5>;

#[derive(Clone, Copy, PartialEq)]
enum PlainFace {
    Plus,
    Cross,
}

impl<const SIDE: usize> PlainFlipFlop<SIDE> {
    fn mover(&self) -> usize {
        self.ply % 2
    }

    fn at(&self, (file, rank): BoardGameSquare) -> Option<(usize, PlainFace)> {
        self.board[file][rank]
    }

    /// The goal square on a seat's home rank.
    fn goal_at_home_of(seat: usize) -> BoardGameSquare {
        (SIDE / 2, if seat == 0 { 0 } else { SIDE - 1 })
    }

    fn moves(&self) -> Vec<String> {
        let me = self.mover();
        let mut moves = Vec::new();
        for from in squares(SIDE) {
            let Some((owner, face)) = self.at(from) else {
                continue;
            };
            if owner != me {
                continue;
            }
            let directions = if face == PlainFace::Plus {
                ROOK
            } else {
                BISHOP
            };
            for direction in directions {
                for steps in 1.. {
                    let Some(to) = step(SIDE, from, direction, steps) else {
                        break;
                    };
                    match self.at(to) {
                        None => moves.push(format!("{}-{}", name(from), name(to))),
                        Some((owner, _)) => {
                            let goal =
                                to == Self::goal_at_home_of(0) || to == Self::goal_at_home_of(1);
                            if goal && owner != me {
                                moves.push(format!("{}x{}", name(from), name(to)));
                            }
                            break;
                        }
                    }
                }
            }
        }
        moves.sort();
        moves
    }

    fn rows(&self) -> Vec<String> {
        rows(SIDE, |square| match self.at(square) {
            None => '.',
            Some((0, PlainFace::Plus)) => 'R',
            Some((0, PlainFace::Cross)) => 'B',
            Some((_, PlainFace::Plus)) => 'r',
            Some((_, PlainFace::Cross)) => 'b',
        })
    }

    fn position(&self) -> String {
        format!("{} {}", self.rows().concat(), self.mover())
    }

    fn repetitions(&self) -> usize {
        let now = self.position();
        self.seen.iter().filter(|&seen| *seen == now).count()
    }
}

impl<const SIDE: usize> PlainGame for PlainFlipFlop<SIDE> {
    fn start(max_plies: usize) -> Self {
        let mut board = [[None; SIDE]; SIDE];
        for file in &mut board {
            file[0] = Some((0, PlainFace::Plus));
            file[SIDE - 1] = Some((1, PlainFace::Plus));
        }
        let mut start = PlainFlipFlop {
            board,
            seen: Vec::new(),
            ply: 0,
            max_plies,
        };
        start.seen.push(start.position());
        start
    }

    fn notation() -> Vec<String> {
        let mut all = Vec::new();
        for from in squares(SIDE) {
            for to in squares(SIDE) {
                all.push(format!("{}-{}", name(from), name(to)));
                all.push(format!("{}x{}", name(from), name(to)));
            }
        }
        all
    }

    fn actions(&self) -> Vec<String> {
        if self.outcome().is_some() {
            Vec::new()
        } else {
            self.moves()
        }
    }

    fn act(&mut self, action: &str) {
        let (from, to) = (square(&action[..2]), square(&action[3..]));
        let (owner, face) = self.board[from.0][from.1].take().expect("a piece");
        let turned = if face == PlainFace::Plus {
            PlainFace::Cross
        } else {
            PlainFace::Plus
        };
        self.board[to.0][to.1] = Some((owner, turned));
        self.ply += 1;
        self.seen.push(self.position());
    }

    fn outcome(&self) -> Option<([i32; 2], &'static str)> {
        let me = self.mover();
        let opponent = 1 - me;
        let their_goal = self.at(Self::goal_at_home_of(opponent));
        if their_goal.is_some_and(|(owner, _)| owner == me) {
            win(me, "goal")
        } else if self.moves().is_empty() {
            win(opponent, "no-moves")
        } else if self.repetitions() >= 3 {
            draw("repetition")
        } else if self.ply >= self.max_plies {
            draw("limit")
        } else {
            None
        }
    }

    fn view(&self) -> Value {
        view(
            json!({ "board": self.rows() }),
            self.ply,
            self.repetitions(),
            self.outcome(),
        )
    }
}
