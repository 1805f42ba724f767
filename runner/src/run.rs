//! Playing what remains of a tournament: match threads play, the calling thread owns the journal and asks the director
//! what comes next.

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use flipside_games::AnyGame;
use flipside_referee::{Match, Player, Referee};
use flipside_sandbox::Sandbox;
use flipside_store::{
    BannedWorker, Error, FinishedMatch, Journal, MAX_AHEAD, Scheduler, SchedulerEvent, Task, Work,
    settle_changes, unix_ms,
};
use flipside_tournament::{Bot, Changed, Director, Pause, Total, Tournament, match_id};

use crate::aside::{Unready, set_aside};
use crate::error::{MAX_GAME_FAILURES, RunnerError};
use crate::messages::{MAX_TRIES, RunMessage};
use crate::queue::{Closing, Queue, QueuedTask};
use crate::remote_backend::{RemoteBackend, RemoteRunner};
use crate::remote_blocks::RemoteBlocks;
use crate::remote_match::NotPlayed;
use crate::stop_signal::StopSignal;
use crate::threads::{MatchThreads, ThreadPool, ThreadSlots};

/// The pause before a match is tried again; with every try it is longer.
const PAUSE: Duration = Duration::from_millis(100);

/// After so many matches in a row that could not be played, the tournament stops: something is
/// wrong that trying does not mend.
pub const MAX_GIVEN_UP_IN_A_ROW: u32 = 10;

/// How many matches a match thread has at least, with the one that it plays: as soon as one ends, it begins the next.
const MIN_HANDED_OUT: usize = 3;

/// How many matches a match thread has at most. Their results may wait to be stored together, so `kill -9` loses no
/// more than these.
pub const MAX_HANDED_OUT: usize = 128;

/// How long a match thread can play without new matches. It needs none while results are stored.
const AHEAD: Duration = Duration::from_millis(10);

/// How much work each thread elsewhere has: blocks of a second, of which the next is there when one ends.
const AHEAD_ELSEWHERE: Duration = Duration::from_secs(3);

/// How many matches a match thread has that keeps bots: these play one match of each block among so many, are ended,
/// and then others play the next of each.
const HANDED_OUT_TO_KEPT: usize = 64;

/// These take no longer than this: a stop and a change wait for those that were passed over.
const AHEAD_OF_KEPT: Duration = Duration::from_secs(1);

/// How many matches a match thread has at most where a result may end the tournament: the others were played in vain.
const HANDED_OUT_TO_A_RESULT: usize = 16;

/// How long a result may wait for others, to be stored in one transaction with them. Where matches are short, a
/// transaction for each costs as much as playing it.
const GROUP_WAIT: Duration = Duration::from_millis(2);

/// How often the thread that stores results looks for more meanwhile, if matches are short. If it slept until the next
/// result, each result would have to wake it. If it slept longer, threads would run out of matches of new blocks, and
/// end their bots.
const GROUP_LOOK: Duration = Duration::from_micros(250);

/// The part of a match after which it looks, if matches are longer: few of them end meanwhile.
const GROUP_LOOK_PART: u32 = 4;

/// How many events are stored before they are told, besides the results that match threads hand over: a bot that is
/// paused may have forfeited very many matches.
const MAX_UNTOLD: usize = 1_000;

/// How often the thread that stores results looks for changes that somebody requests, while no result comes.
const CHANGES_LOOK: Duration = Duration::from_millis(250);

/// After a longer match no bots are kept: it gains little, and the order of the matches would change.
const WORTH_KEEPING: Duration = Duration::from_secs(1);

/// When the bots that a match thread keeps have met so many blocks, they are ended: what they have met is kept in
/// memory.
const MAX_MET: usize = 1_000;

