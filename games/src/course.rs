//! How a match of two seats in turns goes on and ends: what the board games here have in common.
//!
//! A game says what its own rules make of a position; the course adds, in this order, repetition
//! and the limit, and answers whose turn it is.

use serde::{Deserialize, Serialize};

use crate::board::Side;
use crate::{History, Illegal, Malformed, Outcome, Seat, Seats, Turn};

/// A position that occurs so often is a draw.
const REPETITIONS: usize = 3;

/// No position comes again sooner: each side has to go away and come back.
const PLIES_TO_REPEAT: u32 = 4;

/// How far a match is and how it ended. Seat 0 begins, and nobody passes, so the number of the
/// ply tells whose turn it is.
#[derive(Debug)]
pub(crate) struct Course {
    ply: u32,
    max_plies: u32,
    over: Option<Over>,
    history: History,
}

/// How a match ended, as a view shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Over {
    /// The seat that won; null in a draw.
    pub winner: Option<Seat>,
    /// By which rule.
    pub reason: Reason,
}

/// The rules by which board games end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A piece stayed on the opponent's goal square (FlipFlop).
    Goal,
    /// Four pieces in a line (FlipFour).
    Line,
    /// Four in a row, made by a move (Yonmoque).
    Four,
    /// Five in a row, which loses (Yonmoque).
    Five,
    /// The side to move had nothing to do, and lost.
    NoMoves,
    /// The third occurrence of a position: a draw.
    Repetition,
    /// The most plies were played: a draw.
    Limit,
}

/// Where a match stands, as a view shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) to_move: Option<Seat>,
    pub(crate) ply: u32,
    pub(crate) repetitions: u32,
    pub(crate) over: Option<Over>,
}

impl Course {
    /// The start of a match; its position occurs for the first time.
    pub(crate) fn start(max_plies: u32, position: u128) -> Self {
        let mut history = History::default();
        history.push(position);
        Course {
            ply: 0,
            max_plies,
            over: None,
            history,
        }
    }

    /// Whose turn it is, or would be if the match were not over.
    pub(crate) fn mover(&self) -> Seat {
        mover(self.ply)
    }

    pub(crate) fn turn(&self) -> Turn {
        match self.over {
            None => Turn::Seats(Seats::one(self.mover())),
            Some(Over {
                winner: Some(winner),
                reason,
            }) => Turn::Over(Outcome::win(2, winner, reason.name())),
            Some(Over {
                winner: None,
                reason,
            }) => Turn::Over(Outcome::draw(2, reason.name())),
        }
    }

    /// Whether this seat is asked now.
    pub(crate) fn asks(&self, seat: Seat) -> bool {
        self.over.is_none() && seat == self.mover()
    }

    /// Refuses a seat that is not asked now.
    pub(crate) fn check(&self, seat: Seat) -> Result<(), Illegal> {
        if self.over.is_some() {
            return Err(Illegal("the match is over".into()));
        }
        if seat != self.mover() {
            return Err(Illegal(format!("it is not seat {seat}'s turn")));
        }
        Ok(())
    }

    /// Before an action that cannot be undone is counted: no earlier position can come again.
    pub(crate) fn forget(&mut self) {
        self.history.forget();
    }

    /// Counts the action that led to this position, which the game's own rules judge so.
    pub(crate) fn advance(&mut self, position: u128, judged: Option<Over>) {
        self.ply += 1;
        let repetitions = self.history.push(position);
        self.over = judged.or_else(|| self.drawn(repetitions));
    }

    fn drawn(&self, repetitions: usize) -> Option<Over> {
        if repetitions >= REPETITIONS {
            Some(Over {
                winner: None,
                reason: Reason::Repetition,
            })
        } else if self.ply >= self.max_plies {
            Some(Over {
                winner: None,
                reason: Reason::Limit,
            })
        } else {
            None
        }
    }

    pub(crate) fn standing(&self) -> Standing {
        Standing {
            to_move: self.over.is_none().then_some(self.mover()),
            ply: self.ply,
            repetitions: self.history.repetitions() as u32,
            over: self.over,
        }
    }

    /// Rebuilds a course from where it stands. At least `irreversible` of its plies were
    /// such that no position from before them can come again.
    ///
    /// # Errors
    /// When what the view says does not fit together.
    pub(crate) fn resume(
        max_plies: u32,
        standing: Standing,
        position: u128,
        judged: Option<Over>,
        irreversible: u32,
    ) -> Result<Self, Malformed> {
        let Standing {
            to_move,
            ply,
            repetitions,
            over,
        } = standing;
        if ply > max_plies {
            return Err(malformed(format!(
                "ply {ply} is over the limit of {max_plies}"
            )));
        }
        if !(1..=REPETITIONS as u32).contains(&repetitions) {
            return Err(malformed(format!(
                "a position cannot have occurred {repetitions} times"
            )));
        }
        if ply < irreversible + (repetitions - 1) * PLIES_TO_REPEAT {
            return Err(malformed(format!("this cannot come about in {ply} plies")));
        }
        let mut course = Course {
            ply,
            max_plies,
            over: None,
            history: History::default(),
        };
        for _ in 0..repetitions {
            course.history.push(position);
        }
        course.over = judged.or_else(|| course.drawn(repetitions as usize));
        if course.over != over || course.standing().to_move != to_move {
            return Err(malformed(match course.over {
                None => format!("at ply {ply} it is seat {}'s turn", course.mover()),
                Some(Over { reason, .. }) => format!("the match is over: {}", reason.name()),
            }));
        }
        Ok(course)
    }
}

