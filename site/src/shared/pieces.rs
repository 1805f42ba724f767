//! Pieces of a page that are sent when they change, as server-sent events. A script puts them in the place of the old
//! ones.

use std::convert::Infallible;
use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::watch;
use tokio::time::timeout;

use super::answer_headers::kept_by_nobody;
use super::live::{KEEP_ALIVE, ListenerPlace, too_many};
use crate::site::Site;

/// Proxies that collect an answer before they send it are told not to.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// A comment, which keeps a silent connection open.
const SILENCE: Bytes = Bytes::from_static(b":\n\n");

/// A piece of a page as an event that is ready to be written.
pub(crate) fn piece(template: &impl Template) -> Bytes {
    let html = template.render().unwrap_or_else(|error| {
        tracing::error!(%error, "a piece of a page cannot be made");
        String::new()
    });
    let mut event = String::with_capacity(html.len() + 64);
    event.push_str("event: piece\n");
    for line in html.lines() {
        event.push_str("data: ");
        event.push_str(line);
        event.push('\n');
    }
    event.push('\n');
    event.into()
}

/// Sends pieces to a listener, beginning with that of now, until the values or the site end. `piece_of` makes the event
/// of a value; nothing is sent where there is none, or where it is the one that was sent last.
pub(crate) fn send<T: Send + Sync + 'static>(
    site: &Arc<Site>,
    mut values: watch::Receiver<T>,
    piece_of: impl FnMut(&T) -> Option<Bytes> + Send + 'static,
) -> Response {
    let Some(listening) = ListenerPlace::new(site) else {
        return too_many();
    };
    values.mark_changed();
    let sending = PieceStream {
        values,
        stopping: site.stopping(),
        piece_of,
        sent: Bytes::new(),
        _listening: listening,
    };
    let events = stream::unfold(sending, |mut sending| async {
        let next = sending.next().await?;
        Some((Ok::<_, Infallible>(next), sending))
    });
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (CACHE_CONTROL, kept_by_nobody()),
        (UNBUFFERED, HeaderValue::from_static("no")),
    ];
    (headers, Body::from_stream(events)).into_response()
}

/// What is sent to one listener.
struct PieceStream<T, F> {
    values: watch::Receiver<T>,
    stopping: watch::Receiver<bool>,
    piece_of: F,
    /// What was sent last.
    sent: Bytes,
    _listening: ListenerPlace,
}

impl<T, F: FnMut(&T) -> Option<Bytes>> PieceStream<T, F> {
    /// What is sent next; nothing at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let changed = tokio::select! {
                changed = timeout(KEEP_ALIVE, self.values.changed()) => changed,
                _ = self.stopping.wait_for(|stop| *stop) => return None,
            };
            match changed {
                Ok(changed) => changed.ok()?,
                Err(_) => return Some(SILENCE),
            }
            let next = (self.piece_of)(&self.values.borrow_and_update());
            if let Some(next) = next.filter(|next| *next != self.sent) {
                self.sent = next.clone();
                return Some(next);
            }
        }
    }
}
