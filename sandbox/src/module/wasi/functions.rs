//! All functions of WASI preview 1, with their parameters, in the order of its text. Three of them can
//! stop a guest inside the call, and have their ways of being called: see `wasi`.

use wasmtime::{Caller, Linker, Result};

#[cfg(any(test, feature = "fuzzing"))]
use crate::module::wasi::call::Call;
use crate::module::wasi::call::check_times;
use crate::module::wasi::calling::{WASI, answer};
#[cfg(any(test, feature = "fuzzing"))]
use crate::module::wasi::errno::ErrnoFailure;
use crate::module::wasi::errno::{WasiErrno, choice8, flags16, flags32, rights};
use crate::module::wasi::files::OpenRequest;
use crate::module::wasi::state::WasiState;

// What a guest may say: the known flags, and how many values there are.
const ADVICE: u8 = 6;
const FDFLAGS: u16 = 0x1f;
const FSTFLAGS: u16 = 0xf;
const LOOKUPFLAGS: u32 = 1;
const OFLAGS: u16 = 0xf;
const SIGNALS: u8 = 31;
const WHENCE: u8 = 3;

/// Defines functions that provide a linker with calls, and run a call by its name for tests.
macro_rules! functions {
    ($($(#[$doc:meta])* $group:ident($call:ident) {
        $($name:ident($($arg:ident: $type:ty),*) $body:block)*
    })*) => {
        $(
            $(#[$doc])*
            fn $group(linker: &mut Linker<WasiState>) -> Result<()> {
                $(
                    linker.func_wrap(
                        WASI,
                        stringify!($name),
                        |mut caller: Caller<'_, WasiState>, $($arg: $type),*| {
                            answer(&mut caller, |$call| {
                                // Not every function needs it.
                                let _ = &$call;
                                $body
                            })
                        },
                    )?;
                )*
                Ok(())
            }
        )*

        /// Provides all functions that never stop a guest.
        pub(crate) fn provide(linker: &mut Linker<WasiState>) -> Result<()> {
            $($group(linker)?;)*
            Ok(())
        }

        /// Makes the call of this name; nothing where no function here has it.
        #[cfg(any(test, feature = "fuzzing"))]
        pub(crate) fn run(
            name: &str,
            args: &[u64],
            call: &mut Call<'_>,
        ) -> Option<Result<(), ErrnoFailure>> {
            let mut args = args.iter().copied();
            let mut next = || args.next().unwrap_or_default();
            match name {
                $($(
                    stringify!($name) => {
                        $(let $arg = next() as $type;)*
                        let run = |$call: &mut Call<'_>| -> Result<(), ErrnoFailure> {
                            let _ = &$call;
                            $body
                        };
                        Some(run(call))
                    }
                )*)*
                _ => None,
            }
        }

        /// The names of the functions that never stop a guest, and the types of their parameters.
        #[cfg(test)]
        pub(crate) const NEVER_STOP: &[(&str, &[&str])] = &[
            $($((stringify!($name), &[$(stringify!($type)),*]),)*)*
        ];
    };
}

