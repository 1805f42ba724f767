//! The keeper: builds the zoo's processes, plays them through the command while it looks at the
//! command's memory and descriptors, and looks for what they leave behind.
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "every test file uses another part"
)]

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use flipside_referee::{Line, Record};
use flipside_sandbox::Program;
use flipside_store::{Arena, MatchFilter, MatchRow};
use tempfile::TempDir;

use crate::common::{copy_program, flipside};
use crate::hostile::{Hostile, HostileLanguage};
use crate::left;

/// The first of the users that nothing belongs to. Each test program has one of its own, for what
/// others do as the same user counts together.
const ORDINARY: u32 = 1_900_000_000;

/// How often the command is looked at.
const LOOK: Duration = Duration::from_millis(3);

/// A tournament that takes longer than this does not end.
const ENDS_WITHIN: Duration = Duration::from_secs(3600);

/// What is still there so long after the command's end has been left behind.
const GONE_WITHIN: Duration = Duration::from_secs(300);

/// What a run leaves in its folder, and what that has in it.
const KEPT: [&str; 3] = ["arena", "err", "out"];
const KEPT_IN_ARENA: [&str; 4] = ["bots", "cache", "journal.sqlite", "locks"];

/// Plays as one user.
pub struct Keeper {
    folder: TempDir,
    /// None: whoever runs the tests.
    user: Option<u32>,
    /// A control group of version 1 in which the command is to run, if not its own.
    group: Option<PathBuf>,
    /// The command, where that user may run it.
    binary: PathBuf,
    /// What the name of the socket begins with.
    name: String,
    honest: Vec<u8>,
    tcp: TcpListener,
    _unix: UnixListener,
    brought: AtomicUsize,
    runs: AtomicUsize,
}

/// A bot, ready to be started.
#[derive(Debug)]
pub struct FetchedBots {
    pub file: PathBuf,
    /// A number that is in the command line of whatever it starts, and in the name of whatever it
    /// leaves.
    mark: Option<String>,
}

impl FetchedBots {
    /// A bot that is there.
    pub fn of(file: &Path) -> Self {
        FetchedBots {
            file: file.into(),
            mark: None,
        }
    }
}

/// A look at the running command.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessView {
    pub matches: u64,
    pub descriptors: usize,
    pub memory_kb: u64,
    /// The most memory until now.
    pub peak_kb: u64,
}

/// A tournament that was played and looked at.
#[derive(Debug)]
pub struct SeenFile {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub peak_kb: u64,
    pub most_descriptors: usize,
    pub looks: Vec<ProcessView>,
    pub matches: Vec<(MatchRow, Record)>,
    /// What was left behind.
    pub left: Vec<String>,
}

impl Keeper {
    /// As whoever runs the tests.
    pub fn here() -> Self {
        Keeper::of(None)
    }

    /// As an ordinary user; none where that is who runs the tests anyway.
    pub fn of_ordinary_user() -> Option<Self> {
        let root = rustix::process::geteuid().is_root();
        root.then(|| Keeper::of(Some(ORDINARY + std::process::id())))
    }

    fn of(user: Option<u32>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        open_to_all(folder.path());
        let binary = match user {
            None => env!("CARGO_BIN_EXE_flipside").into(),
            Some(_) => {
                let copy = folder.path().join("flipside");
                copy_program(env!("CARGO_BIN_EXE_flipside").as_ref(), &copy);
                open_to_all(&copy);
                copy
            }
        };
        // As long as the folder is there, no other keeper has its name.
        let name = format!("zoo of {}", folder.path().display());
        fs::write(folder.path().join("secret"), "the secret is 17\n").unwrap();
        fs::create_dir(folder.path().join("bots")).unwrap();
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-bots/c/random.c");
        let honest = folder.path().join("honest");
        compile(&source, &honest);
        Keeper {
            honest: fs::read(&honest).unwrap(),
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            _unix: UnixListener::bind_addr(&address).unwrap(),
            folder,
            user,
            group: None,
            binary,
            name,
            brought: AtomicUsize::new(0),
            runs: AtomicUsize::new(0),
        }
    }

    /// The same, who plays in this control group.
    pub fn inside(self, group: &Path) -> Self {
        Keeper {
            group: Some(group.into()),
            ..self
        }
    }

    /// Whether its bots are root's.
    pub fn is_root(&self) -> bool {
        self.user.is_none() && rustix::process::geteuid().is_root()
    }

    /// A bot of the zoo.
    pub fn bring(&self, hostile: &Hostile) -> FetchedBots {
        let port = self.tcp.local_addr().unwrap().port();
        let secret = self.folder.path().join("secret");
        let mark = format!("{:010}{:06}", std::process::id(), self.number());
        let text = hostile
            .text
            .replace("@MARK@", &mark)
            .replace("@SOCKET@", &self.name)
            .replace("@PORT@", &port.to_string())
            .replace("@SECRET@", secret.to_str().unwrap());
        let file = self.folder.path().join("bots").join(&hostile.name);
        match hostile.language {
            HostileLanguage::Shell | HostileLanguage::Python => fs::write(&file, text).unwrap(),
            HostileLanguage::C => {
                let source = file.with_extension("c");
                fs::write(&source, text).unwrap();
                compile(&source, &file);
                fs::remove_file(source).unwrap();
            }
        }
        open_to_all(&file);
        FetchedBots {
            file,
            mark: Some(mark),
        }
    }

