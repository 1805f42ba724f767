//! Checking a bot in named steps, each with what was sent, what came back and what to do about it.
//!
//! Single messages are exchanged with the sandbox's bot directly; whole matches are the referee's.

mod again;
mod context;
mod conversation;
mod edge_positions;
mod junit;
mod matches;
pub(crate) mod outcome;
mod playout;
mod positions;
mod request;
mod shutdown;
mod start;
mod steps;
mod time;
mod turns;

use std::path::Path;
use std::time::{Duration, Instant};

pub use self::context::Check;
pub use junit::{junit, junit_of_game};
pub use steps::CHECKS;

pub use self::outcome::{CheckOutcome, CheckStatus, Checked, CheckedStep};
use self::outcome::{count, milliseconds};
pub use self::request::{CHECK_MATCH_TIME, CHECK_TIME, CheckRequest, QUICK_CHECK_TIME};
use crate::check::context::CheckContext;
use crate::check::conversation::{StepAborted, StepResult};
use crate::check::steps::step_named;
use crate::failure::{Failure, Result};

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

/// What somebody who waits for a check hears.
#[derive(Clone, Copy, Debug)]
pub enum CheckNews<'a> {
    /// A step begins.
    Begins(&'a Check),
    /// A step is done.
    Done(&'a CheckedStep),
}

/// The step that tells of what a bot does wrong only after it has played before.
const REUSE: &str = "reuse";

/// Checks a bot. `hear` is told of each step.
///
/// # Errors
/// When there is no such step or game, or the machine fails; and when it was stopped. What the bot does wrong is in the
/// result.
pub fn check(
    arena: &Path,
    request: &CheckRequest<'_>,
    hear: &mut dyn FnMut(CheckNews<'_>) -> Result<()>,
) -> Result<Checked> {
    let begun = Instant::now();
    refuse_unknown_steps(request.steps)?;
    let mut context = CheckContext::new(arena, request, CHECKS)?;
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
        kind: context.program.kind(),
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
