//! What a bot may use.

use std::time::Duration;

use flipside_sandbox::jail::{JailLimits, Layer, examine};
use flipside_sandbox::{AskError, Jail, Program, SandboxFault};

use crate::common::{LONG, answer, block_on, within};
use crate::{file, folder, jail, sandbox_of, says, sh, start, start_in};

#[test]
fn the_temporary_folder_is_small_in_bytes_and_in_files() {
    let limits = JailLimits::default();
    let said = says("head -c 200000000 /dev/zero > /tmp/big; wc -c < /tmp/big");
    let size: u64 = said.split_whitespace().last().unwrap().parse().unwrap();
    assert!(size <= limits.folder, "{said}");
    let said =
        says("for i in 1 2 3; do head -c 40000000 /dev/zero > /tmp/$i; done; cat /tmp/* | wc -c");
    let size: u64 = said.split_whitespace().last().unwrap().parse().unwrap();
    assert!(size <= limits.folder, "{said}");
    let said = says(
        "cd /tmp; i=0; while [ $i -lt 5000 ]; do echo > $i || break; i=$((i+1)); done; echo $i",
    );
    let count: u64 = said.split_whitespace().last().unwrap().parse().unwrap();
    assert!((100..=limits.entries).contains(&count), "{said}");
}

/// Whether a control group limits the memory of bots here.
pub(crate) fn counts_memory() -> bool {
    examine(&jail())
        .unwrap()
        .iter()
        .any(|finding| finding.wall == Layer::TreeMemory && finding.missing.is_none())
}

#[test]
fn open_files_are_few() {
    let said = says("ulimit -n; ulimit -Hn; ulimit -n 100000 && echo RAISED");
    // Where the bot is this user, they are fewer, for he has one quota for all that is his.
    let files = if counts_memory() { "256 256" } else { "64 64" };
    assert!(
        said.starts_with(files) && !said.contains("RAISED"),
        "{said}"
    );
}

#[test]
fn no_processor_time_of_earlier_matches_ends_a_bot() {
    let own = std::process::Command::new("/bin/sh")
        .args(["-c", "ulimit -t; ulimit -Ht"])
        .output()
        .unwrap();
    let own = String::from_utf8(own.stdout).unwrap().replace('\n', " ");
    assert_eq!(says("ulimit -t; ulimit -Ht"), own.trim());
}

#[test]
fn the_limits_of_the_first_process_are_not_the_bots() {
    // It looks at the memory of all where no control group does, and needs files for that.
    let python = "import resource as r; r.prlimit(1, r.RLIMIT_NOFILE, (0, 0))";
    let said = says(&format!("python3 -c '{python}' && echo TAKEN"));
    assert!(
        said.contains("PermissionError") && !said.contains("TAKEN"),
        "{said}"
    );
}

#[test]
fn where_it_and_others_run_is_not_the_bots() {
    for whose in [0, 1] {
        let python = format!("import os; os.sched_setaffinity({whose}, {{0}})");
        let said = says(&format!("python3 -c '{python}' && echo TAKEN"));
        assert!(
            said.contains("PermissionError") && !said.contains("TAKEN"),
            "{said}"
        );
    }
}

#[test]
fn shared_memory_without_a_file_is_given_only_where_it_is_counted() {
    for (python, given) in [
        ("import mmap; mmap.mmap(-1, 4096)", counts_memory()),
        (
            "import mmap, os; mmap.mmap(os.open(\"/dev/zero\", os.O_RDWR), 4096)",
            false,
        ),
    ] {
        let said = says(&format!("python3 -c '{python}' && echo TAKEN"));
        let refused = said.contains("PermissionError") && !said.contains("TAKEN");
        assert_ne!(given, refused, "{said}");
    }
}

#[test]
fn a_file_of_the_temporary_folder_is_memory_that_processes_share() {
    // The folder's size bounds it.
    let python = "import mmap, os\n\
        file = os.open(\"/tmp/shared\", os.O_RDWR | os.O_CREAT)\n\
        os.ftruncate(file, 4096)\n\
        memory = mmap.mmap(file, 4096)\n\
        if os.fork() == 0:\n memory[7] = 65\n os._exit(0)\n\
        os.wait()\n\
        print(memory[7])";
    assert_eq!(says(&format!("python3 -c '{python}'")), "65");
}

