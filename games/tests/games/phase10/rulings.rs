//! The rulings of the page, one by one, from the deal to the end of a round.

use flipside_games::{SeatTurn, Viewer};
use serde_json::json;

use super::stack::{StackDeal, StackMatch, start};

/// A hand that goes out in its first turn in phase 1, whatever it draws.
const QUICK: &str = "r1 r2 y1 y2 r3 r4 r5 r6 r7 r8";

/// What it does; then a last card is to be discarded.
const OUT: &str = "draw pile; lay r1 r2; lay y1 y2; hit r3 0.1 high; hit r4 0.1 high; \
                   hit r5 0.1 high; hit r6 0.1 high; hit r7 0.1 high; hit r8 0.1 high";

fn hand(hand: &str, pile: &str) -> StackMatch {
    start(
        "{}",
        2,
        StackDeal {
            hands: &[hand],
            discard: "b12",
            pile,
        },
    )
}

/// A match in which seat 0, which has completed the phases before, has this hand and has drawn the
/// eleventh card.
fn at_phase(phase: u8, cards: &str) -> StackMatch {
    let mut game = start(
        r#"{"flips_each_side":0}"#,
        2,
        StackDeal {
            hands: &[QUICK],
            discard: "b12",
            pile: "b1",
        },
    );
    for before in 1..phase {
        let deal = round_of_phase(before);
        if before > 1 {
            game.deal(StackDeal {
                hands: &[deal.0],
                discard: "b12",
                pile: deal.1,
            });
            // The dealer passes on, so that in every other round seat 1 begins.
            while game.mover() != 0 {
                game.pass(1);
            }
        }
        game.play(deal.2);
    }
    if phase > 1 {
        let (first, last) = cards.rsplit_once(' ').expect("eleven cards");
        let first_of_pile = if phase % 2 == 0 {
            format!("? {last}")
        } else {
            last.into()
        };
        game.deal(StackDeal {
            hands: &[first],
            discard: "b12",
            pile: &first_of_pile,
        });
        while game.mover() != 0 {
            game.pass(1);
        }
    } else {
        let (first, last) = cards.rsplit_once(' ').expect("eleven cards");
        game = hand(first, last);
    }
    game.play("draw pile");
    game
}

/// Hand, draw pile and actions with which seat 0 completes a phase and goes out.
fn round_of_phase(phase: u8) -> (&'static str, &'static str, &'static str) {
    match phase {
        1 => (
            QUICK,
            "b1",
            "draw pile; lay r1 r2; lay y1 y2; hit r3 0.1 high; hit r4 0.1 high; hit r5 0.1 high; \
             hit r6 0.1 high; hit r7 0.1 high; hit r8 0.1 high; discard b1",
        ),
        2 => (
            "r1 r2 y1 g1 r3 r4 r5 r6 r7 r8",
            "? b9",
            "draw pile; lay r1 r2; lay y1 g1; hit r3 0.1 high; hit r4 0.1 high; hit r5 0.1 high; \
             hit r6 0.1 high; hit r7 0.1 high; hit r8 0.1 high; discard b9",
        ),
        3 => (
            "r1 r2 y1 g1 b1 r3 r4 r5 r6 r7",
            "b9",
            "draw pile; lay r1 r2; lay y1 g1 b1; hit r3 0.1 high; hit r4 0.1 high; \
             hit r5 0.1 high; hit r6 0.1 high; hit r7 0.1 high; discard b9",
        ),
        4 => (
            "r1 r2 r3 y1 g1 r4 r5 r6 r7 r8",
            "? b9",
            "draw pile; lay r1 r2 r3; lay y1 g1; hit r4 0.1 high; hit r5 0.1 high; \
             hit r6 0.1 high; hit r7 0.1 high; hit r8 0.1 high; discard b9",
        ),
        5 => (
            "r1 r2 r3 r4 y1 g1 r5 r6 r7 r8",
            "b9",
            "draw pile; lay r1 r2 r3 r4; lay y1 g1; hit r5 0.1 high; hit r6 0.1 high; \
             hit r7 0.1 high; hit r8 0.1 high; discard b9",
        ),
        6 => (
            "r1 r2 r3 y1 y2 y3 r4 r5 r6 r7",
            "? b9",
            "draw pile; lay r1 r2 r3; lay y1 y2 y3; hit r4 0.1 high; hit r5 0.1 high; \
             hit r6 0.1 high; hit r7 0.1 high; discard b9",
        ),
        7 => (
            "r1 r2 r3 y1 g1 b1 r4 r5 r6 r7",
            "b9",
            "draw pile; lay r1 r2 r3; lay y1 g1 b1; hit r4 0.1 high; hit r5 0.1 high; \
             hit r6 0.1 high; hit r7 0.1 high; discard b9",
        ),
        8 => (
            "r1 r2 r3 r4 r5 y1 g1 r6 r7 r8",
            "? b9",
            "draw pile; lay r1 r2 r3 r4 r5; lay y1 g1; hit r6 0.1 high; hit r7 0.1 high; \
             hit r8 0.1 high; discard b9",
        ),
        9 => (
            "r1 r2 y1 g1 b1 b1 r3 r4 r5 r6",
            "b9",
            "draw pile; lay r1 r2; lay y1 g1 b1 b1; hit r3 0.1 high; hit r4 0.1 high; \
             hit r5 0.1 high; hit r6 0.1 high; discard b9",
        ),
        other => panic!("no round is written for phase {other}"),
    }
}

