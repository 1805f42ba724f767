//! What a bot can do wrong while it runs, as named values, apart from the host's own errors.

use std::time::Duration;
use std::{fmt, io};

use flipside_protocol::LONGEST_LINE;

/// What a bot did wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SandboxFault {
    /// There was no whole line by the deadline.
    #[error("{}", late(*waiting))]
    Late {
        /// How long after the deadline this was noticed. That is a millisecond or two; where it is
        /// more, the referee itself was late, and the bot may have answered in time.
        by: Duration,
        /// A module reads on where it was to answer: it would wait for ever, and that is told at
        /// once.
        waiting: bool,
    },
    /// It closed its output or its input, or exited.
    #[error("{}", closed(*code))]
    Closed {
        /// The exit code, if it exited.
        code: Option<i32>,
    },
    /// It was ended by a signal or a trap.
    #[error("crashed with {0}")]
    Crashed(Crash),
    /// It wrote more than [`LONGEST_LINE`] bytes without a newline, or so much unasked.
    #[error("wrote more than {LONGEST_LINE} bytes that are not an answer in one line")]
    TooLong,
    /// Its line is not UTF-8.
    #[error("wrote a line that is not UTF-8 from byte {at} on")]
    NotText {
        /// The index of the first wrong byte in the line.
        at: usize,
    },
    /// It was refused more memory than a bot may have, and then ended.
    #[error("needed more than {} MiB of memory ({end})", limit >> 20)]
    Memory {
        /// What a bot may have, in bytes.
        limit: u64,
        /// How it ended.
        end: String,
    },
}

/// How a bot crashed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Crash {
    /// A process was ended by this signal.
    Signal(i32),
    /// A module trapped, for this reason.
    Trap(String),
}

impl Crash {
    /// Whether it made a system call that the jail does not allow.
    pub fn is_forbidden_call(&self) -> bool {
        *self == Crash::Signal(libc::SIGSYS)
    }
}

impl SandboxFault {
    /// The fault's name in tables and records.
    pub fn name(&self) -> &'static str {
        match self {
            SandboxFault::Late { .. } => "late",
            SandboxFault::Closed { .. } => "closed",
            SandboxFault::Crashed(_) => "crashed",
            SandboxFault::TooLong => "too-long",
            SandboxFault::NotText { .. } => "not-text",
            SandboxFault::Memory { .. } => "memory",
        }
    }
}

fn late(waiting: bool) -> &'static str {
    if waiting {
        "waited for another line instead of answering"
    } else {
        "did not answer in time"
    }
}

fn closed(code: Option<i32>) -> String {
    match code {
        Some(code) => format!("exited with code {code}"),
        None => "closed its input or output".into(),
    }
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Crash::Signal(number) => write!(f, "{}", Signal(*number)),
            Crash::Trap(reason) => write!(f, "a trap: {reason}"),
        }
    }
}

/// Why a bot gave no answer: its fault, or the machine's.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The bot did something wrong: a result of the match.
    #[error(transparent)]
    Fault(#[from] SandboxFault),
    /// The machine failed: the match is void.
    #[error("the machine failed: {0}")]
    Host(#[from] io::Error),
}

/// How a bot ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// A module trapped, for this reason.
    Trapped(String),
    /// A module was refused memory, and then ended so.
    OutOfMemory {
        /// What a bot may have, in bytes.
        limit: u64,
        /// How it ended.
        end: String,
    },
    /// It did not end by itself in the time it had.
    Killed,
}

impl ProcessEnd {
    /// The fault of a bot that ended so where an answer was due.
    pub(crate) fn fault(&self) -> SandboxFault {
        match self {
            ProcessEnd::Exited(code) => SandboxFault::Closed { code: Some(*code) },
            ProcessEnd::Signalled(number) => SandboxFault::Crashed(Crash::Signal(*number)),
            ProcessEnd::Trapped(reason) => SandboxFault::Crashed(Crash::Trap(reason.clone())),
            ProcessEnd::OutOfMemory { limit, end } => SandboxFault::Memory {
                limit: *limit,
                end: end.clone(),
            },
            ProcessEnd::Killed => SandboxFault::Closed { code: None },
        }
    }
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProcessEnd::Exited(code) => write!(f, "exited with code {code}"),
            ProcessEnd::Signalled(number) => write!(f, "was ended by {}", Signal(*number)),
            ProcessEnd::Trapped(reason) => write!(f, "trapped: {reason}"),
            ProcessEnd::OutOfMemory { limit, end } => {
                write!(f, "needed more than {} MiB of memory ({end})", limit >> 20)
            }
            ProcessEnd::Killed => write!(f, "did not end by itself and was killed"),
        }
    }
}

/// A signal, printed as `signal 11 (SIGSEGV)`.
struct Signal(i32);

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            libc::SIGHUP => "SIGHUP",
            libc::SIGINT => "SIGINT",
            libc::SIGQUIT => "SIGQUIT",
            libc::SIGILL => "SIGILL",
            libc::SIGTRAP => "SIGTRAP",
            libc::SIGABRT => "SIGABRT",
            libc::SIGBUS => "SIGBUS",
            libc::SIGFPE => "SIGFPE",
            libc::SIGKILL => "SIGKILL",
            libc::SIGUSR1 => "SIGUSR1",
            libc::SIGSEGV => "SIGSEGV",
            libc::SIGUSR2 => "SIGUSR2",
            libc::SIGPIPE => "SIGPIPE",
            libc::SIGALRM => "SIGALRM",
            libc::SIGTERM => "SIGTERM",
            libc::SIGXCPU => "SIGXCPU",
            libc::SIGXFSZ => "SIGXFSZ",
            libc::SIGSYS => "SIGSYS",
            number => return write!(f, "signal {number}"),
        };
        write!(f, "signal {} ({name})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_reads_after_the_bots_name() {
        let crash = |number| SandboxFault::Crashed(Crash::Signal(number)).to_string();
        assert_eq!(crash(11), "crashed with signal 11 (SIGSEGV)");
        assert_eq!(crash(63), "crashed with signal 63");
        assert_eq!(
            SandboxFault::Closed { code: Some(3) }.to_string(),
            "exited with code 3"
        );
        assert!(SandboxFault::TooLong.to_string().contains("65536"));
    }
}
