//! Checking a bot in named steps, each with what was sent, what came back and what to do about it.
//!
//! Single messages are exchanged with the sandbox's bot directly; whole matches are the referee's.

mod again;
mod context;
mod conversation;
mod edge_positions;
mod junit;
mod matches;
mod positions;
mod shutdown;
mod start;
mod steps;
mod time;
mod turns;

use std::path::Path;
use std::time::{Duration, Instant};

use flipside_protocol::Clock;
use flipside_referee::TrafficLine;
use flipside_tournament::Stop as AskedToStop;
use serde::Serialize;

pub use junit::junit;
pub use steps::{CHECKS, Check};

use crate::check::context::CheckContext;
use crate::check::conversation::{StepAborted, StepResult};
use crate::check::steps::step_named;
use crate::failure::{Failure, Result};
use crate::programs::Processes;

/// The time that a check usually may take. A step that begins before this is finished.
pub const CHECK_TIME: Duration = Duration::from_secs(180);

/// The same for a quick check.
pub const QUICK_CHECK_TIME: Duration = Duration::from_secs(30);

/// The time that each match of a check usually may take.
pub const CHECK_MATCH_TIME: Duration = Duration::from_secs(15);

/// What is checked, and how.
#[derive(Clone, Debug)]
pub struct CheckRequest<'a> {
    /// A file, a bot of the arena, or a sample.
    pub bot: &'a str,
    /// The ids of the games that it must play; empty: those that it is ready for.
    pub games: &'a [String],
    /// Another build of the same bot, which must choose the same actions.
    pub also: Option<&'a str>,
    /// The clock of the matches.
    pub clock: Clock,
    /// Whether there is little time: fewer repetitions, and most steps try two games only.
    pub quick: bool,
    /// The time that it may take, of which each step and each match has the usual share; nothing: [`CHECK_TIME`], or
    /// [`QUICK_CHECK_TIME`] for a quick one.
    pub time: Option<Duration>,
    /// The names of the steps to take; empty: all. The first step is always taken.
    pub steps: &'a [String],
    /// How it runs if it is a process.
    pub processes: Processes,
    /// Breaks the check off: a step ends as soon as the bot is waited for, or a match has come to its next turn.
    pub stop: &'a AskedToStop,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// Nothing was found.
    Ok,
    /// It could not be done, or it builds on a step that failed.
    Skipped,
    /// The bot plays, but may lose by this.
    Warning,
    /// The bot breaks a rule of the protocol.
    Failed,
}

impl CheckStatus {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            CheckStatus::Ok => "ok",
            CheckStatus::Skipped => "skipped",
            CheckStatus::Warning => "warning",
            CheckStatus::Failed => "failed",
        }
    }
}

/// What a step found.
#[derive(Clone, Debug, Serialize)]
pub struct CheckOutcome {
    /// How it ended.
    pub status: CheckStatus,
    /// What was found, in a line.
    pub found: String,
    /// What to do about it, if there is something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The last lines that were said.
    pub said: Vec<TrafficLine>,
    /// The end of the bot's standard error.
    pub stderr: String,
}

/// A step that was done.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedStep {
    /// The group.
    pub group: &'static str,
    /// The name.
    pub name: &'static str,
    /// What it finds out.
    pub purpose: &'static str,
    /// What it found.
    #[serde(flatten)]
    pub outcome: CheckOutcome,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

/// A bot that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The bot, as it was named.
    pub bot: String,
    /// How it runs: `process` or `module`.
    pub kind: String,
    /// The SHA-256 of its file.
    pub sha256: String,
    /// The ids of the games that it plays.
    pub games: Vec<&'static str>,
    /// The steps, in order.
    pub steps: Vec<CheckedStep>,
    /// How long all took, in milliseconds.
    pub ms: u64,
}

impl CheckedStep {
    fn of(check: &Check, outcome: CheckOutcome, took: Duration) -> Self {
        CheckedStep {
            group: check.group,
            name: check.name,
            purpose: check.purpose,
            outcome,
            ms: milliseconds(took),
        }
    }
}

impl Checked {
    /// Returns how many steps ended so.
    pub fn count(&self, status: CheckStatus) -> usize {
        count(&self.steps, status)
    }

    /// Returns whether the bot keeps the rules of the protocol, as far as they were checked.
    pub fn passed(&self) -> bool {
        self.count(CheckStatus::Failed) == 0
    }
}

/// How many of these steps ended so.
fn count(steps: &[CheckedStep], status: CheckStatus) -> usize {
    let ended_so = |step: &&CheckedStep| step.outcome.status == status;
    steps.iter().filter(ended_so).count()
}

