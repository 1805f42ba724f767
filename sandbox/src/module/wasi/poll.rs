//! Waiting, as the guest sees it: a time passes at once on its own clock. Where it waits for input
//! that is not there, no time passes, whatever time it allows itself; for the referee decides when
//! input comes, and a module that looks for it again and again would never stop.

use crate::module::wasi::call::Call;
use crate::module::wasi::clock::CLOCK_START;
use crate::module::wasi::errno::{ErrnoFailure, WasiErrno};

/// The most things a module waits for at a time.
const MAX_SUBSCRIPTIONS: u32 = 64;

// The layout of subscriptions and events.
const SUBSCRIPTION: usize = 48;
const EVENT: usize = 32;
const ON_CLOCK: u8 = 0;
const ON_READ: u8 = 1;
const ON_WRITE: u8 = 2;
const REALTIME: u32 = 0;
const MONOTONIC: u32 = 1;
const ABSOLUTE: u16 = 1;

/// One thing that a guest waits for.
#[derive(Debug)]
pub(crate) struct Subscription {
    userdata: u64,
    on: u8,
    /// For a clock, in how many nanoseconds.
    time: u64,
}

impl Call<'_> {
    /// What the guest wants to wait for.
    pub(crate) fn subscriptions(
        &mut self,
        start: u32,
        count: u32,
    ) -> Result<Vec<Subscription>, WasiErrno> {
        if count == 0 || count > MAX_SUBSCRIPTIONS {
            return Err(WasiErrno::Inval);
        }
        (0..count as usize)
            .map(|index| self.subscription(start as usize + index * SUBSCRIPTION))
            .collect()
    }

    fn subscription(&mut self, at: usize) -> Result<Subscription, WasiErrno> {
        let bytes = self.memory.get(at..at + SUBSCRIPTION);
        let bytes: [u8; SUBSCRIPTION] = bytes
            .ok_or(WasiErrno::Fault)?
            .try_into()
            .expect("it has the size");
        let word =
            |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let id = word(16) as u32;
        let userdata = word(0);
        match bytes[8] {
            ON_CLOCK => {
                let absolute = word(40) as u16 & ABSOLUTE != 0;
                let start = match id {
                    REALTIME => CLOCK_START,
                    MONOTONIC => 0,
                    _ => return Err(WasiErrno::Inval),
                };
                // A wall time before the start has passed as well.
                let passed = if absolute {
                    self.wasi.clock.read().saturating_add(start)
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
            ON_READ | ON_WRITE => Err(WasiErrno::Badf),
            _ => Err(WasiErrno::Inval),
        }
    }

    /// Says what has come; nothing where the guest must first stop for input.
    pub(crate) fn poll(
        &mut self,
        list: &[Subscription],
        events: u32,
        out: u32,
    ) -> Result<Option<()>, ErrnoFailure> {
        let on = |what| list.iter().any(|it| it.on == what);
        let (reads, writes) = (on(ON_READ), on(ON_WRITE));
        if reads && !writes && !self.wasi.pipes.has_input_or_stops() {
            return Ok(None);
        }
        let input = reads && self.wasi.pipes.has_input();
        let clocks = list.iter().filter(|it| it.on == ON_CLOCK);
        let now = match clocks.map(|it| it.time).min() {
            Some(time) if !writes && !input => {
                self.wasi.clock.forward(time);
                time
            }
            _ => 0,
        };
        let ready = list.iter().filter(|it| match it.on {
            ON_CLOCK => it.time <= now,
            ON_READ => input,
            _ => true,
        });
        let mut written = 0;
        for it in ready {
            let mut event = [0; EVENT];
            event[..8].copy_from_slice(&it.userdata.to_le_bytes());
            event[10] = it.on;
            event[16] = u8::from(it.on != ON_CLOCK);
            self.put(events as usize + written as usize * EVENT, &event)?;
            written += 1u32;
        }
        self.put(out as usize, &written.to_le_bytes())?;
        Ok(Some(()))
    }

    /// Writes bytes, whatever their alignment.
    fn put(&mut self, at: usize, bytes: &[u8]) -> Result<(), WasiErrno> {
        let to = self.memory.get_mut(at..at + bytes.len());
        to.ok_or(WasiErrno::Fault)?.copy_from_slice(bytes);
        Ok(())
    }
}
