//! All that a module sees beside its code: WASI preview 1 with standard streams, a clock that counts
//! its readings, randomness from a seed, and the files of its bundle; no environment, no other files, no network. The
//! same seed and the same input give the same run.
//!
//! It behaves as wasmtime-wasi does with such streams and clocks, error number by error number, and
//! tests compare the two. But a call copies bytes and returns, and suspends the guest only where the
//! match must have its turn.

mod call;
mod clock;
mod descriptors;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod direct;
mod errno;
mod files;
pub(crate) mod fuel;
mod functions;
mod memory;
mod poll;
mod random;
mod streams;
#[cfg(test)]
mod tests;

use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use flipside_protocol::ClockUnit;
use wasmtime::{Caller, Extern, Linker, ResourceLimiter, Result, Trap};

pub use self::clock::CLOCK_STEP;
pub(crate) use self::errno::Exit;
pub(crate) use self::streams::{Pipes, Stop};

use self::call::{Call, Wasi, Writing, exit};
use self::errno::{Failure, Misuse};
use self::fuel::Fuel;
use self::memory::Memory;
use self::streams::GiveBack;
use crate::bundle::Content;
use crate::module::config::{CALL_PRICE, TABLE_ELEMENTS, TABLES};

/// Where the functions are that a module may import.
const WASI: &str = "wasi_snapshot_preview1";

/// The name of a module's memory.
const MEMORY: &str = "memory";

/// What a call answers where it succeeds.
const SUCCESS: i32 = 0;

/// What an instance's functions of the host work on.
pub(crate) struct State {
    wasi: Wasi,
    pub(crate) limits: Limits,
    /// None where its clock counts time.
    fuel: Option<Fuel>,
    /// The instance's memory, once a call has looked for it.
    memory: Option<wasmtime::Memory>,
}

impl State {
    pub(crate) fn new(
        pipes: Pipes,
        seed: u64,
        limits: Limits,
        content: Option<Arc<Content>>,
        unit: ClockUnit,
    ) -> Self {
        State {
            wasi: Wasi::new(pipes, seed, content),
            limits,
            fuel: match unit {
                ClockUnit::Time => None,
                ClockUnit::Fuel => Some(Fuel::default()),
            },
            memory: None,
        }
    }
}

/// Keeps an instance within its memory.
pub(crate) struct Limits {
    /// What it may use, in bytes.
    pub(crate) memory: usize,
    /// Whether it was refused more.
    pub(crate) refused: bool,
    /// Whether the machine failed to give it what it may have.
    pub(crate) failed: bool,
}