#[test]
fn ten_cards_each_colour_side_in_play_and_the_next_card_starts_the_discard_pile() {
    for seats in 2..=6 {
        let game = start(
            "{}",
            seats,
            StackDeal {
                discard: "r7",
                ..StackDeal::default()
            },
        );
        for seat in 0..seats {
            assert_eq!(game.hand(seat).split(' ').count(), 10);
        }
        assert_eq!(game.shown("/side"), "colour");
        assert_eq!(
            game.shown("/discard_pile"),
            json!({ "cards": 1, "top": "r7" })
        );
        assert_eq!(game.shown("/draw_pile/cards"), 104 - 10 * seats - 1);
    }
}

#[test]
fn one_card_at_a_time_from_the_dealers_left_then_the_first_discard() {
    let mut game = super::stack::before_the_deal("{}", 3, StackDeal::default(), 1);
    let order: Vec<usize> = (0..104).collect();
    game.chance(&json!({ "deal": order }));
    let open = game.view(Viewer::Open)["open"].clone();
    let every_third = |first: usize| -> Vec<usize> { (first..30).step_by(3).collect() };
    assert_eq!(open["hands"][2], json!(every_third(0)));
    assert_eq!(open["hands"][0], json!(every_third(1)));
    assert_eq!(open["hands"][1], json!(every_third(2)));
    assert_eq!(open["discard_pile"], json!([30]));
    assert_eq!(open["draw_pile"], json!((31..104).collect::<Vec<usize>>()));
}

#[test]
fn a_flip_symbol_on_the_first_discard_is_ignored_and_works_when_that_card_is_discarded_later() {
    let deal = StackDeal {
        discard: "r7^/w5",
        ..StackDeal::default()
    };
    let mut game = start("{}", 2, deal);
    assert_eq!(game.shown("/side"), "colour");
    game.play("draw discard");
    assert_eq!(game.shown("/side"), "colour", "taking it does nothing");
    game.play("discard r7^");
    assert_eq!(game.shown("/side"), "wild");
    assert_eq!(game.shown("/discard_pile/top"), "w5");
}

#[test]
fn the_player_left_of_the_dealer_starts_and_play_goes_round_in_ascending_seats() {
    for dealer in 0..4 {
        let mut game = super::stack::before_the_deal("{}", 4, StackDeal::default(), dealer);
        game.deal(StackDeal::default());
        for steps in 1..=8 {
            assert_eq!(game.mover(), (dealer + steps) % 4);
            assert_eq!(game.shown("/turn"), steps - 1);
            game.pass(1);
        }
    }
}

#[test]
fn the_dealer_passes_left_each_round() {
    let mut game = start(
        "{}",
        3,
        StackDeal {
            hands: &[QUICK],
            pile: "b1",
            ..StackDeal::default()
        },
    );
    assert_eq!(game.shown("/dealer"), 2);
    game.play(OUT).play("discard b1");
    assert_eq!(
        game.shown("/dealer"),
        2,
        "all stays as it is until the next deal"
    );
    game.deal(StackDeal::default());
    assert_eq!(game.shown("/dealer"), 0);
    assert_eq!(game.mover(), 1);
}

#[test]
fn first_draw_from_either_pile_then_lay_and_hit_then_discard_one() {
    let mut game = start(
        "{}",
        2,
        StackDeal {
            hands: &[QUICK],
            discard: "b9",
            pile: "b1",
        },
    );
    assert_eq!(game.actions(), ["draw discard", "draw pile"]);
    assert_eq!(game.refusal("discard r1"), "draw a card first");
    assert_eq!(game.refusal("lay r1 r2"), "draw a card first");
    game.play("draw discard");
    assert!(game.hand(0).contains("b9"));
    assert_eq!(game.refusal("draw pile"), "you have drawn");
    assert_eq!(game.refusal("draw discard"), "you have drawn");
    game.play("lay r1 r2; lay y1 y2; hit r3 0.1 high; discard r8");
    assert_eq!(game.mover(), 1);
    assert_eq!(game.shown("/discard_pile/top"), "r8");
}

#[test]
fn laying_and_hitting_are_not_forced() {
    let mut game = hand(QUICK, "b1");
    game.play("draw pile; discard b1");
    assert_eq!(game.shown("/seats/0/groups"), json!([]));
}

#[test]
fn the_card_just_taken_from_the_discard_may_be_discarded_again() {
    let mut game = start(
        "{}",
        2,
        StackDeal {
            discard: "b9",
            ..StackDeal::default()
        },
    );
    game.play("draw discard; discard b9");
    assert_eq!(game.shown("/discard_pile/top"), "b9");
    assert_eq!(game.mover(), 1);
}

