//! Every field of a record has a range: a true record in which any field is made nonsense is refused, though its
//! closing hash is made to fit.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Hall, find, shell_bot, verified};
use flipside_referee::{
    Decision, LONGEST_DETAIL, LONGEST_EVIDENCE, LONGEST_ID, LONGEST_SEAT_NAME, Match, MatchSeed,
    Person, PersonUpdate, Player, SeatView,
};
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Remarks at every turn, thinks at the second for long enough to be looked at, and names no square at the fourth.
const TALKS: &str = r#"
      [ $turn = 2 ] && sleep 0.03
      [ $turn = 4 ] && { echo 'I give up' >&2; action=zz; }
      echo "{\"type\":\"act\",\"id\":$id,\"action\":\"$action\",\"note\":\"hm\"}"
      continue"#;

/// The lines of a record, without the end.
type ScriptedLines = Vec<Value>;

fn lines(record: &str) -> ScriptedLines {
    let mut lines: ScriptedLines = record
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    lines.pop();
    lines
}

/// A record of these lines, with a closing hash that fits.
fn sealed(lines: &[Value]) -> String {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    // A record has the options in the order of the game, and a `Value` in that of their names.
    let race = find("test-race").unwrap().set_up("{}", 3).unwrap().options;
    let by_name = serde_json::from_str::<Value>(&race).unwrap().to_string();
    let text = text.replace(&by_name, &race);
    let hash = hex::encode(Sha256::digest(&text));
    format!("{text}{{\"type\":\"end\",\"sha256\":\"{hash}\"}}\n")
}

/// Somebody who takes the first action, and leaves at the third turn.
struct Leaves(usize);

impl Person for Leaves {
    fn choose(&mut self, place: &SeatView<'_>) -> Decision {
        self.0 += 1;
        match self.0 {
            3 => Decision::Leave,
            _ => Decision::Act(place.actions()[0].clone()),
        }
    }

    fn learn(&mut self, _: &SeatView<'_>, _: &PersonUpdate<'_>) {}
}

/// True records that have every field between them.
fn samples() -> Vec<ScriptedLines> {
    let mut hall = Hall::new();
    let talks =
        shell_bot(TALKS).replace("\"name\":\"shell\"", "\"name\":\"shell\",\"version\":\"1\"");
    let talks = hall.shell("talks", &talks);
    let ends = hall.shell("ends", &shell_bot("[ $turn = 3 ] && exit 1"));
    let clock = "move=10m,start=10m";
    let flipfour = find("flipfour").unwrap();
    let opened = hall.play_from(flipfour, clock, vec![talks, hall.first()], 4);
    let players = vec![hall.first(), ends, hall.first()];
    let stands_in = hall.play(find("test-race").unwrap(), clock, players);
    let left = Match {
        id: "left-1".into(),
        game: flipfour,
        options: "{}".into(),
        clock: clock.parse().unwrap(),
        seed: MatchSeed::from_number(1).numbered(7),
        players: vec![Player::person("Ada"), hall.first()],
        opening_plies: 0,
        patience: None,
    };
    let left = hall.referee.play_with(&left, &mut Leaves(0)).unwrap();
    let mut all = [&opened, &stands_in, &left].map(|played| lines(&played.record));
    // What the machine does not show in every match.
    let header = &mut all[0][0];
    header["ponder"] = true.into();
    header["patience"] = "1h".into();
    let bots = json!([header["seats"][0]["kind"], header["seats"][1]["kind"]]);
    assert_eq!(bots, json!(["process", "module"]));
    for line in &mut all[0] {
        let of_process = |measured: &mut Value| {
            let us = measured["us"].as_u64().unwrap();
            measured["wall_us"] = (us + 2_000).into();
            measured["cpu_us"] = (us + 100).into();
            measured["paused"] = json!({ "times": 2, "us": 1_000, "reason": "busy" });
        };
        if line["type"] == "fault" {
            of_process(line);
        }
        if line["type"] == "acts" && line["acts"][0]["seat"] == 0 {
            of_process(&mut line["acts"][0]);
        }
    }
    for lines in &all {
        verified(&sealed(lines)).unwrap_or_else(|error| panic!("{error}\n{}", sealed(lines)));
    }
    all.into()
}

/// A place in a line: the keys and numbers that lead to it.
type RangePath = Vec<String>;

