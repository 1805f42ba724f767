//! How jailed bots end, and that nothing is left behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flipside_protocol::ClockUnit;
use flipside_sandbox::{Crash, Ended, Fault, Program, Start, StartError};

use crate::common::{BOUND, LONG, answer, block_on, fault, sh, within};
use crate::{file, folder, jail, sandbox_of, start};

/// The processes whose command line has this word.
fn processes_with(word: &str) -> Vec<String> {
    others_with(word, None)
}

/// The same without one of them.
fn others_with(word: &str, but: Option<rustix::process::Pid>) -> Vec<String> {
    let but = but.map(|but| but.to_string());
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let entries = entries.filter(|entry| but.as_deref() != entry.file_name().to_str());
    let lines = entries.filter_map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(word).then_some(line)
    });
    lines.collect()
}

#[test]
fn exit_code_and_signal_are_told_as_if_there_were_no_jail() {
    block_on(async {
        for (script, expected) in [
            ("exit 3", Fault::Closed { code: Some(3) }),
            ("read x; exit 0", Fault::Closed { code: Some(0) }),
            ("read x; kill -SEGV $$", Fault::Crashed(Crash::Signal(11))),
            ("kill -KILL $$", Fault::Crashed(Crash::Signal(9))),
            ("kill -TERM $$", Fault::Crashed(Crash::Signal(15))),
            ("read x; kill -35 $$", Fault::Crashed(Crash::Signal(35))),
            // Those that the C library keeps for itself.
            ("kill -32 $$", Fault::Crashed(Crash::Signal(32))),
            ("kill -33 $$", Fault::Crashed(Crash::Signal(33))),
        ] {
            let mut bot = start(&sh(script));
            assert_eq!(fault(&mut bot, "x\n").await, expected, "{script}");
        }
    });
}

#[test]
fn closing_the_output_is_seen_though_the_bot_lives() {
    block_on(async {
        let mut bot = start(&sh("exec >&-; sleep 60"));
        assert_eq!(fault(&mut bot, "x\n").await, Fault::Closed { code: None });
    });
}

#[test]
fn the_whole_tree_ends_with_the_bot() {
    block_on(async {
        for polite in [true, false] {
            let word = format!("60.0{}{}", u8::from(polite), std::process::id());
            let script = format!(
                "trap '' TERM HUP INT; set -m; sleep {word} & (sh -c 'sleep {word} & sleep {word}' &) ; \
                 read x; echo ready; read x; read x"
            );
            let mut bot = start(&sh(&script));
            assert_eq!(answer(&mut bot, "x\n").await, "ready");
            let until = within(BOUND);
            while processes_with(&word).len() < 4 && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            assert!(
                processes_with(&word).len() >= 4,
                "{:?}",
                processes_with(&word)
            );
            if polite {
                bot.finish(LONG).await;
            } else {
                drop(bot);
            }
            // Not a moment later: they are gone when that returns.
            assert_eq!(processes_with(&word), Vec::<String>::new());
        }
    });
}

#[test]
fn a_bot_that_does_not_end_is_ended() {
    block_on(async {
        let mut bot = start(&sh(
            "trap '' TERM INT HUP; read x; echo y; while :; do sleep 60; done",
        ));
        answer(&mut bot, "x\n").await;
        let ended = bot.finish(Duration::from_millis(20)).await.ended;
        assert_eq!(ended, Ended::Killed);
    });
}

#[test]
fn a_jailed_bot_dies_with_the_thread_that_plays_it() {
    // A stand-in for a referee that is killed: its bot is leaked, and its thread ends.
    let word = format!("60.2{}", std::process::id());
    std::thread::spawn({
        let script = format!(
            "trap '' HUP PIPE TERM; (sleep {word} &) ; read x; echo ready; read x; sleep {word}"
        );
        move || {
            block_on(async {
                let mut bot = start(&sh(&script));
                answer(&mut bot, "x\n").await;
                std::mem::forget(bot);
            });
        }
    })
    .join()
    .unwrap();
    let until = within(BOUND);
    while !processes_with(&word).is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(processes_with(&word), Vec::<String>::new());
}

/// All control groups.
fn all_groups() -> Vec<PathBuf> {
    let mut groups = Vec::new();
    let mut look = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = look.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                groups.push(entry.path());
                look.push(entry.path());
            }
        }
    }
    groups
}

#[test]
fn the_group_of_a_supervisor_that_is_killed_is_removed() {
    let word = format!("60.4{}", std::process::id());
    let supervisor = block_on(async {
        let mut bot = start(&sh(&format!("read x; echo ready; read x; sleep {word}")));
        answer(&mut bot, "x\n").await;
        let supervisor = child_with(&word);
        let pid = rustix::process::Pid::from_raw(supervisor).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        // It stays there to be reaped, but has no command line any more.
        let line = format!("/proc/{supervisor}/cmdline");
        let until = within(BOUND);
        while fs::read(&line).is_ok_and(|line| !line.is_empty()) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(bot);
        supervisor
    });
    let its = format!("flipside-jail-{supervisor}-");
    let left = |group: &PathBuf| group.to_string_lossy().contains(&its);
    assert!(!all_groups().iter().any(left), "{its}");
    // They end with the supervisor, which nobody is there to wait for.
    let until = within(BOUND);
    while !processes_with(&word).is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(processes_with(&word), Vec::<String>::new());
}

