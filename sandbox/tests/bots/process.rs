//! Bad processes, each in a line of shell.

use std::fs;
use std::time::{Duration, Instant};

use crate::common::{
    LONG, SHORT, answer, block_on, fault, fault_by, is_alone, late, sh, start, until, within,
};
use flipside_sandbox::{
    AskError, Crash, LONGEST_LINE, ProcessEnd, STDERR_TAIL, SandboxFault, Start,
};

const ECHO: &str = "while read line; do echo \"$line\"; done";

/// Whether a process is there and not only waits to be reaped by somebody else.
fn lives(pid: &str) -> bool {
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => !stat
            .rsplit_once(')')
            .is_some_and(|(_, rest)| rest.starts_with(" Z")),
        Err(_) => false,
    }
}

/// A kill takes effect a moment later.
fn until_it_dies(pid: &str) {
    until("it is gone", || !lives(pid));
}

#[test]
fn lines_go_to_and_fro() {
    block_on(async {
        let mut bot = start(&sh(ECHO));
        for line in ["one", "", "three é"] {
            assert_eq!(answer(&mut bot, &format!("{line}\n")).await, line);
            assert_eq!(bot.unread(Instant::now()), None);
        }
        let finished = bot.finish(LONG).await;
        assert_eq!(
            (finished.ended, &*finished.stderr_tail),
            (ProcessEnd::Exited(0), "")
        );
        assert!(finished.cpu.is_some());
    });
}

#[test]
fn a_silent_bot_is_late() {
    block_on(async {
        let mut bot = start(&sh("read line; sleep 1000"));
        let fault = late(&mut bot, "x\n", SHORT).await;
        assert!(matches!(fault, SandboxFault::Late { waiting: false, .. }));
    });
}

#[test]
fn output_every_50_ms_does_not_move_the_deadline() {
    block_on(async {
        // By the end of this output, the line is too long.
        let mut bot = start(&sh("while :; do printf x; sleep 0.05; done"));
        let fault = fault_by(&mut bot, "x\n", within(SHORT * 2)).await;
        assert_eq!(fault.name(), "late");
    });
}

#[test]
fn a_line_without_end_is_cut() {
    block_on(async {
        let mut bot = start(&sh("cat /dev/zero"));
        assert_eq!(fault(&mut bot, "x\n").await, SandboxFault::TooLong);
    });
}

#[test]
fn the_longest_line_is_an_answer() {
    block_on(async {
        for (more, ok) in [(0, true), (1, false)] {
            let length = LONGEST_LINE + more;
            let mut bot = start(&sh(&format!(
                "head -c {length} /dev/zero | tr '\\0' x; echo; cat"
            )));
            let asked = bot
                .ask(b"x\n", within(LONG))
                .await
                .map(|answer| answer.line.len());
            match asked {
                Ok(length) => assert!(ok && length == LONGEST_LINE),
                Err(AskError::Fault(fault)) => assert!(!ok && fault == SandboxFault::TooLong),
                Err(error) => panic!("{error}"),
            }
        }
    });
}

#[test]
fn a_flood_on_stderr_blocks_nobody() {
    block_on(async {
        let script = "head -c 3000000 /dev/zero | tr '\\0' e >&2; echo last >&2; read x; echo done";
        let mut bot = start(&sh(script));
        assert_eq!(answer(&mut bot, "x\n").await, "done");
        let tail = bot.stderr_tail();
        assert!(
            tail.ends_with("elast\n") && tail.starts_with("…e"),
            "{tail}"
        );
        assert_eq!(tail.len(), STDERR_TAIL + "…".len());
    });
}

#[test]
fn an_endless_flood_on_stderr_does_not_stop_the_clock() {
    block_on(async {
        // Several processes write more than a thread reads.
        for (flood, is_alone) in [("yes >&2", false), ("yes >&2 & yes >&2 & yes >&2", true)] {
            // It has begun to write before it is late.
            let begin = "read x; echo first >&2; echo begun; read x";
            let mut bot = start(&sh(&format!("{begin}; {flood}")));
            assert_eq!(answer(&mut bot, "x\n").await, "begun");
            let asked = if is_alone {
                bot.ask_alone(b"x\n", within(SHORT)).await
            } else {
                bot.ask(b"x\n", within(SHORT)).await
            };
            match asked {
                Err(AskError::Fault(fault)) => assert_eq!(fault.name(), "late"),
                other => panic!("{other:?}"),
            }
            assert!(!bot.finish(Duration::ZERO).await.stderr_tail.is_empty());
        }
    });
}

