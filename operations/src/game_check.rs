//! Checking the program of a game in named steps: the laws that every game must keep, tried on random matches.
//!
//! A match follows from its seed and the number of seats, which each step names that finds something; the same seed
//! finds it again.

mod context;
mod laws;
#[cfg(test)]
mod tests;
mod watched;

use std::path::Path;
use std::time::{Duration, Instant};

use flipside_games::{GameHost, ProgramGame};
use flipside_referee::game_host;

use crate::check::outcome::{CheckOutcome, CheckStatus, CheckedStep, count, milliseconds};
use crate::failure::{Failure, Result};
use crate::game_program::game_program;
use crate::programs::Processes;
use context::GameCheckContext;
use serde::Serialize;
use watched::WatchedHost;

/// A step of the check of a game.
#[derive(Clone, Copy)]
pub struct GameCheck {
    /// What it belongs to.
    pub group: &'static str,
    /// What people type.
    pub name: &'static str,
    /// What it finds out.
    pub purpose: &'static str,
    run: fn(&mut GameCheckContext) -> CheckOutcome,
}

/// What is checked, and how much is tried.
#[derive(Clone, Copy, Debug)]
pub struct GameCheckRequest<'a> {
    /// The file or the folder of the game.
    pub game: &'a Path,
    /// The names of the steps to take; empty: all.
    pub steps: &'a [String],
    /// How many random matches are played with each options at each number of seats.
    pub matches: u32,
    /// The seed of the first of them.
    pub seed: u64,
    /// How the program runs if it is a process.
    pub processes: Processes,
    /// How long all may take; none: there is no limit but those of each answer.
    pub most: Option<Duration>,
}

/// A game that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedGame {
    /// The program, as the request named it.
    pub program: String,
    /// The id of the game; none: it does not say.
    pub game: Option<&'static str>,
    /// The SHA-256 of the program.
    pub sha256: String,
    /// The steps, in order.
    pub steps: Vec<CheckedStep>,
    /// How long all took, in milliseconds.
    pub ms: u64,
}

impl CheckedGame {
    /// Returns whether the game keeps the laws, as far as they were checked.
    pub fn passed(&self) -> bool {
        count(&self.steps, CheckStatus::Failed) == 0
    }
}

/// Declares the steps, by group: name, purpose, function.
macro_rules! steps {
    ($($group:literal { $($name:literal, $purpose:literal, $run:expr;)+ })+) => {
        /// All steps after the first, `describes`, in order.
        const STEPS: &[GameCheck] = &[$($(GameCheck {
            group: $group,
            name: $name,
            purpose: $purpose,
            run: $run,
        },)+)+];
    };
}

steps! {
    "description" {
        "notation", "The notation is a regular expression", laws::notation;
        "options", "Takes its own options, and refuses what it does not know", laws::options;
        "seats", "Begins a match at every number of seats", laws::seats;
        "unknown-request", "Answers an unknown request with unsupported", laws::unknown_request;
        "unknown-field", "Ignores an unknown field", laws::unknown_field;
    }
    "matches" {
        "ends", "Random matches end", laws::ends;
        "actions", "Every action is in the notation", laws::actions;
        "refuses", "Refuses what it does not list", laws::refuses;
        "chance", "Takes every outcome of chance that it lists or samples", laws::chance;
        "repeats", "The same events give the same states", laws::repeats;
        "replays", "Replays a match to the state that its events led to", laws::replays;
        "traits", "Is as it describes itself", laws::traits;
    }
    "views" {
        "secrets", "Views tell nothing that a viewer must not know", laws::secrets;
        "text", "Draws views as text", laws::text;
        "svg", "Draws views as one well-formed svg element without scripts", laws::svg;
        "paths", "People can point at every action", laws::paths;
        "words", "Describes actions and outcomes in one line", laws::words;
    }
}

/// The first step.
const DESCRIBES: GameCheck = GameCheck {
    group: "description",
    name: "describes",
    purpose: "Says what game it is",
    run: laws::describes,
};

