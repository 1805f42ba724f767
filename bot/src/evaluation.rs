//! Evaluations of all games: what each seat may expect of a state.
//!
//! After a match, [`settled`] is exact. While it runs, [`judged`] estimates from what is on the board
//! and how much each seat can do ([`Mobility`]). All results use only arithmetic and square roots, so
//! they are the same on every machine.
//!
//! To evaluate another game, add a line to [`look`] and to `appraisal` or `scores` in this file.
//!
//! ```
//! use flipside_bot::evaluation::{Mobility, judged};
//! use flipside_bot::games::{FlipFour, Game};
//!
//! let state = FlipFour::new(&Default::default(), 2)?;
//! let [first, second, ..] = judged(&state, &Mobility::default());
//! assert_eq!(first, second);
//! # Ok::<(), flipside_bot::games::OptionsError>(())
//! ```

pub mod flip4;
pub mod phase10;
mod puissance4;

use std::any::Any;
use std::cmp::Ordering;

use flipside_games::{
    Flip4, Game, MAX_SEATS, Phase10, Puissance4Basic, Puissance4Championship, Puissance4ExtraPro,
    Seat, Viewer,
};
use serde::Deserialize;

/// What each seat may expect: the part of its rivals that it leaves behind, a tie counted as half.
/// For two seats 1 is a win, 0.5 a draw and 0 a loss.
pub type Prospects = [f64; MAX_SEATS];

/// What it is worth to have many actions where a rival has none.
const MOBILITY_WEIGHT: f64 = 0.6;

/// How many actions each seat had when it was last asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mobility([Option<u32>; MAX_SEATS]);

impl Mobility {
    /// Notes that a seat has so many actions.
    pub fn note(&mut self, seat: Seat, actions: usize) {
        self.0[usize::from(seat)] = Some(actions as u32);
    }

    /// The advantage of one seat over another; 0 as long as one of them is not known.
    fn advantage(&self, seat: Seat, rival: Seat) -> f64 {
        match (self.0[usize::from(seat)], self.0[usize::from(rival)]) {
            (Some(own), Some(other)) => {
                let (own, other) = (f64::from(own), f64::from(other));
                MOBILITY_WEIGHT * (own - other) / (own + other + 1.0)
            }
            _ => 0.0,
        }
    }
}

/// The prospects after the match.
pub fn settled<G: Game>(state: &G, points: &[i32]) -> Prospects {
    prospects(state, |seat, rival| {
        match points[usize::from(seat)].cmp(&points[usize::from(rival)]) {
            Ordering::Greater => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Less => 0.0,
        }
    })
}

/// The prospects while the match runs; never quite 0 or 1. Only arithmetic and roots, which all
/// machines do alike.
pub fn judged<G: Game>(state: &G, mobility: &Mobility) -> Prospects {
    let scores = scores(state);
    let by_board = appraisal(G::INFO.id).and_then(|appraise| Some(appraise(&Board::of(state)?)));
    prospects(state, |seat, rival| {
        let [own, other] = [seat, rival].map(usize::from);
        let advantage = match (scores, by_board) {
            (Some(scores), _) => scores[own] - scores[other],
            (None, Some(scores)) => scores[own] - scores[other] + mobility.advantage(seat, rival),
            (None, None) => mobility.advantage(seat, rival),
        };
        0.5 + 0.5 * advantage / (4.0 + advantage * advantage).sqrt()
    })
}

/// By what a game is judged while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// By how much each seat can do.
    Mobility,
    /// By this and by what stands on the board.
    Board,
    /// By scores of its own.
    Scores {
        /// How many times as long a playout takes as at a game of skill, about.
        cost: u32,
    },
}

/// By what a game is judged while it runs.
pub fn look<G: Game>() -> Look {
    match G::INFO.id {
        "flip4" | "puissance4-basic" | "puissance4-championship" => Look::Scores { cost: 2 },
        "puissance4-extra-pro" => Look::Scores { cost: 4 },
        "phase10-flip" => Look::Scores { cost: 10 },
        game if appraisal(game).is_some() => Look::Board,
        _ => Look::Mobility,
    }
}

/// Scores by seat for what is on the table. A lead of 1 is about three wins in four.
pub type Scores = [f64; MAX_SEATS];

/// The scores of the games that have a file of their own here; [`look`] names them too.
fn scores<G: Game>(state: &G) -> Option<Scores> {
    let state: &dyn Any = state;
    if let Some(game) = state.downcast_ref::<Flip4>() {
        return Some(flip4::scores(game));
    }
    if let Some(game) = state.downcast_ref::<Phase10>() {
        return Some(phase10::scores(game));
    }
    let table = |size: u8, control, score, top_worth| puissance4::Table {
        size: size.into(),
        control,
        score,
        top_worth,
        // Where a line wins, those of both trays win alike.
        line_wins: top_worth == 1.0,
    };
    if let Some(game) = state.downcast_ref::<Puissance4Basic>() {
        let table = table(game.size(), game.control(), game.standing(), 1.0);
        return Some(puissance4::scores(&table, game.aims()));
    }
    if let Some(game) = state.downcast_ref::<Puissance4Championship>() {
        let table = table(game.size(), game.control(), game.standing(), 2.0);
        return Some(puissance4::scores(&table, game.aims()));
    }
    let game = state.downcast_ref::<Puissance4ExtraPro>()?;
    let table = table(game.size(), game.control(), game.standing(), 2.0);
    Some(puissance4::scores(&table, std::iter::empty()))
}

