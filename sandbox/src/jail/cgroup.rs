//! Where the control groups of bots are: what limits all processes of a bot together, where the machine gives it. The
//! stage makes and removes them.
//!
//! With cgroup v2 that is a group beside or below our own, where memory and processes are handed
//! down to groups that we may make: in a scope with `Delegate=yes`, or as root. With cgroup v1, which
//! root finds on older machines, there is one group for memory and one for processes.

use std::fs::{self, DirEntry, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use flipside_jail::{Controls, PREFIX, remove_group};

use crate::proc_file::read;

/// How old a group must be to be swept away because its supervisor is not to be seen. It may be that of a start
/// in another container, where nobody is in it yet; no start takes so long.
const SWEPT_AFTER: Duration = Duration::from_secs(60);

/// How long this process tries to remove groups that are still busy: a match may wait for it. What is left then is
/// swept away later.
pub(crate) const REMOVE_WITHIN: Duration = Duration::from_secs(1);

/// Where groups can be made, and what for. Of several places for the same, the first is to be taken in which it can be
/// done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CgroupPlaces(Vec<(Controls, PathBuf)>);

impl CgroupPlaces {
    /// Looks where this process is.
    pub(crate) fn find() -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        Self::of(&read("/proc/self/mountinfo"), &read("/proc/self/cgroup"))
    }

    fn of(mounts: &str, groups: &str) -> Self {
        let limits = [(Controls::Memory, "memory"), (Controls::Processes, "pids")];
        let v1 = limits.map(|(controls, name)| Some((controls, v1(mounts, groups, name)?)));
        let mut places: Vec<_> = v1.into_iter().flatten().collect();
        if places.is_empty() {
            // Groups are made where the parent hands memory and processes down; that is not our own
            // group, for one that holds processes hands nothing down, unless it is the root.
            let own = group_of(groups, str::is_empty);
            if let (Some(mount), Some(own)) = (mount(mounts, "cgroup2", None), own) {
                let own = mount.folder(own);
                let around = own.ancestors().take_while(|at| at.starts_with(&mount.at));
                places.extend(around.map(|at| (Controls::All, at.to_path_buf())));
            }
        }
        places.extend(time_place(mounts, groups, |_| true));
        CgroupPlaces(places)
    }

    /// Those that hand down what a group in them is for.
    pub(crate) fn for_groups(&self) -> Vec<(Controls, PathBuf)> {
        let mut places = self.0.clone();
        places.retain(|(controls, place)| *controls != Controls::All || hands_down(place));
        places
    }
}

/// The group in which this process is, with cgroup v2.
pub(crate) fn own_group() -> Option<PathBuf> {
    let mut places = CgroupPlaces::find().0.into_iter();
    let own = places.find(|(controls, _)| *controls == Controls::All);
    own.map(|(_, place)| place)
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

/// Where the processor time is counted of a process in these groups, if it is to be counted in that one. Version 2
/// counts it of every group, also beside the groups of version 1.
fn time_place(
    mounts: &str,
    groups: &str,
    counts: impl Fn(&str) -> bool,
) -> Option<(Controls, PathBuf)> {
    let v2 = || {
        let group = group_of(groups, str::is_empty).filter(|group| counts(group))?;
        let place = mount(mounts, "cgroup2", None)?.folder(group);
        Some((Controls::Time2, place))
    };
    let v1 = || {
        let group = group_of(groups, |all| lists(all, "cpuacct")).filter(|group| counts(group))?;
        let place = mount(mounts, "cgroup", Some("cpuacct"))?.folder(group);
        Some((Controls::Time1, place))
    };
    v2().or_else(v1)
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
        let groups = read(&format!("/proc/{process}/cgroup"))?;
        let (controls, folder) = account_folder(mounts, &groups)?;
        let v2 = controls == Controls::Time2;
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
fn account_folder(mounts: &str, groups: &str) -> Option<(Controls, PathBuf)> {
    let is_ours = |group: &str| group.split('/').any(|name| supervisor_of(name).is_some());
    time_place(mounts, groups, is_ours)
}

/// The groups of bots in a place, each with the number of its supervisor.
fn groups_in(place: &Path) -> impl Iterator<Item = (u32, DirEntry)> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((supervisor_of(entry.file_name().to_str()?)?, entry)))
}

/// Removes the groups of a supervisor that was killed and could not. Nobody else may have its number yet.
pub(crate) fn clear_after(supervisor: u32) {
    let until = Instant::now() + REMOVE_WITHIN;
    for (_, place) in CgroupPlaces::find().0 {
        for (_, group) in groups_in(&place).filter(|(of, _)| *of == supervisor) {
            let left = until.saturating_duration_since(Instant::now());
            remove_group(group.path().as_os_str().as_encoded_bytes(), left);
        }
    }
}

