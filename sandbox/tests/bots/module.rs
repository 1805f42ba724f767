//! Bad modules, each in a few lines of WebAssembly text.

use std::time::{Duration, Instant};

use crate::common::{
    ECHO_MODULE, LONG, SHORT, answer, block_on, fault, fault_by, guest, guest_with, is_alone, late,
    module_text, sandbox, sh, start, start_in, until, within,
};
use flipside_protocol::ClockUnit;
use flipside_sandbox::{
    AskError, Crash, LONGEST_LINE, ProcessEnd, Program, ProgramKind, STDERR_TAIL, Sandbox,
    SandboxFault, SandboxSettings, Start, StartError,
};

/// Answers every line.
fn echo() -> Program {
    module_text(ECHO_MODULE).unwrap()
}

const ECHO: &str = r#"{"type":"act","id":1,"action":"a1"}"#;

#[test]
fn lines_go_to_and_fro() {
    block_on(async {
        let mut bot = start(&echo());
        for _ in 0..100 {
            assert_eq!(answer(&mut bot, "one\n").await, ECHO);
            assert_eq!(bot.unread(Instant::now()), None);
        }
        let long = "x".repeat(200_000) + "\n";
        assert_eq!(answer(&mut bot, &long).await, ECHO);
        let finished = bot.finish(LONG).await;
        assert_eq!(finished.ended, ProcessEnd::Exited(0));
    });
}

#[test]
fn a_module_that_loops_is_late() {
    block_on(async {
        let mut bot = start(&guest("(drop (call $read)) (loop $ever (br $ever))"));
        let fault = late(&mut bot, "x\n", SHORT).await;
        assert!(
            matches!(fault, SandboxFault::Late { waiting: false, .. }),
            "{fault}"
        );
        assert!(bot.cpu().unwrap() >= bot.timing().charged);
        assert_eq!(bot.finish(SHORT).await.ended, ProcessEnd::Killed);
    });
}

#[test]
fn a_loop_before_the_first_line_is_late() {
    block_on(async {
        let text = r#"(module (memory (export "memory") 1) (func (export "_start"))
            (func $loop (loop $ever (br $ever))) (start $loop))"#;
        let mut bot = start(&module_text(text).unwrap());
        assert_eq!(
            fault_by(&mut bot, "x\n", within(SHORT)).await.name(),
            "late"
        );
    });
}

#[test]
fn a_module_that_rests_is_cut_again() {
    block_on(async {
        // The ticker rests meanwhile, and is woken.
        let loops_at_two =
            "(drop (call $read)) (call $ok) (drop (call $read)) (loop $ever (br $ever))";
        let mut bot = start(&guest(loops_at_two));
        assert_eq!(answer(&mut bot, "x\n").await, "ok");
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(
            fault_by(&mut bot, "x\n", within(SHORT)).await.name(),
            "late"
        );
    });
}

#[test]
fn a_looping_module_does_not_stop_other_io_on_its_thread() {
    block_on(async {
        let sandbox = sandbox();
        let beside = tokio::spawn({
            let sandbox = sandbox.clone();
            async move {
                let mut bot = start_in(&sandbox, &sh("while read x; do echo $x; done"), 1);
                for _ in 0..20 {
                    answer(&mut bot, "x\n").await;
                }
            }
        });
        let mut bot = start_in(&sandbox, &guest("(loop $ever (br $ever))"), 1);
        tokio::select! {
            fault = fault_by(&mut bot, "x\n", within(LONG)) => panic!("the module had its time to itself: {fault:?}"),
            played = beside => played.unwrap(),
        }
    });
}

#[test]
fn a_module_that_reads_instead_of_answering_is_told_at_once() {
    block_on(async {
        let mut bot = start(&guest("(loop $more (br_if $more (call $read)))"));
        let fault = fault(&mut bot, "x\n").await;
        assert_eq!(
            fault,
            SandboxFault::Late {
                by: Duration::ZERO,
                waiting: true
            }
        );
        // It used next to nothing of its time.
        assert!(bot.timing().charged < LONG / 2);
    });
}

#[test]
fn a_line_without_end_is_cut() {
    block_on(async {
        let mut bot = start(&guest(
            "(loop $ever (call $say (i32.const 1024) (i32.const 1000)) (br $ever))",
        ));
        assert_eq!(fault(&mut bot, "x\n").await, SandboxFault::TooLong);
    });
}

