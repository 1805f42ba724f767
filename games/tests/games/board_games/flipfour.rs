//! FlipFour: every ruling of its page, the notation, and what a view must be.

use flipside_games::{FlipFour, Game, Viewer};
use serde_json::{Value, json};

use super::play::{
    PlayMatch, are_limited_to, are_malformed, is_refused_with, resume, squares, start,
    survive_being_written_and_read,
};

/// Goes once around: eight plies after which `+a1 +e5` stands again.
const ROUND: &str = "a1-a3 e5-e3 a3-b4 e3-d2 b4-b2 d2-d4 b2-a1 d4-e5";

/// Places Black's pieces so that its bishops close in White's: all on files and ranks of one kind.
const STUCK: &str = "xa2 +b3 xb1 +c2 xd5 +c4 xe4 +d3";

fn game() -> PlayMatch<FlipFour> {
    start("{}")
}

fn board(game: &PlayMatch<FlipFour>) -> Value {
    game.view()["board"].clone()
}

/// A match in the middle, so many plies old.
fn middle(board: [&str; 5], hands: [u8; 2], ply: u32) -> PlayMatch<FlipFour> {
    let view = json!({
        "board": board, "hands": hands, "to_move": ply % 2, "ply": ply, "repetitions": 1
    });
    resume("{}", &view).expect("a position of the game")
}

#[test]
fn the_board_starts_empty_with_four_pieces_in_each_hand() {
    let view = game().view();
    assert_eq!(
        view["board"],
        json!([".....", ".....", ".....", ".....", "....."])
    );
    assert_eq!(view["hands"], json!([4, 4]));
    assert_eq!(game().mover(), Some(0));
}

#[test]
fn a_piece_is_placed_either_face_up_on_any_empty_square() {
    assert_eq!(game().actions().split(' ').count(), 50);
    let game = game().play("+c3 xa1");
    assert_eq!(
        board(&game),
        json!([".....", ".....", "..R..", ".....", "b...."])
    );
    assert_eq!(game.view()["hands"], json!([3, 3]));
    assert_eq!(game.refusal("+c3").as_deref(), Some("c3 is not empty"));
    assert_eq!(game.refusal("xa1").as_deref(), Some("a1 is not empty"));
}

#[test]
fn pieces_may_move_before_all_are_placed() {
    let game = game().play("+c3 xa1");
    assert!(game.allows("c3-c5"));
    let game = game.play("c3-c5");
    assert_eq!(game.view()["hands"], json!([3, 3]));
    assert_eq!(
        board(&game),
        json!(["..B..", ".....", ".....", ".....", "b...."])
    );
}

#[test]
fn nobody_places_more_than_four_pieces() {
    let game = game().play("+a1 +a5 +b2 +b4 +c1 +c5 +e1 +e5");
    assert_eq!(game.view()["hands"], json!([0, 0]));
    assert_eq!(
        game.refusal("+c3").as_deref(),
        Some("your pieces are all on the board")
    );
    assert!(!game.actions().contains(['+', 'x']));
}

#[test]
fn nobody_passes() {
    for nothing in ["", "-", "pass"] {
        assert!(game().game.read_action(nothing).is_err(), "{nothing:?}");
    }
}

fn from_a1(game: &PlayMatch<FlipFour>) -> Vec<String> {
    let actions = game.actions();
    actions
        .split(' ')
        .filter(|action| action.starts_with("a1"))
        .map(String::from)
        .collect()
}

#[test]
fn pieces_jump_over_any_number_of_pieces_of_either_colour() {
    let game = middle([".....", ".....", ".....", ".....", "RRrr."], [2, 2], 4);
    assert_eq!(
        from_a1(&game),
        ["a1-a2", "a1-a3", "a1-a4", "a1-a5", "a1-e1"]
    );
    let game = middle([".....", "...r.", "..R..", ".b...", "B...."], [2, 2], 4);
    assert_eq!(from_a1(&game), ["a1-e5"]);
}

