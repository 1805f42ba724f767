//! Watching a tournament: as a screen on a terminal, as plain lines elsewhere, and the summary at its end.

use std::fs::read_to_string;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use insta::assert_snapshot;

use crate::common::{run, script};
use crate::shown::{session, unvarying, words};

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
        "tournament flipfour --trust --watch --name evening --clock move=5m,start=5m --no-affinity";
    let words = words.split(' ').map(str::to_owned);
    let seed = ["--seed", seed!(3)].map(str::to_owned);
    let bots = ["sample:greedy".into(), slow, rude];
    words.chain(seed).chain(bots).collect()
}

#[test]
fn without_a_terminal_it_is_watched_in_plain_lines() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = arguments(folder.path());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run = run(folder.path(), &arguments);
    let told = &run.stderr;
    assert!(!told.contains('\x1b'), "{told:?}");
    // How often it is told while it is played depends on the machine.
    assert!(told.contains("\nevening: "), "how far it is: {told}");
    assert!(told.contains("in hand: White"), "a board: {told}");
    assert!(told.contains("won-drawn-lost"), "the standings: {told}");
    assert!(told.contains("rude@1 malformed: "), "the faults: {told}");
    let summary = told.rfind("\nevening\n").expect("there is a summary");
    let summary = &told[summary + 1..];
    assert_snapshot!(unvarying(summary), @r"
    evening
    flipfour, 3 bots, round-robin, 1 round, clock move=5m,start=5m
    6 matches in TIME
    seed 3, 4 faults, 0 voids, without a jail

    more: flipside table evening --full

    to repeat the random events:
    --seed 3-HASH
    ");
    // All lines but that of the seed are short.
    let long = summary.lines().filter(|line| line.chars().count() > 72);
    let long: Vec<&str> = long.collect();
    assert!(
        matches!(long[..], [seed] if seed.starts_with("--seed ")),
        "{long:?}"
    );
    assert_snapshot!(run.ok(), @"
    evening - flipfour, 3 bots, round-robin, 1 round, clock move=5m,start=5m, seed 3: 6 of 6 matches

    rank  bot       ~rating  ~95 %  games  won  drawn  lost  score      %     ~% from to  not by play  faults  voids
       1  greedy@1     1783   ±370      4    4      0     0    4.0  100.0  40.3 to 100.0            2       0      0
       2  slow@1       1500   ±315      4    2      0     2    2.0   50.0   14.5 to 85.5            2       0      0
       3  rude@1       1217   ±370      4    0      0     4    0.0    0.0    0.0 to 59.7            4       4      0
    ~ is an estimate from the results so far; ± half the width of its 95 % interval

    against         1      2      3
    1 greedy@1      -  2.0/2  2.0/2
    2 slow@1    0.0/2      -  2.0/2
    3 rude@1    0.0/2  0.0/2      -
    score of the bot on the left against the bot above

    trust: processes were started without a jail
    not certain: the order of places 1 to 3; the results do not support it at 95 %
    ");
}

#[test]
fn the_summary_can_be_had_again() {
    let folder = tempfile::tempdir().unwrap();
    let play = "tournament flipfour sample:greedy sample:random --name evening --json";
    let play = [&words(play)[..], &["--no-affinity", "--seed", seed!(3)]].concat();
    let first = run(folder.path(), &play);
    assert_snapshot!(unvarying(&first.stderr), @r"
    a whole seed was passed: anyone who knows it can predict the random events
    evening: 2 of 2 matches to play

    evening
    flipfour, 2 bots, round-robin, 1 round, clock move=1s
    2 matches in TIME
    seed 3, 0 faults, 0 voids

       bot       rating  95 %  games  won-drawn-lost  score  faults
    1  greedy@1    1672  ±293      2           2-0-0    2.0       0
    2  random@1    1328  ±293      2           0-0-2    0.0       0

    more: flipside table evening --full

    to repeat the random events:
    --seed 3-HASH
    ");
    assert!(
        first.ok().starts_with('{'),
        "what is for programs stays as it is"
    );
    assert_snapshot!(session(folder.path(), "
        table --brief
        table --brief --full
    "), @"
    $ flipside table --brief
    evening
    flipfour, 2 bots, round-robin, 1 round, clock move=1s
    2 matches
    seed 3, 0 faults, 0 voids

       bot       rating  95 %  games  won-drawn-lost  score  faults
    1  greedy@1    1672  ±293      2           2-0-0    2.0       0
    2  random@1    1328  ±293      2           0-0-2    0.0       0

    more: flipside table evening --full

    $ flipside table --brief --full
    -- exit status 2, stderr:
    error: the argument '--brief' cannot be used with '--full'

    Usage: flipside table --brief [TOURNAMENT]

    For more information, try '--help'.
    ");
}

const ENTERS: &str = "\x1b[?1049h";
const LEAVES: &str = "\x1b[?1049l";
const CLEARS: &str = "\x1b[2J";
const FRAME_ENDS: &str = "\x1b[?2026l";

/// All frames that a terminal of this size shows: only what changes between two of them is written.
fn shown(written: &str, rows: usize, columns: usize) -> String {
    let mut cells = vec![vec![' '; columns]; rows];
    let (mut row, mut column) = (0, 0);
    let mut shown = String::new();
    let mut letters = written.chars();
    while let Some(letter) = letters.next() {
        if letter != '\x1b' {
            cells[row][column] = letter;
            column += 1;
            continue;
        }
        assert_eq!(letters.next(), Some('['));
        let mut sequence = String::new();
        while !sequence.ends_with(|end: char| end.is_ascii_alphabetic()) {
            sequence.push(letters.next().expect("a sequence ends"));
        }
        if let Some(place) = sequence.strip_suffix('H') {
            let (y, x) = place.split_once(';').unwrap();
            (row, column) = (
                y.parse::<usize>().unwrap() - 1,
                x.parse::<usize>().unwrap() - 1,
            );
        } else if sequence == "2J" {
            cells = vec![vec![' '; columns]; rows];
        } else if sequence == FRAME_ENDS[2..] {
            shown.extend(cells.iter().flat_map(|line| line.iter().chain(&['\n'])));
        }
    }
    shown
}

/// Lets a shell run a command on a terminal, which is made by `script`, of util-linux.
fn in_terminal(folder: &Path, command: &str) -> Child {
    Command::new("script")
        .args(["-qec", command, "/dev/null"])
        .current_dir(folder)
        .env_remove("FLIPSIDE_LOG")
        .env_remove("FLIPSIDE_ARENA")
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("util-linux is there")
}

/// What a terminal gets before, on and after the screen, if these keys are typed.
fn on_terminal(folder: &Path, arguments: &str, keys: &str) -> [String; 3] {
    let program = env!("CARGO_BIN_EXE_flipside");
    let command = format!("stty rows 30 cols 90; '{program}' {arguments}; stty -a");
    let mut script = in_terminal(folder, &command);
    let mut typed = script.stdin.take().unwrap();
    typed.write_all(keys.as_bytes()).unwrap();
    drop(typed);
    let output = script.wait_with_output().unwrap();
    let seen = String::from_utf8(output.stdout).unwrap();
    let (before, rest) = seen.split_once(ENTERS).expect("the screen comes");
    let (screen, after) = rest.split_once(LEAVES).expect("and goes");
    assert!(!after.contains(ENTERS), "{after}");
    assert!(after.contains(" echo "), "keys are echoed again: {after}");
    assert!(after.contains(" icanon "), "and read by lines: {after}");
    assert!(
        after.contains("\x1b[?25h") || screen.contains("\x1b[?25h"),
        "the cursor is back"
    );
    [before, screen, after].map(str::to_owned)
}

#[test]
fn on_a_terminal_there_is_a_screen_and_the_terminal_is_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let words: Vec<String> = arguments(folder.path());
    let [before, screen, after] = on_terminal(folder.path(), &words.join(" "), "");
    assert!(!before.contains("evening"), "{before}");
    let shown = shown(&screen, 30, 90);
    assert!(shown.contains("evening: flipfour, 3 bots"), "{shown}");
    assert!(shown.contains("> 1 slow@1"), "{shown}");
    assert!(shown.contains("rude@1 malformed: "), "{shown}");
    assert!(!screen.contains("\x1b[31m"), "a bot's words are harmless");
    assert!(after.contains("6 matches in "), "{after}");
}

#[test]
fn a_replay_on_a_terminal_gives_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let [_, screen, _] = on_terminal(folder.path(), &replay_arguments(), "5\rq");
    let shown = shown(&screen, 30, 90);
    assert!(shown.contains("step 7 of 23, ply 5"), "{shown}");
}

/// A command on a terminal, which gets signals from elsewhere.
struct TerminalRun {
    script: Child,
    pid: String,
}

impl TerminalRun {
    /// Begins it, and waits for the first frame.
    fn begin(folder: &Path, arguments: &str) -> Self {
        let program = env!("CARGO_BIN_EXE_flipside");
        let begin = r#"echo $$ > pid; exec "$0" "$@""#;
        let command =
            format!("stty rows 30 cols 90; sh -c '{begin}' '{program}' {arguments}; stty -a");
        let script = in_terminal(folder, &command);
        let pid = String::new();
        let mut run = TerminalRun { script, pid };
        run.until(FRAME_ENDS);
        run.pid = read_to_string(folder.join("pid")).unwrap().trim().into();
        run
    }

    /// Waits until the terminal has got this.
    fn until(&mut self, what: &str) {
        let out = self.script.stdout.as_mut().unwrap();
        let mut seen = Vec::new();
        while !seen.ends_with(what.as_bytes()) {
            let mut byte = [0];
            let read = out.read_exact(&mut byte);
            assert!(read.is_ok(), "{what:?}: {}", seen.escape_ascii());
            seen.extend(byte);
        }
    }

    fn kill(&self, signal: &str) {
        let killed = Command::new("kill")
            .args(["-s", signal, &self.pid])
            .status();
        assert!(killed.unwrap().success(), "{signal}");
    }

    fn waits_until_stopped(&self) {
        let stat = || read_to_string(format!("/proc/{}/stat", self.pid)).unwrap();
        while !stat().contains(") T ") {
            sleep(Duration::from_millis(10));
        }
    }

    fn gives_the_terminal_back(mut self) {
        self.until(LEAVES);
        let mut after = String::new();
        let out = self.script.stdout.as_mut().unwrap();
        out.read_to_string(&mut after).unwrap();
        self.script.wait().unwrap();
        assert!(!after.contains(ENTERS), "{after:?}");
        assert!(
            after.contains(" echo ") && after.contains(" icanon "),
            "{after}"
        );
    }
}

impl Drop for TerminalRun {
    /// A test that failed leaves nothing behind: the command ends with its terminal.
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}

fn replay_arguments() -> String {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/record/yonmoque-2");
    format!("replay '{record}'")
}

#[test]
fn a_replay_that_a_signal_ends_gives_the_terminal_back() {
    let folder = tempfile::tempdir().unwrap();
    for signal in ["INT", "QUIT", "TERM", "HUP"] {
        let run = TerminalRun::begin(folder.path(), &replay_arguments());
        run.kill(signal);
        run.gives_the_terminal_back();
    }
}

#[test]
fn a_replay_is_drawn_anew_when_it_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = TerminalRun::begin(folder.path(), &replay_arguments());
    run.kill("STOP");
    run.waits_until_stopped();
    run.kill("CONT");
    run.until(CLEARS);
    run.kill("TSTP");
    run.until(LEAVES);
    run.waits_until_stopped();
    run.kill("CONT");
    run.until(ENTERS);
    run.until(CLEARS);
    let typed = run.script.stdin.as_mut().unwrap();
    typed.write_all(b"q").unwrap();
    run.gives_the_terminal_back();
}

#[test]
fn what_is_watched_is_drawn_anew_when_it_goes_on_and_every_few_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let slower = SLOW.replace("0.3", "600");
    let slower = script(folder.path(), "slower", &slower);
    let words = "tournament flipfour --trust --watch --clock move=5m,start=5m --no-affinity";
    let mut run = TerminalRun::begin(folder.path(), &format!("{words} sample:greedy {slower}"));
    run.kill("CONT");
    run.until(CLEARS);
    run.until(CLEARS);
    run.kill("TERM");
    run.until("stopping");
    run.kill("TERM");
    run.gives_the_terminal_back();
}

#[test]
fn to_watch_what_is_only_a_dry_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let play = "tournament flipfour sample:greedy sample:random --watch --dry-run";
    assert_snapshot!(session(folder.path(), play), @"
    $ flipside tournament flipfour sample:greedy sample:random --watch --dry-run
    -- exit status 2, stderr:
    error: the argument '--watch' cannot be used with '--dry-run'

    Usage: flipside tournament --watch <GAME> <BOTS>...

    For more information, try '--help'.
    ");
}
