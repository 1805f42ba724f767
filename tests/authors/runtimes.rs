//! Bots of the runtimes that people install, in the jail: as root, as an ordinary user with a control group, and as one
//! without.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{self, built};
use flipside_sandbox::jail::{JailLimits, Layer};

/// The runtimes, by the names of their bots.
const RUNTIMES: [&str; 6] = ["java", "node", "numpy", "go", "mono", "sh"];

/// How many rounds of two seatings: ten matches.
const ROUNDS: &str = "5";

/// An ordinary user to whom nothing belongs. Each test has one of its own.
const ORDINARY: u32 = 1_800_000_000;

/// Who starts the bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Starter {
    /// Whoever runs the tests.
    Here,
    /// An ordinary user who may make control groups.
    WithGroup,
    /// An ordinary user who may not.
    Alone,
}

/// A place where an ordinary user finds the command and the bots.
struct RuntimePlace {
    folder: tempfile::TempDir,
    starter: Starter,
    user: u32,
    /// The control groups that the user may use, with cgroup v1.
    groups: Vec<PathBuf>,
}

impl RuntimePlace {
    /// None, with a word about it, where the machine cannot give it.
    fn of(starter: Starter) -> Option<Self> {
        static USERS: AtomicUsize = AtomicUsize::new(0);
        let number = USERS.fetch_add(1, Ordering::Relaxed) as u32;
        let user = ORDINARY + 8 * (std::process::id() % 10_000_000) + number;
        let root = rustix::process::geteuid().is_root();
        if starter != Starter::Here && !root {
            eprintln!("NOT TESTED, for only root becomes other users: {starter:?}");
            return None;
        }
        let groups = match starter {
            Starter::WithGroup => groups_of(user)?,
            _ => Vec::new(),
        };
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let binary = folder.path().join("flipside");
        common::copy_program(env!("CARGO_BIN_EXE_flipside").as_ref(), &binary);
        let work = folder.path().join("work");
        fs::create_dir(&work).unwrap();
        if starter != Starter::Here {
            chown(&work, Some(user), Some(user)).unwrap();
        }
        Some(RuntimePlace {
            folder,
            starter,
            user,
            groups,
        })
    }

    /// Brings a file that this user may execute.
    fn bring(&self, from: &str, name: &str) -> PathBuf {
        let to = self.folder.path().join(name);
        common::copy_program(from.as_ref(), &to);
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).unwrap();
        to
    }

    /// Writes a bot.
    fn write(&self, name: &str, text: &str) -> PathBuf {
        let to = self.folder.path().join(name);
        fs::write(&to, text).unwrap();
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).unwrap();
        to
    }

    /// The command, as this user.
    fn flipside(&self) -> Command {
        let binary = self.folder.path().join("flipside");
        let mut command = match self.groups.is_empty() {
            true => Command::new(binary),
            false => {
                // Whoever is in a group has his children there.
                let mut command = Command::new("sh");
                let script = "exe=$1; shift; while [ \"$1\" != -- ]; do echo $$ >\"$1/cgroup.procs\" || exit 1; shift; \
                              done; shift; exec \"$exe\" \"$@\"";
                command.args(["-c", script, "sh"]).arg(binary);
                command.args(&self.groups).arg("--");
                command
            }
        };
        command
            .current_dir(self.folder.path().join("work"))
            .env_remove("FLIPSIDE_LOG")
            .env_remove("FLIPSIDE_ARENA")
            .env_remove("XDG_RUNTIME_DIR")
            .stdin(std::process::Stdio::null());
        if self.starter != Starter::Here {
            command.uid(self.user).gid(self.user).env("HOME", "/");
        }
        command
    }

    /// Runs the command, which must succeed; what it printed.
    fn run(&self, args: &[&str]) -> String {
        let output = self.flipside().args(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (out, err) = (text(output.stdout), text(output.stderr));
        assert!(output.status.success(), "{args:?}: {out}\n{err}");
        out
    }

    /// Whether a control group limits the memory of bots here, by the command's own word.
    fn counts_memory(&self) -> bool {
        let told = self.run(&["doctor"]);
        let wall = Layer::TreeMemory.name();
        let line = told.lines().find(|line| line.starts_with(wall)).unwrap();
        line.split_whitespace().nth(1) == Some("ok")
    }

    /// What a bot says on its standard error, which exits with 3 at its beginning.
    fn says(&self, bot: &Path) -> String {
        let bot = bot.to_str().unwrap();
        let clock = "move=10m,start=10m";
        self.run(&[
            "match",
            "flipfour",
            bot,
            "sample:random",
            "--clock",
            clock,
            "--record",
            "told.jsonl",
        ]);
        let record = self.folder.path().join("work/told.jsonl");
        let text = fs::read_to_string(&record).unwrap();
        fs::remove_file(record).unwrap();
        assert!(text.contains("exited with code 3"), "{text}");
        text
    }
}