impl ResourceLimiter for Limits {
    fn memory_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        let fits = desired <= self.memory && maximum.is_none_or(|maximum| desired <= maximum);
        self.refused |= desired > self.memory;
        Ok(fits)
    }

    fn table_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        Ok(desired <= TABLE_ELEMENTS && maximum.is_none_or(|maximum| desired <= maximum))
    }

    /// A guest must not see that the machine has no room: another machine would have it.
    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> Result<()> {
        self.failed = true;
        Err(error)
    }

    fn table_grow_failed(&mut self, error: wasmtime::Error) -> Result<()> {
        self.failed = true;
        Err(error)
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

/// Provides the functions of WASI preview 1.
pub(crate) fn provide(linker: &mut Linker<State>) -> Result<()> {
    functions::provide(linker)?;
    linker.func_wrap_async(WASI, "fd_read", fd_read)?;
    linker.func_wrap_async(WASI, "fd_write", fd_write)?;
    linker.func_wrap_async(WASI, "poll_oneoff", poll_oneoff)?;
    linker.func_wrap(WASI, "proc_exit", |code: u32| -> Result<()> {
        failed(exit(code)).map(|_| ())
    })?;
    Ok(())
}

/// Makes a call that never stops the guest.
fn answer(
    caller: &mut Caller<'_, State>,
    run: impl FnOnce(&mut Call<'_>) -> Result<(), Failure>,
) -> Result<i32> {
    match with_call(caller, CALL_PRICE, run) {
        Ok(()) => Ok(SUCCESS),
        Err(failure) => failed(failure),
    }
}

fn with_call<T>(
    caller: &mut Caller<'_, State>,
    price: u64,
    run: impl FnOnce(&mut Call<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    // A store has one instance, and an instance one memory.
    let memory = match caller.data().memory {
        Some(memory) => memory,
        None => {
            let Some(Extern::Memory(memory)) = caller.get_export(MEMORY) else {
                return Err(Misuse::NoMemory.into());
            };
            caller.data_mut().memory = Some(memory);
            memory
        }
    };
    fuel::begin_call(caller, price)?;
    let (bytes, state) = memory.data_and_store_mut(&mut *caller);
    let mut call = Call {
        wasi: &mut state.wasi,
        memory: Memory::new(bytes),
    };
    let done = run(&mut call);
    let moved = call.memory.moved();
    fuel::moved(caller, moved)?;
    done
}

/// What a call that failed answers.
fn failed(failure: Failure) -> Result<i32> {
    match failure {
        Failure::OutOfFuel => Err(Trap::OutOfFuel.into()),
        Failure::Errno(errno) => Ok(errno as i32),
        Failure::Trap(misuse) => Err(misuse.into()),
        Failure::Exit(code) => Err(Exit(code).into()),
    }
}

/// The answer of a call that may stop the guest.
type Answer<'a> = Box<dyn Future<Output = Result<i32>> + Send + 'a>;

/// The answer that most calls have: the box of something without a size takes no memory.
struct Succeeded;

impl Future for Succeeded {
    type Output = Result<i32>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<i32>> {
        Poll::Ready(Ok(SUCCESS))
    }
}

/// Tries a call until it is done, and stops the guest in between: `run` gives nothing where the guest
/// is to stop.
fn until_done<'a, F>(mut caller: Caller<'a, State>, mut run: F) -> Answer<'a>
where
    F: FnMut(&mut Call<'_>) -> Result<Option<()>, Failure> + Send + 'a,
{
    match with_call(&mut caller, CALL_PRICE, &mut run) {
        Ok(Some(())) => Box::new(Succeeded),
        Err(failure) => Box::new(ready(failed(failure))),
        Ok(None) => Box::new(async move {
            loop {
                fuel::stop(&mut caller)?;
                GiveBack::default().await;
                fuel::go_on(&mut caller)?;
                // It is the same call, which was paid for.
                match with_call(&mut caller, 0, &mut run) {
                    Ok(Some(())) => return Ok(SUCCESS),
                    Err(failure) => return failed(failure),
                    Ok(None) => {}
                }
            }
        }),
    }
}

fn fd_read(caller: Caller<'_, State>, (fd, list, count, out): (u32, u32, u32, u32)) -> Answer<'_> {
    until_done(caller, move |call| call.fd_read(fd, (list, count), out))
}

fn fd_write(caller: Caller<'_, State>, (fd, list, count, out): (u32, u32, u32, u32)) -> Answer<'_> {
    let mut begun: Option<Writing> = None;
    until_done(caller, move |call| {
        if begun.is_none() {
            begun = Some(call.fd_write(fd, (list, count), out)?);
        }
        let writing = begun.as_mut().expect("it has begun");
        call.go_on_writing(writing)
    })
}

fn poll_oneoff(
    caller: Caller<'_, State>,
    (list, events, count, out): (u32, u32, u32, u32),
) -> Answer<'_> {
    let mut subscriptions = None;
    until_done(caller, move |call| {
        // Its clocks are read once, however often it stops.
        if subscriptions.is_none() {
            subscriptions = Some(call.subscriptions(list, count)?);
        }
        let subscriptions = subscriptions.as_deref().expect("they were read");
        call.poll(subscriptions, events, out)
    })
}
