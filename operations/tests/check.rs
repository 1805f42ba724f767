//! Checks that are stopped, and those of bots with unusual paths.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use flipside_operations::{CheckNews, CheckRequest, Processes, check, submit_checked};
use flipside_runner::StopSignal;
use flipside_sandbox::Program;
use flipside_store::Arena;
use flipside_tournament::Name;

#[test]
fn a_check_that_is_stopped_waits_for_no_bot() {
    let folder = tempfile::tempdir().unwrap();
    let bot = folder.path().join("silent");
    fs::write(&bot, "#!/bin/sh\nexec sleep 1000\n").unwrap();
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).unwrap();
    let stop = StopSignal::default();
    let request = CheckRequest {
        bot: "silent",
        program: &Program::open(&bot).unwrap(),
        games: &["flipfour".to_owned()],
        also: None,
        clock: "move=1s,start=60s".parse().unwrap(),
        quick: true,
        time: None,
        steps: &[],
        processes: Processes {
            trust: true,
            ponder: false,
        },
        stop: &stop,
    };
    let mut done = Vec::new();
    let checked = check(&folder.path().join("arena"), &request, &mut |news| {
        match news {
            // The step waits for an answer when the stop comes.
            CheckNews::Begins(_) => {
                let stop = stop.clone();
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(300));
                    stop.now();
                });
            }
            CheckNews::Done(step) => done.push(step.name),
        }
        Ok(())
    });
    let failure = checked.expect_err("it was stopped");
    assert!(failure.message().contains("stopped"), "{failure}");
    assert!(done.is_empty(), "{done:?}");
}

#[test]
fn a_bot_is_checked_and_enters_where_the_path_of_the_arena_is_not_utf_8() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join(OsStr::from_bytes(b"ar\xffena"));
    let arena = Arena::create(&folder).unwrap();
    let bot = folder.join("uploaded");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample-bots/shell/random.sh");
    fs::copy(sample, &bot).unwrap();
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).unwrap();
    let program = Program::open(&bot).unwrap();
    let request = CheckRequest {
        bot: "ada",
        program: &program,
        games: &["flipfour".to_owned()],
        also: None,
        clock: "move=10s".parse().unwrap(),
        quick: true,
        time: None,
        // Only the first step is taken.
        steps: &["games".to_owned()],
        processes: Processes {
            trust: true,
            ponder: false,
        },
        stop: &StopSignal::default(),
    };
    let checked = check(&folder, &request, &mut |_| Ok(())).unwrap();
    assert!(checked.passed(), "{checked:?}");
    let name: Name = "ada".parse().unwrap();
    let submitted = submit_checked(&arena, &program, &name, &checked.games, Vec::new()).unwrap();
    assert_eq!(submitted.bot.label(), "ada@1");
    assert_eq!(submitted.bot.games, ["flipfour"]);
    assert!(arena.bot_path(&submitted.bot).unwrap().is_file());
}