#[test]
fn who_is_asked_alone_answers_late_and_ends_as_others_do() {
    block_on(async {
        // At once, in pieces, after the thread has given up waiting by itself, and with words on stderr.
        for (script, due) in [
            ("read x; echo done", Ok("done")),
            ("read x; printf do; sleep 0.02; echo ne", Ok("done")),
            ("read x; sleep 0.02; echo done", Ok("done")),
            ("exec 2>&-; read x; sleep 0.02; echo done", Ok("done")),
            ("read x; echo hm >&2; echo done", Ok("done")),
            ("read x; sleep 1000", Err("late")),
            ("read x; exit 3", Err("closed")),
            ("read x; head -c 100000 /dev/zero", Err("too-long")),
        ] {
            let mut bot = start(&sh(script));
            let time = if due == Err("late") { SHORT } else { LONG };
            match bot.ask_alone(b"x\n", within(time)).await {
                Ok(answer) => assert_eq!(Ok(answer.line), due, "{script}"),
                Err(AskError::Fault(fault)) => assert_eq!(Err(fault.name()), due, "{script}"),
                Err(error) => panic!("{error}"),
            }
        }
    });
}

#[test]
fn a_bot_that_does_not_read_is_late() {
    block_on(async {
        let mut bot = start(&sh("sleep 1000"));
        let line = "x".repeat(1 << 20) + "\n";
        late(&mut bot, &line, SHORT).await;
        let told = bot.tell(line.as_bytes(), within(SHORT)).await;
        assert!(matches!(
            told,
            Err(AskError::Fault(SandboxFault::Late { .. }))
        ));
    });
}

#[test]
fn a_question_larger_than_the_pipe_arrives_whole() {
    block_on(async {
        let mut bot = start(&sh("head -n 1 | wc -c; cat >&2"));
        let line = "x".repeat(1 << 20) + "\n";
        assert_eq!(answer(&mut bot, &line).await.trim(), line.len().to_string());
    });
}

#[test]
fn exit_code_and_signal_are_told() {
    block_on(async {
        for (script, expected) in [
            ("exit 3", SandboxFault::Closed { code: Some(3) }),
            ("read x; exit 0", SandboxFault::Closed { code: Some(0) }),
            (
                "read x; printf half; exit 7",
                SandboxFault::Closed { code: Some(7) },
            ),
            (
                "read x; kill -SEGV $$",
                SandboxFault::Crashed(Crash::Signal(11)),
            ),
            ("kill -KILL $$", SandboxFault::Crashed(Crash::Signal(9))),
            ("exec >&-; sleep 1000", SandboxFault::Closed { code: None }),
        ] {
            let mut bot = start(&sh(script));
            assert_eq!(fault(&mut bot, "x\n").await, expected, "{script}");
        }
    });
}

#[test]
fn a_bot_that_answers_and_exits_has_answered() {
    block_on(async {
        let mut bot = start(&sh("read x; echo bye; exit 5"));
        assert_eq!(answer(&mut bot, "x\n").await, "bye");
        assert_eq!(
            fault(&mut bot, "x\n").await,
            SandboxFault::Closed { code: Some(5) }
        );
    });
}

#[test]
fn invalid_utf8_is_not_text() {
    block_on(async {
        let mut bot = start(&sh(
            "read x; printf 'ab\\377\\n'; read x; printf 'a\\000b\\n'; cat",
        ));
        let fault = fault(&mut bot, "x\n").await;
        assert_eq!(
            (fault.name(), &fault),
            ("not-text", &SandboxFault::NotText { at: 2 })
        );
        assert_eq!(answer(&mut bot, "x\n").await, "a\0b", "a NUL is text");
    });
}

#[test]
fn lines_that_were_not_asked_for_are_seen() {
    block_on(async {
        let mut bot = start(&sh("read x; printf 'one\\ntwo\\n'; cat"));
        assert_eq!(answer(&mut bot, "x\n").await, "one");
        assert!(bot.unread(Instant::now()).is_some());
        assert_eq!(answer(&mut bot, "three\n").await, "two");
        assert_eq!(answer(&mut bot, "four\n").await, "three");
    });
}

#[test]
fn what_is_told_needs_no_answer() {
    block_on(async {
        let mut bot = start(&sh("read a; read b; echo \"$a $b\"; cat"));
        bot.tell(b"first\n", within(LONG)).await.unwrap();
        assert_eq!(answer(&mut bot, "second\n").await, "first second");
    });
}

#[test]
fn a_child_that_ignores_sigterm_is_gone() {
    block_on(async {
        let mut bot = start(&sh(
            "trap '' TERM INT HUP; read x; echo $$; while :; do sleep 1000; done",
        ));
        let pid = answer(&mut bot, "x\n").await;
        assert!(lives(&pid));
        assert_eq!(
            bot.finish(Duration::from_millis(20)).await.ended,
            ProcessEnd::Killed
        );
        assert!(
            !fs::exists(format!("/proc/{pid}")).unwrap(),
            "killed and reaped"
        );
    });
}

#[test]
fn a_grandchild_in_the_group_is_gone() {
    block_on(async {
        // It holds all pipes open; nobody waits for it.
        let mut bot = start(&sh("sleep 10000 & read x; echo $!; read y; exit 4"));
        let pid = answer(&mut bot, "x\n").await;
        assert!(lives(&pid));
        assert_eq!(bot.finish(LONG).await.ended, ProcessEnd::Exited(4));
        until_it_dies(&pid);
    });
}