#[test]
fn a_flood_of_lines_is_kept_within_bounds() {
    block_on(async {
        let program = guest("(drop (call $read)) (loop $ever (call $ok) (br $ever))");
        let mut bot = start(&program);
        for _ in 0..1000 {
            assert_eq!(answer(&mut bot, "x\n").await, "ok");
        }
        let told = bot.tell(b"x\n", within(LONG)).await;
        assert!(
            matches!(told, Err(AskError::Fault(SandboxFault::TooLong))),
            "{told:?}"
        );
    });
}

#[test]
fn lines_that_were_not_asked_for_are_seen() {
    block_on(async {
        let two = r#"(data (i32.const 600) "one\ntwo\n")"#;
        let mut bot = start(&guest_with(
            "",
            two,
            "(drop (call $read)) (call $say (i32.const 600) (i32.const 8))",
        ));
        assert_eq!(answer(&mut bot, "x\n").await, "one");
        assert!(bot.unread(Instant::now()).is_some());
        assert_eq!(answer(&mut bot, "x\n").await, "two");
        assert_eq!(
            fault(&mut bot, "x\n").await,
            SandboxFault::Closed { code: Some(0) }
        );
    });
}

#[test]
fn a_line_in_pieces_is_one_line() {
    block_on(async {
        let pieces = "(drop (call $read)) (call $say (i32.const 512) (i32.const 1))
            (call $say (i32.const 513) (i32.const 1)) (call $say (i32.const 514) (i32.const 1))";
        assert_eq!(answer(&mut start(&guest(pieces)), "x\n").await, "ok");
        // 65536 bytes in one go, and then the newline.
        let longest = format!(
            "(drop (call $read)) (memory.fill (i32.const 65536) (i32.const 120) (i32.const 65536))
             (call $say (i32.const 65536) (i32.const {LONGEST_LINE})) (call $say (i32.const 514) (i32.const 1))"
        );
        assert_eq!(
            answer(&mut start(&guest(&longest)), "x\n").await.len(),
            LONGEST_LINE
        );
    });
}

#[test]
fn invalid_utf8_is_not_text() {
    block_on(async {
        let bad = r#"(data (i32.const 600) "ab\ff\n")"#;
        let mut bot = start(&guest_with(
            "",
            bad,
            "(call $say (i32.const 600) (i32.const 4))",
        ));
        assert_eq!(
            fault(&mut bot, "x\n").await,
            SandboxFault::NotText { at: 2 }
        );
    });
}

#[test]
fn a_flood_on_stderr_blocks_nobody() {
    block_on(async {
        let noise = "(local $n i32) (loop $more
            (call $write (i32.const 2) (i32.const 512) (i32.const 60000))
            (local.set $n (i32.add (local.get $n) (i32.const 1)))
            (br_if $more (i32.lt_u (local.get $n) (i32.const 100))))";
        let mut bot = start(&guest(&format!("{noise} (drop (call $read)) (call $ok)")));
        assert_eq!(answer(&mut bot, "x\n").await, "ok");
        let tail = bot.stderr_tail();
        assert!(tail.len() <= STDERR_TAIL + "…".len() && tail.starts_with('…'));

        let mut bot = start(&guest(
            "(loop $ever (call $write (i32.const 2) (i32.const 512) (i32.const 60000)) (br $ever))",
        ));
        assert_eq!(
            fault_by(&mut bot, "x\n", within(SHORT)).await.name(),
            "late"
        );
    });
}

const EXIT: &str = r#"(import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))"#;

#[test]
fn exit_code_and_trap_are_told() {
    block_on(async {
        for (body, expected) in [
            ("(call $proc_exit (i32.const 3))", "exited with code 3"),
            ("(call $proc_exit (i32.const 0))", "exited with code 0"),
            (
                "(call $proc_exit (i32.const 255))",
                "crashed with a trap: exit with invalid",
            ),
            ("(drop (call $read))", "exited with code 0"),
            ("(call $doom)", "unreachable` instruction executed in doom"),
            (
                "(i32.store (i32.const -1) (i32.const 1))",
                "out of bounds memory access",
            ),
        ] {
            let mut bot = start(&guest_with(EXIT, "(func $doom unreachable)", body));
            let fault = fault(&mut bot, "x\n").await;
            assert!(fault.to_string().contains(expected), "{fault}");
            let again = crate::common::fault(&mut bot, "x\n").await;
            assert_eq!(again, fault, "it stays so");
            assert!(bot.finish(LONG).await.ended != ProcessEnd::Killed);
        }
    });
}

