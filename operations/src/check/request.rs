//! What is checked, and how.

use std::time::Duration;

use flipside_protocol::Clock;
use flipside_runner::StopSignal;
use flipside_sandbox::Program;

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
    /// The bot's name in the result.
    pub bot: &'a str,
    /// What it runs.
    pub program: &'a Program,
    /// The ids of the games that it must play; empty: those that it is ready for.
    pub games: &'a [String],
    /// Another build of the same bot, which must choose the same actions.
    pub also: Option<&'a Program>,
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
    pub stop: &'a StopSignal,
}
