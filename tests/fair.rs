//! At most as many bots think at once as there are cores, unless that is forced; and bots stay where they are put. What
//! is tried here depends on all that runs on this machine: nothing should run beside it.

mod common;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use common::{TestRun, run, sample, script};
use flipside_sandbox::Cores;

const CLOCK: [&str; 4] = ["--clock", "move=5m,start=5m", "--seed", "1"];

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn tournament(folder: &Path, game: &str, bots: [&str; 2], more: &[&str]) -> TestRun {
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

/// Tells where all its threads are, and whether one of them is free to move. With its first answer, or with a later
/// one, it begins a thread or a process that stays.
const SPREADS: &str = r##"#!/usr/bin/env python3
import errno, json, os, socket, subprocess, sys, threading, time
def is_claimed(core):
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
            claim.bind("\0flipside-core-" + str(core))
    except OSError as error:
        return error.errno == errno.EADDRINUSE
    return False
def thread():
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
def process():
    subprocess.Popen(["sleep", "3600"])
def nothing():
    pass
def place(path):
    return open(path + "/status").read().split("Cpus_allowed_list:")[1].split()[0]
def places():
    tasks = {place("/proc/self/task/" + task) for task in os.listdir("/proc/self/task")}
    return "+".join(sorted(tasks))
begin, after, answers = BEGIN, AFTER, 0
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] not in ("hello", "turn"):
        continue
    if answers == after:
        begin()
    answers += 1
    if said["type"] == "hello":
        print('{"type":"ready","actions":true}', flush=True)
    else:
        claims = "claims" if any(map(is_claimed, range(os.cpu_count()))) else "none"
        act = {"type": "act", "id": said["id"], "action": said["actions"][0], "note": claims + " " + places()}
        print(json.dumps(act), flush=True)
"##;

/// One test at a time: which cores are left depends on what else runs.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// How often a tournament is played until there were cores for it, and the pause between.
const MAX_TRIES: u32 = 300;
const PAUSE: Duration = Duration::from_secs(1);

/// Plays until no other run had the cores, and gives by match where the bot was at each of its turns. Whenever there
/// were none, it ran anywhere.
fn places_with_affinity(begin: &str, after: u32) -> Option<Vec<Vec<String>>> {
    // Nothing is pinned within a quota.
    if cores() < Cores::allowed().unwrap().count() {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = SPREADS.replace("BEGIN", begin);
    let bot = script(
        folder,
        "spreads",
        &text.replace("AFTER", &after.to_string()),
    );
    let bots = [&bot[..], &sample("wat/first.wat")];
    for number in 0..MAX_TRIES {
        let arena = format!("arena-{number}");
        let more = ["--concurrency", "1", "--rounds", "1", "--arena", &arena];
        let table = tournament(folder, "flipfour", bots, &more).ok();
        let place = |(claims, place)| {
            assert_eq!(claims, "none", "bots see claims");
            place
        };
        let places = notes_by_match(folder, &arena).into_iter();
        let places = places.map(|notes| notes.into_iter().map(place).collect());
        let places: Vec<Vec<String>> = places.collect();
        let is_long = |places: &Vec<String>| places.len() >= 5;
        assert!(
            places.len() == 2 && places.iter().all(is_long),
            "{places:?}"
        );
        if table.contains("affinity: each match ran on CPU cores of its own") {
            return Some(places);
        }
        assert!(places.iter().all(|places| anywhere(places)), "{places:?}");
        std::thread::sleep(PAUSE);
    }
    panic!("other runs had the cores all the time");
}

/// Whether a bot could run wherever this test can.
fn anywhere(places: &[String]) -> bool {
    let allowed = allowed_list();
    places.iter().all(|place| *place == allowed)
}

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn a_bot_of_one_thread_is_kept_on_one_core_after_its_first_turn() {
    let _alone = alone();
    for places in places_with_affinity("nothing", 0).unwrap_or_default() {
        // The process of each match starts free: its second answer is the one to its first turn.
        assert!(anywhere(&places[..1]), "{places:?}");
        let is_one_core = |place: &String| place.parse::<u32>().is_ok();
        assert!(places[1..].iter().all(is_one_core), "{places:?}");
    }
}

#[test]
fn a_bot_of_several_threads_or_processes_is_kept_nowhere() {
    let _alone = alone();
    for begin in ["thread", "process"] {
        for places in places_with_affinity(begin, 0).unwrap_or_default() {
            assert!(anywhere(&places), "{begin}: {places:?}");
        }
    }
}

#[test]
fn a_bot_that_begins_a_thread_later_is_set_free_with_all_its_threads() {
    let _alone = alone();
    for begin in ["thread", "process"] {
        // It is pinned by then, and so is what it begins. It is looked at after its fourth answer at the latest.
        for places in places_with_affinity(begin, 2).unwrap_or_default() {
            assert!(anywhere(&places[3..]), "{begin}: {places:?}");
        }
    }
}

#[test]
fn the_table_says_in_how_many_runs_matches_had_cores_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = [&sample("wat/first.wat")[..], &sample("wat/instant.wat")];
    let play = |affinity: &str, arena: &str| {
        let more = ["--concurrency", "1", affinity, "--arena", arena];
        tournament(folder, "flipflop-3x3", bots, &more).ok()
    };
    assert!(!play("--no-affinity", "off").contains("affinity"));
    let table = play("--use-affinity", "on");
    let note =
        "affinity: each match ran on CPU cores of its own, except for bots with several threads";
    assert!(table.contains(note), "{table}");
    // Nothing is played any more, so that this is no run; and the standings are the same.
    assert_eq!(play("--no-affinity", "on"), table);
    let json = |arena: &str| run(folder, &["table", "--json", "--arena", arena]).ok();
    assert!(!json("on").contains("affinity"));
    // Both cannot be.
    let both = ["--use-affinity", "--no-affinity"];
    let refused = tournament(folder, "flipflop-3x3", bots, &both).refused(2);
    assert!(refused.contains("contradict each other"), "{refused}");
}

