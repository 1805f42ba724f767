//! The control group of a bot: what limits all its processes together, where the machine gives one.
//!
//! With cgroup v2 that is a group beside or below our own, where memory and processes are handed
//! down to groups that we may make: in a scope with `Delegate=yes`, or as root. With cgroup v1, which
//! root finds on older machines, there is one group for memory and one for processes.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use crate::jail::Limits;

/// What the names of groups begin with; the number of the supervisor follows, and one drawn for this group, so
/// that no two ever have the same.
const PREFIX: &str = "flipside-jail-";

/// How old a group must be to be swept away because its supervisor is not to be seen. It may be that of a start
/// in another container, where nobody is in it yet; no start takes so long.
const SWEPT_AFTER: Duration = Duration::from_secs(60);

/// How long it is tried to remove a group that is still busy, and the time between. Its processes have been
/// reaped then, or are killed, but the kernel may count one a moment longer.
const REMOVE_WITHIN: Duration = Duration::from_secs(1);
const REMOVE_WAIT: Duration = Duration::from_millis(2);

/// The group of one bot.
#[derive(Debug)]
pub(crate) struct Tree {
    memory: Option<PathBuf>,
    /// The same folder as for memory with cgroup v2.
    processes: Option<PathBuf>,
    /// A folder that only counts processor time, where the one for memory does not.
    time: Option<PathBuf>,
    v2: bool,
}

/// Where groups can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    memory: Vec<PathBuf>,
    processes: Vec<PathBuf>,
    /// Where processor time is counted.
    time: Option<PathBuf>,
    v2: bool,
}

impl Places {
    /// Looks where this process is.
    pub(crate) fn find() -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        Self::of(&read("/proc/self/mountinfo"), &read("/proc/self/cgroup"))
    }

    fn of(mounts: &str, groups: &str) -> Self {
        let mut places = Places {
            memory: v1(mounts, groups, "memory").into_iter().collect(),
            processes: v1(mounts, groups, "pids").into_iter().collect(),
            time: time_place(mounts, groups),
            v2: false,
        };
        if places.memory.is_empty() && places.processes.is_empty() {
            // Groups are made where the parent hands memory and processes down; that is not our own
            // group, for one that holds processes hands nothing down, unless it is the root.
            let own = group_of(groups, |controllers| controllers.is_empty());
            if let (Some(mount), Some(own)) = (mount(mounts, "cgroup2", None), own) {
                let own = mount.folder(own);
                let around = own.ancestors().take_while(|at| at.starts_with(&mount.at));
                places.memory = around.map(Path::to_path_buf).collect();
                places.processes = places.memory.clone();
                places.v2 = true;
            }
        }
        places
    }
}

/// The group in which this process is, with cgroup v2.
pub(crate) fn own_group() -> Option<PathBuf> {
    let places = Places::find();
    places
        .v2
        .then(|| places.memory.into_iter().next())
        .flatten()
}

/// Where control groups are to be seen.
struct Mount {
    at: PathBuf,
    /// The group that is the root there.
    root: String,
}

impl Mount {
    fn folder(&self, group: &str) -> PathBuf {
        let below = group
            .strip_prefix(self.root.trim_end_matches('/'))
            .unwrap_or(group);
        self.at.join(below.trim_start_matches('/'))
    }
}

/// The mount of this kind, with this option where one is named.
fn mount(mounts: &str, kind: &str, option: Option<&str>) -> Option<Mount> {
    mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let mut after = after.split(' ');
        if after.next()? != kind {
            return None;
        }
        let options = after.nth(1)?;
        if option.is_some_and(|option| !lists(options, option)) {
            return None;
        }
        let mut fields = before.split(' ').skip(3);
        Some(Mount {
            root: fields.next()?.into(),
            at: fields.next()?.into(),
        })
    })
}

/// Whether a word is one of a list with commas.
fn lists(list: &str, word: &str) -> bool {
    list.split(',').any(|one| one == word)
}

/// The path of our group in the hierarchy with these controllers.
fn group_of(groups: &str, wanted: impl Fn(&str) -> bool) -> Option<&str> {
    groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let controllers = fields.next()?;
        wanted(controllers).then(|| fields.next()).flatten()
    })
}

