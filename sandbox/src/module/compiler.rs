//! The compiler of modules as a process of its own. An engine cannot be stopped while it compiles,
//! and a module can be made so that this takes hours or all memory; a process can be stopped, and
//! what it breaks is its own. It is our own program, started again, which compiles one module under
//! limits that it sets itself before it looks at it.
//!
//! One file in memory goes to and fro, as the child's standard input: the order and the module in,
//! the code or the reason why there is none out.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use flipside_protocol::ClockUnit;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, getrlimit, pidfd_open,
    set_parent_process_death_signal, setrlimit,
};
use wasmtime::Engine;

use crate::module::config::config;
use crate::poll;

/// The processor time that the compilation of a module may take, of all processors together. Two
/// megabytes of ordinary code take about a second.
pub const COMPILE_TIME: Duration = Duration::from_secs(30);

/// How long a compilation is waited for. On a machine with other work to do it is longer than
/// [`COMPILE_TIME`]; but nobody waits for ever.
pub const COMPILE_WAIT: Duration = Duration::from_secs(180);

/// The memory that the compilation of a module may take, in bytes.
pub const COMPILE_MEMORY: u64 = 1024 * 1024 * 1024;

/// The most code that a module may become, in bytes.
pub const LARGEST_CODE: u64 = 256 * 1024 * 1024;

/// How much less the machine's other work has to wait for a compilation.
const NICENESS: i32 = 5;

/// How an order begins, so that nothing else is taken for one.
const ORDER: &str = "flipside compile 1";

/// The longest order, in bytes.
const LONGEST_ORDER: usize = 100;

/// The longest reason that is kept, in bytes.
const LONGEST_REASON: usize = 400;

/// The exit code of a program that panicked.
const PANICKED: i32 = 101;

// What the first byte of a result says the rest is.
const CODE: u8 = 0;
const REFUSED: u8 = 1;

/// How modules are compiled in a process of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    program: PathBuf,
    args: Vec<OsString>,
    time: Duration,
    memory: u64,
}

/// Why a module was not compiled.
#[derive(Debug)]
pub(crate) enum CompilerFailure {
    /// The module cannot be compiled, for this reason.
    Refused(String),
    /// It took too much of this.
    Costly(Cost),
    /// The compiler did not run.
    Host(io::Error),
}

/// What a module takes too much of when it is compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cost {
    /// It took more processor time than this, or was not done in [`COMPILE_WAIT`].
    Time(Duration),
    /// It took more memory than this, in bytes.
    Memory(u64),
    /// It became more code than [`LARGEST_CODE`].
    Code,
}

impl Compiler {
    /// A compiler that is this very program, started with these arguments; there it must call
    /// [`enter`](Compiler::enter) and then end.
    pub fn of_this_program<A: Into<OsString>>(args: impl IntoIterator<Item = A>) -> Self {
        Compiler {
            // The very program that runs, though its file may have been built anew.
            program: "/proc/self/exe".into(),
            args: args.into_iter().map(Into::into).collect(),
            time: COMPILE_TIME,
            memory: COMPILE_MEMORY,
        }
    }

    /// The same with other limits: of processor time, in whole seconds, and of memory, in bytes.
    #[must_use]
    pub fn with_limits(self, time: Duration, memory: u64) -> Self {
        Compiler {
            time,
            memory,
            ..self
        }
    }

    /// The code of a module, for [`wasmtime::Module::deserialize`].
    pub(crate) fn compile(
        &self,
        module: &[u8],
        unit: ClockUnit,
    ) -> Result<Vec<u8>, CompilerFailure> {
        let mut file = memory_file("module")?;
        let mut said = memory_file("compiler's stderr")?;
        let (seconds, unit) = (self.time.as_secs(), word(unit));
        let order = format!("{ORDER} {seconds} {} {unit}\n", self.memory);
        file.write_all(order.as_bytes())?;
        file.write_all(module)?;
        let child = Command::new(&self.program)
            .args(&self.args)
            .env_clear()
            .stdin(file.try_clone()?)
            .stdout(Stdio::null())
            .stderr(said.try_clone()?)
            .spawn()?;
        let Some(status) = RunningCompiler(child).wait(COMPILE_WAIT)? else {
            return Err(CompilerFailure::Costly(Cost::Time(self.time)));
        };
        if !status.success() {
            return Err(self.died(status, &text(&mut said)));
        }
        let mut result = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut result)?;
        match result.first() {
            Some(&CODE) => {
                result.remove(0);
                Ok(result)
            }
            Some(&REFUSED) => Err(CompilerFailure::Refused(
                String::from_utf8_lossy(&result[1..]).into_owned(),
            )),
            // It is some other program, or one that does not call `enter`.
            _ => Err(failed(
                "the program that was started as the compiler is none",
            )),
        }
    }

    /// What the end of a compiler means that did not come to a result.
    fn died(&self, status: ExitStatus, said: &str) -> CompilerFailure {
        match status.signal() {
            Some(libc::SIGXCPU) => CompilerFailure::Costly(Cost::Time(self.time)),
            Some(libc::SIGXFSZ) => CompilerFailure::Costly(Cost::Code),
            _ if said.contains("memory allocation of") => {
                CompilerFailure::Costly(Cost::Memory(self.memory))
            }
            // The module had no say yet, or the machine failed.
            None if status.code() != Some(PANICKED) => {
                failed(first_line(said).unwrap_or("the compiler did not work"))
            }
            Some(libc::SIGKILL) => {
                failed("the compiler was killed, by the machine for its memory perhaps")
            }
            _ => {
                let said = first_line(said).unwrap_or_default();
                CompilerFailure::Refused(format!("the compiler broke on it ({status}) {said}"))
            }
        }
    }

    /// What the program does that was started as the compiler: one module, and then it is to end.
    ///
    /// # Errors
    /// When it was not started as one, or the machine fails.
    pub fn enter() -> io::Result<()> {
        let mut file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let none = || io::Error::other("no order: a compiler is started by what needs it");
        // Whatever else the input is, a terminal perhaps, is not read.
        if !file.metadata()?.is_file() {
            return Err(none());
        }
        file.rewind()?;
        let mut bytes = Vec::new();
        (&mut file)
            .take(LONGEST_ORDER as u64)
            .read_to_end(&mut bytes)?;
        let order = read_order(&bytes).ok_or_else(none)?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        for (resource, limit) in [
            (Resource::Cpu, order.seconds),
            (Resource::Data, order.memory),
            (Resource::Fsize, LARGEST_CODE),
            (Resource::Core, 0),
        ] {
            setrlimit(resource, within(limit, getrlimit(resource)))?;
        }
        // To be less polite is no failure.
        let _ = rustix::process::nice(NICENESS);
        file.read_to_end(&mut bytes)?;
        bytes.drain(..order.length);
        let compiled = config(order.unit)
            .and_then(|config| Engine::new(&config))
            .and_then(|engine| engine.precompile_module(&bytes));
        let (what, result) = match compiled {
            Ok(code) => (CODE, code),
            Err(error) => (REFUSED, cut(&format!("{error:#}")).into()),
        };
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(&[what])?;
        file.write_all(&result)
    }
}

