//! The director's side: hands out the blocks of a tournament to workers, and takes what they return.
//!
//! The journal is the truth. Whatever is lost on the way is out for too long, and is handed out again; what comes twice
//! counts once, and each record is verified before it counts.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use flipside_sandbox::Program;
use flipside_tournament::{Assignment, Blocks, Elsewhere, Error, Returned, Tournament};

use crate::audit::Audits;
use crate::error::{RunError, runtime};
use crate::order::{Answer, AnsweredMatch, Order, OrderedMatch, OrderedProgram, Outcome, queue};
use crate::presence::About;
use crate::transport::{
    Address, Connection, Director, Options, QueueName, RunId, RunResult, Sha256Hash, WorkerName,
};

/// How much work is in an order, by the mean time of a match.
const ORDER_TIME: Duration = Duration::from_secs(1);

/// The most matches of an order, but for the rest of its last block.
const MAX_ORDER_MATCHES: usize = 256;

/// The most bytes of an order of several blocks. A message to the server may have twice as many.
const MAX_ORDER_BYTES: usize = 512 * 1024;

/// How long a fetch of results waits: meanwhile nothing is handed out.
const FETCH_WAIT: Duration = Duration::from_millis(100);

/// How long it waits while nothing is out.
const IDLE_WAIT: Duration = Duration::from_millis(5);

/// How many answers are fetched at once.
const MAX_ANSWERS: usize = 64;

/// An order is handed out again when it has been out for so long while workers were there. The server hands an order to
/// another worker when its worker dies, so only an order or an answer that was lost at the server is out for so long; or a
/// very long match, whose answer counts all the same.
const LOST_AFTER: Duration = Duration::from_secs(600);

/// After so many void matches in a row, nothing is expected of a worker any more.
const MAX_VOIDS_IN_A_ROW: u32 = 20;

/// How often it is looked who is there.
const PRESENCE_LOOK: Duration = Duration::from_secs(2);

/// How long the server may be away. Then the tournament stops, and keeps what it has.
const MAX_AWAY: Duration = Duration::from_secs(600);

/// The pause after a request to the server has failed.
const PAUSE: Duration = Duration::from_millis(500);

/// How often files are uploaded anew that the run still needs: the server keeps them for longer.
const UPLOAD_AGAIN: Duration = Duration::from_secs(6 * 60 * 60);

/// How the matches of tournaments are played on workers.
pub struct CarrierSettings {
    /// The server.
    pub address: Address,
    /// Who the director is there.
    pub options: Options,
    /// The folder of the arena.
    pub arena: PathBuf,
    /// The share of the matches that are audited, from 0 to 1.
    pub audit: f64,
    /// The class of machines that play, if only one will do.
    pub class: Option<String>,
}

/// Plays the matches of tournaments on workers.
pub struct Carrier {
    settings: CarrierSettings,
    /// How many matches they play at once.
    at_once: AtomicUsize,
    /// Hears what is worth a line.
    note: Box<dyn Fn(&str) + Send + Sync>,
}

impl Carrier {
    /// A carrier for the tournaments of an arena. `note` hears, in a line, of workers that are missing or of no use.
    pub fn new(settings: CarrierSettings, note: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Carrier {
            settings,
            at_once: AtomicUsize::new(1),
            note: Box::new(note),
        }
    }

