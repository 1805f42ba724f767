//! The order of turns of a two-seat board game, and the ends that all these games share.
//!
//! Each game judges its own position. The turn order then applies, in this order, the rule of
//! repetition and the limit of plies.

use serde::{Deserialize, Serialize};

use crate::game::{Illegal, ParseError, illegal, malformed, require};
use crate::history::History;
use crate::json::{named, write_field};
use crate::seats::{Outcome, Seat, SeatTurn, Seats};

/// A position that occurs this many times is a draw.
const REPETITIONS: usize = 3;

/// The number of plies so far and how the match ended. Seat 0 begins and nobody passes, so the
/// ply tells whose turn it is.
#[derive(Debug)]
pub(crate) struct TurnOrder {
    ply: u32,
    max_plies: u32,
    over: Option<TurnOrderOver>,
    history: History,
}

/// How a match ended, as a view shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TurnOrderOver {
    /// The seat that won; null in a draw.
    pub winner: Option<Seat>,
    /// By which rule.
    pub reason: Reason,
}

named! {
    /// The rules by which board games end.
    pub enum Reason {
        /// A piece stayed on the opponent's goal square (FlipFlop).
        Goal = "goal",
        /// Four pieces in a line (FlipFour).
        Line = "line",
        /// Four in a row, made by a move (Yonmoque).
        Four = "four",
        /// Five in a row, which loses (Yonmoque).
        Five = "five",
        /// The side to move had nothing to do, and lost.
        NoMoves = "no-moves",
        /// The third occurrence of a position: a draw.
        Repetition = "repetition",
        /// The most plies were played: a draw.
        Limit = "limit",
    }
}

/// The state of a match apart from its position, as a view shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub(crate) to_move: Option<Seat>,
    pub(crate) ply: u32,
    pub(crate) repetitions: u32,
    pub(crate) over: Option<TurnOrderOver>,
}

impl Standing {
    /// Appends its fields to those of a view.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b",\"to_move\":");
        write_field(&self.to_move, out);
        out.extend_from_slice(b",\"ply\":");
        write_field(&self.ply, out);
        out.extend_from_slice(b",\"repetitions\":");
        write_field(&self.repetitions, out);
        if let Some(over) = &self.over {
            out.extend_from_slice(b",\"over\":");
            write_field(over, out);
        }
    }
}

impl TurnOrder {
    /// Starts a match. Its first position occurs for the first time.
    pub(crate) fn start(max_plies: u32, position: u128) -> Self {
        let mut history = History::default();
        history.push(position);
        TurnOrder {
            ply: 0,
            max_plies,
            over: None,
            history,
        }
    }

    /// Rebuilds the turn order from what a view shows. `judged` is the game's own verdict on the
    /// position.
    ///
    /// # Errors
    /// Returns an error when the parts of the view contradict each other.
    pub(crate) fn resume(
        max_plies: u32,
        standing: Standing,
        position: u128,
        judged: Option<TurnOrderOver>,
    ) -> Result<Self, ParseError> {
        let (ply, repetitions) = (standing.ply, standing.repetitions);
        require!(
            ply <= max_plies,
            "ply {ply} is over the limit of {max_plies}"
        );
        let can_be = (1..=REPETITIONS as u32).contains(&repetitions);
        require!(
            can_be,
            "a position cannot have occurred {repetitions} times"
        );
        let mut order = TurnOrder {
            ply,
            max_plies,
            over: None,
            history: History::default(),
        };
        for _ in 0..repetitions {
            order.history.push(position);
        }
        order.over = judged.or_else(|| order.drawn(repetitions as usize));
        match order.over {
            _ if order.standing() == standing => Ok(order),
            None => Err(malformed!("at ply {ply} it is seat {}'s turn", mover(ply))),
            Some(over) => Err(malformed!("the match is over: {}", over.reason.name())),
        }
    }

    pub(crate) fn turn(&self) -> SeatTurn {
        let Some(TurnOrderOver { winner, reason }) = self.over else {
            return SeatTurn::Seats(Seats::one(mover(self.ply)));
        };
        let points = (0..2).map(|seat| i32::from(winner == Some(seat)));
        SeatTurn::Over(Outcome {
            points: points.collect(),
            reason: reason.name(),
        })
    }