#[test]
fn recursion_crashes_only_itself() {
    block_on(async {
        let sandbox = sandbox();
        let mut other = start_in(&sandbox, &echo(), 1);
        answer(&mut other, "x\n").await;
        let deep = guest_with(
            "",
            "(func $deep (param i64) (call $deep (local.get 0)) (call $ok))",
            "(call $deep (i64.const 1))",
        );
        let mut bot = start_in(&sandbox, &deep, 1);
        let fault = fault(&mut bot, "x\n").await;
        assert!(
            matches!(&fault, SandboxFault::Crashed(Crash::Trap(_))),
            "{fault}"
        );
        assert!(
            fault.to_string().contains("call stack exhausted"),
            "{fault}"
        );
        answer(&mut other, "x\n").await;
    });
}

#[test]
fn a_module_that_fails_before_its_start_is_at_fault() {
    block_on(async {
        for (begin, expected) in [
            ("unreachable", "trap: wasm `unreachable`"),
            (
                "(call $proc_exit (i32.const 200))",
                "trap: exit with invalid",
            ),
            ("(call $proc_exit (i32.const 2))", "exited with code 2"),
        ] {
            let more = format!("(func $begin {begin}) (start $begin)");
            let mut bot = start(&guest_with(EXIT, &more, ""));
            let fault = fault(&mut bot, "x\n").await;
            assert!(fault.to_string().contains(expected), "{fault}");
        }
        let outside = r#"(data (i32.const 1000000) "x")"#;
        let fault = fault(&mut start(&guest_with("", outside, "")), "x\n").await;
        assert_eq!(fault.name(), "crashed");
    });
}

fn small_memory() -> Sandbox {
    Sandbox::new(SandboxSettings {
        memory: 1 << 20,
        instances: 2,
        ..SandboxSettings::default()
    })
}

#[test]
fn memory_growth_is_refused() {
    block_on(async {
        let sandbox = small_memory();
        let tries = |pages: u32, then: &str| {
            let body = format!(
                "(drop (call $read)) (if (i32.ne (memory.grow (i32.const {pages})) (i32.const -1))
                 (then (call $ok))) {then}"
            );
            start_in(&sandbox, &guest_with(EXIT, "", &body), 1)
        };
        assert_eq!(answer(&mut tries(14, "unreachable"), "x\n").await, "ok");
        for (then, end) in [
            ("unreachable", "unreachable"),
            ("(call $proc_exit (i32.const 1))", "code 1"),
        ] {
            let fault = fault(&mut tries(15, then), "x\n").await;
            let SandboxFault::Memory { limit, end: how } = &fault else {
                panic!("{fault}")
            };
            assert_eq!((*limit, fault.name()), (1 << 20, "memory"));
            assert!(how.contains(end), "{fault}");
        }
        // One that gets along without it is not at fault.
        let mut bot = tries(15, "(call $ok)");
        assert_eq!(answer(&mut bot, "x\n").await, "ok");
        assert_eq!(
            fault(&mut bot, "x\n").await,
            SandboxFault::Closed { code: Some(0) }
        );
        // A table is limited as well.
        let table = guest_with(
            "",
            "(table $t 1 funcref)",
            "(drop (call $read)) (br_if 0 (i32.eq (i32.const -1) (table.grow $t (ref.null func) (i32.const 1000000)))) (call $ok)",
        );
        let mut bot = start_in(&sandbox, &table, 1);
        assert_eq!(
            fault(&mut bot, "x\n").await,
            SandboxFault::Closed { code: Some(0) }
        );
    });
}

#[test]
fn memory_in_steps_comes_to_its_limit() {
    block_on(async {
        // It grows by a page, and writes into it, until it is refused; and then it gives up.
        let grows = guest_with(
            "",
            "",
            "(local $had i32)
             (drop (call $read))
             (loop $more
               (local.set $had (memory.grow (i32.const 1)))
               (if (i32.eq (local.get $had) (i32.const -1)) (then unreachable))
               (i64.store (i32.mul (local.get $had) (i32.const 65536)) (i64.const 1))
               (br $more))",
        );
        let mut bot = start_in(&small_memory(), &grows, 1);
        let fault = fault(&mut bot, "x\n").await;
        assert!(
            matches!(&fault, SandboxFault::Memory { limit, .. } if *limit == 1 << 20),
            "{fault}"
        );
        // One that goes on trying is late.
        let tries = guest("(loop $ever (drop (memory.grow (i32.const 1))) (br $ever))");
        let mut bot = start_in(&small_memory(), &tries, 1);
        assert_eq!(
            fault_by(&mut bot, "x\n", within(SHORT)).await.name(),
            "late"
        );
    });
}

