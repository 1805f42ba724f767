//! What a view leaves open is drawn anew as likely as it is, also where random play seldom comes:
//! when lines are claimed, and when claims meet.

use std::collections::BTreeMap;

use flipside_games::{
    Event, Game, Puissance4Basic, Puissance4Championship, Seat, SeatTurn, Viewer, chance,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng};
use serde_json::{Value, json};

use super::script::options;

fn seen<G: Game>(game: &G, viewer: Viewer) -> Value {
    serde_json::to_value(game.view(viewer)).expect("a view is JSON")
}

fn viewers(seats: u8) -> Vec<Viewer> {
    let seats = (0..seats).map(Viewer::Seat);
    seats.chain([Viewer::Public, Viewer::Open]).collect()
}

/// A choice of a side that fills its own row, and sometimes the other's.
fn choice<G: Game>(game: &G, seat: Seat, rng: &mut ChaCha8Rng) -> G::Action {
    let row = if rng.random_bool(0.7) {
        seat % 2
    } else {
        1 - seat % 2
    };
    let (tray, rank) = [("top", 1), ("bottom", 2)][usize::from(row)];
    let file = ["a", "b", "c", "d"][rng.random_range(0..4)];
    let text = format!("launch {tray} {file}{rank}");
    game.read_action(&text).expect("in the notation")
}

fn step<G: Game>(game: &mut G, rng: &mut ChaCha8Rng) -> bool {
    match game.turn() {
        SeatTurn::Over(_) => return false,
        SeatTurn::Chance => {
            let draw = game.sample(rng);
            game.check_chance(&draw).expect("its own draw");
            game.apply(Event::Chance(&draw));
        }
        SeatTurn::Seats(asked) => {
            let acts: Vec<_> = asked.map(|seat| (seat, choice(game, seat, rng))).collect();
            game.apply(Event::Acts(&acts));
        }
    }
    true
}

/// The position is rebuilt from every view, and dealt again for everybody.
fn look<G: Game>(game: &G, options: &G::Options, rng: &mut ChaCha8Rng) {
    for viewer in viewers(game.seats()) {
        let view = game.view(viewer);
        let built = G::from_view(options, game.seats(), viewer, &view, rng);
        let built = built.unwrap_or_else(|why| panic!("{viewer:?}: {why}: {}", seen(game, viewer)));
        for other in [built, game.redeal(viewer, rng)] {
            assert_eq!(seen(&other, viewer), seen(game, viewer));
            assert_eq!(seen(&other, Viewer::Public), seen(game, Viewer::Public));
            assert_eq!(other.turn(), game.turn());
            let mut goes_on = other;
            for _ in 0..20 {
                step(&mut goes_on, rng);
            }
        }
    }
}

/// Plays matches in which lines are claimed all the time, and looks at every such position.
fn fight<G: Game>(matches: u64) {
    let mut phases = BTreeMap::<String, usize>::new();
    for seed in 0..matches {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let reaction = rng.random_range(1..=6);
        let options = json!({
            "rules": {
                "size": 4, "max_ticks": 80, "max_rounds": 2, "team_wait": rng.random::<bool>(),
            },
            "model": {
                "across": 0.1, "along": 0.1, "along_per_row": 0, "fumble_top": 0.1,
                "flight": 4, "flight_spread": if rng.random() { 0 } else { 3 },
                "reload": 2, "reload_spread": 0,
                "reaction": reaction, "reaction_spread": if rng.random() { 0 } else { reaction - 1 },
            },
        });
        let options = serde_json::from_value(options).expect("options that fit");
        let mut game = G::new(&options, [2, 4][seed as usize % 2]).expect("a match");
        loop {
            let phase = seen(&game, Viewer::Public)["phase"]
                .as_str()
                .expect("a phase")
                .to_string();
            let is_rare = !["choose", "delays", "landings"].contains(&&*phase);
            if is_rare || chance::below(&mut rng, 12) == 0 {
                look(&game, &options, &mut rng);
                *phases.entry(phase).or_default() += 1;
            }
            if !step(&mut game, &mut rng) {
                break;
            }
        }
    }
    println!("{}: {phases:?}", G::INFO.id);
    let often = phases.values().filter(|&&times| times >= 10).count();
    assert_eq!(often, 8, "all phases are looked at: {phases:?}");
}

#[test]
fn basic_positions_are_rebuilt_and_dealt_again_in_every_phase() {
    fight::<Puissance4Basic>(1500);
}

#[test]
fn championship_positions_are_rebuilt_and_dealt_again_in_every_phase() {
    fight::<Puissance4Championship>(700);
}

