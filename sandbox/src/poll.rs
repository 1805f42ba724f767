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
