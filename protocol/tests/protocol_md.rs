//! Every line of PROTOCOL.md is read and written again.

use flipside_protocol::{FromBot, FromReferee};

const PAGE: &str = include_str!("../PROTOCOL.md");

fn lines(arrow: &'static str) -> impl Iterator<Item = &'static str> {
    PAGE.lines()
        .filter_map(move |line| line.strip_prefix(arrow))
}

#[test]
fn every_line_of_the_referee_is_read_and_written_again() {
    let mut kinds = Vec::new();
    for line in lines("→ ") {
        let message = FromReferee::read(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(serde_json::to_string(&message).unwrap(), line);
        kinds.push(match message {
            FromReferee::Hello(_) => "hello",
            FromReferee::Turn(turn) if turn.actions.is_some() => "turn with actions",
            FromReferee::Turn(turn) if turn.events.is_some() => "turn with events",
            FromReferee::Turn(_) => "turn",
            FromReferee::Over(_) => "over",
        });
    }
    assert_eq!(
        kinds,
        [
            "hello",
            "turn with actions",
            "turn",
            "turn with events",
            "turn",
            "over"
        ]
    );
}

#[test]
fn every_line_of_the_bot_is_read_and_written_again() {
    let mut kinds = Vec::new();
    for line in lines("← ") {
        let message = FromBot::read(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(serde_json::to_string(&message).unwrap(), line);
        kinds.push(match message {
            FromBot::Ready(_) => "ready",
            FromBot::Act(_) => "act",
            FromBot::Pause(_) => "pause",
        });
    }
    assert_eq!(kinds, ["ready", "act", "act", "ready", "pause", "act"]);
}

#[test]
fn the_bytes_that_the_page_promises_are_there() {
    let turn = lines("→ ").nth(1).unwrap();
    assert_eq!(&turn[9..13], "turn");
    assert_eq!(&turn[20..21], "1");
    let hello = lines("→ ").next().unwrap();
    assert_eq!(&hello[9..14], "hello");
    let (_, seed) = hello.rsplit_once("\"seed\":").unwrap();
    assert!(seed.trim_end_matches('}').parse::<u64>().is_ok(), "{seed}");
}

#[test]
fn every_limit_on_the_page_is_the_real_one() {
    assert_eq!(flipside_protocol::VERSION, 1);
    assert!(
        PAGE.contains("\"limits\":{\"line\":65536") && flipside_protocol::LONGEST_LINE == 65536
    );
    assert!(PAGE.contains("at most 32 KiB") && flipside_protocol::LONGEST_EVENTS == 32 << 10);
    assert!(PAGE.contains("over 240 bytes it is cut") && flipside_protocol::LONGEST_NOTE == 240);
    assert!(PAGE.contains("over 64 bytes each is cut") && flipside_protocol::LONGEST_NAME == 64);
    assert!(
        PAGE.contains("`start` defaults to 5s.") && flipside_protocol::DEFAULT_START.as_secs() == 5
    );
}
