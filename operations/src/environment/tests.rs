//! Laws of environments, on every built-in game.

use flipside_games::{GAMES, Viewer};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn ask(environment: &mut Environment, request: &Value) -> Value {
    let mut answer = Vec::new();
    environment.answer(request.to_string().as_bytes(), &mut answer);
    serde_json::from_slice(&answer).expect("an answer is JSON")
}

/// The arrays that answer a request of a batch: who is asked, what is legal, the observations and the points.
fn arrays(environment: &mut Environment, request: &Value) -> Result<[Vec<u8>; 4], Value> {
    let mut answer = Vec::new();
    environment.answer(request.to_string().as_bytes(), &mut answer);
    let mut parts = answer.splitn(2, |&byte| byte == b'\n');
    let line = parts.next().expect("there is a line");
    let line: Value = serde_json::from_slice(line).expect("a line is JSON");
    let Some(mut rest) = parts.next() else {
        return Err(line);
    };
    assert_eq!(line["type"], "arrays");
    let arrays = ["asked", "legal", "observations", "points"].map(|name| {
        let bytes = line[name].as_u64().expect("a length") as usize;
        rest.split_off(..bytes).expect("so many").to_vec()
    });
    assert!(rest.is_empty());
    Ok(arrays)
}

fn environment(id: &str) -> Environment {
    Environment::new(flipside_games::find(id).expect("a game"))
}

fn brief(id: &str) -> Value {
    serde_json::from_str(&flipside_games::find(id).expect("a game").brief()).expect("JSON")
}

/// A number that follows from others, to choose by.
fn mixed(a: u64, b: u64) -> usize {
    (a.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add(b)
        .wrapping_mul(0xD1B5_4A32_D192_ED03)
        >> 33) as usize
}

/// The acts of all who are asked in a state, chosen by a number.
fn acts(state: &Value, choice: u64) -> Vec<String> {
    let lists = state["actions"].as_array().expect("lists");
    let one = |(at, list): (usize, &Value)| {
        let list = list.as_array().expect("a list");
        list[mixed(choice, at as u64) % list.len()]
            .as_str()
            .expect("text")
            .to_owned()
    };
    lists.iter().enumerate().map(one).collect()
}

/// Plays a table to its end, and returns all states.
fn play(environment: &mut Environment, table: u32, reset: &Value, choice: u64) -> Vec<Value> {
    let mut states = vec![ask(environment, reset)["states"][0].clone()];
    while states[states.len() - 1]["over"].is_null() {
        let acts = acts(&states[states.len() - 1], choice + states.len() as u64);
        let answer = ask(
            environment,
            &json!({ "type": "step", "steps": [{ "table": table, "acts": acts }] }),
        );
        states.push(answer["states"][0].clone());
        assert_eq!(states[states.len() - 1]["refused"], Value::Null, "{answer}");
    }
    states
}

fn reset(id: &str, tables: &[u32], seed: u64) -> Value {
    let seeds = vec![seed; tables.len()];
    json!({ "type": "reset", "tables": tables, "seeds": seeds, "options": brief(id) })
}

#[test]
fn the_same_seed_and_acts_give_the_same_match_at_any_table() {
    for game in GAMES {
        let id = game.info().id;
        let mut one = environment(id);
        let mut other = environment(id);
        let mut states = play(&mut one, 0, &reset(id, &[0], 5), 1);
        // Another table is at play meanwhile.
        ask(&mut other, &reset(id, &[1, 65_535], 6));
        let again = play(&mut other, 7, &reset(id, &[7], 5), 1);
        for state in &mut states {
            state["table"] = json!(7);
        }
        assert_eq!(states, again, "{id}");
    }
}

