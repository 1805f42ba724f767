//! Moves as people write them: standard algebraic notation, by FIDE's appendix C and with `+` and `#`.

use cozy_chess::{Board, Move, Piece};

use crate::action::is_castling;

/// Writes a legal move: `Nf3`, `exd5`, `O-O`, `e8=Q+`, `Qh7#`.
pub(crate) fn san(board: &Board, mv: Move) -> String {
    let piece = board.piece_on(mv.from).expect("a legal move has a piece");
    let mut text = if is_castling(board, mv) {
        let is_short = mv.from.file() < mv.to.file();
        (if is_short { "O-O" } else { "O-O-O" }).to_owned()
    } else if piece == Piece::Pawn {
        of_pawn(mv)
    } else {
        let takes = if board.occupied().has(mv.to) { "x" } else { "" };
        let from = origin(board, piece, mv);
        format!("{}{from}{takes}{}", letter(piece), mv.to)
    };
    let mut after = board.clone();
    after.play_unchecked(mv);
    if !after.checkers().is_empty() {
        let has_answer = after.generate_moves(|_| true);
        text.push(if has_answer { '+' } else { '#' });
    }
    text
}

fn of_pawn(mv: Move) -> String {
    // A pawn changes its file only when it takes, also en passant.
    let from = match mv.from.file() == mv.to.file() {
        true => String::new(),
        false => format!("{}x", mv.from.file()),
    };
    let promotion = mv.promotion.map(|piece| format!("={}", letter(piece)));
    format!("{from}{}{}", mv.to, promotion.unwrap_or_default())
}

/// What tells a piece from others of its kind that may go to the same square: its file, else its rank, else both.
fn origin(board: &Board, piece: Piece, mv: Move) -> String {
    let mut rivals = Vec::new();
    let own = board.colored_pieces(board.side_to_move(), piece);
    board.generate_moves_for(own, |moves| {
        if moves.from != mv.from && moves.to.has(mv.to) {
            rivals.push(moves.from);
        }
        false
    });
    let (file, rank) = (mv.from.file(), mv.from.rank());
    if rivals.is_empty() {
        String::new()
    } else if rivals.iter().all(|rival| rival.file() != file) {
        file.to_string()
    } else if rivals.iter().all(|rival| rival.rank() != rank) {
        rank.to_string()
    } else {
        mv.from.to_string()
    }
}

fn letter(piece: Piece) -> char {
    char::from(piece).to_ascii_uppercase()
}
