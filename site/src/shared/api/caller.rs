//! Who asks: a session of a browser may read, and only a token may write. A browser adds a cookie by itself, also to
//! requests that its person knows nothing of; nobody but the script adds a token.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::bounds::with_whole_numbers;
use crate::accounts::visitor::{AccountVisitor, not_signed_in};
use crate::shared::problem::{Problem, Result};
use crate::site::Site;

/// A handler that takes this reads what is for accounts.
pub(crate) struct Caller(pub(crate) Arc<Site>, pub(crate) Arc<AccountVisitor>);

/// A handler that takes this writes.
pub(crate) struct Bearer(pub(crate) Arc<Site>, pub(crate) Arc<AccountVisitor>);

/// The body of a request, as JSON. An empty body is an empty object.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl FromRequestParts<Arc<Site>> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self> {
        site.accounts()?;
        let visitor = parts.extensions.get::<Arc<AccountVisitor>>();
        let visitor = visitor.ok_or_else(not_signed_in)?;
        Ok(Caller(Arc::clone(site), Arc::clone(visitor)))
    }
}

impl FromRequestParts<Arc<Site>> for Bearer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self> {
        let Caller(site, visitor) = Caller::from_request_parts(parts, site).await?;
        if visitor.session().is_some() {
            let problem = Problem::forbidden("this address needs a token");
            return Err(problem.hint("send your token: Authorization: Bearer TOKEN"));
        }
        Ok(Bearer(site, visitor))
    }
}

impl<T: DeserializeOwned> FromRequest<Arc<Site>> for JsonBody<T> {
    type Rejection = Response;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<Self, Response> {
        let bytes = Bytes::from_request(request, site)
            .await
            .map_err(IntoResponse::into_response)?;
        let text = if bytes.is_empty() { b"{}" } else { &*bytes };
        // A whole number may be written as 3.0: it is looked for only where the value does not fit as it is.
        let parsed = serde_json::from_slice(text).or_else(|error| {
            let value = serde_json::from_slice::<Value>(text).ok();
            let whole =
                value.and_then(|value| serde_json::from_value(with_whole_numbers(value)).ok());
            whole.ok_or(error)
        });
        parsed.map(JsonBody).map_err(|error| {
            let message = format!("the body is not the JSON that is asked for: {error}");
            let problem = Problem::refused(message);
            problem
                .hint("/api/v1/openapi.json describes it")
                .into_response()
        })
    }
}
