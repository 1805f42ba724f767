//! One call of a guest: what it works on, and the functions that need more than a line.

use std::sync::Arc;

use crate::bundle::content::Content;
use crate::module::wasi::clock::{ClockId, WasiClock};
use crate::module::wasi::descriptors::{Descriptors, OpenDescriptor};
use crate::module::wasi::errno::{ErrnoFailure, Region, WasiErrno, WasiTrap};
use crate::module::wasi::memory::{Memory, after};
use crate::module::wasi::random::{MAX_RANDOM, WasiRandom};
use crate::module::wasi::streams::{MAX_AT_ONCE, Stream, StreamPipes};

/// The guest's only argument: its name.
const ARGUMENT: &[u8] = b"bot";

/// The exit codes that the text of WASI allows are below this one.
const EXIT_CODES: u32 = 126;

/// The right of the standard input.
pub(crate) const RIGHT_TO_READ: u64 = 1 << 1;

/// The flag of a descriptor that all writes go to the end.
const APPEND: u16 = 1;

/// The type of a file that is not known, which a standard stream is.
const UNKNOWN: u8 = 0;

// The flags of `fst_flags`.
const SET_ACCESSED: u16 = 1;
const ACCESSED_NOW: u16 = 1 << 1;
const SET_MODIFIED: u16 = 1 << 2;
const MODIFIED_NOW: u16 = 1 << 3;

/// What a guest's calls work on, beside its memory.
#[derive(Debug)]
pub(crate) struct Wasi {
    pub(crate) pipes: StreamPipes,
    pub(crate) clock: WasiClock,
    pub(crate) descriptors: Descriptors,
    /// The files of its bundle.
    pub(crate) content: Option<Arc<Content>>,
    random: WasiRandom,
}

impl Wasi {
    pub(crate) fn new(pipes: StreamPipes, seed: u64, content: Option<Arc<Content>>) -> Self {
        Wasi {
            pipes,
            clock: WasiClock::default(),
            descriptors: Descriptors::new(content.is_some()),
            content,
            random: WasiRandom::new(seed),
        }
    }
}

/// A call that runs.
pub(crate) struct Call<'a> {
    pub(crate) wasi: &'a mut Wasi,
    pub(crate) memory: Memory<'a>,
}

/// A write that is under way.
#[derive(Debug)]
pub(crate) struct PendingWrite {
    stream: Stream,
    /// What is left of the buffer.
    left: Region,
    total: u32,
    out: u32,
}

