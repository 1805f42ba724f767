//! Leagues of this server: bots enter the next season, and seasons begin and end by the clock.
//!
//! All that is stored is the description of a league, its entries, and for each season its times, its state and its
//! divisions. The matches of a season are ordinary tournaments, which the host plays; the total tables are computed
//! from their tables. What is due after a restart follows from that.

mod rows;
pub(crate) mod season;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use flipside_operations::Result;
use flipside_tournament::archive::LATEST_MS;
use flipside_tournament::league::League;
use flipside_tournament::{Arena, BotId, Name, unix_ms};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::accounts::error::Error;
use crate::accounts::store::AccountStore;
use crate::host::state::Host;
use crate::threads::{PutOff, Threads, locked};

/// The most leagues of a server.
pub(crate) const MAX_LEAGUES: usize = 1_000;

/// The most bots that are entered for a league.
pub(crate) const MAX_ENTRIES: usize = 1_000;

/// How often it is looked whether the tournaments of a season are over, and whether something is due.
const LOOK: Duration = Duration::from_secs(10);

/// A season of a league.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Season {
    pub(crate) league: Name,
    /// From 1.
    pub(crate) number: u32,
    pub(crate) times: SeasonTimes,
    pub(crate) state: SeasonState,
    /// From the highest; none before they are fixed.
    pub(crate) divisions: Vec<Vec<LeagueEntrant>>,
    /// What went wrong, or why it was cancelled.
    pub(crate) why: Option<String>,
}

/// The times of a season, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename = "SeasonAsked",
    expecting = "struct SeasonAsked"
)]
pub(crate) struct SeasonTimes {
    /// Versions that are submitted later do not play.
    #[schemars(range(max = LATEST_MS))]
    pub(crate) deadline: u64,
    /// When its matches begin: at the deadline or later.
    #[schemars(range(max = LATEST_MS))]
    pub(crate) starts_at: u64,
    /// When they end at the latest.
    #[schemars(range(min = 1, max = LATEST_MS))]
    pub(crate) ends_at: u64,
}

/// How far a season is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeasonState {
    /// Bots may still enter and leave.
    Open,
    /// It is known who plays.
    Fixed,
    /// Its tournaments are played.
    Playing,
    /// They have ended.
    Over,
    /// An organiser has cancelled it, or too few bots entered.
    Cancelled,
}

/// A bot of a season.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeagueEntrant {
    /// Its name and version when the season was fixed: `greedy@2`. Another bot may have this name now.
    pub(crate) bot: String,
    /// Which bot it is.
    pub(crate) id: BotId,
    /// The games of the league that it plays.
    pub(crate) games: Vec<String>,
}

impl SeasonState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            SeasonState::Open => "open",
            SeasonState::Fixed => "fixed",
            SeasonState::Playing => "playing",
            SeasonState::Over => "over",
            SeasonState::Cancelled => "cancelled",
        }
    }

    /// Whether nothing more happens.
    pub(crate) fn is_past(self) -> bool {
        matches!(self, SeasonState::Over | SeasonState::Cancelled)
    }
}

/// What begins and ends seasons, on a thread of its own.
pub(crate) struct Leagues {
    shared: Arc<LeagueShared>,
    threads: Threads,
}

struct LeagueShared {
    arena: Arena,
    store: Arc<AccountStore>,
    host: Arc<Host>,
    state: Mutex<LeagueState>,
    changed: Condvar,
    /// One season is changed at a time.
    acting: Mutex<()>,
    /// The tournaments that could not begin.
    put_off: Mutex<PutOff<Name>>,
}

#[derive(Default)]
struct LeagueState {
    is_new: bool,
    is_closing: bool,
}

impl Leagues {
    /// Nothing begins before [`Leagues::start`].
    pub(crate) fn new(arena: Arena, store: Arc<AccountStore>, host: Arc<Host>) -> Self {
        let shared = LeagueShared {
            arena,
            store,
            host,
            state: Mutex::default(),
            changed: Condvar::new(),
            acting: Mutex::default(),
            put_off: Mutex::default(),
        };
        Leagues {
            shared: Arc::new(shared),
            threads: Threads::default(),
        }
    }

    /// Begins to look at the clock.
    ///
    /// # Errors
    /// When there can be no thread.
    pub(crate) fn start(&self) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        self.threads.start("leagues", move || shared.work())
    }

    /// Something was changed that may be due at once.
    pub(crate) fn wake(&self) {
        self.shared.state().is_new = true;
        self.shared.changed.notify_all();
    }

    /// Does all that is due at this time.
    #[cfg(test)]
    fn act(&self, now: u64) {
        self.shared.act(now);
    }

    /// Begins nothing more.
    pub(crate) fn stop(&self) {
        self.shared.state().is_closing = true;
        self.shared.changed.notify_all();
    }

    /// Waits for what is being done.
    pub(crate) fn close(&self) {
        self.stop();
        self.threads.join();
    }
}

impl Drop for Leagues {
    fn drop(&mut self) {
        self.close();
    }
}

impl LeagueShared {
    fn state(&self) -> MutexGuard<'_, LeagueState> {
        locked(&self.state)
    }

    fn work(&self) {
        loop {
            self.act(unix_ms());
            let state = self.state();
            let waits = |state: &mut LeagueState| !state.is_new && !state.is_closing;
            let waited = self.changed.wait_timeout_while(state, LOOK, waits);
            let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if state.is_closing {
                return;
            }
            state.is_new = false;
        }
    }

    /// Does all that is due.
    fn act(&self, now: u64) {
        let seasons = match self.store.unfinished_seasons() {
            Ok(seasons) => seasons,
            Err(error) => return tracing::error!("the leagues cannot be read: {error}"),
        };
        for Season { league, number, .. } in seasons {
            let _one = self.acting();
            // It may have been cancelled meanwhile.
            let advanced = self
                .season(&league, number)
                .and_then(|season| match season {
                    Some(season) if !season.state.is_past() => self.advance(season, now),
                    _ => Ok(()),
                });
            // What fails is tried again at the next look.
            if let Err(failure) = advanced {
                tracing::error!(league = league.as_str(), number, "{failure}");
                if let Err(error) = self.store.say_of_season(&league, number, failure.message()) {
                    tracing::error!("the leagues cannot be written: {error}");
                }
            }
        }
    }

    /// Held by whoever changes a season.
    fn acting(&self) -> MutexGuard<'_, ()> {
        locked(&self.acting)
    }

    fn season(&self, league: &Name, number: u32) -> Result<Option<Season>> {
        let seasons = self.store.seasons(league)?;
        Ok(seasons.into_iter().find(|season| season.number == number))
    }

    fn league(&self, name: &Name) -> Result<League> {
        let found = self.store.league(name)?;
        Ok(found.ok_or_else(|| Error::NoLeague(name.to_string()))?)
    }
}
