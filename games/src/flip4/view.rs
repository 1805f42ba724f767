//! What everybody sees of a match, and a match from what is seen.

use serde::{Deserialize, Serialize};

use super::dice::{CORNERS, SIDE, square};
use super::{
    Action, Direction, Draw, Flip4, LOST_TURNS, MOST_ROLLS, Number, PIECES, Phase, Pieces, Reason,
    Roll,
};
use crate::board::Rows;
use crate::course::malformed;
use crate::{Event, Game, Malformed, Seat, Viewer};

/// After so many turns it only matters whether their number is odd, where the order of play may
/// have led.
const TURNS_THAT_MATTER: u32 = 32;

/// What everybody sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The numbers of the squares, row by row from the top; null on the corners.
    pub(super) layout: [[Option<Number>; SIDE]; SIDE],
    /// The pieces in the same rows and columns as `layout`: the digit of the seat whose piece it
    /// is, `.` on an open square, `C` on the corners, where no piece ever stays.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^[.0-3C]*$"))))]
    pub(super) board: Rows<SIDE>,
    /// 1 while pieces are placed, 2 from when all are on the board.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 2)))]
    pub(super) part: u8,
    /// What the match waits for, and so which kind of action is asked for.
    pub(super) phase: Phase,
    /// The seat that began; null until it is drawn.
    pub(super) start: Option<Seat>,
    /// The order of play.
    pub(super) direction: Direction,
    /// The seat whose turn it is; null before the start is drawn and when the match is over.
    pub(super) to_move: Option<Seat>,
    /// What the dice showed in this turn, the last roll last. Sum, difference and product of the
    /// last one say what may be done. In part 1 there are up to three rolls in a turn.
    #[cfg_attr(feature = "schema", schemars(length(max = 3)))]
    pub(super) rolls: Vec<Roll>,
    /// By seat, how many pieces it has yet to place.
    pub(super) hands: Vec<u8>,
    /// By seat, how many turns in a row it has lost; the third gives a free move.
    pub(super) lost_turns: Vec<u8>,
    /// How many turns are over. At the option `max_turns` the match is a draw.
    pub(super) turns: u32,
    /// The turn before this one; null in the first.
    pub(super) last: Option<Last>,
    /// How the match ended; left out while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) over: Option<Over>,
}

/// A turn that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Last {
    /// Whose it was.
    pub(super) seat: Seat,
    /// Its last roll.
    pub(super) roll: Roll,
    /// What was done; null if the turn was lost.
    pub(super) action: Option<Action>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Over {
    /// By seat: 1 for a winner, 0 for the others.
    pub(super) points: Vec<i32>,
    /// By which rule.
    pub(super) reason: Reason,
}

/// The pieces as a view shows them.
pub(super) fn board(pieces: &Pieces) -> Rows<SIDE> {
    Rows::of(|square| match pieces.on(square) {
        Some(seat) => b'0' + seat,
        None if CORNERS.has(square) => b'C',
        None => b'.',
    })
}

/// The match that shows this view. What the view says of the turn before is undone and played
/// again, so that each view follows from a position as it can be at the start of a turn.
///
/// # Errors
/// When there is no such match.
pub(super) fn resume(mut game: Flip4, viewer: Viewer, view: &View) -> Result<Flip4, Malformed> {
    if let Some(start) = view.start {
        play_chance(&mut game, Draw::Start(start))?;
    }
    if let (Some(start), Some(last)) = (view.start, view.last) {
        game = turn_before(game, start, view, last)?;
        play_again(&mut game, last)?;
    }
    for &roll in &view.rolls {
        play_chance(&mut game, Draw::Roll(roll))?;
    }
    if game.view(viewer) != *view {
        return Err(malformed("what the view says does not fit together"));
    }
    Ok(game)
}

fn play_chance(game: &mut Flip4, draw: Draw) -> Result<(), Malformed> {
    game.check_chance(&draw).map_err(|why| Malformed(why.0))?;
    game.apply(Event::Chance(&draw));
    Ok(())
}

/// The match at the start of the turn before the one of the view.
fn turn_before(mut game: Flip4, start: Seat, view: &View, last: Last) -> Result<Flip4, Malformed> {
    let seats = game.seats;
    if last.seat >= seats {
        return Err(malformed(format!("there is no seat {}", last.seat)));
    }
    game.pieces = read_pieces(&view.board, seats)?;
    undo(&mut game, last)?;
    game.to_move = last.seat;
    game.turns = match view.turns.checked_sub(1) {
        Some(turns) if turns < game.options.max_turns.get() => turns,
        _ => return Err(malformed(format!("{} turns cannot be over", view.turns))),
    };
    game.direction = match game.reverses(last.roll) {
        true => view.direction.reversed(),
        false => view.direction,
    };
    game.lost = lost_before(&game, view, last)?;
    match impossible(&game, start) {
        Some(why) => Err(malformed(why)),
        None => Ok(game),
    }
}

