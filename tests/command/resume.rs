//! The same command goes on with what it began, though bots have newer versions since.

use std::fs;
use std::path::Path;
use std::process::Command;

use rusqlite::Connection;

use insta::assert_snapshot;

use crate::common::{TestRun, run, sample};
use crate::shown::{session, unvarying};

const PLAY: [&str; 6] = ["tournament", "flipflop-3x3", "ada", "bob", "--rounds", "3"];

/// Submits a new version of a bot.
fn submit(folder: &Path, name: &str, version: u32) {
    let text = fs::read_to_string(sample("wat/first.wat")).unwrap();
    let file = format!("{name}-{version}.wat");
    fs::write(folder.join(&file), format!("{text}\n;; {file}\n")).unwrap();
    let file = format!("./{file}");
    run(
        folder,
        &["submit", &file, "--name", name, "--game", "flipflop-3x3"],
    )
    .ok();
}

/// An arena with ada@1 and bob@1.
fn arena() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    submit(folder.path(), "ada", 1);
    submit(folder.path(), "bob", 1);
    folder
}

fn journal(folder: &Path) -> Connection {
    Connection::open(folder.join("arena/journal.sqlite")).unwrap()
}

/// The tournaments: name, the first bot's version, matches played.
fn tournaments(folder: &Path) -> Vec<(String, u32, i64)> {
    let journal = journal(folder);
    let mut statement = journal
        .prepare(
            "SELECT t.name, b.version, (SELECT count(*) FROM matches m WHERE m.tournament = t.id)
             FROM tournaments t JOIN entrants e ON e.tournament = t.id AND e.number = 0
             JOIN bots b ON b.id = e.bot ORDER BY t.id",
        )
        .unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    rows.unwrap().map(Result::unwrap).collect()
}

/// Leaves a tournament as it is when it is killed after two matches.
fn cut(folder: &Path, name: &str) {
    let journal = journal(folder);
    for table in ["evidence", "records", "match_seats", "matches"] {
        let of = "SELECT id FROM tournaments WHERE name = ?";
        let delete = format!("DELETE FROM {table} WHERE tournament = ({of}) AND idx >= 2");
        journal.execute(&delete, [name]).unwrap();
    }
}

/// What was said of a run that went well.
fn said(run: TestRun) -> String {
    let stderr = run.stderr.clone();
    run.ok();
    stderr
}