#[test]
fn a_phase_is_laid_group_by_group_and_in_between_only_the_next_group_can_be_laid() {
    let mut game = hand("r1 r2 y1 y2 r5 r6 g9 g10 b4 b8", "b1");
    game.play("draw pile; lay r1 r2");
    assert_eq!(
        game.group(0, 1),
        "r1 r2",
        "a group is on the table as soon as it is laid"
    );
    assert_eq!(game.shown("/seats/0/laid"), false);
    assert_eq!(game.shown("/seats/0/completed"), 0);
    assert_eq!(game.actions(), ["lay g9 g10", "lay r5 r6", "lay y1 y2"]);
    assert_eq!(
        game.refusal("discard b1"),
        "lay the next group of your phase"
    );
    assert_eq!(
        game.refusal("hit r5 0.1 high"),
        "lay the next group of your phase"
    );
    game.play("lay y1 y2");
    assert_eq!(game.shown("/seats/0/laid"), true);
    assert_eq!(
        game.shown("/seats/0/completed"),
        1,
        "credited with the last group"
    );
    assert!(game.allows("discard b1"));
}

#[test]
fn a_group_may_be_laid_only_if_the_rest_of_the_hand_can_complete_the_phase() {
    let mut game = hand("r1 r2 r4 r6 y3 y8 g5 g9 b4 b10", "b12");
    game.play("draw pile");
    assert_eq!(game.listed("lay"), Vec::<String>::new());
    assert_eq!(
        game.refusal("lay r1 r2"),
        "the rest of your hand does not complete the phase then"
    );
    // With three in a row either end can go first, but the middle card is not there twice.
    let mut game = hand("r1 r2 r3 y8 y10 g5 g7 b4 b6 b10", "y9");
    game.play("draw pile");
    assert_eq!(game.listed("lay"), ["lay r1 r2", "lay r2 r3"]);
    game.play("lay r1 r2");
    assert_eq!(game.actions(), ["lay y8 y9", "lay y9 y10"]);
}

#[test]
fn a_phase_is_laid_from_the_hand_in_one_turn_and_at_most_one_a_round() {
    let mut game = hand("r1 r2 y1 y2 r5 r6 g5 b9 b4 b8", "b1");
    game.play("draw pile; lay r1 r2; lay y1 y2");
    // A run of two and a set of two would be the next phase.
    assert_eq!(game.listed("lay"), Vec::<String>::new());
    assert_eq!(
        game.refusal("lay r5 r6"),
        "your phase is down; a phase is laid once a round"
    );
    game.play("discard b1").pass(1).play("draw pile");
    assert_eq!(
        game.refusal("lay r5 r6"),
        "your phase is down; a phase is laid once a round"
    );
}

#[test]
fn of_two_groups_alike_the_lower_comes_first_card_by_card_in_the_order_of_faces() {
    let mut game = hand("r1 r2 y1 y2 g4 g6 g8 b4 b6 b8", "b10");
    game.play("draw pile");
    assert_eq!(game.listed("lay"), ["lay r1 r2"]);
    assert_eq!(
        game.refusal("lay y1 y2"),
        "the rest of your hand does not complete the phase then"
    );
    game.play("lay r1 r2");
    assert_eq!(game.listed("lay"), ["lay y1 y2"]);
    // A number card is before a star, and the second card decides where the first is alike.
    let mut game = hand("r3 r3 r4 r* y1 g4 g6 g8 b6 b8", "b10");
    game.play("draw pile");
    assert!(game.allows("lay r3 r4") && !game.allows("lay r3 r*=4"));
    game.play("lay r3 r4");
    assert_eq!(game.listed("lay"), ["lay r3 r*=4"]);
    // A plain card is before one with a flip symbol.
    let mut game = hand("r3 r3^ r4 r4^ y1 g4 g6 g8 b6 b8", "b10");
    game.play("draw pile");
    assert_eq!(game.listed("lay"), ["lay r3 r4", "lay r3 r4^"]);
    game.play("lay r3 r4^");
    assert_eq!(game.listed("lay"), ["lay r3^ r4"]);
    let mut game = at_phase(6, "r3 r4 r5 y3 y4 y5 g4 g6 g8 b6 b8");
    assert_eq!(game.listed("lay"), ["lay r3 r4 r5"]);
    game.play("lay r3 r4 r5; lay y3 y4 y5");
    let mut game = at_phase(10, "r3 r4 r5 y7 g7 y6 b6 g4 b10 b8 g1");
    game.play("lay r3 r4 r5");
    assert_eq!(game.listed("lay"), ["lay y6 b6"]);
    game.play("lay y6 b6");
    assert_eq!(game.listed("lay"), ["lay y7 g7"]);
}

#[test]
fn groups_that_are_not_alike_have_no_order() {
    let mut game = at_phase(2, "r8 r9 y1 g1 b4 b6 g6 y10 y12 b10 g4");
    game.play("lay r8 r9; lay y1 g1");
}