    async fn carry(&self, blocks: &mut Blocks<'_>) -> Result<(), RunError> {
        let CarrierSettings {
            address,
            options,
            arena,
            audit,
            class,
        } = &self.settings;
        blocks.demand(class.clone());
        let director = Director::new(Connection::connect(address, options).await?);
        director.set_up().await?;
        let id = run_of(blocks.tournament());
        // What an earlier run has left, which was killed.
        director.forget(&id).await?;
        let mut run = Run {
            carrier: self,
            queue: queue(),
            id,
            director,
            orders: HashMap::new(),
            order_of: HashMap::new(),
            audits: Audits::new(*audit, arena, blocks.shut_out_before()),
            mean: None,
            uploaded: HashMap::new(),
            voids: HashMap::new(),
            threads: 0,
            workers: 0,
            looked: None,
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

impl Elsewhere for Carrier {
    fn play(&self, blocks: &mut Blocks<'_>) -> Result<(), Error> {
        let carried = runtime().and_then(|runtime| runtime.block_on(self.carry(blocks)));
        carried.map_err(|error| match error.hint() {
            Some(hint) => Error::Play(format!("{error}; {hint}")),
            None => Error::Play(error.to_string()),
        })
    }

    fn at_once(&self) -> usize {
        self.at_once.load(Ordering::Relaxed).max(1)
    }
}

/// The run of a tournament: the same whenever it goes on, so that what is left of it at the server is found.
fn run_of(tournament: &Tournament) -> RunId {
    let settings = &tournament.settings;
    let salt = settings.salt.as_ref().map(ToString::to_string);
    let text = format!(
        "flipside run\n{}\n{}\n{}\n{}",
        salt.unwrap_or_default(),
        settings.seed,
        tournament.created_at,
        tournament.name
    );
    RunId::of(&text)
}

/// An order that is out.
struct Sent {
    /// Whether the server has it, as far as is known.
    is_stored: bool,
    /// The matches of it that did not come back.
    matches: HashSet<u64>,
    at: Instant,
}

/// One run of a tournament.
struct Run<'a> {
    carrier: &'a Carrier,
    queue: QueueName,
    id: RunId,
    director: Director,
    /// What is out, by id.
    orders: HashMap<String, Sent>,
    /// The order of each match that is out.
    order_of: HashMap<u64, String>,
    audits: Audits,
    /// How long a match takes, the last ones counting most.
    mean: Option<Duration>,
    /// The files that are on the server, by the SHA-256 of their programs: the SHA-256 of their bytes, and since when.
    uploaded: HashMap<String, (Sha256Hash, Instant)>,
    /// How many matches in a row each worker could not play.
    voids: HashMap<WorkerName, u32>,
    /// How many workers are there, and how many matches they play at once.
    workers: usize,
    threads: usize,
    looked: Option<Instant>,
    /// Since when the server does not answer.
    away_since: Option<Instant>,
}

impl Run<'_> {
    async fn carry_all(&mut self, blocks: &mut Blocks<'_>) -> Result<(), RunError> {
        while !blocks.is_over() {
            // Nobody is there who could end what is out.
            if blocks.is_ending() && self.threads == 0 && self.looked.is_some() {
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
                    if let Err(error) = self.director.set_up().await {
                        tracing::debug!(%error, "the server still fails");
                    }
                }
            }
        }
        Ok(())
    }

    async fn step(&mut self, blocks: &mut Blocks<'_>) -> Result<(), RunError> {
        self.look().await?;
        self.resend(blocks).await?;
        self.audit(blocks).await?;
        while let Some(first) = some(blocks.take()) {
            self.hand_out(blocks, first).await?;
            if blocks.is_over() {
                return Ok(());
            }
        }
        if self.orders.is_empty() && !self.audits.is_busy() {
            // What may be played next does not come from a worker.
            tokio::time::sleep(IDLE_WAIT).await;
            return Ok(());
        }
        let results = self
            .director
            .results(&self.id, MAX_ANSWERS, FETCH_WAIT)
            .await?;
        for result in results {
            self.take(blocks, result).await?;
        }
        Ok(())
    }

    /// Looks who is there.
    async fn look(&mut self) -> Result<(), RunError> {
        if self.looked.is_some_and(|at| at.elapsed() < PRESENCE_LOOK) {
            return Ok(());
        }
        let is_first = self.looked.replace(Instant::now()).is_none();
        let there = self.director.workers().await?;
        let ours = there
            .iter()
            .filter(|one| !self.audits.is_shut_out(one.worker.as_str()));
        let ours = ours.map(|one| About::read(&one.payload));
        let ours = ours.filter(|about| about.flipside == env!("CARGO_PKG_VERSION"));
        let demanded = self.carrier.settings.class.as_ref();
        let ours = ours.filter(|about| demanded.is_none_or(|class| about.class == *class));
        let threads: Vec<usize> = ours.map(|about| about.threads).collect();
        (self.workers, self.threads) = (threads.len(), threads.iter().sum());
        self.carrier
            .at_once
            .store(self.threads.max(1), Ordering::Relaxed);
        if self.threads == 0 {
            // They are not lost: nobody was there to play them.
            let now = Instant::now();
            self.orders.values_mut().for_each(|sent| sent.at = now);
        }
        if is_first && self.threads == 0 {
            let of = match demanded {
                Some(class) => format!("the class {class} and this version"),
                None => "this version".into(),
            };
            let note = format!(
                "no worker of {of} is there; the tournament waits for one: flipside worker --server …"
            );
            (self.carrier.note)(&note);
        }
        Ok(())
    }

