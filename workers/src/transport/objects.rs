//! Files in an object store, in the standard layout: chunks under `$O.<bucket>.C.<id>`, and a description under
//! `$O.<bucket>.M.<name>`. Both subjects of a large result begin with its worker:
//! `$O.<bucket>.C.<worker>.<result>.<id>`. So the server lets a worker write only its own, and the director looks for a
//! result only there.
//!
//! The client library reads objects through consumers, which a worker would need permission to create. Here they are
//! read message by message instead, which needs nothing but permission to read the bucket. Downloads are checked.

use std::collections::VecDeque;

use async_nats::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use bytes::{Bytes, BytesMut};
use flipside_sandbox::LARGEST_PROGRAM;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::connection::Connection;
use super::error::Error;
use super::names::{Sha256Hash, WorkerName};
use super::stored::{self, StreamMessage};
use super::streams::{FILES, LARGE, RETENTION};

/// The most bytes of a file: those of the largest bot.
pub const MAX_FILE_BYTES: u64 = LARGEST_PROGRAM;

/// The most bytes of a result.
pub const MAX_RESULT_BYTES: u64 = 65 << 20;

/// The bytes of a chunk, unless the server accepts only smaller messages.
const CHUNK: usize = 512 << 10;

/// What a message may have beside its payload, in bytes. Chunks leave so much of the server's limit.
const CHUNK_OVERHEAD: usize = 4 << 10;

/// The smallest chunk but for the last one, in bytes. A server that accepts less cannot be used for objects. Each chunk
/// costs a request, so smaller ones would let a worker keep the director busy.
const MIN_CHUNK: usize = 32 << 10;

/// How many chunks may be sent before the first of them is acknowledged.
const MAX_CHUNKS_IN_FLIGHT: usize = 8;

/// How often an upload is begun that got no answer.
const MAX_TRIES: u32 = 3;

/// The bytes of the random id of an object's chunks.
const ID_BYTES: usize = 16;

/// The most characters of such an id that is read.
const MAX_ID: usize = 64;

/// The description of an object.
#[derive(Debug, Serialize, Deserialize)]
struct Description {
    name: String,
    bucket: String,
    nuid: String,
    size: u64,
    chunks: u64,
    /// `SHA-256=` and the hash in URL-safe base64.
    digest: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
}

fn digest(hash: &Sha256Hash) -> String {
    format!("SHA-256={}", URL_SAFE.encode(hash.0))
}

/// Reads the description of an object, which anybody may have written who may write to the bucket.
fn parse_description(bytes: &[u8]) -> Result<Description, String> {
    let description: Description =
        serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    // A wildcard would name the chunks of all objects.
    let id = description.nuid.as_bytes();
    let has_size = (1..=MAX_ID).contains(&id.len());
    match has_size && id.iter().all(u8::is_ascii_alphanumeric) {
        true => Ok(description),
        false => Err("the id of its chunks is not valid".into()),
    }
}

/// One bucket, or what belongs to one result in it.
pub(super) struct Objects<'a> {
    connection: &'a Connection,
    bucket: &'static str,
    /// What subjects have before the id of chunks or the name of an object: nothing, or parts that each end with a dot.
    folder: String,
    /// The most bytes of an object.
    max_bytes: u64,
}

impl<'a> Objects<'a> {
    /// The files of bots.
    pub(super) fn files(connection: &'a Connection) -> Self {
        Objects {
            connection,
            bucket: FILES,
            folder: String::new(),
            max_bytes: MAX_FILE_BYTES,
        }
    }

    /// A large result of a worker.
    pub(super) fn large(
        connection: &'a Connection,
        worker: &WorkerName,
        result: &Sha256Hash,
    ) -> Self {
        Objects {
            connection,
            bucket: LARGE,
            folder: format!("{worker}.{result}."),
            max_bytes: MAX_RESULT_BYTES,
        }
    }

    fn stream(&self) -> String {
        format!("OBJ_{}", self.bucket)
    }

    fn description_subject(&self, name: &str) -> String {
        let (bucket, folder) = (self.bucket, &self.folder);
        format!("$O.{bucket}.M.{folder}{}", URL_SAFE.encode(name))
    }

    fn chunks_subject(&self, id: &str) -> String {
        let (bucket, folder) = (self.bucket, &self.folder);
        format!("$O.{bucket}.C.{folder}{id}")
    }

    /// Whether there is such an object, so new that the server keeps it for long enough.
    pub(super) async fn is_fresh(&self, name: &str, hash: &Sha256Hash) -> Result<bool, Error> {
        let Some((description, at)) = self.describe(name).await? else {
            return Ok(false);
        };
        let is_old = OffsetDateTime::now_utc() - at > RETENTION / 2;
        Ok(!is_old && !description.deleted && description.digest == digest(hash))
    }

    /// The description of an object, and since when it is there. One that cannot be read counts as none, so that the
    /// object is stored again.
    async fn describe(&self, name: &str) -> Result<Option<(Description, OffsetDateTime)>, Error> {
        let subject = self.description_subject(name);
        let Some(stored) = stored::last(self.connection, &self.stream(), &subject).await? else {
            return Ok(None);
        };
        match parse_description(&stored.payload) {
            Ok(description) => Ok(Some((description, stored.at))),
            Err(error) => {
                tracing::warn!(name, error, "the description of an object cannot be read");
                Ok(None)
            }
        }
    }

