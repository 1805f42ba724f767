//! The options: what they default to, and what they refuse.

use flipside_games::find;
use serde_json::{Value, json};

use super::seat::{begun, placed};

fn refusal(options: &str) -> String {
    let game = find("flip4").expect("built in");
    match game.set_up(options, 2) {
        Ok(_) => panic!("{options} is taken"),
        Err(why) => why.to_string(),
    }
}

const NUMBERS: &str = "a list of the numbers 0 to 12, 15, 16, 18, 20, 24, 25, 30 and 36 in any \
                       order, each once";

#[test]
fn the_defaults_are_those_of_the_page() {
    let game = find("flip4").expect("built in");
    let options = game.set_up("{}", 4).expect("the default").options;
    let options: Value = serde_json::from_str(&options).expect("JSON");
    assert_eq!(
        options,
        json!({
            "layout": [
                15, 16, 12,
                9, 7, 4, 8, 10,
                25, 6, 1, 3, 36,
                30, 2, 5, 0, 20,
                18, 24, 11
            ],
            "corner_return": true,
            "double_line": "mover",
            "max_turns": 3000
        })
    );
}

#[test]
fn a_layout_that_is_no_permutation_is_refused() {
    let default = [
        15, 16, 12, 9, 7, 4, 8, 10, 25, 6, 1, 3, 36, 30, 2, 5, 0, 20, 18, 24, 11,
    ];
    let mut twice = default.to_vec();
    twice[3] = 15;
    let mut none = default.to_vec();
    none[3] = 13;
    let mut large = default.to_vec();
    large[3] = 9 + 256;
    let mut more = default.to_vec();
    more.push(9);
    let with_corners: Vec<Value> = [json!(null)]
        .into_iter()
        .chain(default.map(Value::from))
        .collect();
    for layout in [
        json!(twice),
        json!(none),
        json!(large),
        json!(more),
        json!(default[1..]),
        json!([]),
        json!(with_corners),
        json!(default.map(f64::from)),
        json!(default.map(|number| number.to_string())),
        json!([[15, 16, 12], [9]]),
    ] {
        let why = refusal(&json!({ "layout": layout }).to_string());
        assert!(
            why.starts_with("option layout: ") && why.contains(NUMBERS),
            "{why}"
        );
    }
    for layout in [json!(7), json!("default"), json!(null), json!({})] {
        let why = refusal(&json!({ "layout": layout }).to_string());
        assert!(
            why.starts_with("option layout: ") && why.contains(NUMBERS),
            "{why}"
        );
    }
}

#[test]
fn a_layout_says_which_squares_are_next_to_each_other() {
    let in_order: Vec<u8> = (0..=12).chain([15, 16, 18, 20, 24, 25, 30, 36]).collect();
    let options = json!({ "layout": in_order }).to_string();
    //  C  0  1  2  C
    //  3  4  5  6  7
    //  8  9 10 11 12
    // 15 16 18 20 24
    //  C 25 30 36  C
    let game = placed(&options, &[[10, 1, 36, 15], [12, 7, 30, 2]]);
    assert_eq!(
        game.roll(4, 6).actions(),
        "10-11 10-16 10-18 10-20 10-4 10-5 10-6 10-9"
    );
}

#[test]
fn a_layout_need_not_have_the_rulebooks_diagonal() {
    // By the default 7, 1, 0 lie on a diagonal between two corners; here they lie apart.
    let in_order: Vec<u8> = (0..=12).chain([15, 16, 18, 20, 24, 25, 30, 36]).collect();
    let options = json!({ "layout": in_order }).to_string();
    let game = begun(&options, 2, 0);
    assert_eq!(game.view()["layout"][0], json!([null, 0, 1, 2, null]));
    assert_eq!(game.view()["layout"][1], json!([3, 4, 5, 6, 7]));
}

#[test]
fn other_options_out_of_range_are_refused_by_name() {
    for (options, why) in [
        (
            r#"{"max_turns":0}"#,
            "option max_turns: a whole number from 1 to 1000000, not 0",
        ),
        (
            r#"{"max_turns":1000001}"#,
            "option max_turns: a whole number from 1 to 1000000, not 1000001",
        ),
        (
            r#"{"corner_return":"yes"}"#,
            "option corner_return: true or false, not \"yes\"",
        ),
        (
            r#"{"double_line":"nobody"}"#,
            "option double_line: one of `mover`, `opponent`, `both`, not \"nobody\"",
        ),
        (
            r#"{"double_line":{"mover":null}}"#,
            "option double_line: one of `mover`, `opponent`, `both`, not {\"mover\":null}",
        ),
    ] {
        let told = refusal(options);
        assert!(told.starts_with(why), "{told}");
    }
    let told = refusal(r#"{"max_plies":10}"#);
    assert!(
        told.starts_with("option max_plies: there is no such option"),
        "{told}"
    );
}

#[test]
fn it_is_for_two_to_four_seats() {
    let game = find("flip4").expect("built in");
    for seats in [0, 1, 5, 6, 255] {
        let why = game
            .set_up("{}", seats)
            .err()
            .expect("not for so many")
            .to_string();
        assert_eq!(why, format!("flip4 is for 2 to 4 seats, not {seats}"));
    }
}
