//! The messages of a stream, read one by one.
//!
//! They are read in JSON. A message itself has the headers and the status that its sender gave it: the client would end
//! the connection when it cannot read them, or take the status for that of the server.

use async_nats::datetime::parse_rfc3339;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::connection::Connection;
use super::error::Error;

/// The server's answer.
#[derive(Deserialize)]
struct StoredReply {
    message: Encoded,
}

/// A message, whose headers and payload are in base64.
#[derive(Deserialize)]
struct Encoded {
    subject: String,
    seq: u64,
    #[serde(default)]
    hdrs: String,
    #[serde(default)]
    data: String,
    time: String,
}

/// A message of a stream.
pub(super) struct StreamMessage {
    pub(super) subject: String,
    pub(super) sequence: u64,
    headers: String,
    pub(super) payload: Bytes,
    /// When the server stored it.
    pub(super) at: OffsetDateTime,
}

impl StreamMessage {
    fn decode(encoded: Encoded) -> Result<Self, String> {
        let decode = |text: &str| STANDARD.decode(text).map_err(|error| error.to_string());
        let headers = decode(&encoded.hdrs)?;
        Ok(StreamMessage {
            headers: String::from_utf8_lossy(&headers).into_owned(),
            payload: decode(&encoded.data)?.into(),
            at: parse_rfc3339(&encoded.time).map_err(|error| error.to_string())?,
            subject: encoded.subject,
            sequence: encoded.seq,
        })
    }

    /// A header, whose sender may have written anything into it.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.lines();
        lines.find_map(|line| {
            let (found, value) = line.split_once(':')?;
            (found == name).then(|| value.trim())
        })
    }
}

/// Reads the newest message with this subject; none: there is none.
pub(super) async fn last(
    connection: &Connection,
    stream: &str,
    subject: &str,
) -> Result<Option<StreamMessage>, Error> {
    read(connection, stream, &json!({ "last_by_subj": subject })).await
}

/// Reads the first message with this subject from this sequence number on. The subject may have wildcards.
pub(super) async fn next(
    connection: &Connection,
    stream: &str,
    subject: &str,
    from: u64,
) -> Result<Option<StreamMessage>, Error> {
    let request = json!({ "seq": from, "next_by_subj": subject });
    read(connection, stream, &request).await
}

async fn read(
    connection: &Connection,
    stream: &str,
    request: &Value,
) -> Result<Option<StreamMessage>, Error> {
    let what = format!("STREAM.MSG.GET.{stream}");
    match connection.api::<StoredReply>(&what, request).await {
        Ok(answer) => {
            let stored = StreamMessage::decode(answer.message);
            stored
                .map(Some)
                .map_err(|error| Error::refusal(&what, error))
        }
        Err(Error::NoMessage(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Deletes a message. Deleting it twice does no harm.
pub(super) async fn delete(
    connection: &Connection,
    stream: &str,
    sequence: u64,
) -> Result<(), Error> {
    let what = format!("STREAM.MSG.DELETE.{stream}");
    let request = json!({ "seq": sequence, "no_erase": true });
    match connection.command(&what, &request).await {
        // The server has no error of its own for a message that is gone.
        Err(Error::Server { .. })
            if read(connection, stream, &json!({ "seq": sequence }))
                .await?
                .is_none() =>
        {
            Ok(())
        }
        deleted => deleted,
    }
}

/// Removes the messages with this subject from a stream.
pub(super) async fn purge(
    connection: &Connection,
    stream: &str,
    subject: &str,
) -> Result<(), Error> {
    let what = format!("STREAM.PURGE.{stream}");
    let request = json!({ "filter": subject });
    connection.command(&what, &request).await
}