impl Drop for RuntimePlace {
    fn drop(&mut self) {
        // Nobody is in them any more.
        for group in &self.groups {
            let _ = fs::remove_dir(group);
        }
    }
}

/// Control groups of memory and processes that this user may use: with cgroup v1, which only root hands out.
fn groups_of(user: u32) -> Option<Vec<PathBuf>> {
    let mut groups = Vec::new();
    for controller in ["memory", "pids"] {
        let group = Path::new("/sys/fs/cgroup")
            .join(controller)
            .join(format!("flipside-test-{user}"));
        if let Err(error) = fs::create_dir(&group) {
            eprintln!(
                "NOT TESTED, for no group for an ordinary user can be made in {}: {error}",
                group.display()
            );
            return None;
        }
        for file in ["", "cgroup.procs", "tasks"] {
            chown(group.join(file), Some(user), Some(user)).unwrap();
        }
        groups.push(group);
    }
    Some(groups)
}

/// Ten matches of each runtime's bot.
fn every_runtime_plays(starter: Starter) {
    let Some(place) = RuntimePlace::of(starter) else {
        return;
    };
    match starter {
        Starter::WithGroup => assert!(place.counts_memory()),
        Starter::Alone => assert!(!place.counts_memory()),
        Starter::Here => {}
    }
    let other = place.bring(&built("random-c"), "other");
    for runtime in RUNTIMES {
        let bot = place.bring(&built(&format!("random-{runtime}")), runtime);
        let (bot, other) = (bot.to_str().unwrap(), other.to_str().unwrap());
        let args = [
            "--name",
            runtime,
            "--rounds",
            ROUNDS,
            "--seed",
            "1",
            "--clock",
            "move=10m,start=10m",
        ];
        let told = place.run(&[&["tournament", "phase10-flip", bot, other][..], &args].concat());
        assert!(told.contains("10 of 10 matches"), "{runtime}: {told}");
        // The columns of faults and voids are the last two. A busy machine may make a match void.
        let row = |line: &&str| line.contains(&format!(" {runtime}@1 "));
        let row = told.lines().find(row).unwrap();
        let faults = row.split_whitespace().rev().nth(1);
        assert_eq!(faults, Some("0"), "{runtime} as {starter:?}: {told}");
    }
}

#[test]
fn every_runtime_plays_ten_matches_in_the_jail() {
    every_runtime_plays(Starter::Here);
}

#[test]
#[ignore = "long: the same as another user"]
fn every_runtime_plays_ten_matches_in_the_jail_of_an_ordinary_user_with_a_group() {
    every_runtime_plays(Starter::WithGroup);
}

#[test]
#[ignore = "long: the same as another user"]
fn every_runtime_plays_ten_matches_in_the_jail_of_an_ordinary_user_without_a_group() {
    every_runtime_plays(Starter::Alone);
}

