//! The system calls that no library offers safely. Each process of the stage has one thread.

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io;
use std::mem::{self, MaybeUninit};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::time::Duration;

use rustix::process::Pid;
use rustix::thread::UnshareFlags;

/// Where a process goes on after it was doubled.
pub(crate) enum Fork {
    Parent(Pid),
    Child,
}

/// `CLONE_INTO_CGROUP`, which the library gives too few bits.
const INTO_GROUP: u64 = 0x2_0000_0000;

/// Doubles this process, which has one thread.
#[expect(
    unsafe_code,
    reason = "with one thread, a copy of this process is as whole as this one"
)]
pub(crate) fn fork() -> io::Result<Fork> {
    branch(unsafe { libc::fork() }.into())
}

/// Doubles this process, which has one thread; the child is init of a new user namespace
/// and a new namespace of processes, and begins inside of the control group whose folder this is.
#[expect(
    unsafe_code,
    reason = "with one thread, a copy of this process is as whole as this one; and the arguments live \
              as long as the call"
)]
pub(crate) fn fork_first(group: Option<&File>) -> io::Result<Fork> {
    let flags = libc::CLONE_NEWUSER | libc::CLONE_NEWPID;
    let mut args: libc::clone_args = unsafe { mem::zeroed() };
    args.exit_signal = libc::SIGCHLD as u64;
    args.flags = flags as u64;
    if let Some(group) = group {
        args.flags |= INTO_GROUP;
        args.cgroup = group.as_raw_fd() as u64;
    }
    let size = mem::size_of_val(&args);
    let mut pid = unsafe { libc::syscall(libc::SYS_clone3, &raw mut args, size) };
    if pid < 0 && group.is_none() && io::Error::last_os_error().raw_os_error() == Some(libc::ENOSYS)
    {
        // A container may hide the newer call.
        pid = unsafe { libc::syscall(libc::SYS_clone, flags | libc::SIGCHLD, 0, 0, 0, 0) };
    }
    branch(pid)
}

fn branch(pid: i64) -> io::Result<Fork> {
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    let pid = i32::try_from(pid).expect("the numbers of processes are small");
    Ok(Pid::from_raw(pid).map_or(Fork::Child, Fork::Parent))
}

/// The result of a call that returns 0 where it succeeds.
fn judged(done: libc::c_long) -> io::Result<()> {
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Leaves namespaces for new ones.
#[expect(
    unsafe_code,
    reason = "only the flag that parts the descriptors is unsafe, and nobody here uses it"
)]
pub(crate) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    assert!(!flags.contains(UnshareFlags::FILES));
    unsafe { rustix::thread::unshare_unsafe(flags) }.map_err(Into::into)
}

/// What is set on a mount.
#[repr(C)]
struct MountAttr {
    set: u64,
    clear: u64,
    propagation: u64,
    userns: u64,
}

/// Sets attributes (`MOUNT_ATTR_…`) on a mount and on all below it.
#[expect(unsafe_code, reason = "the arguments live as long as the call")]
pub(crate) fn set_mount(mount: impl AsFd, set: u64) -> io::Result<()> {
    let attr = MountAttr {
        set,
        clear: 0,
        propagation: 0,
        userns: 0,
    };
    let flags = libc::AT_EMPTY_PATH | libc::AT_RECURSIVE;
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_fd().as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const attr,
            mem::size_of::<MountAttr>(),
        )
    };
    judged(done)
}

/// What `sched_setattr` takes.
#[repr(C)]
struct SchedAttr {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

/// Asks the kernel (from Linux 6.12 on) for turns on the processor that are as short as can be and come the sooner for
/// it. Those that come of this process have usual ones.
#[expect(unsafe_code, reason = "the argument lives as long as the call")]
pub(crate) fn ask_for_short_turns() -> io::Result<()> {
    /// `SCHED_FLAG_RESET_ON_FORK`
    const NOT_INHERITED: u64 = 1;
    /// In nanoseconds, the shortest that the kernel gives.
    const SHORTEST: u64 = 100_000;
    let attr = SchedAttr {
        size: u32::try_from(mem::size_of::<SchedAttr>()).expect("it is small"),
        policy: libc::SCHED_OTHER.unsigned_abs(),
        flags: NOT_INHERITED,
        nice: rustix::process::getpriority_process(None)?,
        priority: 0,
        runtime: SHORTEST,
        deadline: 0,
        period: 0,
    };
    judged(unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attr, 0) })
}

/// Whether two threads have the same memory, as the parent and the child of `vfork` have for a while. No, where
/// the kernel cannot tell (it must be built with `CONFIG_KCMP`) or does not, or one of them has ended.
#[expect(unsafe_code, reason = "a call that takes numbers")]
pub(crate) fn share_memory(a: Pid, b: Pid) -> bool {
    /// `KCMP_VM`, which the library lacks.
    const MEMORY: libc::c_int = 1;
    let (a, b) = (a.as_raw_pid(), b.as_raw_pid());
    unsafe { libc::syscall(libc::SYS_kcmp, a, b, MEMORY, 0, 0) == 0 }
}

