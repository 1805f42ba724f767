//! What a director does: publish work and files, and take results.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use async_nats::datetime::parse_rfc3339;
use async_nats::{HeaderMap, HeaderValue};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use serde_json::json;
use time::OffsetDateTime;

use super::connection::Connection;
use super::error::Error;
use super::names::{QueueName, RunId, Sha256Hash, WorkerName};
use super::objects::Objects;
use super::stored::{self, StreamMessage, purge};
use super::streams::{
    self, Consumer, RESULTS, WORK, WORKERS, presence_subject, results_of, work_of, work_subject,
};

/// The header of a result that says of what it is one.
pub(super) const ID_HEADER: &str = "Flipside-Id";

/// The header of a result that lies in the object store: its SHA-256.
pub(super) const HASH_HEADER: &str = "Flipside-Sha256";

/// How long a result may take that lies in the object store. Meanwhile the director does nothing else.
const MAX_DOWNLOAD: Duration = Duration::from_secs(60);

/// How often it is looked for results.
const RESULTS_LOOK: Duration = Duration::from_millis(25);

/// How often at least, after nothing has come for a while.
const RESULTS_LOOK_AT_LEAST: Duration = Duration::from_millis(200);

/// So many bytes of results are read at once, and then the rest of the last one.
const MAX_RESULTS_READ: usize = 32 << 20;

/// How many entries of the workers' presence are read at once.
const MAX_READS: usize = 16;

/// What publishing did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publication {
    /// The message is stored.
    New,
    /// A message with the same id was stored shortly before; this one is dropped.
    Duplicate,
}

/// What the server answers to a message that it stored.
#[derive(Deserialize)]
struct Confirmed {
    #[serde(default)]
    duplicate: bool,
}

/// A worker that was seen lately.
#[derive(Clone, Debug)]
pub struct Presence {
    /// Its name. The server checks that its user may use it.
    pub worker: WorkerName,
    /// What it said about itself.
    pub payload: Bytes,
    /// How long ago, by the clock of the server.
    pub age: Duration,
}

/// The side of the arena.
#[derive(Clone)]
pub struct TransportDirector {
    connection: Connection,
}

impl TransportDirector {
    /// Makes a director of a connection whose user has all permissions on the subjects of Flipside.
    pub fn new(connection: Connection) -> Self {
        TransportDirector { connection }
    }

    /// Creates the streams and buckets that are missing on the server, sets their limits, and opens a queue. May be
    /// repeated.
    pub async fn set_up(&self, queue: &QueueName) -> Result<(), Error> {
        streams::set_up(&self.connection).await?;
        self.open(queue).await
    }

    /// Lets workers fetch from a queue. Repeat this while work is wanted: the server may lose what this makes, and what
    /// hangs there goes on. Work that is not done within the connection's `ack_wait` is delivered again.
    pub async fn open(&self, queue: &QueueName) -> Result<(), Error> {
        Consumer::work(queue).create(&self.connection).await
    }

    /// Publishes work to a queue, and waits until the server has stored it. The id distinguishes the
    /// work of a run, so that work that was sent twice is stored once. A full stream is [`Error::Full`].
    pub async fn publish(
        &self,
        run: &RunId,
        queue: &QueueName,
        id: &str,
        work: Bytes,
    ) -> Result<Publication, Error> {
        let subject = work_subject(run, queue);
        let limit = self.connection.client.max_payload();
        let limit = limit.saturating_sub(MAX_HEADERS);
        Error::check_size("the work", work.len(), limit as u64)?;
        let headers = with_header(&subject, "Nats-Msg-Id", &format!("{run}.{id}"))?;
        store(&self.connection, &subject, &headers, &work).await
    }