#[test]
fn a_supervisor_that_takes_long_is_left_the_time_to_clear_away() {
    let word = format!("60.5{}", std::process::id());
    let signal = |pid, signal| rustix::process::kill_process(pid, signal).unwrap();
    let supervisor = block_on(async {
        let mut bot = start(&sh(&format!("read x; echo ready; read x; sleep {word}")));
        answer(&mut bot, "x\n").await;
        let supervisor = rustix::process::Pid::from_raw(child_with(&word)).unwrap();
        // As if the machine did not let it run.
        signal(supervisor, rustix::process::Signal::STOP);
        drop(bot);
        supervisor
    });
    // The bot ends without it.
    let until = within(BOUND);
    let others = || others_with(&word, Some(supervisor));
    while !others().is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(others(), Vec::<String>::new());
    signal(supervisor, rustix::process::Signal::CONT);
    let its = format!("flipside-jail-{supervisor}-");
    let group = |group: &PathBuf| group.to_string_lossy().contains(&its);
    let there = || {
        let process = Path::new("/proc").join(supervisor.to_string()).exists();
        process || all_groups().iter().any(group)
    };
    let until = within(BOUND);
    while there() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(!there(), "{its}");
}

/// Our child whose command line has this word.
fn child_with(word: &str) -> i32 {
    let children = fs::read_dir("/proc/self/task").unwrap().flatten();
    let children =
        children.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let numbers: Vec<String> = children
        .flat_map(|list| {
            list.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    let of_ours = |number: &&String| {
        let line = fs::read(Path::new("/proc").join(number).join("cmdline"));
        line.is_ok_and(|line| String::from_utf8_lossy(&line).contains(word))
    };
    let child = numbers.iter().find(of_ours).expect("it is our child");
    child.parse().unwrap()
}

#[test]
fn a_hundred_starts_leave_nothing_behind() {
    let without_a_supervisor = || {
        let mut groups = all_groups();
        // Those of a supervisor that lives are of tests that run at the same time.
        groups.retain(|group| {
            let name = group.file_name().unwrap().to_string_lossy();
            let rest = name.strip_prefix("flipside-jail-");
            let supervisor = rest.and_then(|rest| rest.split('-').next());
            supervisor.is_some_and(|supervisor| !Path::new("/proc").join(supervisor).exists())
        });
        groups
    };
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let mounts = || fs::read_to_string("/proc/self/mounts").unwrap();
    let temporary = || fs::read_dir(std::env::temp_dir()).unwrap().count();
    block_on(async {
        let sandbox = sandbox_of(jail());
        let program = sh("while read x; do echo $x; done");
        // A test that was killed earlier may have left groups, which the next start sweeps up in time. Any
        // process may have the number of their supervisor by now.
        let (older, before) = (all_groups(), (open(), mounts(), temporary()));
        for round in 0..100 {
            let mut bot = crate::start_in(&sandbox, &program);
            if round % 3 == 0 {
                answer(&mut bot, "x\n").await;
            }
            if round % 2 == 0 {
                bot.finish(LONG).await;
            }
        }
        assert_eq!(mounts(), before.1);
        // Another test kills a supervisor, whose group is there for a moment longer.
        let until = within(BOUND);
        let newer = || {
            let mut groups = without_a_supervisor();
            groups.retain(|group| !older.contains(group));
            groups
        };
        while !newer().is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(newer(), Vec::<PathBuf>::new());
        // Other tests of this program have theirs at the same time.
        assert!(
            open() < before.0 + 60,
            "{} descriptors are open, {} were",
            open(),
            before.0
        );
        assert!(temporary() < before.2 + 30);
    });
}

#[test]
fn why_a_bot_does_not_start_is_told_as_if_there_were_no_jail() {
    let folder = folder();
    let sandbox = sandbox_of(jail());
    let refused = |name: &str, text: &str| {
        let program = Program::open(file(&folder, name, text)).unwrap();
        let start = Start {
            seed: 1,
            unit: ClockUnit::Time,
            label: "test",
        };
        block_on(async { sandbox.start(&program, &start).map(drop).unwrap_err() })
    };
    let error = refused("none", "#!/no/such/interpreter\n");
    assert!(matches!(error, StartError::NoInterpreter { .. }), "{error}");
    let error = refused("format", "no first line\n");
    assert!(matches!(error, StartError::NoFirstLine(_)), "{error}");
    // It is there, but a bot does not see it.
    let outside = file(&folder, "interpreter", "#!/bin/sh\nexec cat\n");
    let error = refused("hidden", &format!("#!{}\n", outside.display()));
    assert!(matches!(error, StartError::NotShown { .. }), "{error}");
    assert!(error.hint().unwrap().contains("--trust"));
}

#[test]
fn a_jail_without_its_program_is_an_error() {
    let sandbox = sandbox_of(flipside_sandbox::Jail::of_program(
        "/no/such/stage",
        [] as [&str; 0],
    ));
    let start = Start {
        seed: 1,
        unit: ClockUnit::Time,
        label: "test",
    };
    let error = block_on(async { sandbox.start(&sh("cat"), &start).map(drop).unwrap_err() });
    assert!(matches!(error, StartError::Stage { .. }), "{error}");
    // A program that is no stage ends without a word.
    let silent = flipside_sandbox::Jail::of_program("/bin/true", [] as [&str; 0]);
    let sandbox = sandbox_of(silent.staged_by_program());
    let error = block_on(async { sandbox.start(&sh("cat"), &start).map(drop).unwrap_err() });
    assert!(matches!(error, StartError::Host(_)), "{error}");
}
