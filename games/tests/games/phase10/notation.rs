//! The notation: what is malformed, what is illegal, and the order of lists.

use super::stack::{StackDeal, StackMatch, start};

fn game() -> StackMatch {
    let hand = "r1 r2 y1 y2 r3 r* g5 b7^ b9 y10";
    let mut game = start(
        "{}",
        2,
        StackDeal {
            hands: &[hand],
            discard: "b12",
            pile: "b1",
        },
    );
    game.play("draw pile");
    game
}

#[test]
fn what_is_not_in_the_notation_is_malformed() {
    let game = game();
    for text in [
        "",
        "draw",
        "draw Pile",
        "draw  pile",
        "draw pile ",
        " draw pile",
        "discard",
        "discard ",
        "discard x7",
        "discard r0",
        "discard r13",
        "discard r07",
        "discard R7",
        "discard r*=5",
        "discard r*^",
        "discard r7^^",
        "discard r7 r8",
        "discard 7r",
        "lay",
        "lay r1",
        "lay r1 r2 ",
        "lay r1  r2",
        "lay r1 r*",
        "lay r1,r2",
        "lay r1 r2 r3 r4 r5 r6",
        "lay r1 r*=0",
        "lay r1 r*=13",
        "lay r1 r2=2",
        "lay r1 r*=2^",
        "hit r3",
        "hit r* 0.1 high",
        "hit r3 6.1 high",
        "hit r3 0.0 high",
        "hit r3 0.4 high",
        "hit r3 0.1 up",
        "hit r3 0.1 HIGH",
        "hit r3 01 high",
        "hit r3 0.1 high low",
        "hit r3 00.1 high",
        "hit r3 0.1  high",
        "pass",
        "lay r1 r2\n",
    ] {
        assert!(game.is_malformed(text), "{text:?}");
    }
}

#[test]
fn what_is_in_the_notation_and_not_allowed_is_illegal() {
    let game = game();
    for text in [
        // Geometry, order within a group, a seat that does not play, an action of another phase,
        // a face that is not in play.
        "lay r1 r3",
        "lay r2 r1",
        "lay w1 w2",
        "lay r1 r2 r3",
        "hit r3 0.1 high",
        "hit r3 5.3",
        "draw pile",
        "discard w5",
        "discard y7^",
        "discard w*",
        "lay r*=11 r*=12",
        "discard r4",
    ] {
        game.refusal(text);
    }
}

#[test]
fn a_flip_symbol_is_always_written() {
    let game = game();
    assert!(game.allows("discard b7^"));
    assert_eq!(game.refusal("discard b7"), "you do not hold b7");
    assert_eq!(game.refusal("discard g5^"), "you do not hold g5^");
}

#[test]
fn a_star_is_written_with_its_number_when_it_is_played_and_never_in_a_discard() {
    let mut game = game();
    assert!(game.allows("discard r*"));
    game.play("lay r1 r2; lay y1 y2");
    assert!(game.allows("hit r*=3 0.1 high"));
    assert!(!game.allows("hit r*=4 0.1 high"));
}

#[test]
fn lists_are_in_byte_order_each_action_once() {
    let mut game = game();
    game.play("lay r1 r2; lay y1 y2");
    let list = "discard b1, discard b7^, discard b9, discard g5, discard r*, discard r3, \
                discard y10, hit r*=3 0.1 high, hit r3 0.1 high";
    assert_eq!(game.actions().join(", "), list);
    let hand = "r2 r2 r10 r10^ r1 r1^ r* y* y5 y6";
    let deal = StackDeal {
        hands: &[hand],
        discard: "b12",
        pile: "b1",
    };
    let mut game = start("{}", 2, deal);
    game.play("draw pile");
    let discards = "discard b1, discard r*, discard r1, discard r10, discard r10^, discard r1^, \
                    discard r2, discard y*, discard y5, discard y6";
    assert_eq!(game.listed("discard").join(", "), discards);
    let listed = game.actions();
    assert!(listed.is_sorted_by(|one, next| one < next), "{listed:?}");
}

#[test]
fn a_golden_match() {
    let game = flipside_games::find("phase10-flip").expect("built in");
    let options = r#"{"variant":"short","phases":1}"#;
    let mut game = StackMatch::of(game.set_up(options, 2).expect("options that fit").table);
    let events = game.play_at_random(4).join("\n");
    insta::assert_snapshot!(events);
}
