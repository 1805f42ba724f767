//! What a worker does: fetch work and files, and send results. Every subject here is one that
//! `docs/organisers/workers/nats.conf` permits to the worker's user.

use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::{HeaderMap, Message};
use bytes::Bytes;

use super::connection::Connection;
use super::director::{HASH_HEADER, ID_HEADER, MAX_HEADERS, large_name, store, with_header};
use super::error::Error;
use super::fetch::{Acker, fetch};
use super::names::{QueueName, RunId, Sha256Hash};
use super::objects::{MAX_RESULT_BYTES, Objects};
use super::streams::{Consumer, MAX_PRESENCE, presence_subject, result_subject};

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
    /// An item that is neither done nor in progress within the director's `ack_wait` is delivered again. It is
    /// [`Error::NotSetUp`] if no director has opened this queue, or the user may not use it.
    pub async fn next(
        &self,
        queue: &QueueName,
        max: usize,
        expires: Duration,
    ) -> Result<Vec<WorkItem>, Error> {
        let consumer = Consumer::work(queue);
        let fetched = fetch(&self.connection, &consumer, max, expires).await?;
        let item = |(run, message, acker): (RunId, Message, Acker)| WorkItem {
            run,
            payload: message.payload,
            acker,
        };
        Ok(fetched.into_iter().map(item).collect())
    }

    /// Sends a result, and waits until the server has stored it. The id says of what it is a result, also to a director
    /// that does not read it. A result that is sent twice may arrive twice. What does not fit into a message goes
    /// through the object store.
    pub async fn send_result(&self, run: &RunId, id: &str, bytes: Bytes) -> Result<(), Error> {
        let connection = &self.connection;
        let subject = result_subject(run, &connection.name);
        let mut headers = with_header(&subject, ID_HEADER, id)?;
        if bytes.len() + MAX_HEADERS <= connection.client.max_payload() {
            return store(connection, &subject, &headers, &bytes)
                .await
                .map(drop);
        }
        Error::check_size("the result", bytes.len(), MAX_RESULT_BYTES)?;
        let (name, hash) = (large_name(run, id), Sha256Hash::of(&bytes));
        let objects = Objects::large(connection, &connection.name, &name);
        objects.put(&name.to_string(), &hash, &bytes).await?;
        headers.insert(HASH_HEADER, hash.to_string());
        let body = Bytes::new();
        let stored = store(connection, &subject, &headers, &body);
        stored.await.map(drop)
    }

    /// Downloads a file, and refuses one that does not have this hash.
    pub async fn get_file(&self, hash: &Sha256Hash) -> Result<Bytes, Error> {
        let files = Objects::files(&self.connection);
        files.get(&hash.to_string(), hash).await
    }

    /// Says that this worker is there. Repeat this every few seconds: it is listed for
    /// [`PRESENCE_TTL`](super::PRESENCE_TTL).
    pub async fn announce(&self, about: Bytes) -> Result<(), Error> {
        let limit = u64::from(MAX_PRESENCE.unsigned_abs()) - MAX_HEADERS as u64;
        Error::check_size("what a worker says about itself", about.len(), limit)?;
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
        let stored = store(&self.connection, &subject, headers, about);
        stored.await.map(drop)
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

    /// Says that this worker is still at it. Repeat this well within the director's `ack_wait`.
    pub async fn in_progress(&self) -> Result<(), Error> {
        self.acker.tell(AckKind::Progress).await
    }

    /// Says that it is done, and waits until the server has noted it. Send the result first.
    pub async fn done(self) -> Result<(), Error> {
        self.acker.tell(AckKind::Ack).await
    }

    /// Gives it back, so that another worker gets it at once.
    pub async fn give_back(self) -> Result<(), Error> {
        self.acker.tell(AckKind::Nak(None)).await
    }
}
