//! The standard streams of a module: memory between the guest and its match, on one thread.
//!
//! The guest pends where it must stop, and says why; nobody wakes it, for the match polls it on.

use std::future::poll_fn;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use bytes::{Bytes, BytesMut};
use flipside_protocol::LONGEST_LINE;
use tokio::io::{AsyncRead, AsyncWrite};
use wasmtime_wasi::cli::{IsTerminal, StdinStream, StdoutStream};
use wasmtime_wasi::p2::{InputStream, OutputStream, Pollable, StreamError, StreamResult};

use crate::lines::Lines;
use crate::tail::Tail;

/// How much the guest may write at a time; the WASI layer hands over no more.
const MAX_AT_ONCE: usize = 4096;

/// How much the guest may write to its error stream before its match looks at the time.
const NOISE: usize = 256 * 1024;

/// Why the guest stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It has run for a while: the match is to look at the time.
    Time,
    /// It reads, and there is no input.
    Input,
    /// It wrote the end of a line, or as much as is kept.
    Output,
}

/// Our side and the guest's side of its three streams.
#[derive(Clone, Debug)]
pub(crate) struct Pipes(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    input: Bytes,
    /// Whether no more input comes.
    end: bool,
    output: Vec<u8>,
    tail: Tail,
    noise: usize,
    stop: Stop,
}

impl Pipes {
    pub(crate) fn new() -> Self {
        Pipes(Arc::new(Mutex::new(Inner {
            input: Bytes::new(),
            end: false,
            output: Vec::new(),
            tail: Tail::default(),
            noise: 0,
            stop: Stop::Time,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a line where the guest will read it.
    pub(crate) fn feed(&self, line: &[u8]) {
        let mut inner = self.lock();
        if inner.input.is_empty() {
            inner.input = Bytes::copy_from_slice(line);
        } else {
            // The guest has not read the line before.
            let mut both = BytesMut::from(mem::take(&mut inner.input));
            both.extend_from_slice(line);
            inner.input = both.freeze();
        }
    }

    /// Ends the input.
    pub(crate) fn end_input(&self) {
        self.lock().end = true;
    }

    /// Moves the output to where it is taken by lines, and says why the guest stopped.
    pub(crate) fn take_output(&self, lines: &mut Lines) -> Stop {
        let mut inner = self.lock();
        if !inner.output.is_empty() {
            lines.take_over(&mut inner.output);
        }
        mem::replace(&mut inner.stop, Stop::Time)
    }

    pub(crate) fn stderr_tail(&self) -> String {
        self.lock().tail.text()
    }

    /// Waits until there is input, or its end.
    pub(crate) async fn readable(&self) {
        poll_fn(|_| {
            let mut inner = self.lock();
            if inner.end || !inner.input.is_empty() {
                return Poll::Ready(());
            }
            inner.stop = Stop::Input;
            Poll::Pending
        })
        .await;
    }

    /// Whether there is input, or its end.
    pub(crate) fn has_input(&self) -> bool {
        let inner = self.lock();
        inner.end || !inner.input.is_empty()
    }

    /// Gives the thread back to the match once.
    async fn stop(&self, why: Stop) {
        let mut stopped = false;
        poll_fn(|_| {
            if mem::replace(&mut stopped, true) {
                return Poll::Ready(());
            }
            self.lock().stop = why;
            Poll::Pending
        })
        .await;
    }
}

/// The guest's standard input.
#[derive(Clone)]
pub(crate) struct Stdin(pub(crate) Pipes);

/// The guest's standard output.
#[derive(Clone)]
pub(crate) struct Stdout(pub(crate) Pipes);

/// The guest's error stream.
#[derive(Clone)]
pub(crate) struct Stderr(pub(crate) Pipes);

#[wasmtime_wasi::async_trait]
impl InputStream for Stdin {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        let mut inner = self.0.lock();
        if inner.input.is_empty() && inner.end {
            return Err(StreamError::Closed);
        }
        if size >= inner.input.len() {
            return Ok(mem::take(&mut inner.input));
        }
        Ok(inner.input.split_to(size))
    }

    async fn blocking_read(&mut self, size: usize) -> StreamResult<Bytes> {
        if size > 0 {
            self.0.readable().await;
        }
        self.read(size)
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Stdin {
    async fn ready(&mut self) {
        self.0.readable().await;
    }
}

#[wasmtime_wasi::async_trait]
impl OutputStream for Stdout {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.0.lock().output.extend_from_slice(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(MAX_AT_ONCE)
    }

    /// Writes, and stops the guest where a line ends: what it does after its answer comes out of
    /// its time for the next.
    async fn blocking_write_and_flush(&mut self, bytes: Bytes) -> StreamResult<()> {
        let full = {
            let mut inner = self.0.lock();
            inner.output.extend_from_slice(&bytes);
            inner.output.len() > LONGEST_LINE
        };
        if full || memchr::memchr(b'\n', &bytes).is_some() {
            self.0.stop(Stop::Output).await;
        }
        Ok(())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Stdout {
    async fn ready(&mut self) {}
}

#[wasmtime_wasi::async_trait]
impl OutputStream for Stderr {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        let mut inner = self.0.lock();
        inner.tail.push(&bytes);
        inner.noise += bytes.len();
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(MAX_AT_ONCE)
    }

    async fn blocking_write_and_flush(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.write(bytes)?;
        let loud = self.0.lock().noise >= NOISE;
        if loud {
            self.0.lock().noise = 0;
            self.0.stop(Stop::Time).await;
        }
        Ok(())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Stderr {
    async fn ready(&mut self) {}
}

impl IsTerminal for Stdin {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdinStream for Stdin {
    fn p2_stream(&self) -> Box<dyn InputStream> {
        Box::new(self.clone())
    }

    fn async_stream(&self) -> Box<dyn AsyncRead + Send + Sync> {
        // WASI preview 1 is built on the other stream.
        Box::new(tokio::io::empty())
    }
}

macro_rules! output {
    ($stream:ty) => {
        impl IsTerminal for $stream {
            fn is_terminal(&self) -> bool {
                false
            }
        }

        impl StdoutStream for $stream {
            fn p2_stream(&self) -> Box<dyn OutputStream> {
                Box::new(self.clone())
            }

            fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
                // WASI preview 1 is built on the other stream.
                Box::new(tokio::io::empty())
            }
        }
    };
}

output!(Stdout);
output!(Stderr);
