//! Sending messages: one of each webhook at a time, on a thread of its own that may wait, so that no webhook waits for
//! the receiver of another.

use std::sync::Arc;

use flipside_tournament::unix_ms;
use ureq::Agent;

use super::WebhookId;
use super::rows::Delivery;
use crate::Site;
use crate::problem::Result;
use crate::site::Accounts;
use crate::threads::{AtIt, Turn};

/// Sends what is due.
pub(super) struct Sender {
    agent: Agent,
    /// The webhooks that a message is on its way to.
    busy: AtIt<WebhookId>,
}

impl Sender {
    pub(super) fn new(site: &Site) -> Self {
        // A receiver that leads elsewhere would have its messages sent where no organiser has said.
        let config = Agent::config_builder()
            .max_redirects(0)
            .http_status_as_error(false)
            .timeout_global(Some(site.limits.webhooks.time))
            .user_agent(concat!("flipside/", env!("CARGO_PKG_VERSION")))
            .build();
        Sender {
            agent: config.into(),
            busy: Arc::default(),
        }
    }

    /// Begins to send what is due, all messages of a webhook one after the other.
    pub(super) async fn send_due(&self, site: &Arc<Site>) -> Result<()> {
        for webhook in site.stored(|store| store.due_webhooks(unix_ms())).await? {
            let Some(turn) = Turn::take(&self.busy, webhook, 1) else {
                continue;
            };
            let (site, agent) = (Arc::clone(site), self.agent.clone());
            tokio::task::spawn_blocking(move || {
                let _turn = turn;
                while !*site.stopping().borrow() {
                    match send_next(&site, &agent, webhook) {
                        Ok(true) => {}
                        Ok(false) => break,
                        Err(error) => {
                            tracing::warn!(%error, "cannot note what came of a message");
                            break;
                        }
                    }
                }
            });
        }
        Ok(())
    }
}

/// Sends the next message that is due. Says whether there was one.
fn send_next(
    site: &Site,
    agent: &Agent,
    webhook: WebhookId,
) -> std::result::Result<bool, crate::accounts::Error> {
    let Some(Accounts { store, .. }) = &site.accounts else {
        return Ok(false);
    };
    let Some(delivery) = store.due(webhook, unix_ms())? else {
        return Ok(false);
    };
    let limits = &site.limits.webhooks;
    match post(agent, &delivery) {
        Ok(said) => store.end_delivery(&delivery, &said, true)?,
        Err(said) => {
            let attempts = delivery.attempts + 1;
            if attempts >= limits.attempts {
                store.end_delivery(&delivery, &said, false)?;
            } else {
                let wait = limits.wait_after(attempts).as_millis();
                let wait = u64::try_from(wait).unwrap_or(u64::MAX);
                store.put_off(&delivery, &said, unix_ms().saturating_add(wait))?;
            }
        }
    }
    Ok(true)
}

/// An attempt; says how it ended, as an error where the message has not arrived.
fn post(agent: &Agent, delivery: &Delivery) -> std::result::Result<String, String> {
    let (id, seconds) = (format!("msg_{}", delivery.id), unix_ms() / 1000);
    let signature = delivery.key.signature(&id, seconds, &delivery.body);
    let request = agent
        .post(&delivery.url)
        .header("content-type", "application/json")
        .header("webhook-id", &id)
        .header("webhook-timestamp", seconds.to_string())
        .header("webhook-signature", signature);
    match request.send(&delivery.body) {
        Ok(answer) if answer.status().is_success() => Ok(answer.status().to_string()),
        Ok(answer) => Err(answer.status().to_string()),
        Err(error) => Err(error.to_string()),
    }
}