/// The places of all fields of a line. What the game writes is one of them.
fn fields(value: &Value, path: &mut RangePath, found: &mut Vec<RangePath>) {
    let by_the_game = ["options", "event"].contains(&path.last().map_or("", String::as_str));
    let mut go = |key: String, value: &Value| {
        path.push(key);
        fields(value, path, found);
        path.pop();
    };
    match value {
        Value::Object(object) if !by_the_game => {
            object
                .iter()
                .for_each(|(key, value)| go(key.clone(), value));
        }
        Value::Array(array) if !by_the_game => {
            (0..)
                .zip(array)
                .for_each(|(at, value): (usize, _)| go(at.to_string(), value));
        }
        _ => found.push(path.clone()),
    }
}

/// The name of a field: `acts.acts.*.us`.
fn name(line: &Value, path: &RangePath) -> String {
    let part = |part: &String| match part.parse::<usize>() {
        Ok(_) => "*".to_owned(),
        Err(_) => part.clone(),
    };
    let parts: Vec<String> = path.iter().map(part).collect();
    format!("{}.{}", line["type"].as_str().unwrap(), parts.join("."))
}

fn at<'a>(line: &'a mut Value, path: &RangePath) -> &'a mut Value {
    path.iter()
        .fold(line, |value, part| match part.parse::<usize>() {
            Ok(number) => &mut value[number],
            Err(_) => &mut value[part.as_str()],
        })
}

/// 10 to the power of 15, in microseconds more than 31 years.
const AGES: u64 = 1_000_000_000_000_000;