functions! {
    /// What surrounds a guest: its arguments, its environment, its clocks.
    surroundings(call) {
        args_get(list: u32, buffer: u32) { call.args_get(list, buffer) }
        args_sizes_get(count: u32, size: u32) { call.args_sizes_get(count, size) }
        environ_get(_list: u32, _buffer: u32) { Ok(()) }
        environ_sizes_get(count: u32, size: u32) { call.environ_sizes_get(count, size) }
        clock_res_get(id: i32, out: u32) { call.clock_res_get(id, out) }
        clock_time_get(id: i32, _precision: u64, out: u32) { call.clock_time_get(id, out) }
        random_get(start: u32, len: u32) { call.random_get(start, len) }
        proc_raise(signal: i32) {
            choice8(signal, SIGNALS, "Signal")?;
            Err(WasiErrno::Notsup.into())
        }
        sched_yield() { Ok(()) }
    }

    /// What can be done to a descriptor, but for reading and writing.
    descriptors(call) {
        fd_advise(fd: u32, _offset: u64, len: u64, advice: i32) {
            choice8(advice, ADVICE, "Advice")?;
            call.for_files(fd)?;
            Ok(i64::try_from(len).map(drop).map_err(|_| WasiErrno::Inval)?)
        }
        fd_allocate(fd: u32, _offset: u64, _len: u64) { call.not_for_files(fd) }
        fd_close(fd: u32) { Ok(call.wasi.descriptors.close(fd)?) }
        fd_datasync(fd: u32) { call.for_files(fd) }
        fd_fdstat_get(fd: u32, out: u32) { call.fdstat(fd, out) }
        fd_fdstat_set_flags(fd: u32, flags: i32) {
            let flags = flags16(flags, FDFLAGS, "Fdflags")?;
            call.set_flags(fd, flags)
        }
        fd_fdstat_set_rights(fd: u32, base: i64, inheriting: i64) {
            rights(base)?;
            rights(inheriting)?;
            call.is_no_stream(fd)?;
            Err(WasiErrno::Notsup.into())
        }
        fd_filestat_get(fd: u32, out: u32) { call.filestat(fd, out) }
        fd_filestat_set_size(fd: u32, _size: u64) { call.read_only_file(fd) }
        fd_filestat_set_times(fd: u32, _atim: u64, _mtim: u64, flags: i32) {
            check_times(flags16(flags, FSTFLAGS, "Fstflags")?)?;
            call.is_no_stream(fd)?;
            Err(WasiErrno::Perm.into())
        }
        fd_pread(fd: u32, list: u32, count: u32, offset: u64, out: u32) {
            call.read_at(fd, (list, count), offset, out)
        }
        fd_prestat_get(fd: u32, out: u32) { call.prestat(fd, out) }
        fd_prestat_dir_name(fd: u32, path: u32, len: u32) { call.prestat_name(fd, path, len) }
        fd_pwrite(fd: u32, list: u32, count: u32, offset: u64, _out: u32) {
            call.write_at(fd, (list, count), offset)
        }
        fd_readdir(fd: u32, buffer: u32, len: u32, cookie: u64, out: u32) {
            call.readdir(fd, (buffer, len), cookie, out)
        }
        fd_renumber(from: u32, to: u32) { Ok(call.wasi.descriptors.renumber(from, to)?) }
        fd_seek(fd: u32, offset: i64, whence: i32, out: u32) {
            let whence = choice8(whence, WHENCE, "Whence")?;
            call.seek(fd, offset, whence, out)
        }
        fd_sync(fd: u32) { call.for_files(fd) }
        fd_tell(fd: u32, out: u32) { call.tell(fd, out) }
    }

    /// What can be done to a path: it begins from a folder of the guest's bundle, which is read-only.
    paths(call) {
        path_create_directory(fd: u32, path: u32, len: u32) { call.read_only_path(fd, path, len) }
        path_filestat_get(fd: u32, flags: i32, path: u32, len: u32, out: u32) {
            let lookup = flags32(flags, LOOKUPFLAGS, "Lookupflags")?;
            call.path_stat(fd, lookup, (path, len), out)
        }
        path_filestat_set_times(
            fd: u32, lookup: i32, path: u32, len: u32, _atim: u64, _mtim: u64, flags: i32
        ) {
            flags32(lookup, LOOKUPFLAGS, "Lookupflags")?;
            check_times(flags16(flags, FSTFLAGS, "Fstflags")?)?;
            call.read_only_path(fd, path, len)
        }
        path_link(
            old_fd: u32, flags: i32, old: u32, old_len: u32, new_fd: u32, new: u32, new_len: u32
        ) {
            flags32(flags, LOOKUPFLAGS, "Lookupflags")?;
            call.read_only_paths((old_fd, old, old_len), (new_fd, new, new_len))
        }
        path_open(
            fd: u32, lookup: i32, path: u32, len: u32, open: i32, base: i64, inheriting: i64,
            flags: i32, out: u32
        ) {
            let lookup = flags32(lookup, LOOKUPFLAGS, "Lookupflags")?;
            let open = flags16(open, OFLAGS, "Oflags")?;
            let base = rights(base)?;
            rights(inheriting)?;
            let flags = flags16(flags, FDFLAGS, "Fdflags")?;
            let wish = OpenRequest { lookup, open, rights: base, flags };
            call.path_open(fd, (path, len), wish, out)
        }
        path_readlink(fd: u32, path: u32, len: u32, buffer: u32, room: u32, out: u32) {
            call.readlink(fd, (path, len), (buffer, room), out)
        }
        path_remove_directory(fd: u32, path: u32, len: u32) { call.read_only_path(fd, path, len) }
        path_rename(
            old_fd: u32, old: u32, old_len: u32, new_fd: u32, new: u32, new_len: u32
        ) {
            call.read_only_paths((old_fd, old, old_len), (new_fd, new, new_len))
        }
        path_symlink(old: u32, old_len: u32, fd: u32, new: u32, new_len: u32) {
            call.no_new_link(fd, (old, old_len), (new, new_len))
        }
        path_unlink_file(fd: u32, path: u32, len: u32) { call.read_only_path(fd, path, len) }
    }

    /// Sockets, of which there are none, whatever the arguments.
    sockets(_call) {
        sock_accept(_fd: u32, _flags: i32, _out: u32) { Err(WasiErrno::Notsup.into()) }
        sock_recv(_fd: u32, _list: u32, _count: u32, _flags: i32, _size: u32, _out: u32) {
            Err(WasiErrno::Notsup.into())
        }
        sock_send(_fd: u32, _list: u32, _count: u32, _flags: i32, _out: u32) {
            Err(WasiErrno::Notsup.into())
        }
        sock_shutdown(_fd: u32, _how: i32) { Err(WasiErrno::Notsup.into()) }
    }
}
