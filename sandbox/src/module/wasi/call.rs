//! One call of a guest: what it works on, and the functions that need more than a line.

use crate::module::wasi::clock::{Clock, ClockId};
use crate::module::wasi::descriptors::Descriptors;
use crate::module::wasi::errno::{Errno, Failure, Misuse};
use crate::module::wasi::memory::{Memory, Region, after};
use crate::module::wasi::random::{MAX_RANDOM, Random};
use crate::module::wasi::streams::{MAX_AT_ONCE, Pipes, Stream};

/// The guest's only argument: its name.
const ARGUMENT: &[u8] = b"bot";

/// The exit codes that the text of WASI allows are below this one.
const EXIT_CODES: u32 = 126;

// The rights of a standard stream: all that it tells of itself.
const RIGHT_TO_READ: u64 = 1 << 1;
const RIGHT_TO_WRITE: u64 = 1 << 6;

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
    pub(crate) pipes: Pipes,
    pub(crate) clock: Clock,
    pub(crate) descriptors: Descriptors,
    random: Random,
}

impl Wasi {
    pub(crate) fn new(pipes: Pipes, seed: u64) -> Self {
        Wasi {
            pipes,
            clock: Clock::default(),
            descriptors: Descriptors::default(),
            random: Random::new(seed),
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
pub(crate) struct Writing {
    stream: Stream,
    /// What is left of the buffer.
    left: Region,
    total: u32,
    out: u32,
}

impl Call<'_> {
    pub(crate) fn args_get(&mut self, list: u32, buffer: u32) -> Result<(), Failure> {
        self.memory.write_u32(list, buffer)?;
        let len = ARGUMENT.len() as u32;
        let to = self.memory.bytes_mut(buffer, len)?;
        to.copy_from_slice(ARGUMENT);
        Ok(self.memory.write_u8(after(buffer, len)?, 0)?)
    }

    pub(crate) fn args_sizes_get(&mut self, count: u32, size: u32) -> Result<(), Failure> {
        self.sizes(count, 1, size, ARGUMENT.len() as u32 + 1)
    }

    pub(crate) fn environ_sizes_get(&mut self, count: u32, size: u32) -> Result<(), Failure> {
        self.sizes(count, 0, size, 0)
    }

    /// Writes how many strings there are, and their size together. Where both have one address, the
    /// number stays.
    fn sizes(&mut self, count: u32, strings: u32, size: u32, bytes: u32) -> Result<(), Failure> {
        self.memory.write_u32(size, bytes)?;
        self.memory.write_u32(count, strings)?;
        Ok(())
    }

    pub(crate) fn clock_res_get(&mut self, id: i32, out: u32) -> Result<(), Failure> {
        let resolution = Clock::resolution(ClockId::of(id)?)?;
        Ok(self.memory.write_u64(out, resolution)?)
    }

    pub(crate) fn clock_time_get(&mut self, id: i32, out: u32) -> Result<(), Failure> {
        let time = self.wasi.clock.time(ClockId::of(id)?)?;
        Ok(self.memory.write_u64(out, time)?)
    }

    pub(crate) fn random_get(&mut self, start: u32, len: u32) -> Result<(), Failure> {
        if len > MAX_RANDOM {
            return Err(Misuse::Random(len).into());
        }
        // Nothing at a wrong place is right.
        if len > 0 {
            self.wasi.random.fill(self.memory.bytes_mut(start, len)?);
        }
        Ok(())
    }

    pub(crate) fn fdstat(&mut self, fd: u32, out: u32) -> Result<(), Failure> {
        let rights = match self.wasi.descriptors.get(fd)? {
            Stream::Stdin => RIGHT_TO_READ,
            Stream::Stdout | Stream::Stderr => RIGHT_TO_WRITE,
        };
        // What lies between the fields stays what it is.
        self.memory.write_u8(out, UNKNOWN)?;
        self.memory.write_u16(after(out, 2)?, 0)?;
        for field in [8, 16] {
            self.memory.write_u64(after(out, field)?, rights)?;
        }
        Ok(())
    }

    pub(crate) fn filestat(&mut self, fd: u32, out: u32) -> Result<(), Failure> {
        self.wasi.descriptors.get(fd)?;
        for field in [0, 8] {
            self.memory.write_u64(after(out, field)?, 0)?;
        }
        self.memory.write_u8(after(out, 16)?, UNKNOWN)?;
        for field in [24, 32, 40, 48, 56] {
            self.memory.write_u64(after(out, field)?, 0)?;
        }
        Ok(())
    }

    /// The failure of what is done to files, or to folders, only: there are none.
    pub(crate) fn no_file(&self) -> Result<(), Failure> {
        Err(Errno::Badf.into())
    }

    /// The failure of what needs a position in a file.
    pub(crate) fn no_position(&self, fd: u32) -> Result<(), Failure> {
        self.wasi.descriptors.get(fd)?;
        Err(Errno::Spipe.into())
    }

    /// The failure of what needs a folder that was opened beforehand.
    pub(crate) fn no_preopened(&self, fd: u32) -> Result<(), Failure> {
        self.wasi.descriptors.get(fd)?;
        Err(Errno::Notdir.into())
    }

    /// The failure of opening a path.
    pub(crate) fn path_open(&self, path: Region) -> Result<(), Failure> {
        let path = self.memory.path(path)?;
        std::str::from_utf8(path).map_err(|_| Errno::Ilseq)?;
        self.no_file()
    }

    /// The failure of reading or writing at a position.
    pub(crate) fn transfer_at(
        &self,
        fd: u32,
        (list, count): (u32, u32),
        writes: bool,
    ) -> Result<(), Failure> {
        self.memory.first_buffer(list, count)?;
        let is_output = self.wasi.descriptors.get(fd)? != Stream::Stdin;
        Err(if writes == is_output {
            Errno::Spipe
        } else {
            Errno::Badf
        }
        .into())
    }

    /// Reads from a stream; nothing where the guest must first stop for input. Then the same call is
    /// made again, for it has changed nothing.
    pub(crate) fn fd_read(
        &mut self,
        fd: u32,
        (list, count): (u32, u32),
        out: u32,
    ) -> Result<Option<()>, Failure> {
        let buffer = self.memory.first_buffer(list, count)?;
        if self.wasi.descriptors.get(fd)? != Stream::Stdin {
            return Err(Errno::Badf.into());
        }
        let length = if buffer.len > 0 {
            let memory = &mut self.memory;
            let read = self.wasi.pipes.read(buffer.len as usize, |input| {
                // The end of the input fits anywhere.
                if !input.is_empty() {
                    let to = memory.bytes_mut(buffer.start, input.len() as u32)?;
                    to.copy_from_slice(input);
                }
                Ok::<_, Misuse>(())
            });
            match read {
                Some(read) => read?,
                None => return Ok(None),
            }
        } else if self.wasi.pipes.at_end() {
            0
        } else {
            return Err(Errno::Intr.into());
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
    ) -> Result<Writing, Failure> {
        let left = self.memory.first_buffer(list, count)?;
        let stream = self.wasi.descriptors.get(fd)?;
        if stream == Stream::Stdin {
            return Err(Errno::Badf.into());
        }
        self.memory.bytes(left.start, left.len)?;
        Ok(Writing {
            stream,
            left,
            total: left.len,
            out,
        })
    }

    /// Goes on writing until all is written, or until the guest must stop; nothing in that case.
    pub(crate) fn go_on_writing(&mut self, writing: &mut Writing) -> Result<Option<()>, Failure> {
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
pub(crate) fn check_times(flags: u16) -> Result<(), Failure> {
    let both = |set, now| flags & set != 0 && flags & now != 0;
    if both(SET_ACCESSED, ACCESSED_NOW) || both(SET_MODIFIED, MODIFIED_NOW) {
        return Err(Errno::Inval.into());
    }
    Ok(())
}

/// The end of a guest that asks for it.
pub(crate) fn exit(code: u32) -> Failure {
    match code {
        0..EXIT_CODES => Failure::Exit(code as i32),
        _ => Misuse::ExitCode.into(),
    }
}
