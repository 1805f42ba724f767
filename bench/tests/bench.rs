//! `flipside-bench`: every part measures, and a run can be saved and compared with another. No test looks at a time.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// The program, ready to be run in a folder.
fn bench(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flipside-bench"));
    command
        .args(args)
        .current_dir(folder)
        .env_remove("COLUMNS")
        .stdin(Stdio::null());
    command
}

/// What a run printed that must have succeeded.
fn run(folder: &Path, args: &[&str]) -> String {
    let output = bench(folder, args).output().unwrap();
    let (stdout, stderr) = texts(&output);
    assert!(output.status.success(), "{stdout}\n{stderr}");
    stdout
}

/// Runs these lines of arguments, and shows each with what it prints and its exit code.
fn session(folder: &Path, lines: &[&str]) -> String {
    let all = lines.iter().map(|line| {
        let args: Vec<&str> = line.split_whitespace().collect();
        let output = bench(folder, &args).output().unwrap();
        let (stdout, stderr) = texts(&output);
        let code = output.status.code().unwrap();
        format!("$ flipside-bench {line}\n{stdout}{stderr}-- {code}\n")
    });
    let shown = all.collect::<Vec<_>>().join("\n");
    // Editors remove spaces at the ends of lines.
    let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
    lines.join("\n")
}

fn texts(output: &Output) -> (String, String) {
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    (stdout.into_owned(), stderr.into_owned())
}

/// Measures these parts as briefly as can be.
fn measure(folder: &Path, only: &str, more: &[&str]) -> String {
    let brief = ["--only", only, "--repeats", "1"];
    let size = ["--rounds", "1000", "--matches", "100"];
    run(folder, &[&brief[..], &size, more].concat())
}

fn names(report: &Value) -> Vec<&str> {
    let figures = report["figures"].as_array().unwrap().iter();
    figures
        .map(|figure| figure["name"].as_str().unwrap())
        .collect()
}

/// Whether a note says that the figure is not measured.
fn is_left_out(report: &Value, figure: &str) -> bool {
    let what = match figure.split_once('-') {
        Some(("jailed", _)) => "tournaments in the jail",
        Some(("modules" | "processes", _)) => "tournaments",
        _ => figure,
    };
    let notes = report["notes"].as_array().unwrap().iter();
    let mut notes = notes.map(|note| note.as_str().unwrap());
    let one_cpu = "tournaments are not measured: there is one CPU";
    notes.any(|note| {
        note.starts_with(&format!("{what} are not measured: "))
            || note.starts_with(&format!("{what} is not measured: "))
            || what.starts_with("tournaments") && note.starts_with(one_cpu)
    })
}

