//! What organisers see and do: all uploads, accounts, invitations, and the log of who did what.

use askama::Template;
use axum::extract::Query;
use axum::http::header::ORIGIN;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use flipside_store::unix_ms;
use serde::Deserialize;

use super::actions;
use super::page::{TokenForm, UploadList};
use super::people::{AccountRow, OpenInvitation};
use super::posted::{SignedInForm, number};
use super::signed_in::Organiser;
use super::visitor::{AccountVisitor, refuse_authors};
use crate::shared::actions::done;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::{Problem, Result};
use crate::shared::store::AccountStore;
use crate::shared::times::When;

/// How many uploads and lines of the log are listed, the newest.
const UPLOADS: u32 = 100;
const AUDIT: u32 = 200;

#[derive(Template)]
#[template(path = "organiser.html")]
struct OrganiserPage {
    word: String,
    own: AccountRow,
    uploads: UploadList,
    accounts: Vec<AccountRow>,
    invitations: Vec<OpenInvitation>,
    audit: Vec<(When, String, String)>,
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
struct InvitationForm {
    uses: String,
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
struct AccountIdForm {
    account: String,
}

#[derive(Deserialize)]
struct AccountForm {
    account: String,
    disabled: bool,
}

impl PageView for OrganiserPage {
    fn head(&self) -> PageHead {
        PageHead::new("Organiser", Section::Account)
    }
}

impl PageView for NewInvitation {
    fn head(&self) -> PageHead {
        PageHead::new("Invitation", Section::Account)
    }
}

impl PageView for ConfirmToken {
    fn head(&self) -> PageHead {
        PageHead::new("New token", Section::Account)
    }
}

impl OrganiserPage {
    fn since(&self, account: &AccountRow) -> When {
        When::at(account.created_at)
    }

    fn until(&self, invitation: &OpenInvitation) -> When {
        When::at(invitation.until)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/organiser", get(organiser))
        .route("/organiser/invite", post(invite))
        .route("/organiser/revoke", post(revoke))
        .route("/organiser/give", post(give))
        .route("/organiser/disable", post(disable))
        .route("/organiser/token", get(ask_token).post(new_token))
}

async fn organiser(Organiser(visit, visitor): Organiser) -> Result<Response> {
    let read = |store: &AccountStore| {
        let uploads = store.uploads(None, UPLOADS)?;
        let invitations = store.invitations(unix_ms())?;
        Ok((uploads, store.accounts()?, invitations, store.audit(AUDIT)?))
    };
    let (uploads, accounts, invitations, audit) = visit.site.stored(read).await?;
    let audit = audit
        .into_iter()
        .map(|row| (When::at(row.at), row.who, row.what));
    let page = OrganiserPage {
        word: visitor.form_word(),
        own: visitor.account.clone(),
        uploads: UploadList::new(uploads, true),
        accounts,
        invitations,
        audit: audit.collect(),
    };
    visit.private(&page)
}

async fn invite(
    visit: Visit,
    headers: HeaderMap,
    SignedInForm(site, visitor, form): SignedInForm<InvitationForm>,
) -> Result<Response> {
    let InvitationForm { uses, organiser } = form;
    let uses = number(&uses, "uses")?.unwrap_or(1);
    // It was looked at: it is that of a page of this site.
    let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
    let address = actions::invite(&site, &visitor, uses, organiser, origin).await?;
    visit.private(&NewInvitation { address, uses })
}

#[derive(Deserialize)]
struct RevokeForm {
    invitation: String,
}

async fn revoke(SignedInForm(site, visitor, form): SignedInForm<RevokeForm>) -> Result<Redirect> {
    actions::revoke(&site, &visitor, form.invitation).await?;
    let what = "The invitation is revoked: its link no longer works.";
    Ok(done(&site, &visitor, what, "/organiser#invite"))
}

#[derive(Deserialize)]
struct GiveForm {
    bot: String,
    account: String,
}

async fn give(SignedInForm(site, visitor, form): SignedInForm<GiveForm>) -> Result<Redirect> {
    let (bot, account) = actions::give_bot(&site, &visitor, &form.bot, form.account).await?;
    let what = format!("{bot} belongs to {account} now.");
    Ok(done(&site, &visitor, what, "/organiser#give"))
}

async fn disable(SignedInForm(site, visitor, form): SignedInForm<AccountForm>) -> Result<Redirect> {
    let verb = if form.disabled { "disabled" } else { "enabled" };
    let what = format!("The account {} is {verb}.", form.account);
    actions::disable(&site, &visitor, form.account, form.disabled).await?;
    Ok(done(&site, &visitor, what, "/organiser#accounts"))
}

/// One's own token is made anew on the page of one's account, where the session goes on.
fn refuse_own(visitor: &AccountVisitor, account: &str) -> Result<()> {
    match account.eq_ignore_ascii_case(&visitor.account.name) {
        false => Ok(()),
        true => Err(
            Problem::new(StatusCode::CONFLICT, "this is your own account")
                .hint("make a new token at /account"),
        ),
    }
}

async fn ask_token(
    Organiser(visit, visitor): Organiser,
    Query(asked): Query<AccountIdForm>,
) -> Result<Response> {
    refuse_own(&visitor, &asked.account)?;
    let account = visit
        .site
        .stored(move |store| store.account(&asked.account));
    let page = ConfirmToken {
        word: visitor.form_word(),
        account: account.await?.name,
    };
    visit.private(&page)
}

async fn new_token(
    visit: Visit,
    SignedInForm(site, visitor, form): SignedInForm<AccountIdForm>,
) -> Result<Response> {
    refuse_authors(&visitor)?;
    refuse_own(&visitor, &form.account)?;
    let (account, token) = site
        .stored(move |store| store.replace_token(&form.account, &visitor.account, unix_ms()))
        .await?;
    visit.private(&TokenForm::new(&token, false, Some(account.name)))
}