#[test]
fn no_core_is_dumped_not_even_to_a_program() {
    let python = "import resource as r; print(r.getrlimit(r.RLIMIT_CORE))";
    let said = says(&format!("python3 -c '{python}'"));
    let ours = rustix::process::getrlimit(rustix::process::Resource::Core);
    let most = i32::from(ours.maximum != Some(0) || rustix::process::geteuid().is_root());
    assert_eq!(said, format!("({most}, {most})"));
}

#[test]
fn nobody_is_told_of_or_held_up_by_what_a_bot_does_to_files() {
    let python = "import fcntl as f\n\
        def tried(what):\n try: what()\n except OSError as error: return error.errno\n return 0\n\
        system = open(\"/bin/sh\", \"rb\")\n\
        print(tried(lambda: f.fcntl(system, f.F_NOTIFY, f.DN_ACCESS)), \
        tried(lambda: f.fcntl(system, f.F_SETLEASE, f.F_RDLCK)))";
    assert_eq!(says(&format!("python3 -c '{python}'")), "1 1");
}

/// A bot that takes every kind of lock on files that all see and on one of its own, at each line, and says how many
/// were refused and whether it sees one of another.
const LOCKER: &str = "#!/usr/bin/env python3
import fcntl as f, os, struct, sys
RANGE = struct.pack('hhqqi', f.F_WRLCK, 0, 0, 0, 0).ljust(32)
NAMES = ('/bin/sh', 0), ('/dev/null', os.O_RDWR), (__file__, 0), ('/tmp/own', os.O_RDWR | os.O_CREAT)
FILES = [os.open(name, flags) for name, flags in NAMES]

def refused(*what):
    try:
        what[0](*what[1:])
    except OSError:
        return 1
    return 0

for line in sys.stdin:
    seen = [struct.unpack('h', f.fcntl(file, kind, RANGE)[:2]) for file in FILES for kind in (f.F_GETLK, f.F_OFD_GETLK)]
    count = sum(
        refused(f.flock, file, f.LOCK_EX | f.LOCK_NB)
        + refused(f.lockf, file, f.LOCK_EX | f.LOCK_NB)
        + refused(f.fcntl, file, f.F_OFD_SETLK, RANGE)
        for file in FILES
    )
    print(count, set(seen) == {(f.F_UNLCK,)}, flush=True)
";

#[test]
fn two_bots_do_not_see_each_others_locks_and_nobody_outside_does() {
    let folder = folder();
    let bot = Program::open(file(&folder, "locker.py", LOCKER)).unwrap();
    block_on(async {
        let (mut one, mut two) = (start(&bot), start(&bot));
        for _ in 0..2 {
            assert_eq!(answer(&mut one, "x\n").await, "0 True");
            assert_eq!(answer(&mut two, "x\n").await, "0 True");
        }
        // While they take them for locked.
        for path in [bot.path(), "/bin/sh".as_ref()] {
            let outside = std::fs::File::open(path).unwrap();
            let lock = rustix::fs::FlockOperation::NonBlockingLockShared;
            rustix::fs::flock(&outside, lock).unwrap();
        }
    });
}

#[test]
fn a_database_works_in_memory_and_in_a_file() {
    let python = "import sqlite3 as s\n\
        def tried(name):\n \
        with s.connect(name, uri=True) as base:\n  \
        base.execute(\"create table t (x)\")\n  \
        base.execute(\"insert into t values (17)\")\n \
        with s.connect(name, uri=True) as other: \
        return other.execute(\"select count(*) from sqlite_master\").fetchone()[0]\n\
        print(tried(\":memory:\"), tried(\"file:/tmp/base?nolock=1\"), tried(\"/tmp/other\"))";
    // The second connection to one in memory is to another.
    assert_eq!(says(&format!("python3 -c '{python}'")), "0 1 1");
}

#[test]
fn processes_are_few_whatever_they_do() {
    // A bomb: each asks for two more; and all that there are sleep.
    let said = says(
        "i=0; while [ $i -lt 200 ]; do sleep 1000 >/dev/null 2>&1 & i=$((i+1)); done; ls -d /proc/[0-9]* | wc -l",
    );
    // The shell gives up at the first that it cannot start.
    let all = JailLimits::default().processes;
    let count = said
        .split_whitespace()
        .filter_map(|word| word.parse::<u64>().ok())
        .max();
    assert!(count.is_none_or(|count| count <= all + 1), "{said}");
    assert!(
        said.contains("annot fork") || said.contains("temporarily"),
        "{said}"
    );
}

