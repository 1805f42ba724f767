//! Options of every game: what is refused, and in which words.

use flipside_games::{AnyGame, GAMES, find};
use serde_json::Value;

/// Words of serde and of Rust, which say nothing to whoever typed an option.
const FOREIGN: [&str; 22] = [
    "invalid type",
    "invalid value",
    "invalid length",
    "invalid digit",
    "expected",
    "unknown field",
    "unknown variant",
    "missing field",
    "duplicate field",
    "integer",
    "floating point",
    "boolean",
    "unit",
    "sequence",
    "map",
    "struct",
    "enum",
    "u8",
    "u32",
    "u64",
    "f64",
    "at line",
];

fn refusal(game: &dyn AnyGame, options: &str) -> Option<String> {
    let seats = game.info().least_seats();
    game.set_up(options, seats).err().map(|error| error.0)
}

/// The names of all options of a game, by its schema, each with the objects that it is in.
fn names(game: &dyn AnyGame) -> Vec<Vec<String>> {
    fn collect(root: &Value, schema: &Value, path: &[String], names: &mut Vec<Vec<String>>) {
        for (name, option) in schema["properties"].as_object().into_iter().flatten() {
            let target = option["$ref"]
                .as_str()
                .and_then(|at| root.pointer(&at[1..]));
            let here = [path, std::slice::from_ref(name)].concat();
            collect(root, target.unwrap_or(option), &here, names);
            names.push(here);
        }
    }
    let schema = game.schemas().options.to_value();
    let mut all = Vec::new();
    collect(&schema, &schema, &[], &mut all);
    all
}

/// Options in which one has this value, as text.
fn with(path: &[String], value: &str) -> String {
    let wrap = |inner: String, name: &String| format!("{{{name:?}:{inner}}}");
    path.iter().rev().fold(value.to_owned(), wrap)
}

/// A value of every wrong type, and of the right type what no option is.
const WRONG: [&str; 22] = [
    "null",
    "true",
    "false",
    "-1",
    "-9007199254740993",
    "1.5",
    "0.1234567",
    "1000001",
    "18446744073709551615",
    "18446744073709551616",
    "1e300",
    "1e999",
    "\"\"",
    "\"1\"",
    "\"no such word\"",
    "[]",
    "[null]",
    "[[[]]]",
    "{}",
    "{\"no_such_option\":1}",
    "{\"mover\":null}",
    "{\"x\":1,\"x\":2}",
];

#[test]
fn every_wrong_option_is_refused_by_its_name_and_range_and_in_plain_words() {
    let (mut told, mut taken) = (0, 0);
    for game in GAMES.iter().copied() {
        for path in names(game) {
            let name = path.join(".");
            for value in WRONG {
                let options = with(&path, value);
                let Some(why) = refusal(game, &options) else {
                    taken += 1;
                    continue;
                };
                told += 1;
                let id = game.info().id;
                assert!(why.starts_with(&format!("option {name}")), "{id}: {why}");
                for word in FOREIGN {
                    assert!(!why.contains(word), "{id} {options}: {why}");
                }
                let given = value.starts_with(['n', 't', 'f', '[', '"']);
                assert!(
                    !given || why.ends_with(&format!("not {value}")),
                    "{id}: {why}"
                );
            }
        }
    }
    println!("{told} wrong values are told, {taken} are allowed");
    assert!(told > 1000 && taken < 150, "{told}, {taken}");
}

#[test]
fn options_that_are_no_object_are_refused_in_plain_words() {
    for game in GAMES.iter().copied() {
        for options in [
            "",
            " ",
            "null",
            "true",
            "17",
            "-1",
            "1e999",
            "\"x\"",
            "[]",
            "[{}]",
            "{",
            "{}{}",
            "{} x",
            "{max_plies:3}",
            "{'max_plies':3}",
            "{\"max_plies\":}",
            "{\"a\":1,}",
            "nul",
            "\u{7f}",
            "{\n\n\"max_plies\" 3}",
        ] {
            let id = game.info().id;
            let why = refusal(game, options).unwrap_or_else(|| panic!("{id} takes {options}"));
            assert!(why.starts_with("option"), "{id}: {why}");
            for word in FOREIGN {
                assert!(!why.contains(word), "{id} {options}: {why}");
            }
        }
    }
}

#[test]
fn an_option_that_is_misspelt_or_in_the_wrong_object_is_told_the_right_one() {
    for (id, options, hint) in [
        (
            "flip4",
            r#"{"corner-return":true}"#,
            "did you mean corner_return?",
        ),
        ("flip4", r#"{"max_turn":3}"#, "did you mean max_turns?"),
        (
            "flip4",
            r#"{"weather":3}"#,
            "there are layout, corner_return, double_line, max_turns",
        ),
        ("flipfour", r#"{"max-plies":3}"#, "did you mean max_plies?"),
        (
            "puissance4-basic",
            r#"{"size":4}"#,
            "did you mean rules.size?",
        ),
        (
            "puissance4-basic",
            r#"{"model":{"flights":4}}"#,
            "did you mean model.flight?",
        ),
        ("phase10-flip", r#"{"phase":4}"#, "did you mean phases?"),
    ] {
        let why = refusal(find(id).expect("built in"), options).expect("it is refused");
        assert!(why.contains(hint), "{options}: {why}");
    }
    let twice = r#"{"max_plies":3,"max_plies":4}"#;
    let why = refusal(find("flipfour").expect("built in"), twice).expect("it is refused");
    assert_eq!(why, "option max_plies: it is given twice");
}
