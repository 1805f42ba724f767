//! Bounded fetches from a durable consumer, and acknowledgements.
//!
//! Consumers have been seen to hang after a reconnect. So a fetch has a deadline of its own, ends when the connection
//! is lost, and is repeated. Meanwhile the director creates the consumer again.

use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::{HeaderMap, Message, StatusCode, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt;
use serde::Serialize;

use super::connection::{Connection, Link};
use super::error::Error;
use super::names::RunId;
use super::streams::Consumer;

/// The most messages of one fetch.
pub const MAX_FETCH: usize = 512;

/// The shortest and the longest that a fetch may wait for a first message.
const EXPIRES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(60));

/// The most bytes that a fetch asks for, unless a single message is larger.
const MAX_FETCH_BYTES: usize = 32 << 20;

/// What a message has beside its payload: subject, headers and reply, in bytes at most.
const MAX_OVERHEAD: usize = 64 << 10;

/// How long after its time a fetch without an answer counts as hanging. A fetch that has brought something ends when
/// nothing more comes for so long: as many messages may be unacknowledged as are allowed.
pub const GRACE: Duration = Duration::from_secs(2);

/// Which part of the subject of work, counted from 0, names its run.
const RUN_PART: usize = 2;

/// How often a fetch is repeated that was lost or hung.
const MAX_TRIES: u32 = 4;

/// How long a fetch waits that the server ended, before it is repeated. A consumer that is created while the server
/// still deletes the old one inherits the messages that the old one had delivered.
const PAUSE: Duration = Duration::from_millis(250);

/// A pull request, as JetStream reads it.
#[derive(Serialize)]
struct PullRequest {
    batch: usize,
    max_bytes: usize,
    /// In nanoseconds.
    expires: u64,
    /// Together with `expires`, the server waits only for the first message. Then it sends what is there, and ends the
    /// request. Without it, the request would stay open, and lose what is sent to it after it is abandoned.
    no_wait: bool,
}

/// How a pull request ended.
enum PullOutcome {
    /// The server answered, maybe with nothing.
    Messages(Vec<Message>),
    /// There is no such consumer.
    NoConsumer,
    /// The server ended the request: it stops, the consumer is deleted or moves, or too many fetches wait.
    Ended,
    /// The connection was lost.
    Lost,
    /// No answer came in time.
    Hung,
}

/// Fetches up to `max` messages, each with the run that its subject names, and with what acknowledges it. Removes those
/// that name none. Returns as soon as there is one, and nothing after `expires`. Fails if there is no such consumer.
///
/// Waits at most for a few times `expires`, [`GRACE`] and the deadlines of connections and requests. If the future is
/// dropped, what the server sent meanwhile is delivered again later.
pub(super) async fn fetch(
    connection: &Connection,
    consumer: &Consumer,
    max: usize,
    expires: Duration,
) -> Result<Vec<(RunId, Message, Acker)>, Error> {
    let mut fetched = Vec::new();
    for message in fetch_all(connection, consumer, max, expires).await? {
        let Some(acker) = Acker::of(connection, &message) else {
            continue;
        };
        let run = message.subject.split('.').nth(RUN_PART).unwrap_or_default();
        let Ok(run) = run.parse() else {
            let subject = &*message.subject;
            tracing::warn!(subject, "removing a message without a valid name");
            acker.tell(AckKind::Term).await?;
            continue;
        };
        fetched.push((run, message, acker));
    }
    Ok(fetched)
}

async fn fetch_all(
    connection: &Connection,
    consumer: &Consumer,
    max: usize,
    expires: Duration,
) -> Result<Vec<Message>, Error> {
    let (max, expires) = (max.clamp(1, MAX_FETCH), expires.clamp(EXPIRES.0, EXPIRES.1));
    let request = PullRequest {
        batch: max,
        max_bytes: MAX_FETCH_BYTES.max(connection.client.max_payload() + MAX_OVERHEAD),
        expires: u64::try_from(expires.as_nanos()).unwrap_or(u64::MAX),
        no_wait: true,
    };
    for _ in 0..MAX_TRIES {
        let link = connection
            .link_up(expires + connection.connect_timeout)
            .await?;
        match pull(connection, consumer, &request, link).await? {
            PullOutcome::Messages(messages) => return Ok(messages),
            PullOutcome::NoConsumer => return Err(Error::NotSetUp(next_subject(consumer))),
            PullOutcome::Lost => {}
            PullOutcome::Ended => tokio::time::sleep(PAUSE).await,
            PullOutcome::Hung => tracing::warn!(consumer.name, "a fetch hangs"),
        }
    }
    Err(Error::NoAnswer {
        what: next_subject(consumer),
        waited: (expires + GRACE) * MAX_TRIES,
    })
}

fn next_subject(consumer: &Consumer) -> String {
    let (stream, name) = (consumer.stream, &consumer.name);
    format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{name}")
}

