//! Yonmoque: every ruling of its page, the rulebook's example, the notation, and what a view must
//! be.

use flipside_games::{Game, Viewer, Yonmoque};
use serde_json::{Value, json};

use super::play::{
    PlayMatch, are_limited_to, are_malformed, is_refused_with, resume, squares, start,
    survive_being_written_and_read,
};

/// Goes once around: four plies after which `a1 e5` stands again.
const ROUND: &str = "a1-a2 e5-e4 a2-a1 e4-e5";

fn game() -> PlayMatch<Yonmoque> {
    start("{}")
}

fn board(game: &PlayMatch<Yonmoque>) -> Value {
    game.view()["board"].clone()
}

/// A match in the middle, so many plies old.
fn middle(board: [&str; 5], hands: [u8; 2], ply: u32) -> PlayMatch<Yonmoque> {
    middle_with("{}", board, hands, ply)
}

fn middle_with(options: &str, board: [&str; 5], hands: [u8; 2], ply: u32) -> PlayMatch<Yonmoque> {
    let view = json!({
        "board": board, "hands": hands, "to_move": ply % 2, "ply": ply, "repetitions": 1
    });
    resume(options, &view).expect("a position of the game")
}

/// Where the piece on a square can go.
fn moves(game: &PlayMatch<Yonmoque>, from: &str) -> String {
    let actions = game.actions();
    let moves = actions
        .split(' ')
        .filter_map(|action| action.strip_prefix(from)?.strip_prefix('-'));
    moves.collect::<Vec<_>>().join(" ")
}

/// Blue to move, with one piece, and a white one elsewhere.
fn blue_on(square: &str, out_of_the_way: &str) -> PlayMatch<Yonmoque> {
    game().play(&format!("{square} {out_of_the_way}"))
}

/// White to move, with one piece, and two blue ones elsewhere.
fn white_on(square: &str, out_of_the_way: &str) -> PlayMatch<Yonmoque> {
    let (first, second) = out_of_the_way.split_once(' ').expect("two puts");
    game().play(&format!("{first} {square} {second}"))
}

#[test]
fn six_pieces_are_in_each_hand_and_blue_begins() {
    let view = game().view();
    assert_eq!(
        view["board"],
        json!([".....", ".....", ".....", ".....", "....."])
    );
    assert_eq!(
        (&view["hands"], &view["to_move"]),
        (&json!([6, 6]), &json!(0))
    );
    let game = game().play("a1 b1 c1");
    assert_eq!(
        board(&game),
        json!([".....", ".....", ".....", ".....", "BWB.."])
    );
    assert_eq!(game.view()["hands"], json!([4, 5]));
}

#[test]
fn a_put_is_on_any_empty_square() {
    assert_eq!(game().actions().split(' ').count(), 25);
    let game = game().play("c3");
    assert_eq!(game.actions().split(' ').count(), 24);
    assert_eq!(game.refusal("c3").as_deref(), Some("c3 is not empty"));
}

#[test]
fn each_sides_first_turn_is_a_put() {
    assert!(!game().actions().contains('-'));
    assert!(!game().play("c3").actions().contains('-'));
    assert!(game().play("c3 a1").actions().contains('-'));
}

#[test]
fn nobody_puts_more_than_six_pieces() {
    let game = game().play("a1 a2 a3 a4 a5 b1 b2 b3 b4 c1 c2 c3");
    assert_eq!(game.view()["hands"], json!([0, 0]));
    assert_eq!(
        game.refusal("e5").as_deref(),
        Some("your hand is empty: all your pieces have been put")
    );
}

#[test]
fn nobody_passes() {
    for nothing in ["", "-", "pass"] {
        assert!(game().game.read_action(nothing).is_err(), "{nothing:?}");
    }
}

