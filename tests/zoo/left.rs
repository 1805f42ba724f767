//! What bots could leave behind: processes, mounts, files, control groups.

use std::fs;
use std::path::Path;

/// Where a bot would like to leave a file.
const FOLDERS: [&str; 12] = [
    "/",
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/etc",
    "/usr/bin",
    "/usr/lib",
    "/usr/share",
    "/usr/local/bin",
    "/var",
    "/run",
    "/home",
];

/// The processes whose command line has one of these words.
pub fn processes(words: &[&str]) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let ours = words.iter().any(|word| line.contains(word));
        ours.then(|| format!("process {}: {line}", entry.file_name().display()))
    });
    lines.collect()
}

/// The mounts that this process sees.
pub fn mounts() -> Vec<String> {
    let text = fs::read_to_string("/proc/self/mountinfo").unwrap();
    text.lines().map(|line| format!("mount {line}")).collect()
}

/// Files of this machine whose name has the mark.
pub fn files(mark: &str) -> Vec<String> {
    let entries = FOLDERS.iter().flat_map(fs::read_dir).flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().contains(mark));
    ours.map(|entry| format!("file {}", entry.path().display()))
        .collect()
}

/// The control groups of bots, of whatever warden.
pub fn groups() -> Vec<String> {
    groups_where(|_| true)
}

/// Those whose warden is gone: the others are of tests that run at the same time. What was left before by
/// others cannot be told from this alone, for a warden's number is given to another process later.
pub fn groups_without_a_warden() -> Vec<String> {
    groups_where(|warden| !Path::new("/proc").join(warden).exists())
}

fn groups_where(wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut look = vec![Path::new("/sys/fs/cgroup").to_path_buf()];
    while let Some(folder) = look.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                look.push(entry.path());
                let name = entry.file_name().to_string_lossy().into_owned();
                let rest = name.strip_prefix("flipside-jail-");
                let warden = rest.and_then(|rest| rest.split('-').next());
                if warden.is_some_and(&wanted) {
                    found.push(format!("control group {}", entry.path().display()));
                }
            }
        }
    }
    found
}
