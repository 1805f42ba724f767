//! The same tournament gives the same journal, whatever is played at once: every column of every table, but for
//! times.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use flipside_store::Arena;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::common::{built, in_own_mounts, run, sample, script};
use crate::unpacked;

/// The columns that are times. Nothing else may differ.
const TIMES: [&str; 6] = [
    "submitted_at",
    "created_at",
    "started_at",
    "duration_us",
    "used_us",
    "at",
];

/// The keys in records that are times.
const TIMES_OF_RECORDS: [&str; 3] = ["us", "wall_us", "cpu_us"];

/// It falls at its first turn, and says why.
const BAD: &str = "#!/bin/sh\nread x\necho '{\"type\":\"ready\"}'\nread x\necho 'I give up' >&2\necho resign\nread x\n";

/// Formats with what makes them long enough; a sequential test is decided long before its last round.
const FORMATS: [&[&str]; 7] = [
    &["round-robin", "--rounds", "2", "--pause-after", "3"],
    &["swiss", "--rounds", "3"],
    &["knockout", "--best-of", "3", "--third-place"],
    &["double-elimination", "--best-of", "3"],
    &["ladder", "--matches", "30"],
    &["gauntlet", "--challengers", "2"],
    &["sprt", "--elo0", "-10", "--elo1", "60"],
];

/// Plays a tournament in a new arena, which gets what others have compiled: that takes longer than to play.
fn play(folder: &Path, arena: &str, game: &str, bots: &[String], at_once: &str, more: &[&str]) {
    Arena::create(folder.join(arena)).unwrap();
    let (compiled, cache) = (folder.join("compiled"), folder.join(arena).join("cache"));
    fs::create_dir_all(&compiled).unwrap();
    copy_files(&compiled, &cache);
    let mut args = vec!["tournament", game];
    args.extend(bots.iter().map(String::as_str));
    args.extend(["--clock", "move=30s,start=30s", "--name", "cup"]);
    args.extend(["--concurrency", at_once, "--force-concurrency"]);
    args.extend(["--arena", arena]);
    args.extend(more);
    run(folder, &args).ok();
    copy_files(&cache, &compiled);
}

fn copy_files(from: &Path, to: &Path) {
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// All that is in a journal, in the order of its keys, a line for each value.
fn content(folder: &Path, arena: &str) -> String {
    let file = folder.join(arena).join("journal.sqlite");
    let journal = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut tables = journal
        .prepare(
            // How a tournament was run is no part of what was played.
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'runs' ORDER BY name",
        )
        .unwrap();
    let tables: Vec<String> = tables
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut content = String::new();
    for table in tables {
        let mut rows = journal.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let order = ["1", "1, 2", "1, 2, 3"][rows.column_count().min(3) - 1];
        rows = journal
            .prepare(&format!("SELECT * FROM {table} ORDER BY {order}"))
            .unwrap();
        let columns: Vec<String> = rows.column_names().map(String::from).collect();
        let packed = columns.iter().any(|column| column == "zstd");
        let mut rows = rows.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for (at, column) in columns.iter().enumerate() {
                let value = match row.get_ref(at).unwrap() {
                    _ if TIMES.contains(&column.as_str()) => "a time".to_owned(),
                    // The hash of a text that has times in it.
                    _ if packed && column == "sha256" => "a hash".to_owned(),
                    ValueRef::Null => "nothing".to_owned(),
                    ValueRef::Integer(number) => number.to_string(),
                    ValueRef::Real(number) => number.to_string(),
                    ValueRef::Text(text) => String::from_utf8(text.to_vec()).unwrap(),
                    ValueRef::Blob(bytes) => without_times(bytes),
                };
                writeln!(content, "{table}.{column}: {value}").unwrap();
            }
        }
    }
    content
}

