//! Who sees what, what a view must be, and what is drawn anew.

use std::collections::BTreeMap;

use flipside_games::phase10::{Phase10Options, Phase10View};
use flipside_games::{Event, Game, Phase10, SeatTurn, Viewer, chance};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};

use super::chances::assert_composition;
use super::stack::{StackDeal, start};

fn options(json: &str) -> Phase10Options {
    serde_json::from_str(json).expect("options")
}

/// A match after so many random events.
fn somewhere(json: &str, seats: u8, seed: u64, events: usize) -> Phase10 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = Phase10::new(&options(json), seats).expect("options that fit");
    let mut actions = Vec::new();
    for _ in 0..events {
        match game.turn() {
            SeatTurn::Over(_) => break,
            SeatTurn::Chance => {
                let draw = game.sample(&mut rng);
                game.apply(Event::Chance(&draw));
            }
            SeatTurn::Seats(asked) => {
                let seat = asked.lowest().expect("a turn asks somebody");
                game.actions(seat, &mut actions);
                let one = chance::below(&mut rng, actions.len() as u32) as usize;
                game.apply(Event::Acts(&[(seat, actions[one])]));
            }
        }
    }
    game
}

fn shown(game: &Phase10, viewer: Viewer) -> Value {
    serde_json::to_value(game.view(viewer)).expect("JSON")
}

#[test]
fn a_seat_sees_its_side_in_play_and_the_other_side_of_everybody_elses_cards() {
    let deal = StackDeal {
        hands: &["r1/w9 r5/w8 r7/w7 r9/w6 y1/w5 y3/w4 y5/w3 y7/w2 y9/w1 b3/w*"],
        discard: "g12/w11",
        pile: "b11/w10",
    };
    let game = start("{}", 2, deal);
    let own = game.view(Viewer::Seat(0));
    assert_eq!(
        own["hand"],
        json!(["r1", "y1", "y3", "b3", "r5", "y5", "r7", "y7", "r9", "y9"])
    );
    assert!(
        own["seats"][0].get("backs").is_none(),
        "nobody sees the backs of their own cards"
    );
    let other = game.view(Viewer::Seat(1));
    assert_eq!(
        other["seats"][0]["backs"],
        json!(["w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9", "w*"]),
        "sorted, so that positions tell nothing"
    );
    for viewer in [Viewer::Seat(0), Viewer::Seat(1), Viewer::Public] {
        let view = game.view(viewer);
        assert_eq!(view["discard_pile"], json!({ "cards": 1, "top": "g12" }));
        assert_eq!(
            view["draw_pile"],
            json!({ "cards": 83, "top": "w10" }),
            "its back"
        );
        assert!(view.get("open").is_none());
    }
}

#[test]
fn the_public_sees_no_hand_on_either_side() {
    let view = start("{}", 3, StackDeal::default()).view(Viewer::Public);
    assert!(view.get("hand").is_none());
    for seat in 0..3 {
        assert!(view["seats"][seat].get("backs").is_none());
        assert_eq!(view["seats"][seat]["cards"], 10);
    }
}

