//! From an empty folder: new, build, check, match, and a match of every game, in each language.

use std::path::Path;
use std::time::Instant;

use insta::assert_snapshot;
use serde_json::Value;

use super::conversation::keeps_the_protocol;
use super::{cache, root, run_script, shell};
use crate::common::{games, whole_seed};

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

/// Steps of a check that may warn on a busy machine, because they measure times.
const TIMED: [&str; 6] = [
    "start-time",
    "exits-after-over",
    "exits-when-cut-off",
    "move-times",
    "clocks",
    "short-clock",
];

/// What a person sees, without times: those of moves and of builds, and warnings of steps that measure times.
fn steady(printed: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let (mut is_left_out, mut left_out) = (false, 0);
    for line in printed.lines() {
        if line.starts_with("   Compiling ") || line.starts_with("    Finished ") {
            continue;
        }
        // The details of a step are further to the right than its name.
        is_left_out &= line.starts_with("    ");
        let warning = line.strip_prefix("  warning ");
        if warning.is_some_and(|warning| TIMED.iter().any(|step| warning.starts_with(step))) {
            is_left_out = true;
            left_out += 1;
            let heading = lines
                .iter_mut()
                .rfind(|line| !line.starts_with(' '))
                .unwrap();
            *heading = counted_as_ok(heading);
        }
        if !is_left_out {
            lines.push(line.to_owned());
        }
    }
    let lines = lines.iter().map(|line| match line.split_once(" steps: ") {
        Some((steps, rest)) => format!("{steps} steps: {}\n", counts(rest, left_out)),
        None => without_time(line) + "\n",
    });
    lines.collect()
}

/// The heading of a group of steps, with one more that is ok.
fn counted_as_ok(heading: &str) -> String {
    let (group, rest) = heading.split_once(": ").unwrap();
    let (ok, rest) = rest.split_once(' ').unwrap();
    format!("{group}: {} {rest}", ok.parse::<u32>().unwrap() + 1)
}

/// The last line of a check without its time, with the warnings that are left out as ok.
fn counts(line: &str, left_out: u32) -> String {
    let parts: Vec<_> = line.split(", ").collect();
    let [ok, warnings, failed, skipped, _] = parts[..] else {
        panic!("{line}");
    };
    let count = |part: &str| part.split(' ').next().unwrap().parse::<u32>().unwrap();
    let (ok, warnings) = (count(ok) + left_out, count(warnings) - left_out);
    format!("{ok} ok, {warnings} warnings, {failed}, {skipped}, in [time] s")
}

/// A line without the time at its end.
fn without_time(line: &str) -> String {
    let words: Vec<_> = line.split(' ').collect();
    match words[..] {
        [.., _, "ms"] => words[..words.len() - 2].join(" ") + " [time] ms",
        _ => line.to_owned(),
    }
}

/// The clock of whatever is played: however busy the machine is, no bot is late.
const HOURS: &str = "--clock move=10h,start=10h";

/// Steps that fail where a runtime still cleans up when they look, which it does late on a busy machine.
const IDLE: [&str; 2] = ["idle", "idle-between-matches"];

/// How often a check is made at most, if nothing but these steps fails.
const CHECKS: usize = 3;

/// Runs a command, which must succeed; what a person sees, standard error behind `2> `.
fn typed(folder: &Path, command: &str) -> String {
    let run = || shell(folder, command).output().unwrap();
    let mut output = run();
    for _ in 1..CHECKS {
        let told = String::from_utf8_lossy(&output.stdout);
        let failed = told
            .lines()
            .filter_map(|line| line.strip_prefix("  failed "));
        let failed: Vec<&str> = failed
            .filter_map(|step| step.trim().split(':').next())
            .collect();
        if failed.is_empty() || !failed.iter().all(|step| IDLE.contains(step)) {
            break;
        }
        output = run();
    }
    let text = |bytes: &[u8]| steady(&String::from_utf8_lossy(bytes));
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command}\n{stdout}{stderr}");
    let errors = stderr.lines().map(|line| format!("2> {line}\n"));
    stdout + &errors.collect::<String>()
}

/// Makes a bot and does what its README says; returns what a person sees.
///
/// `bot` is what the commands get, and `talk` the command that starts it without the referee.
fn from_an_empty_folder(language: &str, bot: &str, conversation: &str, failure: &str) -> String {
    let place = tempfile::tempdir().unwrap();
    let mut times = String::new();
    let mut timed = |folder: &Path, command: &str| {
        let begun = Instant::now();
        let printed = typed(folder, command);
        let name = command.split(' ').take(2).collect::<Vec<_>>().join(" ");
        times += &format!(" | {name} {:.1} s", begun.elapsed().as_secs_f64());
        printed
    };
    let make = format!("flipside new {language} yon");
    let mut told = format!("$ {make}\n{}", timed(place.path(), &make));
    let folder = place.path().join("yon");
    let commands = commands(&folder);
    assert!((2..=3).contains(&commands.len()), "{commands:?}");
    for command in &commands {
        // With a whole seed, the match is always the same. A bot that fails ends the script.
        let typed = match command.split(' ').nth(1) {
            Some("match") => format!("{command} --strict --seed {} {HOURS}", whole_seed(3)),
            Some("check") => format!("{command} --time 10h {HOURS}"),
            _ => command.clone(),
        };
        told += &format!("$ {command}\n{}", timed(&folder, &typed));
    }
    println!("{language}{times}");
    passes_its_check(&folder, bot);
    keeps_the_protocol(&folder, conversation, failure);
    let entered = run_script(&folder, &format!("flipside submit --json {bot} {HOURS}"));
    let entered: Value = serde_json::from_str(&entered).unwrap();
    assert_eq!(
        entered[0]["games"].as_array().unwrap().len(),
        games().len(),
        "{entered}"
    );
    told
}