/// By field, values that it cannot have in any record.
fn nonsense() -> BTreeMap<&'static str, Vec<Value>> {
    let long = |length: usize| Value::from("x".repeat(length));
    let zeros = Value::from("0".repeat(64));
    let hash = || {
        vec![
            json!("zz"),
            json!(""),
            json!("A".repeat(64)),
            json!("0".repeat(65)),
            json!(5),
        ]
    };
    let seat = || {
        vec![
            json!(7),
            json!(255),
            json!(256),
            json!(-1),
            json!("0"),
            json!(null),
        ]
    };
    let time = || {
        vec![
            json!(AGES),
            json!(u64::MAX),
            json!(-1),
            json!(0.5),
            json!("1"),
        ]
    };
    let wall = || [time(), vec![json!(0), json!(1)]].concat();
    let cpu = || vec![json!(AGES), json!(u64::MAX), json!(-1), json!("1")];
    let times = || vec![json!(0), json!(17), json!(-1), json!("1"), json!(null)];
    let paused = || [time(), vec![json!(3_600_000_001_u64), json!(null)]].concat();
    let action = || vec![json!(""), json!("alien"), json!("+z9"), json!(null)];
    let type_of = || vec![json!("alien"), json!(""), json!(null), json!("end")];
    BTreeMap::from([
        ("match.type", type_of()),
        (
            "match.format",
            vec![json!(0), json!(2), json!(-1), json!(1.5), json!("1")],
        ),
        (
            "match.flipside",
            vec![
                json!(""),
                json!("alien"),
                json!("1"),
                json!("0.1.0\n"),
                long(65),
                json!(1),
            ],
        ),
        (
            "match.id",
            vec![
                json!(""),
                json!("a b"),
                json!("a\nb"),
                json!("ü"),
                json!("../a"),
                long(LONGEST_ID + 1),
            ],
        ),
        ("match.game", vec![json!("chess"), json!(""), json!(null)]),
        (
            "match.options",
            vec![json!({"alien": 1}), json!(null), json!([]), json!("{}")],
        ),
        (
            "match.clock",
            vec![
                json!("fast"),
                json!(""),
                json!("move=1000h"),
                json!("move=0s"),
                json!(5),
            ],
        ),
        (
            "match.limits.line",
            vec![json!(0), json!(1), json!(AGES), json!(-1), json!("65536")],
        ),
        (
            "match.limits.memory",
            vec![json!(1), json!(AGES), json!(-1), json!("0")],
        ),
        (
            "match.isolation",
            vec![json!("none"), json!(""), json!("Jail"), json!(5)],
        ),
        ("match.ponder", vec![json!("on"), json!(1), json!(null)]),
        (
            "match.opening_plies",
            vec![json!(61), json!(0), json!(-1), json!(AGES)],
        ),
        (
            "match.patience",
            vec![json!("0s"), json!("25h"), json!(""), json!(5), json!(null)],
        ),
        (
            "match.seats.*.bot",
            vec![
                json!(""),
                json!("a\nb"),
                json!("\u{1b}[2J"),
                long(LONGEST_SEAT_NAME + 1),
                json!(1),
            ],
        ),
        (
            "match.seats.*.kind",
            vec![json!("alien"), json!(""), json!("Process"), json!(null)],
        ),
        ("match.seats.*.sha256", hash()),
        (
            "match.number",
            vec![json!(8), json!(-1), json!("7"), json!(1.5), json!(null)],
        ),
        ("match.commitment", [hash(), vec![zeros.clone()]].concat()),
        ("ready.type", type_of()),
        ("ready.seat", seat()),
        ("ready.name", vec![long(65), json!(5)]),
        ("ready.version", vec![long(65), json!(5)]),
        ("ready.actions", vec![json!("yes"), json!(1), json!(null)]),
        (
            "ready.us",
            vec![
                json!(600_000_001),
                json!(AGES),
                json!(-1),
                json!("1"),
                json!(null),
            ],
        ),
        ("opening.type", type_of()),
        ("opening.acts.*.seat", seat()),
        ("opening.acts.*.action", action()),
        ("chance.type", type_of()),
        (
            "chance.event",
            vec![json!(null), json!({"alien": 1}), json!(AGES), json!("")],
        ),
        ("acts.type", type_of()),
        ("acts.acts.*.seat", seat()),
        ("acts.acts.*.action", action()),
        (
            "acts.acts.*.us",
            vec![
                json!(1_200_000_001),
                json!(AGES),
                json!(u64::MAX),
                json!(-1),
                json!("1"),
                json!(null),
            ],
        ),
        ("acts.acts.*.wall_us", wall()),
        ("acts.acts.*.cpu_us", cpu()),
        ("acts.acts.*.paused.times", times()),
        ("acts.acts.*.paused.us", paused()),
        ("acts.acts.*.paused.reason", vec![long(241), json!(5)]),
        ("acts.acts.*.note", vec![long(241), json!(5), json!(["hm"])]),
        ("fault.type", type_of()),
        ("fault.seat", seat()),
        (
            "fault.fault",
            vec![
                json!("alien"),
                json!(""),
                json!("forfeit"),
                json!("late"),
                json!("Closed"),
                json!(null),
            ],
        ),
        (
            "fault.detail",
            vec![json!(""), long(LONGEST_DETAIL + 1), json!(5), json!(null)],
        ),
        ("fault.us", time()),
        ("fault.wall_us", wall()),
        ("fault.cpu_us", cpu()),
        ("fault.paused.times", times()),
        ("fault.paused.us", paused()),
        ("fault.paused.reason", vec![long(241), json!(5)]),
        (
            "fault.evidence",
            vec![
                long(LONGEST_EVIDENCE + 1),
                json!("{\"type\":\"ready\"}"),
                json!(5),
                json!(null),
            ],
        ),
        (
            "fault.stderr",
            vec![long(3 * 16 * 1024 + 4), json!(5), json!(null)],
        ),
        ("over.type", type_of()),
        (
            "over.points.*",
            vec![json!(99), json!(-1), json!(0.5), json!(AGES)],
        ),
        (
            "over.places.*",
            vec![json!(0), json!(9), json!(-1), json!(AGES)],
        ),
        ("over.reason", vec![json!(""), json!("alien"), json!(null)]),
        (
            "over.plies",
            vec![json!(1_000), json!(AGES), json!(-1), json!(null)],
        ),
        ("over.seed", [hash(), vec![zeros]].concat()),
    ])
}

/// Fields that some lines have and others may not, with a value: where, in a line of which type, and in whose.
const STRAYS: [(&str, &str, &str); 8] = [
    ("opening", "/acts/0", "us"),
    ("opening", "/acts/0", "wall_us"),
    ("opening", "/acts/0", "cpu_us"),
    ("opening", "/acts/0", "note"),
    ("match", "", "alien"),
    ("match", "/limits", "alien"),
    ("match", "/seats/0", "alien"),
    ("acts", "/acts/0", "alien"),
];

#[track_caller]
fn refused(lines: &[Value], what: &str) {
    let text = sealed(lines);
    if verified(&text).is_ok() {
        panic!("{what} is believed:\n{}", &text[..text.len().min(2_000)]);
    }
}

