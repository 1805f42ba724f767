//! Making a process from a program: its command line, its environment, its pipes.

use std::convert::Infallible;
use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions};

use crate::bundle::Bundle;
use crate::isolation::Isolation;
use crate::jail::{
    BundleStart, Carrier, Jail, Limits, Machine, NotFound, NotRunning, Order, PATH, Report, Shown,
    in_sight,
};
use crate::lock::lock;
use crate::process::usage::children;
use crate::sniff::{interpreter, not_executed};
use crate::vfork::{self, Pipes};
use crate::{Ended, Program, StartError};

/// How often a file that is being written is tried, and the time between.
const BUSY_TRIES: u32 = 20;
const BUSY_WAIT: Duration = Duration::from_millis(5);

/// The last signal; they count from 1.
const LAST_SIGNAL: i32 = 64;

/// The name of the stage in its command line.
const STAGE_NAME: &str = "flipside-jail";

/// A process that runs, and our ends of its pipes, which do not block.
pub(crate) struct Launched {
    /// Our child, which is not reaped.
    pub(crate) pid: Pid,
    pub(crate) pipes: Pipes,
    /// What is known of it where it is in a jail.
    pub(crate) jailed: Option<Jailed>,
}

/// A process in a jail; the child is then its supervisor.
#[derive(Debug)]
pub(crate) struct Jailed {
    /// The number of init of its namespace, outside; the bot is that one's child.
    pub(crate) first: u32,
    bot: OnceLock<u32>,
    memory: u64,
    report: Mutex<Report>,
}

impl Jailed {
    /// The number of the bot itself, outside.
    pub(crate) fn bot(&self) -> Option<u32> {
        // Init may not have started it yet.
        if self.bot.get().is_none()
            && let Some(bot) = children(self.first, self.first).first()
        {
            let _ = self.bot.set(*bot);
        }
        self.bot.get().copied()
    }

    /// Whether the bot has ended, though the supervisor may still clear away.
    pub(crate) fn bot_ended(&self) -> bool {
        lock(&self.report).ended()
    }

    /// How it ended, seen together with what the supervisor said: a process that the kernel ends for its
    /// memory ends by a signal.
    pub(crate) fn judged(&self, ended: Ended) -> Ended {
        match ended {
            Ended::Exited(0) => ended,
            _ if lock(&self.report).memory() => Ended::OutOfMemory {
                limit: self.memory,
                end: ended.to_string(),
            },
            _ => ended,
        }
    }
}

/// A process that is to be started.
#[derive(Clone, Copy)]
pub(crate) struct Launch<'l> {
    pub(crate) program: &'l Program,
    /// The files of a bundle.
    pub(crate) folder: Option<&'l Path>,
    /// The memory that it may use, in bytes.
    pub(crate) memory: u64,
    pub(crate) isolation: &'l Isolation,
}

impl Launch<'_> {
    /// Starts it, behind walls or without.
    pub(crate) fn launch(self) -> Result<Launched, StartError> {
        let launch = || match self.isolation {
            Isolation::Trust => plainly(self),
            Isolation::Jail(jail) => jailed(self, jail),
        };
        for _ in 1..BUSY_TRIES {
            match launch() {
                // Another thread that just forked holds, until its own program starts, whatever this
                // process had open; so a file that was written a moment ago may seem to be so still.
                Err(StartError::Busy(_)) => thread::sleep(BUSY_WAIT),
                launched => return launched,
            }
        }
        launch()
    }

    /// The bundle, with the folder of its files.
    fn bundle(&self) -> Option<(&Bundle, &Path)> {
        self.program.as_bundle().zip(self.folder)
    }
}

fn plainly(launch: Launch<'_>) -> Result<Launched, StartError> {
    let program = launch.program;
    let mut environment = environment().to_vec();
    let (start, folder) = match launch.bundle() {
        None => {
            let folder = program.path().parent();
            (
                BundleStart::alone(program),
                folder.unwrap_or(Path::new("/")),
            )
        }
        Some((bundle, folder)) => {
            let start = BundleStart::trusted(bundle, folder, launch.memory)
                .map_err(|found| no_program(program, found))?;
            environment.extend(bundle_environment(start.packages.as_deref()));
            (start, folder)
        }
    };
    let exec = Exec::new(&start.program, &start.args, &environment)?;
    spawn(&exec, folder, None).map_err(|error| reason(&start.program, error))
}

fn no_program(program: &Program, found: NotFound) -> StartError {
    let path = program.path().into();
    match found {
        NotFound::Nowhere(name) => StartError::NoProgram { path, name },
        NotFound::InTheJail(interpreter) => StartError::NotShown { path, interpreter },
    }
}