#[test]
fn a_tournament_that_was_killed_goes_on_with_the_versions_that_it_began_with() {
    let folder = arena();
    let folder = folder.path();
    run(folder, &PLAY).ok();
    let begun = tournaments(folder);
    let name = &begun[0].0;
    cut(folder, name);
    submit(folder, "ada", 2);
    let dry = said(run(folder, &[&PLAY[..], &["--dry-run"]].concat()));
    assert_snapshot!(unvarying(&dry), @"
    resuming flipflop-3x3-ID with ada@1; ada@2 was submitted since
    hint: to begin a new tournament with it: flipside tournament --name flipflop-3x3-ID flipflop-3x3 ada bob --rounds 3 --dry-run
    flipflop-3x3 has no random events: deterministic bots repeat the same match, and every repetition counts; --opening-plies 4 starts each block with random moves
    ");
    assert_eq!(tournaments(folder), [(name.clone(), 1, 2)]);
    assert_snapshot!(unvarying(&said(run(folder, &PLAY))), @r"
    resuming flipflop-3x3-ID with ada@1; ada@2 was submitted since
    hint: to begin a new tournament with it: flipside tournament --name flipflop-3x3-ID flipflop-3x3 ada bob --rounds 3
    flipflop-3x3 has no random events: deterministic bots repeat the same match, and every repetition counts; --opening-plies 4 starts each block with random moves
    flipflop-3x3-ID: 4 of 6 matches to play
    2 of 6 matches are there already

    flipflop-3x3-ID
    flipflop-3x3, 2 bots, round-robin, 3 rounds, clock move=1s
    6 matches, 4 of them now, in TIME
    seed SEED, 0 faults, 0 voids

    more: flipside table flipflop-3x3-ID --full

    to repeat the random events:
    --seed SEED-HASH
    ");
    assert_eq!(tournaments(folder), begun);
    assert_snapshot!(session(folder, &format!("verify --tournament {name}")), @"
    $ flipside verify --tournament flipflop-3x3-ID
    flipflop-3x3-ID: 6 matches ok, 0 wrong, 0 without a record; 0 faults without evidence
    -- stderr:
    6 matches verified in TIME
    ");

    // It is over now, so the same command begins a new one, and says so.
    assert_snapshot!(unvarying(&said(run(folder, &PLAY))), @r"
    flipflop-3x3-ID is over; flipflop-3x3-ID begins with ada@2
    hint: flipside table flipflop-3x3-ID
    flipflop-3x3 has no random events: deterministic bots repeat the same match, and every repetition counts; --opening-plies 4 starts each block with random moves
    flipflop-3x3-ID: 6 of 6 matches to play

    flipflop-3x3-ID
    flipflop-3x3, 2 bots, round-robin, 3 rounds, clock move=1s
    6 matches in TIME
    seed SEED, 0 faults, 0 voids

    more: flipside table flipflop-3x3-ID --full

    to repeat the random events:
    --seed SEED-HASH
    ");
    let all = tournaments(folder);
    assert_eq!((all.len(), all[1].1, all[1].2), (2, 2, 6));
    // And once more shows that one.
    run(folder, &PLAY).ok();
    assert_eq!(tournaments(folder), all);
}

#[test]
fn the_command_that_is_printed_begins_a_new_tournament() {
    let folder = arena();
    let folder = folder.path();
    run(folder, &PLAY).ok();
    let name = tournaments(folder)[0].0.clone();
    cut(folder, &name);
    submit(folder, "ada", 2);
    let dry = said(run(folder, &[&PLAY[..], &["--dry-run"]].concat()));
    let (_, command) = dry
        .split_once("to begin a new tournament with it: ")
        .unwrap();
    let command = command.lines().next().unwrap().replace(" --dry-run", "");
    shell(folder, &command);
    let all = tournaments(folder);
    assert_eq!(all.len(), 2, "{all:?}");
    assert_eq!((all[0].2, all[1].1, all[1].2), (2, 2, 6));
}

#[test]
fn where_several_can_be_meant_the_command_for_each_is_printed_and_works() {
    let folder = arena();
    let folder = folder.path();
    fs::write(
        folder.join("the cup.toml"),
        "game = \"flipflop-3x3\"\nbots = [\"ada\", \"bob\"]\nrounds = 3\n",
    )
    .unwrap();
    let play = ["tournament", "the cup.toml", "--clock", "move=2s"];
    run(folder, &play).ok();
    submit(folder, "ada", 2);
    run(folder, &play).ok();
    submit(folder, "ada", 3);
    let begun = tournaments(folder);
    assert_eq!(begun.len(), 2);
    begun.iter().for_each(|(name, ..)| cut(folder, name));
    let before = tournaments(folder);
    let told = run(folder, &play).refused(2);
    assert_eq!(
        tournaments(folder),
        before,
        "nothing happens until one is chosen"
    );
    let commands: Vec<&str> = told
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .collect();
    assert_eq!(commands.len(), 3, "{told}");
    assert_snapshot!(unvarying(&told), @"
    error: the bots have newer versions now, and this command can mean several tournaments
    hint: choose one
      with ada@1, bob@1, 2 matches played:
        flipside tournament --name flipflop-3x3-ID 'the cup.toml' --clock move=2s
      with ada@2, bob@1, 2 matches played:
        flipside tournament --name flipflop-3x3-ID 'the cup.toml' --clock move=2s
      a new one:
        flipside tournament --name flipflop-3x3-ID 'the cup.toml' --clock move=2s
    ");
    for (command, version) in commands.iter().zip([1, 2, 3]) {
        shell(folder, command);
        let all = tournaments(folder);
        let (_, first, played) = &all[version - 1];
        assert_eq!((*first as usize, *played), (version, 6), "{command}");
    }
    assert_eq!(tournaments(folder).len(), 3);
}

#[test]
fn a_tournament_with_a_name_goes_on_too_but_not_with_another_version_that_was_typed() {
    let folder = arena();
    let folder = folder.path();
    let play = [&PLAY[..], &["--name", "cup"]].concat();
    run(folder, &play).ok();
    cut(folder, "cup");
    submit(folder, "ada", 2);
    submit(folder, "bob", 2);
    let typed = play.join(" ").replace("ada", "ada@2");
    let typed: Vec<&str> = typed.split(' ').collect();
    assert_snapshot!(run(folder, &typed).refused(2), @"
    flipflop-3x3 has no random events: deterministic bots repeat the same match, and every repetition counts; --opening-plies 4 starts each block with random moves
    error: tournament cup was begun with other settings (bot 1: ada@1, not ada@2; bot 2: bob@1, not bob@2)
    hint: give the settings it was begun with to go on, or another --name to begin anew
    ");
    let other = [&play[..], &["--clock", "move=3s"]].concat();
    assert_snapshot!(run(folder, &other).refused(2), @"
    flipflop-3x3 has no random events: deterministic bots repeat the same match, and every repetition counts; --opening-plies 4 starts each block with random moves
    error: tournament cup was begun with other settings (clock: move=1s, not move=3s)
    hint: give the settings it was begun with to go on, or another --name to begin anew
    ");
    assert_snapshot!(unvarying(&said(run(folder, &play))), @r"
    resuming cup with ada@1, bob@1; ada@2, bob@2 were submitted since
    hint: another --name begins a new tournament
    flipflop-3x3 has no random events: deterministic bots repeat the same match, and every repetition counts; --opening-plies 4 starts each block with random moves
    cup: 4 of 6 matches to play
    2 of 6 matches are there already

    cup
    flipflop-3x3, 2 bots, round-robin, 3 rounds, clock move=1s
    6 matches, 4 of them now, in TIME
    seed SEED, 0 faults, 0 voids

    more: flipside table cup --full

    to repeat the random events:
    --seed SEED-HASH
    ");
    assert_eq!(tournaments(folder), [("cup".to_owned(), 1, 6)]);
}

/// Runs a line as somebody does who copies it.
fn shell(folder: &Path, line: &str) {
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env_remove("FLIPSIDE_ARENA")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}\n{stderr}");
}

#[test]
fn the_seed_that_a_tournament_printed_repeats_its_random_events() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let play = ["tournament", "flip4", "sample:random", "sample:greedy"];
    let play = [&play[..], &["--no-affinity", "--name", "cup"]].concat();
    let played = |more: &[&str]| {
        let played = run(folder, &[&play[..], more].concat());
        let seed = played.stderr.lines().last().expect("it prints its seed");
        let record = run(folder, &[&["matches", "cup-0"], &more[..2]].concat());
        let revealed = record.ok().rsplit_once("\"seed\":").expect("it is over").1[..66].to_owned();
        (seed.to_owned(), revealed)
    };
    let drawn = played(&["--arena", "drawn"]);
    let seed = drawn.0.strip_prefix("--seed ").expect("it is a flag");
    assert_eq!(played(&["--arena", "again", "--seed", seed]), drawn);
    // Its number alone is combined with other random bytes.
    let (number, _) = seed.split_once('-').unwrap();
    let other = played(&["--arena", "other", "--seed", number]);
    assert_ne!(other.1, drawn.1);
}
