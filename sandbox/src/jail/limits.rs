//! What a jailed process may use, as the kernel's limits of each process.

use rustix::process::{Resource, Rlimit};

use crate::MEMORY;
use crate::jail::layer::{Builds, Layer, Missing};

/// What a bot may use. The limits of a process hold for each of its processes; memory and the number
/// of processes also for all together, where the machine can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Memory of all its processes together, in bytes.
    pub memory: u64,
    /// Processes and threads.
    pub processes: u64,
    /// Open files of a process.
    pub files: u64,
    /// The size of its temporary folder, and of a file in it, in bytes.
    pub folder: u64,
    /// How many files and folders its temporary folder holds.
    pub entries: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            memory: MEMORY,
            processes: 64,
            files: 256,
            folder: 64 * 1024 * 1024,
            entries: 4096,
        }
    }
}

/// The addresses of a process: runtimes reserve many more than they use.
const ADDRESSES: u64 = 64 * 1024 * 1024 * 1024;

/// Where there is no control group, how many times its memory a process may have as private writable memory, touched or
/// not. It bounds what one process can take between two looks at all of them. A Java runtime begins with a 64th of the
/// machine's memory: on machines of up to 256 GiB that fits.
const DATA_ALONE: u64 = 16;

/// Where there is no control group, the most open files of a process. An ordinary user has one quota of many things
/// for all that is his; what a bot can take of it (watches of event queues are the product of two numbers of files and
/// the number of processes) must leave enough for the other matches.
const FILES_ALONE: u64 = 64;

/// No core: a file is larger than that, and a machine that gives cores to a program does so at every
/// limit but this one, also at 0 (core(5)); that would read all of a bot's memory while it dies.
pub(crate) const NO_CORE: u64 = 1;

/// Signals that wait to be taken.
const SIGNALS: u64 = 1024;

/// Sees to it that this process, and all that come of it, leave no core dump.
pub(crate) fn no_core() -> rustix::io::Result<()> {
    let limit = |most| Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    // An ordinary user whose limit is 0 must leave it.
    rustix::process::setrlimit(Resource::Core, limit(NO_CORE))
        .or_else(|_| rustix::process::setrlimit(Resource::Core, limit(0)))
}

impl Limits {
    /// Puts them on this process and all that come of it. With `counted`, memory is limited by a
    /// control group.
    pub(crate) fn apply(&self, counted: bool) -> Result<(), Missing> {
        let (data, files) = if counted {
            (ADDRESSES, self.files)
        } else {
            (
                self.memory.saturating_mul(DATA_ALONE),
                self.files.min(FILES_ALONE),
            )
        };
        for (resource, most) in [
            (Resource::Core, NO_CORE),
            (Resource::As, ADDRESSES),
            (Resource::Data, data),
            // Init of the namespace counts too.
            (Resource::Nproc, self.processes + 1),
            (Resource::Nofile, files),
            (Resource::Fsize, self.folder),
            (Resource::Memlock, 64 * 1024),
            (Resource::Msgqueue, 0),
            (Resource::Nice, 0),
            (Resource::Rtprio, 0),
            (Resource::Sigpending, SIGNALS),
        ] {
            // A limit that is lower already stays.
            let now = rustix::process::getrlimit(resource);
            let most = now.maximum.map_or(most, |now| now.min(most));
            let limit = Rlimit {
                current: Some(most),
                maximum: Some(most),
            };
            rustix::process::setrlimit(resource, limit)
                .builds(Layer::Limits, &format!("limiting {resource:?} to {most}"))?;
        }
        Ok(())
    }
}
