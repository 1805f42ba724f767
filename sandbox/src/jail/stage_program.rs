//! What carries the stage: a file in memory with the program that is built in, or the program of the jail.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;

use crate::jail::Jail;

/// The name of the file in memory, for whoever lists the processes of the machine.
const NAME: &str = "flipside-jail";

/// What is executed to become the stage.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StageProgram {
    /// The program that is built in. It has no other arguments than the stage's.
    Memory(BorrowedFd<'static>),
    /// The jail's program, with its arguments first.
    Program,
}

/// Whether the machine was found to forbid that the file in memory is executed.
static FORBIDDEN: AtomicBool = AtomicBool::new(false);

impl StageProgram {
    /// That of this jail. One without its program is an error, though it might do without.
    pub(crate) fn of(jail: &Jail) -> Self {
        if jail.by_program || !jail.program.exists() || FORBIDDEN.load(Ordering::Relaxed) {
            return StageProgram::Program;
        }
        in_memory().map_or(StageProgram::Program, StageProgram::Memory)
    }

    /// Whether to try the other one after this error, now and from now on: where the machine makes files in memory but
    /// does not execute them.
    pub(crate) fn is_forbidden(self, error: &io::Error) -> bool {
        let forbidden = matches!(
            Errno::from_io_error(error),
            Some(Errno::ACCESS | Errno::PERM | Errno::NOSYS)
        );
        if !(forbidden && matches!(self, StageProgram::Memory(_))) {
            return false;
        }
        tracing::info!(%error, "programs in memory cannot be executed; this program is the stage");
        FORBIDDEN.store(true, Ordering::Relaxed);
        true
    }
}

/// The file in memory, made once.
fn in_memory() -> Option<BorrowedFd<'static>> {
    static FILE: OnceLock<Option<OwnedFd>> = OnceLock::new();
    let file = FILE.get_or_init(|| {
        let made = sealed(flipside_jail::PROGRAM);
        made.inspect_err(|error| {
            // Where `vm.memfd_noexec` is 2, or a container hides the call.
            tracing::info!(%error, "no program can be put into memory; this program is the stage");
        })
        .ok()
    });
    file.as_ref().map(AsFd::as_fd)
}

/// An executable file in memory that nobody can change, this process neither.
fn sealed(program: &[u8]) -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // A kernel before 6.3 does not know that some are not executable.
    let file = match rustix::fs::memfd_create(NAME, flags | MemfdFlags::EXEC) {
        Err(Errno::INVAL) => rustix::fs::memfd_create(NAME, flags)?,
        made => made?,
    };
    let mut file = File::from(file);
    file.write_all(program)?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    rustix::fs::fcntl_add_seals(&file, seals)?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn nobody_can_change_the_program_in_memory() {
        let file = File::from(sealed(b"program").unwrap());
        assert!(file.write_at(b"x", 0).is_err());
        assert!(file.set_len(0).is_err() && file.set_len(100).is_err());
        let mut bytes = [0; 16];
        assert_eq!(file.read_at(&mut bytes, 0).unwrap(), 7);
        assert_eq!(&bytes[..7], b"program");
    }

    #[test]
    fn only_what_the_machine_forbids_is_tried_in_another_way() {
        let error = |number| io::Error::from_raw_os_error(number);
        assert!(!StageProgram::Program.is_forbidden(&error(libc::EACCES)));
        let memory = StageProgram::Memory(in_memory().unwrap());
        assert!(!memory.is_forbidden(&error(libc::EAGAIN)));
        assert!(!memory.is_forbidden(&error(libc::ENOMEM)));
    }
}
