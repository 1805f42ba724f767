//! What everybody sees of a match of FLIP 4, and the way back from it to a state.

use serde::{Deserialize, Serialize};

use super::board::{Board, Layout, SIDE, SQUARES};
use super::{
    DoubleLine, Flip4, MOST, Options, Order, Over, PATIENCE, PIECES, Previous, Reason, Roll, Task,
};
use crate::course::malformed;
use crate::{Malformed, Seat, Seats};

/// What everybody sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Where the numbers lie: in reading order, the corners left out.
    pub(super) layout: Layout,
    /// The rows from the top down, each a string: `0` to `3` a piece of that seat, `.` an empty
    /// square, `C` a corner.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^[.C0-3]*$"))))]
    pub(super) board: [String; SIDE],
    /// How many pieces each seat has yet to place.
    pub(super) hands: Vec<u8>,
    /// The seat that was drawn to start; null before that.
    pub(super) start: Option<Seat>,
    /// Which way the turn goes round.
    pub(super) order: Order,
    /// The seat whose turn it is, also while it rolls; null before the start and after the end.
    pub(super) to_move: Option<Seat>,
    /// What this seat may do; null while the dice are to be rolled.
    pub(super) task: Option<Task>,
    /// The last roll of this turn; null before it.
    #[cfg_attr(feature = "schema", schemars(inner(inner(range(min = 1, max = 6)))))]
    pub(super) roll: Option<Roll>,
    /// How many rolls this turn has had, at most three.
    pub(super) rolls: u8,
    /// By seat, turns lost in a row; three while the seat may move any piece.
    pub(super) lost: Vec<u8>,
    /// How many turns have ended.
    pub(super) turns: u32,
    /// The turn before; null in the first one.
    pub(super) previous: Option<Previous>,
    /// How the match ended; left out while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) over: Option<Over>,
}

impl View {
    pub(super) fn of(game: &Flip4) -> Self {
        let seats = usize::from(game.seats);
        let letter = |square| match (game.board.on_square(square), game.board.value(square)) {
            (Some(seat), _) => char::from(b'0' + seat),
            (None, Some(_)) => '.',
            (None, None) => 'C',
        };
        let row = |row| (row * SIDE..(row + 1) * SIDE).map(letter).collect();
        View {
            layout: game.options.layout,
            board: std::array::from_fn(row),
            hands: (0..game.seats)
                .map(|seat| (PIECES - game.board.of(seat).count_ones()) as u8)
                .collect(),
            start: game.start,
            order: game.order,
            to_move: game.start.and(match game.over {
                None => Some(game.mover),
                Some(_) => None,
            }),
            task: game.task,
            roll: game.roll,
            rolls: game.rolls,
            lost: game.lost[..seats].to_vec(),
            turns: game.turns,
            previous: game.previous,
            over: game.over.clone(),
        }
    }

    /// The state that looks so.
    ///
    /// # Errors
    /// When no match of these options and seats looks so.
    pub(super) fn state(&self, options: &Options, seats: u8) -> Result<Flip4, Malformed> {
        if self.layout != options.layout {
            return Err(malformed("the layout is not that of the options"));
        }
        if self.hands.len() != usize::from(seats) || self.lost.len() != usize::from(seats) {
            return Err(malformed(format!("hands and lost are of {seats} seats")));
        }
        let named = [
            self.start,
            self.to_move,
            self.previous.map(|past| past.seat),
        ];
        if named.into_iter().flatten().any(|seat| seat >= seats) {
            return Err(malformed(format!("the seats are 0 to {}", seats - 1)));
        }
        let rolls = [self.roll, self.previous.map(|past| past.roll)];
        if !rolls
            .iter()
            .flatten()
            .flatten()
            .all(|die| (1..=6).contains(die))
        {
            return Err(malformed("a die shows 1 to 6"));
        }
        let mut lost = [0; MOST];
        lost[..self.lost.len()].copy_from_slice(&self.lost);
        let mut game = Flip4 {
            options: options.clone(),
            seats,
            board: self.read_board(seats)?,
            start: self.start,
            mover: self.to_move.unwrap_or(0),
            order: self.order,
            roll: self.roll,
            rolls: self.rolls,
            task: None,
            lost,
            turns: self.turns,
            previous: self.previous,
            over: self.over.clone(),
        };
        if self.start.is_none() {
            let fresh = View::of(&Flip4 {
                start: None,
                board: Board::new(&options.layout),
                order: Order::Ascending,
                roll: None,
                rolls: 0,
                lost: [0; MOST],
                turns: 0,
                previous: None,
                over: None,
                ..game.clone()
            });
            return match fresh == *self {
                true => Ok(game),
                false => Err(malformed("something happened before the start was drawn")),
            };
        }
        self.check_course(&game)?;
        self.check_roll(&game)?;
        self.check_end(&game)?;
        if game.over.is_none() {
            game.task = game.task();
        }
        match game.task == self.task {
            true => Ok(game),
            false => Err(malformed("the task is not what the roll leaves to do")),
        }
    }

