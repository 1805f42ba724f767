//! The launch model: what it draws, against what it says.

use std::collections::BTreeMap;

use flipside_games::{Table, find};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};

/// The model's numbers.
#[derive(Clone, Copy)]
struct Puissance4Model {
    size: usize,
    fumble_bottom: f64,
    fumble_top: f64,
    across: f64,
    along: f64,
    along_per_row: f64,
    top_factor: f64,
    wall: f64,
    rim_share: f64,
    fall: f64,
}

/// As the page has it.
const DEFAULT: Puissance4Model = Puissance4Model {
    size: 5,
    fumble_bottom: 0.10,
    fumble_top: 0.15,
    across: 0.45,
    along: 0.50,
    along_per_row: 0.05,
    top_factor: 1.2,
    wall: 0.08,
    rim_share: 0.5,
    fall: 0.15,
};

impl Puissance4Model {
    fn options(&self) -> Value {
        json!({
            "rules": { "size": self.size },
            "model": {
                "fumble_bottom": self.fumble_bottom, "fumble_top": self.fumble_top,
                "across": self.across, "along": self.along,
                "along_per_row": self.along_per_row, "top_factor": self.top_factor,
                "wall": self.wall, "rim_share": self.rim_share, "fall": self.fall,
            },
        })
    }
}

/// The probability of the normal distribution between two numbers, by Simpson's rule.
fn normal_between(mean: f64, deviation: f64, low: f64, high: f64) -> f64 {
    const PARTS: usize = 400;
    let (low, high) = (
        low.max(mean - 9.0 * deviation),
        high.min(mean + 9.0 * deviation),
    );
    if low >= high {
        return 0.0;
    }
    let density = |x: f64| {
        let z = (x - mean) / deviation;
        (-z * z / 2.0).exp() / (deviation * std::f64::consts::TAU.sqrt())
    };
    let step = (high - low) / PARTS as f64;
    let mut sum = density(low) + density(high);
    for at in 1..PARTS {
        let weight = if at % 2 == 1 { 4.0 } else { 2.0 };
        sum += weight * density(low + at as f64 * step);
    }
    sum * step / 3.0
}

/// A stretch of an axis: the cells that a token there may go to, whether it hits a wall, whether it
/// is beside the tray, and its probability.
struct Stretch {
    cells: Vec<usize>,
    walled: bool,
    beside: bool,
    probability: f64,
}

fn stretches(model: &Puissance4Model, aimed: usize, deviation: f64) -> Vec<Stretch> {
    let (size, wall) = (model.size, model.wall);
    let mean = aimed as f64 + 0.5;
    let between = |low, high| normal_between(mean, deviation, low, high);
    let mut all = Vec::new();
    let mut add = |cells: Vec<usize>, walled, beside, probability| {
        all.push(Stretch {
            cells,
            walled,
            beside,
            probability,
        });
    };
    add(vec![0], false, true, between(f64::NEG_INFINITY, 0.0));
    add(
        vec![size - 1],
        false,
        true,
        between(size as f64, f64::INFINITY),
    );
    for cell in 0..size {
        let low = cell as f64;
        add(
            vec![cell],
            false,
            false,
            between(low + wall, low + 1.0 - wall),
        );
    }
    for line in 0..=size {
        let at = line as f64;
        let mut cells = Vec::new();
        if line > 0 {
            cells.push(line - 1);
        }
        if line < size {
            cells.push(line);
        }
        let (low, high) = ((at - wall).max(0.0), (at + wall).min(size as f64));
        add(cells, true, false, between(low, high));
    }
    all
}

fn name(file: usize, rank: usize) -> String {
    format!("{}{}", &"abcdef"[file..=file], rank + 1)
}

