//! The one thread that advances the engine's epoch, by which running modules look at the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use wasmtime::Engine;

/// The time between two ticks: how late a looping module may be cut.
pub const TICK: Duration = Duration::from_millis(1);

/// For how many ticks no module must have run before the thread rests. To wake it costs more than
/// to let it tick through the pauses of a match.
const REST_AFTER: u32 = 100;

/// Ticks while modules run, rests while none does, and ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Ticker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// How many modules run now.
    running: AtomicU32,
    /// Whether one ran since the last tick.
    ran: AtomicBool,
    resting: AtomicBool,
    end: AtomicBool,
}

/// A module runs while this is held.
pub(crate) struct Running<'a>(&'a Shared);

impl Ticker {
    pub(crate) fn new(engine: Engine) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new().name("ticker".into());
        let thread = thread.spawn(move || tick(&theirs, &engine))?;
        Ok(Ticker {
            shared,
            thread: Some(thread),
        })
    }

    /// Notes that a module runs.
    pub(crate) fn running(&self) -> Running<'_> {
        self.shared.ran.store(true, Ordering::Relaxed);
        // Either this is seen by the ticker before it rests, or its rest is seen here.
        self.shared.running.fetch_add(1, Ordering::SeqCst);
        if self.shared.resting.load(Ordering::SeqCst) {
            self.wake();
        }
        Running(&self.shared)
    }

    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.end.store(true, Ordering::SeqCst);
        self.wake();
        if let Some(thread) = self.thread.take() {
            // It cannot panic: it sleeps and counts.
            let _ = thread.join();
        }
    }
}

fn tick(shared: &Shared, engine: &Engine) {
    let mut idle = 0;
    while !shared.end.load(Ordering::SeqCst) {
        let ran = shared.ran.swap(false, Ordering::Relaxed);
        let busy = ran || shared.running.load(Ordering::Relaxed) > 0;
        idle = if busy { 0 } else { idle + 1 };
        if idle > REST_AFTER {
            rest(shared);
            idle = 0;
        }
        thread::sleep(TICK);
        engine.increment_epoch();
    }
}

fn rest(shared: &Shared) {
    shared.resting.store(true, Ordering::SeqCst);
    while shared.running.load(Ordering::SeqCst) == 0
        && !shared.ran.load(Ordering::SeqCst)
        && !shared.end.load(Ordering::SeqCst)
    {
        thread::park();
    }
    shared.resting.store(false, Ordering::SeqCst);
}
