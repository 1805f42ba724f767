//! Namespaces, and who the bot is inside and outside of them.

use core::ffi::CStr;
use core::fmt;

use crate::layer::{Builds, Layer, MissingLayer};
use crate::sys::{self, Errno, Fd, flag, request};
use crate::text::{self, JailText, Path, Word};

/// Where root may give itself any number, each bot gets a user of its own: this number and that of
/// its process. Nothing on the machine belongs to such a user.
const FIRST_USER: u32 = 2_000_000_000;

/// The numbers after it that are used; processes have smaller ones.
const MAX_USERS: u32 = 100_000_000;

/// The user where those numbers are not to be had: in a container of a small range.
const NOBODY: u32 = 65_534;

/// More than there are; the kernel has room for so many.
const CAPABILITIES: usize = 64;

/// The host name that a bot sees.
const HOST: &[u8] = b"flipside";

/// The longest map of numbers; the kernel takes no longer one.
const LONGEST_MAP: usize = 4096;

/// Who the bot is, by number, inside and outside of the jail alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) user: u32,
    pub(crate) group: u32,
}

/// What the launcher tells of its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Maps<'a> {
    /// Of users, as it reads it in `/proc/self/uid_map`.
    pub(crate) users: &'a [u8],
    /// Of groups.
    pub(crate) groups: &'a [u8],
}

/// Who the bot is to be, and how the numbers of its user namespace are mapped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Users<'a> {
    pub(crate) identity: Identity,
    /// The launcher's maps, in which every number is to stay what it is. If none, only the bot's number is mapped, and
    /// groups may not be set: an ordinary user must give that up.
    maps: Option<Maps<'a>>,
}

impl<'a> Users<'a> {
    /// `maps` are given where the launcher may map any numbers.
    pub(crate) fn plan(launcher: Identity, maps: Option<Maps<'a>>) -> Self {
        let wished = FIRST_USER + sys::own_pid() % MAX_USERS;
        let pick = |map: &[u8]| [wished, NOBODY].into_iter().find(|&id| is_mapped(map, id));
        let own = |maps: &Maps<'_>| {
            let (user, group) = (pick(maps.users)?, pick(maps.groups)?);
            Some(Identity { user, group })
        };
        match maps.as_ref().and_then(own) {
            // Every number stays what it is, so that root may look at every file on the way.
            Some(identity) => Users { identity, maps },
            // An ordinary user; or root of a namespace with nobody else in it, and an ordinary user outside.
            None => Users {
                identity: launcher,
                maps: None,
            },
        }
    }

    /// Says who is who in the user namespace of a process. It is for somebody outside to do.
    pub(crate) fn map(&self, process: i32) -> Result<(), MissingLayer> {
        let process = Word::number(process.unsigned_abs().into());
        let write = |file: &'static CStr, text: &JailText<LONGEST_MAP>| {
            let path = Path::joined(&[b"/proc/", process.bytes(), b"/", file.to_bytes()]);
            path.c_str()
                .and_then(|path| sys::open(path, sys::open::WRITE))
                .and_then(|file| file.write_all(text.c_str()?.to_bytes()))
                .map_err(|error| MissingLayer {
                    file,
                    ..MissingLayer::new(Layer::Users, "writing its", error)
                })
        };
        let one = |id: u32| JailText::<LONGEST_MAP>::of(format_args!("{id} {id} 1\n"));
        let (users, groups) = match self.maps {
            Some(maps) => (same(maps.users), same(maps.groups)),
            None => {
                write(c"setgroups", &JailText::joined(&[b"deny"]))?;
                (one(self.identity.user), one(self.identity.group))
            }
        };
        write(c"uid_map", &users)?;
        write(c"gid_map", &groups)
    }
}

/// The lines of a map of numbers: the first inside, the first outside, how many.
fn ranges(map: &[u8]) -> impl Iterator<Item = (u32, u32)> {
    let number = |word: Option<&[u8]>| u32::try_from(text::number(word?)?).ok();
    text::lines(map).filter_map(move |line| {
        let mut fields = text::words(line);
        let first = number(fields.next())?;
        Some((first, number(fields.nth(1))?))
    })
}

fn is_mapped(map: &[u8], id: u32) -> bool {
    ranges(map).any(|(first, count)| id >= first && id - first < count)
}

/// The map in which every number of the namespace around stands for itself.
fn same(map: &[u8]) -> JailText<LONGEST_MAP> {
    let mut text = JailText::new();
    for (first, count) in ranges(map) {
        // What does not fit is told when the text is used.
        let _ = fmt::write(&mut text, format_args!("{first} {first} {count}\n"));
    }
    text
}

