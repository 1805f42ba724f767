//! The system calls of the stage. The program has no C library, whose start takes longer than the whole exec.

#![expect(
    unsafe_code,
    reason = "each function is one system call; its pointers come from references, or from the command line of the \
              process, and live as long as the call"
)]

use core::ffi::CStr;
use core::time::Duration;
use core::{mem, ptr};

use crate::call::raw;
use crate::numbers;

/// Why a call failed, by the kernel's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub i32);

impl Errno {
    pub(crate) const NOENT: Errno = Errno(2);
    pub(crate) const INTR: Errno = Errno(4);
    pub(crate) const ACCES: Errno = Errno(13);
    pub(crate) const BUSY: Errno = Errno(16);
    pub(crate) const EXIST: Errno = Errno(17);
    pub(crate) const NOTDIR: Errno = Errno(20);
    pub(crate) const INVAL: Errno = Errno(22);
    pub(crate) const NAMETOOLONG: Errno = Errno(36);
    pub(crate) const NOSYS: Errno = Errno(38);
}

/// The result of a call.
pub type Result<T> = core::result::Result<T, Errno>;

/// Makes a call with up to six arguments, and names its error.
///
/// # Safety
/// What the kernel does with the arguments must be sound.
unsafe fn call<const N: usize>(number: usize, args: [usize; N]) -> Result<usize> {
    let mut all = [0; 6];
    all[..N].copy_from_slice(&args);
    let result = unsafe { raw(number, all) };
    if (-4095..0).contains(&result) {
        return Err(Errno(i32::try_from(-result).unwrap_or(0)));
    }
    Ok(result.cast_unsigned())
}

/// An `int` as the kernel reads it.
pub(crate) const fn int(number: i32) -> usize {
    (number as isize).cast_unsigned()
}

fn address<T: ?Sized>(of: &T) -> usize {
    ptr::from_ref(of).cast::<u8>() as usize
}

fn address_mut<T: ?Sized>(of: &mut T) -> usize {
    ptr::from_mut(of).cast::<u8>() as usize
}

fn at(path: &CStr) -> usize {
    path.as_ptr() as usize
}

/// The folder where this process works, for the calls that take a folder.
const HERE: usize = int(-100);

/// A descriptor, closed when it is dropped.
#[derive(Debug)]
pub struct Fd(i32);

impl Fd {
    /// Takes the descriptor with this number, which nobody else uses.
    pub(crate) fn take(number: i32) -> Self {
        Fd(number)
    }

    fn of(number: usize) -> Self {
        Fd(i32::try_from(number).unwrap_or(-1))
    }

    fn arg(&self) -> usize {
        int(self.0)
    }

    /// Reads once, whatever signals come.
    pub fn read(&self, bytes: &mut [u8]) -> Result<usize> {
        loop {
            let read =
                unsafe { call(numbers::READ, [self.arg(), address_mut(bytes), bytes.len()]) };
            if read != Err(Errno::INTR) {
                return read;
            }
        }
    }

    /// Fills `bytes`, as far as there is something to read.
    pub fn read_all(&self, bytes: &mut [u8]) -> Result<usize> {
        let mut length = 0;
        while length < bytes.len() {
            match self.read(&mut bytes[length..])? {
                0 => break,
                more => length += more,
            }
        }
        Ok(length)
    }

