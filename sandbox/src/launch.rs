//! Making a process from a program: its command line, its environment, its pipes.

use std::convert::Infallible;
use std::ffi::{CString, OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{io, ptr, thread};

use flipside_jail::JailLimits;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal};
use rustix::thread::CpuSet;

use crate::bundle::Bundle;
use crate::error::StartError;
use crate::fault::ProcessEnd;
use crate::file_kind::{interpreter, not_executed};
use crate::isolation::Isolation;
use crate::jail::Jail;
use crate::jail::machine::MachineSupport;
use crate::jail::network::Network;
use crate::jail::order::JailOrder;
use crate::jail::report::{JailReport, NotRunning};
use crate::jail::stage_program::StageProgram;
use crate::jail::visibility::{BundleStart, NotFound, PATH, Visibility, in_sight};
use crate::lock::lock;
use crate::process::dying::{Dying, DyingProcess};
use crate::process::usage::children;
use crate::program::Program;
use crate::vfork::{self, Pipes};

/// How often it is tried at most to start a file that is being written, and by how much the time grows after each try:
/// a second in all, and few starts, for each can be that of a whole jail.
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
    /// Whether it could not be moved to the processors on which it is to start.
    pub(crate) strays: bool,
}

/// A process in a jail; the child is then its supervisor.
#[derive(Debug)]
pub(crate) struct Jailed {
    /// The number of init of its namespace, outside; the bot is that one's child.
    pub(crate) first: u32,
    bot: OnceLock<u32>,
    memory: u64,
    remains: Mutex<DyingProcess>,
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
        lock(&self.remains).report.ended()
    }

    /// How it ended, seen together with what the supervisor said: a process that the kernel ends for its
    /// memory ends by a signal.
    pub(crate) fn judged(&self, ended: ProcessEnd) -> ProcessEnd {
        match ended {
            ProcessEnd::Exited(0) => ended,
            _ if lock(&self.remains).report.memory() => ProcessEnd::OutOfMemory {
                limit: self.memory,
                end: ended.to_string(),
            },
            _ => ended,
        }
    }

    /// What is left of it to its end.
    pub(crate) fn into_remains(self) -> DyingProcess {
        self.remains
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A process that is to be started.
pub(crate) struct Launch<'l> {
    pub(crate) program: &'l Program,
    /// The files of a bundle.
    pub(crate) folder: Option<PathBuf>,
    /// The memory that it may use, in bytes.
    pub(crate) memory: u64,
    pub(crate) isolation: &'l Isolation,
    /// The processors on which it starts, if these are not those of this thread.
    pub(crate) processors: Option<CpuSet>,
}

impl<'l> Launch<'l> {
    /// Begins to start it, isolated or not. Others can be begun before this one runs.
    pub(crate) fn begin(self) -> Result<Launching<'l>, StartError> {
        let begun = match self.begun() {
            // It is tried again by whoever waits for it.
            Err(StartError::Busy(_)) => None,
            begun => Some(begun?),
        };
        let launch = self;
        Ok(Launching { launch, begun })
    }

    fn begun(&self) -> Result<BegunProcess, StartError> {
        match self.isolation {
            Isolation::Trust => plainly(self).map(BegunProcess::Runs),
            Isolation::Jail(jail) => jailed(self, jail, Network::take).map(BegunProcess::Jail),
        }
    }

    /// The bundle, with the folder of its files.
    fn bundle(&self) -> Option<(&Bundle, &Path)> {
        self.program.as_bundle().zip(self.folder.as_deref())
    }
}

/// A process whose start has begun. Dropping it ends it.
pub(crate) struct Launching<'l> {
    launch: Launch<'l>,
    /// Nothing, while its file is being written.
    begun: Option<BegunProcess>,
}

