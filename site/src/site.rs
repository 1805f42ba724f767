//! What all requests share: the arena, connections to its journal, what was computed, and what is new.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use flipside_operations::{Failure, Result as Outcome};
use flipside_runner::RemoteRunner;
use flipside_store::{Arena, Journal};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::accounts::settings::{AccountSettings, SignUp};
use crate::bots::uploads::Uploads;
use crate::leagues::clock::Leagues;
use crate::limits::SiteLimits;
use crate::matches::boards::picture::Pictures;
use crate::play::sessions::PlaySessions;
use crate::shared::cache::SiteCache;
use crate::shared::metrics::Metrics;
use crate::shared::notices::Notices;
use crate::shared::problem::{Problem, Result};
use crate::shared::rates::Rates;
use crate::shared::sent_forms::SentForms;
use crate::shared::store::AccountStore;
use crate::shared::store::error::Error;
use crate::shared::threads::locked;
use crate::shared::watch::{ArenaWatch, LiveUpdate};
use crate::tournaments::host::state::Host;

/// An arena as a site.
pub struct Site {
    pub(crate) arena: Arena,
    pub(crate) limits: SiteLimits,
    pub(crate) metrics: Metrics,
    pub(crate) cache: SiteCache,
    pub(crate) listeners: Arc<Semaphore>,
    pub(crate) writers: Arc<Semaphore>,
    pub(crate) painters: Arc<Semaphore>,
    pub(crate) settings: AccountSettings,
    pub(crate) rates: Rates,
    /// Nothing: the site only reads.
    pub(crate) accounts: Option<Accounts>,
    pub(crate) play_sessions: PlaySessions,
    /// What visitors are told of what they did.
    pub(crate) notices: Notices,
    pub(crate) sent_forms: SentForms,
    news: watch::Sender<LiveUpdate>,
    pub(crate) pictures: OnceLock<Pictures>,
    stop: watch::Sender<bool>,
    looking: ArenaWatch,
    readers: Arc<Semaphore>,
    /// Connections that nobody uses now.
    journals: Mutex<Vec<Journal>>,
}

/// What a site has that has accounts.
pub(crate) struct Accounts {
    pub(crate) store: Arc<AccountStore>,
    pub(crate) uploads: Uploads,
    /// Plays tournaments.
    pub(crate) host: Arc<Host>,
    /// Begins and ends the seasons of leagues.
    pub(crate) leagues: Leagues,
}

impl Accounts {
    fn open(arena: &Arena, limits: &SiteLimits, remote: Option<RemoteRunner>) -> Outcome<Self> {
        let without = "--sign-up off serves the arena without accounts";
        let failed = |error| Failure::from(error).and_hint(without);
        let store = Arc::new(AccountStore::open(arena.path()).map_err(failed)?);
        let uploads = Uploads::start(arena, &store, &limits.uploads)?;
        let host = Host::open(arena.clone(), Arc::clone(&store), limits, remote)?;
        let host = Arc::new(host);
        Ok(Accounts {
            leagues: Leagues::new(arena.clone(), Arc::clone(&store), Arc::clone(&host)),
            store,
            uploads,
            host,
        })
    }
}

/// A journal that is read for one request, on a thread that may wait.
pub(crate) struct ReadContext<'a> {
    pub(crate) site: &'a Site,
    pub(crate) journal: &'a Journal,
    /// The version of the arena at the beginning.
    pub(crate) version: u64,
    /// By key, how long it took to make what was there already and was used: a page that is made of it takes as long
    /// when the arena has changed.
    pub(crate) reused: RefCell<HashMap<String, Duration>>,
    /// What a page was made of that is not of this version; none where it may not be.
    pub(crate) old: RefCell<Option<StaleRatings>>,
}

/// Ratings that are not of the version of a page which shows them, because they take long.
#[derive(Default)]
pub(crate) struct StaleRatings {
    /// The games.
    pub(crate) games: BTreeSet<String>,
    /// When the oldest were made, in milliseconds since 1970.
    pub(crate) as_of: Option<u64>,
}

