//! Asks a site in process, as a browser would.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use flipside_site::{AccountSettings, Site, SiteLimits, router};
use flipside_store::Arena;
use http_body_util::BodyExt;
use tower::ServiceExt;

/// An answer, whole.
pub(crate) struct ClientAnswer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// A site with nobody before it.
pub(crate) struct Client {
    pub(crate) site: Arc<Site>,
    app: Router,
}

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(450);

/// Waits until this is so.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < PATIENCE, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

impl Client {
    /// Pages are always made anew when something has changed, however long that takes.
    pub(crate) fn new(arena: Arena) -> Self {
        let patient = SiteLimits {
            made_at_once: Duration::MAX,
            ..SiteLimits::default()
        };
        Client::with(arena, patient)
    }

    /// However busy the machine is, no answer is given up.
    pub(crate) fn with(arena: Arena, limits: SiteLimits) -> Self {
        Client::set_up(arena, limits, AccountSettings::default())
    }

    /// The same with these settings.
    pub(crate) fn set_up(arena: Arena, limits: SiteLimits, settings: AccountSettings) -> Self {
        let limits = SiteLimits {
            request_time: Duration::from_secs(3600),
            ..limits
        };
        let site = Site::with(arena, limits, settings).unwrap();
        Client {
            app: router(&site),
            site,
        }
    }

    pub(crate) async fn ask(&self, request: Request<Body>) -> axum::response::Response {
        self.app.clone().oneshot(request).await.unwrap()
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> ClientAnswer {
        let (parts, body) = self.ask(request).await.into_parts();
        ClientAnswer {
            status: parts.status,
            headers: parts.headers,
            body: body.collect().await.unwrap().to_bytes().to_vec(),
        }
    }

    pub(crate) async fn get(&self, address: &str) -> ClientAnswer {
        let request = Request::get(address).body(Body::empty()).unwrap();
        self.send(request).await
    }
}

impl ClientAnswer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}
