//! At most as many bots think at once as there are cores, unless that is forced; and bots stay where they are put.

mod common;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use common::{Run, run, sample, script};
use flipside_sandbox::Cores;

const CLOCK: [&str; 4] = ["--clock", "move=30s,start=30s", "--seed", "1"];

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn tournament(folder: &Path, game: &str, bots: [&str; 2], more: &[&str]) -> Run {
    let args = [&["tournament", game], &bots[..], &CLOCK, more].concat();
    run(folder, &args)
}

#[test]
fn more_matches_at_once_than_cores_for_them_are_refused_unless_they_are_forced() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = ["sample:random", "sample:greedy"];
    let modules = [&sample("wat/first.wat")[..], &sample("wat/instant.wat")];
    for (game, bots, more, thinking) in [
        ("flipfour", bots, &[][..], 1),
        ("flipfour", bots, &["--ponder", "on"], 2),
        ("puissance4-basic", bots, &[], 2),
        ("puissance4-basic", modules, &["--ponder", "on"], 1),
    ] {
        let most = (cores() / thinking).max(1);
        let (fits, too_many) = (most.to_string(), (most + 1).to_string());
        let dry = |number: &[&str]| {
            tournament(folder, game, bots, &[&["--dry-run"], more, number].concat())
        };
        let refused = dry(&["--concurrency", &too_many]).refused(2);
        for words in [
            format!("up to {} bots thinking at once", (most + 1) * thinking),
            format!("hint: --concurrency {fits}, or --force-concurrency"),
        ] {
            assert!(refused.contains(&words), "{words}: {refused}");
        }
        let at_once = match most {
            1 => "one match at a time".to_owned(),
            _ => format!("{most} matches at a time"),
        };
        for number in [&[][..], &["--concurrency", &fits]] {
            let told = dry(number);
            let waits = told.stderr.contains("they wait for each other");
            assert_eq!(waits, most * thinking > cores(), "{}", told.stderr);
            let told = told.ok();
            assert!(told.contains(&at_once), "{told}");
        }
        let forced = dry(&["--force-concurrency", "--concurrency", &too_many]);
        let words = format!("up to {} bots think at once on", (most + 1) * thinking);
        assert!(forced.stderr.contains(&words), "{}", forced.stderr);
        assert!(
            forced.stderr.contains("because of --force-concurrency"),
            "{}",
            forced.stderr
        );
        let forced = forced.ok();
        assert!(
            forced.contains(&format!("{too_many} matches at a time")),
            "{forced}"
        );
    }
    // A file says the same.
    let too_many = cores() + 1;
    let text = "game = \"flipfour\"\nbots = [\"sample:random\", \"sample:greedy\"]\n";
    let file = |more: &str| {
        std::fs::write(
            folder.join("cup.toml"),
            format!("{text}concurrency = {too_many}\n{more}"),
        )
        .unwrap();
        run(folder, &["tournament", "cup.toml", "--dry-run"])
    };
    file("").refused(2);
    file("force-concurrency = true\n").ok();
    assert!(!folder.join("arena").exists());
}

/// Tells on which cores it is, and whether it may go to others; plays the first legal action.
const TELLS: &str = r##"#!/usr/bin/env python3
import json, os, sys, time
try:
    os.sched_setaffinity(0, range(os.cpu_count()))
    free = "free"
except OSError:
    free = "kept"
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "hello":
        print('{"type":"ready","actions":true}', flush=True)
    elif said["type"] == "turn":
        time.sleep(0.05)
        status = open("/proc/self/status").read().split("Cpus_allowed_list:")[1].split()[0]
        act = {"type": "act", "id": said["id"], "action": said["actions"][0], "note": free + " " + status}
        print(json.dumps(act), flush=True)
"##;