    /// Hands out this block, and others with it that make up an order.
    async fn hand_out(
        &mut self,
        blocks: &mut Blocks<'_>,
        first: Vec<Assignment>,
    ) -> Result<(), RunError> {
        let mut matches = first.len();
        let mut all = vec![first];
        while !self.is_enough(matches) {
            match some(blocks.take()) {
                Some(block) => {
                    matches += block.len();
                    all.push(block);
                }
                None => break,
            }
        }
        self.send(blocks.tournament(), all).await
    }

    /// Whether so many matches make up an order.
    fn is_enough(&self, matches: usize) -> bool {
        let number = u32::try_from(matches).unwrap_or(u32::MAX);
        matches >= MAX_ORDER_MATCHES
            || self
                .mean
                .is_none_or(|mean| mean.saturating_mul(number) >= ORDER_TIME)
    }

    /// Sends blocks as an order, or as several if it were too long. What is not stored is sent again.
    async fn send(
        &mut self,
        tournament: &Tournament,
        mut blocks: Vec<Vec<Assignment>>,
    ) -> Result<(), RunError> {
        let mut rest = Vec::new();
        while !blocks.is_empty() {
            let (order, work) = self.written(tournament, &blocks).await?;
            if work.len() > MAX_ORDER_BYTES && blocks.len() > 1 {
                rest.splice(0..0, blocks.drain(blocks.len() / 2..));
                continue;
            }
            self.publish(order, work).await?;
            blocks = std::mem::take(&mut rest);
        }
        Ok(())
    }

    /// An order, and its text. The files of its bots are at the server then.
    async fn written(
        &mut self,
        tournament: &Tournament,
        blocks: &[Vec<Assignment>],
    ) -> Result<(Order, Bytes), RunError> {
        let mut order = Order {
            // Whoever did not get it cannot answer it.
            id: RunId::random().to_string(),
            trust: tournament.settings.trust,
            ponder: tournament.settings.ponder,
            machine: self.carrier.settings.class.clone(),
            programs: Vec::new(),
            matches: Vec::new(),
        };
        for assignment in blocks.iter().flatten() {
            let one = OrderedMatch::of(assignment, |program| {
                number_of(&mut order.programs, tournament, program)
            });
            order.matches.push(one);
        }
        for (number, program) in order.programs.iter_mut().enumerate() {
            // Nobody starts a bot that does not come, and its file may have been deleted.
            let mut seats = order.matches.iter().flat_map(|one| &one.seats);
            if seats.any(|seat| seat.program == number && seat.away.is_none()) {
                self.upload(program).await?;
            }
        }
        let json = serde_json::to_vec(&order).expect("an order is JSON");
        Ok((order, Bytes::from(json)))
    }

    async fn publish(&mut self, order: Order, work: Bytes) -> Result<(), RunError> {
        let matches: HashSet<u64> = order.matches.iter().map(|one| one.index).collect();
        for index in &matches {
            self.order_of.insert(*index, order.id.clone());
        }
        let sent = Sent {
            is_stored: false,
            matches,
            at: Instant::now(),
        };
        self.orders.insert(order.id.clone(), sent);
        self.director
            .publish(&self.id, &self.queue, &order.id, work)
            .await?;
        if let Some(sent) = self.orders.get_mut(&order.id) {
            sent.is_stored = true;
        }
        Ok(())
    }

    /// Uploads the file of a bot, unless it is there, and notes the SHA-256 of its bytes.
    async fn upload(&mut self, program: &mut OrderedProgram) -> Result<(), RunError> {
        let Some(file) = program.file_name() else {
            // It is built in.
            return Ok(());
        };
        let known = self.uploaded.get(&program.sha256);
        let known = known.filter(|(_, at)| at.elapsed() < UPLOAD_AGAIN);
        if let Some((hash, _)) = known {
            program.content = Some(hash.to_string());
            return Ok(());
        }
        let path = self.carrier.settings.arena.join("bots").join(file);
        let bytes = std::fs::read(&path).map_err(|source| RunError::File { path, source })?;
        let hash = Sha256Hash::of(&bytes);
        self.director.put_file(&hash, &Bytes::from(bytes)).await?;
        program.content = Some(hash.to_string());
        self.uploaded
            .insert(program.sha256.clone(), (hash, Instant::now()));
        Ok(())
    }

