//! The streams and buckets on the server, with their limits.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, IntoConsumerConfig, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use serde_json::json;

use super::connection::Connection;
use super::error::Error;
use super::names::{QueueName, RunId, WorkerName};

/// The most bytes of work on the server. The server refuses more.
pub const MAX_WORK_BYTES: i64 = 256 << 20;

/// The most bytes of results on the server that no director has stored. The server refuses more, and workers wait.
pub const MAX_RESULTS_BYTES: i64 = 1 << 30;

/// The most bytes of bots and bundles on the server.
const MAX_FILES_BYTES: i64 = 4 << 30;

/// The most bytes of results on the server that do not fit into a message.
const MAX_LARGE_BYTES: i64 = 1 << 30;

/// The most bytes of the workers' presence.
const MAX_PRESENCE_BYTES: i64 = 16 << 20;

/// The most bytes of one worker's presence.
pub(super) const MAX_PRESENCE: i32 = 16 << 10;

/// How long the server keeps work, results and files that nobody takes. Longer pauses cost only that the work is
/// published again.
pub const RETENTION: Duration = Duration::from_secs(7 * 24 * 3600);

/// A worker that has not been seen for so long is not listed.
pub const PRESENCE_TTL: Duration = Duration::from_secs(30);

/// The most messages of one consumer that are delivered and not acknowledged.
pub const MAX_ACK_PENDING: i64 = 4096;

/// The most fetches that wait at one consumer, which is the most workers of a queue.
const MAX_WAITING: i64 = 4096;

/// How long the server recognises the id of work that is sent twice.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(120);

/// The same for results, as short as the server permits. Ids are those of a whole stream, so a worker could use the id
/// of another's result first, and the server would drop that result. So results have no ids.
const LEAST_DUPLICATE_WINDOW: Duration = Duration::from_millis(100);

/// How long the server keeps a consumer that nobody uses.
const INACTIVE_CONSUMER: Duration = Duration::from_secs(24 * 3600);

/// The stream with work.
pub(super) const WORK: &str = "FLIPSIDE_WORK";
/// The stream with results.
pub(super) const RESULTS: &str = "FLIPSIDE_RESULTS";
/// The object store with bots and bundles.
pub(super) const FILES: &str = "flipside-files";
/// The object store with large results.
pub(super) const LARGE: &str = "flipside-large";
/// The key-value bucket with the workers' presence.
pub(super) const WORKERS: &str = "flipside-workers";

/// The subject of work.
pub(super) fn work_subject(run: &RunId, queue: &QueueName) -> String {
    format!("flipside.work.{run}.{queue}")
}

/// All work of a run.
pub(super) fn work_of(run: &RunId) -> String {
    format!("flipside.work.{run}.*")
}

/// The subject of the results of a worker. The server checks that the worker's user is the one it names.
pub(super) fn result_subject(run: &RunId, worker: &WorkerName) -> String {
    format!("flipside.results.{run}.{worker}")
}

/// All results of a run.
pub(super) fn results_of(run: &RunId) -> String {
    format!("flipside.results.{run}.*")
}

/// The subject of a worker's presence.
pub(super) fn presence_subject(worker: &WorkerName) -> String {
    format!("$KV.{WORKERS}.{worker}")
}

/// A stream from which each message is removed once it is acknowledged.
fn work_queue(name: &str, subject: &str, max_bytes: i64, duplicate_window: Duration) -> Config {
    Config {
        retention: RetentionPolicy::WorkQueue,
        duplicate_window,
        ..stream(name, vec![subject.into()], max_bytes)
    }
}

/// The standard layout of an object store, but without rollups: with one header, whoever may write a message could
/// delete all others.
fn object_store(bucket: &str, max_bytes: i64) -> Config {
    let subjects = vec![format!("$O.{bucket}.C.>"), format!("$O.{bucket}.M.>")];
    Config {
        allow_rollup: false,
        allow_direct: true,
        ..stream(&format!("OBJ_{bucket}"), subjects, max_bytes)
    }
}

/// The standard layout of a key-value bucket that keeps the last value of each key for a time. It has no rollups for
/// the same reason.
fn key_value(bucket: &str, max_bytes: i64, ttl: Duration) -> Config {
    let subjects = vec![format!("$KV.{bucket}.>")];
    Config {
        max_messages_per_subject: 1,
        max_message_size: MAX_PRESENCE,
        max_age: ttl,
        allow_rollup: false,
        allow_direct: true,
        deny_delete: true,
        ..stream(&format!("KV_{bucket}"), subjects, max_bytes)
    }
}

fn stream(name: &str, subjects: Vec<String>, max_bytes: i64) -> Config {
    Config {
        name: name.into(),
        subjects,
        max_bytes,
        max_messages: -1,
        max_messages_per_subject: -1,
        max_consumers: -1,
        max_age: RETENTION,
        discard: DiscardPolicy::New,
        storage: StorageType::File,
        num_replicas: 1,
        ..Config::default()
    }
}

/// Creates the streams and buckets that are missing, and gives all of them today's limits.
pub(super) async fn set_up(connection: &Connection) -> Result<(), Error> {
    let streams = [
        work_queue(WORK, "flipside.work.*.*", MAX_WORK_BYTES, DUPLICATE_WINDOW),
        work_queue(
            RESULTS,
            "flipside.results.*.*",
            MAX_RESULTS_BYTES,
            LEAST_DUPLICATE_WINDOW,
        ),
        object_store(FILES, MAX_FILES_BYTES),
        object_store(LARGE, MAX_LARGE_BYTES),
        key_value(WORKERS, MAX_PRESENCE_BYTES, PRESENCE_TTL),
    ];
    for config in &streams {
        let update = format!("STREAM.UPDATE.{}", config.name);
        match connection.command(&update, config).await {
            Err(Error::NotSetUp(_)) => {
                let create = format!("STREAM.CREATE.{}", config.name);
                connection.command(&create, config).await?;
            }
            updated => updated?,
        }
    }
    Ok(())
}

/// A durable consumer from which workers fetch.
#[derive(Clone, Debug)]
pub(super) struct Consumer {
    pub(super) stream: &'static str,
    pub(super) name: String,
    /// The subjects of what it delivers.
    pub(super) filter: String,
}

impl Consumer {
    /// The consumer that all workers of a queue share. Only a director creates it: who may create a consumer may also
    /// let it deliver nothing, or deliver to any subject with the rights of the server.
    pub(super) fn work(queue: &QueueName) -> Self {
        Consumer {
            stream: WORK,
            name: queue.to_string(),
            filter: format!("flipside.work.*.{queue}"),
        }
    }

    /// Creates the consumer, or gives the existing one today's settings.
    pub(super) async fn create(&self, connection: &Connection) -> Result<(), Error> {
        let config = pull::Config {
            durable_name: Some(self.name.clone()),
            name: Some(self.name.clone()),
            filter_subject: self.filter.clone(),
            deliver_policy: DeliverPolicy::All,
            ack_policy: AckPolicy::Explicit,
            ack_wait: connection.ack_wait,
            max_ack_pending: MAX_ACK_PENDING,
            max_waiting: MAX_WAITING,
            inactive_threshold: INACTIVE_CONSUMER,
            ..pull::Config::default()
        };
        let request = json!({
            "stream_name": self.stream,
            "config": config.into_consumer_config(),
            "action": "",
        });
        // The subject names the filter, so that the server's permissions cover it.
        let (stream, name, filter) = (self.stream, &self.name, &self.filter);
        let create = format!("CONSUMER.CREATE.{stream}.{name}.{filter}");
        connection.command(&create, &request).await
    }
}