    /// Writes all of it.
    pub fn write_all(&self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let args = [self.arg(), address(bytes), bytes.len()];
            match unsafe { call(numbers::WRITE, args) } {
                Ok(written) => bytes = &bytes[written..],
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Lets no program have it that this process becomes. Fails where it is none.
    pub(crate) fn close_on_exec(&self) -> Result<()> {
        const F_SETFD: usize = 2;
        unsafe { call(numbers::FCNTL, [self.arg(), F_SETFD, 1]) }.map(drop)
    }

    /// Whether a read would not wait, now.
    pub(crate) fn readable(&self) -> bool {
        #[repr(C)]
        struct Poll {
            fd: i32,
            events: i16,
            found: i16,
        }
        let mut poll = Poll {
            fd: self.0,
            events: 1,
            found: 0,
        };
        let at_once = [0_u64; 2];
        let args = [address_mut(&mut poll), 1, address(&at_once), 0, 0];
        unsafe { call(numbers::PPOLL, args) }.is_ok_and(|count| count > 0)
    }

    /// Reads entries of a folder.
    pub(crate) fn entries(&self, bytes: &mut [u8]) -> Result<usize> {
        let args = [self.arg(), address_mut(bytes), bytes.len()];
        unsafe { call(numbers::GETDENTS64, args) }
    }

    /// Gives it up without closing it.
    pub(crate) fn leave_open(self) {
        mem::forget(self);
    }
}

impl Drop for Fd {
    fn drop(&mut self) {
        let _ = unsafe { call(numbers::CLOSE, [self.arg()]) };
    }
}

/// How a file is opened.
pub mod open {
    /// For reading.
    pub const READ: i32 = 0;
    /// For writing.
    pub const WRITE: i32 = 1;
    /// For writing a file that is made if it is not there, and is empty. Files of a control group are there, and a
    /// plain folder can stand for one.
    pub const SET: i32 = 1 | 0o100 | 0o1000;
    /// For writing a file that is made, and is not there before.
    pub const CREATE: i32 = 1 | 0o100 | 0o200;
    /// A folder.
    pub const FOLDER: i32 = if cfg!(target_arch = "x86_64") {
        0o200_000
    } else {
        0o40_000
    };
    /// Only its place.
    pub const PATH: i32 = 0o10_000_000;
}

const CLOSE_ON_EXEC: i32 = 0o2_000_000;

/// Opens a file.
pub fn open(path: &CStr, flags: i32) -> Result<Fd> {
    let mode = if flags & 0o100 == 0 { 0 } else { 0o644 };
    let args = [HERE, at(path), int(flags | CLOSE_ON_EXEC), mode];
    unsafe { call(numbers::OPENAT, args) }.map(Fd::of)
}

/// Makes a folder.
pub fn make_folder(path: &CStr) -> Result<()> {
    const MODE: usize = 0o755;
    unsafe { call(numbers::MKDIRAT, [HERE, at(path), MODE]) }.map(drop)
}

/// Removes an empty folder.
pub fn remove_folder(path: &CStr) -> Result<()> {
    const REMOVE_DIR: usize = 0x200;
    unsafe { call(numbers::UNLINKAT, [HERE, at(path), REMOVE_DIR]) }.map(drop)
}

pub(crate) fn symlink(to: &CStr, path: &CStr) -> Result<()> {
    unsafe { call(numbers::SYMLINKAT, [at(to), HERE, at(path)]) }.map(drop)
}

/// Where a link leads. Fails with [`Errno::INVAL`] where it is none.
pub(crate) fn link_of(path: &CStr, bytes: &mut [u8]) -> Result<usize> {
    let args = [HERE, at(path), address_mut(bytes), bytes.len()];
    unsafe { call(numbers::READLINKAT, args) }
}

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Folder,
    Other,
}

/// What a descriptor is of.
pub(crate) fn kind_of(fd: &Fd) -> Result<ObjectKind> {
    const EMPTY_PATH: usize = 0x1000;
    const TYPE: usize = 1;
    // `struct statx` has 256 bytes; the mode is behind two numbers of 32 bits, one of 64 and three of 32.
    let mut stat = [0_u16; 128];
    let args = [fd.arg(), at(c""), EMPTY_PATH, TYPE, address_mut(&mut stat)];
    unsafe { call(numbers::STATX, args) }?;
    Ok(match stat[14] & 0o170_000 {
        0o040_000 => ObjectKind::Folder,
        _ => ObjectKind::Other,
    })
}

/// A pipe: the end to read, the end to write.
pub(crate) fn pipe() -> Result<(Fd, Fd)> {
    let mut ends = [0_i32; 2];
    unsafe { call(numbers::PIPE2, [address_mut(&mut ends), int(CLOSE_ON_EXEC)]) }?;
    Ok((Fd(ends[0]), Fd(ends[1])))
}

/// Closes the standard descriptors, which the stage does not use.
pub(crate) fn close_standard() {
    (0..3).for_each(|number| drop(Fd(number)));
}

/// Closes all descriptors from 3 on but one. A kernel before 5.9 does not know the call; then others stay open until
/// the next program, which they are not for.
pub(crate) fn close_others(but: &Fd) {
    let but = but.0.unsigned_abs() as usize;
    let close = |from: usize, to: usize| {
        if from <= to {
            let _ = unsafe { call(numbers::CLOSE_RANGE, [from, to, 0]) };
        }
    };
    close(3, but - 1);
    close(but + 1, u32::MAX as usize);
}

/// Where a process goes on after it was doubled.
pub(crate) enum Fork {
    Parent(i32),
    Child,
}

const SIGCHLD: usize = 17;

/// Doubles this process, which has one thread.
pub(crate) fn fork() -> Result<Fork> {
    unsafe { call(numbers::CLONE, [SIGCHLD, 0, 0, 0, 0]) }.map(branch)
}

fn branch(pid: usize) -> Fork {
    match i32::try_from(pid) {
        Ok(0) | Err(_) => Fork::Child,
        Ok(pid) => Fork::Parent(pid),
    }
}

/// Doubles this process, which has one thread; the child is init of a new user namespace and a new namespace of
/// processes, and begins in the control group whose folder this is.
pub(crate) fn fork_init(group: Option<&Fd>) -> Result<Fork> {
    const NEW: usize = flag::NEWUSER | flag::NEWPID;
    const INTO_CGROUP: u64 = 0x2_0000_0000;
    let mut args = [0_u64; 11];
    args[0] = NEW as u64;
    args[4] = SIGCHLD as u64;
    if let Some(group) = group {
        args[0] |= INTO_CGROUP;
        args[10] = group.arg() as u64;
    }
    let size = mem::size_of_val(&args);
    let mut pid = unsafe { call(numbers::CLONE3, [address_mut(&mut args), size]) };
    if group.is_none() && pid == Err(Errno::NOSYS) {
        // A container may hide the newer call.
        pid = unsafe { call(numbers::CLONE, [NEW | SIGCHLD, 0, 0, 0, 0]) };
    }
    pid.map(branch)
}

/// The flags of namespaces.
pub(crate) mod flag {
    pub(crate) const NEWNS: usize = 0x2_0000;
    pub(crate) const NEWCGROUP: usize = 0x200_0000;
    pub(crate) const NEWUTS: usize = 0x400_0000;
    pub(crate) const NEWIPC: usize = 0x800_0000;
    pub(crate) const NEWUSER: usize = 0x1000_0000;
    pub(crate) const NEWPID: usize = 0x2000_0000;
    pub(crate) const NEWNET: usize = 0x4000_0000;
}

/// Leaves namespaces for new ones.
pub(crate) fn unshare(flags: usize) -> Result<()> {
    unsafe { call(numbers::UNSHARE, [flags]) }.map(drop)
}

/// Joins the network namespace of this descriptor.
pub(crate) fn join_network(namespace: &Fd) -> Result<()> {
    unsafe { call(numbers::SETNS, [namespace.arg(), flag::NEWNET]) }.map(drop)
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitStatus {
    Exited(i32),
    Signalled(i32),
}

impl WaitStatus {
    /// From the status by which the kernel tells it.
    pub(crate) fn of(status: i32) -> Self {
        match status & 0x7f {
            0 => WaitStatus::Exited((status >> 8) & 0xff),
            signal => WaitStatus::Signalled(signal),
        }
    }

    /// As such a status.
    pub(crate) fn status(self) -> i32 {
        match self {
            WaitStatus::Exited(code) => code << 8,
            WaitStatus::Signalled(signal) => signal,
        }
    }
}

/// Which process to wait for.
#[derive(Clone, Copy)]
pub(crate) enum Whom {
    Any,
    This(i32),
}

/// Reaps a process that has ended, if one has. `None`: all live.
pub(crate) fn reap(whom: Whom) -> Result<Option<(i32, WaitStatus)>> {
    const NO_HANG: usize = 1;
    let whom = match whom {
        Whom::Any => -1,
        Whom::This(pid) => pid,
    };
    let mut status = 0_i32;
    let args = [int(whom), address_mut(&mut status), NO_HANG, 0];
    let pid = unsafe { call(numbers::WAIT4, args) }?;
    let Fork::Parent(pid) = branch(pid) else {
        return Ok(None);
    };
    Ok(Some((pid, WaitStatus::of(status))))
}

/// Ends this process at once.
pub(crate) fn exit(code: i32) -> ! {
    loop {
        let _ = unsafe { call(numbers::EXIT_GROUP, [int(code)]) };
    }
}

/// The number of this process.
pub fn own_pid() -> u32 {
    unsafe { call(numbers::GETPID, []) }.map_or(0, |pid| pid as u32)
}

pub(crate) fn parent_pid() -> u32 {
    unsafe { call(numbers::GETPPID, []) }.map_or(0, |pid| pid as u32)
}

/// Sends a signal to a process.
pub(crate) fn kill(pid: i32, signal: i32) {
    // What it is for, the caller's process has not reaped, so that it is there.
    let _ = unsafe { call(numbers::KILL, [int(pid), int(signal)]) };
}

/// Sends a signal to all processes that this one may signal, but not to itself: of init of a namespace, all others
/// there. None is born meanwhile.
pub(crate) fn signal_all(signal: i32) {
    assert_eq!(
        own_pid(),
        1,
        "outside of a namespace this is a whole machine"
    );
    kill(-1, signal);
}

/// The signals that the stage names.
pub mod signal {
    pub(crate) const HUP: i32 = 1;
    pub(crate) const INT: i32 = 2;
    pub(crate) const KILL: i32 = 9;
    pub(crate) const USR1: i32 = 10;
    pub(crate) const USR2: i32 = 12;
    pub(crate) const TERM: i32 = 15;
    pub(crate) const CHLD: i32 = 17;
    pub(crate) const CONT: i32 = 18;
    pub(crate) const STOP: i32 = 19;
    /// The last one; they count from 1.
    pub(crate) const LAST: i32 = 64;
}

/// The size of a set of signals.
const SET: usize = 8;

/// A set of signals.
#[derive(Clone, Copy)]
pub(crate) struct Signals(u64);

/// A signal that was held back and taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TakenSignal {
    pub(crate) signal: i32,
    /// Whether who sent it is in none of our namespaces: then it has no number here.
    pub(crate) from_outside: bool,
}

impl Signals {
    pub(crate) const ALL: Signals = Signals(u64::MAX);
    pub(crate) const NONE: Signals = Signals(0);

