//! What an instance's functions of the host work on, and what keeps it within its limits.

use std::sync::Arc;

use flipside_protocol::ClockUnit;
use wasmtime::{ResourceLimiter, Result};

use crate::bundle::content::Content;
use crate::module::config::{TABLE_ELEMENTS, TABLES};
use crate::module::wasi::call::Wasi;
use crate::module::wasi::streams::StreamPipes;

/// What an instance's functions of the host work on.
pub(crate) struct WasiState {
    pub(crate) wasi: Wasi,
    pub(crate) limits: WasiLimits,
    /// None where its clock counts time.
    pub(crate) fuel: Option<Fuel>,
    /// The instance's memory, once a call has looked for it.
    pub(crate) memory: Option<wasmtime::Memory>,
}

impl WasiState {
    pub(crate) fn new(
        pipes: StreamPipes,
        seed: u64,
        limits: WasiLimits,
        content: Option<Arc<Content>>,
        unit: ClockUnit,
    ) -> Self {
        WasiState {
            wasi: Wasi::new(pipes, seed, content),
            limits,
            fuel: (unit == ClockUnit::Fuel).then(Fuel::default),
            memory: None,
        }
    }
}

/// Keeps an instance within its memory.
pub(crate) struct WasiLimits {
    /// What it may use, in bytes.
    pub(crate) memory: usize,
    /// Whether it was refused more.
    pub(crate) refused: bool,
    /// Whether the machine failed to give it what it may have.
    pub(crate) failed: bool,
}

impl ResourceLimiter for WasiLimits {
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

/// The fuel of a guest since it last went on.
#[derive(Debug, Default)]
pub(crate) struct Fuel {
    /// What it had when it went on.
    pub(crate) had: u64,
    /// What it had used before that.
    pub(crate) used: u64,
}