#[test]
fn nothing_is_captured() {
    let game = game().play("+c3 +c5");
    assert_eq!(game.refusal("c3-c5").as_deref(), Some("c5 is not empty"));
    assert!(game.game.read_action("c3xc5").is_err());
}

#[test]
fn a_rook_moves_straight_a_bishop_diagonally_and_each_move_turns_it() {
    let game = game().play("+c3 +a5");
    assert_eq!(
        game.refusal("c3-d4").as_deref(),
        Some("the piece on c3 moves like a rook, and d4 is not on its file or rank")
    );
    let game = game.play("c3-c4 a5-a4");
    assert_eq!(
        board(&game),
        json!([".....", "b.B..", ".....", ".....", "....."])
    );
    assert_eq!(
        game.refusal("c4-c3").as_deref(),
        Some("the piece on c4 moves like a bishop, and c3 is not on its diagonals")
    );
    let game = game.play("c4-e2");
    assert_eq!(
        board(&game),
        json!([".....", "b....", ".....", "....R", "....."])
    );
}

#[test]
fn four_in_a_line_win_whatever_their_faces() {
    let game = middle(["...rr", "B....", "B....", ".R...", "R...."], [0, 2], 10);
    let game = game.play("b2-a2");
    assert_eq!(
        board(&game),
        json!(["...rr", "B....", "B....", "B....", "R...."])
    );
    assert_eq!(game.end(), "1 0 line");
}

#[test]
fn a_placement_can_win() {
    assert_eq!(game().play("+a1 +a5 +b1 +b5 +c1 +c5 +d1").end(), "1 0 line");
    assert_eq!(game().play("xb1 +a5 +c2 +b5 xd3 +d5 xe4").end(), "1 0 line");
}

#[test]
fn black_wins_by_a_line_too() {
    assert_eq!(
        game().play("+a1 +a5 +b1 +b5 +c1 +c5 +e2 +d5").end(),
        "0 1 line"
    );
}

#[test]
fn a_line_has_no_gap() {
    assert_eq!(game().play("+a1 +a5 +b1 +b5 +c1 +c4 +e1").end(), "goes on");
}

#[test]
fn three_in_a_line_are_none() {
    assert_eq!(game().play("+a1 +a5 +b1 +b5 +c1 +c4").end(), "goes on");
}

#[test]
fn a_stuck_player_has_lost() {
    let game = game().play(STUCK);
    assert_eq!(
        board(&game),
        json!(["...B.", "..r.B", ".r.r.", "B.r..", ".B..."])
    );
    assert_eq!(game.end(), "0 1 no-moves");
}

#[test]
fn a_player_with_a_piece_in_hand_is_not_stuck() {
    let game = game().play("xa2 +b3 xb1 +c2 xd5 +c4");
    assert_eq!(game.end(), "goes on");
}

#[test]
fn the_third_occurrence_is_a_draw() {
    let game = game().play("+a1 +e5").play(ROUND);
    assert_eq!(game.view()["repetitions"], 2);
    assert_eq!(game.end(), "goes on");
    assert_eq!(game.play(ROUND).end(), "0 0 repetition");
}

#[test]
fn a_placement_makes_a_new_configuration() {
    let game = game()
        .play("+a1 +e5")
        .play(ROUND)
        .play("+c1 +c5")
        .play(ROUND);
    assert_eq!(game.view()["repetitions"], 2);
    assert_eq!(game.end(), "goes on");
}

#[test]
fn the_limit_is_1000_plies_unless_said_otherwise() {
    are_limited_to::<FlipFour>(1000, "+a1", "+a2");
}