#[test]
fn any_piece_steps_to_the_eight_squares_around_it() {
    // From a square of the other's colour, to squares of all colours.
    assert_eq!(moves(&blue_on("b3", "e1"), "b3"), "a2 a3 a4 b2 b4 c2 c3 c4");
    assert_eq!(
        moves(&white_on("d4", "a1 a2"), "d4"),
        "c3 c4 c5 d3 d5 e3 e4 e5"
    );
}

#[test]
fn a_step_goes_only_to_an_empty_square() {
    let game = game().play("c3 c4");
    assert_eq!(game.refusal("c3-c4").as_deref(), Some("c4 is not empty"));
}

#[test]
fn a_piece_slides_from_its_colour_diagonally_over_its_colour() {
    assert_eq!(moves(&blue_on("c1", "a5"), "c1"), "a3 b1 b2 c2 d1 d2 e3");
    assert_eq!(
        moves(&white_on("b5", "a1 a2"), "b5"),
        "a4 a5 b4 c4 c5 d3 e2"
    );
    assert_eq!(
        blue_on("c1", "a5").refusal("c1-c3").as_deref(),
        Some("c3 is more than a step from c1, and slides are diagonal")
    );
}

#[test]
fn a_piece_on_the_others_colour_does_not_slide() {
    assert_eq!(moves(&blue_on("b5", "e1"), "b5"), "a4 a5 b4 c4 c5");
    assert_eq!(
        blue_on("b5", "e1").refusal("b5-d3").as_deref(),
        Some("only from a square of its colour a piece slides, and b5 is none")
    );
    assert_eq!(moves(&white_on("c1", "a5 a4"), "c1"), "b1 b2 c2 d1 d2");
}

#[test]
fn a_slide_goes_in_one_straight_line() {
    // c1-b2-a3-b4 would turn a corner.
    assert!(!blue_on("c1", "a5").allows("c1-b4"));
    assert!(!blue_on("c1", "a5").allows("c1-c5"));
}

#[test]
fn a_slide_jumps_over_nothing() {
    let game = game().play("c1 b2");
    assert_eq!(
        game.refusal("c1-a3").as_deref(),
        Some("the piece on b2 is in the way from c1 to a3")
    );
    assert_eq!(moves(&game, "c1"), "b1 c2 d1 d2 e3");
    assert_eq!(moves(&blue_on("c1", "a3"), "c1"), "b1 b2 c2 d1 d2 e3");
}

#[test]
fn one_square_of_a_slide_is_the_step_and_has_one_notation() {
    let game = blue_on("c1", "a5");
    assert_eq!(
        game.actions()
            .split(' ')
            .filter(|&action| action == "c1-b2")
            .count(),
        1
    );
}

#[test]
fn neutral_squares_are_entered_by_a_step() {
    assert!(blue_on("b2", "e1").allows("b2-c3"));
    assert!(blue_on("b2", "e1").allows("b2-a1"));
    assert!(white_on("c4", "e1 e2").allows("c4-c3"));
}

#[test]
fn neutral_squares_are_never_slid_through() {
    let game = blue_on("b2", "e1");
    assert_eq!(moves(&game, "b2"), "a1 a2 a3 b1 b3 c1 c2 c3");
    assert_eq!(
        game.refusal("b2-d4").as_deref(),
        Some("a slide goes over squares of its colour, and c3 is none")
    );
    assert!(!blue_on("b4", "a1").allows("b4-d2"));
}

#[test]
fn nothing_slides_from_a_neutral_square_or_onto_one() {
    assert_eq!(moves(&blue_on("c3", "a1"), "c3"), "b2 b3 b4 c2 c4 d2 d3 d4");
    assert_eq!(moves(&blue_on("a1", "e5"), "a1"), "a2 b1 b2");
    for (from, to) in [("d4", "a1"), ("d2", "a5"), ("c3", "a1"), ("c3", "e5")] {
        assert!(
            !blue_on(from, "e2").allows(&format!("{from}-{to}")),
            "{from}-{to}"
        );
    }
}

