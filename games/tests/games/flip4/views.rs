//! What everybody sees, how it is drawn, and matches that are built from it.

use flipside_games::{Flip4, Game, Viewer};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::moving::two;
use super::placing::FOUR_SEATS;
use super::seat::{SeatMatch, begun, fresh, placed};

/// Whether a match can be built from a view; the refusal if not.
fn built(options: &str, seats: u8, view: &Value) -> Result<Value, String> {
    let options = serde_json::from_str(options).expect("options");
    let view = <Flip4 as Game>::View::deserialize(view).map_err(|error| error.to_string())?;
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    match Flip4::from_view(&options, seats, Viewer::Seat(1), &view, &mut rng) {
        Ok(game) => Ok(serde_json::to_value(game.view(Viewer::Open)).expect("JSON")),
        Err(why) => Err(why.to_string()),
    }
}

/// Refused after this change, and taken before it.
fn refused(game: &SeatMatch, seats: u8, change: impl Fn(&mut Value)) {
    let mut view = game.view();
    assert_eq!(built("{}", seats, &view).as_ref(), Ok(&view));
    change(&mut view);
    let told = built("{}", seats, &view);
    assert!(told.is_err(), "{view} is taken");
}

#[test]
fn every_pending_situation_is_in_the_view() {
    let phase = |game: &SeatMatch| game.view()["phase"].clone();
    let game = fresh("{}", 2);
    assert_eq!(phase(&game), "start");
    let game = game.chance(&json!({ "start": 0 }));
    assert_eq!(phase(&game), "roll");
    let game = game.roll(2, 2);
    assert_eq!(phase(&game), "place");
    let game = game.act("0").place(4).roll(2, 2).roll(2, 2);
    assert_eq!(phase(&game), "roll");
    assert_eq!(
        game.view()["rolls"],
        json!([[2, 2], [2, 2]]),
        "the next is the third"
    );
    assert_eq!(phase(&game.roll(2, 2)), "place-anywhere");
    let game = two().roll(3, 5);
    assert_eq!(phase(&game), "move");
    let mut game = two();
    for _ in 0..5 {
        game = game.roll(4, 4);
    }
    assert_eq!(phase(&game), "free-move");
    assert_eq!(phase(&begun(r#"{"max_turns":1}"#, 2, 0).place(1)), "over");
}

#[test]
fn a_match_goes_on_from_its_view_in_every_situation() {
    let mut free = two();
    for _ in 0..5 {
        free = free.roll(4, 4);
    }
    for game in [
        fresh("{}", 2),
        begun("{}", 2, 1),
        begun("{}", 2, 0).roll(2, 2),
        begun("{}", 2, 0).place(0).place(4).roll(2, 2),
        begun("{}", 2, 0)
            .place(0)
            .place(4)
            .roll(2, 2)
            .roll(2, 2)
            .roll(2, 2),
        begun("{}", 2, 0)
            .place(0)
            .place(4)
            .roll(2, 2)
            .roll(2, 2)
            .roll(2, 2)
            .act("36"),
        two(),
        two().roll(3, 5),
        two().roll(3, 5).act("15-C-36"),
        two().roll(3, 5).act("15-C-15"),
        two().roll(4, 4),
        SeatMatch {
            table: free.table.copy(),
        },
        free.act("pass"),
    ] {
        let view = game.view();
        assert_eq!(built("{}", 2, &view), Ok(view));
    }
}

#[test]
fn a_view_whose_board_is_impossible_is_refused() {
    let game = begun("{}", 2, 0).place(8).place(5).place(7);
    refused(&game, 2, |view| view["board"][0] = "0...C".into());
    refused(&game, 2, |view| view["board"][0] = "C..CC".into());
    refused(&game, 2, |view| view["board"][0] = ".....".into());
    refused(&game, 2, |view| view["board"][0] = "C.0.C".into());
    refused(&game, 2, |view| view["board"][1] = ".2.0.".into());
    refused(&game, 2, |view| view["layout"][0][1] = 16.into());
    refused(&game, 2, |view| view["layout"][0][1] = 13.into());
    refused(&game, 2, |view| view["hands"] = json!([3, 3]));
    refused(&game, 2, |view| view["hands"] = json!([2, 3, 4]));
    refused(&game, 2, |view| view["lost_turns"] = json!([0]));
    // Seat 1 may have begun instead, were it not for the number of pieces.
    refused(&game, 2, |view| view["start"] = 1.into());
    refused(&game, 2, |view| view["start"] = 2.into());
    refused(&game, 2, |view| view["start"] = Value::Null);
}

#[test]
fn a_view_whose_turn_is_impossible_is_refused() {
    let game = begun("{}", 3, 0).place(8).place(5).roll(2, 2);
    refused(&game, 3, |view| view["to_move"] = 0.into());
    refused(&game, 3, |view| view["to_move"] = Value::Null);
    refused(&game, 3, |view| view["to_move"] = 7.into());
    refused(&game, 3, |view| view["direction"] = "descending".into());
    refused(&game, 3, |view| view["part"] = 2.into());
    refused(&game, 3, |view| view["phase"] = "roll".into());
    refused(&game, 3, |view| view["phase"] = "free-move".into());
    refused(&game, 3, |view| view["turns"] = 3.into());
    refused(&game, 3, |view| view["turns"] = u32::MAX.into());
    refused(&game, 3, |view| view["rolls"] = json!([[2, 7]]));
    refused(&game, 3, |view| view["rolls"] = json!([[2, 2, 2]]));
    refused(&game, 3, |view| view["last"] = Value::Null);
    refused(&game, 3, |view| {
        view["over"] = json!({ "points": [0, 0, 0], "reason": "limit" });
    });
    refused(&game, 3, |view| view["more"] = 1.into());
}

#[test]
fn a_view_whose_last_turn_is_impossible_is_refused() {
    // Seat 0 went from 15 to 4 with a 3 and a 5, and flipped the piece there.
    let game = two().roll(3, 5).act("15-4");
    refused(&game, 2, |view| view["last"]["seat"] = 1.into());
    refused(&game, 2, |view| view["last"]["seat"] = 200.into());
    refused(&game, 2, |view| view["last"]["action"] = "15-C-13".into());
    // A double that turns the order of play leaves no other seat and no other order.
    let game = placed("{}", &FOUR_SEATS[..3]).roll(4, 4);
    refused(&game, 3, |view| view["direction"] = "ascending".into());
    refused(&game, 3, |view| view["to_move"] = 1.into());
}

#[test]
fn a_view_that_hides_or_makes_up_an_end_is_refused() {
    let line = placed("{}", &[[7, 4, 8, 36], [6, 1, 20, 24]])
        .roll(6, 6)
        .act("36-10");
    refused(&line, 2, |view| {
        view.as_object_mut().expect("an object").remove("over");
        view["phase"] = "roll".into();
        view["to_move"] = 1.into();
    });
    refused(&line, 2, |view| view["over"]["points"] = json!([0, 1]));
    refused(&line, 2, |view| view["over"]["reason"] = "limit".into());
}

#[test]
fn a_view_is_written_so() {
    insta::assert_snapshot!(two().roll(4, 4).roll(4, 6).json(), @r#"{"layout":[[null,15,16,12,null],[9,7,4,8,10],[25,6,1,3,36],[30,2,5,0,20],[null,18,24,11,null]],"board":["C0..C","..1..",".1001","1....","C.0.C"],"part":2,"phase":"roll","start":0,"direction":"ascending","to_move":0,"rolls":[],"hands":[0,0],"lost_turns":[1,1],"turns":10,"last":{"seat":1,"roll":[4,6],"action":null}}"#);
    let over = begun(r#"{"max_turns":1}"#, 2, 0).place(36);
    insta::assert_snapshot!(over.json(), @r#"{"layout":[[null,15,16,12,null],[9,7,4,8,10],[25,6,1,3,36],[30,2,5,0,20],[null,18,24,11,null]],"board":["C...C",".....","....0",".....","C...C"],"part":1,"phase":"over","start":0,"direction":"ascending","to_move":null,"rolls":[],"hands":[3,4],"lost_turns":[0,0],"turns":1,"last":{"seat":0,"roll":[6,6],"action":"36"},"over":{"points":[0,0],"reason":"limit"}}"#);
}

#[test]
fn a_board_is_drawn_in_letters_with_dice_and_seats() {
    let game = two().roll(4, 4).roll(4, 6);
    insta::assert_snapshot!(game.table.text(Viewer::Public), @r"
    FLIP 4, turn 11: seat 0 to roll

      +------+------+------+------+------+
      |      |  15  |  16  |  12  |      |
      |  C   | (0)  |      |      |  C   |
      +------+------+------+------+------+
      |   9  |   7  |   4  |   8  |  10  |
      |      |      | (1)  |      |      |
      +------+------+------+------+------+
      |  25  |   6  |   1  |   3  |  36  |
      |      | (1)  | (0)  | (0)  | (1)  |
      +------+------+------+------+------+
      |  30  |   2  |   5  |   0  |  20  |
      | (1)  |      |      |      |      |
      +------+------+------+------+------+
      |      |  18  |  24  |  11  |      |
      |  C   |      | (0)  |      |  C   |
      +------+------+------+------+------+

    last turn: seat 1 rolled 4 and 6, lost the turn: no match
    > (0) seat 0, lost 1 turn
      (1) seat 1, lost 1 turn
    ");
    let game = placed("{}", &FOUR_SEATS[..3]).roll(4, 4);
    insta::assert_snapshot!(game.table.text(Viewer::Public), @r"
    FLIP 4, turn 14: seat 2 to roll

      +------+------+------+------+------+
      |      |  15  |  16  |  12  |      |
      |  C   | (0)  |      | (2)  |  C   |
      +------+------+------+------+------+
      |   9  |   7  |   4  |   8  |  10  |
      | (2)  |      | (1)  |      |      |
      +------+------+------+------+------+
      |  25  |   6  |   1  |   3  |  36  |
      |      | (1)  | (0)  | (0)  | (1)  |
      +------+------+------+------+------+
      |  30  |   2  |   5  |   0  |  20  |
      | (1)  |      |      |      | (2)  |
      +------+------+------+------+------+
      |      |  18  |  24  |  11  |      |
      |  C   | (2)  | (0)  |      |  C   |
      +------+------+------+------+------+

    last turn: seat 0 rolled 4 and 4, lost the turn: no match
      (0) seat 0, lost 1 turn
      (1) seat 1
    > (2) seat 2
    order of play: descending
    ");
}

/// How often a part of a picture is there.
fn count(game: &SeatMatch, part: &str) -> usize {
    game.table.svg(Viewer::Public).matches(part).count()
}

#[test]
fn a_picture_shows_every_number_also_under_pieces() {
    let game = two();
    for number in FOUR_SEATS.concat().into_iter().chain([2, 5, 8, 10, 16]) {
        assert_eq!(count(&game, &format!(">{number}</text>")), 1, "{number}");
    }
    assert_eq!(count(&game, ">C</text>"), 4);
}

#[test]
fn a_picture_shows_the_dice_their_results_and_what_they_match() {
    let game = two().roll(3, 5);
    for sum in ["3+5=8", "5−3=2", "3×5=15"] {
        assert_eq!(count(&game, &format!(">{sum}</text>")), 1, "{sum}");
    }
    // The pips of a 3 and a 5; nothing else is so small.
    assert_eq!(count(&game, "r=\"5\"/>"), 8);
    assert_eq!(count(&game, ">Seat 0 to move from 15</text>"), 1);
    // One square and one result are lit; two squares of results are of no use.
    assert_eq!(count(&game, "fill=\"#ffd76a\""), 2);
    assert_eq!(count(&game, "stroke-dasharray=\"6 5\""), 2);
}

#[test]
fn a_picture_shows_the_dice_that_lost_a_turn() {
    let game = two().roll(4, 4);
    assert_eq!(count(&game, ">seat 0 lost the turn: no match</text>"), 1);
    assert_eq!(count(&game, "r=\"5\"/>"), 8);
    assert_eq!(count(&game, ">lost 1 turn</text>"), 1);
    assert_eq!(count(&game, ">Seat 1 to roll</text>"), 1);
}

#[test]
fn a_picture_shows_who_won() {
    let line = placed("{}", &[[7, 4, 8, 36], [6, 1, 20, 24]])
        .roll(6, 6)
        .act("36-10");
    assert_eq!(count(&line, ">Seat 0 wins: line</text>"), 1);
    assert_eq!(count(&line, "stroke-width=\"70\""), 1);
    let both = placed(
        r#"{"double_line":"both"}"#,
        &[[7, 4, 8, 36], [6, 1, 3, 10], [15, 24, 30, 20]],
    );
    let both = both.roll(6, 6).act("36-10");
    assert_eq!(count(&both, ">Seats 0 and 1 win: line</text>"), 1);
    assert_eq!(count(&both, "stroke-width=\"70\""), 2);
    let limit = begun(r#"{"max_turns":1}"#, 2, 0).place(1);
    assert_eq!(count(&limit, ">Draw: limit</text>"), 1);
}
