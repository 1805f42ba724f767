//! The jail, tried by bots that want out. All of it runs as whoever runs the tests; where that is root,
//! once more as an ordinary user.

mod bundles;
#[path = "../bots/common.rs"]
#[allow(
    dead_code,
    clippy::allow_attributes,
    reason = "another part is used here"
)]
mod common;
mod ends;
mod interpreters;
mod layers;
mod limits;
mod network;
mod started;
#[path = "../bots/turns.rs"]
mod turns;
mod user;

use std::path::PathBuf;

use flipside_sandbox::Program;

use started::{folder, jail, sandbox_of, stage, start, start as start_one, start_in};

#[test]
fn all_of_it_holds_for_an_ordinary_user_too() {
    user::runs_them_too(&[]);
}

/// A jailed shell that answers each line with what comes of the script, in one line.
fn sh(script: &str) -> Program {
    common::sh(&format!(
        "while read line; do {{ {script}\n}} 2>&1 | tr '\\n' ' '; echo; done"
    ))
}

/// What a jailed shell says to a script.
fn says(script: &str) -> String {
    common::block_on(async {
        let mut bot = start(&sh(script));
        common::answer(&mut bot, "x\n").await.trim().to_owned()
    })
}

/// An executable file with this text.
fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, executable).unwrap();
    path
}