    /// An honest bot in C; each is another bot.
    pub fn honest(&self) -> FetchedBots {
        let number = self.number();
        let file = self.folder.path().join(format!("bots/honest-{number}"));
        // What follows a program in its file is nobody's.
        let mut bytes = self.honest.clone();
        bytes.extend_from_slice(&number.to_le_bytes());
        fs::write(&file, bytes).unwrap();
        open_to_all(&file);
        FetchedBots { file, mark: None }
    }

    /// A bot in C.
    pub fn build(&self, name: &str, text: &str) -> FetchedBots {
        // So that no two are the same.
        let source = self.write(&format!("{name}.c"), &format!("{text}/* {name} */\n"));
        let file = source.file.with_extension("");
        compile(&source.file, &file);
        open_to_all(&file);
        fs::remove_file(source.file).unwrap();
        FetchedBots { file, mark: None }
    }

    /// A file of this text among the bots.
    pub fn write(&self, name: &str, text: &str) -> FetchedBots {
        let file = self.folder.path().join("bots").join(name);
        fs::write(&file, text).unwrap();
        open_to_all(&file);
        FetchedBots { file, mark: None }
    }

    fn number(&self) -> usize {
        self.brought.fetch_add(1, Ordering::Relaxed)
    }

    /// Plays a tournament of these bots with these further arguments.
    pub fn play(&self, bots: &[&FetchedBots], args: &[&str]) -> SeenFile {
        self.play_and_count(bots, args, None)
    }

    /// The same at another game.
    pub fn play_at(&self, game: &str, bots: &[&FetchedBots], args: &[&str]) -> SeenFile {
        self.play_game(game, bots, args, None)
    }

    /// Plays a tournament, and counts its matches so often meanwhile.
    pub fn play_and_count(
        &self,
        bots: &[&FetchedBots],
        args: &[&str],
        every: Option<Duration>,
    ) -> SeenFile {
        self.play_game("flipfour", bots, args, every)
    }

    fn play_game(
        &self,
        game: &str,
        bots: &[&FetchedBots],
        args: &[&str],
        every: Option<Duration>,
    ) -> SeenFile {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.path().join(format!("run-{number}"));
        let temporary = folder.join("tmp");
        fs::create_dir(&folder).unwrap();
        fs::create_dir(&temporary).unwrap();
        for made in [&folder, &temporary] {
            chown(made, self.user, self.user).unwrap();
        }
        let before = [left::mounts(), left::groups()].concat();
        let (out, err) = (folder.join("out"), folder.join("err"));
        let mut command = flipside(&folder);
        let mut command = match (self.user, &self.group) {
            (None, None) => command,
            (None, Some(group)) => {
                let mut shell = Command::new("/bin/sh");
                let join = "echo 0 > \"$1/tasks\" && shift && exec \"$@\"";
                shell.args(["-c", join, "sh"]).arg(group);
                shell.arg(&self.binary).current_dir(&folder);
                shell
            }
            (Some(user), _) => {
                command = Command::new(&self.binary);
                command
                    .current_dir(&folder)
                    .uid(user)
                    .gid(user)
                    .env("HOME", "/");
                command
            }
        };
        command
            .env("TMPDIR", &temporary)
            // A bot that fails in every match is to play them all.
            .args(["tournament", game, "--pause-after", "0"])
            .args(bots.iter().map(|bot| &bot.file))
            .args(args)
            .stdin(std::process::Stdio::null())
            .stdout(File::create(&out).unwrap())
            .stderr(File::create(&err).unwrap());
        let mut child = KeeperEnd(command.spawn().expect("the command starts"));
        let (code, looks) = watch(&mut child.0, &folder.join("arena"), every);
        let left = self.left_in_the_end(&folder, bots, &before);
        let matches = match code {
            Some(_) => matches(&folder.join("arena")),
            None => Vec::new(),
        };
        let seen = SeenFile {
            code,
            stdout: String::from_utf8_lossy(&fs::read(out).unwrap()).into_owned(),
            stderr: String::from_utf8_lossy(&fs::read(err).unwrap()).into_owned(),
            peak_kb: looks.iter().map(|look| look.peak_kb).max().unwrap_or(0),
            most_descriptors: looks.iter().map(|look| look.descriptors).max().unwrap_or(0),
            looks,
            matches,
            left,
        };
        fs::remove_dir_all(folder).unwrap();
        seen
    }