impl Launching<'_> {
    /// Waits until it runs. While its file is being written, it is tried again: another thread that just forked holds,
    /// until its own program starts, whatever this process had open; so a file that was written a moment ago may seem
    /// to be so still.
    pub(crate) fn launched(self) -> Result<Launched, StartError> {
        let Launching { launch, mut begun } = self;
        let mut start = || match begun.take() {
            Some(begun) => begun.running(),
            None => launch.begun()?.running(),
        };
        for tried in 1..BUSY_TRIES {
            match start() {
                Err(StartError::Busy(_)) => thread::sleep(BUSY_WAIT * tried),
                started => return started,
            }
        }
        start()
    }
}

enum BegunProcess {
    Runs(UnclaimedProcess),
    Jail(LaunchStage),
}

impl BegunProcess {
    fn running(self) -> Result<Launched, StartError> {
        match self {
            BegunProcess::Runs(process) => Ok(process.take().0),
            BegunProcess::Jail(stage) => stage.running(),
        }
    }
}

fn plainly(launch: &Launch<'_>) -> Result<UnclaimedProcess, StartError> {
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
    environment.extend(own_environment(program)?);
    let exec = Exec::new(&start.program, &start.args, &environment)?;
    let launched = spawn(&exec, folder, None, launch.processors)
        .map_err(|error| reason(&start.program, error))?;
    Ok(UnclaimedProcess(Some((launched, None))))
}

fn no_program(program: &Program, found: NotFound) -> StartError {
    let path = program.path().into();
    match found {
        NotFound::Nowhere(name) => StartError::NoProgram { path, name },
        NotFound::InTheJail(interpreter) => StartError::NotShown { path, interpreter },
    }
}

/// A jail's stage that is to become the bot.
struct LaunchStage {
    /// The supervisor.
    untaken: UnclaimedProcess,
    /// The program that the bot is, outside.
    program: PathBuf,
    memory: u64,
}

impl LaunchStage {
    /// Waits until it has become the bot.
    fn running(mut self) -> Result<Launched, StartError> {
        let running = self.untaken.running();
        let first = running.map_err(|not_running| match not_running {
            NotRunning::Missing(missing) => StartError::Jail(missing),
            NotRunning::NotExecuted(error) => in_jail(reason(&self.program, error)),
            NotRunning::Host(error) => {
                // It hangs.
                self.untaken.kill();
                StartError::Host(error)
            }
        })?;
        let (launched, remains) = self.untaken.take();
        let jailed = remains.map(|remains| Jailed {
            first,
            bot: OnceLock::new(),
            memory: self.memory,
            remains: Mutex::new(remains),
        });
        Ok(Launched { jailed, ..launched })
    }
}

/// A process that nobody has taken over yet, and what there is of its jail where it is a supervisor. It is ended when
/// it is dropped.
struct UnclaimedProcess(Option<(Launched, Option<DyingProcess>)>);

impl UnclaimedProcess {
    fn take(mut self) -> (Launched, Option<DyingProcess>) {
        self.0.take().expect("it is taken once")
    }

    /// Waits until the stage has become the bot.
    fn running(&mut self) -> Result<u32, NotRunning> {
        let remains = self.0.as_mut().and_then(|(_, remains)| remains.as_mut());
        let remains = remains.expect("a stage has a jail");
        remains.report.running()
    }

    /// Kills it at once, though it is a supervisor.
    fn kill(&mut self) {
        if let Some(dying) = self.dying() {
            dying.kill();
        }
    }

    fn dying(&mut self) -> Option<Dying> {
        let (launched, remains) = self.0.take()?;
        Some(Dying::new(launched.pid, None, remains))
    }
}

impl Drop for UnclaimedProcess {
    fn drop(&mut self) {
        if let Some(dying) = self.dying() {
            dying.end();
        }
    }
}

