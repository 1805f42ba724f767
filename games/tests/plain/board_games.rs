//! The board games once more, as plainly as the rules' pages read: arrays, loops, the whole list
//! of positions, nothing clever. They share no code with the games, whose judges they are.

#[path = "flipflop.rs"]
mod flipflop;
#[path = "flipfour.rs"]
mod flipfour;
#[path = "yonmoque.rs"]
mod yonmoque;

pub(crate) use flipflop::{FlipFlop3, FlipFlop5};
pub(crate) use flipfour::PlainFlipFour;
pub(crate) use yonmoque::PlainYonmoque;

/// A match, told by texts.
pub(crate) trait PlainGame: Clone {
    /// The start of a match.
    fn start(max_plies: usize) -> Self;
    /// Everything that can be written in the notation.
    fn notation() -> Vec<String>;
    /// What the seat whose turn it is may do, in byte order; nothing when the match is over.
    fn actions(&self) -> Vec<String>;
    /// Does it.
    fn act(&mut self, action: &str);
    /// The points and the reason, if the match is over.
    fn outcome(&self) -> Option<([i32; 2], &'static str)>;
    /// What everybody sees.
    fn view(&self) -> serde_json::Value;
}

/// A square as file and rank, from 0.
type BoardGameSquare = (usize, usize);

fn name((file, rank): BoardGameSquare) -> String {
    format!("{}{}", ["a", "b", "c", "d", "e"][file], rank + 1)
}

fn square(name: &str) -> BoardGameSquare {
    let mut letters = name.chars();
    let file = letters
        .next()
        .and_then(|file| "abcde".find(file))
        .expect("a file");
    let rank = letters
        .next()
        .and_then(|rank| "12345".find(rank))
        .expect("a rank");
    (file, rank)
}

fn squares(side: usize) -> Vec<BoardGameSquare> {
    let mut squares = Vec::new();
    for file in 0..side {
        for rank in 0..side {
            squares.push((file, rank));
        }
    }
    squares
}

/// The square so many steps away, if it is on the board.
fn step(
    side: usize,
    from: BoardGameSquare,
    direction: (i32, i32),
    steps: i32,
) -> Option<BoardGameSquare> {
    let file = from.0 as i32 + direction.0 * steps;
    let rank = from.1 as i32 + direction.1 * steps;
    let on_board = 0 <= file && file < side as i32 && 0 <= rank && rank < side as i32;
    on_board.then_some((file as usize, rank as usize))
}

const ROOK: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// All lines of `long` adjacent squares, in either sense.
fn lines(side: usize, long: i32) -> Vec<Vec<BoardGameSquare>> {
    let mut lines = Vec::new();
    for from in squares(side) {
        for direction in ROOK.into_iter().chain(BISHOP) {
            let line: Vec<BoardGameSquare> = (0..long)
                .filter_map(|steps| step(side, from, direction, steps))
                .collect();
            if line.len() == long as usize {
                lines.push(line);
            }
        }
    }
    lines
}

/// A board as its ranks from the top down.
fn rows(side: usize, letter: impl Fn(BoardGameSquare) -> char) -> Vec<String> {
    (0..side)
        .rev()
        .map(|rank| (0..side).map(|file| letter((file, rank))).collect())
        .collect()
}

/// The view, with what all these games show alike.
fn view(
    mut shown: serde_json::Value,
    ply: usize,
    repetitions: usize,
    outcome: Option<([i32; 2], &'static str)>,
) -> serde_json::Value {
    shown["ply"] = ply.into();
    shown["repetitions"] = repetitions.into();
    shown["to_move"] = serde_json::Value::Null;
    match outcome {
        None => shown["to_move"] = (ply % 2).into(),
        Some((points, reason)) => {
            let winner = points.iter().position(|&points| points == 1);
            shown["over"] = serde_json::json!({ "winner": winner, "reason": reason });
        }
    }
    shown
}

fn win(seat: usize, reason: &'static str) -> Option<([i32; 2], &'static str)> {
    let mut points = [0, 0];
    points[seat] = 1;
    Some((points, reason))
}

fn draw(reason: &'static str) -> Option<([i32; 2], &'static str)> {
    Some(([0, 0], reason))
}
