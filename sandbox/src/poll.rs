//! Waiting for a descriptor on a thread that does nothing else meanwhile.

use std::io;
use std::os::fd::AsFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

/// Waits until a descriptor can be read or its other end is closed. Returns false if neither comes in time.
///
/// # Errors
/// Returns the system's error.
pub(crate) fn readable(fd: impl AsFd, until: Instant) -> io::Result<bool> {
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    loop {
        let left = Timespec::try_from(until.saturating_duration_since(Instant::now()));
        match rustix::event::poll(&mut fds, left.ok().as_ref()) {
            Err(Errno::INTR) => {}
            ready => return Ok(ready? > 0),
        }
    }
}

/// Which of two descriptors can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readable {
    First,
    Second,
}

/// Waits until one of two descriptors can be read or its other end is closed; the first comes first. Returns nothing if
/// neither does in time. A signal may end the wait early, as if the first could be read.
///
/// # Errors
/// Returns the system's error.
pub(crate) fn either_readable(
    first: &impl AsFd,
    second: Option<&impl AsFd>,
    until: Instant,
) -> io::Result<Option<Readable>> {
    let mut fds = [
        PollFd::new(first, PollFlags::IN),
        second.map_or_else(
            || PollFd::new(first, PollFlags::empty()),
            |second| PollFd::new(second, PollFlags::IN),
        ),
    ];
    let number = 1 + usize::from(second.is_some());
    let left = Timespec::try_from(until.saturating_duration_since(Instant::now()));
    match rustix::event::poll(&mut fds[..number], left.ok().as_ref()) {
        Ok(0) => Ok(None),
        Ok(_) if fds[0].revents().is_empty() => Ok(Some(Readable::Second)),
        Ok(_) | Err(Errno::INTR) => Ok(Some(Readable::First)),
        Err(error) => Err(error.into()),
    }
}