/// What happens while a tournament runs. It is told when it is stored.
#[derive(Debug)]
pub enum RunEvent {
    /// It begins, or goes on.
    Begins {
        /// Matches that are in the journal.
        landed: u64,
        /// Matches that there will be.
        total: Total,
    },
    /// The tournament was changed: it is so now, and goes on.
    Changed {
        /// The tournament with all its changes.
        tournament: Box<Tournament>,
        /// The new ones.
        changes: Vec<Changed>,
        /// Matches that are in the journal.
        landed: u64,
        /// Matches that there will be.
        total: Total,
    },
    /// A group of results is in the journal. What is told until the next one is told of them.
    Stored,
    /// A match is in the journal: it was played, or forfeited by a bot that is paused.
    Landed(Box<FinishedMatch>),
    /// A match is left out, because no side is there.
    LeftOut,
    /// A bot is paused.
    Paused(Pause),
    /// A match is void: the host, not a bot, was at fault.
    Void {
        /// Its id.
        id: String,
        /// Why.
        reason: String,
        /// Whether it is played again now; if not, it stays open.
        again: bool,
    },
    /// A worker on another machine has returned what is not true. Nothing of it counts any more.
    Banned {
        /// The worker.
        worker: String,
        /// What is not true.
        reason: String,
        /// How many of its results were withdrawn. These matches are played again.
        withdrawn: u64,
        /// Matches that are in the journal.
        landed: u64,
        /// Matches that there will be.
        total: Total,
    },
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunSummary {
    /// Matches played and journaled.
    pub played: u64,
    /// Matches forfeited or left out, which bots that are paused had still to play.
    pub not_played: u64,
    /// Matches that do not count, and were taken out of the journal again: a result ended the tournament before them.
    pub beyond: u64,
    /// Times that a match was void.
    pub voids: u64,
    /// Matches that were void every time and stay open.
    pub given_up: u64,
    /// Workers that were banned.
    pub banned: u64,
    /// Results that were withdrawn, because their workers were banned.
    pub withdrawn: u64,
    /// Whether it was asked to stop, and stopped before the end.
    pub stopped: bool,
}

/// Plays all matches of a tournament that the journal does not have. `player` makes an entrant ready, each once and in
/// their order: first all that there are, and later those that join meanwhile. A bot that cannot play is set aside: it
/// leaves the tournament, and the others play on. May be called again at any time, and goes on where the journal ends.
///
/// # Errors
/// When too few bots can play, the journal cannot be written, or too many matches in a row could not be played. What
/// was reported as stored stays; the results of the last group are played again.
pub fn run(
    journal: &mut Journal,
    tournament: &Tournament,
    mut player: impl FnMut(&Bot) -> Result<Player, Unready>,
    sandbox: &Sandbox,
    threads: impl Into<MatchThreads>,
    stop: &StopSignal,
    on: impl FnMut(RunEvent),
) -> Result<RunSummary, RunnerError> {
    let threads = threads.into();
    let slots = ThreadSlots::new(threads.number, threads.affinity)?;
    let settings = &tournament.settings;
    let game = flipside_games::find(&settings.game).ok_or_else(|| {
        RunnerError::Play(format!("the game {:?} is not known here", settings.game))
    })?;
    let players: RwLock<Vec<Player>> = RwLock::default();
    let ready = |now: &Tournament| {
        let mut players = players.write().unwrap_or_else(PoisonError::into_inner);
        let mut unable = Vec::new();
        for (entrant, bot) in now.entrants.iter().enumerate().skip(players.len()) {
            players.push(match player(bot) {
                Ok(player) => player,
                Err(Unready::Failed(error)) => return Err(error),
                Err(Unready::Bot(why)) => {
                    unable.push((entrant, why));
                    Player::named(bot.label(), bot.absent())
                }
            });
        }
        Ok(unable)
    };
    let player_of = |entrant: usize| {
        let players = players.read().unwrap_or_else(PoisonError::into_inner);
        players[entrant].clone()
    };
    let plan = |now: &Tournament, task: &Task| match_of(now, game, task, &player_of);
    let match_player = |number, now: &Arc<Tournament>| {
        let sandbox = slots.take(sandbox)?;
        let mut referee =
            Referee::new(sandbox).map_err(|error| RunnerError::Short(error.to_string()))?;
        referee = referee.counting_suspends(stop.suspend_counter());
        if let Some(live) = &threads.live {
            referee = referee.watched_by(live.desk(number));
        }
        let plan = &plan;
        Ok(MatchThread {
            referee,
            plan,
            tournament: Arc::clone(now),
            remote: threads.remote.as_ref(),
        })
    };
    let pool = ThreadPool {
        remote: threads.remote.as_ref(),
        number: threads.number,
        pinned: slots.is_pinned,
        is_noted: false,
    };
    through_changes(journal, tournament, pool, stop, (ready, match_player), on)
}

/// A match as it is to be played, between these players.
fn match_of(
    now: &Tournament,
    game: &'static dyn AnyGame,
    Task { pairing, away }: &Task,
    player_of: &dyn Fn(usize) -> Player,
) -> Match {
    let player =
        |(seat, &entrant): (usize, &usize)| match away.iter().find(|(other, _)| *other == seat) {
            Some((_, why)) => player_of(entrant).away(why),
            None => player_of(entrant),
        };
    Match {
        id: match_id(&now.name, pairing.index),
        game,
        options: now.settings.options.clone(),
        clock: now.settings.clock,
        seed: now.settings.match_seed(pairing),
        players: pairing.seats.iter().enumerate().map(player).collect(),
        opening_plies: now.settings.opening_plies,
        patience: now.settings.provider_patience,
    }
}

/// Plays a tournament with all changes that are requested, to its end: at each, the running matches end, the change is
/// settled, and the tournament goes on with it. `ready` hears of the tournament before anything is played of it so, and
/// tells which entrants cannot play, and why. Each player of matches is made on its match thread, by its number and the
/// tournament as it is then.
fn through_changes<W: MatchPlayer>(
    journal: &mut Journal,
    tournament: &Tournament,
    mut pool: ThreadPool<'_>,
    stop: &StopSignal,
    (mut ready, match_player): (
        impl FnMut(&Tournament) -> Result<Vec<(usize, String)>, RunnerError>,
        impl Fn(usize, &Arc<Tournament>) -> Result<W, RunnerError> + Sync,
    ),
    mut on: impl FnMut(RunEvent),
) -> Result<RunSummary, RunnerError> {
    let (mut known, mut ran) = (tournament.changes.len(), RunSummary::default());
    let mut now = settle_changes(journal, tournament.id)?;
    let mut is_first = true;
    let mut banned_before = journal.banned_workers()?;
    loop {
        let withdrawn = journal.withdraw(&now)?;
        ran.withdrawn += withdrawn.len() as u64;
        let banned = journal.banned_workers()?;
        let unable = ready(&now)?;
        if !unable.is_empty() {
            set_aside(journal, &now, &unable)?;
            now = settle_changes(journal, now.id)?;
        }
        let (numbers, as_it_is) = (AtomicUsize::new(0), Arc::new(now.clone()));
        let match_player = || match_player(numbers.fetch_add(1, Ordering::Relaxed), &as_it_is);
        let new = now.changes.get(known..).unwrap_or_default();
        let on = |event| {
            let RunEvent::Begins { landed, total } = event else {
                return on(event);
            };
            if is_first {
                on(event);
            }
            if !new.is_empty() {
                on(RunEvent::Changed {
                    tournament: Box::new(now.clone()),
                    changes: new.to_vec(),
                    landed,
                    total,
                });
            }
            let told = (&*banned, &*banned_before, &*withdrawn);
            for event in bans(told, (landed, total)) {
                on(event);
            }
        };
        let part = direct(journal, &now, now.director()?, pool, stop, match_player, on)?;
        ran.add(part);
        pool.is_noted |= part.played > 0;
        // Another run of this arena may have banned somebody meanwhile.
        let has_new = journal.banned_workers()? != banned;
        if !has_new && !journal.has_requests(now.id)? {
            return Ok(ran);
        }
        (known, is_first, banned_before) = (now.changes.len(), false, banned);
        if has_new {
            continue;
        }
        now = settle_changes(journal, now.id)?;
        if stop.is_asked() {
            ran.stopped = true;
            return Ok(ran);
        }
    }
}

/// What is told of workers that are banned: of those that are new, and of those whose results were withdrawn.
fn bans(
    (now, before, withdrawn): (&[BannedWorker], &[BannedWorker], &[(u64, String)]),
    (landed, total): (u64, Total),
) -> Vec<RunEvent> {
    let event = |one: &BannedWorker| {
        let of_it = withdrawn.iter().filter(|(_, worker)| *worker == one.worker);
        let withdrawn = of_it.count() as u64;
        (withdrawn > 0 || !before.contains(one)).then(|| RunEvent::Banned {
            worker: one.worker.clone(),
            reason: one.reason.clone(),
            withdrawn,
            landed,
            total,
        })
    };
    now.iter().filter_map(event).collect()
}

impl RunSummary {
    /// Another part of the run has ended.
    fn add(&mut self, part: RunSummary) {
        self.played += part.played;
        self.not_played += part.not_played;
        self.beyond += part.beyond;
        self.voids += part.voids;
        // Each part tries the open matches again.
        self.given_up = part.given_up;
        self.banned += part.banned;
        self.stopped = part.stopped;
    }
}

/// Plays matches, one after the other.
trait MatchPlayer {
    /// Plays a match, unless it is abandoned.
    fn play(
        &mut self,
        task: &Task,
        abandoned: &dyn Fn() -> bool,
    ) -> Result<Option<FinishedMatch>, NotPlayed>;

