//! Drawings of FLIP 4: the numbers, the pieces on them, the dice and what they give.

use std::fmt::Write as _;

use super::board::{Board, SIDE};
use super::{Flip4, Order, PIECES, Reason, Roll, Task, View, results};
use crate::paint::{self, FAINT, FRAME, INK, PLAIN, SEATS};
use crate::{Game as _, Seat};

// Lengths of the SVG.
const CELL: usize = 64;
const MARGIN: usize = 30;
const TOP: usize = 48;
const PANEL: usize = 210;
const WIDTH: usize = 2 * MARGIN + SIDE * CELL + PANEL;
const HEIGHT: usize = TOP + SIDE * CELL + 60;
const DIE: usize = 48;

// Colours of the SVG.
const CORNER: &str = "#f0c869";
const CORNER_INK: &str = "#8a611a";
const NUMBER: &str = "#5d5646";
const MATCH: &str = "#c0392b";
const DIE_FACE: &str = "#fffdf8";

impl View {
    /// Whose piece is on a square, by its place in reading order.
    fn seat_on(&self, square: usize) -> Option<Seat> {
        let letter = *self
            .board
            .get(square / SIDE)?
            .as_bytes()
            .get(square % SIDE)?;
        letter.is_ascii_digit().then(|| letter - b'0')
    }

    /// The roll that is shown: of this turn, or else of the turn before.
    fn shown_roll(&self) -> Option<Roll> {
        self.roll.or(self.previous.map(|past| past.roll))
    }

    /// Whether a number is marked as something to place on or to move from.
    fn is_marked(&self, square: usize, value: u8) -> bool {
        let result = self.roll.is_some_and(|roll| results(roll).contains(&value));
        match self.task {
            Some(Task::Place) => result && self.seat_on(square).is_none(),
            Some(Task::Move) => result && self.seat_on(square) == self.to_move,
            Some(Task::MoveAny) => self.seat_on(square) == self.to_move,
            Some(Task::PlaceAnywhere) | None => false,
        }
    }

    /// Who won or whose turn it is, in words.
    fn caption(&self) -> String {
        if let Some(over) = &self.over {
            let winners: Vec<String> = (0..over.points.len())
                .filter(|&seat| over.points[seat] > 0)
                .map(|seat| format!("seat {seat}"))
                .collect();
            return match over.reason {
                Reason::Limit => "a draw: no turns are left".into(),
                Reason::Line if winners.len() == 1 => format!("{} wins with a line", winners[0]),
                Reason::Line => format!("{} win with a line each", winners.join(" and ")),
            };
        }
        let Some(seat) = self.to_move else {
            return "the start is to be drawn".into();
        };
        match self.task {
            None if self.rolls > 0 => format!("seat {seat} rolls again"),
            None => format!("seat {seat} rolls"),
            Some(Task::Place) => format!("seat {seat} places"),
            Some(Task::PlaceAnywhere) => format!("seat {seat} places anywhere"),
            Some(Task::Move) => format!("seat {seat} moves"),
            Some(Task::MoveAny) => format!("seat {seat} moves any piece"),
        }
    }

    /// A line about the dice: what they show and give.
    fn dice_in_words(&self) -> Option<String> {
        let roll @ [one, other] = self.shown_roll()?;
        let [sum, difference, product] = results(roll);
        let gives = format!("{one} and {other} give {sum}, {difference}, {product}");
        Some(match (self.roll, self.previous) {
            (None, Some(past)) => format!("last roll, of seat {}: {gives}", past.seat),
            _ => format!("roll: {gives}"),
        })
    }

    fn order_in_words(&self) -> &'static str {
        match self.order {
            Order::Ascending => "ascending",
            Order::Descending => "descending",
        }
    }
}