#[test]
fn a_win_on_the_last_ply_counts() {
    let game = start::<FlipFour>(r#"{"max_plies":7}"#);
    assert_eq!(game.play("+a1 +a5 +b1 +b5 +c1 +c5 +d1").end(), "1 0 line");
    assert_eq!(
        start::<FlipFour>(r#"{"max_plies":8}"#).play(STUCK).end(),
        "0 1 no-moves"
    );
}

#[test]
fn repetition_is_tested_before_the_limit() {
    let game = start::<FlipFour>(r#"{"max_plies":18}"#).play("+a1 +e5");
    assert_eq!(game.play(ROUND).play(ROUND).end(), "0 0 repetition");
}

#[test]
fn a_refusal_says_why() {
    let game = game().play("+a1 +e5");
    for (action, why) in [
        ("a2-a3", "there is no piece on a2"),
        ("e5-e4", "the piece on e5 is your opponent's"),
        ("a1-a1", "a move from a1 to a1 goes nowhere"),
        ("+e5", "e5 is not empty"),
    ] {
        assert_eq!(game.refusal(action).as_deref(), Some(why));
    }
    let over = game.play("+b1 +e4 +c1 +e3 +d1");
    assert_eq!(over.refusal("e3-d3").as_deref(), Some("the match is over"));
}

#[test]
fn what_is_not_in_the_notation_is_malformed() {
    let texts = [
        "", " ", "c3", "+", "x", "+c", "+c33", "+ c3", "+c3 ", " +c3", "+C3", "Xc3", "×c3", "*c3",
        "+f1", "+a6", "+a0", "xa01", "c3-", "-c3", "c3e5", "c3-e5-", "c3xe5", "c3-E5", "c3 -e5",
        "c3-e6", "f1-a1", "+c3-e5", "c3+", "c3-e5\n", "++c3", "c3–e5",
    ];
    let reasons = [
        ("+f1", r#""+f1" names no square: those are a1 to e5"#),
        ("c3", r#""c3" is not like +c3, xc3 or c3-e5"#),
    ];
    are_malformed::<FlipFour>(&texts, &reasons);
}

#[test]
fn all_actions_survive_being_written_and_read() {
    let mut all = Vec::new();
    for from in squares() {
        all.extend([format!("+{from}"), format!("x{from}")]);
        all.extend(squares().iter().map(|to| format!("{from}-{to}")));
    }
    survive_being_written_and_read::<FlipFour>(all);
}

#[test]
fn views_that_contradict_themselves_are_refused() {
    let possible = json!({
        "board": [".....", "...r.", "B....", ".b...", "....R"],
        "hands": [2, 2], "to_move": 1, "ply": 5, "repetitions": 1
    });
    let changes = [
        ("hands", json!([3, 2]), "White has not 4 pieces in all"),
        ("hands", json!([2, 1]), "Black has not 4 pieces in all"),
        ("hands", json!([2, 255]), "Black has not 4 pieces in all"),
        (
            "hands",
            json!([2]),
            "invalid length 1, expected an array of length 2",
        ),
        (
            "board",
            json!([".....", "...r.", "B...W", ".b...", "....R"]),
            "'W' on e3 is none of . R B r b",
        ),
        (
            "board",
            json!([".....", "...r.", "B....", ".b..."]),
            "invalid length 4, expected 5 strings, one a rank",
        ),
        ("ply", json!(6), "at ply 6 it is seat 0's turn"),
        ("to_move", json!(0), "at ply 5 it is seat 1's turn"),
    ];
    is_refused_with::<FlipFour>(&possible, &changes);
}

#[test]
fn a_board_in_the_middle_of_a_match() {
    let game = game().play("+c3 xb2 c3-a3 +d4 +e1");
    insta::assert_snapshot!(game.json(), @r#"{"board":[".....","...r.","B....",".b...","....R"],"hands":[2,2],"to_move":1,"ply":5,"repetitions":1}"#);
    insta::assert_snapshot!(FlipFour::text(&game.game.view(Viewer::Public)), @r"
    FlipFour, ply 5: Black to move

      5   .   .   .   .   .
      4   .   .   .   r   .
      3   B   .   .   .   .
      2   .   b   .   .   .
      1   .   .   .   .   R
          a   b   c   d   e

    in hand: White 2, Black 2
    White: R like a rook, B like a bishop; Black: r, b
    ");
}
