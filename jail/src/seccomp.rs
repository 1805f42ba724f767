//! The filter of system calls: what no bot needs and what has broken out of jails before.
//!
//! What is refused fails with "not permitted", as it would for lack of a right, so that a program that
//! only tries (a runtime that looks for a faster way) goes on. Calls that are newer than this list do
//! not exist, nor do those for which every program has an older way. Nothing is killed for asking but
//! one thing: a call in the manner of another kind of processor (32 bits), whose numbers mean others.
//!
//! The compiler of this crate also compiles the filters, from the tables here: a start only hands them to the kernel.

use crate::numbers::{self, constant};
use crate::sys::{self, Instruction};

/// The newest call that was looked at for this list. The numbers from 424 on are the same on all
/// processors; the other manner of calling on x86 (x32) has a bit above.
const NEWEST: u32 = 469;

/// Not permitted.
const REFUSED: &[usize] = &[
    // Mounts and roots.
    numbers::MOUNT,
    numbers::UMOUNT2,
    numbers::PIVOT_ROOT,
    numbers::CHROOT,
    numbers::OPEN_TREE,
    numbers::MOVE_MOUNT,
    numbers::FSOPEN,
    numbers::FSCONFIG,
    numbers::FSMOUNT,
    numbers::FSPICK,
    numbers::MOUNT_SETATTR,
    467, // open_tree_attr
    numbers::SWAPON,
    numbers::SWAPOFF,
    numbers::QUOTACTL,
    numbers::QUOTACTL_FD,
    numbers::NAME_TO_HANDLE_AT,
    numbers::OPEN_BY_HANDLE_AT,
    numbers::FANOTIFY_INIT,
    numbers::FANOTIFY_MARK,
    // Other processes.
    numbers::PTRACE,
    numbers::PROCESS_VM_READV,
    numbers::PROCESS_VM_WRITEV,
    numbers::PROCESS_MADVISE,
    numbers::PROCESS_MRELEASE,
    numbers::PIDFD_GETFD,
    // Namespaces; for `clone` see below.
    numbers::UNSHARE,
    numbers::SETNS,
    numbers::SETHOSTNAME,
    numbers::SETDOMAINNAME,
    // Parts of the kernel with a history.
    numbers::BPF,
    numbers::PERF_EVENT_OPEN,
    numbers::USERFAULTFD,
    numbers::IO_URING_SETUP,
    numbers::IO_URING_ENTER,
    numbers::IO_URING_REGISTER,
    numbers::KEYCTL,
    numbers::ADD_KEY,
    numbers::REQUEST_KEY,
    numbers::VMSPLICE,
    numbers::LOOKUP_DCOOKIE,
    // Whoever has a network asks others, and is asked by nobody. For other sockets see [`SOCKETS`].
    numbers::LISTEN,
    numbers::ACCEPT,
    numbers::ACCEPT4,
    // Memory that is counted nowhere.
    numbers::SHMGET,
    numbers::SHMAT,
    numbers::MSGGET,
    numbers::SEMGET,
    numbers::SEMOP,
    numbers::SEMTIMEDOP,
    numbers::SEMCTL,
    numbers::MQ_OPEN,
    numbers::MOVE_PAGES,
    numbers::MIGRATE_PAGES,
    numbers::MBIND,
    numbers::SET_MEMPOLICY,
    // What a user, or the whole machine, has little of.
    #[cfg(target_arch = "x86_64")]
    numbers::INOTIFY_INIT,
    numbers::INOTIFY_INIT1,
    numbers::IO_SETUP,
    numbers::IO_DESTROY,
    numbers::IO_SUBMIT,
    numbers::IO_CANCEL,
    numbers::IO_GETEVENTS,
    numbers::IO_PGETEVENTS,
    // What others wait for: disks.
    numbers::SYNC,
    numbers::SYNCFS,
    // The machine.
    numbers::INIT_MODULE,
    numbers::FINIT_MODULE,
    numbers::DELETE_MODULE,
    numbers::KEXEC_LOAD,
    numbers::KEXEC_FILE_LOAD,
    numbers::REBOOT,
    numbers::SYSLOG,
    numbers::ACCT,
    numbers::VHANGUP,
    numbers::CLOCK_SETTIME,
    numbers::SETTIMEOFDAY,
    numbers::ADJTIMEX,
    numbers::CLOCK_ADJTIME,
    #[cfg(target_arch = "x86_64")]
    numbers::IOPL,
    #[cfg(target_arch = "x86_64")]
    numbers::IOPERM,
    #[cfg(target_arch = "x86_64")]
    numbers::MODIFY_LDT,
    #[cfg(target_arch = "x86_64")]
    numbers::USELIB,
    #[cfg(target_arch = "x86_64")]
    numbers::USTAT,
    #[cfg(target_arch = "x86_64")]
    numbers::SYSFS,
    // Who runs when, and where: a bot that is kept on a core stays there. For `sched_setscheduler` see below.
    numbers::SETPRIORITY,
    numbers::SCHED_SETPARAM,
    numbers::SCHED_SETATTR,
    numbers::SCHED_SETAFFINITY,
    numbers::IOPRIO_SET,
    // To a kernel that shares its time by sessions, each new one would be one more to be served.
    numbers::SETSID,
];

