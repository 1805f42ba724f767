//! What a bot sees of the file system: a small root in memory, read-only, into which a part of the
//! machine's own is mounted, read-only; and a small writable folder in memory.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::fs::CWD;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags,
};

use crate::jail::layer::{Builds, Layer, Missing};
use crate::jail::namespaces::Identity;
use crate::jail::{Order, syscalls};

/// The system's folders that a bot sees where the machine has them: what programs are made of and
/// need to start, and what belongs to everybody. Not /usr as a whole, for people keep work in it.
pub(crate) const SYSTEM: [&str; 25] = [
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/usr/libexec",
    "/usr/share",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/usr/local/libexec",
    "/usr/local/share",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
];

/// The devices.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// Links in `/dev` that shells and libraries use.
const DEVICE_LINKS: [(&str, &str); 5] = [
    ("/proc/self/fd", "fd"),
    ("/proc/self/fd/0", "stdin"),
    ("/proc/self/fd/1", "stdout"),
    ("/proc/self/fd/2", "stderr"),
    ("/tmp", "shm"),
];

/// The size of the root itself, which holds folders and two short files.
const ROOT_SIZE: &str = "1m";

/// Where the new root is put before it becomes the root. Any folder would do that every machine has.
const DOOR: &str = "/proc";

const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID;

/// Builds the root and enters it. The working folder is the writable one then. Without `counted`, no
/// control group limits the memory, and there must be a `/proc` where it can be looked at.
pub(crate) fn enter(order: &Order, identity: Identity, counted: bool) -> Result<(), Missing> {
    // Nothing that is mounted here shows outside.
    rustix::mount::mount_change(
        "/",
        rustix::mount::MountPropagationFlags::PRIVATE | rustix::mount::MountPropagationFlags::REC,
    )
    .builds(Layer::Root, "parting the mounts")?;
    let plan = plan(order)?;
    let proc = proc_mount();
    let root = tmpfs(
        &[("size", ROOT_SIZE), ("mode", "0755")],
        MountAttrFlags::MOUNT_ATTR_NODEV,
    )
    .builds(Layer::Root, "making a file system in memory")?;
    attach(&root, DOOR).builds(Layer::Root, "mounting it")?;
    rustix::process::fchdir(&root).builds(Layer::Root, "entering it")?;
    for item in &plan {
        item.build().map_err(|error| {
            let doing = format!("showing {}", item.inside.display());
            Missing::new(Layer::Root, &doing, error)
        })?;
    }
    furnish(order, identity).builds(Layer::Root, "furnishing it")?;
    match proc {
        Ok(proc) => fs::create_dir("proc")
            .and_then(|()| attach(&proc, "proc"))
            .builds(Layer::Root, "mounting /proc")?,
        // A machine that does not give it has programs run without.
        Err(_) if counted => {}
        Err(error) => {
            let doing = "there is no control group, and mounting a /proc to look instead";
            return Err(Missing::new(Layer::TreeMemory, doing, error));
        }
    }
    rustix::process::pivot_root(".", ".").builds(Layer::Root, "making it the root")?;
    rustix::mount::unmount(".", UnmountFlags::DETACH)
        .builds(Layer::Root, "letting go of the old one")?;
    rustix::process::chdir("/").builds(Layer::Root, "entering it")?;
    rustix::mount::mount_remount(
        "/",
        rustix::mount::MountFlags::BIND
            | rustix::mount::MountFlags::RDONLY
            | rustix::mount::MountFlags::NOSUID
            | rustix::mount::MountFlags::NODEV,
        c"",
    )
    .builds(Layer::Root, "making it read-only")?;
    rustix::process::chdir("/tmp").builds(Layer::Root, "entering the working folder")
}

/// Something of the machine that is shown, or a link as the machine has it.
struct Item {
    inside: PathBuf,
    what: What,
}

enum What {
    Mount { mount: OwnedFd, folder: bool },
    Link(PathBuf),
}

