//! What organisers see and do: all uploads, accounts, invitations, and the log of who did what.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use flipside_tournament::report::words;
use flipside_tournament::unix_ms;
use serde::Deserialize;

use super::account::{Listed, NewToken};
use crate::Site;
use crate::accounts::{Account, Organiser, Posted, Visitor};
use crate::actions;
use crate::page::{Head, Section, View, Visit, private};
use crate::problem::{Problem, Result};

/// How many uploads and lines of the log are listed, the newest.
const UPLOADS: u32 = 100;
const AUDIT: u32 = 200;

#[derive(Template)]
#[template(path = "organiser.html")]
struct OrganiserPage {
    word: String,
    own: Account,
    uploads: Listed,
    accounts: Vec<Account>,
    audit: Vec<(String, String, String)>,
}

/// An invitation, shown once.
#[derive(Template)]
#[template(path = "invitation.html")]
struct NewInvitation {
    /// Its address, or its path where the site does not know its own address.
    address: String,
    uses: u32,
}

#[derive(Deserialize)]
struct Asked {
    uses: u32,
    #[serde(default)]
    organiser: bool,
}

/// Asks whether somebody is really to get a new token.
#[derive(Template)]
#[template(path = "confirm_token.html")]
struct ConfirmToken {
    word: String,
    account: String,
}

#[derive(Deserialize)]
struct OfAccount {
    account: String,
}

#[derive(Deserialize)]
struct Named {
    account: String,
    disabled: bool,
}

impl View for OrganiserPage {
    fn head(&self) -> Head {
        head("Organiser")
    }
}

impl View for NewInvitation {
    fn head(&self) -> Head {
        head("Invitation")
    }
}

impl View for ConfirmToken {
    fn head(&self) -> Head {
        head("New token")
    }
}

fn head(title: &str) -> Head {
    Head {
        title: title.to_owned(),
        section: Section::Account,
        live: None,
    }
}

impl OrganiserPage {
    fn since(&self, account: &Account) -> String {
        words::utc(account.created_at)
    }
}

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/organiser", get(organiser))
        .route("/organiser/invite", post(invite))
        .route("/organiser/disable", post(disable))
        .route("/organiser/token", get(ask_token).post(new_token))
}

async fn organiser(
    State(site): State<Arc<Site>>,
    Organiser(visitor): Organiser,
    visit: Visit,
) -> Result<Response> {
    let (uploads, accounts, audit) = site
        .stored(|store| {
            Ok((
                store.uploads(None, UPLOADS)?,
                store.accounts()?,
                store.audit(AUDIT)?,
            ))
        })
        .await?;
    let audit = audit
        .into_iter()
        .map(|row| (words::utc(row.at), row.who, row.what));
    let page = OrganiserPage {
        word: visitor.form_word(),
        own: visitor.account.clone(),
        uploads: Listed::new(uploads, true),
        accounts,
        audit: audit.collect(),
    };
    Ok(private(&visit, &page))
}

async fn invite(
    State(site): State<Arc<Site>>,
    visit: Visit,
    Posted { visitor, form }: Posted<Asked>,
) -> Result<Response> {
    let Asked { uses, organiser } = form;
    let address = actions::invite(&site, &visitor, uses, organiser).await?;
    Ok(private(&visit, &NewInvitation { address, uses }))
}

async fn disable(
    State(site): State<Arc<Site>>,
    Posted { visitor, form }: Posted<Named>,
) -> Result<Response> {
    actions::disable(&site, &visitor, form.account, form.disabled).await?;
    Ok(Redirect::to("/organiser#accounts").into_response())
}

/// One's own token is made anew on the page of one's account, where the session goes on.
fn refuse_own(visitor: &Visitor, account: &str) -> Result<()> {
    match account.eq_ignore_ascii_case(&visitor.account.name) {
        false => Ok(()),
        true => Err(
            Problem::new(StatusCode::CONFLICT, "this is your own account")
                .hint("make a new token at /account"),
        ),
    }
}

async fn ask_token(
    State(site): State<Arc<Site>>,
    Organiser(visitor): Organiser,
    visit: Visit,
    Query(asked): Query<OfAccount>,
) -> Result<Response> {
    refuse_own(&visitor, &asked.account)?;
    let account = site.stored(move |store| store.account(&asked.account));
    let page = ConfirmToken {
        word: visitor.form_word(),
        account: account.await?.name,
    };
    Ok(private(&visit, &page))
}

async fn new_token(
    State(site): State<Arc<Site>>,
    visit: Visit,
    Posted { visitor, form }: Posted<OfAccount>,
) -> Result<Response> {
    actions::refuse_authors(&visitor)?;
    refuse_own(&visitor, &form.account)?;
    let (account, token) = site
        .stored(move |store| store.replace_token(&form.account, &visitor.account, unix_ms()))
        .await?;
    Ok(private(
        &visit,
        &NewToken::of(&account.name, token.as_str()),
    ))
}
