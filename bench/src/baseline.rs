//! Yardsticks: the same round trips with nothing of ours around them.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::thread::CpuSet;

mod echo;
pub(crate) mod lean;
#[cfg(feature = "wasi-yardstick")]
mod wasi;

use self::echo::line;

/// A yardstick: so many round trips of a line of this length; gives the time of one.
pub(crate) type RoundTrip = fn(u32, usize) -> wasmtime::Result<Duration>;

/// The yardstick of plain wasmtime-wasi, where the feature `wasi-yardstick` builds it in.
#[cfg(feature = "wasi-yardstick")]
pub(crate) const WASI_ROUND_TRIP: Option<RoundTrip> = Some(wasi::wasi_round_trip);
/// The yardstick of plain wasmtime-wasi, where the feature `wasi-yardstick` builds it in.
#[cfg(not(feature = "wasi-yardstick"))]
pub(crate) const WASI_ROUND_TRIP: Option<RoundTrip> = None;

/// This thread, and what it starts, on the one processor where it is now, until this is dropped.
pub(crate) struct Pinned(CpuSet);

impl Pinned {
    /// Pins this thread.
    pub(crate) fn here() -> io::Result<Self> {
        let before = rustix::thread::sched_getaffinity(None)?;
        let mut one = CpuSet::new();
        one.set(rustix::thread::sched_getcpu());
        rustix::thread::sched_setaffinity(None, &one)?;
        Ok(Pinned(before))
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // It was allowed before; and if it is no more, the thread stays where it is.
        let _ = rustix::thread::sched_setaffinity(None, &self.0);
    }
}

/// The time of one round trip through two pipes: a line to a process that answers every line with one
/// of its own; blocking calls, no runtime, no deadline, no checks.
pub(crate) fn pipe_round_trip(
    echo: &mut Command,
    rounds: u32,
    line_len: usize,
) -> io::Result<Duration> {
    let child = echo.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut echo = Echo(child);
    let stdin = OwnedFd::from(echo.0.stdin.take().expect("stdin is piped"));
    let stdout = OwnedFd::from(echo.0.stdout.take().expect("stdout is piped"));
    let line = line(line_len);
    let mut answer = vec![0; line.len().max(SHORTEST_ROOM)];
    let mut round = || -> io::Result<()> {
        let mut rest = &line[..];
        while !rest.is_empty() {
            rest = &rest[rustix::io::write(&stdin, rest)?..];
        }
        let mut last = 0;
        while last != b'\n' {
            match rustix::io::read(&stdout, &mut answer[..])? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                length => last = answer[length - 1],
            }
        }
        Ok(())
    };
    round()?;
    let begun = Instant::now();
    for _ in 0..rounds {
        round()?;
    }
    Ok(begun.elapsed() / rounds.max(1))
}

/// Room for an answer that is longer than its question.
const SHORTEST_ROOM: usize = 1024;

/// Ends and reaps the process.
struct Echo(Child);

impl Drop for Echo {
    fn drop(&mut self) {
        // It fails where the process has ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::lean::lean_round_trip;

    #[test]
    fn the_yardsticks_measure() {
        let _pinned = Pinned::here().unwrap();
        let time = pipe_round_trip(&mut Command::new("cat"), 10, 100).unwrap();
        assert!(time > Duration::ZERO);
        assert!(pipe_round_trip(&mut Command::new("true"), 10, 100).is_err());
        assert!(lean_round_trip(10, 100).unwrap() > Duration::ZERO);
        assert!(lean_round_trip(10, 300_000).unwrap() > Duration::ZERO);
        #[cfg(feature = "wasi-yardstick")]
        assert!(wasi::wasi_round_trip(10, 100).unwrap() > Duration::ZERO);
    }
}
