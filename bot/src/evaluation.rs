//! Evaluations of all games: what each seat may expect of a state.
//!
//! After a match, [`settled`] is exact. While it runs, [`judged`] estimates from what is on the board
//! and how much each seat can do ([`Mobility`]). All results use only arithmetic and square roots, so
//! they are the same on every machine.
//!
//! To evaluate another game, add a line to [`look`] and to `scores` in this file.
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
mod scores;

use std::any::Any;
use std::cmp::Ordering;

pub use self::scores::Scores;
use flipside_games::board::{Rows, Square};
use flipside_games::{
    FlipFlop, FlipFour, Game, MAX_SEATS, Puissance4Basic, Puissance4Championship,
    Puissance4ExtraPro, Seat, SeatTurn, Viewer, Yonmoque,
};

/// What each seat may expect: the part of its rivals that it leaves behind, a tie counted as half.
/// For two seats 1 is a win, 0.5 a draw and 0 a loss.
pub type ExpectedScores = [f64; MAX_SEATS];

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
pub fn settled<G: Game>(state: &G, points: &[i32]) -> ExpectedScores {
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
pub fn judged<G: Game>(state: &G, mobility: &Mobility) -> ExpectedScores {
    let scores = scores(state).unwrap_or_default();
    let by_scores = matches!(look::<G>(), Evaluator::Scores { .. });
    prospects(state, |seat, rival| {
        let mut advantage = scores[usize::from(seat)] - scores[usize::from(rival)];
        if !by_scores {
            advantage += mobility.advantage(seat, rival);
        }
        0.5 + 0.5 * advantage / (4.0 + advantage * advantage).sqrt()
    })
}

/// The prospects of a state: after the match those that are certain.
pub fn expected<G: Game>(state: &G, mobility: &Mobility) -> ExpectedScores {
    match state.turn() {
        SeatTurn::Over(outcome) => settled(state, &outcome.points),
        SeatTurn::Seats(_) | SeatTurn::Chance => judged(state, mobility),
    }
}

/// By what a game is judged while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluator {
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
pub fn look<G: Game>() -> Evaluator {
    match G::INFO.id {
        "flip4" | "puissance4-basic" | "puissance4-championship" => Evaluator::Scores { cost: 2 },
        "puissance4-extra-pro" => Evaluator::Scores { cost: 4 },
        "phase10-flip" => Evaluator::Scores { cost: 10 },
        "flipflop-3x3" | "flipflop-5x5" | "flipfour" | "yonmoque" => Evaluator::Board,
        _ => Evaluator::Mobility,
    }
}

/// The scores of a game that is not judged by mobility alone; [`look`] names it too.
fn scores<G: Game>(state: &G) -> Option<Scores> {
    fn of<G: Game>(state: &dyn Any, scores: impl Fn(&G) -> Scores) -> Option<Scores> {
        state.downcast_ref::<G>().map(scores)
    }
    let open_lines_of_flipfour = |game: &FlipFour| open_lines(&game.view(Viewer::Public).board);
    let open_lines_of_yonmoque = |game: &Yonmoque| open_lines(&game.view(Viewer::Public).board);
    of(state, flip4::scores)
        .or_else(|| of(state, phase10::scores))
        .or_else(|| of(state, puissance4::scores_of::<Puissance4Basic>))
        .or_else(|| of(state, puissance4::scores_of::<Puissance4Championship>))
        .or_else(|| of(state, puissance4::scores_of::<Puissance4ExtraPro>))
        .or_else(|| of(state, way_to_the_goal_of::<3>))
        .or_else(|| of(state, way_to_the_goal_of::<5>))
        .or_else(|| of(state, open_lines_of_flipfour))
        .or_else(|| of(state, open_lines_of_yonmoque))
}

fn way_to_the_goal_of<const N: usize>(game: &FlipFlop<N>) -> Scores {
    way_to_the_goal(&game.view(Viewer::Public).board)
}

/// Averages over the seats of other sides.
fn prospects<G: Game>(state: &G, against: impl Fn(Seat, Seat) -> f64) -> ExpectedScores {
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

/// The letter of a square; none off the board.
fn letter<const N: usize>(board: &Rows<N>, file: i8, rank: i8) -> Option<u8> {
    Square::at(file, rank).map(|square| board.at(square))
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
fn open_lines<const N: usize>(board: &Rows<N>) -> Scores {
    const WORTH: [f64; 5] = [0.0, 0.05, 0.25, 0.8, 0.8];
    let mut scores = Scores::default();
    for square in Square::<N>::all() {
        for (right, up) in &DIRECTIONS[..4] {
            let mut pieces = [0; 2];
            let whole = (0..4).all(|far| {
                let (file, rank) = (square.file() + right * far, square.rank() + up * far);
                let letter = letter(board, file, rank);
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
fn way_to_the_goal<const N: usize>(board: &Rows<N>) -> Scores {
    const PIECE: f64 = 0.6;
    const STEP: f64 = 0.1;
    const STAYS: f64 = 3.0;
    const ARRIVES: f64 = 1.5;
    const THREATENS: f64 = 0.3;
    let goals = [N as i8 - 1, 0].map(|rank| Square::at(N as i8 / 2, rank));
    let goals = goals.map(|goal| goal.expect("the middle of a rank is on the board"));
    let mut scores = Scores::default();
    for square in Square::<N>::all() {
        let Some(seat) = owner(board.at(square)) else {
            continue;
        };
        let steps = square.distance(goals[seat]);
        scores[seat] += PIECE - STEP * f64::from(steps);
    }
    for seat in [0, 1] {
        let goal = goals[seat];
        let guarded = reaches(board, 1 - seat, goal);
        if owner(board.at(goal)) == Some(seat) {
            scores[seat] += if guarded { -PIECE } else { STAYS };
        } else if reaches(board, seat, goal) {
            scores[seat] += if guarded { THREATENS } else { ARRIVES };
        }
    }
    scores
}

/// Whether a seat has a piece that could go to a square next: `R` and `r` go straight, `B` and
/// `b` diagonally, over empty squares.
fn reaches<const N: usize>(board: &Rows<N>, seat: usize, to: Square<N>) -> bool {
    DIRECTIONS.iter().any(|&(right, up)| {
        let straight = right == 0 || up == 0;
        let nearest = (1..N as i8)
            .map_while(|far| letter(board, to.file() + right * far, to.rank() + up * far))
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
    fn lead(appraise: fn(&Rows<5>) -> Scores, rows: &[&str]) -> f64 {
        let board = serde_json::from_value(rows.into()).expect("a board");
        let [own, other, ..] = appraise(&board);
        own - other
    }

    /// Tells by what a game is judged, and its scores at the start if it has any.
    struct ScoredAction;

    impl flipside_games::Visitor for ScoredAction {
        type Out = (Evaluator, Option<Scores>);

        fn visit<G: Game>(self) -> Self::Out {
            let seats = G::INFO.least_seats();
            let state = G::new(&G::Options::default(), seats).expect("the defaults fit");
            (look::<G>(), scores(&state))
        }
    }

    #[test]
    fn the_games_judged_by_scores_have_scores() {
        for game in flipside_games::GAMES {
            let id = game.info().id;
            let (look, scores) = flipside_games::visit(id, ScoredAction).expect("a game");
            assert_eq!(look != Evaluator::Mobility, scores.is_some(), "{id}");
        }
    }

    #[test]
    fn the_start_is_equal() {
        for game in flipside_games::GAMES {
            let id = game.info().id;
            let (look, scores) = flipside_games::visit(id, ScoredAction).expect("a game");
            if look == Evaluator::Board {
                let [own, other, ..] = scores.expect("a board has scores");
                assert_eq!(own, other, "{id}");
            }
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
