//! How jailed bots end, and that nothing is left behind.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use flipside_protocol::ClockUnit;
use flipside_sandbox::{Crash, ProcessEnd, Program, SandboxFault, Start, StartError};

use crate::common::{LONG, answer, block_on, fault, is_alone, sh, until};
use crate::layers::{keeps_networks, with_network};
use crate::limits::counts_memory;
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
            ("exit 3", SandboxFault::Closed { code: Some(3) }),
            ("read x; exit 0", SandboxFault::Closed { code: Some(0) }),
            (
                "read x; kill -SEGV $$",
                SandboxFault::Crashed(Crash::Signal(11)),
            ),
            ("kill -KILL $$", SandboxFault::Crashed(Crash::Signal(9))),
            ("kill -TERM $$", SandboxFault::Crashed(Crash::Signal(15))),
            (
                "read x; kill -35 $$",
                SandboxFault::Crashed(Crash::Signal(35)),
            ),
            // Those that the C library keeps for itself.
            ("kill -32 $$", SandboxFault::Crashed(Crash::Signal(32))),
            ("kill -33 $$", SandboxFault::Crashed(Crash::Signal(33))),
        ] {
            let mut bot = start(&sh(script));
            assert_eq!(fault(&mut bot, "x\n").await, expected, "{script}");
        }
    });
}

#[test]
fn closing_the_output_is_seen_though_the_bot_lives() {
    block_on(async {
        let mut bot = start(&sh("exec >&-; sleep 1000"));
        assert_eq!(
            fault(&mut bot, "x\n").await,
            SandboxFault::Closed { code: None }
        );
    });
}

