//! Bounded fetches from a durable consumer, and acknowledgements.
//!
//! Consumers have been seen to hang after a reconnect. So a fetch has a deadline of its own, ends when the connection
//! is lost, and is repeated after the consumer was created again.

use std::time::Duration;

use async_nats::{HeaderMap, Message, StatusCode, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt;
use serde::Serialize;

use super::connection::{CALL_TIMEOUT, Connection, Link};
use super::error::Error;
use super::streams::Consumer;

/// The most messages of one fetch.
pub const MAX_FETCH: usize = 512;

/// The longest that a fetch may wait for a first message.
const MAX_EXPIRES: Duration = Duration::from_secs(60);

/// The most bytes that a fetch asks for, unless a single message is larger.
const MAX_FETCH_BYTES: usize = 32 << 20;

/// What a message has beside its payload: subject, headers and reply, in bytes at most.
const MAX_OVERHEAD: usize = 64 << 10;

/// How long after its time a fetch without an answer counts as hanging.
pub const GRACE: Duration = Duration::from_secs(2);

/// How often a fetch is repeated that was lost or hung.
const MAX_TRIES: u32 = 4;

/// How long a fetch waits that the server ended, before it is repeated. A consumer that is created while the server
/// still deletes the old one inherits the messages that the old one had delivered.
const PAUSE: Duration = Duration::from_millis(250);

/// A pull request, as JetStream reads it. Durations are in nanoseconds.
#[derive(Serialize)]
struct PullRequest {
    batch: usize,
    max_bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    no_wait: bool,
}

/// How a pull request ended.
enum Pulled {
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

/// Whether this user may delete a consumer that hangs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rights {
    Create,
    CreateAndDelete,
}

/// Fetches up to `max` messages. Returns as soon as there is one, and nothing after `expires`.
///
/// Waits at most for a few times `expires`, [`GRACE`] and the deadlines of requests.
pub(super) async fn fetch(
    connection: &Connection,
    consumer: &Consumer,
    max: usize,
    expires: Duration,
    rights: Rights,
) -> Result<Vec<Message>, Error> {
    let (max, expires) = (max.clamp(1, MAX_FETCH), expires.min(MAX_EXPIRES));
    let mut hung = 0;
    for _ in 0..MAX_TRIES {
        let link = connection.link_up(expires + GRACE).await?;
        match pull_ready_or_wait(connection, consumer, max, expires, link).await? {
            Pulled::Messages(messages) => return Ok(messages),
            Pulled::Lost => {}
            Pulled::Ended => tokio::time::sleep(PAUSE).await,
            Pulled::NoConsumer => consumer.create(connection).await?,
            Pulled::Hung => {
                hung += 1;
                tracing::warn!(
                    consumer.name,
                    hung,
                    "a fetch hangs; creating its consumer again"
                );
                if hung > 1 && rights == Rights::CreateAndDelete {
                    consumer.delete(connection).await?;
                }
                consumer.create(connection).await?;
            }
        }
    }
    Err(Error::NoAnswer {
        what: next_subject(consumer),
        waited: (expires + GRACE) * MAX_TRIES,
    })
}

/// Asks for what is there, and only if there is nothing, waits for one message. A request for many that waits would
/// have to be abandoned when the first one comes, and lose what the server sends to it afterwards.
async fn pull_ready_or_wait(
    connection: &Connection,
    consumer: &Consumer,
    max: usize,
    expires: Duration,
    link: Link,
) -> Result<Pulled, Error> {
    let max_payload = connection.client.max_payload() + MAX_OVERHEAD;
    let mut request = PullRequest {
        batch: max,
        max_bytes: MAX_FETCH_BYTES.max(max_payload),
        expires: None,
        no_wait: true,
    };
    let ready = pull(connection, consumer, &request, CALL_TIMEOUT, link).await?;
    let is_empty = match &ready {
        Pulled::Messages(messages) => messages.is_empty(),
        // As many messages as may be are unacknowledged: another request waits until that changes.
        Pulled::Ended => true,
        Pulled::NoConsumer | Pulled::Lost | Pulled::Hung => false,
    };
    if !is_empty {
        return Ok(ready);
    }
    if expires.is_zero() {
        return Ok(Pulled::Messages(Vec::new()));
    }
    request.batch = 1;
    request.no_wait = false;
    request.expires = Some(u64::try_from(expires.as_nanos()).unwrap_or(u64::MAX));
    pull(connection, consumer, &request, expires + GRACE, link).await
}

fn next_subject(consumer: &Consumer) -> String {
    format!(
        "$JS.API.CONSUMER.MSG.NEXT.{}.{}",
        consumer.stream, consumer.name
    )
}

/// Sends one pull request and gathers its answer.
async fn pull(
    connection: &Connection,
    consumer: &Consumer,
    request: &PullRequest,
    within: Duration,
    link: Link,
) -> Result<Pulled, Error> {
    let subject = next_subject(consumer);
    let mut denials = connection.denials();
    let client = &connection.client;
    let inbox = client.new_inbox();
    let failed = |error: &dyn std::fmt::Display| connection.refusal(&subject, error);
    let mut answers = client
        .subscribe(inbox.clone())
        .await
        .map_err(|error| failed(&error))?;
    let body = serde_json::to_vec(request).map_err(|error| failed(&error))?;
    client
        .publish_with_reply(subject.clone(), inbox, body.into())
        .await
        .map_err(|error| failed(&error))?;
    let mut messages = Vec::new();
    let gathered = tokio::select! {
        gathered = gather(&mut answers, request.batch, &mut messages) => Some(gathered),
        () = connection.link_lost(link) => Some(Pulled::Lost),
        denial = denials.of(&subject) => return Err(Error::Forbidden(denial)),
        () = tokio::time::sleep(within) => None,
    };
    // What has come is delivered, whatever happened then.
    if !messages.is_empty() {
        return Ok(Pulled::Messages(messages));
    }
    Ok(gathered.unwrap_or(Pulled::Hung))
}

/// Reads messages until the server says that there are no more.
async fn gather(answers: &mut Subscriber, batch: usize, messages: &mut Vec<Message>) -> Pulled {
    while messages.len() < batch {
        let Some(message) = answers.next().await else {
            return Pulled::Lost;
        };
        match message.status {
            None | Some(StatusCode::OK) => messages.push(message),
            Some(StatusCode::IDLE_HEARTBEAT) => {}
            // Nothing there, or nothing came in time.
            Some(StatusCode::NOT_FOUND | StatusCode::TIMEOUT) => break,
            Some(StatusCode::NO_RESPONDERS) => return Pulled::NoConsumer,
            Some(_) => {
                let description = message.description.as_deref().unwrap_or_default();
                tracing::debug!(description, "the server ended a fetch");
                return Pulled::Ended;
            }
        }
    }
    Pulled::Messages(std::mem::take(messages))
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

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Says that the message is dealt with.
    pub(super) async fn ack(&self) -> Result<(), Error> {
        self.tell(b"+ACK").await
    }

    /// Gives the message back, so that it is delivered again.
    pub(super) async fn nak(&self) -> Result<(), Error> {
        self.tell(b"-NAK").await
    }

    /// Says that the message is still worked on: the time until it is delivered again starts anew.
    pub(super) async fn in_progress(&self) -> Result<(), Error> {
        self.tell(b"+WPI").await
    }

    /// Says that nobody can make use of the message, so that it is removed.
    pub(super) async fn refuse(&self) -> Result<(), Error> {
        self.tell(b"+TERM").await
    }

    /// Waits until the server has noted it. Saying it twice does no harm.
    async fn tell(&self, what: &'static [u8]) -> Result<(), Error> {
        let body = Bytes::from_static(what);
        let headers = HeaderMap::new();
        let noted = self
            .connection
            .call_again(&self.subject, &headers, &body)
            .await;
        noted.map(drop)
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
