//! The control group of a bot: what limits all its processes together, where the machine gives one. The launcher says
//! where groups can be made.

use core::ffi::CStr;
use core::time::Duration;

use crate::limits::JailLimits;
use crate::sys::{self, Errno, Fd};
use crate::text::{self, JailText, Path, Word};

/// What the names of groups begin with; the number of the supervisor follows, and one drawn for this group, so
/// that no two ever have the same.
pub const PREFIX: &str = "flipside-jail-";

/// How long a supervisor tries to remove a group that is still busy, for whom nobody waits then. Its processes have
/// been reaped, or are killed, but the kernel may count one a moment longer.
pub(crate) const REMOVE_WITHIN: Duration = Duration::from_secs(10);

/// The time between two tries.
const REMOVE_WAIT: Duration = Duration::from_millis(2);

/// What a group can do that is made at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controls {
    /// Version 2: limit memory and processes, count time.
    All,
    /// Version 1: limit memory.
    Memory,
    /// Version 1: limit processes.
    Processes,
    /// Count time, with version 2.
    Time2,
    /// Count time, with version 1.
    Time1,
}

impl Controls {
    const NAMES: [(Controls, &'static str); 5] = [
        (Controls::All, "all"),
        (Controls::Memory, "memory"),
        (Controls::Processes, "processes"),
        (Controls::Time2, "time2"),
        (Controls::Time1, "time1"),
    ];

    /// Its name in an order.
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(one, _)| *one == self);
        found.map_or("", |(_, name)| name)
    }

    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, one)| one.as_bytes() == name);
        found.map(|(controls, _)| *controls)
    }

    fn is_v2(self) -> bool {
        matches!(self, Controls::All | Controls::Time2)
    }
}

/// A folder in which a group can be made.
pub type CgroupDir<'a> = (Controls, &'a CStr);

/// How many groups a bot can be in: for memory, for processes, for time.
const MAX_GROUPS: usize = 3;

/// The groups of one bot.
#[derive(Debug)]
pub struct Tree<'a> {
    /// What each group can do, and where it is.
    groups: [Option<CgroupDir<'a>>; MAX_GROUPS],
    /// The name of all of them.
    name: JailText<64>,
}

impl<'a> Tree<'a> {
    /// Makes groups with these limits, as far as this machine and this user may. `number` is drawn for them. Of several
    /// places for the same, the first counts where it can be done.
    pub fn make(
        places: impl Iterator<Item = CgroupDir<'a>>,
        limits: &JailLimits,
        number: u32,
    ) -> Self {
        let mut tree = Tree {
            groups: [None; MAX_GROUPS],
            name: JailText::of(format_args!("{PREFIX}{}-{number:08x}", sys::own_pid())),
        };
        for (controls, place) in places {
            if let Some(free) = tree.free_for(controls)
                && make(controls, &tree.folder(place), limits).is_ok()
            {
                tree.groups[free] = Some((controls, place));
            }
        }
        tree
    }

    /// Where a group can be noted that can do this, if none can yet.
    fn free_for(&self, controls: Controls) -> Option<usize> {
        let does = |one: Controls| match controls {
            Controls::All => one == Controls::All,
            Controls::Memory | Controls::Processes => one == controls || one == Controls::All,
            Controls::Time1 | Controls::Time2 => {
                matches!(one, Controls::All | Controls::Time1 | Controls::Time2)
            }
        };
        if self.all().any(|(one, _)| does(one)) {
            return None;
        }
        self.groups.iter().position(Option::is_none)
    }

