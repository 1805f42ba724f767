//! What a bot sees of the file system: a small root in memory, read-only, into which a part of the
//! machine's own is mounted, read-only; and a small writable folder in memory.

use core::ffi::CStr;

use crate::layer::{Builds, Layer, MissingLayer};
use crate::limits::JailLimits;
use crate::namespaces::Identity;
use crate::order::StageOrder;
use crate::sys::{self, Errno, Fd, ObjectKind, attribute, mount};
use crate::text::{JailText, LONGEST_PATH, Path, Word};

/// The system's folders that a bot sees where the machine has them: what programs are made of and
/// need to start, and what belongs to everybody. Not /usr as a whole, for people keep work in it.
pub const SYSTEM: [&CStr; 25] = [
    c"/usr/bin",
    c"/usr/sbin",
    c"/usr/lib",
    c"/usr/lib32",
    c"/usr/lib64",
    c"/usr/libx32",
    c"/usr/libexec",
    c"/usr/share",
    c"/usr/local/bin",
    c"/usr/local/sbin",
    c"/usr/local/lib",
    c"/usr/local/lib64",
    c"/usr/local/libexec",
    c"/usr/local/share",
    c"/bin",
    c"/sbin",
    c"/lib",
    c"/lib32",
    c"/lib64",
    c"/libx32",
    c"/nix/store",
    c"/gnu/store",
    c"/etc/alternatives",
    c"/etc/ld.so.cache",
    c"/etc/ld.so.conf",
];

/// The devices.
const DEVICES: [&CStr; 5] = [
    c"/dev/null",
    c"/dev/zero",
    c"/dev/full",
    c"/dev/random",
    c"/dev/urandom",
];

/// Links in `/dev` that shells and libraries use.
const DEVICE_LINKS: [(&CStr, &CStr); 5] = [
    (c"/proc/self/fd", c"dev/fd"),
    (c"/proc/self/fd/0", c"dev/stdin"),
    (c"/proc/self/fd/1", c"dev/stdout"),
    (c"/proc/self/fd/2", c"dev/stderr"),
    (c"/tmp", c"dev/shm"),
];

/// The size of the root itself, which holds folders and two short files.
const ROOT_SIZE: &CStr = c"1m";

/// Where the new root is put before it becomes the root. Any folder would do that every machine has. What lies in it is
/// covered from then on, and cannot be shown.
const DOOR: &CStr = c"/proc";

const READ_ONLY: u64 = attribute::READ_ONLY | attribute::NO_SUID;

/// Builds the root and enters it. The working folder is then the one that the order names, or the writable one. Without
/// `counted`, no control group limits the memory, and there must be a `/proc` where it can be looked at.
pub(crate) fn enter(
    order: &StageOrder,
    identity: Identity,
    counted: bool,
) -> Result<(), MissingLayer> {
    // Nothing that is mounted here shows outside.
    sys::change_mount(c"/", mount::PRIVATE | mount::RECURSIVE)
        .builds(Layer::Root, "parting the mounts")?;
    // The processes of the bot's own namespace, and nothing else of the kernel's. A container that
    // hides parts of its own may refuse it.
    let safe = attribute::NO_SUID | attribute::NO_DEVICES;
    let proc = sys::file_system(c"proc", &[(c"subset", c"pid")], safe | attribute::NO_EXEC);
    let options = [(c"size", ROOT_SIZE), (c"mode", c"0755")];
    let root = sys::file_system(c"tmpfs", &options, safe)
        .builds(Layer::Root, "making a file system in memory")?;
    sys::attach(&root, DOOR).builds(Layer::Root, "mounting it")?;
    sys::enter_open_folder(&root).builds(Layer::Root, "entering it")?;
    show_all(order)?;
    furnish(&order.limits, identity).builds(Layer::Root, "furnishing it")?;
    match proc {
        Ok(proc) => sys::make_folder(c"proc")
            .and_then(|()| sys::attach(&proc, c"proc"))
            .builds(Layer::Root, "mounting /proc")?,
        // A machine that does not give it has programs run without.
        Err(_) if counted => {}
        Err(error) => {
            let doing = "there is no control group, and mounting a /proc to look instead";
            return Err(MissingLayer::new(Layer::TreeMemory, doing, error));
        }
    }
    sys::pivot_root().builds(Layer::Root, "making it the root")?;
    sys::unmount(c".").builds(Layer::Root, "letting go of the old one")?;
    sys::enter_folder(c"/").builds(Layer::Root, "entering it")?;
    let read_only = mount::READ_ONLY | mount::NO_SUID | mount::NO_DEVICES;
    sys::change_mount(c"/", mount::REMOUNT | mount::BIND | read_only)
        .builds(Layer::Root, "making it read-only")?;
    let folder = order.folder().unwrap_or(c"/tmp");
    sys::enter_folder(folder).builds(Layer::Root, "entering the working folder")
}

fn show_all(order: &StageOrder) -> Result<(), MissingLayer> {
    let mut folders = Folders::default();
    let missing = |file: &'static CStr, error| MissingLayer {
        file,
        ..MissingLayer::new(Layer::Root, "showing", error)
    };
    for path in SYSTEM {
        match show_system(path, &mut folders) {
            // The machine lacks it, or this user does not get there.
            Ok(()) | Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCES) => {}
            Err(error) => return Err(missing(path, error)),
        }
    }
    for path in DEVICES {
        show(path, path, READ_ONLY | attribute::NO_EXEC, &mut folders)
            .map_err(|error| missing(path, error))?;
    }
    for (outside, inside) in order.shown() {
        show(
            outside,
            inside,
            READ_ONLY | attribute::NO_DEVICES,
            &mut folders,
        )
        .map_err(|error| missing(outside, error))?;
    }
    Ok(())
}

