//! Waiting for a descriptor on a thread that does nothing else meanwhile.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

/// Waits until a descriptor can be read or its other end is closed. Returns false if neither comes in time.
///
/// # Errors
/// Returns the system's error.
pub(crate) fn readable(fd: impl AsFd, until: Instant) -> io::Result<bool> {
    let ready = either_readable(fd.as_fd(), None, Instant::now(), until)?;
    Ok(ready.is_some())
}

/// Which of two descriptors can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readable {
    First,
    Second,
}

/// Waits until one of two descriptors can be read or its other end is closed; the first comes first. Returns nothing if
/// neither does in time. `now` is the present time: whoever has just read the clock need not do so again.
///
/// # Errors
/// Returns the system's error.
pub(crate) fn either_readable(
    first: BorrowedFd<'_>,
    second: Option<BorrowedFd<'_>>,
    mut now: Instant,
    until: Instant,
) -> io::Result<Option<Readable>> {
    let flags = if second.is_some() {
        PollFlags::IN
    } else {
        PollFlags::empty()
    };
    let mut fds = [
        PollFd::from_borrowed_fd(first, PollFlags::IN),
        PollFd::from_borrowed_fd(second.unwrap_or(first), flags),
    ];
    let number = 1 + usize::from(second.is_some());
    loop {
        let left = Timespec::try_from(until.saturating_duration_since(now));
        match rustix::event::poll(&mut fds[..number], left.ok().as_ref()) {
            Ok(0) => return Ok(None),
            Ok(_) if fds[0].revents().is_empty() => return Ok(Some(Readable::Second)),
            Ok(_) => return Ok(Some(Readable::First)),
            // A signal does not end the wait.
            Err(Errno::INTR) => now = Instant::now(),
            Err(error) => return Err(error.into()),
        }
    }
}