/// Not permitted without a network: sockets of every kind. A pair of them is allowed, see below, and is not given a name
/// or another end. A socket can be left lying in its own queue, with its name, until the kernel finds it.
const SOCKETS: &[usize] = &[numbers::SOCKET, numbers::BIND, numbers::CONNECT];

/// Not permitted for the bot. Where no control group counts the memory, init makes use of it, which is behind the same
/// filter else: it looks who shares memory, and installs this filter. Filters of a bot's own are the kernel's memory,
/// which only a control group counts, and one that lets another process decide on calls makes a bot hard to stop.
const REFUSED_TO_THE_BOT: &[usize] = &[numbers::KCMP, numbers::SECCOMP];

/// As if they were not there: for these, every program has an older way.
const ABSENT: &[usize] = &[
    // Their flags lie in memory, where a filter cannot look.
    numbers::CLONE3,
    numbers::OPENAT2,
    numbers::MEMFD_CREATE,
    numbers::MEMFD_SECRET,
    // The stage has made use of them. Their rules are the kernel's memory, which only a control group counts.
    numbers::LANDLOCK_CREATE_RULESET,
    numbers::LANDLOCK_ADD_RULE,
    numbers::LANDLOCK_RESTRICT_SELF,
];

/// As if they were done. What a bot writes lies in memory, and to bring the system's files onto their disk is
/// to let everybody wait who writes there, and that is the journal; to advise the kernel on files can throw the
/// system's out of memory, which others read, or keep the disk busy on their turns; and who does nothing but let
/// others go first waits for a processor all the time, as if the machine were too busy to play on. For locks of
/// `fcntl` see [`PRETENDING`].
const FAKED_SUCCESS: &[usize] = &[
    numbers::FLOCK,
    numbers::FADVISE64,
    numbers::READAHEAD,
    numbers::SCHED_YIELD,
    numbers::FSYNC,
    numbers::FDATASYNC,
    numbers::SYNC_FILE_RANGE,
    numbers::MSYNC,
];

/// What moves pages of files into pipes and sockets. There they stay in memory, each for one byte, when the file
/// is made empty, and no limit but that of a control group counts them. Between many kinds of files it does not work
/// anywhere, and every program goes on by reading and writing.
const MOVES_PAGES: &[usize] = &[numbers::SPLICE, numbers::TEE, numbers::SENDFILE];

/// Attributes of files. The kernel keeps lists of who may do what (`system.posix_acl_access`) in memory that not even
/// a control group counts, 128 KiB for a folder: a gigabyte for the folders that fit into the temporary one.
const SETS_ATTRIBUTES: &[usize] = &[
    numbers::SETXATTR,
    numbers::LSETXATTR,
    numbers::FSETXATTR,
    463, // setxattrat
];