/// The probability of every place, by numeric integration.
fn expected(
    model: &Puissance4Model,
    side: u8,
    tray: &str,
    aim: (usize, usize),
) -> BTreeMap<String, f64> {
    let rows = if side == 0 {
        aim.1
    } else {
        model.size - 1 - aim.1
    };
    let (fumble, factor) = match tray {
        "top" => (model.fumble_top, model.top_factor),
        _ => (model.fumble_bottom, 1.0),
    };
    let along = model.along + model.along_per_row * rows as f64;
    let files = stretches(model, aim.0, factor * model.across);
    let ranks = stretches(model, aim.1, factor * along);
    let mut places = BTreeMap::from([("miss".to_string(), fumble)]);
    let mut add = |place: String, probability| *places.entry(place).or_default() += probability;
    for x in &files {
        for y in &ranks {
            let both = (1.0 - fumble) * x.probability * y.probability;
            if x.beside || y.beside {
                let falls = if tray == "top" { model.fall } else { 0.0 };
                add("miss".into(), (1.0 - falls) * both);
                // Beside one edge, the nearest cell is the one in whose file or rank it is.
                for &file in &x.cells {
                    for &rank in &y.cells {
                        let share = nearest_share(model, x, aim.0, factor * model.across, file)
                            * nearest_share(model, y, aim.1, factor * along, rank);
                        add(format!("bottom {}", name(file, rank)), falls * both * share);
                    }
                }
                continue;
            }
            let rim = if x.walled || y.walled {
                model.rim_share
            } else {
                0.0
            };
            add(format!("{tray} rim"), rim * both);
            let cells = (x.cells.len() * y.cells.len()) as f64;
            for &file in &x.cells {
                for &rank in &y.cells {
                    add(
                        format!("{tray} {}", name(file, rank)),
                        (1.0 - rim) * both / cells,
                    );
                }
            }
        }
    }
    places
}

/// Of a stretch around a line between two cells, the part that is in this cell.
fn nearest_share(
    model: &Puissance4Model,
    of: &Stretch,
    aimed: usize,
    deviation: f64,
    cell: usize,
) -> f64 {
    if of.cells.len() == 1 {
        return 1.0;
    }
    if of.probability == 0.0 {
        return 0.0;
    }
    let line = of.cells[1] as f64;
    let (low, high) = if cell == of.cells[1] {
        (line, line + model.wall)
    } else {
        (line - model.wall, line)
    };
    normal_between(aimed as f64 + 0.5, deviation, low, high) / of.probability
}

/// The sum that is exceeded once in ten thousand (after Wilson and Hilferty, 1931).
fn critical(freedom: usize) -> f64 {
    let freedom = freedom as f64;
    let part = 2.0 / (9.0 * freedom);
    freedom * (1.0 - part + 3.719 * part.sqrt()).powi(3)
}

/// Compares counts with what is expected of them; rare places are taken together.
fn compare(what: &str, counts: &BTreeMap<String, f64>, expected: &BTreeMap<String, f64>) {
    let total: f64 = counts.values().sum();
    let sum: f64 = expected.values().sum();
    assert!(
        (sum - 1.0).abs() < 1e-6,
        "{what}: the probabilities are {sum} in all"
    );
    for place in counts.keys() {
        let probability = expected.get(place).copied().unwrap_or(0.0);
        assert!(probability > 0.0, "{what}: {place} cannot be");
    }
    let (mut differ, mut freedom, mut rare) = (0.0, 0, (0.0, 0.0));
    for (place, probability) in expected {
        let (count, expected) = (
            counts.get(place).copied().unwrap_or(0.0),
            probability * total,
        );
        if expected < 8.0 {
            rare = (rare.0 + count, rare.1 + expected);
        } else {
            differ += (count - expected).powi(2) / expected;
            freedom += 1;
        }
    }
    if rare.1 > 8.0 {
        differ += (rare.0 - rare.1).powi(2) / rare.1;
        freedom += 1;
    }
    let most = critical(freedom - 1);
    assert!(
        differ < most,
        "{what}: {differ} with {freedom} places, against {most}"
    );
}

