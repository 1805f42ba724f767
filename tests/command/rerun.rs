//! Matches that are played again: a module gives the answers of its record, and no other one's.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::common::{run, sample, script};
use crate::shown::shown;
use crate::unpacked;

/// A module that says nothing, and so is late when it is asked.
pub(crate) const SILENT: &str =
    r#"(module (memory (export "memory") 1) (func (export "_start") (loop (br 0))))"#;

/// It traps before it is ready.
const CRASH: &str = r#"(module (memory (export "memory") 1) (func (export "_start") unreachable))"#;

/// It falls at its first turn.
const BAD: &str = "#!/bin/sh\nread x\necho '{\"type\":\"ready\"}'\nread x\necho resign\nread x\n";

fn arena(folder: &Path) {
    fs::copy(sample("wat/first.wat"), folder.join("first.wat")).unwrap();
    // Nothing but its choice of actions tells it from the first.
    let other = fs::read_to_string(sample("wat/instant.wat")).unwrap();
    let other = other.replace(r#"\"name\":\"instant\""#, r#"  \"name\":\"first\""#);
    fs::write(folder.join("other.wat"), other).unwrap();
    fs::write(folder.join("silent.wat"), SILENT).unwrap();
    let bad = script(folder, "bad", BAD);
    let mut args = vec!["tournament", "flipflop-3x3", "./first.wat", "./other.wat"];
    args.extend([&bad, "--rounds", "1", "--name", "cup", "--seed", seed!(5)]);
    args.extend(["--clock", "move=30s,start=30s", "--no-affinity"]);
    run(folder, &args).ok();
}

/// The record of the first match of two bots.
pub(crate) fn record(folder: &Path, bots: [&str; 2]) -> String {
    let journal = Connection::open(folder.join("arena/journal.sqlite")).unwrap();
    let mut all = journal
        .prepare("SELECT zstd FROM records ORDER BY idx")
        .unwrap();
    let mut all = all.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap();
    all.find_map(|packed| {
        let text = unpacked(&packed.unwrap());
        let header = text.lines().next().unwrap();
        bots.iter()
            .all(|bot| header.contains(bot))
            .then(|| text.clone())
    })
    .unwrap()
}

/// A record with a changed text and a closing hash that fits it.
pub(crate) fn sealed(text: &str) -> String {
    let (body, _) = text.trim_end().rsplit_once('\n').unwrap();
    let body = format!("{body}\n");
    let seal: String = (Sha256::digest(&body).iter())
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{body}{{\"type\":\"end\",\"sha256\":\"{seal}\"}}\n")
}

pub(crate) fn sha256(folder: &Path, file: &str) -> String {
    let digest = Sha256::digest(fs::read(folder.join(file)).unwrap());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A record with changed lines.
pub(crate) fn changed(text: &str, change: impl Fn(&mut serde_json::Value)) -> String {
    let line = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        change(&mut line);
        format!("{line}\n")
    };
    text.lines().map(line).collect()
}

fn first_wat() -> String {
    fs::read_to_string(sample("wat/first.wat")).unwrap()
}

#[test]
fn modules_give_the_recorded_answers_again_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    arena(folder);
    assert_snapshot!(shown(&run(folder, &["verify", "--tournament", "cup", "--rerun"])), @"
    cup: 6 matches ok, 0 wrong, 0 without a record; 0 faults without evidence
    8 modules played again, 24 answers equal, 4 seats of processes or people not played again
    -- stderr:
    6 matches verified in TIME
    6 matches played again in TIME
    ");
    fs::write(
        folder.join("true.jsonl"),
        record(folder, ["first@1", "other@1"]),
    )
    .unwrap();
    // Its bots are looked for in the arena.
    assert_snapshot!(shown(&run(folder, &["verify", "true.jsonl", "--rerun"])), @"true.jsonl: ok: flipflop-3x3 cup-4, 3 plies, goal, not signed; 2 modules played again, 5 answers equal");
    assert_snapshot!(shown(&run(folder, &["verify", "true.jsonl", "--rerun", "--arena", "none"])), @"true.jsonl: ok: flipflop-3x3 cup-4, 3 plies, goal, not signed; 0 modules played again, 0 answers equal, 2 modules not here");

    // How long a module takes is another machine's matter.
    let late = "tournament flipflop-3x3 ./first.wat ./silent.wat --rounds 1 --name late --clock move=1s,start=2s";
    let late: Vec<&str> = late.split(' ').collect();
    run(folder, &late).ok();
    assert_snapshot!(shown(&run(folder, &["verify", "--tournament", "late", "--rerun"])), @"
    late: 2 matches ok, 0 wrong, 0 without a record; 2 faults without evidence
    4 modules played again, 2 answers equal, 2 faults of time not compared
    -- stderr:
    2 matches verified in TIME
    2 matches played again in TIME
    ");

    // Somebody says that another bot has played: nothing but its answers shows that it did not.
    let (first, other) = (sha256(folder, "first.wat"), sha256(folder, "other.wat"));
    let text = record(folder, ["first@1", "other@1"]);
    let swapped = text
        .replace("first@1", "x")
        .replace("other@1", "first@1")
        .replace("\"x\"", "\"other@1\"")
        .replace(&first, "x")
        .replace(&other, &first)
        .replace("\"x\"", &format!("{other:?}"));
    fs::write(folder.join("swapped.jsonl"), sealed(&swapped)).unwrap();
    run(folder, &["verify", "swapped.jsonl"]).ok();
    assert_snapshot!(shown(&run(folder, &["verify", "swapped.jsonl", "--rerun"])), @"
    -- exit status 1, stderr:
    error: swapped.jsonl: seat 0, other@1: at question 1, after ply 0, it plays c1-c2; the record has a1-a2
    hint: the module did not play this match: the result should not count
    ");
    // It is named by the match, and the others are looked at.
    let both = ["verify", "swapped.jsonl", "true.jsonl", "--rerun"];
    assert_snapshot!(shown(&run(folder, &both)), @"
    true.jsonl: ok: flipflop-3x3 cup-4, 3 plies, goal, not signed; 2 modules played again, 5 answers equal
    -- exit status 1, stderr:
    error: swapped.jsonl: seat 0, other@1: at question 1, after ply 0, it plays c1-c2; the record has a1-a2
    hint: the module did not play this match: the result should not count
    error: 1 of 2 records are wrong
    ");

    // Its answers stand for a bot that has failed, and nothing but them shows that it did not.
    for (name, text) in [
        ("crash", CRASH.to_owned()),
        ("wrong", first_wat().replace("action\\\":", "actoin\\\":")),
    ] {
        fs::write(folder.join(format!("{name}.wat")), text).unwrap();
        let cup = format!(
            "tournament flipflop-3x3 ./other.wat ./{name}.wat --rounds 1 --name {name} --clock move=30s,start=30s"
        );
        let cup: Vec<&str> = cup.split(' ').chain(["--seed", seed!(5)]).collect();
        run(folder, &cup).ok();
        run(folder, &["verify", "--tournament", name, "--rerun"]).ok();
        let (bot, hash) = (format!("{name}@1"), sha256(folder, &format!("{name}.wat")));
        let text = record(folder, [&bot, "other@1"]);
        let lie = text.replace(&bot, "first@1").replace(&hash, &first);
        fs::write(folder.join(format!("{name}.jsonl")), sealed(&lie)).unwrap();
        // That it wrote a line too early is in no record.
        let early = changed(&lie, |line| {
            if line["type"] == "fault" {
                line["fault"] = "unasked".into();
                line["us"] = 0.into();
                line.as_object_mut().unwrap().remove("evidence");
            }
        });
        fs::write(folder.join(format!("{name}-early.jsonl")), sealed(&early)).unwrap();
    }
    let lies = ["crash.jsonl", "wrong.jsonl", "wrong-early.jsonl"];
    run(folder, &[&["verify"][..], &lies].concat()).ok();
    assert_snapshot!(shown(&run(folder, &[&["verify"], &lies[..], &["--rerun"]].concat())), @r#"
    -- exit status 1, stderr:
    error: crash.jsonl: seat 1, first@1: at hello, it answers {"type":"ready","name":"first","version":"1","actions":true,"reuse":true}; the record has the fault crashed
    hint: the module did not play this match: the result should not count
    error: wrong.jsonl: seat 1, first@1: at question 1, after ply 1, it plays a3-a2; the record has the fault malformed
    hint: the module did not play this match: the result should not count
    error: wrong-early.jsonl: seat 1, first@1: it writes nothing before it is asked; the record has the fault unasked
    hint: the module did not play this match: the result should not count
    error: 3 of 3 records are wrong
    "#);
}
