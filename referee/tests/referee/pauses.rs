//! Bots that pause before they answer: their clocks stand still, at most for their patience.

use std::fs;
use std::path::Path;

use crate::common::{Hall, find, read, sealed_again, shell_bot, verified};
use flipside_referee::{
    ActLine, Fault, FaultKind, Line, Match, MatchSeed, Paused, PlayedMatch, Player,
};
use serde_json::Value;

/// No bot is late with it, on whatever machine.
const CLOCK: &str = "move=10m,start=10m";

/// What a shell bot says to pause.
fn pause(reason: &str) -> String {
    format!(r#"echo '{{"type":"pause","reason":"{reason}"}}'"#)
}

fn play(hall: &mut Hall, patience: Option<&str>, clock: &str, players: Vec<Player>) -> PlayedMatch {
    let game = if players.len() == 2 {
        "flipfour"
    } else {
        "test-race"
    };
    hall.play_match(&Match {
        id: "test".into(),
        game: find(game).unwrap(),
        options: "{}".into(),
        clock: clock.parse().unwrap(),
        seed: MatchSeed::from_number(1),
        players,
        opening_plies: 0,
        patience: patience.map(|patience| patience.parse().unwrap()),
    })
}

/// A match at FlipFour in which seat 1 does this before its second answer.
fn pausing(patience: Option<&str>, clock: &str, misbehave: &str) -> PlayedMatch {
    let mut hall = Hall::new();
    let text = shell_bot(&format!("[ $turn != 2 ] || {{ {misbehave}; }}"));
    let players = vec![hall.first(), hall.shell("pauses", &text)];
    play(&mut hall, patience, clock, players)
}

fn acts(played: &PlayedMatch) -> Vec<ActLine> {
    let lines = read(played).lines.into_iter();
    let acts = lines.filter_map(|(_, line)| match line {
        Line::Acts { acts } => Some(acts),
        _ => None,
    });
    acts.flatten().collect()
}

fn fault(played: &PlayedMatch) -> &Fault {
    played.seats[1].fault.as_ref().expect("seat 1 fell")
}

#[test]
fn the_clock_of_a_bot_that_pauses_stands_still() {
    let wait = format!("{}; sleep 3; {}", pause("429"), pause("again"));
    let played = pausing(Some("10m"), CLOCK, &wait);
    assert_eq!(played.seats[1].fault, None);
    let acts = acts(&played);
    let pauses: Vec<&Paused> = acts.iter().filter_map(|act| act.paused.as_ref()).collect();
    let [paused] = pauses[..] else {
        panic!("one answer has pauses: {pauses:?}")
    };
    assert_eq!((paused.times, paused.reason.as_deref()), (2, Some("again")));
    // Three seconds passed between the question and the answer, in parts that depend on how soon the pause was read.
    let answer = acts.iter().find(|act| act.paused.is_some()).unwrap();
    assert!(paused.us > 0, "{paused:?}");
    assert!(paused.us + answer.us.unwrap() >= 3_000_000, "{answer:?}");
}

#[test]
fn when_the_patience_is_over_the_clock_runs_on() {
    let played = pausing(
        Some("1ms"),
        "move=1s,start=10m",
        &format!("{}; sleep 1000", pause("x")),
    );
    let fault = fault(&played);
    assert_eq!(fault.kind, FaultKind::Late, "{fault}");
    assert!(fault.us >= 1_000_000, "{fault:?}");
    let paused = fault.paused.as_ref().unwrap();
    assert_eq!((paused.times, paused.us), (1, 1_000));
}

#[test]
fn whoever_pauses_without_leave_or_too_often_is_not_asked_for_it() {
    let often = format!(
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do {}; done",
        pause("x")
    );
    for (patience, misbehave, times, what, hint) in [
        (None, pause("x"), None, "may not", "--provider-patience 5m"),
        (
            Some("1h"),
            often,
            Some(16),
            "more than 16 times",
            "each pause",
        ),
    ] {
        let played = pausing(patience, CLOCK, &misbehave);
        let fault = fault(&played);
        assert_eq!(fault.kind, FaultKind::Unasked, "{fault}");
        assert!(fault.detail.contains(what), "{fault}");
        assert!(fault.hint.unwrap().contains(hint), "{fault:?}");
        assert_eq!(fault.paused.as_ref().map(|paused| paused.times), times);
        assert_eq!(verified(&played.record).unwrap().faults_shown, 1);
        // With the patience, or one pause less, it would be none.
        let lied = sealed_again(&played.record, |line| match patience {
            None => line.replace("\"seats\":[", "\"patience\":\"1h\",\"seats\":["),
            Some(_) => line.replace("\"times\":16", "\"times\":15"),
        });
        let error = verified(&lied).unwrap_err().to_string();
        assert!(error.contains("does not show"), "{error}");
    }
}

#[test]
fn a_pause_instead_of_ready_is_no_answer() {
    let mut hall = Hall::new();
    let text = shell_bot("").replace(
        r#"{"type":"ready","name":"shell","actions":true}"#,
        r#"{"type":"pause"}"#,
    );
    let players = vec![hall.first(), hall.shell("pauses", &text)];
    let played = play(&mut hall, Some("1h"), CLOCK, players);
    assert_eq!(fault(&played).kind, FaultKind::Unasked);
}

#[test]
fn no_record_has_more_pauses_than_the_patience() {
    let played = pausing(Some("1h"), CLOCK, &pause("429"));
    let acts = acts(&played);
    let us = acts
        .iter()
        .find_map(|act| Some(act.paused.as_ref()?.us))
        .unwrap();
    let [paused, more] = [us, 3_600_000_001].map(|us| format!("\"times\":1,\"us\":{us}"));
    let lied = sealed_again(&played.record, |line| line.replace(&paused, &more));
    let error = verified(&lied).unwrap_err().to_string();
    assert!(error.contains("stood still"), "{error}");
    let module = sealed_again(&played.record, |line| {
        line.replacen(
            "{\"seat\":0,",
            "{\"seat\":0,\"paused\":{\"times\":1,\"us\":0},",
            1,
        )
    });
    let error = verified(&module).unwrap_err().to_string();
    assert!(error.contains("might not"), "{error}");
}

/// What a bot was sent, which it kept in this file.
fn sent(log: &Path) -> Vec<Value> {
    let text = fs::read_to_string(log).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_turn_tells_what_the_last_answer_was_charged_and_hello_for_how_long_a_bot_may_pause() {
    let mut hall = Hall::new();
    let log = hall.path("log");
    let keeps = format!(
        "printf '%s\\n' \"$line\" >> '{}'\n  case $line in",
        log.display()
    );
    let wait = format!("[ $turn != 2 ] || {{ {}; sleep 0.02; }}", pause("429"));
    let text = shell_bot(&wait).replace("case $line in", &keeps);
    let players = vec![hall.first(), hall.shell("keeps", &text)];
    let played = play(&mut hall, Some("90s"), CLOCK, players);
    let sent = sent(&log);
    assert_eq!(sent[0]["patience"], 90_000);
    let charged: Vec<Option<u64>> = sent
        .iter()
        .filter(|message| message["type"] == "turn")
        .map(|turn| turn["charged"].as_u64())
        .collect();
    let of_seat = acts(&played).into_iter().filter(|act| act.seat == 1);
    let mut due: Vec<Option<u64>> = of_seat.map(|act| Some(act.us.unwrap() / 1000)).collect();
    // Nobody is told of the last answer, and the first question is charged for none.
    due.pop();
    due.insert(0, None);
    assert_eq!(charged, due);
    assert!(charged.len() > 2);
}

#[test]
fn of_seats_that_are_asked_at_once_each_pauses_for_itself() {
    let mut hall = Hall::new();
    let pauses = hall.shell("pauses", &shell_bot(&pause("429")));
    let thinks = hall.shell("thinks", &shell_bot(""));
    let players = vec![hall.first(), pauses, thinks];
    let played = play(&mut hall, Some("1h"), CLOCK, players);
    assert!(played.seats.iter().all(|seat| seat.fault.is_none()));
    let acts = acts(&played);
    assert!(acts.iter().any(|act| act.seat == 1));
    for act in acts {
        let times = act.paused.map(|paused| paused.times);
        assert_eq!(times, (act.seat == 1).then_some(1));
    }
}
