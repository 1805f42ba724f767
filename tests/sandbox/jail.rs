//! The jail as a person meets it: on by default, told where it is off, tried by `doctor`. The walls
//! themselves are tested in the sandbox.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::common::run;

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
    for (trust, isolation) in [(None, "jail"), (Some("--trust"), "trust")] {
        let record = format!("{isolation}.jsonl");
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
        assert!(
            text.contains(&format!("\"isolation\":\"{isolation}\"")),
            "{text}"
        );
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

#[test]
fn where_neither_a_group_nor_a_proc_of_its_own_is_given_no_bot_starts() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("NOT TESTED, for only root can hide parts of /proc as a container does");
        return;
    }
    // An ordinary user has no control group, and where parts of /proc are covered he gets no new one.
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let copy = folder.path().join("flipside");
    crate::common::copy_program(env!("CARGO_BIN_EXE_flipside").as_ref(), &copy);
    let covered = "mount --make-rprivate / && mount -t tmpfs none /proc/sys/fs && \
        exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$0\" \"$@\"";
    let told = |args: &[&str]| {
        let output = Command::new("unshare")
            .args(["-m", "sh", "-c", covered])
            .arg(&copy)
            .args(args)
            .current_dir("/")
            .env("HOME", "/")
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let (code, text) = told(&["match", "flipflop-3x3", "sample:random", "sample:greedy"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("tree-memory"), "{text}");
    assert!(text.contains("mounting a /proc"), "{text}");
    let (code, text) = told(&["doctor"]);
    assert_eq!(code, Some(1), "{text}");
    let line = text.lines().find(|line| line.starts_with("tree-memory"));
    assert!(
        line.is_some_and(|line| line.contains("mounting a /proc")),
        "{text}"
    );
}

/// A bot that tells of each of these on its standard error whether it is there, and leaves.
fn looker(folder: &Path, first_line: &str, sights: &[&Path]) {
    let text = format!(
        "{first_line}\nimport os, sys\nfor x in {:?}: print('SEES' if os.path.exists(x) else 'MISSES', x, file=sys.stderr)\n\
         print(os.path.exists(os.__file__), sys.prefix, file=sys.stderr)\n",
        sights
            .iter()
            .map(|path| path.to_str().unwrap())
            .collect::<Vec<_>>()
    );
    crate::common::script(folder, "looker.py", &text);
}

#[test]
fn an_environment_of_python_runs_in_the_jail_and_shows_nothing_but_itself() {
    // Not in /tmp, which is another one in the jail.
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let at = |name: &str| folder.path().join(name);
    let made = Command::new("python3")
        .args(["-m", "venv", "--without-pip"])
        .arg(at("project/venv"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("NOT TESTED, for this machine has no python3 that makes environments");
        return;
    }
    let (work, secret) = (at("project/work"), at("project/venv/secret"));
    std::fs::create_dir(&work).unwrap();
    std::fs::write(&secret, "17").unwrap();
    let record = work.join("r");
    let bin = at("project/venv/bin");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let tell = |arena: &Path| {
        let _ = std::fs::remove_file(&record);
        let output = crate::common::flipside(&work)
            .env("PATH", &path)
            .args([
                "match",
                "flipfour",
                "./looker.py",
                "sample:greedy",
                "--record",
                "r",
                "--arena",
            ])
            .arg(arena)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        std::fs::read_to_string(&record).unwrap()
    };
    for line in [
        "#!/usr/bin/env python3".to_owned(),
        format!("#!{}/python3", bin.display()),
    ] {
        looker(&work, &line, &[&secret, &bin.join("python3"), &work]);
        let told = tell(&at("arena"));
        assert!(
            told.contains(&format!("MISSES {}", secret.display())),
            "{told}"
        );
        assert!(
            told.contains(&format!("MISSES {}", work.display())),
            "{told}"
        );
        assert!(
            told.contains(&format!("True {}", at("project/venv").display())),
            "{told}"
        );
        assert!(
            told.contains(&format!("SEES {}/python3", bin.display())),
            "{told}"
        );
    }
    // An arena in it, and it is not shown; the bot gets another Python, or none.
    looker(&work, "#!/usr/bin/env python3", &[&bin]);
    let arena = at("project/venv/lib/arena");
    std::fs::create_dir(&arena).unwrap();
    let told = tell(&arena);
    assert!(!told.contains(&format!("SEES {}", bin.display())), "{told}");
}

#[test]
fn no_bot_starts_where_every_bot_would_see_the_arena() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("NOT TESTED, for only root writes into the folders of the system");
        return;
    }
    let arena = tempfile::tempdir_in("/usr/local/share").unwrap();
    let folder = tempfile::tempdir().unwrap();
    spy(folder.path());
    let args = ["match", "flipfour", "./spy", "sample:greedy", "--arena"];
    let told = run(
        folder.path(),
        &[&args[..], &[arena.path().to_str().unwrap()]].concat(),
    );
    let refused = told.refused(1);
    assert!(refused.contains("which every bot sees"), "{refused}");
    assert!(refused.contains("hint: move it"), "{refused}");
}