impl Call<'_> {
    pub(crate) fn args_get(&mut self, list: u32, buffer: u32) -> Result<(), ErrnoFailure> {
        self.memory.write_u32(list, buffer)?;
        let len = ARGUMENT.len() as u32;
        let to = self.memory.bytes_mut(buffer, len)?;
        to.copy_from_slice(ARGUMENT);
        Ok(self.memory.write(after(buffer, len)?, [0])?)
    }

    pub(crate) fn args_sizes_get(&mut self, count: u32, size: u32) -> Result<(), ErrnoFailure> {
        self.sizes(count, 1, size, ARGUMENT.len() as u32 + 1)
    }

    pub(crate) fn environ_sizes_get(&mut self, count: u32, size: u32) -> Result<(), ErrnoFailure> {
        self.sizes(count, 0, size, 0)
    }

    /// Writes how many strings there are, and their size together. Where both have one address, the
    /// number stays.
    fn sizes(
        &mut self,
        count: u32,
        strings: u32,
        size: u32,
        bytes: u32,
    ) -> Result<(), ErrnoFailure> {
        self.memory.write_u32(size, bytes)?;
        self.memory.write_u32(count, strings)?;
        Ok(())
    }

    pub(crate) fn clock_res_get(&mut self, id: i32, out: u32) -> Result<(), ErrnoFailure> {
        let resolution = self.wasi.clock.resolution(ClockId::of(id)?)?;
        Ok(self.memory.write_u64(out, resolution)?)
    }

    pub(crate) fn clock_time_get(&mut self, id: i32, out: u32) -> Result<(), ErrnoFailure> {
        let time = self.wasi.clock.time(ClockId::of(id)?)?;
        Ok(self.memory.write_u64(out, time)?)
    }

    pub(crate) fn random_get(&mut self, start: u32, len: u32) -> Result<(), ErrnoFailure> {
        if len > MAX_RANDOM {
            return Err(WasiTrap::Random(len).into());
        }
        // Nothing at a wrong place is right.
        if len > 0 {
            self.wasi.random.fill(self.memory.bytes_mut(start, len)?);
        }
        Ok(())
    }

    pub(crate) fn fdstat(&mut self, fd: u32, out: u32) -> Result<(), ErrnoFailure> {
        let open = self.wasi.descriptors.get(fd)?;
        let (kind, flags, rights, inheriting) = self.status_of(open);
        // What lies between the fields stays what it is.
        self.memory.write(out, [kind])?;
        self.memory.write(after(out, 2)?, flags.to_le_bytes())?;
        for (field, rights) in [(8, rights), (16, inheriting)] {
            self.memory.write_u64(after(out, field)?, rights)?;
        }
        Ok(())
    }

    pub(crate) fn filestat(&mut self, fd: u32, out: u32) -> Result<(), ErrnoFailure> {
        match self.wasi.descriptors.get(fd)? {
            OpenDescriptor::Stream(_) => self.put_stat(out, [0, 0], UNKNOWN, [0, 0]),
            OpenDescriptor::Folder(folder) => self.put_stat_of(folder.node, out),
            OpenDescriptor::File(file) => self.put_stat_of(file.node, out),
        }
    }

    /// Reads from a file at a position, and leaves its own where it is.
    pub(crate) fn read_at(
        &mut self,
        fd: u32,
        (list, count): (u32, u32),
        offset: u64,
        out: u32,
    ) -> Result<(), ErrnoFailure> {
        let buffer = self.memory.first_buffer(list, count)?;
        match self.wasi.descriptors.get(fd)? {
            OpenDescriptor::File(file) => {
                let length = self.read_file(file, offset, buffer)?;
                Ok(self.memory.write_u32(out, length)?)
            }
            OpenDescriptor::Stream(Stream::Stdin) => Err(WasiErrno::Spipe.into()),
            _ => Err(WasiErrno::Badf.into()),
        }
    }

    /// The failure of writing at a position.
    pub(crate) fn write_at(
        &self,
        fd: u32,
        (list, count): (u32, u32),
        offset: u64,
    ) -> Result<(), ErrnoFailure> {
        let buffer = self.memory.first_buffer(list, count)?;
        Err(match self.wasi.descriptors.get(fd)? {
            OpenDescriptor::Stream(Stream::Stdout | Stream::Stderr) => WasiErrno::Spipe.into(),
            OpenDescriptor::File(file) => self.not_written(file.flags, offset, buffer)?,
            _ => WasiErrno::Badf.into(),
        })
    }

    /// The failure of writing to a file, which is read-only.
    fn not_written(
        &self,
        flags: u16,
        offset: u64,
        from: Region,
    ) -> Result<ErrnoFailure, ErrnoFailure> {
        self.memory.check(from.start, from.len)?;
        let is_position = flags & APPEND != 0 || i64::try_from(offset).is_ok();
        Ok(if is_position {
            WasiErrno::Badf
        } else {
            WasiErrno::Inval
        }
        .into())
    }

    /// Reads from a stream or a file; nothing where the guest must first stop for input. Then the same call is
    /// made again, for it has changed nothing.
    pub(crate) fn fd_read(
        &mut self,
        fd: u32,
        (list, count): (u32, u32),
        out: u32,
    ) -> Result<Option<()>, ErrnoFailure> {
        let buffer = self.memory.first_buffer(list, count)?;
        match self.wasi.descriptors.get(fd)? {
            OpenDescriptor::Stream(Stream::Stdin) => {}
            OpenDescriptor::File(file) => {
                // What is read may be shorter, but the buffer is the guest's as a whole.
                self.memory.check(buffer.start, buffer.len)?;
                let length = self.read_file(file, file.position, buffer)?;
                self.wasi.descriptors.file(fd)?.position += u64::from(length);
                self.memory.write_u32(out, length)?;
                return Ok(Some(()));
            }
            _ => return Err(WasiErrno::Badf.into()),
        }
        let length = if buffer.len > 0 {
            let memory = &mut self.memory;
            let read = self.wasi.pipes.read(buffer.len as usize, |input| {
                // The end of the input fits anywhere.
                if !input.is_empty() {
                    let to = memory.bytes_mut(buffer.start, input.len() as u32)?;
                    to.copy_from_slice(input);
                }
                Ok::<_, WasiTrap>(())
            });
            match read {
                Some(read) => read?,
                None => return Ok(None),
            }
        } else if self.wasi.pipes.at_end() {
            0
        } else {
            return Err(WasiErrno::Intr.into());
        };
        self.memory.write_u32(out, length as u32)?;
        Ok(Some(()))
    }

    /// Begins to write to a stream.
    pub(crate) fn fd_write(
        &self,
        fd: u32,
        (list, count): (u32, u32),
        out: u32,
    ) -> Result<PendingWrite, ErrnoFailure> {
        let left = self.memory.first_buffer(list, count)?;
        let stream = match self.wasi.descriptors.get(fd)? {
            OpenDescriptor::Stream(stream @ (Stream::Stdout | Stream::Stderr)) => stream,
            OpenDescriptor::File(file) => {
                return Err(self.not_written(file.flags, file.position, left)?);
            }
            _ => return Err(WasiErrno::Badf.into()),
        };
        self.memory.check(left.start, left.len)?;
        Ok(PendingWrite {
            stream,
            left,
            total: left.len,
            out,
        })
    }

    /// Goes on writing until all is written, or until the guest must stop; nothing in that case.
    pub(crate) fn go_on_writing(
        &mut self,
        writing: &mut PendingWrite,
    ) -> Result<Option<()>, ErrnoFailure> {
        while writing.left.len > 0 {
            let len = writing.left.len.min(MAX_AT_ONCE as u32);
            let piece = self.memory.bytes(writing.left.start, len)?;
            let stops = self.wasi.pipes.write(writing.stream, piece);
            writing.left.start = writing.left.start.wrapping_add(len);
            writing.left.len -= len;
            if stops {
                return Ok(None);
            }
        }
        self.memory.write_u32(writing.out, writing.total)?;
        Ok(Some(()))
    }
}

/// Checks times of a file that are to be set.
pub(crate) fn check_times(flags: u16) -> Result<(), ErrnoFailure> {
    let both = |set, now| flags & set != 0 && flags & now != 0;
    if both(SET_ACCESSED, ACCESSED_NOW) || both(SET_MODIFIED, MODIFIED_NOW) {
        return Err(WasiErrno::Inval.into());
    }
    Ok(())
}

/// The end of a guest that asks for it.
pub(crate) fn exit(code: u32) -> ErrnoFailure {
    match code {
        0..EXIT_CODES => ErrnoFailure::Exit(code as i32),
        _ => WasiTrap::ExitCode.into(),
    }
}
