//! How a match of chess ends, by the Laws of Chess of FIDE. Threefold repetition and fifty moves need no claim.

use cozy_chess::{BitBoard, Board, Color, Piece};
use flipside_games::{Outcome, Seat, SeatTurn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A position that occurs this many times is a draw.
pub(crate) const REPETITIONS: usize = 3;

/// So many moves of both sides together, without a capture and a move of a pawn, are a draw.
const QUIET_PLIES: u8 = 100;

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChessOver {
    /// The seat that won; null in a draw.
    pub winner: Option<Seat>,
    /// By which rule.
    pub reason: ChessReason,
}

/// The rules by which a match ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChessReason {
    /// The side to move is in check and has no move: it lost.
    Checkmate,
    /// The side to move is not in check and has no move.
    Stalemate,
    /// No side has the pieces to give checkmate.
    Material,
    /// A position occurred for the third time.
    Repetition,
    /// Fifty moves of each side without a capture and a move of a pawn.
    FiftyMoves,
}

impl ChessReason {
    /// Returns the name that the rules use.
    pub const fn name(self) -> &'static str {
        match self {
            ChessReason::Checkmate => "checkmate",
            ChessReason::Stalemate => "stalemate",
            ChessReason::Material => "material",
            ChessReason::Repetition => "repetition",
            ChessReason::FiftyMoves => "fifty-moves",
        }
    }
}

impl ChessOver {
    /// Judges a position that has occurred so many times.
    pub(crate) fn judge(board: &Board, repetitions: usize) -> Option<Self> {
        let has_move = board.generate_moves(|_| true);
        let is_check = !board.checkers().is_empty();
        let reason = match (has_move, is_check) {
            (false, true) => ChessReason::Checkmate,
            (false, false) => ChessReason::Stalemate,
            _ if is_dead(board) => ChessReason::Material,
            _ if repetitions >= REPETITIONS => ChessReason::Repetition,
            _ if board.halfmove_clock() >= QUIET_PLIES => ChessReason::FiftyMoves,
            _ => return None,
        };
        let is_won = reason == ChessReason::Checkmate;
        Some(ChessOver {
            winner: is_won.then(|| seat(!board.side_to_move())),
            reason,
        })
    }

    pub(crate) fn turn(self) -> SeatTurn {
        let points = (0..2).map(|seat| i32::from(self.winner == Some(seat)));
        SeatTurn::Over(Outcome {
            points: points.collect(),
            reason: self.reason.name(),
        })
    }
}

/// Whether no sequence of moves leads to a checkmate, as the pieces alone tell: a king and at most one minor piece
/// against a king, or only bishops on squares of one colour.
fn is_dead(board: &Board) -> bool {
    let kings = board.pieces(Piece::King);
    let bishops = board.pieces(Piece::Bishop);
    let minor = bishops | board.pieces(Piece::Knight);
    if board.occupied() != kings | minor {
        return false;
    }
    let is_one_colour = [BitBoard::DARK_SQUARES, BitBoard::LIGHT_SQUARES]
        .into_iter()
        .any(|squares| bishops.is_subset(squares));
    minor.len() <= 1 || minor == bishops && is_one_colour
}

/// The seat of a side: seat 0 is White.
pub(crate) fn seat(color: Color) -> Seat {
    color as Seat
}