/// What `prctl` does for programs. All else fails as on a kernel that does not know it: a table for futexes of up to
/// a gigabyte (`PR_FUTEX_HASH`), names of mappings (`PR_SET_VMA`), which nothing counts, pages shared with all other
/// processes (`PR_SET_MEMORY_MERGE`), and whatever comes.
const KNOWN_PRCTL: &[i32] = &[
    constant::PR_SET_NAME,
    constant::PR_GET_NAME,
    constant::PR_SET_PDEATHSIG,
    constant::PR_GET_PDEATHSIG,
    constant::PR_SET_DUMPABLE,
    constant::PR_GET_DUMPABLE,
    constant::PR_SET_NO_NEW_PRIVS,
    constant::PR_GET_NO_NEW_PRIVS,
    constant::PR_GET_SECCOMP,
    constant::PR_CAPBSET_READ,
    constant::PR_GET_KEEPCAPS,
    constant::PR_GET_SECUREBITS,
    constant::PR_SET_TIMERSLACK,
    constant::PR_GET_TIMERSLACK,
    constant::PR_SET_THP_DISABLE,
    constant::PR_GET_THP_DISABLE,
    0x4155_5856, // PR_GET_AUXV
    #[cfg(target_arch = "aarch64")]
    constant::PR_SVE_SET_VL,
    #[cfg(target_arch = "aarch64")]
    constant::PR_SVE_GET_VL,
    #[cfg(target_arch = "aarch64")]
    constant::PR_SET_TAGGED_ADDR_CTRL,
    #[cfg(target_arch = "aarch64")]
    constant::PR_GET_TAGGED_ADDR_CTRL,
];

/// What may be set on every socket. A filter of packets is not: it takes of the memory that the machine has for all
/// filters, also for those that jail other bots. The sizes of the buffers are allowed here and set nowhere, see
/// [`PRETENDING`].
const KNOWN_SOCKET_OPTIONS: &[i32] = &[
    constant::SO_REUSEADDR,
    constant::SO_KEEPALIVE,
    constant::SO_LINGER,
    constant::SO_REUSEPORT,
    constant::SO_PASSCRED,
    constant::SO_RCVLOWAT,
    constant::SO_RCVTIMEO,
    constant::SO_SNDTIMEO,
    constant::SO_PEEK_OFF,
    66, // SO_RCVTIMEO_NEW
    67, // SO_SNDTIMEO_NEW
    constant::SO_SNDBUF,
    constant::SO_RCVBUF,
];

/// What may also be set on the sockets of a bot that has a network, because programs set it that ask for addresses or
/// connect. The lists below are of other levels.
const KNOWN_NETWORK_OPTIONS: &[i32] = &[constant::SO_BROADCAST];
/// See [`KNOWN_NETWORK_OPTIONS`].
const KNOWN_TCP_OPTIONS: &[i32] = &[
    constant::TCP_NODELAY,
    constant::TCP_KEEPIDLE,
    constant::TCP_KEEPINTVL,
    constant::TCP_KEEPCNT,
    constant::TCP_QUICKACK,
    constant::TCP_USER_TIMEOUT,
];
/// See [`KNOWN_NETWORK_OPTIONS`].
const KNOWN_IP_OPTIONS: &[i32] = &[
    constant::IP_TOS,
    constant::IP_MTU_DISCOVER,
    constant::IP_RECVERR,
];
/// See [`KNOWN_NETWORK_OPTIONS`].
const KNOWN_IPV6_OPTIONS: &[i32] = &[
    constant::IPV6_MTU_DISCOVER,
    constant::IPV6_RECVERR,
    constant::IPV6_V6ONLY,
    constant::IPV6_TCLASS,
];

/// How a socket may be opened: it is closed when another program is executed, or does not wait, or both.
const SOCKET_FLAGS: [i32; 4] = [
    0,
    constant::SOCK_CLOEXEC,
    constant::SOCK_NONBLOCK,
    constant::SOCK_CLOEXEC | constant::SOCK_NONBLOCK,
];