    /// Whether bots that have played wait for their next match.
    fn keeps_bots(&self) -> bool {
        false
    }

    /// Ends these bots.
    fn end_kept(&mut self) {}

    /// Who plays all that the queue has elsewhere, instead of one match after the other here.
    fn elsewhere(&self) -> Option<RemotePlan<'_>> {
        None
    }
}

/// Who plays elsewhere, and what.
struct RemotePlan<'a> {
    remote: &'a dyn RemoteBackend,
    plan: &'a dyn Fn(&Tournament, &Task) -> Match,
    tournament: &'a Tournament,
}

/// A referee, and what it plays.
struct MatchThread<'a, P> {
    referee: Referee,
    plan: &'a P,
    tournament: Arc<Tournament>,
    remote: Option<&'a RemoteRunner>,
}

impl<P: Fn(&Tournament, &Task) -> Match> MatchPlayer for MatchThread<'_, P> {
    fn play(
        &mut self,
        task: &Task,
        abandoned: &dyn Fn() -> bool,
    ) -> Result<Option<FinishedMatch>, NotPlayed> {
        let the_match = (self.plan)(&self.tournament, task);
        let (started_at, began) = (unix_ms(), Instant::now());
        let played = self.referee.play_unless(&the_match, abandoned);
        let played = played.map_err(|error| NotPlayed::of(&error, &the_match))?;
        Ok(played.map(|played| {
            let took = began.elapsed().as_micros() as u64;
            FinishedMatch::played(&self.tournament, &task.pairing, (started_at, took), played)
        }))
    }

    fn keeps_bots(&self) -> bool {
        self.referee.keeps_bots()
    }

    fn end_kept(&mut self) {
        self.referee.end_kept();
    }

    fn elsewhere(&self) -> Option<RemotePlan<'_>> {
        let RemoteRunner(remote) = self.remote?;
        Some(RemotePlan {
            remote: &**remote,
            plan: self.plan,
            tournament: &self.tournament,
        })
    }
}

