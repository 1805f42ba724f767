//! The game and its plain counterpart, side by side in random matches: the same actions, turns,
//! views and outcomes.

use std::collections::BTreeMap;

use flipside_games::{AnyGame, GAMES, SeatTurn, Viewer, chance};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::Value;

use super::plain::PlainPhase10;

/// Every so many events all views are compared.
const THOROUGH: usize = 11;

/// So many actions are taken in a match at most, that long matches do not crowd out the others.
const LONGEST: usize = 900;

fn game() -> &'static dyn AnyGame {
    let game = GAMES.iter().find(|game| game.info().id == "phase10-flip");
    *game.expect("built in")
}

/// Plays a match on both. The eager lay and hit whenever they can.
fn agree(options: &str, seats: u8, seed: u64, eager: bool) -> &'static str {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let setup = game().set_up(options, seats).expect("options that fit");
    let mut table = setup.table;
    let options: Value = serde_json::from_str(&setup.options).expect("JSON");
    let mut plain = PlainPhase10::start(&options, seats.into());
    for event in 0..LONGEST {
        let mover = match table.turn() {
            SeatTurn::Seats(asked) => asked.lowest(),
            _ => None,
        };
        assert_eq!(mover.map(usize::from), plain.mover());
        let stage = matches!(plain.next, "cards" | "dealer" | "deal" | "reshuffle");
        assert_eq!(table.turn() == SeatTurn::Chance, stage, "{}", plain.next);
        if event % THOROUGH == 0 || matches!(table.turn(), SeatTurn::Over(_)) {
            compare_views(&*table, &plain);
        }
        match (table.turn(), mover) {
            (SeatTurn::Over(_), _) => return table_reason(&*table),
            (_, None) => {
                let mut draw = Vec::new();
                table.sample(&mut rng, &mut draw);
                let draw = String::from_utf8(draw).expect("JSON");
                table.chance(&draw).expect("its own draw");
                plain.chance(&serde_json::from_str(&draw).expect("JSON"));
            }
            (_, Some(seat)) => {
                let actions = table.actions(seat);
                assert_eq!(actions, plain.actions());
                let quick = actions.iter().filter(|text| text.starts_with(['h', 'l']));
                let quick: Vec<&String> = quick.collect();
                let all: Vec<&String> = actions.iter().collect();
                let from = if eager && !quick.is_empty() {
                    quick
                } else {
                    all
                };
                let action = from[chance::below(&mut rng, from.len() as u32) as usize];
                table.act(&[(seat, action)]).expect("its own action");
                plain.act(action);
            }
        }
    }
    "unfinished"
}

fn table_reason(table: &dyn flipside_games::Table) -> &'static str {
    match table.turn() {
        SeatTurn::Over(outcome) => outcome.reason,
        turn => panic!("not over: {turn:?}"),
    }
}

fn compare_views(table: &dyn flipside_games::Table, plain: &PlainPhase10) {
    let shown = |viewer| -> Value {
        let mut json = Vec::new();
        table.write_view(viewer, &mut json);
        serde_json::from_slice(&json).expect("JSON")
    };
    for seat in 0..table.seats() {
        assert_eq!(shown(Viewer::Seat(seat)), plain.view(Some(seat.into())));
    }
    assert_eq!(shown(Viewer::Public), plain.view(None));
    let mut open = plain.view(None);
    open["open"] = plain.places();
    assert_eq!(shown(Viewer::Open), open);
    if let SeatTurn::Over(outcome) = table.turn() {
        assert_eq!(open["over"]["points"], serde_json::json!(*outcome.points));
        assert_eq!(open["over"]["reason"], outcome.reason);
    }
}

/// Plays matches with these options, at every number of seats; counts how they end.
fn agree_often(options: &str, matches: u64) -> BTreeMap<&'static str, usize> {
    let mut ends = BTreeMap::new();
    for seed in 0..matches {
        let seats = 2 + (seed % 5) as u8;
        *ends
            .entry(agree(options, seats, seed, seed % 3 > 0))
            .or_default() += 1;
    }
    println!("{options}: {ends:?}");
    ends
}

#[test]
fn the_standard_game_is_as_plain_as_its_page() {
    let ends = agree_often("{}", 60);
    assert!(ends["last-phase"] > 20, "{ends:?}");
}

#[test]
fn ten_rounds_are_as_plain_as_their_page() {
    let ends = agree_often(r#"{"variant":"ten-rounds"}"#, 30);
    assert!(ends["ten-rounds"] > 10, "{ends:?}");
    let two = r#"{"variant":"ten-rounds","max_rounds":2,"flips_each_side":12}"#;
    assert!(agree_often(two, 80)["limit"] > 70);
}

#[test]
fn a_short_game_is_as_plain_as_its_page() {
    let quick = r#"{"variant":"short","phases":1,"max_turns_per_round":40}"#;
    let ends = agree_often(quick, 1500);
    assert!(
        ends["deciding-round"] > 50 && ends["limit"] > 50,
        "{ends:?}"
    );
    agree_often(
        r#"{"variant":"short","phases":2,"flips_each_side":24,"round_winner_points":0}"#,
        300,
    );
    agree_often(
        r#"{"variant":"short","phases":3,"flips_each_side":0,"round_winner_points":5}"#,
        200,
    );
}

#[test]
fn limits_are_as_plain_as_their_page() {
    agree_often(
        r#"{"variant":"short","phases":1,"max_rounds":1,"round_winner_points":50}"#,
        300,
    );
    agree_often(r#"{"max_rounds":2,"max_turns_per_round":25}"#, 300);
}
