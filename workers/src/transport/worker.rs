//! What a worker does: fetch work and files, and send results. Every subject here is one that
//! `docs/workers/nats.conf` permits to the worker's user.

use std::time::Duration;

use async_nats::HeaderMap;
use bytes::Bytes;

use super::connection::Connection;
use super::director::{HASH_HEADER, LARGE_HEADER, MAX_HEADERS, Publication, store, with_id};
use super::error::Error;
use super::fetch::{self, Acker, Rights};
use super::names::{QueueName, RunId, Sha256Hash};
use super::objects::{Objects, check_size};
use super::streams::{Consumer, FILES, LARGE, MAX_PRESENCE, presence_subject, result_subject};

/// The side of a machine that plays.
#[derive(Clone)]
pub struct Worker {
    connection: Connection,
}

impl Worker {
    /// Makes a worker of a connection. Its user needs only the permissions of a worker.
    pub fn new(connection: Connection) -> Self {
        Worker { connection }
    }

    /// Fetches up to `max` items of work of a queue. Returns as soon as there is one, and nothing after `expires`.
    /// An item that is neither done nor in progress within the connection's `ack_wait` is delivered again.
    pub async fn next(
        &self,
        queue: &QueueName,
        max: usize,
        expires: Duration,
    ) -> Result<Vec<WorkItem>, Error> {
        let consumer = Consumer::work(queue);
        let rights = Rights::Create;
        let messages = fetch::fetch(&self.connection, &consumer, max, expires, rights).await?;
        let mut items = Vec::with_capacity(messages.len());
        for message in messages {
            let Some(acker) = Acker::of(&self.connection, &message) else {
                continue;
            };
            let run = message.subject.split('.').nth(2).unwrap_or_default();
            let Ok(run) = run.parse() else {
                tracing::warn!(run, "removing work whose run has no valid id");
                acker.refuse().await?;
                continue;
            };
            items.push(WorkItem {
                run,
                payload: message.payload,
                acker,
            });
        }
        Ok(items)
    }

    /// Sends a result, and waits until the server has stored it. The id distinguishes the results of this worker in a
    /// run. What does not fit into a message goes through the object store.
    pub async fn send_result(
        &self,
        run: &RunId,
        id: &str,
        bytes: Bytes,
    ) -> Result<Publication, Error> {
        let connection = &self.connection;
        let subject = result_subject(run, &connection.name);
        let id = format!("{run}.{}.{id}", connection.name);
        let mut headers = with_id(connection, &subject, &id)?;
        if bytes.len() + MAX_HEADERS <= connection.client.max_payload() {
            return store(connection, &subject, &headers, &bytes).await;
        }
        self.put_large(&mut headers, &id, &bytes).await?;
        store(connection, &subject, &headers, &Bytes::new()).await
    }

    /// The same result has the same name, so that it takes no more room when it is sent again.
    async fn put_large(
        &self,
        headers: &mut HeaderMap,
        id: &str,
        bytes: &Bytes,
    ) -> Result<(), Error> {
        check_size("the result", bytes.len() as u64)?;
        let objects = Objects {
            connection: &self.connection,
            bucket: LARGE,
        };
        let name = Sha256Hash::of(id.as_bytes()).to_string();
        let hash = Sha256Hash::of(bytes);
        objects.put(&name, &hash, bytes).await?;
        headers.insert(LARGE_HEADER, name);
        headers.insert(HASH_HEADER, hash.to_string());
        Ok(())
    }

    /// Downloads a file, and refuses one that does not have this hash.
    pub async fn get_file(&self, hash: &Sha256Hash) -> Result<Bytes, Error> {
        let files = Objects {
            connection: &self.connection,
            bucket: FILES,
        };
        files.get(&hash.to_string(), hash).await
    }

    /// Says that this worker is there. Repeat this every few seconds: it is listed for
    /// [`PRESENCE_TTL`](super::PRESENCE_TTL).
    pub async fn announce(&self, about: Bytes) -> Result<(), Error> {
        let limit = u64::from(MAX_PRESENCE.unsigned_abs()) - MAX_HEADERS as u64;
        if about.len() as u64 > limit {
            return Err(Error::TooLarge {
                what: "what a worker says about itself",
                size: about.len() as u64,
                limit,
            });
        }
        self.put_presence(&HeaderMap::new(), &about).await
    }

    /// Says that this worker leaves.
    pub async fn leave(&self) -> Result<(), Error> {
        let mut headers = HeaderMap::new();
        headers.insert("KV-Operation", "DEL");
        self.put_presence(&headers, &Bytes::new()).await
    }

    async fn put_presence(&self, headers: &HeaderMap, about: &Bytes) -> Result<(), Error> {
        let subject = presence_subject(&self.connection.name);
        store(&self.connection, &subject, headers, about)
            .await
            .map(drop)
    }
}

/// One piece of work, which this worker holds until it is done, given back or late.
pub struct WorkItem {
    run: RunId,
    payload: Bytes,
    acker: Acker,
}

impl WorkItem {
    /// Returns the run to which it belongs.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Returns what to do.
    pub fn payload(&self) -> &Bytes {
        &self.payload
    }

    /// Returns how often it was delivered, from 1. A high number tells that workers end while they work on it.
    pub fn deliveries(&self) -> u64 {
        self.acker.deliveries
    }

    /// Says that this worker is still at it. Repeat this well within the connection's `ack_wait`.
    pub async fn in_progress(&self) -> Result<(), Error> {
        self.acker.in_progress().await
    }

    /// Says that it is done, and waits until the server has noted it. Send the result first.
    pub async fn done(self) -> Result<(), Error> {
        self.acker.ack().await
    }

    /// Gives it back, so that another worker gets it at once.
    pub async fn give_back(self) -> Result<(), Error> {
        self.acker.nak().await
    }
}