#[test]
fn what_a_seat_does_not_see_is_drawn_alike() {
    // Seat 0 does not see the back of its first card: all faces but stars on stars are alike.
    let game = start(
        r#"{"flips_each_side":0}"#,
        2,
        StackDeal {
            hands: &["r* r1"],
            ..StackDeal::default()
        },
    );
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut behind_star = BTreeMap::<String, f64>::new();
    let mut behind_number = BTreeMap::<String, f64>::new();
    let seen = seen_wild_faces(&game.view(Viewer::Seat(0)));
    let redeals = 8_000;
    for _ in 0..redeals {
        let other = game.table.redeal(Viewer::Seat(0), &mut rng);
        let mut json = Vec::new();
        other.write_view(Viewer::Open, &mut json);
        let open: Value = serde_json::from_slice(&json).expect("JSON");
        for number in open["open"]["hands"][0].as_array().expect("a hand") {
            let card = &open["open"]["cards"][number.as_u64().expect("a number") as usize];
            let back = card[1].as_str().expect("a face").to_string();
            match card[0].as_str() {
                Some("r*") => *behind_star.entry(back).or_default() += 1.0,
                Some("r1") => *behind_number.entry(back).or_default() += 1.0,
                _ => {}
            }
        }
    }
    assert!(!behind_star.contains_key("w*"), "no star on a star");
    // What is left of each number is what is not seen of it.
    let left = |face: &str| 8.0 - seen.get(face).copied().unwrap_or(0.0);
    let numbers: f64 = (1..=12).map(|number| left(&format!("w{number}"))).sum();
    let mut chi_squared = 0.0;
    for number in 1..=12 {
        let face = format!("w{number}");
        let expected = f64::from(redeals) * left(&face) / numbers;
        let count = behind_star.get(&face).copied().unwrap_or(0.0);
        chi_squared += (count - expected).powi(2) / expected;
    }
    // 11 degrees of freedom: 31.26 is exceeded once in a thousand.
    assert!(chi_squared < 31.26, "{chi_squared}");
    assert!(behind_number["w*"] > 0.0);
}

/// How often each wild face is seen by seat 0 at the start of a round.
fn seen_wild_faces(view: &Value) -> BTreeMap<String, f64> {
    let backs = view["seats"][1]["backs"].as_array().expect("backs").iter();
    let mut seen = BTreeMap::new();
    for face in backs.chain([&view["draw_pile"]["top"]]) {
        *seen
            .entry(face.as_str().expect("a face").to_string())
            .or_default() += 1.0;
    }
    seen
}

#[test]
fn while_another_seat_is_between_two_groups_only_hands_that_complete_its_phase_are_drawn() {
    let hand = "r1 r2 y1 y2 g5 g8 b4 b8 b10 g11";
    let mut game = start(
        "{}",
        3,
        StackDeal {
            hands: &[hand],
            discard: "b12",
            pile: "b1",
        },
    );
    game.play("draw pile; lay r1 r2");
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut hands = std::collections::BTreeSet::new();
    for viewer in [Viewer::Seat(1), Viewer::Seat(2), Viewer::Public] {
        for _ in 0..200 {
            let other = game.table.redeal(viewer, &mut rng);
            let actions = other.actions(0);
            assert!(!actions.is_empty() && actions.iter().all(|text| text.starts_with("lay")));
            hands.insert(actions);
        }
    }
    assert!(hands.len() > 100, "they differ: {}", hands.len());
}

#[test]
fn a_hand_that_hardly_ever_completes_the_phase_is_found_too() {
    // A run of stars lies, so four of a number are needed, one of them a number card.
    let mut found = 0;
    for seed in 0..40 {
        let Some(game) = between_groups_of_phase_nine(seed) else {
            continue;
        };
        found += 1;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for viewer in [Viewer::Seat(1), Viewer::Public] {
            for _ in 0..20 {
                let other = game.redeal(viewer, &mut rng);
                let mut actions = Vec::new();
                other.actions(0, &mut actions);
                assert!(!actions.is_empty());
            }
            let view = game.view(viewer);
            let built = Phase10::from_view(&Phase10Options::default(), 2, viewer, &view, &mut rng);
            assert!(built.is_ok(), "{:?}", built.err());
        }
    }
    assert!(found > 0);
}

