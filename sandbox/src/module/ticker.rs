//! The one thread that advances the engine's epoch, by which running modules look at the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use wasmtime::Engine;

/// The time between two ticks: how late a looping module may be cut.
pub const TICK: Duration = Duration::from_millis(1);

/// For how many ticks no module must have gone on before the thread rests. To wake it costs more than
/// to let it tick through the pauses of a match.
const REST_AFTER: u32 = 100;

/// The time between two ticks while it rests. A worker may be kept from the processor for so long between its call of
/// [`Ticker::running`] and the moment at which its module goes on that the thread rests again: then the module is
/// interrupted by such a tick.
const SLOW_TICK: Duration = Duration::from_millis(20);

/// Ticks while modules run, slowly while none does, and ends when it is dropped.
///
/// # Why a running module is always interrupted
/// A module's code stops as soon as the epoch has moved once since it went on. A match calls
/// [`Ticker::running`] each time before a module goes on, so it is enough that an increment follows
/// each such call. All accesses to the two flags below have one order, which is that of `SeqCst`.
///
/// - The call sees that `ran` is set. Then the ticker clears it later, and the pass of its loop that
///   clears it does not rest: it sleeps and increments.
/// - The call sets `ran` and sees that the ticker rests, and wakes it: it finds `ran` set, leaves its
///   rest and increments. A wake-up that comes before it parks is not lost.
/// - The call sets `ran` and sees no rest. If the ticker then comes to rest, it looks at `ran` after
///   it has said that it rests, so after it was set. Either `ran` is still set, and it does not park;
///   or a pass of its loop has cleared it, and has incremented.
/// - Whatever happens between the call and the module's going on, an increment follows in
///   [`SLOW_TICK`] at the latest, for the rest ticks as well.
///
/// So a call writes only if the ticker has cleared `ran` since the last one, once a tick: all the
/// others only read, and worker threads do not take the cache line from each other.
#[derive(Debug)]
pub(crate) struct Ticker {
    shared: Arc<TickerShared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct TickerShared {
    /// Whether a module went on since the last tick.
    ran: AtomicBool,
    resting: AtomicBool,
    end: AtomicBool,
}

impl Ticker {
    pub(crate) fn new(engine: Engine) -> std::io::Result<Self> {
        let shared = Arc::new(TickerShared::default());
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new().name("ticker".into());
        let thread = thread.spawn(move || tick(&theirs, &engine))?;
        Ok(Ticker {
            shared,
            thread: Some(thread),
        })
    }

    /// Notes that a module goes on.
    pub(crate) fn running(&self) {
        if !self.shared.ran.load(Ordering::SeqCst) {
            self.shared.ran.store(true, Ordering::SeqCst);
        }
        if self.shared.resting.load(Ordering::SeqCst) {
            self.wake();
        }
    }

    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
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

fn tick(shared: &TickerShared, engine: &Engine) {
    let mut idle = 0;
    while !shared.end.load(Ordering::SeqCst) {
        let ran = shared.ran.swap(false, Ordering::SeqCst);
        idle = if ran { 0 } else { idle + 1 };
        if idle > REST_AFTER {
            rest(shared, engine);
            idle = 0;
        }
        thread::sleep(TICK);
        engine.increment_epoch();
    }
}

fn rest(shared: &TickerShared, engine: &Engine) {
    shared.resting.store(true, Ordering::SeqCst);
    while !shared.ran.load(Ordering::SeqCst) && !shared.end.load(Ordering::SeqCst) {
        thread::park_timeout(SLOW_TICK);
        engine.increment_epoch();
    }
    shared.resting.store(false, Ordering::SeqCst);
}