/// Two types of sockets, with all flags.
const fn types(one: i32, other: i32) -> [i32; 8] {
    let (mut all, mut at) = ([0; 8], 0);
    while at < SOCKET_FLAGS.len() {
        all[at] = one | SOCKET_FLAGS[at];
        all[at + SOCKET_FLAGS.len()] = other | SOCKET_FLAGS[at];
        at += 1;
    }
    all
}

const OF_INTERNET: [i32; 8] = types(constant::SOCK_STREAM, constant::SOCK_DGRAM);
const OF_PAIRS: [i32; 8] = types(constant::SOCK_STREAM, constant::SOCK_SEQPACKET);

/// Which memory several processes may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Any: a control group counts it.
    Any,
    /// Files of the temporary folder, whose size is limited. Shared memory without a file is refused: pages that no
    /// process maps at the moment count for none of them, and no limit but that of a control group bounds them.
    Files,
    /// None: `/dev/zero` can be opened for writing, and a shared mapping of it is memory without a file.
    None,
}

/// Puts the filter on this process, the first one, and all that come of it. With `network`, they may open sockets of
/// the internet, which takes a control group.
pub(crate) fn filter(sharing: Sharing, network: bool) -> sys::Result<()> {
    sys::install_filter(of(sharing, network).instructions())
}

/// Puts the rest of the filter on this process, which becomes the bot, and on all that come of it.
pub(crate) fn filter_of_the_bot(sharing: Sharing) -> sys::Result<()> {
    match sharing {
        // Init needs none of it, and has it already.
        Sharing::Any => Ok(()),
        Sharing::Files | Sharing::None => sys::install_filter(OF_THE_BOT.instructions()),
    }
}

fn of(sharing: Sharing, network: bool) -> &'static Filter {
    match sharing {
        Sharing::Any if network => &NETWORKED,
        Sharing::Any => &ANY,
        Sharing::Files => &FILES,
        Sharing::None => &NONE,
    }
}

static ANY: Filter = compile(&with(REFUSED_TO_THE_BOT, &[], OFFLINE));
static NETWORKED: Filter = compile(&with(REFUSED_TO_THE_BOT, &[], ONLINE));
static FILES: Filter = compile(&with(
    &[],
    &[when(
        numbers::MMAP,
        &[has(3, constant::MAP_SHARED | constant::MAP_ANONYMOUS)],
    )],
    OFFLINE,
));
static NONE: Filter = compile(&with(
    &[],
    &[when(numbers::MMAP, &[has(3, constant::MAP_SHARED)])],
    OFFLINE,
));
static OF_THE_BOT: Filter = compile(&[FilterGroup {
    error: constant::EPERM,
    calls: REFUSED_TO_THE_BOT,
    // The older way to install a filter is none of the known requests of `prctl`.
    rules: &[],
}]);

/// What is said of sockets: of setting their options, and of all else.
type SocketGroups = [FilterGroup; 2];

/// There are pairs only.
const OFFLINE: SocketGroups = [
    FilterGroup {
        error: constant::EINVAL,
        calls: &[],
        rules: &[when(
            numbers::SETSOCKOPT,
            &[ArgumentTest::NoneOf(2, KNOWN_SOCKET_OPTIONS)],
        )],
    },
    FilterGroup {
        error: constant::EPERM,
        calls: SOCKETS,
        rules: &[],
    },
];