/// Seat 0 of two has laid the run of phase 9, with these cards in view of nobody else.
fn between_groups_of_phase_nine(seed: u64) -> Option<Phase10> {
    let mut view = shown(&somewhere("{}", 2, seed, 4), Viewer::Public);
    if view["stage"] != "play" || view["to_move"] != 0 {
        return None;
    }
    view["round"] = json!(9);
    view["seats"][0]["completed"] = json!(8);
    view["seats"][0]["phase"] = json!(9);
    view["seats"][0]["score"] = json!(80);
    view["seats"][1]["score"] = json!(200);
    view["seats"][0]["cards"] = json!(9);
    view["seats"][0]["groups"] =
        json!([{ "kind": "run", "colour": "b", "cards": ["b*=11", "b*=12"] }]);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let view: Phase10View = serde_json::from_value(view).expect("a view");
    Some(
        Phase10::from_view(
            &Phase10Options::default(),
            2,
            Viewer::Public,
            &view,
            &mut rng,
        )
        .unwrap_or_else(|why| panic!("{why}")),
    )
}

fn refused(game: &Phase10, viewer: Viewer, json: &str, view: Value) -> bool {
    let Ok(view) = serde_json::from_value::<Phase10View>(view) else {
        return true;
    };
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    Phase10::from_view(&options(json), game.seats(), viewer, &view, &mut rng).is_err()
}

#[test]
fn views_that_contradict_themselves_are_refused() {
    let game = somewhere("{}", 3, 3, 10);
    let viewer = Viewer::Seat(0);
    let view = shown(&game, viewer);
    assert_eq!(
        (&view["side"], &view["stage"]),
        (&json!("colour"), &json!("play"))
    );
    assert!(!refused(&game, viewer, "{}", view.clone()));
    for (pointer, value) in [
        ("/round", json!(0)),
        ("/round", json!(61)),
        ("/dealer", json!(3)),
        ("/dealer", json!(null)),
        ("/turn", json!(301)),
        ("/to_move", json!(7)),
        ("/stage", json!("deal")),
        ("/stage", json!("reshuffle")),
        ("/stage", json!("over")),
        ("/stage", json!("cards")),
        ("/deciding", json!([0, 1])),
        ("/hand/0", json!("w5")),
        ("/hand", json!([])),
        ("/hand", json!(null)),
        ("/seats/1/backs/0", json!("r5")),
        ("/seats/1/backs", json!(null)),
        ("/seats/1/cards", json!(11)),
        ("/seats/1/completed", json!(10)),
        ("/seats/1/phase", json!(9)),
        ("/seats/1/laid", json!(true)),
        ("/seats/1/score", json!(100_000)),
        ("/draw_pile/cards", json!(0)),
        ("/draw_pile/cards", json!(255)),
        ("/draw_pile/top", json!("r5")),
        ("/draw_pile/top", json!(null)),
        ("/discard_pile/cards", json!(0)),
        ("/discard_pile/top", json!("w5")),
        (
            "/seats/1/groups",
            json!([{ "kind": "set", "colour": null, "cards": ["r5", "y5"] }]),
        ),
        ("/seats", json!([])),
    ] {
        let mut wrong = view.clone();
        *wrong
            .pointer_mut(pointer)
            .unwrap_or_else(|| panic!("no {pointer}")) = value.clone();
        if wrong != view {
            assert!(
                refused(&game, viewer, "{}", wrong),
                "{pointer} {value} in {view}"
            );
        }
    }
}

