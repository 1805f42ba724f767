//! Webhooks, for organisers.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use flipside_tournament::{Name, unix_ms};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::accounts::own;
use super::answer::Listed;
use super::caller::{Bearer, Caller, Sent};
use crate::Site;
use crate::actions::refuse_authors;
use crate::hooks::{Key, NewWebhook, Webhook, WebhookId, since};
use crate::problem::{Problem, Result};

/// The longest address of a webhook, in bytes.
const MAX_URL: usize = 2_048;

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
    refuse_authors(&visitor)?;
    let WebhookAsked { url, tournament } = asked;
    refuse_unfit(&url)?;
    let of = tournament.clone();
    let heard = site
        .read(move |reading| {
            if let Some(name) = &of {
                reading.journal.tournament(name.as_str())?;
            }
            since(reading, of.as_ref())
        })
        .await?;
    let key = Key::draw()?;
    let secret = key.text();
    let most = site.limits.webhooks.webhooks;
    let new = NewWebhook {
        url,
        tournament,
        key,
        heard,
    };
    let id = site
        .stored(move |store| store.add_webhook(&new, &visitor.account, most, unix_ms()))
        .await?;
    let shown = NewWebhookShown {
        webhook: id.0,
        secret,
    };
    Ok(own(StatusCode::CREATED, shown))
}

/// Makes sure that messages can be sent to an address.
fn refuse_unfit(url: &str) -> Result<()> {
    let parsed = url.parse::<Uri>().ok().filter(|_| url.len() <= MAX_URL);
    let is_fit = parsed.is_some_and(|uri| {
        let has_scheme = matches!(uri.scheme_str(), Some("http" | "https"));
        let host = uri
            .authority()
            .is_some_and(|host| !host.host().is_empty() && !host.as_str().contains('@'));
        has_scheme && host
    });
    if is_fit {
        return Ok(());
    }
    let message = "the address of a webhook begins with http:// or https:// and has no user name";
    Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, message)
        .hint("{\"url\": \"https://example.org/results\"}"))
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
    refuse_authors(&visitor)?;
    let absent = || Problem::not_found(format!("there is no webhook {typed:?}"));
    let id = WebhookId(typed.parse().map_err(|_| absent())?);
    let remove =
        move |store: &crate::accounts::Store| store.remove_webhook(id, &visitor.account, unix_ms());
    match site.stored(remove).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(absent()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_sent_by_http_and_to_nobody_with_a_password() {
        for good in [
            "http://127.0.0.1:9/x",
            "https://example.org",
            "http://[::1]/?a=b",
        ] {
            assert!(refuse_unfit(good).is_ok(), "{good}");
        }
        let long = format!("https://example.org/{}", "x".repeat(MAX_URL));
        for bad in [
            "ftp://example.org/",
            "file:///etc/passwd",
            "gopher://x/",
            "example.org",
            "/path",
            "",
            "http://",
            "https://user:secret@example.org/",
            &long,
        ] {
            assert!(refuse_unfit(bad).is_err(), "{bad}");
        }
    }
}
