//! What a game and all its tables share: its description, and the programs that run.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flipside_protocol::game::GameRequest;

use super::description::Description;
use super::limits::{self, MAX_REASONS};
use super::link::{GameHost, GameLink};
use crate::failure::{GameFailure, ProgramFacts};

/// What the game and its tables share.
pub(super) struct GameProcesses {
    pub(super) description: Description,
    pub(super) facts: ProgramFacts,
    host: Mutex<Arc<dyn GameHost>>,
    /// Programs that run and sit at no table.
    idle: Mutex<Vec<Box<dyn GameLink>>>,
    /// Whether a drawing has failed. None is asked for from then on: each could take as long.
    draws_no_more: AtomicBool,
    /// The reasons that matches have ended for. They are few, and kept for as long as the process runs.
    reasons: Mutex<BTreeSet<&'static str>>,
}

/// What the referee calls the end of a match that the game did not end.
const TAKEN_REASONS: [&str; 2] = ["fault", "failed"];

/// So many programs of a game wait for another match.
const MAX_IDLE: usize = 16;

impl GameProcesses {
    pub(super) fn new(
        description: Description,
        facts: ProgramFacts,
        host: Box<dyn GameHost>,
    ) -> Self {
        GameProcesses {
            description,
            facts,
            host: Mutex::new(host.into()),
            idle: Mutex::default(),
            draws_no_more: AtomicBool::new(false),
            reasons: Mutex::default(),
        }
    }

    /// A program to sit at a table: one that waits, or a new one.
    pub(super) fn link(&self) -> Result<Box<dyn GameLink>, GameFailure> {
        let next = || locked(&self.idle).pop();
        while let Some(mut link) = next() {
            // It may have ended while it waited.
            if link.wake() {
                return Ok(link);
            }
        }
        // Others may start theirs meanwhile.
        let host = Arc::clone(&locked(&self.host));
        host.start().map_err(|what| self.failure("start", what))
    }

    /// Starts programs from now on as another one does, whose programs that wait are taken over.
    pub(super) fn start_with(&self, other: Self) {
        *locked(&self.host) = other
            .host
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        *locked(&self.idle) = other
            .idle
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
    }

    /// Whether its views can be drawn, as far as is known.
    pub(super) fn draws(&self) -> bool {
        !self.draws_no_more.load(Ordering::Relaxed)
    }

    /// Notes that a drawing has failed.
    pub(super) fn cannot_draw(&self) {
        self.draws_no_more.store(true, Ordering::Relaxed);
    }

    /// Takes a program back whose match is over.
    pub(super) fn take_back(&self, mut link: Box<dyn GameLink>) {
        let mut idle = locked(&self.idle);
        if idle.len() < MAX_IDLE {
            link.rest();
            idle.push(link);
        }
    }

    pub(super) fn failure(&self, step: &'static str, what: impl Into<String>) -> GameFailure {
        GameFailure {
            game: self.description.info.id.to_owned(),
            step,
            what: what.into(),
        }
    }

    /// The same text, kept for as long as the process runs.
    pub(super) fn reason(&self, text: &str) -> Result<&'static str, String> {
        let mut reasons = locked(&self.reasons);
        if let Some(known) = reasons.get(text) {
            return Ok(known);
        }
        limits::check_word("reason", text)?;
        if TAKEN_REASONS.contains(&text) {
            return Err(format!("the reason {text:?} is one of the referee's"));
        }
        if reasons.len() >= MAX_REASONS {
            return Err(format!(
                "its matches have ended for more than {MAX_REASONS} different reasons"
            ));
        }
        let kept: &'static str = Box::leak(text.into());
        reasons.insert(kept);
        Ok(kept)
    }
}

/// Nothing panics that holds one of these, and if it did, what it held would be whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A request as a line.
pub(super) fn written(request: &GameRequest) -> String {
    serde_json::to_string(request).expect("a request is JSON")
}