#[test]
fn the_rulebooks_example_flips_two_and_makes_four() {
    let game = middle([".....", ".....", ".....", "....B", "BWW.."], [4, 4], 4).play("e2-d1");
    assert_eq!(
        board(&game),
        json!([".....", ".....", ".....", ".....", "BBBB."])
    );
    assert_eq!(game.end(), "1 0 four");
}

#[test]
fn flipping_does_not_change_the_hands() {
    let game = middle([".....", ".....", ".....", "...B.", "BW..."], [4, 5], 4).play("d2-c1");
    assert_eq!(
        board(&game),
        json!([".....", ".....", ".....", ".....", "BBB.."])
    );
    assert_eq!(game.view()["hands"], json!([4, 5]));
}

#[test]
fn a_put_flips_nothing() {
    let game = game().play("a1 b1 c1");
    assert_eq!(
        board(&game),
        json!([".....", ".....", ".....", ".....", "BWB.."])
    );
}

#[test]
fn white_flips_too() {
    let game = middle([".....", ".....", ".....", "...W.", "WB..B"], [4, 4], 5).play("d2-c1");
    assert_eq!(
        board(&game),
        json!([".....", ".....", ".....", ".....", "WWW.B"])
    );
}

#[test]
fn a_run_must_end_at_a_piece_of_the_mover() {
    // To the left the run ends at the edge, upwards at an empty square.
    let game = middle([".....", ".....", "..W..", "..WB.", "WW..."], [5, 2], 8).play("d2-c1");
    assert_eq!(
        board(&game),
        json!([".....", ".....", "..W..", "..W..", "WWB.."])
    );
}

#[test]
fn a_run_is_unbroken() {
    let game = middle([".....", ".....", ".....", "....B", "BW.W."], [4, 4], 4).play("e2-e1");
    assert_eq!(
        board(&game),
        json!([".....", ".....", ".....", ".....", "BW.WB"])
    );
}

#[test]
fn all_directions_flip_at_once() {
    let game = middle(["B.B..", ".WW..", "BW...", "...B.", "....."], [2, 3], 8).play("d2-c3");
    assert_eq!(
        board(&game),
        json!(["B.B..", ".BB..", "BBB..", ".....", "....."])
    );
    assert_eq!(game.end(), "goes on");
}

#[test]
fn flips_do_not_chain() {
    // c1 is flipped between b1 and d1; c2 stands between c1 and c3 then, and stays white.
    let game = middle([".....", ".....", "..B..", "..W..", ".BW.B"], [3, 4], 8).play("e1-d1");
    assert_eq!(
        board(&game),
        json!([".....", ".....", "..B..", "..W..", ".BBB."])
    );
}

#[test]
fn only_enclosed_enemies_of_the_moved_piece_flip() {
    // White goes between two blue pieces of its own will, and stays white.
    let game = middle([".....", ".....", ".....", ".W...", "B.B.."], [4, 5], 5).play("b2-b1");
    assert_eq!(
        board(&game),
        json!([".....", ".....", ".....", ".....", "BWB.."])
    );
}

#[test]
fn four_by_a_move_wins() {
    let game = game().play("a1 a5 b1 b5 c1 d5 d2 e4 d2-d1");
    assert_eq!(game.end(), "1 0 four");
}

#[test]
fn four_by_put_is_no_win() {
    let game = game().play("a1 a5 b1 b5 c1 d5 d1");
    assert_eq!(
        board(&game),
        json!(["WW.W.", ".....", ".....", ".....", "BBBB."])
    );
    assert_eq!(game.end(), "goes on");
}

#[test]
fn four_by_put_does_not_win_while_it_merely_stands() {
    let game = game().play("a1 a5 b1 b5 c1 d5 d1 e4 e2 c3 e2-e3");
    assert_eq!(game.end(), "goes on");
    assert_eq!(game.play("c3-c2 d4 c2-c3 d4-c4").end(), "goes on");
}

