//! Positions that a match may start from, and those that it may not.

use super::game;

/// The options of a match, or why they are refused.
fn set_up(fen: &str) -> Result<String, String> {
    let options = serde_json::json!({ "fen": fen }).to_string();
    let setup = game().set_up(&options, 2);
    setup
        .map(|setup| setup.options)
        .map_err(|error| error.to_string())
}

#[test]
fn positions_are_written_as_they_were_read() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
        "8/8/4k3/8/8/3QK3/8/8 b - - 99 65535",
    ] {
        assert_eq!(set_up(fen).unwrap(), format!("{{\"fen\":{fen:?}}}"));
    }
    // In the canonical form.
    let other = set_up(" rnbqkbnr/pppppppp/44/8/8/8/PPPPPPPP/RNBQKBNR  w qkQK - 0 1\n");
    assert_eq!(
        other,
        set_up("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    );
}

#[test]
fn what_is_no_legal_position_is_refused_in_words() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let with = |rest: &str| format!("{start} {rest}");
    let on_board = |board: &str| format!("{board} w - - 0 1");
    for (fen, why) in [
        (
            String::new(),
            "a FEN has six fields (pieces, side to move, castling, en passant, two counts), and this one 0",
        ),
        (
            with("w KQkq -"),
            "a FEN has six fields (pieces, side to move, castling, en passant, two counts), and this one 4",
        ),
        (
            with("w KQkq - 0 1 0"),
            "a FEN has six fields (pieces, side to move, castling, en passant, two counts), and this one 7",
        ),
        (
            with("x KQkq - 0 1"),
            "the side to move is w or b, not \"x\"",
        ),
        (
            with("w KQkx - 0 1"),
            "castling \"KQkx\" is none of KQkq, or its king or its rook has moved",
        ),
        (
            with("w HAha - 0 1"),
            "castling \"HAha\" is none of KQkq, or its king or its rook has moved",
        ),
        (
            with("w KK - 0 1"),
            "castling \"KK\" is none of KQkq, or its king or its rook has moved",
        ),
        (with("w KQkq e3 0 1"), "no pawn can just have passed \"e3\""),
        (with("w KQkq e6 0 1"), "no pawn can just have passed \"e6\""),
        (with("w KQkq x 0 1"), "no pawn can just have passed \"x\""),
        (
            with("w KQkq - -1 1"),
            "the moves of the fifty-move rule are a number from 0 to 100, not \"-1\"",
        ),
        (
            with("w KQkq - 101 1"),
            "the moves of the fifty-move rule are a number from 0 to 100, not \"101\"",
        ),
        (
            with("w KQkq - 0 0"),
            "the number of the move is from 1 to 65535, not \"0\"",
        ),
        (
            with("w KQkq - 0 99999999999999999999"),
            "the number of the move is from 1 to 65535, not \"9999999999999999\"",
        ),
        (on_board("4k3/4K3"), "the board has 2 rows instead of 8"),
        (
            on_board("8/4k3/8/8/8/8/8/4K3/8"),
            "the board has 9 rows instead of 8",
        ),
        (on_board("4k3/8/8/8/8/9/8/4K3"), "'9' in row 3 is no piece"),
        (
            on_board("4k3/8/8/8/8/xé6/8/4K3"),
            "'x' in row 3 is no piece",
        ),
        (
            on_board("4k3/8/8/8/8/8/8/4K4"),
            "row 1 has 9 squares instead of 8",
        ),
        (
            on_board("4k3/8/8/8/pp/8/8/4K3"),
            "row 4 has 2 squares instead of 8",
        ),
        (
            on_board("4k3/8/8/8/8/8/8/8"),
            "White has 0 kings instead of one",
        ),
        (
            on_board("4k1k1/8/8/8/8/8/8/4K3"),
            "Black has 2 kings instead of one",
        ),
        (
            on_board("4k3/8/8/8/8/P7/PPPPPPPP/4K3"),
            "White has 9 pawns, and there are at most 8",
        ),
        (
            on_board("4k3/8/8/8/8/RR6/RRRRRRRR/RRRRKRRR"),
            "White has 18 pieces, and there are at most 16",
        ),
        (
            on_board("4k2p/8/8/8/8/8/8/4K3"),
            "a pawn is on the first or the last rank",
        ),
        (
            on_board("4k3/8/8/8/8/8/8/P3K3"),
            "a pawn is on the first or the last rank",
        ),
        (
            on_board("4k3/8/8/8/8/8/8/4R1K1"),
            "the side that has just moved is in check, or three pieces give check",
        ),
        (
            on_board("4kK2/8/8/8/8/8/8/8"),
            "the kings are next to each other",
        ),
        (
            on_board("4r2k/8/8/8/7b/3n4/8/4K3"),
            "the side that has just moved is in check, or three pieces give check",
        ),
        (
            "4k2r/8/8/8/8/8/8/3K3R w K - 0 1".into(),
            "White cannot castle: its king is not on e1",
        ),
        (
            "4k3/8/8/8/8/8/8/4K1R1 w K - 0 1".into(),
            "castling \"K\" is none of KQkq, or its king or its rook has moved",
        ),
        // The match would be over before it begins.
        (
            on_board("R6k/6pp/8/8/8/8/8/K7").replace(" w ", " b "),
            "in this position the match is over: checkmate",
        ),
        (
            on_board("7k/5Q2/6K1/8/8/8/8/8").replace(" w ", " b "),
            "in this position the match is over: stalemate",
        ),
        (
            on_board("4k3/8/8/8/8/8/8/4K3"),
            "in this position the match is over: material",
        ),
        (
            with("w KQkq - 100 60"),
            "in this position the match is over: fifty-moves",
        ),
    ] {
        assert_eq!(
            set_up(&fen).unwrap_err(),
            format!("option fen: {why}"),
            "{fen}"
        );
    }
}
