//! What the stage tells the launcher, over a pipe of their own: lines of text.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

use crate::jail::layer::Missing;
use crate::poll;

/// How long the stage may take until the bot is started. It takes milliseconds; a machine that needs
/// longer than this is no place for a match.
const START_WAIT: Duration = Duration::from_secs(30);

/// What the stage said.
#[derive(Debug)]
pub(crate) enum Said {
    /// Init of the bot's namespace is there, with this number outside.
    First(u32),
    /// The bot runs.
    Running,
    /// A wall is missing.
    Missing(Missing),
    /// The bot's file could not be executed.
    NotExecuted(io::Error),
    /// The bot has ended; what is left is to clear away.
    Ended,
    /// A process was ended for its memory.
    Memory,
}

impl Said {
    fn to_line(&self) -> String {
        match self {
            Said::First(number) => format!("first {number}\n"),
            Said::Running => "running\n".into(),
            Said::Missing(Missing {
                wall,
                doing,
                source,
            }) => {
                let number = source.raw_os_error().unwrap_or(0);
                let doing = doing.replace('\n', " ");
                format!("missing {wall} {number} {doing}\n")
            }
            Said::NotExecuted(error) => {
                format!("not-executed {}\n", error.raw_os_error().unwrap_or(0))
            }
            Said::Ended => "ended\n".into(),
            Said::Memory => "memory\n".into(),
        }
    }

    fn from_line(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "first" => Some(Said::First(rest.parse().ok()?)),
            "running" => Some(Said::Running),
            "missing" => {
                let mut parts = rest.splitn(3, ' ');
                let wall = parts.next()?.parse().ok()?;
                let number = parts.next()?.parse().ok()?;
                let error = io::Error::from_raw_os_error(number);
                Some(Said::Missing(Missing::new(wall, parts.next()?, error)))
            }
            "not-executed" => Some(Said::NotExecuted(io::Error::from_raw_os_error(
                rest.parse().ok()?,
            ))),
            "ended" => Some(Said::Ended),
            "memory" => Some(Said::Memory),
            _ => None,
        }
    }
}

/// Why the bot does not run.
#[derive(Debug)]
pub(crate) enum NotRunning {
    Missing(Missing),
    NotExecuted(io::Error),
    Host(io::Error),
}

/// The launcher's end.
#[derive(Debug)]
pub(crate) struct Report {
    pipe: BufReader<File>,
    ended: bool,
    memory: bool,
}

impl Report {
    pub(crate) fn new(pipe: OwnedFd) -> Self {
        Report {
            pipe: BufReader::new(File::from(pipe)),
            ended: false,
            memory: false,
        }
    }

    /// Waits until the bot runs, and gives the number of init of its namespace.
    pub(crate) fn running(&mut self) -> Result<u32, NotRunning> {
        let until = Instant::now() + START_WAIT;
        let (mut first, mut running) = (None, false);
        loop {
            match self.hear(until).map_err(NotRunning::Host)? {
                Some(Said::First(number)) => first = Some(number),
                Some(Said::Running) => running = true,
                Some(Said::Missing(missing)) => return Err(NotRunning::Missing(missing)),
                Some(Said::NotExecuted(error)) => return Err(NotRunning::NotExecuted(error)),
                // A bot may have ended already.
                Some(Said::Ended) => self.ended = true,
                Some(Said::Memory) => self.memory = true,
                None => {
                    let what = "the jail ended before the bot began";
                    return Err(NotRunning::Host(io::Error::other(what)));
                }
            }
            if let (Some(first), true) = (first, running) {
                return Ok(first);
            }
        }
    }

    /// The next thing that is said. Nothing: the stage has ended.
    fn hear(&mut self, until: Instant) -> io::Result<Option<Said>> {
        if self.pipe.buffer().is_empty() && !poll::readable(self.pipe.get_ref(), until)? {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(self.next())
    }

    /// Whether it was said that memory ended the bot; to be asked when the supervisor has ended.
    pub(crate) fn memory(&mut self) -> bool {
        self.listen();
        self.memory
    }

    /// Whether it was said until now that the bot has ended.
    pub(crate) fn ended(&mut self) -> bool {
        self.listen();
        self.ended
    }

    /// Takes what was said until now.
    fn listen(&mut self) {
        if rustix::io::ioctl_fionbio(self.pipe.get_ref().as_fd(), true).is_err() {
            return;
        }
        while let Some(said) = self.next() {
            self.ended |= matches!(said, Said::Ended);
            self.memory |= matches!(said, Said::Memory);
        }
    }

    /// A line is shorter than what a pipe takes at once, so that there is a whole one or none.
    fn next(&mut self) -> Option<Said> {
        let mut line = String::new();
        match self.pipe.read_line(&mut line) {
            Ok(1..) => Said::from_line(line.trim_end_matches('\n')),
            _ => None,
        }
    }
}

/// The stage's end.
#[derive(Debug)]
pub(crate) struct Reporter(File);

impl Reporter {
    /// Takes the descriptor of this number, which the launcher has left open, for itself and no program
    /// after it.
    pub(crate) fn take(number: RawFd) -> io::Result<Self> {
        // Those below are streams, and whoever names one has typed the command.
        if number <= libc::STDERR_FILENO {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        #[expect(
            unsafe_code,
            reason = "the descriptor is the launcher's gift, taken once, at the beginning; and where it is \
                      none, nothing but this question is asked of it"
        )]
        let pipe = unsafe {
            let there = BorrowedFd::borrow_raw(number);
            rustix::io::fcntl_setfd(there, rustix::io::FdFlags::CLOEXEC)?;
            OwnedFd::from_raw_fd(number)
        };
        Ok(Reporter(File::from(pipe)))
    }

    pub(crate) fn say(&mut self, said: &Said) {
        // Where nobody listens any more, there is nobody to tell.
        let _ = self.0.write_all(said.to_line().as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jail::Layer;

    #[test]
    fn what_is_said_is_heard() {
        for (said, line) in [
            (Said::First(17), "first 17\n"),
            (Said::Running, "running\n"),
            (
                Said::Missing(Missing::new(
                    Layer::Root,
                    "mounting\n/usr",
                    io::Error::from_raw_os_error(1),
                )),
                "missing root 1 mounting /usr\n",
            ),
            (
                Said::NotExecuted(io::Error::from_raw_os_error(2)),
                "not-executed 2\n",
            ),
            (Said::Ended, "ended\n"),
            (Said::Memory, "memory\n"),
        ] {
            assert_eq!(said.to_line(), line);
            let heard = Said::from_line(line.trim_end()).unwrap();
            assert_eq!(heard.to_line(), line);
        }
        for line in ["", "first", "missing moat 1 x", "missing root", "hello"] {
            assert!(Said::from_line(line).is_none(), "{line}");
        }
    }
}