    /// Hands out again what has been out for too long, or was not stored.
    async fn resend(&mut self, blocks: &mut Blocks<'_>) -> Result<(), RunError> {
        let is_lost = |sent: &Sent| !sent.is_stored || sent.at.elapsed() > LOST_AFTER;
        let lost: Vec<String> = (self.orders.iter())
            .filter(|(_, sent)| is_lost(sent))
            .map(|(id, _)| id.clone())
            .collect();
        for id in lost {
            tracing::warn!(order = id, "an order is handed out again");
            self.again(blocks, &id).await?;
        }
        Ok(())
    }

    /// Hands out again what did not come back of an order.
    async fn again(&mut self, blocks: &mut Blocks<'_>, id: &str) -> Result<(), RunError> {
        let Some(sent) = self.orders.remove(id) else {
            return Ok(());
        };
        let mut left: Vec<u64> = sent.matches.into_iter().collect();
        left.sort_unstable();
        let all: Vec<Assignment> = left
            .iter()
            .filter_map(|index| blocks.again(*index))
            .collect();
        match all.is_empty() {
            true => Ok(()),
            false => self.send(blocks.tournament(), vec![all]).await,
        }
    }

    /// Takes what a worker returned.
    async fn take(&mut self, blocks: &mut Blocks<'_>, result: RunResult) -> Result<(), RunError> {
        let worker = result.worker().clone();
        let answer = match result.payload().await {
            Ok(payload) => serde_json::from_slice::<Answer>(&payload)
                .map_err(|error| format!("its answer cannot be read: {error}")),
            Err(error) if error.is_passing() => return Err(error.into()),
            // What a worker sends ends no tournament.
            Err(error) => Err(error.to_string()),
        };
        // The matches are with the thread that stores them. If that does not come to it, they are played again.
        result.ack().await?;
        self.audits.seen(worker.as_str());
        let answer = match answer {
            Ok(answer) => answer,
            Err(why) => {
                self.of_no_use(&worker, &why);
                return Ok(());
            }
        };
        let id = answer.id.clone();
        if let Some(audited) = self.audits.answered(&id) {
            self.take_audits(blocks, &worker, audited, answer);
            return Ok(());
        }
        if !self.audits.is_shut_out(worker.as_str()) {
            self.judge(blocks, &worker, answer);
        }
        self.again(blocks, &id).await
    }

    /// Takes what came of matches. What is still missing of the order is handed out again. A match counts whichever order
    /// it came with: one that was handed out again may come twice.
    fn judge(&mut self, blocks: &mut Blocks<'_>, worker: &WorkerName, answer: Answer) {
        let broken = broken_blocks(blocks, &answer);
        let mut seen = HashSet::new();
        for AnsweredMatch { index, outcome } in answer.matches {
            if !blocks.is_out(index) || !seen.insert(index) {
                continue;
            }
            let judged = match outcome {
                // The rest of its block is played elsewhere, and so it is, too.
                Outcome::Played(_) if broken.contains(&blocks.block_of(index)) => Ok(()),
                Outcome::Played(returned) => self.land(blocks, worker, index, &returned),
                Outcome::Void(reason) => {
                    if !blocks.void(index, worker.as_str(), &reason) {
                        self.back(index);
                    }
                    self.count_void(worker)
                }
            };
            if judged.is_err() {
                return;
            }
        }
    }

    /// Takes a match that was played. Fails when nothing of this worker counts any more.
    fn land(
        &mut self,
        blocks: &mut Blocks<'_>,
        worker: &WorkerName,
        index: u64,
        returned: &Returned,
    ) -> Result<(), NothingCounts> {
        let audit = !blocks.is_ending() && self.audits.draw();
        match blocks.land(index, worker.as_str(), returned, audit) {
            Ok(to_audit) => {
                let took = Duration::from_micros(returned.duration_us);
                self.mean = Some(self.mean.map_or(took, |mean| (mean * 7 + took) / 8));
                self.voids.remove(worker);
                self.back(index);
                if let Some(to_audit) = to_audit {
                    self.audits.begin(blocks, to_audit);
                }
                Ok(())
            }
            Err(why) => {
                let worker = worker.as_str();
                self.audits.shut_out(blocks, worker, (index, &why));
                Err(NothingCounts)
            }
        }
    }