    /// Stores an object under a name. Replaces an older one.
    pub(super) async fn put(
        &self,
        name: &str,
        hash: &Sha256Hash,
        bytes: &Bytes,
    ) -> Result<(), Error> {
        Error::check_size("the file", bytes.len(), self.max_bytes)?;
        let mut tries = 1;
        loop {
            match self.try_put(name, hash, bytes).await {
                Err(Error::NoAnswer { .. }) if tries < MAX_TRIES => tries += 1,
                put => return put,
            }
        }
    }

    async fn try_put(&self, name: &str, hash: &Sha256Hash, bytes: &Bytes) -> Result<(), Error> {
        let id = hex::encode(rand::random::<[u8; ID_BYTES]>());
        let chunks = self.put_chunks(&id, bytes).await?;
        let description = Description {
            name: name.into(),
            bucket: self.bucket.into(),
            nuid: id,
            size: bytes.len() as u64,
            chunks,
            digest: digest(hash),
            deleted: false,
        };
        self.put_description(&description).await
    }

    async fn put_chunks(&self, id: &str, bytes: &Bytes) -> Result<u64, Error> {
        let subject = self.chunks_subject(id);
        let room = self.connection.client.max_payload();
        let size = room.saturating_sub(CHUNK_OVERHEAD).clamp(MIN_CHUNK, CHUNK);
        let (mut rest, mut chunks) = (bytes.clone(), 0);
        let mut in_flight = VecDeque::new();
        while !rest.is_empty() {
            let chunk = rest.split_to(size.min(rest.len()));
            chunks += 1;
            in_flight.push_back(self.store(subject.clone(), chunk));
            if in_flight.len() == MAX_CHUNKS_IN_FLIGHT {
                settle(&mut in_flight).await?;
            }
        }
        settle(&mut in_flight).await?;
        Ok(chunks)
    }

    /// Stores a message. Never sends it twice: repeated chunks would be out of order.
    async fn store(&self, subject: String, message: Bytes) -> Result<(), Error> {
        let call = self.connection.call(&subject, HeaderMap::new(), message);
        let answer = call.await?;
        let stored = self.connection.decode(&subject, &answer.payload);
        stored.map(|_: IgnoredAny| ())
    }

    async fn put_description(&self, description: &Description) -> Result<(), Error> {
        let subject = self.description_subject(&description.name);
        let body = serde_json::to_vec(description).expect("a description is JSON");
        self.store(subject, body.into()).await
    }

    /// Reads an object. Refuses one whose bytes do not have this hash, and one in needlessly many chunks.
    pub(super) async fn get(&self, name: &str, hash: &Sha256Hash) -> Result<Bytes, Error> {
        let damaged = |what: &str| Error::Damaged(name.into(), what.into());
        let described = self.describe(name).await?;
        let described = described.filter(|(description, _)| !description.deleted);
        let Some((description, _)) = described else {
            return Err(Error::NoFile(name.into()));
        };
        let size = usize::try_from(description.size).unwrap_or(usize::MAX);
        Error::check_size("the file", size, self.max_bytes)?;
        if description.chunks > description.size.div_ceil(MIN_CHUNK as u64) {
            return Err(damaged("it has more chunks than its size needs"));
        }
        let subject = self.chunks_subject(&description.nuid);
        let mut bytes = BytesMut::with_capacity(size);
        let mut next = 1;
        for number in 1..=description.chunks {
            let found = stored::next(self.connection, &self.stream(), &subject, next).await?;
            let Some(StreamMessage {
                sequence,
                payload: chunk,
                ..
            }) = found
            else {
                return Err(damaged("a chunk is missing"));
            };
            if (bytes.len() + chunk.len()) as u64 > description.size || chunk.is_empty() {
                return Err(damaged("it has another size than its description says"));
            }
            if chunk.len() < MIN_CHUNK && number < description.chunks {
                return Err(damaged("a chunk is too small"));
            }
            bytes.extend_from_slice(&chunk);
            next = sequence.saturating_add(1);
        }
        if Sha256Hash::of(&bytes) != *hash {
            return Err(damaged("it has another SHA-256"));
        }
        Ok(bytes.freeze())
    }

    /// Deletes all objects of the folder, with the chunks of uploads that were broken off. Reads no description, as
    /// that could name the chunks of others.
    pub(super) async fn delete_all(&self) -> Result<(), Error> {
        let chunks = self.chunks_subject(">");
        let descriptions = format!("$O.{}.M.{}>", self.bucket, self.folder);
        for subject in [chunks, descriptions] {
            stored::purge(self.connection, &self.stream(), &subject).await?;
        }
        Ok(())
    }
}

/// Sends the chunks that are in flight, in their order, and waits for all answers.
async fn settle<F>(in_flight: &mut VecDeque<F>) -> Result<(), Error>
where
    F: Future<Output = Result<(), Error>>,
{
    let all = futures_util::future::try_join_all(in_flight.drain(..));
    all.await.map(drop)
}
