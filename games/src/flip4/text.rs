//! A view drawn as text, and the meaning of its squares.

use std::fmt::Write as _;

use super::action::Flip4Action;
use super::dice::{Number, Roll, SIDE, square};
use super::state::{Direction, Flip4, Last, Phase};
use super::view::{Flip4Over, Flip4View};
use crate::game::Game;
use crate::seats::Seat;
use crate::words::joined;

/// The mark of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    /// A result of the dice that cannot be used.
    Result,
    /// A place for a piece, or a piece that can be moved.
    Usable,
}

/// A square as it is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextCell {
    /// The row from the top.
    pub(super) row: usize,
    /// The column from the left.
    pub(super) column: usize,
    /// Corners have no number.
    pub(super) number: Option<Number>,
    pub(super) piece: Option<Seat>,
    pub(super) mark: Mark,
}

/// Returns the squares in reading order.
pub(super) fn spots(view: &Flip4View) -> Vec<TextCell> {
    let place = |place: usize| {
        let (row, column) = (place / SIDE, place % SIDE);
        let number = view.layout[row][column];
        let piece = seat_of(view.board.at(square(place)));
        TextCell {
            row,
            column,
            number,
            piece,
            mark: number.map_or(Mark::None, |number| mark(view, number, piece)),
        }
    };
    (0..SIDE * SIDE).map(place).collect()
}

fn seat_of(letter: u8) -> Option<Seat> {
    (b'0'..=b'3').contains(&letter).then(|| letter - b'0')
}

fn mark(view: &Flip4View, number: Number, piece: Option<Seat>) -> Mark {
    let is_result = view
        .rolls
        .last()
        .is_some_and(|roll| roll.results().contains(&number));
    let usable = match view.phase {
        Phase::Place => is_result && piece.is_none(),
        Phase::PlaceAnywhere => piece.is_none(),
        Phase::Move => is_result && piece.is_some() && piece == view.to_move,
        Phase::FreeMove => piece.is_some() && piece == view.to_move,
        Phase::Start | Phase::Roll | Phase::Over => false,
    };
    match (usable, is_result) {
        (true, _) => Mark::Usable,
        (false, true) => Mark::Result,
        (false, false) => Mark::None,
    }
}

/// Draws a headline, the board, the dice and the seats.
pub(super) fn text(view: &Flip4View) -> String {
    let mut text = format!("{}\n\n", headline(view));
    let spots = spots(view);
    let edge = format!("  {}+\n", "+------".repeat(SIDE));
    for row in spots.chunks(SIDE) {
        text += &edge;
        text.push(' ');
        for spot in row {
            let mark = match spot.mark {
                Mark::Usable => '*',
                Mark::Result => '-',
                Mark::None => ' ',
            };
            let number = spot.number.map_or("".into(), |number| number.to_string());
            let _ = write!(text, " | {number:>3}{mark}");
        }
        text += " |\n ";
        for spot in row {
            let piece = match (spot.number, spot.piece) {
                (None, _) => " C ".into(),
                (_, Some(seat)) => format!("({seat})"),
                (_, None) => "   ".into(),
            };
            let _ = write!(text, " | {piece} ");
        }
        text += " |\n";
    }
    text += &edge;
    text.push('\n');
    if let Some(roll) = view.rolls.last() {
        let _ = writeln!(text, "dice: {}", results(*roll));
    }
    if let Some(last) = view.last {
        let _ = writeln!(text, "last turn: {}", last_turn(last));
    }
    for (seat, (&hand, &lost)) in (0..).zip(view.hands.iter().zip(&view.lost_turns)) {
        let _ = writeln!(text, "{}", seat_line(view, seat, hand, lost));
    }
    if view.hands.len() > 2 {
        let _ = writeln!(text, "order of play: {}", order(view.direction));
    }
    text
}

fn seat_line(view: &Flip4View, seat: Seat, hand: u8, lost: u8) -> String {
    let arrow = if view.to_move == Some(seat) { '>' } else { ' ' };
    let mut line = format!("{arrow} ({seat}) seat {seat}");
    if hand > 0 {
        let _ = write!(line, ", {hand} in hand");
    }
    if lost > 0 {
        let _ = write!(line, ", {}", lost_in_a_row(lost));
    }
    line
}

pub(super) fn headline(view: &Flip4View) -> String {
    let turns = view.turns + u32::from(view.over.is_none() && view.turns < u32::MAX);
    format!("{}, turn {turns}: {}", Flip4::INFO.title, caption(view))
}

/// Describes in one line whose turn it is or how the match ended.
pub(super) fn caption(view: &Flip4View) -> String {
    if let Some(over) = &view.over {
        return ending(over);
    }
    let Some(seat) = view.to_move else {
        return "who begins is to be drawn".into();
    };
    let usable = || {
        let spots = spots(view).into_iter();
        let usable = spots.filter(|spot| spot.mark == Mark::Usable);
        let mut numbers: Vec<u8> = usable
            .flat_map(|spot| spot.number)
            .map(Number::get)
            .collect();
        numbers.sort_unstable();
        joined(numbers, " or ")
    };
    match view.phase {
        Phase::Start | Phase::Over => format!("seat {seat}"),
        Phase::Roll if view.rolls.is_empty() => format!("seat {seat} to roll"),
        Phase::Roll => format!("seat {seat} to roll again"),
        Phase::Place => format!("seat {seat} to place on {}", usable()),
        Phase::PlaceAnywhere => format!("seat {seat} to place on any open square"),
        Phase::Move => format!("seat {seat} to move from {}", usable()),
        Phase::FreeMove => format!("seat {seat} may move any piece, or pass"),
    }
}

fn ending(over: &Flip4Over) -> String {
    let winners: Vec<Seat> = over.winners().collect();
    let reason = over.reason.name();
    match &winners[..] {
        [] => format!("draw: {reason}"),
        [one] => format!("seat {one} wins: {reason}"),
        several => format!("seats {} win: {reason}", joined(several, " and ")),
    }
}

/// Returns the sum, the difference and the product of a roll as texts.
pub(super) fn sums(roll: Roll) -> [String; 3] {
    let [a, b] = roll.dice();
    let (high, low) = (a.max(b), a.min(b));
    let [sum, difference, product] = roll.results();
    [
        format!("{a}+{b}={sum}"),
        format!("{high}-{low}={difference}"),
        format!("{a}x{b}={product}"),
    ]
}

pub(super) fn results(roll: Roll) -> String {
    let [a, b] = roll.dice();
    format!("{a} and {b}: {}", sums(roll).join(", "))
}

fn last_turn(last: Last) -> String {
    let [a, b] = last.roll.dice();
    format!("seat {} rolled {a} and {b}, {}", last.seat, done(last))
}

/// Describes the turn of a roll.
pub(super) fn done(last: Last) -> String {
    match last.action {
        Some(Flip4Action::Place(to)) => format!("placed on {to}"),
        Some(Flip4Action::Pass) => "passed".into(),
        Some(action) => format!("moved {action}"),
        None => "lost the turn: no match".into(),
    }
}

fn lost_in_a_row(lost: u8) -> String {
    match lost {
        1 => "lost 1 turn".into(),
        lost => format!("lost {lost} turns in a row"),
    }
}

fn order(direction: Direction) -> &'static str {
    match direction {
        Direction::Ascending => "ascending",
        Direction::Descending => "descending",
    }
}
