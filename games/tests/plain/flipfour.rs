//! FlipFour, plainly.

use serde_json::{Value, json};

use super::{
    BISHOP, BoardGameSquare, PlainGame, ROOK, draw, lines, name, rows, square, squares, step, view,
    win,
};

#[derive(Clone)]
pub(crate) struct PlainFlipFour {
    /// By file and rank: the owner and the way the piece moves, `+` or `x`.
    board: [[Option<(usize, char)>; 5]; 5],
    hands: [usize; 2],
    /// All positions there have been: board, hands, side to move.
    seen: Vec<String>,
    ply: usize,
    max_plies: usize,
}

impl PlainFlipFour {
    fn mover(&self) -> usize {
        self.ply % 2
    }

    fn at(&self, (file, rank): BoardGameSquare) -> Option<(usize, char)> {
        self.board[file][rank]
    }

    fn all_actions(&self) -> Vec<String> {
        let me = self.mover();
        let mut actions = Vec::new();
        for from in squares(5) {
            match self.at(from) {
                None if self.hands[me] > 0 => {
                    actions.push(format!("+{}", name(from)));
                    actions.push(format!("x{}", name(from)));
                }
                Some((owner, face)) if owner == me => {
                    for direction in if face == '+' { ROOK } else { BISHOP } {
                        for steps in 1..5 {
                            match step(5, from, direction, steps) {
                                Some(to) if self.at(to).is_none() => {
                                    actions.push(format!("{}-{}", name(from), name(to)));
                                }
                                _ => {}
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        actions.sort();
        actions
    }

    fn has_line(&self, seat: usize) -> bool {
        let is_mine =
            |&square: &BoardGameSquare| self.at(square).is_some_and(|(owner, _)| owner == seat);
        lines(5, 4).iter().any(|line| line.iter().all(is_mine))
    }

    fn rows(&self) -> Vec<String> {
        rows(5, |square| match self.at(square) {
            None => '.',
            Some((0, '+')) => 'R',
            Some((0, _)) => 'B',
            Some((_, '+')) => 'r',
            Some(_) => 'b',
        })
    }

    fn position(&self) -> String {
        format!("{} {:?} {}", self.rows().concat(), self.hands, self.mover())
    }

    fn repetitions(&self) -> usize {
        let now = self.position();
        self.seen.iter().filter(|&seen| *seen == now).count()
    }
}

impl PlainGame for PlainFlipFour {
    fn start(max_plies: usize) -> Self {
        let board = [[None; 5]; 5];
        let mut start = PlainFlipFour {
            board,
            hands: [4, 4],
            seen: Vec::new(),
            ply: 0,
            max_plies,
        };
        start.seen.push(start.position());
        start
    }

    fn notation() -> Vec<String> {
        let mut all = Vec::new();
        for from in squares(5) {
            all.push(format!("+{}", name(from)));
            all.push(format!("x{}", name(from)));
            for to in squares(5) {
                all.push(format!("{}-{}", name(from), name(to)));
            }
        }
        all
    }

    fn actions(&self) -> Vec<String> {
        if self.outcome().is_some() {
            Vec::new()
        } else {
            self.all_actions()
        }
    }

    fn act(&mut self, action: &str) {
        let me = self.mover();
        let (to, face) = match action.chars().next() {
            Some(face @ ('+' | 'x')) => {
                self.hands[me] -= 1;
                (square(&action[1..]), face)
            }
            _ => {
                let from = square(&action[..2]);
                let (_, face) = self.board[from.0][from.1].take().expect("a piece");
                (square(&action[3..]), if face == '+' { 'x' } else { '+' })
            }
        };
        self.board[to.0][to.1] = Some((me, face));
        self.ply += 1;
        self.seen.push(self.position());
    }

    fn outcome(&self) -> Option<([i32; 2], &'static str)> {
        let me = self.mover();
        let opponent = 1 - me;
        if self.has_line(opponent) {
            win(opponent, "line")
        } else if self.all_actions().is_empty() {
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
        let shown = json!({ "board": self.rows(), "hands": self.hands });
        view(shown, self.ply, self.repetitions(), self.outcome())
    }
}
