//! The games and their plain counterparts, side by side in random matches.

use std::collections::BTreeMap;

use flipside_games::{Seat, SeatTurn, Table, Viewer, find};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng};
use serde_json::{Value, json};

use super::plain::{PlainExtraPro, Rush, Setting};

/// What a plain engine is asked.
trait PlainTable {
    fn asked(&self) -> Vec<usize>;
    fn actions(&self, seat: usize) -> Vec<String>;
    fn act(&mut self, acts: &[(usize, String)]);
    fn chance(&mut self, event: &Value);
    fn view(&self, viewer: Option<usize>) -> Value;
    fn over(&self) -> Option<Value>;
}

macro_rules! plain {
    ($engine:ident, $viewer:ident => $($given:ident)?) => {
        impl PlainTable for $engine {
            fn asked(&self) -> Vec<usize> {
                self.asked()
            }
            fn actions(&self, seat: usize) -> Vec<String> {
                self.actions(seat)
            }
            fn act(&mut self, acts: &[(usize, String)]) {
                self.act(acts);
            }
            fn chance(&mut self, event: &Value) {
                self.chance(event);
            }
            fn view(&self, $viewer: Option<usize>) -> Value {
                self.view($($given)?)
            }
            fn over(&self) -> Option<Value> {
                self.over()
            }
        }
    };
}

plain!(Rush, viewer => viewer);
plain!(PlainExtraPro, _viewer =>);

fn seen(table: &dyn Table, viewer: Viewer) -> Value {
    let mut json = Vec::new();
    table.write_view(viewer, &mut json);
    serde_json::from_slice(&json).expect("a view is JSON")
}

/// Every so many positions, what the seats see is compared too.
const THOROUGH: usize = 7;

fn compare(table: &dyn Table, plain: &dyn PlainTable, seats: u8, events: usize) -> String {
    let shown = plain.view(None);
    assert_eq!(seen(table, Viewer::Public), shown);
    if events % THOROUGH == 0 {
        for side in [0, 1] {
            assert_eq!(
                seen(table, Viewer::Seat(side)),
                plain.view(Some(side.into()))
            );
        }
    }
    let asked: Vec<usize> = match table.turn() {
        SeatTurn::Seats(seats) => seats.map(usize::from).collect(),
        _ => Vec::new(),
    };
    assert_eq!(asked, plain.asked());
    for seat in 0..seats {
        assert_eq!(table.actions(seat), plain.actions(seat.into()));
    }
    let over = match table.turn() {
        SeatTurn::Over(outcome) => {
            Some(json!({ "points": outcome.points, "reason": outcome.reason }))
        }
        _ => None,
    };
    assert_eq!(over, plain.over());
    shown["phase"].to_string()
}

/// What a side with a plan chooses: mostly a cell of its own row, sometimes one of the other's.
fn planned(actions: &[String], plans: &[String; 2], side: usize, rng: &mut ChaCha8Rng) -> String {
    let plan = &plans[if rng.random_bool(0.8) { side } else { 1 - side }];
    let (tray, rank) = plan.split_once(' ').expect("a tray and a rank");
    let fits = |action: &&String| {
        let words: Vec<&str> = action.split(' ').collect();
        words.len() > 2 && words[1] == tray && words[2].ends_with(rank)
    };
    let fit: Vec<&String> = actions.iter().filter(fits).collect();
    match fit.len() {
        0 => actions[rng.random_range(0..actions.len())].clone(),
        count => fit[rng.random_range(0..count)].clone(),
    }
}

/// Plays a match. In half of them the sides have plans, so that lines come about, at the same time
/// too, and are fought for.
fn agree_once(
    id: &str,
    options: &Value,
    seats: u8,
    plain: &mut dyn PlainTable,
    rng: &mut ChaCha8Rng,
    phases: &mut BTreeMap<String, usize>,
) -> Value {
    let setup = find(id)
        .expect("a game")
        .set_up(&options.to_string(), seats);
    let mut table = setup.expect("options that fit").table;
    let any_row = |rng: &mut ChaCha8Rng| {
        let tray = if rng.random() { "top" } else { "bottom" };
        format!("{tray} {}", rng.random_range(1..=4))
    };
    let plans = [any_row(rng), any_row(rng)];
    let has_plans = rng.random_bool(0.5);
    let mut events = 0;
    loop {
        let phase = compare(&*table, plain, seats, events);
        *phases.entry(phase).or_default() += 1;
        match table.turn() {
            SeatTurn::Over(_) => return plain.over().expect("both are over"),
            SeatTurn::Chance => {
                let mut draw = Vec::new();
                table.sample(rng, &mut draw);
                let draw = String::from_utf8(draw).expect("JSON is UTF-8");
                table.chance(&draw).expect("its own draw");
                plain.chance(&serde_json::from_str(&draw).expect("a draw is JSON"));
            }
            SeatTurn::Seats(asked) => {
                let mut acts: Vec<(Seat, String)> = Vec::new();
                for seat in asked {
                    let actions = table.actions(seat);
                    let action = match has_plans {
                        true => planned(&actions, &plans, usize::from(seat % 2), rng),
                        false => actions[rng.random_range(0..actions.len())].clone(),
                    };
                    acts.push((seat, action));
                }
                let told: Vec<(Seat, &str)> = acts
                    .iter()
                    .map(|(seat, text)| (*seat, text.as_str()))
                    .collect();
                table.act(&told).expect("listed actions");
                let acts: Vec<(usize, String)> = acts
                    .into_iter()
                    .map(|(seat, text)| (seat.into(), text))
                    .collect();
                plain.act(&acts);
            }
        }
        events += 1;
    }
}