    /// Reads up to `max` results of a run. Returns as soon as there is one, and nothing after `expires`. A result that
    /// is not acknowledged is read again.
    pub async fn results(
        &self,
        run: &RunId,
        max: usize,
        expires: Duration,
    ) -> Result<Vec<RunResult>, Error> {
        let until = Instant::now() + expires;
        let mut pause = RESULTS_LOOK;
        loop {
            let found = self.results_now(run, max).await?;
            if !found.is_empty() || Instant::now() >= until {
                return Ok(found);
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(RESULTS_LOOK_AT_LEAST);
        }
    }

    /// Reads up to `max` results that are there, and removes those without a valid worker.
    async fn results_now(&self, run: &RunId, max: usize) -> Result<Vec<RunResult>, Error> {
        let subject = results_of(run);
        let (mut found, mut next, mut bytes) = (Vec::new(), 1, 0);
        while found.len() < max && bytes < MAX_RESULTS_READ {
            let read = stored::next(&self.connection, RESULTS, &subject, next);
            let Some(message) = read.await? else {
                break;
            };
            next = message.sequence.saturating_add(1);
            bytes += message.payload.len();
            let Some(worker) = worker_of(&message) else {
                let subject = message.subject;
                tracing::warn!(subject, "removing a message without a valid name");
                stored::delete(&self.connection, RESULTS, message.sequence).await?;
                continue;
            };
            found.push(RunResult {
                connection: self.connection.clone(),
                run: run.clone(),
                worker,
                id: message.header(ID_HEADER).map(str::to_owned),
                hash: message.header(HASH_HEADER).map(str::to_owned),
                sequence: message.sequence,
                payload: message.payload,
            });
        }
        Ok(found)
    }

    /// Removes what is left of a run: its work and its results.
    pub async fn forget(&self, run: &RunId) -> Result<(), Error> {
        purge(&self.connection, WORK, &work_of(run)).await?;
        purge(&self.connection, RESULTS, &results_of(run)).await
    }

    /// Uploads a file, unless the server has it. Repeat this every day while a run needs the file: the server keeps
    /// it for [`RETENTION`](super::RETENTION).
    pub async fn put_file(&self, hash: &Sha256Hash, bytes: &Bytes) -> Result<Publication, Error> {
        let found = Sha256Hash::of(bytes);
        if found != *hash {
            return Err(Error::WrongHash {
                found,
                expected: *hash,
            });
        }
        let files = Objects::files(&self.connection);
        let name = hash.to_string();
        if files.is_fresh(&name, hash).await? {
            return Ok(Publication::Duplicate);
        }
        files.put(&name, hash, bytes).await?;
        Ok(Publication::New)
    }

    /// Lists the workers that were seen lately, by name.
    pub async fn workers(&self) -> Result<Vec<Presence>, Error> {
        let bucket = format!("KV_{WORKERS}");
        let stored = self.stored(&bucket, &format!("$KV.{WORKERS}.>")).await?;
        let now = parse_rfc3339(&stored.ts).map_err(|error| Error::refusal(&bucket, error))?;
        let prefix = format!("$KV.{WORKERS}.");
        let names = stored.state.subjects.into_keys();
        let names = names.filter_map(|subject| subject.strip_prefix(&prefix)?.parse().ok());
        let found = stream::iter(names).map(|worker| self.presence(worker, now));
        let found: Vec<Option<Presence>> = found.buffered(MAX_READS).try_collect().await?;
        Ok(found.into_iter().flatten().collect())
    }

    /// How much work is in a queue: what waits for a worker, and what workers have.
    pub async fn backlog(&self, queue: &QueueName) -> Result<Backlog, Error> {
        let backlog = self.backlog_of(&Consumer::work(queue)).await?;
        // No director has opened it yet.
        Ok(backlog.unwrap_or_default())
    }

    /// Whether the server has no work in a queue, and no result of this run. Then nothing will come of what was
    /// published: a worker says that work is done only after its result is stored.
    pub async fn has_nothing(&self, run: &RunId, queue: &QueueName) -> Result<bool, Error> {
        // Work first and then results, for results come of work. While a consumer is missing, nobody knows.
        let backlog = self.backlog_of(&Consumer::work(queue)).await?;
        Ok(backlog == Some(Backlog::default()) && self.results_now(run, 1).await?.is_empty())
    }

    /// What is in the queue of a consumer; none if the consumer is not there.
    async fn backlog_of(&self, consumer: &Consumer) -> Result<Option<Backlog>, Error> {
        let what = format!("CONSUMER.INFO.{}.{}", consumer.stream, consumer.name);
        let held = match self.connection.api(&what, &json!({})).await {
            Err(Error::NotSetUp(_)) => return Ok(None),
            found => found.map(|Delivered { held }| held)?,
        };
        // A consumer counts what waits for it some time after the server has confirmed it. The stream counts it before,
        // and has it until it is done, which may be between the two requests.
        let stored = self.stored(consumer.stream, &consumer.filter).await?;
        let all: u64 = stored.state.subjects.into_values().sum();
        let waiting = all.saturating_sub(held);
        Ok(Some(Backlog { waiting, held }))
    }

    /// What a stream has on the subjects of a filter.
    async fn stored(&self, stream: &str, filter: &str) -> Result<Stored, Error> {
        let request = json!({ "subjects_filter": filter });
        let what = format!("STREAM.INFO.{stream}");
        self.connection.api(&what, &request).await
    }

    async fn presence(
        &self,
        worker: WorkerName,
        now: OffsetDateTime,
    ) -> Result<Option<Presence>, Error> {
        let (stream, subject) = (format!("KV_{WORKERS}"), presence_subject(&worker));
        let found = stored::last(&self.connection, &stream, &subject).await?;
        // It may have expired meanwhile, or the worker said that it leaves.
        let found = found.filter(|it| it.header("KV-Operation").is_none());
        Ok(found.map(|it| Presence {
            worker,
            age: (now - it.at).try_into().unwrap_or_default(),
            payload: it.payload,
        }))
    }
}

/// How much work is in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// What waits for a worker.
    pub waiting: u64,
    /// What workers have, and is not done.
    pub held: u64,
}