/// There are sockets of TCP and UDP besides, and pairs that cannot be given another end.
const ONLINE: SocketGroups = [
    FilterGroup {
        error: constant::EINVAL,
        calls: &[],
        rules: &[
            when(
                numbers::SETSOCKOPT,
                &[
                    is(1, constant::SOL_SOCKET),
                    ArgumentTest::NoneOf(2, KNOWN_SOCKET_OPTIONS),
                    ArgumentTest::NoneOf(2, KNOWN_NETWORK_OPTIONS),
                ],
            ),
            when(
                numbers::SETSOCKOPT,
                &[
                    is(1, constant::IPPROTO_TCP),
                    ArgumentTest::NoneOf(2, KNOWN_TCP_OPTIONS),
                ],
            ),
            when(
                numbers::SETSOCKOPT,
                &[
                    is(1, constant::IPPROTO_IP),
                    ArgumentTest::NoneOf(2, KNOWN_IP_OPTIONS),
                ],
            ),
            when(
                numbers::SETSOCKOPT,
                &[
                    is(1, constant::IPPROTO_IPV6),
                    ArgumentTest::NoneOf(2, KNOWN_IPV6_OPTIONS),
                ],
            ),
            when(
                numbers::SETSOCKOPT,
                &[ArgumentTest::NoneOf(
                    1,
                    &[
                        constant::SOL_SOCKET,
                        constant::IPPROTO_TCP,
                        constant::IPPROTO_IP,
                        constant::IPPROTO_IPV6,
                    ],
                )],
            ),
        ],
    },
    FilterGroup {
        error: constant::EPERM,
        calls: &[],
        rules: &[
            // Not those of this machine: others have sockets with names there.
            when(
                numbers::SOCKET,
                &[ArgumentTest::NoneOf(
                    0,
                    &[constant::AF_INET, constant::AF_INET6],
                )],
            ),
            when(numbers::SOCKET, &[ArgumentTest::NoneOf(1, &OF_INTERNET)]),
            when(
                numbers::SOCKET,
                &[ArgumentTest::NoneOf(
                    2,
                    &[
                        constant::IPPROTO_IP,
                        constant::IPPROTO_TCP,
                        constant::IPPROTO_UDP,
                    ],
                )],
            ),
            // One of datagrams could be connected to another socket, or send to it.
            when(numbers::SOCKETPAIR, &[ArgumentTest::NoneOf(1, &OF_PAIRS)]),
        ],
    },
];

/// What happens to some calls.
struct FilterGroup {
    /// How they fail. 0: they do nothing, and succeed.
    error: i32,
    /// Those to which it happens in any case.
    calls: &'static [usize],
    /// Those to which it happens with some arguments.
    rules: &'static [Rule],
}

/// What must be true of the arguments of a call. Several rules of a call are alternatives.
struct Rule {
    call: usize,
    tests: &'static [ArgumentTest],
}

