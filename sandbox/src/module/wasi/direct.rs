//! Calls of WASI that no guest makes: for the fuzz target, and for tests of single functions.

use std::sync::Arc;

use wasmtime::Trap;

use crate::bundle::content::Content;
use crate::bundle::entry::{BundleEntry, EntryKind};
use crate::lines::Lines;
use crate::module::wasi::call::{Call, Wasi, exit};
use crate::module::wasi::calling::SUCCESS;
use crate::module::wasi::errno::ErrnoFailure;
use crate::module::wasi::functions;
use crate::module::wasi::memory::Memory;
use crate::module::wasi::streams::StreamPipes;

/// What comes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostReply {
    /// It returns, with this error number; 0 is success.
    Errno(i32),
    /// It ends the guest, for this reason.
    Trap(String),
    /// It ends the guest, with this exit code.
    Exit(i32),
    /// It waits for input.
    Waits,
}

/// A file, a folder or a link of a guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File<'a> {
    /// A file with this content.
    File(&'a [u8]),
    /// A folder.
    Folder,
    /// A link that leads there.
    Link(&'a str),
}

/// A guest's streams and clocks, with some memory.
#[derive(Debug)]
pub struct DirectCalls {
    wasi: Wasi,
    pipes: StreamPipes,
    memory: Vec<u8>,
}

impl DirectCalls {
    /// A guest with this memory.
    pub fn new(memory: Vec<u8>, seed: u64) -> Self {
        let pipes = StreamPipes::default();
        DirectCalls {
            wasi: Wasi::new(pipes.clone(), seed, None),
            pipes,
            memory,
        }
    }

    /// The same guest with these files, each with its path, in the order of a bundle.
    ///
    /// # Panics
    /// Where no bundle may have these files.
    #[must_use]
    pub fn with_files(memory: Vec<u8>, seed: u64, files: &[(&str, File<'_>)]) -> Self {
        let entries = files.iter().map(|(path, file)| {
            let (kind, content) = match *file {
                File::Folder => (EntryKind::Folder, &b""[..]),
                File::Link(to) => (EntryKind::Link { to: to.into() }, &b""[..]),
                File::File(content) => {
                    let (size, executable) = (content.len() as u64, false);
                    (EntryKind::File { size, executable }, content)
                }
            };
            let path = (*path).into();
            (BundleEntry { path, kind }, content)
        });
        let content = Content::of_entries(entries).expect("a bundle may have these files");
        let mut calls = DirectCalls::new(memory, seed);
        calls.wasi = Wasi::new(calls.pipes.clone(), seed, Some(Arc::new(content)));
        calls
    }

    /// The memory.
    pub fn memory(&mut self) -> &mut [u8] {
        &mut self.memory
    }

    /// Gives the guest input.
    pub fn feed(&self, input: &[u8]) {
        self.pipes.feed(input);
    }

    /// Ends the input.
    pub fn end_input(&self) {
        self.pipes.end_input();
    }

    /// Takes what it wrote to its standard output.
    pub fn take_output(&self) -> Vec<u8> {
        let mut lines = Lines::default();
        self.pipes.take_output(&mut lines);
        lines.room().clone()
    }

    /// The last of what it wrote to its error stream.
    pub fn stderr_tail(&self) -> String {
        self.pipes.stderr_since(&mut 0)
    }

    /// Calls a function of WASI; nothing where none has this name.
    pub fn call(&mut self, name: &str, args: &[u64]) -> Option<HostReply> {
        let mut call = Call {
            wasi: &mut self.wasi,
            memory: Memory::new(&mut self.memory),
        };
        let at = |index: usize| args.get(index).copied().unwrap_or_default() as u32;
        let (first, list, out) = (at(0), (at(1), at(2)), at(3));
        let done = match name {
            "fd_read" => call.fd_read(first, list, out),
            "fd_write" => call.fd_write(first, list, out).and_then(|mut writing| {
                // It stops after a line, and goes on.
                loop {
                    if let Some(()) = call.go_on_writing(&mut writing)? {
                        return Ok(Some(()));
                    }
                }
            }),
            "poll_oneoff" => call
                .subscriptions(at(0), at(2))
                .map_err(ErrnoFailure::from)
                .and_then(|list| call.poll(&list, at(1), at(3))),
            "proc_exit" => Err(exit(first)),
            _ => functions::run(name, args, &mut call)?.map(Some),
        };
        Some(match done {
            Ok(Some(())) => HostReply::Errno(SUCCESS),
            Ok(None) => HostReply::Waits,
            Err(ErrnoFailure::Errno(errno)) => HostReply::Errno(errno as i32),
            Err(ErrnoFailure::Trap(misuse)) => HostReply::Trap(misuse.to_string()),
            Err(ErrnoFailure::Exit(code)) => HostReply::Exit(code),
            Err(ErrnoFailure::OutOfFuel) => HostReply::Trap(Trap::OutOfFuel.to_string()),
        })
    }
}

#[cfg(test)]
mod tests {
    //! What the text of WASI preview 1 says of reading and writing.

    use super::*;

    const NULL: u32 = 0;
    const BADF: HostReply = HostReply::Errno(8);
    const INTR: HostReply = HostReply::Errno(27);
    const NOMEM: HostReply = HostReply::Errno(48);
    const SUCCEEDED: HostReply = HostReply::Errno(0);

    /// Where the number of bytes comes to.
    const OUT: u64 = 800;

    fn guest() -> DirectCalls {
        DirectCalls::new(vec![0; 65_536], 1)
    }

    /// Puts a list of buffers at this address.
    fn list(guest: &mut DirectCalls, at: u32, buffers: &[(u32, u32)]) {
        for (index, &(start, len)) in buffers.iter().enumerate() {
            let entry = &mut guest.memory()[at as usize + index * 8..][..8];
            entry[..4].copy_from_slice(&start.to_le_bytes());
            entry[4..].copy_from_slice(&len.to_le_bytes());
        }
    }

    /// A call with a list of these buffers.
    fn transfer(
        guest: &mut DirectCalls,
        name: &str,
        fd: u64,
        buffers: &[(u32, u32)],
    ) -> (HostReply, u32) {
        list(guest, NULL, buffers);
        let args = [fd, NULL.into(), buffers.len() as u64, OUT];
        let answer = guest.call(name, &args).unwrap();
        let out = &guest.memory()[OUT as usize..][..4];
        (answer, u32::from_le_bytes(out.try_into().unwrap()))
    }

    fn at(guest: &mut DirectCalls, start: usize, length: usize) -> Vec<u8> {
        guest.memory()[start..][..length].to_vec()
    }

    #[test]
    fn input_comes_in_pieces_of_the_size_that_was_asked_for() {
        let mut guest = guest();
        guest.feed(b"one\n");
        guest.feed(b"two\n");
        for (length, piece) in [(3, &b"one"[..]), (1, b"\n"), (2, b"tw"), (100, b"o\n")] {
            let read = transfer(&mut guest, "fd_read", 0, &[(1000, length)]);
            assert_eq!(read, (SUCCEEDED, piece.len() as u32));
            assert_eq!(at(&mut guest, 1000, piece.len()), piece);
        }
        let read = transfer(&mut guest, "fd_read", 0, &[(1000, 100)]);
        assert_eq!(read.0, HostReply::Waits);
        // What waited is made again, and reads.
        guest.feed(b"three\n");
        let read = transfer(&mut guest, "fd_read", 0, &[(1000, 100)]);
        assert_eq!(read, (SUCCEEDED, 6));
    }

    #[test]
    fn reads_after_the_end_give_nothing_without_end() {
        let mut guest = guest();
        guest.feed(b"last");
        guest.end_input();
        let read = transfer(&mut guest, "fd_read", 0, &[(1000, 100)]);
        assert_eq!(read, (SUCCEEDED, 4));
        for buffers in [&[(1000, 100)][..], &[(1000, 0)], &[], &[(u32::MAX, 100)]] {
            guest.memory()[OUT as usize] = 77;
            let read = transfer(&mut guest, "fd_read", 0, buffers);
            assert_eq!(read, (SUCCEEDED, 0), "{buffers:?}");
        }
    }

    #[test]
    fn a_read_into_nothing_is_interrupted_and_takes_nothing() {
        let mut guest = guest();
        for _ in 0..2 {
            for buffers in [&[(1000, 0)][..], &[], &[(u32::MAX, 0), (3, 0)]] {
                assert_eq!(transfer(&mut guest, "fd_read", 0, buffers).0, INTR);
            }
            guest.feed(b"text\n");
        }
        let read = transfer(&mut guest, "fd_read", 0, &[(1000, 100)]);
        assert_eq!(read, (SUCCEEDED, 10));
    }

    #[test]
    fn one_buffer_at_a_time_is_transferred_the_first_that_is_not_empty() {
        let mut guest = guest();
        guest.feed(b"some text\n");
        let buffers = [(5000, 0), (1000, 4), (2000, 100)];
        assert_eq!(transfer(&mut guest, "fd_read", 0, &buffers), (SUCCEEDED, 4));
        assert_eq!(at(&mut guest, 1000, 5), b"some\0");
        assert_eq!(at(&mut guest, 2000, 1), b"\0");
        assert_eq!(
            transfer(&mut guest, "fd_write", 1, &buffers),
            (SUCCEEDED, 4)
        );
        assert_eq!(guest.take_output(), b"some");
        assert_eq!(
            transfer(&mut guest, "fd_write", 2, &buffers),
            (SUCCEEDED, 4)
        );
        assert_eq!(guest.stderr_tail(), "some");
        assert_eq!(guest.take_output(), b"");
        // A later one that is out of bounds is not looked at.
        let buffers = [(1000, 4), (u32::MAX, 4)];
        assert_eq!(
            transfer(&mut guest, "fd_write", 1, &buffers),
            (SUCCEEDED, 4)
        );
    }

    #[test]
    fn nothing_is_written_where_there_is_nothing() {
        let mut guest = guest();
        for buffers in [&[][..], &[(1000, 0)], &[(u32::MAX, 0), (7, 0)]] {
            guest.memory()[OUT as usize] = 77;
            let written = transfer(&mut guest, "fd_write", 1, buffers);
            assert_eq!(written, (SUCCEEDED, 0), "{buffers:?}");
        }
        assert_eq!(guest.take_output(), b"");
    }

    #[test]
    fn streams_go_one_way() {
        let mut guest = guest();
        guest.feed(b"text\n");
        for (name, fds) in [
            ("fd_read", &[1, 2, 3, 4, u64::from(u32::MAX)][..]),
            ("fd_write", &[0, 3, 4, u64::from(u32::MAX)]),
        ] {
            for &fd in fds {
                let buffers = [(1000, 10)];
                assert_eq!(
                    transfer(&mut guest, name, fd, &buffers).0,
                    BADF,
                    "{name} {fd}"
                );
            }
        }
    }

    #[test]
    fn closed_and_renumbered_descriptors() {
        let mut guest = guest();
        let mut call = |name: &str, args: &[u64]| guest.call(name, args).unwrap();
        assert_eq!(call("fd_renumber", &[0, 3]), BADF);
        assert_eq!(call("fd_renumber", &[3, 0]), BADF);
        assert_eq!(call("fd_renumber", &[1, 1]), SUCCEEDED);
        assert_eq!(call("fd_renumber", &[2, 1]), SUCCEEDED);
        assert_eq!(call("fd_close", &[2]), BADF);
        assert_eq!(call("fd_close", &[0]), SUCCEEDED);
        assert_eq!(call("fd_close", &[0]), BADF);
        guest.memory()[1000] = b'!';
        let buffers = [(1000, 1)];
        // What was standard error is where output was.
        assert_eq!(transfer(&mut guest, "fd_write", 1, &buffers).0, SUCCEEDED);
        assert_eq!(guest.stderr_tail(), "!");
        assert_eq!(transfer(&mut guest, "fd_read", 0, &buffers).0, BADF);
    }

    #[test]
    fn a_pointer_out_of_bounds_traps_and_so_does_one_that_is_not_aligned() {
        for (name, fd) in [("fd_read", 0), ("fd_write", 1)] {
            for (args, reason) in [
                (
                    [fd, 65_536, 1, OUT],
                    "bounds: Region { start: 65536, len: 4 }",
                ),
                (
                    [fd, 65_532, 1, OUT],
                    "bounds: Region { start: 65536, len: 4 }",
                ),
                (
                    [fd, u64::from(u32::MAX) - 3, 1, OUT],
                    "bounds: Region { start: 4294967292",
                ),
                (
                    [fd, 2, 1, OUT],
                    "not aligned to 4: Region { start: 2, len: 4 }",
                ),
                (
                    [fd, 0, 1, 65_533],
                    "bounds: Region { start: 65533, len: 4 }",
                ),
                (
                    [fd, 0, 1, OUT + 1],
                    "not aligned to 4: Region { start: 801, len: 4 }",
                ),
            ] {
                let mut guest = guest();
                guest.feed(b"text\n");
                list(&mut guest, NULL, &[(1000, 5)]);
                let Some(HostReply::Trap(said)) = guest.call(name, &args) else {
                    panic!("{name} {args:?} traps");
                };
                assert!(said.contains(reason), "{said}");
            }
        }
        // A buffer may be larger than memory where what is read fits it; what is written does not.
        let mut guest = guest();
        guest.feed(b"text\n");
        let buffers = [(65_531, 100)];
        assert_eq!(transfer(&mut guest, "fd_read", 0, &buffers), (SUCCEEDED, 5));
        let (answer, _) = transfer(&mut guest, "fd_write", 1, &buffers);
        let HostReply::Trap(said) = answer else {
            panic!("it traps")
        };
        assert_eq!(
            said,
            "Pointer out of bounds: Region { start: 65531, len: 100 }"
        );
        assert_eq!(guest.take_output(), b"");
    }

    #[test]
    fn a_call_hands_over_no_more_than_a_while_takes() {
        const MOST: u64 = super::super::memory::MAX_IN_A_CALL as u64;
        for (name, fd) in [("fd_read", 0), ("fd_write", 1)] {
            let mut guest = DirectCalls::new(vec![0; 2 * MOST as usize], 1);
            guest.feed(b"text\n");
            // Lists of empty buffers.
            let most = MOST / 8;
            let answer = guest.call(name, &[fd, 4096, most + 1, OUT]).unwrap();
            assert_eq!(answer, NOMEM, "{name}");
            let answer = guest.call(name, &[fd, 4096, most, OUT]).unwrap();
            assert_ne!(answer, NOMEM, "{name}");
            // A buffer, and its entry.
            for (len, answer) in [(MOST - 8, SUCCEEDED), (MOST - 7, NOMEM)] {
                let buffers = [(4096, len as u32)];
                assert_eq!(
                    transfer(&mut guest, name, fd, &buffers).0,
                    answer,
                    "{name} {len}"
                );
            }
        }
    }

    #[test]
    fn a_clock_and_input_that_are_waited_for_together() {
        let mut guest = guest();
        // The first subscription is to the input, the second to an hour of the monotonic clock.
        guest.memory()[1008] = 1;
        guest.memory()[1064] = 1;
        guest.memory()[1072..1080].copy_from_slice(&3_600_000_000_000u64.to_le_bytes());
        let polled = |guest: &mut DirectCalls, count| {
            let args = [1000, 2000, count, OUT];
            guest.call("poll_oneoff", &args).unwrap()
        };
        assert_eq!(polled(&mut guest, 2), HostReply::Waits);
        guest.feed(b"text\n");
        assert_eq!(polled(&mut guest, 2), SUCCEEDED);
        assert_eq!(at(&mut guest, OUT as usize, 1), [1]);
        assert_eq!(polled(&mut guest, 0), HostReply::Errno(28));
        assert_eq!(polled(&mut guest, 65), HostReply::Errno(28));
    }
}
