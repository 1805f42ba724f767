//! A worker that plays nothing: it answers jobs with the records of an arena in which the same tournament was played
//! before, or with lies about them. `scripts/throughput` and `scripts/liars` measure with it how many matches a
//! director takes in, and how soon it bans a liar.

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use clap::Parser;
use flipside_runner::{RemoteMatch, RemoteSeat};
use flipside_store::{Arena, unix_ms};
use flipside_tournament::FORFEIT;
use flipside_workers::{
    About, Address, Connection, MAX_FETCH, Options, QueueName, WorkItem, Worker, WorkerName,
};
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinSet;

mod forge;
use forge::{Forged, Lie, forged};

/// How long a fetch of jobs waits, and so how long it can take to end.
const FETCH_WAIT: Duration = Duration::from_millis(250);

/// How often the server hears that a job is still held.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

/// How often it announces itself.
const ANNOUNCE_EVERY: Duration = Duration::from_secs(3);

/// The pause after a request to the server has failed.
const PAUSE: Duration = Duration::from_millis(100);

/// How long a match took, if it was not slept.
const NO_SLEEP: Duration = Duration::from_micros(100);

/// The class of its machine. No job of matches whose clocks count fuel demands one.
const MACHINE: &str = "simulated";

/// Answer the jobs of a director without playing
///
/// It returns the records of an arena in which the same tournament was played before, with the same whole seed. The
/// last line on standard output is JSON: how many matches it answered, and about how many of them it lied.
#[derive(Parser)]
struct SimulateArgs {
    /// The arena with the true records
    #[arg(long, value_name = "DIR")]
    arena: PathBuf,
    /// The NATS server
    #[arg(long, value_name = "ADDRESS")]
    server: Address,
    /// The name of the worker
    #[arg(long)]
    name: WorkerName,
    /// How many jobs it answers at once
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// How long it sleeps for each match
    #[arg(long, value_name = "TIME", default_value = "0ms", value_parser = time)]
    sleep: Duration,
    /// How long it says that a match took; defaults to the sleep
    ///
    /// The director makes jobs of about a second.
    #[arg(long, value_name = "TIME", value_parser = time)]
    duration: Option<Duration>,
    /// About what it lies, in each match
    #[arg(long, value_enum, default_value_t = Lie::None)]
    lie: Lie,
    /// The arena with the records of other bots, for the lie about bots
    #[arg(long, value_name = "DIR", required_if_eq("lie", "bot"))]
    liar_arena: Option<PathBuf>,
    /// Write the numbers of the matches that it has returned to this file, a line for each
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Ends after so many seconds
    #[arg(long, value_name = "N", default_value_t = 600)]
    seconds: u64,
    /// Ends when standard input ends
    #[arg(long)]
    stdin: bool,
}

/// A time such as 50ms or 2s.
fn time(text: &str) -> Result<Duration, String> {
    let units = [("us", 1), ("ms", 1_000), ("s", 1_000_000)];
    let parsed = units.iter().find_map(|(unit, micros)| {
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(*micros)
    });
    let parsed = parsed.filter(|micros| *micros <= 3_600_000_000);
    parsed
        .map(Duration::from_micros)
        .ok_or_else(|| format!("{text:?} is not a time of at most an hour, such as 50ms"))
}

/// What is read of a job.
#[derive(Deserialize)]
struct SimulatedJob {
    id: String,
    matches: Vec<SimulatedMatch>,
}

#[derive(Deserialize)]
struct SimulatedMatch {
    index: u64,
    id: String,
}

#[derive(Serialize)]
struct SimulatedAnswer {
    id: String,
    matches: Vec<SimulatedResult>,
}

