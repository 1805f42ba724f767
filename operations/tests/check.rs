//! A check that is stopped ends in the middle of a step.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use flipside_operations::{CheckNews, CheckRequest, Processes, check};
use flipside_tournament::Stop;

#[test]
fn a_check_that_is_stopped_waits_for_no_bot() {
    let folder = tempfile::tempdir().unwrap();
    let bot = folder.path().join("silent");
    fs::write(&bot, "#!/bin/sh\nexec sleep 1000\n").unwrap();
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).unwrap();
    let stop = Stop::default();
    let request = CheckRequest {
        bot: bot.to_str().unwrap(),
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
