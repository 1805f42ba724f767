//! Each rule that ends a match, and what comes close to it.

use flipside_games::{SeatTurn, Table, Viewer};

use super::{play, table};

/// The reason and the points after moves; nothing while the match goes on.
fn end(fen: Option<&str>, moves: &str) -> Option<(&'static str, [i32; 2])> {
    let mut table = table(fen);
    play(&mut *table, moves);
    match table.turn() {
        SeatTurn::Over(outcome) => Some((outcome.reason, [outcome.points[0], outcome.points[1]])),
        _ => None,
    }
}

fn view(table: &dyn Table) -> serde_json::Value {
    let mut json = Vec::new();
    table.write_view(Viewer::Public, &mut json);
    serde_json::from_slice(&json).unwrap()
}

const DRAW: [i32; 2] = [0, 0];

#[test]
fn checkmate_wins() {
    let fools = "f2f3 e7e5 g2g4 d8h4";
    assert_eq!(end(None, fools), Some(("checkmate", [0, 1])));
    let scholars = "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7";
    assert_eq!(end(None, scholars), Some(("checkmate", [1, 0])));
}

#[test]
fn stalemate_is_a_draw() {
    let fen = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1";
    assert_eq!(end(Some(fen), "g6f7"), Some(("stalemate", DRAW)));
    assert_eq!(end(Some(fen), "g6g7"), Some(("checkmate", [1, 0])));
    assert_eq!(end(Some(fen), "g6g5"), None);
}

#[test]
fn the_third_occurrence_is_a_draw_and_the_start_counts() {
    let round = "g1f3 g8f6 f3g1 f6g8 ";
    assert_eq!(end(None, round), None);
    let twice = round.repeat(2);
    assert_eq!(end(None, twice.trim_end()), Some(("repetition", DRAW)));
    assert_eq!(
        end(None, twice.trim_end().strip_suffix("f6g8").unwrap()),
        None
    );
}

#[test]
fn positions_with_other_rights_to_castle_are_others() {
    let fen = "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1";
    // White loses its right with the first move, so the position at the start never recurs.
    let round = "h1h2 e8e7 h2h1 e7e8 ";
    assert_eq!(end(Some(fen), &round.repeat(2)), None);
    let third = round.repeat(2) + "h1h2 e8e7";
    assert_eq!(end(Some(fen), &third), Some(("repetition", DRAW)));
}

#[test]
fn a_pawn_that_no_move_takes_en_passant_makes_no_difference() {
    let round = "g8f6 f3g1 f6g8 g1f3 ";
    // After 1. Nf3 h6 2. e4 no pawn can take on e3: this is the same position as without the double step.
    let moves = "g1f3 h7h6 e2e4 ".to_owned() + &round.repeat(2);
    assert_eq!(end(None, &moves), Some(("repetition", DRAW)));
    // Here the pawn on d4 could, once.
    let fen = "4k1n1/8/8/8/3p4/5N2/4P3/4K3 w - - 0 1";
    let moves = "e2e4 ".to_owned() + &round.repeat(2);
    assert_eq!(end(Some(fen), &moves), None);
    assert_eq!(
        end(Some(fen), &(moves + "g8f6")),
        Some(("repetition", DRAW))
    );
    // And here it is pinned, so that no legal move takes.
    let fen = "3k2n1/8/8/8/3p4/5N2/4P3/3RK3 w - - 0 1";
    let moves = "e2e4 ".to_owned() + &round.repeat(2);
    assert_eq!(end(Some(fen), &moves), Some(("repetition", DRAW)));
}

#[test]
fn fifty_moves_of_each_side_are_a_draw_and_a_checkmate_comes_first() {
    let fen = |halfmove: u32| format!("7k/8/5K2/8/8/8/8/R7 w - - {halfmove} 80");
    let fifty = Some(("fifty-moves", DRAW));
    assert_eq!(end(Some(&fen(99)), "a1b1"), fifty);
    assert_eq!(end(Some(&fen(98)), "a1b1"), None);
    assert_eq!(end(Some(&fen(98)), "a1b1 h8h7"), fifty);
    let mate = "7k/8/6K1/8/8/8/8/R7 w - - 99 80";
    assert_eq!(end(Some(mate), "a1a8"), Some(("checkmate", [1, 0])));
    // A capture and a move of a pawn begin the count anew.
    let fen = "7k/8/5K2/8/8/8/P7/Rn6 w - - 99 80";
    assert_eq!(end(Some(fen), "a1b1"), None);
    assert_eq!(end(Some(fen), "a2a3"), None);
    assert_eq!(end(Some(fen), "f6f7"), fifty);
}

