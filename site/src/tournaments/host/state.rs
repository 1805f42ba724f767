//! What plays tournaments: what it is to play, what it plays now, and what it has played.

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use flipside_operations::Result;
use flipside_protocol::Size;
use flipside_runner::{Live, RemoteRunner, StopSignal};
use flipside_store::{Arena, Journal};
use flipside_tournament::{Name, Tournament};
use schemars::JsonSchema;
use serde::Serialize;

use super::tries::PostponedTournaments;
use crate::ladders::history::LadderHistory;
use crate::shared::store::AccountStore;
use crate::shared::threads::Threads;

/// What the server plays.
pub struct Host {
    pub(crate) shared: Arc<HostShared>,
    /// The threads that play and that keep ladders, once they were started.
    pub(super) threads: Threads,
}

/// A tournament that the server plays, or played until it was paused or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedTournament {
    /// Its name.
    pub tournament: Name,
    /// What is played before it.
    pub rank: Priority,
    /// Since when it is in the queue, in milliseconds since 1970.
    pub since: u64,
    /// What is to become of it.
    pub wanted: DesiredState,
}

/// The order of play: a tournament pauses after its running matches when one of a lower rank waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[schemars(rename = "QueueRank", description = "The order of play.")]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Matches that somebody has asked for; they come first, for half of the time at most.
    Request,
    /// A tournament with an end.
    Tournament,
    /// A ladder, for processors that are spare.
    Ladder,
}

/// What is to become of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DesiredState {
    /// It is played when its turn comes.
    Play,
    /// It waits until somebody resumes it.
    Pause,
    /// It could not be played, for this reason, and waits until somebody resumes it.
    Failed(String),
}

pub(crate) struct HostShared {
    pub(crate) arena: Arena,
    pub(super) most_disk: Size,
    /// Whether organisers may let single bots use the network.
    pub(super) bot_network: bool,
    /// Who plays elsewhere, if somebody does.
    pub(super) remote: Option<RemoteRunner>,
    pub(crate) store: Arc<AccountStore>,
    pub(super) state: Mutex<HostState>,
    pub(crate) changed: Condvar,
    /// Held while a tournament begins: one after the other.
    pub(crate) beginning: Mutex<()>,
    /// What was seen of the ladders.
    pub(crate) ladders: Mutex<LadderHistory>,
}

pub(crate) struct HostState {
    pub(super) store: Arc<AccountStore>,
    pub(crate) hosted: Vec<QueuedTournament>,
    pub(crate) now: Option<CurrentRun>,
    pub(super) tries: PostponedTournaments,
    /// How long a tournament plays before the next request: as long as requests have kept it waiting.
    pub(super) owed: Duration,
    pub(crate) is_closing: bool,
}

/// What is played at the moment.
pub(crate) struct CurrentRun {
    pub(crate) tournament: Name,
    pub(crate) rank: Priority,
    pub(crate) began: Instant,
    pub(crate) stop: StopSignal,
    pub(super) live: Live,
}

/// A tournament of the journal, if it has begun.
pub(crate) fn begun(journal: &Journal, name: &Name) -> Result<Option<Tournament>> {
    Ok(journal.find_tournament(name.as_str())?)
}
