//! Modules that hurt while they are loaded, and what becomes of the one who loads them.

use std::time::Duration;
use std::{fs, thread};

use flipside_protocol::ClockUnit;
use flipside_sandbox::{
    COMPILE_MEMORY, COMPILE_WAIT, Compiler, LARGEST_MODULE, LARGEST_TEXT, OpenError, Sandbox,
    SandboxSettings,
};
use rustix::process::{Pid, Signal, kill_process};

use crate::big;
use crate::common::{
    ECHO_MODULE, answer, block_on, guest, guest_with, module_binary, module_text, start_in, until,
};

#[test]
#[ignore = "by hand: it is the compiler that the other tests start"]
fn the_compiler() {
    // Without an order it does nothing.
    let _ = Compiler::enter();
}

/// Modules with this in them are never done.
const WAITS: &str = "it waits";

#[test]
#[ignore = "by hand: another test starts and ends it"]
fn a_compiler_that_waits() {
    let order = fs::metadata("/proc/self/fd/0").is_ok_and(|input| input.is_file());
    if order
        && memchr::memmem::find(&fs::read("/proc/self/fd/0").unwrap(), WAITS.as_bytes()).is_some()
    {
        thread::sleep(COMPILE_WAIT);
    }
    let _ = Compiler::enter();
}

/// The compiler that was started with this in its arguments.
fn running(args: &str) -> Option<Pid> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let children: String = lists.collect();
    let is_it = |number: &&str| {
        let line = fs::read(format!("/proc/{number}/cmdline"));
        line.is_ok_and(|line| String::from_utf8_lossy(&line).contains(args))
    };
    let it = children.split_whitespace().find(is_it)?;
    Pid::from_raw(it.parse().unwrap())
}

fn compiler() -> Compiler {
    Compiler::of_this_program(["--exact", "compile::the_compiler", "--ignored"])
}

fn sandbox(compiler: Compiler) -> Sandbox {
    Sandbox::new(SandboxSettings {
        compiler: Some(compiler),
        instances: 2,
        ..SandboxSettings::default()
    })
}

/// Short, for what takes much more.
const A_SECOND: Duration = Duration::from_secs(1);

#[test]
fn what_was_compiled_elsewhere_runs_here() {
    let sandbox = sandbox(compiler());
    let echo = module_text(ECHO_MODULE).unwrap();
    sandbox.prepare(&echo, ClockUnit::Time).unwrap();
    block_on(async {
        let mut bot = start_in(&sandbox, &echo, 1);
        assert!(answer(&mut bot, "x\n").await.starts_with('{'));
    });
    sandbox
        .prepare(
            &module_binary(&big::jumping(1, 100)).unwrap(),
            ClockUnit::Time,
        )
        .unwrap();
    sandbox
        .prepare(
            &module_binary(&big::with_data(1 << 20)).unwrap(),
            ClockUnit::Time,
        )
        .unwrap();
}

#[test]
fn what_was_compiled_elsewhere_is_kept_in_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let with_cache = |compiler| {
        Sandbox::new(SandboxSettings {
            cache: Some(folder.path().into()),
            compiler: Some(compiler),
            instances: 1,
            ..SandboxSettings::default()
        })
    };
    let echo = module_text(ECHO_MODULE).unwrap();
    with_cache(compiler())
        .prepare(&echo, ClockUnit::Time)
        .unwrap();
    let nobody = Compiler::of_this_program(["--exact", "there is no such test"]);
    with_cache(nobody.clone())
        .prepare(&echo, ClockUnit::Time)
        .unwrap();
    let error = with_cache(nobody)
        .prepare(&guest(""), ClockUnit::Time)
        .unwrap_err();
    assert!(matches!(error, OpenError::Compiler { .. }), "{error}");
}

#[test]
fn what_the_compiler_refuses_is_told_as_it_is_here() {
    let broken = module_binary(b"\0asm\x01\0\0\0\xff").unwrap();
    let here = Sandbox::new(SandboxSettings {
        instances: 1,
        ..SandboxSettings::default()
    });
    let told = |sandbox: &Sandbox| {
        sandbox
            .prepare(&broken, ClockUnit::Time)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(told(&sandbox(compiler())), told(&here));
}

#[test]
fn a_module_that_compiles_slowly_is_given_up_and_not_tried_again() {
    // Twelve kilobytes, for which COMPILE_TIME does not suffice either.
    let slow = module_binary(&big::knotted(300, 1000)).unwrap();
    let hasty = sandbox(compiler().with_limits(A_SECOND, COMPILE_MEMORY));
    for _ in 0..100 {
        let error = hasty.prepare(&slow, ClockUnit::Time).unwrap_err();
        assert!(
            matches!(error, OpenError::SlowToCompile { limit, .. } if limit == A_SECOND),
            "{error}"
        );
        assert!(
            error.to_string().contains("1 s of processor time"),
            "{error}"
        );
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_module_that_takes_all_memory_to_compile_is_given_up() {
    const LITTLE: u64 = 128 * 1024 * 1024;
    let big = module_binary(&big::knotted(1000, 20_000)).unwrap();
    // So that no time is up before.
    let error = sandbox(compiler().with_limits(COMPILE_WAIT, LITTLE))
        .prepare(&big, ClockUnit::Time)
        .unwrap_err();
    assert!(
        matches!(error, OpenError::CompileMemory { limit: LITTLE, .. }),
        "{error}"
    );
    assert!(error.hint().is_some());
}

#[test]
fn a_module_that_compiles_slowly_holds_up_nobody_else() {
    const ARGS: [&str; 3] = ["--exact", "compile::a_compiler_that_waits", "--ignored"];
    let sandbox = sandbox(Compiler::of_this_program(ARGS));
    let echo = module_text(ECHO_MODULE).unwrap();
    sandbox.prepare(&echo, ClockUnit::Time).unwrap();
    let slow = guest_with("", &format!("(data (i32.const 600) {WAITS:?})"), "");
    thread::scope(|scope| {
        let slow = scope.spawn(|| sandbox.prepare(&slow, ClockUnit::Time));
        let mut compiles = None;
        until("it compiles", || {
            compiles = running(ARGS[1]);
            compiles.is_some()
        });
        block_on(async {
            let mut bot = start_in(&sandbox, &echo, 1);
            for _ in 0..100 {
                answer(&mut bot, "x\n").await;
            }
        });
        assert!(!slow.is_finished(), "it waited for the other");
        kill_process(compiles.unwrap(), Signal::KILL).unwrap();
        slow.join().unwrap().unwrap_err();
    });
}

#[test]
fn a_huge_module_is_refused_before_it_is_compiled() {
    for (bytes, most) in [
        (big::padded(50 << 20), LARGEST_MODULE),
        (big::padded(LARGEST_MODULE as usize), LARGEST_MODULE),
    ] {
        let error = module_binary(&bytes).unwrap_err();
        assert!(matches!(error, OpenError::TooLarge { .. }), "{error}");
        assert!(error.to_string().contains(&most.to_string()), "{error}");
        assert!(error.hint().is_some());
    }
    let mut text = b"(module)".to_vec();
    text.resize(LARGEST_TEXT as usize + 1, b' ');
    let error = module_text(std::str::from_utf8(&text).unwrap()).unwrap_err();
    assert!(matches!(error, OpenError::TooMuchText { .. }), "{error}");
    assert!(error.hint().unwrap().contains("wat2wasm"));
}