#[test]
fn the_ten_phases_are_those_of_the_reference_card() {
    for (phase, cards, groups) in [
        (1, "r1 r2 y5 y6 g1 g3 g5 g7 b2 b8 b10", "r1 r2; y5 y6"),
        (2, "r1 r2 y5 g5 g1 g3 y7 g9 b2 b8 b10", "r1 r2; y5 g5"),
        (3, "r1 r2 y5 g5 b5 g1 g3 y7 g9 b2 b8", "r1 r2; y5 g5 b5"),
        (4, "r1 r2 r3 y5 g5 g1 g3 y7 g9 b2 b8", "r1 r2 r3; y5 g5"),
        (5, "r1 r2 r3 r4 y5 g5 g1 g3 y7 g9 b2", "r1 r2 r3 r4; y5 g5"),
        (6, "r1 r2 r3 y5 y6 y7 g1 g3 g9 b2 b8", "r1 r2 r3; y5 y6 y7"),
        (7, "r1 r2 r3 y5 g5 b5 g1 g3 y7 g9 b2", "r1 r2 r3; y5 g5 b5"),
        (
            8,
            "r1 r2 r3 r4 r5 y7 g7 g1 g3 g9 b2",
            "r1 r2 r3 r4 r5; y7 g7",
        ),
        (9, "r1 r2 y5 y5 g5 b5 g1 g3 y7 g9 b2", "r1 r2; y5 y5 g5 b5"),
        (
            10,
            "r1 r2 r3 y5 g5 y7 b7 g1 g3 g9 b2",
            "r1 r2 r3; y5 g5; y7 b7",
        ),
    ] {
        let mut game = at_phase(phase, cards);
        assert_eq!(game.shown("/seats/0/phase"), phase);
        for group in groups.split("; ") {
            assert_eq!(game.shown("/seats/0/laid"), false);
            let lay = format!("lay {group}");
            assert_eq!(game.listed("lay"), [lay.as_str()], "phase {phase}");
            // A card less or more is no group of the phase.
            let (fewer, _) = group.rsplit_once(' ').expect("two cards or more");
            if fewer.contains(' ') {
                assert!(
                    game.refusal(&format!("lay {fewer}"))
                        .starts_with("the next group of")
                );
            }
            if group.split(' ').count() < 5 {
                assert!(
                    game.refusal(&format!("{lay} b2"))
                        .starts_with("the next group of")
                );
            }
            game.play(&lay);
        }
        assert_eq!(game.shown("/seats/0/laid"), true);
        assert_eq!(game.shown("/seats/0/completed"), phase);
    }
}

#[test]
fn a_run_is_of_one_colour_with_consecutive_numbers_and_does_not_wrap() {
    let mut game = hand("r12 r1 y1 y2 g1 b2 g5 g7 b9 b11", "y4");
    game.play("draw pile");
    assert_eq!(game.listed("lay"), Vec::<String>::new());
    let words = "the next group of AB+YZ is a run of 2, its cards ascending";
    for lay in [
        "lay r12 r1",
        "lay r1 r12",
        "lay g1 b2",
        "lay g5 g7",
        "lay y2 y1",
        "lay y1 y1",
    ] {
        assert_eq!(game.refusal(lay), words, "{lay}");
    }
    let mut game = hand("r12 r11 y1 y2 g1 b2 g5 g7 b9 b4", "y4");
    game.play("draw pile; lay y1 y2; lay r11 r12");
}

#[test]
fn a_set_is_of_one_number_and_colours_do_not_matter() {
    let mut game = at_phase(2, "r1 r2 y5 y5 g5 b5 r8 y9 g11 b7 b10");
    game.play("lay r1 r2");
    assert_eq!(
        game.listed("lay"),
        ["lay g5 b5", "lay y5 b5", "lay y5 g5", "lay y5 y5"]
    );
}

#[test]
fn two_groups_alike_are_allowed() {
    let mut game = at_phase(10, "r1 r2 r3 y5 y5 g5 g5 b9 b11 y11 g7");
    game.play("lay r1 r2 r3; lay y5 g5; lay y5 g5");
    assert_eq!(
        (game.group(0, 2), game.group(0, 3)),
        ("y5 g5".into(), "y5 g5".into())
    );
    let mut game = hand("r1 r1 r2 r2 y5 g7 g9 b9 b11 y11", "g5");
    game.play("draw pile; lay r1 r2; lay r1 r2");
}

#[test]
fn a_star_of_the_colour_side_is_any_number_of_its_own_colour() {
    let mut game = hand("r4 r6 r* y1 y2 g9 g11 b9 b11 y11", "g7");
    game.play("draw pile; lay y1 y2");
    assert_eq!(
        game.listed("lay"),
        ["lay r*=3 r4", "lay r*=5 r6", "lay r4 r*=5", "lay r6 r*=7"]
    );
    assert!(
        game.refusal("lay g9 r*=10")
            .starts_with("the next group of")
    );
    let mut game = at_phase(2, "r1 r2 b* y5 g8 g10 b9 b11 y12 y3 g6");
    game.play("lay r1 r2");
    assert!(
        game.allows("lay y5 b*=5") && game.allows("lay g8 b*=8"),
        "in a set colours do not matter"
    );
}