/// A record, or what is kept of a fault.
fn without_times(zstd: &[u8]) -> String {
    let text = unpacked(zstd);
    let line = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        mask(&mut line);
        if line["type"] == "end" {
            line["sha256"] = "a hash".into();
        }
        line.to_string()
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn mask(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(object) => {
            // Some are there only where something was measured.
            object.retain(|key, _| !TIMES_OF_RECORDS.contains(&key.as_str()));
            // What was said last: a question has the clocks, to which the rest of the time to start is added.
            let said = object.get("line").and_then(|line| line.as_str());
            let said = said.and_then(|line| serde_json::from_str::<serde_json::Value>(line).ok());
            if let Some(mut said) = said.filter(|said| said["clocks"].is_array()) {
                said["clocks"] = "times".into();
                object.insert("line".into(), said.to_string().into());
                object.insert("bytes".into(), "a length".into());
            }
            object.values_mut().for_each(mask);
        }
        serde_json::Value::Array(array) => array.iter_mut().for_each(mask),
        _ => {}
    }
}

/// Shows the first line that differs, and not two journals.
#[track_caller]
fn assert_same(one: &str, other: &str, what: &str) {
    let mut lines = one.lines().zip(other.lines());
    if let Some((one, other)) = lines.find(|(one, other)| one != other) {
        panic!("{what}:\n{one}\n{other}");
    }
    assert!(one == other, "{what}: one is longer");
}

#[test]
fn the_same_seed_gives_the_same_journal_at_any_concurrency_but_for_times() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = [
        built("random-c"),
        built("greedy.wasm"),
        sample("wat/first.wat"),
        "sample:random".into(),
        script(folder, "bad", BAD),
    ];
    for format in FORMATS {
        let name = format[0];
        let bots = if name == "sprt" {
            &bots[..2]
        } else {
            &bots[..]
        };
        let more = ["--format", name, "--opening-plies", "2"];
        let more = [&more[..], &format[1..]].concat();
        let journal = |at_once: &str, seed: &str| {
            let arena = format!("{name}-{at_once}-{seed}");
            let more = [&more[..], &["--seed", seed]].concat();
            play(folder, &arena, "flipflop-3x3", bots, at_once, &more);
            content(folder, &arena)
        };
        let one = journal("1", seed!(5));
        let records = one.matches("records.zstd: ").count();
        assert!(records >= 10, "{name}: {records} records");
        if name == "round-robin" {
            assert!(one.contains("pauses.faults: {\"malformed\":3}"));
            assert!(one.contains("match_seats.fault: forfeit"));
            assert!(one.contains("I give up"), "what a bot said is kept");
            assert!(one != journal("2", seed!(6)), "another seed seems the same");
        }
        for at_once in ["2", "3"] {
            assert_same(
                &one,
                &journal(at_once, seed!(5)),
                &format!("{name}, {at_once} at once"),
            );
        }
        println!("{name}: {records} matches");
    }
}

#[test]
fn simultaneous_turns_of_processes_and_modules_give_the_same_journal_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = [
        built("random-c"),
        sample("wat/first.wat"),
        "sample:random".into(),
    ];
    let journal = |at_once: &str| {
        let more = ["--seed", seed!(7)];
        play(folder, at_once, "puissance4-basic", &bots, at_once, &more);
        content(folder, at_once)
    };
    let one = journal("1");
    assert_eq!(one.matches("records.zstd: ").count(), 6);
    for at_once in ["2", "3"] {
        assert_same(&one, &journal(at_once), at_once);
    }
}

#[test]
fn an_arena_on_a_read_only_mount_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let bots = ["sample:random", "sample:greedy"].map(String::from);
    play(
        folder.path(),
        "arena",
        "flipflop-3x3",
        &bots,
        "1",
        &["--rounds", "1"],
    );
    let text = format!(
        "mount --bind arena arena && mount -o remount,bind,ro arena || exit 99
         touch arena/bots/x 2>/dev/null && exit 98
         {flipside} table --arena arena cup && {flipside} verify --arena arena --all",
        flipside = env!("CARGO_BIN_EXE_flipside"),
    );
    let output = in_own_mounts(folder.path(), &text);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(told.contains("2 of 2 matches"), "{told}");
}