/// A limit, or a lower one that holds already: that one cannot be raised. What may be caught comes
/// before what may not, for only the processor's time is told by its signal.
fn within(limit: u64, before: Rlimit) -> Rlimit {
    let most = before.maximum.unwrap_or(u64::MAX);
    Rlimit {
        current: Some(limit.min(most)),
        maximum: Some(limit.saturating_add(1).min(most)),
    }
}

/// What a compiler is told before the module: its CPU time in seconds, its memory in bytes, what the code is to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CompileOrder {
    seconds: u64,
    memory: u64,
    unit: ClockUnit,
    /// The bytes of the order itself.
    length: usize,
}

/// How an order names what the code is to count.
fn word(unit: ClockUnit) -> &'static str {
    match unit {
        ClockUnit::Time => "time",
        ClockUnit::Fuel => "fuel",
    }
}

fn read_order(bytes: &[u8]) -> Option<CompileOrder> {
    let end = memchr::memchr(b'\n', bytes)?;
    let rest = std::str::from_utf8(&bytes[..end])
        .ok()?
        .strip_prefix(ORDER)?;
    let mut words = rest.split_ascii_whitespace();
    let order = CompileOrder {
        seconds: words.next()?.parse().ok()?,
        memory: words.next()?.parse().ok()?,
        unit: match words.next()? {
            named if named == word(ClockUnit::Time) => ClockUnit::Time,
            named if named == word(ClockUnit::Fuel) => ClockUnit::Fuel,
            _ => return None,
        },
        length: end + 1,
    };
    words.next().is_none().then_some(order)
}

impl From<io::Error> for CompilerFailure {
    fn from(error: io::Error) -> Self {
        CompilerFailure::Host(error)
    }
}

fn failed(what: &str) -> CompilerFailure {
    CompilerFailure::Host(io::Error::other(what.to_owned()))
}

fn memory_file(name: &str) -> io::Result<File> {
    Ok(memfd_create(name, MemfdFlags::CLOEXEC)?.into())
}

/// What a compiler that died wrote to its standard error.
fn text(said: &mut File) -> String {
    let mut bytes = Vec::new();
    // What cannot be read is not told.
    let _ = said.rewind();
    let _ = said.take(LONGEST_REASON as u64).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn first_line(said: &str) -> Option<&str> {
    said.lines().find(|line| !line.is_empty())
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_REASON)]
}

/// A child that is ended and reaped when this is dropped.
struct RunningCompiler(Child);

impl RunningCompiler {
    /// Waits for the child's end; none: it did not come in time.
    fn wait(mut self, time: Duration) -> io::Result<Option<ExitStatus>> {
        let pidfd = pidfd_open(Pid::from_child(&self.0), PidfdFlags::empty())?;
        poll::readable(&pidfd, Instant::now() + time)?;
        self.0.try_wait()
    }
}

impl Drop for RunningCompiler {
    fn drop(&mut self) {
        // It fails where the child has ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_holds_already_is_not_raised() {
        let before = |maximum| Rlimit {
            current: None,
            maximum,
        };
        for (maximum, expected) in [
            (None, (10, 11)),
            (Some(100), (10, 11)),
            (Some(10), (10, 10)),
            (Some(7), (7, 7)),
        ] {
            let limit = within(10, before(maximum));
            let (current, most) = expected;
            assert_eq!((limit.current, limit.maximum), (Some(current), Some(most)));
        }
        assert_eq!(within(u64::MAX, before(None)).maximum, Some(u64::MAX));
    }

    #[test]
    fn an_order_is_read_and_nothing_else_is() {
        assert_eq!(
            read_order(b"flipside compile 1 30 1024 fuel\n\0asm"),
            Some(CompileOrder {
                seconds: 30,
                memory: 1024,
                unit: ClockUnit::Fuel,
                length: 32
            })
        );
        for other in [
            "",
            "\0asm",
            "flipside compile 1\n",
            "flipside compile 1 30 x\n",
            "flipside compile 1 30 1024\n",
            "flipside compile 1 30 1024 fuel more\n",
        ] {
            assert_eq!(read_order(other.as_bytes()), None, "{other}");
        }
    }
}