#[test]
fn dropping_a_bot_leaves_no_process() {
    block_on(async {
        let mut bot = start(&sh("sleep 10000 & read x; echo $$ $!; sleep 10000"));
        let pids = answer(&mut bot, "x\n").await;
        let (child, grandchild) = pids.split_once(' ').unwrap();
        drop(bot);
        assert!(
            !fs::exists(format!("/proc/{child}")).unwrap(),
            "killed and reaped"
        );
        until_it_dies(grandchild);
    });
}

#[test]
fn a_start_that_is_given_up_leaves_no_process() {
    block_on(async {
        let word = format!("60.7{}", std::process::id());
        let program = sh(&format!("exec sleep {word}"));
        let sandbox = crate::common::sandbox();
        let begun = sandbox.begin(&program, &Start::default()).unwrap();
        drop(begun);
        let lines = fs::read_dir("/proc").unwrap().flatten();
        let mut lines = lines.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
        assert!(!lines.any(|line| String::from_utf8_lossy(&line).contains(&word)));
    });
}

#[test]
fn a_bot_dies_with_the_thread_that_plays_it() {
    // A stand-in for a referee that is killed: its bot is leaked, and its thread ends.
    let pid = std::thread::spawn(|| {
        block_on(async {
            let mut bot = start(&sh(
                "trap '' HUP PIPE; read x; echo $$; while :; do sleep 0.1; done",
            ));
            let pid = answer(&mut bot, "x\n").await;
            std::mem::forget(bot);
            pid
        })
    });
    until_it_dies(&pid.join().unwrap());
}

#[test]
fn a_bot_sees_little_of_the_environment_and_none_of_our_files() {
    let _file = fs::File::open("/dev/null").unwrap();
    // A descriptor that another library left open for children.
    let open = rustix::io::fcntl_dupfd_cloexec(&_file, 100).unwrap();
    rustix::io::fcntl_setfd(&open, rustix::io::FdFlags::empty()).unwrap();
    block_on(async {
        let mut bot = start(&sh(
            "read x; env | cut -d= -f1 | sort | tr '\\n' ' '; echo; ls /proc/$$/fd | tr '\\n' ' '; echo; cat",
        ));
        let names = answer(&mut bot, "x\n").await;
        // The shell adds some of its own.
        let names: Vec<_> = names
            .split(' ')
            .filter(|name| !["", "PWD", "OLDPWD", "SHLVL", "_"].contains(name))
            .collect();
        assert_eq!(names, ["HOME", "LANG", "PATH"]);
        let descriptors = answer(&mut bot, "x\n").await;
        assert!(!descriptors.contains("100"), "{descriptors}");
    });
}

#[test]
fn two_hundred_starts_leak_no_descriptor() {
    if !is_alone("process::two_hundred_starts_leak_no_descriptor") {
        return;
    }
    block_on(async {
        let program = sh(ECHO);
        let sandbox = crate::common::sandbox();
        let open = || fs::read_dir("/proc/self/fd").unwrap().count();
        // What the runtime opens with the first bot stays.
        answer(&mut crate::common::start_in(&sandbox, &program, 1), "x\n").await;
        let before = open();
        for round in 0..200 {
            let mut bot = crate::common::start_in(&sandbox, &program, 1);
            if round % 10 == 0 {
                answer(&mut bot, "x\n").await;
            }
            if round % 2 == 0 {
                bot.finish(LONG).await;
            }
        }
        // The error stream of the last bot is closed when the runtime has its turn.
        while open() > before {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
}

#[test]
fn two_bots_play_on_one_thread() {
    block_on(async {
        let (mut white, mut black) = (start(&sh(ECHO)), start(&sh(ECHO)));
        for round in 0..100 {
            let line = format!("{round}\n");
            let white = white.ask(line.as_bytes(), within(LONG));
            let black = black.ask(line.as_bytes(), within(LONG));
            let (white, black) = futures_join(white, black).await;
            assert_eq!(white.unwrap().line, line.trim());
            assert_eq!(black.unwrap().line, line.trim());
        }
    });
}

/// Both at once.
async fn futures_join<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    let (mut a, mut b) = (std::pin::pin!(a), std::pin::pin!(b));
    let (mut done_a, mut done_b) = (None, None);
    std::future::poll_fn(|cx| {
        if done_a.is_none()
            && let std::task::Poll::Ready(done) = a.as_mut().poll(cx)
        {
            done_a = Some(done);
        }
        if done_b.is_none()
            && let std::task::Poll::Ready(done) = b.as_mut().poll(cx)
        {
            done_b = Some(done);
        }
        match (done_a.take(), done_b.take()) {
            (Some(a), Some(b)) => std::task::Poll::Ready((a, b)),
            (a, b) => {
                (done_a, done_b) = (a, b);
                std::task::Poll::Pending
            }
        }
    })
    .await
}
