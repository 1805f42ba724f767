//! Yonmoque, plainly.

use serde_json::{Value, json};

use super::{
    BISHOP, BoardGameSquare, PlainGame, ROOK, draw, lines, name, rows, square, squares, step, view,
    win,
};

/// As on the page.
const COLOURS: [&str; 5] = ["NWBWN", "WBWBW", "BWNWB", "WBWBW", "NWBWN"];
const OWN_COLOUR: [char; 2] = ['B', 'W'];

#[derive(Clone)]
pub(crate) struct PlainYonmoque {
    /// The owner of the piece, by file and rank.
    board: [[Option<usize>; 5]; 5],
    hands: [usize; 2],
    /// All positions there have been: board, hands, side to move.
    seen: Vec<String>,
    ply: usize,
    max_plies: usize,
    /// Who has done what decides the match by the last action.
    decided: Option<([i32; 2], &'static str)>,
}

fn colour((file, rank): BoardGameSquare) -> char {
    COLOURS[4 - rank].chars().nth(file).expect("five files")
}

impl PlainYonmoque {
    fn mover(&self) -> usize {
        self.ply % 2
    }

    fn at(&self, (file, rank): BoardGameSquare) -> Option<usize> {
        self.board[file][rank]
    }

    fn all_actions(&self) -> Vec<String> {
        let me = self.mover();
        let mut actions = Vec::new();
        for from in squares(5) {
            match self.at(from) {
                None if self.hands[me] > 0 => actions.push(name(from)),
                Some(owner) if owner == me => {
                    for direction in ROOK.into_iter().chain(BISHOP) {
                        if let Some(to) = step(5, from, direction, 1) {
                            if self.at(to).is_none() {
                                actions.push(format!("{}-{}", name(from), name(to)));
                            }
                        }
                    }
                    for direction in BISHOP {
                        if colour(from) != OWN_COLOUR[me] {
                            continue;
                        }
                        for steps in 1.. {
                            let Some(to) = step(5, from, direction, steps) else {
                                break;
                            };
                            if self.at(to).is_some() || colour(to) != OWN_COLOUR[me] {
                                break;
                            }
                            actions.push(format!("{}-{}", name(from), name(to)));
                        }
                    }
                }
                _ => {}
            }
        }
        actions.sort();
        actions.dedup();
        actions
    }

    /// Lines of so many squares that are all a seat's.
    fn full_lines(&self, seat: usize, long: i32) -> Vec<Vec<BoardGameSquare>> {
        let is_mine = |&square: &BoardGameSquare| self.at(square) == Some(seat);
        lines(5, long)
            .into_iter()
            .filter(|line| line.iter().all(is_mine))
            .collect()
    }

    fn flips(&self, me: usize, from: BoardGameSquare) -> Vec<BoardGameSquare> {
        let mut flips = Vec::new();
        for direction in ROOK.into_iter().chain(BISHOP) {
            let mut run = Vec::new();
            for steps in 1.. {
                let Some(next) = step(5, from, direction, steps) else {
                    break;
                };
                match self.at(next) {
                    None => break,
                    Some(owner) if owner == me => {
                        flips.extend(run);
                        break;
                    }
                    Some(_) => run.push(next),
                }
            }
        }
        flips
    }

    fn rows(&self) -> Vec<String> {
        rows(5, |square| match self.at(square) {
            None => '.',
            Some(0) => 'B',
            Some(_) => 'W',
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

impl PlainGame for PlainYonmoque {
    fn start(max_plies: usize) -> Self {
        let mut start = PlainYonmoque {
            board: [[None; 5]; 5],
            hands: [6, 6],
            seen: Vec::new(),
            ply: 0,
            max_plies,
            decided: None,
        };
        start.seen.push(start.position());
        start
    }

    fn notation() -> Vec<String> {
        let mut all = Vec::new();
        for from in squares(5) {
            all.push(name(from));
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
        let (me, opponent) = (self.mover(), 1 - self.mover());
        let mut gained = Vec::new();
        if action.len() == 2 {
            let at = square(action);
            self.hands[me] -= 1;
            self.board[at.0][at.1] = Some(me);
        } else {
            let (from, to) = (square(&action[..2]), square(&action[3..]));
            self.board[from.0][from.1] = None;
            self.board[to.0][to.1] = Some(me);
            gained = self.flips(me, to);
            for flipped in &gained {
                self.board[flipped.0][flipped.1] = Some(me);
            }
            gained.push(to);
        }
        let holds_a_gained_square =
            |line: &Vec<BoardGameSquare>| line.iter().any(|square| gained.contains(square));
        self.decided = if !self.full_lines(me, 5).is_empty() {
            win(opponent, "five")
        } else if self.full_lines(me, 4).iter().any(holds_a_gained_square) {
            win(me, "four")
        } else {
            None
        };
        self.ply += 1;
        self.seen.push(self.position());
    }

    fn outcome(&self) -> Option<([i32; 2], &'static str)> {
        if self.decided.is_some() {
            self.decided
        } else if self.all_actions().is_empty() {
            win(1 - self.mover(), "no-moves")
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