fn v1(mounts: &str, groups: &str, controller: &str) -> Option<PathBuf> {
    let own = group_of(groups, |all| lists(all, controller))?;
    Some(mount(mounts, "cgroup", Some(controller))?.folder(own))
}

/// Version 2 counts the processor time of every group, also beside the groups of version 1.
fn time_place(mounts: &str, groups: &str) -> Option<PathBuf> {
    let v2 = || Some(mount(mounts, "cgroup2", None)?.folder(group_of(groups, str::is_empty)?));
    v2().or_else(|| v1(mounts, groups, "cpuacct"))
}

/// The processor time that all processes of a bot have ever used, as its control group counts it.
#[derive(Debug)]
pub(crate) struct Account {
    file: File,
    v2: bool,
}

impl Account {
    /// Of the group in which this process is, if it was made for a bot.
    pub(crate) fn of(process: u32) -> Option<Self> {
        static MOUNTS: OnceLock<String> = OnceLock::new();
        let mounts =
            MOUNTS.get_or_init(|| fs::read_to_string("/proc/self/mountinfo").unwrap_or_default());
        let groups = fs::read_to_string(format!("/proc/{process}/cgroup")).ok()?;
        let (folder, v2) = account_folder(mounts, &groups)?;
        let name = if v2 { "cpu.stat" } else { "cpuacct.usage" };
        let file = File::open(folder.join(name)).ok()?;
        let account = Account { file, v2 };
        account.used().is_some().then_some(account)
    }

    /// Until now.
    pub(crate) fn used(&self) -> Option<Duration> {
        let mut bytes = [0; 512];
        let length = self.file.read_at(&mut bytes, 0).ok()?;
        let text = str::from_utf8(&bytes[..length]).ok()?;
        if self.v2 {
            let used = text
                .lines()
                .find_map(|line| line.strip_prefix("usage_usec "));
            used?.parse().ok().map(Duration::from_micros)
        } else {
            text.trim().parse().ok().map(Duration::from_nanos)
        }
    }
}

/// Where the time is counted of a process in these groups; only in a group that was made for a bot.
fn account_folder(mounts: &str, groups: &str) -> Option<(PathBuf, bool)> {
    let is_ours = |group: &str| {
        Path::new(group).components().any(|part| match part {
            Component::Normal(name) => name.to_str().and_then(supervisor_of).is_some(),
            _ => false,
        })
    };
    let v2 = || {
        let group = group_of(groups, str::is_empty).filter(|group| is_ours(group))?;
        Some((mount(mounts, "cgroup2", None)?.folder(group), true))
    };
    let v1 = || {
        let group = group_of(groups, |all| lists(all, "cpuacct")).filter(|group| is_ours(group))?;
        let mount = mount(mounts, "cgroup", Some("cpuacct"))?;
        Some((mount.folder(group), false))
    };
    v2().or_else(v1)
}

impl Tree {
    /// Nothing that counts.
    pub(crate) fn none() -> Self {
        Tree {
            memory: None,
            processes: None,
            time: None,
            v2: false,
        }
    }

    /// Makes a group with these limits, as far as this machine and this user may.
    pub(crate) fn make(limits: &Limits) -> Self {
        Self::make_in(&Places::find(), limits)
    }

    fn make_in(places: &Places, limits: &Limits) -> Self {
        let name = format!(
            "{PREFIX}{}-{:08x}",
            std::process::id(),
            rand::random::<u32>()
        );
        // Room for init.
        let (memory, processes) = (limits.memory, limits.processes + 1);
        let none = |_: io::Error| None;
        if places.v2 {
            let folder = places.memory.iter().find_map(|place| {
                let folder = make_group(place, &name, &|place| hands_down(place)).ok()?;
                let set = set_all(
                    &folder,
                    &[
                        ("memory.max", memory),
                        ("memory.oom.group", 1),
                        ("pids.max", processes),
                    ],
                );
                // A machine without swap does not have it.
                let _ = set_all(&folder, &[("memory.swap.max", 0)]);
                kept(folder, set).ok()
            });
            let time = match folder {
                Some(_) => None,
                None => make_time_group(places, &name),
            };
            return Tree {
                memory: folder.clone(),
                processes: folder,
                time,
                v2: true,
            };
        }
        let make = |place: &PathBuf, limit| {
            let folder = make_group(place, &name, &|_| true)?;
            let set = set_all(&folder, &[limit]);
            kept(folder, set)
        };
        let memory_folder = places.memory.first().and_then(|place| {
            let folder = make(place, ("memory.limit_in_bytes", memory)).map_or_else(none, Some)?;
            // Memory and swap together; a machine that does not count swap does not have it.
            let _ = set_all(&folder, &[("memory.memsw.limit_in_bytes", memory)]);
            Some(folder)
        });
        let processes_folder = places
            .processes
            .first()
            .and_then(|place| make(place, ("pids.max", processes)).map_or_else(none, Some));
        Tree {
            memory: memory_folder,
            processes: processes_folder,
            time: make_time_group(places, &name),
            v2: false,
        }
    }

