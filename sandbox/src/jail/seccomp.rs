//! The filter of system calls: what no bot needs and what has broken out of jails before.
//!
//! What is refused fails with "not permitted", as it would for lack of a right, so that a program that
//! only tries (a runtime that looks for a faster way) goes on. Calls that are newer than this list do
//! not exist, nor do those for which every program has an older way. Nothing is killed for asking but
//! one thing: a call in the manner of another kind of processor (32 bits), whose numbers mean others.

use std::collections::BTreeMap;
use std::io;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

/// The newest call that was looked at for this list. The numbers from 424 on are the same on all
/// processors; the other manner of calling on x86 (x32) has a bit above.
const NEWEST: u32 = 469;

/// How many calls a part of a long filter has.
const CALLS_OF_A_PART: usize = 12;

/// A number that the library lacks.
const IO_PGETEVENTS: c_long = if cfg!(target_arch = "x86_64") {
    333
} else {
    292
};

/// Not permitted.
const REFUSED: &[c_long] = &[
    // Mounts and roots.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    467, // open_tree_attr
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    // Namespaces; for `clone` see below.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    // Parts of the kernel with a history.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_vmsplice,
    libc::SYS_lookup_dcookie,
    // Sockets of every kind; a pair of them without a name is allowed, see below.
    libc::SYS_socket,
    // Memory that is counted nowhere.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    libc::SYS_mbind,
    libc::SYS_set_mempolicy,
    // What a user, or the whole machine, has little of.
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    libc::SYS_inotify_init1,
    libc::SYS_io_setup,
    libc::SYS_io_destroy,
    libc::SYS_io_submit,
    libc::SYS_io_cancel,
    libc::SYS_io_getevents,
    IO_PGETEVENTS,
    // What others wait for: disks.
    libc::SYS_sync,
    libc::SYS_syncfs,
    // The machine.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    #[cfg(not(target_arch = "riscv64"))]
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_vhangup,
    libc::SYS_clock_settime,
    libc::SYS_settimeofday,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ustat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_sysfs,
    // Who runs when, and where: a bot that is kept on a core stays there. For `sched_setscheduler` see below.
    libc::SYS_setpriority,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setaffinity,
    libc::SYS_ioprio_set,
    // To a kernel that shares its time by sessions, each new one would be one more to be served.
    libc::SYS_setsid,
];

/// What `fcntl` does to others: it tells of their files, keeps them waiting, or takes of the memory that
/// a user has for pipes.
const REFUSED_FCNTL: [i32; 3] = [libc::F_SETLEASE, libc::F_NOTIFY, libc::F_SETPIPE_SZ];

/// The locks of `fcntl`, which are granted like those of `flock` and have no effect. A real lock belongs to the file
/// itself, and any file that can be opened can be locked, `/dev/null` too: programs outside would wait for it, a bot in
/// another jail would see it, and nothing limits how many ranges are locked. Runtimes take a refusal for an error and
/// print it where the referee reads answers. Whether others hold a lock is asked of the kernel, and nobody does.
const LOCKS: [i32; 4] = [
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
];

/// Not permitted for the bot, though init makes use of it, which is behind the same filter else: it
/// looks who shares memory, and installs this filter. Filters of a bot's own are the kernel's memory, which only a
/// control group counts, and one that lets another process decide on calls makes a bot hard to stop.
const REFUSED_TO_THE_BOT: &[c_long] = &[libc::SYS_kcmp, libc::SYS_seccomp];

/// As if they were not there: for these, every program has an older way.
const ABSENT: &[c_long] = &[
    // Their flags lie in memory, where a filter cannot look.
    libc::SYS_clone3,
    libc::SYS_openat2,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    // The stage has made use of them. Their rules are the kernel's memory, which only a control group counts.
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
];