/// Takes hold of all that is to be shown, as long as it can be reached.
fn plan(order: &Order) -> Result<Vec<Item>, Missing> {
    let show = |path: &Path, attributes| {
        mount_of(path, attributes).builds(Layer::Root, &format!("showing {}", path.display()))
    };
    let mut plan = Vec::new();
    for path in SYSTEM {
        let Ok(meta) = fs::symlink_metadata(path) else {
            continue;
        };
        let what = if meta.is_symlink() {
            let to = fs::read_link(path).builds(Layer::Root, &format!("reading {path}"))?;
            What::Link(to)
        } else {
            show(Path::new(path), READ_ONLY | libc::MOUNT_ATTR_NODEV)?
        };
        plan.push(Item {
            inside: path.into(),
            what,
        });
    }
    for name in DEVICES {
        let path = Path::new("/dev").join(name);
        let what = show(&path, READ_ONLY | libc::MOUNT_ATTR_NOEXEC)?;
        plan.push(Item { inside: path, what });
    }
    for (outside, inside) in &order.shown {
        let inside = inside.clone();
        let what = show(outside, READ_ONLY | libc::MOUNT_ATTR_NODEV)?;
        plan.push(Item { inside, what });
    }
    Ok(plan)
}

fn mount_of(path: &Path, attributes: u64) -> io::Result<What> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    let folder = fs::metadata(path)?.is_dir();
    let mount = rustix::mount::open_tree(CWD, path, flags)?;
    syscalls::set_mount(&mount, attributes)?;
    Ok(What::Mount { mount, folder })
}

impl Item {
    /// Puts it where it belongs, below the working folder.
    fn build(&self) -> io::Result<()> {
        let at = below(&self.inside)?;
        if let Some(parent) = at.parent() {
            folders(parent)?;
        }
        match &self.what {
            What::Link(to) => symlink(to, at),
            What::Mount { mount, folder } => {
                if *folder {
                    folders(&at)?;
                } else {
                    File::create_new(&at)?;
                }
                attach(mount, &at)
            }
        }
    }
}

/// The same path, from the working folder instead of from the root; it may not lead out of it.
fn below(path: &Path) -> io::Result<PathBuf> {
    let mut below = PathBuf::new();
    for part in path.components() {
        match part {
            Component::RootDir => {}
            Component::Normal(name) => below.push(name),
            _ => return Err(io::ErrorKind::InvalidInput.into()),
        }
    }
    Ok(below)
}

fn folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(path)
}

/// What is not the machine's: devices' links, a list of users, the writable folder.
fn furnish(order: &Order, identity: Identity) -> io::Result<()> {
    for (to, name) in DEVICE_LINKS {
        symlink(to, Path::new("dev").join(name))?;
    }
    let Identity { user, group } = identity;
    folders(Path::new("etc"))?;
    fs::write(
        "etc/passwd",
        format!("bot:x:{user}:{group}:bot:/tmp:/bin/sh\n"),
    )?;
    fs::write("etc/group", format!("bot:x:{group}:\n"))?;
    folders(Path::new("tmp"))?;
    let (size, entries) = (
        order.limits.folder.to_string(),
        order.limits.entries.to_string(),
    );
    let folder = tmpfs(
        &[
            ("size", &size),
            ("nr_inodes", &entries),
            ("mode", "0700"),
            ("uid", &user.to_string()),
            ("gid", &group.to_string()),
        ],
        MountAttrFlags::MOUNT_ATTR_NODEV,
    )?;
    attach(&folder, "tmp")
}

/// A file system in memory, not mounted yet.
fn tmpfs(options: &[(&str, &str)], more: MountAttrFlags) -> io::Result<OwnedFd> {
    file_system("tmpfs", options, more)
}

/// The processes of the bot's own namespace, and nothing else of the kernel's. A container that
/// hides parts of its own may refuse it.
fn proc_mount() -> io::Result<OwnedFd> {
    let more = MountAttrFlags::MOUNT_ATTR_NODEV | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    file_system("proc", &[("subset", "pid")], more)
}

fn file_system(kind: &str, options: &[(&str, &str)], more: MountAttrFlags) -> io::Result<OwnedFd> {
    let made = rustix::mount::fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for &(key, value) in options {
        rustix::mount::fsconfig_set_string(made.as_fd(), key, value)?;
    }
    rustix::mount::fsconfig_create(made.as_fd())?;
    let mount = rustix::mount::fsmount(
        made.as_fd(),
        FsMountFlags::FSMOUNT_CLOEXEC,
        MountAttrFlags::MOUNT_ATTR_NOSUID | more,
    )?;
    Ok(mount)
}

fn attach(mount: &OwnedFd, at: impl AsRef<Path>) -> io::Result<()> {
    rustix::mount::move_mount(
        mount,
        c"",
        CWD,
        at.as_ref(),
        MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
    )
    .map_err(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_below() {
        assert_eq!(below(Path::new("/bot/x")).unwrap(), Path::new("bot/x"));
        assert!(below(Path::new("/bot/../../x")).is_err());
    }
}
