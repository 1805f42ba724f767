//! Options of every game: what is refused, in which words, and how options that were stored before others were
//! added are read.

use flipside_games::{AnyGame, GAMES, find};
use serde_json::{Value, json};

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

/// Options that were added when records without them had been written: the game, what was written, the name, and
/// what it was played with.
const ADDED: [(&str, &str, &str, bool); 3] = [
    (
        "puissance4-basic",
        "team_wait",
        ",\"team_wait\":false",
        true,
    ),
    (
        "puissance4-championship",
        "team_wait",
        ",\"team_wait\":false",
        true,
    ),
    (
        "puissance4-extra-pro",
        "lines_first",
        ",\"lines_first\":false",
        false,
    ),
];

/// The default options as they were written before an option was added.
fn before(game: &dyn AnyGame, written: &str) -> String {
    let all = &game.presets()[0].1;
    let without = all.replacen(written, "", 1);
    assert_ne!(*all, without, "{written}");
    without
}

#[test]
fn options_stored_before_an_option_was_added_mean_what_was_played_then() {
    for (id, name, written, then) in ADDED {
        let game = find(id).expect("built in");
        let stored = before(game, written);
        let complete = game.complete(&stored).expect("it was written out in full");
        let read: Value = serde_json::from_str(&complete).expect("JSON");
        assert_eq!(read["rules"][name], then, "{complete}");
        let whole = game.complete(&complete).expect("it is written out in full");
        assert_eq!(whole, complete, "what is complete stays so");
        // What is typed today has today's default.
        let today: Value = serde_json::from_str(&game.presets()[0].1).expect("JSON");
        assert_eq!(today["rules"][name], json!(false));
    }
}

#[test]
fn stored_options_that_are_not_written_out_in_full_are_refused() {
    for game in GAMES {
        let full = &game.presets()[0].1;
        let spaced = full.replacen(':', ": ", 1);
        let twice = full.replacen('{', "{\"max_plies\":3,", 1);
        for stored in ["{}", "", "null", "[]", "{\"rules\":{}}", &spaced, &twice] {
            assert!(
                game.complete(stored).is_err(),
                "{}: {stored}",
                game.info().id
            );
        }
    }
    for (id, _, written, _) in ADDED {
        let game = find(id).expect("built in");
        let stored = before(game, written);
        for other in [
            stored.replacen(",\"max_rounds\":", ",  \"max_rounds\":", 1),
            stored.replacen(",\"rim\":\"remove\"", "", 1),
            stored.replacen("\"rim\":\"remove\"", "\"rim\":\"keep\"", 1),
        ] {
            assert_ne!(other, stored);
            assert!(game.complete(&other).is_err(), "{id}: {other}");
        }
    }
}

#[test]
fn options_that_are_typed_again_mean_what_was_begun() {
    for (id, name, written, then) in ADDED {
        let game = find(id).expect("built in");
        let stored = before(game, written);
        let typed = |value: bool| format!(r#"{{"rules":{{"{name}":{value}}}}}"#);
        let as_begun = |given: &str, stored: &str| game.as_begun(given, stored).expect("it fits");
        // Not named, or named as it was.
        for given in [
            "{}",
            r#"{"rules":{}}"#,
            r#"{"rules":{"size":5}}"#,
            &typed(then),
        ] {
            assert_eq!(as_begun(given, &stored), stored, "{given}");
        }
        assert_ne!(as_begun(&typed(!then), &stored), stored);
        assert_ne!(as_begun(r#"{"rules":{"size":4}}"#, &stored), stored);
        // What was begun with the option is not read so.
        let today = &game.presets()[0].1;
        assert_eq!(as_begun("{}", today), *today);
        assert_eq!(as_begun(&typed(false), today), *today);
        assert_ne!(as_begun(&typed(true), today), *today);
        // A name that is made from the options is the same from version to version.
        assert_eq!(game.without_later(today), stored);
        assert_eq!(game.without_later(&stored), stored);
        let other = game.set_up(&typed(true), 2).expect("it fits").options;
        assert_eq!(game.without_later(&other), other);
    }
}
