//! Every fault, by a bot of a few lines of shell: it gets its name, the other side wins, and the
//! record verifies.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{Hall, shell_bot};
use flipside_referee::{BY_FAULT, Fault, FaultKind, Match, MatchSeed, PlayedMatch, Referee};
use flipside_sandbox::{Sandbox, SandboxSettings};

/// No bot is late with it, on whatever machine.
const CLOCK: &str = "move=10m,start=10m";

/// For bots that are to be late at their second turn: what is left of the start is added to their first.
const SHORT_CLOCK: &str = "move=1s,start=10m";

/// What comes of a match at FlipFour in which seat 1 misbehaves before its second turn.
fn misbehaving(misbehave: &str) -> (PlayedMatch, Fault) {
    misbehaving_on(CLOCK, misbehave)
}

fn misbehaving_on(clock: &str, misbehave: &str) -> (PlayedMatch, Fault) {
    let mut hall = Hall::new();
    let bad = hall.shell(
        "bad",
        &shell_bot(&format!("[ $turn -lt 2 ] || {{ {misbehave}; }}")),
    );
    fallen_on(&mut hall, clock, bad)
}

fn fallen(hall: &mut Hall, bad: flipside_referee::Player) -> (PlayedMatch, Fault) {
    fallen_on(hall, CLOCK, bad)
}

fn fallen_on(hall: &mut Hall, clock: &str, bad: flipside_referee::Player) -> (PlayedMatch, Fault) {
    let players = vec![hall.first(), bad];
    let played = hall.play(flipside_games::find("flipfour").unwrap(), clock, players);
    assert_eq!(played.result.points(), [1, 0], "the honest side wins");
    assert_eq!(played.result.places(), [1, 2]);
    assert_eq!(played.result.reason, BY_FAULT);
    assert_eq!(played.seats[0].fault, None);
    let fault = played.seats[1].fault.clone().expect("seat 1 fell");
    (played, fault)
}

#[test]
fn no_answer_is_late() {
    let (played, fault) = misbehaving_on(SHORT_CLOCK, "sleep 1000");
    assert_eq!(fault.kind, FaultKind::Late);
    assert_eq!(played.result.plies, 3, "two of seat 0 and one of seat 1");
}

#[test]
fn part_of_an_answer_every_50_ms_is_late() {
    let (_, fault) = misbehaving_on(SHORT_CLOCK, "while :; do printf x; sleep 0.05; done");
    assert_eq!(fault.kind, FaultKind::Late);
}

#[test]
fn leaving_is_closed_with_the_exit_code() {
    let (_, fault) = misbehaving("echo 'I give up' >&2; exit 3");
    assert_eq!(fault.kind, FaultKind::Closed);
    assert!(fault.detail.contains('3'), "{fault}");
    assert!(fault.stderr.contains("I give up"), "{}", fault.stderr);
}

#[test]
fn dying_is_crashed_with_the_signal() {
    let (_, fault) = misbehaving("kill -SEGV $$");
    assert_eq!(fault.kind, FaultKind::Crashed);
    assert!(fault.detail.contains("SEGV"), "{fault}");
}

#[test]
fn a_line_without_end_is_too_long() {
    let (_, fault) = misbehaving("head -c 70000 /dev/zero | tr '\\0' x; sleep 1000");
    assert_eq!(fault.kind, FaultKind::TooLong);
}

#[test]
fn bytes_that_are_not_utf8_are_not_text() {
    let (_, fault) = misbehaving("printf '\\377\\n'; sleep 1000");
    assert_eq!(fault.kind, FaultKind::NotText);
}

#[test]
fn what_is_no_message_is_malformed() {
    let (_, fault) = misbehaving("echo 'my move is a1'; sleep 1000");
    assert_eq!(fault.kind, FaultKind::Malformed);
    assert_eq!(fault.evidence.as_deref(), Some("my move is a1"));
}

#[test]
fn an_action_that_is_not_notation_is_malformed() {
    let (_, fault) = misbehaving("action=Z9");
    assert_eq!(fault.kind, FaultKind::Malformed);
    assert!(fault.evidence.unwrap().contains("Z9"));
}

#[test]
fn an_action_that_is_not_allowed_is_illegal() {
    // Square a1 was taken by the first action of the match.
    let (_, fault) = misbehaving("action=+a1");
    assert_eq!(fault.kind, FaultKind::Illegal);
}