/// No step of a check fails, and only those warn that measure times.
pub(super) fn passes_its_check(folder: &Path, bot: &str) {
    let command = format!("flipside check {bot} --quick --json --time 10h {HOURS}");
    let check = || -> Value {
        let output = shell(folder, &command).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let keeps_still = |checked: &Value| {
        let steps = checked["steps"].as_array().unwrap();
        let failed = steps.iter().filter(|step| step["status"] == "failed");
        !failed
            .filter_map(|step| step["name"].as_str())
            .any(|step| IDLE.contains(&step))
    };
    let mut checked = check();
    for _ in 1..CHECKS {
        if keeps_still(&checked) {
            break;
        }
        checked = check();
    }
    let steps = checked["steps"].as_array().unwrap();
    assert_eq!(steps.len(), flipside_operations::CHECKS.len());
    for step in steps {
        let status = step["status"].as_str().unwrap();
        let may_warn = TIMED.iter().any(|name| step["name"] == *name);
        assert!(
            status == "ok" || status == "skipped" || may_warn && status == "warning",
            "{step}"
        );
    }
    assert_eq!(checked["games"].as_array().unwrap().len(), games().len());
}

#[test]
fn python() {
    let told = from_an_empty_folder("python", ".", "python3 bot.py", "Traceback");
    assert_snapshot!(told);
}

#[test]
#[ignore = "long: as in Python"]
fn javascript() {
    let told = from_an_empty_folder("javascript", ".", "node bot.js", "not an action");
    assert_snapshot!(told);
}

#[test]
#[ignore = "long: as in Python"]
fn java() {
    let told = from_an_empty_folder("java", ".", "java -jar bot.jar", "at Bot.choose");
    assert_snapshot!(told);
}

#[test]
fn c() {
    let told = from_an_empty_folder("c", "./yon", "./yon", "returned NULL");
    assert_snapshot!(told);
}

#[test]
#[ignore = "long: as in Python"]
fn go() {
    let told = from_an_empty_folder("go", "./yon", "./yon", "panic: ");
    assert_snapshot!(told);
}

#[test]
#[ignore = "long: as in Python"]
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
#[ignore = "long: it compiles the crates"]
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

#[test]
#[ignore = "long: it compiles the crates"]
fn a_game_in_rust_outside_of_our_workspace() {
    let place = tempfile::tempdir().unwrap();
    let make = "flipside game new rust yon --checkout \"$FLIPSIDE_REPOSITORY\"";
    run_script(place.path(), make);
    let folder = place.path().join("yon");
    let target = cache("game-crate");
    let cargo = format!(
        "export CARGO_TARGET_DIR='{}'; cargo --offline",
        target.display()
    );
    let tested = run_script(&folder, &format!("{cargo} test --locked --release -q"));
    assert!(tested.contains("test result: ok. 2 passed"), "{tested}");
    run_script(&folder, &format!("{cargo} build --locked --release -q"));
    let tools = "eval \"$(\"$FLIPSIDE_REPOSITORY/scripts/wasm-toolchain\" 2>/dev/null)\"";
    let module = "build --locked --release -q --target wasm32-wasip1";
    run_script(&folder, &format!("{tools}\n{cargo} {module}"));

    // Its README builds in the folder itself.
    std::fs::create_dir_all(folder.join("target/release")).unwrap();
    std::fs::copy(
        target.join("release/yon"),
        folder.join("target/release/yon"),
    )
    .unwrap();
    let module = target.join("wasm32-wasip1/release/yon.wasm");
    for game in [".", module.to_str().unwrap()] {
        let checked = run_script(&folder, &format!("flipside game check {game} --json"));
        let checked: Value = serde_json::from_str(&checked).unwrap();
        assert_eq!(checked["game"], "yon");
        for step in checked["steps"].as_array().unwrap() {
            let status = step["status"].as_str().unwrap();
            assert!(["ok", "skipped"].contains(&status), "{step}");
        }
        let play = format!(
            "flipside match {game} sample:random sample:random --strict --record m.jsonl {HOURS}\n\
             flipside verify m.jsonl --game {game}\nrm m.jsonl"
        );
        run_script(&folder, &play);
    }
}
