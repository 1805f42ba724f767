//! How a guest's calls reach their functions, and how they answer: at once, or when the guest goes on.

use std::future::{poll_fn, ready};
use std::mem;
use std::task::Poll;

use wasmtime::{Caller, Error, Extern, Result, Trap};

use crate::module::config::CALL_PRICE;
use crate::module::wasi::call::{Call, PendingWrite};
use crate::module::wasi::errno::{ErrnoFailure, Exit, WasiTrap};
use crate::module::wasi::fuel;
use crate::module::wasi::memory::Memory;
use crate::module::wasi::state::WasiState;

/// Where the functions are that a module may import.
pub(crate) const WASI: &str = "wasi_snapshot_preview1";

/// The name of a module's memory.
const MEMORY: &str = "memory";

/// What a call answers where it succeeds.
pub(crate) const SUCCESS: i32 = 0;

/// Makes a call that never stops the guest.
pub(crate) fn answer(
    caller: &mut Caller<'_, WasiState>,
    run: impl FnOnce(&mut Call<'_>) -> Result<(), ErrnoFailure>,
) -> Result<i32> {
    with_call(caller, CALL_PRICE, run).map_or_else(failed, |()| Ok(SUCCESS))
}

fn with_call<T>(
    caller: &mut Caller<'_, WasiState>,
    price: u64,
    run: impl FnOnce(&mut Call<'_>) -> Result<T, ErrnoFailure>,
) -> Result<T, ErrnoFailure> {
    // A store has one instance, and an instance one memory.
    let memory = match caller.data().memory {
        Some(memory) => memory,
        None => {
            let Some(Extern::Memory(memory)) = caller.get_export(MEMORY) else {
                return Err(WasiTrap::NoMemory.into());
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
pub(crate) fn failed(failure: ErrnoFailure) -> Result<i32> {
    match failure {
        ErrnoFailure::OutOfFuel => Err(Trap::OutOfFuel.into()),
        ErrnoFailure::Errno(errno) => Ok(errno as i32),
        ErrnoFailure::Trap(misuse) => Err(misuse.into()),
        ErrnoFailure::Exit(code) => Err(Exit(code).into()),
    }
}

/// The answer of a call that may stop the guest.
type CallResult<'a> = Box<dyn Future<Output = Result<i32>> + Send + 'a>;

/// Tries a call until it is done, and stops the guest in between: `run` gives nothing where the guest
/// is to stop.
fn until_done<'a, F>(mut caller: Caller<'a, WasiState>, mut run: F) -> CallResult<'a>
where
    F: FnMut(&mut Call<'_>) -> Result<Option<()>, ErrnoFailure> + Send + 'a,
{
    match with_call(&mut caller, CALL_PRICE, &mut run) {
        // Most calls: the box of something without a size takes no memory.
        Ok(Some(())) => Box::new(poll_fn(|_| Poll::Ready(Ok::<_, Error>(SUCCESS)))),
        Err(failure) => Box::new(ready(failed(failure))),
        Ok(None) => Box::new(async move {
            loop {
                fuel::stop(&mut caller)?;
                give_back().await;
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

/// Gives the thread back to the match once. Nobody wakes the guest, for the match polls it on.
async fn give_back() {
    let mut gave = false;
    poll_fn(|_| match mem::replace(&mut gave, true) {
        false => Poll::Pending,
        true => Poll::Ready(()),
    })
    .await;
}

pub(crate) fn fd_read(
    caller: Caller<'_, WasiState>,
    (fd, list, count, out): (u32, u32, u32, u32),
) -> CallResult<'_> {
    until_done(caller, move |call| call.fd_read(fd, (list, count), out))
}

pub(crate) fn fd_write(
    caller: Caller<'_, WasiState>,
    (fd, list, count, out): (u32, u32, u32, u32),
) -> CallResult<'_> {
    let mut begun: Option<PendingWrite> = None;
    until_done(caller, move |call| {
        if begun.is_none() {
            begun = Some(call.fd_write(fd, (list, count), out)?);
        }
        let writing = begun.as_mut().expect("it has begun");
        call.go_on_writing(writing)
    })
}

pub(crate) fn poll_oneoff(
    caller: Caller<'_, WasiState>,
    (list, events, count, out): (u32, u32, u32, u32),
) -> CallResult<'_> {
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