impl Site {
    /// Opens an arena for visitors who read.
    ///
    /// # Errors
    /// When its journal cannot be read.
    pub fn open(arena: Arena, limits: SiteLimits) -> Outcome<Arc<Self>> {
        Site::with(arena, limits, AccountSettings::default())
    }

    /// The same, with accounts where the settings say so.
    ///
    /// # Errors
    /// When the journal cannot be read, or the accounts cannot be written.
    pub fn with(arena: Arena, limits: SiteLimits, settings: AccountSettings) -> Outcome<Arc<Self>> {
        if settings.sign_up != SignUp::Off {
            // A new arena gets its journal. A site that only reads makes none.
            arena.journal()?;
        }
        let journal = arena.read_journal()?;
        let accounts = match settings.sign_up {
            SignUp::Off => None,
            SignUp::Invited | SignUp::Open => {
                Some(Accounts::open(&arena, &limits, settings.remote.clone())?)
            }
        };
        let metrics = Metrics::default();
        Ok(Arc::new(Site {
            accounts,
            rates: Rates::new(&limits.rates, settings.behind_proxy),
            settings,
            play_sessions: PlaySessions::new(
                arena.clone(),
                limits.play_sessions,
                limits.play_session_time,
            ),
            notices: Notices::default(),
            sent_forms: SentForms::default(),
            cache: SiteCache::new(limits.cached_bytes, metrics.values_made.clone()),
            metrics,
            listeners: Arc::new(Semaphore::new(limits.listeners)),
            writers: Arc::new(Semaphore::new(limits.writers)),
            painters: Arc::new(Semaphore::new(limits.painters)),
            pictures: OnceLock::new(),
            news: watch::Sender::new(LiveUpdate::default()),
            stop: watch::Sender::new(false),
            looking: ArenaWatch::default(),
            readers: Arc::new(Semaphore::new(limits.readers)),
            journals: Mutex::new(vec![journal]),
            arena,
            limits,
        }))
    }

    /// Tells requests that never end by themselves to end, the watcher, and the check that runs. No match begins any
    /// more.
    pub fn stop(&self) {
        self.stop.send_replace(true);
        self.play_sessions.stop();
        if let Some(accounts) = &self.accounts {
            accounts.leagues.stop();
            accounts.host.stop();
            accounts.uploads.queue.stop();
        }
    }

    /// Waits for the running matches, until `end`, and for a change of the accounts that was begun; lets nothing else
    /// begin.
    pub(crate) fn close(&self, end: Instant) {
        if let Some(accounts) = &self.accounts {
            accounts.uploads.queue.wait(end);
        }
        self.play_sessions.close();
        if let Some(accounts) = &self.accounts {
            accounts.leagues.close();
            accounts.host.close(end);
            accounts.store.close();
        }
    }

    /// Breaks off the running matches, for which [`Site::close`] waits.
    pub(crate) fn break_off(&self) {
        if let Some(host) = self.host() {
            host.break_off();
        }
    }

    /// Whether visitors without an account may play against built-in bots.
    pub(crate) fn takes_guests(&self) -> bool {
        self.accounts.is_some() && !self.settings.no_guests
    }

