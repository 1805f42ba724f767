//! Webhooks, for organisers: what became of their messages, registering one, removing one.

use askama::Template;
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::actions::{self as action, WantedWebhook};
use super::rows::{Webhook, WebhookId};
use crate::accounts::posted::SignedInForm;
use crate::accounts::signed_in::Organiser;
use crate::shared::actions::done;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::{Problem, Result};
use crate::shared::times::When;

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
    fn since(&self, webhook: &Webhook) -> When {
        When::at(webhook.created_at)
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
    #[serde(default)]
    ends_only: bool,
}

async fn add(
    visit: Visit,
    SignedInForm(site, visitor, form): SignedInForm<WebhookForm>,
) -> Result<Response> {
    let tournament = match form.tournament.trim() {
        "" => None,
        name => {
            let name = name.parse();
            let unfit = |error| Problem::unfit(format!("the tournament: {error}"));
            Some(name.map_err(|error| unfit(error).at("tournament"))?)
        }
    };
    let url = form.url.trim().to_owned();
    let wanted = WantedWebhook {
        url,
        tournament,
        ends_only: form.ends_only,
    };
    let (id, key) = action::add(&site, &visitor, wanted).await?;
    let page = KeyPage { number: id.0, key };
    visit.private(&page)
}

#[derive(Deserialize)]
struct Removed {
    webhook: i64,
}

async fn remove(SignedInForm(site, visitor, form): SignedInForm<Removed>) -> Result<Redirect> {
    action::remove(&site, &visitor, WebhookId(form.webhook)).await?;
    let what = format!("Webhook {} is removed.", form.webhook);
    Ok(done(&site, &visitor, what, "/organiser/webhooks"))
}