#[test]
fn on_the_wild_side_a_star_is_any_number_and_colour_and_a_number_any_colour() {
    let mut game = wild_at_once("w3 w4 w* w8 w12 w5 w6 w10 w10 w12");
    game.play("draw pile; lay w3 w4");
    assert!(game.allows("lay w*=7 w8") && game.allows("lay w5 w6") && game.allows("lay w5 w*=6"));
}

/// A match on the wild side, seat 0 to move with these cards.
fn wild_at_once(hand: &str) -> StackMatch {
    let fronts = "r1 r3 r5 r7 y1 y3 y5 y7 g9 g11";
    let both = |(front, back): (&str, &str)| format!("{front}/{back}");
    let cards: Vec<String> = fronts.split(' ').zip(hand.split(' ')).map(both).collect();
    let first_hand = format!("b6^ {}", ["?"; 9].join(" "));
    let mut game = start(
        "{}",
        2,
        StackDeal {
            hands: &[&cards.join(" "), &first_hand],
            discard: "b12",
            pile: "g4 r9",
        },
    );
    game.play("draw pile; discard g4; draw pile; discard b6^");
    assert_eq!(game.shown("/side"), "wild");
    assert_eq!(game.mover(), 0);
    game
}

#[test]
fn any_number_of_stars_but_one_number_card_in_the_whole_phase_and_a_group_of_stars_alone() {
    let mut game = hand("r* r* y* y* y5 g4 g7 b2 b5 b8", "b11");
    game.play("draw pile; lay r*=1 r*=2");
    assert_eq!(game.listed("lay"), ["lay y*=4 y5", "lay y5 y*=6"]);
    assert!(
        game.refusal("lay y*=11 y*=12")
            .starts_with("the rest of your hand")
    );
    // Without a number card that fits, the stars are nothing.
    let mut game = hand("r* r* y* y* g1 g4 g7 b2 b5 b8", "b11");
    game.play("draw pile");
    assert_eq!(game.listed("lay"), Vec::<String>::new());
    assert!(
        game.refusal("lay r*=1 r*=2")
            .starts_with("the rest of your hand")
    );
}

#[test]
fn hitting_needs_your_own_phase_down_in_your_turn_also_in_the_turn_of_laying() {
    let deal = StackDeal {
        hands: &[QUICK, "r3 r4 y3 y4 r5 g1 g3 g5 b7 b9"],
        discard: "b12",
        pile: "b1 b3 r9",
    };
    let mut game = start("{}", 2, deal);
    game.play("draw pile");
    assert_eq!(
        game.refusal("hit r3 0.1 high"),
        "only when your own phase is down you hit"
    );
    game.play("lay r1 r2; lay y1 y2; hit r3 0.1 high; hit r4 0.1 high; discard b1");
    assert!(
        game.table.check(0, "hit r5 0.1 high").is_err(),
        "not in another's turn"
    );
    game.play("draw pile");
    assert_eq!(
        game.refusal("hit y3 0.2 high"),
        "only when your own phase is down you hit"
    );
    game.play("lay r3 r4; lay y3 y4; hit r5 0.1 high");
}

#[test]
fn hits_go_to_either_end_of_a_run_and_to_sets_of_their_number_of_anybody() {
    let deal = StackDeal {
        hands: &[
            "r4 r5 y1 y2 r3 r6 r2 g8 b8 b12",
            "g4 g5 b1 b2 r3 r6 y3 g9 y9 y12",
        ],
        discard: "g12",
        pile: "b10 g6",
    };
    let mut game = start("{}", 2, deal);
    game.play("draw pile; lay y1 y2; lay r4 r5; hit r3 0.2 low; hit r6 0.2 high; hit r2 0.2 low");
    assert_eq!(game.group(0, 2), "r2 r3 r4 r5 r6");
    assert_eq!(
        game.refusal("hit g8 0.2 high"),
        "g8 does not fit group 0.2 there"
    );
    assert_eq!(game.refusal("hit r7 0.2 high"), "you do not hold r7");
    game.play("discard b10; draw pile; lay b1 b2; lay g4 g5");
    assert!(game.allows("hit y3 0.1 high") && game.allows("hit g6 1.2 high"));
    assert_eq!(
        game.refusal("hit r3 0.2 low"),
        "r3 does not fit group 0.2 there"
    );
    game.play("hit y3 0.1 high; hit g6 1.2 high");
    assert_eq!(game.group(0, 1), "y1 y2 y3");
    // Sets take their number, whatever the colour, and show the order of arrival.
    let mut game = at_phase(2, "r8 r9 y5 g5 r5 b5 b* y10 y12 b10 g1");
    game.play("lay r8 r9; lay g5 b5; hit r5 0.2; hit y5 0.2; hit b*=5 0.2");
    assert_eq!(game.group(0, 2), "g5 b5 r5 y5 b*=5");
    assert_eq!(
        game.refusal("hit y10 0.2"),
        "y10 does not fit group 0.2 there"
    );
}

#[test]
fn a_run_ends_at_one_and_twelve() {
    let mut game = hand("r1 r2 y11 y12 r* y* g5 g7 b9 b10", "b1");
    game.play("draw pile; lay r1 r2; lay y11 y12");
    assert_eq!(
        game.listed("hit"),
        ["hit r*=3 0.1 high", "hit y*=10 0.2 low"]
    );
}

