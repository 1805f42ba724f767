//! A bot that tries each wall from the inside, and tells what it found: for `flipside doctor` and the
//! tests. Each attempt harms nothing where there is no wall.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use flipside_jail::{JailLimits, Layer, NO_CORE};
use libc::c_long;
use rustix::process::{Pid, Resource};

/// The argument that makes the stage a probe.
pub(crate) const PROBE: &str = "probe";

/// How long a child of the probe lives where nobody ends it.
const LONG: std::time::Duration = std::time::Duration::from_secs(10);

/// What an attempt says of a wall that does not stand.
type ProbeResult = Result<(), String>;

/// The attempts, by wall. The memory of the tree is seen from the outside.
const ATTEMPTS: [(Layer, fn() -> ProbeResult); 8] = [
    (Layer::Users, users),
    (Layer::Namespaces, namespaces),
    (Layer::Root, root),
    (Layer::Privileges, privileges),
    (Layer::Limits, limits),
    (Layer::Calls, calls),
    (Layer::Landlock, landlock),
    (Layer::TreeProcesses, processes),
];

/// Calls that must be refused or absent, with nothing as their arguments: where there is no filter, they
/// fail for another reason or succeed and do nothing.
const REFUSED: [(&str, c_long); 22] = [
    ("socket", libc::SYS_socket),
    ("bind", libc::SYS_bind),
    ("mount", libc::SYS_mount),
    ("ptrace", libc::SYS_ptrace),
    ("keyctl", libc::SYS_keyctl),
    ("bpf", libc::SYS_bpf),
    ("userfaultfd", libc::SYS_userfaultfd),
    ("io_uring_setup", libc::SYS_io_uring_setup),
    ("perf_event_open", libc::SYS_perf_event_open),
    ("setns", libc::SYS_setns),
    ("unshare", libc::SYS_unshare),
    ("open_by_handle_at", libc::SYS_open_by_handle_at),
    ("clone3", libc::SYS_clone3),
    ("memfd_create", libc::SYS_memfd_create),
    ("semget", libc::SYS_semget),
    ("io_setup", libc::SYS_io_setup),
    ("inotify_init1", libc::SYS_inotify_init1),
    ("setsid", libc::SYS_setsid),
    ("syncfs", libc::SYS_syncfs),
    ("kcmp", libc::SYS_kcmp),
    ("openat2", libc::SYS_openat2),
    ("landlock_create_ruleset", libc::SYS_landlock_create_ruleset),
];

/// Tries a wall for each line that it reads, and answers with one: its name, and "stands" or what was
/// found.
pub(crate) fn run() {
    let (mut input, mut out) = (io::stdin().lines(), io::stdout());
    for (wall, attempt) in ATTEMPTS {
        if !matches!(input.next(), Some(Ok(_))) {
            return;
        }
        let found = attempt().err().unwrap_or_else(|| STANDS.into());
        // Where nobody reads, nobody wants to know.
        let _ = writeln!(out, "{wall} {found}");
    }
}

/// What is said of a wall that stands.
pub(crate) const STANDS: &str = "stands";

fn found(stands: bool, what: impl Into<String>) -> ProbeResult {
    if stands { Ok(()) } else { Err(what.into()) }
}

fn users() -> ProbeResult {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let user = rustix::process::geteuid().as_raw();
    // Where there is no /proc to be had, the number tells.
    let own = map.is_empty() || map.lines().count() > 1 || user > 1_000_000 || {
        let count = map.split_whitespace().nth(2);
        count == Some("1")
    };
    found(own, format!("it is user {user} of this machine"))
}

fn namespaces() -> ProbeResult {
    let host = rustix::system::uname();
    let name = host.nodename().to_string_lossy();
    found(name == "flipside", format!("it sees the host name {name}"))?;
    let number = rustix::process::getpid().as_raw_pid();
    found(number < 100, format!("it is process {number}"))?;
    found(!Path::new("/proc/100").exists(), "it sees other processes")?;
    let ipc = fs::read_to_string("/proc/net/dev").unwrap_or_default();
    found(ipc.is_empty(), "it sees the network's devices")
}

