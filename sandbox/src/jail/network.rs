//! Network namespaces that are ready: to make one and to remove it takes the kernel a good part of what a start takes
//! (`docs/developers/isolation.md`).
//!
//! Each is for one bot at a time. They belong to the user namespace of this process, so that no bot has any right in
//! its own. One is kept only if the supervisor of its bot said that nothing is left in it, and the stage looks again
//! before it uses it: a socket can outlive its process.

use std::collections::VecDeque;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, thread};

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use rustix::thread::UnshareFlags;

use crate::lock::lock;

/// How many are kept for later at most, and what part of the descriptors that this process may have open.
const MAX_READY: u64 = 64;
const PART_OF_FILES: u64 = 16;

/// Those in which nobody is. The one that was given back first is used first: whose bot ended last, nobody is to tell
/// by the number of his own.
struct NetworkPool(Mutex<VecDeque<OwnedFd>>);

static READY: NetworkPool = NetworkPool(Mutex::new(VecDeque::new()));

/// Whether this user may make none.
static FORBIDDEN: AtomicBool = AtomicBool::new(false);

/// A network namespace in which nobody is but the bot that it is for.
#[derive(Debug)]
pub(crate) struct Network(OwnedFd);

impl Network {
    /// One in which nobody is. Nothing where this user may not make one: inside of a user namespace of its own, the
    /// stage may.
    pub(crate) fn take() -> Option<Self> {
        READY.take()
    }

    /// Keeps it for another bot: all who were in it have ended, and nothing is left in it.
    pub(crate) fn give_back(self) {
        READY.put(self);
    }

    /// Whatever this is, as one.
    #[cfg(test)]
    pub(crate) fn of(file: impl Into<OwnedFd>) -> Self {
        Network(file.into())
    }
}

impl AsFd for Network {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl NetworkPool {
    fn take(&self) -> Option<Network> {
        let ready = lock(&self.0).pop_front();
        ready.or_else(made).map(Network)
    }

    fn put(&self, network: Network) {
        let most = max_ready(getrlimit(Resource::Nofile).current);
        let mut ready = lock(&self.0);
        if (ready.len() as u64) < most {
            ready.push_back(network.0);
        }
    }
}

/// How many are kept where this process may have so many descriptors open.
fn max_ready(files: Option<u64>) -> u64 {
    files.map_or(MAX_READY, |files| MAX_READY.min(files / PART_OF_FILES))
}

fn made() -> Option<OwnedFd> {
    if FORBIDDEN.load(Ordering::Relaxed) {
        return None;
    }
    // By a thread of its own, which ends in it: this one stays where it is.
    let maker = thread::Builder::new().spawn(make);
    let panicked = |_| Err(io::ErrorKind::Other.into());
    let made = maker.and_then(|maker| maker.join().unwrap_or_else(panicked));
    made.inspect_err(|error| {
        if lasts(error) {
            tracing::info!(%error, "no network namespace is kept ready; each start makes its own");
            FORBIDDEN.store(true, Ordering::Relaxed);
        } else {
            tracing::debug!(%error, "no network namespace was made; this start makes its own");
        }
    })
    .ok()
}

/// Whether it would fail again: this user may not, or the kernel or a container does not give it.
fn lasts(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::PERM | Errno::ACCESS | Errno::INVAL | Errno::NOSYS | Errno::NOENT)
    )
}

#[expect(
    unsafe_code,
    reason = "a network namespace of its own takes nothing from this thread that other code relies on"
)]
fn make() -> io::Result<OwnedFd> {
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNET) }?;
    Ok(File::open("/proc/thread-self/ns/net")?.into())
}

#[cfg(test)]
mod tests {
    use rustix::fs::fstat;

    use super::*;

    #[test]
    fn each_is_for_one_at_a_time_and_what_is_given_back_first_is_used_first() {
        let number = |network: &Network| fstat(network).unwrap().st_ino;
        let ready = NetworkPool(Mutex::default());
        let (Some(one), Some(other)) = (ready.take(), ready.take()) else {
            assert!(!rustix::process::geteuid().is_root());
            return;
        };
        let ours = File::open("/proc/self/ns/net").unwrap();
        let ours = fstat(ours).unwrap().st_ino;
        let (first, second) = (number(&one), number(&other));
        assert!(first != second && first != ours && second != ours);
        ready.put(one);
        let one = ready.take().unwrap();
        assert_eq!(number(&one), first);
        let third = ready.take().unwrap();
        assert!(![first, second, ours].contains(&number(&third)));
        assert_eq!(number(&other), second);
        let third_number = number(&third);
        for network in [other, third, one] {
            ready.put(network);
        }
        let again = [(); 3].map(|()| number(&ready.take().unwrap()));
        assert_eq!(again, [second, third_number, first]);
    }

    #[test]
    fn a_failure_that_passes_forbids_nothing() {
        let error = io::Error::from_raw_os_error;
        for passes in [
            libc::EMFILE,
            libc::ENFILE,
            libc::EAGAIN,
            libc::ENOSPC,
            libc::ENOMEM,
        ] {
            assert!(!lasts(&error(passes)), "{passes}");
        }
        for stays in [
            libc::EPERM,
            libc::EACCES,
            libc::EINVAL,
            libc::ENOSYS,
            libc::ENOENT,
        ] {
            assert!(lasts(&error(stays)), "{stays}");
        }
    }

    #[test]
    fn few_are_kept_where_few_descriptors_can_be_open() {
        let kept = [None, Some(1 << 20), Some(1024), Some(256), Some(15)].map(max_ready);
        assert_eq!(kept, [64, 64, 64, 16, 0]);
    }
}
