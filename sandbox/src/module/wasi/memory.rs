//! The guest's memory, as far as a call may touch it: every access is checked for its bounds and for
//! its alignment, in this order.

use std::cell::Cell;
use std::ops::Range;

use crate::module::wasi::errno::{ErrnoFailure, Region, WasiErrno, WasiTrap};

/// How much a module hands over to a function of the host in one call, in bytes: it cannot be
/// interrupted there. A call with more fails with the error number of too little memory.
pub(crate) const MAX_IN_A_CALL: usize = 4 * 1024 * 1024;

/// The size of a buffer's entry in a list: its address and its length.
const ENTRY: u32 = 8;

/// A guest's memory, in one call.
pub(crate) struct Memory<'a> {
    bytes: &'a mut [u8],
    /// How many bytes the call has read or written.
    moved: Cell<u64>,
}

/// What is left of [`MAX_IN_A_CALL`] in a call.
pub(crate) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Budget(MAX_IN_A_CALL)
    }
}

impl Budget {
    pub(crate) fn spend(&mut self, bytes: usize) -> Result<(), WasiErrno> {
        self.0 = self.0.checked_sub(bytes).ok_or(WasiErrno::Nomem)?;
        Ok(())
    }
}

/// The address after so many bytes.
pub(crate) fn after(start: u32, bytes: u32) -> Result<u32, WasiTrap> {
    start.checked_add(bytes).ok_or(WasiTrap::Overflow)
}

impl<'a> Memory<'a> {
    pub(crate) fn new(bytes: &'a mut [u8]) -> Self {
        Memory {
            bytes,
            moved: Cell::new(0),
        }
    }

    /// How many bytes the call has read or written.
    pub(crate) fn moved(&self) -> u64 {
        self.moved.get()
    }

    fn moves(&self, range: &Range<usize>) {
        self.moved.set(self.moved.get() + range.len() as u64);
    }

    pub(crate) fn read_u32(&self, at: u32) -> Result<u32, WasiTrap> {
        let bytes = self.bytes(at, 4)?;
        aligned(at, 4)?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
    }

    pub(crate) fn write_u32(&mut self, at: u32, value: u32) -> Result<(), WasiTrap> {
        self.write(at, value.to_le_bytes())
    }

    pub(crate) fn write_u64(&mut self, at: u32, value: u64) -> Result<(), WasiTrap> {
        self.write(at, value.to_le_bytes())
    }

    /// Writes a number by its bytes, the least first; it is aligned to its size.
    pub(crate) fn write<const SIZE: usize>(
        &mut self,
        at: u32,
        value: [u8; SIZE],
    ) -> Result<(), WasiTrap> {
        let bytes = self.bytes_mut(at, SIZE as u32)?;
        aligned(at, SIZE as u32)?;
        bytes.copy_from_slice(&value);
        Ok(())
    }

    pub(crate) fn bytes(&self, start: u32, len: u32) -> Result<&[u8], WasiTrap> {
        // 64 bits hold the sum.
        let end = start as usize + len as usize;
        self.get(start as usize..end)
            .ok_or(WasiTrap::OutOfBounds(Region { start, len }))
    }

    pub(crate) fn bytes_mut(&mut self, start: u32, len: u32) -> Result<&mut [u8], WasiTrap> {
        let end = start as usize + len as usize;
        self.get_mut(start as usize..end)
            .ok_or(WasiTrap::OutOfBounds(Region { start, len }))
    }

    /// Whether bytes are all there. It reads none of them.
    pub(crate) fn check(&self, start: u32, len: u32) -> Result<(), WasiTrap> {
        let end = start as usize + len as usize;
        let is_there = end <= self.bytes.len();
        let out_of_bounds = WasiTrap::OutOfBounds(Region { start, len });
        is_there.then_some(()).ok_or(out_of_bounds)
    }

    /// Bytes whatever their alignment; none where they are not all there.
    pub(crate) fn get(&self, range: Range<usize>) -> Option<&[u8]> {
        self.moves(&range);
        self.bytes.get(range)
    }

    /// The same, to be written.
    pub(crate) fn get_mut(&mut self, range: Range<usize>) -> Option<&mut [u8]> {
        self.moves(&range);
        self.bytes.get_mut(range)
    }

    /// The first buffer of a list that is not empty, or one without bytes where all are: a call may
    /// transfer less than it is asked to, and this one always transfers one buffer. The list and the
    /// buffer come out of the call's budget.
    pub(crate) fn first_buffer(&self, list: u32, count: u32) -> Result<Region, ErrnoFailure> {
        let mut budget = Budget::default();
        budget.spend(count as usize * ENTRY as usize)?;
        for index in 0..count {
            let offset = index.checked_mul(ENTRY).ok_or(WasiTrap::Overflow)?;
            let entry = after(list, offset)?;
            let start = self.read_u32(entry)?;
            let len = self.read_u32(after(entry, ENTRY / 2)?)?;
            if len > 0 {
                budget.spend(len as usize)?;
                return Ok(Region { start, len });
            }
        }
        Ok(Region { start: 0, len: 0 })
    }

    /// A path, whose bytes come out of the call's budget.
    pub(crate) fn path(&self, path: Region, budget: &mut Budget) -> Result<&str, ErrnoFailure> {
        budget.spend(path.len as usize)?;
        let path = self.bytes(path.start, path.len)?;
        Ok(std::str::from_utf8(path).map_err(|_| WasiErrno::Ilseq)?)
    }
}

fn aligned(start: u32, len: u32) -> Result<(), WasiTrap> {
    let not_aligned = WasiTrap::NotAligned(Region { start, len }, len);
    start.is_multiple_of(len).then_some(()).ok_or(not_aligned)
}