/// Averages over the seats of other sides.
fn prospects<G: Game>(state: &G, against: impl Fn(Seat, Seat) -> f64) -> Prospects {
    let mut prospects = [0.5; MAX_SEATS];
    for seat in 0..state.seats() {
        let rivals = (0..state.seats()).filter(|&other| state.side(other) != state.side(seat));
        let (total, count) = rivals.fold((0.0, 0.0), |(total, count), rival| {
            (total + against(seat, rival), count + 1.0)
        });
        if count > 0.0 {
            prospects[usize::from(seat)] = total / count;
        }
    }
    prospects
}

/// Scores of both seats for what stands on the board. A lead of 1 is about three wins in four.
type Appraisal = fn(&Board) -> [f64; 2];

/// How a game's board is looked at.
fn appraisal(game: &str) -> Option<Appraisal> {
    match game {
        "flipflop-3x3" | "flipflop-5x5" => Some(way_to_the_goal),
        "flipfour" | "yonmoque" => Some(open_lines),
        _ => None,
    }
}

/// The longest side of a board that is looked at.
const LONGEST_SIDE: usize = 5;

/// A square board with at most one piece on a square, as views show it.
struct Board {
    side: i8,
    letters: [[u8; LONGEST_SIDE]; LONGEST_SIDE],
}

/// The eight directions as steps of file and rank; the first four without their opposites.
const DIRECTIONS: [(i8, i8); 8] = [
    (1, 0),
    (0, 1),
    (1, 1),
    (1, -1),
    (-1, 0),
    (0, -1),
    (-1, -1),
    (-1, 1),
];

impl Board {
    /// The board of the public view, if that has one: `"board"`, one string a rank from the top
    /// rank down.
    fn of<G: Game>(state: &G) -> Option<Self> {
        #[derive(Deserialize)]
        struct View<'a> {
            #[serde(borrow)]
            board: Vec<&'a str>,
        }
        let json = serde_json::to_vec(&state.view(Viewer::Public)).ok()?;
        let View { board } = serde_json::from_slice(&json).ok()?;
        Board::read(&board)
    }

    /// A board from its ranks, from the top rank down; none if it is not square or too large.
    fn read(rows: &[&str]) -> Option<Self> {
        let side = rows.len();
        if side > LONGEST_SIDE || rows.iter().any(|row| row.len() != side) {
            return None;
        }
        let mut letters = [[b'.'; LONGEST_SIDE]; LONGEST_SIDE];
        for (rank, row) in rows.iter().rev().enumerate() {
            letters[rank][..side].copy_from_slice(row.as_bytes());
        }
        Some(Board {
            side: side as i8,
            letters,
        })
    }

    /// The letter of a square; none off the board.
    fn letter(&self, file: i8, rank: i8) -> Option<u8> {
        let on_board = (0..self.side).contains(&file) && (0..self.side).contains(&rank);
        on_board.then(|| self.letters[rank as usize][file as usize])
    }

    /// All squares, as file and rank.
    fn squares(&self) -> impl Iterator<Item = (i8, i8)> + use<> {
        let side = self.side;
        (0..side).flat_map(move |file| (0..side).map(move |rank| (file, rank)))
    }
}

/// Whose piece a letter is: White's `R`, `B` and Black's `r`, `b`, or Yonmoque's `B` and `W`.
fn owner(letter: u8) -> Option<usize> {
    match letter {
        b'R' | b'B' => Some(0),
        b'r' | b'b' | b'W' => Some(1),
        _ => None,
    }
}

/// FlipFour and Yonmoque: the lines of four squares without a piece of the other seat's, by how
/// many own pieces are in them.
fn open_lines(board: &Board) -> [f64; 2] {
    const WORTH: [f64; 5] = [0.0, 0.05, 0.25, 0.8, 0.8];
    let mut scores = [0.0; 2];
    for (file, rank) in board.squares() {
        for (right, up) in &DIRECTIONS[..4] {
            let mut pieces = [0; 2];
            let whole = (0..4).all(|far| {
                let letter = board.letter(file + right * far, rank + up * far);
                if let Some(seat) = letter.and_then(owner) {
                    pieces[seat] += 1;
                }
                letter.is_some()
            });
            match pieces {
                [own, 0] if whole => scores[0] += WORTH[own],
                [0, own] if whole => scores[1] += WORTH[own],
                _ => {}
            }
        }
    }
    scores
}

