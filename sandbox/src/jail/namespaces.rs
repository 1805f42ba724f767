//! Namespaces, and who the bot is inside and outside of them.

use std::fs;

use rustix::process::{Gid, Pid, Uid};
use rustix::thread::{CapabilitySet, CapabilitySets, UnshareFlags};

use crate::jail::layer::{Builds, Layer, Missing};
use crate::jail::syscalls;

/// Where root may give itself any number, each bot gets a user of its own: this number and that of
/// its process. Nothing on the machine belongs to such a user.
const FIRST_USER: u32 = 2_000_000_000;

/// The numbers after it that are used; processes have smaller ones.
const MAX_USERS: u32 = 100_000_000;

/// The user where those numbers are not to be had: in a container of a small range.
const NOBODY: u32 = 65_534;

/// More than there are; the kernel has room for so many.
const CAPABILITIES: u32 = 64;

/// The host name that a bot sees.
const HOST: &[u8] = b"flipside";

/// Who the bot is, by number, inside and outside of the jail alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) user: u32,
    pub(crate) group: u32,
}

/// Who the bot is to be, and how the numbers of its user namespace are mapped.
#[derive(Debug)]
pub(crate) struct Users {
    pub(crate) identity: Identity,
    /// Whether groups may be set; an ordinary user must give that up.
    groups_stay: bool,
    uid_map: String,
    gid_map: String,
}

impl Users {
    pub(crate) fn plan() -> Result<Self, Missing> {
        let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
        let alone = Users {
            identity: Identity {
                user: user.as_raw(),
                group: group.as_raw(),
            },
            groups_stay: true,
            uid_map: format!("{0} {0} 1\n", user.as_raw()),
            gid_map: format!("{0} {0} 1\n", group.as_raw()),
        };
        if !(user.is_root() && may_map()) {
            return Ok(alone);
        }
        let read = |path| fs::read_to_string(path).builds(Layer::Users, &format!("reading {path}"));
        let (users, groups) = (read("/proc/self/uid_map")?, read("/proc/self/gid_map")?);
        let wished = FIRST_USER + std::process::id() % MAX_USERS;
        let pick = |map: &str| [wished, NOBODY].into_iter().find(|&id| is_mapped(map, id));
        let (Some(user), Some(group)) = (pick(&users), pick(&groups)) else {
            // It is root of a namespace with nobody else in it, and an ordinary user outside.
            return Ok(alone);
        };
        // Every number stays what it is, so that root may look at every file on the way.
        Ok(Users {
            identity: Identity { user, group },
            groups_stay: false,
            uid_map: same(&users),
            gid_map: same(&groups),
        })
    }

    /// Says who is who in the user namespace of a process. It is for somebody outside to do.
    pub(crate) fn map(&self, process: Pid) -> Result<(), Missing> {
        let write = |file: &str, text: &str| {
            fs::write(format!("/proc/{}/{file}", process.as_raw_pid()), text)
                .builds(Layer::Users, &format!("writing its {file}"))
        };
        if self.groups_stay {
            write("setgroups", "deny")?;
        }
        write("uid_map", &self.uid_map)?;
        write("gid_map", &self.gid_map)
    }
}

/// Whether this process may give a user namespace any numbers.
fn may_map() -> bool {
    rustix::thread::capabilities(None).is_ok_and(|sets| {
        let needed = CapabilitySet::SETUID | CapabilitySet::SETGID;
        sets.effective.contains(needed)
    })
}

/// The lines of a map of numbers: the first inside, the first outside, how many.
fn ranges(map: &str) -> impl Iterator<Item = (u32, u32)> {
    map.lines().filter_map(|line| {
        let mut fields = line.split_whitespace();
        let first = fields.next()?.parse().ok()?;
        Some((first, fields.nth(1)?.parse().ok()?))
    })
}

fn is_mapped(map: &str, id: u32) -> bool {
    ranges(map).any(|(first, count)| id >= first && id - first < count)
}

/// The map in which every number of the namespace around stands for itself.
fn same(map: &str) -> String {
    let lines = ranges(map).map(|(first, count)| format!("{first} {first} {count}\n"));
    lines.collect()
}

/// Enters the other namespaces; those of processes and users were entered before.
pub(crate) fn enter_others() -> Result<(), Missing> {
    for (flag, what) in [
        (UnshareFlags::NEWNS, "making that of mounts"),
        (UnshareFlags::NEWNET, "making that of the network"),
        (UnshareFlags::NEWIPC, "making that of messages"),
        (UnshareFlags::NEWUTS, "making that of the host name"),
        (UnshareFlags::NEWCGROUP, "making that of control groups"),
    ] {
        syscalls::unshare(flag).builds(Layer::Namespaces, what)?;
    }
    rustix::system::sethostname(HOST).builds(Layer::Namespaces, "naming the host")
}

/// Becomes the bot's user, for good: without groups, without capabilities, and with no way to more.
pub(crate) fn give_up_privileges(identity: Identity) -> Result<(), Missing> {
    for capability in 0..CAPABILITIES {
        match syscalls::unbind_capability(capability) {
            // One that this kernel does not know.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => break,
            dropped => dropped.builds(Layer::Privileges, "dropping the bounding set")?,
        }
    }
    let (user, group) = (Uid::from_raw(identity.user), Gid::from_raw(identity.group));
    // An ordinary user has no right to it, and keeps groups that name nothing in the jail.
    let _ = rustix::thread::set_thread_groups(&[]);
    rustix::thread::set_thread_res_gid(group, group, group)
        .builds(Layer::Privileges, "becoming the bot's group")?;
    rustix::thread::set_thread_res_uid(user, user, user)
        .builds(Layer::Privileges, "becoming the bot's user")?;
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, none)
        .builds(Layer::Privileges, "dropping capabilities")?;
    // Without capabilities there is no ambient one; an old kernel does not know them.
    let _ = rustix::thread::clear_ambient_capability_set();
    rustix::thread::set_no_new_privs(true).builds(Layer::Privileges, "forbidding new ones")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_a_map() {
        let whole = "         0          0 4294967295\n";
        let small = "0 100000 1000\n 1000 5 1\n 1001 101001 64535\n";
        assert!(is_mapped(whole, FIRST_USER) && is_mapped(whole, NOBODY));
        assert!(!is_mapped(small, FIRST_USER) && is_mapped(small, NOBODY));
        assert!(!is_mapped("0 0 1\n", NOBODY) && !is_mapped("", 0));
        assert_eq!(same(whole), "0 0 4294967295\n");
        assert_eq!(same(small), "0 0 1000\n1000 1000 1\n1001 1001 64535\n");
    }
}