#[test]
fn a_table_in_steps_comes_to_its_limit() {
    block_on(async {
        let elements = |steps: u32| {
            let body = format!(
                "(local $left i32)
                 (drop (call $read))
                 (local.set $left (i32.const {steps}))
                 (loop $more
                   (if (i32.eq (i32.const -1) (table.grow $t (ref.null func) (i32.const 1000)))
                     (then unreachable))
                   (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
                 (call $ok)"
            );
            guest_with("", "(table $t 0 funcref)", &body)
        };
        assert_eq!(answer(&mut start(&elements(100)), "x\n").await, "ok");
        let fault = fault(&mut start(&elements(101)), "x\n").await;
        assert!(fault.to_string().contains("unreachable"), "{fault}");
    });
}

#[test]
fn calls_without_end_are_late() {
    block_on(async {
        for ever in [
            "(func $ever (return_call $ever))",
            "(table $t 1 funcref) (elem (i32.const 0) $ever)
             (func $ever (return_call_indirect $t (i32.const 0)))",
            "(func $ever (block $out (loop $again (br_table $again $out (i32.const 0)))))",
            "(func $ever (loop $again (call $leaf) (br $again))) (func $leaf)",
        ] {
            let mut bot = start(&guest_with("", ever, "(drop (call $read)) (call $ever)"));
            let fault = fault_by(&mut bot, "x\n", within(SHORT)).await;
            assert_eq!(fault.name(), "late", "{ever}");
        }
    });
}

#[test]
fn a_call_of_the_host_takes_no_more_than_a_while() {
    block_on(async {
        let huge = |body: &str| {
            guest_with(
                r#"(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
                   (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))"#,
                "",
                &format!(
                    "(drop (call $read)) (drop (memory.grow (i32.const 4000)))
                     (if (i32.ne (i32.const 48) {body}) (then unreachable)) (call $ok)"
                ),
            )
        };
        // Each hands over about 250 MiB: a list of empty pieces, a piece, a path.
        for body in [
            "(call $fd_write (i32.const 1) (i32.const 65536) (i32.const 32000000) (i32.const 8))",
            "(call $fd_read (i32.const 0) (i32.const 65536) (i32.const 32000000) (i32.const 8))",
            "(block (result i32)
               (i32.store (i32.const 0) (i32.const 65536)) (i32.store (i32.const 4) (i32.const 250000000))
               (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))",
            "(call $open (i32.const 3) (i32.const 0) (i32.const 65536) (i32.const 250000000) (i32.const 0)
               (i64.const 0) (i64.const 0) (i32.const 0) (i32.const 600))",
        ] {
            assert_eq!(answer(&mut start(&huge(body)), "x\n").await, "ok", "{body}");
        }
    });
}

#[test]
fn two_instances_share_nothing() {
    block_on(async {
        let sandbox = sandbox();
        // Answers with a letter that goes on with every line.
        let counts = guest_with(
            "",
            r#"(data (i32.const 600) "a\n")"#,
            "(loop $next (br_if 1 (i32.eqz (call $read)))
               (call $say (i32.const 600) (i32.const 2))
               (i32.store8 (i32.const 600) (i32.add (i32.load8_u (i32.const 600)) (i32.const 1)))
               (br $next))",
        );
        let (mut one, mut two) = (
            start_in(&sandbox, &counts, 1),
            start_in(&sandbox, &counts, 1),
        );
        for letter in ["a", "b", "c"] {
            assert_eq!(answer(&mut one, "x\n").await, letter);
        }
        assert_eq!(answer(&mut two, "x\n").await, "a");
        // Nor does one that gets the place of another.
        drop((one, two));
        for _ in 0..20 {
            assert_eq!(
                answer(&mut start_in(&sandbox, &counts, 1), "x\n").await,
                "a"
            );
        }
    });
}