/// FlipFlop: how near the pieces are to the goal, and whether they can get there or stay there.
fn way_to_the_goal(board: &Board) -> [f64; 2] {
    const PIECE: f64 = 0.6;
    const STEP: f64 = 0.1;
    const STAYS: f64 = 3.0;
    const ARRIVES: f64 = 1.5;
    const THREATENS: f64 = 0.3;
    let middle = board.side / 2;
    let mut scores = [0.0; 2];
    for (file, rank) in board.squares() {
        let Some(seat) = board.letter(file, rank).and_then(owner) else {
            continue;
        };
        let goal = [board.side - 1, 0][seat];
        let steps = (file - middle).abs().max((rank - goal).abs());
        scores[seat] += PIECE - STEP * f64::from(steps);
    }
    for seat in [0, 1] {
        let goal = (middle, [board.side - 1, 0][seat]);
        let guarded = reaches(board, 1 - seat, goal);
        if board.letter(goal.0, goal.1).and_then(owner) == Some(seat) {
            scores[seat] += if guarded { -PIECE } else { STAYS };
        } else if reaches(board, seat, goal) {
            scores[seat] += if guarded { THREATENS } else { ARRIVES };
        }
    }
    scores
}

/// Whether a seat has a piece that could go to a square next: `R` and `r` go straight, `B` and
/// `b` diagonally, over empty squares.
fn reaches(board: &Board, seat: usize, (file, rank): (i8, i8)) -> bool {
    DIRECTIONS.iter().any(|&(right, up)| {
        let straight = right == 0 || up == 0;
        let nearest = (1..board.side)
            .map_while(|far| board.letter(file + right * far, rank + up * far))
            .find(|&letter| letter != b'.');
        nearest.is_some_and(|letter| {
            owner(letter) == Some(seat) && straight == letter.eq_ignore_ascii_case(&b'r')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far seat 0 is ahead.
    fn lead(appraise: Appraisal, rows: &[&str]) -> f64 {
        let [own, other] = appraise(&Board::read(rows).expect("a board"));
        own - other
    }

    /// Tells of a game whether it is judged by scores, and whether it has any.
    struct Scored;

    impl flipside_games::Visitor for Scored {
        type Out = [bool; 2];

        fn visit<G: Game>(self) -> Self::Out {
            let seats = G::INFO.least_seats();
            let state = G::new(&G::Options::default(), seats).expect("the defaults fit");
            let by_scores = matches!(look::<G>(), Look::Scores { .. });
            [by_scores, scores(&state).is_some()]
        }
    }

    #[test]
    fn the_games_judged_by_scores_have_scores() {
        for game in flipside_games::GAMES {
            let id = game.info().id;
            let [by_scores, has_scores] = flipside_games::visit(id, Scored).expect("a game");
            assert_eq!(by_scores, has_scores, "{id}");
        }
    }

    #[test]
    fn the_start_is_equal() {
        for game in flipside_games::GAMES {
            let Some(appraise) = appraisal(game.info().id) else {
                continue;
            };
            let table = game.set_up("{}", 2).expect("the defaults fit").table;
            let mut json = Vec::new();
            table.write_view(Viewer::Public, &mut json);
            let view: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
            let rows: Vec<_> = view["board"].as_array().expect("a board").iter().collect();
            let rows: Vec<_> = rows
                .iter()
                .map(|row| row.as_str().expect("a rank"))
                .collect();
            assert_eq!(lead(appraise, &rows), 0.0, "{}", game.info().id);
        }
    }

    #[test]
    fn a_piece_on_the_goal_is_worth_something_if_it_can_stay() {
        let safe = lead(
            way_to_the_goal,
            &["b.R.b", ".....", ".....", ".....", "....."],
        );
        let guarded = lead(
            way_to_the_goal,
            &["r.R.r", ".....", ".....", ".....", "....."],
        );
        assert!(safe > 2.0 && guarded < 0.0, "{safe} {guarded}");
    }

    #[test]
    fn a_way_to_the_goal_counts_less_if_the_goal_is_guarded() {
        let open = lead(
            way_to_the_goal,
            &["b....", ".....", ".....", ".....", "..R.."],
        );
        let guarded = lead(
            way_to_the_goal,
            &["r....", ".....", ".....", ".....", "..R.."],
        );
        let blocked = lead(
            way_to_the_goal,
            &["b....", ".....", "..b..", ".....", "..R.."],
        );
        assert!(
            open > guarded && guarded > blocked,
            "{open} {guarded} {blocked}"
        );
    }

    #[test]
    fn a_line_is_worth_the_more_the_fuller_and_nothing_once_it_is_cut() {
        let two = lead(open_lines, &[".....", ".....", "BR...", ".....", "....."]);
        let three = lead(open_lines, &[".....", ".....", "BRB..", ".....", "....."]);
        let cut = lead(open_lines, &[".....", ".....", "BRBb.", ".....", "....."]);
        assert!(
            three > two && two > 0.0 && three > cut,
            "{two} {three} {cut}"
        );
    }
}
