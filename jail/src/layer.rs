//! The parts of the isolation by name, and what is told of one that is missing.

use core::ffi::CStr;
use core::fmt;
use core::str::FromStr;

use crate::sys::Errno;

/// A part of the jail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
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

impl Layer {
    /// All walls, in the order in which they are built; but the groups of the last two come first.
    pub const ALL: [Layer; 9] = [
        Layer::Users,
        Layer::Namespaces,
        Layer::Root,
        Layer::Limits,
        Layer::Privileges,
        Layer::Landlock,
        Layer::Calls,
        Layer::TreeMemory,
        Layer::TreeProcesses,
    ];

    /// Its name, in one word.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Users => "users",
            Layer::Namespaces => "namespaces",
            Layer::Root => "root",
            Layer::Privileges => "privileges",
            Layer::Limits => "limits",
            Layer::Calls => "calls",
            Layer::Landlock => "landlock",
            Layer::TreeMemory => "tree-memory",
            Layer::TreeProcesses => "tree-processes",
        }
    }

    /// What it is, in a few words.
    pub fn what(self) -> &'static str {
        match self {
            Layer::Users => "a user namespace",
            Layer::Namespaces => {
                "namespaces of mounts, processes, network, messages, host name and control groups"
            }
            Layer::Root => "a read-only root with little in it",
            Layer::Privileges => "no capabilities and no new privileges",
            Layer::Limits => "limits of each process",
            Layer::Calls => "the filter of system calls",
            Layer::Landlock => "Landlock, a second lock on files and connections",
            Layer::TreeMemory => {
                "a control group that limits the memory of a bot with all it starts"
            }
            Layer::TreeProcesses => "a limit of processes for a bot with all it starts",
        }
    }

    /// Whether a bot is not started without it.
    pub fn needed(self) -> bool {
        !matches!(
            self,
            Layer::Landlock | Layer::TreeMemory | Layer::TreeProcesses
        )
    }

    /// How to get it.
    pub fn hint(self) -> &'static str {
        match self {
            Layer::Users => {
                "allow user namespaces: sysctl user.max_user_namespaces=10000, on Debian and Ubuntu also \
                 kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0; \
                 in a container, start it with a seccomp profile that allows them"
            }
            Layer::Namespaces => {
                "the kernel must be built with all namespaces, and sysctl user.max_*_namespaces must not be 0"
            }
            Layer::Root => {
                "it takes Linux 5.12 or newer; in a container, one that may mount (its AppArmor or seccomp \
                 profile must allow it)"
            }
            Layer::Privileges => "another security module forbids it; look into the kernel's log",
            Layer::Limits => "the limits of this shell are below what a bot needs: see ulimit -Ha",
            Layer::Calls => "the kernel must be built with CONFIG_SECCOMP_FILTER",
            Layer::Landlock => {
                "it takes Linux 5.13 or newer, with landlock in the list of security modules (lsm=landlock,...)"
            }
            Layer::TreeMemory => {
                "run in a control group of your own, with cgroup v2: systemd-run --user --scope -p Delegate=yes \
                 flipside ... (flipside asks your systemd for one itself where XDG_RUNTIME_DIR has its bus); until \
                 then it is weaker: init of the jail looks 20 to 200 times a second what all use, in a \
                 /proc of its own, which a container must let be mounted; a bot of many processes may take some \
                 hundred megabytes more between two looks; files are 64 at most; and memory that processes share must \
                 be a file in /tmp, which takes Landlock"
            }
            Layer::TreeProcesses => {
                "it takes Linux 5.14 or newer, or a control group of your own (as for tree-memory)"
            }
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Layer {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Layer::ALL
            .into_iter()
            .find(|wall| wall.name() == text)
            .ok_or(())
    }
}

/// A part that this machine does not give.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MissingLayer {
    pub(crate) layer: Layer,
    /// What was tried, in a few words; and with which file, if it is told.
    pub(crate) doing: &'static str,
    pub(crate) file: &'static CStr,
    pub(crate) error: Errno,
}

impl MissingLayer {
    pub(crate) fn new(layer: Layer, doing: &'static str, error: Errno) -> Self {
        MissingLayer {
            layer,
            doing,
            file: c"",
            error,
        }
    }
}

/// Says of a step which part it belongs to.
pub(crate) trait Builds<T> {
    fn builds(self, layer: Layer, doing: &'static str) -> Result<T, MissingLayer>;
}

impl<T> Builds<T> for Result<T, Errno> {
    fn builds(self, layer: Layer, doing: &'static str) -> Result<T, MissingLayer> {
        self.map_err(|error| MissingLayer::new(layer, doing, error))
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn a_wall_prints_as_it_reads() {
        for wall in Layer::ALL {
            assert_eq!(wall.to_string().parse(), Ok(wall));
        }
        assert_eq!("moat".parse::<Layer>(), Err(()));
    }
}