#[test]
fn every_field_of_a_record_has_its_range() {
    let nonsense = nonsense();
    let mut seen = BTreeSet::new();
    for sample in samples() {
        for number in 0..sample.len() {
            let mut found = Vec::new();
            fields(&sample[number], &mut RangePath::new(), &mut found);
            for path in found {
                let name = name(&sample[number], &path);
                let values = nonsense.get(name.as_str());
                let values = values.unwrap_or_else(|| panic!("the field {name} has no range"));
                for value in values {
                    let mut changed = sample.clone();
                    let field = at(&mut changed[number], &path);
                    if field != value {
                        let told: String = value.to_string().chars().take(40).collect();
                        *field = value.clone();
                        refused(&changed, &format!("{name} as {told}"));
                    }
                }
                seen.insert(name);
            }
        }
    }
    let known: BTreeSet<String> = nonsense.keys().map(|name| (*name).to_owned()).collect();
    assert_eq!(seen, known, "the samples have not every field");
}

#[test]
fn a_field_where_none_belongs_is_refused() {
    let samples = samples();
    for (kind, place, field) in STRAYS {
        let sample = &samples[0];
        let number = sample.iter().position(|line| line["type"] == kind).unwrap();
        let mut changed = sample.clone();
        let value = if field == "note" {
            json!("hm")
        } else {
            json!(5)
        };
        changed[number].pointer_mut(place).unwrap()[field] = value;
        refused(&changed, &format!("{field} in {kind}{place}"));
    }
    // A module's time on the processors is not told, and the referee takes no time to act for somebody.
    for sample in &samples {
        for (number, line) in sample.iter().enumerate() {
            for (at, act) in (0..).zip(line["acts"].as_array().into_iter().flatten()) {
                let at: usize = at;
                let seat = act["seat"].as_u64().unwrap() as usize;
                let by_process =
                    sample[0]["seats"][seat]["kind"] == "process" && !act["us"].is_null();
                if line["type"] == "acts" && !by_process {
                    let mut changed = sample.clone();
                    changed[number]["acts"][at]["cpu_us"] = json!(1);
                    refused(&changed, &format!("cpu_us in {act}"));
                }
            }
        }
    }
    // A person has neither file nor clock nor a name of its own, and falls only by leaving.
    let person = &samples[2];
    for (kind, field, value) in [
        ("ready", "us", json!(1)),
        ("ready", "name", json!("Ada")),
        ("fault", "us", json!(1)),
        ("fault", "fault", json!("crashed")),
        ("fault", "stderr", json!("no")),
        ("fault", "cpu_us", json!(1)),
    ] {
        let of_person = |line: &Value| line["type"] == kind && line["seat"] == 0;
        let number = person.iter().position(of_person).unwrap();
        let mut changed = person.clone();
        changed[number][field] = value;
        refused(&changed, &format!("{field} of a person"));
    }
}

#[test]
fn lines_in_another_order_are_refused() {
    for sample in samples() {
        for number in 1..sample.len() {
            for other in 1..number {
                let mut changed = sample.clone();
                changed.swap(number, other);
                // Actions of a game may come in several orders.
                let acts = changed[number]["type"] == "acts" && changed[other]["type"] == "acts";
                if changed != sample && !acts {
                    refused(&changed, &format!("line {number} in place of {other}"));
                }
            }
            let mut without = sample.clone();
            let line = without.remove(number);
            refused(&without, &format!("nothing in place of {line}"));
        }
    }
}

#[test]
fn whatever_is_changed_in_a_record_nothing_panics() {
    let samples = samples();
    let nonsense: Vec<Value> = nonsense().into_values().flatten().collect();
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let mut believed = 0;
    for _ in 0..3_000 {
        let mut lines = samples.choose(&mut rng).unwrap().clone();
        for _ in 0..rng.random_range(1..4) {
            if lines.is_empty() {
                break;
            }
            let number = rng.random_range(0..lines.len());
            let other = rng.random_range(0..lines.len());
            match rng.random_range(0..6) {
                0 => lines.swap(number, other),
                1 => drop(lines.remove(number)),
                2 => lines.insert(number, lines[other].clone()),
                _ => {
                    let mut found = Vec::new();
                    fields(&lines[number], &mut RangePath::new(), &mut found);
                    let path = found.choose(&mut rng).unwrap();
                    *at(&mut lines[number], path) = nonsense.choose(&mut rng).unwrap().clone();
                }
            }
        }
        believed += usize::from(verified(&sealed(&lines)).is_ok());
    }
    // A change may undo another, or write a name that a bot might have.
    assert!(believed < 300, "{believed}");
}
