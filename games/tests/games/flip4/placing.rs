//! Part 1: the start, the order of play, placing, and what is not yet allowed.

use flipside_games::{Refusal, SeatTurn};
use serde_json::json;

use super::seat::{begun, fresh, placed};

/// Pieces of four seats of which none is near a line.
pub(crate) const FOUR_SEATS: [[u8; 4]; 4] = [
    [15, 1, 3, 24],
    [36, 30, 4, 6],
    [12, 9, 20, 18],
    [7, 0, 25, 11],
];

#[test]
fn the_starting_seat_is_a_chance_event() {
    let mut game = fresh("{}", 3);
    assert_eq!(game.table.turn(), SeatTurn::Chance);
    assert_eq!(game.view()["start"], json!(null));
    assert_eq!(game.view()["to_move"], json!(null));
    for refused in [r#"{"roll":[1,2]}"#, r#"{"start":3}"#, r#"{"start":-1}"#] {
        assert!(game.table.chance(refused).is_err(), "{refused}");
    }
    let mut game = game.chance(&json!({ "start": 2 }));
    assert_eq!(game.view()["start"], 2);
    assert_eq!(game.rolls_next(), Some(2));
    assert!(
        game.table.chance(r#"{"start":1}"#).is_err(),
        "once is enough"
    );
}

#[test]
fn seats_play_in_ascending_order_at_first() {
    for seats in 2..=4 {
        let mut game = begun("{}", seats, seats - 1);
        for (turn, number) in [1, 24, 36, 8, 30].into_iter().enumerate() {
            let seat = (usize::from(seats) - 1 + turn) % usize::from(seats);
            assert_eq!(game.rolls_next(), Some(seat as u64));
            game = game.place(number);
        }
        assert_eq!(game.view()["direction"], "ascending");
    }
}

#[test]
fn one_roll_is_one_event_of_both_dice() {
    let game = begun("{}", 2, 0).roll(2, 1);
    assert_eq!(game.view()["rolls"], json!([[2, 1]]));
    assert_eq!(game.asked(), Some(0));
    let mut game = begun("{}", 2, 0);
    for refused in [
        r#"{"roll":[2]}"#,
        r#"{"roll":[2,1,1]}"#,
        r#"{"roll":2}"#,
        r#"{"roll":[0,1]}"#,
        r#"{"roll":[1,7]}"#,
        r#"{"roll":[1,2],"start":0}"#,
        r#"{"roll":[1.0,2]}"#,
    ] {
        assert!(game.table.chance(refused).is_err(), "{refused}");
    }
}

#[test]
fn a_piece_is_placed_on_an_open_square_of_sum_difference_or_product() {
    assert_eq!(begun("{}", 2, 0).roll(2, 1).actions(), "1 2 3");
    assert_eq!(begun("{}", 2, 0).roll(3, 5).actions(), "15 2 8");
    let game = begun("{}", 2, 0).roll(6, 4);
    assert_eq!(game.actions(), "10 2 24");
    let game = game.act("24");
    assert_eq!(game.on(24), '0');
    assert_eq!(game.view()["hands"], json!([3, 4]));
}

#[test]
fn equal_results_count_once() {
    assert_eq!(begun("{}", 2, 0).roll(2, 2).actions(), "0 4");
}

#[test]
fn if_a_result_is_open_the_seat_must_place_on_one() {
    let game = begun("{}", 2, 0).roll(2, 1).act("3").roll(2, 1);
    assert_eq!(game.actions(), "1 2");
    assert_eq!(game.refusal("3"), "there is a piece on 3");
    assert_eq!(game.refusal("8"), "8 is no result of the dice");
    assert_eq!(
        game.refusal("pass"),
        "pieces are placed first, as in 12; they move when all are placed"
    );
}

#[test]
fn without_an_open_result_the_seat_rolls_again_and_nobody_acts_between() {
    let game = begun("{}", 2, 0).place(0).place(4).roll(2, 2);
    assert_eq!(game.rolls_next(), Some(0));
    let game = game.roll(2, 2);
    assert_eq!(game.rolls_next(), Some(0));
    assert_eq!(game.view()["rolls"], json!([[2, 2], [2, 2]]));
    let game = game.roll(1, 2);
    assert_eq!(game.actions(), "1 2 3", "the third roll has open results");
    assert_eq!(game.view()["phase"], "place");
}

#[test]
fn after_three_rolls_without_an_open_result_any_open_square_but_a_corner_will_do() {
    let game = begun("{}", 2, 0).place(0).place(4);
    let game = game.roll(2, 2).roll(2, 2).roll(2, 2);
    assert_eq!(game.view()["phase"], "place-anywhere");
    assert_eq!(
        game.actions(),
        "1 10 11 12 15 16 18 2 20 24 25 3 30 36 5 6 7 8 9"
    );
    assert_eq!(game.refusal("4"), "there is a piece on 4");
    assert!(matches!(
        game.table.check(0, "C"),
        Err(Refusal::Malformed(_))
    ));
    assert_eq!(game.act("36").on(36), '0');
}

#[test]
fn placing_anywhere_is_compulsory() {
    let game = begun("{}", 2, 0).place(0).place(4);
    let game = game.roll(2, 2).roll(2, 2).roll(2, 2);
    assert!(!game.actions().contains("pass"));
    assert!(game.refusal("pass").starts_with("pieces are placed first"));
}

#[test]
fn the_rolls_of_a_turn_are_counted_anew_in_the_next() {
    let game = begun("{}", 2, 0).place(0).place(4);
    let game = game.roll(2, 2).roll(2, 2).roll(2, 2).act("36");
    let game = game.roll(2, 2);
    assert_eq!(game.rolls_next(), Some(1));
}

#[test]
fn part_1_is_exactly_four_rounds() {
    for seats in 2..=4 {
        let mut game = begun("{}", seats as u8, 0);
        for round in 0..4 {
            for of in &FOUR_SEATS[..seats] {
                assert_eq!(game.view()["part"], 1);
                game = game.place(of[round]);
                assert_eq!(
                    game.view()["turns"],
                    game.view()["board"]
                        .to_string()
                        .matches(|letter: char| letter.is_ascii_digit())
                        .count()
                );
            }
        }
        assert_eq!(game.view()["part"], 2);
        assert_eq!(game.view()["turns"], 4 * seats);
        assert_eq!(game.view()["hands"], json!(vec![0; seats]));
    }
}

#[test]
fn nobody_moves_or_flips_until_all_pieces_are_placed() {
    let game = begun("{}", 2, 0).place(7).place(5).roll(1, 6);
    assert_eq!(
        game.actions(),
        "6",
        "a square with an opponent's piece is not open"
    );
    for later in ["7-6", "7-C-20", "7-5"] {
        assert!(
            game.refusal(later).starts_with("pieces are placed first"),
            "{later}"
        );
    }
    // Until every piece of every seat is placed: seat 1 has one in hand.
    let mut game = begun("{}", 2, 0);
    for number in [15, 36, 1, 30, 3, 4, 24] {
        game = game.place(number);
    }
    let game = game.roll(6, 6);
    assert_eq!(game.actions(), "0 12");
    assert!(game.refusal("36-10").starts_with("pieces are placed first"));
}

#[test]
fn a_double_changes_no_direction_before_all_pieces_are_placed() {
    let game = begun("{}", 3, 0).roll(1, 1).act("1");
    assert_eq!(game.rolls_next(), Some(1));
    let game = game.roll(2, 2).act("4");
    assert_eq!(game.rolls_next(), Some(2));
    assert_eq!(game.view()["direction"], "ascending");
}

#[test]
fn the_last_placing_roll_changes_no_direction() {
    // A 36 takes a double.
    let game = placed("{}", &[[15, 1, 3, 24], [30, 4, 6, 9], [12, 20, 18, 36]]);
    assert_eq!(game.view()["last"]["roll"], json!([6, 6]));
    assert_eq!(game.view()["direction"], "ascending");
    assert_eq!(game.rolls_next(), Some(0));
}

#[test]
fn four_in_a_line_wins_in_part_1_too() {
    let mut game = begun("{}", 2, 0);
    for number in [7, 15, 4, 16, 8, 12] {
        game = game.place(number);
        assert_eq!(game.end(), "goes on");
    }
    assert_eq!(game.place(10).end(), "[1, 0] line");
}
