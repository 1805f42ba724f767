//! The worker's side: fetches jobs, plays their matches, and returns the records.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bytes::Bytes;
use flipside_games::AnyGame;
use flipside_operations::{Processes, game_of_version, program_in};
use flipside_referee::Referee;
use flipside_runner::{NotPlayed, RemoteMatch, RemoteSeat, StopSignal};
use flipside_sandbox::lock::lock;
use flipside_sandbox::{
    FileUse, LARGEST_PROGRAM, Program, Sandbox, make_private_folder, make_room,
};
use flipside_store::unix_ms;
use flipside_tournament::{BotFile, GameVersion};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::error::{RunError, runtime};
use crate::job::{AnsweredMatch, JobProgram, MatchOutcome, WorkerJob, WorkerJobResult, queue};
use crate::presence::{ANNOUNCE_EVERY, About};
use crate::transport;
use crate::transport::address::Address;
use crate::transport::connection::{Connection, Options};
use crate::transport::names::{JobId, QueueName, Sha256Hash};
use crate::transport::worker::{WorkItem, Worker};

/// How long a fetch of jobs waits.
const FETCH_WAIT: Duration = Duration::from_secs(2);

/// How often the server hears that a job is being played. It hands it to another after three times as long.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

/// The pause after a request to the server has failed.
const PAUSE: Duration = Duration::from_millis(500);

/// The pause after a job that cannot be played here.
const UNABLE_PAUSE: Duration = Duration::from_secs(1);

/// What is said when there is nothing from which to fetch.
const NO_ARENA: &str = "no arena of this version has used this server yet, or nats.conf names another version; waiting for one";

/// How often it is looked whether something has ended, or the worker is to stop.
const LOOK: Duration = Duration::from_millis(20);

/// How long the server may be away before the worker ends.
const MAX_AWAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The same for a worker that is asked to stop. What it could not return comes to others.
const MAX_AWAY_AT_STOP: Duration = Duration::from_secs(10);

/// The folder of the bots' files, in that of the worker.
const BOTS: &str = "bots";

/// The most bytes that these files take: sixty-four of the largest.
const MOST_FILES: u64 = 64 * LARGEST_PROGRAM;

/// What a worker is.
pub struct PlayerSettings {
    /// The server.
    pub address: Address,
    /// Who it is there.
    pub options: Options,
    /// Its folder, for files of bots and compiled modules.
    pub folder: PathBuf,
    /// How many matches it plays at once.
    pub threads: NonZeroUsize,
    /// Whether it plays processes without isolation, if a tournament asks for that.
    pub trust: bool,
    /// The class of its machine: machines of one class are equally fast.
    pub class: String,
}

/// What a worker has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkDone {
    /// Matches that it played and returned.
    pub played: u64,
    /// Matches that it could not play.
    pub voids: u64,
}

/// Plays for the directors at a server until it is asked to stop; then it finishes what it plays. `note` hears, in a
/// line, that it begins, that the server fails, and that it works again.
///
/// # Errors
/// When the server refuses the worker, or its folder cannot be written.
pub fn work(
    settings: &PlayerSettings,
    stop: &StopSignal,
    note: &mut dyn FnMut(&str),
) -> Result<WorkDone, RunError> {
    runtime()?.block_on(async {
        let connection = Connection::connect(&settings.address, &settings.options).await?;
        let class = &settings.class;
        let (name, threads) = (&settings.options.name, settings.threads);
        let address = &settings.address;
        note(&format!(
            "{name} plays up to {threads} matches at once for {address}, on a machine of class {class}; Ctrl-C ends it"
        ));
        let mut desk = PlayerPool::new(settings, stop, Worker::new(connection))?;
        let done = desk.serve(note).await;
        desk.leave().await;
        done
    })
}

/// A job on its way to a thread: its number here, and what it needs.
struct QueuedJob {
    number: u64,
    job: WorkerJob,
    /// Each program, or why it cannot be started here.
    programs: Vec<Result<Program, String>>,
}

/// A job that is played.
struct RunningJob {
    item: WorkItem,
    id: JobId,
    /// The files of its bots, which stay until it is over.
    files: Vec<String>,
}

/// A fetch of jobs.
type Fetch = Pin<Box<dyn Future<Output = Result<Vec<WorkItem>, transport::error::Error>>>>;

