//! One running bot, whichever way it runs.

use std::fmt;
use std::time::{Duration, Instant};

use crate::module::Module;
use crate::process::Process;
use crate::process::stopwatch::Spent;
use crate::process::turns::PonderGuard;
use crate::{AskError, Ended, Kind};

/// A running bot. It is used on the thread that started it; dropping it kills it with all that it
/// started, [`Bot::finish`] is the polite way.
pub struct Bot {
    runs: Runs,
    label: String,
}

enum Runs {
    Process(Box<Process>),
    Module(Box<Module>),
}

/// A bot's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The line, without its newline.
    pub line: &'a str,
    /// What counts as the bot's time: from the beginning of the question's writing until the line was
    /// complete, but for what the machine withheld; see [`Spent`].
    pub elapsed: Duration,
}

/// What is left of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The last of its error stream: at most [`STDERR_TAIL`](crate::STDERR_TAIL) bytes as text, with
    /// an "…" before them where there was more.
    pub stderr_tail: String,
    /// How it ended.
    pub ended: Ended,
    /// As of [`Bot::cpu`].
    pub cpu: Option<Duration>,
}

impl Bot {
    pub(crate) fn process(process: Process, label: &str) -> Self {
        Bot {
            runs: Runs::Process(Box::new(process)),
            label: label.into(),
        }
    }

    pub(crate) fn module(module: Module, label: &str) -> Self {
        Bot {
            runs: Runs::Module(Box::new(module)),
            label: label.into(),
        }
    }

    /// How it runs.
    pub fn kind(&self) -> Kind {
        match self.runs {
            Runs::Process(_) => Kind::Process,
            Runs::Module(_) => Kind::Module,
        }
    }

    /// Writes a line, which ends with a newline, and waits for one line. The deadline holds for both
    /// together; nothing that the bot writes moves it. A line that was written before it was asked
    /// for is taken first.
    ///
    /// To drop the future is to give up the bot: half a line may be written.
    ///
    /// # Errors
    /// The bot's fault, or the machine's. After one, the bot is of no use but to be finished.
    pub async fn ask(&mut self, line: &[u8], deadline: Instant) -> Result<Answer<'_>, AskError> {
        self.ask_beside(line, deadline, false).await
    }

    /// The same while no other bot of this thread is asked. It saves the runtime most of its work.
    ///
    /// # Errors
    /// As [`Bot::ask`].
    pub async fn ask_alone(
        &mut self,
        line: &[u8],
        deadline: Instant,
    ) -> Result<Answer<'_>, AskError> {
        self.ask_beside(line, deadline, true).await
    }

    async fn ask_beside(
        &mut self,
        line: &[u8],
        deadline: Instant,
        is_alone: bool,
    ) -> Result<Answer<'_>, AskError> {
        debug_assert!(line.ends_with(b"\n"), "a question is a line");
        let answer = match &mut self.runs {
            Runs::Process(process) => process.ask(line, deadline, is_alone).await,
            Runs::Module(module) => module.ask(line, deadline).await,
        };
        answer.inspect_err(|error| note(&self.label, error))
    }

    /// Writes a line to which no answer is due. A module goes on until it wants the next line.
    ///
    /// # Errors
    /// The bot's fault, or the machine's.
    pub async fn tell(&mut self, line: &[u8], deadline: Instant) -> Result<(), AskError> {
        debug_assert!(line.ends_with(b"\n"), "what is told is a line");
        let told = match &mut self.runs {
            Runs::Process(process) => process.tell(line, deadline).await,
            Runs::Module(module) => module.tell(line, deadline).await,
        };
        told.inspect_err(|error| note(&self.label, error))
    }

    /// What the last question took, also where it ended with a fault.
    pub fn spent(&self) -> Spent {
        match &self.runs {
            Runs::Process(process) => process.spent(),
            Runs::Module(module) => module.spent(),
        }
    }

    /// Takes turns with the other bots of a guard from now on: while one of them is asked for long, those
    /// processes that compute meanwhile are stopped.
    pub fn join(&mut self, ponder_guard: &PonderGuard) {
        match &mut self.runs {
            Runs::Process(process) => process.join(ponder_guard),
            Runs::Module(module) => module.join(ponder_guard),
        }
    }

    /// Leaves its guard, and waits for its next.
    pub fn rest(&mut self) {
        if let Runs::Process(process) = &mut self.runs {
            process.rest();
        }
    }

    /// While it rests, it is looked at with a match that is played, and is ended if it computes though it is
    /// stopped.
    pub fn rest_beside(&self, ponder_guard: &PonderGuard) {
        if let Runs::Process(process) = &self.runs {
            process.rest_beside(ponder_guard);
        }
    }

    /// Whether it was seen computing on the turns of others. A module cannot.
    pub fn ponders(&self) -> bool {
        match &self.runs {
            Runs::Process(process) => process.ponders(),
            Runs::Module(_) => false,
        }
    }

    /// What the bot has written until `now` that it was not asked for: the next line, without its newline, or
    /// what there is of it. Nothing where it has written nothing.
    pub fn unread(&mut self, now: Instant) -> Option<&[u8]> {
        match &mut self.runs {
            Runs::Process(process) => process.unread(now),
            Runs::Module(module) => module.unread(),
        }
    }

    /// Ends a bot that has a fault, at once, so that it takes nothing from others any more. It is of no use
    /// then but to be finished.
    pub fn fall(&mut self) {
        // A module does not run while nobody asks it.
        if let Runs::Process(process) = &self.runs {
            process.fall();
        }
    }

    /// The last of its error stream until now, as in [`Finished`].
    pub fn stderr_tail(&self) -> String {
        match &self.runs {
            Runs::Process(process) => process.stderr_tail(),
            Runs::Module(module) => module.stderr_tail(),
        }
    }

    /// The time it has used a processor: of a process as the system counts it, mostly in steps of
    /// 10 ms, of a module the time that it ran. Nothing where the system does not tell.
    pub fn cpu(&self) -> Option<Duration> {
        match &self.runs {
            Runs::Process(process) => process.cpu(),
            Runs::Module(module) => Some(module.ran()),
        }
    }

    /// Closes its input, gives it so much time to end by itself, and then kills what is left.
    pub async fn finish(self, grace: Duration) -> Finished {
        let finished = match self.runs {
            Runs::Process(process) => process.finish(grace).await,
            Runs::Module(module) => module.finish(grace).await,
        };
        tracing::debug!(bot = self.label, ended = %finished.ended, "finished");
        finished
    }
}

fn note(label: &str, error: &AskError) {
    match error {
        AskError::Fault(fault) => tracing::debug!(bot = label, fault = fault.name(), "{fault}"),
        AskError::Host(error) => tracing::warn!(bot = label, %error, "the machine failed"),
    }
}

impl fmt::Debug for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bot")
            .field("label", &self.label)
            .field("kind", &self.kind())
            .finish()
    }
}
