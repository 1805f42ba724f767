//! A position as FEN writes it. What is no position is refused in words.

use std::fmt;
use std::str::FromStr;

use cozy_chess::{Board, Color, FenParseError, File, Piece, Rank, Square, get_king_moves};
use flipside_games::ParseError;

/// A legal position, with its two counts of moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position(pub(crate) Board);

impl FromStr for Position {
    type Err = ParseError;

    fn from_str(fen: &str) -> Result<Self, ParseError> {
        read(fen).map(Position).map_err(ParseError)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

fn read(fen: &str) -> Result<Board, String> {
    let fields: Vec<&str> = fen.split_whitespace().collect();
    let &[placement, side, castling, passed, halfmove, fullmove] = &fields[..] else {
        let count = fields.len();
        return Err(format!(
            "a FEN has six fields (pieces, side to move, castling, en passant, two counts), and this one {count}"
        ));
    };
    check_rows(placement)?;
    if !["w", "b"].contains(&side) {
        return Err(format!("the side to move is w or b, not {}", cut(side)));
    }
    let read = Board::from_fen(&fields.join(" "), false);
    let board = read.map_err(|error| match error {
        FenParseError::InvalidBoard => why_no_board(placement),
        FenParseError::InvalidCastlingRights => {
            let castling = cut(castling);
            format!("castling {castling} is none of KQkq, or its king or its rook has moved")
        }
        FenParseError::InvalidEnPassant => {
            format!("no pawn can just have passed {}", cut(passed))
        }
        FenParseError::InvalidHalfMoveClock => {
            let halfmove = cut(halfmove);
            format!("the moves of the fifty-move rule are a number from 0 to 100, not {halfmove}")
        }
        FenParseError::InvalidFullmoveNumber => {
            let fullmove = cut(fullmove);
            format!("the number of the move is from 1 to 65535, not {fullmove}")
        }
        // Both were checked above.
        other => other.to_string(),
    })?;
    // `cozy-chess` knows nothing of checks by kings.
    if get_king_moves(board.king(Color::White)).has(board.king(Color::Black)) {
        return Err("the kings are next to each other".into());
    }
    for color in Color::ALL {
        let rights = board.castle_rights(color);
        let home = Square::new(File::E, Rank::First.relative_to(color));
        // `cozy-chess` also knows Chess960, where a king may stand elsewhere.
        if (rights.short.is_some() || rights.long.is_some()) && board.king(color) != home {
            return Err(format!(
                "{} cannot castle: its king is not on {home}",
                name(color)
            ));
        }
    }
    Ok(board)
}

/// Checks that there are eight rows of eight squares.
fn check_rows(placement: &str) -> Result<(), String> {
    let rows: Vec<&str> = placement.split('/').collect();
    if rows.len() != 8 {
        let count = rows.len();
        return Err(format!("the board has {count} rows instead of 8"));
    }
    for (row, rank) in rows.into_iter().zip((1..=8).rev()) {
        let mut squares = 0;
        for letter in row.chars() {
            squares += match letter {
                '1'..='8' => letter as u32 - '0' as u32,
                _ if "pnbrqkPNBRQK".contains(letter) => 1,
                _ => return Err(format!("{letter:?} in row {rank} is no piece")),
            };
        }
        if squares != 8 {
            return Err(format!("row {rank} has {squares} squares instead of 8"));
        }
    }
    Ok(())
}

/// Says why pieces on eight rows are no legal position.
fn why_no_board(placement: &str) -> String {
    for (color, is_own) in [
        (Color::White, char::is_ascii_uppercase as fn(&char) -> bool),
        (Color::Black, char::is_ascii_lowercase),
    ] {
        let name = name(color);
        let count = |piece: Option<Piece>| {
            let letters = placement.chars().filter(is_own);
            let kinds = letters.map(|letter| letter.to_ascii_lowercase());
            let counted = |kind: &char| piece.is_none_or(|piece| *kind == char::from(piece));
            kinds.filter(counted).count()
        };
        let (kings, pawns, all) = (
            count(Some(Piece::King)),
            count(Some(Piece::Pawn)),
            count(None),
        );
        if kings != 1 {
            return format!("{name} has {kings} kings instead of one");
        }
        if pawns > 8 {
            return format!("{name} has {pawns} pawns, and there are at most 8");
        }
        if all > 16 {
            return format!("{name} has {all} pieces, and there are at most 16");
        }
    }
    let mut rows = placement.split('/');
    let edges = [rows.next(), rows.next_back()];
    if edges
        .into_iter()
        .flatten()
        .any(|row| row.contains(['p', 'P']))
    {
        return "a pawn is on the first or the last rank".into();
    }
    "the side that has just moved is in check, or three pieces give check".into()
}

pub(crate) fn name(color: Color) -> &'static str {
    ["White", "Black"][color as usize]
}

/// A text that is not longer than a message bears, in quotes.
fn cut(text: &str) -> String {
    format!("{:?}", text.chars().take(16).collect::<String>())
}