/// As if they were done. What a bot writes lies in memory, and to bring the system's files onto their disk is
/// to let everybody wait who writes there, and that is the journal; to advise the kernel on files can throw the
/// system's out of memory, which others read, or keep the disk busy on their turns; and who does nothing but let
/// others go first waits for a processor all the time, as if the machine were too busy to play on. For locks see
/// [`LOCKS`].
const DONE: &[c_long] = &[
    libc::SYS_flock,
    libc::SYS_fadvise64,
    libc::SYS_readahead,
    libc::SYS_sched_yield,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_sync_file_range,
    libc::SYS_msync,
];

/// What moves pages of files into pipes and sockets. There they stay in memory, each for one byte, when the file
/// is made empty, and no limit but that of a control group counts them. Between many kinds of files it does not work
/// anywhere, and every program goes on by reading and writing.
const MOVES_PAGES: &[c_long] = &[libc::SYS_splice, libc::SYS_tee, libc::SYS_sendfile];

/// Attributes of files. The kernel keeps lists of who may do what (`system.posix_acl_access`) in memory that not even
/// a control group counts, 128 KiB for a folder: a gigabyte for the folders that fit into the temporary one.
const SETS_ATTRIBUTES: &[c_long] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    463, // setxattrat
];

/// Advice on memory that an older kernel does not know. The first two throw files out of memory, and what a bot has
/// onto the disk, where nobody counts it. The third shares equal pages with all other processes, which lets a bot
/// learn by the time of a write what another has in memory. The last lets all processors empty their lists of pages.
const UNKNOWN_ADVICE: [i32; 4] = [
    libc::MADV_COLD,
    libc::MADV_PAGEOUT,
    libc::MADV_MERGEABLE,
    25, // MADV_COLLAPSE
];

/// What `prctl` does for programs. All else fails as on a kernel that does not know it: a table for futexes of up to
/// a gigabyte (`PR_FUTEX_HASH`), names of mappings (`PR_SET_VMA`), which nothing counts, pages shared with all other
/// processes (`PR_SET_MEMORY_MERGE`), and whatever comes.
const KNOWN_PRCTL: &[i32] = &[
    libc::PR_SET_NAME,
    libc::PR_GET_NAME,
    libc::PR_SET_PDEATHSIG,
    libc::PR_GET_PDEATHSIG,
    libc::PR_SET_DUMPABLE,
    libc::PR_GET_DUMPABLE,
    libc::PR_SET_NO_NEW_PRIVS,
    libc::PR_GET_NO_NEW_PRIVS,
    libc::PR_GET_SECCOMP,
    libc::PR_CAPBSET_READ,
    libc::PR_GET_KEEPCAPS,
    libc::PR_GET_SECUREBITS,
    libc::PR_SET_TIMERSLACK,
    libc::PR_GET_TIMERSLACK,
    libc::PR_SET_THP_DISABLE,
    libc::PR_GET_THP_DISABLE,
    0x4155_5856, // PR_GET_AUXV
    #[cfg(target_arch = "aarch64")]
    libc::PR_SVE_SET_VL,
    #[cfg(target_arch = "aarch64")]
    libc::PR_SVE_GET_VL,
    #[cfg(target_arch = "aarch64")]
    libc::PR_SET_TAGGED_ADDR_CTRL,
    #[cfg(target_arch = "aarch64")]
    libc::PR_GET_TAGGED_ADDR_CTRL,
];

/// What may be set on a pair of sockets. A filter of packets is not: it takes of the memory that the machine has for
/// all filters, also for those that jail other bots. The sizes of the buffers are allowed here and set nowhere, see
/// [`pretending`].
const KNOWN_SOCKET_OPTIONS: &[i32] = &[
    libc::SO_REUSEADDR,
    libc::SO_KEEPALIVE,
    libc::SO_LINGER,
    libc::SO_REUSEPORT,
    libc::SO_PASSCRED,
    libc::SO_RCVLOWAT,
    libc::SO_RCVTIMEO,
    libc::SO_SNDTIMEO,
    libc::SO_PEEK_OFF,
    66, // SO_RCVTIMEO_NEW
    67, // SO_SNDTIMEO_NEW
    libc::SO_SNDBUF,
    libc::SO_RCVBUF,
];