#[test]
fn without_affinity_a_bot_may_run_wherever_the_tournament_may_and_still_not_choose() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tells = script(folder, "tells", TELLS);
    let bots = [&tells[..], "sample:random"];
    tournament(folder, "flipflop-3x3", bots, &["--no-affinity"]).ok();
    let due = ("kept".to_owned(), allowed_list());
    let notes = notes(folder);
    assert!(
        !notes.is_empty() && notes.iter().all(|note| *note == due),
        "{notes:?}"
    );
}

/// On which processors this test may run, as the system writes it.
fn allowed_list() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mut lines = status.lines();
    let list = lines.find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.unwrap().trim().to_owned()
}

/// All notes in the records: whether the bot was free to move, and where it was.
fn notes(folder: &Path) -> Vec<(String, String)> {
    notes_in(folder, "arena")
}

fn notes_in(folder: &Path, arena: &str) -> Vec<(String, String)> {
    notes_by_match(folder, arena)
        .into_iter()
        .flatten()
        .collect()
}

fn notes_by_match(folder: &Path, arena: &str) -> Vec<Vec<(String, String)>> {
    let rows = run(folder, &["matches", "--json", "--arena", arena]).ok();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
    let of_match = |row: &serde_json::Value| {
        let id = row["id"].as_str().unwrap();
        let record = run(folder, &["matches", id, "--arena", arena]).ok();
        let mut notes = Vec::new();
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
        notes
    };
    rows.iter().map(of_match).collect()
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

/// How often the test looks whether it stands still itself, as the command does.
const BEAT: Duration = Duration::from_millis(20);

/// Who stood still for 50 ms and is told to go on was stopped, as far as the command knows. This is nearly as long.
const NEARLY_STILL: Duration = Duration::from_millis(40);

#[test]
fn who_is_told_to_go_on_and_was_not_stopped_just_goes_on() {
    const RUNS: usize = 3;
    // A busy machine may keep all threads of the referee from running for a moment, and then it stood still. A run in
    // which this test nearly stood still too says nothing; in another one, a void may come from it once.
    let (mut untouched, mut void) = (0, Vec::new());
    for _ in 0..4 * RUNS {
        let (stood, told) = standing_still(told_to_go_on);
        match told {
            Ok(()) => untouched += 1,
            Err(said) if stood < NEARLY_STILL => void.push(said),
            Err(_) => {}
        }
        if untouched == RUNS {
            return;
        }
        assert!(void.len() < 2, "{}", void.join("\n"));
    }
    println!("this machine stands still all the time: nothing can be told");
}

/// Does this, and measures for how long this thread stood still meanwhile, at most.
fn standing_still<T: Send>(does: impl FnOnce() -> T + Send) -> (Duration, T) {
    std::thread::scope(|scope| {
        let done = scope.spawn(does);
        let mut longest = Duration::ZERO;
        while !done.is_finished() {
            let begun = Instant::now();
            std::thread::sleep(BEAT);
            longest = longest.max(begun.elapsed());
        }
        (longest, done.join().unwrap())
    })
}

/// Plays, and is told to go on ten times; what was said, if a match was void.
fn told_to_go_on() -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = ["one", "two"].map(|name| script(folder, name, &format!("{THINKS}# {name}\n")));
    let child = common::flipside(folder)
        .args(["tournament", "flipflop-3x3", &bots[0], &bots[1]])
        .args(["--rounds", "5"])
        .args(CLOCK)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let played = || {
        let table = run(folder, &["table", "--json"]).stdout;
        let table: Option<serde_json::Value> = serde_json::from_str(&table).ok();
        table.map_or(0, |table| table["played"].as_u64().unwrap_or(0))
    };
    while played() == 0 {
        std::thread::sleep(Duration::from_millis(50));
    }
    // Somebody thinks nearly all the time.
    let pid = rustix::process::Pid::from_child(&child);
    for _ in 0..10 {
        std::thread::sleep(Duration::from_millis(100));
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::CONT);
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.contains("is void") {
        return Err(said);
    }
    assert!(output.status.success(), "{said}");
    assert_eq!(played(), 10);
    Ok(())
}
