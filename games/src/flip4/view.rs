//! Views of a match, and matches built from views.

use serde::{Deserialize, Serialize};

use super::dice::{CORNERS, Number, Roll, SIDE, square};
use super::state::{
    Direction, Flip4, Flip4Pieces, Flip4Reason, LOST_TURNS, Last, MAX_ROLLS, PIECES, Phase,
};
use crate::board::rows::Rows;
use crate::game::{Game, ParseError, require};
use crate::seats::{Seat, Viewer};

/// What everybody sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Flip4View {
    /// The numbers of the squares, row by row from the top; null on the corners.
    pub layout: [[Option<Number>; SIDE]; SIDE],
    /// The pieces in the same rows and columns as `layout`: the digit of the seat whose piece it
    /// is, `.` on an open square, `C` on the corners, where no piece ever stays.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^[.0-3C]*$"))))]
    pub board: Rows<SIDE>,
    /// 1 while pieces are placed, 2 from when all are on the board.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 2)))]
    pub part: u8,
    /// What the match waits for, and so which kind of action is asked for.
    pub phase: Phase,
    /// The seat that began; null until it is drawn.
    pub start: Option<Seat>,
    /// The order of play.
    pub direction: Direction,
    /// The seat whose turn it is; null before the start is drawn and when the match is over.
    pub to_move: Option<Seat>,
    /// What the dice showed in this turn, the last roll last. Sum, difference and product of the
    /// last one say what may be done. In part 1 there are up to three rolls in a turn.
    #[cfg_attr(feature = "schema", schemars(length(max = 3)))]
    pub rolls: Vec<Roll>,
    /// By seat, how many pieces it has yet to place.
    pub hands: Vec<u8>,
    /// By seat, how many turns in a row it has lost; the third gives a free move.
    pub lost_turns: Vec<u8>,
    /// How many turns are over. At the option `max_turns` the match is a draw.
    pub turns: u32,
    /// The turn before this one; null in the first.
    pub last: Option<Last>,
    /// How the match ended; left out while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Flip4Over>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Flip4Over {
    /// By seat: 1 for a winner, 0 for the others.
    pub points: Vec<i32>,
    /// By which rule.
    pub reason: Flip4Reason,
}

impl Flip4Over {
    /// Returns the seats that won.
    pub(super) fn winners(&self) -> impl Iterator<Item = Seat> {
        let points = self.points.iter().enumerate();
        points
            .filter(|(_, points)| **points > 0)
            .map(|(seat, _)| seat as Seat)
    }
}

/// Returns the board of a view.
pub(super) fn board(pieces: &Flip4Pieces) -> Rows<SIDE> {
    Rows::of(|square| match pieces.on(square) {
        Some(seat) => b'0' + seat,
        None if CORNERS.has(square) => b'C',
        None => b'.',
    })
}

/// Returns the match that shows this view. Whether play can lead there is not checked.
///
/// # Errors
/// Returns an error when the parts of the view do not fit together.
pub(super) fn resume(
    mut game: Flip4,
    viewer: Viewer,
    view: &Flip4View,
) -> Result<Flip4, ParseError> {
    let seats = game.seats;
    let named = [view.start, view.to_move, view.last.map(|last| last.seat)];
    let mut named = named.into_iter().flatten();
    require!(named.all(|seat| seat < seats), "there are {seats} seats");
    let can_be = view.lost_turns.len() == usize::from(seats)
        && view.lost_turns.iter().all(|&turns| turns <= LOST_TURNS)
        && view.rolls.len() <= MAX_ROLLS;
    require!(can_be, "so many turns or rolls cannot be");
    let turns = view.turns;
    require!(
        turns <= game.options.max_turns.get(),
        "{turns} turns cannot be over"
    );
    game.pieces = read_pieces(&view.board, seats)?;
    game.start = view.start;
    game.direction = view.direction;
    game.turns = view.turns;
    game.last = view.last;
    game.lost[..usize::from(seats)].copy_from_slice(&view.lost_turns);
    for (roll, &shown) in game.rolls.iter_mut().zip(&view.rolls) {
        *roll = Some(shown);
    }
    if let Some(last) = view.last {
        game.to_move = game.direction.after(last.seat, seats);
        game.end = game.judged(last.seat);
    } else {
        game.to_move = view.start.unwrap_or_default();
    }
    require!(
        can_place_in_turn(&game),
        "the seats place their pieces in turn"
    );
    require!(
        game.view(viewer) == *view,
        "what the view says does not fit together"
    );
    Ok(game)
}

/// Returns whether each seat has placed a piece in each of its turns of part 1, and whether the
/// remaining pieces are placed in turn.
fn can_place_in_turn(game: &Flip4) -> bool {
    let seats = u32::from(game.seats);
    let has_placed = |seat: u32| {
        let place = (seat + seats - u32::from(game.start.unwrap_or_default())) % seats;
        let turns = (game.turns + seats - 1 - place) / seats;
        game.pieces.of(seat as Seat).len() as u32 == turns.min(PIECES.into())
    };
    let next = (u32::from(game.start.unwrap_or_default()) + game.turns) % seats;
    let in_order = game.direction == Direction::Ascending && u32::from(game.to_move) == next;
    let has_begun = game.start.is_some() || game.turns == 0;
    has_begun && (0..seats).all(has_placed) && (in_order || !game.is_placing())
}

fn read_pieces(board: &Rows<SIDE>, seats: u8) -> Result<Flip4Pieces, ParseError> {
    let mut pieces = Flip4Pieces::default();
    for square in (0..SIDE * SIDE).map(square) {
        match board.at(square) {
            b'.' | b'C' => {}
            letter => {
                let is_seat = (b'0'..b'0' + seats).contains(&letter) && !CORNERS.has(square);
                let shown = letter as char;
                require!(
                    is_seat,
                    "{shown:?} on the board is none of . C and the seats' digits"
                );
                pieces.toggle(letter - b'0', square);
            }
        }
    }
    Ok(pieces)
}