    pub(crate) fn of(signals: &[i32]) -> Self {
        Signals(
            signals
                .iter()
                .fold(0, |set, signal| set | 1 << (signal - 1)),
        )
    }

    /// Holds these signals back, and no others.
    pub(crate) fn hold(self) {
        const SETMASK: usize = 2;
        let _ = unsafe { call(numbers::RT_SIGPROCMASK, [SETMASK, address(&self.0), 0, SET]) };
    }

    /// Waits for one of these, which are held back; with a time, no longer than that.
    pub(crate) fn wait_for(self, most: Option<Duration>) -> Option<TakenSignal> {
        /// `SI_USER`: it was sent by kill().
        const USER: i32 = 0;
        let time = most.map(timespec);
        let time = time.as_ref().map_or(0, address);
        // `siginfo_t` has 128 bytes: the signal, an error, the code, and after a gap the sender.
        let mut told = [0_i32; 32];
        let args = [address(&self.0), address_mut(&mut told), time, SET];
        let signal = unsafe { call(numbers::RT_SIGTIMEDWAIT, args) }.ok()?;
        Some(TakenSignal {
            signal: i32::try_from(signal).ok()?,
            from_outside: told[2] == USER && told[4] == 0,
        })
    }
}

/// Lets a signal do what it does by default; of those that cannot do otherwise, nothing.
pub(crate) fn default_action(signal: i32) {
    // Zeroes are the default action, with no flags and nothing held back.
    let default = [0_u64; 4];
    let args = [int(signal), address(&default), 0, SET];
    let _ = unsafe { call(numbers::RT_SIGACTION, args) };
}

fn timespec(time: Duration) -> [i64; 2] {
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    [seconds, time.subsec_nanos().into()]
}

fn clock(number: usize) -> Duration {
    let mut now = [0_u64; 2];
    let _ = unsafe { call(numbers::CLOCK_GETTIME, [number, address_mut(&mut now)]) };
    Duration::new(now[0], u32::try_from(now[1]).unwrap_or(0))
}

/// The time since some moment in the past.
pub(crate) fn now() -> Duration {
    clock(1)
}

/// The processor time of this process.
pub(crate) fn own_cpu() -> Duration {
    clock(2)
}

pub(crate) fn sleep(time: Duration) {
    let time = timespec(time);
    let _ = unsafe { call(numbers::CLOCK_NANOSLEEP, [1, 0, address(&time), 0]) };
}

pub(crate) fn enter_folder(path: &CStr) -> Result<()> {
    unsafe { call(numbers::CHDIR, [at(path)]) }.map(drop)
}

pub(crate) fn enter_open_folder(folder: &Fd) -> Result<()> {
    unsafe { call(numbers::FCHDIR, [folder.arg()]) }.map(drop)
}

/// The flags of the older call for mounts.
pub(crate) mod mount {
    pub(crate) const READ_ONLY: usize = 1;
    pub(crate) const NO_SUID: usize = 2;
    pub(crate) const NO_DEVICES: usize = 4;
    pub(crate) const REMOUNT: usize = 32;
    pub(crate) const BIND: usize = 4096;
    pub(crate) const RECURSIVE: usize = 0x4000;
    pub(crate) const PRIVATE: usize = 0x4_0000;
}

/// The older call for mounts, without a source and a kind: it changes what is mounted.
pub(crate) fn change_mount(path: &CStr, flags: usize) -> Result<()> {
    unsafe { call(numbers::MOUNT, [0, at(path), 0, flags, 0]) }.map(drop)
}

/// Lets go of what is mounted here, also where it is in use.
pub(crate) fn unmount(path: &CStr) -> Result<()> {
    const DETACH: usize = 2;
    unsafe { call(numbers::UMOUNT2, [at(path), DETACH]) }.map(drop)
}

/// Makes the working folder the root, with the old one mounted over it.
pub(crate) fn pivot_root() -> Result<()> {
    unsafe { call(numbers::PIVOT_ROOT, [at(c"."); 2]) }.map(drop)
}

/// The attributes of a mount.
pub(crate) mod attribute {
    pub(crate) const READ_ONLY: u64 = 1;
    pub(crate) const NO_SUID: u64 = 2;
    pub(crate) const NO_DEVICES: u64 = 4;
    pub(crate) const NO_EXEC: u64 = 8;
}

/// A copy of what is mounted at a path and below, which is mounted nowhere.
pub(crate) fn copy_mount(path: &CStr) -> Result<Fd> {
    const CLONE: i32 = 1;
    const RECURSIVE: i32 = 0x8000;
    let flags = int(CLONE | RECURSIVE | CLOSE_ON_EXEC);
    unsafe { call(numbers::OPEN_TREE, [HERE, at(path), flags]) }.map(Fd::of)
}

/// Sets attributes on a mount and on all below it.
pub(crate) fn set_mount(mount: &Fd, attributes: u64) -> Result<()> {
    const EMPTY_PATH_RECURSIVE: usize = 0x1000 | 0x8000;
    // Set, clear, propagation, the map of users.
    let attr = [attributes, 0, 0, 0];
    let (place, size) = (at(c""), mem::size_of_val(&attr));
    let args = [
        mount.arg(),
        place,
        EMPTY_PATH_RECURSIVE,
        address(&attr),
        size,
    ];
    unsafe { call(numbers::MOUNT_SETATTR, args) }.map(drop)
}

/// Mounts it at a path.
pub(crate) fn attach(mount: &Fd, path: &CStr) -> Result<()> {
    const FROM_EMPTY_PATH: usize = 4;
    let args = [mount.arg(), at(c""), HERE, at(path), FROM_EMPTY_PATH];
    unsafe { call(numbers::MOVE_MOUNT, args) }.map(drop)
}

/// Makes a file system of this kind with these options, mounted nowhere.
pub(crate) fn file_system(kind: &CStr, options: &[(&CStr, &CStr)], attributes: u64) -> Result<Fd> {
    const SET_STRING: usize = 1;
    const CREATE: usize = 6;
    let made = unsafe { call(numbers::FSOPEN, [at(kind), 1]) }.map(Fd::of)?;
    for (key, value) in options {
        let args = [made.arg(), SET_STRING, at(key), at(value), 0];
        unsafe { call(numbers::FSCONFIG, args) }?;
    }
    unsafe { call(numbers::FSCONFIG, [made.arg(), CREATE, 0, 0, 0]) }?;
    let args = [made.arg(), 1, attributes as usize];
    unsafe { call(numbers::FSMOUNT, args) }.map(Fd::of)
}

pub(crate) fn set_host_name(name: &[u8]) -> Result<()> {
    unsafe { call(numbers::SETHOSTNAME, [address(name), name.len()]) }.map(drop)
}

/// The operations of `prctl` that the stage uses.
pub(crate) mod request {
    pub(crate) const SET_DEATH_SIGNAL: usize = 1;
    pub(crate) const SET_DUMPABLE: usize = 4;
    pub(crate) const DROP_CAPABILITY: usize = 24;
    pub(crate) const SET_NO_NEW_PRIVS: usize = 38;
    pub(crate) const AMBIENT: usize = 47;
}

pub(crate) fn prctl(request: usize, argument: usize) -> Result<()> {
    unsafe { call(numbers::PRCTL, [request, argument, 0, 0, 0]) }.map(drop)
}

/// Becomes a group of its own.
pub(crate) fn own_group() -> Result<()> {
    unsafe { call(numbers::SETPGID, [0, 0]) }.map(drop)
}

pub(crate) fn own_session() -> Result<()> {
    unsafe { call(numbers::SETSID, []) }.map(drop)
}

pub(crate) fn clear_groups() -> Result<()> {
    unsafe { call(numbers::SETGROUPS, [0, 0]) }.map(drop)
}

/// Becomes a group and then a user, in every respect.
pub(crate) fn set_group(group: u32) -> Result<()> {
    unsafe { call(numbers::SETRESGID, [group as usize; 3]) }.map(drop)
}

pub(crate) fn set_user(user: u32) -> Result<()> {
    unsafe { call(numbers::SETRESUID, [user as usize; 3]) }.map(drop)
}

/// Gives up all capabilities.
pub(crate) fn drop_capabilities() -> Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    let (header, none) = ([VERSION_3, 0], [0_u32; 6]);
    unsafe { call(numbers::CAPSET, [address(&header), address(&none)]) }.map(drop)
}