/// What somebody who waits for a check hears.
#[derive(Clone, Copy, Debug)]
pub enum CheckNews<'a> {
    /// A step begins.
    Begins(&'a Check),
    /// A step is done.
    Done(&'a CheckedStep),
}

/// How a step begins that an earlier one rules out.
const BECAUSE_OF: &str = "because of ";

/// The step that tells of what a bot does wrong only after it has played before.
const REUSE: &str = "reuse";

/// Checks a bot. `hear` is told of each step.
///
/// # Errors
/// When there is no such bot or game, or the machine fails; and when it was stopped. What the bot does wrong is in the
/// result.
pub fn check(
    arena: &Path,
    request: &CheckRequest<'_>,
    hear: &mut dyn FnMut(CheckNews<'_>) -> Result<()>,
) -> Result<Checked> {
    let begun = Instant::now();
    refuse_unknown_steps(request.steps)?;
    let mut context = CheckContext::new(arena, request)?;
    let mut steps = Vec::with_capacity(CHECKS.len());
    let is_wanted = |check: &Check| {
        let mut named = request.steps.iter();
        request.steps.is_empty() || named.any(|name| name == check.name)
    };
    for (at, check) in CHECKS.iter().enumerate() {
        // It finds out which games the others are for.
        if at > 0 && !is_wanted(check) {
            continue;
        }
        hear(CheckNews::Begins(check))?;
        let step_begun = Instant::now();
        // The search takes a core, so it begins when the starts were timed, and is over before the matches are.
        let searches = |check: &Check| check.group == "positions" && is_wanted(check);
        if check.group == "turns" && CHECKS.iter().any(searches) {
            context.begin_search();
        }
        context.begins(check);
        let outcome = match take(check, &mut context) {
            Ok(outcome) => outcome,
            Err(StepAborted::Bot(outcome)) => *outcome,
            Err(StepAborted::Host(failure)) => return Err(failure.about(check.name)),
        };
        context.ends(&outcome);
        let step = CheckedStep::of(check, outcome, step_begun.elapsed());
        hear(CheckNews::Done(&step))?;
        steps.push(step);
    }
    // The step that tells of it may not have been wanted, or may have had no time. Where an earlier step ruled it out,
    // that one has told of the cause.
    let is_told = steps
        .iter()
        .any(|step| step.name == REUSE && step.outcome.is_because_of());
    if let Some(outcome) = context.found_in_reuse().filter(|_| !is_told) {
        let check = step_named(REUSE).expect("it is in the list");
        steps.retain(|step| step.name != REUSE);
        let step = CheckedStep::of(check, outcome, Duration::ZERO);
        hear(CheckNews::Done(&step))?;
        steps.push(step);
    }
    Ok(Checked {
        bot: request.bot.to_owned(),
        kind: context.program.kind().to_string(),
        sha256: context.program.sha256().to_owned(),
        games: context.games.iter().map(|game| game.info().id).collect(),
        steps,
        ms: milliseconds(begun.elapsed()),
    })
}

/// Takes a step, unless the time is up or what it builds on has failed.
fn take(check: &Check, context: &mut CheckContext) -> StepResult {
    context.go_on()?;
    if context.time_is_up() {
        return Ok(CheckOutcome::skipped("the time for the check was up"));
    }
    if let Some(cause) = context.cause_at_all_games() {
        return Ok(CheckOutcome::because_of(cause));
    }
    (check.run)(context)
}

fn refuse_unknown_steps(steps: &[String]) -> Result<()> {
    match steps.iter().find(|name| step_named(name).is_none()) {
        None => Ok(()),
        Some(name) => Err(Failure::usage(format!("there is no step {name:?}"))
            .hint("`flipside check --list` lists them")),
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl CheckOutcome {
    fn new(status: CheckStatus, found: impl Into<String>) -> Self {
        CheckOutcome {
            status,
            found: found.into(),
            advice: None,
            said: Vec::new(),
            stderr: String::new(),
        }
    }

    fn ok(found: impl Into<String>) -> Self {
        CheckOutcome::new(CheckStatus::Ok, found)
    }

    fn skipped(why: impl Into<String>) -> Self {
        CheckOutcome::new(CheckStatus::Skipped, why)
    }

    fn out_of_time() -> Self {
        CheckOutcome::skipped("its share of the time was up")
    }

    /// An earlier step failed for a reason that would make this one fail, too.
    fn because_of(step: &str) -> Self {
        CheckOutcome::skipped(format!("{BECAUSE_OF}{step}"))
    }

    fn is_because_of(&self) -> bool {
        self.status == CheckStatus::Skipped && self.found.starts_with(BECAUSE_OF)
    }

    fn warning(found: impl Into<String>) -> Self {
        CheckOutcome::new(CheckStatus::Warning, found)
    }

    fn failed(found: impl Into<String>) -> Self {
        CheckOutcome::new(CheckStatus::Failed, found)
    }

    /// The same with what to do about it.
    fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// The same, but no worse than a warning: what was sent was not as the referee sends it.
    fn at_most_a_warning(mut self) -> Self {
        self.status = self.status.min(CheckStatus::Warning);
        self
    }

    /// Says what it is about, in front.
    fn about(mut self, what: &str) -> Self {
        self.found = format!("{what}: {}", self.found);
        self
    }
}
