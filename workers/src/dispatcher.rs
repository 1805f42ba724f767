//! The director's side: hands out the blocks of a tournament to workers, and takes what they return.
//!
//! The journal is the truth. Whatever is lost on the way is out for too long, and is handed out again; what comes twice
//! counts once, and each record is verified before it counts.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use flipside_runner::{
    Assignment, NotLanded, NotPlayed, RemoteBackend, RemoteBlocks, RemoteMatch, RunnerError,
};
use flipside_store::Arena;
use flipside_tournament::{Bot, GameVersion, Tournament};

use crate::audit::Audits;
use crate::error::{RunError, runtime};
use crate::job::{
    AnsweredMatch, JobMatch, JobProgram, MatchOutcome, WorkerJob, WorkerJobResult, queue,
};
use crate::presence::About;
use crate::transport::address::Address;
use crate::transport::connection::{Connection, Options};
use crate::transport::director::{Presence, RunResult, TransportDirector};
use crate::transport::error::Error as TransportError;
use crate::transport::names::{JobId, QueueName, RunId, Sha256Hash, WorkerName};
use crate::transport::streams::PRESENCE_TTL;

/// How much work is in a job, by the mean time of a match.
const ORDER_TIME: Duration = Duration::from_secs(1);

/// The most matches of a job, but for the rest of its last block.
const MAX_ORDER_MATCHES: usize = 256;

/// The most bytes of a job of several blocks. A message to the server may have twice as many.
const MAX_ORDER_BYTES: usize = 512 * 1024;

/// How long a fetch of results waits: meanwhile nothing is handed out.
const FETCH_WAIT: Duration = Duration::from_millis(100);

/// How long it waits while nothing is out.
const IDLE_WAIT: Duration = Duration::from_millis(5);

/// How many answers are fetched at once.
const MAX_ANSWERS: usize = 64;

/// A job is handed out again when it has been out for so long while workers were there. The server hands a job to
/// another worker when its worker dies, so only a job or an answer that was lost at the server is out for so long;
/// or a very long match, whose answer counts all the same.
const LOST_AFTER: Duration = Duration::from_secs(600);

/// The least of that, in matches of mean length.
const LOST_AFTER_MATCHES: u32 = 30;

/// After so many void matches, nothing is expected of a worker any more. Each match that it plays halves the count.
const MAX_VOIDS_OF_ONE: u32 = 20;

/// A match that the same worker could not play twice is handed out again after so long: time for others to take what
/// else there is. A worker that has gone is forgotten by then, so that it is not waited for.
const OTHERS_FIRST: Duration = PRESENCE_TTL.saturating_add(Duration::from_secs(10));

/// The share of the matches that are audited, unless somebody says otherwise.
const AUDITED: f64 = 0.02;

/// How often it is looked who is there.
const PRESENCE_LOOK: Duration = Duration::from_secs(2);

/// How long the server may be away. Then the tournament stops, and keeps what it has.
const MAX_AWAY: Duration = Duration::from_secs(600);

/// When nothing comes back for so long, though workers are there, somebody should look at the server.
const QUIET: Duration = Duration::from_secs(120);

/// The most jobs that were handed out again and whose first answers still count.
const MAX_LOST: usize = 256;

/// The pause after a request to the server has failed.
const PAUSE: Duration = Duration::from_millis(500);

/// How often files are uploaded anew that the run still needs: the server keeps them for longer.
const UPLOAD_AGAIN: Duration = Duration::from_secs(6 * 60 * 60);

/// How the matches of tournaments are played on workers.
pub struct DispatcherSettings {
    /// The server.
    pub address: Address,
    /// Who the director is there.
    pub options: Options,
    /// The folder of the arena.
    pub arena: PathBuf,
    /// The share of the matches that are audited, from 0 to 1, if somebody asked for one; else 2 %.
    pub audit: Option<f64>,
    /// The class of machines that play, if only one will do.
    pub class: Option<String>,
}

/// Plays the matches of tournaments on workers.
pub struct Dispatcher {
    settings: DispatcherSettings,
    /// How many matches they play at once.
    at_once: AtomicUsize,
    /// Whether it has said that matches are not audited.
    has_warned: AtomicBool,
    /// Hears what is worth a line.
    note: Box<dyn Fn(&str) + Send + Sync>,
}

impl Dispatcher {
    /// A dispatcher for the tournaments of an arena. `note` hears, in a line, of workers that are missing or of no use.
    pub fn new(settings: DispatcherSettings, note: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Dispatcher {
            settings,
            at_once: AtomicUsize::new(1),
            has_warned: AtomicBool::new(false),
            note: Box::new(note),
        }
    }