    /// Becomes true when the site stops.
    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.stop.subscribe()
    }

    /// What plays tournaments, where there are accounts.
    pub fn host(&self) -> Option<&Host> {
        self.accounts.as_ref().map(|accounts| &*accounts.host)
    }

    /// Begins to play tournaments and the seasons of leagues, where there are accounts.
    ///
    /// # Errors
    /// When there can be no threads.
    pub fn start(&self) -> Outcome<()> {
        if let Some(accounts) = &self.accounts {
            accounts.host.start()?;
            accounts.leagues.start()?;
        }
        Ok(())
    }

    /// Hears what is new.
    pub(crate) fn news(&self) -> watch::Receiver<LiveUpdate> {
        self.news.subscribe()
    }

    /// Counts the changes of the arena that were seen.
    pub(crate) fn version(&self) -> u64 {
        self.news.borrow().version
    }

    /// Looks whether there is something new.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub async fn look(self: &Arc<Self>) -> Outcome<()> {
        let before = self.news.borrow().clone();
        let look = move |site: &Site| {
            let accounts = site.accounts.as_ref();
            let shown_changes = accounts.map_or(0, |accounts| accounts.store.shown_changes());
            site.looking.look(&site.arena, shown_changes, &before)
        };
        let failed = |problem: Problem| Failure::new(problem.message);
        if let Some(news) = self.wait_for(look).await.map_err(failed)? {
            self.news.send_replace(news);
        }
        Ok(())
    }

    /// Does what may wait on a thread for that, to its end, also if the visitor goes meanwhile. What is logged there
    /// belongs to the request.
    ///
    /// # Errors
    /// What `work` fails with, also if it panics.
    pub(crate) async fn wait_for<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Site) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (site, span) = (Arc::clone(self), tracing::Span::current());
        let done = tokio::task::spawn_blocking(move || span.in_scope(|| work(&site))).await;
        done.map_err(|error| Problem::internal(&error))?
    }

    /// Does what reads the journal or computes on a thread that may wait; no more of them at once than the limit.
    ///
    /// # Errors
    /// When the journal cannot be opened; and what `work` fails with.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&ReadContext<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let permit = Arc::clone(&self.readers).acquire_owned().await;
        let version = self.version();
        let read = move |site: &Site| {
            // The place is taken until the work is done, also if the visitor has gone meanwhile.
            let _permit = permit;
            let kept = site.journals().pop();
            let journal = kept.map_or_else(|| site.arena.read_journal(), Ok)?;
            let reading = ReadContext {
                site,
                journal: &journal,
                version,
                reused: RefCell::default(),
                old: RefCell::default(),
            };
            let done = work(&reading);
            // A connection that failed may be of a journal that is gone.
            let is_sound = !matches!(&done, Err(problem) if problem.status.is_server_error());
            if is_sound {
                site.journals().push(journal);
            }
            done
        };
        self.wait_for(read).await
    }

    /// Does what reads or changes the accounts, on a thread that may wait.
    ///
    /// # Errors
    /// When the site has no accounts; and what `work` fails with.
    pub(crate) async fn stored<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&AccountStore) -> Result<T, Error> + Send + 'static,
    ) -> Result<T> {
        let store = Arc::clone(&self.accounts()?.store);
        self.wait_for(move |_| Ok(work(&store)?)).await
    }

    /// What the site has that has accounts.
    ///
    /// # Errors
    /// When it has none.
    pub(crate) fn accounts(&self) -> Result<&Accounts> {
        let accounts = self.accounts.as_ref();
        accounts.ok_or_else(|| Problem::not_found("this site has no accounts"))
    }

    /// Times at this interval, until the site stops.
    pub(crate) fn ticks(&self, every: Duration) -> Ticks {
        let mut times = interval(every);
        times.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ticks {
            times,
            stopping: self.stopping(),
        }
    }

    fn journals(&self) -> std::sync::MutexGuard<'_, Vec<Journal>> {
        locked(&self.journals)
    }
}

/// Times, until the site stops.
pub(crate) struct Ticks {
    times: Interval,
    stopping: watch::Receiver<bool>,
}

impl Ticks {
    /// Waits for the next. Says whether there is one.
    pub(crate) async fn next(&mut self) -> bool {
        tokio::select! {
            _ = self.times.tick() => true,
            _ = self.stopping.wait_for(|stop| *stop) => false,
        }
    }
}

/// A stamp from what a value derives from.
pub(crate) fn stamp_of(from: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    from.hash(&mut hasher);
    hasher.finish()
}
