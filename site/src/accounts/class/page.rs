//! An organiser invites a class, and prints its sheet.

use std::sync::Arc;

use askama::Template;
use axum::http::header::ORIGIN;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::get;
use flipside_store::unix_ms;
use serde::Deserialize;

use super::names::MAX_CLASS;
use super::sheet::{ClassInvitations, StripView};
use crate::accounts::actions::site_address;
use crate::accounts::posted::{SignedInForm, number};
use crate::accounts::signed_in::Organiser;
use crate::accounts::visitor::refuse_authors;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::{Problem, Result};
use crate::shared::sent_forms::SentForms;
use crate::shared::store::AccountStore;
use crate::shared::times::When;

/// For how many days links of a class work, if nothing else is asked for, and at most.
const DAYS: u32 = 14;
const MAX_DAYS: u32 = 365;

#[derive(Template)]
#[template(path = "class_form.html")]
struct ClassForm {
    word: String,
    /// The form's own word.
    once: String,
    most: usize,
    days: u32,
    max_days: u32,
}

/// The sheet, shown once.
#[derive(Template)]
#[template(path = "class_sheet.html")]
struct ClassSheet {
    strips: Vec<StripView>,
    until: When,
}

#[derive(Deserialize)]
struct NamesForm {
    names: String,
    #[serde(default)]
    days: String,
    /// Who sends it by a program may leave it out.
    once: Option<String>,
}

impl PageView for ClassForm {
    fn head(&self) -> PageHead {
        PageHead::new("Invite a class", Section::Account)
    }
}

impl PageView for ClassSheet {
    fn head(&self) -> PageHead {
        PageHead::new("Invitations", Section::Account)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/organiser/class", get(form).post(invite))
}

async fn form(Organiser(visit, visitor): Organiser) -> Result<Response> {
    visit.private(&ClassForm {
        word: visitor.form_word(),
        once: SentForms::word(),
        most: MAX_CLASS,
        days: DAYS,
        max_days: MAX_DAYS,
    })
}

async fn invite(
    visit: Visit,
    headers: HeaderMap,
    SignedInForm(site, visitor, form): SignedInForm<NamesForm>,
) -> Result<Response> {
    refuse_authors(&visitor)?;
    let days = number(&form.days, "days")?.unwrap_or(DAYS);
    if !(1..=MAX_DAYS).contains(&days) {
        let what = format!("links work for 1 to {MAX_DAYS} days");
        return Err(Problem::unfit(what).at("days"));
    }
    let once = form.once.unwrap_or_else(SentForms::word);
    if !site.sent_forms.begin(&once) {
        let what = "this form was sent already, and the links of its sheet work";
        return Err(Problem::new(StatusCode::CONFLICT, what).hint(
            "open the form anew to make other links; those that were made for the same names end then",
        ));
    }
    let by = Arc::clone(&visitor);
    let names = form.names;
    let enter = move |store: &AccountStore| {
        let class = ClassInvitations::made(&names, days)?;
        store.invite_class(&class, Some(&by.account), unix_ms())?;
        Ok(class)
    };
    let class = site.stored(enter).await.inspect_err(|_| {
        site.sent_forms.undo(&once);
    })?;
    // It was looked at: it is that of a page of this site.
    let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
    visit.private(&ClassSheet {
        strips: class.views(&site_address(&site, origin)),
        until: class.ends(),
    })
}
