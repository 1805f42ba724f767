//! How a call fails: with an error number, which the guest sees, or with a trap, which ends it.
//!
//! The text of WASI preview 1 says that a function traps where it is handed a pointer out of bounds
//! or misaligned, and lets it return an error number for all else. The words of the traps are those
//! of wasmtime-wasi, which this module replaces: faults in old records hold them.

use std::num::TryFromIntError;

use thiserror::Error;

use crate::module::wasi::random::MAX_RANDOM;

/// The error numbers that a guest can get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum WasiErrno {
    /// There is no such descriptor, or it cannot do this.
    Badf = 8,
    /// There is no memory to read from.
    Fault = 21,
    /// A path is not UTF-8.
    Ilseq = 25,
    /// A read of nothing came to nothing.
    Intr = 27,
    /// An argument has no meaning.
    Inval = 28,
    /// A path leads through too many links.
    Loop = 32,
    /// All descriptors are in use.
    Mfile = 33,
    /// A path or a name is too long, or a buffer too short for it.
    Nametoolong = 37,
    /// There is no such file.
    Noent = 44,
    /// A call hands over too much.
    Nomem = 48,
    /// It is no folder.
    Notdir = 54,
    /// There are no sockets and no signals, and files cannot do it.
    Notsup = 58,
    /// The wall clock has come to its end.
    Overflow = 61,
    /// A bundle is read-only, and no path leads out of it.
    Perm = 63,
    /// A standard stream has no position.
    Spipe = 70,
}

/// A piece of a guest's memory that it named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// What traps.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum WasiTrap {
    #[error("Pointer overflow")]
    Overflow,
    #[error("Pointer out of bounds: {0:?}")]
    OutOfBounds(Region),
    #[error("Pointer not aligned to {1}: {0:?}")]
    NotAligned(Region, u32),
    #[error("Invalid flag value {0}")]
    Flags(&'static str),
    #[error("Invalid enum value {0}")]
    Enum(&'static str),
    #[error("Int conversion error: {0:?}")]
    Number(#[from] TryFromIntError),
    #[error("requested len {0} exceeds limit {MAX_RANDOM}")]
    Random(u32),
    #[error("exit with invalid exit status outside of [0..126)")]
    ExitCode,
    #[error("missing required memory export")]
    NoMemory,
}

/// Why a call does not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ErrnoFailure {
    Errno(WasiErrno),
    Trap(WasiTrap),
    /// The guest ends itself, with this exit code.
    Exit(i32),
    /// What the call costs is more fuel than the guest has.
    OutOfFuel,
}

impl From<WasiErrno> for ErrnoFailure {
    fn from(errno: WasiErrno) -> Self {
        ErrnoFailure::Errno(errno)
    }
}

impl From<WasiTrap> for ErrnoFailure {
    fn from(misuse: WasiTrap) -> Self {
        ErrnoFailure::Trap(misuse)
    }
}

/// A guest that ended itself, with its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("Exited with i32 exit status {0}")]
pub(crate) struct Exit(pub(crate) i32);

/// Flags in 16 bits, of which these are known.
pub(crate) fn flags16(value: i32, known: u16, name: &'static str) -> Result<u16, WasiTrap> {
    let flags = u16::try_from(value)?;
    let are_known = flags & !known == 0;
    are_known.then_some(flags).ok_or(WasiTrap::Flags(name))
}

/// Flags in 32 bits, of which these are known.
pub(crate) fn flags32(value: i32, known: u32, name: &'static str) -> Result<u32, WasiTrap> {
    let flags = u32::try_from(value)?;
    let are_known = flags & !known == 0;
    are_known.then_some(flags).ok_or(WasiTrap::Flags(name))
}

/// One of so many values, in 8 bits.
pub(crate) fn choice8(value: i32, count: u8, name: &'static str) -> Result<u8, WasiTrap> {
    let value = u8::try_from(value)?;
    (value < count).then_some(value).ok_or(WasiTrap::Enum(name))
}

/// The rights of a descriptor, of which the text of WASI knows 30.
pub(crate) fn rights(value: i64) -> Result<u64, WasiTrap> {
    let rights = u64::try_from(value)?;
    let are_known = rights >> 30 == 0;
    are_known.then_some(rights).ok_or(WasiTrap::Flags("Rights"))
}