/// The threads that play, and what they play.
struct PlayerPool<'a> {
    settings: &'a PlayerSettings,
    stop: &'a StopSignal,
    worker: Worker,
    queue: QueueName,
    sender: Option<Sender<QueuedJob>>,
    answers: UnboundedReceiver<(u64, WorkerJobResult)>,
    threads: Vec<JoinHandle<()>>,
    playing: HashMap<u64, RunningJob>,
    /// Answers that could not be sent yet.
    unsent: VecDeque<(u64, WorkerJobResult)>,
    next: u64,
    programs: HashMap<JobProgram, Program>,
    /// The jobs that are being fetched.
    fetch: Option<Fetch>,
    done: WorkDone,
    /// Until when nothing is fetched.
    rest_until: Option<Instant>,
    /// Whether the queue is not open, and this was said.
    waits_for_an_arena: bool,
    announced: Option<(Instant, u64)>,
    told: Instant,
}

impl<'a> PlayerPool<'a> {
    fn new(
        settings: &'a PlayerSettings,
        stop: &'a StopSignal,
        worker: Worker,
    ) -> Result<Self, RunError> {
        let (sender, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let (answer, answers) = unbounded_channel();
        let bench = ThreadResources::new(settings);
        let mut threads = Vec::new();
        for number in 0..settings.threads.get() {
            let (waiting, answer) = (Arc::clone(&waiting), answer.clone());
            let (bench, stop) = (bench.clone(), stop.clone());
            let thread = thread::Builder::new().name(format!("match-{number}"));
            let thread = thread.spawn(move || bench.play_all(&waiting, &answer, &stop));
            let failed = |error| RunError::Here(format!("cannot start a thread: {error}"));
            threads.push(thread.map_err(failed)?);
        }
        Ok(PlayerPool {
            settings,
            stop,
            worker,
            queue: queue(),
            sender: Some(sender),
            answers,
            threads,
            playing: HashMap::new(),
            unsent: VecDeque::new(),
            next: 0,
            programs: HashMap::new(),
            fetch: None,
            done: WorkDone::default(),
            rest_until: None,
            waits_for_an_arena: false,
            announced: None,
            told: Instant::now(),
        })
    }

    /// Serves until it is asked to stop, and what it plays has ended.
    async fn serve(&mut self, note: &mut dyn FnMut(&str)) -> Result<WorkDone, RunError> {
        let mut away_since: Option<Instant> = None;
        loop {
            let is_idle = self.playing.is_empty() && self.fetch.is_none();
            if self.stop.is_now() || (self.stop.is_asked() && is_idle) {
                return Ok(self.done);
            }
            match self.step(note).await {
                Ok(()) => {
                    if away_since.take().is_some() {
                        note("the server works");
                    }
                }
                Err(error) => {
                    if away_since.is_none() {
                        note(&match &error {
                            RunError::Transport(transport::error::Error::NotSetUp(_)) => {
                                NO_ARENA.into()
                            }
                            error => format!("{error}; trying again"),
                        });
                    }
                    let since = *away_since.get_or_insert_with(Instant::now);
                    if !error.is_passing() || since.elapsed() > MAX_AWAY {
                        return Err(error);
                    }
                    if self.stop.is_asked() && since.elapsed() > MAX_AWAY_AT_STOP {
                        return Ok(self.done);
                    }
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    async fn step(&mut self, note: &mut dyn FnMut(&str)) -> Result<(), RunError> {
        self.say_progress().await?;
        self.return_answers().await?;
        self.announce().await?;
        // One waits for the first thread that has nothing to do.
        let free = (self.settings.threads.get() + 1).saturating_sub(self.playing.len());
        let rests = self.rest_until.is_some_and(|until| Instant::now() < until);
        if self.fetch.is_none() && free > 0 && !rests && !self.stop.is_asked() {
            let (worker, queue) = (self.worker.clone(), self.queue.clone());
            self.fetch = Some(Box::pin(async move {
                worker.next(&queue, free, FETCH_WAIT).await
            }));
        }
        // An answer that comes meanwhile is not to wait for a job. A fetch is never dropped: what came with it would
        // be missing for as long as the server waits for a worker that does not answer.
        let fetched = async {
            match &mut self.fetch {
                Some(fetch) => fetch.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            Some((number, answer)) = self.answers.recv() => self.give(number, answer).await,
            items = fetched => {
                self.fetch = None;
                // A director opens the queue when it comes.
                if let Err(transport::error::Error::NotSetUp(_)) = items {
                    if !std::mem::replace(&mut self.waits_for_an_arena, true) {
                        note(NO_ARENA);
                    }
                    self.rest();
                    return Ok(());
                }
                self.waits_for_an_arena = false;
                self.take_all(items?).await
            }
            () = tokio::time::sleep(LOOK) => Ok(()),
        }
    }

    /// Takes jobs. All of them are kept alive from now on, also while the files for one of them are fetched.
    async fn take_all(&mut self, items: Vec<WorkItem>) -> Result<(), RunError> {
        let mut jobs = Vec::new();
        for item in items {
            match serde_json::from_slice::<WorkerJob>(item.payload()) {
                Ok(job) => {
                    self.next += 1;
                    let id = job.id.clone();
                    let files = Vec::new();
                    self.playing
                        .insert(self.next, RunningJob { item, id, files });
                    jobs.push((self.next, job));
                }
                Err(error) => {
                    tracing::warn!(%error, "a job cannot be read");
                    if let Err(error) = item.done().await {
                        tracing::debug!(%error, "it comes again");
                    }
                }
            }
        }
        let mut jobs = jobs.into_iter();
        while let Some((number, job)) = jobs.next() {
            if let Err(error) = self.take(number, job).await {
                // Nobody says any more that these are played, so they come again.
                self.playing.remove(&number);
                jobs.for_each(|(number, _)| drop(self.playing.remove(&number)));
                return Err(error);
            }
        }
        Ok(())
    }

    /// Takes a job, and gives it to a thread when its programs are here.
    async fn take(&mut self, number: u64, job: WorkerJob) -> Result<(), RunError> {
        if self.stop.is_asked() {
            return self.give_back(number).await;
        }
        let machine = job.machine.as_ref();
        if machine.is_some_and(|machine| *machine != self.settings.class) {
            // One of the class that is demanded is to be quicker.
            self.rest();
            return self.give_back(number).await;
        }
        match self.programs(&job).await {
            Ok(programs) => {
                if let Some(playing) = self.playing.get_mut(&number) {
                    playing.files = job.files().collect();
                }
                if programs.iter().any(Result::is_err) {
                    // Others, who can, are to be quicker.
                    self.rest();
                }
                let queued = QueuedJob {
                    number,
                    job,
                    programs,
                };
                let sender = self.sender.as_ref();
                match sender.is_some_and(|sender| sender.send(queued).is_ok()) {
                    true => Ok(()),
                    false => Err(RunError::Here("the threads that play have ended".into())),
                }
            }
            // The director uploads a file again that the server has lost.
            Err(JobError::Server(error)) if error.is_passing() || error.is_of_the_file() => {
                tracing::warn!(%error, "a job is given back");
                self.rest();
                self.give_back(number).await?;
                match error.is_passing() {
                    true => Err(error.into()),
                    false => Ok(()),
                }
            }
            Err(missing) => {
                let reason = missing.to_string();
                tracing::warn!(reason, "a job cannot be played here");
                // Others, who can, are to be quicker.
                self.rest();
                self.give(number, void(&job, &reason)).await
            }
        }
    }

    /// Fetches nothing for a moment.
    fn rest(&mut self) {
        self.rest_until = Some(Instant::now() + UNABLE_PAUSE);
    }

    async fn give_back(&mut self, number: u64) -> Result<(), RunError> {
        if let Some(RunningJob { item, .. }) = self.playing.remove(&number) {
            item.give_back().await?;
        }
        Ok(())
    }

    /// The programs of a job, whose files are fetched if they are not here.
    async fn programs(
        &mut self,
        job: &WorkerJob,
    ) -> Result<Vec<Result<Program, String>>, JobError> {
        if job.trust && !self.settings.trust {
            let what = "this worker plays no processes without isolation";
            return Err(JobError::Worker(what.into()));
        }
        let mut programs = Vec::new();
        for job_program in &job.programs {
            if let Some(known) = self.programs.get(job_program) {
                programs.push(Ok(known.clone()));
                continue;
            }
            programs.push(match self.program(job_program, job).await {
                Ok(program) => {
                    self.programs.insert(job_program.clone(), program.clone());
                    Ok(program)
                }
                Err(JobError::Program(reason)) => {
                    tracing::warn!(reason, "a bot cannot be started here");
                    Err(reason)
                }
                Err(missing) => return Err(missing),
            });
        }
        Ok(programs)
    }

    /// A program, whose file is fetched if it is not here.
    async fn program(
        &mut self,
        job_program: &JobProgram,
        job: &WorkerJob,
    ) -> Result<Program, JobError> {
        let folder = self.settings.folder.join(BOTS);
        let stored = job_program
            .file
            .as_ref()
            .and_then(|file| file.path_in(&folder));
        match (&job_program.content, stored) {
            (Some(content), Some(path)) => self.fetch(content, &path, job).await?,
            // It is built in.
            (None, None) if job_program.file.is_some() => {}
            // Nobody starts it.
            _ => {
                let JobProgram {
                    kind, sha256, size, ..
                } = job_program;
                return Ok(Program::absent("absent", *kind, sha256, *size));
            }
        }
        let file = job_program.file.as_ref().expect("it was just looked at");
        let program = program_in(file, &folder);
        let program = program.map_err(|failure| JobError::Program(failure.message().into()))?;
        match program.sha256() == job_program.sha256 {
            true => Ok(program),
            false => Err(JobError::Program(format!("{file} is another program here"))),
        }
    }

    /// Fetches a file, unless it is here. Meanwhile the server hears that the jobs are still played.
    async fn fetch(
        &mut self,
        content: &Sha256Hash,
        path: &Path,
        needed: &WorkerJob,
    ) -> Result<(), JobError> {
        let is_it = |bytes: Vec<u8>| Sha256Hash::of(&bytes) == *content;
        if fs::read(path).is_ok_and(is_it) {
            return Ok(());
        }
        let worker = self.worker.clone();
        let mut fetching = pin!(worker.get_file(content));
        let bytes = loop {
            tokio::select! {
                bytes = &mut fetching => break bytes?,
                () = tokio::time::sleep(PROGRESS_EVERY / 2) => {
                    if let Err(RunError::Transport(error)) = self.say_progress().await {
                        return Err(error.into());
                    }
                }
            }
        };
        let failed = |error: std::io::Error| JobError::Worker(error.to_string());
        self.make_room(bytes.len() as u64, needed).map_err(failed)?;
        store(path, &bytes).map_err(failed)
    }

    /// Removes files of bots that no job needs, until there is room for so many bytes more. They can be fetched
    /// again.
    fn make_room(&mut self, more: u64, needed: &WorkerJob) -> std::io::Result<()> {
        let folder = self.settings.folder.join(BOTS);
        let played = self.playing.values().flat_map(|playing| &playing.files);
        let used: HashSet<String> = needed.files().chain(played.cloned()).collect();
        let most = MOST_FILES.saturating_sub(more);
        let removed = make_room(&folder, most, |name| match used.contains(name) {
            true => FileUse::Used,
            false => FileUse::Spare,
        })?;
        let is_there = |program: &JobProgram| {
            let file = program.file.as_ref().map(BotFile::to_string);
            file.is_none_or(|file| !removed.contains(&file))
        };
        self.programs.retain(|program, _| is_there(program));
        Ok(())
    }

    /// Returns what has ended.
    async fn return_answers(&mut self) -> Result<(), RunError> {
        let mut ended = std::mem::take(&mut self.unsent);
        ended.extend(std::iter::from_fn(|| self.answers.try_recv().ok()));
        let mut failed = None;
        for (number, answer) in ended {
            if let Err(error) = self.give(number, answer).await {
                failed.get_or_insert(error);
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Returns an answer. Where that fails, it is returned later: until then, the job is still in progress.
    async fn give(&mut self, number: u64, answer: WorkerJobResult) -> Result<(), RunError> {
        let Some(RunningJob { item, id, .. }) = self.playing.get(&number) else {
            return Ok(());
        };
        let json = serde_json::to_vec(&answer).expect("an answer is JSON");
        let sent = self
            .worker
            .send_result(item.run(), id.as_str(), Bytes::from(json));
        match sent.await {
            Ok(_) => {}
            Err(error) if error.is_passing() => {
                self.unsent.push_back((number, answer));
                return Err(error.into());
            }
            // Nothing of it can be sent, and nobody else could send it.
            Err(error @ transport::error::Error::TooLarge { .. }) if answer.has_records() => {
                let answer = answer.without_records(&error.to_string());
                self.unsent.push_back((number, answer));
                return Ok(());
            }
            Err(error) => {
                self.playing.remove(&number);
                return Err(error.into());
            }
        }
        for one in &answer.matches {
            match one.outcome {
                MatchOutcome::Played(_) => self.done.played += 1,
                MatchOutcome::Void { .. } => self.done.voids += 1,
            }
        }
        match self.playing.remove(&number) {
            Some(RunningJob { item, .. }) => Ok(item.done().await?),
            None => Ok(()),
        }
    }

    /// Says that all that is played is still played.
    async fn say_progress(&mut self) -> Result<(), RunError> {
        if self.told.elapsed() < PROGRESS_EVERY {
            return Ok(());
        }
        for playing in self.playing.values() {
            playing.item.in_progress().await?;
        }
        self.told = Instant::now();
        Ok(())
    }

    /// Says that it is there.
    async fn announce(&mut self) -> Result<(), RunError> {
        let (before, played) = match self.announced {
            Some((at, _)) if at.elapsed() < ANNOUNCE_EVERY => return Ok(()),
            Some((at, played)) => (at.elapsed().as_secs_f64(), played),
            None => (1.0, 0),
        };
        let threads = self.settings.threads.get();
        let about = About {
            flipside: env!("CARGO_PKG_VERSION").into(),
            class: self.settings.class.clone(),
            threads,
            played: self.done.played,
            per_second: (self.done.played - played) as f64 / before,
            busy: self.playing.len().min(threads) as f64 / threads as f64,
        };
        let json = serde_json::to_vec(&about).expect("it is JSON");
        self.worker.announce(Bytes::from(json)).await?;
        self.announced = Some((Instant::now(), self.done.played));
        Ok(())
    }

    /// Gives back what is still played, and ends the threads.
    async fn leave(mut self) {
        self.sender = None;
        // What others play from now on is not to be played here as well.
        self.stop.now();
        for (_, RunningJob { item, .. }) in self.playing.drain() {
            if let Err(error) = item.give_back().await {
                tracing::warn!(%error, "a job comes to others only after a while");
            }
        }
        if let Err(error) = self.worker.leave().await {
            tracing::debug!(%error, "the worker is listed for a while");
        }
        for thread in self.threads {
            // One that has panicked has said so.
            let _ = thread.join();
        }
    }
}

/// Why a job cannot be played here.
#[derive(Debug, thiserror::Error)]
enum JobError {
    #[error(transparent)]
    Server(#[from] transport::error::Error),
    /// The worker lacks something.
    #[error("{0}")]
    Worker(String),
    /// A program cannot be started here: why.
    #[error("{0}")]
    Program(String),
}

/// Writes a file as a whole or not at all.
fn store(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_private_folder(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    // A process is executed by the user of its jail.
    file.as_file()
        .set_permissions(fs::Permissions::from_mode(0o755))?;
    file.persist(path)?;
    Ok(())
}

/// The answer to a job of which nothing can be played.
fn void(job: &WorkerJob, reason: &str) -> WorkerJobResult {
    let one = |index| AnsweredMatch {
        index,
        outcome: MatchOutcome::void(reason),
    };
    WorkerJobResult {
        id: job.id.clone(),
        matches: job.matches.iter().map(|it| one(it.index)).collect(),
    }
}

/// What a thread plays with.
#[derive(Clone)]
struct ThreadResources {
    /// By whether processes are trusted, and whether they may ponder: where bots run.
    sandboxes: Arc<HashMap<(bool, bool), Sandbox>>,
    /// The class of this machine.
    class: Arc<str>,
    /// The games whose programs were started.
    games: Arc<Mutex<HashMap<StartedGame, &'static dyn AnyGame>>>,
}

/// Which program of a game was started: its name in the arena, the SHA-256 of the program, and whether processes are
/// trusted.
type StartedGame = (String, String, bool);

impl ThreadResources {
    fn new(settings: &PlayerSettings) -> Self {
        let (folder, threads) = (&settings.folder, settings.threads.get());
        let all = [false, true].map(|trust| [false, true].map(|ponder| (trust, ponder)));
        let sandboxes = all.into_iter().flatten().map(|(trust, ponder)| {
            let cache = Some(folder.join("cache"));
            let sandbox = Processes { trust, ponder }.sandbox_with(folder, cache, threads);
            ((trust, ponder), sandbox)
        });
        ThreadResources {
            sandboxes: Arc::new(sandboxes.collect()),
            class: settings.class.as_str().into(),
            games: Arc::default(),
        }
    }

    /// The game of a job. That of a program is kept for as long as the worker runs.
    fn game(&self, queued: &QueuedJob) -> Result<&'static dyn AnyGame, String> {
        let job = &queued.job;
        let name = job.matches.first().map_or("", |one| &one.game);
        if job.matches.iter().any(|one| one.game != name) {
            return Err("the matches of a job are of several games".into());
        }
        let Some(number) = job.game else {
            let built_in = flipside_games::GAMES
                .iter()
                .find(|game| game.info().id == name);
            return built_in
                .copied()
                .ok_or_else(|| format!("the game {name:?} is not known here"));
        };
        let program = queued.programs.get(number);
        let program = program
            .ok_or("the program of the game is not there")?
            .clone()?;
        let version: GameVersion = name.parse().map_err(|error| format!("{name:?}: {error}"))?;
        let key = (name.to_owned(), program.sha256().to_owned(), job.trust);
        let mut games = lock(&self.games);
        if let Some(known) = games.get(&key) {
            return Ok(*known);
        }
        let sandbox = &self.sandboxes[&(job.trust, false)];
        let opened = game_of_version(&program, &version, sandbox);
        let opened = opened.map_err(|failure| failure.message().to_owned())?;
        let game: &'static dyn AnyGame = Box::leak(Box::new(opened));
        games.insert(key, game);
        Ok(game)
    }

    /// Plays jobs until there are no more.
    fn play_all(
        &self,
        queue: &Mutex<Receiver<QueuedJob>>,
        answers: &UnboundedSender<(u64, WorkerJobResult)>,
        stop: &StopSignal,
    ) {
        let mut referees: HashMap<(bool, bool), Referee> = HashMap::new();
        loop {
            let queued = lock(queue).recv();
            let Ok(queued) = queued else {
                return;
            };
            let key = (queued.job.trust, queued.job.ponder);
            let referee = match referees.remove(&key) {
                Some(referee) => Ok(referee),
                None => Referee::new(self.sandboxes[&key].clone()).map(|referee| {
                    referee
                        .counting_suspends(stop.suspend_counter())
                        .on_machine(&self.class)
                }),
            };
            let answer = match referee {
                Err(error) => void(&queued.job, &error.to_string()),
                Ok(mut referee) => {
                    let answer = match self.game(&queued) {
                        Ok(game) => play(&queued, game, &mut referee, stop),
                        Err(reason) => Some(void(&queued.job, &reason)),
                    };
                    let Some(answer) = answer else {
                        return;
                    };
                    referees.insert(key, referee);
                    answer
                }
            };
            if answers.send((queued.number, answer)).is_err() {
                return;
            }
        }
    }
}

/// Plays the matches of a job, one after the other; nothing if it is to stop now.
fn play(
    queued: &QueuedJob,
    game: &'static dyn AnyGame,
    referee: &mut Referee,
    stop: &StopSignal,
) -> Option<WorkerJobResult> {
    let mut matches = Vec::new();
    for one in &queued.job.matches {
        let the_match = one.the_match(game, &queued.programs);
        let (started_at, began) = (unix_ms(), Instant::now());
        let played = the_match.and_then(|the_match| {
            let played = referee.play_unless(&the_match, || stop.is_now());
            // The next may be of the same block, whose chance its bots know.
            referee.end_kept();
            played.map_err(|error| NotPlayed::of(&error, &the_match))
        });
        let outcome = match played {
            Ok(None) => return None,
            Err(NotPlayed {
                reason,
                seat,
                of_game,
            }) => MatchOutcome::Void {
                reason,
                seat,
                of_game,
            },
            Ok(Some(played)) => MatchOutcome::Played(RemoteMatch {
                record: played.record,
                started_at,
                duration_us: began.elapsed().as_micros().try_into().unwrap_or(u64::MAX),
                seats: played.seats.into_iter().map(RemoteSeat::of).collect(),
            }),
        };
        matches.push(AnsweredMatch {
            index: one.index,
            outcome,
        });
    }
    Some(WorkerJobResult {
        id: queued.job.id.clone(),
        matches,
    })
}
