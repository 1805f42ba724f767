//! Part 2: matches, moves, flips, corners, lost turns, doubles.

use serde_json::json;

use super::placing::FOUR_SEATS;
use super::seat::{SeatMatch, begun, placed};

/// Seat 0 is on 15, 1, 3, 24 and seat 1 on 36, 30, 4, 6. Two fours match nobody; 3 and 5 match
/// the 15 alone.
pub(crate) fn two() -> SeatMatch {
    placed("{}", &FOUR_SEATS[..2])
}

fn three() -> SeatMatch {
    placed("{}", &FOUR_SEATS[..3])
}

/// Seat 0's third turn without a match.
fn free() -> SeatMatch {
    let mut game = two();
    for _ in 0..5 {
        game = game.roll(4, 4);
    }
    game
}

#[test]
fn part_2_begins_with_the_starting_seat_ascending_and_no_lost_turns() {
    for start in 0..3 {
        let mut game = begun("{}", 3, start);
        for round in 0..4 {
            for of in &FOUR_SEATS[..3] {
                game = game.place(of[round]);
            }
        }
        assert_eq!(game.rolls_next(), Some(start.into()));
        assert_eq!(game.view()["direction"], "ascending");
        assert_eq!(game.view()["lost_turns"], json!([0, 0, 0]));
    }
}

#[test]
fn a_matched_piece_moves_one_square_in_any_of_eight_directions() {
    let game = placed("{}", &[[1, 12, 36, 18], [9, 30, 20, 24]]).roll(1, 1);
    assert_eq!(game.view()["phase"], "move");
    assert_eq!(game.actions(), "1-0 1-2 1-3 1-4 1-5 1-6 1-7 1-8");
    assert_eq!(game.refusal("1-16"), "16 is not next to 1");
    assert_eq!(game.refusal("1-1"), "1 is not next to 1");
    let game = game.act("1-4");
    assert_eq!((game.on(1), game.on(4)), ('.', '0'));
    assert_eq!(game.rolls_next(), Some(1));
}

#[test]
fn with_several_matches_the_seat_chooses_one() {
    let game = two().roll(1, 3);
    // 4 is seat 1's, 2 is open, 3 is seat 0's.
    assert!(
        game.actions()
            .split(' ')
            .all(|action| action.starts_with("3-"))
    );
    let game = placed("{}", &[[7, 1, 20, 24], [36, 30, 4, 6]]).roll(3, 4);
    let from = |game: &SeatMatch, from: &str| {
        let actions = game.actions();
        actions
            .split(' ')
            .filter(|action| action.starts_with(from))
            .count()
    };
    assert!(from(&game, "1-") > 0 && from(&game, "7-") > 0);
    assert_eq!(from(&game, "1-") + from(&game, "7-"), from(&game, ""));
    assert_eq!(game.refusal("24-18"), "24 is no result of the dice");
    assert_eq!(game.refusal("36-10"), "you have no piece on 36");
    assert_eq!(game.refusal("2-5"), "you have no piece on 2");
    assert_eq!(
        game.act("7-16").rolls_next(),
        Some(1),
        "one move ends the turn"
    );
}

#[test]
fn whoever_has_a_match_must_move() {
    let game = two().roll(3, 5);
    assert!(!game.actions().contains("pass"));
    assert_eq!(game.refusal("pass"), "you have a match, so you must move");
    assert_eq!(
        game.refusal("2"),
        "all pieces are placed; move one of them, as in 7-16"
    );
}

