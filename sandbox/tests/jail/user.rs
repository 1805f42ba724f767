//! The same tests as an ordinary user, where root runs them. That user must not start others.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::started::{STAGE, folder, stage};

/// The user that has nothing.
const NOBODY: u32 = 65_534;

/// Runs the tests of this program with such names once more.
pub(crate) fn runs_them_too(names: &[&str]) {
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
        .args(names)
        .env(STAGE, stage)
        .env("HOME", "/")
        .current_dir("/")
        .uid(NOBODY)
        .gid(NOBODY)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && !text.contains(" 0 passed"),
        "as an ordinary user:\n{text}\n{told}"
    );
}
