//! A journal that was changed is found out: every column that a record determines is compared with the record.

use std::fs;
use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use insta::assert_snapshot;

use crate::common::{TestRun, run, sample, script};
use crate::shown::{session, shown};
use crate::unpacked;

/// It falls at its first turn, and says why.
const BAD: &str = "#!/bin/sh\nread x\necho '{\"type\":\"ready\"}'\nread x\necho 'I give up' >&2\necho resign\nread x\n";

/// An arena with a tournament of three bots, one of which is paused after two matches.
fn arena() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let first = sample("wat/first.wat");
    let bad = script(folder.path(), "bad", BAD);
    let mut args = vec!["tournament", "flipflop-3x3", &first, "sample:random", &bad];
    args.extend(["--rounds", "2", "--name", "cup", "--pause-after", "2"]);
    args.extend(["--clock", "move=30s,start=30s", "--opening-plies", "2"]);
    args.extend(["--seed", seed!(5), "--no-affinity"]);
    run(folder.path(), &args).ok();
    folder
}

fn journal(folder: &Path, arena: &str) -> Connection {
    let journal = Connection::open(folder.join(arena).join("journal.sqlite")).unwrap();
    journal
        .execute_batch("PRAGMA foreign_keys = off; PRAGMA ignore_check_constraints = on")
        .unwrap();
    journal
}

/// A copy of the arena in which somebody has changed something.
fn changed(folder: &Path, sql: &str) -> String {
    let arena = "changed";
    let _ = fs::remove_dir_all(folder.join(arena));
    for part in ["bots", "cache", "locks"] {
        fs::create_dir_all(folder.join(arena).join(part)).unwrap();
    }
    fs::copy(
        folder.join("arena/journal.sqlite"),
        folder.join(arena).join("journal.sqlite"),
    )
    .unwrap();
    journal(folder, arena)
        .execute_batch(sql)
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    arena.into()
}

fn verify(folder: &Path, arena: &str) -> TestRun {
    run(folder, &["verify", "--tournament", "cup", "--arena", arena])
}

/// What is said of a tournament that was changed.
#[track_caller]
fn found_out(folder: &Path, sql: &str) -> String {
    let arena = changed(folder, sql);
    let run = verify(folder, &arena);
    assert_eq!(run.code, Some(1), "{sql}: {}{}", run.stdout, run.stderr);
    run.stdout
}

/// The first match of the tournament for which this holds.
fn index(folder: &Path, holds: &str) -> i64 {
    journal(folder, "arena")
        .query_row(&format!("SELECT min(idx) FROM {holds}"), [], |row| {
            row.get(0)
        })
        .unwrap()
}