#[test]
fn a_hit_on_a_run_names_the_end_and_on_a_set_none() {
    let mut game = at_phase(2, "r8 r9 y5 g5 r10 b5 b1 y1 y12 b3 g1");
    game.play("lay r8 r9; lay y5 g5");
    assert_eq!(
        game.refusal("hit r10 0.1"),
        "say the end of a run: high or low"
    );
    assert_eq!(game.refusal("hit b5 0.2 high"), "a set has no ends");
    assert_eq!(game.refusal("hit b5 0.3"), "there is no group 0.3");
    assert_eq!(game.refusal("hit b5 1.1"), "there is no group 1.1");
    assert_eq!(game.refusal("hit b5 5.1"), "there is no group 5.1");
    assert_eq!(game.listed("hit"), ["hit b5 0.2", "hit r10 0.1 high"]);
}

#[test]
fn a_run_without_colour_takes_the_first_coloured_card_that_joins_and_keeps_its_colour() {
    let mut game = wild_at_once(
        "w3 w4 w7 w8 w^2 w12 w12 w10 w1 w5"
            .replace("w^2", "w2^")
            .as_str(),
    );
    game.play("draw pile; lay w3 w4; lay w7 w8");
    assert_eq!(game.shown("/seats/0/groups/0/colour"), json!(null));
    // Discarding the flip symbol brings the colour side back.
    game.play("discard w2^");
    assert_eq!(game.shown("/side"), "colour");
    game.pass(1);
    game.play("draw pile");
    // Seat 0 holds y1 y3 y5 … on the colour side; the runs have no colour, so any may join.
    let hits = game.listed("hit");
    assert!(!hits.is_empty());
    let hand = game.hand(0);
    assert!(
        hand.contains("y5") && hand.contains("y7") && hand.contains("g9"),
        "{hand}"
    );
    game.play("hit g9 0.2 high");
    assert_eq!(game.shown("/seats/0/groups/1/colour"), "g");
    assert_eq!(game.shown("/seats/0/groups/0/colour"), json!(null));
    assert!(game.allows("hit y5 0.1 high"));
}

#[test]
fn a_coloured_star_gives_a_run_its_colour_too_and_other_colours_are_refused_then() {
    let cards = "b1/w3 b2/w4 y6/w7 y9/w8 g4/w2^ g1/w12 r*/w12 b6/w10 b9/w1 r9/w5";
    let first_hand = format!("b6^ {}", ["?"; 9].join(" "));
    let deal = StackDeal {
        hands: &[cards, &first_hand],
        discard: "b12",
        pile: "g12 r12",
    };
    let mut game = start("{}", 2, deal);
    game.play("draw pile; discard g12; draw pile; discard b6^");
    assert_eq!(game.shown("/side"), "wild");
    game.play("draw pile; lay w3 w4; lay w7 w8; discard w2^");
    assert_eq!(game.shown("/side"), "colour");
    game.pass(1);
    game.play("draw pile");
    assert!(game.allows("hit r9 0.2 high") && game.allows("hit b9 0.2 high"));
    assert!(game.allows("hit b6 0.2 low"));
    game.play("hit r*=9 0.2 high");
    assert_eq!(game.shown("/seats/0/groups/1/colour"), "r");
    assert_eq!(
        game.refusal("hit b6 0.2 low"),
        "b6 does not fit group 0.2 there"
    );
}

#[test]
fn cards_of_either_side_join_groups_of_either_side() {
    // A coloured run takes wild cards, and keeps its colour.
    let cards = "r3/w9 r4/w9 y7/w9 y8/w9 g1/w5 g2/w* b6^/w1 b9/w12 b11/w11 g12/w10";
    let mut game = start(
        "{}",
        2,
        StackDeal {
            hands: &[cards],
            discard: "b12",
            pile: "g9",
        },
    );
    game.play("draw pile; lay r3 r4; lay y7 y8; discard b6^");
    assert_eq!(game.shown("/side"), "wild");
    game.pass(1);
    game.play("draw pile; hit w5 0.1 high; hit w*=9 0.2 high; hit w10 0.2 high");
    assert_eq!(game.group(0, 1), "r3 r4 w5");
    assert_eq!(game.group(0, 2), "y7 y8 w*=9 w10");
    assert_eq!(game.shown("/seats/0/groups/1/colour"), "y");
}

#[test]
fn a_star_in_a_group_cannot_be_replaced_and_nothing_is_taken_back() {
    let mut game = hand("r3 r* y7 y8 r4 r2 g1 g5 b9 b11", "b1");
    game.play("draw pile; lay r3 r*=4; lay y7 y8");
    assert_eq!(
        game.refusal("hit r4 0.1 high"),
        "r4 does not fit group 0.1 there"
    );
    assert_eq!(
        game.refusal("hit r4 0.1 low"),
        "r4 does not fit group 0.1 there"
    );
    assert!(
        game.actions()
            .iter()
            .all(|text| text.starts_with("discard") || text.starts_with("hit"))
    );
}

