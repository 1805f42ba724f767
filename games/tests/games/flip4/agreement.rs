//! The game and its plain counterpart side by side: the same turns, actions, refusals, outcomes
//! and views in every position that random play comes to.

use std::collections::BTreeMap;

use flipside_games::{Refusal, SeatTurn, find};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng};
use serde_json::Value;

use super::plain::{PlainFlip4, notation};
use super::seat::{SeatMatch, fresh};

/// Every so many positions, everything that can be written is put to the check.
const THOROUGH: usize = 61;

/// How often a seat looks for an action that ends the match, where there is one.
const KEEN: f64 = 0.3;

fn compare(fast: &SeatMatch, plain: &PlainFlip4, actions: &[String]) {
    let view = plain.view();
    assert_eq!(fast.view(), view);
    assert_eq!(fast.asked(), plain.asked(), "{view}");
    let end = match plain.outcome() {
        Some((points, reason)) => format!("{points:?} {reason}"),
        None => "goes on".into(),
    };
    assert_eq!(fast.end(), end, "{view}");
    for seat in 0..fast.table.seats() {
        let listed = match plain.asked() == Some(seat) {
            true => actions,
            false => &[],
        };
        assert_eq!(fast.table.actions(seat), listed, "{view}");
    }
}

fn compare_thoroughly(fast: &SeatMatch, actions: &[String], notation: &[String]) {
    let Some(seat) = fast.asked() else {
        return;
    };
    for text in notation {
        match fast.table.check(seat, text) {
            Ok(()) => assert!(actions.contains(text), "{text} in {}", fast.view()),
            Err(Refusal::Illegal(_)) => {
                assert!(!actions.contains(text), "{text} in {}", fast.view());
            }
            Err(other) => panic!("{text}: {other:?}"),
        }
    }
}

/// Random options, most of them as the page has them.
fn options(rng: &mut ChaCha8Rng) -> Value {
    let game = find("flip4").expect("built in");
    let default = game.set_up("{}", 2).expect("the default").options;
    let mut options: Value = serde_json::from_str(&default).expect("JSON");
    if rng.random_bool(0.5) {
        let order = options["layout"].as_array_mut().expect("a layout");
        for last in (1..order.len()).rev() {
            order.swap(last, rng.random_range(0..=last));
        }
    }
    options["corner_return"] = rng.random_bool(0.5).into();
    options["double_line"] = ["mover", "opponent", "both"][rng.random_range(0..3)].into();
    options["max_turns"] = [3000, 3000, 40, 15, 9][rng.random_range(0..5)].into();
    options
}

#[test]
fn the_game_is_as_plain_as_its_page() {
    let mut rng = ChaCha8Rng::seed_from_u64(44);
    let notation = notation();
    let mut ends = BTreeMap::<String, usize>::new();
    let mut phases = BTreeMap::<&str, usize>::new();
    let mut positions = 0;
    for walk in 0..1500u32 {
        let seats = 2 + (walk % 3) as u8;
        let options = options(&mut rng);
        let mut fast = fresh(&options.to_string(), seats);
        let mut plain = PlainFlip4::start(&options, seats);
        loop {
            let actions = plain.actions();
            compare(&fast, &plain, &actions);
            *phases.entry(plain.phase()).or_default() += 1;
            positions += 1;
            if positions % THOROUGH == 0 {
                compare_thoroughly(&fast, &actions, &notation);
            }
            match fast.table.turn() {
                SeatTurn::Over(_) => break,
                SeatTurn::Chance => {
                    let mut draw = Vec::new();
                    fast.table.sample(&mut rng, &mut draw);
                    let draw: Value = serde_json::from_slice(&draw).expect("JSON");
                    plain.chance(&draw);
                    fast = fast.chance(&draw);
                }
                SeatTurn::Seats(_) => {
                    let ends_it = |action: &&String| {
                        let mut then = plain.clone();
                        then.act(action);
                        then.outcome().is_some()
                    };
                    let keen = rng.random_bool(KEEN);
                    let found = actions.iter().filter(|_| keen).find(ends_it);
                    let any = rng.random_range(0..actions.len());
                    let action = found.unwrap_or(&actions[any]).clone();
                    plain.act(&action);
                    fast = fast.act(&action);
                }
            }
        }
        let (points, reason) = plain.outcome().expect("it is over");
        let winners: i32 = points.iter().sum();
        *ends.entry(format!("{reason} {winners}")).or_default() += 1;
    }
    println!("{positions} positions, {phases:?}, {ends:?}");
    // The walks come to everything that there is.
    assert_eq!(phases.len(), 7, "{phases:?}");
    assert!(ends["line 1"] > 300 && ends["limit 0"] > 300, "{ends:?}");
    assert!(
        phases["place-anywhere"] > 100 && phases["free-move"] > 500,
        "{phases:?}"
    );
    assert_eq!(notation.len(), 1 + 21 + 2 * 21 * 21);
}
