//! The end of a process: all of its group is killed, and it is reaped. Where it is the supervisor of a jail, that one
//! has the time to clear away, and what it left is cleared away behind it.

use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};
use std::{io, thread};

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions};

use crate::jail::cgroup::clear_after;
use crate::jail::network::Network;
use crate::jail::report::JailReport;
use crate::poll;
use crate::process::usage;

/// How long a killed process is waited for here; a thread of its own waits on. The kernel ends a
/// process at once unless it hangs in a device.
const REAP_WAIT: Duration = Duration::from_secs(1);

/// How long the supervisor of a jail whose bot was killed is waited for by a thread of its own, before it is killed
/// as well. Where many compute, the many processes of a jail take a while to die, and it clears away behind
/// them.
const CLEAR_WAIT: Duration = Duration::from_secs(60);

/// How often it is looked whether a process has ended that cannot be watched: few descriptors or little memory are
/// left.
const LOOK: Duration = Duration::from_millis(1);

/// Our child, the leader of a group, that is to be ended. Until it is reaped, its number, which is the group's, belongs
/// to nobody else.
#[derive(Debug)]
pub(crate) struct Dying {
    pid: Pid,
    /// Readable when it has ended.
    pidfd: Option<OwnedFd>,
    /// Where it is the supervisor of a jail.
    jail: Option<DyingProcess>,
}

/// What the launcher has of a jail to its end.
#[derive(Debug)]
pub(crate) struct DyingProcess {
    pub(crate) report: JailReport,
    /// The network namespace that was handed over.
    pub(crate) network: Option<Network>,
}

impl Dying {
    pub(crate) fn new(pid: Pid, pidfd: Option<OwnedFd>, jail: Option<DyingProcess>) -> Self {
        let open = || rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok();
        let pidfd = pidfd.or_else(open);
        Dying { pid, pidfd, jail }
    }

    /// Ends it. Whatever takes longer than [`REAP_WAIT`] is left to a thread.
    pub(crate) fn end(mut self) {
        if self.jail.is_none() {
            return self.kill();
        }
        // The supervisor ends all that is in the jail, waits for it, and clears away behind it.
        let _ = rustix::process::kill_process(self.pid, Signal::TERM);
        if self.ends_within(REAP_WAIT) {
            return self.kill();
        }
        tracing::info!(pid = %self.pid, "a jail takes long to clear away; a thread waits for it");
        // Should the supervisor have been kept from it.
        let first = self.jail.as_mut().and_then(|jail| jail.report.first());
        let first = first.and_then(|first| init_of(self.pid, first).ok().flatten());
        if let Some(first) = first {
            let _ = rustix::process::pidfd_send_signal(first, Signal::KILL);
        }
        let waits = move || {
            self.ends_within(CLEAR_WAIT);
            self.kill();
        };
        let _ = thread::Builder::new().spawn(waits);
    }

    /// Kills all of the group at once: a supervisor too, which hangs or has had its time.
    pub(crate) fn kill(self) {
        // It fails where all have ended; then there is nothing to kill.
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        if self.ends_within(REAP_WAIT) {
            self.reap();
            return;
        }
        tracing::warn!(pid = %self.pid, "a killed process does not end; a thread waits for it");
        let waits = move || {
            let ends = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(
                rustix::process::waitid(WaitId::Pid(self.pid), ends),
                Err(Errno::INTR)
            ) {}
            self.reap();
        };
        let _ = thread::Builder::new().spawn(waits);
    }

    fn reap(self) {
        let Dying { pid, jail, .. } = self;
        // What it did is what it said: somebody may have killed it at any moment.
        let vacant = jail.and_then(|mut jail| {
            if !jail.report.gone() {
                // Until it is reaped, its number is its own.
                clear_after(number(pid));
            }
            jail.network.filter(|_| jail.report.vacant())
        });
        let reaped = loop {
            match rustix::process::waitpid(Some(pid), WaitOptions::empty()) {
                Err(Errno::INTR) => {}
                reaped => break reaped,
            }
        };
        if let Err(error) = reaped {
            tracing::warn!(%pid, %error, "a process cannot be reaped");
        }
        // A supervisor that said so is out of it only now.
        if let Some(network) = vacant {
            network.give_back();
        }
    }

    fn ends_within(&self, most: Duration) -> bool {
        let until = Instant::now() + most;
        let pidfd = self.pidfd.as_ref();
        if let Some(Ok(ended)) = pidfd.map(|pidfd| poll::readable(pidfd, until)) {
            return ended;
        }
        while !self.has_ended() {
            if Instant::now() >= until {
                return false;
            }
            thread::sleep(LOOK);
        }
        true
    }

    fn has_ended(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        match rustix::process::waitid(WaitId::Pid(self.pid), look) {
            Ok(status) => status.is_some(),
            // Nobody is there any more to be waited for.
            Err(error) => error == Errno::CHILD,
        }
    }
}

/// Init of the jail that has this supervisor, by its number; none where it has ended.
pub(crate) fn init_of(supervisor: Pid, first: u32) -> io::Result<Option<OwnedFd>> {
    let Some(init) = Pid::from_raw(first.cast_signed()) else {
        return Ok(None);
    };
    let init = match rustix::process::pidfd_open(init, PidfdFlags::empty()) {
        Ok(init) => init,
        // Some bots end at once.
        Err(Errno::SRCH) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    // Where it has ended, its number may be another's by now: what is ours is the supervisor's child.
    let is_ours = usage::parent(first) == Some(number(supervisor));
    Ok(is_ours.then_some(init))
}

pub(super) fn number(pid: Pid) -> u32 {
    pid.as_raw_pid().unsigned_abs()
}
