//! The body of a request, as JSON.

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::bounds::with_whole_numbers;
use crate::shared::problem::Problem;
use crate::site::Site;

/// A body of this type. An empty one is an empty object.
pub(crate) struct JsonBody<T>(pub(crate) T);

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
