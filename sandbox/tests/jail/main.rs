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
#[path = "../bots/turns.rs"]
mod turns;
mod user;

use std::path::PathBuf;

use flipside_protocol::ClockUnit;
use flipside_sandbox::{Bot, Isolation, Jail, Program, Sandbox, Settings, Start};

/// The variable that names the stage, where it was copied to.
const STAGE: &str = "FLIPSIDE_TEST_STAGE";

fn stage() -> PathBuf {
    let stage = std::env::var_os(STAGE);
    stage.map_or_else(
        || env!("CARGO_BIN_EXE_flipside-jail-stage").into(),
        PathBuf::from,
    )
}

fn jail() -> Jail {
    Jail::of_program(stage(), [] as [&str; 0])
}

fn sandbox_of(jail: Jail) -> Sandbox {
    Sandbox::new(Settings {
        isolation: Isolation::Jail(jail),
        ..Settings::default()
    })
}

/// Starts a program in a jail; where the machine does not give one, that is said and the test fails.
fn start(program: &Program) -> Bot {
    start_in(&sandbox_of(jail()), program)
}

use start as start_one;

fn start_in(sandbox: &Sandbox, program: &Program) -> Bot {
    let start = Start {
        seed: 1,
        unit: ClockUnit::Time,
        label: "test",
    };
    sandbox.start(program, &start).unwrap_or_else(|error| {
        let hint = error.hint().unwrap_or_default();
        panic!("THE JAIL CANNOT BE TESTED ON THIS MACHINE, or is broken: {error}\nhint: {hint}")
    })
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

/// A folder in which an ordinary user finds the bots that root writes.
fn folder() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    folder
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