#[test]
fn discarding_a_flip_symbol_turns_both_piles_as_a_whole_and_every_hand_but_no_phase() {
    let deal = StackDeal {
        hands: &["r1 r2 y1 y2 r7^/w3 g4/w11 g6/w* b8/w2 b10/w1 b3/w12"],
        discard: "g12/w9",
        pile: "b11/w7 g10/w6",
    };
    let mut game = start("{}", 2, deal);
    game.play("draw pile; lay r1 r2; lay y1 y2; discard b11; draw pile; discard g10");
    let (draw, discard) = (game.pile("draw_pile", 0), game.pile("discard_pile", 0));
    assert_eq!(discard, ["g10", "b11", "g12"]);
    game.play("draw discard; discard r7^");
    assert_eq!(game.shown("/side"), "wild");
    assert_eq!(
        game.pile("discard_pile", 0),
        ["g12", "b11", "r7^"],
        "the flip card is at the bottom, the old bottom card on top"
    );
    assert_eq!(game.shown("/discard_pile/top"), "w9");
    let turned: Vec<String> = draw.iter().rev().cloned().collect();
    assert_eq!(game.pile("draw_pile", 0), turned);
    assert_eq!(
        game.shown("/draw_pile/top"),
        turned[0],
        "its back is the colour side now"
    );
    assert_eq!(game.hand(0), "w1 w2 w6 w11 w12 w*");
    assert_eq!(game.group(0, 1), "r1 r2");
    assert_eq!(game.mover(), 1);
    let backs = game.view(Viewer::Seat(1))["seats"][0]["backs"].clone();
    assert_eq!(backs, json!(["b3", "g4", "g6", "b8", "g10", "b10"]));
}