fn extra_pro(options: &Value, starter: u8) -> Box<dyn Table> {
    let setup = find("puissance4-extra-pro")
        .expect("a game")
        .set_up(&options.to_string(), 2);
    let mut table = setup.expect("options that fit").table;
    table
        .chance(&format!(r#"{{"starter":{starter}}}"#))
        .expect("a side starts");
    table
}

fn draw(table: &dyn Table, rng: &mut ChaCha8Rng) -> Value {
    let mut json = Vec::new();
    table.sample(rng, &mut json);
    serde_json::from_slice(&json).expect("a draw is JSON")
}

/// Where so many launches of a side at a cell come down.
fn landings(
    model: &Puissance4Model,
    side: u8,
    tray: &str,
    aim: (usize, usize),
) -> BTreeMap<String, f64> {
    const LAUNCHES: usize = 20_000;
    let mut table = extra_pro(&model.options(), side);
    let text = format!("launch {tray} {} basic", name(aim.0, aim.1));
    table.act(&[(side, &text)]).expect("a launch");
    let mut rng = ChaCha8Rng::seed_from_u64(77);
    let mut counts = BTreeMap::new();
    for _ in 0..LAUNCHES {
        let draw = draw(&*table, &mut rng);
        let place = draw["landings"][0]["place"].as_str().expect("a place");
        *counts.entry(place.to_string()).or_default() += 1.0;
    }
    counts
}

fn check(model: &Puissance4Model, side: u8, tray: &str, aim: (usize, usize)) {
    let what = format!("side {side} at {tray} {}", name(aim.0, aim.1));
    compare(
        &what,
        &landings(model, side, tray, aim),
        &expected(model, side, tray, aim),
    );
}

#[test]
fn tokens_come_down_as_often_as_numeric_integration_says() {
    for side in [0, 1] {
        for tray in ["top", "bottom"] {
            for aim in [(2, 2), (0, 0), (4, 4), (0, 4), (1, 3), (3, 0)] {
                check(&DEFAULT, side, tray, aim);
            }
        }
    }
}

#[test]
fn other_sizes_and_numbers_scatter_as_they_say() {
    let models = [
        Puissance4Model {
            size: 4,
            wall: 0.3,
            rim_share: 0.2,
            fall: 1.0,
            ..DEFAULT
        },
        Puissance4Model {
            size: 6,
            across: 1.5,
            along: 0.2,
            along_per_row: 0.4,
            fall: 0.5,
            ..DEFAULT
        },
        Puissance4Model {
            fumble_bottom: 0.0,
            fumble_top: 0.0,
            rim_share: 0.0,
            wall: 0.5,
            ..DEFAULT
        },
        Puissance4Model {
            size: 4,
            top_factor: 3.0,
            fall: 0.6,
            rim_share: 1.0,
            ..DEFAULT
        },
        Puissance4Model {
            across: 3.0,
            along: 3.0,
            wall: 0.0,
            fumble_top: 0.4,
            fall: 1.0,
            ..DEFAULT
        },
    ];
    for model in models {
        for (side, tray, aim) in [
            (0, "top", (1, 1)),
            (1, "top", (3, 0)),
            (0, "bottom", (3, 3)),
            (1, "bottom", (0, 2)),
        ] {
            check(&model, side, tray, aim);
        }
    }
}

#[test]
fn rows_that_are_farther_from_the_thrower_scatter_more_along_and_no_more_across() {
    let model = Puissance4Model {
        along_per_row: 0.3,
        ..DEFAULT
    };
    let far = |side, aim| {
        let hits = landings(&model, side, "bottom", aim);
        hits.get(&format!("bottom {}", name(aim.0, aim.1)))
            .copied()
            .unwrap_or(0.0)
    };
    // The rows nearest to each side are the first and the last.
    assert!(far(0, (2, 1)) > 1.3 * far(0, (2, 3)));
    assert!(far(1, (2, 3)) > 1.3 * far(1, (2, 1)));
    check(&model, 0, "bottom", (2, 4));
    check(&model, 1, "bottom", (2, 0));
}

#[test]
fn a_token_aimed_at_the_bottom_tray_never_reaches_the_top_and_fumbles_never_fall() {
    let model = Puissance4Model {
        fumble_top: 1.0,
        fumble_bottom: 0.0,
        fall: 1.0,
        ..DEFAULT
    };
    assert_eq!(
        landings(&model, 0, "top", (0, 0))
            .into_keys()
            .collect::<Vec<_>>(),
        ["miss"]
    );
    let places = landings(&model, 0, "bottom", (0, 0));
    assert!(places.keys().all(|place| !place.starts_with("top")));
}

#[test]
fn without_scatter_every_token_lands_where_it_is_aimed_at() {
    let model = Puissance4Model {
        across: 0.0,
        along: 0.0,
        along_per_row: 0.0,
        fumble_top: 0.0,
        wall: 0.5,
        ..DEFAULT
    };
    let places = landings(&model, 1, "top", (3, 2));
    assert_eq!(places.into_keys().collect::<Vec<_>>(), ["top d3"]);
}

#[test]
fn the_default_numbers_are_those_of_the_page() {
    let presets = find("puissance4-basic").expect("a game").presets();
    let default: Value = serde_json::from_str(&presets[0].1).expect("options");
    let mut model = DEFAULT.options()["model"].clone();
    for (name, value) in [
        ("flight", 3),
        ("flight_spread", 1),
        ("reload", 6),
        ("reload_spread", 2),
        ("reaction", 2),
        ("reaction_spread", 1),
        ("pick_up", 8),
        ("hand_over", 3),
    ] {
        model[name] = json!(value);
    }
    assert_eq!(default["model"], model);
    let presets = find("puissance4-extra-pro").expect("a game").presets();
    let default: Value = serde_json::from_str(&presets[0].1).expect("options");
    assert_eq!(default["model"], DEFAULT.options()["model"]);
}

/// How often each value comes in draws of this.
fn counted(table: &dyn Table, value: impl Fn(&Value) -> Value) -> BTreeMap<String, f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(78);
    let mut counts = BTreeMap::new();
    for _ in 0..10_000 {
        *counts
            .entry(value(&draw(table, &mut rng)).to_string())
            .or_default() += 1.0;
    }
    counts
}

fn all_alike(what: &str, counts: &BTreeMap<String, f64>, values: usize) {
    assert_eq!(counts.len(), values, "{what}: {counts:?}");
    let share = 1.0 / values as f64;
    let expected = counts.keys().map(|value| (value.clone(), share)).collect();
    compare(what, counts, &expected);
}

#[test]
fn the_side_that_starts_extra_pro_is_drawn_from_both_alike() {
    let setup = find("puissance4-extra-pro")
        .expect("a game")
        .set_up("{}", 6);
    let table = setup.expect("the default").table;
    all_alike(
        "starter",
        &counted(&*table, |draw| draw["starter"].clone()),
        2,
    );
}

#[test]
fn delays_are_whole_ticks_around_their_numbers_all_alike() {
    let mut script = super::script::basic();
    script.act(&[(0, "top a1"), (1, "top a1")]);
    for side in [0, 1] {
        let of = |what: &str| counted(&*script.table, |draw| draw["delays"][side][what].clone());
        all_alike("flight", &of("flight"), 3);
        assert!(of("flight").keys().eq(["2", "3", "4"]));
        all_alike("reload", &of("reload"), 5);
        assert!(of("reload").keys().eq(["4", "5", "6", "7", "8"]));
    }
    // One draw does not tell the other.
    let both = |draw: &Value| json!([draw["delays"][0]["flight"], draw["delays"][1]["reload"]]);
    all_alike("delays", &counted(&*script.table, both), 15);
}

#[test]
fn reactions_are_drawn_for_each_side_all_alike() {
    let mut script = super::script::basic();
    for cell in ["a1", "b1", "c1", "d1"] {
        script.then(0, &format!("top {cell}"));
    }
    while script.phase() != "reactions" {
        script.act(&[]);
        script.run_to("reactions");
    }
    let reaction = |draw: &Value| draw["reactions"][0]["ticks"].clone();
    let counts = counted(&*script.table, reaction);
    assert!(counts.keys().eq(["1", "2", "3"]));
    all_alike("reaction", &counts, 3);
}

#[test]
fn the_order_of_landings_and_who_is_heard_first_are_drawn_all_alike() {
    let mut script = super::script::championship();
    for file in ["a", "b", "c", "d"] {
        let [own, other] = [format!("top {file}1"), format!("bottom {file}5")];
        script.act(&[(0, &own), (1, &other)]);
        script.run_to("landings");
        let first = |draw: &Value| draw["landings"][0]["side"].clone();
        all_alike("order", &counted(&*script.table, first), 2);
        script.run_to("claimant");
    }
    while script.phase() != "claimant" {
        script.act(&[]);
        script.run_to("claimant");
    }
    all_alike(
        "claimant",
        &counted(&*script.table, |draw| draw["claimant"].clone()),
        2,
    );
}