    /// Whether memory is limited for all processes together.
    pub(crate) fn counts_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// The group into which a process is to be born. Moving one there later would make the kernel
    /// wait for all processors.
    pub(crate) fn birthplace(&self) -> Option<File> {
        let memory = self.memory.as_ref().filter(|_| self.v2);
        let time = || self.time.as_ref().filter(|folder| is_v2(folder));
        File::open(memory.or_else(time)?).ok()
    }

    /// Nobody could be born into its group, and one of the two processes that know it removes that: what is
    /// left are groups of version 1, into which processes move.
    pub(crate) fn lose_birthplace(&mut self, removes: bool) {
        let lost = if self.v2 {
            std::mem::replace(self, Tree::none())
        } else {
            Tree {
                time: self.time.take_if(|folder| is_v2(folder)),
                ..Tree::none()
            }
        };
        if removes {
            lost.remove();
        }
    }

    /// Puts the calling process into the groups into which it cannot be born. It has one thread, and to
    /// move one thread is quick.
    pub(crate) fn join(&self) -> io::Result<()> {
        if self.v2 {
            return Ok(());
        }
        let time = self.time.as_ref().filter(|folder| !is_v2(folder));
        let limits = [self.memory.as_ref(), self.processes.as_ref(), time];
        for folder in limits.into_iter().flatten() {
            fs::write(folder.join("tasks"), "0")?;
        }
        Ok(())
    }

    /// Whether a process in it was ended because there was no memory left.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        let file = if self.v2 {
            "memory.events"
        } else {
            "memory.oom_control"
        };
        self.memory
            .as_ref()
            .and_then(|folder| fs::read_to_string(folder.join(file)).ok())
            .is_some_and(|text| {
                text.lines()
                    .filter_map(|line| line.strip_prefix("oom_kill "))
                    .any(|count| count.trim() != "0")
            })
    }

    /// Whether the kernel ends one process of it where there is no memory left, and lets the others live: a bot could
    /// have its children do what it may not, again and again.
    pub(crate) fn loses_single_processes(&self) -> bool {
        self.memory.is_some() && !self.v2
    }

    /// Removes the group, whose processes have ended.
    pub(crate) fn remove(&self) {
        let all = [&self.memory, &self.processes, &self.time];
        all.into_iter().flatten().for_each(|folder| remove(folder));
    }
}

/// Whether a group is one of version 2.
fn is_v2(folder: &Path) -> bool {
    folder.join("cgroup.type").exists()
}

/// A group that only counts time; none where it cannot be made.
fn make_time_group(places: &Places, name: &str) -> Option<PathBuf> {
    make_group(places.time.as_ref()?, name, &|_| true).ok()
}

fn remove(folder: &Path) {
    let until = Instant::now() + REMOVE_WITHIN;
    loop {
        match fs::remove_dir(folder) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) && Instant::now() < until => {
                thread::sleep(REMOVE_WAIT);
            }
            _ => break,
        }
    }
}

/// Removes the groups of a supervisor that was killed and could not. Nobody else may have its number yet.
pub(crate) fn clear_after(supervisor: u32) {
    let places = Places::find();
    let limits = places.memory.iter().chain(&places.processes);
    for place in limits.chain(&places.time) {
        for entry in fs::read_dir(place).into_iter().flatten().flatten() {
            if entry.file_name().to_str().and_then(supervisor_of) == Some(supervisor) {
                remove(&entry.path());
            }
        }
    }
}

