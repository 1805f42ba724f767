//! What a jailed process may use, as the kernel's limits of each process.

use crate::layer::{Builds, Layer, MissingLayer};
use crate::sys;

/// What a bot may use. The limits of a process hold for each of its processes; memory and the number
/// of processes also for all together, where the machine can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JailLimits {
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

/// The memory of a bot, in bytes.
pub const MEMORY: u64 = 256 * 1024 * 1024;

impl Default for JailLimits {
    fn default() -> Self {
        JailLimits {
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
pub const NO_CORE: u64 = 1;

/// Signals that wait to be taken.
const SIGNALS: u64 = 1024;

/// The resources by the kernel's numbers; those up to 8 differ on some processors, but not on ours.
mod resource {
    pub(super) const FSIZE: u32 = 1;
    pub(super) const DATA: u32 = 2;
    pub(super) const CORE: u32 = 4;
    pub(super) const NPROC: u32 = 6;
    pub(super) const NOFILE: u32 = 7;
    pub(super) const MEMLOCK: u32 = 8;
    pub(super) const AS: u32 = 9;
    pub(super) const SIGPENDING: u32 = 11;
    pub(super) const MSGQUEUE: u32 = 12;
    pub(super) const NICE: u32 = 13;
    pub(super) const RTPRIO: u32 = 14;
}

/// Sees to it that this process, and all that come of it, leave no core dump.
pub(crate) fn no_core() -> sys::Result<()> {
    // An ordinary user whose limit is 0 must leave it.
    sys::set_limit(resource::CORE, NO_CORE).or_else(|_| sys::set_limit(resource::CORE, 0))
}

impl JailLimits {
    /// Puts them on this process and all that come of it. With `counted`, memory is limited by a
    /// control group.
    pub(crate) fn apply(&self, counted: bool) -> Result<(), MissingLayer> {
        let (data, files) = if counted {
            (ADDRESSES, self.files)
        } else {
            (
                self.memory.saturating_mul(DATA_ALONE),
                self.files.min(FILES_ALONE),
            )
        };
        for (resource, most, doing) in [
            (resource::CORE, NO_CORE, "limiting cores"),
            (resource::AS, ADDRESSES, "limiting addresses"),
            (resource::DATA, data, "limiting private memory"),
            // Init of the namespace counts too.
            (resource::NPROC, self.processes + 1, "limiting processes"),
            (resource::NOFILE, files, "limiting open files"),
            (resource::FSIZE, self.folder, "limiting the size of files"),
            (resource::MEMLOCK, 64 * 1024, "limiting locked memory"),
            (resource::MSGQUEUE, 0, "limiting message queues"),
            (resource::NICE, 0, "limiting priorities"),
            (resource::RTPRIO, 0, "limiting real-time priorities"),
            (resource::SIGPENDING, SIGNALS, "limiting pending signals"),
        ] {
            sys::limit(resource, most).builds(Layer::Limits, doing)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::resource::*;

    #[test]
    fn resources_have_the_numbers_of_the_c_library() {
        let ours = [
            FSIZE, DATA, CORE, NPROC, NOFILE, MEMLOCK, AS, SIGPENDING, MSGQUEUE, NICE, RTPRIO,
        ];
        let theirs = [
            libc::RLIMIT_FSIZE,
            libc::RLIMIT_DATA,
            libc::RLIMIT_CORE,
            libc::RLIMIT_NPROC,
            libc::RLIMIT_NOFILE,
            libc::RLIMIT_MEMLOCK,
            libc::RLIMIT_AS,
            libc::RLIMIT_SIGPENDING,
            libc::RLIMIT_MSGQUEUE,
            libc::RLIMIT_NICE,
            libc::RLIMIT_RTPRIO,
        ];
        assert_eq!(ours, theirs);
    }
}
