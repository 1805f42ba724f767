//! `flipside check`: what it says of good bots, and that each step finds the mistake that it looks for.

use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::{run, sample, script};
use crate::shown::{replaced, session, session_by, unvarying};

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

/// Far more time than a check takes, however busy the machine is: what is not over in its time would be skipped.
const UNHURRIED: [&str; 4] = ["--time", "10h", "--clock", "move=10m,start=10m"];

/// What one step finds: its status, and what it says.
fn step(folder: &Path, bot: &str, step: &str, more: &[&str]) -> (String, String) {
    let mut args = vec!["check", bot, "--trust", "--quick", "--json", "--step", step];
    args.extend(UNHURRIED);
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

/// The step, the code, and what is typed beside it.
type Mistake<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [&'a str]);

/// A mistake for every step.
const MISTAKES: &[Mistake<'_>] = &[
    ("games", &[("TOP", "sys.exit(3)")], &[]),
    (
        "silent-before-hello",
        &[("TOP", "out('my bot 1.0\\n')")],
        &[],
    ),
    (
        "ready-message",
        &[("HELLO", "wishes['reuse'] = m['seat'] == 0")],
        &[],
    ),
    ("one-ready", &[("READY", "out('{}\\n')")], &[]),
    ("start-time", &[("HELLO", "time.sleep(2.2)")], &[]),
    (
        "hello-unknown-field",
        &[("HELLO", "assert 'x_future' not in m")],
        &[],
    ),
    (
        "unknown-game",
        &[("HELLO", "if m['game'] != 'flipflop-3x3': os._exit(1)")],
        &[],
    ),
    (
        "starts-twice",
        &[(
            "TOP",
            "lock = open(sys.argv[0]); fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        )],
        &[],
    ),
    (
        "numbers-of-seats",
        &[("HELLO", "assert m['seats'] < 4")],
        &["phase10-flip"],
    ),
    (
        "first-turn",
        &[("TURN", "act = {'action': act['action']}")],
        &[],
    ),
    (
        "several-turns",
        &[("TURN", "if n == 3: sys.exit(5)")],
        &["flipfour"],
    ),
    ("one-answer", &[("ACTED", "out('done\\n')")], &[]),
    (
        "answer-form",
        &[("TURN", "out(json.dumps(act) + '\\r\\n'); continue")],
        &[],
    ),
    ("notes", &[("TURN", "act['note'] = 'n' * 300")], &[]),
    ("ids", &[("TURN", "act['id'] = n")], &[]),
    (
        "turn-unknown-field",
        &[("TURN", "assert 'x_future' not in m")],
        &[],
    ),
    ("long-line", &[("TURN", "assert len(line) < 65536")], &[]),
    (
        "two-lines-at-once",
        &[("LINES", "iter(lambda: os.read(0, 1 << 20).decode(), '')")],
        &[],
    ),
    (
        "most-actions",
        &[("TURN", "assert len(m['actions']) < 40")],
        &["flipfour"],
    ),
    (
        "longest-turn",
        &[("TURN", "assert len(line) < 1500")],
        &["phase10-flip"],
    ),
    (
        "forced-move",
        &[("TURN", "assert len(m['actions']) > 1")],
        &[],
    ),
    ("last-move", &[("TURN", "sys.exit(6)")], &[]),
    (
        "late-position",
        &[("TURN", "assert m['view']['ply'] < 20")],
        &["flipflop-5x5"],
    ),
    (
        "after-opening",
        &[("TURN", "assert n > 1 or m['view']['ply'] < 2")],
        &[],
    ),
    (
        "full-table",
        &[("TURN", "assert hello['seat'] < 4")],
        &["phase10-flip"],
    ),
    (
        "asked-together",
        &[("TURN", "assert hello['seat'] == 0")],
        &["puissance4-basic"],
    ),
    (
        "match-least-seats",
        &[("TURN", "assert n < 2")],
        &["flipfour"],
    ),
    (
        "match-most-seats",
        &[("TURN", "assert hello['seats'] < 6")],
        &["phase10-flip"],
    ),
    (
        "match-options",
        &[("TURN", "assert hello['options']['max_turns'] == 60")],
        &["flip4"],
    ),
    (
        "match-opening",
        &[("TURN", "assert n > 1 or m['view']['ply'] < 2")],
        &[],
    ),
    (
        "match-bank",
        &[("TURN", "assert '+' not in hello['clock']")],
        &[],
    ),
    ("match-random", &[("TURN", "act['id'] += 1")], &[]),
    ("short-clock", &[("TURN", "time.sleep(0.4)")], &[]),
    (
        "memory",
        &[("HELLO", "much = bytearray(os.urandom(1 << 20)) * 200")],
        &[],
    ),
    (
        "idle",
        &[(
            "ACTED",
            "threading.Thread(target=burn, daemon=True).start()",
        )],
        &[],
    ),
    (
        "idle-between-matches",
        &[("OVER", "threading.Thread(target=burn, daemon=True).start()")],
        &[],
    ),
    ("over", &[("OVER", "out('{\"type\":\"bye\"}\\n')")], &[]),
    ("exits-after-over", &[("END", "time.sleep(60)")], &[]),
    ("exits-when-cut-off", &[("END", "sys.exit(4)")], &[]),
    ("reuse", &[("OVER", "sys.exit(0)")], &[]),
    (
        "stderr",
        &[("HELLO", "print('x' * 20000, file=sys.stderr, flush=True)")],
        &[],
    ),
    (
        "same-seed",
        &[("HELLO", "chance = random.SystemRandom()")],
        &["flipfour"],
    ),
    (
        "same-after-reuse",
        &[("HELLO", "chance = old = globals().get('old', chance)")],
        &["flipfour"],
    ),
];

/// What those bots do by chance, what the machine has to do with it, and what stands for it.
const VARIES: [(&str, &str); 7] = [
    (
        r#"(goes otherwise: question) \d+: "\S+" and "\S+""#,
        "$1 N: A and B",
    ),
    (r"(late at a short clock): [^(]*", "$1: TIMES "),
    (r"\d+ (MiB of 256 MiB)", "N $1"),
    (r"\d+ (bytes in 1 turn)", "N $1"),
    (r"\b\d{4} (bytes: closed)", "N $1"),
    (r": \d+ (actions: closed)", ": N $1"),
    (r"\bafter \d+ (plies: closed)", "after N $1"),
];

#[test]
fn every_step_finds_the_mistake_that_it_looks_for() {
    let folder = tempfile::tempdir().unwrap();
    let all = MISTAKES.iter().map(|(name, code, more)| {
        let file = bot(folder.path(), &format!("{name}.py"), code);
        let game = if more.is_empty() {
            &["flipflop-3x3"]
        } else {
            *more
        };
        // A step listens for so long, and on a busy machine the bot may not get to its mistake meanwhile.
        let mut tries = (0..3).map(|_| step(folder.path(), &file, name, game));
        let found = tries.find(|(status, _)| status != "ok");
        let (status, told) = found.unwrap_or_else(|| ("ok".into(), String::new()));
        format!("{name}: {status}: {told}")
    });
    let all = all.collect::<Vec<_>>().join("\n");
    assert_snapshot!(replaced(&unvarying(&all), &VARIES), @r#"
    games: failed: it is not ready for flipflop-3x3: closed: exited with code 3 (do not exit before `over`: read lines until the input ends; its standard error may say more)
    silent-before-hello: failed: unasked: it writes to standard output before hello (print banners and logs to standard error)
    ready-message: warning: on the last seat it wishes something else than on the first: name planted, version 1, wants lists of actions, wants no events, plays again (answer hello alike on every seat)
    one-ready: failed: unasked: it writes more than one line in answer to hello (write one line for each question, and logs to standard error)
    start-time: warning: ready after TIME, at worst TIME (answer hello first and load the rest then: what is left of the start allowance is added to the first move)
    hello-unknown-field: warning: a field in hello that it does not know: closed: exited with code 1 (ignore unknown fields: a later version of the protocol may add some)
    unknown-game: warning: a game that is not there: closed: exited with code 1 (print to standard error why the bot exits)
    starts-twice: failed: while it runs already: closed: exited with code 1 (do not lock files or ports: several matches run at once)
    numbers-of-seats: failed: phase10-flip: seat 0 of 6: closed: exited with code 1 (do not exit before `over`: read lines until the input ends; its standard error may say more)
    first-turn: failed: flipflop-3x3: malformed: not a message: missing field `type` (answer `hello` with {"type":"ready"}; the other fields are name, version, actions, reuse and events)
    several-turns: failed: flipfour: closed: exited with code 5 (do not exit before `over`: read lines until the input ends; its standard error may say more)
    one-answer: failed: unasked: it writes more than one line for a turn (write one line for each turn, and logs to standard error)
    answer-form: warning: its lines begin or end with blanks or a carriage return (end each line with a newline alone: \n, not \r\n)
    notes: warning: a note of 300 bytes is cut after 240 (keep notes short, and write the rest to standard error)
    ids: warning: a jump of the ids: unasked: it answers question 2, and was asked question 70001 (copy the id of the turn into the act instead of counting)
    turn-unknown-field: warning: a field in turn that it does not know: closed: exited with code 1 (ignore unknown fields: a later version of the protocol may add some)
    long-line: warning: a line of 65536 bytes: closed: exited with code 1 (read whole lines of any length: a pipe gives at most 64 KiB, often less, at a time)
    two-lines-at-once: failed: over and the next hello at once: closed: exited with code 1 (keep what was read after the first newline for the next line)
    most-actions: failed: flipfour: N actions: closed: exited with code 1 (do not exit before `over`: read lines until the input ends; its standard error may say more)
    longest-turn: warning: phase10-flip: a line of N bytes: closed: exited with code 1 (each turn shows all that the seat may know; a bot that counts on earlier turns should check that they came)
    forced-move: failed: flipflop-3x3: one action after N plies: closed: exited with code 1 (do not exit before `over`: read lines until the input ends; its standard error may say more)
    last-move: failed: flipflop-3x3: the last move, after 1 ply: closed: exited with code 6 (do not exit before `over`: read lines until the input ends; its standard error may say more)
    late-position: failed: flipflop-5x5: after N plies: closed: exited with code 1 (do not exit before `over`: read lines until the input ends; its standard error may say more)
    after-opening: failed: flipflop-3x3: an opening of 6 plies: closed: exited with code 1 (do not exit before `over`: read lines until the input ends; its standard error may say more)
    full-table: warning: phase10-flip: seat 5 of 6: closed: exited with code 1 (each turn shows all that the seat may know; a bot that counts on earlier turns should check that they came)
    asked-together: warning: puissance4-basic: seat 1: closed: exited with code 1 (each turn shows all that the seat may know; a bot that counts on earlier turns should check that they came)
    match-least-seats: failed: flipfour: seat 0 of 2: closed: exited with code 1 at ply 2 (question 2); on stderr: `AssertionError` (`flipside debug` shows every message until then; to see it again: flipside match flipfour BOT BOT --options '{"max_plies":60}' --clock move=10m,start=10m)
    match-most-seats: failed: phase10-flip: seat 0 of 6: closed: exited with code 1 at ply 2 (question 1); on stderr: `AssertionError` (`flipside debug` shows every message until then; to see it again: flipside match phase10-flip BOT BOT BOT BOT BOT BOT --options '{"variant":"short","phases":1,"flips_each_side":8,"round_winner_points":10,"max_rounds":2,"max_turns_per_round":24}' --clock move=10m,start=10m)
    match-options: failed: flip4: options default: seat 1 of 2: closed: exited with code 1 at ply 0 (question 1); on stderr: `AssertionError` (`flipside debug` shows every message until then; to see it again: flipside match flip4 BOT BOT --options '{"layout":[15,16,12,9,7,4,8,10,25,6,1,3,36,30,2,5,0,20,18,24,11],"corner_return":true,"double_line":"mover","max_turns":3000}' --clock move=10m,start=10m)
    match-opening: failed: flipflop-3x3: seat 0 of 2: closed: exited with code 1 at ply 4 (question 1); on stderr: `AssertionError` (`flipside debug` shows every message until then; to see it again: flipside match flipflop-3x3 BOT BOT --options '{"max_plies":60}' --clock move=10m,start=10m --opening-plies 4)
    match-bank: failed: seat 0 of 2: closed: exited with code 1 at ply 0 (question 1); on stderr: `AssertionError` (`flipside debug` shows every message until then; to see it again: flipside match flipflop-3x3 BOT BOT --options '{"max_plies":60}' --clock 20s+200ms)
    match-random: failed: flipflop-3x3: seat 0 of 2: unasked: its answer to question 1 has the id 2, which nobody asked; at ply 0 (question 1) (and 1 more game) (copy the id of the turn that is answered, and answer each turn once; to see it again: flipside match flipflop-3x3 BOT BOT --options '{"max_plies":60}' --clock move=10m,start=10m)
    short-clock: warning: flipflop-3x3: late at a short clock: TIMES (read `clocks` in each turn: the number at the index of your seat is your time in milliseconds)
    memory: warning: flipflop-3x3: N MiB of 256 MiB (`limits` in hello says how much there is; a bot that needs more is ended)
    idle: failed: it computes on the turns of others: TIME of CPU time in TIME on the turns of others (block on reading the next line; stop background threads after each answer (--ponder on allows them))
    idle-between-matches: failed: it computes between matches: TIME of CPU time in TIME between matches (block on reading the next line; stop background threads after each answer (--ponder on allows them))
    over: failed: unasked: it answers over (over wants no answer: exit, or wait for the next hello)
    exits-after-over: warning: it did not exit within TIME, and was killed (leave the loop when a read finds the end of the input)
    exits-when-cut-off: warning: it exited with code 4 (exit with code 0 when the input ends; its standard error may say more)
    reuse: failed: a match after another: closed: exited with code 0 (begin anew at each hello, or leave out "reuse":true in ready)
    stderr: warning: flipflop-3x3: much on standard error: N bytes in 1 turn (write less: the last 16384 bytes are kept)
    same-seed: warning: flipfour: the same match goes otherwise: question N: A and B (take all randomness from `seed` in hello, and count work instead of time: then a loss can be debugged)
    same-after-reuse: warning: flipfour: an earlier match changes this one: question 1: "+d3" and "+c4" (reset everything at hello, the random generator too)
    "#);
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
    assert_snapshot!(format!("{status}: {told}"), @r#"failed: flipfour: the two builds differ: question 1: "+d3" and "xe5" (seed both from `seed` in hello, and avoid what depends on the machine: time, addresses, the order of hash maps)"#);
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
    let args = [&args[..], &UNHURRIED].concat();
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
    assert_snapshot!(run(folder.path(), &args).refused(2), @"
    error: out.xml is there already
    hint: name another file, or remove this one first
    ");
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
    let args = [&["check", &module, "yonmoque"][..], &UNHURRIED].concat();
    let told = run(folder.path(), &args).ok();
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
    for (name, code) in [
        ("counts.py", "act['id'] = 1"),
        ("moves.py", "act['action'] = 'z9'"),
        ("exits.py", "print('no more', file=sys.stderr); sys.exit(2)"),
        ("notext.py", "sys.stdout.buffer.write(b'\\xff\\xfe\\n')"),
    ] {
        bot(folder.path(), name, &[("TURN", code)]);
    }
    let unhurried = |args: &[&str]| run(folder.path(), &[args, &UNHURRIED].concat());
    assert_snapshot!(session_by("
        check ./counts.py flipfour --trust --step several-turns --step first-turn
        check ./moves.py flipfour --trust --step several-turns --step first-turn
        check ./exits.py flipfour --trust --step several-turns --step first-turn
        check ./notext.py flipfour --trust --step several-turns --step first-turn
    ", unhurried), @r#"
    $ flipside check ./counts.py flipfour --trust --step several-turns --step first-turn
    start: 1 of 1 step ok
    turns: 1 of 2 steps ok
      failed  several-turns: flipfour: unasked: it answers question 1, and was asked question 2
              hint: copy the id of the turn into the act
              > {"type":"turn","id":2,"actions":["+a1","+a2","+a3","+a4","+a5","+b1","+b2","+b3","+b4","+c1","+c2","+c3","+c4","+c5","+d1","+d2","+d4","+d5","+e1","+e2","+e3","+e4","+e5","d3-a3","d3-b3","d3-c3","d3-d ... (N bytes)
              < {"type": "act", "id": 1, "action": "+a3"}
    3 steps: 2 ok, 0 warnings, 1 failed, 0 skipped, in TIME
    -- exit status 1, stderr:
    error: ./counts.py does not pass: several-turns
    hint: flipside check ./counts.py --full shows what was said

    $ flipside check ./moves.py flipfour --trust --step several-turns --step first-turn
    start: 1 of 1 step ok
    turns: 0 of 2 steps ok, 1 skipped
      failed  first-turn: flipfour: the rules refuse "z9": "z9" is not like +c3, xc3 or c3-e5
              hint: choose one of the actions that the turn lists, letter by letter
              > {"type":"turn","id":1,"actions":["+a1","+a2","+a3","+a4","+a5","+b1","+b2","+b3","+b4","+b5","+c1","+c2","+c3","+c4","+c5","+d1","+d2","+d3","+d4","+d5","+e1","+e2","+e3","+e4","+e5","xa1","xa2","xa3" ... (N bytes)
              < {"type": "act", "id": 1, "action": "z9"}
    3 steps: 1 ok, 0 warnings, 1 failed, 1 skipped, in TIME
    -- exit status 1, stderr:
    error: ./moves.py does not pass: first-turn
    hint: flipside check ./moves.py --full shows what was said

    $ flipside check ./exits.py flipfour --trust --step several-turns --step first-turn
    start: 1 of 1 step ok
    turns: 0 of 2 steps ok, 1 skipped
      failed  first-turn: flipfour: closed: exited with code 2
              hint: do not exit before `over`: read lines until the input ends; its standard error may say more
              < {"type": "ready", "name": "planted", "version": "1", "actions": true, "reuse": true}
              > {"type":"turn","id":1,"actions":["+a1","+a2","+a3","+a4","+a5","+b1","+b2","+b3","+b4","+b5","+c1","+c2","+c3","+c4","+c5","+d1","+d2","+d3","+d4","+d5","+e1","+e2","+e3","+e4","+e5","xa1","xa2","xa3" ... (N bytes)
              | no more
    3 steps: 1 ok, 0 warnings, 1 failed, 1 skipped, in TIME
    -- exit status 1, stderr:
    error: ./exits.py does not pass: first-turn
    hint: flipside check ./exits.py --full shows what was said

    $ flipside check ./notext.py flipfour --trust --step several-turns --step first-turn
    start: 1 of 1 step ok
    turns: 0 of 2 steps ok, 1 skipped
      failed  first-turn: flipfour: not-text: wrote a line that is not UTF-8 from byte 0 on
              hint: write UTF-8 to standard output, without a byte order mark
              < {"type": "ready", "name": "planted", "version": "1", "actions": true, "reuse": true}
              > {"type":"turn","id":1,"actions":["+a1","+a2","+a3","+a4","+a5","+b1","+b2","+b3","+b4","+b5","+c1","+c2","+c3","+c4","+c5","+d1","+d2","+d3","+d4","+d5","+e1","+e2","+e3","+e4","+e5","xa1","xa2","xa3" ... (N bytes)
    3 steps: 1 ok, 0 warnings, 1 failed, 1 skipped, in TIME
    -- exit status 1, stderr:
    error: ./notext.py does not pass: first-turn
    hint: flipside check ./notext.py --full shows what was said
    "#);
}

/// The steps of a check of this bot that are not ok: their names, statuses and findings.
fn not_ok(folder: &Path, bot: &str, more: &[&str]) -> Vec<(String, String, String)> {
    let usual = ["check", bot, "--trust", "--quick", "--json"];
    let args = [&usual[..], &UNHURRIED, more].concat();
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
    let found = ["first-turn", "games"].map(|name| {
        let (status, told) = step(folder.path(), &file, name, &[]);
        format!("{name}: {status}: {told}\n")
    });
    assert_snapshot!(unvarying(&found.concat()), @"
    first-turn: ok: yonmoque: b4 ()
    games: ok: it is ready for yonmoque; it does not play flip4, flipflop-3x3, flipflop-5x5, flipfour, phase10-flip, puissance4-basic, puissance4-championship, puissance4-extra-pro ()
    ");
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
    assert_snapshot!(session(folder.path(), "
        check
        check ./none
        check sample:random flipfor
        check sample:random --time soon
    "), @r#"
    $ flipside check
    -- exit status 2, stderr:
    error: the following required arguments were not provided:
      <BOT>

    Usage: flipside check <BOT> [GAMES]...

    For more information, try '--help'.

    $ flipside check ./none
    -- exit status 2, stderr:
    error: ./none is not there
    hint: a bot is an executable, a .wasm or .wat file, a folder with a bot.toml, the name of a submitted bot, or sample:greedy

    $ flipside check sample:random flipfor
    -- exit status 2, stderr:
    error: there is no game "flipfor"
    hint: did you mean flipfour? `flipside games` lists them all

    $ flipside check sample:random --time soon
    -- exit status 2, stderr:
    error: invalid value 'soon' for '--time <TIME>': a time from 1ms to 24h, such as 10m or 2h, not soon

    For more information, try '--help'.
    "#);
}