/// The options that set how much a socket holds for its reader. A program is never promised what it asks for.
const BUFFER_SIZES: [i32; 2] = [libc::SO_SNDBUF, libc::SO_RCVBUF];

/// What a file system does on request that lets all of it be written out: `BTRFS_IOC_SYNC` and
/// `BTRFS_IOC_START_SYNC`, which are anybody's.
const WRITES_ALL_OUT: [u32; 2] = [0x9408, 0x8008_9418];

/// The flags of `clone` that make a namespace.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

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

/// Puts the filter on this process, the first one, and all that come of it.
pub(crate) fn filter(sharing: Sharing) -> io::Result<()> {
    let arch = arch()?;
    apply(refusing(arch, sharing))?;
    apply(hiding(arch))?;
    apply(lacking(arch))?;
    apply(pretending(arch))
}

/// Puts the rest of the filter on this process, which becomes the bot, and on all that come of it.
pub(crate) fn filter_of_the_bot() -> io::Result<()> {
    apply(refusing_to_the_bot(arch()?))
}

fn arch() -> io::Result<TargetArch> {
    TargetArch::try_from(std::env::consts::ARCH)
        .map_err(|_| io::Error::from_raw_os_error(libc::ENOSYS))
}

fn apply(program: Result<BpfProgram, seccompiler::BackendError>) -> io::Result<()> {
    let program = program.map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
    seccompiler::apply_filter(&program).map_err(|error| match error {
        seccompiler::Error::Prctl(error) | seccompiler::Error::Seccomp(error) => error,
        _ => io::Error::from_raw_os_error(libc::EINVAL),
    })
}

fn refusing(arch: TargetArch, sharing: Sharing) -> Result<BpfProgram, seccompiler::BackendError> {
    program_in_parts(rules_of_refusing(sharing)?, libc::EPERM, arch)
}

fn rules_of_refusing(
    sharing: Sharing,
) -> Result<BTreeMap<i64, Vec<SeccompRule>>, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    // On all processors that we know, the flags are the first argument.
    let namespaces = NAMESPACES.map(|flag| rule([has(0, flag)?]));
    rules.insert(libc::SYS_clone, all(namespaces)?);
    let other = |than: i32| condition(0, SeccompCmpOp::Ne, than.unsigned_abs());
    rules.insert(libc::SYS_socketpair, vec![rule([other(libc::AF_UNIX)?])?]);
    // A runtime that gives its threads the policy that they have changes nothing, and some print it where that fails.
    let normal = libc::SCHED_OTHER;
    rules.insert(
        libc::SYS_sched_setscheduler,
        vec![rule([condition(
            1,
            SeccompCmpOp::Ne,
            normal.unsigned_abs(),
        )?])?],
    );
    // Limits of other processes: the first one, which looks at the memory of all, is the same user.
    rules.insert(libc::SYS_prlimit64, vec![rule([other(0)?])?]);
    let commands = REFUSED_FCNTL.map(|command| rule([is(1, command.unsigned_abs())?]));
    rules.insert(libc::SYS_fcntl, all(commands)?);
    let refused = match sharing {
        Sharing::Any => None,
        Sharing::Files => Some(libc::MAP_SHARED | libc::MAP_ANONYMOUS),
        Sharing::None => Some(libc::MAP_SHARED),
    };
    if let Some(flags) = refused {
        rules.insert(libc::SYS_mmap, vec![rule([has(3, flags)?])?]);
    }
    Ok(rules)
}

fn hiding(arch: TargetArch) -> Result<BpfProgram, seccompiler::BackendError> {
    let rules = ABSENT.iter().map(|&call| (call, Vec::new())).collect();
    let rest = program(rules, libc::ENOSYS, arch)?;
    // Before all: load the number of the call; where it is above what we know, it is not there.
    let absent = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    let mut program = vec![
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K, 0, 1, NEWEST),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, absent),
    ];
    program.extend(rest);
    Ok(program)
}

