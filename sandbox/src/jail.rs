//! The jail: what a process is started behind when nobody has read it.
//!
//! Our own binary is started plainly, as a *stage* of three processes with one thread each. The
//! *supervisor* stays outside, hears when the bot is to end, and reaps; *init* of the new
//! namespaces builds the walls and reaps what the bot leaves; the third becomes the bot. So nothing
//! of it happens inside the referee with its threads, and all that the bot starts ends with the
//! first process, for the kernel ends a namespace of processes with its first.

mod cgroup;
mod doctor;
mod files;
mod layer;
mod limits;
mod namespaces;
mod order;
mod probe;
mod report;
mod root;
mod scope;
mod seccomp;
mod shown;
mod stage;
mod syscalls;
mod watch;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) use cgroup::{Account, clear_after};
pub use doctor::{Finding, examine, works};
pub use layer::{Layer, Missing};
pub use limits::Limits;
pub(crate) use order::Order;
pub(crate) use report::{NotRunning, Report};
pub use scope::{Group, seek_group};
pub(crate) use shown::{Shown, in_sight};
pub use stage::enter;
pub(crate) use stage::{GO_ON_ALL, STOP_ALL};

/// How processes are started behind walls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jail {
    /// The binary that becomes the stage.
    pub(crate) stage: PathBuf,
    /// Its arguments, before those of the jail.
    pub(crate) args: Vec<OsString>,
    /// What a bot may use.
    pub(crate) limits: Limits,
    /// Folders that no bot may see.
    pub(crate) hidden: Vec<PathBuf>,
}

impl Jail {
    /// A jail whose stage is this very program, started with these arguments; there it must call
    /// [`enter`] before it starts a thread.
    pub fn of_this_program<A: Into<OsString>>(args: impl IntoIterator<Item = A>) -> Self {
        // The child that is to become the stage is a copy of this process, so that this is the very
        // program that runs, though its file may have been built anew.
        Jail::of_program("/proc/self/exe", args)
    }

    /// A jail whose stage is another program that calls [`enter`].
    pub fn of_program<A: Into<OsString>>(
        stage: impl Into<PathBuf>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        Jail {
            stage: stage.into(),
            args: args.into_iter().map(Into::into).collect(),
            limits: Limits::default(),
            hidden: Vec::new(),
        }
    }

    /// The same jail, which shows no bot anything of this folder, nor any folder around it: the arena.
    /// Where it lies in a folder of the system that every bot sees, none is started.
    #[must_use]
    pub fn hiding(mut self, folder: impl AsRef<Path>) -> Self {
        let folder = folder.as_ref();
        let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.into());
        self.hidden.push(whole);
        self
    }

    /// The same jail with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Jail { limits, ..self }
    }

    /// What a bot may use.
    pub fn limits(&self) -> Limits {
        self.limits
    }
}
