//! `flipside check`: what it says of good bots, and that each step finds the mistake that it looks for.

use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::{run, sample, script};

/// A bot in Python that plays by its seed; a mistake is put in one of its places.
const BOT: &str = r#"#!/usr/bin/env python3
import fcntl, json, os, random, sys, threading, time
def burn():
    while True: pass
def out(text):
    sys.stdout.write(text)
    sys.stdout.flush()
n = 0
wishes = {"type": "ready", "name": "planted", "version": "1", "actions": True, "reuse": True}
TOP
for line in LINES:
    m = json.loads(line)
    if m["type"] == "hello":
        hello = m
        chance = random.Random(m["seed"])
        n = 0
        HELLO
        out(json.dumps(wishes) + "\n")
        READY
    elif m["type"] == "turn":
        n += 1
        act = {"type": "act", "id": m["id"], "action": chance.choice(m["actions"])}
        TURN
        out(json.dumps(act) + "\n")
        ACTED
    else:
        OVER
        pass
END
"#;

/// A bot with code in these places.
fn bot(folder: &Path, name: &str, code: &[(&str, &str)]) -> String {
    let mut text = BOT.to_owned();
    let places = [
        "TOP", "LINES", "HELLO", "READY", "TURN", "ACTED", "OVER", "END",
    ];
    for place in places {
        let given = code.iter().find(|(theirs, _)| *theirs == place);
        let default = match place {
            "LINES" => "sys.stdin",
            _ => "pass",
        };
        text = text.replacen(place, given.map_or(default, |(_, code)| code), 1);
    }
    script(folder, name, &text)
}

/// What one step finds: its status, and what it says.
fn step(folder: &Path, bot: &str, step: &str, more: &[&str]) -> (String, String) {
    let mut args = vec!["check", bot, "--trust", "--quick", "--json", "--step", step];
    args.extend(more);
    let told = run(folder, &args);
    assert!(!told.stderr.contains("panicked"), "{}", told.stderr);
    let value: Value = serde_json::from_str(&told.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}{}", told.stdout, told.stderr);
    });
    let steps = value["steps"].as_array().unwrap();
    let found = steps.iter().find(|found| found["name"] == step).unwrap();
    let failed = steps.iter().any(|found| found["status"] == "failed");
    assert_eq!(told.code, Some(failed.into()));
    let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
    (
        text("status"),
        format!("{} ({})", text("found"), text("advice")),
    )
}

type Mistake<'a> = (
    &'a str,
    &'a str,
    &'a str,
    &'a [(&'a str, &'a str)],
    &'a [&'a str],
);

