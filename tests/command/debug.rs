//! `flipside debug`: a bot is sent again, byte for byte, what it was sent; and a match with everything shown.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use flipside_games::GAMES;
use flipside_operations::{DebugReplay, ReplayEvent, feed};
use flipside_referee::{Match, MatchSeed, Player, Questions, Record, RecordedAnswer, Referee};
use flipside_sandbox::{Program, Sandbox, SandboxSettings};
use insta::assert_snapshot;

use crate::common::{TestRun, copy_program, flipside, run, sample, script, whole_seed};
use crate::shown::{session, unvarying};

/// A bot of the command that writes down every line that it reads.
fn scribe(folder: &Path, name: &str, seat: usize) -> (Program, PathBuf) {
    let log = folder.join(format!("{name}-{seat}.log"));
    let text = format!(
        "#!/bin/sh\ntee -a {} | {} sample {name}\n",
        log.display(),
        env!("CARGO_BIN_EXE_flipside")
    );
    let file = script(folder, &format!("{name}-{seat}"), &text);
    (Program::open(file).unwrap(), log)
}

/// The lines that a seat was sent, by its record.
fn written_again(record: &Record, seat: u8) -> String {
    let mut questions = Questions::of(record, seat).unwrap();
    let mut lines = String::new();
    while let Some(sent) = questions.next_sent().unwrap() {
        assert!(!matches!(sent.answer, RecordedAnswer::Fault(_)));
        lines += &format!("{}\n", sent.line);
    }
    lines
}