/// Becomes another program, with this process's environment. Returns only where it fails.
#[expect(
    unsafe_code,
    reason = "the list ends with a null, and its strings outlive the call"
)]
pub(crate) fn execute<'a>(
    program: &'a OsStr,
    args: impl Iterator<Item = &'a OsStr>,
) -> io::Result<std::convert::Infallible> {
    let strings = std::iter::once(program)
        .chain(args)
        .map(|text| CString::new(text.as_bytes()))
        .collect::<Result<Vec<_>, _>>()?;
    let mut list: Vec<_> = strings.iter().map(|text| text.as_ptr()).collect();
    list.push(ptr::null());
    unsafe { libc::execv(strings[0].as_ptr(), list.as_ptr()) };
    Err(io::Error::last_os_error())
}

/// The last of the signals, which count from 1.
pub(crate) const LAST_SIGNAL: i32 = 64;

/// A signal that was held back and taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) signal: i32,
    /// Whether who sent it is in none of our namespaces: then it has no number here.
    pub(crate) from_outside: bool,
}

/// A set of signals.
pub(crate) struct Signals(libc::sigset_t);

impl Signals {
    #[expect(unsafe_code, reason = "the set is filled by the call")]
    pub(crate) fn all() -> Self {
        let mut set = MaybeUninit::uninit();
        unsafe {
            libc::sigfillset(set.as_mut_ptr());
            Signals(set.assume_init())
        }
    }

    #[expect(unsafe_code, reason = "the set is emptied by the call")]
    pub(crate) fn of(signals: &[i32]) -> Self {
        let mut set = MaybeUninit::uninit();
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            let mut set = set.assume_init();
            for &signal in signals {
                libc::sigaddset(&raw mut set, signal);
            }
            Signals(set)
        }
    }

    /// Holds these signals back, and no others.
    #[expect(unsafe_code, reason = "the set lives as long as the call")]
    pub(crate) fn hold(&self) {
        unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const self.0, ptr::null_mut()) };
    }

    /// Waits for one of these, which are held back; with a time, no longer than that.
    #[expect(
        unsafe_code,
        reason = "the set, the time and what is told live as long as the call, and the number of the \
                  sender is read of a signal that has one"
    )]
    pub(crate) fn wait_for(&self, most: Option<Duration>) -> Option<Taken> {
        let time = most.map(|most| libc::timespec {
            tv_sec: most.as_secs().cast_signed(),
            tv_nsec: most.subsec_nanos().into(),
        });
        let time = time.as_ref().map_or(ptr::null(), ptr::from_ref);
        let mut told = MaybeUninit::<libc::siginfo_t>::zeroed();
        let signal = unsafe { libc::sigtimedwait(&raw const self.0, told.as_mut_ptr(), time) };
        let told = unsafe { told.assume_init() };
        (signal > 0).then(|| Taken {
            signal,
            from_outside: told.si_code == libc::SI_USER && unsafe { told.si_pid() } == 0,
        })
    }
}

/// Lets a signal do what it does by default; of those that cannot do otherwise, nothing.
#[expect(
    unsafe_code,
    reason = "zeroes are the default action with no flags and nothing held back, and outlive the call"
)]
pub(crate) fn default_action(signal: i32) {
    // Not by signal(), which keeps two signals for the C library.
    let default = [0_u64; 8];
    let signals_size = mem::size_of::<u64>();
    let none = ptr::null_mut::<u64>();
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            signal,
            default.as_ptr(),
            none,
            signals_size,
        );
    }
}

/// Sends a signal to this very process, which has one thread: it has come when this returns.
#[expect(unsafe_code, reason = "calls that take numbers")]
pub(crate) fn raise(signal: i32) {
    // Not by raise(), which keeps two signals for the C library.
    unsafe { libc::kill(libc::getpid(), signal) };
}

/// Sends a signal to all processes that this one may signal, but not to itself: of init of a
/// namespace, all others there. None is born meanwhile.
#[expect(unsafe_code, reason = "a call that takes two numbers")]
pub(crate) fn signal_all(signal: i32) {
    assert_eq!(
        std::process::id(),
        1,
        "outside of a namespace this is a whole machine"
    );
    unsafe { libc::kill(-1, signal) };
}

/// Ends this process at once, without what is done at a program's end.
#[expect(unsafe_code, reason = "the call takes a number and does not return")]
pub(crate) fn exit(code: i32) -> ! {
    unsafe { libc::_exit(code) }
}

/// Closes the standard descriptors.
#[expect(
    unsafe_code,
    reason = "the stage uses none of them, and has nothing that owns them"
)]
pub(crate) fn close_standard() {
    for fd in 0..3 {
        unsafe { libc::close(fd) };
    }
}

/// Takes a capability from what this process and all that come of it could ever have.
#[expect(unsafe_code, reason = "a call that takes numbers")]
pub(crate) fn unbind_capability(number: u32) -> io::Result<()> {
    let number = libc::c_ulong::from(number);
    judged(unsafe { libc::prctl(libc::PR_CAPBSET_DROP, number, 0, 0, 0) }.into())
}