/// The figures that a part has, or a note on each that it lacks.
fn check_part(part: &str, expected: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let json = measure(folder.path(), part, &["--json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["flipside_bench"], 1, "{json}");
    assert_eq!(report["plan"]["parts"], serde_json::json!([part]), "{json}");
    assert!(report["machine"]["cpus"].as_u64() > Some(0), "{json}");
    for name in expected {
        let is_there = names(&report).contains(name);
        assert_ne!(is_there, is_left_out(&report, name), "{name}: {json}");
    }
    for figure in report["figures"].as_array().unwrap() {
        for side in ["baseline", "measured"] {
            let values = figure[side]["values"].as_array().unwrap();
            assert!(!values.is_empty(), "{json}");
            assert!(
                values.iter().all(|value| value.as_f64() > Some(0.0)),
                "{json}"
            );
        }
        assert!(figure["ratio"]["median"].as_f64() > Some(0.0), "{json}");
    }
}

#[test]
fn the_ply_of_a_process_is_measured_pinned_and_not() {
    check_part("process", &["process-ply", "process-ply-unpinned"]);
}

#[test]
fn the_ply_of_a_module_is_measured_against_two_hosts() {
    check_part("module", &["module-ply", "module-ply-wasi"]);
}

#[test]
fn the_ply_of_a_game_that_is_a_program_is_measured() {
    let expected = ["game-process-ply", "game-process-cost", "game-module-ply"];
    check_part("games", &expected);
    // `scripts/test` builds the module.
    let module = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../target/test-bots/flipfour-game.wasm"
    );
    let folder = tempfile::tempdir().unwrap();
    let json = measure(folder.path(), "games", &["--json", "--game-module", module]);
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(names(&report), expected, "{json}");
}

#[test]
fn starts_are_measured_bare_plain_and_jailed() {
    check_part("start", &["start-plain", "start-jailed"]);
}

#[test]
fn tournaments_are_measured_with_one_and_two_workers() {
    let games = ["flipflop-3x3", "yonmoque", "flipfour"];
    let kinds = ["modules", "processes", "jailed"];
    let expected = kinds
        .iter()
        .flat_map(|kind| games.map(|game| format!("{kind}-{game}")));
    let folder = tempfile::tempdir().unwrap();
    let json = measure(folder.path(), "tournaments", &["--json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    for name in expected {
        let is_there = names(&report).contains(&&*name);
        assert_ne!(is_there, is_left_out(&report, &name), "{name}: {json}");
    }
    // They play in a temporary arena.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn memory_is_watched_over_matches_and_zero_of_them_skip_it() {
    check_part("memory", &["memory"]);
    let folder = tempfile::tempdir().unwrap();
    let args = ["--only", "memory", "--matches", "0", "--json"];
    let report: Value = serde_json::from_str(&run(folder.path(), &args)).unwrap();
    assert_eq!(names(&report), Vec::<&str>::new());
}

#[test]
fn a_saved_run_is_compared_with_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let saved = measure(folder, "module", &["--json"]);
    fs::write(folder.join("saved.json"), saved).unwrap();
    let against = |more: &[&str]| {
        measure(
            folder,
            "module,memory",
            &[&["--against", "saved.json"], more].concat(),
        )
    };
    let told = against(&[]);
    for words in [
        "module-ply",
        "quotient",
        "too few values",
        "memory was not measured before",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let csv = against(&["--csv"]);
    let first = csv.lines().next().unwrap();
    assert!(
        first.starts_with("figure,before,now,quotient,change"),
        "{csv}"
    );
    // What was compared can be compared with, too.
    let json = against(&["--json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["comparison"]["new"], serde_json::json!(["memory"]));
    fs::write(folder.join("again.json"), json).unwrap();
    let told = measure(folder, "memory", &["--against", "again.json"]);
    assert!(
        told.contains("module-ply was measured only before"),
        "{told}"
    );
}

#[test]
fn what_is_no_saved_run_is_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let files = [
        ("old.json", "{\"question_bytes\": 400, \"process\": {}}"),
        ("later.json", "{\"flipside_bench\": 99}"),
    ];
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    // Measuring this would take days.
    let lines = [
        "--rounds 10000000 --against nowhere.json",
        "--rounds 10000000 --against old.json",
        "--rounds 10000000 --against later.json",
        "--rounds 10000000 --against .",
    ];
    assert_snapshot!(session(folder, &lines), @"
    $ flipside-bench --rounds 10000000 --against nowhere.json
    error: cannot read nowhere.json: No such file or directory (os error 2)
    hint: the path begins where you are
    -- 2

    $ flipside-bench --rounds 10000000 --against old.json
    error: old.json: no saved run of `flipside-bench`: missing field `flipside_bench` at line 1 column 38
    hint: flipside-bench --json > FILE saves a run
    -- 2

    $ flipside-bench --rounds 10000000 --against later.json
    error: later.json: a saved run in version 99 of the form, and not 1
    hint: compare runs of the same version, or measure with both versions again
    -- 2

    $ flipside-bench --rounds 10000000 --against .
    error: . is not a file but a folder
    hint: name a file in it
    -- 2
    ");
}

#[test]
fn the_parts_are_listed_and_what_is_unknown_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        "--help",
        "--only module,plies",
        "--repeats 0",
        "./pipe",
        "jail",
        "compile",
    ];
    assert_snapshot!(session(folder.path(), &lines), @"
    $ flipside-bench --help
    Measure the speed of Flipside against bare round trips

    Both sides of a ratio are measured alternately. Compare the ratios, not the times. Quit other
    programs first. With the default settings, it takes about two minutes on two cores.

    Tournaments use an arena in the folder for temporary files; TMPDIR=DIR chooses another.

    Usage: flipside-bench [OPTIONS]

    Options:
          --only <NAME>
              Measure only these parts, separated by commas

              Possible values:
              - process:     ply of a process against bare pipes, pinned to one core and not
              - module:      ply of a module against the smallest host, and plain wasmtime-wasi
              - games:       ply of a game that is a process or a module, against the same game built in
              - start:       start of a process: bare, by the sandbox, and in the jail
              - tournaments: matches a second of tournaments, two match threads against one
              - memory:      memory of the referee over --matches matches

          --against <FILE>
              Compare with a run that --json saved

              A ratio is marked as better or worse if it changed by more than it varies within the runs.
              That needs five values in each run, so nine repeats for tournaments.

          --repeats <REPEATS>
              Repeats of each figure; medians count

              Tournaments have half as many, and starts ten times as many.

              [default: 9]

          --rounds <ROUNDS>
              Round trips and plies per measurement

              A tournament of processes has twice as many plies, and one of modules five times as many.

              [default: 20000]

          --matches <MATCHES>
              Matches for the memory check; 0 skips it

              [default: 100000]

          --game-module <FILE>
              FlipFour as a module, for the part games

              cargo build --release --target wasm32-wasip1 -p flipside-bench-game makes it.

          --json
              Print JSON

          --csv
              Print CSV

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version
    -- 0

    $ flipside-bench --only module,plies
    error: invalid value 'plies' for '--only <NAME>'
      [possible values: process, module, games, start, tournaments, memory]

    For more information, try '--help'.
    -- 2

    $ flipside-bench --repeats 0
    error: invalid value '0' for '--repeats <REPEATS>': 0 is not in 1..=1000

    For more information, try '--help'.
    -- 2

    $ flipside-bench ./pipe
    error: unexpected argument './pipe' found

    Usage: flipside-bench [OPTIONS]

    For more information, try '--help'.
    -- 2

    $ flipside-bench jail
    error: `jail` is how flipside starts a bot
    -- 2

    $ flipside-bench compile
    error: no order: a compiler is started by what needs it
    hint: modules are compiled as they are needed; there is nothing to do
    -- 2
    ");
}

#[test]
fn a_signal_stops_a_run_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let endless = ["--only", "memory", "--matches", "18446744073709551615"];
    let mut child = bench(folder.path(), &endless)
        .env("TMPDIR", folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut line_with = |word: &str| lines.any(|line| line.unwrap().contains(word));
    assert!(line_with("memory: 18446744073709551615 matches"));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert!(line_with("stopped: nothing is printed"));
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stdout), (Some(130), Vec::new()));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
