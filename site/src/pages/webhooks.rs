//! Webhooks, for organisers: what became of their messages, registering one, removing one.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use flipside_tournament::report::words;
use serde::Deserialize;

use crate::Site;
use crate::accounts::{Organiser, Posted};
use crate::actions::{refused, webhooks as action};
use crate::hooks::{Webhook, WebhookId};
use crate::page::{Head, Section, View, Visit, private};
use crate::problem::Result;

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

impl View for WebhooksPage {
    fn head(&self) -> Head {
        head("Webhooks")
    }
}

impl View for KeyPage {
    fn head(&self) -> Head {
        head("Webhook registered")
    }
}

fn head(title: &str) -> Head {
    Head {
        title: title.to_owned(),
        section: Section::Account,
        live: None,
    }
}

impl WebhooksPage {
    fn since(&self, webhook: &Webhook) -> String {
        words::utc(webhook.created_at)
    }
}

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/organiser/webhooks", get(page).post(add))
        .route("/organiser/webhooks/remove", post(remove))
}

async fn page(
    State(site): State<Arc<Site>>,
    Organiser(visitor): Organiser,
    visit: Visit,
) -> Result<Response> {
    let page = WebhooksPage {
        word: visitor.form_word(),
        webhooks: site.stored(|store| store.webhooks()).await?,
    };
    Ok(private(&visit, &page))
}

#[derive(Deserialize)]
struct Asked {
    url: String,
    #[serde(default)]
    tournament: String,
}

async fn add(
    State(site): State<Arc<Site>>,
    visit: Visit,
    Posted { visitor, form }: Posted<Asked>,
) -> Result<Response> {
    let tournament = match form.tournament.trim() {
        "" => None,
        name => {
            let name = name.parse();
            Some(name.map_err(|error| refused(format!("the tournament: {error}")))?)
        }
    };
    let url = form.url.trim().to_owned();
    let (id, key) = action::add(&site, &visitor, url, tournament).await?;
    let page = KeyPage { number: id.0, key };
    Ok(private(&visit, &page))
}

#[derive(Deserialize)]
struct Removed {
    webhook: i64,
}

async fn remove(
    State(site): State<Arc<Site>>,
    Posted { visitor, form }: Posted<Removed>,
) -> Result<Response> {
    action::remove(&site, &visitor, WebhookId(form.webhook)).await?;
    Ok(Redirect::to("/organiser/webhooks").into_response())
}
