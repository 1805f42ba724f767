//! What the stage tells the launcher, over a pipe of their own: lines of text.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::fd::{AsFd, OwnedFd};
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
    /// All processes of the bot have ended, and nothing is left in the network namespace that was handed over.
    Vacant,
    /// All is cleared away that can be.
    Gone,
}

impl Said {
    fn from_line(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let error = |number: &str| Some(io::Error::from_raw_os_error(number.parse().ok()?));
        Some(match word {
            "first" => Said::First(rest.parse().ok()?),
            "running" => Said::Running,
            "missing" => {
                let mut parts = rest.splitn(3, ' ');
                let wall = parts.next()?.parse().ok()?;
                let error = error(parts.next()?)?;
                Said::Missing(Missing::new(wall, parts.next()?, error))
            }
            "not-executed" => Said::NotExecuted(error(rest)?),
            "ended" => Said::Ended,
            "memory" => Said::Memory,
            "vacant" => Said::Vacant,
            "gone" => Said::Gone,
            _ => return None,
        })
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
    first: Option<u32>,
    ended: bool,
    memory: bool,
    vacant: bool,
    gone: bool,
}

impl Report {
    pub(crate) fn new(pipe: OwnedFd) -> Self {
        Report {
            pipe: BufReader::new(File::from(pipe)),
            first: None,
            ended: false,
            memory: false,
            vacant: false,
            gone: false,
        }
    }

    /// Waits until the bot runs, and gives the number of init of its namespace.
    pub(crate) fn running(&mut self) -> Result<u32, NotRunning> {
        let until = Instant::now() + START_WAIT;
        let mut running = false;
        loop {
            match self.hear(until).map_err(NotRunning::Host)? {
                Some(Said::Running) => running = true,
                Some(Said::Missing(missing)) => return Err(NotRunning::Missing(missing)),
                Some(Said::NotExecuted(error)) => return Err(NotRunning::NotExecuted(error)),
                // A bot may have ended already.
                Some(said) => self.note(&said),
                None => {
                    let what = "the jail ended before the bot began";
                    return Err(NotRunning::Host(io::Error::other(what)));
                }
            }
            if let (Some(first), true) = (self.first, running) {
                return Ok(first);
            }
        }
    }

    fn note(&mut self, said: &Said) {
        match said {
            Said::First(number) => self.first = Some(*number),
            Said::Ended => self.ended = true,
            Said::Memory => self.memory = true,
            Said::Vacant => self.vacant = true,
            Said::Gone => self.gone = true,
            Said::Running | Said::Missing(_) | Said::NotExecuted(_) => {}
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

    /// The number of init of the bot's namespace, outside, if it was said until now.
    pub(crate) fn first(&mut self) -> Option<u32> {
        self.listen();
        self.first
    }

    /// Whether it was said that nothing of the bot is in the network namespace that it was given; to be asked when the
    /// supervisor has ended.
    pub(crate) fn vacant(&mut self) -> bool {
        self.listen();
        self.vacant
    }

    /// Whether it was said that all is cleared away; to be asked when the supervisor has ended.
    pub(crate) fn gone(&mut self) -> bool {
        self.listen();
        self.gone
    }

    /// Takes what was said until now.
    fn listen(&mut self) {
        if rustix::io::ioctl_fionbio(self.pipe.get_ref().as_fd(), true).is_err() {
            return;
        }
        while let Some(said) = self.next() {
            self.note(&said);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jail::Layer;

    #[test]
    fn what_is_said_is_heard() {
        // The stage says it so; see its own test.
        for (line, heard) in [
            ("first 17", "First(17)"),
            ("running", "Running"),
            ("not-executed 2", "NotExecuted(Os { code: 2, "),
            ("ended", "Ended"),
            ("memory", "Memory"),
            ("vacant", "Vacant"),
            ("gone", "Gone"),
        ] {
            let said = format!("{:?}", Said::from_line(line).unwrap());
            assert!(said.starts_with(heard), "{said}");
        }
        let Some(Said::Missing(missing)) = Said::from_line("missing root 1 mounting /usr") else {
            panic!("it is a part that is missing");
        };
        assert_eq!(
            (missing.wall, &*missing.doing),
            (Layer::Root, "mounting /usr")
        );
        assert_eq!(missing.source.raw_os_error(), Some(1));
        for line in ["", "first", "missing moat 1 x", "missing root", "hello"] {
            assert!(Said::from_line(line).is_none(), "{line}");
        }
    }
}
