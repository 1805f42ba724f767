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
use flipside_tournament::{Assignment, Blocks, Elsewhere, Error, Tournament};

use crate::error::RunError;
use crate::order::{Answer, Order, OrderedMatch, OrderedProgram, Outcome, class};
use crate::presence::About;
use crate::transport::{
    Address, Class, Connection, Director, Options, RunId, RunResult, WorkerName,
};

/// How much work is in an order, by the mean time of a match.
const ORDER_TIME: Duration = Duration::from_secs(1);

/// The most matches of an order, and the most bytes of its text. The rest of a longer block is in its order all the same.
const MAX_ORDER_MATCHES: usize = 256;

/// How long a fetch of results waits: meanwhile nothing is handed out.
const FETCH_WAIT: Duration = Duration::from_millis(100);

/// How many answers are fetched at once.
const MAX_ANSWERS: usize = 64;

/// An order is handed out again when it has been out for so long, and for so many times as long as the longest that came
/// back. Its worker may have been killed, or its answer may have been lost.
const LOST_AFTER: Duration = Duration::from_secs(120);
const LOST_FACTOR: u32 = 10;

/// How often it is looked who is there.
const PRESENCE_LOOK: Duration = Duration::from_secs(2);

/// How long the server may be away. Then the tournament stops, and keeps what it has.
const MAX_AWAY: Duration = Duration::from_secs(600);

/// The pause after a request to the server has failed.
const PAUSE: Duration = Duration::from_millis(500);

/// How often files are uploaded anew that the run still needs: the server keeps them for longer.
const UPLOAD_AGAIN: Duration = Duration::from_secs(6 * 60 * 60);

/// Plays the matches of tournaments on workers.
pub struct Carrier {
    address: Address,
    options: Options,
    arena: PathBuf,
    /// How many matches they play at once.
    at_once: AtomicUsize,
    /// Hears what is worth a line.
    note: Box<dyn Fn(&str) + Send + Sync>,
}

impl Carrier {
    /// A carrier for the tournaments of the arena in this folder. `note` hears, in a line, of workers that come and go or
    /// send what is not true.
    pub fn new(
        address: Address,
        options: Options,
        arena: PathBuf,
        note: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        Carrier {
            address,
            options,
            arena,
            at_once: AtomicUsize::new(1),
            note: Box::new(note),
        }
    }

    async fn carry(&self, blocks: &mut Blocks<'_>) -> Result<(), RunError> {
        let director = Director::new(Connection::connect(&self.address, &self.options).await?);
        director.set_up().await?;
        let mut run = Run {
            carrier: self,
            class: class(),
            id: RunId::random(),
            director,
            orders: HashMap::new(),
            sent: 0,
            mean: None,
            longest: Duration::ZERO,
            uploaded: HashMap::new(),
            shut_out: HashSet::new(),
            there: HashMap::new(),
            looked: None,
            away_since: None,
        };
        let done = run.to_the_end(blocks).await;
        // What is left would be played in vain.
        if let Err(error) = run.director.forget(&run.id).await {
            tracing::warn!(%error, "the rest of a run stays on the server for a while");
        }
        done
    }
}

impl Elsewhere for Carrier {
    fn play(&self, blocks: &mut Blocks<'_>) -> Result<(), Error> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Play(format!("cannot start a runtime: {error}")))?;
        let carried = runtime.block_on(self.carry(blocks));
        carried.map_err(|error| match error.hint() {
            Some(hint) => Error::Play(format!("{error}; {hint}")),
            None => Error::Play(error.to_string()),
        })
    }

    fn at_once(&self) -> usize {
        self.at_once.load(Ordering::Relaxed).max(1)
    }
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
    class: Class,
    id: RunId,
    director: Director,
    /// What is out, by id.
    orders: HashMap<String, Sent>,
    /// How many orders were sent.
    sent: u64,
    /// How long a match takes, the last ones counting most.
    mean: Option<Duration>,
    /// How long the longest order was out that came back.
    longest: Duration,
    /// The files that are on the server, and since when.
    uploaded: HashMap<String, Instant>,
    /// Workers that have sent what is not true. Nothing of theirs counts any more.
    shut_out: HashSet<WorkerName>,
    /// The workers that are there.
    there: HashMap<WorkerName, About>,
    looked: Option<Instant>,
    /// Since when the server does not answer.
    away_since: Option<Instant>,
}