/// Sets both limits of a resource of this process; one that is lower already stays.
pub(crate) fn limit(resource: u32, most: u64) -> Result<()> {
    let mut now = [0_u64; 2];
    let args = [0, resource as usize, 0, address_mut(&mut now)];
    unsafe { call(numbers::PRLIMIT64, args) }?;
    // No limit is the largest number.
    set_limit(resource, now[1].min(most))
}

/// Sets both limits of a resource of this process, whatever they were.
pub(crate) fn set_limit(resource: u32, most: u64) -> Result<()> {
    let most = [most; 2];
    let args = [0, resource as usize, address(&most), 0];
    unsafe { call(numbers::PRLIMIT64, args) }.map(drop)
}

/// Asks the kernel (from Linux 6.12 on) for turns on the processor that are as short as can be and come the sooner for
/// it. Those that come of this process have usual ones.
pub(crate) fn ask_for_short_turns() -> Result<()> {
    /// `SCHED_FLAG_RESET_ON_FORK`
    const NOT_INHERITED: u64 = 1;
    /// In nanoseconds, the shortest that the kernel gives.
    const SHORTEST: u64 = 100_000;
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
    // The kernel tells 20 - nice.
    let priority = unsafe { call(numbers::GETPRIORITY, [0, 0]) }?;
    let attr = SchedAttr {
        size: mem::size_of::<SchedAttr>() as u32,
        policy: 0,
        flags: NOT_INHERITED,
        nice: 20 - i32::try_from(priority).unwrap_or(20),
        priority: 0,
        runtime: SHORTEST,
        deadline: 0,
        period: 0,
    };
    unsafe { call(numbers::SCHED_SETATTR, [0, address(&attr), 0]) }.map(drop)
}

