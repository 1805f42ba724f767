//! The fuel of a guest, which is its time where its clock counts fuel: who has it when, and what calls of the host
//! cost.
//!
//! While a guest stands still, its fuel lies with its pipes, where its match sets it. While it runs, its store has it.

use wasmtime::{AsContextMut, Caller, Result, Store};

use crate::module::config::BYTE_PRICE;
use crate::module::wasi::errno::ErrnoFailure;
use crate::module::wasi::state::WasiState;

/// Lets an instance be made, which no fuel counts: it does not cost the same on every system. The stores of modules
/// whose clock counts time have no fuel.
pub(crate) fn make(store: &mut Store<WasiState>) -> Result<()> {
    if store.data().fuel.is_some() {
        store.set_fuel(u64::MAX)?;
    }
    Ok(())
}

/// The guest goes on, with what its match gave it.
pub(crate) fn go_on(mut store: impl AsContextMut<Data = WasiState>) -> Result<()> {
    let mut store = store.as_context_mut();
    let state = store.data_mut();
    let Some(fuel) = &mut state.fuel else {
        return Ok(());
    };
    fuel.had = state.wasi.pipes.fuel();
    let had = fuel.had;
    store.set_fuel(had)
}

/// The guest stands still, and its pipes keep what it has left.
pub(crate) fn stop(mut store: impl AsContextMut<Data = WasiState>) -> Result<()> {
    let mut store = store.as_context_mut();
    if store.data().fuel.is_none() {
        return Ok(());
    }
    let left = store.get_fuel()?;
    let state = store.data_mut();
    state.wasi.pipes.set_fuel(left);
    if let Some(fuel) = &mut state.fuel {
        fuel.used = fuel.used.saturating_add(fuel.had.saturating_sub(left));
        fuel.had = left;
    }
    Ok(())
}

/// Begins a call of the host: what it costs by itself is taken off, and the guest's clocks say how much it has used.
pub(crate) fn begin_call(
    caller: &mut Caller<'_, WasiState>,
    price: u64,
) -> Result<(), ErrnoFailure> {
    if caller.data().fuel.is_none() {
        return Ok(());
    }
    let left = take(caller, price)?;
    let state = caller.data_mut();
    if let Some(fuel) = &state.fuel {
        let used = fuel.used.saturating_add(fuel.had.saturating_sub(left));
        state.wasi.clock.at(used);
    }
    Ok(())
}

/// Takes off what it costs to have moved so many bytes.
pub(crate) fn moved(caller: &mut Caller<'_, WasiState>, bytes: u64) -> Result<(), ErrnoFailure> {
    if caller.data().fuel.is_some() && bytes > 0 {
        take(caller, bytes.saturating_mul(BYTE_PRICE))?;
    }
    Ok(())
}

/// Takes fuel off, and says what is left.
fn take(caller: &mut Caller<'_, WasiState>, price: u64) -> Result<u64, ErrnoFailure> {
    // A store that counts fuel can always say how much it has, and take more.
    let left = caller.get_fuel().map_or(0, |had| had.saturating_sub(price));
    match caller.set_fuel(left) {
        Ok(()) if left > 0 => Ok(left),
        _ => Err(ErrnoFailure::OutOfFuel),
    }
}