/// Starts the jail's stage, with such a network namespace where it can use one that is ready.
fn jailed(
    launch: &Launch<'_>,
    jail: &Jail,
    network: impl FnOnce() -> Option<Network>,
) -> Result<LaunchStage, StartError> {
    let program = launch.program;
    if let Some(folder) = in_sight(&jail.hidden) {
        return Err(StartError::InSight(folder.clone()));
    }
    let own = program.own();
    let (mut visibility, start) = match launch.bundle() {
        None => (
            Visibility::of(program, &jail.hidden),
            BundleStart::alone(program),
        ),
        Some((bundle, folder)) => BundleStart::jailed(bundle, folder, launch.memory, &jail.hidden)
            .map_err(|found| no_program(program, found))?,
    };
    let limits = JailLimits {
        memory: launch.memory,
        ..jail.limits
    };
    let mut environment = jailed_environment(&visibility.path).to_vec();
    environment.extend(python_path(start.packages.as_deref()));
    environment.extend(own_environment(program)?);
    if own.network {
        visibility.show_network_settings();
    }
    let machine = MachineSupport::known();
    // Without a control group, the sockets of the namespace are counted as the bot's memory, so that it must be a new
    // one.
    let takes_one = machine.counts_memory() && !own.network;
    let network = takes_one.then(network).flatten();
    let order = JailOrder {
        limits,
        visibility,
        args: start.args,
        network: network.as_ref(),
        outside_network: own.network,
    };
    let args = order.to_args(&machine, rand::random());
    let order = (&*args, network.as_ref());
    let (launched, hear) = spawn_stage(jail, order, &environment, launch.processors)?;
    let remains = DyingProcess {
        report: JailReport::new(hear),
        network,
    };
    Ok(LaunchStage {
        untaken: UnclaimedProcess(Some((launched, Some(remains)))),
        program: start.program,
        memory: limits.memory,
    })
}

/// Starts the stage with this order and the network namespace that it names. Gives the end of its pipe at which it is
/// heard.
fn spawn_stage(
    jail: &Jail,
    (order, network): (&[OsString], Option<&Network>),
    environment: &[OsString],
    processors: Option<CpuSet>,
) -> Result<(Launched, OwnedFd), StartError> {
    loop {
        let stage_program = StageProgram::of(jail);
        let (hear, say) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from)?;
        // They keep their numbers in the child: others could be somebody's there.
        let left = [Some(say.as_fd()), network.map(AsFd::as_fd)];
        let number = OsString::from(say.as_raw_fd().to_string());
        let args = std::iter::once(&number).chain(order);
        let exec = match stage_program {
            StageProgram::Memory(file) => {
                Exec::new(Path::new(STAGE_NAME), args, environment).map(|exec| exec.of(file))
            }
            StageProgram::Program => {
                Exec::new(&jail.program, jail.args.iter().chain(args), environment)
            }
        };
        match spawn(&exec?, Path::new("/"), Some(left), processors) {
            Ok(launched) => return Ok((launched, hear)),
            Err(error) if stage_program.is_forbidden(&error) => {}
            Err(source) => {
                let path = jail.program.clone();
                return Err(StartError::Stage { path, source });
            }
        }
    }
}

/// What stays open in the stage: its pipe, and the network namespace that it joins.
type LeftOpen<'f> = [Option<BorrowedFd<'f>>; 2];

/// Starts a process in a folder that becomes what is to be executed. With `left`, it is the stage, and these stay open.
fn spawn(
    exec: &Exec,
    folder: &Path,
    left: Option<LeftOpen<'_>>,
    processors: Option<CpuSet>,
) -> io::Result<Launched> {
    let parent = rustix::process::getpid();
    let folder = CString::new(folder.as_os_str().as_bytes())?;
    // The child has this memory.
    let strays = AtomicBool::new(false);
    let become_it = || {
        if let Some(processors) = &processors
            && rustix::thread::sched_setaffinity(None, processors).is_err()
        {
            // It runs as well, only slower.
            strays.store(true, Ordering::Relaxed);
        }
        let Err(error) = become_other(parent, left, exec);
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
        strays: strays.into_inner(),
    })
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

/// The variables of this process that the bots of a program have.
fn own_environment(program: &Program) -> Result<Vec<OsString>, StartError> {
    let names = program.own().variables.iter();
    let of = |name: &String| match std::env::var_os(name) {
        Some(value) => Ok(variable(&format!("{name}="), value)),
        None => Err(StartError::NoVariable {
            path: program.path().into(),
            name: name.clone(),
        }),
    };
    names.map(of).collect()
}

