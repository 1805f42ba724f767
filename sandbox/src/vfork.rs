//! Starting a process without a copy of this one: its memory is large, and the copy would be thrown away at once.
//!
//! As with `vfork`, the child runs in this process's memory, on a stack of its own, while the thread that started it
//! waits until it executes its program or ends.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::{io, ptr};

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::Pid;

/// The pipes of a process: our ends.
pub(crate) struct Pipes {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// The stack of the child, in words of 16 bytes, as it must be aligned. It calls a few functions.
const STACK: usize = 4096;

/// What the child is to do.
struct ChildStart<'a> {
    /// Its ends of the pipes, in the order of the standard descriptors.
    streams: [&'a OwnedFd; 3],
    /// The folder in which it works.
    folder: &'a CStr,
    /// Becomes the program. It returns only where it fails.
    become_it: &'a dyn Fn() -> io::Error,
    /// Why it did not become the program; 0, as long as it may.
    error: AtomicI32,
}

/// Starts a process that leads a group of its own, works in a folder, and becomes what `become_it` executes. All
/// signals are held back in it, and it handles none: that is for `become_it` or the program to change.
///
/// # Safety
/// `become_it` must make system calls only, and must not allocate or panic: it runs beside other threads in their
/// memory.
#[expect(
    unsafe_code,
    reason = "the child has its own stack, and what it borrows outlives it as a borrower: this thread waits until it \
              executes its program or ends"
)]
pub(crate) unsafe fn spawn(
    folder: &CStr,
    become_it: &dyn Fn() -> io::Error,
) -> io::Result<(Pid, Pipes)> {
    let pipe = || pipe_with(PipeFlags::CLOEXEC);
    let ((their_in, stdin), (stdout, their_out), (stderr, their_err)) = (pipe()?, pipe()?, pipe()?);
    let birth = ChildStart {
        streams: [&their_in, &their_out, &their_err],
        folder,
        become_it,
        error: AtomicI32::new(0),
    };
    let mut stack = vec![MaybeUninit::<u128>::uninit(); STACK];
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let held = BlockedSignals::all();
    let pid = unsafe {
        let top = stack.as_mut_ptr().add(STACK).cast::<c_void>();
        let birth = ptr::from_ref(&birth).cast_mut().cast::<c_void>();
        libc::clone(child, top, flags, birth)
    };
    let failed = io::Error::last_os_error();
    drop(held);
    let Some(pid) = Pid::from_raw(pid.max(0)) else {
        return Err(failed);
    };
    let pipes = Pipes {
        stdin,
        stdout,
        stderr,
    };
    match birth.error.load(Ordering::Relaxed) {
        0 => Ok((pid, pipes)),
        error => {
            // It has ended, or is about to.
            let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
            Err(io::Error::from_raw_os_error(error))
        }
    }
}

#[expect(
    unsafe_code,
    reason = "it is what `spawn` gives; calls that take numbers"
)]
extern "C" fn child(birth: *mut c_void) -> libc::c_int {
    let birth = unsafe { &*birth.cast::<ChildStart<'_>>() };
    let error = match birth.prepare() {
        Ok(()) => (birth.become_it)(),
        Err(error) => error,
    };
    let number = error.raw_os_error().unwrap_or(libc::EINVAL);
    birth.error.store(number, Ordering::Relaxed);
    unsafe { libc::_exit(127) }
}

impl ChildStart<'_> {
    #[expect(unsafe_code, reason = "calls that take numbers and strings")]
    fn prepare(&self) -> io::Result<()> {
        let judged = |done: libc::c_int| match done {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        };
        for (number, stream) in (0..).zip(self.streams) {
            judged(unsafe { libc::dup2(stream.as_raw_fd(), number) })?;
        }
        judged(unsafe { libc::setpgid(0, 0) })?;
        judged(unsafe { libc::chdir(self.folder.as_ptr()) })
    }
}

/// All signals are held back from this thread, until this is dropped: the handlers of this process must not run in the
/// child.
struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    #[expect(unsafe_code, reason = "the sets are filled by the calls")]
    fn all() -> Self {
        let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
            BlockedSignals(before.assume_init())
        }
    }
}

impl Drop for BlockedSignals {
    #[expect(unsafe_code, reason = "the set is that of before")]
    fn drop(&mut self) {
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Write};

    use super::*;

    #[expect(
        unsafe_code,
        reason = "the closures execute or fail, and the list ends with a null"
    )]
    fn start(program: &std::ffi::CStr) -> io::Result<(Pid, Pipes)> {
        let args = [program.as_ptr(), ptr::null()];
        unsafe {
            spawn(c"/", &|| {
                libc::execv(args[0], args.as_ptr());
                io::Error::last_os_error()
            })
        }
    }

    #[test]
    fn the_child_has_the_pipes_and_a_group_of_its_own() {
        let (pid, pipes) = start(c"/bin/cat").unwrap();
        assert_eq!(rustix::process::getpgid(Some(pid)).unwrap(), pid);
        let folder = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap();
        assert_eq!(folder, std::path::Path::new("/"));
        File::from(pipes.stdin).write_all(b"hello").unwrap();
        let mut said = String::new();
        File::from(pipes.stdout).read_to_string(&mut said).unwrap();
        assert_eq!(said, "hello");
        let status = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
        assert_eq!(status.unwrap().unwrap().1.exit_status(), Some(0));
    }

    #[test]
    fn a_child_that_cannot_become_its_program_is_an_error_and_is_reaped() {
        let error = start(c"/no/such/program").map(drop).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOENT));
    }
}
