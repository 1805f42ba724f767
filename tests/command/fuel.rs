//! Clocks that count fuel: the record holds it, the rules and the module confirm it, and the whole tournament is the
//! same everywhere.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::{run, sample, script};
use crate::rerun::{SILENT, changed, record, sealed};
use crate::shown::shown;

/// Its fuel for a move is less than what its bots use.
const CUP: &str = concat!(
    "tournament flipflop-3x3 ./first.wat ./other.wat ./silent.wat --rounds 2 --deterministic --seed ",
    seed!(5)
);

pub(crate) fn bots(folder: &Path) {
    fs::copy(sample("wat/first.wat"), folder.join("first.wat")).unwrap();
    fs::copy(sample("wat/instant.wat"), folder.join("other.wat")).unwrap();
    fs::write(folder.join("silent.wat"), SILENT).unwrap();
}

fn cup(folder: &Path, more: &str) -> String {
    let args: Vec<&str> = CUP.split(' ').chain(more.split(' ')).collect();
    run(folder, &args).ok()
}

/// What an arena has of a tournament, but for the times at which it was played.
pub(crate) fn exported(folder: &Path, arena: &str) -> Vec<u8> {
    let archive = format!("{arena}.tar.zst");
    run(folder, &["export", "cup", &archive, "--arena", arena]).ok();
    let bytes = fs::read(folder.join(archive)).unwrap();
    let tar = zstd::decode_all(&bytes[..]).unwrap();
    let mut all = Vec::new();
    for entry in tar::Archive::new(&tar[..]).entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().into_owned();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
        let without_times = |line: &mut Value| {
            for key in ["created_at", "started_at", "duration_us"] {
                line.as_object_mut().unwrap().remove(key);
            }
        };
        if path.ends_with("archive.json") {
            let mut value = serde_json::from_slice(&bytes).unwrap();
            without_times(&mut value);
            bytes = value.to_string().into_bytes();
        } else if path.parent().is_some_and(|of| of.ends_with("results")) {
            let text = std::str::from_utf8(&bytes).unwrap();
            bytes = changed(text, without_times).into_bytes();
        }
        all.extend(path.to_string_lossy().bytes().chain(bytes));
    }
    all
}

#[test]
fn a_deterministic_tournament_is_the_same_at_any_concurrency_and_load() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    let clock = "--name cup --clock fuel=1M,start=1M --force-concurrency --no-affinity";
    let tables: Vec<String> = [("one", 1), ("four", 4)]
        .map(|(arena, concurrency)| {
            cup(
                folder,
                &format!("{clock} --arena {arena} --concurrency {concurrency}"),
            );
            run(folder, &["table", "cup", "--full", "--arena", arena]).ok()
        })
        .into();
    assert_eq!(tables[0], tables[1]);
    let [one, four] = ["one", "four"].map(|arena| exported(folder, arena));
    assert!(one == four, "the archives differ");
    assert!(one.len() > 10_000);
    // The module that loops is late, which is compared as everything else.
    assert_snapshot!(shown(&run(folder, &["verify", "--tournament", "cup", "--rerun", "--arena", "four"])), @"
    cup: 9 matches ok, 0 wrong, 3 without a record; 5 faults without evidence
    18 modules played again, 46 answers equal
    -- stderr:
    12 matches verified in TIME
    12 matches played again in TIME
    ");
}