/// Makes the group in a place that is fit, after those are swept away that somebody left there whom
/// nobody gave the time to clean up.
fn make_group(place: &Path, name: &str, fit: &dyn Fn(&Path) -> bool) -> io::Result<PathBuf> {
    if !fit(place) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    sweep(place);
    let folder = place.join(name);
    fs::create_dir(&folder)?;
    Ok(folder)
}

fn sweep(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let old = |entry: &fs::DirEntry| {
            let made = entry.metadata().and_then(|meta| meta.modified()).ok()?;
            Some(made.elapsed().ok()? >= SWEPT_AFTER)
        };
        let name = entry.file_name();
        let gone = name
            .to_str()
            .and_then(supervisor_of)
            .is_some_and(|supervisor| {
                let supervisor = Path::new("/proc").join(supervisor.to_string());
                !supervisor.exists()
            });
        if gone && old(&entry) == Some(true) {
            // It fails where somebody still is in it, or did it first.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The number of the supervisor in a group's name.
fn supervisor_of(name: &str) -> Option<u32> {
    let (supervisor, _) = name.strip_prefix(PREFIX)?.split_once('-')?;
    supervisor.parse().ok()
}

/// Whether a group hands memory and processes down to those below it. The root of all can be told to.
fn hands_down(place: &Path) -> bool {
    let file = place.join("cgroup.subtree_control");
    let both = || {
        let list = fs::read_to_string(&file).unwrap_or_default();
        let has = |wanted| list.split_whitespace().any(|one| one == wanted);
        has("memory") && has("pids")
    };
    // The root of all has no such file.
    let is_root = !place.join("cgroup.type").exists();
    both() || (is_root && fs::write(&file, "+memory +pids").is_ok() && both())
}

fn set_all(folder: &Path, limits: &[(&str, u64)]) -> io::Result<()> {
    limits
        .iter()
        .try_for_each(|(file, limit)| fs::write(folder.join(file), limit.to_string()))
}

/// The group if its limits could be set; otherwise it is gone again.
fn kept(folder: PathBuf, set: io::Result<()>) -> io::Result<PathBuf> {
    match set {
        Ok(()) => Ok(folder),
        Err(error) => {
            // It was just made, and nobody is in it.
            let _ = fs::remove_dir(folder);
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_cgroup_v2_the_groups_around_ours_are_places() {
        let mounts = "24 1 0:21 / /proc rw - proc proc rw\n\
            30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
        let groups = "0::/user.slice/app.slice/run-1.scope\n";
        let places = Places::of(mounts, groups);
        let at = |path: &str| PathBuf::from(format!("/sys/fs/cgroup{path}"));
        assert!(places.v2);
        assert_eq!(
            places.memory,
            [
                at("/user.slice/app.slice/run-1.scope"),
                at("/user.slice/app.slice"),
                at("/user.slice"),
                at("")
            ]
        );
    }

    /// A folder that looks like a group of v2 that hands these controllers down.
    fn like_v2(folder: &Path, controllers: &str) {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("cgroup.type"), "domain\n").unwrap();
        fs::write(folder.join("cgroup.subtree_control"), controllers).unwrap();
    }

    #[test]
    fn with_cgroup_v2_a_group_is_made_in_the_nearest_place_that_hands_both_down() {
        let root = tempfile::tempdir().unwrap();
        let outer = root.path().join("outer");
        let middle = outer.join("middle");
        let own = middle.join("own");
        like_v2(&outer, "cpu memory pids\n");
        like_v2(&middle, "memory pids\n");
        like_v2(&own, "pids\n");
        let places = Places {
            memory: vec![own.clone(), middle.clone(), outer.clone()],
            processes: vec![own, middle.clone(), outer],
            time: None,
            v2: true,
        };
        let limits = Limits {
            memory: 64 << 20,
            processes: 32,
            ..Limits::default()
        };
        let tree = Tree::make_in(&places, &limits);
        assert!(tree.counts_memory());
        let folder = tree.memory.clone().unwrap();
        assert_eq!(folder.parent(), Some(middle.as_path()));
        assert_eq!(tree.processes.as_ref(), Some(&folder));
        let set = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
        // A process more, for the first one is none of the bot's.
        let is = [
            "memory.max",
            "pids.max",
            "memory.swap.max",
            "memory.oom.group",
        ]
        .map(set);
        assert_eq!(is, ["67108864", "33", "0", "1"]);
        assert!(tree.birthplace().is_some());

        let events = |text: &str| fs::write(folder.join("memory.events"), text).unwrap();
        events("low 0\nhigh 0\nmax 7\noom 0\noom_kill 0\noom_group_kill 0\n");
        assert!(!tree.ran_out_of_memory());
        events("low 0\nhigh 0\nmax 7\noom 1\noom_kill 2\noom_group_kill 1\n");
        assert!(tree.ran_out_of_memory());
    }

    #[test]
    fn with_cgroup_v2_where_nobody_hands_both_down_there_is_no_group() {
        let root = tempfile::tempdir().unwrap();
        like_v2(root.path(), "memory\n");
        let places = Places {
            memory: vec![root.path().into()],
            processes: vec![root.path().into()],
            time: None,
            v2: true,
        };
        let tree = Tree::make_in(&places, &Limits::default());
        assert!(!tree.counts_memory() && tree.birthplace().is_none());
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2);
    }

    #[test]
    fn with_cgroup_v1_each_controller_has_its_place() {
        let mounts = "30 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
            31 24 0:27 /docker/x /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
            32 24 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let groups = "8:pids:/docker/x/y\n4:memory:/a/b\n0::/\n";
        assert_eq!(
            Places::of(mounts, groups),
            Places {
                memory: vec!["/sys/fs/cgroup/memory/a/b".into()],
                processes: vec!["/sys/fs/cgroup/pids/y".into()],
                time: Some("/sys/fs/cgroup/unified/".into()),
                v2: false,
            }
        );
    }

    #[test]
    fn only_the_group_of_a_bot_is_its_account() {
        let mounts = "32 24 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
            33 24 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";
        for (groups, folder) in [
            ("0::/\n", None),
            ("0::/a/flipside-jail-7\n", None),
            (
                "2:cpu,cpuacct:/\n0::/a/flipside-jail-7-00c0ffee\n",
                Some(("unified/a/flipside-jail-7-00c0ffee", true)),
            ),
            (
                "2:cpu,cpuacct:/flipside-jail-7-00c0ffee\n0::/\n",
                Some(("cpu,cpuacct/flipside-jail-7-00c0ffee", false)),
            ),
        ] {
            let due = folder.map(|(at, v2)| (Path::new("/sys/fs/cgroup").join(at), v2));
            assert_eq!(account_folder(mounts, groups), due, "{groups}");
        }
    }

    #[test]
    fn the_sweep_takes_nothing_that_is_new_or_somebodys() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let own = std::process::id();
        // No process has such a number.
        let gone = u32::MAX;
        let groups = [
            (format!("{PREFIX}{gone}-00c0ffee"), true, false),
            (format!("{PREFIX}{gone}-00c0ffed"), false, true),
            (format!("{PREFIX}{own}-00c0ffee"), true, true),
            ("another".to_owned(), true, true),
        ];
        for (name, old, _) in &groups {
            fs::create_dir(at(name)).unwrap();
            if *old {
                let then = std::time::SystemTime::now() - 2 * SWEPT_AFTER;
                File::open(at(name)).unwrap().set_modified(then).unwrap();
            }
        }
        sweep(place.path());
        for (name, _, stays) in &groups {
            assert_eq!(at(name).exists(), *stays, "{name}");
        }
    }

    #[test]
    fn a_group_that_is_busy_for_a_moment_is_removed() {
        let tree = Tree::make(&Limits::default());
        let folders = || {
            [&tree.memory, &tree.processes, &tree.time]
                .into_iter()
                .flatten()
        };
        let mut bot = std::process::Command::new("sleep")
            .arg("0.3")
            .spawn()
            .unwrap();
        for folder in folders() {
            // Where this machine gives groups.
            fs::write(folder.join("cgroup.procs"), bot.id().to_string()).unwrap();
        }
        thread::scope(|scope| {
            scope.spawn(|| bot.wait());
            tree.remove();
        });
        assert!(folders().all(|folder| !folder.exists()));
    }

    #[test]
    fn no_group_is_used_twice() {
        let place = tempfile::tempdir().unwrap();
        let make = || make_group(place.path(), "one", &|_| true);
        make().unwrap();
        assert_eq!(make().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn a_machine_without_control_groups_has_no_place() {
        let places = Places::of("", "");
        assert!(places.memory.is_empty() && places.processes.is_empty());
    }
}