/// Shows a folder or a file of the system where it is, or a link as the machine has it.
fn show_system<'a>(path: &'a CStr, folders: &mut Folders<'a>) -> sys::Result<()> {
    let mut to = [0; LONGEST_PATH];
    let length = match sys::link_of(path, &mut to) {
        Ok(length) => length,
        // A copy of a mount that is not attached makes the kernel wait for all processors when it is closed, so a link
        // is told by its path.
        Err(Errno::INVAL) => {
            return show(path, path, READ_ONLY | attribute::NO_DEVICES, folders);
        }
        Err(error) => return Err(error),
    };
    let to = Path::joined(&[&to[..length]]);
    let at = below(path)?;
    folders.make_around(at)?;
    sys::symlink(to.c_str()?, at)
}

fn show<'a>(
    outside: &CStr,
    inside: &'a CStr,
    attributes: u64,
    folders: &mut Folders<'a>,
) -> sys::Result<()> {
    let mount = sys::copy_mount(outside)?;
    let kind = sys::kind_of(&mount)?;
    put(&mount, kind, inside, attributes, folders)
}

/// Mounts it where it belongs, below the working folder.
fn put<'a>(
    mount: &Fd,
    kind: ObjectKind,
    inside: &'a CStr,
    attributes: u64,
    folders: &mut Folders<'a>,
) -> sys::Result<()> {
    sys::set_mount(mount, attributes)?;
    let at = below(inside)?;
    folders.make_around(at)?;
    if kind == ObjectKind::Folder {
        make_folder(at)?;
    } else {
        sys::open(at, sys::open::CREATE)?;
    }
    sys::attach(mount, at)
}

/// The same path, from the working folder instead of from the root; it may not lead out of it.
fn below(path: &CStr) -> sys::Result<&CStr> {
    let bytes = path.to_bytes();
    let steps_back = bytes.split(|&byte| byte == b'/').any(|part| part == b"..");
    let slashes = bytes.iter().take_while(|&&byte| byte == b'/').count();
    if steps_back || slashes == bytes.len() {
        return Err(Errno::INVAL);
    }
    // What follows the slashes ends with the same null.
    CStr::from_bytes_with_nul(&path.to_bytes_with_nul()[slashes..]).map_err(|_| Errno::INVAL)
}

/// Makes the folders around what is shown, and remembers the last ones.
#[derive(Default)]
struct Folders<'a> {
    last: &'a [u8],
}

impl<'a> Folders<'a> {
    /// Makes the folders in which this path lies.
    fn make_around(&mut self, path: &'a CStr) -> sys::Result<()> {
        let bytes = path.to_bytes();
        let end = bytes.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        let around = &bytes[..end];
        if around == self.last {
            return Ok(());
        }
        let slashes = around.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for end in slashes.map(|(at, _)| at).chain([around.len()]) {
            // Two slashes are one.
            if end > 0 && around[end - 1] != b'/' {
                make_folder(Path::joined(&[&around[..end]]).c_str()?)?;
            }
        }
        self.last = around;
        Ok(())
    }
}

/// Makes a folder, which may be there.
fn make_folder(path: &CStr) -> sys::Result<()> {
    match sys::make_folder(path) {
        Err(Errno::EXIST) => Ok(()),
        made => made,
    }
}

/// What is not the machine's: devices' links, a list of users, the writable folder.
fn furnish(limits: &JailLimits, identity: Identity) -> sys::Result<()> {
    for (to, at) in DEVICE_LINKS {
        sys::symlink(to, at)?;
    }
    let Identity { user, group } = identity;
    make_folder(c"etc")?;
    let write = |path: &CStr, text: JailText<128>| {
        sys::open(path, sys::open::CREATE)?.write_all(text.bytes())
    };
    write(
        c"etc/passwd",
        JailText::of(format_args!("bot:x:{user}:{group}:bot:/tmp:/bin/sh\n")),
    )?;
    write(c"etc/group", JailText::of(format_args!("bot:x:{group}:\n")))?;
    make_folder(c"tmp")?;
    let [size, entries, user, group] =
        [limits.folder, limits.entries, user.into(), group.into()].map(Word::number);
    let options = [
        (c"size", size.c_str()?),
        (c"nr_inodes", entries.c_str()?),
        (c"mode", c"0700"),
        (c"uid", user.c_str()?),
        (c"gid", group.c_str()?),
    ];
    let attributes = attribute::NO_SUID | attribute::NO_DEVICES;
    sys::attach(&sys::file_system(c"tmpfs", &options, attributes)?, c"tmp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_below() {
        assert_eq!(below(c"/bot/x"), Ok(c"bot/x"));
        assert_eq!(below(c"//bot/..x"), Ok(c"bot/..x"));
        for path in [c"/bot/../../x", c"/", c"", c"..", c"/bot/.."] {
            assert!(below(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn what_every_bot_sees_can_be_shown() {
        for path in SYSTEM.iter().chain(&DEVICES) {
            assert!(below(path).is_ok());
        }
    }
}