fn root() -> ProbeResult {
    for path in [
        "/etc/shadow",
        "/root",
        "/home",
        "/var",
        "/sys",
        "/boot",
        "/usr/src",
    ] {
        found(!Path::new(path).exists(), format!("it sees {path}"))?;
    }
    for path in ["/", "/bot", "/usr/bin", "/etc", "/dev"] {
        let flags = rustix::fs::statvfs(path).map(|stat| stat.f_flag);
        let read_only =
            flags.is_ok_and(|flags| flags.contains(rustix::fs::StatVfsMountFlags::RDONLY));
        // The folder of its own file is there only where it has one.
        let is_closed = read_only || !Path::new(path).exists();
        found(is_closed, format!("it may write to {path}"))?;
    }
    let file = Path::new("/tmp/probe");
    let written = fs::write(file, "x").and_then(|()| fs::remove_file(file));
    found(written.is_ok(), "it cannot write to /tmp")
}

fn privileges() -> ProbeResult {
    let sets = rustix::thread::capabilities(None).map_err(|error| error.to_string())?;
    let all = sets.effective | sets.permitted | sets.inheritable;
    found(all.is_empty(), format!("it has the capabilities {all:?}"))?;
    let none = rustix::thread::no_new_privs().unwrap_or(false);
    found(none, "it may get new privileges")
}

fn limits() -> ProbeResult {
    let limits = JailLimits::default();
    for (resource, most) in [
        (Resource::Core, NO_CORE),
        (Resource::Nofile, limits.files),
        (Resource::Fsize, limits.folder),
        (Resource::Nproc, limits.processes + 1),
    ] {
        let now = rustix::process::getrlimit(resource).maximum;
        let what = format!("its limit {resource:?} is {now:?}, not {most}");
        found(now.is_some_and(|now| now <= most), what)?;
    }
    let addresses = rustix::process::getrlimit(Resource::As).maximum;
    found(addresses.is_some(), "its addresses are not limited")?;
    let file = OpenOptions::new().write(true).open("/dev/null");
    found(file.is_ok(), "it cannot write to /dev/null")
}

fn calls() -> ProbeResult {
    for (name, call) in REFUSED {
        #[expect(
            unsafe_code,
            reason = "without arguments, none of these calls touches memory"
        )]
        let done = unsafe { libc::syscall(call, 0, 0, 0, 0, 0, 0) };
        let error = io::Error::last_os_error();
        let refused = matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS));
        let what = match done {
            -1 => format!("{name} is not refused: {error}"),
            _ => format!("{name} is not refused"),
        };
        found(done == -1 && refused, what)?;
    }
    Ok(())
}

/// What the mounts allow and Landlock does not.
fn landlock() -> ProbeResult {
    let renamed = File::options().write(true).open("/proc/self/comm");
    match renamed {
        Ok(_) => Err("it may write to /proc/self/comm".into()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(_) => Err("without /proc, it cannot be seen".into()),
    }
}

/// Starts processes until it is stopped.
fn processes() -> ProbeResult {
    let most = JailLimits::default().processes;
    let mut children = Vec::new();
    for _ in 0..=most {
        #[expect(
            unsafe_code,
            reason = "with one thread, a copy of this process is as whole as this one; the child sleeps and ends"
        )]
        let child = unsafe {
            let child = libc::fork();
            if child == 0 {
                std::thread::sleep(LONG);
                libc::_exit(0);
            }
            child
        };
        let Some(child) = Pid::from_raw(child.max(0)) else {
            break;
        };
        children.push(child);
    }
    for child in &children {
        // They are ours, and wait for it.
        let _ = rustix::process::kill_process(*child, rustix::process::Signal::KILL);
        let _ = rustix::process::waitpid(Some(*child), rustix::process::WaitOptions::empty());
    }
    let number = children.len();
    let what = format!("it started {number} processes");
    found(number as u64 <= most, what)
}
