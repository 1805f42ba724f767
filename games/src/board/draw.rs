//! Boards drawn for people: as text for a terminal, and as SVG for a page.

use std::fmt::Write as _;

use super::{Rows, Square, Squares};
use crate::Seat;
use crate::course::Standing;
use crate::paint::{self, FAINT, FRAME, INK, PLAIN};

/// Everything that a drawing of a board shows.
pub(crate) struct Picture<'a, const N: usize> {
    pub(crate) title: &'static str,
    /// What each seat plays with.
    pub(crate) sides: [Side; 2],
    /// What the letters and marks of the text mean, in one line.
    pub(crate) legend: &'static str,
    pub(crate) board: &'a Rows<N>,
    /// The piece that a letter of the board means.
    pub(crate) piece: fn(u8) -> Option<Piece>,
    pub(crate) ground: fn(Square<N>) -> Ground,
    /// How many pieces each seat has yet to put, in games with hands.
    pub(crate) hands: Option<[u8; 2]>,
    pub(crate) standing: Standing,
}

/// A piece as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) seat: Seat,
    pub(crate) cross: Cross,
}

/// What is on a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cross {
    None,
    Straight,
    Diagonal,
}

/// What a square looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ground {
    Plain,
    Goal,
    Blue,
    White,
    /// Half blue, half white.
    Neutral,
}

/// The colour of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    White,
    Black,
    Blue,
}

/// The pieces in hand that are drawn at most.
const MOST_IN_HAND: u8 = 12;

// Lengths of the SVG.
const CELL: usize = 64;
const MARGIN: usize = 30;
const HEAD: usize = 8;
const TRAY: usize = 34;
const FOOT: usize = 34;

// Colours of the SVG.
const GOAL: &str = "#f0c869";
const GOAL_RING: &str = "#c8922a";
const BLUE: &str = "#86b1dc";
const WHITE: &str = "#f3eee2";

impl<const N: usize> Picture<'_, N> {
    /// For a terminal: a headline, the board, what is in hand, the legend.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}\n\n", self.headline());
        for rank in (0..N as i8).rev() {
            let _ = write!(text, "  {} ", rank + 1);
            for square in Squares::rank(rank as usize) {
                let letter = self.board.at(square) as char;
                let (open, empty, close) = (self.ground)(square).around();
                let letter = if letter == '.' { empty } else { letter };
                let _ = write!(text, " {open}{letter}{close}");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text.push_str("    ");
        for file in files(N) {
            let _ = write!(text, "  {file} ");
        }
        text.truncate(text.trim_end().len());
        text.push_str("\n\n");
        if let Some([first, second]) = self.hands {
            let [one, other] = self.sides.map(Side::name);
            let _ = writeln!(text, "in hand: {one} {first}, {other} {second}");
        }
        let _ = writeln!(text, "{}", self.legend);
        text
    }

    /// For a page: one `<svg>` element.
    pub(crate) fn svg(&self) -> String {
        let tray = if self.hands.is_some() { TRAY } else { 0 };
        let (width, top) = (2 * MARGIN + N * CELL, HEAD + MARGIN + tray);
        let bottom = top + N * CELL;
        let height = bottom + MARGIN + tray + FOOT;
        let mut svg = paint::open(&self.headline(), width, height);
        for square in Square::all() {
            let (x, y) = (
                corner(square.file()),
                bottom - corner(square.rank()) + MARGIN - CELL,
            );
            self.draw_ground(&mut svg, square, x, y);
        }
        for square in Square::all() {
            let (x, y) = (
                corner(square.file()),
                bottom - corner(square.rank()) + MARGIN - CELL,
            );
            if let Some(Piece { seat, cross }) = (self.piece)(self.board.at(square)) {
                let side = self.sides[usize::from(seat)];
                draw_piece(
                    &mut svg,
                    side,
                    cross,
                    (x + CELL / 2, y + CELL / 2),
                    CELL * 3 / 8,
                );
            }
        }
        draw_coordinates(&mut svg, N, bottom);
        if let Some(hands) = self.hands {
            self.draw_hand(&mut svg, 0, hands[0], bottom + MARGIN + TRAY / 2 - 2);
            self.draw_hand(&mut svg, 1, hands[1], top - TRAY / 2 - 2);
        }
        self.draw_words(&mut svg, width, height - FOOT / 2 - 2);
        svg.push_str("</svg>");
        svg
    }

    fn headline(&self) -> String {
        let Picture {
            title,
            standing,
            sides,
            ..
        } = self;
        let mut headline = format!(
            "{title}, ply {}: {}",
            standing.ply,
            standing.caption(*sides)
        );
        if standing.repetitions > 1 && standing.over.is_none() {
            let _ = write!(
                headline,
                " (this position for the {} time)",
                nth(standing.repetitions)
            );
        }
        headline
    }

    fn draw_ground(&self, svg: &mut String, square: Square<N>, x: usize, y: usize) {
        let fill = match (self.ground)(square) {
            Ground::Plain => PLAIN[(square.file() + square.rank()) as usize % 2],
            Ground::Goal => GOAL,
            Ground::Blue | Ground::Neutral => BLUE,
            Ground::White => WHITE,
        };
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" \
             fill=\"{fill}\" stroke=\"{FRAME}\" stroke-opacity=\"0.35\"/>"
        );
        let (middle, centre) = (x + CELL / 2, y + CELL / 2);
        match (self.ground)(square) {
            Ground::Goal => {
                let _ = write!(
                    svg,
                    "<circle cx=\"{middle}\" cy=\"{centre}\" r=\"28\" fill=\"none\" \
                     stroke=\"{GOAL_RING}\" stroke-width=\"3\"/>\
                     <circle cx=\"{middle}\" cy=\"{centre}\" r=\"6\" fill=\"{GOAL_RING}\"/>"
                );
            }
            Ground::Neutral => {
                let _ = write!(
                    svg,
                    "<path d=\"M{x} {y}h{CELL}l-{CELL} {CELL}z\" fill=\"{WHITE}\"/>"
                );
            }
            Ground::Plain | Ground::Blue | Ground::White => {}
        }
    }

    /// The pieces that a seat has yet to put, in a row.
    fn draw_hand(&self, svg: &mut String, seat: usize, count: u8, y: usize) {
        for at in 0..count.min(MOST_IN_HAND) {
            let centre = (MARGIN + 12 + 26 * usize::from(at), y);
            draw_piece(svg, self.sides[seat], Cross::None, centre, 10);
        }
    }

    /// The title and the ply above, whose turn it is or who won below.
    fn draw_words(&self, svg: &mut String, width: usize, foot: usize) {
        let Standing {
            to_move, ply, over, ..
        } = self.standing;
        let (head, right) = (HEAD + 18, width - MARGIN);
        let _ = write!(
            svg,
            "<g fill=\"{FAINT}\"><text x=\"{MARGIN}\" y=\"{head}\">{}</text>\
             <text x=\"{right}\" y=\"{head}\" text-anchor=\"end\">ply {ply}</text></g>",
            self.title
        );
        let about = over.map_or(to_move, |over| over.winner);
        let mut x = MARGIN;
        if let Some(&side) = about.and_then(|seat| self.sides.get(usize::from(seat))) {
            draw_piece(svg, side, Cross::None, (x + 9, foot - 5), 8);
            x += 26;
        }
        let caption = self.standing.caption(self.sides);
        let _ = write!(
            svg,
            "<text x=\"{x}\" y=\"{foot}\" fill=\"{INK}\" font-weight=\"600\">{caption}</text>"
        );
    }
}

