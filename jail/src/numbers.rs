//! The numbers of system calls. A test compares them with those of the C library.

/// Declares constants that differ between processors: the name, x86-64, AArch64.
macro_rules! numbers {
    ($($name:ident $x86:literal $arm:literal)*) => {
        $(pub(crate) const $name: usize = if cfg!(target_arch = "x86_64") { $x86 } else { $arm };)*

        #[cfg(test)]
        const ALL: &[(usize, i64)] = &[$(($name, libc_numbers::$name)),*];
    };
}

numbers! {
    ACCEPT 43 202
    ACCEPT4 288 242
    ACCT 163 89
    ADD_KEY 248 217
    ADJTIMEX 159 171
    BIND 49 200
    BPF 321 280
    CAPSET 126 91
    CHDIR 80 49
    CHROOT 161 51
    CLOCK_ADJTIME 305 266
    CLOCK_GETTIME 228 113
    CLOCK_NANOSLEEP 230 115
    CLOCK_SETTIME 227 112
    CLONE 56 220
    CLONE3 435 435
    CLOSE 3 57
    CLOSE_RANGE 436 436
    CONNECT 42 203
    DELETE_MODULE 176 106
    EXECVE 59 221
    EXIT_GROUP 231 94
    FADVISE64 221 223
    FANOTIFY_INIT 300 262
    FANOTIFY_MARK 301 263
    FCHDIR 81 50
    FCNTL 72 25
    FDATASYNC 75 83
    FINIT_MODULE 313 273
    FLOCK 73 32
    FSCONFIG 431 431
    FSETXATTR 190 7
    FSMOUNT 432 432
    FSOPEN 430 430
    FSPICK 433 433
    FSYNC 74 82
    GETDENTS64 217 61
    GETPID 39 172
    GETPPID 110 173
    GETPRIORITY 140 141
    INIT_MODULE 175 105
    INOTIFY_INIT1 294 26
    IO_CANCEL 210 3
    IO_DESTROY 207 1
    IO_GETEVENTS 208 4
    IO_PGETEVENTS 333 292
    IO_SETUP 206 0
    IO_SUBMIT 209 2
    IO_URING_ENTER 426 426
    IO_URING_REGISTER 427 427
    IO_URING_SETUP 425 425
    IOCTL 16 29
    IOPRIO_SET 251 30
    KCMP 312 272
    KEXEC_FILE_LOAD 320 294
    KEXEC_LOAD 246 104
    KEYCTL 250 219
    KILL 62 129
    LANDLOCK_ADD_RULE 445 445
    LANDLOCK_CREATE_RULESET 444 444
    LANDLOCK_RESTRICT_SELF 446 446
    LISTEN 50 201
    LOOKUP_DCOOKIE 212 18
    LSETXATTR 189 6
    MADVISE 28 233
    MBIND 237 235
    MEMFD_CREATE 319 279
    MEMFD_SECRET 447 447
    MIGRATE_PAGES 256 238
    MKDIRAT 258 34
    MMAP 9 222
    MOUNT 165 40
    MOUNT_SETATTR 442 442
    MOVE_MOUNT 429 429
    MOVE_PAGES 279 239
    MQ_OPEN 240 180
    MSGGET 68 186
    MSYNC 26 227
    NAME_TO_HANDLE_AT 303 264
    OPEN_BY_HANDLE_AT 304 265
    OPEN_TREE 428 428
    OPENAT 257 56
    OPENAT2 437 437
    PERF_EVENT_OPEN 298 241
    PIDFD_GETFD 438 438
    PIPE2 293 59
    PIVOT_ROOT 155 41
    PPOLL 271 73
    PRCTL 157 167
    PREADV2 327 286
    PRLIMIT64 302 261
    PROCESS_MADVISE 440 440
    PROCESS_MRELEASE 448 448
    PROCESS_VM_READV 310 270
    PROCESS_VM_WRITEV 311 271
    PTRACE 101 117
    QUOTACTL 179 60
    QUOTACTL_FD 443 443
    READ 0 63
    READAHEAD 187 213
    READLINKAT 267 78
    REBOOT 169 142
    REQUEST_KEY 249 218
    RT_SIGACTION 13 134
    RT_SIGPROCMASK 14 135
    RT_SIGTIMEDWAIT 128 137
    SCHED_SETAFFINITY 203 122
    SCHED_SETATTR 314 274
    SCHED_SETPARAM 142 118
    SCHED_SETSCHEDULER 144 119
    SCHED_YIELD 24 124
    SECCOMP 317 277
    SEMCTL 66 191
    SEMGET 64 190
    SEMOP 65 193
    SEMTIMEDOP 220 192
    SENDFILE 40 71
    SET_MEMPOLICY 238 237
    SETDOMAINNAME 171 162
    SETGROUPS 116 159
    SETHOSTNAME 170 161
    SETNS 308 268
    SETPGID 109 154
    SETPRIORITY 141 140
    SETRESGID 119 149
    SETRESUID 117 147
    SETSID 112 157
    SETSOCKOPT 54 208
    SETTIMEOFDAY 164 170
    SETXATTR 188 5
    SHMAT 30 196
    SHMGET 29 194
    SOCKET 41 198
    SOCKETPAIR 53 199
    SPLICE 275 76
    STATX 332 291
    SWAPOFF 168 225
    SWAPON 167 224
    SYMLINKAT 266 36
    SYNC 162 81
    SYNCFS 306 267
    SYNC_FILE_RANGE 277 84
    SYSLOG 103 116
    TEE 276 77
    UMOUNT2 166 39
    UNLINKAT 263 35
    UNSHARE 272 97
    USERFAULTFD 323 282
    VHANGUP 153 58
    VMSPLICE 278 75
    WAIT4 61 260
    WRITE 1 64
}