fn refusing_to_the_bot(arch: TargetArch) -> Result<BpfProgram, seccompiler::BackendError> {
    // The older way to install a filter is none of the known requests of `prctl`.
    let calls = REFUSED_TO_THE_BOT.iter();
    program(
        calls.map(|&call| (call, Vec::new())).collect(),
        libc::EPERM,
        arch,
    )
}

/// What not every kernel and not every file system can, and programs know that. Who reads past the memory in
/// which the kernel keeps files reads from the disk each time, and at no cost of its own: without end, on the turn of
/// another bot that reads its own file.
fn lacking(arch: TargetArch) -> Result<BpfProgram, seccompiler::BackendError> {
    let calls = MOVES_PAGES.iter().chain(SETS_ATTRIBUTES);
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        calls.map(|&call| (call, Vec::new())).collect();
    rules.insert(libc::SYS_prctl, vec![none_of(0, KNOWN_PRCTL)?]);
    rules.insert(
        libc::SYS_setsockopt,
        vec![none_of(2, KNOWN_SOCKET_OPTIONS)?],
    );
    // Large pages that the machine has set apart, for all, are counted nowhere.
    let set_apart = rule([has(3, libc::MAP_HUGETLB)?])?;
    rules.insert(libc::SYS_mmap, vec![set_apart]);
    let direct = |argument| has(argument, libc::O_DIRECT);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, vec![rule([direct(1)?])?]);
    rules.insert(libc::SYS_openat, vec![rule([direct(2)?])?]);
    let sets_flags = is(1, libc::F_SETFL.unsigned_abs())?;
    rules.insert(libc::SYS_fcntl, vec![rule([sets_flags, direct(2)?])?]);
    // What was read is thrown out of memory at once.
    let forgets = rule([has(5, libc::RWF_DONTCACHE)?])?;
    rules.insert(libc::SYS_preadv2, vec![forgets]);
    let advice = UNKNOWN_ADVICE.map(|advice| rule([is(2, advice.unsigned_abs())?]));
    rules.insert(libc::SYS_madvise, all(advice)?);
    let requests = WRITES_ALL_OUT.map(|request| rule([is(1, request)?]));
    rules.insert(libc::SYS_ioctl, all(requests)?);
    program_in_parts(rules, libc::EINVAL, arch)
}

fn pretending(arch: TargetArch) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        DONE.iter().map(|&call| (call, Vec::new())).collect();
    // The same as `readahead`, of a mapping.
    let ahead = is(2, libc::MADV_WILLNEED.unsigned_abs())?;
    rules.insert(libc::SYS_madvise, vec![rule([ahead])?]);
    let sizes = BUFFER_SIZES.map(|option| rule([is(2, option.unsigned_abs())?]));
    rules.insert(libc::SYS_setsockopt, all(sizes)?);
    let locks = LOCKS.map(|command| rule([is(1, command.unsigned_abs())?]));
    rules.insert(libc::SYS_fcntl, all(locks)?);
    program(rules, 0, arch)
}

/// Holds where all of these do.
fn rule<const N: usize>(
    conditions: [SeccompCondition; N],
) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(conditions.into())
}

fn all<const N: usize>(
    rules: [Result<SeccompRule, seccompiler::BackendError>; N],
) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    rules.into_iter().collect()
}

/// Holds where an argument, counted from 0, is none of these numbers. The kernel reads such an argument as an `int`,
/// and so do all these comparisons: whatever stands in the upper half of it counts for neither.
fn none_of(argument: u8, known: &[i32]) -> Result<SeccompRule, seccompiler::BackendError> {
    let others = known
        .iter()
        .map(|known| condition(argument, SeccompCmpOp::Ne, known.cast_unsigned()));
    SeccompRule::new(others.collect::<Result<_, _>>()?)
}