/// Plays what a director names. Each player of matches is made on its match thread.
fn direct<'a, W: MatchPlayer>(
    journal: &mut Journal,
    tournament: &Tournament,
    mut director: Box<dyn Director>,
    pool: impl Into<ThreadPool<'a>>,
    stop: &StopSignal,
    match_player: impl Fn() -> Result<W, RunnerError> + Sync,
    mut on: impl FnMut(RunEvent),
) -> Result<RunSummary, RunnerError> {
    let pool = pool.into();
    let concurrency = pool.number;
    let mut scheduler = Scheduler::new(tournament, &mut *director);
    scheduler.replay(journal)?;
    let (landed, total) = scheduler.progress();
    on(RunEvent::Begins { landed, total });
    let banned = journal.banned_workers()?.into_iter();
    let banned: Vec<String> = banned.map(|one| one.worker).collect();
    let own = |bot| tournament.settings.bot.of(bot).at_once;
    let at_once = tournament.entrants.iter().map(own).collect();
    let queue = Queue::new(concurrency.get(), at_once, stop);
    let mut run_loop = RunLoop {
        tournament,
        scheduler,
        queue: &queue,
        pool,
        handed_out: 0,
        pace: RunPace::default(),
        given_up_in_a_row: 0,
        game_failures: 0,
        failure: None,
        unable: Vec::new(),
        untold: Vec::new(),
        ran: RunSummary::default(),
    };
    std::thread::scope(|scope| {
        let _closing = Closing(&queue);
        // There is room for all that is handed out: nobody waits here.
        let (hand_over, landing) = sync_channel(run_loop.most_ever());
        for number in 0..concurrency.get() {
            let (hand_over, queue, match_player) = (hand_over.clone(), &queue, &match_player);
            let (name, banned) = (|index| match_id(&tournament.name, index), &*banned);
            let work = move || work((number, queue), match_player, (&hand_over, banned), name);
            let thread = std::thread::Builder::new().name(format!("match-{number}"));
            let failed = |error| RunnerError::Short(format!("cannot start a thread: {error}"));
            thread.spawn_scoped(scope, work).map_err(failed)?;
        }
        drop(hand_over);
        let mut group = Vec::new();
        loop {
            run_loop.look_for_changes(journal)?;
            let has_more = run_loop.store(journal, &mut group, concurrency.get(), stop)?;
            if !run_loop.untold.is_empty() {
                on(RunEvent::Stored);
                run_loop.untold.drain(..).for_each(&mut on);
            }
            run_loop.failure.take().map_or(Ok(()), Err)?;
            if has_more {
                continue;
            }
            if run_loop.is_done() {
                break;
            }
            // All threads have gone when matches are broken off.
            if !run_loop.wait(journal, &landing, &mut group)? && group.is_empty() {
                break;
            }
        }
        Ok::<(), RunnerError>(())
    })?;
    Ok(run_loop.settled(journal, stop)?)
}

