//! Hands with many stars: what they can lay is what trying out every choice of cards finds, and
//! the longest list that is known is as long as it is.

use flipside_games::phase10::{Face, Phase10Options, Phase10View};
use flipside_games::{Game, Phase10, Viewer, chance};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};

use super::plain;

/// Seat 0 of two has drawn and holds these eleven cards, at this phase; nothing if nobody can.
fn with_hand(hand: &[&str], phase: u8, wild: bool) -> Option<Phase10> {
    let mut sorted: Vec<Face> = Vec::new();
    for text in hand {
        sorted.push(serde_json::from_value(json!(text)).expect("a face"));
    }
    sorted.sort();
    let before = u32::from(phase) - 1;
    // Of the rounds before, each seat won as many as it has completed phases.
    let seat = |cards: u8, backs: Option<Value>| {
        let mut seat = json!({
            "score": 60 * before, "completed": before, "phase": phase, "laid": false,
            "cards": cards, "groups": [],
        });
        if let Some(backs) = backs {
            seat["backs"] = backs;
        }
        seat
    };
    let backs = match wild {
        true => json!(["r1", "y1", "g1", "b1", "r2", "y2", "g2", "b2", "r3", "b3"]),
        false => json!(["w1", "w1", "w2", "w2", "w3", "w3", "w4", "w4", "w5", "w5"]),
    };
    let turns = 2 * u32::from(wild);
    let view = json!({
        "round": 2 * before + 1, "deciding": null, "dealer": 1,
        "side": if wild { "wild" } else { "colour" },
        "turn": turns, "stage": "play", "to_move": 0, "hand": sorted,
        "seats": [seat(11, None), seat(10, Some(backs))],
        "draw_pile": { "cards": 82 - turns, "top": if wild { "g3" } else { "w7" } },
        "discard_pile": { "cards": 1 + turns, "top": if wild { "w12" } else { "b12" } },
    });
    let view: Phase10View = serde_json::from_value(view).expect("a view");
    let options: Phase10Options =
        serde_json::from_str(r#"{"flips_each_side":24}"#).expect("options");
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    Phase10::from_view(&options, 2, Viewer::Seat(0), &view, &mut rng).ok()
}

fn texts(game: &Phase10) -> Vec<String> {
    let mut actions = Vec::new();
    game.actions(0, &mut actions);
    let text = |&action: &_| {
        let mut text = String::new();
        game.write_action(action, &mut text);
        text
    };
    actions.iter().map(text).collect()
}

#[test]
fn the_longest_list_that_is_known_has_228_actions() {
    for (hand, phase, wild, length) in [
        ("w4 w5 w5^ w6 w6^ w7 w7^ w8^ w* w* w*", 8, true, 228),
        ("g6 g7 g7^ g8 g8^ g9 g9^ g10 g10^ g* g*", 8, false, 218),
        ("b4 b4^ b5 b5^ b6 b6^ b7 b7^ b8^ b* b*", 5, false, 166),
        ("r10 r11^ b11 r* r* y* y* g* g* b* b*", 1, false, 56),
    ] {
        let hand: Vec<&str> = hand.split(' ').collect();
        let game = with_hand(&hand, phase, wild).expect("a hand that can be");
        assert_eq!(texts(&game).len(), length, "{hand:?}");
    }
}

#[test]
fn a_hand_with_many_stars_lays_what_trying_out_every_choice_finds() {
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    let mut hands = 0;
    let mut lays = 0;
    while hands < 400 {
        let wild = chance::below(&mut rng, 2) == 0;
        let phase = 1 + chance::below(&mut rng, 10) as u8;
        // Few numbers and colours, so that there is much to lay.
        let lowest = 1 + chance::below(&mut rng, 6);
        let colours = if wild {
            "w"
        } else {
            ["ry", "gb", "ryg"][chance::below(&mut rng, 3) as usize]
        };
        let mut one = || {
            let colour = chance::below(&mut rng, colours.len() as u32) as usize;
            let colour = &colours[colour..=colour];
            let number = lowest + chance::below(&mut rng, 7);
            match chance::below(&mut rng, 6) {
                0 | 1 => format!("{colour}*"),
                2 => format!("{colour}{number}^"),
                _ => format!("{colour}{number}"),
            }
        };
        let hand: Vec<String> = (0..11).map(|_| one()).collect();
        let hand: Vec<&str> = hand.iter().map(String::as_str).collect();
        let Some(game) = with_hand(&hand, phase, wild) else {
            continue;
        };
        let mut plainly = plain::lays_of(phase.into(), &hand);
        plainly.sort();
        let listed = texts(&game);
        let listed: Vec<&String> = listed
            .iter()
            .filter(|text| text.starts_with("lay"))
            .collect();
        assert_eq!(
            listed,
            plainly.iter().collect::<Vec<_>>(),
            "phase {phase}: {hand:?}"
        );
        hands += 1;
        lays += listed.len();
    }
    assert!(lays > 4_000, "{lays} in {hands} hands");
}
