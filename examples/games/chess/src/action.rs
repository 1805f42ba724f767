//! Moves in the notation of UCI: `e2e4`, `e7e8q`, and castling as the move of the king, `e1g1`.

use std::fmt;
use std::str::FromStr;

use cozy_chess::{
    Board, File, Move, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_pawn_quiets, get_rook_moves,
};
use flipside_games::{ActionPath, ParseError};

/// A move as a text, which need not be legal anywhere. Moves are in the byte order of their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChessMove {
    /// The letter of the file, and the digit of the rank.
    from: [u8; 2],
    to: [u8; 2],
    /// The letter of the piece that a pawn becomes.
    promotion: Option<u8>,
}

impl ChessMove {
    /// A regular expression for all moves.
    pub const NOTATION: &'static str = "[a-h][1-8][a-h][1-8][bnqr]?";

    /// Returns the text of a legal move. `cozy-chess` has the king take its own rook to castle.
    pub(crate) fn of(board: &Board, mv: Move) -> Self {
        let to = match is_castling(board, mv) {
            true if mv.from.file() < mv.to.file() => Square::new(File::G, mv.to.rank()),
            true => Square::new(File::C, mv.to.rank()),
            false => mv.to,
        };
        ChessMove {
            from: named(mv.from),
            to: named(to),
            promotion: mv.promotion.map(|piece| char::from(piece) as u8),
        }
    }

    /// Returns how a person points at the move: at both squares, and at the piece that a pawn becomes.
    pub(crate) fn path(self) -> ActionPath {
        let path = ActionPath::on([square(self.from), square(self.to)]);
        match self.promotion {
            None => path,
            Some(b'b') => path.choose("bishop"),
            Some(b'n') => path.choose("knight"),
            Some(b'r') => path.choose("rook"),
            Some(_) => path.choose("queen"),
        }
    }

    /// Returns the legal move that this text means in a position, if there is one.
    pub(crate) fn find(self, board: &Board) -> Option<Move> {
        let mut found = None;
        board.generate_moves_for(square(self.from).bitboard(), |moves| {
            found = { moves }
                .into_iter()
                .find(|&mv| ChessMove::of(board, mv) == self);
            found.is_some()
        });
        found
    }

    /// Returns the squares that it leads from and to.
    pub(crate) fn squares(self) -> [Square; 2] {
        [self.from, self.to].map(square)
    }

    /// Returns why the side to move may not do this, in words for the author of a bot; nothing if it is legal.
    pub(crate) fn why_not(self, board: &Board) -> Option<String> {
        if self.find(board).is_some() {
            return None;
        }
        let [from, to] = self.squares();
        let own = board.colors(board.side_to_move());
        let Some(piece) = board.piece_on(from) else {
            return Some(format!("there is no piece on {from}"));
        };
        let is_king = piece == Piece::King;
        let files = (from.file() as u8).abs_diff(to.file() as u8);
        let is_last_rank = [Rank::First, Rank::Eighth].contains(&to.rank());
        let promotes = piece == Piece::Pawn && is_last_rank;
        Some(if !own.has(from) {
            format!("the piece on {from} is your opponent's")
        } else if is_king && (own & board.pieces(Piece::Rook)).has(to) {
            "castling is written as the move of the king, such as e1g1".into()
        } else if is_king && from.file() == File::E && from.rank() == to.rank() && files == 2 {
            "you may not castle here now".into()
        } else if own.has(to) {
            format!("your own piece is on {to}")
        } else if !reaches(board, piece, from, to) {
            format!("the {} on {from} does not reach {to}", name(piece))
        } else if promotes && self.promotion.is_none() {
            format!("the pawn becomes another piece on {to}: add q, r, b or n")
        } else if !promotes && self.promotion.is_some() {
            "only a pawn on the last rank becomes another piece".into()
        } else {
            "your king would be in check".into()
        })
    }
}

/// Whether a legal move is castling.
pub(crate) fn is_castling(board: &Board, mv: Move) -> bool {
    board.colors(board.side_to_move()).has(mv.to)
}

/// Whether a piece of the side to move goes to a square, whatever becomes of the king. Castling apart.
fn reaches(board: &Board, piece: Piece, from: Square, to: Square) -> bool {
    let (all, color) = (board.occupied(), board.side_to_move());
    let targets = match piece {
        Piece::Knight => get_knight_moves(from),
        Piece::Bishop => get_bishop_moves(from, all),
        Piece::Rook => get_rook_moves(from, all),
        Piece::Queen => get_bishop_moves(from, all) | get_rook_moves(from, all),
        Piece::King => get_king_moves(from),
        Piece::Pawn => {
            let passed = board
                .en_passant()
                .map(|file| Square::new(file, Rank::Sixth.relative_to(color)).bitboard());
            let taken = board.colors(!color) | passed.unwrap_or_default();
            get_pawn_quiets(from, color, all) | get_pawn_attacks(from, color) & taken
        }
    };
    targets.has(to)
}

fn name(piece: Piece) -> &'static str {
    ["pawn", "knight", "bishop", "rook", "queen", "king"][piece as usize]
}

fn named(square: Square) -> [u8; 2] {
    [b'a' + square.file() as u8, b'1' + square.rank() as u8]
}

/// The square with a name that was read.
fn square([file, rank]: [u8; 2]) -> Square {
    Square::new(
        File::index(usize::from(file - b'a')),
        Rank::index(usize::from(rank - b'1')),
    )
}

impl FromStr for ChessMove {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let is_square =
            |[file, rank]: [u8; 2]| (b'a'..=b'h').contains(&file) && (b'1'..=b'8').contains(&rank);
        let (from, to, promotion) = match *text.as_bytes() {
            [a, b, c, d] => ([a, b], [c, d], None),
            [a, b, c, d, piece @ (b'b' | b'n' | b'q' | b'r')] => ([a, b], [c, d], Some(piece)),
            _ => ([0; 2], [0; 2], None),
        };
        if is_square(from) && is_square(to) {
            return Ok(ChessMove {
                from,
                to,
                promotion,
            });
        }
        let start: String = text.chars().take(24).collect();
        Err(ParseError(format!(
            "{start:?} is not like e2e4, e7e8q or e1g1"
        )))
    }
}

impl fmt::Display for ChessMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = self.from.into_iter().chain(self.to).chain(self.promotion);
        letters
            .map(char::from)
            .try_for_each(|letter| write!(f, "{letter}"))
    }
}