/// Says why no turn can begin so, if so.
fn impossible(game: &Flip4, start: Seat) -> Option<String> {
    let (seats, turns) = (game.seats, game.turns);
    let lost: u32 = game.lost.into_iter().map(u32::from).sum();
    let moving_turns = turns.saturating_sub(game.placing_turns());
    if !orders(seats, start, turns, game.placing_turns()).contains(&(game.to_move, game.direction))
    {
        return Some(format!(
            "seat {} cannot have had turn {}",
            game.to_move,
            turns + 1
        ));
    }
    if !game.pieces.in_line().is_empty() {
        return Some("a line was made before the last turn".into());
    }
    if game.lost.iter().any(|&lost| lost >= LOST_TURNS) || lost > moving_turns {
        return Some("so many turns cannot be lost".into());
    }
    (0..seats)
        .find(|&seat| {
            let place = u32::from((seat + seats - start) % seats);
            let had = (turns + u32::from(seats) - 1 - place) / u32::from(seats);
            game.pieces.of(seat).len() as u32 != had.min(PIECES.into())
        })
        .map(|seat| format!("seat {seat} cannot have so many pieces on the board"))
}

/// Who may be to move after so many turns, and in which order of play.
fn orders(seats: u8, start: Seat, turns: u32, placing_turns: u32) -> Vec<(Seat, Direction)> {
    if turns < placing_turns {
        let seat = (u32::from(start) + turns) % u32::from(seats);
        return vec![(seat as Seat, Direction::Ascending)];
    }
    let mut orders = vec![(start, Direction::Ascending)];
    let turns = turns - placing_turns;
    for _ in 0..turns.min(TURNS_THAT_MATTER + turns % 2) {
        let mut next = Vec::new();
        for (seat, direction) in orders {
            let mut directions = vec![direction];
            if seats > 2 {
                directions.push(direction.reversed());
            }
            for direction in directions {
                let order = (direction.after(seat, seats), direction);
                if !next.contains(&order) {
                    next.push(order);
                }
            }
        }
        orders = next;
    }
    orders
}

/// How often the seats had lost their turns in a row before the last turn.
fn lost_before(game: &Flip4, view: &View, last: Last) -> Result<[u8; 4], Malformed> {
    let mut before = [0; 4];
    if view.lost_turns.len() != usize::from(game.seats) {
        return Err(malformed(format!("there are {} seats", game.seats)));
    }
    before[..view.lost_turns.len()].copy_from_slice(&view.lost_turns);
    // Whoever has a free move now is to move now, after the turn before.
    if let Some(now) = view.to_move.filter(|&now| now < game.seats) {
        let now = &mut before[usize::from(now)];
        *now = (*now).min(LOST_TURNS - 1);
    }
    let lost = &mut before[usize::from(last.seat)];
    *lost = match last.action {
        None => lost
            .checked_sub(1)
            .ok_or_else(|| malformed("a lost turn is counted"))?,
        Some(_) if !game.is_placing() && game.matched(last.roll).is_empty() => LOST_TURNS - 1,
        Some(_) => 0,
    };
    Ok(before)
}

/// Plays the turn before the one of a view.
fn play_again(game: &mut Flip4, last: Last) -> Result<(), Malformed> {
    // Only the last roll is known: the others had no open result either.
    let rolls = match last.action {
        Some(_) if game.is_placing() && game.open_results(last.roll).is_empty() => MOST_ROLLS,
        _ => 1,
    };
    for _ in 0..rolls {
        play_chance(game, Draw::Roll(last.roll))?;
    }
    if let Some(action) = last.action {
        game.check(last.seat, action)
            .map_err(|why| Malformed(why.0))?;
        game.apply(Event::Acts(&[(last.seat, action)]));
    }
    Ok(())
}

/// Takes what was done in the last turn back, as far as the pieces go.
fn undo(game: &mut Flip4, last: Last) -> Result<(), Malformed> {
    let Some(action) = last.action else {
        return Ok(());
    };
    let layout = &game.options.layout;
    let stands = |number| game.pieces.on(layout.square(number)) == Some(last.seat);
    match action {
        Action::Place(to) if stands(to) => game.pieces.toggle(last.seat, layout.square(to)),
        Action::Move(from, to) | Action::Corner(from, to) if stands(to) => {
            let [from, to] = [from, to].map(|number| layout.square(number));
            if from != to && game.pieces.on(from) == Some(last.seat) {
                return Err(malformed("a move leaves its square"));
            }
            game.pieces.exchange(last.seat, to, from);
        }
        Action::Pass => {}
        _ => return Err(malformed("the last piece is not where it went")),
    }
    Ok(())
}

fn read_pieces(board: &Rows<SIDE>, seats: u8) -> Result<Pieces, Malformed> {
    let mut pieces = Pieces::default();
    for square in (0..SIDE * SIDE).map(square) {
        match board.at(square) {
            b'.' | b'C' => {}
            letter if (b'0'..b'0' + seats).contains(&letter) && !CORNERS.has(square) => {
                pieces.toggle(letter - b'0', square);
            }
            letter => {
                return Err(malformed(format!(
                    "{:?} on the board is none of . C and the seats' digits",
                    letter as char
                )));
            }
        }
    }
    Ok(pieces)
}