    fn all(&self) -> impl Iterator<Item = CgroupDir<'a>> {
        self.groups.iter().flatten().copied()
    }

    /// The group in this place.
    fn folder(&self, place: &CStr) -> Path {
        Path::joined(&[place.to_bytes(), b"/", self.name.bytes()])
    }

    fn of_memory(&self) -> Option<CgroupDir<'a>> {
        let limits = |controls| matches!(controls, Controls::All | Controls::Memory);
        self.all().find(|(controls, _)| limits(*controls))
    }

    /// Whether memory is limited for all processes together.
    pub fn counts_memory(&self) -> bool {
        self.of_memory().is_some()
    }

    /// Calls a function with the path of each group.
    pub fn each_folder(&self, mut each: impl FnMut(&[u8])) {
        self.all()
            .for_each(|(_, place)| each(self.folder(place).bytes()));
    }

    /// The group into which a process is to be born. Moving one there later would make the kernel
    /// wait for all processors.
    pub fn birthplace(&self) -> Option<Fd> {
        let (_, place) = self.all().find(|(controls, _)| controls.is_v2())?;
        sys::open(self.folder(place).c_str().ok()?, sys::open::FOLDER).ok()
    }

    /// Nobody could be born into its group, and one of the two processes that know it removes that: what is
    /// left are groups of version 1, into which processes move.
    pub(crate) fn lose_birthplace(&mut self, removes: bool) {
        for at in 0..MAX_GROUPS {
            let lost = self.groups[at].take_if(|(controls, _)| controls.is_v2());
            if let (Some((_, place)), true) = (lost, removes) {
                remove(&self.folder(place), REMOVE_WITHIN);
            }
        }
    }

    /// Puts the calling process into the groups into which it cannot be born. It has one thread, and to
    /// move one thread is quick.
    pub(crate) fn join(&self) -> sys::Result<()> {
        let mut joined = self.all().filter(|(controls, _)| !controls.is_v2());
        joined.try_for_each(|(_, place)| set(&self.folder(place), "tasks", 0))
    }

    /// Whether a process in it was ended because there was no memory left.
    pub fn ran_out_of_memory(&self) -> bool {
        let Some((controls, place)) = self.of_memory() else {
            return false;
        };
        let file: &[u8] = if controls.is_v2() {
            b"/memory.events"
        } else {
            b"/memory.oom_control"
        };
        let mut bytes = [0; 512];
        let path = Path::joined(&[self.folder(place).bytes(), file]);
        let read = path
            .c_str()
            .and_then(|path| sys::open(path, sys::open::READ))
            .and_then(|file| file.read_all(&mut bytes));
        let Ok(length) = read else {
            return false;
        };
        text::lines(&bytes[..length])
            .filter_map(|line| line.strip_prefix(b"oom_kill "))
            .any(|count| count.trim_ascii() != b"0")
    }

    /// Whether the kernel ends one process of it where there is no memory left, and lets the others live: a bot could
    /// have its children do what it may not, again and again.
    pub(crate) fn loses_single_processes(&self) -> bool {
        matches!(self.of_memory(), Some((Controls::Memory, _)))
    }

    /// Removes the groups, whose processes have ended. Each that is busy is tried again for so long.
    pub fn remove(&self, within: Duration) {
        self.all()
            .for_each(|(_, place)| remove(&self.folder(place), within));
    }
}

/// Makes a group; where a limit that it is for cannot be set, it is gone again.
fn make(controls: Controls, folder: &Path, limits: &JailLimits) -> sys::Result<()> {
    sys::make_folder(folder.c_str()?)?;
    // Room for init.
    let (memory, processes) = (limits.memory, limits.processes + 1);
    let limited = match controls {
        Controls::All => set(folder, "memory.max", memory)
            .and_then(|()| set(folder, "memory.oom.group", 1))
            .and_then(|()| set(folder, "pids.max", processes)),
        Controls::Memory => set(folder, "memory.limit_in_bytes", memory),
        Controls::Processes => set(folder, "pids.max", processes),
        Controls::Time1 | Controls::Time2 => Ok(()),
    };
    if limited.is_err() {
        // It was just made, and nobody is in it.
        let _ = sys::remove_folder(folder.c_str()?);
        return limited;
    }
    // A machine without swap, or one that does not count it, does not have these. With version 1, it is memory and swap
    // together.
    let _ = match controls {
        Controls::All => set(folder, "memory.swap.max", 0),
        Controls::Memory => set(folder, "memory.memsw.limit_in_bytes", memory),
        _ => Ok(()),
    };
    Ok(())
}

/// Writes a number into a file of a group.
fn set(folder: &Path, file: &str, number: u64) -> sys::Result<()> {
    let path = Path::joined(&[folder.bytes(), b"/", file.as_bytes()]);
    let file = sys::open(path.c_str()?, sys::open::SET)?;
    file.write_all(Word::number(number).bytes())
}

fn remove(folder: &Path, within: Duration) {
    let Ok(path) = folder.c_str() else {
        return;
    };
    let until = sys::now() + within;
    while sys::remove_folder(path) == Err(Errno::BUSY) && sys::now() < until {
        sys::sleep(REMOVE_WAIT);
    }
}

/// Removes the group with this path, as [`Tree::remove`] does.
pub fn remove_group(folder: &[u8], within: Duration) {
    remove(&Path::joined(&[folder]), within);
}