/// The part of the description of a consumer that tells of what was delivered.
#[derive(Deserialize)]
struct Delivered {
    #[serde(rename = "num_ack_pending")]
    held: u64,
}

/// The part of the description of a stream that tells what is in it.
#[derive(Deserialize)]
struct Stored {
    /// The time at the server.
    ts: String,
    state: StoredMessages,
}

#[derive(Deserialize)]
struct StoredMessages {
    /// How many messages there are, by subject.
    #[serde(default)]
    subjects: BTreeMap<String, u64>,
}

/// A result of a run.
pub struct RunResult {
    connection: Connection,
    run: RunId,
    worker: WorkerName,
    payload: Bytes,
    id: Option<String>,
    hash: Option<String>,
    sequence: u64,
}

/// Who sent a result, if its subject names a worker.
fn worker_of(message: &StreamMessage) -> Option<WorkerName> {
    message.subject.rsplit('.').next()?.parse().ok()
}

impl RunResult {
    /// Returns who sent it. The server checks that the worker's user may use this name.
    pub fn worker(&self) -> &WorkerName {
        &self.worker
    }

    /// Returns of what it is a result, as its worker says.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns the bytes of the result. Reads a large one from the object store.
    pub async fn payload(&self) -> Result<Bytes, Error> {
        let Some(hash) = &self.hash else {
            return Ok(self.payload.clone());
        };
        let (hash, name) = (hash.parse()?, self.large_name());
        let large = self.large(&name);
        let name = name.to_string();
        let read = tokio::time::timeout(MAX_DOWNLOAD, large.get(&name, &hash)).await;
        read.unwrap_or_else(|_| {
            let limit = format!("it does not come within {} s", MAX_DOWNLOAD.as_secs());
            Err(Error::Damaged(name, limit))
        })
    }

    /// Says that the result is stored, so that it is not read again.
    pub async fn ack(self) -> Result<(), Error> {
        stored::delete(&self.connection, RESULTS, self.sequence).await?;
        // What is not deleted here is deleted after a time by the server.
        if self.hash.is_some()
            && let Err(error) = self.large(&self.large_name()).delete_all().await
        {
            tracing::warn!(%error, "a large result that is stored stays on the server");
        }
        Ok(())
    }

    fn large_name(&self) -> Sha256Hash {
        large_name(&self.run, self.id.as_deref().unwrap_or_default())
    }

    /// Where a large result lies: only there can its worker have stored one.
    fn large(&self, name: &Sha256Hash) -> Objects<'_> {
        Objects::large(&self.connection, &self.worker, name)
    }
}

/// The name of a result in the object store. The same result has the same name, so that all of it is deleted when it
/// was sent twice.
pub(super) fn large_name(run: &RunId, id: &str) -> Sha256Hash {
    Sha256Hash::of(format!("{run}.{id}").as_bytes())
}

/// Headers with one of this name. Of the headers of work, `Nats-Msg-Id` lets the server drop what is sent twice.
pub(super) fn with_header(
    subject: &str,
    name: &'static str,
    value: &str,
) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    let value: Result<HeaderValue, _> = value.parse();
    let value = value.map_err(|error| Error::refusal(subject, error))?;
    headers.insert(name, value);
    Ok(headers)
}

/// Stores a message in a stream.
pub(super) async fn store(
    connection: &Connection,
    subject: &str,
    headers: &HeaderMap,
    payload: &Bytes,
) -> Result<Publication, Error> {
    let answer = connection.call_again(subject, headers, payload).await?;
    let confirmed: Confirmed = connection.decode(subject, &answer.payload)?;
    Ok(match confirmed.duplicate {
        true => Publication::Duplicate,
        false => Publication::New,
    })
}

/// What the headers of a message have at most, in bytes.
pub(super) const MAX_HEADERS: usize = 1 << 10;