/// Those that only x86-64 has.
#[cfg(target_arch = "x86_64")]
mod of_x86 {
    pub(crate) const INOTIFY_INIT: usize = 253;
    pub(crate) const IOPERM: usize = 173;
    pub(crate) const IOPL: usize = 172;
    pub(crate) const MODIFY_LDT: usize = 154;
    pub(crate) const OPEN: usize = 2;
    pub(crate) const SYSFS: usize = 139;
    pub(crate) const USELIB: usize = 134;
    pub(crate) const USTAT: usize = 136;
}
#[cfg(target_arch = "x86_64")]
pub(crate) use of_x86::*;

/// The constants of the calls' arguments that the filter of system calls looks at.
pub(crate) mod constant {
    pub(crate) const AF_INET: i32 = 2;
    pub(crate) const AF_INET6: i32 = 10;
    pub(crate) const AF_UNIX: i32 = 1;
    pub(crate) const CLONE_NEWCGROUP: i32 = 0x2000000;
    pub(crate) const CLONE_NEWIPC: i32 = 0x8000000;
    pub(crate) const CLONE_NEWNET: i32 = 0x40000000;
    pub(crate) const CLONE_NEWNS: i32 = 0x20000;
    pub(crate) const CLONE_NEWPID: i32 = 0x20000000;
    pub(crate) const CLONE_NEWUSER: i32 = 0x10000000;
    pub(crate) const CLONE_NEWUTS: i32 = 0x4000000;
    pub(crate) const EINVAL: i32 = 22;
    pub(crate) const ENOSYS: i32 = 38;
    pub(crate) const EPERM: i32 = 1;
    pub(crate) const F_NOTIFY: i32 = 1026;
    pub(crate) const F_OFD_SETLK: i32 = 37;
    pub(crate) const F_OFD_SETLKW: i32 = 38;
    pub(crate) const F_SETFL: i32 = 4;
    pub(crate) const F_SETLEASE: i32 = 1024;
    pub(crate) const F_SETLK: i32 = 6;
    pub(crate) const F_SETLKW: i32 = 7;
    pub(crate) const F_SETPIPE_SZ: i32 = 1031;
    pub(crate) const IPPROTO_IP: i32 = 0;
    pub(crate) const IPPROTO_IPV6: i32 = 41;
    pub(crate) const IPPROTO_TCP: i32 = 6;
    pub(crate) const IPPROTO_UDP: i32 = 17;
    pub(crate) const IPV6_MTU_DISCOVER: i32 = 23;
    pub(crate) const IPV6_RECVERR: i32 = 25;
    pub(crate) const IPV6_TCLASS: i32 = 67;
    pub(crate) const IPV6_V6ONLY: i32 = 26;
    pub(crate) const IP_MTU_DISCOVER: i32 = 10;
    pub(crate) const IP_RECVERR: i32 = 11;
    pub(crate) const IP_TOS: i32 = 1;
    pub(crate) const MADV_COLD: i32 = 20;
    pub(crate) const MADV_MERGEABLE: i32 = 12;
    pub(crate) const MADV_PAGEOUT: i32 = 21;
    pub(crate) const MADV_WILLNEED: i32 = 3;
    pub(crate) const MAP_ANONYMOUS: i32 = 32;
    pub(crate) const MAP_HUGETLB: i32 = 262144;
    pub(crate) const MAP_SHARED: i32 = 1;
    pub(crate) const O_DIRECT: i32 = if cfg!(target_arch = "x86_64") {
        0o40_000
    } else {
        0o200_000
    };
    pub(crate) const PR_CAPBSET_READ: i32 = 23;
    pub(crate) const PR_GET_DUMPABLE: i32 = 3;
    pub(crate) const PR_GET_KEEPCAPS: i32 = 7;
    pub(crate) const PR_GET_NAME: i32 = 16;
    pub(crate) const PR_GET_NO_NEW_PRIVS: i32 = 39;
    pub(crate) const PR_GET_PDEATHSIG: i32 = 2;
    pub(crate) const PR_GET_SECCOMP: i32 = 21;
    pub(crate) const PR_GET_SECUREBITS: i32 = 27;
    pub(crate) const PR_GET_THP_DISABLE: i32 = 42;
    pub(crate) const PR_GET_TIMERSLACK: i32 = 30;
    pub(crate) const PR_SET_DUMPABLE: i32 = 4;
    pub(crate) const PR_SET_NAME: i32 = 15;
    pub(crate) const PR_SET_NO_NEW_PRIVS: i32 = 38;
    pub(crate) const PR_SET_PDEATHSIG: i32 = 1;
    pub(crate) const PR_SET_THP_DISABLE: i32 = 41;
    pub(crate) const PR_SET_TIMERSLACK: i32 = 29;
    pub(crate) const RWF_DONTCACHE: i32 = 128;
    pub(crate) const SCHED_OTHER: i32 = 0;
    pub(crate) const SOCK_CLOEXEC: i32 = 0x80000;
    pub(crate) const SOCK_DGRAM: i32 = 2;
    pub(crate) const SOCK_NONBLOCK: i32 = 0x800;
    pub(crate) const SOCK_SEQPACKET: i32 = 5;
    pub(crate) const SOCK_STREAM: i32 = 1;
    pub(crate) const SOL_SOCKET: i32 = 1;
    pub(crate) const SO_BROADCAST: i32 = 6;
    pub(crate) const SO_KEEPALIVE: i32 = 9;
    pub(crate) const SO_LINGER: i32 = 13;
    pub(crate) const SO_PASSCRED: i32 = 16;
    pub(crate) const SO_PEEK_OFF: i32 = 42;
    pub(crate) const SO_RCVBUF: i32 = 8;
    pub(crate) const SO_RCVLOWAT: i32 = 18;
    pub(crate) const SO_RCVTIMEO: i32 = 20;
    pub(crate) const SO_REUSEADDR: i32 = 2;
    pub(crate) const SO_REUSEPORT: i32 = 15;
    pub(crate) const SO_SNDBUF: i32 = 7;
    pub(crate) const SO_SNDTIMEO: i32 = 21;
    #[cfg(target_arch = "aarch64")]
    pub(crate) const PR_SVE_SET_VL: i32 = 50;
    #[cfg(target_arch = "aarch64")]
    pub(crate) const PR_SVE_GET_VL: i32 = 51;
    #[cfg(target_arch = "aarch64")]
    pub(crate) const PR_SET_TAGGED_ADDR_CTRL: i32 = 55;
    #[cfg(target_arch = "aarch64")]
    pub(crate) const PR_GET_TAGGED_ADDR_CTRL: i32 = 56;
    pub(crate) const TCP_KEEPCNT: i32 = 6;
    pub(crate) const TCP_KEEPIDLE: i32 = 4;
    pub(crate) const TCP_KEEPINTVL: i32 = 5;
    pub(crate) const TCP_NODELAY: i32 = 1;
    pub(crate) const TCP_QUICKACK: i32 = 12;
    pub(crate) const TCP_USER_TIMEOUT: i32 = 18;
}