#[test]
fn the_memory_of_one_process_is_limited() {
    let memory = 64 * 1024 * 1024;
    let limits = JailLimits {
        memory,
        ..JailLimits::default()
    };
    let of_all = |program: Program| (jail().with_limits(limits), program);
    // A limit of the bot's own, where the others have 300 MB and more.
    let of_its_own = |program: Program| {
        let limits = JailLimits {
            memory: 1 << 30,
            ..JailLimits::default()
        };
        (
            jail().with_limits(limits),
            program.with_memory(Some(memory)),
        )
    };
    one_process_is_limited(of_all);
    one_process_is_limited(of_its_own);
}

fn one_process_is_limited(limited: impl Fn(Program) -> (Jail, Program)) {
    let start = |program| {
        let (jail, program) = limited(program);
        start_in(&sandbox_of(jail), &program)
    };
    block_on(async {
        // The shell keeps a line of any length in memory.
        let mut bot = start(sh(
            "x=$(head -c 300000000 /dev/zero | tr '\\0' x); echo ${#x}",
        ));
        match bot.ask(b"x\n", within(LONG)).await {
            Ok(answer) => assert!(!answer.line.contains("300000000"), "{}", answer.line),
            Err(AskError::Fault(
                SandboxFault::Memory { .. }
                | SandboxFault::Crashed(_)
                | SandboxFault::Closed { .. },
            )) => {}
            Err(error) => panic!("{error}"),
        }
        // And less is no fault.
        let mut bot = start(sh(
            "x=$(head -c 1000000 /dev/zero | tr '\\0' x); echo ${#x}",
        ));
        assert_eq!(answer(&mut bot, "x\n").await.trim(), "1000000");
    });
}

#[test]
fn the_memory_of_all_processes_together_is_limited() {
    let limits = JailLimits {
        memory: 64 * 1024 * 1024,
        ..JailLimits::default()
    };
    block_on(async {
        // Eight processes of 20 MB each: no single one is too large.
        let hold =
            "sh -c 'x=$(head -c 20000000 /dev/zero | tr \"\\0\" x); echo HELD; sleep 1000' &";
        let script = format!("{} wait; exit 3", hold.repeat(8));
        let sandbox = sandbox_of(jail().with_limits(limits));
        let mut bot = start_in(&sandbox, &crate::common::sh(&format!("read x; {script}")));
        let fault = loop {
            match bot.ask(b"x\n", within(LONG)).await {
                Ok(answer) => assert_eq!(answer.line, "HELD"),
                Err(AskError::Fault(fault)) => break fault,
                Err(error) => panic!("{error}"),
            }
        };
        assert_eq!(fault.name(), "memory", "{fault}");
    });
}

#[test]
fn a_bot_that_is_ended_for_its_memory_has_the_fault_memory() {
    let counts_memory = counts_memory();
    let limits = JailLimits {
        memory: 32 * 1024 * 1024,
        ..JailLimits::default()
    };
    block_on(async {
        let sandbox = sandbox_of(jail().with_limits(limits));
        let script = "read x; x=$(head -c 300000000 /dev/zero | tr '\\0' x); echo ${#x}; read x";
        let mut bot = start_in(&sandbox, &crate::common::sh(script));
        let fault = match bot.ask(b"x\n", within(LONG)).await {
            Err(AskError::Fault(fault)) => fault,
            other => panic!("a fault was due, not {other:?}"),
        };
        if !counts_memory {
            // It may run against its own limit of addresses before somebody looks.
            assert!(
                ["memory", "crashed", "closed"].contains(&fault.name()),
                "{fault}"
            );
            return;
        }
        assert_eq!(fault.name(), "memory", "{fault}");
        let finished = bot.finish(Duration::ZERO).await;
        assert!(
            finished.ended.to_string().contains("needed more than"),
            "{}",
            finished.ended
        );
    });
}

#[test]
fn what_a_bot_uses_is_counted() {
    block_on(async {
        let mut bot = start(&sh(
            "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done",
        ));
        answer(&mut bot, "x\n").await;
        let used = bot.cpu().unwrap();
        assert!(used >= Duration::from_millis(20), "{used:?}");
    });
}
