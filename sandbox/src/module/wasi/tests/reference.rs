//! WASI as wasmtime-wasi has it, over streams, clocks and randomness like ours: what our functions are
//! compared with.

use std::future::poll_fn;
use std::mem;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use flipside_protocol::LONGEST_LINE;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tokio::io::{AsyncRead, AsyncWrite};
use wasmtime_wasi::cli::{IsTerminal, StdinStream, StdoutStream};
use wasmtime_wasi::p1::WasiP1Ctx;
use wasmtime_wasi::p2::{InputStream, OutputStream, Pollable, StreamError, StreamResult};
use wasmtime_wasi::{FsPerms, HostMonotonicClock, HostWallClock, WasiCtxBuilder};

use super::WasiSide;
use crate::module::wasi::streams::StreamStop;
use crate::stderr_tail::Tail;

/// How much the guest may write at a time; the WASI layer hands over no more.
const MAX_AT_ONCE: usize = 4096;

/// How much the guest may write to its error stream before its match looks at the time.
const NOISE: usize = 256 * 1024;

/// How far the clocks go with every reading.
const CLOCK_STEP: Duration = Duration::from_micros(10);

/// The time at which the wall clock starts.
const CLOCK_START: Duration = Duration::from_secs(946_684_800);

/// The most random bytes in one call.
const MAX_RANDOM: u64 = 64 * 1024;

/// Time that goes on with every reading.
#[derive(Clone, Debug, Default)]
struct ReferenceClock(Arc<AtomicU64>);

impl ReferenceClock {
    fn read(&self) -> u64 {
        let step = CLOCK_STEP.as_nanos() as u64;
        self.0.fetch_add(step, Ordering::Relaxed) + step
    }
}

impl HostMonotonicClock for ReferenceClock {
    fn resolution(&self) -> u64 {
        CLOCK_STEP.as_nanos() as u64
    }

    fn now(&self) -> u64 {
        self.read()
    }
}

impl HostWallClock for ReferenceClock {
    fn resolution(&self) -> Duration {
        CLOCK_STEP
    }

    fn now(&self) -> Duration {
        CLOCK_START + Duration::from_nanos(self.read())
    }
}

/// The WASI of one instance.
pub(crate) fn context(pipes: &ReferencePipes, seed: u64, folder: Option<&Path>) -> WasiP1Ctx {
    let clock = ReferenceClock::default();
    let random = |stream| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        random
    };
    let mut builder = WasiCtxBuilder::new();
    // Otherwise other threads would read files.
    builder.allow_blocking_current_thread(true);
    if let Some(folder) = folder {
        builder
            .preopened_dir(folder, "/", FsPerms::ReadOnly)
            .unwrap();
    }
    builder
        .stdin(Stdin(pipes.clone()))
        .stdout(ReferenceStdout(pipes.clone()))
        .stderr(ReferenceStderr(pipes.clone()))
        .arg("bot")
        .secure_random(random(0))
        .insecure_random(random(1))
        .insecure_random_seed(seed.into())
        .max_random_size(MAX_RANDOM)
        .monotonic_clock(clock.clone())
        .wall_clock(clock)
        .build_p1()
}

/// Our side and the guest's side of its three streams.
#[derive(Clone, Debug)]
pub(crate) struct ReferencePipes(Arc<Mutex<ReferenceInner>>);

#[derive(Debug)]
struct ReferenceInner {
    input: Bytes,
    /// Whether no more input comes.
    end: bool,
    output: Vec<u8>,
    tail: Tail,
    noise: usize,
    stop: StreamStop,
}

impl ReferencePipes {
    pub(crate) fn new() -> Self {
        ReferencePipes(Arc::new(Mutex::new(ReferenceInner {
            input: Bytes::new(),
            end: false,
            output: Vec::new(),
            tail: Tail::default(),
            noise: 0,
            stop: StreamStop::Time,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, ReferenceInner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is input, or its end.
    pub(crate) async fn readable(&self) {
        poll_fn(|_| {
            let mut inner = self.lock();
            if inner.end || !inner.input.is_empty() {
                return Poll::Ready(());
            }
            inner.stop = StreamStop::Input;
            Poll::Pending
        })
        .await;
    }

    /// Gives the thread back to the match once.
    async fn stop(&self, why: StreamStop) {
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

impl WasiSide for ReferencePipes {
    fn feed(&self, line: &[u8]) {
        let mut inner = self.lock();
        let mut both = BytesMut::from(mem::take(&mut inner.input));
        both.extend_from_slice(line);
        inner.input = both.freeze();
    }

    fn end_input(&self) {
        self.lock().end = true;
    }

    fn take(&self) -> (StreamStop, Vec<u8>) {
        let mut inner = self.lock();
        let stop = mem::replace(&mut inner.stop, StreamStop::Time);
        (stop, mem::take(&mut inner.output))
    }

    fn stderr(&self) -> String {
        self.lock().tail.take_since(&mut 0)
    }
}

/// The guest's standard input.
#[derive(Clone)]
pub(crate) struct Stdin(pub(crate) ReferencePipes);

/// The guest's standard output.
#[derive(Clone)]
pub(crate) struct ReferenceStdout(pub(crate) ReferencePipes);

/// The guest's error stream.
#[derive(Clone)]
pub(crate) struct ReferenceStderr(pub(crate) ReferencePipes);

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
impl OutputStream for ReferenceStdout {
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
            self.0.stop(StreamStop::Output).await;
        }
        Ok(())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for ReferenceStdout {
    async fn ready(&mut self) {}
}

#[wasmtime_wasi::async_trait]
impl OutputStream for ReferenceStderr {
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
            self.0.stop(StreamStop::Time).await;
        }
        Ok(())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for ReferenceStderr {
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

output!(ReferenceStdout);
output!(ReferenceStderr);
