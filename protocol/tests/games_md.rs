//! Every line of GAMES.md is read and written again.

use std::collections::BTreeSet;

use flipside_protocol::game::{GAME_VERSION, GameReply, GameRequest, LONGEST_GAME_LINE};
use serde::Serialize;
use serde_json::Value;

const PAGE: &str = include_str!("../GAMES.md");

fn lines(arrow: &'static str) -> impl Iterator<Item = &'static str> {
    PAGE.lines()
        .filter_map(move |line| line.strip_prefix(arrow))
}

fn is_written_again(line: &str, message: &impl Serialize) {
    let value = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let written = serde_json::to_string(message).unwrap();
    assert_eq!(value(&written), value(line));
}

#[test]
fn every_request_is_on_the_page_and_is_read_and_written_again() {
    let mut names = BTreeSet::new();
    for line in lines("→ ") {
        let request = GameRequest::read(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let request = request.unwrap_or_else(|| panic!("{line}: its type is not known"));
        is_written_again(line, &request);
        names.insert(request.name());
    }
    let all = [
        "acts", "chance", "check", "choose", "describe", "draw", "paths", "redeal", "replay",
        "sample", "setup", "view", "words",
    ];
    assert_eq!(names.into_iter().collect::<Vec<_>>(), all);
}

#[test]
fn every_answer_is_on_the_page_and_is_read_and_written_again() {
    let mut names = BTreeSet::new();
    for line in lines("← ") {
        let reply = GameReply::read(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        is_written_again(line, &reply);
        names.insert(reply.name());
    }
    let all = [
        "action",
        "drawing",
        "game",
        "legal",
        "outcome",
        "paths",
        "refused",
        "state",
        "unsupported",
        "view",
        "words",
    ];
    assert_eq!(names.into_iter().collect::<Vec<_>>(), all);
}

#[test]
fn the_version_and_the_longest_line_on_the_page_are_the_real_ones() {
    assert_eq!((GAME_VERSION, LONGEST_GAME_LINE), (1, 1_048_576));
    assert!(PAGE.contains("\"protocol\":1"));
    assert!(PAGE.contains("| `LONGEST_GAME_LINE` | 1,048,576 bytes |"));
}