#[test]
fn too_few_pieces_for_a_checkmate_are_a_draw() {
    let material = Some(("material", DRAW));
    // The king takes the rook on d7; these pieces are left beside the kings.
    for (others, due) in [
        ("8/8", material),
        ("8/5B2", material),
        ("8/5n2", material),
        ("8/1B1B4", material),
        // On dark and on light squares, and one of each side on squares of one colour.
        ("8/2BB4", None),
        ("b7/1B6", material),
        ("8/b1B5", material),
        ("1b6/1B6", None),
        ("8/2NN4", None),
        ("8/1n1N4", None),
        ("8/1n1B4", None),
        ("8/P7", None),
        ("8/R7", None),
        ("8/q7", None),
    ] {
        let fen = format!("4k3/3R4/8/8/8/{others}/6K1 b - - 0 1");
        assert_eq!(end(Some(&fen), "e8d7"), due, "{others}");
    }
}

#[test]
fn the_view_shows_the_match() {
    let mut table = table(None);
    assert_eq!(
        view(&*table),
        serde_json::json!({
            "fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "to_move": 0, "last": null, "check": false, "halfmove": 0, "fullmove": 1, "repetitions": 1,
        })
    );
    play(
        &mut *table,
        "e2e4 f7f6 g1f3 g7g5 d1e2 g8h6 e4e5 h6g8 e5f6 g8h6",
    );
    play(&mut *table, "f6e7");
    assert_eq!(
        table.text(Viewer::Public),
        " 8 r n b q k b . r\n 7 p p p p P . . p\n 6 . . . . . . . n\n 5 . . . . . . p .\n 4 . . . . . . . .\n \
         3 . . . . . N . .\n 2 P P P P Q P P P\n 1 R N B . K B . R\n   a b c d e f g h\nlast move f6e7\nmove 6: Black to move\n"
    );
    play(&mut *table, "h6g8 e7d8n");
    let shown = view(&*table);
    assert_eq!(
        (&shown["check"], &shown["last"]),
        (&true.into(), &"e7d8n".into())
    );
    assert!(
        table
            .text(Viewer::Public)
            .ends_with("move 7: Black to move, in check\n")
    );

    let mut table = super::table(None);
    play(&mut *table, "f2f3 e7e5 g2g4 d8h4");
    let shown = view(&*table);
    assert_eq!(
        shown["over"],
        serde_json::json!({ "winner": 1, "reason": "checkmate" })
    );
    assert_eq!(shown["to_move"], serde_json::Value::Null);
    assert!(
        table
            .text(Viewer::Open)
            .ends_with("Black wins: checkmate\n")
    );
}

#[test]
fn what_is_not_legal_is_refused_in_words() {
    for (fen, action, why) in [
        (None, "e3e4", "there is no piece on e3"),
        (None, "e7e5", "the piece on e7 is your opponent's"),
        (None, "e1e2", "your own piece is on e2"),
        (None, "e2e2", "your own piece is on e2"),
        (None, "a1a3", "the rook on a1 does not reach a3"),
        (None, "e2d3", "the pawn on e2 does not reach d3"),
        (None, "e1g1", "you may not castle here now"),
        (
            None,
            "e2e4q",
            "only a pawn on the last rank becomes another piece",
        ),
        (
            Some("4k3/P7/8/8/8/8/8/4K3 w - - 0 1"),
            "a7a8",
            "the pawn becomes another piece on a8: add q, r, b or n",
        ),
        (
            Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
            "e1h1",
            "castling is written as the move of the king, such as e1g1",
        ),
        (
            Some("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1"),
            "e1g1",
            "you may not castle here now",
        ),
        (
            Some("4k3/8/8/8/8/8/r7/4K2R w K - 0 1"),
            "e1e2",
            "your king would be in check",
        ),
        (
            Some("4r2k/8/8/8/8/8/4N3/4K3 w - - 0 1"),
            "e2c3",
            "your king would be in check",
        ),
        (None, "e9e5", "\"e9e5\" is not like e2e4, e7e8q or e1g1"),
        (None, "Nf3", "\"Nf3\" is not like e2e4, e7e8q or e1g1"),
        (None, "e7e8k", "\"e7e8k\" is not like e2e4, e7e8q or e1g1"),
    ] {
        let refused = table(fen).check(0, action).unwrap_err();
        assert_eq!(refused.to_string(), why, "{action}");
    }
}
