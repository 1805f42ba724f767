//! Webhooks, for organisers.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use flipside_tournament::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa_axum::routes;

use super::actions::{self as action, MAX_URL, WantedWebhook};
use super::rows::WebhookId;
use crate::accounts::caller::{Bearer, Caller};
use crate::accounts::visitor::refuse_authors;
use crate::shared::api::answer::{own, own_list};
use crate::shared::api::body::JsonBody;
use crate::shared::api::operations::Operations;
use crate::shared::problem::{Problem, Result};

/// A webhook that is asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookAsked {
    /// Where messages are sent: an address with `http` or `https`.
    #[schemars(length(max = MAX_URL), regex(pattern = "^https?://"))]
    url: String,
    /// The tournament that it is told of; the default is all, also those that come later.
    tournament: Option<Name>,
    /// Whether it is told of the ends of tournaments only, and of no match.
    #[serde(default)]
    ends_only: bool,
}

impl From<WebhookAsked> for WantedWebhook {
    fn from(asked: WebhookAsked) -> Self {
        WantedWebhook {
            url: asked.url,
            tournament: asked.tournament,
            ends_only: asked.ends_only,
        }
    }
}

/// A new webhook. Its key is shown once.
#[derive(JsonSchema, Serialize)]
pub(crate) struct NewWebhookShown {
    /// Its number.
    webhook: i64,
    /// The key of its signatures: `whsec_` and base64.
    secret: String,
}

pub(crate) fn operations() -> Operations {
    Operations::default()
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
async fn webhooks(Caller(site, visitor): Caller) -> Result<Response> {
    refuse_authors(&visitor)?;
    Ok(own_list(site.stored(|store| store.webhooks()).await?))
}

/// Register a webhook
///
/// After each result from now on, and when a tournament is over, the server sends a POST with JSON to the address:
/// `{"type": "match.finished", "timestamp": ..., "data": ...}` with a match as in lists, or `tournament.over` with a
/// tournament as in lists. With `ends_only`, only the latter is sent. It is signed as Standard Webhooks says. For organisers.
#[utoipa::path(
    post,
    path = "/api/v1/webhooks",
    tag = "organisers",
    request_body(content = ref("#/components/schemas/WebhookAsked"), content_type = "application/json"),
    responses((status = 201, description = "The webhook", body = ref("#/components/schemas/NewWebhookShown")))
)]
async fn add_webhook(
    Bearer(site, visitor): Bearer,
    JsonBody(asked): JsonBody<WebhookAsked>,
) -> Result<Response> {
    let (WebhookId(webhook), secret) = action::add(&site, &visitor, asked.into()).await?;
    let shown = NewWebhookShown { webhook, secret };
    Ok(own(StatusCode::CREATED, shown))
}

/// Remove a webhook
///
/// Its messages that wait go with it. For organisers.
#[utoipa::path(
    delete,
    path = "/api/v1/webhooks/{id}",
    tag = "organisers",
    params(("id" = i64, Path, description = "The number of a webhook")),
    responses((status = 204, description = "It is removed"))
)]
async fn remove_webhook(
    Bearer(site, visitor): Bearer,
    Path(typed): Path<String>,
) -> Result<StatusCode> {
    let absent = |_| Problem::not_found(format!("there is no webhook {typed:?}"));
    let id = WebhookId(typed.parse().map_err(absent)?);
    action::remove(&site, &visitor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