    async fn carry(&self, blocks: &mut RemoteBlocks<'_>) -> Result<(), RunError> {
        let settings = &self.settings;
        // Where clocks count fuel, the machine has no influence.
        let class = settings.class.clone().filter(|_| blocks.is_timed());
        blocks.demand(class.clone());
        let share = settings.audit.unwrap_or(AUDITED);
        let asks_in_vain = blocks.is_timed() && settings.audit.is_some_and(|share| share > 0.0);
        if asks_in_vain && !self.has_warned.swap(true, Ordering::Relaxed) {
            (self.note)(
                "matches on clocks that count time are not audited: whoever runs a worker is trusted there",
            );
        }
        let connection = Connection::connect(&settings.address, &settings.options);
        let director = TransportDirector::new(connection.await?);
        let queue = queue();
        director.set_up(&queue).await?;
        let id = run_of(blocks.tournament());
        // What an earlier run has left, which was killed.
        director.forget(&id).await?;
        let mut run = DispatcherRun {
            dispatcher: self,
            class,
            queue,
            id,
            director,
            unsent: VecDeque::new(),
            held: VecDeque::new(),
            sent: HashMap::new(),
            audits: Audits::new(share, &settings.arena, blocks.banned_before()),
            mean: None,
            uploaded: HashMap::new(),
            voids: HashMap::new(),
            threads: 0,
            present: HashSet::new(),
            looked: None,
            asked_for_rest: None,
            has_lost_all: false,
            heard: Instant::now(),
            away_since: None,
        };
        let done = run.carry_all(blocks).await;
        // What is left would be played in vain.
        if let Err(error) = run.director.forget(&run.id).await {
            tracing::warn!(%error, "the rest of a run stays on the server for a while");
        }
        done
    }
}

impl RemoteBackend for Dispatcher {
    fn play(&self, blocks: &mut RemoteBlocks<'_>) -> Result<(), RunnerError> {
        let carried = runtime().and_then(|runtime| runtime.block_on(self.carry(blocks)));
        carried.map_err(|error| match error.hint() {
            Some(hint) => RunnerError::Play(format!("{error}; {hint}")),
            None => RunnerError::Play(error.to_string()),
        })
    }

    fn at_once(&self) -> usize {
        self.at_once.load(Ordering::Relaxed).max(1)
    }
}

/// The run of a tournament: the same whenever it goes on, so that what is left of it at the server is found.
fn run_of(tournament: &Tournament) -> RunId {
    let settings = &tournament.settings;
    let text = format!(
        "flipside run\n{}\n{}\n{}\n{}",
        settings.salt, settings.seed, tournament.created_at, tournament.name
    );
    RunId::of(&text)
}

/// A job that is out.
struct OutstandingJob {
    at: Instant,
    /// Its matches, each with its generation.
    matches: HashMap<u64, u64>,
    /// Whether its matches were handed out once more, with another job. What comes of it counts all the same.
    is_lost: bool,
}

/// Matches that are to be sent in one job, by block.
type BlockGroup = Vec<Vec<u64>>;

/// One run of a tournament.
struct DispatcherRun<'a> {
    dispatcher: &'a Dispatcher,
    /// The class of machines that play, if only one will do.
    class: Option<String>,
    queue: QueueName,
    id: RunId,
    director: TransportDirector,
    /// What is to be sent.
    unsent: VecDeque<BlockGroup>,
    /// What is to be sent later, in the order in which it is due.
    held: VecDeque<(Instant, BlockGroup)>,
    /// What was sent, and did not come back, by job.
    sent: HashMap<JobId, OutstandingJob>,
    audits: Audits,
    /// How long a match takes, the last ones counting most.
    mean: Option<Duration>,
    /// The files that are on the server, by the SHA-256 of their programs, and since when.
    uploaded: HashMap<String, (Sha256Hash, Instant)>,
    /// How many matches each worker could not play lately: each that it has played halves the number.
    voids: HashMap<WorkerName, u32>,
    /// The workers that are there, and how many matches they play at once.
    present: HashSet<WorkerName>,
    threads: usize,
    looked: Option<Instant>,
    /// When the server was asked whether it still has something of the run, and whether it had nothing.
    asked_for_rest: Option<Instant>,
    has_lost_all: bool,
    /// When something came back the last time, or nothing was out.
    heard: Instant,
    /// Since when the server does not answer.
    away_since: Option<Instant>,
}

