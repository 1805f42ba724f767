//! FlipFlop: every ruling of its page, the notation, and what a view must be.

use flipside_games::{FlipFlop, Game, Viewer};
use serde_json::{Value, json};

use super::play::{
    PlayMatch, are_malformed, is_refused_with, pattern, resume, squares, start,
    survive_being_written_and_read,
};

type SmallBoard = FlipFlop<3>;
type Large = FlipFlop<5>;

/// Goes once around: eight plies after which the start stands again.
const ROUND: &str = "a1-a3 e5-e3 a3-b4 e3-d2 b4-b2 d2-d4 b2-a1 d4-e5";

fn board(game: &PlayMatch<impl Game>) -> Value {
    game.view()["board"].clone()
}

/// A 3×3 match in the middle, so many plies old.
fn small(board: [&str; 3], ply: u32) -> PlayMatch<SmallBoard> {
    small_with("{}", board, ply)
}

fn small_with(options: &str, board: [&str; 3], ply: u32) -> PlayMatch<SmallBoard> {
    let view = json!({ "board": board, "to_move": ply % 2, "ply": ply, "repetitions": 1 });
    resume(options, &view).expect("a position of the game")
}

#[test]
fn each_side_starts_with_a_rook_on_every_square_of_its_rank() {
    assert_eq!(
        board(&start::<SmallBoard>("{}")),
        json!(["rrr", "...", "RRR"])
    );
    assert_eq!(
        board(&start::<Large>("{}")),
        json!(["rrrrr", ".....", ".....", ".....", "RRRRR"])
    );
}

#[test]
fn white_is_seat_0_and_moves_first() {
    assert_eq!(start::<SmallBoard>("{}").mover(), Some(0));
    assert_eq!(start::<SmallBoard>("{}").play("a1-a2").mover(), Some(1));
}

#[test]
fn the_goals_are_the_middles_of_the_home_ranks() {
    assert_eq!(
        start::<SmallBoard>("{}").actions(),
        "a1-a2 b1-b2 b1xb3 c1-c2"
    );
    assert_eq!(
        start::<Large>("{}").actions(),
        "a1-a2 a1-a3 a1-a4 b1-b2 b1-b3 b1-b4 c1-c2 c1-c3 c1-c4 c1xc5 \
         d1-d2 d1-d3 d1-d4 e1-e2 e1-e3 e1-e4"
    );
}

#[test]
fn a_rook_moves_straight_and_a_bishop_diagonally_any_distance() {
    let rook = small(["..r", "...", "R.."], 8);
    assert_eq!(rook.actions(), "a1-a2 a1-a3 a1-b1 a1-c1");
    let bishop = small(["r..", "...", "..B"], 8);
    assert_eq!(bishop.actions(), "c1-b2");
    let bishop = small([".r.", "...", "..B"], 8);
    assert_eq!(bishop.actions(), "c1-a3 c1-b2");
}

#[test]
fn every_move_turns_the_piece_over() {
    let game = start::<SmallBoard>("{}").play("b1-b2");
    assert_eq!(board(&game), json!(["rrr", ".B.", "R.R"]));
    let game = game.play("a3-a2 b2-a3");
    assert_eq!(board(&game), json!(["Rrr", "b..", "R.R"]));
}

#[test]
fn a_capturing_piece_turns_over_too() {
    let game = start::<SmallBoard>("{}").play("b1xb3");
    assert_eq!(board(&game), json!(["rBr", "...", "R.R"]));
    let game = game.play("c3xb3");
    assert_eq!(board(&game), json!(["rb.", "...", "R.R"]));
}

#[test]
fn nothing_is_jumped_over() {
    let game = start::<Large>("{}").play("b1-b3 b5-b4");
    assert_eq!(
        game.refusal("a1-c1").as_deref(),
        Some("your own piece is on c1"),
        "an empty b1 lets it see c1"
    );
    assert_eq!(
        game.refusal("a1-d1").as_deref(),
        Some("the piece on c1 is in the way from a1 to d1")
    );
    let game = small(["r..", "r..", "R.."], 8);
    assert_eq!(game.actions(), "a1-b1 a1-c1");
}

#[test]
fn going_nowhere_is_no_move() {
    assert_eq!(
        start::<SmallBoard>("{}").refusal("a1-a1").as_deref(),
        Some("a move from a1 to a1 goes nowhere")
    );
}