/// What can be asked of an argument, counted from 0. The kernel reads such an argument as an `int`, and so do all these
/// comparisons: whatever stands in the upper half of it counts for neither.
#[derive(Clone, Copy)]
enum ArgumentTest {
    Is(u8, u32),
    /// It has all bits of this one.
    Has(u8, u32),
    /// It is none of these.
    NoneOf(u8, &'static [i32]),
}

const fn when(call: usize, tests: &'static [ArgumentTest]) -> Rule {
    Rule { call, tests }
}

const fn is(argument: u8, number: i32) -> ArgumentTest {
    ArgumentTest::Is(argument, number.cast_unsigned())
}

const fn has(argument: u8, flag: i32) -> ArgumentTest {
    ArgumentTest::Has(argument, flag.cast_unsigned())
}

/// All groups; the first that says something of a call counts. The last but two is that of these calls and of the rules
/// on shared memory.
const fn with(
    calls: &'static [usize],
    shared: &'static [Rule],
    [options, sockets]: SocketGroups,
) -> [FilterGroup; 8] {
    [
        FilterGroup {
            error: 0,
            calls: FAKED_SUCCESS,
            rules: PRETENDING,
        },
        FilterGroup {
            error: constant::EINVAL,
            calls: MOVES_PAGES,
            rules: LACKING,
        },
        FilterGroup {
            error: constant::EINVAL,
            calls: SETS_ATTRIBUTES,
            rules: &[],
        },
        FilterGroup {
            error: constant::ENOSYS,
            calls: ABSENT,
            rules: &[],
        },
        FilterGroup {
            error: constant::EPERM,
            calls: REFUSED,
            rules: REFUSING,
        },
        FilterGroup {
            error: constant::EPERM,
            calls,
            rules: shared,
        },
        options,
        sockets,
    ]
}

/// What looks as if it were done.
const PRETENDING: &[Rule] = &[
    // The same as `readahead`, of a mapping.
    when(numbers::MADVISE, &[is(2, constant::MADV_WILLNEED)]),
    // See [`KNOWN_SOCKET_OPTIONS`]. A program is never promised the size that it asks for.
    when(numbers::SETSOCKOPT, &[is(2, constant::SO_SNDBUF)]),
    when(numbers::SETSOCKOPT, &[is(2, constant::SO_RCVBUF)]),
    // Locks of `fcntl`, like those of `flock`, are granted and have no effect. A real lock belongs to the file itself,
    // and any file that can be opened can be locked, `/dev/null` too: programs outside would wait for it, a bot in
    // another jail would see it, and nothing limits how many ranges are locked. Runtimes take a refusal for an error
    // and print it where the referee reads answers. Whether others hold a lock is asked of the kernel, and nobody does.
    when(numbers::FCNTL, &[is(1, constant::F_SETLK)]),
    when(numbers::FCNTL, &[is(1, constant::F_SETLKW)]),
    when(numbers::FCNTL, &[is(1, constant::F_OFD_SETLK)]),
    when(numbers::FCNTL, &[is(1, constant::F_OFD_SETLKW)]),
];

/// What not every kernel and not every file system can, and programs know that.
const LACKING: &[Rule] = &[
    when(numbers::PRCTL, &[ArgumentTest::NoneOf(0, KNOWN_PRCTL)]),
    // Large pages that the machine has set apart, for all, are counted nowhere.
    when(numbers::MMAP, &[has(3, constant::MAP_HUGETLB)]),
    // Who reads past the memory in which the kernel keeps files reads from the disk each time, and at no cost of its
    // own: without end, on the turn of another bot that reads its own file.
    #[cfg(target_arch = "x86_64")]
    when(numbers::OPEN, &[has(1, constant::O_DIRECT)]),
    when(numbers::OPENAT, &[has(2, constant::O_DIRECT)]),
    when(
        numbers::FCNTL,
        &[is(1, constant::F_SETFL), has(2, constant::O_DIRECT)],
    ),
    // What was read is thrown out of memory at once.
    when(numbers::PREADV2, &[has(5, constant::RWF_DONTCACHE)]),
    // Advice on memory that an older kernel does not know. The first two throw files out of memory, and what a bot has
    // onto the disk, where nobody counts it. The third shares equal pages with all other processes, which lets a bot
    // learn by the time of a write what another has in memory. The last lets all processors empty their lists of pages.
    when(numbers::MADVISE, &[is(2, constant::MADV_COLD)]),
    when(numbers::MADVISE, &[is(2, constant::MADV_PAGEOUT)]),
    when(numbers::MADVISE, &[is(2, constant::MADV_MERGEABLE)]),
    when(numbers::MADVISE, &[is(2, 25)]), // MADV_COLLAPSE
    // What a file system does on request that lets all of it be written out: `BTRFS_IOC_SYNC` and
    // `BTRFS_IOC_START_SYNC`, which are anybody's.
    when(numbers::IOCTL, &[ArgumentTest::Is(1, 0x9408)]),
    when(numbers::IOCTL, &[ArgumentTest::Is(1, 0x8008_9418)]),
];

/// What is not permitted with some arguments.
const REFUSING: &[Rule] = &[
    // New namespaces. On all processors that we know, the flags are the first argument.
    when(numbers::CLONE, &[has(0, constant::CLONE_NEWUSER)]),
    when(numbers::CLONE, &[has(0, constant::CLONE_NEWNS)]),
    when(numbers::CLONE, &[has(0, constant::CLONE_NEWPID)]),
    when(numbers::CLONE, &[has(0, constant::CLONE_NEWNET)]),
    when(numbers::CLONE, &[has(0, constant::CLONE_NEWIPC)]),
    when(numbers::CLONE, &[has(0, constant::CLONE_NEWUTS)]),
    when(numbers::CLONE, &[has(0, constant::CLONE_NEWCGROUP)]),
    when(
        numbers::SOCKETPAIR,
        &[ArgumentTest::NoneOf(0, &[constant::AF_UNIX])],
    ),
    // A runtime that gives its threads the policy that they have changes nothing, and some print it where that fails.
    when(
        numbers::SCHED_SETSCHEDULER,
        &[ArgumentTest::NoneOf(1, &[constant::SCHED_OTHER])],
    ),
    // Limits of other processes: the first one, which looks at the memory of all, is the same user.
    when(numbers::PRLIMIT64, &[ArgumentTest::NoneOf(0, &[0])]),
    // What `fcntl` does to others: it tells of their files, keeps them waiting, or takes of the memory that a user has
    // for pipes.
    when(numbers::FCNTL, &[is(1, constant::F_SETLEASE)]),
    when(numbers::FCNTL, &[is(1, constant::F_NOTIFY)]),
    when(numbers::FCNTL, &[is(1, constant::F_SETPIPE_SZ)]),
];

/// The most calls of which a filter says something, and the most instructions.
const MAX_CALLS: usize = 256;
const MAX_INSTRUCTIONS: usize = 1024;

/// So many calls are looked at one after the other; among more, half are left out by one comparison. When a filter is
/// installed, the kernel tries it with every call.
const CALLS_OF_A_PART: usize = 4;

/// A filter as the kernel takes it.
struct Filter {
    code: [Instruction; MAX_INSTRUCTIONS],
    length: usize,
}

impl Filter {
    fn instructions(&self) -> &[Instruction] {
        &self.code[..self.length]
    }

