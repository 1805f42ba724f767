//! The jail as a person meets it: on by default, told where it is off, tried by `doctor`. The walls
//! themselves are tested in the sandbox.

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use common::run;

/// A bot that tells on its standard error whether it sees a file, and leaves.
fn spy(folder: &Path) {
    std::fs::write(folder.join("secret"), "the secret is 17").unwrap();
    let secret = folder.join("secret");
    let text = format!("#!/bin/sh\ncat '{}' >&2\nexit 3\n", secret.display());
    let file = folder.join("spy");
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_bot_sees_its_neighbours_only_where_it_is_trusted_and_the_record_says_so() {
    let folder = tempfile::tempdir().unwrap();
    spy(folder.path());
    for (trust, walls) in [(None, "jail"), (Some("--trust"), "trust")] {
        let record = format!("{walls}.jsonl");
        let mut args = vec![
            "match",
            "flipfour",
            "./spy",
            "sample:greedy",
            "--record",
            &record,
        ];
        args.extend(trust);
        let shown = run(folder.path(), &args).ok();
        let text = std::fs::read_to_string(folder.path().join(&record)).unwrap();
        assert!(text.contains(&format!("\"walls\":\"{walls}\"")), "{text}");
        assert_eq!(text.contains("the secret is 17"), trust.is_some(), "{text}");
        assert_eq!(shown.contains("without a jail"), trust.is_some(), "{shown}");
        let replay = run(folder.path(), &["replay", &record]).ok();
        assert_eq!(
            replay.contains("without a jail"),
            trust.is_some(),
            "{replay}"
        );
        run(folder.path(), &["verify", &record]).ok();
    }
}

#[test]
fn a_tournament_keeps_whether_its_bots_are_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let tournament = |name: &str, trust: bool| {
        let mut args = vec![
            "tournament",
            "flipflop-3x3",
            "sample:random",
            "sample:greedy",
            "--name",
            name,
        ];
        args.extend(trust.then_some("--trust"));
        run(folder.path(), &args)
    };
    assert!(!tournament("walled", false).ok().contains("without a jail"));
    assert!(tournament("open", true).ok().contains("without a jail"));
    let ratings = run(folder.path(), &["ratings"]).ok();
    assert!(ratings.contains("without a jail in open\n"), "{ratings}");
    // To go on otherwise is to play another tournament.
    let refused = tournament("open", false).refused(2);
    assert!(refused.contains("trust: true, not false"), "{refused}");
    let json = run(
        folder.path(),
        &[
            "match",
            "flipflop-3x3",
            "sample:random",
            "sample:greedy",
            "--json",
        ],
    );
    assert!(json.ok().contains("\"trust\": false"));
}

#[test]
fn doctor_tries_every_wall() {
    let folder = tempfile::tempdir().unwrap();
    let told = run(folder.path(), &["doctor"]).ok();
    for wall in [
        "users",
        "namespaces",
        "root",
        "limits",
        "privileges",
        "calls",
    ] {
        let line = told.lines().find(|line| line.starts_with(wall));
        let ok = line.is_some_and(|line| line.split_whitespace().nth(1) == Some("ok"));
        assert!(ok, "{wall}: {told}");
    }
    let json = run(folder.path(), &["doctor", "--json"]).ok();
    assert!(json.contains("\"wall\": \"tree-memory\""), "{json}");
}

#[test]
fn the_stage_is_nothing_to_be_typed() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["jail"]).refused(2);
    run(folder.path(), &["jail", "1", "2"]).refused(2);
}
