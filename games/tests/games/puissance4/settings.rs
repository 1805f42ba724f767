//! Options that do not fit, the length of matches, and a match of each game that never changes.

use flipside_games::testing::{LawStep, step_at_random};
use flipside_games::{Seat, SeatTurn, find};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

const GAMES: [&str; 3] = [
    "puissance4-basic",
    "puissance4-championship",
    "puissance4-extra-pro",
];

fn refusal(id: &str, options: &str, seats: u8) -> String {
    match find(id).expect("a game").set_up(options, seats) {
        Ok(_) => panic!("{options} is not refused"),
        Err(error) => error.0,
    }
}

#[test]
fn a_wrong_option_is_refused_by_its_name_and_range() {
    for id in GAMES {
        for (options, parts) in [
            (
                r#"{"model":{"fumble_top":1.5}}"#,
                ["model.fumble_top", "0 to 1"],
            ),
            (
                r#"{"model":{"fumble_bottom":-0.1}}"#,
                ["model.fumble_bottom", "0 to 1"],
            ),
            (
                r#"{"model":{"rim_share":2}}"#,
                ["model.rim_share", "0 to 1"],
            ),
            (r#"{"model":{"fall":1.0000001}}"#, ["model.fall", "0 to 1"]),
            (r#"{"model":{"wall":0.6}}"#, ["model.wall", "0 to 0.5"]),
            (r#"{"model":{"across":-1}}"#, ["model.across", "0 to 10"]),
            (r#"{"model":{"along":11}}"#, ["model.along", "0 to 10"]),
            (
                r#"{"model":{"along_per_row":"x"}}"#,
                ["model.along_per_row", "0 to 10"],
            ),
            (
                r#"{"model":{"top_factor":null}}"#,
                ["model.top_factor", "0 to 10"],
            ),
            (r#"{"rules":{"size":3}}"#, ["rules.size", "4 to 6"]),
            (r#"{"rules":{"size":7}}"#, ["rules.size", "4 to 6"]),
            (
                r#"{"rules":{"rim":"keep"}}"#,
                ["rules.rim", "`remove` or `leave`"],
            ),
            (
                r#"{"rules":{"max_rounds":0}}"#,
                ["rules.max_rounds", "1 to 1000000"],
            ),
            (
                r#"{"rules":{"max_plies":9}}"#,
                ["rules.max_plies", "there is no such option"],
            ),
            (
                r#"{"fumble_top":0.1}"#,
                ["fumble_top", "did you mean model.fumble_top?"],
            ),
        ] {
            let why = refusal(id, options, 2);
            assert!(
                parts.iter().all(|part| why.contains(part)),
                "{id} {options}: {why}"
            );
        }
    }
}

#[test]
fn ticks_are_options_of_the_simultaneous_games_alone() {
    for id in &GAMES[..2] {
        for (options, parts) in [
            (r#"{"model":{"flight":0}}"#, ["model.flight", "1 to 100"]),
            (r#"{"model":{"pick_up":0}}"#, ["model.pick_up", "1 to 1000"]),
            (
                r#"{"model":{"hand_over":101}}"#,
                ["model.hand_over", "0 to 100"],
            ),
            (
                r#"{"rules":{"max_ticks":0}}"#,
                ["rules.max_ticks", "1 to 1000000"],
            ),
            (
                r#"{"rules":{"powers_each":2}}"#,
                ["rules.powers_each", "there is no such option"],
            ),
        ] {
            let why = refusal(id, options, 2);
            assert!(
                parts.iter().all(|part| why.contains(part)),
                "{id} {options}: {why}"
            );
        }
    }
    for options in [r#"{"model":{"flight":3}}"#, r#"{"rules":{"max_ticks":9}}"#] {
        assert!(refusal(GAMES[2], options, 2).contains("there is no such option"));
    }
    let why = refusal(GAMES[2], r#"{"rules":{"powers_each":6}}"#, 2);
    assert!(
        why.contains("rules.powers_each") && why.contains("0 to 5"),
        "{why}"
    );
}

#[test]
fn a_spread_is_smaller_than_its_delay() {
    for (name, ticks) in [("flight", 3), ("reload", 6), ("reaction", 2)] {
        let options = format!(r#"{{"model":{{"{name}_spread":{ticks}}}}}"#);
        let why = refusal(GAMES[0], &options, 2);
        let parts = [
            format!("option model.{name}_spread"),
            format!("from 0 to {}", ticks - 1),
        ];
        assert!(parts.iter().all(|part| why.contains(part)), "{why}");
    }
}

#[test]
fn a_team_of_the_wrong_size_is_refused() {
    for id in GAMES {
        for seats in [0, 1, 3, 5, 7] {
            let why = refusal(id, "{}", seats);
            assert!(why.contains("is for 2, 4 or 6 seats"), "{why}");
        }
    }
}

/// Plays at random to the end: the events as texts, and the reason.
fn played(id: &str, options: &str, seats: u8, seed: u64) -> (Vec<String>, &'static str) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let setup = find(id).expect("a game").set_up(options, seats);
    let mut table = setup.expect("options that fit").table;
    let mut events = Vec::new();
    while let Some(step) = step_at_random(&mut *table, &mut rng) {
        events.push(match step {
            LawStep::Draw(draw) => draw,
            LawStep::Acts(acts) => {
                let texts = acts.iter().map(|(seat, text)| format!("{seat} {text}"));
                texts.collect::<Vec<_>>().join("; ")
            }
        });
    }
    let SeatTurn::Over(outcome) = table.turn() else {
        unreachable!("there is no step after the end alone")
    };
    (events, outcome.reason)
}

/// How many of so many random matches end by the limit.
fn ended_by_limit(id: &str, options: &str, matches: u64) -> usize {
    let ends: Vec<_> = (0..matches)
        .map(|seed| played(id, options, 2, seed))
        .collect();
    let lengths = ends.iter().map(|(events, _)| events.len());
    let mean = lengths.clone().sum::<usize>() / ends.len();
    println!(
        "{id} {options}: {mean} events, {} at most",
        lengths.max().unwrap_or(0)
    );
    ends.iter().filter(|(_, reason)| *reason == "limit").count()
}

#[test]
fn random_matches_end_well_inside_their_limits() {
    assert_eq!(ended_by_limit(GAMES[0], "{}", 2000), 0);
    assert_eq!(ended_by_limit(GAMES[1], "{}", 500), 0);
}

#[test]
fn half_of_the_random_matches_of_extra_pro_end_before_fifty_rounds_and_all_before_five_hundred() {
    let drawn = ended_by_limit(GAMES[2], "{}", 300);
    assert!(drawn < 150, "{drawn} of 300 matches end by the limit");
    assert_eq!(
        ended_by_limit(GAMES[2], r#"{"rules":{"max_rounds":500}}"#, 300),
        0
    );
}

#[test]
fn the_match_of_a_seed_never_changes() {
    let cases = [
        (GAMES[0], "{}", 2, 10, include_str!("golden/basic.txt")),
        (
            GAMES[1],
            r#"{"rules":{"size":4,"team_wait":true}}"#,
            4,
            28,
            include_str!("golden/championship.txt"),
        ),
        (
            GAMES[2],
            r#"{"rules":{"max_rounds":1}}"#,
            6,
            1,
            include_str!("golden/extra-pro.txt"),
        ),
    ];
    for (id, options, seats, seed, golden) in cases {
        let (events, reason) = played(id, options, seats, seed);
        assert_eq!(format!("{}\n{reason}\n", events.join("\n")), golden, "{id}");
    }
}

#[test]
fn a_match_of_waiting_ends_after_all_rounds() {
    let options = r#"{"rules":{"max_ticks":5,"max_rounds":3,"team_wait":true}}"#;
    for id in &GAMES[..2] {
        let setup = find(id).expect("a game").set_up(options, 4);
        let mut table = setup.expect("options that fit").table;
        let mut choices = 0;
        while let SeatTurn::Seats(asked) = table.turn() {
            let acts: Vec<(Seat, &str)> = asked.map(|seat| (seat, "wait")).collect();
            table.act(&acts).expect("waiting is legal");
            choices += 1;
        }
        let SeatTurn::Over(outcome) = table.turn() else {
            panic!("somebody is still asked");
        };
        assert_eq!((choices, outcome.reason), (15, "limit"));
        assert!(outcome.points.iter().all(|&points| points == 0));
    }
}
