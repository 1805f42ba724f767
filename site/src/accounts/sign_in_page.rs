//! Signing in with a token, and signing out.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Query, State};
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use flipside_store::unix_ms;
use serde::Deserialize;

use super::posted::{NoFields, OpenForm, SignedInForm};
use super::settings::SignUp;
use super::visitor::{cookie, no_cookie};
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::{Problem, Result};
use crate::shared::rates::RateAddress;
use crate::site::Site;

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    is_open: bool,
    /// Where somebody was going; empty: nowhere.
    next: String,
}

#[derive(Deserialize)]
struct SignInForm {
    token: String,
}

#[derive(Deserialize)]
struct Going {
    #[serde(default)]
    next: String,
}

impl PageView for SignInPage {
    fn head(&self) -> PageHead {
        PageHead::new("Sign in", Section::Account)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/sign-in", get(form).post(sign_in))
        .route("/sign-out", post(sign_out))
}

/// The page of this site to which somebody was going.
fn destination(next: &str) -> &str {
    let is_ours = next.starts_with('/') && !next[1..].starts_with(['/', '\\']);
    match is_ours && next.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => next,
        false => "/account",
    }
}

async fn form(visit: Visit, Query(Going { next }): Query<Going>) -> Result<Response> {
    if visit.visitor.is_some() {
        return Ok(Redirect::to(destination(&next)).into_response());
    }
    visit.site.accounts()?;
    let is_open = visit.site.settings.sign_up == SignUp::Open;
    visit.private(&SignInPage { is_open, next })
}

async fn sign_in(
    State(site): State<Arc<Site>>,
    Extension(address): Extension<RateAddress>,
    Query(Going { next }): Query<Going>,
    OpenForm(SignInForm { token }): OpenForm<SignInForm>,
) -> Result<Response> {
    site.rates.sign_in(address)?;
    let session = site
        .stored(move |store| match store.by_token(&token)? {
            Some(account) => store.begin_session(&account, unix_ms()).map(Some),
            None => Ok(None),
        })
        .await?;
    let Some(session) = session else {
        return Err(Problem::forbidden("this token is not valid")
            .hint(
                "a token begins with flipside_; if you lost yours, ask an organiser for a new one",
            )
            .at("token"));
    };
    let cookie = cookie(site.settings.url.as_ref(), session.as_str());
    Ok(([(SET_COOKIE, cookie)], Redirect::to(destination(&next))).into_response())
}

async fn sign_out(SignedInForm(site, visitor, _): SignedInForm<NoFields>) -> Result<Response> {
    if let Some(session) = visitor.session().map(str::to_owned) {
        site.stored(move |store| store.end_session(&session))
            .await?;
    }
    let cookie = no_cookie(site.settings.url.as_ref());
    Ok(([(SET_COOKIE, cookie)], Redirect::to("/")).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_returns_to_pages_of_this_site_only() {
        assert_eq!(destination("/play?game=flip4"), "/play?game=flip4");
        for other in [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example/",
            "/a\nb",
            "javascript:x",
        ] {
            assert_eq!(destination(other), "/account", "{other}");
        }
    }
}
