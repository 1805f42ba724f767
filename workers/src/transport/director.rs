//! What a director does: publish work and files, and take results.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::{HeaderMap, HeaderValue, StatusCode};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use serde_json::json;
use time::OffsetDateTime;

use super::connection::Connection;
use super::error::Error;
use super::fetch::{self, Acker, Rights};
use super::names::{QueueName, RunId, Sha256Hash, WorkerName};
use super::objects::{Objects, purge};
use super::streams::{
    self, Consumer, FILES, LARGE, RESULTS, WORK, WORKERS, presence_subject, results_of, work_of,
    work_subject,
};

/// The header of a result that lies in the object store: the name of the object.
pub(super) const LARGE_HEADER: &str = "Flipside-Object";

/// The header with the SHA-256 of such a result.
pub(super) const HASH_HEADER: &str = "Flipside-Sha256";

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
struct Stored {
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
pub struct Director {
    connection: Connection,
}

impl Director {
    /// Makes a director of a connection whose user has all permissions on the subjects of Flipside.
    pub fn new(connection: Connection) -> Self {
        Director { connection }
    }

    /// Creates the streams and buckets that are missing on the server, and sets their limits. May be repeated.
    pub async fn set_up(&self) -> Result<(), Error> {
        streams::set_up(&self.connection).await
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
        check_payload(&self.connection, "the work", &work)?;
        let headers = with_id(&self.connection, &subject, &format!("{run}.{id}"))?;
        store(&self.connection, &subject, &headers, &work).await
    }

    /// Fetches up to `max` results of a run. Returns as soon as there is one, and nothing after `expires`. A result
    /// that is not acknowledged within [`ACK_WAIT`](super::ACK_WAIT) is delivered again.
    pub async fn results(
        &self,
        run: &RunId,
        max: usize,
        expires: Duration,
    ) -> Result<Vec<RunResult>, Error> {
        let consumer = Consumer::results(run);
        let rights = Rights::CreateAndDelete;
        let messages = fetch::fetch(&self.connection, &consumer, max, expires, rights).await?;
        let mut results = Vec::with_capacity(messages.len());
        for message in messages {
            let Some(acker) = Acker::of(&self.connection, &message) else {
                continue;
            };
            let worker = message.subject.rsplit('.').next().unwrap_or_default();
            let Ok(worker) = worker.parse() else {
                tracing::warn!(worker, "removing a result whose worker has no valid name");
                acker.refuse().await?;
                continue;
            };
            let header = |name| message.headers.as_ref()?.get(name).map(ToString::to_string);
            results.push(RunResult {
                worker,
                large: header(LARGE_HEADER),
                hash: header(HASH_HEADER),
                payload: message.payload,
                acker,
            });
        }
        Ok(results)
    }

    /// Removes what is left of a run: its work, its results and its consumer.
    pub async fn forget(&self, run: &RunId) -> Result<(), Error> {
        purge(&self.connection, WORK, &work_of(run)).await?;
        Consumer::results(run).delete(&self.connection).await?;
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
        let files = Objects {
            connection: &self.connection,
            bucket: FILES,
        };
        let name = hash.to_string();
        if files.is_fresh(&name, hash).await? {
            return Ok(Publication::Duplicate);
        }
        files.put(&name, hash, bytes).await?;
        Ok(Publication::New)
    }

    /// Lists the workers that were seen lately, by name.
    pub async fn workers(&self) -> Result<Vec<Presence>, Error> {
        let request = json!({ "subjects_filter": format!("$KV.{WORKERS}.>") });
        let what = format!("STREAM.INFO.KV_{WORKERS}");
        let entries: Entries = self.connection.api(&what, &request).await?;
        let now =
            OffsetDateTime::parse(&entries.ts, &time::format_description::well_known::Rfc3339);
        let now = now.map_err(|error| self.connection.refusal(&what, error))?;
        let prefix = format!("$KV.{WORKERS}.");
        let names = entries.state.subjects.into_keys();
        let names = names.filter_map(|subject| subject.strip_prefix(&prefix)?.parse().ok());
        let found = stream::iter(names).map(|worker| self.presence(worker, now));
        let found: Vec<Option<Presence>> = found.buffered(MAX_READS).try_collect().await?;
        Ok(found.into_iter().flatten().collect())
    }