    fn read_board(&self, seats: u8) -> Result<Board, Malformed> {
        let mut board = Board::new(&self.layout);
        let mut hands = vec![PIECES as u8; seats.into()];
        let letters: Vec<u8> = self.board.iter().flat_map(|row| row.bytes()).collect();
        if letters.len() != SQUARES || self.board.iter().any(|row| row.len() != SIDE) {
            return Err(malformed("the board is five rows of five"));
        }
        for (square, letter) in letters.into_iter().enumerate() {
            match (letter, board.value(square)) {
                (b'C', None) | (b'.', Some(_)) => {}
                (b'0'..=b'3', Some(_)) if letter - b'0' < seats => {
                    let seat = letter - b'0';
                    let hand = &mut hands[usize::from(seat)];
                    *hand = hand
                        .checked_sub(1)
                        .ok_or_else(|| malformed("a seat has four pieces"))?;
                    board.put(seat, square);
                }
                _ => return Err(malformed("the board has . and seats, and C in its corners")),
            }
        }
        if hands != self.hands {
            return Err(malformed("board and hands do not make four pieces each"));
        }
        Ok(board)
    }

    /// Whose turn it is, and how many turns have been.
    fn check_course(&self, game: &Flip4) -> Result<(), Malformed> {
        let (seats, start) = (u32::from(game.seats), u32::from(game.start.unwrap_or(0)));
        let placed = game.placed();
        let turn_of = |turn: u32| ((start + turn) % seats) as Seat;
        if self.to_move.is_some() == self.over.is_some() {
            return Err(malformed("it is somebody's turn until the match is over"));
        }
        if self.previous.is_some() != (self.turns > 0) {
            return Err(malformed("there is a turn before if one has ended"));
        }
        for turn in 0..seats {
            let seat = turn_of(turn);
            if game.board.of(seat).count_ones() != placed / seats + u32::from(turn < placed % seats)
            {
                return Err(malformed("the seats have not placed in turn"));
            }
        }
        if game.placing() || self.turns == placed {
            let before = (self.turns > 0).then(|| turn_of(self.turns - 1));
            let fits = self.turns == placed
                && self.order == Order::Ascending
                && self.previous.map(|past| past.seat) == before
                && (self.over.is_some() || game.mover == turn_of(placed));
            if !fits {
                return Err(malformed("pieces are placed in turn, one a turn"));
            }
        }
        if self.turns < placed {
            return Err(malformed("a turn places one piece"));
        }
        if game.seats == 2 {
            let other = self.previous.map(|past| 1 - past.seat);
            if self.order == Order::Descending
                || (self.to_move.and(other).unwrap_or(game.mover) != game.mover
                    && self.over.is_none())
            {
                return Err(malformed("two seats take turns"));
            }
        }
        Ok(())
    }

    /// The roll of this turn, and the lost turns.
    fn check_roll(&self, game: &Flip4) -> Result<(), Malformed> {
        if self.roll.is_some() != (self.rolls > 0) || (self.over.is_some() && self.rolls > 0) {
            return Err(malformed(
                "the rolls of this turn are not as many as it says",
            ));
        }
        let placing = game.placing();
        let most = if placing { PATIENCE } else { 1 };
        if self.rolls > most || (game.task().is_none() && self.rolls >= most) {
            return Err(malformed("the turn has had too many rolls"));
        }
        let turns_since = self.turns.saturating_sub(game.placed());
        for (seat, &lost) in self.lost.iter().enumerate() {
            let may_move = self.over.is_none()
                && seat == usize::from(game.mover)
                && !placing
                && self.rolls > 0;
            let matched = may_move && game.has_match();
            let most = match may_move {
                true if matched => 0,
                true => PATIENCE,
                false => PATIENCE - 1,
            };
            let turns = turns_since + u32::from(may_move);
            if lost > most || u32::from(lost) > turns || (placing && lost > 0) {
                return Err(malformed("no seat has lost so many turns in a row"));
            }
        }
        Ok(())
    }

    /// The end, against the lines on the board and the limit.
    fn check_end(&self, game: &Flip4) -> Result<(), Malformed> {
        let lines: Seats = (0..game.seats)
            .filter(|&seat| game.board.has_line(seat))
            .collect();
        let limit = game.options.max_turns.get();
        let Some(over) = &self.over else {
            return match lines.is_empty() && self.turns < limit {
                true => Ok(()),
                false => Err(malformed("the match would be over")),
            };
        };
        let winners: Seats = (0..game.seats)
            .filter(|&seat| over.points.get(usize::from(seat)) == Some(&1))
            .collect();
        let plain = over.points.iter().all(|points| [0, 1].contains(points));
        let last = self.previous.map_or(0, |past| past.seat);
        let right = match over.reason {
            Reason::Limit => lines.is_empty() && self.turns == limit && winners.is_empty(),
            Reason::Line if lines.len() < 2 => !lines.is_empty() && winners == lines,
            Reason::Line => {
                lines.len() == 2
                    && lines.contains(last)
                    && match game.options.double_line {
                        DoubleLine::Mover => winners == Seats::one(last),
                        DoubleLine::Opponent => winners == lines.without(last),
                        DoubleLine::Both => winners == lines,
                    }
            }
        };
        let counted = plain && over.points.len() == usize::from(game.seats);
        match right && counted && self.turns <= limit {
            true => Ok(()),
            false => Err(malformed("the match has not ended so")),
        }
    }
}