/// An argument, counted from 0, that is this number.
fn is(argument: u8, number: u32) -> Result<SeccompCondition, seccompiler::BackendError> {
    condition(argument, SeccompCmpOp::Eq, number)
}

/// An argument, counted from 0, that has all bits of this one.
fn has(argument: u8, flag: i32) -> Result<SeccompCondition, seccompiler::BackendError> {
    let flag = flag.cast_unsigned();
    condition(argument, SeccompCmpOp::MaskedEq(flag.into()), flag)
}

fn condition(
    argument: u8,
    compare: SeccompCmpOp,
    number: u32,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, compare, number.into())
}

fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter {
        code: u16::try_from(code).expect("codes have 16 bits"),
        jt,
        jf,
        k,
    }
}

/// The same, in parts of a few calls each, of which only one is gone through. When a filter is installed, the kernel
/// tries it with every call, which takes as long as all the rest of it.
fn program_in_parts(
    mut rules: BTreeMap<i64, Vec<SeccompRule>>,
    error: i32,
    arch: TargetArch,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut parts = Vec::new();
    while let Some(&next) = rules.keys().nth(CALLS_OF_A_PART) {
        let rest = rules.split_off(&next);
        let bound = u32::try_from(next).expect("calls have numbers from 0 on");
        parts.push((bound, program(rules, error, arch)?));
        rules = rest;
    }
    let last = program(rules, error, arch)?;
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let mut whole = vec![instruction(load, 0, 0, 0)];
    let jump = |over: usize| {
        let over = u32::try_from(over).expect("a filter has few instructions");
        instruction(libc::BPF_JMP | libc::BPF_JA, 0, 0, over)
    };
    let mut before = 0;
    for (at, (bound, part)) in parts.iter().enumerate() {
        // Where the number of the call is at or above the bound, the jump to the part is passed over.
        let at_or_above = libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K;
        whole.push(instruction(at_or_above, 1, 0, *bound));
        // Over the two of each part that follows, the last jump, and the parts before.
        whole.push(jump(2 * (parts.len() - at - 1) + 1 + before));
        before += part.len();
    }
    whole.push(jump(before));
    whole.extend(parts.into_iter().flat_map(|(_, part)| part).chain(last));
    Ok(whole)
}

