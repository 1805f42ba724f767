//! Matches that are played again: a module gives the answers of its record, and no other one's.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::common::{SALT, run, sample, script};
use crate::shown::shown;
use crate::unpacked;

/// A module that says nothing, and so is late when it is asked.
const SILENT: &str =
    r#"(module (memory (export "memory") 1) (func (export "_start") (loop (br 0))))"#;

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
    args.extend([&bad, "--rounds", "1", "--name", "cup", "--seed", "5"]);
    args.extend(["--clock", "move=30s,start=30s", "--no-affinity"]);
    args.extend(SALT);
    run(folder, &args).ok();
}

/// The record of the first match of two bots.
fn record(folder: &Path, bots: [&str; 2]) -> String {
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
fn sealed(text: &str) -> String {
    let (body, _) = text.trim_end().rsplit_once('\n').unwrap();
    let body = format!("{body}\n");
    let seal: String = (Sha256::digest(&body).iter())
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{body}{{\"type\":\"end\",\"sha256\":\"{seal}\"}}\n")
}

fn sha256(folder: &Path, file: &str) -> String {
    let digest = Sha256::digest(fs::read(folder.join(file)).unwrap());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn modules_give_the_recorded_answers_again_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    arena(folder);
    assert_snapshot!(shown(&run(folder, &["verify", "--tournament", "cup", "--rerun"])), @"
    cup: 6 matches ok, 0 wrong, 0 without a record; 0 faults without evidence
    8 modules played again, 16 answers equal, 4 seats of processes or people not played again
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
    assert_snapshot!(shown(&run(folder, &["verify", "true.jsonl", "--rerun"])), @"true.jsonl: ok: flipflop-3x3 cup-4, 3 plies, goal; 2 modules played again, 3 answers equal");
    assert_snapshot!(shown(&run(folder, &["verify", "true.jsonl", "--rerun", "--arena", "none"])), @"true.jsonl: ok: flipflop-3x3 cup-4, 3 plies, goal; 0 modules played again, 0 answers equal, 2 modules not here");

    // How long a module takes is another machine's matter.
    let late = "tournament flipflop-3x3 ./first.wat ./silent.wat --rounds 1 --name late --clock move=1s,start=2s";
    let late: Vec<&str> = late.split(' ').collect();
    run(folder, &late).ok();
    assert_snapshot!(shown(&run(folder, &["verify", "--tournament", "late", "--rerun"])), @"
    late: 2 matches ok, 0 wrong, 0 without a record; 2 faults without evidence
    4 modules played again, 0 answers equal, 2 faults of time not compared
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
    hint: the bot did not play this match, or its file is not the one that did
    ");
    // It is named by the match, and the others are looked at.
    let both = ["verify", "swapped.jsonl", "true.jsonl", "--rerun"];
    assert_snapshot!(shown(&run(folder, &both)), @"
    true.jsonl: ok: flipflop-3x3 cup-4, 3 plies, goal; 2 modules played again, 3 answers equal
    -- exit status 1, stderr:
    error: swapped.jsonl: seat 0, other@1: at question 1, after ply 0, it plays c1-c2; the record has a1-a2
    hint: the bot did not play this match, or its file is not the one that did
    error: 1 of 2 records are wrong
    ");
}
