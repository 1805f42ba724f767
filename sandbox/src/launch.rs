//! Making a process from a program: its command line, its environment, its pipes.

use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal};

use crate::{Program, StartError};

/// How often a file that is being written is tried, and the time between.
const BUSY_TRIES: u32 = 20;
const BUSY_WAIT: Duration = Duration::from_millis(5);

/// A process that runs, and our ends of its pipes, which do not block.
pub(crate) struct Launched {
    pub(crate) child: Child,
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// Starts a process.
pub(crate) fn launch(program: &Program) -> Result<Launched, StartError> {
    let mut command = command(program)?;
    let mut tries = 1;
    let mut child = loop {
        match command.spawn() {
            Ok(child) => break child,
            // Another thread that just forked holds, until its own program starts, whatever this
            // process had open; so a file that was written a moment ago may seem to be so still.
            Err(error) if error.raw_os_error() == Some(libc::ETXTBSY) && tries < BUSY_TRIES => {
                tries += 1;
                thread::sleep(BUSY_WAIT);
            }
            Err(error) => return Err(reason(program.path(), error)),
        }
    };
    let stdin = child
        .stdin
        .take()
        .map(OwnedFd::from)
        .expect("stdin is piped");
    let stdout = child
        .stdout
        .take()
        .map(OwnedFd::from)
        .expect("stdout is piped");
    let stderr = child
        .stderr
        .take()
        .map(OwnedFd::from)
        .expect("stderr is piped");
    Ok(Launched {
        child,
        stdin,
        stdout,
        stderr,
    })
}

/// The command line of the child.
///
/// Here a jail has its place: the command becomes our own binary with a hidden subcommand, which
/// sets the jail up and then becomes the bot; what `become_bot` does moves into it.
fn command(program: &Program) -> Result<Command, StartError> {
    let path = program.path();
    let mut command = Command::new(path);
    command.current_dir(path.parent().unwrap_or(Path::new("/")));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.process_group(0);
    let exec = Exec::new(program).map_err(StartError::Host)?;
    let parent = rustix::process::getpid();
    #[expect(
        unsafe_code,
        reason = "the closure makes system calls only, and allocates nothing"
    )]
    unsafe {
        command.pre_exec(move || become_bot(parent, &exec));
    }
    Ok(command)
}

/// All that a bot sees of the environment. The path is ours, for a script names its interpreter by
/// it; home is a folder that is not there, so that no settings of this user change what a bot does.
fn environment() -> [OsString; 3] {
    let mut path = OsString::from("PATH=");
    path.push(std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into()));
    [path, "LANG=C.UTF-8".into(), "HOME=/nonexistent".into()]
}

/// What the child does: it asks to be killed when we end, however that comes, has what was open in
/// this process and is not meant for it closed, and becomes the bot.
fn become_bot(parent: Pid, exec: &Exec) -> io::Result<()> {
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
    Err(exec.exec())
}

/// What the kernel is to execute. The standard library would have a shell try what the kernel
/// refuses, a script without its first line or a binary of another machine, and the bot's author
/// would read the shell's complaints.
struct Exec {
    /// The path, the arguments with the name before them, and the environment.
    strings: Vec<CString>,
    /// Their addresses, for each of the two lists and with its end.
    args: Vec<usize>,
    environment: Vec<usize>,
}

impl Exec {
    fn new(program: &Program) -> io::Result<Self> {
        let path = program.path().as_os_str();
        let environment = environment();
        let args = std::iter::once(path).chain(program.args().iter().map(OsString::as_os_str));
        let all = args.chain(environment.iter().map(OsString::as_os_str));
        let strings: Vec<_> = all
            .map(|text| CString::new(text.as_bytes()))
            .collect::<Result<_, _>>()?;
        let address = |text: &CString| text.as_ptr() as usize;
        let (args, environment) = strings.split_at(strings.len() - environment.len());
        let args = args.iter().map(address).chain([0]).collect();
        let environment = environment.iter().map(address).chain([0]).collect();
        Ok(Exec {
            strings,
            args,
            environment,
        })
    }

    /// Returns only where it fails.
    fn exec(&self) -> io::Error {
        let (args, environment) = (self.args.as_ptr().cast(), self.environment.as_ptr().cast());
        #[expect(
            unsafe_code,
            reason = "the lists end with a null, and their strings are in `strings`, unmoved"
        )]
        unsafe {
            libc::execve(self.strings[0].as_ptr(), args, environment);
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
        Some(libc::ENOEXEC) => StartError::Format(path),
        Some(libc::EACCES | libc::EPERM) => StartError::Denied(path),
        Some(libc::ETXTBSY) => StartError::Busy(path),
        _ => StartError::Host(error),
    }
}

/// The interpreter of a script's first line, or the loader that an executable names.
fn interpreter(path: &Path) -> Option<PathBuf> {
    let mut file = BufReader::new(File::open(path).ok()?);
    let mut magic = [0; 2];
    file.read_exact(&mut magic).ok()?;
    let mut name = Vec::new();
    if &magic == b"#!" {
        file.take(4096).read_until(b'\n', &mut name).ok()?;
        name = name
            .trim_ascii_start()
            .split(|&byte| byte == b' ' || byte == b'\n')
            .next()?
            .into();
    } else {
        // The loader's path lies near the beginning of an ELF file, as a C string.
        let mut head = Vec::new();
        file.take(4096).read_to_end(&mut head).ok()?;
        let at = memchr::memmem::find(&head, b"/lib")?;
        name = head[at..].split(|&byte| byte == 0).next()?.into();
    }
    (!name.is_empty()).then(|| OsString::from_vec(name).into())
}
