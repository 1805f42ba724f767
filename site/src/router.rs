//! Which page is where, and what stands around all of them.
//!
//! Routes that take larger bodies are merged below the layer that limits bodies, and have limits of their own. Who asks
//! is in [`Visit`](crate::shared::page::Visit), which every handler takes.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Extensions, HeaderMap, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Router, response::Response};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;

use crate::accounts::admit::admit;
use crate::shared::answer_headers::may_be_compressed;
use crate::shared::forms::{FormPages, answer_refused};
use crate::shared::problem::Problem;
use crate::shared::{assets, live, metrics};
use crate::site::Site;
use crate::tournaments::host::state::Host;
use crate::{api, observe, pages};

/// The site as a service.
pub fn router(site: &Arc<Site>) -> Router {
    let open_to_all = |_, _, headers: &HeaderMap, _: &Extensions| may_be_compressed(headers);
    let compressed = DefaultPredicate::new().and(open_to_all);
    Router::new()
        .merge(pages::routes())
        .merge(live::routes())
        .merge(api::routes())
        .merge(assets::serve::routes())
        .route("/healthz", get(health))
        .route("/metrics", get(figures))
        .fallback(|| async { Problem::of_status(StatusCode::NOT_FOUND) })
        .layer(RequestBodyLimitLayer::new(site.limits.body_bytes))
        .layer(TimeoutLayer::with_status_code(
            StatusCode::GATEWAY_TIMEOUT,
            site.limits.request_time,
        ))
        .merge(pages::routes_of_uploads())
        .merge(api::routes_of_files())
        .layer(CatchPanicLayer::new())
        .layer(from_fn_with_state(
            FormPages::new(pages::routes(), site),
            answer_refused,
        ))
        .layer(from_fn_with_state(Arc::clone(site), admit))
        .layer(from_fn_with_state(Arc::clone(site), observe::observe))
        .layer(CompressionLayer::new().compress_when(compressed))
        .with_state(Arc::clone(site))
}

/// Whether the journal can be read, and what keeps tournaments waiting. Restarting the server would not help those, so
/// the status stays 200.
async fn health(State(site): State<Arc<Site>>) -> Response {
    match site
        .read(|reading| Ok(reading.journal.data_version()?))
        .await
    {
        Ok(_) => health_in_words(site.host()).into_response(),
        Err(mut problem) => {
            problem.status = StatusCode::SERVICE_UNAVAILABLE;
            problem.into_response()
        }
    }
}

pub(crate) fn health_in_words(host: Option<&Host>) -> String {
    let put_off = host.map(Host::put_off).unwrap_or_default();
    let mut waiting: Vec<String> = (put_off.iter())
        .map(|(name, put_off)| format!("{name} waits: {}\n", put_off.lack.in_words()))
        .collect();
    waiting.sort();
    match waiting.is_empty() {
        true => "ok\n".to_owned(),
        false => waiting.concat(),
    }
}

async fn figures(State(site): State<Arc<Site>>) -> Response {
    let news = site.news().borrow().clone();
    let text = site
        .metrics
        .text(news.version, news.running.len(), site.cache.len());
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], text).into_response()
}
