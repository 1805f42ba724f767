//! A control group from the systemd of an ordinary user: a transient scope that is delegated to this process.
//! Where there is none, init of each jail watches over the memory.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fmt, fs, io, thread};

use flipside_jail::JailLimits;

use crate::jail::cgroup::own_group;
use crate::jail::machine::{MachineSupport, groups_can_be_made};

/// The program that calls systemd. It is a part of it.
const BUSCTL: &str = "busctl";

/// How long systemd may take for its answer, in seconds, and then to move this process.
const ANSWERS_WITHIN: &str = "--timeout=5";
const MOVED_WITHIN: Duration = Duration::from_secs(2);
const WAIT: Duration = Duration::from_millis(2);

/// The group within the scope in which this process is. Those of the bots are beside it, for a group that holds
/// processes cannot hand memory down.
const LEAF: &str = "flipside";

/// Which control group this process has for its bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    /// None was asked for: groups can be made where this process is, or there is no systemd of this user.
    NotAsked,
    /// The user's systemd has made a scope of this name, and this process is in it now.
    Scope(String),
    /// The user's systemd was asked and gave none that can be used.
    Refused(String),
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Group::NotAsked => write!(f, "the user's systemd was not asked for a control group"),
            Group::Scope(name) => write!(
                f,
                "the user's systemd made the control group {name}, which limits the memory of bots"
            ),
            Group::Refused(why) => write!(
                f,
                "the user's systemd gave no control group that can be used: {why}"
            ),
        }
    }
}

/// Asks the user's systemd for a control group, where there is one and no group can be made otherwise. This process is
/// moved into it; to be called before the first bot is started.
pub fn seek_group(limits: &JailLimits) -> Group {
    if !has_bus() || groups_can_be_made(limits) {
        return Group::NotAsked;
    }
    let name = format!("flipside-{}.scope", std::process::id());
    let got = ask(&name).and_then(|()| settle(&name, limits));
    MachineSupport::forget();
    match got {
        Ok(()) => Group::Scope(name),
        Err(error) => Group::Refused(error.to_string()),
    }
}

/// Whether there is a message bus of this user, by which systemd is reached.
fn has_bus() -> bool {
    let folder = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    folder.is_some_and(|folder| folder.is_absolute() && folder.join("bus").exists())
}

/// Has this process moved into a scope that is delegated to this user.
fn ask(name: &str) -> io::Result<()> {
    let process = std::process::id().to_string();
    let output = Command::new(BUSCTL)
        .args(["--user", "--quiet", ANSWERS_WITHIN, "call"])
        .args(["org.freedesktop.systemd1", "/org/freedesktop/systemd1"])
        .args(["org.freedesktop.systemd1.Manager", "StartTransientUnit"])
        .args(["ssa(sv)a(sa(sv))", name, "fail", "3"])
        .args(["Description", "s", "Flipside and its bots"])
        .args(["PIDs", "au", "1", &process])
        .args(["Delegate", "b", "true"])
        .arg("0")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| io::Error::new(error.kind(), format!("starting {BUSCTL}: {error}")))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(io::Error::other(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        ))
    }
}

/// Waits until this process is in the scope, and makes it one where groups can be made.
fn settle(name: &str, limits: &JailLimits) -> io::Result<()> {
    let until = Instant::now() + MOVED_WITHIN;
    loop {
        let own = own_group();
        if let Some(scope) = own.as_deref().filter(|own| own.ends_with(name)) {
            hand_down(scope)?;
        }
        if groups_can_be_made(limits) {
            return Ok(());
        }
        // With cgroup v1 there is nothing to wait for.
        let moved = own.is_none_or(|own| own.iter().any(|part| part == name));
        if moved || Instant::now() > until {
            return Err(io::Error::other(
                "no group that limits memory can be made in it",
            ));
        }
        thread::sleep(WAIT);
    }
}

/// Moves this process into a group within the scope, and has the scope hand down memory and processes.
fn hand_down(scope: &Path) -> io::Result<()> {
    let leaf = scope.join(LEAF);
    fs::create_dir(&leaf)?;
    fs::write(leaf.join("cgroup.procs"), std::process::id().to_string())?;
    fs::write(scope.join("cgroup.subtree_control"), "+memory +pids")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_leaves_the_scope_for_a_group_in_it_and_the_scope_hands_down() {
        let scope = tempfile::tempdir().unwrap();
        // The kernel makes the files of a group; in a plain folder that is done by writing.
        let procs = scope.path().join(LEAF).join("cgroup.procs");
        hand_down(scope.path()).unwrap();
        let own = std::process::id().to_string();
        assert_eq!(fs::read_to_string(procs).unwrap(), own);
        let control = scope.path().join("cgroup.subtree_control");
        assert_eq!(fs::read_to_string(control).unwrap(), "+memory +pids");
    }
}