#[test]
fn a_piece_that_leaves_a_standing_four_and_comes_back_wins() {
    let game = game().play("a1 a5 b1 b5 c1 d5 d1 e4 d1-d2 e4-e5");
    assert_eq!(game.end(), "goes on");
    assert_eq!(game.play("d2-d1").end(), "1 0 four");
}

#[test]
fn flipping_back_a_piece_of_a_standing_four_wins() {
    let game = middle([".....", ".W..B", ".....", "BBBB.", ".BW.."], [0, 4], 13).play("b4-c3");
    assert_eq!(
        board(&game),
        json!([".....", "....B", "..W..", "BBWB.", ".BW.."])
    );
    assert_eq!(game.end(), "goes on");
    let game = game.play("e4-d3");
    assert_eq!(
        board(&game),
        json!([".....", ".....", "..WB.", "BBBB.", ".BW.."])
    );
    assert_eq!(game.end(), "1 0 four");
}

#[test]
fn flipped_pieces_alone_can_make_the_four() {
    // The moved piece, on c3, is not in the line.
    let game = middle([".....", "...B.", ".....", "BBWB.", "..B.."], [1, 5], 10).play("d4-c3");
    assert_eq!(
        board(&game),
        json!([".....", ".....", "..B..", "BBBB.", "..B.."])
    );
    assert_eq!(game.end(), "1 0 four");
}

#[test]
fn a_four_beside_the_new_squares_does_not_win() {
    // The standing line stays, and a flip elsewhere makes none.
    let game = middle(["BW...", "..B..", ".....", ".....", "BBBB."], [0, 5], 12).play("c4-c5");
    assert_eq!(
        board(&game),
        json!(["BBB..", ".....", ".....", ".....", "BBBB."])
    );
    assert_eq!(game.end(), "goes on");
}

#[test]
fn five_by_put_loses() {
    assert_eq!(game().play("a1 a5 b1 b5 c1 d5 d1 e4 e1").end(), "0 1 five");
}

#[test]
fn five_by_a_move_loses() {
    let game = middle(["....W", ".....", ".....", "..B..", "BB.BB"], [1, 5], 10).play("c2-c1");
    assert_eq!(game.end(), "0 1 five");
}

#[test]
fn five_by_a_flip_loses() {
    let game = middle([".....", "...B.", ".....", "BBWBB", "..B.."], [0, 5], 12).play("d4-c3");
    assert_eq!(
        board(&game),
        json!([".....", ".....", "..B..", "BBBBB", "..B.."])
    );
    assert_eq!(game.end(), "0 1 five");
}

#[test]
fn white_loses_by_five_too() {
    let game = middle(["....B", ".....", ".....", "..W..", "WW.WW"], [5, 1], 11).play("c2-c1");
    assert_eq!(game.end(), "1 0 five");
}

#[test]
fn five_is_tested_before_four() {
    // The move makes five along rank 1 and a four on file c: the five decides.
    let game = middle([".....", "..B..", "..B..", "..BB.", "BB.BB"], [0, 4], 12).play("d2-c1");
    assert_eq!(
        board(&game),
        json!([".....", "..B..", "..B..", "..B..", "BBBBB"])
    );
    assert_eq!(game.end(), "0 1 five");
}

#[test]
fn a_side_without_pieces_and_hand_has_lost() {
    let game = middle(["B.B..", "B..BB", ".....", ".W...", "B..BB"], [3, 0], 14).play("d4-c3");
    assert_eq!(
        board(&game),
        json!(["B.B..", "B...B", "..B..", ".B...", "B..BB"])
    );
    assert_eq!(game.end(), "1 0 no-moves");
}

#[test]
fn a_side_with_a_piece_in_hand_goes_on_without_pieces_on_the_board() {
    let game = middle([".....", ".....", ".....", "...B.", "BW..."], [4, 5], 4).play("d2-c1");
    assert_eq!(game.end(), "goes on");
    assert_eq!(game.mover(), Some(1));
}

