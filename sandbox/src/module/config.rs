//! The settings of the WebAssembly engine that go into compiled code.

use wasmtime::Config;

/// The stack of a module, in bytes, and the whole stack on which it runs, with our functions above.
const STACK: usize = 1024 * 1024;
const WHOLE_STACK: usize = 2 * 1024 * 1024;

/// The most tables of a module, and the most elements of each.
pub(crate) const TABLES: usize = 2;
pub(crate) const TABLE_ELEMENTS: usize = 100_000;

/// A module must give the same answers on every machine and must not hold up its thread: so NaN
/// bits are fixed, what differs between processors is off, and code looks at the epoch.
///
/// A clock that counts fuel needs an engine of its own with `consume_fuel`, for it is compiled in.
pub(crate) fn config() -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        .max_wasm_stack(STACK)
        .async_stack_size(WHOLE_STACK);
    config
}
