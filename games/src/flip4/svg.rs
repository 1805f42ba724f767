//! A view drawn as SVG for a page: the board with its last move on the left, the dice and the seats
//! on the right.

use std::fmt::Write as _;

use super::action::Flip4Action;
use super::dice::{Number, SIDE, square};
use super::state::{Direction, Flip4, Flip4Reason, Last, Phase};
use super::text::{self, Mark, TextCell, spots};
use super::view::{Flip4Over, Flip4View};
use crate::game::Game;
use crate::paint::{self, FAINT, FRAME, INK, PLAIN, tag};
use crate::seats::Seat;
use crate::words::counted;

// Lengths.
const CELL: usize = 76;
const MARGIN: usize = 24;
const HEAD: usize = 46;
const BOARD: usize = SIDE * CELL;
const FOOT: usize = 48;
const RADIUS: usize = 27;
const PANEL: usize = MARGIN + BOARD + 28;
const PANEL_WIDTH: usize = 232;
const WIDTH: usize = PANEL + PANEL_WIDTH + MARGIN;
const HEIGHT: usize = HEAD + BOARD + FOOT;
const DIE: usize = 62;
const SMALL_DIE: usize = 26;
const RESULTS: usize = HEAD + 112;
const EARLIER: usize = RESULTS + 44;
const SEATS: usize = HEAD + 202;
const SEAT_ROW: usize = 42;

// Colours.
const NUMBER: &str = "#7a6f5c";
const ON_PIECE: &str = "#14181c";
const TRAIL: &str = "#8a63b0";
const GOLD: &str = "#ffd76a";
const GOLD_RIM: &str = "#b07a00";
const CORNER: &str = "#46535f";
const ROW: &str = "#3d4a56";
const DIE_FACE: &str = "#fffdf8";

/// Draws one `<svg>` element.
pub(super) fn svg(view: &Flip4View) -> String {
    let mut svg = paint::open(&text::headline(view), WIDTH, HEIGHT);
    let spots = spots(view);
    draw_head(&mut svg, view);
    spots.iter().for_each(|spot| draw_square(&mut svg, spot));
    draw_winning_lines(&mut svg, view, &spots);
    if let Some(last) = view.last {
        draw_last(&mut svg, last, &spots);
    }
    spots.iter().for_each(|spot| draw_number(&mut svg, spot));
    draw_dice(&mut svg, view);
    draw_seats(&mut svg, view);
    draw_foot(&mut svg, view);
    svg.push_str("</svg>");
    svg
}

fn draw_head(svg: &mut String, view: &Flip4View) {
    let part = match view.part {
        1 => "part 1: placing",
        _ => "part 2: moving",
    };
    let turns = format!("{} played", counted(view.turns, "turn"));
    let (right, y) = (WIDTH - MARGIN, HEAD - 18);
    tag!(svg, "g" open, fill: FAINT);
    tag!(svg, "text", x: MARGIN, y; Flip4::INFO.title);
    tag!(svg, "text", x: MARGIN + BOARD, y, "text-anchor": "end"; part);
    tag!(svg, "text", x: right, y, "text-anchor": "end"; turns);
    svg.push_str("</g>");
}

fn draw_square(svg: &mut String, spot: &TextCell) {
    let (x, y) = (MARGIN + spot.column * CELL, HEAD + spot.row * CELL);
    let (middle, centre) = centre(spot.row, spot.column);
    let Some(number) = spot.number else {
        tag!(svg, "rect", x, y, width: CELL, height: CELL, fill: CORNER, stroke: FRAME,
            "stroke-opacity": "0.35", "data-mark": square(spot.row * SIDE + spot.column));
        tag!(svg, "circle", cx: middle, cy: centre, r: RADIUS, fill: FRAME, stroke: FAINT,
            "stroke-width": 2, "stroke-dasharray": "5 4");
        tag!(svg, "text", x: middle, y: centre + 7, "text-anchor": "middle", "font-size": 20,
            fill: FAINT; "C");
        return;
    };
    let fill = match spot.mark {
        Mark::Usable => GOLD,
        Mark::Result | Mark::None => PLAIN[(spot.row + spot.column) % 2],
    };
    tag!(svg, "rect", x, y, width: CELL, height: CELL, fill, stroke: FRAME,
        "stroke-opacity": "0.35", "data-mark": number);
    let (x, y, size) = (x + 4, y + 4, CELL - 8);
    match spot.mark {
        Mark::None => {}
        Mark::Result => tag!(svg, "rect", x, y, width: size, height: size, rx: 5, fill: "none",
            stroke: GOLD_RIM, "stroke-width": 3, "stroke-dasharray": "6 5"),
        Mark::Usable => tag!(svg, "rect", x, y, width: size, height: size, rx: 5, fill: "none",
            stroke: GOLD_RIM, "stroke-width": 3),
    }
}

