//! The kits for bot authors and what `flipside new` makes of them: their own tests, a bot from an empty folder in each
//! language, and the pages of `docs/authors/`, whose commands all run.

mod agents;
mod conversation;
mod fresh;
mod guides;
mod llm;
mod output;
mod own;
mod samples;
mod uci;
mod views;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder that lasts from one run of the tests to the next, for what takes long to build.
fn cache(name: &str) -> PathBuf {
    let folder = root().join("target/kits").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A shell in a folder, in which `flipside` is the command that is tested. Builds write nothing into the repository and
/// do not use the target folder of the tests.
fn shell(folder: &Path, script: &str) -> Command {
    let flipside = Path::new(env!("CARGO_BIN_EXE_flipside"));
    let mut path = flipside.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut command = Command::new("bash");
    command
        .args(["-euc", script])
        .current_dir(folder)
        .env("PATH", path)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("GOCACHE", cache("go"))
        .env("FLIPSIDE_REPOSITORY", root())
        .env_remove("GOFLAGS")
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("FLIPSIDE_LOG")
        .env_remove("FLIPSIDE_ARENA")
        .env_remove("COLUMNS")
        .stdin(std::process::Stdio::null());
    command
}

/// Runs a script, which must succeed; what it printed on both streams.
fn run_script(folder: &Path, script: &str) -> String {
    let mut command = shell(folder, &format!("exec 2>&1\n{script}"));
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{script}\n{text}");
    text
}