    /// Returns whether it is this seat's turn.
    pub(crate) fn asks(&self, seat: Seat) -> bool {
        self.over.is_none() && seat == mover(self.ply)
    }

    /// Refuses a seat whose turn it is not.
    pub(crate) fn check(&self, seat: Seat) -> Result<(), Illegal> {
        if self.over.is_some() {
            return Err(illegal!("the match is over"));
        }
        if seat != mover(self.ply) {
            return Err(illegal!("it is not seat {seat}'s turn"));
        }
        Ok(())
    }

    /// Counts the action that led to this position. After an irreversible action no earlier
    /// position can recur. `judged` is the game's own verdict on the new position.
    pub(crate) fn advance(
        &mut self,
        position: u128,
        irreversible: bool,
        judged: Option<TurnOrderOver>,
    ) {
        if irreversible {
            self.history.forget();
        }
        self.ply += 1;
        let repetitions = self.history.push(position);
        self.over = judged.or_else(|| self.drawn(repetitions));
    }

    fn drawn(&self, repetitions: usize) -> Option<TurnOrderOver> {
        let reason = if repetitions >= REPETITIONS {
            Reason::Repetition
        } else if self.ply >= self.max_plies {
            Reason::Limit
        } else {
            return None;
        };
        Some(TurnOrderOver {
            winner: None,
            reason,
        })
    }

    pub(crate) fn standing(&self) -> Standing {
        Standing {
            to_move: self.over.is_none().then_some(mover(self.ply)),
            ply: self.ply,
            repetitions: self.history.repetitions() as u32,
            over: self.over,
        }
    }
}

/// Written by hand so that `clone_from` reuses the allocation of the history.
impl Clone for TurnOrder {
    fn clone(&self) -> Self {
        TurnOrder {
            history: self.history.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, source: &Self) {
        (self.ply, self.max_plies, self.over) = (source.ply, source.max_plies, source.over);
        self.history.clone_from(&source.history);
    }
}

impl TurnOrderOver {
    pub(crate) fn won(winner: Seat, reason: Reason) -> Self {
        TurnOrderOver {
            winner: Some(winner),
            reason,
        }
    }
}

/// Returns the opponent's seat.
pub(crate) const fn other(seat: Seat) -> Seat {
    1 - seat
}

/// Returns whose turn it is after this many plies.
pub(crate) const fn mover(ply: u32) -> Seat {
    (ply % 2) as Seat
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_occurrence_is_a_draw_and_the_start_counts() {
        let mut order = TurnOrder::start(100, 7);
        for position in [1, 2, 3, 7, 1, 2, 3] {
            order.advance(position, false, None);
            assert_eq!(order.over, None);
        }
        order.advance(7, false, None);
        assert_eq!(
            order.over,
            Some(TurnOrderOver {
                winner: None,
                reason: Reason::Repetition
            })
        );
    }

    #[test]
    fn what_cannot_be_undone_forgets_the_positions_before() {
        let mut order = TurnOrder::start(100, 7);
        order.advance(7, false, None);
        order.advance(7, true, None);
        assert_eq!(order.over, None);
        assert_eq!(order.standing().repetitions, 1);
    }

    #[test]
    fn the_games_own_rules_come_before_repetition_and_that_before_the_limit() {
        let won = TurnOrderOver::won(1, Reason::Goal);
        let third_time_at_the_limit = || {
            let mut order = TurnOrder::start(2, 7);
            order.advance(7, false, None);
            order
        };
        let mut order = third_time_at_the_limit();
        order.advance(7, false, Some(won));
        assert_eq!(order.over, Some(won));
        let mut order = third_time_at_the_limit();
        order.advance(7, false, None);
        assert_eq!(order.over.map(|over| over.reason), Some(Reason::Repetition));
        let mut order = third_time_at_the_limit();
        order.advance(8, false, None);
        assert_eq!(order.over.map(|over| over.reason), Some(Reason::Limit));
    }
}
