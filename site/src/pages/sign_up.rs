//! Making an account: with an invitation, or by everybody where the organiser allows that.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Extension, Form, Path, State};
use axum::http::StatusCode;
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flipside_tournament::{Name, NameError, unix_ms};
use serde::Deserialize;

use super::account::NewToken;
use crate::Site;
use crate::accounts::{Role, SignUp, cookie};
use crate::page::{Head, Section, View, Visit, private};
use crate::problem::{Problem, Result};
use crate::rates::Address;

#[derive(Template)]
#[template(path = "sign_up.html")]
struct SignUpPage {
    /// Where the form is sent.
    action: String,
    role: Role,
}

#[derive(Deserialize)]
struct Asked {
    name: String,
}

impl View for SignUpPage {
    fn head(&self) -> Head {
        Head {
            title: "Sign up".into(),
            section: Section::Account,
            live: None,
        }
    }
}

pub(crate) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/sign-up", get(open_form).post(open_sign_up))
        .route("/join/{secret}", get(invited_form).post(invited_sign_up))
}

fn refuse_unless_open(site: &Site) -> Result<()> {
    match site.settings.sign_up {
        SignUp::Open => Ok(()),
        SignUp::Invited => Err(Problem::new(
            StatusCode::FORBIDDEN,
            "accounts of this site are made by invitation",
        )
        .hint("ask the organiser for a link")),
        SignUp::Off => Err(Problem::not_found("this site has no accounts")),
    }
}

async fn open_form(State(site): State<Arc<Site>>, visit: Visit) -> Response {
    match refuse_unless_open(&site) {
        Ok(()) => private(
            &visit,
            &SignUpPage {
                action: "/sign-up".into(),
                role: Role::Author,
            },
        ),
        Err(problem) => problem.into_response(),
    }
}

async fn invited_form(
    State(site): State<Arc<Site>>,
    Path(secret): Path<String>,
    visit: Visit,
) -> Result<Response> {
    let action = format!("/join/{}", crate::table::encoded(&secret));
    let role = site
        .stored(move |store| {
            let role = store.invitation(&secret, unix_ms())?;
            role.ok_or(crate::accounts::Error::NotInvited)
        })
        .await?;
    Ok(private(&visit, &SignUpPage { action, role }))
}

async fn open_sign_up(
    State(site): State<Arc<Site>>,
    Extension(address): Extension<Address>,
    visit: Visit,
    Form(asked): Form<Asked>,
) -> Result<Response> {
    refuse_unless_open(&site)?;
    sign_up(&site, address, visit, &asked.name, None).await
}

async fn invited_sign_up(
    State(site): State<Arc<Site>>,
    Extension(address): Extension<Address>,
    Path(secret): Path<String>,
    visit: Visit,
    Form(asked): Form<Asked>,
) -> Result<Response> {
    sign_up(&site, address, visit, &asked.name, Some(secret)).await
}

/// Makes an account with a session, and shows its token.
async fn sign_up(
    site: &Arc<Site>,
    address: Address,
    mut visit: Visit,
    name: &str,
    invitation: Option<String>,
) -> Result<Response> {
    site.rates.sign_up(address)?;
    let name: Name = name.trim().parse().map_err(|error: NameError| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
            .hint("go back and choose another name")
    })?;
    let (account, token, session) = site
        .stored(move |store| {
            let now = unix_ms();
            let (account, token) = store.sign_up(&name, invitation.as_deref(), now)?;
            let session = store.begin_session(&account, now)?;
            Ok((account, token, session))
        })
        .await?;
    let cookie = cookie(site.settings.url.as_ref(), session.as_str());
    visit.visitor = Some(Arc::new(crate::accounts::Visitor::with_session(
        account,
        session.as_str(),
    )));
    let page = private(&visit, &NewToken::first(token.as_str()));
    Ok(([(SET_COOKIE, cookie)], page).into_response())
}