/// By hand, so that `clone_from` keeps what the history has allocated.
impl Clone for Course {
    fn clone(&self) -> Self {
        let Course {
            ply,
            max_plies,
            over,
            ref history,
        } = *self;
        Course {
            ply,
            max_plies,
            over,
            history: history.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        let Course {
            ply,
            max_plies,
            over,
            ref history,
        } = *source;
        (self.ply, self.max_plies, self.over) = (ply, max_plies, over);
        self.history.clone_from(history);
    }
}

impl Over {
    pub(crate) fn won(winner: Seat, reason: Reason) -> Self {
        Over {
            winner: Some(winner),
            reason,
        }
    }
}

impl Reason {
    /// The name, as in the rules.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Goal => "goal",
            Reason::Line => "line",
            Reason::Four => "four",
            Reason::Five => "five",
            Reason::NoMoves => "no-moves",
            Reason::Repetition => "repetition",
            Reason::Limit => "limit",
        }
    }
}

impl Standing {
    /// One line for people: whose turn it is, or how it ended.
    pub(crate) fn caption(&self, sides: [Side; 2]) -> String {
        let name = |seat: Seat| {
            sides
                .get(usize::from(seat))
                .map_or("nobody", |side| side.name())
        };
        match (self.over, self.to_move) {
            (
                Some(Over {
                    winner: Some(winner),
                    reason,
                }),
                _,
            ) => {
                format!("{} wins: {}", name(winner), reason.name())
            }
            (
                Some(Over {
                    winner: None,
                    reason,
                }),
                _,
            ) => format!("Draw: {}", reason.name()),
            (None, Some(seat)) => format!("{} to move", name(seat)),
            (None, None) => "Nobody to move".into(),
        }
    }
}

/// The other one of two seats.
pub(crate) const fn other(seat: Seat) -> Seat {
    1 - seat
}

/// Whose turn it is after so many plies.
pub(crate) const fn mover(ply: u32) -> Seat {
    (ply % 2) as Seat
}

/// How many turns a seat has had after so many plies.
pub(crate) const fn turns_of(seat: Seat, ply: u32) -> u32 {
    ply / 2 + if seat == 0 { ply % 2 } else { 0 }
}

/// What a view says is impossible.
pub(crate) fn malformed(why: impl Into<String>) -> Malformed {
    Malformed(why.into())
}

/// A bot's text in a message: in quotes, and cut where it is long.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST_QUOTE: usize = 24;
    match text.char_indices().nth(LONGEST_QUOTE) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_occurrence_is_a_draw_and_the_start_counts() {
        let mut course = Course::start(100, 7);
        for position in [1, 2, 3, 7, 1, 2, 3] {
            course.advance(position, None);
            assert_eq!(course.over, None);
        }
        course.advance(7, None);
        assert_eq!(
            course.over,
            Some(Over {
                winner: None,
                reason: Reason::Repetition
            })
        );
    }

    #[test]
    fn what_cannot_be_undone_forgets_the_positions_before() {
        let mut course = Course::start(100, 7);
        course.advance(7, None);
        course.forget();
        course.advance(7, None);
        assert_eq!(course.over, None);
        assert_eq!(course.standing().repetitions, 1);
    }

    #[test]
    fn the_games_own_rules_come_before_repetition_and_that_before_the_limit() {
        let won = Over::won(1, Reason::Goal);
        let third_time_at_the_limit = || {
            let mut course = Course::start(2, 7);
            course.advance(7, None);
            course
        };
        let mut course = third_time_at_the_limit();
        course.advance(7, Some(won));
        assert_eq!(course.over, Some(won));
        let mut course = third_time_at_the_limit();
        course.advance(7, None);
        assert_eq!(
            course.over.map(|over| over.reason),
            Some(Reason::Repetition)
        );
        let mut course = third_time_at_the_limit();
        course.advance(8, None);
        assert_eq!(course.over.map(|over| over.reason), Some(Reason::Limit));
    }

    #[test]
    fn the_turns_of_both_seats_are_the_plies() {
        assert_eq!((turns_of(0, 0), turns_of(1, 0)), (0, 0));
        assert_eq!((turns_of(0, 1), turns_of(1, 1)), (1, 0));
        for ply in 0..10 {
            assert_eq!(turns_of(0, ply) + turns_of(1, ply), ply);
        }
    }

    #[test]
    fn a_long_text_is_cut_in_a_message() {
        assert_eq!(quoted("a1"), "\"a1\"");
        assert_eq!(
            quoted(&"é".repeat(70_000)),
            format!("\"{}\"…", "é".repeat(24))
        );
    }
}