#[test]
fn a_history_leads_to_the_same_state() {
    for game in GAMES {
        let id = game.info().id;
        let mut environment = environment(id);
        let states = play(&mut environment, 0, &reset(id, &[0], 3), 2);
        let history = ask(&mut environment, &json!({ "type": "history", "table": 0 }));
        let events = history["events"].as_array().expect("events");
        let restore = |events: &[Value]| {
            json!({ "type": "restore", "tables": [1], "seeds": [99], "options": history["options"],
                    "seats": history["seats"], "events": events, "chance": "asked" })
        };
        let mut restored = ask(&mut environment, &restore(events))["states"][0].clone();
        restored["table"] = json!(0);
        assert_eq!(&restored, &states[states.len() - 1], "{id}");
        // A part of them is a match that goes on as far as it went.
        let part = ask(&mut environment, &restore(&events[..events.len() / 2]));
        assert_eq!(part["states"][0]["over"], Value::Null, "{id}");
        // What did not happen is refused, and says where.
        let mut wrong = events.clone();
        wrong.push(json!({ "acts": [{ "seat": 0, "action": "nonsense" }] }));
        let refused = ask(&mut environment, &restore(&wrong));
        let at = format!("event {}: ", events.len());
        assert!(
            refused["why"]
                .as_str()
                .is_some_and(|why| why.starts_with(&at)),
            "{id}: {refused}"
        );
    }
}

#[test]
fn a_clone_meets_the_same_chance_and_goes_its_own_way() {
    for game in GAMES {
        let id = game.info().id;
        let mut environment = environment(id);
        let first = ask(&mut environment, &reset(id, &[0], 8));
        let acts_of_both = acts(&first["states"][0], 4);
        ask(
            &mut environment,
            &json!({ "type": "clone", "table": 0, "to": [1, 2] }),
        );
        let step = |table: u32| json!({ "type": "step", "steps": [{ "table": table, "acts": acts_of_both }] });
        let mut a = ask(&mut environment, &step(0));
        let b = ask(&mut environment, &step(1));
        a["states"][0]["table"] = json!(1);
        assert_eq!(a, b, "{id}");
        let untouched = ask(
            &mut environment,
            &json!({ "type": "states", "tables": [2] }),
        );
        assert_eq!(
            untouched["states"][0]["views"], first["states"][0]["views"],
            "{id}"
        );
    }
}

#[test]
fn a_viewer_cannot_tell_a_table_that_was_dealt_anew() {
    for game in GAMES {
        let id = game.info().id;
        let mut environment = environment(id);
        let mut state = ask(&mut environment, &reset(id, &[0], 2))["states"][0].clone();
        for turn in 0..12 {
            if !state["over"].is_null() {
                break;
            }
            let seat = state["asked"][0].clone();
            let redeal =
                json!({ "type": "redeal", "table": 0, "to": [1], "seeds": [turn], "viewer": seat });
            let dealt = ask(&mut environment, &redeal)["states"][0].clone();
            assert_eq!(dealt["views"][0], state["views"][0], "{id}");
            assert_eq!(dealt["actions"][0], state["actions"][0], "{id}");
            let history = ask(&mut environment, &json!({ "type": "history", "table": 1 }));
            assert_eq!(
                history["type"] == "error",
                game.info().secrets,
                "{id}: {history}"
            );
            let acts = acts(&state, turn);
            let answer = ask(
                &mut environment,
                &json!({ "type": "step", "steps": [{ "table": 0, "acts": acts }] }),
            );
            state = answer["states"][0].clone();
        }
    }
}

#[test]
fn chance_waits_where_it_is_asked_for() {
    let mut environment = environment("flip4");
    let mut asked = reset("flip4", &[0], 1);
    asked["chance"] = json!("asked");
    let waiting = ask(&mut environment, &asked);
    assert_eq!(waiting["states"][0]["waits"], "chance");
    assert_eq!(waiting["states"][0]["asked"], json!([]));
    let acts = ask(
        &mut environment,
        &json!({ "type": "step", "steps": [{ "table": 0, "acts": ["pass"] }] }),
    );
    assert_eq!(acts["states"][0]["refused"], "0 seats are asked, not 1");
    let step = |step: Value| json!({ "type": "step", "steps": [step] });
    let sampled = ask(
        &mut environment,
        &step(json!({ "table": 0, "sample": true })),
    );
    assert_eq!(sampled["states"][0]["refused"], Value::Null);
    let history = ask(&mut environment, &json!({ "type": "history", "table": 0 }));
    // The same outcome on request leads to the same state.
    ask(&mut environment, &asked);
    let outcome = &history["events"][0]["chance"];
    let given = ask(
        &mut environment,
        &step(json!({ "table": 0, "chance": outcome })),
    );
    assert_eq!(given, sampled);
}

