//! One running bot, whichever way it runs.

use std::ffi::OsString;
use std::fmt;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

use crate::answer::{Allowance, BotAnswer, FinishedBot, LastWords, SilenceEvidence};
use crate::blocking;
use crate::bundle::store::Unpacked;
use crate::fault::AskError;
use crate::module::Module;
use crate::process::stopwatch::Timing;
use crate::process::turns::PonderGuard;
use crate::process::{Beside, Process};
use crate::program::ProgramKind;

/// A running bot. It is used on the thread that started it, or with [`SandboxBot::ask_blocking`] while that thread runs;
/// dropping it kills it with all that it started, [`SandboxBot::finish`] is the polite way.
pub struct SandboxBot {
    // Before its files.
    runs: BotRuns,
    label: String,
    /// How much of its error stream belongs to earlier matches.
    earlier: u64,
    /// How much of it was told by [`SandboxBot::new_stderr`].
    told: u64,
    /// What was on it, in all and new, when its input was closed for its last words. What it writes after that is its
    /// answer to the end of the input, and not part of the match.
    stderr_before: Option<[String; 2]>,
    /// Keeps the files of its bundle where they are.
    bundle: Option<Unpacked>,
    lacks_network: bool,
}

pub(crate) enum BotRuns {
    Process(Box<Process>),
    Module(Box<Module>),
}

impl BotRuns {
    fn stderr_since(&self, mark: &mut u64) -> String {
        match self {
            BotRuns::Process(process) => process.stderr_since(mark),
            BotRuns::Module(module) => module.stderr_since(mark),
        }
    }
}

impl SandboxBot {
    /// `lacks_network`: it is a process in a jail that has none.
    pub(crate) fn new(
        runs: BotRuns,
        bundle: Option<Unpacked>,
        label: &str,
        lacks_network: bool,
    ) -> Self {
        SandboxBot {
            runs,
            label: label.into(),
            earlier: 0,
            told: 0,
            stderr_before: None,
            bundle,
            lacks_network,
        }
    }

    fn process(&self) -> Option<&Process> {
        match &self.runs {
            BotRuns::Process(process) => Some(process),
            BotRuns::Module(_) => None,
        }
    }

    /// How it runs.
    pub fn kind(&self) -> ProgramKind {
        match self.runs {
            BotRuns::Process(_) => ProgramKind::Process,
            BotRuns::Module(_) => ProgramKind::Module,
        }
    }

    /// Whether it is a process that its jail keeps from the network.
    pub fn lacks_network(&self) -> bool {
        self.lacks_network
    }

    /// The number of its first process, as it is outside of a jail; none of a module, or where the process has ended.
    pub fn pid(&self) -> Option<u32> {
        self.process()?.pid()
    }

