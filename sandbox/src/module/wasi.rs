//! All that a module sees beside its streams: a clock that counts its readings, randomness from a
//! seed, no environment, no files, no network. The same seed and the same input give the same run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use wasmtime::{Caller, Linker, Memory, ResourceLimiter, Result};
use wasmtime_wasi::p1::{self, WasiP1Ctx};
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtxBuilder};

use crate::module::config::{TABLE_ELEMENTS, TABLES};
use crate::module::streams::{Pipes, Stderr, Stdin, Stdout};

/// How far a module's clocks go with every reading.
pub const CLOCK_STEP: Duration = Duration::from_micros(10);

/// The time at which a module's wall clock starts: 2000-01-01 00:00:00 UTC.
const CLOCK_START: Duration = Duration::from_secs(946_684_800);

/// The most random bytes a module gets in one call.
const MAX_RANDOM: u64 = 64 * 1024;

/// The most things a module waits for at a time.
const MAX_SUBSCRIPTIONS: u32 = 64;

/// Where the functions are that a module may import.
const WASI: &str = "wasi_snapshot_preview1";

/// What an instance's functions of the host work on.
pub(crate) struct State {
    pub(crate) wasi: WasiP1Ctx,
    pub(crate) pipes: Pipes,
    pub(crate) clock: Clock,
    pub(crate) limits: Limits,
}

/// Keeps an instance within its memory.
pub(crate) struct Limits {
    /// What it may use, in bytes.
    pub(crate) memory: usize,
    /// Whether it was refused more.
    pub(crate) refused: bool,
}

impl ResourceLimiter for Limits {
    fn memory_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        let fits = desired <= self.memory && maximum.is_none_or(|maximum| desired <= maximum);
        self.refused |= desired > self.memory;
        Ok(fits)
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        Ok(desired <= TABLE_ELEMENTS)
    }

    fn instances(&self) -> usize {
        1
    }

    fn memories(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        TABLES
    }
}

/// A clock that stands still between its readings; sleeping sets it forward.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock(Arc<AtomicU64>);

impl Clock {
    /// Nanoseconds since the start.
    fn read(&self) -> u64 {
        self.forward(CLOCK_STEP.as_nanos() as u64)
    }

    fn forward(&self, by: u64) -> u64 {
        let time = self.0.load(Ordering::Relaxed).saturating_add(by);
        self.0.store(time, Ordering::Relaxed);
        time
    }
}

impl HostMonotonicClock for Clock {
    fn resolution(&self) -> u64 {
        CLOCK_STEP.as_nanos() as u64
    }

    fn now(&self) -> u64 {
        self.read()
    }
}

impl HostWallClock for Clock {
    fn resolution(&self) -> Duration {
        CLOCK_STEP
    }

    fn now(&self) -> Duration {
        CLOCK_START + Duration::from_nanos(self.read())
    }
}

/// The WASI of one instance.
pub(crate) fn context(pipes: &Pipes, clock: &Clock, seed: u64) -> WasiP1Ctx {
    let random = |stream| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        random
    };
    WasiCtxBuilder::new()
        .stdin(Stdin(pipes.clone()))
        .stdout(Stdout(pipes.clone()))
        .stderr(Stderr(pipes.clone()))
        .arg("bot")
        .secure_random(random(0))
        .insecure_random(random(1))
        .insecure_random_seed(seed.into())
        .max_random_size(MAX_RANDOM)
        .monotonic_clock(clock.clone())
        .wall_clock(clock.clone())
        .build_p1()
}

/// Provides the functions of WASI preview 1: those of wasmtime, but for waiting, which is virtual
/// here, and for sockets, which would write to our log.
pub(crate) fn provide(linker: &mut Linker<State>) -> Result<()> {
    p1::add_to_linker_async(linker, |state: &mut State| &mut state.wasi)?;
    linker.allow_shadowing(true);
    linker.func_wrap_async(WASI, "poll_oneoff", |caller, (subs, events, count, out)| {
        Box::new(poll_oneoff(caller, subs, events, count, out))
    })?;
    linker.func_wrap(WASI, "sock_accept", |_: i32, _: i32, _: i32| NOTSUP)?;
    linker.func_wrap(
        WASI,
        "sock_recv",
        |_: i32, _: i32, _: i32, _: i32, _: i32, _: i32| NOTSUP,
    )?;
    linker.func_wrap(
        WASI,
        "sock_send",
        |_: i32, _: i32, _: i32, _: i32, _: i32| NOTSUP,
    )?;
    linker.func_wrap(WASI, "sock_shutdown", |_: i32, _: i32| NOTSUP)?;
    linker.allow_shadowing(false);
    Ok(())
}