#[test]
fn captures_are_only_on_the_goal_squares() {
    let game = small(["r..", "...", "R.R"], 8);
    assert_eq!(
        game.refusal("a1xa3").as_deref(),
        Some("a3 is not empty, and pieces are captured only on b1 and b3")
    );
    assert_eq!(
        start::<Large>("{}").refusal("a1xa5").as_deref(),
        Some("a5 is not empty, and pieces are captured only on c1 and c5")
    );
}

#[test]
fn captures_are_on_either_goal_square() {
    let game = start::<SmallBoard>("{}").play("a1-a2 b3xb1");
    assert_eq!(board(&game), json!(["r.r", "B..", ".bR"]));
    // The same square from the other side: on one's own goal.
    let game = game.play("a2xb1");
    assert_eq!(board(&game), json!(["r.r", "...", ".RR"]));
    assert_eq!(start::<Large>("{}").refusal("c1xc5"), None);
}

#[test]
fn own_pieces_are_not_captured() {
    let game = start::<SmallBoard>("{}");
    assert_eq!(
        game.refusal("a1xb1").as_deref(),
        Some("your own piece is on b1")
    );
    assert_eq!(
        game.refusal("a1-b1").as_deref(),
        Some("your own piece is on b1")
    );
}

#[test]
fn capturing_is_not_compulsory() {
    let game = start::<SmallBoard>("{}").play("b1xb3");
    assert_eq!(game.actions(), "a3-a2 a3xb3 c3-c2 c3xb3");
}

#[test]
fn ones_own_goal_means_nothing_to_oneself() {
    // White's and Black's pieces stand on their own goals from the start on.
    let game = start::<SmallBoard>("{}").play("a1-a2 c3-c2");
    assert_eq!(game.end(), "goes on");
    assert_eq!(board(&game), json!(["rr.", "B.b", ".RR"]));
}

#[test]
fn a_piece_on_its_own_goal_can_be_captured_there() {
    assert!(start::<SmallBoard>("{}").allows("b1xb3"));
}

#[test]
fn a_goal_is_won_only_after_the_opponents_reply() {
    let game = start::<SmallBoard>("{}").play("b1xb3");
    assert_eq!(game.end(), "goes on");
    assert_eq!(game.play("a3-a2").end(), "1 0 goal");
}

#[test]
fn a_piece_captured_on_the_goal_has_won_nothing() {
    let game = start::<SmallBoard>("{}").play("b1xb3 a3xb3");
    assert_eq!(game.end(), "goes on");
    assert_eq!(game.mover(), Some(0));
}

#[test]
fn black_wins_by_whites_goal() {
    assert_eq!(
        start::<SmallBoard>("{}").play("a1-a2 b3xb1 c1-c2").end(),
        "0 1 goal"
    );
}

#[test]
fn whoever_stood_on_the_goal_first_wins() {
    // White is on b3; Black does not capture there but goes to White's goal.
    let game = small([".Br", "b..", "R.."], 9);
    assert!(game.allows("c3xb3"));
    let game = game.play("a2-b1");
    assert_eq!(board(&game), json!([".Br", "...", "Rr."]));
    assert_eq!(game.end(), "1 0 goal");
}

#[test]
fn a_side_without_a_legal_move_has_lost() {
    let game = small([".r.", "...", "B.."], 9).play("b3-b2");
    assert_eq!(game.end(), "0 1 no-moves");
    assert_eq!(game.actions(), "");
}

#[test]
fn a_side_without_pieces_has_lost() {
    assert_eq!(
        small([".r.", "...", ".R."], 9).play("b3xb1").end(),
        "0 1 no-moves"
    );
}

#[test]
fn a_goal_is_tested_before_no_moves() {
    let game = small([".Br", "r..", "..."], 9).play("c3-c2");
    assert_eq!(board(&game), json!([".B.", "r.b", "..."]));
    assert_eq!(game.end(), "1 0 goal");
}

#[test]
fn the_third_occurrence_is_a_draw_and_the_start_counts() {
    let game = start::<Large>("{}").play(ROUND);
    assert_eq!(game.view()["repetitions"], 2);
    assert_eq!(game.end(), "goes on");
    let game = game.play(ROUND);
    assert_eq!(game.view()["repetitions"], 3);
    assert_eq!(game.end(), "0 0 repetition");
}

