//! Tournaments that this server plays: one at a time, those that people wait for first. What the server is to play is
//! stored, so after a restart it goes on by itself.

mod removal;
mod rows;
pub(crate) mod state;
#[cfg(test)]
mod tests;
pub(crate) mod tries;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use flipside_operations::{Failure, Plan, PreparedTournament, Request, Result, Runner, Started};
use flipside_runner::{Drawing, Live, MatchThreads, RemoteRunner, RunSummary, StopSignal};
use flipside_store::{Arena, unix_ms};
use flipside_tournament::{Format, Name, Tournament, TournamentSpec};

use self::state::{
    CurrentRun, DesiredState, Host, HostShared, HostState, Priority, QueuedTournament, begun,
};
use self::tries::{PostponedTournaments, Retry, Shortage};
use crate::limits::SiteLimits;
use crate::shared::store::AccountStore;
use crate::shared::threads::{Threads, locked};

/// How often the host looks for work that it was not told of.
const LOOK: Duration = Duration::from_secs(60);

/// The most that requests wait for the share of tournaments.
const MOST_OWED: Duration = Duration::from_secs(5 * 60);

/// What a thread of the host does.
type HostTask = fn(&HostShared);

impl Host {
    /// Reads what is to be played. Nothing is played before [`Host::start`].
    ///
    /// # Errors
    /// When the site's store cannot be read.
    pub(crate) fn open(
        arena: Arena,
        store: Arc<AccountStore>,
        limits: &SiteLimits,
        remote: Option<RemoteRunner>,
    ) -> Result<Self> {
        let mut hosted = store.hosted()?;
        let journal = arena.read_journal()?;
        for at in (0..hosted.len()).rev() {
            // It was about to begin when an earlier server ended.
            if begun(&journal, &hosted[at].tournament)?.is_none() {
                store.remove_hosted(&hosted.remove(at).tournament)?;
            }
        }
        let state = HostState {
            store: Arc::clone(&store),
            hosted,
            now: None,
            tries: PostponedTournaments::new(limits.pauses),
            owed: Duration::ZERO,
            is_closing: false,
        };
        Ok(Host {
            shared: Arc::new(HostShared {
                arena,
                most_disk: limits.most_disk,
                bot_network: limits.bot_network,
                remote,
                store,
                state: Mutex::new(state),
                changed: Condvar::new(),
                beginning: Mutex::default(),
                ladders: Mutex::default(),
            }),
            threads: Threads::default(),
        })
    }

    /// Begins to play and to keep ladders, on threads of their own.
    ///
    /// # Errors
    /// When there can be no thread.
    pub fn start(&self) -> Result<()> {
        let works: [(&str, HostTask); 2] = [
            ("host", HostShared::play_all),
            ("ladders", HostShared::keep_ladders),
        ];
        for (name, work) in works {
            let shared = Arc::clone(&self.shared);
            self.threads.start(name, move || work(&shared))?;
        }
        Ok(())
    }

    /// Begins a tournament: it is in the journal when this returns, and is played when its turn comes. `may` is asked
    /// under the lock of the queue, with what is in the queue, so that nobody gets more places than allowed.
    ///
    /// # Errors
    /// When the description does not fit or has no name, `may` refuses, a bot is missing or does not start, or nothing
    /// can be written. A tournament of the same name that is there already must be the same one; it goes on.
    pub fn begin(
        &self,
        spec: &TournamentSpec,
        rank: Priority,
        may: impl FnOnce(&[QueuedTournament]) -> Result<()>,
    ) -> Result<Name> {
        let shared = &self.shared;
        let request = Request::for_organisers(spec, shared.bot_network)?;
        let Some(name) = request.name().cloned() else {
            return Err(Failure::usage("the tournament has no name").hint("name = \"spring\""));
        };
        // Each start of a tournament starts its bots.
        let _one = locked(&shared.beginning);
        let is_known = shared.announce(&name, rank, may)?;
        if let Err(failure) = shared.enter_new(&request) {
            if !is_known {
                shared.state().remove(&name)?;
            }
            return Err(failure);
        }
        shared.resume_as(&name, rank)?;
        Ok(name)
    }

    /// What a tournament would be, without beginning it. This starts its bots once.
    ///
    /// # Errors
    /// When [`begin`](Host::begin) would refuse it.
    pub(crate) fn foresee(&self, spec: &TournamentSpec) -> Result<Plan> {
        let request = Request::for_organisers(spec, self.shared.bot_network)?;
        let _one = locked(&self.shared.beginning);
        let prepared = self.shared.prepared(&request)?;
        prepared.plan(false, |plan, _| Ok(plan.clone()))
    }