/// Settings of every kind, and the options that mean them.
fn any_setting(id: &str, rng: &mut ChaCha8Rng) -> (Setting, Value) {
    let setting = Setting {
        championship: id == "puissance4-championship",
        size: rng.random_range(4..=6),
        leave: rng.random(),
        powers_each: rng.random_range(0..=5),
        max_ticks: rng.random_range(1..=120),
        max_rounds: rng.random_range(1..=5),
        pick_up: rng.random_range(1..=12),
        hand_over: rng.random_range(0..=4),
        team_wait: rng.random(),
        lines_first: rng.random(),
        seats: 2 * rng.random_range(1..=3),
    };
    // Without any scatter and spread both sides keep step, and claim at the same time.
    let in_step = rng.random_bool(0.4);
    let spread = if in_step {
        0.0
    } else {
        [0.0, 0.3, 1.0][rng.random_range(0..3)]
    };
    let mut options = json!({
        "rules": {
            "size": setting.size, "rim": if setting.leave { "leave" } else { "remove" },
            "max_rounds": setting.max_rounds,
        },
        "model": {
            "across": spread * 0.45, "along": spread * 0.5, "along_per_row": 0.01 * spread,
            "fumble_bottom": if in_step { 0.0 } else { 0.05 },
            "fumble_top": spread / 10.0, "fall": rng.random_range(0..=10) as f64 / 10.0,
            "rim_share": if rng.random_bool(0.5) { 0.5 } else { 0.1 },
        },
    });
    if id == "puissance4-extra-pro" {
        options["rules"]["powers_each"] = json!(setting.powers_each);
        options["rules"]["lines_first"] = json!(setting.lines_first);
    } else {
        options["rules"]["max_ticks"] = json!(setting.max_ticks);
        options["rules"]["team_wait"] = json!(setting.team_wait);
        let model = options["model"].as_object_mut().expect("an object");
        for (name, most) in [("flight", 8), ("reload", 6), ("reaction", 8)] {
            let ticks = rng.random_range(1..=most);
            model.insert(name.into(), json!(ticks));
            model.insert(
                format!("{name}_spread"),
                json!(if in_step {
                    0
                } else {
                    rng.random_range(0..ticks)
                }),
            );
        }
        model.insert("pick_up".into(), json!(setting.pick_up));
        model.insert("hand_over".into(), json!(setting.hand_over));
    }
    (setting, options)
}

fn agree(id: &str, matches: usize, start: impl Fn(Setting) -> Box<dyn PlainTable>) {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut ends = BTreeMap::<String, usize>::new();
    let mut phases = BTreeMap::new();
    for _ in 0..matches {
        let (setting, options) = any_setting(id, &mut rng);
        let seats = setting.seats as u8;
        let mut plain = start(setting);
        let over = agree_once(id, &options, seats, &mut *plain, &mut rng, &mut phases);
        *ends.entry(over["reason"].to_string()).or_default() += 1;
    }
    println!("{id}: {phases:?}, {ends:?}");
    assert!(ends.len() == 2, "matches end in both ways: {ends:?}");
    let kinds = if id == "puissance4-extra-pro" { 7 } else { 8 };
    let often = phases.values().filter(|&&times| times >= 10);
    assert_eq!(often.count(), kinds, "all phases are seen: {phases:?}");
}

#[test]
fn basic_is_as_plain_as_its_page() {
    agree("puissance4-basic", 1400, |setting| {
        Box::new(Rush::start(setting))
    });
}

#[test]
fn championship_is_as_plain_as_its_page() {
    agree("puissance4-championship", 700, |setting| {
        Box::new(Rush::start(setting))
    });
}

#[test]
fn extra_pro_is_as_plain_as_its_page() {
    agree("puissance4-extra-pro", 300, |setting| {
        Box::new(PlainExtraPro::start(setting))
    });
}