/// Answers with random letters.
fn random() -> Program {
    guest_with(
        r#"(import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))"#,
        "",
        "(local $at i32)
         (loop $again
           (br_if 1 (i32.eqz (call $read)))
           (drop (call $random (i32.const 600) (i32.const 16)))
           (local.set $at (i32.const 616))
           (i32.store8 (local.get $at) (i32.const 10))
           (loop $next
             (local.set $at (i32.sub (local.get $at) (i32.const 1)))
             (i32.store8 (local.get $at)
               (i32.add (i32.const 97) (i32.and (i32.load8_u (local.get $at)) (i32.const 15))))
             (br_if $next (i32.gt_u (local.get $at) (i32.const 600))))
           (call $say (i32.const 600) (i32.const 17))
           (br $again))",
    )
}

#[test]
fn the_same_seed_gives_the_same_random_bytes() {
    block_on(async {
        let (sandbox, program) = (sandbox(), random());
        let mut answers = Vec::new();
        for seed in [7, 7, 8] {
            let mut bot = start_in(&sandbox, &program, seed);
            answers.push([answer(&mut bot, "x\n").await, answer(&mut bot, "x\n").await]);
        }
        assert_eq!(answers[0], answers[1]);
        assert_ne!(answers[0], answers[2]);
        assert_ne!(answers[0][0], answers[0][1]);
        // A record of an old match must still verify: the generator stays what it is.
        assert_eq!(answers[0][0], "lekdbjdgipgdlpod");
    });
}

#[test]
fn clocks_count_their_readings() {
    block_on(async {
        let time = guest_with(
            r#"(import "wasi_snapshot_preview1" "clock_time_get" (func $time (param i32 i64 i32) (result i32)))"#,
            "",
            // Two readings of the monotonic clock are 10 µs apart; the wall clock is in 2000.
            "(drop (call $read))
             (drop (call $time (i32.const 1) (i64.const 0) (i32.const 600)))
             (drop (call $time (i32.const 1) (i64.const 0) (i32.const 608)))
             (drop (call $time (i32.const 0) (i64.const 0) (i32.const 616)))
             (if (i64.ne (i64.sub (i64.load (i32.const 608)) (i64.load (i32.const 600))) (i64.const 10000))
               (then unreachable))
             (if (i64.ne (i64.div_u (i64.load (i32.const 616)) (i64.const 1000000000)) (i64.const 946684800))
               (then unreachable))
             (call $ok)",
        );
        assert_eq!(answer(&mut start(&time), "x\n").await, "ok");
    });
}

const POLL: &str = r#"
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $time (param i32 i64 i32) (result i32)))"#;

#[test]
fn a_module_sleeps_in_its_own_time() {
    block_on(async {
        // One relative subscription to the monotonic clock: an hour.
        let sleeps = guest_with(
            POLL,
            "",
            "(drop (call $read))
             (i32.store (i32.const 1016) (i32.const 1))
             (i64.store (i32.const 1024) (i64.const 3600000000000))
             (i64.store (i32.const 1000) (i64.const 77))
             (if (call $poll (i32.const 1000) (i32.const 2000) (i32.const 1) (i32.const 3000))
               (then unreachable))
             (if (i32.ne (i32.load (i32.const 3000)) (i32.const 1)) (then unreachable))
             (if (i64.ne (i64.load (i32.const 2000)) (i64.const 77)) (then unreachable))
             (drop (call $time (i32.const 1) (i64.const 0) (i32.const 600)))
             (if (i64.lt_u (i64.load (i32.const 600)) (i64.const 3600000000000)) (then unreachable))
             (call $ok)",
        );
        // It has less than an hour for its answer.
        assert_eq!(answer(&mut start(&sleeps), "x\n").await, "ok");
    });
}

