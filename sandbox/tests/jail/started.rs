//! Bots that are started in a jail, by the stage of this crate.

use std::path::PathBuf;

use flipside_protocol::ClockUnit;
use flipside_sandbox::{Isolation, Jail, Program, Sandbox, SandboxBot, SandboxSettings, Start};

/// The variable that names the stage, where it was copied to.
pub(crate) const STAGE: &str = "FLIPSIDE_TEST_STAGE";

pub(crate) fn stage() -> PathBuf {
    let stage = std::env::var_os(STAGE);
    stage.map_or_else(
        || env!("CARGO_BIN_EXE_flipside-jail-stage").into(),
        PathBuf::from,
    )
}

pub(crate) fn jail() -> Jail {
    Jail::of_program(stage(), [] as [&str; 0])
}

pub(crate) fn sandbox_of(jail: Jail) -> Sandbox {
    Sandbox::new(SandboxSettings {
        isolation: Isolation::Jail(jail),
        ..SandboxSettings::default()
    })
}

/// Starts a program in a jail; where the machine does not give one, that is said and the test fails.
pub(crate) fn start(program: &Program) -> SandboxBot {
    start_in(&sandbox_of(jail()), program)
}

pub(crate) fn start_in(sandbox: &Sandbox, program: &Program) -> SandboxBot {
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

/// A folder in which an ordinary user finds the bots that root writes.
pub(crate) fn folder() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    folder
}
