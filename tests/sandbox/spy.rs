//! A spy (tests/spy/spy.py) that uses all that it is told to learn what chance will do learns nothing: not from
//! ids, commitments and seeds, not from other matches of the block, not from files that it leaves.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use flipside_games::{Seat, Viewer};
use flipside_referee::{Line, Record, Replay};

use crate::common::{flipside, run, script};

const SPY: &str = include_str!("../spy/spy.py");
const CLOCK: [&str; 2] = ["--clock", "move=60s,start=60s"];
const GAMES: [&str; 3] = ["flip4", "phase10-flip", "puissance4-championship"];
/// The ways to say what the chance comes from: not at all, and by a number that can be guessed.
const SEEDS: [&[&str]; 2] = [&[], &["--seed", "2026"]];
const ROUNDS: u64 = 4;

/// What spies have found.
#[derive(Debug, Default, PartialEq, Eq)]
struct SpyFound {
    /// How many were asked.
    spies: usize,
    /// Seeds of matches.
    seeds: usize,
    /// What chance did, expected from other matches and rightly so.
    expected: usize,
}

impl SpyFound {
    const NOTHING: (usize, usize) = (0, 0);

    fn anything(&self) -> (usize, usize) {
        (self.seeds, self.expected)
    }

    /// Adds what the spies of a match have found.
    fn of_match(&mut self, text: &str) {
        let record = Record::read(text).unwrap();
        for (_, line) in &record.lines {
            assert!(!matches!(line, Line::Fault(_)), "a spy fails: {line:?}");
            let Line::Ready(ready) = line else { continue };
            let is_spy = record.header.seats[usize::from(ready.seat)]
                .bot
                .contains("spy");
            self.spies += usize::from(is_spy);
            if let Some(seed) = &ready.name {
                assert_eq!(
                    *seed, record.over.seed,
                    "a spy names a seed that it has found"
                );
                self.seeds += 1;
            }
            if let Some(expected) = &ready.version {
                let brought = brought(&record, ready.seat);
                println!("{}: {expected:?} of {brought:?}", record.header.id);
                let same = expected.bytes().zip(brought.bytes());
                self.expected += same.take_while(|(one, other)| one == other).count();
            }
        }
    }
}

/// What the match brought, as a spy on this seat would have said it before: in flip4 who begins and all rolls, in
/// phase10-flip the first hand of the other seat, in puissance4-championship where the first token came down.
fn brought(record: &Record, seat: Seat) -> String {
    if record.header.game == "phase10-flip" {
        let mut replay = Replay::new(record).unwrap();
        while !matches!(replay.step().unwrap().unwrap(), Line::Acts { .. }) {
            let mut view = Vec::new();
            replay.table().write_view(Viewer::Seat(1 - seat), &mut view);
            let view: serde_json::Value = serde_json::from_slice(&view).unwrap();
            if view["round"] == 1 {
                let faces = view["hand"].as_array().unwrap();
                let faces: Vec<&str> = faces.iter().map(|face| face.as_str().unwrap()).collect();
                return faces.join(" ");
            }
        }
    }
    if record.header.game == "puissance4-championship" {
        let landed = record.lines.iter().find_map(|(_, line)| match line {
            Line::Chance { event } => {
                let event: serde_json::Value = serde_json::from_str(event.get()).unwrap();
                event["landings"].as_array().cloned()
            }
            _ => None,
        });
        let first = landed.and_then(|landed| Some(landed[0]["place"].as_str()?.to_owned()));
        return first.unwrap_or_default();
    }
    let digits = record.lines.iter().map(|(_, line)| match line {
        Line::Chance { event } => event.get().chars().filter(char::is_ascii_digit).collect(),
        _ => String::new(),
    });
    digits.collect()
}

/// Two spies, each a bot of its own.
fn spies(folder: &Path, text: &str) -> [String; 2] {
    ["spy-one", "spy-two"].map(|name| script(folder, name, &format!("{text}# {name}\n")))
}

fn brief(game: &str) -> String {
    flipside_games::find(game).unwrap().brief()
}

