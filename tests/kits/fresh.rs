//! From an empty folder: new, build, check, match, and a match of every game, in each language.

use std::path::Path;

use insta::assert_snapshot;

use crate::common::{games, whole_seed};
use crate::talk::keeps_the_protocol;
use crate::{cache, root, run_script};

/// The commands of a new bot's README.
fn commands(folder: &Path) -> Vec<String> {
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let block = readme.split("```sh\n").nth(1).unwrap();
    let lines = block.lines().take_while(|line| *line != "```");
    lines
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

/// What a person sees, without what differs from run to run.
fn steady(printed: &str) -> String {
    let is_steady =
        |line: &&str| !line.starts_with("   Compiling ") && !line.starts_with("    Finished ");
    let mut out = String::new();
    for line in printed.lines().filter(is_steady) {
        let words: Vec<_> = line.split(' ').collect();
        let time = words
            .len()
            .checked_sub(2)
            .filter(|&at| words[at + 1] == "ms");
        let shown = |at: usize| {
            if Some(at) == time {
                "[time]"
            } else {
                words[at]
            }
        };
        let shown: Vec<_> = (0..words.len()).map(shown).collect();
        out += &format!("{}\n", shown.join(" "));
    }
    out
}

/// Makes a bot and does what its README says; returns what a person sees.
///
/// `bot` is what the commands get, and `talk` the command that starts it without the referee.
fn from_an_empty_folder(language: &str, bot: &str, talk: &str, failure: &str) -> String {
    let place = tempfile::tempdir().unwrap();
    let make = format!("flipside new {language} yon");
    let mut told = format!("$ {make}\n{}", run_script(place.path(), &make));
    let folder = place.path().join("yon");
    let commands = commands(&folder);
    assert!((2..=3).contains(&commands.len()), "{commands:?}");
    for command in &commands {
        // With a whole seed, the match is always the same. A bot that fails ends the script.
        let typed = match command.starts_with("flipside match ") {
            true => format!("{command} --strict --seed {}", whole_seed(3)),
            false => command.clone(),
        };
        let printed = run_script(&folder, &typed);
        // Whether there is a warning about time depends on the machine.
        let shown = match command.starts_with("flipside check ") {
            true => "...\n".to_owned(),
            false => steady(&printed),
        };
        told += &format!("$ {command}\n{shown}");
    }
    keeps_the_protocol(&folder, talk, failure);
    let entered = run_script(&folder, &format!("flipside submit --json {bot}"));
    let entered: serde_json::Value = serde_json::from_str(&entered).unwrap();
    assert_eq!(
        entered[0]["games"].as_array().unwrap().len(),
        games().len(),
        "{entered}"
    );
    told
}

#[test]
fn python() {
    let told = from_an_empty_folder("python", ".", "python3 bot.py", "Traceback");
    assert_snapshot!(told);
}

#[test]
fn javascript() {
    let told = from_an_empty_folder("javascript", ".", "node bot.js", "not an action");
    assert_snapshot!(told);
}

#[test]
fn java() {
    let told = from_an_empty_folder("java", "./yon", "./yon", "at Bot.choose");
    assert_snapshot!(told);
}

#[test]
fn c() {
    let told = from_an_empty_folder("c", "./yon", "./yon", "returned NULL");
    assert_snapshot!(told);
}

#[test]
fn go() {
    let told = from_an_empty_folder("go", "./yon", "./yon", "panic: ");
    assert_snapshot!(told);
}

#[test]
fn rust() {
    let told = from_an_empty_folder(
        "rust",
        "target/release/yon",
        "target/release/yon",
        "panicked",
    );
    assert_snapshot!(told);
}

#[test]
fn rust_with_the_crate_outside_of_our_workspace() {
    let place = tempfile::tempdir().unwrap();
    let make = "flipside new rust yon --checkout \"$FLIPSIDE_REPOSITORY\"";
    run_script(place.path(), make);
    let folder = place.path().join("yon");
    let target = cache("crate");
    let build = format!(
        "CARGO_TARGET_DIR='{}' cargo build --locked --offline -q",
        target.display()
    );
    run_script(&folder, &build);
    let bot = target.join("debug/yon");
    for game in games() {
        let options = flipside_games::find(game).unwrap().brief();
        let play = format!(
            "flipside match {game} {} sample:random --strict --options '{options}' --clock move=60s,start=60s",
            bot.display()
        );
        run_script(&folder, &play);
    }
    // It is no part of ours, whatever folder it is in.
    let ours = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(!ours.contains("kits"));
}
