//! `flipside bench`: every part measures, and a run can be saved and compared with another. No test looks at a time.

use std::path::Path;

use serde_json::Value;

use crate::common::{run, script};

/// Measures these parts as briefly as can be.
fn measure(folder: &Path, only: &str, more: &[&str]) -> String {
    let brief = ["bench", "--only", only, "--repeats", "1"];
    let size = ["--rounds", "1000", "--matches", "100"];
    run(folder, &[&brief[..], &size, more].concat()).ok()
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
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn memory_is_watched_over_matches_and_zero_of_them_skip_it() {
    check_part("memory", &["memory"]);
    let folder = tempfile::tempdir().unwrap();
    let args = ["bench", "--only", "memory", "--matches", "0", "--json"];
    let report: Value = serde_json::from_str(&run(folder.path(), &args).ok()).unwrap();
    assert_eq!(names(&report), Vec::<&str>::new());
}

#[test]
fn a_saved_run_is_compared_with_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let saved = measure(folder, "module", &["--json"]);
    script(folder, "saved.json", &saved);
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
    script(folder, "again.json", &json);
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
    script(
        folder,
        "old.json",
        "{\"question_bytes\": 400, \"process\": {}}",
    );
    script(folder, "later.json", "{\"flipside_bench\": 99}");
    for (file, words) in [
        ("nowhere.json", "cannot read"),
        ("old.json", "no saved run of `flipside bench`"),
        ("later.json", "in version 99 of the form"),
        (".", "a folder"),
    ] {
        // Measuring this would take days.
        let args = ["bench", "--rounds", "10000000", "--against", file];
        let told = run(folder, &args).refused(2);
        assert!(told.contains(words), "{told}");
        if file != "nowhere.json" {
            assert!(told.contains("hint: "), "{told}");
        }
    }
}

#[test]
fn the_parts_are_listed_and_an_unknown_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let help = run(folder.path(), &["bench", "--help"]).ok();
    let told = run(folder.path(), &["bench", "--only", "module,plies"]).refused(2);
    for part in ["process", "module", "start", "tournaments", "memory"] {
        assert!(help.contains(&format!("- {part}:")), "{help}");
        assert!(told.contains(part), "{told}");
    }
}