/// The namespaces that init enters, and what is said of one that cannot be made.
const OTHERS: [(usize, &str); 5] = [
    (flag::NEWNS, "making that of mounts"),
    (flag::NEWNET, "making that of the network"),
    (flag::NEWIPC, "making that of messages"),
    (flag::NEWUTS, "making that of the host name"),
    (flag::NEWCGROUP, "making that of control groups"),
];

/// How the kernel begins what it tells of the sockets of a network namespace in which there are none. Its own are not
/// counted. A kernel before 4.17 counts those of the whole machine.
const NO_SOCKETS: &[u8] = b"sockets: used 0\n";

/// Joins a network namespace that is ready. False: it cannot be joined, or something is left in it.
pub(crate) fn join_network(namespace: i32) -> bool {
    let namespace = Fd::take(namespace);
    sys::join_network(&namespace).is_ok() && is_vacant()
}

/// Whether there is no socket in the network namespace of this process, not even one that no process holds any more.
pub(crate) fn is_vacant() -> bool {
    let mut bytes = [0; NO_SOCKETS.len()];
    let told = sys::open(c"/proc/self/net/sockstat", sys::open::READ)
        .and_then(|file| file.read_all(&mut bytes));
    told == Ok(bytes.len()) && bytes == NO_SOCKETS
}

/// Enters the other namespaces; those of processes and users were entered before. `stays`: that of the network is the
/// right one already.
pub(crate) fn enter_others(stays: bool) -> Result<(), MissingLayer> {
    let others = OTHERS
        .iter()
        .filter(|(flag, _)| !(stays && *flag == flag::NEWNET));
    let all = others.clone().fold(0, |all, (flag, _)| all | flag);
    if sys::unshare(all).is_err() {
        // One by one they tell which is missing.
        for &(flag, what) in others {
            sys::unshare(flag).builds(Layer::Namespaces, what)?;
        }
    }
    sys::set_host_name(HOST).builds(Layer::Namespaces, "naming the host")
}

/// Becomes the bot's user, for good: without groups, without capabilities, and with no way to more.
pub(crate) fn give_up_privileges(identity: Identity) -> Result<(), MissingLayer> {
    for capability in 0..CAPABILITIES {
        match sys::prctl(request::DROP_CAPABILITY, capability) {
            // One that this kernel does not know.
            Err(Errno::INVAL) => break,
            dropped => dropped.builds(Layer::Privileges, "dropping the bounding set")?,
        }
    }
    // An ordinary user has no right to it, and keeps groups that name nothing in the jail.
    let _ = sys::clear_groups();
    sys::set_group(identity.group).builds(Layer::Privileges, "becoming the bot's group")?;
    sys::set_user(identity.user).builds(Layer::Privileges, "becoming the bot's user")?;
    sys::drop_capabilities().builds(Layer::Privileges, "dropping capabilities")?;
    // Without capabilities there is no ambient one; an old kernel does not know them.
    const CLEAR_ALL: usize = 4;
    let _ = sys::prctl(request::AMBIENT, CLEAR_ALL);
    sys::prctl(request::SET_NO_NEW_PRIVS, 1).builds(Layer::Privileges, "forbidding new ones")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_a_map() {
        let whole: &[u8] = b"         0          0 4294967295\n";
        let small: &[u8] = b"0 100000 1000\n 1000 5 1\n 1001 101001 64535\n";
        assert!(is_mapped(whole, FIRST_USER) && is_mapped(whole, NOBODY));
        assert!(!is_mapped(small, FIRST_USER) && is_mapped(small, NOBODY));
        assert!(!is_mapped(b"0 0 1\n", NOBODY) && !is_mapped(b"", 0));
        assert_eq!(same(whole).bytes(), b"0 0 4294967295\n");
        assert_eq!(
            same(small).bytes(),
            b"0 0 1000\n1000 1000 1\n1001 1001 64535\n"
        );
    }

    #[test]
    fn a_bot_of_root_is_a_user_of_its_own_and_one_of_anybody_else_is_that_user() {
        let launcher = Identity { user: 0, group: 0 };
        let whole: &[u8] = b"0 0 4294967295\n";
        let maps = |map| {
            Some(Maps {
                users: map,
                groups: map,
            })
        };
        let own = Users::plan(launcher, maps(whole)).identity;
        assert!(own.user >= FIRST_USER && own.user == own.group);
        let small = Users::plan(launcher, maps(b"0 100000 65536\n")).identity;
        assert_eq!((small.user, small.group), (NOBODY, NOBODY));
        for maps in [maps(b"0 1000 1\n"), None] {
            assert_eq!(Users::plan(launcher, maps).identity, launcher);
        }
    }
}
