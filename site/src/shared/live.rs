//! News as server-sent events: an event each time when something landed, for scripts that then load the parts of their
//! page anew. An event names tournaments and holds no result, so nothing of a running match is in it.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::stream;

use super::page::Routes;
use super::problem::Problem;
use crate::site::Site;

/// How often a silent listener is sent a comment, so that proxies keep its connection.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// When a listener that was turned away may come back, in seconds.
const COME_BACK: &str = "30";

pub(crate) fn routes() -> Routes {
    Routes::new().route("/live", get(live))
}

async fn live(State(site): State<Arc<Site>>) -> Response {
    let Some(listening) = ListenerPlace::new(&site) else {
        return too_many();
    };
    let mut news = site.news();
    // The listener's page is older than the version of now, or as old: either way the first news tell.
    news.mark_changed();
    let events = stream::unfold((listening, news, site.stopping()), |mut state| async {
        let (_, news, stopping) = &mut state;
        {
            let stop = pin!(stopping.wait_for(|stop| *stop));
            tokio::select! {
                changed = news.changed() => changed.ok()?,
                _ = stop => return None,
            }
        }
        let text = {
            let news = news.borrow_and_update();
            serde_json::to_string(&*news).expect("news are JSON")
        };
        let event = Event::default().event("news").data(text);
        Some((Ok::<_, Infallible>(event), state))
    });
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    Sse::new(events).keep_alive(keep_alive).into_response()
}

/// That there is no place for a further listener.
pub(crate) fn too_many() -> Response {
    let problem = Problem::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "too many visitors listen to live news",
    )
    .hint("the page is complete without: load it again for news");
    ([(RETRY_AFTER, COME_BACK)], problem).into_response()
}

/// Counts a listener while it is there.
pub(crate) struct ListenerPlace {
    site: Arc<Site>,
    _permit: tokio::sync::OwnedSemaphorePermit,
}

impl ListenerPlace {
    /// A further listener, if there is a place for one.
    pub(crate) fn new(site: &Arc<Site>) -> Option<Self> {
        let permit = Arc::clone(&site.listeners).try_acquire_owned().ok()?;
        site.metrics.listeners.inc();
        Some(ListenerPlace {
            site: Arc::clone(site),
            _permit: permit,
        })
    }
}

impl Drop for ListenerPlace {
    fn drop(&mut self) {
        self.site.metrics.listeners.dec();
    }
}
