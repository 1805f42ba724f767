//! What a seat sees as an array.

use std::iter;

use super::dice::{Number, SIDE, square};
use super::state::{Direction, Flip4, MAX_SEATS, Phase};
use crate::board::Square;
use crate::observation::ObservationForm;
use crate::seats::Seat;

/// What a seat may be asked for, each with its plane.
const ASKED: [(Phase, &str); 4] = [
    (Phase::Place, "to place a piece on a result"),
    (Phase::PlaceAnywhere, "to place a piece anywhere"),
    (Phase::Move, "to move a piece that is on a result"),
    (Phase::FreeMove, "to move any piece or to pass"),
];

/// The seats, in the order of their planes. Seat 0 follows the last one.
const SEATS: [&str; MAX_SEATS] = [
    "the seat that looks",
    "the next higher seat",
    "the second higher seat",
    "the third higher seat",
];

/// The value of the corners in the plane of numbers.
const NO_NUMBER: u8 = u8::MAX;

pub(super) fn form() -> ObservationForm {
    let mut planes = Vec::new();
    let mut by_seat = |what: &str| {
        planes.extend(SEATS.map(|whose| format!("{what} of {whose}")));
    };
    by_seat("pieces");
    by_seat("number of pieces to place");
    by_seat("number of turns lost in a row");
    planes.push(format!("number of the square, {NO_NUMBER} on a corner"));
    planes.push("squares with a result of the last roll".into());
    planes.extend(["first die", "second die"].map(String::from));
    let asked = ASKED.iter();
    planes.extend(asked.map(|(_, what)| format!("whether the seat that looks is asked {what}")));
    planes.push("whether turns go to the next lower seat".into());
    planes.extend(["number of seats", "the seat that looks"].map(String::from));
    ObservationForm {
        shape: [planes.len(), SIDE, SIDE],
        planes,
    }
}

pub(super) fn write(game: &Flip4, seat: Seat, out: &mut Vec<u8>) {
    // From the seat that looks on; where there are fewer seats than planes, the last have no piece.
    let seats = (0..MAX_SEATS as Seat)
        .map(|after| (after < game.seats).then(|| (seat + after) % game.seats));
    for other in seats.clone() {
        let pieces = other.map(|other| game.pieces.of(other));
        let has = |square| pieces.is_some_and(|pieces| pieces.has(square));
        out.extend(squares().map(|square| u8::from(has(square))));
    }
    let mut fill = |value| out.extend(iter::repeat_n(value, SIDE * SIDE));
    for other in seats.clone() {
        fill(other.map_or(0, |other| game.hand(other)));
    }
    for other in seats {
        fill(other.map_or(0, |other| game.lost[usize::from(other)]));
    }
    let numbers = game.options.layout.rows();
    let numbers = numbers.as_flattened().iter();
    out.extend(numbers.map(|number| number.map_or(NO_NUMBER, Number::get)));
    let roll = game.roll();
    let results = roll.map(|roll| game.options.layout.squares(roll));
    let is_result = |square| results.is_some_and(|results| results.has(square));
    out.extend(squares().map(|square| u8::from(is_result(square))));
    let mut fill = |value| out.extend(iter::repeat_n(value, SIDE * SIDE));
    let [first, second] = roll.map_or([0, 0], |roll| roll.dice());
    fill(first);
    fill(second);
    let asked = Some(game.phase()).filter(|_| seat == game.to_move);
    for (phase, _) in ASKED {
        fill(u8::from(asked == Some(phase)));
    }
    fill(u8::from(game.direction == Direction::Descending));
    fill(game.seats);
    fill(seat);
}

/// Row by row from the top rank.
fn squares() -> impl Iterator<Item = Square<SIDE>> {
    (0..SIDE * SIDE).map(square)
}