/// Counts what redealing a position shows when all is open.
fn redealt(
    game: &Puissance4Basic,
    viewer: Viewer,
    what: impl Fn(&Value) -> Value,
) -> BTreeMap<String, u32> {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut counts = BTreeMap::new();
    for _ in 0..6000 {
        let open = seen(&game.redeal(viewer, &mut rng), Viewer::Open);
        *counts.entry(what(&open).to_string()).or_default() += 1;
    }
    counts
}

/// Whether counts are in these proportions, within five standard deviations.
fn require(counts: &BTreeMap<String, u32>, shares: &[(&str, f64)]) {
    let total = f64::from(counts.values().sum::<u32>());
    assert_eq!(counts.len(), shares.len(), "{counts:?}");
    for (value, share) in shares {
        let count = f64::from(counts.get(*value).copied().unwrap_or(0));
        let deviation = (total * share * (1.0 - share)).sqrt();
        assert!(
            (count - total * share).abs() <= 5.0 * deviation,
            "{value}: {counts:?}"
        );
    }
}

/// A match with these delays after acts and draws given as texts.
fn after(model: Value, events: &[&str]) -> Puissance4Basic {
    let options = serde_json::from_value(options([("model", model)])).expect("options that fit");
    let mut game = Puissance4Basic::new(&options, 2).expect("a match");
    for event in events {
        if event.starts_with('{') {
            let draw = game.read_chance(event).expect("a draw");
            game.check_chance(&draw)
                .unwrap_or_else(|why| panic!("{event}: {why}"));
            game.apply(Event::Chance(&draw));
        } else {
            let SeatTurn::Seats(asked) = game.turn() else {
                panic!("nobody is asked: {event}");
            };
            let acts: Vec<_> = asked
                .zip(event.split("; "))
                .map(|(seat, text)| (seat, game.read_action(text).expect(text)))
                .collect();
            game.apply(Event::Acts(&acts));
        }
    }
    game
}

#[test]
fn a_token_that_is_still_in_the_air_lands_at_any_later_tick_alike() {
    let delays = r#"{"delays":[{"side":0,"flight":4,"reload":6}]}"#;
    let game = after(json!({}), &["launch top a1; wait", delays, "wait", "wait"]);
    assert_eq!(seen(&game, Viewer::Public)["tick"], 3);
    for viewer in [Viewer::Seat(0), Viewer::Seat(1), Viewer::Public] {
        let lands = redealt(&game, viewer, |open| {
            open["sides"][0]["in_air"][0]["lands"].clone()
        });
        require(&lands, &[("4", 1.0)]);
    }
    let model = json!({ "flight": 5, "flight_spread": 4 });
    let game = after(model, &["launch top a1; wait", delays, "wait", "wait"]);
    let lands = redealt(&game, Viewer::Seat(0), |open| {
        open["sides"][0]["in_air"][0]["lands"].clone()
    });
    let sixth = 1.0 / 6.0;
    require(
        &lands,
        &["4", "5", "6", "7", "8", "9"].map(|tick| (tick, sixth)),
    );
}

#[test]
fn a_launcher_that_is_not_ready_is_so_at_any_later_tick_alike() {
    let delays = r#"{"delays":[{"side":0,"flight":4,"reload":8}]}"#;
    let landing = r#"{"landings":[{"side":0,"launched":0,"place":"miss"}]}"#;
    let waits = ["wait"; 3];
    let mut events = vec!["launch top a1; wait", delays];
    events.extend(waits);
    events.extend([landing, "wait", "wait"]);
    let game = after(json!({}), &events);
    assert_eq!(seen(&game, Viewer::Public)["tick"], 6);
    let reloaded = redealt(&game, Viewer::Seat(0), |open| {
        open["sides"][0]["reloaded"].clone()
    });
    require(&reloaded, &[("7", 0.5), ("8", 0.5)]);
}

#[test]
fn when_something_comes_down_it_is_any_of_what_may() {
    // Flights of 2 to 4: at tick 3 one of two comes down or both, and nothing came down before.
    let delays =
        r#"{"delays":[{"side":0,"flight":3,"reload":4},{"side":1,"flight":4,"reload":4}]}"#;
    let game = after(json!({}), &["launch top a1; launch top b1", delays]);
    assert_eq!(seen(&game, Viewer::Public)["phase"], "landings");
    let lands = redealt(&game, Viewer::Public, |open| {
        json!([0, 1].map(|side: usize| open["sides"][side]["in_air"][0]["lands"].clone()))
    });
    let third = 1.0 / 3.0;
    require(
        &lands,
        &[("[3,3]", third), ("[3,4]", third), ("[4,3]", third)],
    );
}