/// For a terminal.
pub(super) fn text(view: &View) -> String {
    let board = Board::new(&view.layout);
    let mut text = format!(
        "{}, turn {}: {}\n\n",
        Flip4::INFO.title,
        view.turns,
        view.caption()
    );
    for row in 0..SIDE {
        let mut line = String::from(" ");
        for square in row * SIDE..(row + 1) * SIDE {
            let Some(value) = board.value(square) else {
                line.push_str("    C   ");
                continue;
            };
            let mark = if view.is_marked(square, value) {
                '*'
            } else {
                ' '
            };
            let piece = match view.seat_on(square) {
                Some(seat) => format!("({seat})"),
                None => "   ".into(),
            };
            let _ = write!(line, " {mark}{value:>3}{piece}");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push('\n');
    if let Some(dice) = view.dice_in_words() {
        let _ = writeln!(text, "{dice}");
    }
    let counts = |counts: &[u8]| {
        let counts = counts.iter().enumerate();
        let words: Vec<String> = counts
            .map(|(seat, count)| format!("seat {seat} {count}"))
            .collect();
        words.join(", ")
    };
    if view.hands.iter().any(|&hand| hand > 0) {
        let _ = writeln!(text, "to place: {}", counts(&view.hands));
    } else {
        let _ = writeln!(text, "turns lost in a row: {}", counts(&view.lost));
    }
    if view.hands.len() > 2 {
        let _ = writeln!(text, "order of play: {}", view.order_in_words());
    }
    text.push_str("(0) is a piece of seat 0, C a corner, * what matches the roll\n");
    text
}

/// For a page.
pub(super) fn svg(view: &View) -> String {
    let title = format!(
        "{}, turn {}: {}",
        Flip4::INFO.title,
        view.turns,
        view.caption()
    );
    let mut svg = paint::open(&title, WIDTH, HEIGHT);
    let board = Board::new(&view.layout);
    let won = winning_squares(view, board);
    for square in 0..SIDE * SIDE {
        draw_square(&mut svg, view, &board, square, won >> square & 1 == 1);
    }
    draw_panel(&mut svg, view);
    draw_words(&mut svg, view);
    svg.push_str("</svg>");
    svg
}

/// The squares of the lines that stand, a bit each.
fn winning_squares(view: &View, mut board: Board) -> u32 {
    for square in 0..SIDE * SIDE {
        if let Some(seat) = view.seat_on(square) {
            board.put(seat, square);
        }
    }
    let seats = 0..view.hands.len() as Seat;
    seats
        .filter(|&seat| board.has_line(seat))
        .fold(0, |squares, seat| squares | board.of(seat))
}

fn draw_square(svg: &mut String, view: &View, board: &Board, square: usize, won: bool) {
    let (row, column) = (square / SIDE, square % SIDE);
    let (x, y) = (MARGIN + column * CELL, TOP + row * CELL);
    let (middle, centre) = (x + CELL / 2, y + CELL / 2);
    let value = board.value(square);
    let fill = match value {
        None => CORNER,
        Some(_) => PLAIN[(row + column) % 2],
    };
    let _ = write!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\" \
         stroke=\"{FRAME}\" stroke-opacity=\"0.35\"/>"
    );
    let Some(value) = value else {
        let _ = write!(
            svg,
            "<path d=\"M{middle} {}v36m-18-18h36m-31-13l26 26m0-26l-26 26\" fill=\"none\" \
             stroke=\"{CORNER_INK}\" stroke-width=\"3\" stroke-linecap=\"round\"/>",
            centre - 18
        );
        return;
    };
    if view.is_marked(square, value) {
        let _ = write!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"none\" \
             stroke=\"{MATCH}\" stroke-width=\"4\"/>",
            x + 4,
            y + 4,
            CELL - 8,
            CELL - 8
        );
    }
    let ink = match view.seat_on(square) {
        Some(seat) => {
            draw_piece(svg, seat, (middle, centre), 23);
            "#1d1d1f"
        }
        None => NUMBER,
    };
    if won {
        let _ = write!(
            svg,
            "<circle cx=\"{middle}\" cy=\"{centre}\" r=\"28\" fill=\"none\" stroke=\"{MATCH}\" \
             stroke-width=\"4\"/>"
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" font-size=\"20\" \
         font-weight=\"600\" fill=\"{ink}\">{value}</text>",
        centre + 7
    );
}

fn draw_piece(svg: &mut String, seat: Seat, (x, y): (usize, usize), radius: usize) {
    let (fill, rim) = SEATS[usize::from(seat) % SEATS.len()];
    let _ = write!(
        svg,
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{rim}\" \
         stroke-width=\"3\"/>"
    );
}

/// Beside the board: the dice, what they give, and a line for each seat.
fn draw_panel(svg: &mut String, view: &View) {
    let left = MARGIN + SIDE * CELL + 26;
    if let Some(roll) = view.shown_roll() {
        let faded = if view.roll.is_none() { 0.45 } else { 1.0 };
        let _ = write!(svg, "<g opacity=\"{faded}\">");
        for (at, die) in roll.into_iter().enumerate() {
            draw_die(svg, die, (left + at * (DIE + 14), TOP));
        }
        let [sum, difference, product] = results(roll);
        let _ = write!(
            svg,
            "<text x=\"{left}\" y=\"{}\" font-size=\"17\" fill=\"{INK}\">\
             + {sum}   − {difference}   × {product}</text></g>",
            TOP + DIE + 28
        );
    }
    for (seat, (&hand, &lost)) in view.hands.iter().zip(&view.lost).enumerate() {
        let y = TOP + DIE + 66 + seat * 44;
        if view.to_move == Some(seat as Seat) {
            let _ = write!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"40\" rx=\"8\" fill=\"{INK}\" \
                 fill-opacity=\"0.12\"/>",
                left - 8,
                y - 20,
                PANEL - 30
            );
        }
        draw_piece(svg, seat as Seat, (left + 12, y), 11);
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\" fill=\"{INK}\">seat {seat}</text>",
            left + 32,
            y + 5
        );
        for piece in 0..usize::from(hand).min(PIECES as usize) {
            draw_piece(svg, seat as Seat, (left + 94 + piece * 20, y), 7);
        }
        if hand == 0 && lost > 0 {
            let _ = write!(
                svg,
                "<text x=\"{}\" y=\"{}\" fill=\"{FAINT}\">lost {lost}</text>",
                left + 88,
                y + 5
            );
        }
    }
    if view.hands.len() > 2 {
        let way = match view.order {
            Order::Ascending => "↓ ascending",
            Order::Descending => "↑ descending",
        };
        let _ = write!(
            svg,
            "<text x=\"{left}\" y=\"{}\" fill=\"{FAINT}\">{way}</text>",
            TOP + SIDE * CELL - 6
        );
    }
}

