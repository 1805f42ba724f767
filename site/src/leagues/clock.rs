//! What begins and ends seasons by the clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use flipside_operations::Result;
use flipside_store::{Arena, unix_ms};
use flipside_tournament::Name;
use flipside_tournament::league::League;

use super::season::Season;
use crate::shared::store::AccountStore;
use crate::shared::store::error::Error;
use crate::shared::threads::{RetryTimes, Threads, locked};
use crate::tournaments::host::state::Host;

/// How often it is looked whether the tournaments of a season are over, and whether something is due.
const LOOK: Duration = Duration::from_secs(10);

/// What begins and ends seasons, on a thread of its own.
pub(crate) struct Leagues {
    pub(super) shared: Arc<LeagueShared>,
    threads: Threads,
}

pub(super) struct LeagueShared {
    pub(super) arena: Arena,
    pub(super) store: Arc<AccountStore>,
    pub(super) host: Arc<Host>,
    state: Mutex<LeagueState>,
    changed: Condvar,
    /// One season is changed at a time.
    acting: Mutex<()>,
    /// The tournaments that could not begin.
    pub(super) put_off: Mutex<RetryTimes<Name>>,
    /// Whether there are leagues. They are not deleted.
    has_some: AtomicBool,
}

#[derive(Default)]
struct LeagueState {
    is_new: bool,
    is_closing: bool,
}

impl Leagues {
    /// Nothing begins before [`Leagues::start`].
    pub(crate) fn new(arena: Arena, store: Arc<AccountStore>, host: Arc<Host>) -> Self {
        // Whoever shows leagues reads them and is told why that fails.
        let has_some = store.leagues().is_ok_and(|leagues| !leagues.is_empty());
        let shared = LeagueShared {
            has_some: has_some.into(),
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

    /// Whether there are leagues.
    pub(crate) fn has_some(&self) -> bool {
        self.shared.has_some.load(Ordering::Relaxed)
    }

    /// A league was made.
    pub(super) fn made(&self) {
        self.shared.has_some.store(true, Ordering::Relaxed);
    }

    /// Something was changed that may be due at once.
    pub(crate) fn wake(&self) {
        self.shared.state().is_new = true;
        self.shared.changed.notify_all();
    }

    /// Does all that is due at this time.
    #[cfg(test)]
    pub(super) fn act(&self, now: u64) {
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
    pub(super) fn acting(&self) -> MutexGuard<'_, ()> {
        locked(&self.acting)
    }

    pub(super) fn season(&self, league: &Name, number: u32) -> Result<Option<Season>> {
        let seasons = self.store.seasons(league)?;
        Ok(seasons.into_iter().find(|season| season.number == number))
    }

    pub(super) fn league(&self, name: &Name) -> Result<League> {
        let found = self.store.league(name)?;
        Ok(found.ok_or_else(|| Error::NoLeague(name.to_string()))?)
    }
}