/// What a bot has read. It may still be reading its last line.
fn live(log: &Path, expected: &str) -> String {
    let end = Instant::now() + Duration::from_secs(400);
    loop {
        let text = fs::read_to_string(log).unwrap_or_default();
        if text.len() >= expected.len() || Instant::now() > end {
            return text;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The lines that a seat was sent, by its record, and how many answers of a fresh bot are other than the recorded ones.
fn sent_again(record: &Record, seat: u8, program: &Program, sandbox: &Sandbox) -> (String, usize) {
    let mut lines = String::new();
    let asked = DebugReplay {
        record,
        seat,
        ply: None,
        program,
        sandbox,
        attach: None,
    };
    let all = feed(asked, &mut |fed| {
        if let ReplayEvent::Sent(sent) = fed {
            lines += &format!("{}\n", sent.line);
        }
        Ok(())
    });
    let all = all.unwrap();
    assert_eq!(all.failed, None);
    (lines, all.others().count())
}

#[test]
fn every_line_is_the_one_that_was_sent_and_every_answer_the_recorded_one() {
    // Each game five times, and once with the bots asked again.
    lines_and_answers_are_those_of(5 * GAMES.len());
}

#[test]
#[ignore = "long: 500 matches"]
fn in_500_matches_every_line_is_the_one_that_was_sent_and_every_answer_the_recorded_one() {
    lines_and_answers_are_those_of(500);
}

/// Plays so many matches of all games in turn.
fn lines_and_answers_are_those_of(most: usize) {
    let folder = tempfile::tempdir().unwrap();
    // Otherwise a bot that waits for its next match is suspended before it has written down the last line.
    let sandbox = Sandbox::new(SandboxSettings {
        ponder: true,
        ..SandboxSettings::default()
    });
    let mut referee = Referee::new(sandbox.clone()).unwrap();
    let (mut matches, mut answers) = (0, 0);
    'all: for number in 0.. {
        for game in GAMES {
            if matches == most {
                break 'all;
            }
            matches += 1;
            let seats = game.info().seats;
            let seats = usize::from(seats[number as usize % seats.len()]);
            let bots: Vec<(Program, PathBuf)> = (0..seats)
                .map(|seat| {
                    scribe(
                        folder.path(),
                        ["random", "greedy"][(seat + matches) % 2],
                        seat,
                    )
                })
                .collect();
            for (_, log) in &bots {
                let _ = fs::remove_file(log);
            }
            let played = referee.play(&Match {
                id: format!("{}-{number}", game.info().id),
                game: *game,
                options: game.brief(),
                clock: "20s+100ms,start=20s".parse().unwrap(),
                seed: MatchSeed::from_number(number).numbered(number),
                players: bots
                    .iter()
                    .map(|(program, _)| Player::of(program.clone()))
                    .collect(),
                opening_plies: 0,
                patience: None,
            });
            let record = Record::read(&played.unwrap().record).unwrap();
            for (seat, (_, log)) in (0..).zip(&bots) {
                let lines = written_again(&record, seat);
                assert_eq!(live(log, &lines), lines, "{} seat {seat}", record.header.id);
            }
            // The bots of one match are not those of the next, so that each log is of one match.
            referee.end_kept();
            if matches % 5 > 0 {
                continue;
            }
            for (seat, (program, _)) in (0..).zip(&bots) {
                let (lines, others) = sent_again(&record, seat, program, &sandbox);
                assert_eq!(others, 0, "{} seat {seat}", record.header.id);
                assert_eq!(lines, written_again(&record, seat));
                answers += 1;
            }
        }
    }
    assert!(answers >= most / 5 * 2);
}

/// A folder with a recorded match of flipflop-3x3 between two bots.
fn recorded(bots: [&str; 2]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "match",
        "flipflop-3x3",
        bots[0],
        bots[1],
        "--trust",
        "--record",
        "r.jsonl",
        "--seed",
    ];
    let seed = whole_seed(3);
    run(folder.path(), &[&args[..], &[&seed]].concat()).ok();
    folder
}

#[test]
fn a_question_is_put_again_to_the_same_bot_and_to_another() {
    let folder = recorded(["sample:greedy", "sample:random"]);
    let debug = |more: &[&str]| {
        run(
            folder.path(),
            &[&["debug", "r.jsonl", "--trust"], more].concat(),
        )
    };
    let told = debug(&["--seat", "0", "--ply", "0"]).ok();
    assert_snapshot!(unvarying(&told), @r#"
    flipflop-3x3-ID seat 0: sample:greedy
    ply 0
      > {"type":"turn","id":1,"clocks":[CLOCKS],"view":{"board":["rrr","...","RRR"],"to_move":0,"ply":0,"repetitions":1}}
      < {"type":"act","id":1,"action":"b1-b2"}
      now:    b1-b2  (TIME)
      record: b1-b2  (TIME)
      the same
    1 question: every answer is the recorded one
    "#);
    assert_snapshot!(unvarying(&debug(&["--seat", "1"]).ok()), @"
    flipflop-3x3-ID seat 1: sample:random
    4 questions: every answer is the recorded one
    ");
    let full = debug(&["--seat", "0", "--full"]).ok();
    assert_snapshot!(unvarying(&full), @r#"
    flipflop-3x3-ID seat 0: sample:greedy
    hello
      > {"type":"hello","protocol":1,"match":"flipflop-3x3-ID","game":"flipflop-3x3","options":{"max_plies":200},"seat":0,"seats":2,"clock":"move=1s","limits":{"line":65536,"memory":268435456},"commitment":"HASH","seed":ID}
      < {"type":"ready","name":"greedy","version":"0.1.0","actions":false,"reuse":true}  (TIME)
    ply 0
      > {"type":"turn","id":1,"clocks":[CLOCKS],"view":{"board":["rrr","...","RRR"],"to_move":0,"ply":0,"repetitions":1}}
      < {"type":"act","id":1,"action":"b1-b2"}  (TIME)
      now:    b1-b2  (TIME)
      record: b1-b2  (TIME)
      the same
    ply 2
      > {"type":"turn","id":2,"clocks":[CLOCKS],"charged":MS,"view":{"board":[".rr","bB.","R.R"],"to_move":0,"ply":2,"repetitions":1}}
      < {"type":"act","id":2,"action":"c1-c2"}  (TIME)
      now:    c1-c2  (TIME)
      record: c1-c2  (TIME)
      the same
    ply 4
      > {"type":"turn","id":3,"clocks":[CLOCKS],"charged":MS,"view":{"board":["b.r","bBB","R.."],"to_move":0,"ply":4,"repetitions":1}}
      < {"type":"act","id":3,"action":"a1-b1"}  (TIME)
      now:    a1-b1  (TIME)
      record: a1-b1  (TIME)
      the same
    ply 6
      > {"type":"turn","id":4,"clocks":[CLOCKS],"charged":MS,"view":{"board":["b.r",".BB",".r."],"to_move":0,"ply":6,"repetitions":1}}
      < {"type":"act","id":4,"action":"c2xb1"}  (TIME)
      now:    c2xb1  (TIME)
      record: c2xb1  (TIME)
      the same
    ply 8
      > {"type":"turn","id":5,"clocks":[CLOCKS],"charged":MS,"view":{"board":["b..",".B.",".Rb"],"to_move":0,"ply":8,"repetitions":1}}
      < {"type":"act","id":5,"action":"b1-a1"}  (TIME)
      now:    b1-a1  (TIME)
      record: b1-a1  (TIME)
      the same
    over
      > {"type":"over","points":[1,0],"places":[1,2],"reason":"no-moves","view":{"board":["b..",".B.","B.b"],"to_move":null,"ply":9,"repetitions":1,"over":{"winner":0,"reason":"no-moves"}}}
    5 questions: every answer is the recorded one
    "#);
    let json = debug(&["--seat", "0", "--json"]).ok();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["failed"], serde_json::Value::Null);
    assert_eq!(
        value["answers"][0]["action"],
        value["answers"][0]["recorded"]
    );
    assert!(debug(&["--seat", "0", "--csv"]).ok().lines().count() > 1);
    // Another bot, in a jail and as a module.
    let first = sample("wat/first.wat");
    let [jailed, trusted] = [&[][..], &["--trust"]].map(|isolation| {
        let against = ["debug", "r.jsonl", "--seat", "0", "--against", &first];
        let told = run(folder.path(), &[&against, isolation].concat()).ok();
        unvarying(&told)
    });
    assert_eq!(jailed, trusted);
    assert_snapshot!(trusted, @r#"
    flipflop-3x3-ID seat 0: first
    ply 0
      > {"type":"turn","id":1,"actions":["a1-a2","b1-b2","b1xb3","c1-c2"],"clocks":[CLOCKS],"view":{"board":["rrr","...","RRR"],"to_move":0,"ply":0,"repetitions":1}}
      < {"type":"act","id":1,"action":"a1-a2"}
      now:    a1-a2  (TIME)
      record: b1-b2  (TIME)
      another answer
    ply 2
      > {"type":"turn","id":2,"actions":["a1-b1","b2-a3","c1-b1","c1-c2"],"clocks":[CLOCKS],"charged":MS,"view":{"board":[".rr","bB.","R.R"],"to_move":0,"ply":2,"repetitions":1}}
      < {"type":"act","id":2,"action":"a1-b1"}
      now:    a1-b1  (TIME)
      record: c1-c2  (TIME)
      another answer
    ply 6
      > {"type":"turn","id":4,"actions":["b2-a1","b2-c1","c2-b3","c2xb1"],"clocks":[CLOCKS],"charged":MS,"view":{"board":["b.r",".BB",".r."],"to_move":0,"ply":6,"repetitions":1}}
      < {"type":"act","id":4,"action":"b2-a1"}
      now:    b2-a1  (TIME)
      record: c2xb1  (TIME)
      another answer
    5 questions: 3 answers are not the recorded ones
    "#);
}

#[test]
fn a_bot_that_answers_otherwise_or_fails_is_shown_beside_the_record() {
    let folder = recorded(["sample:greedy", "sample:random"]);
    let speaks = script(
        folder.path(),
        "speaks",
        "#!/bin/sh\nread hello\necho '{\"type\":\"ready\"}'\nread turn\necho thinking >&2\n\
        echo '{\"type\":\"act\",\"id\":1,\"action\":\"z9\"}'\nread turn\necho ends >&2\nexit 4\n",
    );
    let against = [
        "debug",
        "r.jsonl",
        "--trust",
        "--seat",
        "0",
        "--against",
        &speaks,
    ];
    let told = run(folder.path(), &against);
    assert_eq!(told.code, Some(1));
    assert_snapshot!(unvarying(&told.stdout), @r#"
    flipflop-3x3-ID seat 0: speaks
    ply 0
      > {"type":"turn","id":1,"clocks":[CLOCKS],"view":{"board":["rrr","...","RRR"],"to_move":0,"ply":0,"repetitions":1}}
      < {"type":"act","id":1,"action":"z9"}
      | thinking
      now:    z9, which is refused: "z9" is not like a1-a2 or b1xb3, with files a to c and ranks 1 to 3  (TIME)
      record: b1-b2  (TIME)
      another answer
    ply 2
      > {"type":"turn","id":2,"clocks":[CLOCKS],"charged":MS,"view":{"board":[".rr","bB.","R.R"],"to_move":0,"ply":2,"repetitions":1}}
      ! closed: exited with code 4
      | ends
      now:    closed: exited with code 4  (TIME)
      record: c1-c2  (TIME)
      another answer
    2 questions: 2 answers are not the recorded ones
    "#);
    assert_snapshot!(told.stderr, @"error: the bot gave no answer: closed: exited with code 4");
}

#[test]
fn what_cannot_be_debugged_is_refused_with_the_way_out() {
    let folder = recorded(["sample:greedy", "sample:random"]);
    let debug =
        |more: &[&str]| run(folder.path(), &[&["debug", "r.jsonl"], more].concat()).refused(2);
    assert_snapshot!(debug(&[]), @r#"
    error: whose messages? A match has several seats
    hint: flipside debug r.jsonl --seat 0
    "#);
    assert_snapshot!(debug(&["--seat", "2"]), @r#"
    error: there is no seat 2 in this match
    hint: its seats are 0 to 1
    "#);
    assert_snapshot!(debug(&["--seat", "0", "--ply", "1"]), @r#"
    error: seat 0 was not asked at ply 1
    hint: --ply 0 or --ply 2
    "#);
    assert_snapshot!(debug(&["--seat", "0", "--ply", "99"]), @r#"
    error: seat 0 was not asked at ply 99
    hint: --ply 8
    "#);
    let first = sample("wat/first.wat");
    assert_snapshot!(debug(&["--seat", "0", "--attach", "--against", &first]), @r#"
    error: a module has no process that a debugger could attach to
    hint: build the bot for this machine, and name that file with --against ./FILE
    "#);
    assert_snapshot!(session(folder.path(), "
        debug nothing --seat 0
        debug flipfor sample:random sample:random
        debug flipfour sample:random
    "), @r#"
    $ flipside debug nothing --seat 0
    -- exit status 2, stderr:
    error: there is no file "nothing", and no arena at arena with a match of this id
    hint: name a record's file, or pick the arena with --arena DIR

    $ flipside debug flipfor sample:random sample:random
    -- exit status 2, stderr:
    error: there is no game "flipfor"
    hint: did you mean flipfour? `flipside games` lists them all

    $ flipside debug flipfour sample:random
    -- exit status 2, stderr:
    error: flipfour is for 2 seats, not 1
    hint: name a bot for every seat
    "#);
}

#[test]
fn a_bot_waits_for_its_debugger_or_for_enter() {
    let folder = recorded(["sample:greedy", "sample:random"]);
    let start = |input: Stdio| {
        let args = [
            "debug", "r.jsonl", "--trust", "--seat", "0", "--ply", "0", "--attach",
        ];
        let mut command = flipside(folder.path());
        command.args(args).stdin(input);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        told.read_line(&mut line).unwrap();
        let pid = line.split("gdb -p ").nth(1).unwrap();
        let pid: i32 = pid.split('`').next().unwrap().parse().unwrap();
        (child, told, pid)
    };
    let (mut child, _told, _) = start(Stdio::piped());
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let stdout = TestRun::from(output).ok();
    assert_snapshot!(unvarying(&stdout), @r#"
    flipflop-3x3-ID seat 0: sample:greedy
    ply 0
      > {"type":"turn","id":1,"clocks":[CLOCKS],"view":{"board":["rrr","...","RRR"],"to_move":0,"ply":0,"repetitions":1}}
      < {"type":"act","id":1,"action":"b1-b2"}
      now:    b1-b2  (TIME)
      record: b1-b2  (TIME)
      the same
    1 question: every answer is the recorded one
    "#);
    // The end of the input is no Enter: it goes on waiting, until the bot ends.
    let (mut child, mut told, pid) = start(Stdio::null());
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(child.try_wait().unwrap(), None);
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let mut rest = String::new();
    told.read_to_string(&mut rest).unwrap();
    assert_eq!(
        rest,
        "error: the bot has ended before a debugger was attached\n"
    );
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// A bot that plays the first legal action, wants events or not, and writes down every line that it reads.
fn logger(folder: &Path, name: &str, events: bool) -> PathBuf {
    let log = folder.join(format!("{name}.log"));
    let text = format!(
        "#!/bin/sh\nwhile read -r line; do\n  printf '%s\\n' \"$line\" >> {}\n  case $line in\n    \
        *'\"hello\"'*) echo '{{\"type\":\"ready\",\"actions\":true,\"events\":{events}}}' ;;\n    \
        *'\"turn\"'*)\n      id=${{line#*'\"id\":'}}; id=${{id%%,*}}\n      \
        action=${{line#*'\"actions\":[\"'}}; action=${{action%%'\"'*}}\n      \
        echo \"{{\\\"type\\\":\\\"act\\\",\\\"id\\\":$id,\\\"action\\\":\\\"$action\\\"}}\" ;;\n  esac\ndone\n",
        log.display()
    );
    script(folder, name, &text);
    log
}

#[test]
fn a_bot_with_settings_of_its_own_that_wants_events_is_sent_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    let log = logger(folder.path(), "keen", true);
    let own = r#"{"keen":{"clock":"move=7s,start=20s","memory":"96M","options":{"depth":6}}}"#;
    let cup = [
        "tournament",
        "flipfour",
        "./keen",
        "sample:random",
        "--trust",
        "--name",
        "cup",
    ];
    let more = [
        "--rounds",
        "1",
        "--options",
        "{\"max_plies\":30}",
        "--bot",
        own,
    ];
    run(folder.path(), &[&cup[..], &more].concat()).ok();
    let text = run(folder.path(), &["matches", "cup-0"]).ok();
    let seats = Record::read(&text).unwrap().header.seats;
    let seat = seats.iter().position(|seat| seat.bot == "keen@1").unwrap();
    let told = fs::read_to_string(&log).unwrap();
    let of_match = told
        .lines()
        .skip_while(|line| !line.contains(r#""match":"cup-0""#));
    let is_turn = |line: &&str| line.starts_with(r#"{"type":"turn""#);
    let of_match: Vec<&str> = of_match
        .enumerate()
        .take_while(|(at, line)| *at == 0 || is_turn(line))
        .map(|(_, line)| line)
        .collect();
    for part in [
        r#""clock":"move=7s,start=20s""#,
        r#""memory":100663296"#,
        r#""bot_options":{"depth":6}"#,
    ] {
        assert!(of_match[0].contains(part), "{}", of_match[0]);
    }
    assert!(
        of_match.len() > 3
            && of_match[1..]
                .iter()
                .all(|line| line.contains(r#""events":["#))
    );

    let seat = seat.to_string();
    let debug = ["debug", "cup-0", "--trust", "--full", "--seat", &seat];
    let sent = |shown: &str| {
        let lines = shown.lines().filter_map(|line| line.strip_prefix("  > "));
        let lines: Vec<String> = lines.map(str::to_owned).collect();
        lines
    };
    let shown = run(folder.path(), &debug).ok();
    assert!(
        shown.contains("every answer is the recorded one"),
        "{shown}"
    );
    assert_eq!(sent(&shown)[..of_match.len()], of_match);
    // Another bot on this seat has these settings, too; but no events, if it does not want them.
    let log = logger(folder.path(), "calm", false);
    let against = [&debug[..], &["--against", "./calm"]].concat();
    let shown = run(folder.path(), &against).ok();
    assert!(
        shown.contains("every answer is the recorded one"),
        "{shown}"
    );
    let (hello, turns) = (&sent(&shown)[0], &sent(&shown)[1..of_match.len()]);
    assert_eq!(hello, of_match[0]);
    for (without, with) in turns.iter().zip(&of_match[1..]) {
        let (before, _) = with.split_once(r#","events":["#).unwrap();
        assert_eq!(*without, format!("{before}}}"));
    }
    let told = fs::read_to_string(log).unwrap();
    assert!(
        told.starts_with(of_match[0]) && !told.contains(r#""events":["#),
        "{told}"
    );
}

#[test]
fn a_match_is_shown_with_every_message() {
    let folder = tempfile::tempdir().unwrap();
    let speaks = script(
        folder.path(),
        "speaks",
        "#!/bin/sh\necho starts >&2\nread hello\necho '{\"type\":\"ready\",\"actions\":true}'\nread turn\nexit 4\n",
    );
    let (first, seed) = (sample("wat/first.wat"), whole_seed(3));
    let args = [
        "debug",
        "flipflop-3x3",
        &first,
        &speaks,
        "--trust",
        "--transcript",
        "t.jsonl",
        "--record",
        "r.jsonl",
        "--seed",
        &seed,
    ];
    let told = run(folder.path(), &args).ok();
    // Seats are told apart: who of them is first to be ready differs, and when what was said to standard error comes.
    let told = unvarying(&told);
    let (messages, end) = told.split_once("\n\n").unwrap();
    let mut messages: Vec<&str> = messages.lines().collect();
    messages.sort_by_key(|line| {
        let (_, message) = line.split_once("seat ").unwrap();
        (message.as_bytes()[0], &message[2..3] == "|")
    });
    assert_snapshot!(messages.join("\n"), @r#"
    TIME  seat 0 > {"type":"hello","protocol":1,"match":"flipflop-3x3-ID","game":"flipflop-3x3","options":{"max_plies":200},"seat":0,"seats":2,"clock":"move=10m,start=10m","limits":{"line":65536,"memory":268435456},"commitment":"HASH","seed":ID}
    TIME  seat 0 < {"type":"ready","name":"first","version":"1","actions":true,"reuse":true}  (TIME)
    TIME  seat 0 > {"type":"turn","id":1,"actions":["a1-a2","b1-b2","b1xb3","c1-c2"],"clocks":[CLOCKS],"view":{"board":["rrr","...","RRR"],"to_move":0,"ply":0,"repetitions":1}}
    TIME  seat 0 < {"type":"act","id":1,"action":"a1-a2"}  (TIME)
    TIME  seat 0 > {"type":"over","points":[1,0],"places":[1,2],"reason":"fault","view":{"board":["rrr","B..",".RR"],"to_move":1,"ply":1,"repetitions":1}}
    TIME  seat 0 . exited with code 0
    TIME  seat 1 > {"type":"hello","protocol":1,"match":"flipflop-3x3-ID","game":"flipflop-3x3","options":{"max_plies":200},"seat":1,"seats":2,"clock":"move=10m,start=10m","limits":{"line":65536,"memory":268435456},"commitment":"HASH","seed":ID}
    TIME  seat 1 < {"type":"ready","actions":true}  (TIME)
    TIME  seat 1 > {"type":"turn","id":1,"actions":["b3-b2","b3xb1","c3-c2"],"clocks":[CLOCKS],"view":{"board":["rrr","B..",".RR"],"to_move":1,"ply":1,"repetitions":1}}
    TIME  seat 1 ! closed: exited with code 4 at ply 1 (question 1); on stderr: `starts`
    TIME  seat 1 | starts
    "#);
    assert_snapshot!(end, @"
    fault, 1 ply, seed HASH
    place 1: first (seat 0), points 1
    place 2: speaks (seat 1), points 0
    ");
    let transcript = fs::read_to_string(folder.path().join("t.jsonl")).unwrap();
    for line in transcript.lines() {
        let _: serde_json::Value = serde_json::from_str(line).unwrap();
    }
    assert!(transcript.contains("\"type\":\"stderr\""), "{transcript}");
    run(folder.path(), &["verify", "r.jsonl"]).ok();
    // What was sent live is what the record gives.
    let record = Record::read(&fs::read_to_string(folder.path().join("r.jsonl")).unwrap()).unwrap();
    let mut questions = Questions::of(&record, 0).unwrap();
    while let Some(sent) = questions.next_sent().unwrap() {
        let escaped = serde_json::to_string(&sent.line).unwrap();
        assert!(transcript.contains(&escaped), "{}", sent.line);
    }
    let json = run(
        folder.path(),
        &["debug", "flipflop-3x3", &first, &first, "--json"],
    )
    .ok();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["game"], "flipflop-3x3");
}

#[test]
fn the_slowest_moves_of_all_matches_are_found_by_few_records_and_can_be_debugged() {
    let folder = tempfile::tempdir().unwrap();
    // It sleeps once, in one of its matches.
    let slow = "#!/bin/sh\nturn=0\nwhile read -r line; do\n  turn=$((turn + 1))\n  \
        [ $turn -ne 3 ] || ! mkdir FOLDER/slept 2>/dev/null || sleep 5\n  \
        case $line in\n    *hello*) echo '{\"type\":\"ready\",\"actions\":true}' ;;\n    *turn*)\n      \
        id=${line#*'\"id\":'}; id=${id%%,*}\n      action=${line#*'\"actions\":[\"'}; action=${action%%'\"'*}\n      \
        echo \"{\\\"type\\\":\\\"act\\\",\\\"id\\\":$id,\\\"action\\\":\\\"$action\\\"}\" ;;\n  esac\ndone\n";
    // A bot has few variables of ours, and no other way to learn the folder.
    let slow = slow.replace("FOLDER", folder.path().to_str().unwrap());
    script(folder.path(), "slow", &slow);
    let random = [
        "sample:random",
        "sample:greedy",
        "--name",
        "cup",
        "--rounds",
        "3",
        "--clock",
        "move=5m,start=5m",
    ];
    let tournament = ["tournament", "flipfour", "./slow"];
    let more = ["--trust", "--options", "{\"max_plies\":20}"];
    let args = [&tournament[..], &random, &more].concat();
    run(folder.path(), &args).ok();
    let told = run(folder.path(), &["matches", "--slowest", "--json"]).ok();
    let moves: serde_json::Value = serde_json::from_str(&told).unwrap();
    let moves = moves.as_array().unwrap();
    // What all records say, one by one.
    let mut slowest = Vec::new();
    let all = run(folder.path(), &["matches", "--json"]).ok();
    let all: serde_json::Value = serde_json::from_str(&all).unwrap();
    for row in all.as_array().unwrap() {
        let text = run(folder.path(), &["matches", row["id"].as_str().unwrap()]).ok();
        let record = Record::read(&text).unwrap();
        for seat in 0..2 {
            let acts = record.lines.iter().filter_map(|(_, line)| match line {
                flipside_referee::Line::Acts { acts } => Some(acts),
                _ => None,
            });
            let us = acts.flatten().filter(|act| act.seat == seat);
            slowest.extend(us.filter_map(|act| act.us).max());
        }
    }
    slowest.sort_unstable_by(|one, other| other.cmp(one));
    let ms = |it: &serde_json::Value| it["used_ms"].as_f64().unwrap();
    let us = |it| (ms(it) * 1000.0).round() as u64;
    let told: Vec<u64> = moves.iter().map(us).collect();
    assert_eq!(told, slowest);
    let first = &moves[0];
    assert_eq!(first["bot"], "slow@1");
    // It slept before its second answer, some of it while somebody looked.
    assert!(ms(first) > 1_000.0, "{first}");
    let of_bot = ["matches", "--slowest", "--bot", "random", "--limit", "1"];
    let told = run(folder.path(), &of_bot);
    assert!(told.stdout.contains("random@1") && !told.stdout.contains("slow@1"));
    let hint = told.stderr.split("hint: flipside ").nth(1).unwrap().trim();
    let args: Vec<&str> = hint.split(' ').chain(["--trust"]).collect();
    let debugged = run(folder.path(), &args).ok();
    assert!(
        debugged.contains("every answer is the recorded one"),
        "{debugged}"
    );
    let none = run(folder.path(), &["matches", "--slowest", "--limit", "0"]).ok();
    assert_eq!(none, "");
    // The table has the first of each bot.
    let table = run(folder.path(), &["table", "cup", "--full", "--json"]).ok();
    let table: serde_json::Value = serde_json::from_str(&table).unwrap();
    let mut bots = BTreeSet::new();
    let firsts = moves.iter().filter(|it| bots.insert(it["bot"].as_str()));
    let firsts: Vec<_> = firsts.cloned().collect();
    assert_eq!((firsts.len(), &table["slowest"]["all"]), (3, &true.into()));
    assert_eq!(table["slowest"]["moves"], serde_json::Value::from(firsts));
    let people = run(folder.path(), &["table", "cup", "--full"]).ok();
    let part = people.split("slowest move, ms").nth(1).unwrap();
    assert!(
        part.contains("slow@1") && part.contains("greedy@1"),
        "{part}"
    );
}

/// The commands that a page of the guide shows.
fn commands(page: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs/authors")
        .join(page);
    let text = fs::read_to_string(path).unwrap();
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("flipside "));
    lines.map(String::from).collect()
}

#[test]
fn every_command_of_the_guide_works() {
    let folder = tempfile::tempdir().unwrap();
    copy_program(
        Path::new(&sample("python/random.py")),
        &folder.path().join("mybot"),
    );
    copy_program(
        Path::new(&sample("wat/first.wat")),
        &folder.path().join("mybot.wasm"),
    );
    let cup = [
        "tournament",
        "flipfour",
        "./mybot",
        "sample:random",
        "--name",
        "cup",
        "--rounds",
        "10",
    ];
    run(folder.path(), &[&cup[..], &["--seed", seed!(1)]].concat()).ok();
    let enter = folder.path().join("enter");
    fs::write(&enter, "\n").unwrap();
    let shown = commands("testing.md");
    assert!(shown.len() >= 9);
    for command in &shown {
        let mut args: Vec<&str> = command.split(' ').collect();
        if args[0] == "check" && !args.contains(&"--list") && !args.contains(&"--step") {
            // All steps are another test's.
            args.extend(["--step", "one-answer", "--time", "10h"]);
        }
        let mut run = flipside(folder.path());
        // Enter, where a bot waits for its debugger.
        let output = run
            .args(args)
            .stdin(File::open(&enter).unwrap())
            .output()
            .unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
    }
}
