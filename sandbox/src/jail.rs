//! The jail: what a process is started behind when nobody has read it. The crate `flipside-jail` builds it, as the
//! *stage*; here is what the launcher has to do with it.

pub(crate) mod cgroup;
mod doctor;
pub(crate) mod layer;
pub(crate) mod machine;
pub(crate) mod network;
pub(crate) mod order;
mod probe;
pub(crate) mod report;
mod scope;
pub(crate) mod stage_program;
pub(crate) mod visibility;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use doctor::{DoctorFinding, examine, works};
pub use flipside_jail::{JailLimits, Layer};
pub use layer::UnavailableLayer;
use rustix::process::Signal;
pub use scope::{Group, seek_group};

/// What the referee sends to init: that all others there are to stand still, and that they may go on.
pub(crate) const STOP_ALL: Signal = Signal::USR1;
pub(crate) const GO_ON_ALL: Signal = Signal::USR2;

/// How processes are started behind walls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jail {
    /// A program that can become the stage and the probe.
    pub(crate) program: PathBuf,
    /// Its arguments, before those of the jail.
    pub(crate) args: Vec<OsString>,
    /// Whether it is to become the stage, though there is a smaller one.
    pub(crate) by_program: bool,
    /// What a bot may use.
    pub(crate) limits: JailLimits,
    /// Folders that no bot may see.
    pub(crate) hidden: Vec<PathBuf>,
}

impl Jail {
    /// A jail of this very program: started with these arguments, it must call [`enter`] before it starts a thread.
    pub fn of_this_program<A: Into<OsString>>(args: impl IntoIterator<Item = A>) -> Self {
        // The child that is to become the stage is a copy of this process, so that this is the very
        // program that runs, though its file may have been built anew.
        Jail::of_program("/proc/self/exe", args)
    }

    /// A jail of another program that calls [`enter`]. It becomes the probe of [`examine`]; and it becomes the stage
    /// where the machine forbids to execute the one that is built in, which is small and is kept in memory.
    pub fn of_program<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        Jail {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            by_program: false,
            limits: JailLimits::default(),
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

    /// The same jail, whose stage is its program, as on a machine that forbids to execute what is in memory.
    #[must_use]
    pub fn staged_by_program(self) -> Self {
        Jail {
            by_program: true,
            ..self
        }
    }

    /// The same jail with other limits.
    #[must_use]
    pub fn with_limits(self, limits: JailLimits) -> Self {
        Jail { limits, ..self }
    }

    /// What a bot may use.
    pub fn limits(&self) -> JailLimits {
        self.limits
    }
}

/// Becomes the jail's stage, and in the end the bot; or the probe. To be called with what follows the arguments of
/// [`Jail`] on the command line, in a process that has one thread. It returns, with an exit code, where it was not
/// started by a launcher, and after the probe.
pub fn enter(args: impl Iterator<Item = OsString>) -> u8 {
    let mut args = args.peekable();
    if args.peek().is_some_and(|arg| arg == probe::PROBE) {
        probe::run();
        return 0;
    }
    let environment = std::env::vars_os().map(|(mut name, value)| {
        name.push("=");
        name.push(value);
        name
    });
    flipside_jail::enter(order::strings(args), order::strings(environment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_wrong_use() {
        assert_eq!(enter(["x".into()].into_iter()), flipside_jail::WRONG_USE);
        // A whole order, but the pipe would be a stream, or nothing.
        for number in ["2", "1000000", "-1"] {
            let mut order = vec![OsString::from(number)];
            order.extend(["1"; 12].map(OsString::from));
            order.extend(["run", "/bin/true"].map(OsString::from));
            assert_eq!(
                enter(order.into_iter()),
                flipside_jail::WRONG_USE,
                "{number}"
            );
        }
    }

    #[test]
    fn the_signals_of_the_stage_are_those_that_are_sent() {
        assert_eq!(STOP_ALL.as_raw(), flipside_jail::STOP_ALL);
        assert_eq!(GO_ON_ALL.as_raw(), flipside_jail::GO_ON_ALL);
    }
}
