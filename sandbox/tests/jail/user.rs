//! The same tests as an ordinary user, where root runs them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::{STAGE, folder, stage};

/// The user that has nothing.
const NOBODY: u32 = 65_534;

#[test]
fn all_of_it_holds_for_an_ordinary_user_too() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    // Neither this program nor the stage need be where everybody may go.
    let folder = folder();
    let copy = |from: std::path::PathBuf, name: &str| {
        let to = folder.path().join(name);
        // By a process of its own: what a test beside this one starts meanwhile would have the copy open for
        // writing for a moment, and then it cannot be executed.
        let copied = Command::new("cp").arg(from).arg(&to).status().unwrap();
        assert!(copied.success());
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).unwrap();
        to
    };
    let tests = copy(std::env::current_exe().unwrap(), "tests");
    let stage = copy(stage(), "stage");
    let output = Command::new(tests)
        .env(STAGE, stage)
        .env("HOME", "/")
        .current_dir("/")
        .uid(NOBODY)
        .gid(NOBODY)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && !text.contains(" 0 passed"),
        "as an ordinary user:\n{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
