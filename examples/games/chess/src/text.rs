//! The board as text for a terminal.

use cozy_chess::{Board, Color, File, Rank, Square};

use crate::position::name;
use crate::view::ChessView;

/// Draws a view as lines.
pub(crate) fn text(view: &ChessView) -> String {
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        text += &format!(" {rank}");
        for file in File::ALL {
            text.push(' ');
            text.push(letter(&view.fen.0, Square::new(file, rank)));
        }
        text.push('\n');
    }
    text += "   a b c d e f g h\n";
    if let Some(last) = view.last {
        text += &format!("last move {last}\n");
    }
    text + &caption(view) + "\n"
}

/// Says whose turn it is, or how the match ended.
pub(crate) fn caption(view: &ChessView) -> String {
    if let Some(over) = view.over {
        let reason = over.reason.name();
        return match over.winner {
            Some(0) => format!("White wins: {reason}"),
            Some(_) => format!("Black wins: {reason}"),
            None => format!("draw: {reason}"),
        };
    }
    let check = if view.check { ", in check" } else { "" };
    let side = name(view.fen.0.side_to_move());
    format!("move {}: {side} to move{check}", view.fullmove)
}

/// The piece on a square, White's in capitals; a dot if it is empty.
fn letter(board: &Board, square: Square) -> char {
    match board.piece_on(square) {
        None => '.',
        Some(piece) if board.color_on(square) == Some(Color::White) => {
            char::from(piece).to_ascii_uppercase()
        }
        Some(piece) => piece.into(),
    }
}
