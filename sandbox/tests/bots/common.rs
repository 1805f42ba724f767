//! What the tests share: bad bots in one line of shell or a few of WebAssembly text.

use std::future::Future;
use std::time::{Duration, Instant};

use flipside_sandbox::{
    AskError, OpenError, Program, Sandbox, SandboxBot, SandboxFault, SandboxSettings, Start,
};

/// Long enough for whatever is to come in time, on whatever machine.
pub(crate) const LONG: Duration = Duration::from_secs(300);

/// Short, for what is to be late.
pub(crate) const SHORT: Duration = Duration::from_millis(200);

/// A test that takes longer hangs.
const HANGS: Duration = Duration::from_secs(480);

pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    let ended = runtime.block_on(async { tokio::time::timeout(HANGS, future).await });
    ended.expect("it hangs")
}

/// Waits until this is so.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = within(HANGS);
    while !is_so() {
        assert!(Instant::now() < end, "it hangs: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whether this process runs nothing but one test, which may look at all that belongs to it. Where it does not, such a
/// process is started with a temporary folder of its own, and the test there must succeed.
pub(crate) fn is_alone(test: &str) -> bool {
    const ALONE: &str = "FLIPSIDE_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let folder = tempfile::tempdir().unwrap();
    let this = std::env::current_exe().unwrap();
    let mut child = std::process::Command::new(this);
    child.args([test, "--exact"]).env(ALONE, test);
    let output = child.env("TMPDIR", folder.path()).output().unwrap();
    let told = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (told(&output.stdout), told(&output.stderr));
    let has_passed = output.status.success() && stdout.contains(" 1 passed");
    assert!(has_passed, "{stdout}\n{stderr}");
    false
}

/// Sleeps for a while before each answer.
pub(crate) const SLOW: &str = "while read x; do sleep 0.3; echo ok; done";

pub(crate) fn python(script: &str) -> Program {
    Program::command("/usr/bin/env", ["python3", "-c", script]).unwrap()
}

/// Computes in children that come and go, and that the kernel reaps by itself and counts nowhere. They end with their
/// bot, for a test that is killed ends nobody.
pub(crate) const HIDDEN: &str = "
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
def compute():
    until = time.monotonic() + 0.003
    while time.monotonic() < until: pass
bot = os.getpid()
for _ in range(3):
    if os.fork() == 0:
        while os.getppid() == bot:
            if os.fork() == 0:
                compute()
                os._exit(0)
            time.sleep(0.003)
        os._exit(0)
";

pub(crate) fn within(time: Duration) -> Instant {
    Instant::now() + time
}

pub(crate) fn sandbox() -> Sandbox {
    Sandbox::new(SandboxSettings {
        instances: 8,
        ..SandboxSettings::default()
    })
}

pub(crate) fn sh(script: &str) -> Program {
    Program::command("/bin/sh", ["-c", script]).unwrap()
}

pub(crate) fn start(program: &Program) -> SandboxBot {
    start_in(&sandbox(), program, 1)
}

pub(crate) fn start_in(sandbox: &Sandbox, program: &Program, seed: u64) -> SandboxBot {
    sandbox
        .start(
            program,
            &Start {
                seed,
                label: "test",
                ..Start::default()
            },
        )
        .unwrap()
}

/// Asks a bot that is to answer.
pub(crate) async fn answer(bot: &mut SandboxBot, line: &str) -> String {
    bot.ask(line.as_bytes(), within(LONG))
        .await
        .unwrap()
        .line
        .to_owned()
}

/// Asks a bot that is to fail, and gives it a long time.
pub(crate) async fn fault(bot: &mut SandboxBot, line: &str) -> SandboxFault {
    fault_by(bot, line, within(LONG)).await
}

pub(crate) async fn fault_by(bot: &mut SandboxBot, line: &str, deadline: Instant) -> SandboxFault {
    match bot.ask(line.as_bytes(), deadline).await {
        Err(AskError::Fault(fault)) => fault,
        other => panic!("a fault was due, not {other:?}"),
    }
}

/// Asks a bot that is to be late, and that is charged all that was left of this time when the question began: the
/// machine may have stopped before.
pub(crate) async fn late(bot: &mut SandboxBot, line: &str, time: Duration) -> SandboxFault {
    let deadline = within(time);
    let fault = fault_by(bot, line, deadline).await;
    assert_eq!(fault.name(), "late");
    let timing = bot.timing();
    let begun_at_latest = Instant::now() - timing.wall;
    let left = deadline.saturating_duration_since(begun_at_latest);
    assert!(timing.charged >= left, "{timing:?} {left:?}");
    fault
}

/// A module that answers every line with the same short line.
pub(crate) const ECHO_MODULE: &str = include_str!("echo.wat");

/// A file with this content, opened as a program and gone again.
pub(crate) fn module_text(text: &str) -> Result<Program, OpenError> {
    opened("guest.wat", text.as_bytes())
}

/// The same for a binary module.
pub(crate) fn module_binary(bytes: &[u8]) -> Result<Program, OpenError> {
    opened("guest.wasm", bytes)
}

fn opened(name: &str, bytes: &[u8]) -> Result<Program, OpenError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, bytes).unwrap();
    Program::open(file)
}

/// A guest: `_start` has this body, and may call `$read` (a part of its input to 4096, the result
/// its length, 0 at the end), `$say` (address and length) and `$ok`, which writes the line `ok`;
/// for the functions that it imports besides, and for its own, there is `more`.
pub(crate) fn guest_with(imports: &str, more: &str, body: &str) -> Program {
    let text = format!(
        r#"(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  {imports}
  (memory (export "memory") 2)
  (data (i32.const 512) "ok\n")
  (func $read (result i32)
    (i32.store (i32.const 0) (i32.const 4096)) (i32.store (i32.const 4) (i32.const 4096))
    (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (i32.load (i32.const 8)))
  (func $write (param $to i32) (param $at i32) (param $length i32)
    (i32.store (i32.const 0) (local.get $at)) (i32.store (i32.const 4) (local.get $length))
    (drop (call $fd_write (local.get $to) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func $say (param $at i32) (param $length i32)
    (call $write (i32.const 1) (local.get $at) (local.get $length)))
  (func $ok (call $say (i32.const 512) (i32.const 3)))
  {more}
  (func (export "_start") {body}))"#
    );
    module_text(&text).unwrap()
}

pub(crate) fn guest(body: &str) -> Program {
    guest_with("", "", body)
}