/// Where matches are handed out to threads, and come back.
struct RunLoop<'a> {
    tournament: &'a Tournament,
    scheduler: Scheduler<'a>,
    queue: &'a Queue<'a>,
    /// Who plays; it is noted with the first match that was played.
    pool: ThreadPool<'a>,
    /// How many tasks the threads have.
    handed_out: usize,
    pace: RunPace,
    given_up_in_a_row: u32,
    game_failures: u32,
    /// Why the run ends when all before it is stored.
    failure: Option<RunnerError>,
    /// The entrants that were found unable to play, and why. They are set aside when all before it is stored.
    unable: Vec<(usize, String)>,
    /// What is told when it is stored.
    untold: Vec<RunEvent>,
    ran: RunSummary,
}

/// How long a match takes: a mean in which the last ones count most.
#[derive(Debug, Default)]
struct RunPace(Option<Duration>);

impl RunPace {
    fn note(&mut self, took: Duration) {
        self.0 = Some(self.0.map_or(took, |mean| (mean * 7 + took) / 8));
    }

    /// How many matches take so long, one after the other.
    fn within(&self, time: Duration) -> usize {
        let took = self.0.unwrap_or(AHEAD).max(Duration::from_nanos(1));
        usize::try_from(time.as_nanos() / took.as_nanos()).unwrap_or(usize::MAX)
    }

    /// How long the thread that stores results sleeps before it looks for more.
    fn look(&self) -> Duration {
        let part = self.0.unwrap_or_default() / GROUP_LOOK_PART;
        part.clamp(GROUP_LOOK, GROUP_WAIT)
    }

    /// How many matches make up the work that a match thread has ahead.
    fn ahead(&self) -> usize {
        self.within(AHEAD).clamp(MIN_HANDED_OUT, MAX_HANDED_OUT)
    }

    /// The same where it keeps bots, at most so many.
    fn ahead_of_kept(&self, most: usize) -> usize {
        self.within(AHEAD_OF_KEPT).clamp(MIN_HANDED_OUT, most)
    }
}

