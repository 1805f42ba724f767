//! Boards drawn as SVG for a page.

use std::fmt::Write as _;

use super::picture::{Cross, Ground, Picture, PictureSide, Piece};
use super::{Square, Squares, files};
use crate::game::SeatLook;
use crate::paint::{self, FAINT, FRAME, INK, PLAIN, tag};
use crate::seats::Seat;
use crate::turn_order::Standing;

/// The maximum number of pieces drawn in a hand.
const MAX_IN_HAND: u8 = 12;

// Lengths of the SVG.
const CELL: usize = 64;
const MARGIN: usize = 30;
const HEAD: usize = 8;
const TRAY: usize = 34;
const FOOT: usize = 34;

// Colours of the SVG.
const GOAL: &str = "#f0c869";
const GOAL_RING: &str = "#c8922a";
const LAST: &str = "#8a63b0";
const LINE: &str = "#ffd76a";
const LINE_RIM: &str = "#b07a00";
const BLUE: &str = "#86b1dc";
const WHITE: &str = "#f3eee2";

impl<const N: usize> Picture<'_, N> {
    /// Draws one `<svg>` element.
    pub(crate) fn svg(&self) -> String {
        let tray = if self.look.has_hands { TRAY } else { 0 };
        let (width, top) = (2 * MARGIN + N * CELL, HEAD + MARGIN + tray);
        let bottom = top + N * CELL;
        let height = bottom + MARGIN + tray + FOOT;
        let mut svg = paint::open_board(&self.headline(), width, height);
        let corner_of = |square: Square<N>| {
            let y = bottom - corner(square.rank()) + MARGIN - CELL;
            (corner(square.file()), y)
        };
        for square in Square::all() {
            let (x, y) = corner_of(square);
            self.draw_ground(&mut svg, square, x, y);
        }
        for square in self.last {
            let (x, y) = corner_of(square);
            tag!(svg, "rect", x, y, width: CELL, height: CELL, fill: LAST, "fill-opacity": "0.42");
        }
        for square in self.lines() {
            let (x, y) = corner_of(square);
            tag!(svg, "rect", x: x + 3, y: y + 3, width: CELL - 6, height: CELL - 6, rx: 8,
                fill: LINE, "fill-opacity": "0.55", stroke: LINE_RIM, "stroke-width": 4);
        }
        for square in Square::all() {
            let (x, y) = corner_of(square);
            if let Some(Piece { seat, cross }) = (self.look.piece)(self.board.at(square)) {
                let at = (x + CELL / 2, y + CELL / 2);
                self.draw_part(&mut svg, seat, cross, at, CELL * 3 / 8);
            }
        }
        draw_coordinates(&mut svg, N, bottom);
        if self.look.has_hands {
            self.draw_hand(&mut svg, 0, bottom + MARGIN + TRAY / 2 - 2);
            self.draw_hand(&mut svg, 1, top - TRAY / 2 - 2);
        }
        self.draw_words(&mut svg, width, height - FOOT / 2 - 2);
        svg.push_str("</svg>");
        svg
    }

    /// Returns the squares of the lines that ended the match.
    fn lines(&self) -> Squares<N> {
        let over = self.standing.over;
        let won = over.and_then(|over| Some((over.winner?, over.reason)));
        won.map_or(Squares::NONE, |(winner, reason)| {
            (self.look.lines)(self.board, winner, reason)
        })
    }

    fn draw_ground(&self, svg: &mut String, square: Square<N>, x: usize, y: usize) {
        let fill = match (self.look.ground)(square) {
            Ground::Plain => PLAIN[(square.file() + square.rank()) as usize % 2],
            Ground::Goal => GOAL,
            Ground::Blue | Ground::Neutral => BLUE,
            Ground::White => WHITE,
        };
        tag!(svg, "rect", x, y, width: CELL, height: CELL, fill, stroke: FRAME,
            "stroke-opacity": "0.35", "data-mark": square);
        let (middle, centre) = (x + CELL / 2, y + CELL / 2);
        match (self.look.ground)(square) {
            Ground::Goal => {
                tag!(svg, "circle", cx: middle, cy: centre, r: 28, fill: "none", stroke: GOAL_RING,
                    "stroke-width": 3);
                tag!(svg, "circle", cx: middle, cy: centre, r: 6, fill: GOAL_RING);
            }
            Ground::Neutral => {
                tag!(svg, "path", d: format_args!("M{x} {y}h{CELL}l-{CELL} {CELL}z"), fill: WHITE);
            }
            Ground::Plain | Ground::Blue | Ground::White => {}
        }
    }

    /// Draws the pieces in a seat's hand in a row.
    fn draw_hand(&self, svg: &mut String, seat: Seat, y: usize) {
        for at in 0..self.hands[usize::from(seat)].min(MAX_IN_HAND) {
            let centre = (MARGIN + 12 + 26 * usize::from(at), y);
            self.draw_part(svg, seat, Cross::None, centre, 10);
        }
    }

    /// Draws a piece that may move.
    fn draw_part(
        &self,
        svg: &mut String,
        seat: Seat,
        cross: Cross,
        at: (usize, usize),
        size: usize,
    ) {
        let face = match cross {
            Cross::None => "",
            Cross::Straight => "straight",
            Cross::Diagonal => "diagonal",
        };
        paint::open_part(svg, seat, face, size, at);
        draw_piece(svg, self.look.sides[usize::from(seat)], cross, size);
        svg.push_str("</g>");
    }

    /// Writes the title and the ply above the board, and the state of the match below it.
    fn draw_words(&self, svg: &mut String, width: usize, foot: usize) {
        let Standing {
            to_move, ply, over, ..
        } = self.standing;
        let (head, right) = (HEAD + 18, width - MARGIN);
        tag!(svg, "g" open, class: paint::STILL, fill: FAINT);
        tag!(svg, "text", x: MARGIN, y: head; self.title);
        tag!(svg, "text", x: right, y: head, "text-anchor": "end"; format_args!("ply {ply}"));
        svg.push_str("</g>");
        let about = over.map_or(to_move, |over| over.winner);
        let mut x = MARGIN;
        if let Some(&side) = about.and_then(|seat| self.look.sides.get(usize::from(seat))) {
            paint::open_at(svg, paint::STILL, (x + 9, foot - 5));
            draw_piece(svg, side, Cross::None, 8);
            svg.push_str("</g>");
            x += 26;
        }
        tag!(svg, "text", class: paint::STILL, x, y: foot, fill: INK, "font-weight": 600;
            self.caption());
    }
}