#[test]
fn each_match_at_once_and_its_bots_stay_on_cores_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tells = script(folder, "tells", TELLS);
    let allowed = Cores::allowed().unwrap().count();
    let number = allowed.min(cores()).min(2);
    let typed = number.to_string();
    let first = sample("wat/first.wat");
    let bots = [&tells[..], &first];
    let more = ["--use-affinity", "--rounds", "4", "--concurrency", &typed];
    tournament(folder, "flipflop-3x3", bots, &more).ok();
    let notes = notes(folder);
    assert!(notes.iter().all(|(free, _)| free == "kept"), "{notes:?}");
    // One core each, for in turn one bot thinks; so different ones share nothing.
    let places: BTreeSet<&str> = notes.iter().map(|(_, place)| place.as_str()).collect();
    assert!(
        places.iter().all(|place| place.parse::<u32>().is_ok()),
        "{places:?}"
    );
    assert_eq!(places.len(), number, "{places:?}");
    // More matches than cores cannot have cores of their own.
    let too_many = (allowed + 1).to_string();
    let more = [
        "--use-affinity",
        "--force-concurrency",
        "--concurrency",
        &too_many,
    ];
    let refused = tournament(folder, "flipflop-3x3", bots, &more).refused(2);
    assert!(
        refused.contains("cores of their own") && refused.contains("hint: "),
        "{refused}"
    );
}

#[test]
fn without_affinity_a_bot_may_run_wherever_the_tournament_may_and_still_not_choose() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tells = script(folder, "tells", TELLS);
    let bots = [&tells[..], "sample:random"];
    tournament(folder, "flipflop-3x3", bots, &[]).ok();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ours = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .unwrap();
    let due = ("kept".to_owned(), ours.trim().to_owned());
    let notes = notes(folder);
    assert!(
        !notes.is_empty() && notes.iter().all(|note| *note == due),
        "{notes:?}"
    );
}

/// All notes in the records: whether the bot was free to move, and where it was.
fn notes(folder: &Path) -> Vec<(String, String)> {
    let rows = run(folder, &["matches", "--json"]).ok();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
    let mut notes = Vec::new();
    for row in rows {
        let record = run(folder, &["matches", row["id"].as_str().unwrap()]).ok();
        for line in record.lines() {
            let Ok(line) = serde_json::from_str::<serde_json::Value>(line) else {
                continue;
            };
            let acts = line["acts"].as_array().cloned().unwrap_or_default();
            for note in acts.iter().filter_map(|act| act["note"].as_str()) {
                let (free, place) = note.split_once(' ').unwrap();
                notes.push((free.to_owned(), place.to_owned()));
            }
        }
    }
    notes
}

/// Thinks for a while, and plays the first legal action.
const THINKS: &str = r##"#!/usr/bin/env python3
import json, sys, time
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "hello":
        print('{"type":"ready","actions":true}', flush=True)
    elif said["type"] == "turn":
        time.sleep(0.08)
        act = {"type": "act", "id": said["id"], "action": said["actions"][0]}
        print(json.dumps(act), flush=True)
"##;

#[test]
fn that_the_referee_was_stopped_is_no_bots_fault() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = ["one", "two"].map(|name| script(folder, name, &format!("{THINKS}# {name}\n")));
    let mut child = common::flipside(folder)
        .args(["tournament", "flipflop-3x3", &bots[0], &bots[1]])
        .args(["--options", r#"{"max_plies":14}"#, "--rounds", "8"])
        .args(["--clock", "move=1s,start=30s"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let pid = Pid::from_child(&child);
    let played = || {
        let table = run(folder, &["table", "--json"]).stdout;
        let table: Option<serde_json::Value> = serde_json::from_str(&table).ok();
        table.map_or(0, |table| table["played"].as_u64().unwrap_or(0))
    };
    // A match that is void twice is played a third time.
    for before in [0, 6] {
        while played() <= before {
            std::thread::sleep(Duration::from_millis(50));
        }
        kill_process(pid, Signal::TSTP).unwrap();
        // As long as a move may take: too long for who thinks, and not so long that the referee sees by itself
        // that it was not there.
        std::thread::sleep(Duration::from_secs(1));
        kill_process(pid, Signal::CONT).unwrap();
    }
    assert!(child.wait().unwrap().success());
    let table = run(folder, &["table", "--json"]).ok();
    let table: serde_json::Value = serde_json::from_str(&table).unwrap();
    assert_eq!(table["played"], 16);
    // Nearly always somebody thinks: what was stopped then was played again.
    assert!(table["voids"].as_u64().unwrap() > 0, "{table}");
    for row in table["rows"].as_array().unwrap() {
        assert_eq!(row["faults"], 0, "{table}");
    }
}
