//! The board as SVG for a page.

use std::fmt::Write as _;

use cozy_chess::{Color, File, Piece, Rank, Square};

use crate::text::caption;
use crate::view::ChessView;

// Lengths of the drawing.
const CELL: usize = 45;
const MARGIN: usize = 24;
const FOOT: usize = 28;
const WIDTH: usize = 2 * MARGIN + 8 * CELL;
const HEIGHT: usize = WIDTH + FOOT;

const FRAME: &str = "#2e3842";
const INK: &str = "#e8e4da";
const FAINT: &str = "#a9b0b6";
const DARK: &str = "#a88462";
const LIGHT: &str = "#ead9bb";
/// Laid over the squares of the last move.
const LAST: &str = "#f0e442";
/// Laid over a king in check.
const CHECK: &str = "#d55e00";

/// The outline of each piece around the middle of its square.
const SHAPES: [&str; 6] = [
    "M0-14A6 6 0 0 1 4-3.5C5 3 9 5 9 12L11 12V16H-11V12L-9 12C-9 5-5 3-4-3.5A6 6 0 0 1 0-14z",
    "M-9 16C-9 7 0 4 0-2C-3 1-5 1-7 3L-11 1C-10-4-7-6-5-11L-5-16L0-12C8-11 12-2 10 16z",
    "M0-18A2.5 2.5 0 0 1 2-13.5C8-9 8-1 4 5L5 9C8 11 11 10 11 16H-11C-11 10-8 11-5 9L-4 5C-8-1-8-9-2-13.5A2.5 2.5 0 0 1 0-18zM-3-4H3M0-7V-1",
    "M-11-14H-6V-11H-3V-14H3V-11H6V-14H11V-7L7-4V7L11 11V16H-11V11L-7 7V-4L-11-7z",
    "M-14-10L-9-1L-7-14L-2-2L0-16L2-2L7-14L9-1L14-10L9 8L11 16H-11L-9 8z",
    "M-1.5-19H1.5V-16.5H4V-13.5H1.5V-9C5-12 13-10 13-3C13 2 8 4 8 8L10 16H-10L-8 8C-8 4-13 2-13-3C-13-10-5-12-1.5-9V-13.5H-4V-16.5H-1.5z",
];

/// Draws a view as one `<svg>` element.
pub(crate) fn svg(view: &ChessView) -> String {
    let words = caption(view);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\"><title>Chess, {words}</title>\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"10\" fill=\"{FRAME}\"/>"
    );
    for square in Square::ALL {
        let is_dark = (square.file() as usize + square.rank() as usize) % 2 == 0;
        cover(&mut svg, square, if is_dark { DARK } else { LIGHT }, "1");
        mark(&mut svg, square);
    }
    for square in view.last.iter().flat_map(|last| last.squares()) {
        cover(&mut svg, square, LAST, "0.45");
    }
    let board = &view.fen.0;
    if view.check {
        cover(&mut svg, board.king(board.side_to_move()), CHECK, "0.7");
    }
    for color in Color::ALL {
        for square in board.colors(color) {
            let piece = board.piece_on(square).expect("it is occupied");
            draw_piece(&mut svg, color, piece, square);
        }
    }
    draw_names(&mut svg);
    let (x, y) = (MARGIN, HEIGHT - FOOT / 2 + 2);
    let _ = write!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" fill=\"{INK}\" font-size=\"14\" font-weight=\"600\">{words}</text></svg>"
    );
    svg
}

fn cover(svg: &mut String, square: Square, fill: &str, opacity: &str) {
    let (x, y) = corner(square);
    let _ = write!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\" opacity=\"{opacity}\"/>"
    );
}

/// Marks a square as something that a person can point at.
fn mark(svg: &mut String, square: Square) {
    let (x, y) = corner(square);
    let _ = write!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"none\" data-mark=\"{square}\"/>"
    );
}

/// Draws a piece as a part that may move: a replay lets it glide to where the next drawing has it.
fn draw_piece(svg: &mut String, color: Color, piece: Piece, square: Square) {
    let (x, y) = corner(square);
    let (x, y) = (x + CELL / 2, y + CELL / 2);
    let (fill, rim) = match color {
        Color::White => ("#fffdf8", "#3a342c"),
        Color::Black => ("#26262b", "#d8d2c4"),
    };
    let (shape, size) = (SHAPES[piece as usize], CELL / 2);
    let _ = write!(
        svg,
        "<g transform=\"translate({x} {y})\" class=\"mv\" data-kind=\"{color}{piece}\" data-face=\"\" data-size=\"{size}\">\
         <path d=\"{shape}\" fill=\"{fill}\" stroke=\"{rim}\" stroke-width=\"1.3\" stroke-linejoin=\"round\"/></g>"
    );
}

/// Writes the names of the files and ranks.
fn draw_names(svg: &mut String) {
    let _ = write!(svg, "<g fill=\"{FAINT}\" text-anchor=\"middle\">");
    for file in File::ALL {
        let (x, _) = corner(Square::new(file, Rank::First));
        let (x, y) = (x + CELL / 2, MARGIN + 8 * CELL + 16);
        let _ = write!(svg, "<text x=\"{x}\" y=\"{y}\">{file}</text>");
    }
    for rank in Rank::ALL {
        let (_, y) = corner(Square::new(File::A, rank));
        let (x, y) = (MARGIN / 2, y + CELL / 2 + 4);
        let _ = write!(svg, "<text x=\"{x}\" y=\"{y}\">{rank}</text>");
    }
    svg.push_str("</g>");
}

/// The upper left corner of a square.
fn corner(square: Square) -> (usize, usize) {
    let (file, rank) = (square.file() as usize, square.rank() as usize);
    (MARGIN + file * CELL, MARGIN + (7 - rank) * CELL)
}