/// Whether two threads have the same memory, as the parent and the child of `vfork` have for a while. No, where the
/// kernel cannot tell (it must be built with `CONFIG_KCMP`) or does not, or one of them has ended.
pub(crate) fn share_memory(a: i32, b: i32) -> bool {
    const MEMORY: usize = 1;
    let same = unsafe { call(numbers::KCMP, [int(a), int(b), MEMORY, 0, 0]) };
    same == Ok(0)
}

/// An instruction of a filter of system calls, as the kernel reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) code: u16,
    pub(crate) yes: u8,
    pub(crate) no: u8,
    pub(crate) value: u32,
}

/// Puts a filter on this process and all that come of it. It has no way to new privileges.
pub(crate) fn install_filter(program: &[Instruction]) -> Result<()> {
    const SET_MODE_FILTER: usize = 1;
    #[repr(C)]
    struct FilterProgram {
        length: u16,
        start: *const Instruction,
    }
    let program = FilterProgram {
        length: u16::try_from(program.len()).map_err(|_| Errno::INVAL)?,
        start: program.as_ptr(),
    };
    unsafe { call(numbers::SECCOMP, [SET_MODE_FILTER, 0, address(&program)]) }.map(drop)
}

/// The newest version of Landlock that the kernel has.
pub(crate) fn landlock_version() -> Result<usize> {
    const VERSION: usize = 1;
    unsafe { call(numbers::LANDLOCK_CREATE_RULESET, [0, 0, VERSION]) }
}