#[test]
fn an_answer_to_another_question_is_unasked() {
    let (_, fault) = misbehaving("id=$((id - 1))");
    assert_eq!(fault.kind, FaultKind::Unasked);
}

#[test]
fn a_second_answer_is_unasked() {
    // The second line is written with the first, and is found before the next question.
    let mut hall = Hall::new();
    let double = shell_bot("").replace(
        "\\\"}\" ;;",
        "\\\"}\n{\\\"type\\\":\\\"act\\\",\\\"id\\\":$id,\\\"action\\\":\\\"$action\\\"}\" ;;",
    );
    let bad = hall.shell("double", &double);
    let (_, fault) = fallen(&mut hall, bad);
    assert_eq!(fault.kind, FaultKind::Unasked);
}

#[test]
fn a_late_answer_is_not_taken_for_the_next_turns() {
    // It answers in time, but each time the question before.
    let mut hall = Hall::new();
    let bad = hall.shell(
        "behind",
        &shell_bot("answer=$before; before=\"{\\\"type\\\":\\\"act\\\",\\\"id\\\":$id,\\\"action\\\":\\\"$action\\\"}\"; [ $turn -lt 3 ] || { echo \"$answer\"; continue; }"),
    );
    let (played, fault) = fallen(&mut hall, bad);
    assert_eq!(fault.kind, FaultKind::Unasked, "{fault}");
    assert_eq!(played.result.seats[1].plies, 2);
}

/// A shell bot that answers its first turns at once, and from then on only when this file is there.
fn waits_for(hall: &Hall, written: &Path, turns: u64) -> flipside_referee::Player {
    let written = written.display();
    let wait = format!("[ $turn -le {turns} ] || until [ -e '{written}' ]; do sleep 0.01; done");
    hall.shell("waits", &shell_bot(&wait))
}

/// What a bot adds to the line that it writes: the answer to the next question, which comes 5 ms later. Then it makes a
/// file.
fn in_advance(when: &str, written: &Path) -> String {
    let written = written.display();
    shell_bot("").replace(
        "\\\"}\" ;;",
        &format!(
            "\\\"}}\"; [ {when} ] || {{ sleep 0.005; id=$((id + 1)); \
             echo \"{{\\\"type\\\":\\\"act\\\",\\\"id\\\":$id,\\\"action\\\":\\\"$action\\\"}}\"; : > '{written}'; }} ;;"
        ),
    )
}

/// What comes of a match at FlipFour against a bot that waits for the line that is written too early.
fn fallen_to_who_waits(
    hall: &mut Hall,
    who_waits: flipside_referee::Player,
    bad: flipside_referee::Player,
) -> (PlayedMatch, Fault) {
    let players = vec![who_waits, bad];
    let played = hall.play(flipside_games::find("flipfour").unwrap(), CLOCK, players);
    assert_eq!(played.seats[0].fault, None);
    let fault = played.seats[1].fault.clone().expect("seat 1 fell");
    (played, fault)
}

#[test]
fn a_line_that_was_written_before_the_question_is_unasked() {
    for turns in [1, 3] {
        let mut hall = Hall::new();
        let written = hall.path("written");
        let bad = hall.shell(
            "early",
            &in_advance(&format!("$turn -ne {turns}"), &written),
        );
        let who_waits = waits_for(&hall, &written, turns);
        let (played, fault) = fallen_to_who_waits(&mut hall, who_waits, bad);
        assert_eq!(fault.kind, FaultKind::Unasked, "{fault}");
        // It is found before the question, takes no time, and is kept.
        assert_eq!((played.result.seats[1].plies, fault.us), (turns, 0));
        let last = played.seats[1].traffic.last().unwrap();
        let id = format!("\"id\":{}", turns + 1);
        assert!(last.from_bot && last.line.contains(&id), "{last:?}");
    }
}