    const fn push(&mut self, code: u16, yes: u8, no: u8, value: u32) {
        self.code[self.length] = Instruction {
            code,
            yes,
            no,
            value,
        };
        self.length += 1;
    }

    const fn end(&mut self, value: u32) {
        self.push(RETURN, 0, 0, value);
    }

    /// Lets a conditional jump end at what comes next: that for no, or that for yes.
    const fn land(&mut self, at: usize, when: bool) {
        let over = self.length - at - 1;
        assert!(over <= u8::MAX as usize, "a call has few rules");
        if when {
            self.code[at].yes = over as u8;
        } else {
            self.code[at].no = over as u8;
        }
    }
}

/// Codes of instructions, from linux/bpf_common.h.
const LOAD: u16 = 0x20;
const AND: u16 = 0x54;
const JUMP: u16 = 0x05;
const IF_EQUAL: u16 = 0x15;
const IF_ABOVE: u16 = 0x25;
const IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;

/// Where `struct seccomp_data` has the number of the call, the processor, and the lower half of the first argument.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;
const FIRST: u32 = 16;

/// How a filter is told of the processor that we are built for.
const OURS: u32 = if cfg!(target_arch = "x86_64") {
    0xc000_003e
} else {
    0xc000_00b7
};

/// What becomes of a call, from linux/seccomp.h.
const ALLOW: u32 = 0x7fff_0000;
const KILL: u32 = 0x8000_0000;
const FAIL: u32 = 0x0005_0000;

const fn fail(error: i32) -> u32 {
    FAIL | error.cast_unsigned()
}

const fn compile(groups: &[FilterGroup]) -> Filter {
    let (calls, count) = calls(groups);
    let mut filter = Filter {
        code: [Instruction {
            code: 0,
            yes: 0,
            no: 0,
            value: 0,
        }; MAX_INSTRUCTIONS],
        length: 0,
    };
    filter.push(LOAD, 0, 0, ARCH);
    filter.push(IF_EQUAL, 1, 0, OURS);
    filter.end(KILL);
    filter.push(LOAD, 0, 0, NUMBER);
    // What is above what we know is not there.
    filter.push(IF_ABOVE, 0, 1, NEWEST);
    filter.end(fail(constant::ENOSYS));
    part(&mut filter, groups, &calls, 0, count);
    filter
}

/// The calls of which something is said, in order, and how many.
const fn calls(groups: &[FilterGroup]) -> ([u32; MAX_CALLS], usize) {
    let (mut all, mut count, mut call) = ([0; MAX_CALLS], 0, 0);
    while call <= NEWEST {
        let (mut at, mut is_named) = (0, false);
        while at < groups.len() {
            is_named |= lists(&groups[at], call) || has_rules(&groups[at], call);
            at += 1;
        }
        if is_named {
            all[count] = call;
            count += 1;
        }
        call += 1;
    }
    (all, count)
}

/// Judges the calls from one of the list up to another; the number of the call is loaded.
const fn part(filter: &mut Filter, groups: &[FilterGroup], calls: &[u32], from: usize, to: usize) {
    if to - from <= CALLS_OF_A_PART {
        let mut at = from;
        while at < to {
            judge(filter, groups, calls[at]);
            at += 1;
        }
        return filter.end(ALLOW);
    }
    let middle = from + (to - from) / 2;
    filter.push(IF_AT_LEAST, 0, 1, calls[middle]);
    let jump = filter.length;
    filter.push(JUMP, 0, 0, 0);
    part(filter, groups, calls, from, middle);
    // The upper half may be further away than a condition reaches.
    filter.code[jump].value = (filter.length - jump - 1) as u32;
    part(filter, groups, calls, middle, to);
}

/// Judges one call: the first group that says something of it.
const fn judge(filter: &mut Filter, groups: &[FilterGroup], call: u32) {
    let other = filter.length;
    filter.push(IF_EQUAL, 0, 0, call);
    let mut at = 0;
    while at < groups.len() {
        let group = &groups[at];
        let mut rule = 0;
        while rule < group.rules.len() {
            if group.rules[rule].call as u32 == call {
                judge_rule(filter, group.rules[rule].tests, group.error);
            }
            rule += 1;
        }
        if lists(group, call) {
            filter.end(fail(group.error));
            return filter.land(other, false);
        }
        at += 1;
    }
    filter.end(ALLOW);
    filter.land(other, false);
}

const fn lists(group: &FilterGroup, call: u32) -> bool {
    let mut at = 0;
    while at < group.calls.len() && group.calls[at] as u32 != call {
        at += 1;
    }
    at < group.calls.len()
}

const fn has_rules(group: &FilterGroup, call: u32) -> bool {
    let mut at = 0;
    while at < group.rules.len() && group.rules[at].call as u32 != call {
        at += 1;
    }
    at < group.rules.len()
}

/// The most jumps that leave a rule.
const MAX_WAYS_OUT: usize = 64;

/// The call fails so if all these hold; if not, the next rule follows.
const fn judge_rule(filter: &mut Filter, tests: &[ArgumentTest], error: i32) {
    // The jumps that leave it, and when.
    let (mut out, mut count) = ([(0, false); MAX_WAYS_OUT], 0);
    let mut test = 0;
    while test < tests.len() {
        let (ArgumentTest::Is(argument, _)
        | ArgumentTest::Has(argument, _)
        | ArgumentTest::NoneOf(argument, _)) = tests[test];
        filter.push(LOAD, 0, 0, FIRST + 8 * argument as u32);
        match tests[test] {
            ArgumentTest::Is(_, number) => {
                (out[count], count) = ((filter.length, false), count + 1);
                filter.push(IF_EQUAL, 0, 0, number);
            }
            ArgumentTest::Has(_, flag) => {
                filter.push(AND, 0, 0, flag);
                (out[count], count) = ((filter.length, false), count + 1);
                filter.push(IF_EQUAL, 0, 0, flag);
            }
            ArgumentTest::NoneOf(_, known) => {
                let mut at = 0;
                while at < known.len() {
                    (out[count], count) = ((filter.length, true), count + 1);
                    filter.push(IF_EQUAL, 0, 0, known[at].cast_unsigned());
                    at += 1;
                }
            }
        }
        test += 1;
    }
    filter.end(fail(error));
    while count > 0 {
        count -= 1;
        filter.land(out[count].0, out[count].1);
    }
}

#[cfg(test)]
mod tests;