/// A mistake for every step: the step, how it ends, what it says, the code, and what is typed beside it.
const MISTAKES: &[Mistake<'_>] = &[
    (
        "games",
        "failed",
        "exited with code 3",
        &[("TOP", "sys.exit(3)")],
        &[],
    ),
    (
        "silent-before-hello",
        "failed",
        "before hello",
        &[("TOP", "out('my bot 1.0\\n')")],
        &[],
    ),
    (
        "ready-message",
        "warning",
        "on the last seat",
        &[("HELLO", "wishes['reuse'] = m['seat'] == 0")],
        &[],
    ),
    (
        "one-ready",
        "failed",
        "more than one line in answer to hello",
        &[("READY", "out('{}\\n')")],
        &[],
    ),
    (
        "start-time",
        "warning",
        "ready after",
        &[("HELLO", "time.sleep(2.2)")],
        &[],
    ),
    (
        "hello-unknown-field",
        "warning",
        "does not know",
        &[("HELLO", "assert 'x_future' not in m")],
        &[],
    ),
    (
        "unknown-game",
        "warning",
        "exited with code 1",
        &[("HELLO", "if m['game'] != 'flipflop-3x3': os._exit(1)")],
        &[],
    ),
    (
        "starts-twice",
        "failed",
        "while it runs already",
        &[(
            "TOP",
            "lock = open(sys.argv[0]); fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        )],
        &[],
    ),
    (
        "numbers-of-seats",
        "failed",
        "seat 0 of 6",
        &[("HELLO", "assert m['seats'] < 4")],
        &["phase10-flip"],
    ),
    (
        "first-turn",
        "failed",
        "malformed",
        &[("TURN", "act = {'action': act['action']}")],
        &[],
    ),
    (
        "several-turns",
        "failed",
        "exited with code 5",
        &[("TURN", "if n == 3: sys.exit(5)")],
        &["flipfour"],
    ),
    (
        "one-answer",
        "failed",
        "more than one line for a turn",
        &[("ACTED", "out('done\\n')")],
        &[],
    ),
    (
        "answer-form",
        "warning",
        "carriage return",
        &[("TURN", "out(json.dumps(act) + '\\r\\n'); continue")],
        &[],
    ),
    (
        "notes",
        "warning",
        "a note of 300 bytes",
        &[("TURN", "act['note'] = 'n' * 300")],
        &[],
    ),
    (
        "ids",
        "warning",
        "a jump of the ids",
        &[("TURN", "act['id'] = n")],
        &[],
    ),
    (
        "turn-unknown-field",
        "warning",
        "does not know",
        &[("TURN", "assert 'x_future' not in m")],
        &[],
    ),
    (
        "long-line",
        "warning",
        "65536 bytes",
        &[("TURN", "assert len(line) < 65536")],
        &[],
    ),
    (
        "two-lines-at-once",
        "failed",
        "at once",
        &[("LINES", "iter(lambda: os.read(0, 1 << 20).decode(), '')")],
        &[],
    ),
    (
        "most-actions",
        "failed",
        " actions",
        &[("TURN", "assert len(m['actions']) < 40")],
        &["flipfour"],
    ),
    (
        "longest-turn",
        "warning",
        "bytes",
        &[("TURN", "assert len(line) < 1500")],
        &["phase10-flip"],
    ),
    (
        "forced-move",
        "failed",
        "one action",
        &[("TURN", "assert len(m['actions']) > 1")],
        &[],
    ),
    (
        "last-move",
        "failed",
        "the last move",
        &[("TURN", "sys.exit(6)")],
        &[],
    ),
    (
        "late-position",
        "failed",
        "after ",
        &[("TURN", "assert m['view']['ply'] < 20")],
        &["flipflop-5x5"],
    ),
    (
        "after-opening",
        "failed",
        "an opening of 6 plies",
        &[("TURN", "assert n > 1 or m['view']['ply'] < 2")],
        &[],
    ),
    (
        "full-table",
        "warning",
        "seat 5 of 6",
        &[("TURN", "assert hello['seat'] < 4")],
        &["phase10-flip"],
    ),
    (
        "asked-together",
        "warning",
        "seat 1",
        &[("TURN", "assert hello['seat'] == 0")],
        &["puissance4-basic"],
    ),
    (
        "match-least-seats",
        "failed",
        "closed",
        &[("TURN", "assert n < 2")],
        &["flipfour"],
    ),
    (
        "match-most-seats",
        "failed",
        "of 6",
        &[("TURN", "assert hello['seats'] < 6")],
        &["phase10-flip"],
    ),
    (
        "match-options",
        "failed",
        "options default",
        &[("TURN", "assert hello['options']['max_turns'] == 60")],
        &["flip4"],
    ),
    (
        "match-opening",
        "failed",
        "closed",
        &[("TURN", "assert n > 1 or m['view']['ply'] < 2")],
        &[],
    ),
    (
        "match-bank",
        "failed",
        "closed",
        &[("TURN", "assert '+' not in hello['clock']")],
        &[],
    ),
    (
        "match-random",
        "failed",
        "unasked",
        &[("TURN", "act['id'] += 1")],
        &[],
    ),
    (
        "short-clock",
        "warning",
        "late at a short clock",
        &[("TURN", "time.sleep(0.4)")],
        &[],
    ),
    (
        "memory",
        "warning",
        "MiB of 256 MiB",
        &[("HELLO", "much = bytearray(os.urandom(1 << 20)) * 200")],
        &[],
    ),
    (
        "idle",
        "failed",
        "on the turns of others",
        &[(
            "ACTED",
            "threading.Thread(target=burn, daemon=True).start()",
        )],
        &[],
    ),
    (
        "idle-between-matches",
        "failed",
        "between matches",
        &[("OVER", "threading.Thread(target=burn, daemon=True).start()")],
        &[],
    ),
    (
        "over",
        "failed",
        "it answers over",
        &[("OVER", "out('{\"type\":\"bye\"}\\n')")],
        &[],
    ),
    (
        "exits-after-over",
        "warning",
        "was killed",
        &[("END", "time.sleep(60)")],
        &[],
    ),
    (
        "exits-when-cut-off",
        "warning",
        "exited with code 4",
        &[("END", "sys.exit(4)")],
        &[],
    ),
    (
        "reuse",
        "failed",
        "after another",
        &[("OVER", "sys.exit(0)")],
        &[],
    ),
    (
        "stderr",
        "warning",
        "much on standard error",
        &[("HELLO", "print('x' * 20000, file=sys.stderr, flush=True)")],
        &[],
    ),
    (
        "same-seed",
        "warning",
        "goes otherwise",
        &[("HELLO", "chance = random.SystemRandom()")],
        &["flipfour"],
    ),
    (
        "same-after-reuse",
        "warning",
        "an earlier match",
        &[("HELLO", "chance = old = globals().get('old', chance)")],
        &["flipfour"],
    ),
];

#[test]
fn every_step_finds_the_mistake_that_it_looks_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut missed = Vec::new();
    for (name, status, words, code, more) in MISTAKES {
        let file = bot(folder.path(), &format!("{name}.py"), code);
        let game = if more.is_empty() {
            &["flipflop-3x3"]
        } else {
            *more
        };
        let (found, told) = step(folder.path(), &file, name, game);
        if found != *status || !told.contains(words) {
            missed.push(format!("{name}: {found}: {told}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn two_builds_of_a_bot_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let one = bot(folder.path(), "one.py", &[]);
    let other = bot(
        folder.path(),
        "other.py",
        &[("TURN", "act['action'] = m['actions'][-1]")],
    );
    let game = ["flipfour", "--also"];
    let (status, told) = step(
        folder.path(),
        &one,
        "also",
        &[&game[..], &[&other]].concat(),
    );
    assert_eq!(status, "failed", "{told}");
    assert!(told.contains("the two builds differ: question"), "{told}");
    let same = bot(folder.path(), "same.py", &[]);
    let (status, told) = step(folder.path(), &one, "also", &[&game[..], &[&same]].concat());
    assert_eq!(status, "ok", "{told}");
}

#[test]
fn every_step_has_a_mistake_in_these_tests() {
    // The first is in the test above. Tests of the library judge the times of the others.
    let elsewhere = ["also", "move-times", "clocks", "cpu"];
    for check in flipside_operations::CHECKS {
        let planted = MISTAKES.iter().any(|(name, ..)| *name == check.name);
        assert!(planted || elsewhere.contains(&check.name), "{}", check.name);
    }
    assert!(flipside_operations::CHECKS.len() >= 40);
}

/// What does not depend on how fast this machine is: without the groups that measure time.
fn untimed(text: &str) -> String {
    let timed = ["start: ", "time: ", "end: "];
    let mut out = String::new();
    let mut is_timed = false;
    for line in text.lines() {
        if !line.starts_with(' ') {
            is_timed = timed.iter().any(|group| line.starts_with(group));
        }
        if !is_timed && !line.contains(" steps: ") {
            out += &(line.to_owned() + "\n");
        }
    }
    out
}

#[test]
fn a_good_bot_passes_and_every_step_is_told_in_files_for_programs() {
    let folder = tempfile::tempdir().unwrap();
    let good = sample("python/random.py");
    let args = [
        "check",
        &good,
        "flipflop-3x3",
        "yonmoque",
        "--trust",
        "--junit",
        "out.xml",
    ];
    let told = run(folder.path(), &args).ok();
    assert_snapshot!(untimed(&told), @r#"
    turns: 8 of 8 steps ok
    positions: 6 of 8 steps ok, 2 skipped
    matches: 5 of 6 steps ok, 1 skipped
    again: 3 of 4 steps ok, 1 skipped
    "#);
    // Another reader of XML understands the file.
    let read = "import sys, xml.dom.minidom as m; t = m.parse(sys.argv[1]).getElementsByTagName; \
        print(len(t('testcase')), len(t('failure')), len(t('skipped')))";
    let read = Command::new("python3")
        .args(["-c", read, "out.xml"])
        .current_dir(folder.path())
        .output();
    let read = String::from_utf8(read.unwrap().stdout).unwrap();
    let steps = flipside_operations::CHECKS.len();
    assert!(read.starts_with(&format!("{steps} 0 ")), "{read}");
    // The file is there, and is never written over.
    assert!(run(folder.path(), &args).refused(2).contains("out.xml"));
    let csv = run(
        folder.path(),
        &[
            "check",
            &good,
            "flipfour",
            "--trust",
            "--csv",
            "--step",
            "one-answer",
        ],
    )
    .ok();
    assert_snapshot!(csv, @r#"
    group,step,status,found
    start,games,ok,it is ready for flipfour
    turns,one-answer,ok,"one line, and no more"
    "#);
}

#[test]
fn a_module_is_checked_like_a_process() {
    let folder = tempfile::tempdir().unwrap();
    let module = sample("wat/first.wat");
    let told = run(folder.path(), &["check", &module, "yonmoque"]).ok();
    assert_snapshot!(untimed(&told), @r#"
    turns: 8 of 8 steps ok
    positions: 5 of 8 steps ok, 3 skipped
    matches: 5 of 6 steps ok, 1 skipped
    again: 3 of 4 steps ok, 1 skipped
    "#);
}

#[test]
fn a_mistake_is_told_with_what_was_said_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let steps = ["--trust", "--step", "several-turns", "--step", "first-turn"];
    for (name, code, expected) in [
        (
            "counts.py",
            ("TURN", "act['id'] = 1"),
            "copy the id of the turn",
        ),
        (
            "moves.py",
            ("TURN", "act['action'] = 'z9'"),
            "letter by letter",
        ),
        (
            "exits.py",
            ("TURN", "print('no more', file=sys.stderr); sys.exit(2)"),
            "| no more",
        ),
        (
            "notext.py",
            ("TURN", "sys.stdout.buffer.write(b'\\xff\\xfe\\n')"),
            "write UTF-8",
        ),
    ] {
        let file = bot(folder.path(), name, &[code]);
        let told = run(
            folder.path(),
            &[&["check", &file, "flipfour"], &steps[..]].concat(),
        );
        let stderr = told.stderr.clone();
        assert_eq!(told.code, Some(1), "{stderr}");
        assert!(told.stdout.contains(expected), "{}", told.stdout);
        assert!(stderr.contains("--full"), "{stderr}");
    }
    let file = bot(folder.path(), "counts.py", &[("TURN", "act['id'] = 1")]);
    let told = run(
        folder.path(),
        &[&["check", &file, "flipfour"], &steps[..]].concat(),
    );
    assert_snapshot!(untimed(&told.stdout), @r#"
    turns: 1 of 2 steps ok
      failed  several-turns: flipfour: unasked: it answers question 1, and was asked question 2
              hint: copy the id of the turn into the act
              > {"type":"turn","id":2,"actions":["+a1","+a2","+a3","+a4","+a5","+b1","+b2","+b3","+b4","+c1","+c2","+c3","+c4","+c5","+d1","+d2","+d4","+d5","+e1","+e2","+e3","+e4","+e5","d3-a3","d3-b3","d3-c3","d3-d ... (506 bytes)
              < {"type": "act", "id": 1, "action": "+a3"}
    "#);
}

/// The steps of a check of this bot that are not ok: their names, statuses and findings.
fn not_ok(folder: &Path, bot: &str, more: &[&str]) -> Vec<(String, String, String)> {
    let args = [&["check", bot, "--trust", "--quick", "--json"], more].concat();
    let told = run(folder, &args);
    assert!(!told.stderr.contains("panicked"), "{}", told.stderr);
    let value: Value = serde_json::from_str(&told.stdout).unwrap();
    let text = |step: &Value, key: &str| step[key].as_str().unwrap().to_owned();
    let steps = value["steps"].as_array().unwrap().iter();
    let steps = steps.filter(|step| step["status"] != "ok");
    let told = steps.map(|step| {
        (
            text(step, "name"),
            text(step, "status"),
            text(step, "found"),
        )
    });
    told.collect()
}

/// The names of those that failed.
fn failed(steps: &[(String, String, String)]) -> Vec<&str> {
    let failed = steps.iter().filter(|(_, status, _)| status == "failed");
    failed.map(|(name, ..)| &**name).collect()
}

#[test]
fn what_builds_on_a_failed_step_is_skipped_because_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let games = ["flipflop-3x3", "flipfour"];
    // At all games.
    let file = bot(folder.path(), "exits.py", &[("TURN", "sys.exit(5)")]);
    let steps = not_ok(folder.path(), &file, &games);
    assert_eq!(failed(&steps), ["first-turn"], "{steps:?}");
    for name in [
        "several-turns",
        "over",
        "match-bank",
        "memory",
        "same-seed",
        "also",
    ] {
        let step = steps.iter().find(|(step, ..)| step == name).unwrap();
        let because = ("skipped", "because of first-turn");
        assert_eq!((&*step.1, &*step.2), because, "{name}");
    }
    // At one of them: the others are tried at the other one.
    let code = "if hello['game'] == 'flipflop-3x3': sys.exit(5)";
    let file = bot(folder.path(), "one.py", &[("TURN", code)]);
    let steps = not_ok(folder.path(), &file, &games);
    assert_eq!(failed(&steps), ["first-turn"], "{steps:?}");
    let is_out = |step: &&(String, String, String)| step.2.starts_with("because of");
    assert_eq!(steps.iter().find(is_out), None);
    assert!(
        steps
            .iter()
            .all(|(name, ..)| name != "several-turns" && name != "match-bank"),
        "{steps:?}"
    );
    // What it writes after a match would be in the way of the next.
    let code = "out('{\"type\":\"bye\"}\\n')";
    let file = bot(folder.path(), "bye.py", &[("OVER", code)]);
    let steps = not_ok(folder.path(), &file, &games);
    assert_eq!(failed(&steps), ["over"], "{steps:?}");
    // It does not start: nothing else can be tried.
    let file = bot(folder.path(), "none.py", &[("TOP", "sys.exit(3)")]);
    let steps = not_ok(folder.path(), &file, &games);
    assert_eq!(failed(&steps), ["games"], "{steps:?}");
    let because = steps.iter().filter(|step| step.2 == "because of games");
    assert!(because.count() > 35, "{steps:?}");
}

#[test]
fn a_bot_that_plays_one_game_is_checked_at_this_game() {
    let folder = tempfile::tempdir().unwrap();
    let code = "if m['game'] != 'yonmoque': sys.exit('only yonmoque')";
    let file = bot(folder.path(), "one.py", &[("HELLO", code)]);
    let steps = not_ok(folder.path(), &file, &[]);
    assert_eq!(failed(&steps), Vec::<&str>::new(), "{steps:?}");
    let (status, told) = step(folder.path(), &file, "first-turn", &[]);
    assert_eq!(status, "ok", "{told}");
    assert!(
        told.starts_with("yonmoque: ") && !told.contains("; "),
        "{told}"
    );
    let (status, told) = step(folder.path(), &file, "games", &[]);
    assert_eq!(status, "ok", "{told}");
    let not_for = "not for flip4, flipflop-3x3, flipflop-5x5, flipfour, phase10-flip, ";
    assert!(
        told.starts_with("it is ready for yonmoque; ") && told.contains(not_for),
        "{told}"
    );
    // It must play what is named, and is checked at the rest.
    let steps = not_ok(folder.path(), &file, &["yonmoque", "flipfour"]);
    assert_eq!(failed(&steps), ["games"], "{steps:?}");
    let told = &steps.iter().find(|(name, ..)| name == "games").unwrap().2;
    assert!(
        told.starts_with("it is not ready for flipfour: closed"),
        "{told}"
    );
    assert!(
        steps
            .iter()
            .all(|(_, _, found)| found != "because of games"),
        "{steps:?}"
    );
}

#[test]
fn what_only_a_process_does_wrong_that_has_played_before_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let first = "first = globals().setdefault('first', m['game'])";
    let wrong = "if hello['game'] != first: act['action'] = 'z9'";
    let file = bot(
        folder.path(),
        "stays.py",
        &[("HELLO", first), ("TURN", wrong)],
    );
    let steps = not_ok(folder.path(), &file, &["flipflop-3x3", "flipfour"]);
    assert_eq!(failed(&steps), ["reuse"], "{steps:?}");
    let told = &steps.iter().find(|(name, ..)| name == "reuse").unwrap().2;
    let words = "a new process does it right, and one that has played before does not: several-turns: flipfour: ";
    assert!(told.starts_with(words), "{told}");
    // It is told also where that step was not asked for.
    let more = ["flipflop-3x3", "flipfour", "--step", "several-turns"];
    let steps = not_ok(folder.path(), &file, &more);
    assert_eq!(failed(&steps), ["reuse"], "{steps:?}");
}

#[test]
fn a_bot_that_wants_events_is_told_them() {
    let folder = tempfile::tempdir().unwrap();
    let wants = ("HELLO", "wishes['events'] = True");
    let always = "assert m['events'], m";
    let later = "assert m['events'] or n == 1, m";
    let missed = "assert 'missed' in m['events'][0], m";
    for (name, game, code) in [
        ("several-turns", "flipfour", later),
        ("several-turns", "phase10-flip", always),
        ("several-turns", "puissance4-basic", later),
        ("last-move", "flipfour", missed),
        ("match-least-seats", "puissance4-basic", later),
    ] {
        let file = bot(folder.path(), "wants.py", &[wants, ("TURN", code)]);
        let (status, told) = step(folder.path(), &file, name, &[game]);
        assert_eq!(status, "ok", "{name}, {game}: {told}");
    }
}

#[test]
fn the_steps_are_listed_and_others_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_snapshot!(run(folder.path(), &["check", "--list"]).ok(), @r#"
    group      step                  purpose
    start      games                 Starts, and is ready for its games
    start      silent-before-hello   Writes nothing before it is asked
    start      ready-message         What ready says
    start      one-ready             Answers hello with one line
    start      start-time            Is ready soon
    start      hello-unknown-field   Ignores an unknown field in hello
    start      unknown-game          Exits and says why if it does not know the game
    start      starts-twice          Runs twice at the same time
    start      numbers-of-seats      Is ready for every number of seats
    turns      first-turn            Answers the first turn with a legal action
    turns      several-turns         Answers several turns, each with its id
    turns      one-answer            Answers a turn with one line
    turns      answer-form           Writes plain lines
    turns      notes                 Keeps its notes short
    turns      ids                   Copies the id instead of counting
    turns      turn-unknown-field    Ignores an unknown field in turn
    turns      long-line             Reads a line of 64 KiB
    end        over                  Does not answer over
    end        two-lines-at-once     Reads two lines that come together
    end        exits-after-over      Exits when its input ends after over
    end        exits-when-cut-off    Exits when its input ends in a match
    end        stderr                Writes little to standard error
    positions  most-actions          Answers where there are most actions
    positions  longest-turn          Answers the longest turn
    positions  forced-move           Answers where there is one action
    positions  last-move             Answers where the match ends
    positions  late-position         Answers late in a long match
    positions  after-opening         Answers first after an opening
    positions  full-table            Answers on the last seat of a full table
    positions  asked-together        Answers where several seats are asked at once
    matches    match-least-seats     Plays itself with as few seats as may be
    matches    match-most-seats      Plays itself with as many seats as may be
    matches    match-options         Plays with all options
    matches    match-opening         Plays after an opening
    matches    match-bank            Plays with a bank and an increment
    matches    match-random          Plays the sample bot random, on every seat
    time       move-times            Time of its moves
    time       clocks                Clocks that its slowest move fits
    time       short-clock           Notices a short clock
    time       cpu                   CPU time of its moves
    time       memory                Memory
    time       idle                  Is idle on the turns of others
    time       idle-between-matches  Is idle between matches
    again      reuse                 Plays another match if it says so
    again      same-seed             Plays the same match again with the same seed
    again      same-after-reuse      Plays the same match after another one
    again      also                  Plays like its other build
    "#);
    let good = sample("wat/first.wat");
    assert_snapshot!(run(folder.path(), &["check", &good, "--step", "nothing"]).refused(2), @r#"
    error: there is no step "nothing"
    hint: `flipside check --list` lists them
    "#);
    run(folder.path(), &["check"]).refused(2);
    run(folder.path(), &["check", "./none"]).refused(2);
    run(folder.path(), &["check", &good, "flipfor"]).refused(2);
}
