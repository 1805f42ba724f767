//! A person at the terminal, and the pages with the rules.

mod common;

use std::io::Write;
use std::process::{Output, Stdio};

use common::{flipside, run};

/// Plays with these lines typed.
fn play(arguments: &[&str], typed: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = flipside(folder.path())
        .arg("play")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("flipside runs");
    let mut input = child.stdin.take().expect("stdin is piped");
    // The match may be over before all is read.
    let _ = input.write_all(typed.as_bytes());
    drop(input);
    child.wait_with_output().expect("flipside ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_person_plays_a_whole_match_of_every_game_and_its_record_verifies() {
    let folder = tempfile::tempdir().expect("a folder");
    for game in flipside_games::GAMES {
        let id = game.info().id;
        let record = folder.path().join(format!("{id}.jsonl"));
        let record = record.to_str().expect("UTF-8");
        let options = game.brief();
        let played = play(
            &[
                id,
                "sample:random",
                "--seed",
                "5",
                "--options",
                &options,
                "--record",
                record,
            ],
            &"#1\n".repeat(3000),
        );
        let said = text(&played.stdout);
        assert!(played.status.success(), "{id}: {}", text(&played.stderr));
        assert!(said.contains("The record is"), "{id}: {said}");
        assert!(said.contains("(seat 1)"), "{id}: {said}");
        run(folder.path(), &["verify", record]).ok();
    }
}

#[test]
fn what_is_mistyped_is_refused_with_the_reason_and_nothing_is_lost() {
    let played = play(
        &["flipfour", "sample:random", "--seed", "1"],
        "+c\n+z9\nc3-c4\n#99\nmoves x\n?\nboard\nrules\n+c3\n",
    );
    let said = text(&played.stdout);
    for words in [
        "there is: +c1, +c2",
        "names no square",
        "there is no piece on c3",
        "the moves are #1 to #50",
        "#26 xa1",
        "leave the table",
        "Nakajima",
        "sample:random (seat 1):",
    ] {
        assert!(said.contains(words), "{words:?} is not in {said}");
    }
}

#[test]
fn leaving_ends_the_match_without_a_result() {
    for typed in ["quit\n", "+c3\nexit\n", "", "+c3\n"] {
        let played = play(
            &["flipfour", "sample:random", "--seed", "1", "--record", "r"],
            typed,
        );
        assert!(played.status.success());
        let said = text(&played.stdout);
        assert!(said.contains("You have left the table"), "{said}");
        assert!(!said.contains("The record is"), "{said}");
    }
}

#[test]
fn many_seats_teams_and_simultaneous_turns_can_be_played() {
    let played = play(
        &[
            "flip4",
            "sample:random",
            "sample:random",
            "--seat",
            "2",
            "--seed",
            "1",
        ],
        "",
    );
    assert!(text(&played.stdout).contains("seat 2 of 3"));
    let bots = ["sample:random"; 3];
    let arguments = [&["puissance4-basic"], &bots[..], &["--seed", "1"]].concat();
    let played = play(&arguments, "wait\nwait\n");
    assert!(text(&played.stdout).contains("The others choose at the same time"));
}

#[test]
fn a_seat_that_is_not_there_is_refused() {
    let three = ["flipfour", "sample:random", "sample:random"];
    for (arguments, words) in [
        (
            &["flipfour", "sample:random", "--seat", "2"][..],
            "there is no seat 2",
        ),
        (&three, "flipfour is for 2 seats, not 3"),
        (&["flipfor", "sample:random"], "did you mean flipfour"),
        (
            &["puissance4-basic", "sample:random", "sample:random"],
            "2, 4 or 6 seats",
        ),
    ] {
        let refused = play(arguments, "");
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        let said = text(&refused.stderr);
        assert!(said.contains(words) && said.contains("hint:"), "{said}");
    }
}

#[test]
fn every_game_has_its_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    for game in flipside_games::GAMES {
        let id = game.info().id;
        let said = run(folder.path(), &["rules", id]).ok();
        assert!(said.contains("ground") && said.contains("chosen"), "{id}");
        assert!(said.contains("range"), "{id} has no options");
    }
    assert!(run(folder.path(), &["rules"]).ok().contains("phase10-flip"));
    run(folder.path(), &["rules", "chess"]).refused(2);
}