/// Starts the jail's stage, and waits until it has become the bot.
fn jailed(launch: Launch<'_>, jail: &Jail) -> Result<Launched, StartError> {
    let program = launch.program;
    if let Some(folder) = in_sight(&jail.hidden) {
        return Err(StartError::InSight(folder.clone()));
    }
    let (shown, start) = match launch.bundle() {
        None => (
            Shown::of(program, &jail.hidden),
            BundleStart::alone(program),
        ),
        Some((bundle, folder)) => BundleStart::jailed(bundle, folder, launch.memory, &jail.hidden)
            .map_err(|found| no_program(program, found))?,
    };
    let limits = Limits {
        memory: launch.memory,
        ..jail.limits
    };
    let mut environment = jailed_environment(&shown.path).to_vec();
    environment.extend(python_path(start.packages.as_deref()));
    let order = Order {
        limits,
        shown,
        args: start.args,
    };
    let args = order.to_args(&Machine::known(), rand::random());
    let (mut launched, hear) = spawn_stage(jail, &args, &environment)?;
    let mut report = Report::new(hear);
    let first = report.running().map_err(|not_running| {
        give_up(launched.pid, &not_running);
        match not_running {
            NotRunning::Missing(missing) => StartError::Jail(missing),
            NotRunning::NotExecuted(error) => in_jail(reason(&start.program, error)),
            NotRunning::Host(error) => StartError::Host(error),
        }
    })?;
    launched.jailed = Some(Jailed {
        first,
        bot: OnceLock::new(),
        memory: limits.memory,
        report: Mutex::new(report),
    });
    Ok(launched)
}

/// Starts the stage with this order. Gives the end of its pipe at which it is heard.
fn spawn_stage(
    jail: &Jail,
    order: &[OsString],
    environment: &[OsString],
) -> Result<(Launched, OwnedFd), StartError> {
    loop {
        let carrier = Carrier::of(jail);
        let (hear, say) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from)?;
        // It keeps its number in the child: another one could be somebody's there.
        let number = OsString::from(say.as_raw_fd().to_string());
        let args = std::iter::once(&number).chain(order);
        let exec = match carrier {
            Carrier::Memory(file) => {
                Exec::new(Path::new(STAGE_NAME), args, environment).map(|exec| exec.of(file))
            }
            Carrier::Program => Exec::new(&jail.program, jail.args.iter().chain(args), environment),
        };
        match spawn(&exec?, Path::new("/"), Some(&say)) {
            Ok(launched) => return Ok((launched, hear)),
            Err(error) if carrier.is_forbidden(&error) => {}
            Err(source) => {
                let path = jail.program.clone();
                return Err(StartError::Stage { path, source });
            }
        }
    }
}

/// Starts a process in a folder that becomes what is to be executed. With `report`, that stays open.
fn spawn(exec: &Exec, folder: &Path, report: Option<&OwnedFd>) -> io::Result<Launched> {
    let parent = rustix::process::getpid();
    let folder = CString::new(folder.as_os_str().as_bytes())?;
    let become_it = || {
        let Err(error) = become_other(parent, report, exec);
        error
    };
    #[expect(
        unsafe_code,
        reason = "the closure makes system calls only, and allocates nothing"
    )]
    let (pid, pipes) = unsafe { vfork::spawn(&folder, &become_it) }?;
    Ok(Launched {
        pid,
        pipes,
        jailed: None,
    })
}

/// Ends a stage that has said its last word, and clears away by itself; or never will.
fn give_up(supervisor: Pid, why: &NotRunning) {
    let signal = match why {
        NotRunning::Host(_) => Signal::KILL,
        _ => Signal::TERM,
    };
    // They fail where it has ended.
    let _ = rustix::process::kill_process(supervisor, signal);
    let _ = rustix::process::waitpid(Some(supervisor), WaitOptions::empty());
}

/// What is there outside and could not be executed inside: it is the jail that does not show it.
fn in_jail(error: StartError) -> StartError {
    match error {
        StartError::NoInterpreter { path, interpreter } if interpreter.exists() => {
            StartError::NotShown { path, interpreter }
        }
        StartError::Denied(path) => StartError::NotForAll(path),
        error => error,
    }
}

/// All that a bot sees of the environment. The path is ours, for a script names its interpreter by
/// it; home is a folder that is not there, so that no settings of this user change what a bot does.
fn environment() -> [OsString; 3] {
    let path = std::env::var_os("PATH").unwrap_or_else(|| PATH.into());
    [
        variable("PATH=", path),
        "LANG=C.UTF-8".into(),
        "HOME=/nonexistent".into(),
    ]
}

/// What a bot in the jail sees of it: its home is the folder in which it may write.
fn jailed_environment(path: &OsStr) -> [OsString; 5] {
    [
        variable("PATH=", path),
        "LANG=C.UTF-8".into(),
        "HOME=/tmp".into(),
        "TMPDIR=/tmp".into(),
        "PYTHONDONTWRITEBYTECODE=1".into(),
    ]
}

/// What a bot of a bundle sees of it besides, where it is not in the jail.
fn bundle_environment(packages: Option<&Path>) -> impl Iterator<Item = OsString> {
    let folder = variable("TMPDIR=", std::env::temp_dir());
    let written = "PYTHONDONTWRITEBYTECODE=1".into();
    [folder, written].into_iter().chain(python_path(packages))
}

/// Where Python finds the packages of a bundle.
fn python_path(packages: Option<&Path>) -> Option<OsString> {
    packages.map(|packages| variable("PYTHONPATH=", packages))
}