#[derive(Serialize)]
struct SimulatedResult {
    index: u64,
    outcome: SimulatedOutcome,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum SimulatedOutcome {
    Played(RemoteMatch),
    Void { reason: String },
}

/// The records of an arena, by the ids of their matches.
fn records(folder: &Path) -> Result<HashMap<String, String>, Box<dyn Error>> {
    let journal = Arena::open(folder)?.read_journal()?;
    let mut records = HashMap::new();
    for tournament in journal.tournaments()? {
        let mut ids = Vec::new();
        journal.for_each_match(tournament.id, |row| {
            if row.reason != FORFEIT {
                ids.push(row.id);
            }
            true
        })?;
        for id in ids {
            let record = journal.record(&id)?;
            records.insert(id, record);
        }
    }
    Ok(records)
}

/// What was done, in matches.
#[derive(Default)]
struct SimulatedCounts {
    jobs: AtomicU64,
    answered: AtomicU64,
    lied: AtomicU64,
    invented: AtomicU64,
    could_not_lie: AtomicU64,
    missing: AtomicU64,
    defects: AtomicU64,
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// What the tasks share that answer jobs.
struct SimulatedWorkers {
    worker: Worker,
    truth: HashMap<String, String>,
    others: HashMap<String, String>,
    lie: Lie,
    sleep: Duration,
    duration: Duration,
    threads: Semaphore,
    /// How many jobs are held.
    held: AtomicUsize,
    freed: Notify,
    ends: watch::Receiver<bool>,
    log: Option<Mutex<File>>,
    counts: SimulatedCounts,
}

impl SimulatedWorkers {
    /// Answers a job when its time is over.
    async fn answer(&self, item: WorkItem) {
        if let Err(error) = self.try_answer(item).await {
            eprintln!("a job is not answered: {error}");
        }
        self.held.fetch_sub(1, Ordering::Relaxed);
        self.freed.notify_one();
    }

    async fn try_answer(&self, item: WorkItem) -> Result<(), Box<dyn Error + Send + Sync>> {
        let job: SimulatedJob = serde_json::from_slice(item.payload())?;
        let time = self.sleep * job.matches.len() as u32;
        let playing = async {
            let _thread = self.threads.acquire().await.expect("it is never closed");
            if !time.is_zero() {
                tokio::time::sleep(time).await;
            }
        };
        tokio::pin!(playing);
        let mut ends = self.ends.clone();
        let ended = async { ends.wait_for(|ends| *ends).await.is_ok() };
        tokio::pin!(ended);
        loop {
            tokio::select! {
                () = &mut playing => break,
                _ = &mut ended => return Ok(item.give_back().await?),
                () = tokio::time::sleep(PROGRESS_EVERY) => item.in_progress().await?,
            }
        }
        let number = job.matches.len() as u64;
        let matches = job.matches.iter().map(|one| self.played(one)).collect();
        if let Some(log) = &self.log {
            let lines = job.matches.iter().map(|one| format!("{}\n", one.index));
            let lines: String = lines.collect();
            let mut log = log.lock().expect("nobody panics who writes");
            log.write_all(lines.as_bytes())?;
        }
        let answer = SimulatedAnswer {
            id: job.id.clone(),
            matches,
        };
        let bytes = Bytes::from(serde_json::to_vec(&answer)?);
        self.worker.send_result(item.run(), &job.id, bytes).await?;
        item.done().await?;
        count(&self.counts.jobs);
        self.counts.answered.fetch_add(number, Ordering::Relaxed);
        Ok(())
    }