#[test]
fn the_whole_tree_ends_with_the_bot() {
    block_on(async {
        for polite in [true, false] {
            let word = format!("6000.0{}{}", u8::from(polite), std::process::id());
            let script = format!(
                "trap '' TERM HUP INT; set -m; sleep {word} & (sh -c 'sleep {word} & sleep {word}' &) ; \
                 read x; echo ready; read x; read x"
            );
            let mut bot = start(&sh(&script));
            assert_eq!(answer(&mut bot, "x\n").await, "ready");
            until("all are there", || processes_with(&word).len() >= 4);
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
fn a_start_that_is_given_up_leaves_nothing_behind() {
    if !is_alone("ends::a_start_that_is_given_up_leaves_nothing_behind") {
        return;
    }
    // Network namespaces are kept for later.
    let is_kept = |open: &fs::DirEntry| {
        let to = fs::read_link(open.path());
        to.is_ok_and(|to| to.to_string_lossy().starts_with("net:"))
    };
    let open = || {
        let all = fs::read_dir("/proc/self/fd").unwrap().flatten();
        all.filter(|open| !is_kept(open)).count()
    };
    let groups = block_on(async {
        let sandbox = sandbox_of(jail());
        let word = format!("60.8{}", std::process::id());
        let program = sh(&format!("sleep {word}"));
        let begin = || sandbox.begin(&program, &Start::default()).unwrap();
        // What is opened with the first start stays.
        drop(begin());
        until("the first has ended", || children().is_empty());
        let before = open();
        let mut groups = OwnGroups::look();
        let mut supervisors = HashSet::new();
        for round in 0..10 {
            let start = begin();
            let its: HashSet<String> = children().into_iter().collect();
            // Before the bot runs, as far as the machine goes, and while it runs.
            if round % 2 == 0 {
                let is_bot = |line: &String| line.starts_with("sleep");
                until("it runs", || processes_with(&word).iter().any(is_bot));
            }
            groups.note(&its);
            drop(start);
            // A jail that takes long is cleared away by a thread that waits for it.
            until("it has ended", || children().is_empty());
            groups.note(&its);
            supervisors.extend(its);
            // The supervisor has waited for all others.
            assert_eq!(processes_with(&word), Vec::<String>::new());
        }
        assert!(supervisors.len() >= 10, "{}", supervisors.len());
        until("its descriptors are closed", || open() == before);
        until("their groups are removed", || groups.are_removed());
        groups
    });
    groups.were_seen();
}

#[test]
fn the_network_namespace_of_a_supervisor_that_was_killed_is_not_used_again() {
    const NAME: &str =
        "ends::the_network_namespace_of_a_supervisor_that_was_killed_is_not_used_again";
    if !is_alone(NAME) || !keeps_networks() {
        return;
    }
    until("no other bot is there", || children().is_empty());
    block_on(async {
        let sandbox = sandbox_of(jail());
        let (bot, network, _held) = with_network(&sandbox).await;
        let supervisors = children();
        let [supervisor] = &supervisors[..] else {
            panic!("{supervisors:?}");
        };
        let supervisor = rustix::process::Pid::from_raw(supervisor.parse().unwrap()).unwrap();
        rustix::process::kill_process(supervisor, rustix::process::Signal::KILL).unwrap();
        drop(bot);
        let mut others = Vec::new();
        for _ in 0..3 {
            let other = with_network(&sandbox).await;
            assert_ne!(other.1, network);
            others.push(other);
        }
    });
}

#[test]
fn a_bot_that_does_not_end_is_ended() {
    block_on(async {
        let mut bot = start(&sh(
            "trap '' TERM INT HUP; read x; echo y; while :; do sleep 1000; done",
        ));
        answer(&mut bot, "x\n").await;
        let ended = bot.finish(Duration::from_millis(20)).await.ended;
        assert_eq!(ended, ProcessEnd::Killed);
    });
}

#[test]
fn a_jailed_bot_dies_with_the_thread_that_plays_it() {
    // A stand-in for a referee that is killed: its bot is leaked, and its thread ends.
    let word = format!("6000.2{}", std::process::id());
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
    until("they are gone", || processes_with(&word).is_empty());
}

/// The control groups of bots, each with the number of its supervisor.
fn groups() -> Vec<(String, PathBuf)> {
    let mut groups = Vec::new();
    let mut look = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = look.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            look.push(entry.path());
            let name = entry.file_name().to_string_lossy().into_owned();
            let rest = name.strip_prefix("flipside-jail-");
            if let Some((supervisor, _)) = rest.and_then(|rest| rest.split_once('-')) {
                groups.push((supervisor.to_owned(), entry.path()));
            }
        }
    }
    groups
}

/// The control groups that a test makes. Beside those, a test that ran before or runs beside it may have left some,
/// when it killed its supervisors: they stay until they are swept away, and the kernel gives their numbers to others.
struct OwnGroups {
    earlier: HashSet<PathBuf>,
    own: HashSet<PathBuf>,
}

impl OwnGroups {
    /// None yet.
    fn look() -> Self {
        OwnGroups {
            earlier: groups().into_iter().map(|(_, group)| group).collect(),
            own: HashSet::new(),
        }
    }

    /// Notes the groups of these supervisors. They are there, or have just ended: nobody else has had their numbers
    /// since the test began.
    fn note(&mut self, supervisors: &HashSet<String>) {
        let of_them = groups().into_iter();
        let of_them = of_them.filter(|(supervisor, _)| supervisors.contains(supervisor));
        let of_them = of_them.map(|(_, group)| group);
        self.own
            .extend(of_them.filter(|group| !self.earlier.contains(group)));
    }

    /// Whether none of those that were noted is there.
    fn are_removed(&self) -> bool {
        !self.own.iter().any(|group| group.exists())
    }

    /// Where bots have groups here, some were noted: otherwise nothing was looked at. It starts a runtime of its own.
    fn were_seen(&self) {
        assert!(!self.own.is_empty() || !counts_memory(), "no group");
    }
}

#[test]
fn the_group_of_a_supervisor_that_is_killed_is_removed() {
    let word = format!("6000.4{}", std::process::id());
    let mut groups = OwnGroups::look();
    block_on(async {
        let mut bot = start(&sh(&format!("read x; echo ready; read x; sleep {word}")));
        answer(&mut bot, "x\n").await;
        let supervisor = child_with(&word);
        groups.note(&[supervisor.to_string()].into());
        let pid = rustix::process::Pid::from_raw(supervisor).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        // It stays there to be reaped, but has no command line any more.
        let line = format!("/proc/{supervisor}/cmdline");
        until("it was killed", || {
            fs::read(&line).is_ok_and(|line| line.is_empty())
        });
        drop(bot);
    });
    assert!(groups.are_removed(), "{:?}", groups.own);
    groups.were_seen();
    // They end with the supervisor, which nobody is there to wait for.
    until("they are gone", || processes_with(&word).is_empty());
}

#[test]
fn a_supervisor_that_takes_long_is_left_the_time_to_clear_away() {
    let word = format!("6000.5{}", std::process::id());
    let signal = |pid, signal| rustix::process::kill_process(pid, signal).unwrap();
    let mut groups = OwnGroups::look();
    let supervisor = block_on(async {
        let mut bot = start(&sh(&format!("read x; echo ready; read x; sleep {word}")));
        answer(&mut bot, "x\n").await;
        let supervisor = rustix::process::Pid::from_raw(child_with(&word)).unwrap();
        groups.note(&[supervisor.to_string()].into());
        // As if the machine did not let it run.
        signal(supervisor, rustix::process::Signal::STOP);
        drop(bot);
        supervisor
    });
    // The bot ends without it.
    until("it is gone", || {
        others_with(&word, Some(supervisor)).is_empty()
    });
    signal(supervisor, rustix::process::Signal::CONT);
    until("it has ended", || {
        !children().contains(&supervisor.to_string())
    });
    until("its groups are removed", || groups.are_removed());
    groups.were_seen();
}

/// Our child whose command line has this word.
fn child_with(word: &str) -> i32 {
    let numbers = children();
    let of_ours = |number: &&String| {
        let line = fs::read(Path::new("/proc").join(number).join("cmdline"));
        line.is_ok_and(|line| String::from_utf8_lossy(&line).contains(word))
    };
    let child = numbers.iter().find(of_ours).expect("it is our child");
    child.parse().unwrap()
}

/// The numbers of our children.
fn children() -> Vec<String> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let lists: String = lists.collect();
    lists.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_hundred_starts_leave_nothing_behind() {
    if !is_alone("ends::a_hundred_starts_leave_nothing_behind") {
        return;
    }
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let mounts = || fs::read_to_string("/proc/self/mounts").unwrap();
    let temporary = || fs::read_dir(std::env::temp_dir()).unwrap().count();
    let groups = block_on(async {
        let sandbox = sandbox_of(jail());
        let program = sh("while read x; do echo $x; done");
        // What the runtime opens with the first bot stays.
        answer(&mut crate::start_in(&sandbox, &program), "x\n").await;
        let before = (open(), mounts(), temporary());
        let mut groups = OwnGroups::look();
        let mut supervisors = HashSet::new();
        for round in 0..100 {
            let mut bot = crate::start_in(&sandbox, &program);
            let there = children().into_iter().collect();
            groups.note(&there);
            supervisors.extend(there);
            if round % 3 == 0 {
                answer(&mut bot, "x\n").await;
            }
            if round % 2 == 0 {
                bot.finish(LONG).await;
            }
        }
        assert!(supervisors.len() >= 100, "{}", supervisors.len());
        assert_eq!(mounts(), before.1);
        assert_eq!(temporary(), before.2);
        // The error stream of the last bot is closed when the runtime has its turn.
        while open() > before.0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // A jail that takes long is cleared away by a thread that waits for it.
        until("all of them have ended", || children().is_empty());
        until("their groups are removed", || groups.are_removed());
        groups
    });
    groups.were_seen();
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