#[test]
fn what_depends_on_the_machine_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    let refused = |args: &str| shown(&run(folder, &args.split(' ').collect::<Vec<_>>()));
    assert_snapshot!(refused(CUP), @"
    -- exit status 2, stderr:
    error: a deterministic tournament has clocks that count fuel, and move=1s counts time
    hint: --clock fuel=10G gives each move ten billion instructions
    ");
    assert_snapshot!(refused(&format!("{CUP} --clock fuel=1M --bot {{\"first\":{{\"clock\":\"move=2s\"}}}}")), @"
    -- exit status 2, stderr:
    error: a deterministic tournament has clocks that count fuel, and move=2s counts time
    hint: --clock fuel=10G gives each move ten billion instructions
    ");
    let process = script(folder, "process", "#!/bin/sh\n");
    assert_snapshot!(refused(&format!("{} {process} --clock fuel=1M", CUP.replace(" ./silent.wat", ""))), @"
    -- exit status 2, stderr:
    flipflop-3x3 has no random events: deterministic bots repeat the same match, and every repetition counts; --opening-plies 4 starts each block with random moves
    error: FOLDER/process: FOLDER/process is a process, and only WebAssembly modules have fuel
    hint: use a clock of time, such as --clock move=1s, or a .wasm file
    ");
    assert_snapshot!(refused(&format!("match flipflop-3x3 ./first.wat {process} --clock fuel=1M")), @"
    -- exit status 2, stderr:
    error: process: FOLDER/process is a process, and only WebAssembly modules have fuel
    hint: use a clock of time, such as --clock move=1s, or a .wasm file
    ");
    assert_snapshot!(refused("match flipflop-3x3 ./first.wat ./other.wat --clock fuel=1s"), @r#"
    -- exit status 2, stderr:
    error: invalid value 'fuel=1s' for '--clock <CLOCK>': "fuel=1s" is not a clock; write move=1s (for each move), 10s+100ms (bank and increment), or for modules fuel=10G or fuel=100G+1G; ,start=5s or ,start=50G behind it is for the start; times are 1ms to 24h in h, m, s or ms, fuel is 1M to 864000G in G or M

    For more information, try '--help'.
    "#);
}

#[test]
fn the_fuel_of_a_record_is_that_of_its_module() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    bots(folder);
    cup(folder, "--name cup --clock fuel=1M,start=1M");
    let text = record(folder, ["first@1", "other@1"]);
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(header["metering"], "wasmtime-48/1");
    assert!(
        !text.contains("wall_us") && !text.contains("cpu_us"),
        "{text}"
    );
    let check = |name: &str, change: &dyn Fn(&mut Value)| {
        fs::write(folder.join(name), sealed(&changed(&text, change))).unwrap();
        shown(&run(folder, &["verify", name, "--rerun"]))
    };
    let of_acts = |line: &mut Value, change: &dyn Fn(&mut Value)| {
        if line["type"] == "acts" {
            change(&mut line["acts"][0]);
        }
    };
    assert_snapshot!(check("true.jsonl", &|_| ()), @"true.jsonl: ok: flipflop-3x3 cup-4, 3 plies, goal, not signed; 2 modules played again, 5 answers equal");
    // A little more fuel is the same time, and only the module shows that it used less.
    assert_snapshot!(check("more.jsonl", &|line| of_acts(line, &|act| {
        act["fuel"] = act["fuel"].as_u64().unwrap().next_multiple_of(10_000).into();
    })), @"
    -- exit status 1, stderr:
    error: more.jsonl: seat 0, first@1: at question 1, after ply 0, it uses 4900 units of fuel; the record has 10000
    hint: the module did not play this match: the result should not count
    ");
    assert_snapshot!(check("time.jsonl", &|line| of_acts(line, &|act| act["us"] = 50.into())), @r#"
    -- exit status 1, stderr:
    error: time.jsonl: line 4: seat 0, "a1-a2": 50 µs is not the time of 4900 units of fuel
    hint: the record does not tell what happened; its result should not count
    "#);
    assert_snapshot!(check("none.jsonl", &|line| of_acts(line, &|act| {
        act.as_object_mut().unwrap().remove("fuel");
    })), @r#"
    -- exit status 1, stderr:
    error: none.jsonl: line 4: seat 0, "a1-a2": its clock counts fuel, which is missing
    hint: the record does not tell what happened; its result should not count
    "#);
    assert_snapshot!(check("engine.jsonl", &|line| {
        if line["type"] == "match" {
            line["metering"] = "wasmtime-47/1".into();
        }
    }), @"
    -- exit status 1, stderr:
    error: engine.jsonl: its fuel is that of wasmtime-47/1, and flipside 0.1.0 counts that of wasmtime-48/1
    hint: the module did not play this match: the result should not count
    ");
    // An older version may have had another engine.
    assert_snapshot!(check("older.jsonl", &|line| {
        if line["type"] == "match" {
            line["metering"] = "wasmtime-47/1".into();
            line["flipside"] = "0.0.9".into();
        }
    }), @"older.jsonl: ok: flipflop-3x3 cup-4, 3 plies, goal, not signed; 0 modules played again, 0 answers equal, 2 modules with the fuel of another engine not played again");
    assert_snapshot!(check("unmetered.jsonl", &|line| {
        if line["type"] == "match" {
            line.as_object_mut().unwrap().remove("metering");
        }
    }), @"
    -- exit status 1, stderr:
    error: unmetered.jsonl: line 1: a clock counts fuel, and the metering is missing
    hint: the record does not tell what happened; its result should not count
    ");
    // Somebody says that a bot was late that was not.
    let late = changed(&record(folder, ["silent@1", "other@1"]), |line| {
        if line["type"] == "match" {
            for seat in line["seats"].as_array_mut().unwrap() {
                if seat["bot"] == "silent@1" {
                    seat["bot"] = "first@1".into();
                    seat["sha256"] = header["seats"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .find(|seat| seat["bot"] == "first@1")
                        .unwrap()["sha256"]
                        .clone();
                }
            }
        }
    });
    fs::write(folder.join("late.jsonl"), sealed(&late)).unwrap();
    run(folder, &["verify", "late.jsonl"]).ok();
    assert_snapshot!(shown(&run(folder, &["verify", "late.jsonl", "--rerun"])), @r#"
    -- exit status 1, stderr:
    error: late.jsonl: seat 1, first@1: at hello, it answers {"type":"ready","name":"first","version":"1","actions":true,"reuse":true}; the record has the fault late
    hint: the module did not play this match: the result should not count
    "#);
}