#[test]
fn other_faces_are_another_configuration() {
    // The same squares are taken again, but by turned pieces.
    let game = small(["..r", "...", "R.."], 8).play("a1-a2 c3-c2 a2-b1 c2-b3 b1-a1 b3-c3");
    assert_eq!(board(&game), json!(["..b", "...", "B.."]));
    assert_eq!(game.view()["repetitions"], 1);
}

#[test]
fn nobody_passes() {
    let game = start::<SmallBoard>("{}");
    for nothing in ["", "-", "pass", "--"] {
        assert!(game.game.read_action(nothing).is_err(), "{nothing:?}");
    }
}

#[test]
fn the_limit_is_200_plies_unless_said_otherwise() {
    let options = <Large as Game>::Options::default();
    assert_eq!(
        serde_json::to_value(options).expect("JSON"),
        json!({ "max_plies": 200 })
    );
    assert_eq!(
        start::<SmallBoard>(r#"{"max_plies":3}"#)
            .play("c1-c2 a3-a2")
            .end(),
        "goes on"
    );
    assert_eq!(
        start::<SmallBoard>(r#"{"max_plies":2}"#)
            .play("c1-c2 a3-a2")
            .end(),
        "0 0 limit"
    );
}

#[test]
fn a_goal_reached_on_the_last_ply_is_a_draw() {
    assert_eq!(
        start::<SmallBoard>(r#"{"max_plies":1}"#)
            .play("b1xb3")
            .end(),
        "0 0 limit"
    );
}

#[test]
fn a_goal_kept_through_the_last_ply_wins() {
    assert_eq!(
        start::<SmallBoard>(r#"{"max_plies":2}"#)
            .play("b1xb3 a3-a2")
            .end(),
        "1 0 goal"
    );
}

#[test]
fn a_win_by_no_moves_on_the_last_ply_counts() {
    let game = small_with(r#"{"max_plies":10}"#, [".r.", "...", "B.."], 9);
    assert_eq!(game.play("b3-b2").end(), "0 1 no-moves");
}

#[test]
fn repetition_is_tested_before_the_limit() {
    let game = start::<Large>(r#"{"max_plies":16}"#)
        .play(ROUND)
        .play(ROUND);
    assert_eq!(game.end(), "0 0 repetition");
}

#[test]
fn after_the_end_nothing_is_legal() {
    let game = start::<SmallBoard>("{}").play("b1xb3 a3-a2");
    assert_eq!(game.actions(), "");
    assert_eq!(game.refusal("a1-a2").as_deref(), Some("the match is over"));
}

#[test]
fn a_refusal_says_why() {
    let game = start::<Large>("{}");
    for (action, why) in [
        ("a2-a3", "there is no piece on a2"),
        ("a5-a4", "the piece on a5 is your opponent's"),
        (
            "a1-b2",
            "the piece on a1 moves like a rook, and b2 is not on its file or rank",
        ),
        (
            "a1xa3",
            "there is nothing to capture on a3; a move is written a1-a3",
        ),
        ("c1-c5", "c5 is not empty; a capture is written c1xc5"),
    ] {
        assert_eq!(game.refusal(action).as_deref(), Some(why));
    }
    let action = game.game.read_action("a5-a4").expect("in the notation");
    let why = game.game.check(1, action).expect_err("White is to move");
    assert_eq!(why.to_string(), "it is not seat 1's turn");
}

#[test]
fn what_is_not_in_the_notation_is_malformed() {
    let texts = [
        "", " ", "a1", "a1a2", "a1-", "-a2", "a1 a2", "a1--a2", "a1-a2 ", " a1-a2", "a1 -a2",
        "A1-a2", "a1-A2", "a1Xa2", "a1X2", "a0-a1", "a1-a4", "d1-d2", "a1-d1", "a01-a2", "a1-a02",
        "1a-2a", "a1-a2-a3", "a1-a2\n", "a1–a2", "a1×b3", "é1-a2", "a1:a2", "a1=a2", "Ra1-a2",
    ];
    let why = r#""a1-a4" is not like a1-a2 or b1xb3, with files a to c and ranks 1 to 3"#;
    are_malformed::<SmallBoard>(&texts, &[("a1-a4", why)]);
    are_malformed::<Large>(&["a1-f1", "a1-a6"], &[]);
}

#[test]
fn all_actions_survive_being_written_and_read() {
    let mut all = Vec::new();
    for from in squares() {
        for to in squares() {
            all.extend([format!("{from}-{to}"), format!("{from}x{to}")]);
        }
    }
    survive_being_written_and_read::<Large>(all);
    assert!(!pattern::<SmallBoard>().is_match("a1-a4"));
}

#[test]
fn views_that_contradict_themselves_are_refused() {
    let possible = json!({
        "board": ["r.r", "b..", ".R."], "to_move": 1, "ply": 7, "repetitions": 1
    });
    let changes = [
        (
            "board",
            json!(["r.r", "b.."]),
            "invalid length 2, expected 3 strings, one a rank",
        ),
        (
            "board",
            json!(["r.r", "b..", ".R.."]),
            "invalid value: string \".R..\", expected a rank of 3 letters",
        ),
        (
            "board",
            json!(["r.r", "b..", ".Q."]),
            "'Q' on b1 is none of . R B r b",
        ),
        (
            "board",
            json!(["rrr", "b..", ".R."]),
            "Black has more than 3 pieces",
        ),
        (
            "board",
            json!(["rr.", "rr.", ".R."]),
            "Black has more than 3 pieces",
        ),
        ("ply", json!(8), "at ply 8 it is seat 0's turn"),
        ("ply", json!(201), "ply 201 is over the limit of 200"),
        (
            "ply",
            json!(u32::MAX),
            "ply 4294967295 is over the limit of 200",
        ),
        (
            "ply",
            json!(-1),
            "invalid value: integer `-1`, expected u32",
        ),
        ("to_move", json!(0), "at ply 7 it is seat 1's turn"),
        ("to_move", json!(2), "at ply 7 it is seat 1's turn"),
        ("to_move", json!(null), "at ply 7 it is seat 1's turn"),
        (
            "repetitions",
            json!(0),
            "a position cannot have occurred 0 times",
        ),
        (
            "repetitions",
            json!(4),
            "a position cannot have occurred 4 times",
        ),
        (
            "over",
            json!({ "winner": 0, "reason": "goal" }),
            "at ply 7 it is seat 1's turn",
        ),
        (
            "extra",
            json!(1),
            "unknown field `extra`, expected one of `board`, `to_move`, `ply`, `repetitions`, `over`",
        ),
    ];
    is_refused_with::<SmallBoard>(&possible, &changes);
    let standing_on_the_goal = json!({
        "board": [".rr", "B..", ".bR"], "to_move": 1, "ply": 5, "repetitions": 1
    });
    assert_eq!(
        resume::<SmallBoard>("{}", &standing_on_the_goal)
            .err()
            .as_deref(),
        Some("the match is over: goal")
    );
}

#[test]
fn a_view_that_has_recurred_goes_on_to_recur() {
    let game = start::<Large>("{}").play(ROUND);
    let rebuilt = resume::<Large>("{}", &game.view()).expect("a view of the game");
    assert_eq!(rebuilt.play(ROUND).end(), "0 0 repetition");
}

#[test]
fn a_board_in_the_middle_of_a_match() {
    let game = start::<Large>("{}").play("c1xc5 b5xc5 a1-a3 c5-b4");
    insta::assert_snapshot!(game.json(), @r#"{"board":["r..rr",".r...","B....",".....",".R.RR"],"to_move":0,"ply":4,"repetitions":1}"#);
    insta::assert_snapshot!(Large::text(&game.game.view(Viewer::Public)), @r"
    FlipFlop 5×5, ply 4: White to move

      5   r   .  [ ]  r   r
      4   .   r   .   .   .
      3   B   .   .   .   .
      2   .   .   .   .   .
      1   .   R  [ ]  R   R
          a   b   c   d   e

    White: R like a rook, B like a bishop; Black: r, b
    ");
    let game = start::<SmallBoard>("{}").play("b1xb3 a3-a2");
    insta::assert_snapshot!(game.json(), @r#"{"board":[".Br","b..","R.R"],"to_move":null,"ply":2,"repetitions":1,"over":{"winner":0,"reason":"goal"}}"#);
    insta::assert_snapshot!(SmallBoard::text(&game.game.view(Viewer::Public)), @r"
    FlipFlop 3×3, ply 2: White wins: goal

      3   .  [B]  r
      2   b   .   .
      1   R  [ ]  R
          a   b   c

    White: R like a rook, B like a bishop; Black: r, b
    ");
}
