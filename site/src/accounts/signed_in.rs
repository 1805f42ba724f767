//! Handlers for those who have signed in, and for organisers.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::Method;
use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use axum::response::{IntoResponse, Redirect, Response};

use super::visitor::{AccountVisitor, not_signed_in, refuse_authors};
use crate::shared::page::Visit;
use crate::shared::table::encoded;
use crate::site::Site;

/// A handler that takes this is for those who have signed in.
pub(crate) struct SignedIn(pub(crate) Visit, pub(crate) Arc<AccountVisitor>);

/// A handler that takes this is for organisers.
pub(crate) struct Organiser(pub(crate) Visit, pub(crate) Arc<AccountVisitor>);

/// The address of the form that leads to this page afterwards.
fn sign_in(parts: &Parts) -> String {
    let going = parts.uri.path_and_query().map_or("", PathAndQuery::as_str);
    match going {
        "" | "/account" => "/sign-in".into(),
        going => format!("/sign-in?next={}", encoded(going)),
    }
}

impl FromRequestParts<Arc<Site>> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Response> {
        let visit = Visit::of(parts, site);
        if let Some(visitor) = visit.visitor.clone() {
            return Ok(SignedIn(visit, visitor));
        }
        // Who follows a link is led to the form; a form that is sent is told what is missing.
        Err(match parts.method {
            Method::GET | Method::HEAD => Redirect::to(&sign_in(parts)).into_response(),
            _ => not_signed_in().into_response(),
        })
    }
}

impl FromRequestParts<Arc<Site>> for Organiser {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Response> {
        let SignedIn(visit, visitor) = SignedIn::from_request_parts(parts, site).await?;
        refuse_authors(&visitor).map_err(IntoResponse::into_response)?;
        Ok(Organiser(visit, visitor))
    }
}