#[test]
fn a_clock_that_was_set_to_its_end_stays_there() {
    block_on(async {
        // A sleep of all the time there is, and then until a time of the wall clock.
        let sleeps = guest_with(
            POLL,
            "",
            "(drop (call $read))
             (i32.store (i32.const 1016) (i32.const 1))
             (i64.store (i32.const 1024) (i64.const -1))
             (if (call $poll (i32.const 1000) (i32.const 2000) (i32.const 1) (i32.const 3000))
               (then unreachable))
             (i32.store (i32.const 1016) (i32.const 0))
             (i32.store (i32.const 1040) (i32.const 1))
             (if (call $poll (i32.const 1000) (i32.const 2000) (i32.const 1) (i32.const 3000))
               (then unreachable))
             (drop (call $time (i32.const 0) (i64.const 0) (i32.const 600)))
             (drop (call $time (i32.const 1) (i64.const 0) (i32.const 600)))
             (if (i64.ne (i64.load (i32.const 600)) (i64.const -1)) (then unreachable))
             (if (i32.ne (i32.const 28) (call $poll (i32.const 1000) (i32.const 2000) (i32.const 65) (i32.const 3000)))
               (then unreachable))
             (if (i32.ne (i32.const 21) (call $poll (i32.const -20) (i32.const 2000) (i32.const 1) (i32.const 3000)))
               (then unreachable))
             (call $ok)",
        );
        assert_eq!(answer(&mut start(&sleeps), "x\n").await, "ok");
    });
}

#[test]
fn waiting_for_input_with_a_time_limit_does_not_spin() {
    block_on(async {
        // Waits for input or a millisecond, for ever; counts its rounds at 700.
        let polls = guest_with(
            POLL,
            "",
            "(i32.store8 (i32.const 1008) (i32.const 1))
             (i32.store (i32.const 1064) (i32.const 1))
             (i64.store (i32.const 1072) (i64.const 1000000))
             (loop $ever
               (if (call $poll (i32.const 1000) (i32.const 2000) (i32.const 2) (i32.const 3000))
                 (then unreachable))
               (if (i32.ne (i32.load (i32.const 3000)) (i32.const 1)) (then unreachable))
               (if (i32.ne (i32.load8_u (i32.const 2010)) (i32.const 1)) (then unreachable))
               (br_if 1 (i32.eqz (call $read)))
               (call $ok)
               (br $ever))",
        );
        let mut bot = start(&polls);
        for _ in 0..3 {
            assert_eq!(answer(&mut bot, "x\n").await, "ok");
        }
        bot.tell(b"over\n", within(LONG)).await.unwrap();
        assert_eq!(bot.finish(LONG).await.ended, ProcessEnd::Exited(0));
    });
}

#[test]
fn files_sockets_and_the_environment_are_not_there() {
    block_on(async {
        let nothing = guest_with(
            r#"(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
               (import "wasi_snapshot_preview1" "fd_prestat_get" (func $prestat (param i32 i32) (result i32)))
               (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ (param i32 i32) (result i32)))
               (import "wasi_snapshot_preview1" "args_sizes_get" (func $args (param i32 i32) (result i32)))
               (import "wasi_snapshot_preview1" "sock_accept" (func $accept (param i32 i32 i32) (result i32)))"#,
            "",
            "(drop (call $read))
             (if (i32.ne (call $prestat (i32.const 3) (i32.const 600)) (i32.const 8)) (then unreachable))
             (if (i32.ne (call $open (i32.const 3) (i32.const 0) (i32.const 512) (i32.const 1) (i32.const 0)
                   (i64.const 0) (i64.const 0) (i32.const 0) (i32.const 600)) (i32.const 8)) (then unreachable))
             (if (i32.ne (call $accept (i32.const 3) (i32.const 0) (i32.const 600)) (i32.const 58)) (then unreachable))
             (drop (call $environ (i32.const 600) (i32.const 604)))
             (if (i32.load (i32.const 600)) (then unreachable))
             (drop (call $args (i32.const 600) (i32.const 604)))
             (if (i32.ne (i32.load (i32.const 600)) (i32.const 1)) (then unreachable))
             (call $ok)",
        );
        assert_eq!(answer(&mut start(&nothing), "x\n").await, "ok");
    });
}

#[test]
fn what_is_told_is_read_at_once() {
    block_on(async {
        let program = guest_with(
            EXIT,
            "",
            "(drop (call $read)) (call $proc_exit (i32.const 9))",
        );
        let mut bot = start(&program);
        bot.tell(b"over\n", within(LONG)).await.unwrap();
        assert!(bot.tell(b"more\n", within(LONG)).await.is_err());
        assert_eq!(bot.finish(LONG).await.ended, ProcessEnd::Exited(9));

        let mut bot = start(&guest("(drop (call $read)) (loop $ever (br $ever))"));
        let told = bot.tell(b"over\n", within(SHORT)).await;
        assert!(
            matches!(told, Err(AskError::Fault(SandboxFault::Late { .. }))),
            "{told:?}"
        );
    });
}