impl Run<'_> {
    async fn to_the_end(&mut self, blocks: &mut Blocks<'_>) -> Result<(), RunError> {
        while !blocks.is_over() {
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
        while let Some(first) = some(blocks.take()) {
            self.hand_out(blocks, first).await?;
            if blocks.is_over() {
                return Ok(());
            }
        }
        let wait = match self.orders.is_empty() {
            // What may be played next does not come from a worker.
            true => Duration::from_millis(5),
            false => FETCH_WAIT,
        };
        if self.orders.is_empty() {
            tokio::time::sleep(wait).await;
            return Ok(());
        }
        let results = self.director.results(&self.id, MAX_ANSWERS, wait).await?;
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
        let mut there = HashMap::new();
        for presence in self.director.workers().await? {
            there.insert(presence.worker, About::read(&presence.payload));
        }
        let ours = |about: &&About| about.class == self.class.as_str();
        let threads: usize = there.values().filter(ours).map(|about| about.threads).sum();
        self.carrier
            .at_once
            .store(threads.max(1), Ordering::Relaxed);
        if is_first && threads == 0 {
            let note = "no worker of this version is there; the tournament waits for one: flipside worker --server …";
            (self.carrier.note)(note);
        }
        self.there = there;
        Ok(())
    }

    /// Hands out this block, and others with it that make up an order.
    async fn hand_out(
        &mut self,
        blocks: &mut Blocks<'_>,
        first: Vec<Assignment>,
    ) -> Result<(), RunError> {
        let mut all = first;
        while !self.is_enough(all.len()) {
            match some(blocks.take()) {
                Some(block) => all.extend(block),
                None => break,
            }
        }
        self.send(blocks.tournament(), &all).await
    }

    /// Whether so many matches make up an order.
    fn is_enough(&self, matches: usize) -> bool {
        let number = u32::try_from(matches).unwrap_or(u32::MAX);
        matches >= MAX_ORDER_MATCHES
            || self
                .mean
                .is_none_or(|mean| mean.saturating_mul(number) >= ORDER_TIME)
    }

    /// Sends an order. If that fails, it is as if it had been lost.
    async fn send(
        &mut self,
        tournament: &Tournament,
        assignments: &[Assignment],
    ) -> Result<(), RunError> {
        self.sent += 1;
        let mut order = Order {
            id: self.sent.to_string(),
            trust: tournament.settings.trust,
            ponder: tournament.settings.ponder,
            programs: Vec::new(),
            matches: Vec::new(),
        };
        for assignment in assignments {
            let one = OrderedMatch::of(assignment, |program| {
                number_of(&mut order.programs, tournament, program)
            });
            order.matches.push(one);
        }
        let sent = Sent {
            is_stored: false,
            matches: order.matches.iter().map(|one| one.index).collect(),
            at: Instant::now(),
        };
        self.orders.insert(order.id.clone(), sent);
        for program in &order.programs {
            self.upload(program).await?;
        }
        let json = serde_json::to_vec(&order).expect("an order is JSON");
        let work = Bytes::from(json);
        self.director
            .publish(&self.id, &self.class, &order.id, work)
            .await?;
        if let Some(sent) = self.orders.get_mut(&order.id) {
            sent.is_stored = true;
        }
        Ok(())
    }

    /// Uploads the file of a bot, unless it is there.
    async fn upload(&mut self, program: &OrderedProgram) -> Result<(), RunError> {
        let Ok((hash, file)) = program.file() else {
            // It is built in.
            return Ok(());
        };
        let there = self.uploaded.get(&program.sha256);
        if there.is_some_and(|at| at.elapsed() < UPLOAD_AGAIN) {
            return Ok(());
        }
        let path = self.carrier.arena.join("bots").join(file);
        let bytes = std::fs::read(&path).map_err(|source| RunError::File { path, source })?;
        self.director.put_file(&hash, &Bytes::from(bytes)).await?;
        self.uploaded.insert(program.sha256.clone(), Instant::now());
        Ok(())
    }

    /// Hands out again what has been out for too long.
    async fn resend(&mut self, blocks: &mut Blocks<'_>) -> Result<(), RunError> {
        let patience = LOST_AFTER.max(self.longest * LOST_FACTOR);
        let is_lost = |sent: &Sent| !sent.is_stored || sent.at.elapsed() > patience;
        let lost: Vec<String> = (self.orders.iter())
            .filter(|(_, sent)| is_lost(sent))
            .map(|(id, _)| id.clone())
            .collect();
        for id in lost {
            tracing::warn!(
                order = id,
                "an order is out for too long, and is handed out again"
            );
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
            false => self.send(blocks.tournament(), &all).await,
        }
    }

    /// Takes what a worker returned.
    async fn take(&mut self, blocks: &mut Blocks<'_>, result: RunResult) -> Result<(), RunError> {
        let worker = result.worker().clone();
        if self.shut_out.contains(&worker) {
            return Ok(result.ack().await?);
        }
        let payload = match result.payload().await {
            Ok(payload) => payload,
            Err(error) if error.is_of_the_file() => {
                tracing::warn!(%error, "an answer is lost; its matches are played again");
                result.ack().await?;
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let taken = match serde_json::from_slice::<Answer>(&payload) {
            Ok(answer) => self.judge(blocks, answer),
            Err(error) => Err((None, format!("its answer cannot be read: {error}"))),
        };
        // The matches are with the thread that stores them. If that does not come to it, they are played again.
        result.ack().await?;
        match taken {
            Ok(again) => {
                for id in again {
                    self.again(blocks, &id).await?;
                }
                Ok(())
            }
            Err((id, why)) => {
                let note = format!("nothing of the worker {worker} counts any more: {why}");
                (self.carrier.note)(&note);
                self.shut_out.insert(worker);
                match id {
                    Some(id) => self.again(blocks, &id).await,
                    None => Ok(()),
                }
            }
        }
    }

    /// Takes what came of the matches of an order. Returns the orders that are to be handed out again, or why the worker
    /// is not to be believed.
    fn judge(
        &mut self,
        blocks: &mut Blocks<'_>,
        answer: Answer,
    ) -> Result<Vec<String>, (Option<String>, String)> {
        let mut void = false;
        for one in answer.matches {
            let sent = self.orders.get_mut(&answer.id);
            let is_of_it = sent.is_some_and(|sent| sent.matches.contains(&one.index));
            if !is_of_it {
                // It came before, or the order was handed out again and has another number now.
                continue;
            }
            match one.outcome {
                Outcome::Played(returned) => {
                    let took = Duration::from_micros(returned.duration_us);
                    if let Err(why) = blocks.land(one.index, &returned) {
                        return Err((Some(answer.id), format!("match {}: {why}", one.index)));
                    }
                    self.mean = Some(self.mean.map_or(took, |mean| (mean * 7 + took) / 8));
                    self.back(&answer.id, one.index);
                }
                Outcome::Void(reason) => match blocks.void(one.index, &reason) {
                    true => void = true,
                    false => self.back(&answer.id, one.index),
                },
            }
        }
        let Some(sent) = self.orders.get(&answer.id) else {
            return Ok(Vec::new());
        };
        self.longest = self.longest.max(sent.at.elapsed());
        if sent.matches.is_empty() {
            self.orders.remove(&answer.id);
            return Ok(Vec::new());
        }
        // A worker answers for all matches of an order.
        match void {
            true => Ok(vec![answer.id]),
            false => Err((Some(answer.id), "matches of its order are missing".into())),
        }
    }

    /// A match of an order came back.
    fn back(&mut self, id: &str, index: u64) {
        if let Some(sent) = self.orders.get_mut(id) {
            sent.matches.remove(&index);
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
        sha256: program.sha256().into(),
    });
    programs.len() - 1
}

fn some<T>(all: Vec<T>) -> Option<Vec<T>> {
    (!all.is_empty()).then_some(all)
}