    /// How much work is in a queue: what waits for a worker, and what workers have.
    pub async fn backlog(&self, queue: &QueueName) -> Result<Backlog, Error> {
        let consumer = Consumer::work(queue);
        let what = format!("CONSUMER.INFO.{}.{}", consumer.stream, consumer.name);
        match self.connection.api(&what, &json!({})).await {
            // No worker has fetched anything of it yet.
            Err(Error::NotSetUp(_)) => Ok(Backlog::default()),
            found => found,
        }
    }

    async fn presence(
        &self,
        worker: WorkerName,
        now: OffsetDateTime,
    ) -> Result<Option<Presence>, Error> {
        let get = format!(
            "$JS.API.DIRECT.GET.KV_{WORKERS}.{}",
            presence_subject(&worker)
        );
        let answer = self
            .connection
            .call_again(&get, &HeaderMap::new(), &Bytes::new())
            .await?;
        // It may have expired meanwhile, or the worker said that it leaves.
        let headers = answer.headers.as_ref();
        let header = |name| headers?.get(name).map(HeaderValue::as_str);
        let is_gone = answer.status.is_some_and(|status| status != StatusCode::OK);
        if is_gone || header("KV-Operation").is_some() {
            return Ok(None);
        }
        let time = header("Nats-Time-Stamp");
        let time = time.and_then(|time| async_nats::datetime::parse_rfc3339(time).ok());
        let age = time.map_or(Duration::ZERO, |time| {
            (now - time).try_into().unwrap_or_default()
        });
        Ok(Some(Presence {
            worker,
            payload: answer.payload,
            age,
        }))
    }
}

/// How much work is in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Backlog {
    /// What waits for a worker.
    #[serde(rename = "num_pending")]
    pub waiting: u64,
    /// What workers have, and is not done.
    #[serde(rename = "num_ack_pending")]
    pub held: u64,
}

/// The part of the description of a bucket that lists its keys.
#[derive(Deserialize)]
struct Entries {
    /// The time at the server.
    ts: String,
    state: Keys,
}

#[derive(Deserialize)]
struct Keys {
    #[serde(default)]
    subjects: BTreeMap<String, u64>,
}

/// A result of a run.
pub struct RunResult {
    worker: WorkerName,
    payload: Bytes,
    large: Option<String>,
    hash: Option<String>,
    acker: Acker,
}

impl RunResult {
    /// Returns who sent it. The server checks that the worker's user may use this name.
    pub fn worker(&self) -> &WorkerName {
        &self.worker
    }

    /// Returns how often it was delivered, from 1.
    pub fn deliveries(&self) -> u64 {
        self.acker.deliveries
    }

    /// Returns the bytes of the result. Reads a large one from the object store.
    pub async fn payload(&self) -> Result<Bytes, Error> {
        let Some(name) = &self.large else {
            return Ok(self.payload.clone());
        };
        let hash = self.hash.as_deref().unwrap_or_default().parse()?;
        self.objects().get(name, &hash).await
    }

    /// Says that the result is stored, so that it is not delivered again.
    pub async fn ack(self) -> Result<(), Error> {
        self.acker.ack().await?;
        // What is not deleted here is deleted after a time by the server.
        if let Some(name) = &self.large
            && let Err(error) = self.objects().delete(name).await
        {
            tracing::warn!(%error, "a large result that is stored stays on the server");
        }
        Ok(())
    }

    /// Says that the result could not be stored, so that it is delivered again at once.
    pub async fn nak(self) -> Result<(), Error> {
        self.acker.nak().await
    }

    fn objects(&self) -> Objects<'_> {
        Objects {
            connection: self.acker.connection(),
            bucket: LARGE,
        }
    }
}

/// Headers with the id by which the server recognises a message that is sent twice.
pub(super) fn with_id(
    connection: &Connection,
    subject: &str,
    id: &str,
) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    let id: HeaderValue = id
        .parse()
        .map_err(|error| connection.refusal(subject, error))?;
    headers.insert("Nats-Msg-Id", id);
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
    let stored: Stored = connection.decode(subject, &answer.payload)?;
    Ok(match stored.duplicate {
        true => Publication::Duplicate,
        false => Publication::New,
    })
}

/// What the headers of a message have at most, in bytes.
pub(super) const MAX_HEADERS: usize = 1 << 10;

/// Refuses what does not fit into a message.
fn check_payload(connection: &Connection, what: &'static str, bytes: &Bytes) -> Result<(), Error> {
    let limit = connection.client.max_payload().saturating_sub(MAX_HEADERS);
    match bytes.len() <= limit {
        true => Ok(()),
        false => Err(Error::TooLarge {
            what,
            size: bytes.len() as u64,
            limit: limit as u64,
        }),
    }
}
