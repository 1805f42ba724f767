//! The standard streams of a module: memory between the guest and its match, on one thread.
//!
//! A guest stops inside a call where it must, and the streams say why. Nobody wakes it, for the match
//! polls it on.

use std::mem;
use std::sync::{Arc, Mutex};

use flipside_protocol::LONGEST_LINE;

use crate::lines::Lines;
use crate::lock::lock;
use crate::stderr_tail::Tail;

/// How much the guest writes at a time: where a line ends, it stops after the piece that ends it.
pub(crate) const MAX_AT_ONCE: usize = 4096;

/// How much the guest may write to its error stream before its match looks at the time.
const NOISE: usize = 256 * 1024;

/// How much room for input is kept when it has been read.
const KEPT_ROOM: usize = 64 * 1024;

/// Why the guest stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StreamStop {
    /// It has run for a while: the match is to look at the time, and to see to other work.
    #[default]
    Time,
    /// It reads, and there is no input.
    Input,
    /// It wrote the end of a line, or as much as is kept.
    Output,
}

/// Which of the three streams a descriptor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdin,
    Stdout,
    Stderr,
}

/// Our side and the guest's side of its three streams.
///
/// The two sides take turns on one thread, so the lock is always free; it is there because the guest
/// may move to another thread between two turns.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamPipes(Arc<Mutex<StreamInner>>);

#[derive(Debug, Default)]
struct StreamInner {
    input: Vec<u8>,
    /// How much of the input was read.
    read: usize,
    /// Whether no more input comes.
    end: bool,
    output: Vec<u8>,
    tail: Tail,
    noise: usize,
    stop: StreamStop,
    /// The fuel that the guest has while it stands still, where its clock counts fuel.
    fuel: u64,
}

impl StreamInner {
    /// The input that was not read.
    fn unread(&self) -> &[u8] {
        &self.input[self.read..]
    }

    fn has_input(&self) -> bool {
        self.end || !self.unread().is_empty()
    }

    fn has_input_or_stops(&mut self) -> bool {
        let has_input = self.has_input();
        if !has_input {
            self.stop = StreamStop::Input;
        }
        has_input
    }
}

impl StreamPipes {
    /// Puts a line where the guest will read it.
    pub(crate) fn feed(&self, line: &[u8]) {
        let mut inner = lock(&self.0);
        // The guest may not have read the line before.
        if inner.unread().is_empty() {
            inner.input.clear();
            inner.read = 0;
            inner.input.shrink_to(KEPT_ROOM);
        }
        inner.input.extend_from_slice(line);
    }

    /// The fuel that the guest has while it stands still.
    pub(crate) fn fuel(&self) -> u64 {
        lock(&self.0).fuel
    }

    /// Gives the guest so much fuel for when it goes on, or keeps what it has left.
    pub(crate) fn set_fuel(&self, fuel: u64) {
        lock(&self.0).fuel = fuel;
    }

    /// Ends the input.
    pub(crate) fn end_input(&self) {
        lock(&self.0).end = true;
    }

    /// Moves the output to where it is taken by lines, and says why the guest stopped.
    pub(crate) fn take_output(&self, lines: &mut Lines) -> StreamStop {
        let mut inner = lock(&self.0);
        if !inner.output.is_empty() {
            lines.take_over(&mut inner.output);
        }
        mem::take(&mut inner.stop)
    }

    /// What came on standard error since it had this length, which is moved to the end.
    pub(crate) fn stderr_since(&self, mark: &mut u64) -> String {
        lock(&self.0).tail.take_since(mark)
    }

    /// Whether there is input, or its end.
    pub(crate) fn has_input(&self) -> bool {
        lock(&self.0).has_input()
    }

    /// Whether there is input, or its end. Where there is neither, the guest is to stop for it.
    pub(crate) fn has_input_or_stops(&self) -> bool {
        lock(&self.0).has_input_or_stops()
    }

    /// Hands the next input over, at most so much, and says how much it was; none at the end of the
    /// input. Where input is still to come, the guest is to stop for it.
    pub(crate) fn read<E>(
        &self,
        most: usize,
        take: impl FnOnce(&[u8]) -> Result<(), E>,
    ) -> Option<Result<usize, E>> {
        let mut inner = lock(&self.0);
        if !inner.has_input_or_stops() {
            return None;
        }
        let unread = inner.unread();
        let length = unread.len().min(most);
        let taken = take(&unread[..length]);
        inner.read += length;
        Some(taken.map(|()| length))
    }

    /// Whether the input has ended, and all of it was read.
    pub(crate) fn at_end(&self) -> bool {
        let inner = lock(&self.0);
        inner.end && inner.unread().is_empty()
    }

    /// Writes a piece, and says whether the guest is to stop now. It stops where a line ends: what
    /// it does after its answer comes out of its time for the next.
    pub(crate) fn write(&self, stream: Stream, piece: &[u8]) -> bool {
        let mut inner = lock(&self.0);
        if stream == Stream::Stderr {
            inner.tail.push(piece);
            inner.noise += piece.len();
            let loud = inner.noise >= NOISE;
            if loud {
                inner.noise = 0;
                inner.stop = StreamStop::Time;
            }
            return loud;
        }
        inner.output.extend_from_slice(piece);
        let stops = inner.output.len() > LONGEST_LINE || memchr::memchr(b'\n', piece).is_some();
        if stops {
            inner.stop = StreamStop::Output;
        }
        stops
    }
}
