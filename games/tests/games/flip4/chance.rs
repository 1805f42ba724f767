//! What chance does: the dice and the start are fair, random matches end, and one is pinned.

use std::collections::BTreeMap;

use flipside_games::testing::{LawStep, step_at_random};
use flipside_games::{SeatTurn, Table};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::seat::{begun, fresh};

/// How often each draw comes up.
fn counts(table: &dyn Table, draws: usize, seed: u64) -> BTreeMap<String, f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut counts = BTreeMap::new();
    for _ in 0..draws {
        let mut draw = Vec::new();
        table.sample(&mut rng, &mut draw);
        let draw = String::from_utf8(draw).expect("JSON is UTF-8");
        *counts.entry(draw).or_insert(0.0) += 1.0;
    }
    counts
}

fn chi_squared(counts: &BTreeMap<String, f64>) -> f64 {
    let expected = counts.values().sum::<f64>() / counts.len() as f64;
    let parts = counts
        .values()
        .map(|count| (count - expected).powi(2) / expected);
    parts.sum()
}

#[test]
fn the_36_rolls_are_alike() {
    let counts = counts(&*begun("{}", 2, 0).table, 72_000, 1);
    assert_eq!(counts.len(), 36);
    for a in 1..=6 {
        for b in 1..=6 {
            assert!(counts.contains_key(&format!(r#"{{"roll":[{a},{b}]}}"#)));
        }
    }
    // 35 degrees of freedom: 66.62 is exceeded once in a thousand.
    let chi_squared = chi_squared(&counts);
    assert!(chi_squared < 66.62, "{chi_squared}");
}

#[test]
fn every_seat_begins_alike() {
    // Exceeded once in a thousand with 1, 2 and 3 degrees of freedom.
    for (seats, bound) in [(2, 10.83), (3, 13.82), (4, 16.27)] {
        let counts = counts(&*fresh("{}", seats).table, 24_000, seats.into());
        let starts: Vec<String> = (0..seats)
            .map(|seat| format!(r#"{{"start":{seat}}}"#))
            .collect();
        assert!(counts.keys().eq(&starts), "{counts:?}");
        let chi_squared = chi_squared(&counts);
        assert!(chi_squared < bound, "{seats} seats: {chi_squared}");
    }
}

/// A random match: its events, and how it ended.
fn random_match(seats: u8, seed: u64) -> (Vec<String>, &'static str) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut table = fresh("{}", seats).table;
    let mut events = Vec::new();
    while let Some(step) = step_at_random(&mut *table, &mut rng) {
        match step {
            LawStep::Draw(draw) => events.push(draw),
            LawStep::Acts(acts) => {
                events.extend(acts.iter().map(|(seat, action)| format!("{seat}:{action}")));
            }
        }
    }
    let SeatTurn::Over(outcome) = table.turn() else {
        unreachable!("there is no step after the end alone")
    };
    (events, outcome.reason)
}

#[test]
fn few_random_matches_end_by_the_limit() {
    const MATCHES: u64 = 700;
    for (seats, most) in [(2, 0.12), (3, 0.04), (4, 0.02)] {
        let matches = (0..MATCHES).map(|seed| random_match(seats, seed));
        let limits = matches.filter(|(_, reason)| *reason == "limit").count();
        let share = limits as f64 / MATCHES as f64;
        assert!(share < most, "{seats} seats: {share}");
    }
}

#[test]
fn the_match_of_a_seed_never_changes() {
    let (events, reason) = random_match(3, 2660);
    insta::assert_snapshot!(events.join(" "), @r#"{"start":2} {"roll":[1,3]} 2:3 {"roll":[1,3]} 0:4 {"roll":[5,5]} 1:10 {"roll":[2,3]} 2:5 {"roll":[4,3]} 0:1 {"roll":[5,6]} 1:30 {"roll":[3,6]} 2:18 {"roll":[1,5]} 0:6 {"roll":[1,3]} 1:2 {"roll":[5,3]} 2:8 {"roll":[1,3]} {"roll":[4,2]} {"roll":[2,2]} 0:0 {"roll":[2,3]} {"roll":[3,1]} {"roll":[3,1]} 1:36 {"roll":[5,5]} {"roll":[6,2]} {"roll":[6,2]} 0:4-16 {"roll":[5,5]} {"roll":[1,4]} {"roll":[3,3]} {"roll":[2,5]} {"roll":[2,4]} 2:8-C-0 {"roll":[3,2]} 1:pass {"roll":[4,6]} 0:16-12 {"roll":[6,2]} {"roll":[2,3]} {"roll":[5,1]} 0:6-7 {"roll":[4,5]} {"roll":[3,4]} {"roll":[4,3]} 0:7-C-2 {"roll":[3,4]} 2:0-C-10"#);
    assert_eq!(reason, "line");
}
