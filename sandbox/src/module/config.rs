//! The settings of the WebAssembly engine that go into compiled code.

use flipside_protocol::ClockUnit;
use wasmtime::{Config, OperatorCost};

/// The stack of a module, in bytes, and the whole stack on which it runs, with our functions above.
const STACK: usize = 1024 * 1024;
const WHOLE_STACK: usize = 2 * 1024 * 1024;

/// The most tables of a module, and the most elements of each.
pub(crate) const TABLES: usize = 2;
pub(crate) const TABLE_ELEMENTS: usize = 100_000;

/// What the same fuel means: the engine that counts it, and the version of our prices. A record holds it, and fuel of
/// another metering is not compared. A test counts the fuel of fixed programs; when a new engine or new prices change
/// its numbers, this must change too.
pub const METERING: &str = "wasmtime-48/1";

/// What a call of a function of the host costs, and each byte that it moves between the host and the module's memory.
pub(crate) const CALL_PRICE: u64 = 1_000;
pub(crate) const BYTE_PRICE: u64 = 1;

/// What a page costs by which a memory grows: it is cleared. The largest price that the engine takes.
const PAGE_PRICE: u8 = u8::MAX;

/// What a division or a square root costs.
const DIVISION_PRICE: u8 = 10;

/// What instructions cost: one unit each but for what generates no code, as the engine has it, and one more for each
/// byte or element that an instruction moves. Those that take much longer than others cost more.
fn prices() -> OperatorCost {
    let mut prices = OperatorCost::new();
    for price in [
        &mut prices.I32DivS,
        &mut prices.I32DivU,
        &mut prices.I32RemS,
        &mut prices.I32RemU,
        &mut prices.I64DivS,
        &mut prices.I64DivU,
        &mut prices.I64RemS,
        &mut prices.I64RemU,
        &mut prices.F32Div,
        &mut prices.F64Div,
        &mut prices.F32Sqrt,
        &mut prices.F64Sqrt,
        &mut prices.F32x4Div,
        &mut prices.F64x2Div,
        &mut prices.F32x4Sqrt,
        &mut prices.F64x2Sqrt,
    ] {
        *price = DIVISION_PRICE;
    }
    // They call the host, also to grow by nothing.
    prices.MemoryGrow = u8::MAX;
    prices.TableGrow = u8::MAX;
    prices.variable.memory_copy_per_byte = 1;
    prices.variable.memory_fill_per_byte = 1;
    prices.variable.memory_init_per_byte = 1;
    prices.variable.memory_grow_per_page = PAGE_PRICE;
    prices.variable.table_copy_per_element = 1;
    prices.variable.table_fill_per_element = 1;
    prices.variable.table_init_per_element = 1;
    prices.variable.table_grow_per_element = 1;
    prices
}

/// A module must give the same answers on every machine and must not hold up its thread: so NaN
/// bits are fixed, what differs between processors is off, and code looks at the epoch.
///
/// Where it counts fuel, it is compiled for what all processors of an architecture have in common: how much stack a
/// function takes depends on the instructions that there are, and with it where the stack overflows.
pub(crate) fn config(unit: ClockUnit) -> wasmtime::Result<Config> {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        // Without its feature `gc`, wasmtime refuses the types of this proposal, yet not all of its instructions.
        .wasm_gc(false)
        .max_wasm_stack(STACK)
        .async_stack_size(WHOLE_STACK);
    if unit == ClockUnit::Fuel {
        config.consume_fuel(true).operator_cost(prices());
        config.target(&format!("{}-unknown-linux-gnu", std::env::consts::ARCH))?;
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    /// If this fails, fuel means something else than in the records that there are: then [`METERING`] must change too.
    #[test]
    fn the_prices_are_what_they_were() {
        let hash = Sha256::digest(format!("{:?}", prices()));
        assert_eq!(
            (hex::encode(&hash[..8]).as_str(), METERING),
            ("91d66829481dcae3", "wasmtime-48/1")
        );
    }
}
