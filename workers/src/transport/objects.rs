//! Files in an object store, in the standard layout: chunks under `$O.<bucket>.C.<id>`, and a description under
//! `$O.<bucket>.M.<name>`.
//!
//! The client library reads objects through consumers, which a worker would need permission to create. Here they are
//! read message by message instead, which needs nothing but permission to read the bucket. Downloads are checked.

use std::collections::VecDeque;

use async_nats::{HeaderMap, Message, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use bytes::{Bytes, BytesMut};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::connection::Connection;
use super::error::Error;
use super::names::Sha256Hash;
use super::streams::RETENTION;

/// The most bytes of a file or of a result. It is more than the largest bot has, also when it is encrypted.
pub const MAX_OBJECT_BYTES: u64 = 65 << 20;

/// The bytes of a chunk, unless the server accepts only smaller messages.
const CHUNK: usize = 512 << 10;

/// What a message may have beside its payload, in bytes. Chunks leave so much of the server's limit.
const CHUNK_OVERHEAD: usize = 4 << 10;

/// The smallest chunk, in bytes. A server that accepts less cannot be used for objects.
const MIN_CHUNK: usize = 1 << 10;

/// How many chunks may be sent before the first of them is acknowledged.
const MAX_CHUNKS_IN_FLIGHT: usize = 8;

/// How often an upload is begun that got no answer.
const MAX_TRIES: u32 = 3;

/// The bytes of the random id of an object's chunks.
const ID_BYTES: usize = 16;

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
    format!("SHA-256={}", URL_SAFE.encode(hash.bytes()))
}

/// Reads the description of an object, which anybody may have written who may write to the bucket.
fn parse_description(bytes: &[u8]) -> Result<Description, String> {
    let description: Description =
        serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    // A wildcard would name the chunks of all objects.
    let id = description.nuid.as_bytes();
    match !id.is_empty() && id.iter().all(u8::is_ascii_alphanumeric) {
        true => Ok(description),
        false => Err("the id of its chunks is not valid".into()),
    }
}

/// One bucket.
pub(super) struct Objects<'a> {
    pub(super) connection: &'a Connection,
    pub(super) bucket: &'static str,
}