/// Draws the number of a square and the piece under it.
fn draw_number(svg: &mut String, spot: &TextCell) {
    let Some(number) = spot.number else {
        return;
    };
    let (x, y) = centre(spot.row, spot.column);
    match spot.piece {
        Some(seat) => {
            draw_part(svg, seat, (x, y), RADIUS);
            tag!(svg, "text", x, y: y + 8, "text-anchor": "middle", "font-size": 22, fill: ON_PIECE,
                "font-weight": 600; number);
        }
        None => tag!(svg, "text", x, y: y + 8, "text-anchor": "middle", "font-size": 22,
            fill: NUMBER; number),
    }
}

/// Draws a piece that may move.
fn draw_part(svg: &mut String, seat: Seat, at: (usize, usize), size: usize) {
    paint::open_part(svg, seat, "", size, at);
    draw_disc(svg, seat, size);
    svg.push_str("</g>");
}

/// Draws a disc that stands for a seat.
fn draw_sign(svg: &mut String, seat: Seat, at: (usize, usize), radius: usize) {
    paint::open_at(svg, "side", at);
    draw_disc(svg, seat, radius);
    svg.push_str("</g>");
}

fn draw_disc(svg: &mut String, seat: Seat, radius: usize) {
    let (fill, rim) = paint::SEATS[usize::from(seat) % paint::SEATS.len()];
    paint::disc(svg, radius, fill, rim);
}

/// Draws a band under the four pieces of each winner.
fn draw_winning_lines(svg: &mut String, view: &Flip4View, spots: &[TextCell]) {
    let over = view.over.iter();
    let won = over.filter(|over| over.reason == Flip4Reason::Line);
    for seat in won.flat_map(Flip4Over::winners) {
        let mut pieces = spots.iter().filter(|spot| spot.piece == Some(seat));
        if let (Some(first), Some(last)) = (pieces.next(), pieces.next_back()) {
            let (x, y) = centre(first.row, first.column);
            let (to_x, to_y) = centre(last.row, last.column);
            tag!(svg, "path", d: format_args!("M{x} {y}L{to_x} {to_y}"), fill: "none", stroke: GOLD,
                "stroke-width": 70, "stroke-linecap": "round", "stroke-opacity": "0.85");
        }
    }
}

/// Draws the last action: a ring around a placed piece, or an arrow along a move. The arrow has two
/// heads if two pieces changed places.
fn draw_last(svg: &mut String, last: Last, spots: &[TextCell]) {
    let find = |number| spots.iter().find(|spot| spot.number == Some(number));
    let Some(action) = last.action else {
        return;
    };
    match action {
        Flip4Action::Pass => {}
        Flip4Action::Place(to) => {
            if let Some(to) = find(to) {
                draw_ring(svg, centre(to.row, to.column));
            }
        }
        Flip4Action::Move(from, to) | Flip4Action::Corner(from, to) => {
            let (Some(from), Some(to)) = (find(from), find(to)) else {
                return;
            };
            let [start, end] = [from, to].map(|spot| centre(spot.row, spot.column));
            let flipped = from.piece.is_some() && from.number != to.number;
            match action {
                Flip4Action::Corner(..) => {
                    let end_of = |place| if place < SIDE / 2 { 0 } else { SIDE - 1 };
                    let corner = centre(end_of(from.row), end_of(from.column));
                    draw_arrow(svg, start, corner, flipped);
                    draw_arrow(svg, corner, end, false);
                }
                _ => draw_arrow(svg, start, end, flipped),
            }
        }
    }
}

fn draw_ring(svg: &mut String, (x, y): (usize, usize)) {
    tag!(svg, "circle", cx: x, cy: y, r: RADIUS + 5, fill: "none", stroke: ON_PIECE,
        "stroke-width": 2, "stroke-dasharray": "3 4");
}