fn variable(name: &str, value: impl AsRef<OsStr>) -> OsString {
    let mut variable = OsString::from(name);
    variable.push(value);
    variable
}

/// What the child does: it asks to be killed when we end, however that comes, has what was open in
/// this process and is not meant for it closed, and becomes the bot or the jail's stage.
fn become_other(parent: Pid, left: Option<LeftOpen<'_>>, exec: &Exec) -> io::Result<Infallible> {
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
    match left {
        Some(left) => left
            .into_iter()
            .flatten()
            .try_for_each(|fd| rustix::io::fcntl_setfd(fd, rustix::io::FdFlags::empty()))?,
        // What becomes the stage holds back what it likes, and has the bot do the same as here.
        None => hold_back(flipside_jail::HELD_BY_BOTS)?,
    }
    Err(exec.exec())
}

/// Holds back this signal, and no others. None has a handler from then on, for until the child executes its program,
/// the memory of this process is its own; and `SIGPIPE` is not ignored, as it is here.
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

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::sync::mpsc;

    use rustix::thread::UnshareFlags;

    use super::*;

    /// The network namespace of a process.
    fn network_of(process: &str) -> PathBuf {
        fs::read_link(format!("/proc/{process}/ns/net")).unwrap()
    }

    /// Starts a bot that is handed this network namespace. Tells in which one it is, and whether its supervisor says in
    /// the end that nothing is left in the one that was handed over. Nothing where none is handed over on this machine.
    fn handed(network: Network) -> Option<(PathBuf, bool)> {
        let program = Program::command("/bin/cat", [] as [&str; 0]).unwrap();
        let isolation = Isolation::Trust;
        let launch = Launch {
            program: &program,
            folder: None,
            memory: 256 << 20,
            isolation: &isolation,
            processors: None,
        };
        // The program that is built in is the stage.
        let jail = Jail::of_program("/bin/true", [] as [&str; 0]);
        let mut is_taken = false;
        let take = || {
            is_taken = true;
            Some(network)
        };
        let launched = jailed(&launch, &jail, take).unwrap().running().unwrap();
        let Launched {
            pid, pipes, jailed, ..
        } = launched;
        let jailed = jailed.unwrap();
        let its = network_of(&jailed.bot().unwrap().to_string());
        // It ends when its input does.
        drop(pipes);
        let mut remains = jailed.into_remains();
        let ended = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
        assert!(ended.unwrap().is_some() && remains.report.gone());
        assert_ne!(network_of("self"), its);
        is_taken.then(|| (its, remains.report.vacant()))
    }

    #[test]
    fn a_network_namespace_is_used_only_while_nothing_is_in_it() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        // No namespace at all.
        let none = File::open("/dev/null").unwrap();
        let Some((_, is_vacant)) = handed(Network::of(none)) else {
            return;
        };
        assert!(!is_vacant);
        // A thread is in a namespace of its own, with a socket, and without.
        let (say, said) = mpsc::channel();
        let (go_on, goes_on) = mpsc::channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                #[expect(
                    unsafe_code,
                    reason = "this thread opens no socket that is used elsewhere"
                )]
                unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNET) }.unwrap();
                let pair = std::os::unix::net::UnixStream::pair().unwrap();
                let open = || Network::of(File::open("/proc/thread-self/ns/net").unwrap());
                say.send((open(), network_of("thread-self"))).unwrap();
                goes_on.recv().unwrap();
                drop(pair);
                say.send((open(), network_of("thread-self"))).unwrap();
                let _ = goes_on.recv();
            });
            let (network, its) = said.recv().unwrap();
            let (bots, is_vacant) = handed(network).unwrap();
            assert!(bots != its && !is_vacant);
            go_on.send(()).unwrap();
            let (network, its) = said.recv().unwrap();
            assert_eq!(handed(network).unwrap(), (its, true));
            drop(go_on);
        });
    }
}
