//! What the stage tells the launcher, over a pipe of their own: lines of text.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use crate::jail::layer::UnavailableLayer;
use crate::poll;

/// How long the stage may take until the bot is started. It takes milliseconds; a machine that needs
/// longer than this is no place for a match.
const START_WAIT: Duration = Duration::from_secs(30);

/// What the stage said.
#[derive(Debug)]
pub(crate) enum StageMessage {
    /// Init of the bot's namespace is there, with this number outside.
    First(u32),
    /// The bot runs.
    Running,
    /// A wall is missing.
    Missing(UnavailableLayer),
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

impl StageMessage {
    fn from_line(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let error = |number: &str| Some(io::Error::from_raw_os_error(number.parse().ok()?));
        Some(match word {
            "first" => StageMessage::First(rest.parse().ok()?),
            "running" => StageMessage::Running,
            "missing" => {
                let mut parts = rest.splitn(3, ' ');
                let wall = parts.next()?.parse().ok()?;
                let error = error(parts.next()?)?;
                StageMessage::Missing(UnavailableLayer::new(wall, parts.next()?, error))
            }
            "not-executed" => StageMessage::NotExecuted(error(rest)?),
            "ended" => StageMessage::Ended,
            "memory" => StageMessage::Memory,
            "vacant" => StageMessage::Vacant,
            "gone" => StageMessage::Gone,
            _ => return None,
        })
    }
}

/// Why the bot does not run.
#[derive(Debug)]
pub(crate) enum NotRunning {
    Missing(UnavailableLayer),
    NotExecuted(io::Error),
    Host(io::Error),
}

/// The launcher's end.
#[derive(Debug)]
pub(crate) struct JailReport {
    pipe: BufReader<File>,
    first: Option<u32>,
    ended: bool,
    memory: bool,
    vacant: bool,
    gone: bool,
}

impl JailReport {
    pub(crate) fn new(pipe: OwnedFd) -> Self {
        JailReport {
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
                Some(StageMessage::Running) => running = true,
                Some(StageMessage::Missing(missing)) => return Err(NotRunning::Missing(missing)),
                Some(StageMessage::NotExecuted(error)) => {
                    return Err(NotRunning::NotExecuted(error));
                }
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

    fn note(&mut self, said: &StageMessage) {
        match said {
            StageMessage::First(number) => self.first = Some(*number),
            StageMessage::Ended => self.ended = true,
            StageMessage::Memory => self.memory = true,
            StageMessage::Vacant => self.vacant = true,
            StageMessage::Gone => self.gone = true,
            StageMessage::Running | StageMessage::Missing(_) | StageMessage::NotExecuted(_) => {}
        }
    }

    /// The next thing that is said. Nothing: the stage has ended.
    fn hear(&mut self, until: Instant) -> io::Result<Option<StageMessage>> {
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
    fn next(&mut self) -> Option<StageMessage> {
        let mut line = String::new();
        match self.pipe.read_line(&mut line) {
            Ok(1..) => StageMessage::from_line(line.trim_end_matches('\n')),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flipside_jail::Layer;

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
            let said = format!("{:?}", StageMessage::from_line(line).unwrap());
            assert!(said.starts_with(heard), "{said}");
        }
        let Some(StageMessage::Missing(missing)) =
            StageMessage::from_line("missing root 1 mounting /usr")
        else {
            panic!("it is a part that is missing");
        };
        assert_eq!(
            (missing.wall, &*missing.doing),
            (Layer::Root, "mounting /usr")
        );
        assert_eq!(missing.source.raw_os_error(), Some(1));
        for line in ["", "first", "missing moat 1 x", "missing root", "hello"] {
            assert!(StageMessage::from_line(line).is_none(), "{line}");
        }
    }
}