#[test]
fn a_matched_piece_can_always_move() {
    let default = [
        [0, 15, 16, 12, 0],
        [9, 7, 4, 8, 10],
        [25, 6, 1, 3, 36],
        [30, 2, 5, 0, 20],
        [0, 18, 24, 11, 0],
    ];
    let number = |row: usize, column: usize| {
        let is_corner = row % 4 == 0 && column % 4 == 0;
        (row < 5 && column < 5 && !is_corner).then(|| default[row][column])
    };
    let mut tried = 0;
    for (row, column) in (0..5).flat_map(|row| (0..5).map(move |column| (row, column))) {
        let Some(from) = number(row, column) else {
            continue;
        };
        let mut around = Vec::new();
        for (r, c) in (0..9).map(|at| (row + at / 3, column + at % 3)) {
            if (r, c) != (row + 1, column + 1) && r > 0 && c > 0 {
                around.extend(number(r - 1, c - 1));
            }
        }
        for (a, b, c) in triples(&around) {
            // Pieces on the edge are never in a line.
            let mut others = vec![15, 36, 30, 11, 12, 25, 18, 20];
            others.retain(|number| ![from, a, b, c].contains(number));
            let other = [others[0], others[1], others[2], others[3]];
            let mut game = begun("{}", 2, 1);
            for (one, own) in other.into_iter().zip([from, a, b, c]) {
                game = game.place(one).place(own);
            }
            tried += 1;
            // Seat 1 begins; seat 0 gets its turn after whatever seat 1 does by a lost turn.
            let to_move = lose_a_turn(&game);
            let actions = roll_for(to_move, from).actions();
            let mut from_here = actions.split(' ');
            assert!(
                from_here.any(|action| action.starts_with(&format!("{from}-"))),
                "{actions}"
            );
        }
    }
    assert_eq!(tried, 492);
}

fn triples(of: &[u8]) -> Vec<(u8, u8, u8)> {
    let mut triples = Vec::new();
    for (a, &one) in of.iter().enumerate() {
        for (b, &two) in of.iter().enumerate().skip(a + 1) {
            triples.extend(of.iter().skip(b + 1).map(|&three| (one, two, three)));
        }
    }
    triples
}

/// Rolls what matches no piece of the seat to move.
fn lose_a_turn(game: &SeatMatch) -> SeatMatch {
    let before = game.view()["turns"].clone();
    for (a, b) in (1..=6).flat_map(|a| (a..=6).map(move |b| (a, b))) {
        let copy = SeatMatch {
            table: game.table.copy(),
        }
        .roll(a, b);
        if copy.view()["turns"] != before {
            return copy;
        }
    }
    panic!("every roll matches");
}

fn roll_for(game: SeatMatch, number: u8) -> SeatMatch {
    for (a, b) in (1..=6u8).flat_map(|a| (a..=6).map(move |b| (a, b))) {
        if [a + b, b - a, a * b].contains(&number) {
            return game.roll(a, b);
        }
    }
    panic!("dice do not give {number}");
}

#[test]
fn a_piece_does_not_move_onto_ones_own_piece() {
    let game = placed("{}", &[[7, 1, 20, 24], [36, 30, 4, 6]]).roll(3, 4);
    assert_eq!(game.refusal("7-1"), "your own piece is on 1");
    assert_eq!(game.refusal("7-C-24"), "your own piece is on 24");
    assert!(
        !game
            .actions()
            .split(' ')
            .any(|action| action == "7-1" || action == "7-C-24")
    );
}

#[test]
fn a_piece_that_moves_onto_an_opponents_piece_changes_places_with_it() {
    let game = two().roll(3, 5).act("15-4");
    assert_eq!((game.on(4), game.on(15)), ('0', '1'));
}

#[test]
fn from_a_corner_a_piece_goes_on_to_any_square_in_the_same_action() {
    let game = two().roll(3, 5);
    assert_eq!(
        game.actions(),
        "15-16 15-4 15-7 15-9 15-C-0 15-C-10 15-C-11 15-C-12 15-C-15 15-C-16 15-C-18 15-C-2 \
         15-C-20 15-C-25 15-C-30 15-C-36 15-C-4 15-C-5 15-C-6 15-C-7 15-C-8 15-C-9"
    );
    let game = game.act("15-C-20");
    assert_eq!((game.on(15), game.on(20)), ('.', '0'));
    assert_eq!(game.rolls_next(), Some(1));
}

#[test]
fn an_opponent_beyond_the_corner_goes_to_the_square_before_it() {
    let game = two().roll(3, 5).act("15-C-36");
    assert_eq!((game.on(15), game.on(36)), ('1', '0'));
}