/// What runtimes do beside playing: locks, databases, several processes, shared memory.
const USES: &str = "#!/usr/bin/env python3
import concurrent.futures, fcntl, mmap, multiprocessing, os, sqlite3, sys
from multiprocessing import shared_memory

def square(x):
    return x * x

def database(mode):
    one, two = (sqlite3.connect(f'/tmp/{mode}.db', timeout=0.2) for _ in range(2))
    assert one.execute(f'pragma journal_mode={mode}').fetchone() == (mode,)
    with one:
        one.execute('create table t (x)')
        one.execute('insert into t values (17)')
    with two:
        two.execute('insert into t values (1)')
    return one.execute('select sum(x) from t').fetchone()[0]

def locked():
    own = open('/tmp/own', 'w')
    fcntl.flock(own, fcntl.LOCK_EX)
    fcntl.lockf(own, fcntl.LOCK_EX)
    return 1

def pool():
    with multiprocessing.Pool(4) as workers:
        return sum(workers.map(square, range(10)))

def value():
    count = multiprocessing.Value('i', 0)
    def add():
        with count.get_lock():
            count.value += 1
    children = [multiprocessing.Process(target=add) for _ in range(3)]
    [child.start() for child in children]
    [child.join() for child in children]
    return count.value

def shared():
    memory = shared_memory.SharedMemory(create=True, size=1 << 20)
    memory.buf[5] = 9
    found = memory.buf[5]
    memory.close()
    memory.unlink()
    return found

def executor():
    with concurrent.futures.ProcessPoolExecutor(3) as workers:
        return sum(workers.map(square, range(5)))

def threads():
    with concurrent.futures.ThreadPoolExecutor(20) as workers:
        return sum(workers.map(square, range(5)))

print([database(mode) for mode in ('delete', 'truncate', 'persist', 'wal')], file=sys.stderr)
print([what() for what in (locked, pool, value, shared, executor, threads)], file=sys.stderr)
sys.exit(3)
";

#[test]
fn databases_locks_and_processes_of_a_python_work() {
    for starter in [Starter::Here, Starter::WithGroup, Starter::Alone] {
        let Some(place) = RuntimePlace::of(starter) else {
            continue;
        };
        let told = place.says(&place.write("uses.py", USES));
        assert!(
            told.contains("[18, 18, 18, 18]\\n[1, 285, 3, 9, 30, 30]\\n"),
            "{starter:?}: {told}"
        );
    }
}

#[test]
fn a_java_bot_prints_nothing_but_its_answers() {
    for starter in [Starter::Here, Starter::WithGroup, Starter::Alone] {
        let Some(place) = RuntimePlace::of(starter) else {
            continue;
        };
        let java = place.bring(&built("random-java"), "java");
        let text = "#!/bin/sh\nhello='{\"type\":\"hello\",\"seed\":7}'\n\
             for options in '' -Xmx64m -XX:+UseSerialGC -Xshare:off; do\n\
             echo \"$hello\" | java $options -jar /tmp/bot >/tmp/out 2>/tmp/err\n\
             wc -l </tmp/out >&2; head -c 2000 /tmp/err >&2; grep -v '^{\"type\":\"ready\"' /tmp/out >&2\n\
             done; exit 3\n";
        // The bot is its own second file: a program behind the script's last line.
        let mut bytes = text
            .replace("hello=", "tail -n +7 \"$0\" >/tmp/bot; hello=")
            .into_bytes();
        bytes.extend(fs::read(&java).unwrap());
        let bot = place.folder.path().join("quiet");
        fs::write(&bot, bytes).unwrap();
        fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).unwrap();
        let told = place.says(&bot);
        assert!(
            told.contains("\"stderr\":\"1\\n1\\n1\\n1\\n\""),
            "{starter:?}: {told}"
        );
    }
}

