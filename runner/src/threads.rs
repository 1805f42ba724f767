//! The threads that play, where they run, and where they show it.

use std::num::NonZeroUsize;
use std::sync::Mutex;

use flipside_sandbox::lock::lock;
use flipside_sandbox::{Claim, Cores, Pinning, Sandbox};

use crate::error::RunnerError;
use crate::live::Live;
use crate::remote_backend::RemoteRunner;

/// The threads that play; each plays one match after the other. Whatever is chosen here, the results are
/// the same.
#[derive(Clone, Debug)]
pub struct MatchThreads {
    /// How many.
    pub number: NonZeroUsize,
    /// On which processors they run.
    pub affinity: Affinity,
    /// Where they show what they play, if anybody watches.
    pub live: Option<Live>,
    /// Who plays elsewhere, instead of these threads.
    pub remote: Option<RemoteRunner>,
}

/// On which processors the threads run, and the bots of their matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Affinity {
    /// The system decides.
    #[default]
    System,
    /// Each thread has so many of its own, as long as other commands leave enough of them, and otherwise the system
    /// decides for all. Of the bots, those of one thread are kept there ([`Pinning`]).
    Automatic(NonZeroUsize),
    /// Each thread has so many, or fewer where there are not enough, and all bots are kept there from their start.
    Always(NonZeroUsize),
}

impl From<NonZeroUsize> for MatchThreads {
    fn from(number: NonZeroUsize) -> Self {
        MatchThreads {
            number,
            affinity: Affinity::default(),
            live: None,
            remote: None,
        }
    }
}

impl MatchThreads {
    /// One thread, which hands the matches out to be played elsewhere.
    pub fn elsewhere(remote: RemoteRunner) -> Self {
        MatchThreads {
            remote: Some(remote),
            ..MatchThreads::from(NonZeroUsize::MIN)
        }
    }
}

/// The threads of a run, as they are noted in the journal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadPool<'a> {
    /// Who plays elsewhere, if it is not these.
    pub(crate) remote: Option<&'a RemoteRunner>,
    pub(crate) number: NonZeroUsize,
    /// Whether each match has processors of its own.
    pub(crate) pinned: bool,
    /// Whether it was noted.
    pub(crate) is_noted: bool,
}

impl From<NonZeroUsize> for ThreadPool<'_> {
    fn from(number: NonZeroUsize) -> Self {
        ThreadPool {
            remote: None,
            number,
            pinned: false,
            is_noted: false,
        }
    }
}

/// The places that are left for threads that begin. They are given back with it. By default, nobody is pinned.
#[derive(Default)]
pub(crate) struct ThreadSlots {
    left: Mutex<std::vec::IntoIter<Cores>>,
    /// Where threads and bots run that are not pinned; nothing where bots are pinned from their start.
    all: Option<Cores>,
    /// Whether each match has processors of its own.
    pub(crate) is_pinned: bool,
    _claim: Option<Claim>,
}

impl ThreadSlots {
    /// # Errors
    /// When processors are wanted in any case, and there are too few.
    pub(crate) fn new(number: NonZeroUsize, affinity: Affinity) -> Result<Self, RunnerError> {
        let failed =
            |error| RunnerError::Play(format!("cannot tell on which cores bots may run: {error}"));
        match affinity {
            Affinity::System => Ok(ThreadSlots::default()),
            Affinity::Automatic(each) => Ok(ThreadSlots::automatic(number, each)),
            Affinity::Always(wanted) => {
                let all = Cores::allowed().map_err(failed)?;
                let each = all.each(number, wanted).ok_or_else(|| {
                    let count = all.count();
                    RunnerError::Play(format!(
                        "{number} matches at once cannot share {count} cores"
                    ))
                })?;
                let claim = all.claim_some(each.get() * number.get());
                Ok(ThreadSlots::of(claim, number, each, None))
            }
        }
    }

    fn automatic(number: NonZeroUsize, each: NonZeroUsize) -> Self {
        let wanted = number.get().saturating_mul(each.get());
        // To pin this thread to where it may run changes nothing, and shows whether it may be done.
        let all = Cores::allowed().and_then(|all| all.pin().map(|()| all));
        let all = match all {
            Ok(all) => all,
            Err(error) => {
                tracing::debug!(%error, "nothing is pinned: the system does not allow it");
                return ThreadSlots::default();
            }
        };
        match all.claim(wanted) {
            Some(claim) => ThreadSlots::of(claim, number, each, Some(all)),
            None => {
                let there = all.count();
                tracing::debug!(wanted, there, "nothing is pinned: other runs have cores");
                ThreadSlots::default()
            }
        }
    }

    fn of(claim: Claim, number: NonZeroUsize, each: NonZeroUsize, all: Option<Cores>) -> Self {
        let parts = claim.cores().parts(number, each).unwrap_or_default();
        for (number, cores) in parts.iter().enumerate() {
            tracing::info!(number, %cores, "a thread of matches has these cores");
        }
        ThreadSlots {
            is_pinned: !parts.is_empty(),
            left: Mutex::new(parts.into_iter()),
            all,
            _claim: Some(claim),
        }
    }

    /// Gives this thread its place, and the sandbox that keeps its bots there.
    pub(crate) fn take(&self, sandbox: &Sandbox) -> Result<Sandbox, RunnerError> {
        let Some(cores) = lock(&self.left).next() else {
            return Ok(sandbox.clone());
        };
        let name = cores.to_string();
        let failed = |error| RunnerError::Play(format!("cannot stay on the cores {name}: {error}"));
        match self.all.clone() {
            None => cores.pin().map(|()| sandbox.clone()).map_err(failed),
            Some(all) => match Pinning::of_this_thread(cores, all) {
                Ok(pinning) => Ok(sandbox.pinned(pinning)),
                Err(error) => {
                    tracing::debug!(%error, "a thread of matches is not pinned");
                    Ok(sandbox.clone())
                }
            },
        }
    }
}
