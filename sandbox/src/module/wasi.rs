//! All that a module sees beside its code: WASI preview 1 with standard streams, a clock that counts
//! its readings, randomness from a seed, and the files of its bundle; no environment, no other files, no network. The
//! same seed and the same input give the same run.
//!
//! It behaves as wasmtime-wasi does with such streams and clocks, error number by error number, and
//! tests compare the two. But a call copies bytes and returns, and suspends the guest only where the
//! match must have its turn.

mod call;
mod calling;
mod clock;
mod descriptors;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod direct;
pub(super) mod errno;
mod files;
pub(crate) mod fuel;
mod functions;
mod memory;
mod poll;
mod random;
pub(super) mod state;
pub(super) mod streams;
#[cfg(test)]
mod tests;

use wasmtime::{Linker, Result};

pub use self::clock::CLOCK_STEP;
use self::state::WasiState;

use self::call::exit;
use self::calling::{WASI, failed, fd_read, fd_write, poll_oneoff};

/// Provides the functions of WASI preview 1.
pub(crate) fn provide(linker: &mut Linker<WasiState>) -> Result<()> {
    functions::provide(linker)?;
    linker.func_wrap_async(WASI, "fd_read", fd_read)?;
    linker.func_wrap_async(WASI, "fd_write", fd_write)?;
    linker.func_wrap_async(WASI, "poll_oneoff", poll_oneoff)?;
    linker.func_wrap(WASI, "proc_exit", |code: u32| -> Result<()> {
        failed(exit(code)).map(|_| ())
    })?;
    Ok(())
}