#[test]
fn legal_actions_have_their_indices_and_observations_are_of_the_form() {
    for game in GAMES {
        let id = game.info().id;
        let mut environment = environment(id);
        let described = ask(&mut environment, &json!({ "type": "describe" }));
        let mut reset = reset(id, &[0], 4);
        let with = json!(["views", "actions", "indices", "observations"]);
        reset["with"] = with.clone();
        let mut state = ask(&mut environment, &reset)["states"][0].clone();
        for turn in 0..40 {
            if !state["over"].is_null() {
                break;
            }
            let step = if let Some(all) = described["all_actions"].as_array() {
                let named = |index: &Value| all[index.as_u64().expect("index") as usize].clone();
                for (list, indices) in state["actions"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .zip(state["indices"].as_array().expect("indices"))
                {
                    let texts: Vec<Value> = indices
                        .as_array()
                        .expect("a list")
                        .iter()
                        .map(named)
                        .collect();
                    assert_eq!(list, &json!(texts), "{id}");
                }
                let lists = state["indices"].as_array().expect("indices");
                let one = |list: &Value| {
                    list[mixed(turn, 0) % list.as_array().map_or(1, Vec::len)].clone()
                };
                json!({ "table": 0, "indices": lists.iter().map(one).collect::<Vec<_>>() })
            } else {
                assert_eq!(state["indices"], Value::Null, "{id}");
                json!({ "table": 0, "acts": acts(&state, turn) })
            };
            assert_eq!(
                state["observations"].is_null(),
                described["observation"].is_null(),
                "{id}"
            );
            let answer = ask(
                &mut environment,
                &json!({ "type": "step", "steps": [step], "with": with }),
            );
            state = answer["states"][0].clone();
            assert_eq!(state["refused"], Value::Null, "{id}");
        }
    }
}

#[test]
fn a_batch_plays_as_single_tables_do() {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    let mut played = 0;
    let all = GAMES
        .iter()
        .flat_map(|game| game.info().seats.iter().map(move |seats| (game, *seats)));
    for (game, seats) in all {
        let id = game.info().id;
        let mut environment = environment(id);
        let begin = json!({ "type": "batch", "tables": 3, "seed": 20, "options": brief(id), "seats": seats });
        let begun = arrays(&mut environment, &begin);
        let described = ask(&mut environment, &json!({ "type": "describe" }));
        if described["observation"].is_null() {
            assert_eq!(begun.expect_err("none")["type"], "error", "{id}");
            continue;
        }
        let mut seen = begun.expect("arrays");
        let all = described["all_actions"].as_array().expect("all actions");
        let shape = described["observation"]["shape"]
            .as_array()
            .expect("a shape");
        let size: u64 = shape
            .iter()
            .map(|side| side.as_u64().expect("a number"))
            .product();
        let with = json!(["actions", "indices", "observations"]);
        let singles = json!({ "type": "reset", "tables": [0, 1, 2], "seeds": [20, 21, 22], "options": brief(id),
                              "seats": seats, "with": with });
        let mut states = ask(&mut environment, &singles)["states"].clone();
        for turn in 0..200_u64 {
            let [asked, legal, observations, points] = &seen;
            let mut actions = Vec::new();
            for table in 0..3 {
                let state = &states[table];
                let own = &observations[table * size as usize..][..size as usize];
                let legal = &legal[table * all.len().div_ceil(8)..][..all.len().div_ceil(8)];
                let marked = (0..all.len()).filter(|&at| legal[at / 8] >> (7 - at % 8) & 1 == 1);
                let marked: Vec<usize> = marked.collect();
                let points = &points[table * 4 * usize::from(seats)..][..4 * usize::from(seats)];
                let points = points
                    .as_chunks::<4>()
                    .0
                    .iter()
                    .map(|four| i32::from_le_bytes(*four));
                let points: Vec<i32> = points.collect();
                if state["over"].is_null() {
                    assert_eq!(json!([asked[table]]), state["asked"], "{id}");
                    assert_eq!(json!([marked]), state["indices"], "{id}");
                    let shown = state["observations"][0].as_str().expect("text");
                    assert_eq!(own, STANDARD.decode(shown).expect("Base64"), "{id}");
                    assert!(points.iter().all(|&points| points == 0), "{id}");
                    actions.push(marked[mixed(turn, table as u64) % marked.len()] as i64);
                } else {
                    assert_eq!(asked[table], 255, "{id}");
                    assert_eq!(json!(points), state["over"]["points"], "{id}");
                    actions.push(-1);
                }
            }
            // There another match begins, which a single table has to be told.
            if actions.contains(&-1) {
                played += 1;
                break;
            }
            let steps = actions.iter().enumerate();
            let steps: Vec<Value> = steps
                .map(|(at, action)| json!({ "table": at, "indices": [action] }))
                .collect();
            states = ask(
                &mut environment,
                &json!({ "type": "step", "steps": steps, "with": with }),
            )["states"]
                .clone();
            let play = json!({ "type": "play", "actions": actions });
            seen = arrays(&mut environment, &play).expect("they are legal");
        }
    }
    assert_eq!(
        played,
        4 + 3,
        "games of boards for two, and FLIP 4 for two to four"
    );
}

#[test]
fn a_batch_refuses_what_is_not_legal_and_begins_anew_where_a_match_is_over() {
    let mut environment = environment("flipflop-3x3");
    let without = ask(&mut environment, &json!({ "type": "play", "actions": [0] }));
    assert_eq!(without["type"], "error");
    let options = json!({ "max_plies": 1 });
    let first = arrays(
        &mut environment,
        &json!({ "type": "batch", "tables": 2, "seed": 1, "options": options }),
    );
    let first = first.expect("arrays");
    for wrong in [
        json!([0]),
        json!([-1, -1]),
        json!([162, 0]),
        json!([-5, 3]),
        json!([i64::MAX, i64::MIN]),
    ] {
        let answer = ask(
            &mut environment,
            &json!({ "type": "play", "actions": wrong }),
        );
        assert_eq!(answer["type"], "error", "{wrong}");
    }
    let all = ask(&mut environment, &json!({ "type": "describe" }))["all_actions"].clone();
    let index = all
        .as_array()
        .expect("all")
        .iter()
        .position(|action| action == "a1-a2")
        .expect("a1-a2");
    let play = |actions: Value| json!({ "type": "play", "actions": actions });
    let over = arrays(&mut environment, &play(json!([index, index])));
    assert_eq!(over.expect("arrays")[0], [255, 255]);
    let again = arrays(&mut environment, &play(json!([-1, -1])));
    assert_eq!(again.expect("arrays"), first);
}

#[test]
fn one_table_that_is_refused_does_not_hold_up_the_others() {
    let mut environment = environment("flipfour");
    ask(&mut environment, &reset("flipfour", &[0, 1], 1));
    let steps = json!([{ "table": 0, "acts": ["a1-a2"] }, { "table": 1, "acts": ["+c3"] }]);
    let answer = ask(
        &mut environment,
        &json!({ "type": "step", "steps": steps, "with": ["actions"] }),
    );
    let [refused, played] = [&answer["states"][0], &answer["states"][1]];
    assert_eq!(refused["refused"], "there is no piece on a1");
    assert_eq!(refused["asked"], json!([0]));
    assert_eq!(played["asked"], json!([1]));
    assert_eq!(played["refused"], Value::Null);
    assert_eq!(played["views"], Value::Null);
}

#[test]
fn requests_that_do_not_fit_are_answered_and_change_nothing() {
    let mut environment = environment("flipfour");
    let before = ask(&mut environment, &reset("flipfour", &[0], 1));
    let wrong = [
        r"",
        r"[]",
        r#""reset""#,
        r"{}",
        r#"{"type":"fly"}"#,
        r#"{"type":"describe","more":1}"#,
        r#"{"type":"reset","tables":[0]}"#,
        r#"{"type":"reset","tables":[0],"seeds":[]}"#,
        r#"{"type":"reset","tables":[0,0],"seeds":[1,2]}"#,
        r#"{"type":"reset","tables":[65536],"seeds":[1]}"#,
        r#"{"type":"reset","tables":[0],"seeds":[9007199254740992]}"#,
        r#"{"type":"reset","tables":[0],"seeds":[1],"seats":3}"#,
        r#"{"type":"reset","tables":[0],"seeds":[1],"options":{"max_plies":0}}"#,
        r#"{"type":"reset","tables":[0],"seeds":[1],"options":[]}"#,
        r#"{"type":"step","steps":[{"table":0,"acts":["+c3"]},{"table":0,"acts":["+c2"]}]}"#,
        r#"{"type":"step","steps":[{"table":1,"acts":["+c3"]}]}"#,
        r#"{"type":"view","table":0,"viewer":2}"#,
        r#"{"type":"view","table":0,"viewer":"me"}"#,
        r#"{"type":"draw","table":0,"viewer":0,"as":"png"}"#,
        r#"{"type":"clone","table":4,"to":[5]}"#,
        r#"{"type":"close","tables":[9]}"#,
        r#"{"type":"batch","tables":0,"seed":1}"#,
        r#"{"type":"batch","tables":2,"seed":9007199254740991}"#,
        r#"{"type":"batch","tables":4294967295,"seed":1}"#,
    ];
    for line in wrong {
        let mut answer = Vec::new();
        environment.answer(line.as_bytes(), &mut answer);
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        assert_eq!(answer["type"], "error", "{line}: {answer}");
        assert!(
            answer["why"].as_str().is_some_and(|why| !why.is_empty()),
            "{line}"
        );
    }
    for step in [
        json!({ "table": 0 }),
        json!({ "table": 0, "acts": [], "sample": true }),
        json!({ "table": 0, "indices": [675] }),
        json!({ "table": 0, "sample": true }),
        json!({ "table": 0, "chance": 3 }),
        json!({ "table": 0, "acts": ["+c3", "+c2"] }),
    ] {
        let answer = ask(
            &mut environment,
            &json!({ "type": "step", "steps": [step] }),
        );
        assert!(
            answer["states"][0]["refused"].is_string(),
            "{step}: {answer}"
        );
    }
    let mut answer = Vec::new();
    environment.answer(b"{\"type\":\"\xff\"}", &mut answer);
    assert_eq!(answer, br#"{"type":"error","why":"a request is UTF-8"}"#);
    let after = ask(
        &mut environment,
        &json!({ "type": "states", "tables": [0] }),
    );
    assert_eq!(after["states"], before["states"]);
}

#[test]
fn what_is_drawn_and_viewed_is_what_the_table_shows() {
    let mut environment = environment("phase10-flip");
    ask(&mut environment, &reset("phase10-flip", &[0], 1));
    let played = environment.table_of(0);
    let [text, svg] = [played.text(Viewer::Seat(1)), played.svg(Viewer::Public)];
    let mut view = Vec::new();
    played.write_view(Viewer::Open, &mut view);
    let view: Value = serde_json::from_slice(&view).expect("JSON");
    let draw = |viewer: Value, form: &str| json!({ "type": "draw", "table": 0, "viewer": viewer, "as": form });
    assert_eq!(
        ask(&mut environment, &draw(json!(1), "text"))["drawing"],
        text
    );
    assert_eq!(
        ask(&mut environment, &draw(json!("public"), "svg"))["drawing"],
        svg
    );
    let asked = ask(
        &mut environment,
        &json!({ "type": "view", "table": 0, "viewer": "open" }),
    );
    assert_eq!(asked["view"], view);
    ask(&mut environment, &json!({ "type": "close", "tables": [0] }));
    assert_eq!(
        ask(&mut environment, &draw(json!(0), "text"))["type"],
        "error"
    );
}

#[test]
fn lines_are_answered_one_by_one_until_the_input_ends() {
    let game = flipside_games::find("flipfour").expect("a game");
    let input = b"{\"type\":\"describe\"}\n\n{\"type\":\"close\",\"tables\":[]}";
    let mut output = Vec::new();
    serve_environment(game, &input[..], &mut output).expect("served");
    let lines: Vec<Value> = output
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("JSON"))
        .collect();
    let kinds: Vec<&Value> = lines.iter().map(|line| &line["type"]).collect();
    assert_eq!(kinds, ["environment", "error", "closed"]);
}

proptest! {
    #[test]
    fn no_line_makes_it_panic(line in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut answer = Vec::new();
        environment("flip4").answer(&line, &mut answer);
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        prop_assert!(answer["type"].is_string());
    }
}