    /// Writes a line, which ends with a newline, and waits for one line. The allowance is for both
    /// together; nothing that the bot writes moves it. A line that was written before it was asked
    /// for is taken first.
    ///
    /// To drop the future is to give up the bot: half a line may be written.
    ///
    /// # Errors
    /// The bot's fault, or the machine's. After one, the bot is of no use but to be finished.
    pub async fn ask(
        &mut self,
        line: &[u8],
        allowance: impl Into<Allowance>,
    ) -> Result<BotAnswer<'_>, AskError> {
        self.ask_beside(line, allowance.into(), Beside::Others)
            .await
    }

    /// The same while no other bot of this thread is asked. It saves the runtime most of its work.
    ///
    /// # Errors
    /// As [`SandboxBot::ask`].
    pub async fn ask_alone(
        &mut self,
        line: &[u8],
        allowance: impl Into<Allowance>,
    ) -> Result<BotAnswer<'_>, AskError> {
        self.ask_beside(line, allowance.into(), Beside::Nobody)
            .await
    }

    /// The same on a thread that does nothing else until the answer is there, inside of a runtime or not: of a module
    /// any thread, of a process any but that of its own runtime, which is running.
    ///
    /// # Errors
    /// As [`SandboxBot::ask`].
    pub fn ask_blocking(
        &mut self,
        line: &[u8],
        allowance: impl Into<Allowance>,
        runtime: Option<&Handle>,
    ) -> Result<BotAnswer<'_>, AskError> {
        let answer = self.ask_beside(line, allowance.into(), Beside::Nothing);
        blocking::wait_for(answer, runtime)
    }

    /// Waits for the next line of a bot that was asked before, as if it were asked again without a question. A line that
    /// it has written already is taken first.
    ///
    /// # Errors
    /// As [`SandboxBot::ask`].
    pub async fn hear(
        &mut self,
        allowance: impl Into<Allowance>,
    ) -> Result<BotAnswer<'_>, AskError> {
        self.exchange(b"", allowance.into(), Beside::Others).await
    }

    async fn ask_beside(
        &mut self,
        line: &[u8],
        allowance: Allowance,
        beside: Beside,
    ) -> Result<BotAnswer<'_>, AskError> {
        debug_assert!(line.ends_with(b"\n"), "a question is a line");
        self.exchange(line, allowance, beside).await
    }

    async fn exchange(
        &mut self,
        line: &[u8],
        allowance: Allowance,
        beside: Beside,
    ) -> Result<BotAnswer<'_>, AskError> {
        let answer = match &mut self.runs {
            BotRuns::Process(process) => process.ask(line, allowance.deadline(), beside).await,
            BotRuns::Module(module) => module.ask(line, allowance).await,
        };
        answer.inspect_err(|error| note(&self.label, error))
    }

    /// Writes a line to which no answer is due. A module goes on until it wants the next line.
    ///
    /// # Errors
    /// The bot's fault, or the machine's.
    pub async fn tell(
        &mut self,
        line: &[u8],
        allowance: impl Into<Allowance>,
    ) -> Result<(), AskError> {
        let allowance = allowance.into();
        debug_assert!(line.ends_with(b"\n"), "what is told is a line");
        let told = match &mut self.runs {
            BotRuns::Process(process) => process.tell(line, allowance.deadline()).await,
            BotRuns::Module(module) => module.tell(line, allowance).await,
        };
        told.inspect_err(|error| note(&self.label, error))
    }

    /// Lets its lines be this long, in bytes without the newline; those of a bot are at most
    /// [`LONGEST_LINE`](crate::LONGEST_LINE).
    pub fn allow_lines(&mut self, longest: usize) {
        match &mut self.runs {
            BotRuns::Process(process) => process.lines.longest = longest,
            BotRuns::Module(module) => module.lines.longest = longest,
        }
    }

    /// What the last question took, also where it ended with a fault.
    pub fn timing(&self) -> Timing {
        match &self.runs {
            BotRuns::Process(process) => process.timing,
            BotRuns::Module(module) => module.timing,
        }
    }

    /// What is to be seen of the last question, which ended with a fault.
    pub fn seen(&self) -> SilenceEvidence {
        match &self.runs {
            BotRuns::Process(process) => process.seen(),
            BotRuns::Module(module) => module.seen(),
        }
    }

    /// Takes turns with the other bots of a guard from now on: while one of them is asked for long, those
    /// processes that compute meanwhile are stopped.
    pub fn join(&mut self, ponder_guard: &PonderGuard) {
        match &mut self.runs {
            BotRuns::Process(process) => process.join(ponder_guard),
            BotRuns::Module(module) => module.join(ponder_guard),
        }
    }

    /// Leaves its guard, and waits for its next. What was read of its error stream belongs to the match that is over.
    pub fn rest(&mut self) {
        if let BotRuns::Process(process) = &mut self.runs {
            self.earlier = process.stderr_read();
            self.told = self.earlier;
            process.rest();
        }
    }

    /// While it rests, it is looked at with a match that is played, and is ended if it computes though it is
    /// stopped.
    pub fn rest_beside(&self, ponder_guard: &PonderGuard) {
        if let Some(process) = self.process() {
            ponder_guard.rest_beside(&process.turns);
        }
    }

    /// Whether it was seen computing on the turns of others. A module cannot.
    pub fn ponders(&self) -> bool {
        (self.process()).is_some_and(|process| process.turns.seen())
    }

    /// How much CPU time it was seen to use on the turns of others, where [`SandboxBot::ponders`].
    pub fn pondered(&self) -> Duration {
        (self.process()).map_or(Duration::ZERO, |process| process.turns.pondered())
    }

    /// The names of some files that a jailed process has in its working directory, which vanishes with the jail; at
    /// most so many. None where the machine does not show them.
    pub fn files(&self, most: usize) -> Vec<OsString> {
        match self.process() {
            // The working directory of a bundle is the bundle, which nobody can write to.
            Some(process) if self.bundle.is_none() => process.files(most),
            _ => Vec::new(),
        }
    }

    /// Whether it was ended because it computed on the turns of others though it was stopped there.
    pub fn defied(&self) -> bool {
        (self.process()).is_some_and(|process| process.turns.defied())
    }

    /// What the bot has written until `now` that it was not asked for: the next line, without its newline, or
    /// what there is of it. Nothing where it has written nothing.
    pub fn unread(&mut self, now: Instant) -> Option<&[u8]> {
        match &mut self.runs {
            BotRuns::Process(process) => process.unread(now),
            BotRuns::Module(module) => module.unread(),
        }
    }

    /// Closes the input of a bot that gave no answer, and returns what it writes then: an answer that was in its
    /// buffer comes out. What it writes to its error stream then is dropped. Returns when there is a line, the bot has
    /// ended, or `grace` is over. Nobody can ask the bot any more.
    pub async fn last_words(&mut self, grace: Duration) -> LastWords {
        self.stderr_before = Some([self.stderr_tail(), self.new_stderr()]);
        match &mut self.runs {
            BotRuns::Process(process) => process.last_words(grace).await,
            BotRuns::Module(module) => module.last_words(grace).await,
        }
    }

    /// Ends a bot that has a fault, at once, so that it takes nothing from others any more. It is of no use
    /// then but to be finished.
    pub fn fall(&mut self) {
        // A module does not run while nobody asks it.
        if let Some(process) = self.process() {
            process.fall();
        }
    }

    /// The last of its error stream until now, as in [`FinishedBot`].
    pub fn stderr_tail(&self) -> String {
        if let Some([tail, _]) = &self.stderr_before {
            return tail.clone();
        }
        let mut earlier = self.earlier;
        self.runs.stderr_since(&mut earlier)
    }

    /// What came on its error stream since this was asked last, or since its match began; at most the last
    /// [`STDERR_TAIL`](crate::STDERR_TAIL) bytes, as in [`FinishedBot`].
    pub fn new_stderr(&mut self) -> String {
        if let Some([_, new]) = &mut self.stderr_before {
            return std::mem::take(new);
        }
        self.runs.stderr_since(&mut self.told)
    }

    /// The time it has used a processor: of a process as the system counts it, mostly in steps of
    /// 10 ms, of a module the time that it ran. Nothing where the system does not tell.
    pub fn cpu(&self) -> Option<Duration> {
        match &self.runs {
            BotRuns::Process(process) => process.cpu(),
            BotRuns::Module(module) => Some(module.ran()),
        }
    }

    /// Closes its input, gives it so much time to end by itself, and then kills what is left.
    pub async fn finish(self, grace: Duration) -> FinishedBot {
        let mut finished = match self.runs {
            BotRuns::Process(process) => process.finish(grace, [self.earlier, self.told]).await,
            BotRuns::Module(module) => module.finish(grace, [self.earlier, self.told]).await,
        };
        if let Some([tail, new]) = self.stderr_before {
            (finished.stderr_tail, finished.new_stderr) = (tail, new);
        }
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

impl fmt::Debug for SandboxBot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SandboxBot")
            .field("label", &self.label)
            .field("kind", &self.kind())
            .finish()
    }
}