fn draw_die(svg: &mut String, shows: u8, (x, y): (usize, usize)) {
    let _ = write!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{DIE}\" height=\"{DIE}\" rx=\"9\" fill=\"{DIE_FACE}\"/>"
    );
    // Columns and rows of the pips, from 0 to 2.
    let pips: &[(usize, usize)] = match shows {
        1 => &[(1, 1)],
        2 => &[(0, 0), (2, 2)],
        3 => &[(0, 0), (1, 1), (2, 2)],
        4 => &[(0, 0), (0, 2), (2, 0), (2, 2)],
        5 => &[(0, 0), (0, 2), (1, 1), (2, 0), (2, 2)],
        _ => &[(0, 0), (0, 1), (0, 2), (2, 0), (2, 1), (2, 2)],
    };
    for (column, row) in pips {
        let _ = write!(
            svg,
            "<circle cx=\"{}\" cy=\"{}\" r=\"4.5\" fill=\"#222226\"/>",
            x + 11 + 13 * column,
            y + 11 + 13 * row
        );
    }
}

/// The title and the turn above, whose turn it is or who won below.
fn draw_words(svg: &mut String, view: &View) {
    let right = MARGIN + SIDE * CELL;
    let _ = write!(
        svg,
        "<g fill=\"{FAINT}\"><text x=\"{MARGIN}\" y=\"30\">{}</text>\
         <text x=\"{right}\" y=\"30\" text-anchor=\"end\">turn {}</text></g>",
        Flip4::INFO.title,
        view.turns
    );
    let foot = TOP + SIDE * CELL + 34;
    let winner = view
        .over
        .as_ref()
        .and_then(|over| over.points.iter().position(|&points| points > 0));
    let mut x = MARGIN;
    if let Some(seat) = winner.or(view.to_move.map(usize::from)) {
        draw_piece(svg, seat as Seat, (x + 9, foot - 5), 8);
        x += 28;
    }
    let _ = write!(
        svg,
        "<text x=\"{x}\" y=\"{foot}\" fill=\"{INK}\" font-size=\"16\" font-weight=\"600\">{}</text>",
        view.caption()
    );
}