#[test]
fn only_a_piece_next_to_a_corner_goes_by_it() {
    let game = two().roll(1, 2);
    assert_eq!(game.refusal("1-C-20"), "1 is not next to a corner");
    assert_eq!(game.refusal("3-C-20"), "3 is not next to a corner");
    let next_to_a_corner = [15, 9, 7, 12, 10, 8, 30, 18, 2, 20, 11, 0];
    for from in next_to_a_corner
        .into_iter()
        .chain([1, 3, 4, 5, 6, 16, 24, 25, 36])
    {
        let mut edge = vec![15, 16, 12, 9, 10, 25, 36, 30, 20, 18, 24, 11];
        edge.retain(|&other| other != from);
        let own = [from, edge[0], edge[1], edge[2]];
        let game = placed("{}", &[own, [edge[3], edge[4], edge[5], edge[6]]]);
        let actions = roll_for(game, from).actions();
        let by_a_corner = actions.contains(&format!("{from}-C-"));
        assert_eq!(by_a_corner, next_to_a_corner.contains(&from), "{from}");
    }
}

#[test]
fn with_corner_return_a_piece_may_go_back_and_that_is_a_move() {
    let game = two().roll(4, 4).roll(4, 4);
    assert_eq!(game.view()["lost_turns"], json!([1, 1]));
    let before = game.view()["board"].clone();
    let game = game.roll(3, 5).act("15-C-15");
    assert_eq!(game.view()["board"], before);
    assert_eq!(game.view()["lost_turns"], json!([0, 1]));
    assert_eq!(game.view()["turns"], 8 + 3);
    assert_eq!(game.rolls_next(), Some(1));
}