    /// What is left of a run that has ended, and stays. Where hundreds of processes compute, those that
    /// are killed take a while until it is their turn to die.
    fn left_in_the_end(
        &self,
        folder: &Path,
        bots: &[&FetchedBots],
        before: &[String],
    ) -> Vec<String> {
        let until = Instant::now() + GONE_WITHIN;
        loop {
            let mut left = self.left_in(folder, bots);
            let now = [left::mounts(), left::groups_without_a_warden()].concat();
            left.extend(now.into_iter().filter(|now| !before.contains(now)));
            if left.is_empty() || Instant::now() > until {
                return left;
            }
            thread::sleep(LOOK * 10);
        }
    }

    /// What is left of a run that has ended.
    fn left_in(&self, folder: &Path, bots: &[&FetchedBots]) -> Vec<String> {
        // A bot's command line has its file's name in the arena, and that is its hash.
        let programs: Vec<Program> = bots
            .iter()
            .filter_map(|bot| Program::open(&bot.file).ok())
            .collect();
        let hashes: Vec<&str> = programs.iter().map(Program::sha256).collect();
        let mut words = hashes.clone();
        let place = folder.to_str().unwrap();
        let marks = bots.iter().filter_map(|bot| bot.mark.as_deref());
        words.extend(marks.clone().chain([place]));
        let mut left = left::processes(&words);
        left.extend(marks.flat_map(left::files));
        let beside = |folder: &Path, kept: &[&str]| -> Vec<String> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let others =
                entries.filter(|entry| !kept.iter().any(|kept| entry.file_name() == *kept));
            others
                .map(|entry| format!("file {}", entry.path().display()))
                .collect()
        };
        left.extend(beside(&folder.join("tmp"), &[]));
        let _ = fs::remove_dir(folder.join("tmp"));
        left.extend(beside(folder, &KEPT));
        left.extend(beside(&folder.join("arena"), &KEPT_IN_ARENA));
        let kept: Vec<String> = ["", ".wat", ".wasm"]
            .iter()
            .flat_map(|ending| hashes.iter().map(move |hash| format!("{hash}{ending}")))
            .collect();
        let kept: Vec<&str> = kept.iter().map(String::as_str).collect();
        left.extend(beside(&folder.join("arena/bots"), &kept));
        left
    }
}

/// A child that does not outlive its test.
struct KeeperEnd(Child);

impl Drop for KeeperEnd {
    fn drop(&mut self) {
        // It fails where the child has ended and is reaped.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Looks at the command until it ends; without an exit code if it had to be ended.
fn watch(
    child: &mut Child,
    arena: &Path,
    every: Option<Duration>,
) -> (Option<i32>, Vec<ProcessView>) {
    let begun = Instant::now();
    let mut looks: Vec<ProcessView> = Vec::new();
    let mut counted = Instant::now();
    while begun.elapsed() < ENDS_WITHIN {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), looks);
        }
        let count = looks.last().map_or(0, |look| look.matches);
        let due = every.is_some_and(|every| counted.elapsed() > every);
        let matches = match due {
            true => {
                counted = Instant::now();
                landed(arena).unwrap_or(count)
            }
            false => count,
        };
        if let Some(look) = look(child.id(), matches) {
            looks.push(look);
        }
        thread::sleep(LOOK);
    }
    (None, looks)
}

fn look(process: u32, matches: u64) -> Option<ProcessView> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    };
    Some(ProcessView {
        matches,
        descriptors: fs::read_dir(format!("/proc/{process}/fd")).ok()?.count(),
        memory_kb: field("VmRSS:")?,
        peak_kb: field("VmHWM:")?,
    })
}

/// How many matches are in the journal.
fn landed(arena: &Path) -> Option<u64> {
    let journal = Arena::open(arena).ok()?.read_journal().ok()?;
    let tournament = journal.latest_tournament().ok()??;
    Some(journal.played(tournament.id).ok()?.len())
}

/// All matches of an arena with their records.
fn matches(arena: &Path) -> Vec<(MatchRow, Record)> {
    let Ok(arena) = Arena::open(arena) else {
        return Vec::new();
    };
    let journal = arena.read_journal().unwrap();
    let all = MatchFilter {
        limit: usize::MAX >> 1,
        ..MatchFilter::default()
    };
    let rows = journal.matches(&all).unwrap().into_iter();
    let with_record = |row: MatchRow| {
        let record = Record::read(&journal.record(&row.id).unwrap()).unwrap();
        (row, record)
    };
    rows.map(with_record).collect()
}

/// What a seat did wrong, by its record: the fault's name, its detail, and the time it had used, in
/// microseconds.
pub fn fault_of(record: &Record, seat: usize) -> Option<(&'static str, &str, u64)> {
    record.lines.iter().find_map(|(_, line)| match line {
        Line::Fault(fault) if usize::from(fault.seat) == seat => {
            Some((fault.fault.name(), fault.detail.as_str(), fault.us))
        }
        _ => None,
    })
}

/// Compiles a bot in C.
fn compile(source: &Path, bot: &Path) {
    let zoo = crate::hostile::folder();
    let output = Command::new("cc")
        .args([
            "-std=gnu11",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pthread",
            "-I",
        ])
        .arg(zoo)
        .arg("-o")
        .args([bot, source])
        .output()
        .expect("there is a C compiler (apt install gcc)");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", source.display());
}

fn open_to_all(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