#[test]
fn a_stuck_side_has_lost() {
    let game = game().play(
        "e4 a1 d1 b2 a3 e3 e1 a5 c2 e3-d2 c5 a5-b5 a3-b3 b5-b4 d1-c1 d2-d1 c5-d5 a5 e4-e5 b3-a3 \
         d5-c4 a1-b1 c4-c3 d2 c3-d4 b4-c4 d4-e4 c4-b3 e4-d3 a5-b5 d3-e3 b2-c3 e3-d4 a3-a2 d4-d5 \
         c3-b4 e5-d4 b5-c4 d4-d3 d1-e2 d5-e4 c2-c3 e1-d1 c1-c2 e4-e3 d3-e4 d1-e1",
    );
    assert_eq!(game.end(), "goes on");
    assert_eq!(game.play("c2-d1").end(), "0 1 no-moves");
}

#[test]
fn the_third_occurrence_is_a_draw() {
    let game = game().play("a1 e5").play(ROUND);
    assert_eq!(game.view()["repetitions"], 2);
    assert_eq!(game.end(), "goes on");
    assert_eq!(game.play(ROUND).end(), "0 0 repetition");
}

#[test]
fn the_same_board_with_another_side_to_move_is_another_position() {
    // Blue comes back in three turns, White in two: now White is to move.
    let game = game().play("a1 e5 a1-a2 e5-e4 a2-b1 e4-e5 b1-a1");
    assert_eq!(board(&game), board(&self::game().play("a1 e5")));
    assert_eq!(game.view()["repetitions"], 1);
}

#[test]
fn a_put_makes_a_new_position() {
    let game = game().play("a1 e5").play(ROUND).play("c1 c5").play(ROUND);
    assert_eq!(game.view()["repetitions"], 2);
    assert_eq!(game.end(), "goes on");
}

#[test]
fn the_limit_is_300_plies_unless_said_otherwise() {
    are_limited_to::<Yonmoque>(300, "a1", "a2");
}

