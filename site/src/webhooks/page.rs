//! Webhooks, for organisers: what became of their messages, registering one, removing one.

use askama::Template;
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use flipside_tournament::utc;
use serde::Deserialize;

use super::actions as action;
use super::rows::{Webhook, WebhookId};
use crate::accounts::posted::SignedInForm;
use crate::accounts::signed_in::Organiser;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::{Problem, Result};

#[derive(Template)]
#[template(path = "webhooks.html")]
struct WebhooksPage {
    word: String,
    webhooks: Vec<Webhook>,
}

/// The key of a new webhook, shown once.
#[derive(Template)]
#[template(path = "webhook_key.html")]
struct KeyPage {
    number: i64,
    key: String,
}

impl PageView for WebhooksPage {
    fn head(&self) -> PageHead {
        PageHead::new("Webhooks", Section::Account)
    }
}

impl PageView for KeyPage {
    fn head(&self) -> PageHead {
        PageHead::new("Webhook registered", Section::Account)
    }
}

impl WebhooksPage {
    fn since(&self, webhook: &Webhook) -> String {
        utc(webhook.created_at)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/organiser/webhooks", get(page).post(add))
        .route("/organiser/webhooks/remove", post(remove))
}

async fn page(Organiser(visit, visitor): Organiser) -> Result<Response> {
    let page = WebhooksPage {
        word: visitor.form_word(),
        webhooks: visit.site.stored(|store| store.webhooks()).await?,
    };
    visit.private(&page)
}

#[derive(Deserialize)]
struct WebhookForm {
    url: String,
    #[serde(default)]
    tournament: String,
}

async fn add(
    visit: Visit,
    SignedInForm(site, visitor, form): SignedInForm<WebhookForm>,
) -> Result<Response> {
    let tournament = match form.tournament.trim() {
        "" => None,
        name => {
            let name = name.parse();
            Some(name.map_err(|error| Problem::unfit(format!("the tournament: {error}")))?)
        }
    };
    let url = form.url.trim().to_owned();
    let (id, key) = action::add(&site, &visitor, url, tournament).await?;
    let page = KeyPage { number: id.0, key };
    visit.private(&page)
}

#[derive(Deserialize)]
struct Removed {
    webhook: i64,
}

async fn remove(SignedInForm(site, visitor, form): SignedInForm<Removed>) -> Result<Redirect> {
    action::remove(&site, &visitor, WebhookId(form.webhook)).await?;
    Ok(Redirect::to("/organiser/webhooks"))
}
