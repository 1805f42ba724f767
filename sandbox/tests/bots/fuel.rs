//! Clocks that count fuel: the same on every machine and at every load, exact, and never without an end.

use std::time::{Duration, Instant};

use flipside_protocol::{ClockUnit, FUEL_PER_NS, FUEL_PER_US};
use flipside_sandbox::{
    Allowance, AskError, BotAnswer, OpenError, ProcessEnd, Program, Sandbox, SandboxBot,
    SandboxFault, Start,
};

use crate::common::{ECHO_MODULE, LONG, block_on, guest, guest_with, module_text, sandbox, sh};

/// More than any guest of these tests uses.
const PLENTY: u64 = 1_000_000_000;

fn fuel(units: u64) -> Allowance {
    Allowance {
        from: Instant::now(),
        time: Duration::from_nanos(units / FUEL_PER_NS),
    }
}

fn metered(sandbox: &Sandbox, program: &Program) -> SandboxBot {
    let start = Start {
        unit: ClockUnit::Fuel,
        seed: 1,
        label: "test",
    };
    sandbox.start(program, &start).unwrap()
}

/// What each of so many answers costs.
fn costs(sandbox: &Sandbox, program: &Program, lines: &[&str]) -> Vec<u64> {
    block_on(async {
        let mut bot = metered(sandbox, program);
        let mut costs = Vec::new();
        for line in lines {
            let BotAnswer { charged, fuel, .. } =
                bot.ask(line.as_bytes(), fuel(PLENTY)).await.unwrap();
            let cost = fuel.unwrap();
            assert_eq!(charged, Duration::from_micros(cost.div_ceil(FUEL_PER_US)));
            assert_eq!((bot.timing().charged, bot.timing().fuel), (charged, fuel));
            // Nothing but fuel is measured.
            assert_eq!(bot.timing().wall, charged);
            costs.push(cost);
        }
        costs
    })
}

/// Computes for a while, a thousand rounds, at each line.
const COMPUTES: &str = "(local $i i32) (loop $lines (br_if 1 (i32.eqz (call $read)))
    (local.set $i (i32.const 1000))
    (loop $more (br_if $more (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
    (call $ok) (br $lines))";

#[test]
fn the_fuel_of_fixed_programs_is_what_it_was() {
    // If this fails, fuel means something else than in the records that there are: then `METERING` must change with
    // these numbers.
    let sandbox = sandbox();
    let once = |body: &str| guest(&format!("(drop (call $read)) {body} (call $ok)"));
    let of = |program: &Program, lines: &[&str]| costs(&sandbox, program, lines);
    let now = [
        of(&module_text(ECHO_MODULE).unwrap(), &["x\n"; 3]),
        of(&guest(COMPUTES), &["x\n"; 3]),
        // A longer line is more to read, by a unit for each byte.
        of(&guest(COMPUTES), &["x\n", "xxx\n", "x\n"]),
        of(&once(""), &["x\n"]),
        // What an instruction moves costs a unit for each byte, and a page of new memory 255.
        of(
            &once("(memory.fill (i32.const 8192) (i32.const 0) (i32.const 100000))"),
            &["x\n"],
        ),
        of(&once("(drop (memory.grow (i32.const 16)))"), &["x\n"]),
    ];
    let was: [&[u64]; 6] = [
        &[2083, 2087, 2087],
        &[7067, 7071, 7071],
        &[7067, 7073, 7071],
        &[2063],
        &[102_067],
        &[6399],
    ];
    assert_eq!(now, was);
    assert_eq!(flipside_sandbox::METERING, "wasmtime-48/1");
}

#[test]
fn fuel_does_not_depend_on_the_load_or_on_who_else_plays() {
    let sandbox = sandbox();
    let program = guest(COMPUTES);
    let alone = costs(&sandbox, &program, &["x\n"; 20]);
    std::thread::scope(|scope| {
        let busy: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| costs(&sandbox, &program, &["x\n"; 20])))
            .collect();
        for costs in busy {
            assert_eq!(costs.join().unwrap(), alone);
        }
    });
}

#[test]
fn an_answer_is_in_time_exactly_if_it_leaves_fuel() {
    let sandbox = sandbox();
    let program = guest(COMPUTES);
    let costs = costs(&sandbox, &program, &["x\n"; 2]);
    let below = costs[1] / FUEL_PER_NS * FUEL_PER_NS;
    for (budget, in_time) in [(below + FUEL_PER_NS, true), (below, false)] {
        block_on(async {
            let mut bot = metered(&sandbox, &program);
            bot.ask(b"x\n", fuel(PLENTY)).await.unwrap();
            // What was left of the first question is lost.
            let answer = bot.ask(b"x\n", fuel(budget)).await;
            assert_eq!(answer.is_ok(), in_time);
            if !in_time {
                assert!(matches!(
                    answer,
                    Err(AskError::Fault(SandboxFault::Late { waiting: false, .. }))
                ));
                assert_eq!(bot.timing().fuel, Some(budget));
                assert_eq!(bot.finish(LONG).await.ended, ProcessEnd::Killed);
            }
        });
    }
}

