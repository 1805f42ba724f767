//! What the stage is to know of this machine, looked up by the launcher and not for each start.

use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use flipside_jail::{Controls, JailLimits, Tree};
use rustix::thread::CapabilitySet;

use crate::cores::processors;
use crate::jail::cgroup::{CgroupPlaces, REMOVE_WITHIN, sweep};
use crate::lock::lock;

/// How long what was found is taken for true. Whoever moves this process to another control group meanwhile has it find
/// that later.
const LOOKED_UP_EVERY: Duration = Duration::from_secs(60);

/// What the stage is to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MachineSupport {
    /// Who this process is.
    pub(crate) user: u32,
    pub(crate) group: u32,
    /// The maps of users and groups, where it may give a user namespace any numbers.
    pub(crate) maps: Option<(String, String)>,
    /// Where control groups can be made.
    pub(crate) places: Vec<(Controls, CString)>,
    /// How many processors it has.
    pub(crate) processors: u64,
}

static KNOWN: Mutex<Option<(Instant, Arc<MachineSupport>)>> = Mutex::new(None);

impl MachineSupport {
    /// What is known. When it is looked up, control groups are swept away that nobody had the time to remove.
    pub(crate) fn known() -> Arc<Self> {
        let mut known = lock(&KNOWN);
        if let Some((since, machine)) = &*known
            && since.elapsed() < LOOKED_UP_EVERY
        {
            return Arc::clone(machine);
        }
        let machine = Arc::new(MachineSupport::look());
        *known = Some((Instant::now(), Arc::clone(&machine)));
        machine
    }

    /// Has it looked up again, for this process is in another control group now.
    pub(crate) fn forget() {
        *lock(&KNOWN) = None;
    }

    fn look() -> Self {
        let read = |path| fs::read_to_string(path).ok();
        let maps = || Some((read("/proc/self/uid_map")?, read("/proc/self/gid_map")?));
        let places = CgroupPlaces::find().for_groups();
        for (_, place) in &places {
            sweep(place);
        }
        // A path has no nulls.
        let c_str = |at: PathBuf| CString::new(at.into_os_string().into_vec()).ok();
        let user = rustix::process::geteuid();
        MachineSupport {
            user: user.as_raw(),
            group: rustix::process::getegid().as_raw(),
            maps: (user.is_root() && may_map()).then(maps).flatten(),
            places: (places.into_iter())
                .filter_map(|(what, at)| Some((what, c_str(at)?)))
                .collect(),
            // This thread may be pinned.
            processors: processors().into(),
        }
    }

    /// Whether there is a place for groups that limit memory.
    pub(crate) fn counts_memory(&self) -> bool {
        let limits = |controls: &Controls| matches!(controls, Controls::All | Controls::Memory);
        self.places.iter().any(|(controls, _)| limits(controls))
    }

    /// Makes the groups of a bot, as its stage does.
    pub(crate) fn make_groups(&self, limits: &JailLimits) -> Tree<'_> {
        let places = self.places.iter();
        let places = places.map(|(controls, place)| (*controls, place.as_c_str()));
        Tree::make(places, limits, rand::random())
    }
}

/// Whether this process may give a user namespace any numbers.
fn may_map() -> bool {
    rustix::thread::capabilities(None).is_ok_and(|sets| {
        let needed = CapabilitySet::SETUID | CapabilitySet::SETGID;
        sets.effective.contains(needed)
    })
}

/// Whether a group can be made here that limits the memory of a bot.
pub(crate) fn groups_can_be_made(limits: &JailLimits) -> bool {
    // Not what is known: this process may just have been moved.
    let machine = MachineSupport::look();
    let tree = machine.make_groups(limits);
    tree.remove(REMOVE_WITHIN);
    tree.counts_memory()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_looked_up_once_until_it_is_forgotten() {
        let (one, two) = (MachineSupport::known(), MachineSupport::known());
        assert_eq!(one, two);
        MachineSupport::forget();
        let three = MachineSupport::known();
        assert!(!Arc::ptr_eq(&one, &three));
        assert_eq!(one, three);
    }
}