/// Sweeps away groups that somebody left in a place whom nobody gave the time to clean up.
pub(crate) fn sweep(place: &Path) {
    for (supervisor, group) in groups_in(place) {
        let is_gone = !Path::new("/proc").join(supervisor.to_string()).exists();
        let age = || group.metadata().ok()?.modified().ok()?.elapsed().ok();
        if is_gone && age().is_some_and(|age| age >= SWEPT_AFTER) {
            // It fails where somebody still is in it, or did it first.
            let _ = fs::remove_dir(group.path());
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

#[cfg(test)]
mod tests {
    use std::ffi::{CString, OsStr};
    use std::os::unix::ffi::OsStrExt;
    use std::thread;

    use flipside_jail::{JailLimits, Tree};

    use super::*;

    type Found = Vec<(Controls, CString)>;

    fn found(places: &CgroupPlaces) -> Found {
        let c_str = |at: PathBuf| CString::new(at.as_os_str().as_bytes()).unwrap();
        let places = places.for_groups().into_iter();
        places.map(|(what, at)| (what, c_str(at))).collect()
    }

    /// Makes a group in these places, as a stage does.
    fn make_in<'a>(places: &'a Found, limits: &JailLimits) -> Tree<'a> {
        let places = places.iter().map(|(what, at)| (*what, at.as_c_str()));
        Tree::make(places, limits, 17)
    }

    fn folders(tree: &Tree<'_>) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        tree.each_folder(|bytes| folders.push(PathBuf::from(OsStr::from_bytes(bytes))));
        folders
    }

    #[test]
    fn with_cgroup_v2_the_groups_around_ours_are_places() {
        let mounts = "24 1 0:21 / /proc rw - proc proc rw\n\
            30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
        let groups = "0::/user.slice/app.slice/run-1.scope\n";
        let places = CgroupPlaces::of(mounts, groups);
        let at = |path: &str| PathBuf::from(format!("/sys/fs/cgroup{path}"));
        let own = at("/user.slice/app.slice/run-1.scope");
        let around = [
            own.clone(),
            at("/user.slice/app.slice"),
            at("/user.slice"),
            at(""),
        ];
        let mut due: Vec<_> = around.map(|at| (Controls::All, at)).into();
        due.push((Controls::Time2, own));
        assert_eq!(places.0, due);
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
        let around = [own, middle.clone(), outer];
        let places = CgroupPlaces(around.map(|at| (Controls::All, at)).into());
        let limits = JailLimits {
            memory: 64 << 20,
            processes: 32,
            ..JailLimits::default()
        };
        let found = found(&places);
        let tree = make_in(&found, &limits);
        assert!(tree.counts_memory());
        let [folder] = &folders(&tree)[..] else {
            panic!("{tree:?}");
        };
        assert_eq!(folder.parent(), Some(middle.as_path()));
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
        let places = CgroupPlaces(vec![(Controls::All, root.path().into())]);
        let found = found(&places);
        let tree = make_in(&found, &JailLimits::default());
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
            CgroupPlaces::of(mounts, groups),
            CgroupPlaces(vec![
                (Controls::Memory, "/sys/fs/cgroup/memory/a/b".into()),
                (Controls::Processes, "/sys/fs/cgroup/pids/y".into()),
                (Controls::Time2, "/sys/fs/cgroup/unified/".into()),
            ])
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
                Some((Controls::Time2, "unified/a/flipside-jail-7-00c0ffee")),
            ),
            (
                "2:cpu,cpuacct:/flipside-jail-7-00c0ffee\n0::/\n",
                Some((Controls::Time1, "cpu,cpuacct/flipside-jail-7-00c0ffee")),
            ),
        ] {
            let due = folder.map(|(what, at)| (what, Path::new("/sys/fs/cgroup").join(at)));
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
        let found = found(&CgroupPlaces::find());
        let tree = make_in(&found, &JailLimits::default());
        let folders = folders(&tree);
        let mut bot = std::process::Command::new("sleep")
            .arg("0.3")
            .spawn()
            .unwrap();
        for folder in &folders {
            // Where this machine gives groups.
            fs::write(folder.join("cgroup.procs"), bot.id().to_string()).unwrap();
        }
        thread::scope(|scope| {
            scope.spawn(|| bot.wait());
            tree.remove(10 * REMOVE_WITHIN);
        });
        assert!(folders.iter().all(|folder| !folder.exists()));
    }

    #[test]
    fn no_group_is_used_twice() {
        let place = tempfile::tempdir().unwrap();
        let places = CgroupPlaces(vec![(Controls::Time2, place.path().into())]);
        // With the same number drawn.
        let found = found(&places);
        let make = || make_in(&found, &JailLimits::default());
        let (one, other) = (make(), make());
        assert_eq!((folders(&one).len(), folders(&other).len()), (1, 0));
    }

    #[test]
    fn a_machine_without_control_groups_has_no_place() {
        assert_eq!(CgroupPlaces::of("", ""), CgroupPlaces(Vec::new()));
    }
}