/// Draws an arrow between the rims of two pieces.
fn draw_arrow(svg: &mut String, from: (usize, usize), to: (usize, usize), both_ways: bool) {
    let [x, y] = [from.0 as f64, from.1 as f64];
    let [across, down] = [to.0 as f64 - x, to.1 as f64 - y];
    // Not `hypot`, for which the command would need a newer C library.
    let long = (across * across + down * down).sqrt();
    if long < 1.0 {
        return;
    }
    let (dx, dy) = (across / long, down / long);
    let rim = RADIUS as f64 - 3.0;
    let (start, end) = (rim, long - rim);
    let point = |far: f64, aside: f64| {
        format!(
            "{:.1} {:.1}",
            x + dx * far - dy * aside,
            y + dy * far + dx * aside
        )
    };
    let mut path = format!("M{}L{}", point(start, 0.0), point(end, 0.0));
    let mut head = |tip: f64, back: f64| {
        let _ = write!(
            path,
            "M{}L{}L{}",
            point(back, 7.0),
            point(tip, 0.0),
            point(back, -7.0)
        );
    };
    head(end, end - 10.0);
    if both_ways {
        head(start, start + 10.0);
    }
    tag!(svg, "path", d: path, fill: "none", stroke: TRAIL, "stroke-width": 5,
        "stroke-linecap": "round", "stroke-linejoin": "round");
}

/// Draws the dice of this turn or, before they are rolled, those of the last turn in a fainter colour.
fn draw_dice(svg: &mut String, view: &Flip4View) {
    let (words, roll, is_old) = match (view.rolls.last(), view.last, view.to_move) {
        (Some(&roll), _, Some(seat)) => (format!("seat {seat} rolled"), Some(roll), false),
        (Some(&roll), ..) => ("rolled".into(), Some(roll), false),
        (None, Some(last), _) => (
            format!("seat {} {}", last.seat, text::done(last)),
            Some(last.roll),
            view.phase != Phase::Over,
        ),
        (None, None, _) => ("the dice are to be rolled".into(), None, true),
    };
    tag!(svg, "text", x: PANEL, y: HEAD + 14, fill: FAINT; words);
    let Some(roll) = roll else {
        return;
    };
    let opacity = if is_old { "0.5" } else { "1" };
    tag!(svg, "g" open, opacity);
    for (at, &shown) in roll.dice().iter().enumerate() {
        draw_die(svg, shown, (PANEL + at * (DIE + 16), HEAD + 28), DIE);
    }
    for (at, (sum, number)) in text::sums(roll).iter().zip(roll.results()).enumerate() {
        let is_used = !is_old && is_usable(view, number);
        draw_result(svg, at, sum, is_used);
    }
    svg.push_str("</g>");
    draw_earlier(svg, view);
}

fn is_usable(view: &Flip4View, number: Number) -> bool {
    let mut spots = spots(view).into_iter();
    spots.any(|spot| spot.number == Some(number) && spot.mark == Mark::Usable)
}

fn draw_result(svg: &mut String, at: usize, sum: &str, is_usable: bool) {
    let (x, y) = (PANEL + at * 78, RESULTS - 6);
    let (fill, ink) = if is_usable {
        (GOLD, ON_PIECE)
    } else {
        (ROW, INK)
    };
    let words = sum.replace('-', "−").replace('x', "×");
    tag!(svg, "rect", x, y, width: 72, height: 28, rx: 14, fill);
    tag!(svg, "text", x: x + 36, y: y + 19, "text-anchor": "middle", fill: ink; words);
}

/// Draws the earlier rolls of this turn, which had no open result.
fn draw_earlier(svg: &mut String, view: &Flip4View) {
    let Some((_, earlier)) = view.rolls.split_last() else {
        return;
    };
    if earlier.is_empty() {
        return;
    }
    tag!(svg, "text", x: PANEL, y: EARLIER + 2, fill: FAINT; "before");
    tag!(svg, "g" open, opacity: "0.6");
    for (at, roll) in earlier.iter().enumerate() {
        for (die, &shown) in roll.dice().iter().enumerate() {
            let x = PANEL + 56 + at * (2 * SMALL_DIE + 24) + die * (SMALL_DIE + 5);
            draw_die(svg, shown, (x, EARLIER - 16), SMALL_DIE);
        }
    }
    svg.push_str("</g>");
}