#[test]
fn there_is_room_for_so_many_modules_and_no_more() {
    block_on(async {
        let sandbox = Sandbox::new(SandboxSettings {
            instances: 2,
            ..SandboxSettings::default()
        });
        let program = echo();
        let go = Start {
            seed: 1,
            unit: ClockUnit::Time,
            label: "test",
        };
        let mut bots = [
            start_in(&sandbox, &program, 1),
            start_in(&sandbox, &program, 2),
        ];
        for bot in &mut bots {
            answer(bot, "x\n").await;
        }
        assert!(matches!(
            sandbox.start(&program, &go),
            Err(StartError::NoRoom(2))
        ));
        drop(bots);
        // The place of each is free again, however its run ended.
        for _ in 0..200 {
            let mut bot = start_in(&sandbox, &program, 1);
            answer(&mut bot, "x\n").await;
        }
    });
}

#[test]
fn one_sandbox_serves_many_threads() {
    let sandbox = sandbox();
    let program = echo();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                block_on(async {
                    let mut bot = start_in(&sandbox, &program, 1);
                    for _ in 0..200 {
                        assert_eq!(answer(&mut bot, "x\n").await, ECHO);
                    }
                });
            });
        }
    });
}

#[test]
fn a_dropped_sandbox_leaves_no_thread() {
    if !is_alone("module::a_dropped_sandbox_leaves_no_thread") {
        return;
    }
    let tickers = || {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap();
        let names =
            tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
        names.filter(|name| name.trim() == "ticker").count()
    };
    let sandboxes: Vec<_> = (0..20)
        .map(|_| {
            let sandbox = Sandbox::new(SandboxSettings {
                instances: 1,
                ..SandboxSettings::default()
            });
            sandbox.prepare(&guest(""), ClockUnit::Time).unwrap();
            sandbox
        })
        .collect();
    assert_eq!(tickers(), 20);
    drop(sandboxes);
    // A thread is listed until the kernel has put it away.
    until("all have ended", || tickers() == 0);
}

/// A module that opens `weights` in its bundle and prints what it holds, in pieces, and again for each line.
const READS_A_FILE: &str = r#"(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\00\04\00\00\04\00\00\00")
  (data (i32.const 64) "data/weights")
  (func (export "_start")
    (loop $lines
      (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 32)))
      (if (i32.eqz (i32.load (i32.const 32))) (then (return)))
      (if (call $open (i32.const 3) (i32.const 0) (i32.const 64) (i32.const 12) (i32.const 0) (i64.const 2)
          (i64.const 0) (i32.const 0) (i32.const 48)) (then (unreachable)))
      (loop $pieces
        (drop (call $read (i32.load (i32.const 48)) (i32.const 0) (i32.const 1) (i32.const 32)))
        (if (i32.load (i32.const 32)) (then
          (i32.store (i32.const 16) (i32.const 1024))
          (i32.store (i32.const 20) (i32.load (i32.const 32)))
          (drop (call $write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 40)))
          (br $pieces))))
      (br $lines))))"#;

#[test]
fn a_module_reads_the_files_of_its_bundle() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let at = folder.path().join(name);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(at, text).unwrap();
    };
    write("bot.toml", "language = 'wasm'");
    write("bot.wat", READS_A_FILE);
    write("data/weights", "seventeen\n");
    let sandbox = sandbox();
    let first = Program::open(folder.path()).unwrap();
    assert_eq!(first.kind(), ProgramKind::Module);
    block_on(async {
        // Two instances share the files, and each has positions of its own.
        let mut bots = [start_in(&sandbox, &first, 1), start_in(&sandbox, &first, 2)];
        for bot in &mut bots {
            assert_eq!(answer(bot, "x\n\n\n").await, "seventeen");
        }
    });
    // The same module with other weights is another bot.
    write("data/weights", "eighteen\n");
    let second = Program::open(folder.path()).unwrap();
    assert_ne!(first.sha256(), second.sha256());
    block_on(async {
        assert_eq!(
            answer(&mut start_in(&sandbox, &second, 1), "x\n\n\n").await,
            "eighteen"
        );
    });
    // A module that is alone has no folder.
    let alone = module_text(READS_A_FILE).unwrap();
    block_on(async {
        let fault = fault(&mut start_in(&sandbox, &alone, 1), "x\n\n\n").await;
        assert!(fault.to_string().contains("unreachable"), "{fault}");
    });
}