// Error numbers of WASI preview 1.
const SUCCESS: i32 = 0;
const BADF: i32 = 8;
const FAULT: i32 = 21;
const INVAL: i32 = 28;
const NOTSUP: i32 = 58;

// The layout of its subscriptions and events.
const SUBSCRIPTION: usize = 48;
const EVENT: usize = 32;
const ON_CLOCK: u8 = 0;
const ON_READ: u8 = 1;
const ON_WRITE: u8 = 2;
const REALTIME: u32 = 0;
const MONOTONIC: u32 = 1;
const ABSOLUTE: u16 = 1;

/// One thing that a module waits for.
struct Subscription {
    userdata: u64,
    on: u8,
    /// For a clock, in how many nanoseconds.
    time: u64,
}

/// Waits as the module sees it: a time passes at once on its own clock. Where it waits for input
/// that is not there, no time passes, whatever time it allows itself; for the referee decides when
/// input comes, and a module that looks for it again and again would never stop.
async fn poll_oneoff(
    mut caller: Caller<'_, State>,
    subscriptions: i32,
    events: i32,
    count: i32,
    out: i32,
) -> Result<i32> {
    let Some(memory) = caller
        .get_export("memory")
        .and_then(|export| export.into_memory())
    else {
        return Ok(FAULT);
    };
    let count = count as u32;
    if count == 0 || count > MAX_SUBSCRIPTIONS {
        return Ok(INVAL);
    }
    let mut list = Vec::with_capacity(count as usize);
    for index in 0..count as usize {
        let at = (subscriptions as u32 as usize) + index * SUBSCRIPTION;
        match subscription(&caller, memory, at) {
            Ok(subscription) => list.push(subscription),
            Err(errno) => return Ok(errno),
        }
    }
    let pipes = caller.data().pipes.clone();
    let reads = list.iter().any(|it| it.on == ON_READ);
    if reads && !list.iter().any(|it| it.on == ON_WRITE) {
        pipes.readable().await;
    }
    let input = reads && pipes.has_input();
    let others = list.iter().any(|it| it.on == ON_WRITE) || input;
    let soonest = list
        .iter()
        .filter(|it| it.on == ON_CLOCK)
        .map(|it| it.time)
        .min();
    let now = match soonest {
        Some(time) if !others => {
            caller.data().clock.forward(time);
            time
        }
        _ => 0,
    };
    let mut written = 0u32;
    for it in &list {
        let ready = match it.on {
            ON_CLOCK => it.time <= now,
            ON_READ => input,
            _ => true,
        };
        if !ready {
            continue;
        }
        let mut event = [0; EVENT];
        event[..8].copy_from_slice(&it.userdata.to_le_bytes());
        event[10] = it.on;
        event[16] = u8::from(it.on != ON_CLOCK);
        let at = (events as u32 as usize) + written as usize * EVENT;
        if memory.write(&mut caller, at, &event).is_err() {
            return Ok(FAULT);
        }
        written += 1;
    }
    let done = memory.write(&mut caller, out as u32 as usize, &written.to_le_bytes());
    Ok(if done.is_ok() { SUCCESS } else { FAULT })
}

fn subscription(
    caller: &Caller<'_, State>,
    memory: Memory,
    at: usize,
) -> Result<Subscription, i32> {
    let mut bytes = [0; SUBSCRIPTION];
    memory.read(caller, at, &mut bytes).map_err(|_| FAULT)?;
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let id = word(16) as u32;
    let userdata = word(0);
    match bytes[8] {
        ON_CLOCK => {
            let absolute = word(40) as u16 & ABSOLUTE != 0;
            let start = match id {
                REALTIME => CLOCK_START.as_nanos() as u64,
                MONOTONIC => 0,
                _ => return Err(INVAL),
            };
            // A wall time before the start has passed as well.
            let passed = if absolute {
                caller.data().clock.read().saturating_add(start)
            } else {
                0
            };
            Ok(Subscription {
                userdata,
                on: ON_CLOCK,
                time: word(24).saturating_sub(passed),
            })
        }
        on if (on == ON_READ && id == 0) || (on == ON_WRITE && (id == 1 || id == 2)) => {
            let time = 0;
            Ok(Subscription { userdata, on, time })
        }
        ON_READ | ON_WRITE => Err(BADF),
        _ => Err(INVAL),
    }
}