/// Draws a die around its middle. A script lets the large ones roll.
fn draw_die(svg: &mut String, shown: u8, (x, y): (usize, usize), size: usize) {
    let class = if size == DIE { "die" } else { "rolled" };
    let half = size / 2;
    paint::open_at(svg, class, (x + half, y + half));
    let corner = -(half as i32);
    tag!(svg, "rect", x: corner, y: corner, width: size, height: size, rx: size / 5,
        fill: DIE_FACE);
    tag!(svg, "g" open, fill: ON_PIECE);
    for (column, row) in pips(shown) {
        let [cx, cy] = [column, row].map(|line| (line as i32 - 1) * (size as i32) / 4);
        tag!(svg, "circle", cx, cy, r: size / 11);
    }
    svg.push_str("</g></g>");
}

/// Returns the columns and rows of the pips of a die, in a grid of three by three.
fn pips(shown: u8) -> Vec<(usize, usize)> {
    let mut pips = Vec::new();
    if shown % 2 == 1 {
        pips.push((1, 1));
    }
    if shown >= 2 {
        pips.extend([(0, 0), (2, 2)]);
    }
    if shown >= 4 {
        pips.extend([(2, 0), (0, 2)]);
    }
    if shown >= 6 {
        pips.extend([(0, 1), (2, 1)]);
    }
    pips
}

fn draw_seats(svg: &mut String, view: &Flip4View) {
    for (seat, (&hand, &lost)) in (0..).zip(view.hands.iter().zip(&view.lost_turns)) {
        draw_seat(svg, view, seat, hand, lost);
    }
    if view.hands.len() > 2 {
        draw_direction(svg, view.direction, view.hands.len());
    }
}

fn draw_seat(svg: &mut String, view: &Flip4View, seat: Seat, hand: u8, lost: u8) {
    let y = SEATS + usize::from(seat) * SEAT_ROW;
    let middle = y + SEAT_ROW / 2;
    let width = PANEL_WIDTH - 30;
    let rim = if view.to_move == Some(seat) {
        INK
    } else {
        "none"
    };
    tag!(svg, "rect", x: PANEL, y: y + 3, width, height: SEAT_ROW - 6, rx: 8, fill: ROW,
        stroke: rim, "stroke-width": 2);
    draw_sign(svg, seat, (PANEL + 22, middle), 11);
    tag!(svg, "text", x: PANEL + 42, y: middle + 5, fill: INK; format_args!("seat {seat}"));
    let right = PANEL + width - 18;
    for at in 0..hand.min(super::state::PIECES) {
        draw_part(svg, seat, (right - 22 * usize::from(at), middle), 8);
    }
    if lost > 0 {
        let words = format!("lost {}", counted(lost, "turn"));
        tag!(svg, "text", x: right + 8, y: middle + 5, "text-anchor": "end", fill: FAINT; words);
    }
}

/// Draws an arrow beside the seats, downwards for ascending order.
fn draw_direction(svg: &mut String, direction: Direction, seats: usize) {
    let x = PANEL + PANEL_WIDTH - 12;
    let (top, bottom) = (SEATS + 10, SEATS + seats * SEAT_ROW - 10);
    let (tip, back) = match direction {
        Direction::Ascending => (bottom, bottom - 10),
        Direction::Descending => (top, top + 10),
    };
    tag!(svg, "path",
        d: format_args!("M{x} {top}V{bottom}M{} {back}L{x} {tip}L{} {back}", x - 8, x + 8),
        fill: "none", stroke: FAINT, "stroke-width": 3, "stroke-linecap": "round",
        "stroke-linejoin": "round");
}

/// Writes whose turn it is or how the match ended.
fn draw_foot(svg: &mut String, view: &Flip4View) {
    let y = HEIGHT - FOOT / 2 + 6;
    let winners: Vec<Seat> = match &view.over {
        Some(over) => over.winners().collect(),
        None => view.to_move.into_iter().collect(),
    };
    let mut x = MARGIN;
    for seat in winners {
        draw_sign(svg, seat, (x + 10, y - 5), 9);
        x += 26;
    }
    tag!(svg, "text", x, y, fill: INK, "font-size": 16, "font-weight": 600;
        capitalised(&text::caption(view)));
}

fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Returns the middle of a square.
fn centre(row: usize, column: usize) -> (usize, usize) {
    (
        MARGIN + column * CELL + CELL / 2,
        HEAD + row * CELL + CELL / 2,
    )
}