impl RunLoop<'_> {
    /// Whether nothing is waited for any more. Results of a worker that was just banned may be among what others
    /// follow from, so then the part ends at once.
    fn is_done(&self) -> bool {
        let is_played = self.handed_out == 0 || self.scheduler.is_over();
        let audits = self.queue.audits.load(Ordering::Relaxed);
        self.ran.banned > 0 || (is_played && audits == 0)
    }

    /// Stores these results and what follows from them, in one transaction, and hands out to so many threads what may
    /// be played now. Says whether there is more to store at once.
    fn store(
        &mut self,
        journal: &mut Journal,
        group: &mut Vec<RunMessage>,
        threads: usize,
        stop: &StopSignal,
    ) -> Result<bool, Error> {
        if group.is_empty() && self.scheduler.is_over() {
            return Ok(false);
        }
        let mut tasks = Vec::new();
        journal.together(|journal| {
            for done in group.drain(..) {
                self.take(journal, done)?;
            }
            if self.failure.is_some() || stop.is_now() {
                return Ok(());
            }
            match self.queue.ends() {
                false => self.due(journal, self.most() * threads, &mut tasks),
                true => {
                    self.overdue(&mut tasks);
                    Ok(())
                }
            }
        })?;
        let unable = std::mem::take(&mut self.unable);
        if let Err(error) = set_aside(journal, self.tournament, &unable) {
            self.failure.get_or_insert(error);
        }
        self.queue.put(tasks);
        Ok(self.untold.len() >= MAX_UNTOLD)
    }

    /// When somebody has requested a change, nothing new is begun: the change is settled when all running matches have
    /// ended.
    fn look_for_changes(&mut self, journal: &Journal) -> Result<(), Error> {
        if !self.queue.ends() && journal.has_requests(self.tournament.id)? {
            self.queue.wind_up();
        }
        Ok(())
    }

    /// Waits for results, or until nothing new is begun. Says whether there are threads.
    fn wait(
        &mut self,
        journal: &Journal,
        landing: &Receiver<RunMessage>,
        group: &mut Vec<RunMessage>,
    ) -> Result<bool, Error> {
        if self.scheduler.is_over() {
            // Only audits are waited for.
            self.queue.wind_up();
        }
        loop {
            let has_threads = self.gather(landing, group);
            if !has_threads || !group.is_empty() || self.queue.ends() {
                return Ok(has_threads);
            }
            self.look_for_changes(journal)?;
        }
    }

    /// Waits for a result, and shortly for others, but not long if none comes. Says whether there are threads.
    fn gather(&self, landing: &Receiver<RunMessage>, group: &mut Vec<RunMessage>) -> bool {
        match landing.recv_timeout(CHANGES_LOOK) {
            Ok(first) => group.push(first),
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
        let until = Instant::now() + GROUP_WAIT;
        // When half of what was handed out is back, threads soon want the next matches.
        let enough = self.handed_out.div_ceil(2);
        loop {
            let more = self.handed_out.saturating_sub(group.len()).max(1);
            group.extend(landing.try_iter().take(more));
            let left = until.saturating_duration_since(Instant::now());
            if group.len() >= enough || left.is_zero() {
                return true;
            }
            std::thread::sleep(self.pace.look().min(left));
        }
    }

    /// The most tasks that are ever handed out, and may come back at the same time.
    fn most_ever(&self) -> usize {
        match self.pool.remote {
            None => MAX_HANDED_OUT * self.pool.number.get(),
            Some(_) => MAX_AHEAD,
        }
    }

    /// The most matches that a match thread has.
    fn most(&self) -> usize {
        if let Some(RemoteRunner(remote)) = self.pool.remote {
            let each = self.pace.within(AHEAD_ELSEWHERE).max(MIN_HANDED_OUT);
            return each.saturating_mul(remote.at_once()).min(MAX_AHEAD);
        }
        let ahead = self.pace.ahead();
        match self.scheduler.progress() {
            (_, Total::AtMost(_)) if !self.queue.keeps_bots() => ahead.min(HANDED_OUT_TO_A_RESULT),
            (_, Total::AtMost(_)) => self.pace.ahead_of_kept(HANDED_OUT_TO_A_RESULT),
            _ if !self.queue.keeps_bots() => ahead,
            (_, Total::Exactly(_)) => ahead.max(self.pace.ahead_of_kept(HANDED_OUT_TO_KEPT)),
        }
    }

    /// When nothing new is begun: takes back what was handed out for later, and finds what is to be played anew before
    /// others that were begun.
    fn overdue(&mut self, tasks: &mut Vec<Task>) {
        let (begun, later) = self.queue.begun();
        self.handed_out -= later;
        tasks.extend(self.scheduler.overdue(begun));
        self.handed_out += tasks.len();
    }

    /// Finds what may be played now, until so many matches are handed out.
    fn due(
        &mut self,
        journal: &mut Journal,
        most: usize,
        tasks: &mut Vec<Task>,
    ) -> Result<(), Error> {
        let mut last_block = None;
        while self.untold.len() < MAX_UNTOLD {
            // What is played elsewhere is handed out in whole blocks, so that a block is played in one place.
            let goes_on = |block| self.scheduler.is_next_of(block);
            let is_enough = self.handed_out >= most
                && !(self.pool.remote.is_some() && last_block.is_some_and(goes_on));
            if is_enough {
                break;
            }
            match self.scheduler.work(journal)? {
                Work::Play(task) => {
                    last_block = Some(task.pairing.block);
                    tasks.push(task);
                    self.handed_out += 1;
                    if self.pool.remote.is_some() {
                        self.scheduler.look_ahead(journal)?;
                    }
                }
                Work::Tell => {
                    // What is paused now is not to be played, though it was just found.
                    self.queue.put(std::mem::take(tasks));
                    self.tell(journal)?;
                }
                Work::Wait => break,
            }
        }
        Ok(())
    }

    /// Takes what a match thread hands over.
    fn take(&mut self, journal: &mut Journal, done: RunMessage) -> Result<(), Error> {
        match done {
            RunMessage::FinishedMatch(finished) => {
                self.handed_out -= 1;
                self.given_up_in_a_row = 0;
                self.pace.note(Duration::from_micros(finished.duration_us));
                if self.scheduler.played(journal, &finished)? {
                    self.ran.played += 1;
                    self.note_run(journal)?;
                    self.untold.push(RunEvent::Landed(finished));
                }
                self.tell(journal)
            }
            RunMessage::Void {
                index,
                id,
                reason,
                again,
                unable,
                of_game,
            } => {
                journal.void(self.tournament.id, index, &reason, unix_ms())?;
                self.ran.voids += 1;
                if let (Some(entrant), false) = (unable, again) {
                    // The bot is set aside, and then it is decided what becomes of the match.
                    self.unable.push((entrant, reason.clone()));
                    self.handed_out -= 1;
                    self.scheduler.given_up(index);
                } else if !again {
                    self.give_up(index, &reason, of_game);
                }
                self.untold.push(RunEvent::Void { id, reason, again });
                Ok(())
            }
            RunMessage::Audited { audit, banned } => {
                self.queue.audits.fetch_sub(1, Ordering::Relaxed);
                if let Some(audit) = audit {
                    journal.note_audit(self.tournament.id, &audit)?;
                }
                match banned {
                    Some((worker, reason)) => self.ban(journal, &worker, &reason),
                    None => Ok(()),
                }
            }
            RunMessage::Banned { worker, reason } => self.ban(journal, &worker, &reason),
            RunMessage::Failed(error) => {
                self.failure.get_or_insert(error);
                Ok(())
            }
        }
    }

    /// Nothing of a worker elsewhere counts any more.
    fn ban(&mut self, journal: &mut Journal, worker: &str, reason: &str) -> Result<(), Error> {
        tracing::warn!(worker, reason, "a worker is banned");
        self.ran.banned += 1;
        journal.ban(worker, reason)
    }

    /// Notes the run, of which a match was played.
    fn note_run(&mut self, journal: &mut Journal) -> Result<(), Error> {
        if self.pool.is_noted {
            return Ok(());
        }
        self.pool.is_noted = true;
        journal.note_run(self.tournament.id, self.pool.pinned)
    }

    /// A match cannot be played.
    fn give_up(&mut self, index: u64, reason: &str, of_game: bool) {
        self.handed_out -= 1;
        self.scheduler.given_up(index);
        self.ran.given_up += 1;
        self.given_up_in_a_row += 1;
        self.game_failures += u32::from(of_game);
        if self.game_failures >= MAX_GAME_FAILURES {
            let why = reason.to_owned();
            self.failure.get_or_insert(RunnerError::Game(why));
        }
        if self.given_up_in_a_row >= MAX_GIVEN_UP_IN_A_ROW {
            let why = format!(
                "{} matches in a row could not be played; the last: {reason}",
                self.given_up_in_a_row
            );
            self.failure.get_or_insert(RunnerError::Short(why));
        }
    }

    /// Notes the news. Tasks of bots that are paused since are withdrawn, to be decided anew.
    fn tell(&mut self, journal: &mut Journal) -> Result<(), Error> {
        loop {
            let all = self.scheduler.news();
            if all.is_empty() {
                return Ok(());
            }
            for news in all {
                match news {
                    SchedulerEvent::Forfeited(finished) => {
                        self.ran.not_played += 1;
                        self.untold.push(RunEvent::Landed(finished));
                    }
                    SchedulerEvent::LeftOut => {
                        self.ran.not_played += 1;
                        self.untold.push(RunEvent::LeftOut);
                    }
                    SchedulerEvent::Paused { entrant, pause } => {
                        self.untold.push(RunEvent::Paused(pause));
                        let of_bot = |task: &Task| task.pairing.seats.contains(&entrant);
                        for task in self.queue.withdraw(of_bot) {
                            self.handed_out -= 1;
                            self.scheduler.withdrawn(journal, task.pairing.index)?;
                        }
                    }
                }
            }
        }
    }

    /// What came of the run, when all of it is in the journal.
    fn settled(mut self, journal: &mut Journal, stop: &StopSignal) -> Result<RunSummary, Error> {
        if self.scheduler.is_over() {
            let (_, total) = self.scheduler.progress();
            self.ran.beyond = journal.forget_from(self.tournament.id, total.most())?;
        }
        self.ran.stopped = stop.is_asked() && !self.scheduler.is_over();
        journal.settle()?;
        Ok(self.ran)
    }
}

