//! The clocks of a guest, which stand still between their readings.

use std::time::Duration;

use flipside_protocol::FUEL_PER_NS;

use crate::module::wasi::errno::{ErrnoFailure, WasiErrno, WasiTrap};

/// How far a module's clocks go with every reading.
pub const CLOCK_STEP: Duration = Duration::from_micros(10);

/// [`CLOCK_STEP`] in nanoseconds.
const STEP: u64 = CLOCK_STEP.as_nanos() as u64;

/// The time at which a module's wall clock starts, in nanoseconds: 2000-01-01 00:00:00 UTC.
pub(crate) const CLOCK_START: u64 = 946_684_800 * 1_000_000_000;

/// The clocks that the text of WASI knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockId {
    /// The wall clock.
    Realtime,
    Monotonic,
    /// Those of processor time, which no guest gets.
    Cpu,
}

impl ClockId {
    pub(crate) fn of(value: i32) -> Result<Self, WasiTrap> {
        match u32::try_from(value)? {
            0 => Ok(ClockId::Realtime),
            1 => Ok(ClockId::Monotonic),
            2 | 3 => Ok(ClockId::Cpu),
            _ => Err(WasiTrap::Enum("Clockid")),
        }
    }
}

/// One time, in nanoseconds since the start, for all clocks; sleeping sets it forward.
#[derive(Debug, Default)]
pub(crate) struct WasiClock {
    /// By how much readings and sleep have set it forward.
    forward: u64,
    /// The time of the fuel that the guest has used, where its clock counts fuel, so that it can see how much it has
    /// used.
    fuel: Option<u64>,
}

impl WasiClock {
    /// Sets it to what the guest has used.
    pub(crate) fn at(&mut self, fuel: u64) {
        self.fuel = Some(fuel / FUEL_PER_NS);
    }

    /// Reads the time, which goes on by a step, or with the fuel.
    pub(crate) fn read(&mut self) -> u64 {
        self.forward(if self.fuel.is_some() { 0 } else { STEP })
    }

    pub(crate) fn forward(&mut self, by: u64) -> u64 {
        self.forward = self.forward.saturating_add(by);
        self.forward.saturating_add(self.fuel.unwrap_or(0))
    }

    /// The time of a clock.
    pub(crate) fn time(&mut self, id: ClockId) -> Result<u64, ErrnoFailure> {
        match id {
            ClockId::Realtime => {
                let time = CLOCK_START.checked_add(self.read());
                Ok(time.ok_or(WasiErrno::Overflow)?)
            }
            ClockId::Monotonic => Ok(self.read()),
            ClockId::Cpu => Err(WasiErrno::Badf.into()),
        }
    }

    /// The resolution of a clock.
    pub(crate) fn resolution(&self, id: ClockId) -> Result<u64, ErrnoFailure> {
        match id {
            ClockId::Realtime | ClockId::Monotonic if self.fuel.is_some() => Ok(1),
            ClockId::Realtime | ClockId::Monotonic => Ok(STEP),
            ClockId::Cpu => Err(WasiErrno::Badf.into()),
        }
    }
}
