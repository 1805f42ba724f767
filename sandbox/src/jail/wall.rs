//! The walls by name, and the error of a machine that does not give one.

use std::fmt;
use std::io;
use std::str::FromStr;

/// A part of the jail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wall {
    /// A user namespace: the bot is nobody outside of it.
    Users,
    /// Namespaces of mounts, processes, network, messages, host name and control groups.
    Namespaces,
    /// A root folder that shows the bot what it needs and nothing else.
    Root,
    /// No capabilities, no new privileges, no identity of another user.
    Privileges,
    /// The limits of each process.
    Limits,
    /// The filter of system calls.
    Calls,
    /// Landlock, a second lock on files and connections.
    Landlock,
    /// The memory of all processes of a bot together.
    TreeMemory,
    /// The number of all processes of a bot together.
    TreeProcesses,
}

impl Wall {
    /// All walls, in the order in which they are built; but the groups of the last two come first.
    pub const ALL: [Wall; 9] = [
        Wall::Users,
        Wall::Namespaces,
        Wall::Root,
        Wall::Limits,
        Wall::Privileges,
        Wall::Landlock,
        Wall::Calls,
        Wall::TreeMemory,
        Wall::TreeProcesses,
    ];

    /// Its name, in one word.
    pub fn name(self) -> &'static str {
        match self {
            Wall::Users => "users",
            Wall::Namespaces => "namespaces",
            Wall::Root => "root",
            Wall::Privileges => "privileges",
            Wall::Limits => "limits",
            Wall::Calls => "calls",
            Wall::Landlock => "landlock",
            Wall::TreeMemory => "tree-memory",
            Wall::TreeProcesses => "tree-processes",
        }
    }

    /// What it is, in a few words.
    pub fn what(self) -> &'static str {
        match self {
            Wall::Users => "a user namespace",
            Wall::Namespaces => {
                "namespaces of mounts, processes, network, messages, host name and control groups"
            }
            Wall::Root => "a read-only root with little in it",
            Wall::Privileges => "no capabilities and no new privileges",
            Wall::Limits => "limits of each process",
            Wall::Calls => "the filter of system calls",
            Wall::Landlock => "Landlock, a second lock on files and connections",
            Wall::TreeMemory => {
                "a control group that limits the memory of a bot with all it starts"
            }
            Wall::TreeProcesses => "a limit of processes for a bot with all it starts",
        }
    }

    /// Whether a bot is not started without it.
    pub fn needed(self) -> bool {
        !matches!(
            self,
            Wall::Landlock | Wall::TreeMemory | Wall::TreeProcesses
        )
    }

    /// How to get it.
    pub fn hint(self) -> &'static str {
        match self {
            Wall::Users => {
                "allow user namespaces: sysctl user.max_user_namespaces=10000, on Debian and Ubuntu also \
                 kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0; \
                 in a container, start it with a seccomp profile that allows them"
            }
            Wall::Namespaces => {
                "the kernel must be built with all namespaces, and sysctl user.max_*_namespaces must not be 0"
            }
            Wall::Root => {
                "it takes Linux 5.12 or newer; in a container, one that may mount (its AppArmor or seccomp \
                 profile must allow it)"
            }
            Wall::Privileges => "another security module forbids it; look into the kernel's log",
            Wall::Limits => "the limits of this shell are below what a bot needs: see ulimit -Ha",
            Wall::Calls => "the kernel must be built with CONFIG_SECCOMP_FILTER",
            Wall::Landlock => {
                "it takes Linux 5.13 or newer, with landlock in the list of security modules (lsm=landlock,...)"
            }
            Wall::TreeMemory => {
                "run in a control group of your own, with cgroup v2: systemd-run --user --scope -p Delegate=yes \
                 flipside ... (flipside asks your systemd for one itself where XDG_RUNTIME_DIR has its bus); until \
                 then it is weaker: the first process of the jail looks 20 to 200 times a second what all use, in a \
                 /proc of its own, which a container must let be mounted; a bot of many processes may take some \
                 hundred megabytes more between two looks; files are 64 at most; and memory that processes share must \
                 be a file in /tmp, which takes Landlock"
            }
            Wall::TreeProcesses => {
                "it takes Linux 5.14 or newer, or a control group of your own (as for tree-memory)"
            }
        }
    }
}

impl fmt::Display for Wall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Wall {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Wall::ALL
            .into_iter()
            .find(|wall| wall.name() == text)
            .ok_or(())
    }
}

/// A wall that this machine does not give, and so a bot that is not started.
#[derive(Debug, thiserror::Error)]
#[error("this machine does not give the jail's wall \"{wall}\" ({}): {doing}: {source}", wall.what())]
pub struct Missing {
    /// The wall.
    pub wall: Wall,
    /// What was tried, in a few words.
    pub doing: String,
    /// The system's reason.
    pub source: io::Error,
}

impl Missing {
    pub(crate) fn new(wall: Wall, doing: &str, error: impl Into<io::Error>) -> Self {
        Missing {
            wall,
            doing: doing.into(),
            source: error.into(),
        }
    }

    /// How to get it, and the way without.
    pub fn hint(&self) -> String {
        format!(
            "{}. `flipside doctor` tries every wall; --trust starts bots without a jail, \
             for programs that you trust",
            self.wall.hint()
        )
    }
}

/// Says of a step which wall it belongs to.
pub(crate) trait Builds<T> {
    fn builds(self, wall: Wall, doing: &str) -> Result<T, Missing>;
}

impl<T, E: Into<io::Error>> Builds<T> for Result<T, E> {
    fn builds(self, wall: Wall, doing: &str) -> Result<T, Missing> {
        self.map_err(|error| Missing::new(wall, doing, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_prints_as_it_reads() {
        for wall in Wall::ALL {
            assert_eq!(wall.to_string().parse(), Ok(wall));
        }
        assert_eq!("moat".parse::<Wall>(), Err(()));
    }

    #[test]
    fn what_is_missing_is_named_with_the_way_out() {
        let missing = Missing::new(Wall::Users, "making it", io::Error::from_raw_os_error(1));
        let text = missing.to_string();
        assert!(
            text.contains("\"users\" (a user namespace): making it"),
            "{text}"
        );
        assert!(missing.hint().contains("--trust"));
    }
}