    /// A worker could not play a match. Fails when that was so too often.
    fn count_void(&mut self, worker: &WorkerName) -> Result<(), NothingCounts> {
        let voids = self.voids.entry(worker.clone()).or_default();
        *voids += 1;
        if *voids < MAX_VOIDS_IN_A_ROW {
            return Ok(());
        }
        let why = format!("it could not play {voids} matches in a row");
        self.of_no_use(worker, &why);
        Err(NothingCounts)
    }

    /// Takes what came of matches that are audited.
    fn take_audits(
        &mut self,
        blocks: &mut Blocks<'_>,
        worker: &WorkerName,
        mut audited: HashSet<u64>,
        answer: Answer,
    ) {
        let worker = worker.as_str();
        for AnsweredMatch { index, outcome } in answer.matches {
            if !self.audits.is_shut_out(worker) && audited.remove(&index) {
                self.audits.take(blocks, index, worker, Some(outcome));
            }
        }
        for index in audited {
            self.audits.take(blocks, index, worker, None);
        }
    }

    /// Goes on with the audits.
    async fn audit(&mut self, blocks: &mut Blocks<'_>) -> Result<(), RunError> {
        self.audits.take_findings(blocks);
        let is_idle = self.orders.is_empty();
        let due = self.audits.due(blocks, self.workers, is_idle);
        let again = due.iter().filter_map(|index| blocks.second(*index));
        let again: Vec<Assignment> = again.collect();
        if again.is_empty() {
            return Ok(());
        }
        let sent = async {
            let (order, work) = self.written(blocks.tournament(), &[again]).await?;
            let (run, queue) = (&self.id, &self.queue);
            self.director.publish(run, queue, &order.id, work).await?;
            Ok(order.id)
        };
        match sent.await {
            Ok(order) => self.audits.sent(order, &due),
            Err(error) => {
                self.audits.unsent(due);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Nothing of a worker is expected any more, in this run.
    fn of_no_use(&mut self, worker: &WorkerName, why: &str) {
        if self.audits.leave_out(worker.as_str()) {
            let note = format!("nothing of the worker {worker} counts in this run any more: {why}");
            (self.carrier.note)(&note);
        }
    }

    /// A match came back.
    fn back(&mut self, index: u64) {
        let Some(id) = self.order_of.remove(&index) else {
            return;
        };
        let Some(sent) = self.orders.get_mut(&id) else {
            return;
        };
        sent.matches.remove(&index);
        if sent.matches.is_empty() {
            self.orders.remove(&id);
        }
    }
}

/// The number of a program in an order, which gets it if it has it not.
fn number_of(
    programs: &mut Vec<OrderedProgram>,
    tournament: &Tournament,
    program: &Program,
) -> usize {
    let is_it = |known: &OrderedProgram| known.sha256 == program.sha256();
    if let Some(at) = programs.iter().position(is_it) {
        return at;
    }
    let mut entrants = tournament.entrants.iter();
    let bot = entrants.find(|bot| bot.sha256 == program.sha256());
    programs.push(OrderedProgram {
        file: bot.map_or_else(String::new, |bot| bot.file.clone()),
        kind: program.kind().to_string(),
        size: program.size(),
        sha256: program.sha256().into(),
        content: None,
    });
    programs.len() - 1
}

/// Of what counts time, the blocks of which this worker could not play a match: no match of them counts, for a block is
/// played in one place.
fn broken_blocks(blocks: &Blocks<'_>, answer: &Answer) -> HashSet<Option<u64>> {
    if !blocks.is_timed() {
        return HashSet::new();
    }
    let void = |one: &&AnsweredMatch| matches!(one.outcome, Outcome::Void(_));
    let void = answer.matches.iter().filter(void);
    void.map(|one| blocks.block_of(one.index)).collect()
}

/// Nothing of a worker counts any more.
struct NothingCounts;

fn some<T>(all: Vec<T>) -> Option<Vec<T>> {
    (!all.is_empty()).then_some(all)
}