/// Sends one pull request and gathers its answer.
async fn pull(
    connection: &Connection,
    consumer: &Consumer,
    request: &PullRequest,
    link: Link,
) -> Result<PullOutcome, Error> {
    let subject = next_subject(consumer);
    let mut denials = connection.denials();
    let client = &connection.client;
    let inbox = client.new_inbox();
    let failed = |error: &dyn std::fmt::Display| Error::refusal(&subject, error);
    let answers = client.subscribe(inbox.clone()).await;
    let mut answers = answers.map_err(|error| failed(&error))?;
    let body = serde_json::to_vec(request).expect("a request is JSON");
    let pulled = client.publish_with_reply(subject.clone(), inbox, body.into());
    pulled.await.map_err(|error| failed(&error))?;
    let within = Duration::from_nanos(request.expires) + GRACE;
    let mut messages = Vec::new();
    let gathered = tokio::select! {
        gathered = gather(&mut answers, request.batch, &mut messages) => Some(gathered),
        () = connection.link_lost(link) => Some(PullOutcome::Lost),
        denial = denials.of(&subject) => return Err(Error::Forbidden(denial)),
        () = tokio::time::sleep(within) => None,
    };
    // What has come is delivered, whatever happened then.
    if !messages.is_empty() {
        return Ok(PullOutcome::Messages(messages));
    }
    Ok(gathered.unwrap_or(PullOutcome::Hung))
}

/// Reads messages until the server says that there are no more.
async fn gather(
    answers: &mut Subscriber,
    batch: usize,
    messages: &mut Vec<Message>,
) -> PullOutcome {
    while messages.len() < batch {
        let answer = match messages.is_empty() {
            true => answers.next().await,
            false => match tokio::time::timeout(GRACE, answers.next()).await {
                Ok(answer) => answer,
                Err(_) => break,
            },
        };
        let Some(message) = answer else {
            return PullOutcome::Lost;
        };
        match message.status {
            None | Some(StatusCode::OK) => messages.push(message),
            Some(StatusCode::IDLE_HEARTBEAT) => {}
            // Nothing there, or nothing came in time.
            Some(StatusCode::NOT_FOUND | StatusCode::TIMEOUT) => break,
            Some(StatusCode::NO_RESPONDERS) => return PullOutcome::NoConsumer,
            Some(_) => {
                let description = message.description.as_deref().unwrap_or_default();
                tracing::debug!(description, "the server ended a fetch");
                return PullOutcome::Ended;
            }
        }
    }
    PullOutcome::Messages(std::mem::take(messages))
}

/// Acknowledges one message.
#[derive(Clone)]
pub(super) struct Acker {
    connection: Connection,
    /// The subject of acknowledgements of this message: `$JS.ACK....`.
    subject: String,
    pub(super) deliveries: u64,
}

impl Acker {
    /// Returns none if the message does not come from a consumer.
    pub(super) fn of(connection: &Connection, message: &Message) -> Option<Self> {
        let subject = message.reply.as_ref()?.to_string();
        Some(Acker {
            connection: connection.clone(),
            deliveries: deliveries(&subject)?,
            subject,
        })
    }

    /// Says what becomes of the message, and waits until the server has noted it. Saying it twice does no harm.
    pub(super) async fn tell(&self, what: AckKind) -> Result<(), Error> {
        let (body, headers) = (Bytes::from(what), HeaderMap::new());
        let noted = self.connection.call_again(&self.subject, &headers, &body);
        noted.await.map(drop)
    }
}

/// Reads how often a message was delivered from the subject of its acknowledgements. It has 9 parts, or since
/// nats-server 2.11 maybe 11 or 12 with a domain and an account before the stream.
fn deliveries(subject: &str) -> Option<u64> {
    let parts: Vec<&str> = subject.split('.').collect();
    let delivered = match parts.len() {
        9 => 4,
        11.. => 6,
        _ => return None,
    };
    let is_ack = parts.starts_with(&["$JS", "ACK"]);
    is_ack.then(|| parts[delivered].parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deliveries_are_read_from_both_forms_of_the_subject() {
        assert_eq!(
            deliveries("$JS.ACK.S.c.3.10.11.1700000000000000000.5"),
            Some(3)
        );
        assert_eq!(
            deliveries("$JS.ACK._.hash.S.c.3.10.11.1700000000000000000.5"),
            Some(3)
        );
        assert_eq!(deliveries("$JS.ACK.d.hash.S.c.3.10.11.17.5.token"), Some(3));
        for subject in [
            "",
            "$JS.ACK.S.c",
            "_INBOX.a.b.c.d.e.f.g.h",
            "$JS.ACK.S.c.x.1.1.1.1",
        ] {
            assert_eq!(deliveries(subject), None, "{subject}");
        }
    }
}
