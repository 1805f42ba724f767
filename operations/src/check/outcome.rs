//! How a step of a check ended, and all of them.

use std::time::Duration;

use flipside_referee::TrafficLine;
use flipside_sandbox::ProgramKind;
use serde::Serialize;

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
    /// The bot, as the request named it.
    pub bot: String,
    /// How it runs.
    pub kind: ProgramKind,
    /// The SHA-256 of its file.
    pub sha256: String,
    /// The ids of the games that it plays.
    pub games: Vec<&'static str>,
    /// The steps, in order.
    pub steps: Vec<CheckedStep>,
    /// How long all took, in milliseconds.
    pub ms: u64,
}

/// How many of these steps ended so.
pub(crate) fn count(steps: &[CheckedStep], status: CheckStatus) -> usize {
    let ended_so = |step: &&CheckedStep| step.outcome.status == status;
    steps.iter().filter(ended_so).count()
}

/// A time as a result has it.
pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// How a step begins that an earlier one rules out.
pub(super) const BECAUSE_OF: &str = "because of ";

impl CheckOutcome {
    pub(super) fn new(status: CheckStatus, found: impl Into<String>) -> Self {
        CheckOutcome {
            status,
            found: found.into(),
            advice: None,
            said: Vec::new(),
            stderr: String::new(),
        }
    }

    pub(crate) fn ok(found: impl Into<String>) -> Self {
        CheckOutcome::new(CheckStatus::Ok, found)
    }

    pub(crate) fn skipped(why: impl Into<String>) -> Self {
        CheckOutcome::new(CheckStatus::Skipped, why)
    }

    pub(super) fn out_of_time() -> Self {
        CheckOutcome::skipped("its share of the time was up")
    }

    /// An earlier step failed for a reason that would make this one fail, too.
    pub(crate) fn because_of(step: &str) -> Self {
        CheckOutcome::skipped(format!("{BECAUSE_OF}{step}"))
    }

    pub(super) fn is_because_of(&self) -> bool {
        self.status == CheckStatus::Skipped && self.found.starts_with(BECAUSE_OF)
    }

    pub(crate) fn warning(found: impl Into<String>) -> Self {
        CheckOutcome::new(CheckStatus::Warning, found)
    }

    pub(crate) fn failed(found: impl Into<String>) -> Self {
        CheckOutcome::new(CheckStatus::Failed, found)
    }

    /// The same with what to do about it.
    pub(crate) fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// The same, but no worse than a warning: what was sent was not as the referee sends it.
    pub(super) fn at_most_a_warning(mut self) -> Self {
        self.status = self.status.min(CheckStatus::Warning);
        self
    }

    /// Says what it is about, in front.
    pub(crate) fn about(mut self, what: &str) -> Self {
        self.found = format!("{what}: {}", self.found);
        self
    }
}