impl DispatcherRun<'_> {
    async fn carry_all(&mut self, blocks: &mut RemoteBlocks<'_>) -> Result<(), RunError> {
        while !blocks.is_over() {
            // Nobody is there who could end what is out, or nobody has it. Audits the arena can end itself.
            let is_alone = self.threads == 0 && self.looked.is_some();
            let is_in_vain = is_alone || self.has_lost_all;
            if blocks.is_ending() && is_in_vain && !self.audits.is_busy() {
                return Ok(());
            }
            match self.step(blocks).await {
                Ok(()) => self.away_since = None,
                Err(error) => {
                    let since = *self.away_since.get_or_insert_with(Instant::now);
                    if !error.is_passing() || since.elapsed() > MAX_AWAY {
                        return Err(error);
                    }
                    tracing::warn!(%error, "the server fails, and is tried again");
                    tokio::time::sleep(PAUSE).await;
                    // It may have lost everything. What was out is handed out again in time.
                    self.uploaded.clear();
                    if let Err(error) = self.director.set_up(&self.queue).await {
                        tracing::debug!(%error, "the server still fails");
                    }
                }
            }
        }
        Ok(())
    }

    async fn step(&mut self, blocks: &mut RemoteBlocks<'_>) -> Result<(), RunError> {
        self.look().await?;
        self.find_lost(blocks);
        let is_due = |due: Instant| due <= Instant::now() || blocks.is_ending();
        while let Some((_, group)) = self.held.pop_front_if(|(due, _)| is_due(*due)) {
            self.unsent.push_back(group);
        }
        self.look_for_the_rest(blocks).await?;
        self.audit(blocks).await?;
        while let Some(group) = self.next_group(blocks) {
            self.unsent.push_back(group);
        }
        self.send_all(blocks).await?;
        if blocks.is_idle() && !self.audits.is_busy() {
            // What may be played next does not come from a worker.
            self.heard = Instant::now();
            tokio::time::sleep(IDLE_WAIT).await;
            return Ok(());
        }
        let results = (self.director).results(&self.id, MAX_ANSWERS, FETCH_WAIT);
        for result in results.await? {
            self.take(blocks, result).await?;
        }
        Ok(())
    }

    /// While the run ends, asks whether the server still has something of what is out. What it has lost is not waited
    /// for.
    async fn look_for_the_rest(&mut self, blocks: &mut RemoteBlocks<'_>) -> Result<(), RunError> {
        let is_soon = |at: Instant| at.elapsed() < PRESENCE_LOOK;
        if !blocks.is_ending() || self.asked_for_rest.is_some_and(is_soon) {
            return Ok(());
        }
        self.asked_for_rest = Some(Instant::now());
        let nothing = self.director.has_nothing(&self.id, &self.queue).await?;
        self.has_lost_all = nothing && self.unsent.is_empty() && self.held.is_empty();
        if self.has_lost_all {
            self.audits.give_up_all(blocks);
        }
        Ok(())
    }

    /// Looks who is there, and keeps the queue open for them.
    async fn look(&mut self) -> Result<(), RunError> {
        if self.looked.is_some_and(|at| at.elapsed() < PRESENCE_LOOK) {
            return Ok(());
        }
        let is_first = self.looked.replace(Instant::now()).is_none();
        self.director.open(&self.queue).await?;
        let there = self.director.workers().await?;
        let (banned, others): (Vec<Presence>, Vec<Presence>) = there
            .into_iter()
            .partition(|one| self.audits.is_banned(one.worker.as_str()));
        let ours = (others.iter()).map(|one| (&one.worker, About::read(&one.payload)));
        let ours = ours.filter(|(_, about)| about.flipside == env!("CARGO_PKG_VERSION"));
        let demanded = self.class.as_ref();
        let ours = ours.filter(|(_, about)| demanded.is_none_or(|class| about.class == *class));
        let ours = ours.map(|(name, about)| (name.clone(), about.threads));
        let ours: HashMap<WorkerName, usize> = ours.collect();
        let had_workers = self.threads > 0;
        self.threads = ours.values().sum();
        self.present = ours.into_keys().collect();
        let at_once = self.threads.max(1);
        self.dispatcher.at_once.store(at_once, Ordering::Relaxed);
        if self.threads == 0 {
            // They are not lost: nobody was there to play them.
            let now = Instant::now();
            self.sent.values_mut().for_each(|sent| sent.at = now);
            self.heard = now;
        }
        if self.threads == 0 && (is_first || had_workers) {
            self.tell_that_nobody_is_there(banned.len());
        }
        // Among others, a server whose disk was full stores nothing until it is started again.
        let quiet = self.mean.unwrap_or_default().saturating_mul(10).max(QUIET);
        if self.heard.elapsed() > quiet {
            self.heard = Instant::now();
            (self.dispatcher.note)(
                "nothing has come back for a long time, though workers are there; look at the log and the disk of the server",
            );
        }
        Ok(())
    }

    fn tell_that_nobody_is_there(&self, banned: usize) {
        let of = match &self.class {
            Some(class) => format!("the class {class} and this version"),
            None => "this version".into(),
        };
        let but = match banned {
            0 => String::new(),
            number => format!(" but {number} that this arena has banned"),
        };
        (self.dispatcher.note)(&format!(
            "no worker of {of} is there{but}; the tournament waits for one: flipside worker --server …"
        ));
    }

    /// Takes blocks that make up a job.
    fn next_group(&self, blocks: &mut RemoteBlocks<'_>) -> Option<BlockGroup> {
        let mut group = vec![some(blocks.take())?];
        let mut matches = group[0].len();
        while !self.is_enough(matches)
            && let Some(block) = some(blocks.take())
        {
            matches += block.len();
            group.push(block);
        }
        Some(group)
    }

    /// Whether so many matches make up a job.
    fn is_enough(&self, matches: usize) -> bool {
        let number = u32::try_from(matches).unwrap_or(u32::MAX);
        let is_long = |mean: Duration| mean.saturating_mul(number) >= ORDER_TIME;
        matches >= MAX_ORDER_MATCHES || self.mean.is_none_or(is_long)
    }

    /// Sends what is to be sent. What fails stays.
    async fn send_all(&mut self, blocks: &mut RemoteBlocks<'_>) -> Result<(), RunError> {
        while let Some(mut group) = self.unsent.pop_front() {
            // Some may have come back meanwhile.
            keep_out(blocks, &mut group);
            if group.is_empty() {
                continue;
            }
            if blocks.is_over() {
                return Ok(());
            }
            if let Err(error) = self.send(blocks, &mut group).await {
                self.unsent.push_front(group);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Sends the first blocks of a group as a job, so many that it is not too long. The others are to be sent next.
    async fn send(
        &mut self,
        blocks: &mut RemoteBlocks<'_>,
        group: &mut BlockGroup,
    ) -> Result<(), RunError> {
        loop {
            let indices: Vec<u64> = group.iter().flatten().copied().collect();
            let all = indices.iter().filter_map(|index| blocks.assignment(*index));
            let all: Vec<Assignment<'_>> = all.collect();
            let (job, work) = match self.written(blocks.tournament(), &all).await? {
                PreparedJob::Job(job, work) => (job, work),
                PreparedJob::Unable { seats, reason } => {
                    for (index, seat) in seats {
                        blocks.cannot_send(index, seat, &reason);
                    }
                    keep_out(blocks, group);
                    if group.is_empty() {
                        return Ok(());
                    }
                    continue;
                }
            };
            if work.len() > MAX_ORDER_BYTES && group.len() > 1 {
                let rest = group.split_off(group.len() / 2);
                self.unsent.push_front(rest);
                continue;
            }
            let generation = |index: u64| Some((index, blocks.generation(index)?));
            let mut sent = OutstandingJob {
                at: Instant::now(),
                matches: indices.into_iter().filter_map(generation).collect(),
                // Until it is known that it is stored, it is sent again, with another job.
                is_lost: true,
            };
            let (run, queue) = (&self.id, &self.queue);
            let published = self
                .director
                .publish(run, queue, job.id.as_str(), work)
                .await;
            sent.is_lost = published.is_err();
            self.sent.insert(job.id, sent);
            return published.map(drop).map_err(RunError::from);
        }
    }

    /// A job, and its text. The files of its bots are at the server then.
    async fn written(
        &mut self,
        tournament: &Tournament,
        all: &[Assignment<'_>],
    ) -> Result<PreparedJob, RunError> {
        let mut job = WorkerJob {
            // Whoever did not get it cannot answer it.
            id: JobId::random(),
            trust: tournament.settings.trust,
            ponder: tournament.settings.ponder,
            machine: self.class.clone(),
            programs: Vec::new(),
            game: None,
            matches: Vec::new(),
        };
        if let Some(mut program) = self.program_of_game(tournament)? {
            if let Err(reason) = self.upload(&mut program).await? {
                let game = &tournament.settings.game;
                return Err(RunError::Here(format!("the game {game}: {reason}")));
            }
            job.game = Some(job.programs.len());
            job.programs.push(program);
        }
        for assignment in all {
            let one = JobMatch::of(assignment, |bot| number_of(&mut job.programs, bot));
            job.matches.push(one);
        }
        for (number, program) in job.programs.iter_mut().enumerate() {
            // Nobody starts a bot that does not come, and its file may have been deleted.
            let starts = job.matches.iter().flat_map(|one| one.starts(number));
            let starts: Vec<(u64, usize)> = starts.collect();
            if starts.is_empty() {
                continue;
            }
            if let Err(reason) = self.upload(program).await? {
                let seats = starts;
                return Ok(PreparedJob::Unable { seats, reason });
            }
        }
        let json = serde_json::to_vec(&job).expect("a job is JSON");
        Ok(PreparedJob::Job(job, Bytes::from(json)))
    }

    /// The program of a tournament's game, if it is not built in.
    fn program_of_game(&self, tournament: &Tournament) -> Result<Option<JobProgram>, RunError> {
        let game = &tournament.settings.game;
        let Ok(version) = GameVersion::from_str(game) else {
            return Ok(None);
        };
        let arena = Arena::open(&self.dispatcher.settings.arena);
        let stored = arena.and_then(|arena| arena.read_journal()?.game(&version));
        let stored = stored.map_err(|error| RunError::Here(error.to_string()))?;
        let missing = || RunError::Here(format!("the arena has no game {game}"));
        stored
            .as_ref()
            .map(JobProgram::of_game)
            .map(Some)
            .ok_or_else(missing)
    }

    /// Uploads the file of a bot or a game, unless it is there, and notes where it is; or says why the file cannot be
    /// handed out.
    async fn upload(&mut self, program: &mut JobProgram) -> Result<Result<(), String>, RunError> {
        let bots = self.dispatcher.settings.arena.join("bots");
        let Some(path) = program.file.as_ref().and_then(|file| file.path_in(&bots)) else {
            // It is built in.
            return Ok(Ok(()));
        };
        let known = self.uploaded.get(&program.sha256);
        let known = known.filter(|(_, at)| at.elapsed() < UPLOAD_AGAIN);
        if let Some((content, _)) = known {
            program.content = Some(*content);
            return Ok(Ok(()));
        }
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Err("its file is missing from the arena".into()));
            }
            Err(source) => return Err(RunError::File { path, source }),
        };
        let content = Sha256Hash::of(&bytes);
        match self.director.put_file(&content, &bytes.into()).await {
            Err(error @ TransportError::TooLarge { .. }) => return Ok(Err(error.to_string())),
            put => put?,
        };
        program.content = Some(content);
        (self.uploaded).insert(program.sha256.clone(), (content, Instant::now()));
        Ok(Ok(()))
    }

    /// What has been out for too long is to be sent once more.
    fn find_lost(&mut self, blocks: &RemoteBlocks<'_>) {
        let is_out =
            |(index, generation): (&u64, &u64)| blocks.generation(*index) == Some(*generation);
        self.sent
            .retain(|_, sent| !sent.is_lost || sent.matches.iter().any(is_out));
        self.forget_lost();
        // It may have waited behind others.
        let mean = self.mean.unwrap_or_default();
        let lost_after = mean.saturating_mul(LOST_AFTER_MATCHES).max(LOST_AFTER);
        let late = |sent: &OutstandingJob| !sent.is_lost && sent.at.elapsed() > lost_after;
        let late = self.sent.iter().filter(|(_, sent)| late(sent));
        let late: Vec<JobId> = late.map(|(job, _)| job.clone()).collect();
        for job in late {
            tracing::warn!("a job is handed out again");
            // The server may have lost files, too.
            self.uploaded.clear();
            self.send_again(blocks, &job);
        }
    }

    /// Forgets the oldest of the jobs that were handed out again, where they are many: a worker that is banned can
    /// take one after the other.
    fn forget_lost(&mut self) {
        let number = self.sent.values().filter(|sent| sent.is_lost).count();
        let Some(surplus) = number.checked_sub(MAX_LOST).filter(|surplus| *surplus > 0) else {
            return;
        };
        let lost = self.sent.iter().filter(|(_, sent)| sent.is_lost);
        let mut lost: Vec<(Instant, JobId)> =
            lost.map(|(id, sent)| (sent.at, id.clone())).collect();
        lost.sort_unstable();
        for (_, id) in &lost[..surplus] {
            self.sent.remove(id);
        }
    }

    /// Takes what a worker returned.
    async fn take(
        &mut self,
        blocks: &mut RemoteBlocks<'_>,
        result: RunResult,
    ) -> Result<(), RunError> {
        let worker = result.worker().clone();
        let job = result
            .id()
            .and_then(|id| JobId::try_from(id.to_owned()).ok());
        let is_out = |job: &JobId| self.sent.contains_key(job) || self.audits.has_sent(job);
        // Others are of an earlier run, or were answered before. To read them could take long.
        let Some(job) = job.filter(is_out) else {
            return Ok(result.ack().await?);
        };
        if self.audits.is_banned(worker.as_str()) {
            self.play_elsewhere(blocks, &job);
            if self.threads == 0 {
                // It takes each job, and would have it sent again at once.
                tokio::time::sleep(PAUSE).await;
            }
            return Ok(result.ack().await?);
        }
        match result.payload().await {
            Ok(payload) => match serde_json::from_slice(&payload) {
                Ok(answer) => self.take_answer(blocks, &worker, answer),
                // What a worker sends ends no tournament.
                Err(error) => {
                    self.of_no_use(&worker, &format!("its answer cannot be read: {error}"));
                    self.play_elsewhere(blocks, &job);
                }
            },
            Err(error) if error.is_passing() => return Err(error.into()),
            // It was too large for a message, and the server has it no more, or gives it too slowly.
            Err(error) => {
                tracing::warn!(worker = worker.as_str(), %error, "an answer is missing");
                self.play_elsewhere(blocks, &job);
                let _ = self.count_void(&worker);
            }
        }
        // If this is lost, the result comes again, and is of no job that is known.
        Ok(result.ack().await?)
    }

    /// Hands out the matches of a job once more, of whose answer nothing counts. Whoever answered may never have had
    /// the job, so what another returns of it counts all the same.
    fn play_elsewhere(&mut self, blocks: &mut RemoteBlocks<'_>, job: &JobId) {
        self.audits.send_again(blocks, job);
        self.send_again(blocks, job);
    }

    /// Queues the matches of a job again, if that was not done before. It may still be answered.
    fn send_again(&mut self, blocks: &RemoteBlocks<'_>, job: &JobId) {
        let Some(sent) = self.sent.get_mut(job) else {
            return;
        };
        if !std::mem::replace(&mut sent.is_lost, true) {
            let left = sent.matches.keys().copied();
            self.unsent.extend(grouped(blocks, left));
        }
    }

    /// Takes an answer of a worker that is not banned.
    fn take_answer(
        &mut self,
        blocks: &mut RemoteBlocks<'_>,
        worker: &WorkerName,
        answer: WorkerJobResult,
    ) {
        self.audits.seen(worker.as_str());
        if let Some(audited) = self.audits.answered(&answer.id) {
            return self.take_audits(blocks, worker, audited, answer);
        }
        // One of an earlier run, or that was answered before: what is due may be something else now.
        let Some(mut sent) = self.sent.remove(&answer.id) else {
            return;
        };
        self.heard = Instant::now();
        let is_due =
            |index: &u64, generation: &mut u64| blocks.generation(*index) == Some(*generation);
        sent.matches.retain(is_due);
        let job = answer.id.clone();
        let held = self.judge(blocks, worker, &sent, answer);
        if !sent.is_lost {
            let left = sent.matches.keys().copied();
            let is_held = |block: &mut Vec<u64>| block.iter().any(|index| held.contains(index));
            let mut soon = grouped(blocks, left).unwrap_or_default();
            let later: BlockGroup = soon.extract_if(.., is_held).collect();
            let later = some(later).map(|later| (Instant::now() + OTHERS_FIRST, later));
            self.unsent.extend(some(soon));
            self.held.extend(later);
        }
        if self.audits.is_banned(worker.as_str()) {
            // It may be the job of another.
            sent.is_lost = true;
            self.sent.insert(job, sent);
        }
    }

    /// Takes what came of these matches. What is missing of them is handed out again; some only later, which are given.
    fn judge(
        &mut self,
        blocks: &mut RemoteBlocks<'_>,
        worker: &WorkerName,
        sent: &OutstandingJob,
        answer: WorkerJobResult,
    ) -> HashSet<u64> {
        let mut held = HashSet::new();
        let broken = broken_blocks(blocks, &sent.matches, &answer);
        let mut due: HashSet<u64> = sent.matches.keys().copied().collect();
        let answered = answer.matches.into_iter();
        let mut answered: Vec<(u64, MatchOutcome)> = answered
            .filter(|one| due.remove(&one.index))
            .map(|AnsweredMatch { index, outcome }| (index, outcome))
            .collect();
        // What it leaves out it has not played.
        let left_out = |index| (index, MatchOutcome::void("its worker has left it out"));
        answered.extend(due.into_iter().map(left_out));
        for (index, outcome) in answered {
            let judged = match outcome {
                // The rest of its block is played elsewhere, and so it is, too.
                MatchOutcome::Played(_) if broken.contains(&blocks.block_of(index)) => Ok(()),
                MatchOutcome::Played(returned) => {
                    self.land(blocks, worker, (index, sent.at), &returned)
                }
                MatchOutcome::Void {
                    reason,
                    seat,
                    of_game,
                } => {
                    let why = NotPlayed {
                        reason,
                        seat,
                        of_game,
                    };
                    let workers = self.workers(worker);
                    let voided = blocks.void(index, worker.as_str(), why, workers);
                    held.extend(voided.waits.then_some(index));
                    match voided.is_its_fault {
                        true => self.count_void(worker),
                        false => Ok(()),
                    }
                }
            };
            if judged.is_err() {
                break;
            }
        }
        held
    }

    /// Takes a match that was played. Fails when nothing of this worker counts any more.
    fn land(
        &mut self,
        blocks: &mut RemoteBlocks<'_>,
        worker: &WorkerName,
        (index, sent_at): (u64, Instant),
        returned: &RemoteMatch,
    ) -> Result<(), WorkerExcluded> {
        let audit = self.draw();
        match blocks.land(index, worker.as_str(), returned, audit) {
            Ok(to_audit) => {
                // It says itself how long the match took.
                let took = Duration::from_micros(returned.duration_us).min(sent_at.elapsed());
                self.mean = Some(self.mean.map_or(took, |mean| (mean * 7 + took) / 8));
                if let Some(voids) = self.voids.get_mut(worker) {
                    *voids /= 2;
                }
                if let Some(to_audit) = to_audit {
                    self.audits.begin(blocks, to_audit);
                }
                Ok(())
            }
            Err(NotLanded::Untrue(why)) => {
                let worker = worker.as_str();
                self.audits.ban(blocks, worker, (index, &why));
                Err(WorkerExcluded)
            }
            Err(NotLanded::Unjudged(reason)) => {
                let why = NotPlayed {
                    reason,
                    seat: None,
                    of_game: true,
                };
                blocks.void(index, worker.as_str(), why, self.workers(worker));
                Ok(())
            }
        }
    }

    /// How many workers are there, with this one.
    fn workers(&self, worker: &WorkerName) -> usize {
        // One that is not listed speaks for itself alone.
        self.present.len() + usize::from(!self.present.contains(worker))
    }

    /// Draws whether the next match is audited.
    fn draw(&mut self) -> bool {
        let (is_drawn, is_first_skipped) = self.audits.draw();
        if is_first_skipped {
            (self.dispatcher.note)(
                "audits take longer than matches come back, so fewer are audited than asked for",
            );
        }
        is_drawn
    }

    /// A worker could not play a match. Fails when that was so too often.
    fn count_void(&mut self, worker: &WorkerName) -> Result<(), WorkerExcluded> {
        let voids = self.voids.entry(worker.clone()).or_default();
        *voids += 1;
        if *voids < MAX_VOIDS_OF_ONE {
            return Ok(());
        }
        let why = format!("it could not play {voids} matches");
        self.of_no_use(worker, &why);
        Err(WorkerExcluded)
    }

    /// Takes what came of matches that are audited.
    fn take_audits(
        &mut self,
        blocks: &mut RemoteBlocks<'_>,
        worker: &WorkerName,
        mut audited: HashSet<u64>,
        answer: WorkerJobResult,
    ) {
        for AnsweredMatch { index, outcome } in answer.matches {
            if self.audits.is_banned(worker.as_str()) || !audited.remove(&index) {
                continue;
            }
            let is_void = matches!(outcome, MatchOutcome::Void { .. });
            (self.audits).take(blocks, index, worker.as_str(), Some(outcome));
            if is_void {
                // Whoever plays nothing finds nothing out.
                let _ = self.count_void(worker);
            }
        }
        for index in audited {
            self.audits.take(blocks, index, worker.as_str(), None);
        }
    }

    /// Goes on with the audits.
    async fn audit(&mut self, blocks: &mut RemoteBlocks<'_>) -> Result<(), RunError> {
        self.audits.take_findings(blocks);
        let is_idle = blocks.is_idle();
        let mut due = self.audits.due(blocks, self.present.len(), is_idle);
        while !due.is_empty() {
            if let Err(error) = self.send_audits(blocks, &mut due).await {
                self.audits.unsent(due);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Sends the first of these matches to a second worker, so many that their job is not too long, and takes them
    /// out.
    async fn send_audits(
        &mut self,
        blocks: &mut RemoteBlocks<'_>,
        due: &mut Vec<u64>,
    ) -> Result<(), RunError> {
        let enough = (1..=due.len()).find(|number| self.is_enough(*number));
        let mut number = enough.unwrap_or(due.len());
        loop {
            let all = due[..number].iter();
            let all = all.filter_map(|index| blocks.second(*index));
            let all: Vec<Assignment<'_>> = all.collect();
            let (job, work) = match self.written(blocks.tournament(), &all).await? {
                PreparedJob::Job(job, work) => (job, work),
                PreparedJob::Unable { seats, .. } => {
                    for (index, _) in seats {
                        self.audits.ask_the_arena(blocks, index, None);
                        due.retain(|one| *one != index);
                    }
                    return Ok(());
                }
            };
            if work.len() > MAX_ORDER_BYTES && number > 1 {
                number /= 2;
                continue;
            }
            let (run, queue) = (&self.id, &self.queue);
            self.director
                .publish(run, queue, job.id.as_str(), work)
                .await?;
            let sent: Vec<u64> = due.drain(..number).collect();
            let mean = self.mean.unwrap_or_default();
            self.audits.sent(job.id, &sent, mean);
            return Ok(());
        }
    }

    /// Nothing of a worker is expected any more, in this run.
    fn of_no_use(&mut self, worker: &WorkerName, why: &str) {
        if self.audits.leave_out(worker.as_str()) {
            let note = format!("nothing of the worker {worker} counts in this run any more: {why}");
            (self.dispatcher.note)(&note);
        }
    }
}

/// The number of a bot's program in a job, which gets it if it has it not.
fn number_of(programs: &mut Vec<JobProgram>, bot: &Bot) -> usize {
    let program = JobProgram::of(bot);
    let known = programs.iter().position(|known| *known == program);
    known.unwrap_or_else(|| {
        programs.push(program);
        programs.len() - 1
    })
}

/// Where a clock counts time, the blocks that this answer does not have whole. No match of them counts, for a block is
/// played in one place.
fn broken_blocks(
    blocks: &RemoteBlocks<'_>,
    due: &HashMap<u64, u64>,
    answer: &WorkerJobResult,
) -> HashSet<Option<u64>> {
    if !blocks.is_timed() {
        return HashSet::new();
    }
    let is_played = |one: &&AnsweredMatch| matches!(one.outcome, MatchOutcome::Played(_));
    let played = answer.matches.iter().filter(is_played);
    let played: HashSet<u64> = played.map(|one| one.index).collect();
    let missing = due.keys().filter(|index| !played.contains(index));
    missing.map(|index| blocks.block_of(*index)).collect()
}

/// Matches that are out, by block.
fn grouped(blocks: &RemoteBlocks<'_>, all: impl Iterator<Item = u64>) -> Option<BlockGroup> {
    let mut by_block: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for index in all {
        if let Some(block) = blocks.block_of(index) {
            by_block.entry(block).or_default().push(index);
        }
    }
    let mut group: BlockGroup = by_block.into_values().collect();
    group.iter_mut().for_each(|block| block.sort_unstable());
    some(group)
}

/// Leaves of a group what is still out.
fn keep_out(blocks: &RemoteBlocks<'_>, group: &mut BlockGroup) {
    group.retain_mut(|block| {
        block.retain(|index| blocks.is_out(*index));
        !block.is_empty()
    });
}

/// A job that was to be written.
enum PreparedJob {
    /// It, and its text.
    Job(WorkerJob, Bytes),
    /// A bot of it cannot be handed out.
    Unable {
        /// Where it was to play: matches, each with a seat.
        seats: Vec<(u64, usize)>,
        /// Why.
        reason: String,
    },
}

/// Nothing of a worker counts any more.
struct WorkerExcluded;

fn some<T>(all: Vec<T>) -> Option<Vec<T>> {
    (!all.is_empty()).then_some(all)
}