fn variable(name: &str, value: impl AsRef<OsStr>) -> OsString {
    let mut variable = OsString::from(name);
    variable.push(value);
    variable
}

/// What the child does: it asks to be killed when we end, however that comes, has what was open in
/// this process and is not meant for it closed, and becomes the bot or the jail's stage.
fn become_other(parent: Pid, report: Option<&OwnedFd>, exec: &Exec) -> io::Result<Infallible> {
    // The kernel takes the end of the thread that started a process for the end of its parent. It
    // is a match's thread, which outlives the match's bots.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    if rustix::process::getppid() != Some(parent) {
        // We ended before the request was made.
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    #[expect(unsafe_code, reason = "a system call that takes three numbers")]
    // A kernel before 5.11 does not know it; then what others left open stays so, as ever.
    let _ = unsafe {
        libc::close_range(
            3,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC as libc::c_int,
        )
    };
    match report {
        Some(report) => rustix::io::fcntl_setfd(report, rustix::io::FdFlags::empty())?,
        // What becomes the stage holds back what it likes, and has the bot do the same as here.
        None => hold_back(flipside_jail::HELD_BY_BOTS)?,
    }
    Err(exec.exec())
}

/// Holds back this signal, and no others. None has a handler from then on, for until the child executes its program, the
/// memory of this process is its own; and `SIGPIPE` is not ignored, as it is here.
fn hold_back(signal: i32) -> io::Result<()> {
    let mut set = MaybeUninit::uninit();
    #[expect(unsafe_code, reason = "the first calls fill what the others use")]
    let held = unsafe {
        for number in 1..=LAST_SIGNAL {
            let mut now = MaybeUninit::<libc::sigaction>::uninit();
            if libc::sigaction(number, ptr::null(), now.as_mut_ptr()) == 0
                && (number == libc::SIGPIPE || now.assume_init().sa_sigaction != libc::SIG_IGN)
            {
                // A signal that came meanwhile was for this process, not for the bot: to ignore it discards it.
                libc::signal(number, libc::SIG_IGN);
                libc::signal(number, libc::SIG_DFL);
            }
        }
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        libc::sigprocmask(libc::SIG_SETMASK, set.as_ptr(), ptr::null_mut())
    };
    match held {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// What the kernel is to execute. The standard library would have a shell try what the kernel
/// refuses, a script without its first line or a binary of another machine, and the bot's author
/// would read the shell's complaints.
struct Exec {
    /// The file, where it is not to be looked for by its path.
    file: Option<BorrowedFd<'static>>,
    /// The path, the arguments with the name before them, and the environment.
    strings: Vec<CString>,
    /// Their addresses, for each of the two lists and with its end.
    args: Vec<*const libc::c_char>,
    environment: Vec<*const libc::c_char>,
}

impl Exec {
    fn new<'a>(
        path: &'a Path,
        args: impl IntoIterator<Item = &'a OsString>,
        environment: &'a [OsString],
    ) -> io::Result<Self> {
        let args = args.into_iter().map(OsString::as_os_str);
        let args = std::iter::once(path.as_os_str()).chain(args);
        let all = args.chain(environment.iter().map(OsString::as_os_str));
        let strings: Vec<_> = all
            .map(|text| CString::new(text.as_bytes()))
            .collect::<Result<_, _>>()?;
        let address = |text: &CString| text.as_ptr();
        let (args, environment) = strings.split_at(strings.len() - environment.len());
        let ended =
            |strings: &[CString]| strings.iter().map(address).chain([ptr::null()]).collect();
        let (args, environment) = (ended(args), ended(environment));
        Ok(Exec {
            file: None,
            strings,
            args,
            environment,
        })
    }

    /// The same of this file, whatever its path.
    fn of(self, file: BorrowedFd<'static>) -> Self {
        Exec {
            file: Some(file),
            ..self
        }
    }

    /// Returns only where it fails.
    fn exec(&self) -> io::Error {
        let (args, environment) = (self.args.as_ptr(), self.environment.as_ptr());
        #[expect(
            unsafe_code,
            reason = "the lists end with a null, and their strings are in `strings`, unmoved"
        )]
        unsafe {
            if let Some(file) = self.file {
                let (fd, path) = (file.as_raw_fd(), c"".as_ptr());
                let flags = libc::AT_EMPTY_PATH;
                libc::syscall(libc::SYS_execveat, fd, path, args, environment, flags);
            } else {
                libc::execve(self.strings[0].as_ptr(), args, environment);
            }
        }
        io::Error::last_os_error()
    }
}

/// Why a program did not start.
fn reason(path: &Path, error: io::Error) -> StartError {
    let path = path.to_path_buf();
    match error.raw_os_error() {
        Some(libc::ENOENT) if !path.exists() => StartError::Gone(path),
        Some(libc::ENOENT) => match interpreter(&path) {
            Some(interpreter) => StartError::NoInterpreter { path, interpreter },
            None => StartError::Host(error),
        },
        Some(libc::ENOEXEC) => not_executed(path),
        Some(libc::EACCES | libc::EPERM) => StartError::Denied(path),
        Some(libc::ETXTBSY) => StartError::Busy(path),
        _ => StartError::Host(error),
    }
}