impl Ground {
    /// What stands before a piece, in its place if there is none, and after it.
    fn around(self) -> (char, char, char) {
        match self {
            Ground::Plain | Ground::Neutral => (' ', '.', ' '),
            Ground::Goal | Ground::White => ('[', ' ', ']'),
            Ground::Blue => ('(', ' ', ')'),
        }
    }
}

impl Side {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Side::White => "White",
            Side::Black => "Black",
            Side::Blue => "Blue",
        }
    }

    /// Fill and rim of a piece, and its cross by direction.
    const fn colours(self) -> (&'static str, &'static str, [&'static str; 2]) {
        match self {
            Side::White => ("#fffdf8", "#8a8477", ["#1f6f8b", "#c04f2a"]),
            Side::Black => ("#222226", "#737a84", ["#7fd0e6", "#ffa679"]),
            Side::Blue => ("#1f5aa6", "#123a70", ["#ffffff", "#ffffff"]),
        }
    }
}

fn draw_piece(svg: &mut String, side: Side, cross: Cross, (x, y): (usize, usize), radius: usize) {
    let (fill, rim, [straight, diagonal]) = side.colours();
    let _ = write!(
        svg,
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{rim}\" \
         stroke-width=\"2\"/>"
    );
    let (colour, path) = match cross {
        Cross::None => return,
        Cross::Straight => (straight, "m-14 0h28m-14-14v28"),
        Cross::Diagonal => (diagonal, "m-10-10l20 20m0-20l-20 20"),
    };
    let _ = write!(
        svg,
        "<path d=\"M{x} {y}{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"7\" \
         stroke-linecap=\"round\"/>"
    );
}

fn draw_coordinates(svg: &mut String, side: usize, bottom: usize) {
    let _ = write!(svg, "<g fill=\"{FAINT}\" text-anchor=\"middle\">");
    for (at, file) in files(side).enumerate() {
        let middle = MARGIN + at * CELL + CELL / 2;
        let _ = write!(
            svg,
            "<text x=\"{middle}\" y=\"{}\">{file}</text>",
            bottom + 20
        );
        let centre = bottom - at * CELL - CELL / 2 + 5;
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{centre}\">{}</text>",
            MARGIN / 2,
            at + 1
        );
    }
    svg.push_str("</g>");
}

/// Where a file or rank begins.
fn corner(line: i8) -> usize {
    MARGIN + line as usize * CELL
}

fn files(side: usize) -> impl Iterator<Item = char> {
    ('a'..).take(side)
}

fn nth(count: u32) -> String {
    match count {
        2 => "second".into(),
        3 => "third".into(),
        count => format!("{count}th"),
    }
}
