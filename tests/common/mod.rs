//! The command as a person runs it, in a folder of its own.
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "every test file uses another part"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run printed, and how it ended.
#[derive(Debug)]
pub struct TestRun {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

impl From<Output> for TestRun {
    fn from(output: Output) -> Self {
        Self {
            stdout: String::from_utf8(output.stdout).expect("output is text"),
            stderr: String::from_utf8(output.stderr).expect("messages are text"),
            code: output.status.code(),
        }
    }
}

impl TestRun {
    /// The standard output of a run that must have succeeded.
    pub fn ok(self) -> String {
        assert_eq!(
            self.code,
            Some(0),
            "stdout:\n{}\nstderr:\n{}",
            self.stdout,
            self.stderr
        );
        self.stdout
    }

    /// What a run that must have failed said; it has an error line, perhaps a hint, and no panic.
    pub fn refused(self, code: i32) -> String {
        assert_eq!(
            self.code,
            Some(code),
            "stdout:\n{}\nstderr:\n{}",
            self.stdout,
            self.stderr
        );
        assert!(self.stderr.contains("error: "), "{}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self.stderr
    }
}

/// Lets a shell run a text in a folder, with mounts of its own, which are gone with it.
pub fn in_own_mounts(folder: &Path, text: &str) -> Output {
    Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", text])
        .current_dir(folder)
        .output()
        .expect("unshare is there (util-linux)")
}

/// The command, ready to be run in a folder.
pub fn flipside(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flipside"));
    command
        .current_dir(folder)
        .env_remove("FLIPSIDE_LOG")
        .env_remove("FLIPSIDE_ARENA")
        .env_remove("COLUMNS")
        .stdin(Stdio::null());
    command
}

/// Runs the command in a folder.
pub fn run(folder: &Path, args: &[&str]) -> TestRun {
    let output = flipside(folder).args(args).output();
    output.expect("the command starts").into()
}

/// The seed of what a test draws: fixed by `.cargo/config.toml`, and another one in `scripts/test --long`. It is
/// printed, so a test that fails names it.
pub fn test_seed() -> u64 {
    let seed = std::env::var("PROPTEST_RNG_SEED").expect("cargo sets it: .cargo/config.toml");
    println!("drawn with PROPTEST_RNG_SEED={seed}");
    seed.parse().expect("a seed is a whole number")
}

/// A bot in the repository.
pub fn sample(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("sample-bots")
        .join(file);
    assert!(path.is_file(), "{} is missing", path.display());
    path.to_str().expect("a path in UTF-8").to_owned()
}

/// A bot that a toolchain of its own has made, by `scripts/test --set-up`.
pub fn built(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("target/test-bots")
        .join(file);
    assert!(
        path.is_file(),
        "{} is missing: run `scripts/test --set-up` first",
        path.display()
    );
    path.to_str().expect("a path in UTF-8").to_owned()
}

/// Writes an executable file.
pub fn script(folder: &Path, name: &str, text: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, text).expect("the folder can be written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    path.to_str().expect("a path in UTF-8").to_owned()
}

/// Copies a program. By a process of its own: what a test that runs beside this one starts meanwhile would have the
/// copy open for writing for a moment, and then it cannot be executed.
pub fn copy_program(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status();
    assert!(copied.expect("there is cp").success());
}

/// A whole seed of a match: matches with the same one have the same chance.
pub fn whole_seed(number: u64) -> String {
    flipside_referee::MatchSeed::from_number(number).to_string()
}

/// The ids of all games.
pub fn games() -> Vec<&'static str> {
    flipside_games::GAMES
        .iter()
        .map(|game| game.info().id)
        .collect()
}