#[test]
fn without_corner_return_a_piece_may_not_go_back() {
    let game = placed(r#"{"corner_return":false}"#, &FOUR_SEATS[..2]).roll(3, 5);
    assert_eq!(
        game.refusal("15-C-15"),
        "a piece may not go back to where it began (option corner_return)"
    );
    assert!(!game.actions().contains("15-C-15"));
    assert!(game.actions().contains("15-C-16"));
}

#[test]
fn to_a_neighbour_by_the_corner_or_straight_is_the_same() {
    let straight = two().roll(3, 5).act("15-7").view();
    let mut by_the_corner = two().roll(3, 5).act("15-C-7").view();
    assert_eq!(by_the_corner["last"]["action"], "15-C-7");
    by_the_corner["last"]["action"] = "15-7".into();
    assert_eq!(straight, by_the_corner);
}

#[test]
fn without_a_match_the_turn_is_lost_without_an_action() {
    let game = two().roll(4, 4);
    assert_eq!(game.asked(), None);
    assert_eq!(game.rolls_next(), Some(1));
    assert_eq!(game.view()["lost_turns"], json!([1, 0]));
    assert_eq!(
        game.view()["last"],
        json!({ "seat": 0, "roll": [4, 4], "action": null })
    );
}

#[test]
fn an_opponents_piece_on_a_result_is_no_match() {
    // 6, 4 and 5: the first two are seat 1's.
    assert_eq!(two().roll(1, 5).rolls_next(), Some(1));
}

#[test]
fn on_the_third_lost_turn_in_a_row_any_piece_may_move_in_that_same_turn() {
    let game = two().roll(4, 4).roll(4, 4).roll(4, 4).roll(4, 4);
    assert_eq!(game.view()["lost_turns"], json!([2, 2]));
    let game = game.roll(4, 4);
    assert_eq!(game.view()["phase"], "free-move");
    assert_eq!(game.asked(), Some(0));
    assert_eq!(game.view()["lost_turns"], json!([3, 2]));
    let actions = game.actions();
    for piece in ["1-", "15-", "24-", "3-"] {
        assert!(
            actions.split(' ').any(|action| action.starts_with(piece)),
            "{piece}"
        );
    }
    let game = game.act("24-18");
    assert_eq!(game.on(18), '0');
    assert_eq!(game.view()["lost_turns"], json!([0, 2]));
    assert_eq!(
        game.roll(4, 4).asked(),
        Some(1),
        "seat 1 has its own third lost turn"
    );
}

#[test]
fn a_free_move_may_be_left_by_a_pass() {
    let game = free();
    assert!(game.actions().ends_with(" pass"));
    let before = game.view()["board"].clone();
    let game = game.act("pass");
    assert_eq!(game.view()["board"], before);
    assert_eq!(game.rolls_next(), Some(1));
    assert_eq!(game.view()["last"]["action"], "pass");
}

#[test]
fn all_rules_of_a_move_apply_to_a_free_move() {
    let game = free();
    assert_eq!(game.refusal("3-1"), "your own piece is on 1");
    assert_eq!(game.refusal("3-15"), "15 is not next to 3");
    assert_eq!(game.refusal("24-C-20"), "24 is not next to a corner");
    assert_eq!(game.refusal("36-10"), "you have no piece on 36");
    let flipped = SeatMatch {
        table: game.table.copy(),
    }
    .act("1-6");
    assert_eq!((flipped.on(1), flipped.on(6)), ('1', '0'));
    let by_the_corner = game.act("15-C-30");
    assert_eq!((by_the_corner.on(15), by_the_corner.on(30)), ('1', '0'));
}

#[test]
fn after_a_free_move_or_a_pass_the_count_starts_again() {
    for action in ["24-18", "pass"] {
        let game = free().act(action);
        assert_eq!(game.view()["lost_turns"], json!([0, 2]));
        let game = game.roll(4, 4).act("pass").roll(4, 4);
        assert_eq!(game.view()["lost_turns"], json!([1, 0]));
        assert_eq!(game.rolls_next(), Some(1));
    }
}

#[test]
fn a_match_starts_the_count_again() {
    let game = two().roll(4, 4).roll(4, 4).roll(4, 4).roll(4, 4);
    let game = game.roll(3, 5);
    assert_eq!(game.view()["lost_turns"], json!([0, 2]));
    let game = game.act("15-16").roll(4, 6).act("6-25");
    let game = game.roll(5, 5);
    assert_eq!(game.view()["lost_turns"], json!([1, 0]));
}

#[test]
fn a_double_reverses_the_order_of_play_after_the_turn() {
    let game = three().roll(1, 1);
    assert_eq!(
        game.view()["direction"],
        "ascending",
        "not before the turn is over"
    );
    let game = game.act("1-5");
    assert_eq!(game.view()["direction"], "descending");
    assert_eq!(game.rolls_next(), Some(2));
    let game = game.roll(2, 6).act("12-16");
    assert_eq!(game.rolls_next(), Some(1), "until there is another double");
    let game = game.roll(2, 2).act("4-8");
    assert_eq!(game.view()["direction"], "ascending");
    assert_eq!(game.rolls_next(), Some(2));
}

#[test]
fn a_double_reverses_with_four_seats_too() {
    let game = placed("{}", &FOUR_SEATS).roll(1, 1).act("1-5");
    assert_eq!(game.rolls_next(), Some(3));
}

#[test]
fn a_double_reverses_also_when_the_turn_is_lost() {
    let game = three().roll(4, 4);
    assert_eq!(game.rolls_next(), Some(2));
    assert_eq!(game.view()["direction"], "descending");
    let game = game.roll(4, 4);
    assert_eq!(game.rolls_next(), Some(0));
    assert_eq!(game.view()["direction"], "ascending");
}

#[test]
fn a_double_reverses_also_after_a_free_move() {
    // Each double sends the turn back, so seats 0 and 2 lose theirs by turns.
    let game = three()
        .roll(4, 4)
        .roll(4, 4)
        .roll(4, 4)
        .roll(4, 4)
        .roll(4, 4);
    assert_eq!(
        (game.asked(), game.view()["phase"].as_str()),
        (Some(0), Some("free-move"))
    );
    assert_eq!(game.view()["direction"], "ascending");
    let game = game.act("pass");
    assert_eq!(game.view()["direction"], "descending");
    assert_eq!(game.rolls_next(), Some(2));
}

#[test]
fn with_two_seats_the_direction_stays_ascending() {
    let game = two().roll(4, 4);
    assert_eq!(game.view()["direction"], "ascending");
    assert_eq!(game.rolls_next(), Some(1));
}