#[test]
fn a_face_is_not_seen_more_often_than_it_is_there() {
    let game = start("{}", 2, StackDeal::default());
    let view = game.view(Viewer::Seat(0));
    let state = somewhere("{}", 2, 0, 3);
    let with_hand = |hand: [&str; 10]| {
        let mut view = view.clone();
        view["hand"] = json!(hand);
        refused(&state, Viewer::Seat(0), "{}", view)
    };
    assert!(!with_hand([
        "r1", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9"
    ]));
    assert!(with_hand([
        "r1", "r1", "r1", "r3", "r4", "r5", "r6", "r7", "r8", "r9"
    ]));
    assert!(with_hand([
        "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r*", "r*", "r*"
    ]));
    assert!(!with_hand([
        "r1^", "r2^", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r*"
    ]));
    assert!(
        with_hand([
            "r1^", "r2^", "r3^", "r4", "r5", "r6", "r7", "r8", "r9", "r*"
        ]),
        "two a colour"
    );
    assert!(
        with_hand(["r2", "r1", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r*"]),
        "not sorted"
    );
}

#[test]
fn cards_that_are_no_group_are_refused() {
    let deal = StackDeal {
        hands: &["r1 r2 y1 y2 g4 g6 g8 b4 b6 b8"],
        discard: "b12",
        pile: "b10",
    };
    let mut game = start("{}", 2, deal);
    game.play("draw pile; lay r1 r2; lay y1 y2; discard b10");
    let view = game.view(Viewer::Public);
    let state = somewhere("{}", 2, 0, 3);
    let with = |first: &[&str], second: &[&str]| {
        let colour = |cards: &[&str]| {
            let hue = cards.iter().find(|card| !card.starts_with('w'));
            hue.map(|card| card[..1].to_string())
        };
        let mut view = view.clone();
        view["seats"][0]["groups"] = json!([
            { "kind": "run", "colour": colour(first), "cards": first },
            { "kind": "run", "colour": colour(second), "cards": second },
        ]);
        let more = (first.len() + second.len()) as u64 - 4;
        view["seats"][0]["cards"] = json!(6 - more);
        refused(&state, Viewer::Public, "{}", view)
    };
    assert!(!with(&["r1", "r2"], &["y1", "y2"]));
    assert!(
        !with(&["y1", "y2", "y3"], &["r1", "r2", "r3"]),
        "y1 y2 and r2 r3 were laid"
    );
    assert!(with(&["r1", "y2"], &["y1", "y2"]), "two colours");
    assert!(with(&["r1", "r3"], &["y1", "y2"]), "not consecutive");
    assert!(
        !with(&["r1", "r2", "w3"], &["y1", "y2"]),
        "a hit from the other side"
    );
}

#[test]
fn a_stateless_bot_can_go_on_from_any_view() {
    for seed in 0..40 {
        let seats = 2 + (seed % 5) as u8;
        let game = somewhere("{}", seats, seed, 40 + 9 * seed as usize);
        let SeatTurn::Seats(asked) = game.turn() else {
            continue;
        };
        let seat = asked.lowest().expect("a turn asks somebody");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let view = game.view(Viewer::Seat(seat));
        let built = Phase10::from_view(
            &Phase10Options::default(),
            seats,
            Viewer::Seat(seat),
            &view,
            &mut rng,
        )
        .unwrap_or_else(|why| panic!("{why}"));
        let [mut here, mut there] = [Vec::new(), Vec::new()];
        game.actions(seat, &mut here);
        built.actions(seat, &mut there);
        assert_eq!(here, there);
    }
}

#[test]
fn everything_a_seat_is_sent_is_the_same_after_a_redeal() {
    for seed in 0..60 {
        let seats = 2 + (seed % 5) as u8;
        let game = somewhere("{}", seats, seed, 17 * seed as usize % 600);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for seat in 0..seats {
            let other = game.redeal(Viewer::Seat(seat), &mut rng);
            let cards = shown(&other, Viewer::Open)["open"]["cards"].take();
            let cards: Vec<[String; 2]> = serde_json::from_value(cards).expect("cards");
            if !cards.is_empty() {
                // Redrawn flip symbols are as many as they were.
                assert_composition(&cards, 8);
            }
            for viewer in [Viewer::Seat(seat), Viewer::Public] {
                let bytes = |game: &Phase10| serde_json::to_vec(&game.view(viewer)).expect("JSON");
                assert_eq!(bytes(&game), bytes(&other));
            }
            let [mut here, mut there] = [Vec::new(), Vec::new()];
            game.actions(seat, &mut here);
            other.actions(seat, &mut there);
            assert_eq!(here, there);
        }
    }
}