#[test]
fn a_result_that_was_turned_is_named_by_every_command_and_never_passed_on() {
    let folder = arena();
    let folder = folder.path();
    let forfeit = index(folder, "matches WHERE reason = 'forfeit'");
    assert_snapshot!(session(folder, &format!("
        verify --tournament cup
        verify cup-0 cup-{forfeit}
    ")), @"
    $ flipside verify --tournament cup
    cup: 6 matches ok, 0 wrong, 6 without a record; 0 faults without evidence
    -- stderr:
    12 matches verified in TIME

    $ flipside verify cup-0 cup-2
    cup-0: ok: flipflop-3x3 cup-0, 3 plies, 1 fault shown by evidence, fault
    cup-2: ok: a forfeit, which follows from the matches before it
    ");

    let played = index(
        folder,
        "matches WHERE reason <> 'fault' AND reason <> 'forfeit'",
    );
    let turn = format!(
        "UPDATE match_seats SET points = 1 - points, place = 3 - place WHERE idx = {played}"
    );
    let id = format!("cup-{played}");
    assert_snapshot!(found_out(folder, &turn), @"
    cup-4: wrong: points of seat 0: 1, not 0; place of seat 0: 1, not 2; points of seat 1: 0, not 1; place of seat 1: 2, not 1
    cup: 5 matches ok, 1 wrong, 6 without a record; 0 faults without evidence
    ");
    assert_snapshot!(session(folder, &format!("
        verify {id} --arena changed
        verify --all --arena changed
        export cup cup.tar.zst --arena changed
        export cup cup.html --arena changed
        export cup cup.csv --arena changed
    ")), @"
    $ flipside verify cup-4 --arena changed
    -- exit status 1, stderr:
    error: cup-4: the journal is not what the match's record and the tournament's settings show: points of seat 0: 1, not 0; place of seat 0: 1, not 2; points of seat 1: 0, not 1; place of seat 1: 2, not 1
    hint: the result should not count; `flipside verify --arena changed --all` looks for others

    $ flipside verify --all --arena changed
    cup-4: wrong: points of seat 0: 1, not 0; place of seat 0: 1, not 2; points of seat 1: 0, not 1; place of seat 1: 2, not 1
    cup: 5 matches ok, 1 wrong, 6 without a record; 0 faults without evidence
    -- exit status 1, stderr:
    12 matches verified in TIME
    error: the journal has 1 error
    hint: each is named above; results that no record shows should not count

    $ flipside export cup cup.tar.zst --arena changed
    -- exit status 1, stderr:
    error: 1 match of cup is not what the records show, and nothing is written; the first: cup-4: wrong: points of seat 0: 1, not 0; place of seat 0: 1, not 2; points of seat 1: 0, not 1; place of seat 1: 2, not 1
    hint: `flipside verify --arena changed --tournament cup` names every match; where one is missing, the command that began the tournament plays it

    $ flipside export cup cup.html --arena changed
    -- exit status 1, stderr:
    error: 1 match of cup is not what the records show, and nothing is written; the first: cup-4: wrong: points of seat 0: 1, not 0; place of seat 0: 1, not 2; points of seat 1: 0, not 1; place of seat 1: 2, not 1
    hint: `flipside verify --arena changed --tournament cup` names every match; where one is missing, the command that began the tournament plays it

    $ flipside export cup cup.csv --arena changed
    -- exit status 1, stderr:
    error: 1 match of cup is not what the records show, and nothing is written; the first: cup-4: wrong: points of seat 0: 1, not 0; place of seat 0: 1, not 2; points of seat 1: 0, not 1; place of seat 1: 2, not 1
    hint: `flipside verify --arena changed --tournament cup` names every match; where one is missing, the command that began the tournament plays it
    ");
    assert!(!folder.join("cup.html").exists() && !folder.join("cup.tar.zst").exists());
    let unverified = [
        "export",
        "cup",
        "cup.csv",
        "--unverified",
        "--arena",
        "changed",
    ];
    run(folder, &unverified).ok();
    run(folder, &["export", "cup", "true.tar.zst"]).ok();
    run(folder, &["export", "cup", "true.md"]).ok();
}

/// Columns that no record determines: for them there is the journal's word.
const ON_ITS_WORD: [&str; 2] = ["matches.started_at", "matches.duration_us"];

#[test]
fn every_column_that_a_record_determines_is_compared_with_it() {
    let folder = arena();
    let folder = folder.path();
    let file = journal(folder, "arena");
    for table in [
        "matches",
        "match_seats",
        "records",
        "evidence",
        "pauses",
        "entrants",
    ] {
        let query = format!("SELECT name, type FROM pragma_table_info('{table}')");
        let mut columns = file.prepare(&query).unwrap();
        let columns: Vec<(String, String)> = columns
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert!(columns.len() >= 3, "{table}");
        for (column, kind) in columns {
            let name = format!("{table}.{column}");
            if ON_ITS_WORD.contains(&name.as_str()) {
                continue;
            }
            let other = match kind.as_str() {
                "INTEGER" => format!("coalesce({column}, 0) + 1000"),
                "TEXT" => format!("coalesce({column}, '') || 'x'"),
                "BLOB" => format!("zeroblob(length({column}))"),
                other => panic!("{name} is {other}"),
            };
            let other = if name == "pauses.faults" {
                "'{\"late\":7}'".into()
            } else {
                other
            };
            // Of the rows of a table, one.
            let key = format!(
                "(SELECT min(tournament * 100000 + {0}) FROM {table})",
                key(table)
            );
            let sql = format!(
                "UPDATE {table} SET {column} = {other} WHERE tournament * 100000 + {0} = {key}",
                self::key(table)
            );
            let told = found_out(folder, &sql);
            assert!(
                told.contains("wrong: ") || told.contains("missing: "),
                "{name}: {told}"
            );
        }
    }
}

fn key(table: &str) -> &str {
    if table == "entrants" { "number" } else { "idx" }
}

#[test]
fn whatever_else_is_changed_in_a_journal_is_found_out() {
    let folder = arena();
    let folder = folder.path();
    let one = index(folder, "records");
    let other = one + 1;
    let swap_bots = "UPDATE entrants SET number = number + 100;
        UPDATE entrants SET number = 1 - (number - 100) WHERE number < 102;
        UPDATE entrants SET number = number - 100 WHERE number >= 100";
    let forfeit = index(folder, "matches WHERE reason = 'forfeit'");
    let columns = "round, block, started_at, duration_us, reason, plies";
    let gone = [
        delete("evidence", one),
        delete("records", one),
        delete("match_seats", one),
        delete("matches", one),
    ]
    .join("; ");
    let cases: [(&str, String); 23] = [
        ("a bot with another name", "UPDATE bots SET name = 'best' WHERE name = 'first'".into()),
        ("a bot with another version", "UPDATE bots SET version = 7 WHERE name = 'first'".into()),
        ("a bot with another file", format!("UPDATE bots SET sha256 = '{0}', file = '{0}.wat' WHERE name = 'first'", "0".repeat(64))),
        ("a bot of another kind", "UPDATE bots SET kind = 'process' WHERE name = 'first'".into()),
        ("two bots in each other's place", swap_bots.into()),
        ("a tournament with another name", "UPDATE tournaments SET name = 'cap'".into()),
        ("another seed", set("seed", "8")),
        ("another clock", set("clock", "\"move=9s\"")),
        ("other options", set("options", "\"{\\\"max_plies\\\":7}\"")),
        ("another opening", set("opening_plies", "3")),
        ("no jail", "UPDATE tournaments SET settings = json_set(settings, '$.trust', json(CASE settings ->> 'trust' WHEN 1 THEN 'false' ELSE 'true' END))".into()),
        ("pondering", set("ponder", "true")),
        ("another format", set("format", "{\"gauntlet\":{\"challengers\":1}}")),
        ("fewer rounds", set("rounds", "1")),
        ("nobody paused", set("pause_after", "0")),
        ("a match that was deleted", gone.clone()),
        ("a match that was deleted and told as void", format!(
            "{gone}; INSERT INTO voids SELECT id, {one}, 'the host', 1700000000000 FROM tournaments")),
        ("a match that was deleted in part", delete("matches", one)),
        ("a match that was added", format!(
            "INSERT INTO matches (tournament, idx, id, {columns}) SELECT tournament, 5000, 'cup-5000', {columns} FROM matches WHERE idx = {one};
             INSERT INTO match_seats SELECT tournament, 5000, seat, bot, points, place, fault, fault_detail, used_us, plies, model FROM match_seats WHERE idx = {one};
             INSERT INTO records (tournament, idx, sha256, zstd) SELECT tournament, 5000, sha256, zstd FROM records WHERE idx = {one}")),
        ("records in each other's place", format!(
            "UPDATE records SET idx = -1 WHERE idx = {one}; UPDATE records SET idx = {one} WHERE idx = {other}; UPDATE records SET idx = {other} WHERE idx = -1")),
        ("a forfeit that is a win", format!("UPDATE match_seats SET points = 1 - points WHERE idx = {forfeit}")),
        ("a void of no match", "INSERT INTO voids (tournament, idx, reason, at) SELECT id, 5000, 'late', 5 FROM tournaments".into()),
        ("something that acts by itself", "CREATE TRIGGER t AFTER INSERT ON voids BEGIN DELETE FROM voids; END".into()),
    ];
    for (what, sql) in cases {
        let arena = changed(folder, &sql);
        let run = run(folder, &["verify", "--all", "--arena", &arena]);
        assert_eq!(run.code, Some(1), "{what}: {}{}", run.stdout, run.stderr);
        assert!(!run.stderr.contains("panicked"), "{what}: {}", run.stderr);
        let told = run.stdout.contains("wrong: ") || run.stdout.contains("missing: ");
        assert!(told, "{what}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn a_tournament_with_a_match_that_was_deleted_or_a_view_is_not_exported() {
    let folder = arena();
    let folder = folder.path();
    let one = index(folder, "records");
    let tables = ["evidence", "records", "match_seats", "matches"];
    let gone = tables.map(|table| delete(table, one)).join("; ");
    let told = [gone, "CREATE VIEW v AS SELECT * FROM matches".into()].map(|sql| {
        changed(folder, &sql);
        let told = session(
            folder,
            "
            export cup cup.html --arena changed
            export cup cup.csv --arena changed
            export cup cup.tar.zst --arena changed
        ",
        );
        for file in ["cup.html", "cup.csv", "cup.tar.zst"] {
            assert!(!folder.join(file).exists(), "{file}");
        }
        told
    });
    assert_snapshot!(told.join("\n"), @"
    $ flipside export cup cup.html --arena changed
    -- exit status 1, stderr:
    error: 7 matches of cup are not what the records show, and nothing is written; the first: cup-0: missing: later matches have results; it was deleted, was void each time, or the tournament was killed before it landed; the command that began the tournament plays it
    hint: `flipside verify --arena changed --tournament cup` names every match; where one is missing, the command that began the tournament plays it

    $ flipside export cup cup.csv --arena changed
    -- exit status 1, stderr:
    error: 7 matches of cup are not what the records show, and nothing is written; the first: cup-0: missing: later matches have results; it was deleted, was void each time, or the tournament was killed before it landed; the command that began the tournament plays it
    hint: `flipside verify --arena changed --tournament cup` names every match; where one is missing, the command that began the tournament plays it

    $ flipside export cup cup.tar.zst --arena changed
    -- exit status 1, stderr:
    error: 7 matches of cup are not what the records show, and nothing is written; the first: cup-0: missing: later matches have results; it was deleted, was void each time, or the tournament was killed before it landed; the command that began the tournament plays it
    hint: `flipside verify --arena changed --tournament cup` names every match; where one is missing, the command that began the tournament plays it

    $ flipside export cup cup.html --arena changed
    -- exit status 1, stderr:
    error: the journal is damaged or was changed: there is a foreign view v
    hint: `flipside verify --arena changed --tournament cup` names every match; where one is missing, the command that began the tournament plays it

    $ flipside export cup cup.csv --arena changed
    -- exit status 1, stderr:
    error: the journal is damaged or was changed: there is a foreign view v
    hint: `flipside verify --arena changed --tournament cup` names every match; where one is missing, the command that began the tournament plays it

    $ flipside export cup cup.tar.zst --arena changed
    -- exit status 1, stderr:
    error: the journal is damaged or was changed: there is a foreign view v
    hint: `flipside verify --arena changed --tournament cup` names every match; where one is missing, the command that began the tournament plays it
    ");
}

#[test]
fn a_match_that_was_added_far_off_makes_none_of_those_that_are_still_to_come_missing() {
    let folder = arena();
    let folder = folder.path();
    let columns = "round, block, started_at, duration_us, reason, plies";
    let told = found_out(
        folder,
        &format!(
            "DELETE FROM evidence WHERE idx >= 5; DELETE FROM records WHERE idx >= 5;
             DELETE FROM match_seats WHERE idx >= 5; DELETE FROM matches WHERE idx >= 5;
             INSERT INTO matches (tournament, idx, id, {columns}) SELECT tournament, 11, 'cup-11', {columns} FROM matches WHERE idx = 4;
             INSERT INTO match_seats SELECT tournament, 11, seat, bot, points, place, fault, fault_detail, used_us, plies, model FROM match_seats WHERE idx = 4;
             INSERT INTO matches (tournament, idx, id, {columns}) SELECT tournament, 5000, 'cup-5000', {columns} FROM matches WHERE idx = 4"
        ),
    );
    // Between the fourth and the eleventh there must have been others.
    assert_snapshot!(told, @"
    cup-5: missing: later matches have results; it was deleted, was void each time, or the tournament was killed before it landed; the command that began the tournament plays it
    cup-6: missing: later matches have results; it was deleted, was void each time, or the tournament was killed before it landed; the command that began the tournament plays it
    cup-7: missing: later matches have results; it was deleted, was void each time, or the tournament was killed before it landed; the command that began the tournament plays it
    cup-8: missing: later matches have results; it was deleted, was void each time, or the tournament was killed before it landed; the command that began the tournament plays it
    cup-9: missing: later matches have results; it was deleted, was void each time, or the tournament was killed before it landed; the command that began the tournament plays it
    cup-10: missing: later matches have results; it was deleted, was void each time, or the tournament was killed before it landed; the command that began the tournament plays it
    cup-11: wrong: its record is missing
    cup-5000: wrong: a match before it must be over first, and its result is not known
    cup: 3 matches ok, 2 wrong, 2 without a record, 6 missing; 0 faults without evidence
    ");
    let short = found_out(
        folder,
        &format!(
            "DELETE FROM evidence WHERE idx >= 5; DELETE FROM records WHERE idx >= 5;
             DELETE FROM match_seats WHERE idx >= 5; DELETE FROM matches WHERE idx >= 5;
             INSERT INTO matches (tournament, idx, id, {columns}) SELECT tournament, 5000, 'cup-5000', {columns} FROM matches WHERE idx = 4"
        ),
    );
    assert_snapshot!(short, @"
    cup-5000: wrong: a match before it must be over first, and its result is not known
    cup: 3 matches ok, 1 wrong, 2 without a record; 0 faults without evidence
    ");
}

fn set(key: &str, json: &str) -> String {
    let json = json.replace('\'', "''");
    format!("UPDATE tournaments SET settings = json_set(settings, '$.{key}', json('{json}'))")
}

fn delete(table: &str, index: i64) -> String {
    format!("DELETE FROM {table} WHERE idx = {index}")
}

/// A record with one line changed and sealed again, in place of the one that was there.
#[test]
fn a_record_that_was_changed_and_sealed_again_is_found_out_by_the_result() {
    use sha2::{Digest, Sha256};
    let folder = arena();
    let folder = folder.path();
    let arena = changed(folder, "SELECT 1");
    let journal = journal(folder, &arena);
    let one = index(folder, "records");
    let select = format!("SELECT zstd FROM records WHERE idx = {one}");
    let packed: Vec<u8> = journal.query_row(&select, [], |row| row.get(0)).unwrap();
    let text = unpacked(&packed);
    // A ready bot is a little slower: the record stays true, and is another one.
    let (body, _) = text.trim_end().rsplit_once('\n').unwrap();
    let slower = |line: &str| match line.starts_with("{\"type\":\"acts\"") {
        true => line.replacen("\"us\":", "\"us\":1", 1),
        false => line.to_owned(),
    };
    let body: String = body.lines().map(|line| slower(line) + "\n").collect();
    let seal: String = (Sha256::digest(&body).iter())
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let text = format!("{body}{{\"type\":\"end\",\"sha256\":\"{seal}\"}}\n");
    let values = [
        Value::Blob(Sha256::digest(&text).to_vec()),
        Value::Blob(zstd::encode_all(text.as_bytes(), 3).unwrap()),
    ];
    let update = format!("UPDATE records SET sha256 = ?, zstd = ? WHERE idx = {one}");
    journal.execute(&update, params_from_iter(values)).unwrap();
    drop(journal);
    assert_snapshot!(shown(&verify(folder, &arena)), @"
    cup-0: wrong: microseconds of seat 0: TIME, not TIME
    cup: 5 matches ok, 1 wrong, 6 without a record; 0 faults without evidence
    -- exit status 1, stderr:
    12 matches verified in TIME
    error: the journal has 1 error
    hint: each is named above; results that no record shows should not count
    ");
}
