//! Making an account: with an invitation, or by everybody where the organiser allows that.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Path};
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flipside_store::unix_ms;
use serde::Deserialize;

use super::page::TokenForm;
use super::people::{Invited, Role};
use super::posted::OpenForm;
use super::settings::SignUp;
use super::visitor::{AccountVisitor, cookie};
use crate::bots::uploads::submit_page::fit_name;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::{Problem, Result};
use crate::shared::rates::RateAddress;
use crate::shared::store::error::Error;
use crate::site::Site;

#[derive(Template)]
#[template(path = "sign_up.html")]
struct SignUpPage {
    /// Where the form is sent.
    action: String,
    role: Role,
    /// The name that the invitation is for; empty: any.
    name: String,
}

#[derive(Deserialize)]
struct SignUpForm {
    name: String,
}

impl PageView for SignUpPage {
    fn head(&self) -> PageHead {
        PageHead::new("Sign up", Section::Account)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/sign-up", get(open_form).post(open_sign_up))
        .route("/join/{secret}", get(invited_form).post(invited_sign_up))
}

fn refuse_unless_open(site: &Site) -> Result<()> {
    match site.settings.sign_up {
        SignUp::Open => Ok(()),
        SignUp::Invited => Err(
            Problem::forbidden("accounts of this site are made by invitation")
                .hint("ask the organiser for a link"),
        ),
        SignUp::Off => Err(Problem::not_found("this site has no accounts")),
    }
}

async fn open_form(visit: Visit) -> Result<Response> {
    refuse_unless_open(&visit.site)?;
    visit.private(&SignUpPage {
        action: "/sign-up".into(),
        role: Role::Author,
        name: String::new(),
    })
}

async fn invited_form(Path(secret): Path<String>, visit: Visit) -> Result<Response> {
    let secret = typed(&secret);
    let action = format!("/join/{}", crate::shared::table::encoded(&secret));
    let Invited { role, name } = visit
        .site
        .stored(move |store| {
            let invited = store.invitation(&secret, unix_ms())?;
            invited.ok_or(Error::NotInvited)
        })
        .await?;
    visit.private(&SignUpPage {
        action,
        role,
        name: name.unwrap_or_default(),
    })
}

async fn open_sign_up(
    Extension(address): Extension<RateAddress>,
    visit: Visit,
    OpenForm(asked): OpenForm<SignUpForm>,
) -> Result<Response> {
    refuse_unless_open(&visit.site)?;
    sign_up(visit, address, &asked.name, None).await
}

async fn invited_sign_up(
    Extension(address): Extension<RateAddress>,
    Path(secret): Path<String>,
    visit: Visit,
    OpenForm(asked): OpenForm<SignUpForm>,
) -> Result<Response> {
    sign_up(visit, address, &asked.name, Some(typed(&secret))).await
}

/// A secret that people may have typed in capitals.
fn typed(secret: &str) -> String {
    secret.to_ascii_lowercase()
}

/// Makes an account with a session, and shows its token.
async fn sign_up(
    mut visit: Visit,
    address: RateAddress,
    name: &str,
    invitation: Option<String>,
) -> Result<Response> {
    let site = Arc::clone(&visit.site);
    site.rates.sign_up(address)?;
    let name = fit_name(name, "choose another name")?;
    let (account, token, session) = site
        .stored(move |store| {
            let now = unix_ms();
            let (account, token) = store.sign_up(&name, invitation.as_deref(), now)?;
            let session = store.begin_session(&account, now)?;
            Ok((account, token, session))
        })
        .await?;
    let cookie = cookie(site.settings.url.as_ref(), session.as_str());
    let visitor = AccountVisitor::with_session(account, session.as_str());
    visit.visitor = Some(Arc::new(visitor));
    let page = visit.private(&TokenForm::new(&token, true, None))?;
    Ok(([(SET_COOKIE, cookie)], page).into_response())
}