fn program(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    error: i32,
    arch: TargetArch,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let refused = SeccompAction::Errno(error as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, refused, arch)?.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_compiles() {
        let arch = arch().unwrap();
        let [counted, alone] =
            [Sharing::Any, Sharing::Files].map(|sharing| refusing(arch, sharing).unwrap());
        assert!(alone.len() > counted.len() && counted.len() > REFUSED.len());
        assert!(hiding(arch).unwrap().len() > 3);
        assert!(refusing_to_the_bot(arch).unwrap().len() > REFUSED_TO_THE_BOT.len());
        assert!(lacking(arch).unwrap().len() > MOVES_PAGES.len());
        assert!(pretending(arch).unwrap().len() > DONE.len());
    }

    /// What a filter makes of a call, by the words of `struct seccomp_data`; the codes are those of linux/filter.h.
    fn verdict(program: &[sock_filter], data: &[u32]) -> u32 {
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let now = &program[at];
            at += 1;
            let skips = |yes: bool| usize::from(if yes { now.jt } else { now.jf });
            match now.code {
                0x20 => accumulator = data[now.k as usize / 4],
                0x54 => accumulator &= now.k,
                0x05 => at += now.k as usize,
                0x15 => at += skips(accumulator == now.k),
                0x25 => at += skips(accumulator > now.k),
                0x35 => at += skips(accumulator >= now.k),
                0x06 => return now.k,
                other => panic!("what is {other:#x}?"),
            }
        }
    }

    /// How a filter is told of the processor that we are built for.
    const OURS: u32 = if cfg!(target_arch = "x86_64") {
        0xc000_003e
    } else {
        0xc000_00b7
    };

    #[test]
    fn in_parts_a_filter_says_what_it_says_as_a_whole() {
        let (arch, ours) = (arch().unwrap(), OURS);
        for sharing in [Sharing::Any, Sharing::Files, Sharing::None] {
            let rules = rules_of_refusing(sharing).unwrap();
            let parts = program_in_parts(rules.clone(), libc::EPERM, arch).unwrap();
            let whole = program(rules, libc::EPERM, arch).unwrap();
            let mut refused = 0;
            for call in (0..=NEWEST + 50).chain([0x4000_0000, u32::MAX]) {
                for argument in [0, 1, 5, 9, 0x1000_0000, 0x7e02_0000, u32::MAX] {
                    for arch in [ours, 0x4000_0003] {
                        let mut data = [argument; 16];
                        (data[0], data[1]) = (call, arch);
                        let said = verdict(&parts, &data);
                        assert_eq!(
                            said,
                            verdict(&whole, &data),
                            "{call} {argument:#x} {arch:#x}"
                        );
                        refused +=
                            usize::from(said == libc::SECCOMP_RET_ERRNO | libc::EPERM as u32);
                    }
                }
            }
            assert!(refused > 7 * REFUSED.len(), "{refused}");
        }
        for calls in 0..40 {
            let rules: BTreeMap<i64, _> = (0..calls).map(|call| (3 * call, Vec::new())).collect();
            let parts = program_in_parts(rules.clone(), libc::EPERM, arch);
            let whole = program(rules, libc::EPERM, arch);
            let (Ok(parts), Ok(whole)) = (parts, whole) else {
                assert_eq!(calls, 0);
                continue;
            };
            for call in 0..130 {
                let mut data = [0; 16];
                (data[0], data[1]) = (call, ours);
                assert_eq!(verdict(&parts, &data), verdict(&whole, &data));
            }
        }
    }

    /// What the filter of what is lacking makes of a call with this argument, of 64 bits.
    fn lacks(call: c_long, argument: usize, value: u64) -> bool {
        let arch = arch().unwrap();
        let mut data = [0; 16];
        data[0] = u32::try_from(call).unwrap();
        data[1] = OURS;
        data[4 + 2 * argument] = value as u32;
        data[5 + 2 * argument] = (value >> 32) as u32;
        let said = verdict(&lacking(arch).unwrap(), &data);
        said == libc::SECCOMP_RET_ERRNO | libc::EINVAL as u32
    }

    #[test]
    fn of_prctl_there_is_only_what_programs_use() {
        // What stands in the upper half of an `int` counts for nothing.
        for upper in [0, 1 << 32, u64::MAX << 32] {
            for known in KNOWN_PRCTL {
                let known = u64::from(known.unsigned_abs());
                assert!(!lacks(libc::SYS_prctl, 0, upper | known), "{known}");
            }
            // Filters of calls, the memory's map, cores together, shared pages, a table for futexes, names of
            // mappings, and what comes.
            for unknown in [22, 35, 62, 67, 78, 0x5356_4d41, 200, 0x8000_0000] {
                assert!(lacks(libc::SYS_prctl, 0, upper | unknown), "{unknown}");
            }
        }
    }

    #[test]
    fn no_filter_of_packets_is_attached_to_a_socket() {
        for option in [libc::SO_ATTACH_FILTER, libc::SO_LOCK_FILTER, 50, 51, 52] {
            let option = u64::from(option.unsigned_abs());
            assert!(lacks(libc::SYS_setsockopt, 2, option), "{option}");
        }
        let timeout = u64::from(libc::SO_RCVTIMEO.unsigned_abs());
        assert!(!lacks(libc::SYS_setsockopt, 2, timeout));
    }

    #[test]
    fn no_call_is_above_the_newest() {
        for &call in REFUSED
            .iter()
            .chain(REFUSED_TO_THE_BOT)
            .chain(ABSENT)
            .chain(DONE)
        {
            assert!(call <= c_long::from(NEWEST));
        }
    }
}
