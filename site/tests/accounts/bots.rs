//! Bots that play by chance, in the arena of a site.

use std::process::Command;

use flipside_operations::{Processes, Submission, submit};

use crate::browser::TestSite;

pub(crate) const RANDOM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../sample-bots/shell/random.sh"
);

/// Enters the bots `ada` and `bob`.
pub(crate) fn enter(site: &TestSite) {
    // What plays waits in its own way, which a test that answers requests meanwhile may not.
    let enter = || {
        for name in ["ada", "bob"] {
            let file = site.folder.path().join(name);
            // By a process of its own: what another test starts meanwhile would have the copy open for writing for a
            // moment, and then it cannot be executed.
            let copied = Command::new("cp").arg(RANDOM).arg(&file).status();
            assert!(copied.unwrap().success());
            let submission = Submission {
                file: &file,
                name: None,
                games: &["flipflop-3x3".into()],
                clock: "move=5m,start=5m".parse().unwrap(),
                processes: Processes::default(),
            };
            submit(site.arena().path(), &submission, |_| Ok(())).unwrap();
        }
    };
    std::thread::scope(|scope| scope.spawn(enter).join().unwrap());
}
