//! Webhooks, for organisers.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use flipside_tournament::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::accounts::own;
use super::answer::Listed;
use super::caller::{Bearer, Caller, Sent};
use crate::Site;
use crate::actions::{refuse_authors, webhooks as action};
use crate::hooks::{Webhook, WebhookId};
use crate::problem::{Problem, Result};

/// A webhook that is asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WebhookAsked {
    /// Where messages are sent: an address with `http` or `https`.
    url: String,
    /// The tournament that it is told of; the default is all, also those that come later.
    tournament: Option<Name>,
}

/// A new webhook. Its key is shown once.
#[derive(JsonSchema, Serialize)]
pub(super) struct NewWebhookShown {
    /// Its number.
    webhook: i64,
    /// The key of its signatures: `whsec_` and base64.
    secret: String,
}

/// A webhook.
#[derive(JsonSchema, Serialize)]
pub(super) struct WebhookRow {
    /// Its number.
    webhook: i64,
    /// Where messages are sent.
    url: String,
    /// The tournament that it is told of; null: all.
    tournament: Option<String>,
    /// The account that registered it.
    by: String,
    /// When, in milliseconds since 1970.
    created_at: u64,
    /// How many messages have arrived.
    delivered: u64,
    /// How many were given up.
    dropped: u64,
    /// How many wait.
    waiting: u64,
    /// How the last attempt ended: a status or an error.
    said: String,
}

impl From<Webhook> for WebhookRow {
    fn from(webhook: Webhook) -> Self {
        WebhookRow {
            webhook: webhook.id.0,
            url: webhook.url,
            tournament: webhook.tournament,
            by: webhook.by,
            created_at: webhook.created_at,
            delivered: webhook.delivered,
            dropped: webhook.dropped,
            waiting: webhook.waiting,
            said: webhook.said,
        }
    }
}

pub(super) fn operations() -> OpenApiRouter<Arc<Site>> {
    OpenApiRouter::default()
        .routes(routes!(webhooks))
        .routes(routes!(add_webhook))
        .routes(routes!(remove_webhook))
}

/// Webhooks
///
/// All of them, with what became of their messages. For organisers.
#[utoipa::path(
    get,
    path = "/api/v1/webhooks",
    tag = "organisers",
    security(("token" = [])),
    responses((status = 200, description = "The webhooks", body = ref("#/components/schemas/WebhookRowList")))
)]
async fn webhooks(State(site): State<Arc<Site>>, Caller(visitor): Caller) -> Result<Response> {
    refuse_authors(&visitor)?;
    let all = site.stored(|store| store.webhooks()).await?;
    let items = all.into_iter().map(WebhookRow::from).collect();
    Ok(own(StatusCode::OK, Listed { items, next: None }))
}

/// Register a webhook
///
/// After each result from now on, and when a tournament is over, the server sends a POST with JSON to the address:
/// `{"type": "match.finished", "timestamp": ..., "data": ...}` with a match as in lists, or `tournament.over` with a
/// tournament as in lists. It is signed as Standard Webhooks says. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/webhooks",
    tag = "organisers",
    security(("token" = [])),
    request_body(content = ref("#/components/schemas/WebhookAsked"), content_type = "application/json"),
    responses((status = 201, description = "The webhook", body = ref("#/components/schemas/NewWebhookShown")))
)]
async fn add_webhook(
    State(site): State<Arc<Site>>,
    Bearer(visitor): Bearer,
    Sent(asked): Sent<WebhookAsked>,
) -> Result<Response> {
    let WebhookAsked { url, tournament } = asked;
    let (id, secret) = action::add(&site, &visitor, url, tournament).await?;
    let shown = NewWebhookShown {
        webhook: id.0,
        secret,
    };
    Ok(own(StatusCode::CREATED, shown))
}

/// Remove a webhook
///
/// Its messages that wait go with it. For organisers.
#[utoipa::path(
    delete,
    path = "/api/v1/webhooks/{id}",
    tag = "organisers",
    security(("token" = [])),
    params(("id" = i64, Path, description = "The number of a webhook")),
    responses((status = 204, description = "It is removed"))
)]
async fn remove_webhook(
    State(site): State<Arc<Site>>,
    Bearer(visitor): Bearer,
    Path(typed): Path<String>,
) -> Result<StatusCode> {
    let absent = |_| Problem::not_found(format!("there is no webhook {typed:?}"));
    let id = WebhookId(typed.parse().map_err(absent)?);
    action::remove(&site, &visitor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
