//! Forms.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::signed_in::SignedIn;
use super::visitor::AccountVisitor;
use crate::shared::problem::Problem;
use crate::site::Site;

/// The field with the [word](AccountVisitor::form_word) of a session.
pub(crate) const WORD_FIELD: &str = "word";

/// The form of somebody who has signed in, sent from one of our pages. Every handler that changes something takes this.
pub(crate) struct SignedInForm<T>(
    pub(crate) Arc<Site>,
    pub(crate) Arc<AccountVisitor>,
    pub(crate) T,
);

/// A form of nothing but a button.
#[derive(Deserialize)]
pub(crate) struct NoFields {}

#[derive(Deserialize)]
struct CsrfToken {
    #[serde(default)]
    word: String,
}

impl<T: DeserializeOwned> FromRequest<Arc<Site>> for SignedInForm<T> {
    type Rejection = Response;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let SignedIn(visit, visitor) = SignedIn::from_request_parts(&mut parts, site).await?;
        let request = Request::from_parts(parts, body);
        let form = checked_form(request, site, |word| visitor.check_form(word)).await?;
        Ok(SignedInForm(visit.site, visitor, form))
    }
}

/// Reads a form, once its word was checked.
pub(crate) async fn checked_form<T: DeserializeOwned>(
    request: Request,
    site: &Arc<Site>,
    check: impl FnOnce(&str) -> Result<(), Problem> + Send,
) -> Result<T, Response> {
    let bytes = Bytes::from_request(request, site)
        .await
        .map_err(IntoResponse::into_response)?;
    let checked = |CsrfToken { word }| check(&word);
    let form = read(&bytes).and_then(checked).and_then(|()| read(&bytes));
    form.map_err(IntoResponse::into_response)
}

/// The names in a list with commas or spaces between them.
pub(crate) fn names(list: &str) -> Vec<String> {
    let names = list.split([',', ' ', '\n', '\r']);
    let names = names.filter(|name| !name.is_empty());
    names.map(String::from).collect()
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_urlencoded::from_bytes(bytes)
        .map_err(|error| Problem::refused(format!("the form is not understood: {error}")))
}