#[test]
fn a_line_that_was_written_before_the_first_question_is_unasked() {
    let mut hall = Hall::new();
    let written = hall.path("written");
    let ready = "\"actions\":true}'";
    let early = shell_bot("").replace(
        ready,
        &format!(
            "{ready}; sleep 0.005; echo '{{\"type\":\"act\",\"id\":1,\"action\":\"+a1\"}}'; : > '{}'",
            written.display()
        ),
    );
    let bad = hall.shell("early", &early);
    let who_waits = waits_for(&hall, &written, 0);
    let (played, fault) = fallen_to_who_waits(&mut hall, who_waits, bad);
    assert_eq!(fault.kind, FaultKind::Unasked, "{fault}");
    assert_eq!((played.result.seats[1].plies, fault.us), (0, 0));
}

#[test]
fn a_line_that_was_written_between_two_matches_is_unasked() {
    let mut hall = Hall::new();
    // It is ready for its next match before that has begun, where nobody stops it between the two.
    hall.referee = Referee::new(Sandbox::new(SandboxSettings {
        ponder: true,
        ..SandboxSettings::default()
    }))
    .unwrap();
    let kept = shell_bot("").replace("\"actions\":true", "\"actions\":true,\"reuse\":true");
    let written = hall.path("written");
    let early = kept.replace(
        "  esac",
        &format!(
            "    *'\"type\":\"over\"'*) sleep 0.02; echo '{{\"type\":\"ready\",\"actions\":true}}'; : > '{}' ;;\n  esac",
            written.display()
        ),
    );
    let bad = hall.shell("early", &early);
    let game = flipside_games::find("flipfour").unwrap();
    let players = vec![hall.shell("slow", &shell_bot("sleep 0.01")), bad];
    let first = hall.play(game, CLOCK, players.clone());
    assert_eq!(first.seats[1].fault, None);
    let until = Instant::now() + Duration::from_secs(400);
    while !written.exists() {
        assert!(Instant::now() < until, "it writes nothing after the match");
        std::thread::sleep(Duration::from_millis(10));
    }
    // A process plays in no other match of a block that it has met.
    let of_another_block = Match {
        id: "next".into(),
        game,
        options: "{}".into(),
        clock: CLOCK.parse().unwrap(),
        seed: MatchSeed::from_number(2),
        players,
        opening_plies: 0,
        patience: None,
    };
    let fault = hall.play_match(&of_another_block).seats[1].fault.clone();
    let fault = fault.expect("seat 1 fell");
    assert_eq!(fault.kind, FaultKind::Unasked, "{fault}");
    assert!(fault.detail.contains("before `hello`"), "{fault}");
}

#[test]
fn a_bot_that_never_gets_ready_loses_before_the_first_move() {
    for (text, kind) in [
        ("#!/bin/sh\nexit 1\n", FaultKind::Closed),
        (
            "#!/bin/sh\nread x; echo '{\"type\":\"act\",\"id\":1,\"action\":\"+a1\"}'; sleep 1000\n",
            FaultKind::Unasked,
        ),
        (
            "#!/bin/sh\nread x; echo '{\"type\":\"ready\",\"nme\":\"x\"}'; sleep 1000\n",
            FaultKind::Malformed,
        ),
    ] {
        let mut hall = Hall::new();
        let bad = hall.shell("bad", text);
        let (played, fault) = fallen(&mut hall, bad);
        assert_eq!((fault.kind, played.result.plies), (kind, 0), "{fault}");
    }
}

#[test]
fn a_flood_on_standard_error_harms_nobody() {
    let mut hall = Hall::new();
    let loud = hall.shell(
        "loud",
        &shell_bot("head -c 300000 /dev/zero | tr '\\0' e >&2"),
    );
    let players = vec![hall.first(), loud];
    let played = hall.play(
        flipside_games::find("flipflop-3x3").unwrap(),
        CLOCK,
        players,
    );
    assert!(
        played.seats.iter().all(|seat| seat.fault.is_none()),
        "{:?}",
        played.seats
    );
}

#[test]
fn a_bot_that_does_not_come_forfeits_and_is_not_started() {
    let mut hall = Hall::new();
    let bad = hall.shell("bad", "echo 'I was started' >&2");
    let (played, fault) = fallen(&mut hall, bad.away("it is paused"));
    assert_eq!(fault.kind, FaultKind::Forfeit);
    assert_eq!((&*fault.detail, &*fault.stderr), ("it is paused", ""));
    assert_eq!(played.result.plies, 0);
    assert!(flipside_referee::verify(&played.record).is_ok());
}