    /// What came of a match, as it is told.
    fn played(&self, one: &SimulatedMatch) -> SimulatedResult {
        let counts = &self.counts;
        let Some(truth) = self.truth.get(&one.id) else {
            count(&counts.missing);
            return SimulatedResult {
                index: one.index,
                outcome: SimulatedOutcome::Void {
                    reason: "its record is not in the arena".into(),
                },
            };
        };
        let others = self.others.get(&one.id).map(String::as_str);
        let forged = match self.lie {
            Lie::None => None,
            lie => match forged(lie, one.index, truth, others) {
                Forged::Lie(lie) => Some(lie),
                Forged::Invented(lie) => {
                    count(&counts.invented);
                    Some(lie)
                }
                Forged::Impossible => None,
                Forged::Defect(why) => {
                    count(&counts.defects);
                    eprintln!("a defect of this program: {}: {why}", one.id);
                    None
                }
            },
        };
        match (self.lie, &forged) {
            (Lie::None, _) => {}
            (_, Some(_)) => count(&counts.lied),
            (_, None) => count(&counts.could_not_lie),
        }
        let duration_us = self.duration.as_micros() as u64;
        let seats = truth.lines().next().map_or(0, seats);
        SimulatedResult {
            index: one.index,
            outcome: SimulatedOutcome::Played(RemoteMatch {
                record: forged.unwrap_or_else(|| truth.clone()),
                started_at: unix_ms(),
                duration_us,
                seats: vec![RemoteSeat::default(); seats],
            }),
        }
    }
}

/// How many seats the header of a record has.
fn seats(header: &str) -> usize {
    #[derive(Deserialize)]
    struct SimulatedHeader {
        seats: Vec<serde::de::IgnoredAny>,
    }
    serde_json::from_str::<SimulatedHeader>(header).map_or(0, |header| header.seats.len())
}

/// Fetches jobs and lets them be answered, until its time is over.
async fn serve(shared: &Arc<SimulatedWorkers>, threads: usize, until: Instant) {
    let version = env!("CARGO_PKG_VERSION").replace(['.', '+'], "-");
    let queue = QueueName::new(&version.to_ascii_lowercase()).expect("a version is a name");
    let mut tasks = JoinSet::new();
    let mut announced: Option<(Instant, u64)> = None;
    while Instant::now() < until && !*shared.ends.borrow() {
        while tasks.try_join_next().is_some() {}
        if announced.is_none_or(|(at, _)| at.elapsed() >= ANNOUNCE_EVERY) {
            announced = announce(shared, threads, announced).await;
        }
        let held = shared.held.load(Ordering::Relaxed);
        // One waits for the first thread that has nothing to do.
        let free = (threads + 1).saturating_sub(held).min(MAX_FETCH);
        if free == 0 {
            let _ = tokio::time::timeout(FETCH_WAIT, shared.freed.notified()).await;
            continue;
        }
        match shared.worker.next(&queue, free, FETCH_WAIT).await {
            Ok(items) => {
                for item in items {
                    shared.held.fetch_add(1, Ordering::Relaxed);
                    let shared = Arc::clone(shared);
                    tasks.spawn(async move { shared.answer(item).await });
                }
            }
            // No director has been there yet, or the server is away.
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
    let _ = tokio::time::timeout(PROGRESS_EVERY, tasks.join_all()).await;
}

/// Says that it is there, and gives when that was and how much it had answered.
async fn announce(
    shared: &SimulatedWorkers,
    threads: usize,
    before: Option<(Instant, u64)>,
) -> Option<(Instant, u64)> {
    let played = shared.counts.answered.load(Ordering::Relaxed);
    let lately = before.map_or(0.0, |(at, then)| {
        (played - then) as f64 / at.elapsed().as_secs_f64()
    });
    let held = shared.held.load(Ordering::Relaxed);
    let about = About {
        flipside: env!("CARGO_PKG_VERSION").into(),
        class: MACHINE.into(),
        threads,
        played,
        per_second: lately,
        busy: held.min(threads) as f64 / threads as f64,
    };
    let json = serde_json::to_vec(&about).expect("it is JSON");
    let told = shared.worker.announce(Bytes::from(json)).await;
    told.is_ok().then(|| (Instant::now(), played))
}

/// Hears when standard input ends.
fn end_of_input() -> watch::Receiver<bool> {
    let (sender, ends) = watch::channel(false);
    std::thread::spawn(move || {
        let mut buffer = [0; 64];
        let mut input = std::io::stdin().lock();
        while input.read(&mut buffer).is_ok_and(|read| read > 0) {}
        // When nobody listens, it ends already.
        let _ = sender.send(true);
    });
    ends
}

async fn simulate(args: SimulateArgs) -> Result<bool, Box<dyn Error>> {
    let until = Instant::now() + Duration::from_secs(args.seconds);
    let threads = usize::from(args.threads);
    let truth = records(&args.arena)?;
    let others = args.liar_arena.as_deref().map(records).transpose()?;
    let (never, unused) = watch::channel(false);
    let ends = match args.stdin {
        true => end_of_input(),
        false => unused,
    };
    let connection = Connection::connect(&args.server, &Options::new(args.name)).await?;
    let shared = Arc::new(SimulatedWorkers {
        worker: Worker::new(connection),
        truth,
        others: others.unwrap_or_default(),
        lie: args.lie,
        sleep: args.sleep,
        duration: args.duration.unwrap_or(args.sleep.max(NO_SLEEP)),
        threads: Semaphore::new(threads),
        held: AtomicUsize::new(0),
        freed: Notify::new(),
        ends,
        log: args.log.map(File::create).transpose()?.map(Mutex::new),
        counts: SimulatedCounts::default(),
    });
    serve(&shared, threads, until).await;
    drop(never);
    // It is listed for a while if the server is away.
    let _ = shared.worker.leave().await;
    let counts = &shared.counts;
    let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let told = serde_json::json!({
        "jobs": of(&counts.jobs), "answered": of(&counts.answered), "lied": of(&counts.lied),
        "invented": of(&counts.invented), "could_not_lie": of(&counts.could_not_lie),
        "missing": of(&counts.missing), "defects": of(&counts.defects),
    });
    println!("{told}");
    Ok(of(&counts.defects) == 0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = SimulateArgs::parse();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    match runtime.block_on(simulate(args))? {
        true => Ok(()),
        false => Err("some lies are not as they should be".into()),
    }
}
