//! The headers of answers: tags, how long an answer is kept and by whom, and files.

use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

/// Says whether a newer page is being made: then a script asks again.
pub(crate) const STALE: HeaderName = HeaderName::from_static("x-stale");

/// Bytes of a hash that tells two pages apart.
pub(crate) const TAG_BYTES: usize = 12;

pub(crate) type Tag = [u8; TAG_BYTES];

/// Says in an answer whether a newer one is being made.
pub(crate) fn marked(mut response: Response, as_of: Option<u64>) -> Response {
    let is_stale = HeaderValue::from_static(if as_of.is_some() { "1" } else { "0" });
    response.headers_mut().insert(STALE, is_stale);
    response
}

/// That an answer is a file of this name. Names of bots and ids of matches have no quote and no line.
pub(crate) fn attachment(name: &str) -> HeaderValue {
    let text = format!("attachment; filename=\"{name}\"");
    HeaderValue::from_str(&text).expect("names are ASCII")
}

/// The record of a match as a file.
pub(crate) fn record_file(name: &str, keep: HeaderValue, record: String) -> Response {
    let content_type = HeaderValue::from_static("text/plain; charset=utf-8");
    let headers = [
        (CONTENT_TYPE, content_type),
        (CONTENT_DISPOSITION, attachment(name)),
        (CACHE_CONTROL, keep),
    ];
    (headers, record).into_response()
}

/// What is for one visitor. Answers with it are not compressed either: how well a page with a secret compresses would
/// tell something about the secret.
pub(crate) fn kept_by_nobody() -> HeaderValue {
    HeaderValue::from_static("private, no-store")
}

/// What one visitor may see: only its browser keeps it, and asks whether it still holds.
pub(crate) fn kept_by_one() -> HeaderValue {
    HeaderValue::from_static("private, no-cache")
}

/// Whether an answer may be kept by somebody, and so may be compressed.
pub(crate) fn may_be_compressed(headers: &HeaderMap) -> bool {
    let found = headers
        .get(CACHE_CONTROL)
        .and_then(|value| value.to_str().ok());
    found.is_none_or(|text| !text.contains("no-store"))
}

/// Keep it, and ask each time whether it is still so.
pub(crate) fn revalidated() -> HeaderValue {
    HeaderValue::from_static("no-cache")
}

/// A hash of all parts.
pub(crate) fn tag(parts: &[&[u8]]) -> Tag {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let mut tag = Tag::default();
    tag.copy_from_slice(&hash.finalize()[..TAG_BYTES]);
    tag
}

/// It is weak, since the same page is sent compressed, too.
pub(crate) fn etag(tag: &Tag) -> HeaderValue {
    let text = format!("W/\"{}\"", hex::encode(tag));
    HeaderValue::from_str(&text).expect("hexadecimal digits are a header")
}