/// Tells that a match thread has panicked: nobody waits for the result of its match then.
struct TellsPanic<'a>(&'a SyncSender<RunMessage>);

impl Drop for TellsPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let error = RunnerError::Play("a thread that plays matches has panicked".into());
            // When nobody takes it, the run has ended.
            let _ = self.0.send(RunMessage::Failed(error));
        }
    }
}

/// What a match thread does until there is nothing to do any more.
fn work<W: MatchPlayer>(
    (number, queue): (usize, &Queue<'_>),
    match_player: impl Fn() -> Result<W, RunnerError>,
    (hand_over, banned): (&SyncSender<RunMessage>, &[String]),
    name: impl Fn(u64) -> String,
) {
    let _panic = TellsPanic(hand_over);
    let mut match_player = match match_player() {
        Ok(match_player) => match_player,
        Err(error) => return drop(hand_over.send(RunMessage::Failed(error))),
    };
    if let Some(RemotePlan {
        remote,
        plan,
        tournament,
    }) = match_player.elsewhere()
    {
        let mut blocks = RemoteBlocks::new(queue, hand_over, plan, tournament, banned);
        if let Err(error) = remote.play(&mut blocks) {
            // When nobody takes it, the run has ended.
            let _ = hand_over.send(RunMessage::Failed(error));
        }
        return;
    }
    while let Some(QueuedTask { task, met }) = queue.take(number) {
        if met || queue.met(number) > MAX_MET {
            match_player.end_kept();
            queue.ended(number, Some(&task));
        }
        let began = Instant::now();
        for tries in 1..=MAX_TRIES {
            let done = match match_player.play(&task, &|| queue.is_abandoned()) {
                Ok(Some(finished)) => RunMessage::FinishedMatch(Box::new(finished)),
                Ok(None) => return,
                Err(NotPlayed {
                    reason,
                    seat,
                    of_game,
                }) => {
                    let index = task.pairing.index;
                    let id = name(index);
                    tracing::error!(id, reason, tries, "a match is void");
                    RunMessage::Void {
                        index,
                        id,
                        reason,
                        // A program that fails is the same at the next try.
                        again: tries < MAX_TRIES && !of_game,
                        unable: seat.map(|seat| task.pairing.seats[seat]),
                        of_game,
                    }
                }
            };
            let again = matches!(done, RunMessage::Void { again: true, .. });
            // When nobody takes it, the run has ended.
            if hand_over.send(done).is_err() {
                return;
            }
            if !again {
                break;
            }
            // What the host lacks now it may have in a moment.
            std::thread::sleep(PAUSE * tries);
        }
        if began.elapsed() > WORTH_KEEPING {
            match_player.end_kept();
        }
        if !match_player.keeps_bots() {
            queue.ended(number, None);
        }
    }
}