impl Objects<'_> {
    fn description_subject(&self, name: &str) -> String {
        format!("$O.{}.M.{}", self.bucket, URL_SAFE.encode(name))
    }

    /// Whether there is such an object, so new that the server keeps it for long enough.
    pub(super) async fn is_fresh(&self, name: &str, hash: &Sha256Hash) -> Result<bool, Error> {
        let Some((description, message)) = self.describe(name).await? else {
            return Ok(false);
        };
        let header = message.headers.as_ref();
        let time = header.and_then(|headers| headers.get("Nats-Time-Stamp"));
        let time = time.and_then(|time| async_nats::datetime::parse_rfc3339(time.as_str()).ok());
        let is_old = time.is_none_or(|time| {
            let age = time::OffsetDateTime::now_utc() - time;
            age > RETENTION / 2
        });
        Ok(!is_old && !description.deleted && description.digest == digest(hash))
    }

    async fn describe(&self, name: &str) -> Result<Option<(Description, Message)>, Error> {
        let subject = self.description_subject(name);
        let get = format!("$JS.API.DIRECT.GET.OBJ_{}.{subject}", self.bucket);
        let answer = self
            .connection
            .call_again(&get, &HeaderMap::new(), &Bytes::new())
            .await?;
        match answer.status {
            None | Some(StatusCode::OK) => {
                let description = parse_description(&answer.payload);
                let description =
                    description.map_err(|error| Error::Damaged(name.into(), error))?;
                Ok(Some((description, answer)))
            }
            Some(StatusCode::NOT_FOUND) => Ok(None),
            Some(_) => Err(self
                .connection
                .refusal(&get, answer.description.unwrap_or_default())),
        }
    }

    /// Stores an object under a name. Replaces an older one.
    pub(super) async fn put(
        &self,
        name: &str,
        hash: &Sha256Hash,
        bytes: &Bytes,
    ) -> Result<(), Error> {
        check_size("the file", bytes.len() as u64)?;
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
        let subject = format!("$O.{}.C.{id}", self.bucket);
        let room = self
            .connection
            .client
            .max_payload()
            .saturating_sub(CHUNK_OVERHEAD);
        let size = room.clamp(MIN_CHUNK, CHUNK);
        let (mut rest, mut chunks) = (bytes.clone(), 0);
        let mut in_flight = VecDeque::new();
        while !rest.is_empty() {
            let chunk = rest.split_to(size.min(rest.len()));
            chunks += 1;
            in_flight.push_back(self.store(subject.clone(), HeaderMap::new(), chunk));
            if in_flight.len() == MAX_CHUNKS_IN_FLIGHT {
                settle(&mut in_flight).await?;
            }
        }
        settle(&mut in_flight).await?;
        Ok(chunks)
    }

    /// Stores a message. Never sends it twice: repeated chunks would be out of order.
    async fn store(&self, subject: String, headers: HeaderMap, chunk: Bytes) -> Result<(), Error> {
        let answer = self.connection.call(&subject, headers, chunk).await?;
        self.connection
            .decode::<IgnoredAny>(&subject, &answer.payload)
            .map(drop)
    }

    async fn put_description(&self, description: &Description) -> Result<(), Error> {
        let subject = self.description_subject(&description.name);
        let mut headers = HeaderMap::new();
        // Only the newest description of a name is kept.
        headers.insert("Nats-Rollup", "sub");
        let body = serde_json::to_vec(description)
            .map_err(|error| self.connection.refusal(&subject, error))?;
        self.store(subject, headers, body.into()).await
    }

    /// Reads an object. Refuses one whose bytes do not have this hash.
    pub(super) async fn get(&self, name: &str, hash: &Sha256Hash) -> Result<Bytes, Error> {
        let damaged = |what: &str| Error::Damaged(name.into(), what.into());
        let described = self.describe(name).await?;
        let described = described.filter(|(description, _)| !description.deleted);
        let Some((description, _)) = described else {
            return Err(Error::NoFile(name.into()));
        };
        check_size("the file", description.size)?;
        let subject = format!("$O.{}.C.{}", self.bucket, description.nuid);
        let capacity = usize::try_from(description.size).unwrap_or_default();
        let mut bytes = BytesMut::with_capacity(capacity);
        let mut next = 1;
        // Every chunk has at least a byte, so that a false number of chunks ends, too.
        for _ in 0..description.chunks.min(description.size) {
            let Some((sequence, chunk)) = self.chunk(&subject, next).await? else {
                return Err(damaged("a chunk is missing"));
            };
            if (bytes.len() + chunk.len()) as u64 > description.size || chunk.is_empty() {
                return Err(damaged("it has another size than its description says"));
            }
            bytes.extend_from_slice(&chunk);
            next = sequence.saturating_add(1);
        }
        if Sha256Hash::of(&bytes) != *hash {
            return Err(damaged("it has another SHA-256"));
        }
        Ok(bytes.freeze())
    }

    /// The first chunk from this sequence number on, with its number.
    async fn chunk(&self, subject: &str, from: u64) -> Result<Option<(u64, Bytes)>, Error> {
        let get = format!("$JS.API.DIRECT.GET.OBJ_{}", self.bucket);
        let request = json!({ "seq": from, "next_by_subj": subject }).to_string();
        let body = Bytes::from(request);
        let answer = self
            .connection
            .call_again(&get, &HeaderMap::new(), &body)
            .await?;
        match answer.status {
            None | Some(StatusCode::OK) => {}
            Some(StatusCode::NOT_FOUND) => return Ok(None),
            Some(_) => {
                let description = answer.description.unwrap_or_default();
                return Err(self.connection.refusal(&get, description));
            }
        }
        let header = answer.headers.as_ref();
        let sequence = header.and_then(|headers| headers.get("Nats-Sequence"));
        let sequence = sequence.and_then(|sequence| sequence.as_str().parse().ok());
        let unnumbered = || {
            self.connection
                .refusal(&get, "a message without a sequence number")
        };
        Ok(Some((sequence.ok_or_else(unnumbered)?, answer.payload)))
    }

    /// Deletes an object.
    pub(super) async fn delete(&self, name: &str) -> Result<(), Error> {
        let Some((mut description, _)) = self.describe(name).await? else {
            return Ok(());
        };
        let chunks = format!("$O.{}.C.{}", self.bucket, description.nuid);
        (description.size, description.chunks, description.deleted) = (0, 0, true);
        self.put_description(&description).await?;
        purge(self.connection, &format!("OBJ_{}", self.bucket), &chunks).await
    }
}

/// Sends the chunks that are in flight, in their order, and waits for all answers.
async fn settle<F>(in_flight: &mut VecDeque<F>) -> Result<(), Error>
where
    F: Future<Output = Result<(), Error>>,
{
    futures_util::future::try_join_all(in_flight.drain(..))
        .await
        .map(drop)
}

/// Removes the messages with this subject from a stream.
pub(super) async fn purge(
    connection: &Connection,
    stream: &str,
    subject: &str,
) -> Result<(), Error> {
    let what = format!("STREAM.PURGE.{stream}");
    let request = json!({ "filter": subject });
    connection
        .api::<IgnoredAny>(&what, &request)
        .await
        .map(drop)
}

/// Refuses what is too large for an object.
pub(super) fn check_size(what: &'static str, size: u64) -> Result<(), Error> {
    match size <= MAX_OBJECT_BYTES {
        true => Ok(()),
        false => Err(Error::TooLarge {
            what,
            size,
            limit: MAX_OBJECT_BYTES,
        }),
    }
}