/// Makes a set of rules that handles these: access to files, to the network, what reaches out of it.
pub(crate) fn landlock_rules(handled: &[u64]) -> Result<Fd> {
    let args = [address(handled), mem::size_of_val(handled), 0];
    unsafe { call(numbers::LANDLOCK_CREATE_RULESET, args) }.map(Fd::of)
}

/// Allows this access to what is below a place.
pub(crate) fn landlock_allow(rules: &Fd, place: &Fd, access: u64) -> Result<()> {
    const PATH_BENEATH: usize = 1;
    #[repr(C, packed)]
    struct Beneath {
        access: u64,
        place: i32,
    }
    let beneath = Beneath {
        access,
        place: place.0,
    };
    let args = [rules.arg(), PATH_BENEATH, address(&beneath), 0];
    unsafe { call(numbers::LANDLOCK_ADD_RULE, args) }.map(drop)
}

pub(crate) fn landlock_restrict(rules: &Fd) -> Result<()> {
    unsafe { call(numbers::LANDLOCK_RESTRICT_SELF, [rules.arg(), 0]) }.map(drop)
}

/// Becomes another program. Returns only where it fails.
pub(crate) fn execute(program: &CStr, args: Strings, environment: Strings) -> Errno {
    let args = [at(program), args.0 as usize, environment.0 as usize];
    let done = unsafe { call(numbers::EXECVE, args) };
    done.err().unwrap_or(Errno::INVAL)
}

/// A list of strings that ends with a null, as a program gets its arguments and its environment. It lives as long as
/// the process.
#[derive(Clone, Copy, Debug)]
pub struct Strings(*const *const u8);

impl Strings {
    /// Takes such a list.
    ///
    /// # Safety
    /// It must be one, and live as long as the process.
    pub unsafe fn new(list: *const *const u8) -> Self {
        Strings(list)
    }

    /// The first one, which stays there.
    pub fn peek(&self) -> Option<&'static CStr> {
        let first = unsafe { *self.0 };
        (!first.is_null()).then(|| unsafe { CStr::from_ptr(first.cast()) })
    }
}

impl Iterator for Strings {
    type Item = &'static CStr;

    fn next(&mut self) -> Option<&'static CStr> {
        let first = self.peek()?;
        self.0 = unsafe { self.0.add(1) };
        Some(first)
    }
}
