//! How actions are written: byte order, one spelling, malformed and illegal.

use flipside_games::Refusal;

use super::moving::two;
use super::plain::notation;
use super::seat::begun;

fn game() -> super::seat::SeatMatch {
    two().roll(3, 5)
}

#[test]
fn actions_are_listed_in_byte_order_each_once() {
    let mut game = two();
    for _ in 0..5 {
        game = game.roll(4, 4);
    }
    let listed = game.table.actions(0);
    assert!(listed.is_sorted_by(|before, after| before < after));
    assert_eq!(
        listed.len(),
        4 + 18 + 7 + 7 + 5 + 1,
        "by 15, its corner, 1, 3, 24, a pass"
    );
    let placing = begun("{}", 2, 0).roll(6, 4);
    assert_eq!(placing.table.actions(0), ["10", "2", "24"]);
}

#[test]
fn what_is_written_otherwise_is_malformed() {
    let game = game();
    for text in [
        "",
        " ",
        "C",
        "c",
        "15-c-20",
        "15-C",
        "C-20",
        "15-C-",
        "15--20",
        "015-20",
        "15-07",
        "15 - 20",
        "15-20 ",
        "+15",
        "15_20",
        "Pass",
        "PASS",
        "pass-1",
        "15-C-20-C",
        "15-C-C-20",
        "15-20-C",
        "15-7-16",
        "15x7",
        "a1-a2",
        "-",
        "−7",
        "１５",
    ] {
        let answer = game.table.check(0, text);
        assert!(
            matches!(answer, Err(Refusal::Malformed(_))),
            "{text:?}: {answer:?}"
        );
    }
}

#[test]
fn a_number_that_two_dice_cannot_give_is_malformed() {
    let game = game();
    for number in (0..=300).filter(|number| !notation().contains(&number.to_string())) {
        for text in [
            format!("{number}"),
            format!("{number}-7"),
            format!("15-{number}"),
            format!("15-C-{number}"),
        ] {
            let answer = game.table.check(0, &text);
            assert!(
                matches!(answer, Err(Refusal::Malformed(_))),
                "{text:?}: {answer:?}"
            );
        }
    }
}

#[test]
fn what_is_in_the_notation_and_not_allowed_now_is_illegal() {
    let game = game();
    let listed = game.table.actions(0);
    let mut illegal = 0;
    for text in notation() {
        match game.table.check(0, &text) {
            Ok(()) => assert!(listed.contains(&text), "{text}"),
            Err(Refusal::Illegal(_)) => illegal += 1,
            Err(other) => panic!("{text}: {other:?}"),
        }
    }
    assert_eq!(illegal + listed.len(), notation().len());
}

#[test]
fn a_malformed_text_is_told_what_it_should_be_like() {
    let answer = game().table.check(0, "north").expect_err("no such action");
    assert_eq!(
        answer.to_string(),
        r#""north" in "north" is no number of the board"#
    );
    let answer = game()
        .table
        .check(0, "15-7-16")
        .expect_err("no such action");
    assert_eq!(
        answer.to_string(),
        r#""15-7-16" is not like 12, 7-16, 15-C-20 or pass"#
    );
}

#[test]
fn a_seat_whose_turn_it_is_not_is_refused() {
    let answer = game()
        .table
        .check(1, "15-7")
        .expect_err("seat 0 is to move");
    assert_eq!(answer, Refusal::Unasked("it is not seat 1's turn".into()));
    let answer = two()
        .table
        .check(0, "15-7")
        .expect_err("the dice come first");
    assert_eq!(answer, Refusal::Unasked("it is chance's turn".into()));
}
