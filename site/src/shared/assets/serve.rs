//! Serves the files that pages load.

use axum::extract::{Path, RawQuery};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::{ASSETS, logo as site_logo};
use crate::shared::answer_headers::{etag, revalidated, tag};
use crate::shared::page::{Routes, Visit};
use crate::shared::problem::{Problem, Result};

pub(crate) fn routes() -> Routes {
    let nothing = || async { axum::http::StatusCode::NO_CONTENT };
    Routes::new()
        .route("/assets/{name}", get(asset))
        .route(site_logo::ADDRESS, get(logo))
        .route("/favicon.ico", get(nothing))
}

async fn asset(
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    visit: Visit,
) -> Result<Response> {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return Err(Problem::not_found(format!("there is no file {name:?}")));
    };
    let etag = etag(&tag(&[asset.text.as_bytes()]));
    if let Some(unchanged) = visit.unchanged(&etag) {
        return Ok(unchanged);
    }
    let is_this = query.is_some_and(|query| query == format!("v={}", asset.hash));
    let keep = if is_this {
        HeaderValue::from_static("public, max-age=31536000, immutable")
    } else {
        revalidated()
    };
    let content_type = HeaderValue::from_static(asset.content_type);
    let headers = [
        (CONTENT_TYPE, content_type),
        (ETAG, etag),
        (CACHE_CONTROL, keep),
    ];
    Ok((headers, asset.text).into_response())
}

/// The organiser's logo.
async fn logo(visit: Visit) -> Result<Response> {
    let Some(logo) = &visit.site.settings.logo else {
        return Err(Problem::not_found("this site has no logo of its own"));
    };
    let etag = etag(&tag(&[logo.bytes()]));
    if let Some(unchanged) = visit.unchanged(&etag) {
        return Ok(unchanged);
    }
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(logo.content_type())),
        (ETAG, etag),
        (CACHE_CONTROL, revalidated()),
    ];
    Ok((headers, logo.bytes().to_vec()).into_response())
}
