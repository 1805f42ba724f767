//! Watching a tournament: as a screen on a terminal, as plain lines elsewhere, and the summary at its end.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{flipside, run, script};

/// A process that takes its time for each of the first legal actions it plays, and says whatever it likes.
const SLOW: &str = r#"#!/bin/sh
while IFS= read -r line; do
  case $line in
    *'"type":"hello"'*) echo '{"type":"ready","name":"slow","actions":true}' ;;
    *'"type":"turn"'*)
      id=${line#*'"id":'}; id=${id%%,*}
      action=${line#*'"actions":["'}; action=${action%%'"'*}
      sleep 0.3
      echo "{\"type\":\"act\",\"id\":$id,\"action\":\"$action\"}" ;;
  esac
done
"#;

/// A process that answers with what would clear a screen.
const RUDE: &str = r#"#!/bin/sh
while IFS= read -r line; do
  case $line in
    *'"type":"hello"'*) echo '{"type":"ready","name":"rude"}' ;;
    *'"type":"turn"'*) printf '\033[2J\033[31mred\n' ;;
  esac
done
"#;

fn arguments(folder: &Path) -> Vec<String> {
    let slow = script(folder, "slow", SLOW);
    let rude = script(folder, "rude", RUDE);
    let words =
        "tournament flipfour --trust --watch --name evening --seed 3 --clock move=5s,start=20s";
    let words = words.split(' ').map(str::to_owned);
    words.chain(["sample:greedy".into(), slow, rude]).collect()
}

#[test]
fn without_a_terminal_it_is_watched_in_plain_lines() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = arguments(folder.path());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run = run(folder.path(), &arguments);
    let told = &run.stderr;
    assert!(!told.contains('\x1b'), "{told:?}");
    assert!(told.contains("\nevening: "), "how far it is: {told}");
    assert!(told.contains("in hand: White"), "a board: {told}");
    assert!(told.contains("won-drawn-lost"), "the standings: {told}");
    assert!(told.contains("rude@1 malformed: "), "the faults: {told}");
    let summary = told.find("\nevening\nflipfour, 3 bots, round-robin, 1 round, clock move=5s");
    let summary = &told[summary.expect("there is a summary")..];
    assert!(summary.contains("\n6 matches in "), "{summary}");
    assert!(
        summary.contains("\nseed 3, 4 faults, 0 voids, without a jail\n"),
        "{summary}"
    );
    assert!(summary.contains("\n3  rude@1 "), "{summary}");
    assert!(
        summary.lines().all(|line| line.chars().count() <= 72),
        "{summary}"
    );
    assert!(run.ok().starts_with("evening - flipfour"));
}

#[test]
fn the_summary_can_be_had_again() {
    let folder = tempfile::tempdir().unwrap();
    let words = "tournament flipfour sample:greedy sample:random --name evening --seed 3 --json";
    let arguments: Vec<&str> = words.split(' ').collect();
    let first = run(folder.path(), &arguments);
    assert!(first.stderr.contains("2 matches in "), "{}", first.stderr);
    assert!(
        first.ok().starts_with('{'),
        "what is for programs stays as it is"
    );
    let again = run(folder.path(), &["table", "--brief"]).ok();
    assert!(again.starts_with("evening\nflipfour, 2 bots"), "{again}");
    assert!(again.contains("\n2 matches\nseed 3, "), "{again}");
    run(folder.path(), &["table", "--brief", "--full"]).refused(2);
}

/// A terminal is made by `script`, of util-linux.
#[test]
fn on_a_terminal_there_is_a_screen_and_the_terminal_is_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let words: Vec<String> = arguments(folder.path());
    let program = env!("CARGO_BIN_EXE_flipside");
    let command = format!(
        "stty rows 30 cols 90; '{program}' {}; stty -a",
        words.join(" ")
    );
    let output = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(folder.path())
        .env_remove("FLIPSIDE_LOG")
        .env_remove("FLIPSIDE_ARENA")
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .expect("util-linux is there");
    let seen = String::from_utf8(output.stdout).unwrap();
    let (enters, leaves) = ("\x1b[?1049h", "\x1b[?1049l");
    let (before, rest) = seen.split_once(enters).expect("the screen comes");
    let (screen, after) = rest.split_once(leaves).expect("and goes");
    assert!(!before.contains("evening"), "{before}");
    assert!(screen.contains("evening: flipfour, 3 bots"), "{screen}");
    assert!(screen.contains("> 1 slow@1"), "{screen}");
    assert!(screen.contains("rude@1 malformed: "), "{screen}");
    assert!(!screen.contains("\x1b[31m"), "a bot's words are harmless");
    assert!(after.contains("6 matches in "), "{after}");
    assert!(!after.contains(enters), "{after}");
    assert!(after.contains(" echo "), "keys are echoed again: {after}");
    assert!(
        after.contains("\x1b[?25h") || screen.contains("\x1b[?25h"),
        "the cursor is back"
    );
}

#[test]
fn to_watch_what_is_only_a_dry_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = flipside(folder.path())
        .args(["tournament", "flipfour", "sample:greedy", "sample:random"])
        .args(["--watch", "--dry-run"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}
