//! Forms.

use std::str::FromStr;
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

/// The form of anybody, such as of somebody who signs in.
pub(crate) struct OpenForm<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<Site>> for OpenForm<T> {
    type Rejection = Response;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<Self, Response> {
        let bytes = bytes_of(request, site).await?;
        read(&bytes)
            .map(OpenForm)
            .map_err(IntoResponse::into_response)
    }
}

/// Reads a form, once its word was checked.
pub(crate) async fn checked_form<T: DeserializeOwned>(
    request: Request,
    site: &Arc<Site>,
    check: impl FnOnce(&str) -> Result<(), Problem> + Send,
) -> Result<T, Response> {
    let bytes = bytes_of(request, site).await?;
    let checked = |CsrfToken { word }| check(&word);
    let form = read(&bytes).and_then(checked).and_then(|()| read(&bytes));
    form.map_err(IntoResponse::into_response)
}

async fn bytes_of(request: Request, site: &Arc<Site>) -> Result<Bytes, Response> {
    let bytes = Bytes::from_request(request, site).await;
    bytes.map_err(|error| Problem::of_status(error.status()).into_response())
}

/// A number that somebody has typed in a field; nothing where it is empty.
pub(crate) fn number<T: FromStr>(text: &str, field: &'static str) -> Result<Option<T>, Problem> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let whole = |_| Problem::unfit("this is not a whole number, or too large").at(field);
    text.parse().map(Some).map_err(whole)
}

/// The names in a list with commas or spaces between them.
pub(crate) fn names(list: &str) -> Vec<String> {
    let names = list.split([',', ' ', '\n', '\r']);
    let names = names.filter(|name| !name.is_empty());
    names.map(String::from).collect()
}

/// A form whose fields are all texts: what a field means is read where it is known what to say of it.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_urlencoded::from_bytes(bytes)
        .map_err(|error| Problem::refused(format!("the form is not understood: {error}")))
}
