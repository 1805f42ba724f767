//! Tournaments: they resume after `kill -9` as if nothing had happened, and tables do not depend on
//! the order in which matches end.

mod common;

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use common::{built, flipside, run, sample, script};

/// Six deterministic modules; the copies differ in a comment, and so in their hash.
fn six_modules(folder: &Path) -> Vec<String> {
    let first = std::fs::read_to_string(sample("wat/first.wat")).unwrap();
    let twin = script(
        folder,
        "twin.wat",
        &format!("{first}\n;; the twin of first.wat\n"),
    );
    vec![
        sample("wat/first.wat"),
        twin,
        sample("wat/instant.wat"),
        built("random-c.wasm"),
        built("random.wasm"),
        built("greedy.wasm"),
    ]
}

fn arguments<'a>(
    game: &'a str,
    bots: &'a [String],
    arena: &'a str,
    concurrency: &'a str,
    rounds: &'a str,
) -> Vec<&'a str> {
    let mut args = vec!["tournament", game];
    args.extend(bots.iter().map(String::as_str));
    args.extend([
        "--rounds",
        rounds,
        "--seed",
        "5",
        "--clock",
        "move=30s,start=30s",
    ]);
    args.extend(["--concurrency", concurrency, "--arena", arena]);
    args
}

/// The ids of all matches in the journal.
fn match_ids(folder: &Path, arena: &str) -> Vec<String> {
    let json = run(
        folder,
        &["matches", "--json", "--limit", "1000000", "--arena", arena],
    )
    .ok();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    rows.iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_tournament_killed_at_random_moments_ends_as_one_that_was_not() {
    let folder = tempfile::tempdir().unwrap();
    let bots = six_modules(folder.path());
    for game in ["flipflop-5x5", "yonmoque"] {
        let (whole, killed) = (format!("whole-{game}"), format!("killed-{game}"));
        let uninterrupted = run(folder.path(), &arguments(game, &bots, &whole, "1", "4")).ok();
        assert!(
            uninterrupted.contains("120 of 120 matches"),
            "{uninterrupted}"
        );
        let mut killed_early = 0;
        for wait in [30, 170, 90] {
            let mut child = flipside(folder.path())
                .args(arguments(game, &bots, &killed, "2", "4"))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(wait));
            if child.try_wait().unwrap().is_none() {
                killed_early += 1;
            }
            // Rust's kill is SIGKILL. An error means that it had ended, which the count tells.
            let _ = child.kill();
            child.wait().unwrap();
        }
        assert!(
            killed_early > 0,
            "every run ended before it could be killed"
        );
        let resumed = run(folder.path(), &arguments(game, &bots, &killed, "2", "4")).ok();
        assert_eq!(resumed, uninterrupted, "the tables differ");
        let mut ids = match_ids(folder.path(), &killed);
        assert_eq!(ids.len(), 120);
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 120, "a match was played twice");
        // Once more: nothing is left to play, and the table is the same.
        let again = run(folder.path(), &arguments(game, &bots, &killed, "2", "4")).ok();
        assert_eq!(again, uninterrupted);
        for format in ["--json", "--csv"] {
            let table = |arena: &str| run(folder.path(), &["table", format, "--arena", arena]).ok();
            assert_eq!(table(&whole), table(&killed));
        }
        let ratings = |arena: &str| {
            run(
                folder.path(),
                &["ratings", game, "--json", "--arena", arena],
            )
            .ok()
        };
        assert_eq!(ratings(&whole), ratings(&killed));
    }
}

#[test]
fn every_record_of_a_tournament_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let bots = [
        sample("wat/first.wat"),
        sample("python/random.py"),
        "sample:greedy".into(),
        built("random-c"),
    ];
    run(
        folder.path(),
        &arguments("flipfour", &bots, "arena", "2", "1"),
    )
    .ok();
    let ids = match_ids(folder.path(), "arena");
    assert_eq!(ids.len(), 12);
    let mut args = vec!["verify"];
    args.extend(ids.iter().map(String::as_str));
    let told = run(folder.path(), &args).ok();
    assert_eq!(
        told.lines()
            .filter(|line| line.contains(": true: "))
            .count(),
        12,
        "{told}"
    );
    let replayed = run(folder.path(), &["replay", &ids[0]]).ok();
    assert!(replayed.contains("over after"), "{replayed}");
}

#[test]
fn a_crashing_bot_does_not_end_the_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let bad = script(
        folder.path(),
        "bad",
        "#!/bin/sh\nread x\necho 'no idea what to do' >&2\nexit 7\n",
    );
    let bots = [sample("wat/first.wat"), bad, sample("wat/instant.wat")];
    let table = run(
        folder.path(),
        &arguments("flipflop-3x3", &bots, "arena", "2", "2"),
    )
    .ok();
    assert!(table.contains("12 of 12 matches"), "{table}");
    let rows: Vec<serde_json::Value> =
        serde_json::from_str(&run(folder.path(), &["matches", "--faults", "--json"]).ok()).unwrap();
    assert_eq!(rows.len(), 8, "all matches of the bad bot");
    let id = rows[0]["id"].as_str().unwrap();
    let record = run(folder.path(), &["matches", id]).ok();
    assert!(
        record.contains("no idea what to do"),
        "the record keeps what the bot said: {record}"
    );
}

#[test]
fn a_bot_that_outlives_its_input_is_gone_when_the_tournament_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    // It never answers and never ends by itself.
    let mark = format!("flipside-test-{}", std::process::id());
    let sleep = folder.path().join(&mark);
    std::os::unix::fs::symlink("/bin/sleep", &sleep).unwrap();
    let deaf = script(
        folder.path(),
        "deaf",
        &format!("#!/bin/sh\nexec {} 1000\n", sleep.display()),
    );
    let bots = [sample("wat/first.wat"), deaf];
    let mut child = flipside(folder.path())
        .args(arguments("flipflop-3x3", &bots, "arena", "1", "1"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let running = || {
        std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            std::fs::read(entry.path().join("cmdline"))
                .is_ok_and(|line| String::from_utf8_lossy(&line).contains(&mark))
        })
    };
    let until = |wanted: bool| {
        (0..400).any(|_| {
            std::thread::sleep(Duration::from_millis(25));
            running() == wanted
        })
    };
    assert!(until(true), "the bot starts");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(until(false), "the bot is gone");
}

#[test]
fn a_full_disk_is_told_and_the_tournament_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let bots = six_modules(folder.path());
    let line = arguments("flipfour", &bots, "disk/arena", "2", "20").join(" ");
    // A mount namespace of its own: the small disk is gone with the shell.
    let text = format!(
        "mount -t tmpfs -o size=3m tmpfs disk || exit 99
         {flipside} {line}; echo \"first: $?\"
         mount -o remount,size=64m disk || exit 99
         {flipside} {line}; echo \"second: $?\"",
        flipside = env!("CARGO_BIN_EXE_flipside"),
    );
    let output = std::process::Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", &text])
        .current_dir(folder.path())
        .output()
        .expect("unshare is there (util-linux)");
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(stdout.contains("first: 1"), "{stdout}\n{stderr}");
    assert!(
        stderr.contains("full") && stderr.contains("hint: "),
        "{stderr}"
    );
    assert!(
        stdout.contains("second: 0") && stdout.contains("600 of 600 matches"),
        "{stdout}\n{stderr}"
    );
    assert!(!stderr.contains("panicked"), "{stderr}");
}