impl PictureSide {
    pub(crate) const fn look(self) -> SeatLook {
        let (fill, rim, _) = self.colours();
        SeatLook {
            name: Some(self.name()),
            fill,
            rim,
        }
    }

    /// Returns the fill and the rim of a piece, and the colours of its straight and diagonal cross.
    const fn colours(self) -> (&'static str, &'static str, [&'static str; 2]) {
        match self {
            PictureSide::White => ("#fffdf8", "#8a8477", ["#1f6f8b", "#c04f2a"]),
            PictureSide::Black => ("#222226", "#737a84", ["#7fd0e6", "#ffa679"]),
            PictureSide::Blue => ("#1f5aa6", "#123a70", ["#ffffff", "#ffffff"]),
        }
    }
}

/// Draws a piece around the origin.
fn draw_piece(svg: &mut String, side: PictureSide, cross: Cross, radius: usize) {
    let (fill, rim, [straight, diagonal]) = side.colours();
    paint::disc(svg, radius, fill, rim);
    let (colour, path) = match cross {
        Cross::None => return,
        Cross::Straight => (straight, "M-13 0H13M0-13V13"),
        Cross::Diagonal => (diagonal, "M-10-10L10 10M10-10L-10 10"),
    };
    tag!(svg, "path", d: path, fill: "none", stroke: colour, "stroke-width": 7,
        "stroke-linecap": "round");
}

fn draw_coordinates(svg: &mut String, side: usize, bottom: usize) {
    tag!(svg, "g" open, fill: FAINT, "text-anchor": "middle");
    for (at, file) in files(side).enumerate() {
        let middle = MARGIN + at * CELL + CELL / 2;
        tag!(svg, "text", x: middle, y: bottom + 20; file);
        let centre = bottom - at * CELL - CELL / 2 + 5;
        tag!(svg, "text", x: MARGIN / 2, y: centre; at + 1);
    }
    svg.push_str("</g>");
}

/// Returns where a file or rank begins.
fn corner(line: i8) -> usize {
    MARGIN + line as usize * CELL
}