#[cfg(test)]
mod libc_numbers {
    pub(super) const ACCEPT: i64 = libc::SYS_accept;
    pub(super) const ACCEPT4: i64 = libc::SYS_accept4;
    pub(super) const ACCT: i64 = libc::SYS_acct;
    pub(super) const ADD_KEY: i64 = libc::SYS_add_key;
    pub(super) const ADJTIMEX: i64 = libc::SYS_adjtimex;
    pub(super) const BIND: i64 = libc::SYS_bind;
    pub(super) const BPF: i64 = libc::SYS_bpf;
    pub(super) const CAPSET: i64 = libc::SYS_capset;
    pub(super) const CHDIR: i64 = libc::SYS_chdir;
    pub(super) const CHROOT: i64 = libc::SYS_chroot;
    pub(super) const CLOCK_ADJTIME: i64 = libc::SYS_clock_adjtime;
    pub(super) const CLOCK_GETTIME: i64 = libc::SYS_clock_gettime;
    pub(super) const CLOCK_NANOSLEEP: i64 = libc::SYS_clock_nanosleep;
    pub(super) const CLOCK_SETTIME: i64 = libc::SYS_clock_settime;
    pub(super) const CLONE: i64 = libc::SYS_clone;
    pub(super) const CLONE3: i64 = libc::SYS_clone3;
    pub(super) const CLOSE: i64 = libc::SYS_close;
    pub(super) const CLOSE_RANGE: i64 = libc::SYS_close_range;
    pub(super) const CONNECT: i64 = libc::SYS_connect;
    pub(super) const DELETE_MODULE: i64 = libc::SYS_delete_module;
    pub(super) const EXECVE: i64 = libc::SYS_execve;
    pub(super) const EXIT_GROUP: i64 = libc::SYS_exit_group;
    pub(super) const FADVISE64: i64 = libc::SYS_fadvise64;
    pub(super) const FANOTIFY_INIT: i64 = libc::SYS_fanotify_init;
    pub(super) const FANOTIFY_MARK: i64 = libc::SYS_fanotify_mark;
    pub(super) const FCHDIR: i64 = libc::SYS_fchdir;
    pub(super) const FCNTL: i64 = libc::SYS_fcntl;
    pub(super) const FDATASYNC: i64 = libc::SYS_fdatasync;
    pub(super) const FINIT_MODULE: i64 = libc::SYS_finit_module;
    pub(super) const FLOCK: i64 = libc::SYS_flock;
    pub(super) const FSCONFIG: i64 = libc::SYS_fsconfig;
    pub(super) const FSETXATTR: i64 = libc::SYS_fsetxattr;
    pub(super) const FSMOUNT: i64 = libc::SYS_fsmount;
    pub(super) const FSOPEN: i64 = libc::SYS_fsopen;
    pub(super) const FSPICK: i64 = libc::SYS_fspick;
    pub(super) const FSYNC: i64 = libc::SYS_fsync;
    pub(super) const GETDENTS64: i64 = libc::SYS_getdents64;
    pub(super) const GETPID: i64 = libc::SYS_getpid;
    pub(super) const GETPPID: i64 = libc::SYS_getppid;
    pub(super) const GETPRIORITY: i64 = libc::SYS_getpriority;
    pub(super) const INIT_MODULE: i64 = libc::SYS_init_module;
    pub(super) const INOTIFY_INIT1: i64 = libc::SYS_inotify_init1;
    pub(super) const IO_CANCEL: i64 = libc::SYS_io_cancel;
    pub(super) const IO_DESTROY: i64 = libc::SYS_io_destroy;
    pub(super) const IO_GETEVENTS: i64 = libc::SYS_io_getevents;
    pub(super) const IO_PGETEVENTS: i64 = super::IO_PGETEVENTS as i64; // The library lacks it.
    pub(super) const IO_SETUP: i64 = libc::SYS_io_setup;
    pub(super) const IO_SUBMIT: i64 = libc::SYS_io_submit;
    pub(super) const IO_URING_ENTER: i64 = libc::SYS_io_uring_enter;
    pub(super) const IO_URING_REGISTER: i64 = libc::SYS_io_uring_register;
    pub(super) const IO_URING_SETUP: i64 = libc::SYS_io_uring_setup;
    pub(super) const IOCTL: i64 = libc::SYS_ioctl;
    pub(super) const IOPRIO_SET: i64 = libc::SYS_ioprio_set;
    pub(super) const KCMP: i64 = libc::SYS_kcmp;
    pub(super) const KEXEC_FILE_LOAD: i64 = libc::SYS_kexec_file_load;
    pub(super) const KEXEC_LOAD: i64 = libc::SYS_kexec_load;
    pub(super) const KEYCTL: i64 = libc::SYS_keyctl;
    pub(super) const KILL: i64 = libc::SYS_kill;
    pub(super) const LANDLOCK_ADD_RULE: i64 = libc::SYS_landlock_add_rule;
    pub(super) const LANDLOCK_CREATE_RULESET: i64 = libc::SYS_landlock_create_ruleset;
    pub(super) const LANDLOCK_RESTRICT_SELF: i64 = libc::SYS_landlock_restrict_self;
    pub(super) const LISTEN: i64 = libc::SYS_listen;
    pub(super) const LOOKUP_DCOOKIE: i64 = libc::SYS_lookup_dcookie;
    pub(super) const LSETXATTR: i64 = libc::SYS_lsetxattr;
    pub(super) const MADVISE: i64 = libc::SYS_madvise;
    pub(super) const MBIND: i64 = libc::SYS_mbind;
    pub(super) const MEMFD_CREATE: i64 = libc::SYS_memfd_create;
    pub(super) const MEMFD_SECRET: i64 = libc::SYS_memfd_secret;
    pub(super) const MIGRATE_PAGES: i64 = libc::SYS_migrate_pages;
    pub(super) const MKDIRAT: i64 = libc::SYS_mkdirat;
    pub(super) const MMAP: i64 = libc::SYS_mmap;
    pub(super) const MOUNT: i64 = libc::SYS_mount;
    pub(super) const MOUNT_SETATTR: i64 = libc::SYS_mount_setattr;
    pub(super) const MOVE_MOUNT: i64 = libc::SYS_move_mount;
    pub(super) const MOVE_PAGES: i64 = libc::SYS_move_pages;
    pub(super) const MQ_OPEN: i64 = libc::SYS_mq_open;
    pub(super) const MSGGET: i64 = libc::SYS_msgget;
    pub(super) const MSYNC: i64 = libc::SYS_msync;
    pub(super) const NAME_TO_HANDLE_AT: i64 = libc::SYS_name_to_handle_at;
    pub(super) const OPEN_BY_HANDLE_AT: i64 = libc::SYS_open_by_handle_at;
    pub(super) const OPEN_TREE: i64 = libc::SYS_open_tree;
    pub(super) const OPENAT: i64 = libc::SYS_openat;
    pub(super) const OPENAT2: i64 = libc::SYS_openat2;
    pub(super) const PERF_EVENT_OPEN: i64 = libc::SYS_perf_event_open;
    pub(super) const PIDFD_GETFD: i64 = libc::SYS_pidfd_getfd;
    pub(super) const PIPE2: i64 = libc::SYS_pipe2;
    pub(super) const PIVOT_ROOT: i64 = libc::SYS_pivot_root;
    pub(super) const PPOLL: i64 = libc::SYS_ppoll;
    pub(super) const PRCTL: i64 = libc::SYS_prctl;
    pub(super) const PREADV2: i64 = libc::SYS_preadv2;
    pub(super) const PRLIMIT64: i64 = libc::SYS_prlimit64;
    pub(super) const PROCESS_MADVISE: i64 = libc::SYS_process_madvise;
    pub(super) const PROCESS_MRELEASE: i64 = libc::SYS_process_mrelease;
    pub(super) const PROCESS_VM_READV: i64 = libc::SYS_process_vm_readv;
    pub(super) const PROCESS_VM_WRITEV: i64 = libc::SYS_process_vm_writev;
    pub(super) const PTRACE: i64 = libc::SYS_ptrace;
    pub(super) const QUOTACTL: i64 = libc::SYS_quotactl;
    pub(super) const QUOTACTL_FD: i64 = libc::SYS_quotactl_fd;
    pub(super) const READ: i64 = libc::SYS_read;
    pub(super) const READAHEAD: i64 = libc::SYS_readahead;
    pub(super) const READLINKAT: i64 = libc::SYS_readlinkat;
    pub(super) const REBOOT: i64 = libc::SYS_reboot;
    pub(super) const REQUEST_KEY: i64 = libc::SYS_request_key;
    pub(super) const RT_SIGACTION: i64 = libc::SYS_rt_sigaction;
    pub(super) const RT_SIGPROCMASK: i64 = libc::SYS_rt_sigprocmask;
    pub(super) const RT_SIGTIMEDWAIT: i64 = libc::SYS_rt_sigtimedwait;
    pub(super) const SCHED_SETAFFINITY: i64 = libc::SYS_sched_setaffinity;
    pub(super) const SCHED_SETATTR: i64 = libc::SYS_sched_setattr;
    pub(super) const SCHED_SETPARAM: i64 = libc::SYS_sched_setparam;
    pub(super) const SCHED_SETSCHEDULER: i64 = libc::SYS_sched_setscheduler;
    pub(super) const SCHED_YIELD: i64 = libc::SYS_sched_yield;
    pub(super) const SECCOMP: i64 = libc::SYS_seccomp;
    pub(super) const SEMCTL: i64 = libc::SYS_semctl;
    pub(super) const SEMGET: i64 = libc::SYS_semget;
    pub(super) const SEMOP: i64 = libc::SYS_semop;
    pub(super) const SEMTIMEDOP: i64 = libc::SYS_semtimedop;
    pub(super) const SENDFILE: i64 = libc::SYS_sendfile;
    pub(super) const SET_MEMPOLICY: i64 = libc::SYS_set_mempolicy;
    pub(super) const SETDOMAINNAME: i64 = libc::SYS_setdomainname;
    pub(super) const SETGROUPS: i64 = libc::SYS_setgroups;
    pub(super) const SETHOSTNAME: i64 = libc::SYS_sethostname;
    pub(super) const SETNS: i64 = libc::SYS_setns;
    pub(super) const SETPGID: i64 = libc::SYS_setpgid;
    pub(super) const SETPRIORITY: i64 = libc::SYS_setpriority;
    pub(super) const SETRESGID: i64 = libc::SYS_setresgid;
    pub(super) const SETRESUID: i64 = libc::SYS_setresuid;
    pub(super) const SETSID: i64 = libc::SYS_setsid;
    pub(super) const SETSOCKOPT: i64 = libc::SYS_setsockopt;
    pub(super) const SETTIMEOFDAY: i64 = libc::SYS_settimeofday;
    pub(super) const SETXATTR: i64 = libc::SYS_setxattr;
    pub(super) const SHMAT: i64 = libc::SYS_shmat;
    pub(super) const SHMGET: i64 = libc::SYS_shmget;
    pub(super) const SOCKET: i64 = libc::SYS_socket;
    pub(super) const SOCKETPAIR: i64 = libc::SYS_socketpair;
    pub(super) const SPLICE: i64 = libc::SYS_splice;
    pub(super) const STATX: i64 = libc::SYS_statx;
    pub(super) const SWAPOFF: i64 = libc::SYS_swapoff;
    pub(super) const SWAPON: i64 = libc::SYS_swapon;
    pub(super) const SYMLINKAT: i64 = libc::SYS_symlinkat;
    pub(super) const SYNC: i64 = libc::SYS_sync;
    pub(super) const SYNCFS: i64 = libc::SYS_syncfs;
    pub(super) const SYNC_FILE_RANGE: i64 = super::SYNC_FILE_RANGE as i64; // The library lacks it on AArch64.
    pub(super) const SYSLOG: i64 = libc::SYS_syslog;
    pub(super) const TEE: i64 = libc::SYS_tee;
    pub(super) const UMOUNT2: i64 = libc::SYS_umount2;
    pub(super) const UNLINKAT: i64 = libc::SYS_unlinkat;
    pub(super) const UNSHARE: i64 = libc::SYS_unshare;
    pub(super) const USERFAULTFD: i64 = libc::SYS_userfaultfd;
    pub(super) const VHANGUP: i64 = libc::SYS_vhangup;
    pub(super) const VMSPLICE: i64 = libc::SYS_vmsplice;
    pub(super) const WAIT4: i64 = libc::SYS_wait4;
    pub(super) const WRITE: i64 = libc::SYS_write;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_numbers_of_the_c_library() {
        for (ours, theirs) in ALL {
            assert_eq!(i64::try_from(*ours), Ok(*theirs));
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn so_have_those_that_only_x86_has() {
        let ours = [
            INOTIFY_INIT,
            IOPERM,
            IOPL,
            MODIFY_LDT,
            OPEN,
            SYSFS,
            USELIB,
            USTAT,
        ];
        let theirs = [
            libc::SYS_inotify_init,
            libc::SYS_ioperm,
            libc::SYS_iopl,
            libc::SYS_modify_ldt,
            libc::SYS_open,
            libc::SYS_sysfs,
            libc::SYS_uselib,
            libc::SYS_ustat,
        ];
        assert_eq!(ours.map(|number| number as i64), theirs);
    }

    #[test]
    fn constants_have_the_values_of_the_c_library() {
        let ours = [
            constant::AF_INET,
            constant::AF_INET6,
            constant::AF_UNIX,
            constant::CLONE_NEWCGROUP,
            constant::CLONE_NEWIPC,
            constant::CLONE_NEWNET,
            constant::CLONE_NEWNS,
            constant::CLONE_NEWPID,
            constant::CLONE_NEWUSER,
            constant::CLONE_NEWUTS,
            constant::EINVAL,
            constant::ENOSYS,
            constant::EPERM,
            constant::F_NOTIFY,
            constant::F_OFD_SETLK,
            constant::F_OFD_SETLKW,
            constant::F_SETFL,
            constant::F_SETLEASE,
            constant::F_SETLK,
            constant::F_SETLKW,
            constant::F_SETPIPE_SZ,
            constant::IPPROTO_IP,
            constant::IPPROTO_IPV6,
            constant::IPPROTO_TCP,
            constant::IPPROTO_UDP,
            constant::IPV6_MTU_DISCOVER,
            constant::IPV6_RECVERR,
            constant::IPV6_TCLASS,
            constant::IPV6_V6ONLY,
            constant::IP_MTU_DISCOVER,
            constant::IP_RECVERR,
            constant::IP_TOS,
            constant::MADV_COLD,
            constant::MADV_MERGEABLE,
            constant::MADV_PAGEOUT,
            constant::MADV_WILLNEED,
            constant::MAP_ANONYMOUS,
            constant::MAP_HUGETLB,
            constant::MAP_SHARED,
            constant::O_DIRECT,
            constant::PR_CAPBSET_READ,
            constant::PR_GET_DUMPABLE,
            constant::PR_GET_KEEPCAPS,
            constant::PR_GET_NAME,
            constant::PR_GET_NO_NEW_PRIVS,
            constant::PR_GET_PDEATHSIG,
            constant::PR_GET_SECCOMP,
            constant::PR_GET_SECUREBITS,
            constant::PR_GET_THP_DISABLE,
            constant::PR_GET_TIMERSLACK,
            constant::PR_SET_DUMPABLE,
            constant::PR_SET_NAME,
            constant::PR_SET_NO_NEW_PRIVS,
            constant::PR_SET_PDEATHSIG,
            constant::PR_SET_THP_DISABLE,
            constant::PR_SET_TIMERSLACK,
            constant::RWF_DONTCACHE,
            constant::SCHED_OTHER,
            constant::SOCK_CLOEXEC,
            constant::SOCK_DGRAM,
            constant::SOCK_NONBLOCK,
            constant::SOCK_SEQPACKET,
            constant::SOCK_STREAM,
            constant::SOL_SOCKET,
            constant::SO_BROADCAST,
            constant::SO_KEEPALIVE,
            constant::SO_LINGER,
            constant::SO_PASSCRED,
            constant::SO_PEEK_OFF,
            constant::SO_RCVBUF,
            constant::SO_RCVLOWAT,
            constant::SO_RCVTIMEO,
            constant::SO_REUSEADDR,
            constant::SO_REUSEPORT,
            constant::SO_SNDBUF,
            constant::SO_SNDTIMEO,
            constant::TCP_KEEPCNT,
            constant::TCP_KEEPIDLE,
            constant::TCP_KEEPINTVL,
            constant::TCP_NODELAY,
            constant::TCP_QUICKACK,
            constant::TCP_USER_TIMEOUT,
        ];
        let theirs = [
            libc::AF_INET,
            libc::AF_INET6,
            libc::AF_UNIX,
            libc::CLONE_NEWCGROUP,
            libc::CLONE_NEWIPC,
            libc::CLONE_NEWNET,
            libc::CLONE_NEWNS,
            libc::CLONE_NEWPID,
            libc::CLONE_NEWUSER,
            libc::CLONE_NEWUTS,
            libc::EINVAL,
            libc::ENOSYS,
            libc::EPERM,
            libc::F_NOTIFY,
            libc::F_OFD_SETLK,
            libc::F_OFD_SETLKW,
            libc::F_SETFL,
            libc::F_SETLEASE,
            libc::F_SETLK,
            libc::F_SETLKW,
            libc::F_SETPIPE_SZ,
            libc::IPPROTO_IP,
            libc::IPPROTO_IPV6,
            libc::IPPROTO_TCP,
            libc::IPPROTO_UDP,
            libc::IPV6_MTU_DISCOVER,
            libc::IPV6_RECVERR,
            libc::IPV6_TCLASS,
            libc::IPV6_V6ONLY,
            libc::IP_MTU_DISCOVER,
            libc::IP_RECVERR,
            libc::IP_TOS,
            libc::MADV_COLD,
            libc::MADV_MERGEABLE,
            libc::MADV_PAGEOUT,
            libc::MADV_WILLNEED,
            libc::MAP_ANONYMOUS,
            libc::MAP_HUGETLB,
            libc::MAP_SHARED,
            libc::O_DIRECT,
            libc::PR_CAPBSET_READ,
            libc::PR_GET_DUMPABLE,
            libc::PR_GET_KEEPCAPS,
            libc::PR_GET_NAME,
            libc::PR_GET_NO_NEW_PRIVS,
            libc::PR_GET_PDEATHSIG,
            libc::PR_GET_SECCOMP,
            libc::PR_GET_SECUREBITS,
            libc::PR_GET_THP_DISABLE,
            libc::PR_GET_TIMERSLACK,
            libc::PR_SET_DUMPABLE,
            libc::PR_SET_NAME,
            libc::PR_SET_NO_NEW_PRIVS,
            libc::PR_SET_PDEATHSIG,
            libc::PR_SET_THP_DISABLE,
            libc::PR_SET_TIMERSLACK,
            libc::RWF_DONTCACHE,
            libc::SCHED_OTHER,
            libc::SOCK_CLOEXEC,
            libc::SOCK_DGRAM,
            libc::SOCK_NONBLOCK,
            libc::SOCK_SEQPACKET,
            libc::SOCK_STREAM,
            libc::SOL_SOCKET,
            libc::SO_BROADCAST,
            libc::SO_KEEPALIVE,
            libc::SO_LINGER,
            libc::SO_PASSCRED,
            libc::SO_PEEK_OFF,
            libc::SO_RCVBUF,
            libc::SO_RCVLOWAT,
            libc::SO_RCVTIMEO,
            libc::SO_REUSEADDR,
            libc::SO_REUSEPORT,
            libc::SO_SNDBUF,
            libc::SO_SNDTIMEO,
            libc::TCP_KEEPCNT,
            libc::TCP_KEEPIDLE,
            libc::TCP_KEEPINTVL,
            libc::TCP_NODELAY,
            libc::TCP_QUICKACK,
            libc::TCP_USER_TIMEOUT,
        ];
        assert_eq!(ours, theirs);
    }
}