    /// The tournament of this name, whose processes are isolated: the server starts no others.
    ///
    /// # Errors
    /// When there is none, or its processes are not isolated.
    pub(crate) fn isolated(&self, name: &Name) -> Result<Tournament> {
        let tournament = self
            .shared
            .arena
            .read_journal()?
            .tournament(name.as_str())?;
        match tournament.settings.trust {
            false => Ok(tournament),
            true => {
                let what = format!("{name} runs processes without isolation");
                Err(Failure::usage(what).hint("play it on with the command"))
            }
        }
    }

    /// Plays a tournament of the journal on, or resumes one that was paused or has failed.
    ///
    /// # Errors
    /// When there is no such tournament, its processes are not isolated, or the store cannot be written.
    pub fn resume(&self, name: &Name) -> Result<()> {
        let tournament = self.isolated(name)?;
        let rank = self.shared.state().find(name).map(|known| known.rank);
        let usual = match tournament.settings.format {
            Format::Ladder(_) => Priority::Ladder,
            _ => Priority::Tournament,
        };
        self.shared.resume_as(name, rank.unwrap_or(usual))
    }

    /// Pauses a tournament after its running matches. Says whether the server was to play it.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn pause(&self, name: &Name) -> Result<bool> {
        let mut state = self.shared.state();
        let Some(known) = state.find(name).cloned() else {
            return Ok(false);
        };
        state.put(QueuedTournament {
            wanted: DesiredState::Pause,
            ..known
        })?;
        state.stop_soon(name);
        Ok(true)
    }

    /// What the server plays or is to play, in the order in which it does.
    pub fn hosted(&self) -> Vec<QueuedTournament> {
        let mut hosted = self.shared.state().hosted.clone();
        hosted.sort_by_key(|one| (one.rank, one.since));
        hosted
    }

    /// The tournaments that wait for a further attempt, since the machine had too little of something for them.
    pub(crate) fn put_off(&self) -> HashMap<Name, Retry> {
        self.shared.state().tries.all()
    }

    /// Whether the server plays a tournament or is to play it, or it is paused.
    pub(super) fn is_hosted(&self, name: &Name) -> bool {
        self.shared.state().find(name).is_some()
    }

    /// What is played at the moment, with its running matches.
    pub(crate) fn now(&self) -> Option<(Name, Live)> {
        let state = self.shared.state();
        let now = state.now.as_ref()?;
        Some((now.tournament.clone(), now.live.clone()))
    }

    /// Whether this tournament is played at the moment.
    pub(crate) fn plays(&self, name: &Name) -> bool {
        self.now().is_some_and(|(now, _)| now == *name)
    }

    /// Begins no other matches; those that run are played to their end.
    pub(crate) fn stop(&self) {
        let mut state = self.shared.state();
        state.is_closing = true;
        if let Some(now) = &state.now {
            now.stop.soon();
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Breaks off the running matches, which are played again after the next start.
    pub(crate) fn break_off(&self) {
        if let Some(now) = &self.shared.state().now {
            now.stop.now();
        }
    }

    /// Waits for the end of running matches. What runs at `end` is broken off, and played again after the next start.
    pub fn close(&self, end: Instant) {
        self.stop();
        let mut state = self.shared.state();
        while let (Some(now), left) = (&state.now, end.saturating_duration_since(Instant::now())) {
            if left.is_zero() {
                now.stop.now();
                break;
            }
            let waited = self.shared.changed.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        self.threads.join();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.close(Instant::now());
    }
}

impl HostShared {
    pub(crate) fn state(&self) -> MutexGuard<'_, HostState> {
        locked(&self.state)
    }

    /// Takes a place in the queue for a tournament that is about to begin, if `may` allows it. Says whether it was
    /// there.
    fn announce(
        &self,
        name: &Name,
        rank: Priority,
        may: impl FnOnce(&[QueuedTournament]) -> Result<()>,
    ) -> Result<bool> {
        let mut state = self.state();
        may(&state.hosted)?;
        let is_known = state.find(name).is_some();
        if !is_known {
            let hosted = QueuedTournament {
                tournament: name.clone(),
                rank,
                since: unix_ms(),
                wanted: DesiredState::Play,
            };
            // If the server ends before the tournament is in the journal, the next one forgets it; otherwise that one
            // plays it.
            self.store.put_hosted(&hosted)?;
            state.hosted.push(QueuedTournament {
                wanted: DesiredState::Pause,
                ..hosted
            });
        }
        Ok(is_known)
    }

    /// Enters a tournament into the journal. This starts its bots.
    pub(crate) fn enter_new(&self, request: &Request) -> Result<()> {
        let mut note = |line: &str| tracing::info!("{line}");
        self.prepared(request)?.start(false, &mut note).map(drop)
    }

    /// A tournament whose bots were found and started once.
    fn prepared<'a>(&'a self, request: &'a Request) -> Result<PreparedTournament<'a>> {
        let again = |name: &Name| format!("name = \"{name}\"");
        let mut note = |line: &str| tracing::info!("{line}");
        PreparedTournament::new(self.arena.path(), request, &again, &mut note)
    }

    pub(crate) fn resume_as(&self, name: &Name, rank: Priority) -> Result<()> {
        self.state().put(QueuedTournament {
            tournament: name.clone(),
            rank,
            since: unix_ms(),
            wanted: DesiredState::Play,
        })?;
        self.changed.notify_all();
        Ok(())
    }

    /// Plays one tournament after the other, until the host is closed.
    fn play_all(&self) {
        while let Some((hosted, stop, live)) = self.next() {
            let play = AssertUnwindSafe(|| self.play(&hosted.tournament, &stop, live));
            let ran = catch_unwind(play).unwrap_or_else(|_| {
                Err(Failure::new(
                    "the server failed to play it; its log tells more",
                ))
            });
            self.played(&hosted, ran);
        }
    }

    /// What is played next, when there is something; none when the host is closed.
    fn next(&self) -> Option<(QueuedTournament, StopSignal, Live)> {
        let mut state = self.state();
        loop {
            if state.is_closing {
                return None;
            }
            state.forgive();
            if let Some(next) = state.waiting().cloned() {
                let (stop, live) = (StopSignal::default(), Live::drawn(Drawing::Svg));
                state.now = Some(CurrentRun {
                    tournament: next.tournament.clone(),
                    rank: next.rank,
                    began: Instant::now(),
                    stop: stop.clone(),
                    live: live.clone(),
                });
                return Some((next, stop, live));
            }
            let pause = state.tries.next(Instant::now());
            let changed = self.changed.wait_timeout(state, pause.unwrap_or(LOOK));
            (state, _) = changed.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn play(&self, name: &Name, stop: &StopSignal, live: Live) -> Result<RunSummary> {
        tracing::info!(tournament = name.as_str(), "playing");
        let mut note = |line: &str| tracing::info!(tournament = name.as_str(), "{line}");
        let mut started = Started::again(self.arena.clone(), name, &mut note)?;
        let runner = Runner::new(
            &started.arena,
            &started.tournament,
            &started.sandbox,
            self.most_disk,
        )?;
        // Otherwise each attempt would play some matches more.
        if self.arena.size()? >= self.most_disk.bytes() {
            let most = self.most_disk;
            return Err(Failure::full(format!(
                "the arena takes {most}, all that it may"
            )));
        }
        let threads = MatchThreads {
            live: Some(live),
            ..match &self.remote {
                Some(remote) => MatchThreads::elsewhere(remote.clone()),
                None => started.threads,
            }
        };
        runner.run(&mut started.journal, threads, stop, |_| ())
    }

    /// A run has ended: the tournament is over, goes on another time, or has failed. What somebody has asked for
    /// meanwhile stands.
    fn played(&self, hosted: &QueuedTournament, ran: Result<RunSummary>) {
        let name = &hosted.tournament;
        let mut state = self.state();
        let took = state.count(hosted.rank);
        state.now = None;
        let is_as_it_was = state.find(name) == Some(hosted);
        let failed = match ran {
            Ok(ran) => {
                state.tries.forget(name);
                // Where that cannot be stored, it is played again after the next start, which does no harm.
                match ran.stopped || !is_as_it_was {
                    true => None,
                    false => state.remove(name).err(),
                }
            }
            Err(failure) => match Shortage::of(&failure) {
                _ if !is_as_it_was => Some(failure),
                Some(lack) => {
                    state.put_off(name, lack, &failure, took);
                    None
                }
                None => {
                    let failed = QueuedTournament {
                        wanted: DesiredState::Failed(failure.message().to_owned()),
                        ..hosted.clone()
                    };
                    if let Err(unstored) = state.put(failed) {
                        // It would be played again at once.
                        let lack = Shortage::of(&unstored).unwrap_or(Shortage::Other);
                        state.put_off(name, lack, &unstored, took);
                    }
                    Some(failure)
                }
            },
        };
        if let Some(failure) = failed {
            tracing::error!(tournament = name.as_str(), "{failure}");
        }
        drop(state);
        self.changed.notify_all();
    }
}

impl HostState {
    pub(crate) fn find(&self, name: &Name) -> Option<&QueuedTournament> {
        self.hosted.iter().find(|one| one.tournament == *name)
    }

    /// Ends a tournament after its running matches if it is played now.
    pub(crate) fn stop_soon(&self, name: &Name) {
        if let Some(now) = self.now.as_ref().filter(|now| now.tournament == *name) {
            now.stop.soon();
        }
    }

    /// Stores what is to become of a tournament. What is played now pauses if the new one comes before it.
    pub(crate) fn put(&mut self, hosted: QueuedTournament) -> Result<()> {
        self.store.put_hosted(&hosted)?;
        self.tries.forget(&hosted.tournament);
        if let Some(now) = &self.now
            && hosted.wanted == DesiredState::Play
            && hosted.rank < now.rank
            && !(hosted.rank == Priority::Request && now.began.elapsed() < self.owed)
        {
            now.stop.soon();
        }
        self.hosted
            .retain(|one| one.tournament != hosted.tournament);
        self.hosted.push(hosted);
        Ok(())
    }

    /// The server has no more to do with it.
    pub(crate) fn remove(&mut self, name: &Name) -> Result<()> {
        self.tries.forget(name);
        self.hosted.retain(|one| one.tournament != *name);
        Ok(self.store.remove_hosted(name)?)
    }

    /// Tries a tournament again after a while, because the machine had too little of something.
    fn put_off(&mut self, name: &Name, lack: Shortage, failure: &Failure, took: Duration) {
        let why = failure.message();
        let pause = (self.tries).put_off(name, lack, why, took, Instant::now());
        let seconds = pause.as_secs_f64();
        tracing::warn!(tournament = name.as_str(), seconds, "it waits: {failure}");
    }

    /// Whether a tournament is to be played, and its time has come.
    pub(crate) fn may_play(&self, one: &QueuedTournament) -> bool {
        one.wanted == DesiredState::Play && self.tries.is_due(&one.tournament, Instant::now())
    }

    /// Whose turn it is.
    fn waiting(&self) -> Option<&QueuedTournament> {
        let waiting = || self.hosted.iter().filter(|one| self.may_play(one));
        let order = |one: &&QueuedTournament| (one.rank, one.since);
        let others = waiting().filter(|one| one.rank != Priority::Request);
        let owed = others.min_by_key(order).filter(|_| !self.owed.is_zero());
        owed.or_else(|| waiting().min_by_key(order))
    }

    /// Where no tournament waits any more, nothing is owed to those that come later.
    fn forgive(&mut self) {
        let waits = |one: &QueuedTournament| {
            one.wanted == DesiredState::Play && one.rank != Priority::Request
        };
        if !self.hosted.iter().any(waits) {
            self.owed = Duration::ZERO;
        }
    }

    /// Counts how long was played just now, for the share of requests, and returns it.
    fn count(&mut self, rank: Priority) -> Duration {
        let Some(took) = self.now.as_ref().map(|now| now.began.elapsed()) else {
            return Duration::ZERO;
        };
        let plays = |one: &QueuedTournament| {
            one.wanted == DesiredState::Play && one.rank != Priority::Request
        };
        self.owed = match rank {
            Priority::Request if self.hosted.iter().any(plays) => (self.owed + took).min(MOST_OWED),
            Priority::Request => self.owed,
            _ => self.owed.saturating_sub(took),
        };
        took
    }

    /// Ends what is played after its running matches if something waits that comes before it: requests when it has had
    /// its share, and what was put off and may go on.
    pub(crate) fn let_others_in(&self) {
        let Some(now) = &self.now else {
            return;
        };
        let has_had_its_share = now.began.elapsed() >= self.owed;
        let comes_first = |one: &QueuedTournament| {
            one.rank < now.rank
                && (one.rank != Priority::Request || has_had_its_share)
                && self.may_play(one)
        };
        if self.hosted.iter().any(comes_first) {
            now.stop.soon();
        }
    }

    /// If a request waits for something else that is played: how long that still has of its share.
    pub(crate) fn share_left(&self) -> Option<Duration> {
        let now = self
            .now
            .as_ref()
            .filter(|now| now.rank > Priority::Request)?;
        let waits = |one: &QueuedTournament| one.rank == Priority::Request && self.may_play(one);
        let left = self.owed.checked_sub(now.began.elapsed())?;
        self.hosted.iter().any(waits).then_some(left)
    }
}