#[test]
fn what_loops_is_late_whatever_it_does_meanwhile() {
    let imports = r#"(import "wasi_snapshot_preview1" "random_get"
        (func $random (param i32 i32) (result i32)))"#;
    let bodies = [
        "(loop $ever (br $ever))",
        "(loop $ever (call $write (i32.const 2) (i32.const 0) (i32.const 65536)) (br $ever))",
        "(loop $ever (drop (call $random (i32.const 0) (i32.const 65536))) (br $ever))",
        "(loop $ever (memory.fill (i32.const 0) (i32.const 0) (i32.const 100000)) (br $ever))",
        "(loop $ever (drop (memory.grow (i32.const 0))) (br $ever))",
        "(loop $ever (call $write (i32.const 1) (i32.const 0) (i32.const 1)) (br $ever))",
    ];
    let sandbox = sandbox();
    for body in bodies {
        let program = guest_with(imports, "", &format!("(drop (call $read)) {body}"));
        let outcome = || {
            block_on(async {
                let mut bot = metered(&sandbox, &program);
                let Err(AskError::Fault(fault)) = bot.ask(b"x\n", fuel(50_000_000)).await else {
                    panic!("{body} answers");
                };
                (fault.name(), bot.timing().fuel)
            })
        };
        let (name, used) = outcome();
        // The last of them writes a line that is too long before that.
        assert!(["late", "too-long"].contains(&name), "{body}: {name}");
        assert!(name != "late" || used == Some(50_000_000), "{used:?}");
        assert_eq!(outcome(), (name, used), "{body}");
    }
}

/// Between two calls of the host it uses less than what others may have to wait for.
#[test]
fn other_work_has_its_turn_whatever_a_module_does() {
    let imports = r#"(import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))"#;
    let body = "(local $i i32) (drop (call $read)) (loop $ever (local.set $i (i32.const 100000))
        (loop $more (br_if $more (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
        (drop (call $yield)) (br $ever))";
    let (sandbox, program) = (sandbox(), guest_with(imports, "", body));
    block_on(async {
        let mut bot = metered(&sandbox, &program);
        let others = async {
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
        };
        // Its fuel lasts for many minutes.
        tokio::select! {
            answer = bot.ask(b"x\n", fuel(2_000_000_000_000)) => panic!("{answer:?}"),
            () = others => {}
        }
    });
}

/// What fails on every machine is the module's own business; only what this machine lacks would be the host's.
#[test]
fn a_module_may_try_to_grow_beyond_what_it_declares() {
    let text = |grow: &str| {
        format!(
            r#"(module (import "wasi_snapshot_preview1" "fd_write"
                (func $write (param i32 i32 i32 i32) (result i32)))
              (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
              (table 1 2 funcref) (memory (export "memory") 1 2)
              (data (i32.const 0) "\10\00\00\00\03\00\00\00") (data (i32.const 16) "ok\n")
              (data (i32.const 32) "\40\00\00\00\40\00\00\00")
              (func (export "_start") (drop (call $read (i32.const 0) (i32.const 32) (i32.const 1) (i32.const 8)))
                (if (i32.ne (i32.const -1) {grow}) (then unreachable))
                (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))"#
        )
    };
    for grow in [
        "(table.grow (ref.null func) (i32.const 2))",
        "(memory.grow (i32.const 2))",
    ] {
        let program = module_text(&text(grow)).unwrap();
        block_on(async {
            let sandbox = sandbox();
            let mut by_fuel = metered(&sandbox, &program);
            assert_eq!(by_fuel.ask(b"x\n", fuel(PLENTY)).await.unwrap().line, "ok");
            let mut by_time = crate::common::start_in(&sandbox, &program, 1);
            assert_eq!(crate::common::answer(&mut by_time, "x\n").await, "ok");
        });
    }
}

#[test]
fn a_module_sees_its_fuel_on_its_clock() {
    // It reads the clock, computes a thousand rounds of four instructions, and reads the clock again.
    let imports = r#"(import "wasi_snapshot_preview1" "clock_time_get"
        (func $clock (param i32 i64 i32) (result i32)))"#;
    let more = "(func $now (result i64)
        (drop (call $clock (i32.const 1) (i64.const 0) (i32.const 1024))) (i64.load (i32.const 1024)))";
    let body = "(local $i i32) (local $from i64) (local $took i64) (drop (call $read))
        (local.set $from (call $now)) (local.set $i (i32.const 1000))
        (loop $more (br_if $more (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
        (local.set $took (i64.sub (call $now) (local.get $from)))
        (if (i64.le_u (local.get $took) (i64.const 450)) (then unreachable))
        (if (i64.ge_u (local.get $took) (i64.const 750)) (then unreachable))
        (call $ok)";
    let program = guest_with(imports, more, body);
    assert_eq!(costs(&sandbox(), &program, &["x\n"]).len(), 1);
}

#[test]
fn only_modules_without_a_start_function_have_fuel() {
    let sandbox = sandbox();
    let refused = |program: &Program| {
        let error = sandbox.prepare(program, ClockUnit::Fuel).unwrap_err();
        assert!(error.hint().unwrap().contains("--clock move=1s"), "{error}");
        error
    };
    assert!(matches!(refused(&sh("cat")), OpenError::NoFuel(_)));
    let text = r#"(module (memory (export "memory") 1) (func (export "_start"))
        (func $first) (start $first))"#;
    let program = module_text(text).unwrap();
    assert!(matches!(refused(&program), OpenError::StartFunction(_)));
    sandbox.prepare(&program, ClockUnit::Time).unwrap();
}

#[test]
fn modules_of_both_clocks_play_beside_each_other() {
    let sandbox = sandbox();
    let program = guest(COMPUTES);
    block_on(async {
        let mut by_fuel = metered(&sandbox, &program);
        let mut by_time = crate::common::start_in(&sandbox, &program, 1);
        for _ in 0..10 {
            assert!(by_fuel.ask(b"x\n", fuel(PLENTY)).await.unwrap().fuel > Some(4_000));
            let timed = by_time.ask(b"x\n", crate::common::within(LONG)).await;
            assert_eq!(timed.unwrap().fuel, None);
        }
    });
}