#[test]
fn aims_that_are_not_known_are_any_cell_and_known_ones_stay() {
    let delays =
        r#"{"delays":[{"side":0,"flight":3,"reload":4},{"side":1,"flight":4,"reload":4}]}"#;
    let game = after(json!({}), &["launch top a1; launch top b1", delays]);
    let aim = |side: usize| move |open: &Value| open["sides"][side]["in_air"][0]["aim"].clone();
    let own = redealt(&game, Viewer::Seat(1), aim(1));
    assert_eq!(own.into_keys().collect::<Vec<_>>(), [r#""top b1""#]);
    for (viewer, side) in [
        (Viewer::Seat(1), 0),
        (Viewer::Seat(0), 1),
        (Viewer::Public, 1),
    ] {
        let aims = redealt(&game, viewer, aim(side));
        let cells: Vec<String> = aims.keys().cloned().collect();
        assert_eq!(cells.len(), 50);
        let shares: Vec<(&str, f64)> = cells.iter().map(|cell| (cell.as_str(), 0.02)).collect();
        require(&aims, &shares);
    }
}

/// Side 0 has a line in the first row of the top tray, found at tick 15.
fn with_a_line(model: Value) -> Puissance4Basic {
    let mut events = Vec::new();
    for (at, cell) in ["a1", "b1", "c1", "d1"].iter().enumerate() {
        let launched = 4 * at;
        events.push(format!("launch top {cell}; wait"));
        events.push(r#"{"delays":[{"side":0,"flight":3,"reload":4}]}"#.into());
        events.extend(["wait".to_string(), "wait".into()]);
        events.push(format!(
            r#"{{"landings":[{{"side":0,"launched":{launched},"place":"top {cell}"}}]}}"#
        ));
        if at < 3 {
            events.push("wait".into());
        }
    }
    events.push(r#"{"reactions":[{"side":0,"ticks":3}]}"#.into());
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    after(model, &events)
}

#[test]
fn a_line_that_still_stands_is_claimed_at_any_later_tick_alike() {
    let game = with_a_line(json!({}));
    assert_eq!(seen(&game, Viewer::Public)["tick"], 15);
    for viewer in [Viewer::Seat(0), Viewer::Seat(1), Viewer::Public] {
        let claimed = redealt(&game, viewer, |open| open["lines"][0]["claimed"].clone());
        let third = 1.0 / 3.0;
        require(&claimed, &[("16", third), ("17", third), ("18", third)]);
    }
}

/// A view with one thing changed is refused.
fn refused(game: &Puissance4Basic, change: impl Fn(&mut Value)) {
    let options = Default::default();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for viewer in [Viewer::Seat(0), Viewer::Public, Viewer::Open] {
        let mut view = seen(game, viewer);
        change(&mut view);
        let text = view.to_string();
        let Ok(view) = serde_json::from_value(view) else {
            continue;
        };
        let built = Puissance4Basic::from_view(&options, 2, viewer, &view, &mut rng);
        assert!(built.is_err(), "{viewer:?}: {text}");
    }
}

#[test]
fn views_that_contradict_themselves_are_refused() {
    let game = with_a_line(json!({}));
    refused(&game, |view| view["lines"][0]["since"] = json!(16));
    refused(&game, |view| view["sides"][0]["hand"] = json!(18));
    refused(&game, |view| view["sides"][0]["hand"] = json!(255));
    refused(&game, |view| view["sides"][1]["out"] = json!(1));
    refused(&game, |view| view["sides"][0]["holder"] = json!(1));
    refused(&game, |view| view["sides"][0]["holder"] = json!(2));
    refused(&game, |view| view["sides"][1]["ready"] = json!(false));
    refused(&game, |view| view["sides"][0]["ready"] = json!(true));
    refused(&game, |view| view["sides"][0]["launched"] = json!(null));
    refused(&game, |view| view["sides"][0]["launched"] = json!(99));
    refused(&game, |view| view["sides"][1]["score"] = json!(1));
    refused(&game, |view| view["sides"][0]["picked_up"] = json!([20]));
    refused(&game, |view| view["to_move"] = json!([0]));
    refused(&game, |view| view["phase"] = json!("landings"));
    refused(&game, |view| view["phase"] = json!("claimant"));
    refused(&game, |view| view["phase"] = json!("void"));
    refused(&game, |view| view["phase"] = json!("over"));
    refused(&game, |view| view["round"] = json!(0));
    refused(&game, |view| view["round"] = json!(21));
    refused(&game, |view| view["tick"] = json!(u32::MAX));
    refused(&game, |view| view["top"]["ranks"][4][0] = json!("t"));
    refused(&game, |view| view["top"]["rim"] = json!("T"));
}
