//! Webhooks: organisers register programs that are told of results.

use std::sync::Arc;

use axum::http::Uri;
use flipside_store::unix_ms;
use flipside_tournament::Name;

use super::find::since;
use super::rows::{NewWebhook, WebhookId};
use super::sign::SigningKey;
use crate::accounts::visitor::{AccountVisitor, refuse_authors};
use crate::shared::problem::{Problem, Result};
use crate::site::Site;

/// The longest address of a webhook, in bytes.
pub(super) const MAX_URL: usize = 2_048;

/// A webhook that somebody wants.
pub(super) struct WantedWebhook {
    pub(super) url: String,
    /// Of which it is told; nothing: of all, also those that come later.
    pub(super) tournament: Option<Name>,
    /// Whether it is told of the ends of tournaments only.
    pub(super) ends_only: bool,
}

/// Registers a webhook, for one tournament or for all, and gives its number and the key of its signatures.
pub(crate) async fn add(
    site: &Arc<Site>,
    by: &Arc<AccountVisitor>,
    wanted: WantedWebhook,
) -> Result<(WebhookId, String)> {
    refuse_authors(by)?;
    let WantedWebhook {
        url,
        tournament,
        ends_only,
    } = wanted;
    refuse_unfit(&url)?;
    let of = tournament.clone();
    let heard = site
        .read(move |reading| {
            if let Some(name) = &of {
                let known = reading.journal.tournament(name.as_str());
                known.map_err(|error| Problem::from(error).at("tournament"))?;
            }
            since(reading, of.as_ref())
        })
        .await?;
    let key = SigningKey::draw()?;
    let secret = key.text();
    let most = site.limits.webhooks.webhooks;
    let new = NewWebhook {
        url,
        tournament,
        ends_only,
        key,
        heard,
    };
    let by = Arc::clone(by);
    let id = site
        .stored(move |store| store.add_webhook(&new, &by.account, most, unix_ms()))
        .await?;
    Ok((id, secret))
}

/// Removes a webhook, with its messages that wait.
pub(crate) async fn remove(
    site: &Arc<Site>,
    by: &Arc<AccountVisitor>,
    id: WebhookId,
) -> Result<()> {
    refuse_authors(by)?;
    let by = Arc::clone(by);
    let remove = move |store: &crate::shared::store::AccountStore| {
        store.remove_webhook(id, &by.account, unix_ms())
    };
    match site.stored(remove).await? {
        true => Ok(()),
        false => Err(Problem::not_found(format!("there is no webhook {}", id.0))),
    }
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
    Err(Problem::unfit(message)
        .hint("for example https://example.org/results")
        .at("url"))
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