#[test]
fn flip_cards_laid_hit_or_taken_from_the_discard_have_no_effect() {
    let deal = StackDeal {
        hands: &["r1 r2^ y1 y2 r3^ g4 g6 b8 b10 b3"],
        discard: "g7^",
        pile: "",
    };
    let mut game = start(r#"{"flips_each_side":8}"#, 2, deal);
    let (draw, top) = (game.pile("draw_pile", 0), game.shown("/draw_pile/top"));
    game.play("draw discard; lay r1 r2^; lay y1 y2; hit r3^ 0.1 high");
    assert_eq!(game.shown("/side"), "colour");
    assert_eq!(game.pile("draw_pile", 0), draw);
    assert_eq!(game.shown("/draw_pile/top"), top);
    game.play("discard g7^");
    assert_eq!(game.shown("/side"), "wild");
}

#[test]
fn the_draw_pile_is_made_anew_when_the_next_turn_begins_of_the_discards_but_the_top_one() {
    let mut game = start(r#"{"flips_each_side":0}"#, 6, StackDeal::default());
    game.pass(42);
    assert_eq!(game.shown("/draw_pile/cards"), 1);
    game.play("draw pile");
    assert_eq!(game.shown("/draw_pile"), json!({ "cards": 0, "top": null }));
    assert_eq!(
        game.shown("/stage"),
        "play",
        "not before the turn has ended"
    );
    let face = game
        .hand(0)
        .split(' ')
        .next()
        .map(String::from)
        .expect("a card");
    game.play(&format!("discard {face}"));
    assert_eq!(game.table.turn(), SeatTurn::Chance);
    assert_eq!(game.shown("/stage"), "reshuffle");
    let before = game.pile("discard_pile", 0);
    assert_eq!(before.len(), 44);
    let top = game.shown("/discard_pile/top");
    let draw = game.draw(5);
    game.chance(&draw);
    assert_eq!(
        game.shown("/discard_pile"),
        json!({ "cards": 1, "top": top })
    );
    assert_eq!(game.shown("/draw_pile/cards"), 43);
    let sorted = |mut faces: Vec<String>| {
        faces.sort();
        faces
    };
    assert_eq!(
        sorted(game.pile("draw_pile", 0)),
        sorted(before[1..].to_vec())
    );
    assert_eq!(game.shown("/side"), "colour", "sides are kept");
    assert_eq!(game.mover(), 1);
}

#[test]
fn a_flip_comes_before_the_reshuffle_so_another_card_is_on_top() {
    let hands = ["r7^/w3"];
    let mut game = start(
        r#"{"flips_each_side":4}"#,
        6,
        StackDeal {
            hands: &hands,
            discard: "g12/w9",
            pile: "",
        },
    );
    // Seat 0 keeps its flip card until it draws the last card of the pile.
    game.pass(42);
    game.play("draw pile; discard r7^");
    assert_eq!(game.shown("/stage"), "reshuffle");
    assert_eq!(game.shown("/side"), "wild");
    let draw = game.draw(1);
    game.chance(&draw);
    assert_eq!(
        game.shown("/discard_pile"),
        json!({ "cards": 1, "top": "w9" })
    );
    assert!(game.pile("draw_pile", 0).contains(&"r7^".into()));
    assert_eq!(game.shown("/side"), "wild");
}

#[test]
fn going_out_by_a_discard_ends_the_round_at_once() {
    let mut game = hand(QUICK, "b1");
    game.play(OUT);
    assert_eq!(game.actions(), ["discard b1"]);
    game.play("discard b1");
    assert_eq!(game.shown("/stage"), "deal");
    assert_eq!(game.shown("/seats/0/cards"), 0);
    assert_eq!(game.shown("/turn"), 1);
}

#[test]
fn going_out_by_hits_alone_ends_the_round_at_once() {
    let mut game = hand(QUICK, "r9");
    game.play(OUT).play("hit r9 0.1 high");
    assert_eq!(game.shown("/stage"), "deal");
    assert_eq!(game.shown("/seats/0/score"), 10);
    assert_eq!(
        game.shown("/discard_pile/cards"),
        1,
        "nothing was discarded"
    );
    assert_eq!(game.shown("/turn"), 1);
}

#[test]
fn a_flip_symbol_on_the_last_discard_still_turns_everything_and_then_hands_are_scored() {
    let other = "r9/w* r10/w* y9/w12 y10/w11 g1/w1 g2/w2 g3/w3 g4/w4 b5/w5 b6/w6";
    let mut game = start(
        "{}",
        2,
        StackDeal {
            hands: &[QUICK, other],
            discard: "b12",
            pile: "b1^",
        },
    );
    game.play(OUT).play("discard b1^");
    assert_eq!(game.shown("/side"), "wild");
    assert_eq!(game.shown("/seats/1/score"), 2 * 20 + 2 * 10 + 6 * 5);
}

#[test]
fn hands_score_five_ten_and_twenty_on_the_side_in_play_and_the_winner_ten() {
    let other = "r9 r10 y11 b12 g1 g2 g* b* y9 b3";
    for (options, winner) in [
        ("{}", 10),
        (r#"{"round_winner_points":0}"#, 0),
        (r#"{"round_winner_points":100}"#, 100),
    ] {
        let deal = StackDeal {
            hands: &[QUICK, other, "r* y* y* y10 y10 y11 g3 g4 g5 g6"],
            discard: "b12",
            pile: "b1",
        };
        let mut game = start(options, 3, deal);
        game.play(OUT).play("discard b1");
        assert_eq!(game.shown("/seats/0/score"), winner);
        assert_eq!(
            game.shown("/seats/1/score"),
            5 + 10 + 10 + 10 + 5 + 5 + 20 + 20 + 5 + 5
        );
        assert_eq!(game.shown("/seats/2/score"), 60 + 30 + 20);
    }
}

#[test]
fn who_laid_the_phase_goes_on_to_the_next_one_and_the_others_keep_theirs() {
    let deal = StackDeal {
        hands: &[QUICK, "g1 g2 b4 b5 y9 y11 g9 g11 b9 b11"],
        discard: "b12",
        pile: "b1 y7",
    };
    let mut game = start("{}", 3, deal);
    game.play("draw pile; discard b1; draw pile; lay g1 g2; lay b4 b5; discard y7")
        .pass(1);
    game.play(OUT);
    let last = game.listed("discard")[0].clone();
    game.play(&last);
    for (seat, completed) in [1, 1, 0].into_iter().enumerate() {
        assert_eq!(game.shown(&format!("/seats/{seat}/completed")), completed);
        assert_eq!(
            game.shown(&format!("/seats/{seat}/phase")),
            1,
            "until the next deal"
        );
    }
    game.deal(StackDeal::default());
    for (seat, phase) in [2, 2, 1].into_iter().enumerate() {
        assert_eq!(game.shown(&format!("/seats/{seat}/phase")), phase);
        assert_eq!(game.shown(&format!("/seats/{seat}/laid")), false);
    }
    assert_eq!(game.shown("/round"), 2);
}

#[test]
fn after_a_round_only_scores_become_public_and_all_stays_until_the_next_deal() {
    let mut game = hand(QUICK, "b1");
    game.play(OUT);
    let before = game.view(Viewer::Seat(0));
    game.play("discard b1");
    let after = game.view(Viewer::Seat(0));
    assert_eq!(before["seats"][1]["backs"], after["seats"][1]["backs"]);
    assert_eq!(before["seats"][0]["groups"], after["seats"][0]["groups"]);
    let public = game.view(Viewer::Public);
    assert!(public.get("hand").is_none() && public["seats"][1].get("backs").is_none());
}

#[test]
fn of_cards_with_the_same_face_the_one_with_the_lowest_number_goes() {
    let deal = StackDeal {
        hands: &["g5 r7/w3 r7/w9"],
        discard: "b12",
        pile: "b1",
    };
    let mut game = start("{}", 2, deal);
    let backs = |game: &StackMatch| game.view(Viewer::Seat(1))["seats"][0]["backs"].to_string();
    let before = backs(&game);
    assert!(before.contains("w3") && before.contains("w9"));
    // The cards were printed in the order of the hand, so the first has the lower number.
    let threes = before.matches("w3\"").count();
    game.play("draw pile; discard r7");
    assert_eq!(backs(&game).matches("w3\"").count(), threes - 1);
    assert!(backs(&game).contains("w9"));
}
