//! Every request has a number, a line in the log, its place in the figures, and headers that protect its answer.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::Instrument;

use crate::shared::page::with_error_page;
use crate::shared::problem::Problem;
use crate::shared::request_id::RequestId;
use crate::site::Site;

/// What a page may load and do: its own styles, its own script, pictures of its own.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What stands for all paths that belong to no route.
const NO_ROUTE: &str = "none";

/// The path of a request for the log, without what only the visitor is to know.
fn logged(path: &str) -> String {
    match path.starts_with("/join/") {
        true => "/join/…".into(),
        false => path.to_owned(),
    }
}

/// Around everything else.
pub(crate) async fn observe(
    State(site): State<Arc<Site>>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = RequestId::new();
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or(NO_ROUTE, MatchedPath::as_str).to_owned();
    let span = tracing::info_span!("request", id = id.as_str());
    let (method, path) = (request.method().clone(), logged(request.uri().path()));
    let is_too_long = request.uri().to_string().len() > site.limits.address_bytes;
    request.extensions_mut().insert(id.clone());
    let begun = Instant::now();
    let response = if is_too_long {
        Problem::of_status(StatusCode::URI_TOO_LONG).into_response()
    } else {
        next.run(request).instrument(span.clone()).await
    };
    let mut response = span.in_scope(|| with_error_page(&site, response, &id, &path));
    let (status, time) = (response.status(), begun.elapsed());
    site.metrics.answered(&route, status.as_u16(), time);
    span.in_scope(|| {
        let (status, ms) = (status.as_u16(), time.as_secs_f64() * 1e3);
        tracing::info!(%method, path, status, ms, "answered");
    });
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    if let Ok(id) = HeaderValue::from_str(id.as_str()) {
        headers.insert(REQUEST_ID, id);
    }
    response
}