#[test]
fn a_win_or_loss_on_the_last_ply_counts() {
    let nine_plies = || start::<Yonmoque>(r#"{"max_plies":9}"#);
    assert_eq!(
        nine_plies().play("a1 a5 b1 b5 c1 d5 d2 e4 d2-d1").end(),
        "1 0 four"
    );
    assert_eq!(
        nine_plies().play("a1 a5 b1 b5 c1 d5 d1 e4 e1").end(),
        "0 1 five"
    );
    let board = ["B.B..", "B..BB", ".....", ".W...", "B..BB"];
    let game = middle_with(r#"{"max_plies":15}"#, board, [3, 0], 14).play("d4-c3");
    assert_eq!(game.end(), "1 0 no-moves");
}

#[test]
fn repetition_is_tested_before_the_limit() {
    let game = start::<Yonmoque>(r#"{"max_plies":10}"#)
        .play("a1 e5")
        .play(ROUND)
        .play(ROUND);
    assert_eq!(game.end(), "0 0 repetition");
}

#[test]
fn a_refusal_says_why() {
    let game = game().play("c1 e5");
    for (action, why) in [
        ("a2-a3", "there is no piece on a2"),
        ("e5-e4", "the piece on e5 is your opponent's"),
        ("c1-c1", "a move from c1 to c1 goes nowhere"),
        (
            "c1-d5",
            "d5 is more than a step from c1, and slides are diagonal",
        ),
        ("e5", "e5 is not empty"),
    ] {
        assert_eq!(game.refusal(action).as_deref(), Some(why));
    }
    let over = game.play("c2 e1 c3 e2 d4 d1 d4-c4");
    assert_eq!(over.refusal("a1").as_deref(), Some("the match is over"));
}

#[test]
fn what_is_not_in_the_notation_is_malformed() {
    let texts = [
        "", " ", "c", "3", "3c", "C3", "c3 ", " c3", "c03", "c6", "c0", "f1", "+c3", "xc3", "c3-",
        "-c3", "b4c3", "b4 c3", "b4-c3 ", "b4 -c3", "b4-C3", "b4-c6", "b4xc3", "b4-c3-d2", "b4–c3",
        "c3\n", "c3.", "é3",
    ];
    let reasons = [
        ("f1", r#""f1" names no square: those are a1 to e5"#),
        ("b4xc3", r#""b4xc3" is not like c3 or b4-c3"#),
    ];
    are_malformed::<Yonmoque>(&texts, &reasons);
}

#[test]
fn all_actions_survive_being_written_and_read() {
    let mut all = squares();
    for from in squares() {
        all.extend(squares().iter().map(|to| format!("{from}-{to}")));
    }
    survive_being_written_and_read::<Yonmoque>(all);
}

#[test]
fn views_that_contradict_themselves_are_refused() {
    let possible = json!({
        "board": [".....", "..W..", "..B..", "..B..", "....."],
        "hands": [5, 4], "to_move": 1, "ply": 5, "repetitions": 1
    });
    let changes = [
        ("hands", json!([5, 5]), "there are not 12 pieces in all"),
        ("hands", json!([7, 4]), "a hand has at most 6 pieces"),
        (
            "board",
            json!([".....", "..W..", "..b..", "..B..", "....."]),
            "'b' on c3 is none of . B W",
        ),
        ("ply", json!(4), "at ply 4 it is seat 0's turn"),
        ("to_move", json!(0), "at ply 5 it is seat 1's turn"),
        (
            "over",
            json!({ "winner": 0, "reason": "four" }),
            "at ply 5 it is seat 1's turn",
        ),
        (
            "over",
            json!({ "winner": 0, "reason": "luck" }),
            "unknown variant `luck`, expected one of `goal`, `line`, `four`, `five`, `no-moves`, `repetition`, `limit`",
        ),
    ];
    is_refused_with::<Yonmoque>(&possible, &changes);
    let five = json!({
        "board": ["WWWWW", ".....", ".....", ".....", "BB.BB"],
        "hands": [2, 1], "to_move": 0, "ply": 12, "repetitions": 1
    });
    assert_eq!(
        resume::<Yonmoque>("{}", &five).err().as_deref(),
        Some("the match is over: five")
    );
}

#[test]
fn a_view_tells_a_four_made_from_a_four_that_stands() {
    let made = game().play("a1 a5 b1 b5 c1 d5 d2 e4 d2-d1");
    let rebuilt = resume::<Yonmoque>("{}", &made.view()).expect("a view of the game");
    assert_eq!(rebuilt.end(), "1 0 four");
    let standing = game().play("a1 a5 b1 b5 c1 d5 d1");
    let rebuilt = resume::<Yonmoque>("{}", &standing.view()).expect("a view of the game");
    assert_eq!(rebuilt.end(), "goes on");
}

#[test]
fn a_board_in_the_middle_of_a_match() {
    let game = game().play("d1 b1 e3 b1-a2 a5 c5 d1-e1 a2-d5 a5-a4 b5 a4-b4");
    insta::assert_snapshot!(game.json(), @r#"{"board":[".WWW.",".B...","....B",".....","....B"],"hands":[3,3],"to_move":1,"ply":11,"repetitions":1}"#);
    insta::assert_snapshot!(Yonmoque::text(&game.game.view(Viewer::Public)), @r"
    Yonmoque, ply 11: White to move

      5   .  [W] (W) [W]  .
      4  [ ] (B) [ ] ( ) [ ]
      3  ( ) [ ]  .  [ ] (B)
      2  [ ] ( ) [ ] ( ) [ ]
      1   .  [ ] ( ) [ ]  B
          a   b   c   d   e

    in hand: Blue 3, White 3
    ( ) blue squares, [ ] white squares, the others neutral; B blue pieces, W white
    ");
}