/// What the spies find in a match of `flipside match`.
fn in_a_match(folder: &Path, game: &str, seed: &[&str]) -> SpyFound {
    let spies = spies(folder, SPY);
    let (record, options) = (format!("{game}-{}.jsonl", seed.len()), brief(game));
    let mut args = vec!["match", game, &spies[0], &spies[1], "--record", &record];
    args.extend(["--options", &options]);
    run(folder, &[&args[..], &CLOCK, seed].concat()).ok();
    let mut found = SpyFound::default();
    found.of_match(&std::fs::read_to_string(folder.join(&record)).unwrap());
    found
}

/// What the spies find in a tournament.
fn in_a_tournament(folder: &Path, spies: &[String], game: &str, more: &[&str]) -> SpyFound {
    let (rounds, options) = (ROUNDS.to_string(), brief(game));
    let mut args = vec!["tournament", game];
    args.extend(spies.iter().map(String::as_str));
    args.extend(["--rounds", &rounds, "--options", &options, "--name", "cup"]);
    args.extend(["--force-concurrency", "--arena", "arena"]);
    run(folder, &[&args[..], &CLOCK, more].concat()).ok();
    let mut found = SpyFound::default();
    for index in 0..2 * ROUNDS {
        let id = format!("cup-{index}");
        let record = run(folder, &["matches", &id, "--arena", "arena"]).ok();
        found.of_match(&record);
    }
    found
}

#[test]
fn a_spy_in_a_match_learns_nothing() {
    for game in GAMES {
        for seed in SEEDS {
            let folder = tempfile::tempdir().unwrap();
            let found = in_a_match(folder.path(), game, seed);
            println!("match {game} {seed:?}: {found:?}");
            assert_eq!((found.spies, found.anything()), (2, SpyFound::NOTHING));
        }
    }
}

#[test]
fn a_spy_that_plays_against_a_person_learns_nothing() {
    for game in GAMES {
        for seed in SEEDS {
            let folder = tempfile::tempdir().unwrap();
            let [spy, _] = spies(folder.path(), SPY);
            let options = brief(game);
            let args = [
                "play",
                game,
                &spy,
                "--record",
                "r.jsonl",
                "--options",
                &options,
            ];
            let mut child = flipside(folder.path())
                .args([&args[..], &CLOCK, seed].concat())
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let mut stdin = child.stdin.take().unwrap();
            // The match may end before all is typed.
            let _ = stdin.write_all("#1\n".repeat(100_000).as_bytes());
            drop(stdin);
            assert!(child.wait().unwrap().success());
            let mut found = SpyFound::default();
            found.of_match(&std::fs::read_to_string(folder.path().join("r.jsonl")).unwrap());
            println!("play {game} {seed:?}: {found:?}");
            assert_eq!((found.spies, found.anything()), (1, SpyFound::NOTHING));
        }
    }
}

#[test]
fn a_spy_in_a_tournament_learns_nothing_though_it_is_used_again() {
    for game in GAMES {
        for seed in SEEDS {
            for concurrency in ["1", "2"] {
                let folder = tempfile::tempdir().unwrap();
                let spies = spies(folder.path(), SPY);
                let more = [&["--concurrency", concurrency], seed].concat();
                let found = in_a_tournament(folder.path(), &spies, game, &more);
                println!("tournament {game} {seed:?}, {concurrency} at once: {found:?}");
                assert_eq!((found.spies, found.anything()), (16, SpyFound::NOTHING));
            }
        }
    }
}

#[test]
fn the_spy_is_one_it_finds_a_seed_that_it_was_told_and_reads_files_that_it_left() {
    let folder = tempfile::tempdir().unwrap();
    // Who passes a whole seed is warned.
    let whole = format!("{:064x}", 2026);
    let found = in_a_match(folder.path(), "flip4", &["--seed", &whole]);
    assert_eq!((found.spies, found.seeds), (2, 2));
    // Without a jail, bots share files.
    let folders = format!("FOLDERS = [{:?}]", folder.path());
    let text: Vec<&str> = SPY
        .lines()
        .map(|line| match line.starts_with("FOLDERS = ") {
            true => &folders,
            false => line,
        })
        .collect();
    let spies = spies(folder.path(), &(text.join("\n") + "\n"));
    let more = ["--trust", "--concurrency", "1"];
    let found = in_a_tournament(folder.path(), &spies, "flip4", &more);
    println!("with files that they share: {found:?}");
    assert!(found.expected > 8 * 3, "{found:?}");
}