/// All steps, in order.
pub fn game_checks() -> impl Iterator<Item = &'static GameCheck> {
    std::iter::once(&DESCRIBES).chain(STEPS)
}

/// Checks the program of a game. `hear` is told of each step.
///
/// # Errors
/// When there is no such program or step. What the program does wrong is in the result.
pub fn check_game(
    arena: &Path,
    request: &GameCheckRequest<'_>,
    hear: &mut dyn FnMut(&CheckedStep) -> Result<()>,
) -> Result<CheckedGame> {
    let known = |name: &&String| !game_checks().any(|step| step.name == name.as_str());
    if let Some(name) = request.steps.iter().find(known) {
        return Err(Failure::usage(format!("there is no step {name:?}"))
            .hint("`flipside game check --list` lists them"));
    }
    let program = game_program(request.game)?;
    let sandbox = request.processes.sandbox(arena, 1);
    let host = game_host(&program, &sandbox);
    let mut checked = CheckedGame {
        program: request.game.display().to_string(),
        game: None,
        sha256: program.sha256().to_owned(),
        steps: Vec::new(),
        ms: 0,
    };
    check_hosted(host, request, &mut checked, hear)?;
    Ok(checked)
}

/// Checks a game, whoever starts its program.
pub(crate) fn check_hosted(
    host: impl GameHost + 'static,
    request: &GameCheckRequest<'_>,
    checked: &mut CheckedGame,
    hear: &mut dyn FnMut(&CheckedStep) -> Result<()>,
) -> Result<()> {
    let begun = Instant::now();
    let watched = WatchedHost::new(host, request.most);
    let opened = ProgramGame::open(Box::new(watched.clone()), &checked.sha256);
    let (mut context, described) = match opened {
        Ok(game) => {
            checked.game = Some(flipside_games::AnyGame::info(&game).id);
            let (matches, seed) = (request.matches, request.seed);
            let mut context = GameCheckContext::new(game, watched.clone(), matches, seed);
            let described = (DESCRIBES.run)(&mut context);
            (Some(context), described)
        }
        Err(error) => (None, laws::not_described(&error)),
    };
    let mut tell = |check: &GameCheck, outcome: CheckOutcome, took: Duration| {
        let step = CheckedStep {
            group: check.group,
            name: check.name,
            purpose: check.purpose,
            outcome,
            ms: milliseconds(took),
        };
        hear(&step)?;
        checked.steps.push(step);
        Ok::<(), Failure>(())
    };
    tell(&DESCRIBES, with_lines(described, &watched), begun.elapsed())?;
    let mut cause: Option<&'static str> = None;
    for check in STEPS {
        let is_wanted =
            request.steps.is_empty() || request.steps.iter().any(|name| name == check.name);
        if !is_wanted {
            continue;
        }
        let step_begun = Instant::now();
        let outcome = match (&mut context, cause) {
            (None, _) => CheckOutcome::because_of(DESCRIBES.name),
            // What they would find has the same cause.
            (Some(_), Some(cause)) if check.group != DESCRIBES.group => {
                CheckOutcome::because_of(cause)
            }
            (Some(context), _) => {
                watched.forget();
                with_lines((check.run)(context), &watched)
            }
        };
        let is_cause = ["seats", "options", "ends"].contains(&check.name);
        if is_cause && outcome.status == CheckStatus::Failed {
            cause.get_or_insert(check.name);
        }
        tell(check, outcome, step_begun.elapsed())?;
    }
    checked.ms = milliseconds(begun.elapsed());
    Ok(())
}

/// The outcome with the last lines that were said, where something was found.
fn with_lines(outcome: CheckOutcome, watched: &WatchedHost) -> CheckOutcome {
    match outcome.status {
        CheckStatus::Ok | CheckStatus::Skipped => outcome,
        CheckStatus::Warning | CheckStatus::Failed => CheckOutcome {
            said: watched.said(),
            ..outcome
        },
    }
}