#[test]
fn an_ordinary_user_gets_a_control_group_from_his_systemd() {
    let Some(place) = RuntimePlace::of(Starter::WithGroup) else {
        return;
    };
    // No systemd runs where tests do: a stand-in for the program that calls it moves whom it is told to move.
    let groups: Vec<_> = place
        .groups
        .iter()
        .map(|group| group.display().to_string())
        .collect();
    let stand_in = format!(
        "#!/bin/sh\necho \"$@\" >>\"$XDG_RUNTIME_DIR/asked\"\n\
         while [ \"$1 $2 $3\" != 'PIDs au 1' ]; do shift; done\n\
         [ -e \"$XDG_RUNTIME_DIR/refuse\" ] && {{ echo Access denied >&2; exit 1; }}\n\
         for group in {}; do echo \"$4\" >\"$group/cgroup.procs\" || exit 1; done\n",
        groups.join(" ")
    );
    place.write("busctl", &stand_in);
    let work = place.folder.path().join("work");
    fs::write(work.join("bus"), "").unwrap();
    let path = format!("{}:/usr/bin:/bin", place.folder.path().display());
    let run = |args: &[&str]| {
        let mut command = Command::new(place.folder.path().join("flipside"));
        command
            .current_dir(&work)
            .env("PATH", &path)
            .env("XDG_RUNTIME_DIR", &work)
            .env("HOME", "/")
            .env_remove("FLIPSIDE_LOG")
            .uid(place.user)
            .gid(place.user)
            .args(args);
        let output = command.output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8(text).unwrap()
    };
    let arguments = ["match", "flipflop-3x3", "sample:random", "sample:greedy"];
    let quiet = run(&arguments);
    assert!(!quiet.contains("systemd"), "{quiet}");
    let asked = fs::read_to_string(work.join("asked")).unwrap();
    assert!(
        asked.contains("StartTransientUnit ssa(sv)a(sa(sv)) flipside-"),
        "{asked}"
    );
    assert!(
        asked.contains(".scope fail 3 ") && asked.contains(" Delegate b true "),
        "{asked}"
    );
    let told = run(&[&["-v"], &arguments[..]].concat());
    assert!(
        told.contains("systemd made the control group flipside-"),
        "{told}"
    );
    let told = run(&["doctor"]);
    assert!(told.contains("tree-memory     ok"), "{told}");
    assert!(
        told.contains("systemd made the control group flipside-"),
        "{told}"
    );
    // A refusal is no error, and is told to who asks.
    fs::write(work.join("refuse"), "").unwrap();
    let told = run(&["doctor"]);
    assert!(told.contains("tree-memory     missing"), "{told}");
    assert!(told.contains("can be used: Access denied"), "{told}");
}

#[test]
fn a_bot_of_an_ordinary_user_keeps_to_its_memory_and_is_the_first_that_the_kernel_ends() {
    let Some(place) = RuntimePlace::of(Starter::Alone) else {
        return;
    };
    let bot = place.write(
        "first.sh",
        "#!/bin/sh\ncat /proc/self/oom_score_adj >&2; echo 0 >/proc/self/oom_score_adj\n\
        cat /proc/self/oom_score_adj >&2; exit 3\n",
    );
    let told = place.says(&bot);
    assert_eq!(told.matches("1000\\n").count(), 2, "{told}");
    let memory = JailLimits::default().memory;
    // Several processes, more than one for each processor, none of which has much.
    let text = format!(
        "#!/usr/bin/env python3\nimport os, signal, sys\nfor _ in range(12):\n    if os.fork() == 0:\n        \
         held = bytearray({})\n        signal.pause()\nsignal.pause()\n",
        memory / 4
    );
    let bot = place.write("greedy.py", &text);
    let told = place.run(&[
        "match",
        "flipfour",
        bot.to_str().unwrap(),
        "sample:random",
        "--record",
        "r",
        "--clock",
        "move=10m,start=10m",
    ]);
    let record = fs::read_to_string(place.folder.path().join("work/r")).unwrap();
    assert!(record.contains("\"fault\":\"memory\""), "{told}{record}");
}
