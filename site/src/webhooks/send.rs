//! Sending messages: one of each webhook at a time, on a thread of its own that may wait, so that no webhook waits for
//! the receiver of another.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use flipside_store::unix_ms;
use tokio::task::JoinSet;
use ureq::Agent;

use super::limits::WebhookLimits;
use super::rows::{Delivery, WebhookId};
use crate::shared::problem::Result;
use crate::shared::store::AccountStore;
use crate::shared::store::error::Error;
use crate::shared::threads::{ThreadTurn, TurnCounts, locked};
use crate::site::Site;

/// Sends what is due.
pub(super) struct Sender {
    agent: Agent,
    /// The webhooks that a message is on its way to.
    busy: TurnCounts<WebhookId>,
    attempted: Arc<UnnotedAttempts>,
    sending: JoinSet<()>,
}

/// Attempts that are not noted yet, because the store failed. What has arrived is not sent again for that.
type UnnotedAttempts = Mutex<HashMap<WebhookId, Attempt>>;

/// A message that was sent, and how that ended: an error where it has not arrived.
#[derive(Clone)]
struct Attempt {
    delivery: Delivery,
    ended: DeliveryResult,
}

type DeliveryResult = std::result::Result<String, String>;

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
            attempted: Arc::default(),
            sending: JoinSet::new(),
        }
    }

    /// Begins to send what is due, all messages of a webhook one after the other.
    pub(super) async fn send_due(&mut self, site: &Arc<Site>) -> Result<()> {
        while self.sending.try_join_next().is_some() {}
        for webhook in site.stored(|store| store.due_webhooks(unix_ms())).await? {
            let Some(turn) = ThreadTurn::take(&self.busy, webhook, 1) else {
                continue;
            };
            let (site, agent) = (Arc::clone(site), self.agent.clone());
            let attempted = Arc::clone(&self.attempted);
            self.sending.spawn_blocking(move || {
                let _turn = turn;
                let Some(accounts) = &site.accounts else {
                    return;
                };
                let (store, limits) = (&accounts.store, &site.limits.webhooks);
                while !*site.stopping().borrow() {
                    let send = |delivery: &Delivery| post(&agent, delivery);
                    match send_next(store, limits, &attempted, webhook, send) {
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

    /// Waits until it is noted what came of all that is on its way: otherwise it would be sent again after a restart.
    pub(super) async fn finish(mut self) {
        while self.sending.join_next().await.is_some() {}
    }
}

/// Sends the next message that is due. Says whether there was one. A message is sent again only after an attempt that
/// has failed.
fn send_next(
    store: &AccountStore,
    limits: &WebhookLimits,
    attempted: &UnnotedAttempts,
    webhook: WebhookId,
    send: impl FnOnce(&Delivery) -> DeliveryResult,
) -> std::result::Result<bool, Error> {
    let earlier = locked(attempted).get(&webhook).cloned();
    let attempt = match earlier {
        Some(attempt) => attempt,
        None => {
            let Some(delivery) = store.due(webhook, unix_ms())? else {
                return Ok(false);
            };
            let ended = send(&delivery);
            let attempt = Attempt { delivery, ended };
            locked(attempted).insert(webhook, attempt.clone());
            attempt
        }
    };
    note(store, limits, &attempt)?;
    locked(attempted).remove(&webhook);
    Ok(true)
}

/// Notes how an attempt has ended, and when the next one is.
fn note(
    store: &AccountStore,
    limits: &WebhookLimits,
    Attempt { delivery, ended }: &Attempt,
) -> std::result::Result<(), Error> {
    let attempts = delivery.attempts + 1;
    match ended {
        Ok(said) => store.end_delivery(delivery, said, true),
        Err(said) if attempts >= limits.attempts => store.end_delivery(delivery, said, false),
        Err(said) => {
            let wait = limits.wait_after(attempts).as_millis();
            let wait = u64::try_from(wait).unwrap_or(u64::MAX);
            store.put_off(delivery, said, unix_ms().saturating_add(wait))
        }
    }
}

/// An attempt; says how it ended, as an error where the message has not arrived.
fn post(agent: &Agent, delivery: &Delivery) -> DeliveryResult {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::rows::NewWebhook;
    use crate::webhooks::sign::SigningKey;

    /// A store with a webhook that these messages wait for.
    fn store(folder: &tempfile::TempDir, bodies: &[&str]) -> (AccountStore, WebhookId) {
        let store = AccountStore::open(folder.path()).unwrap();
        let (boss, _) = store.sign_up(&"boss".parse().unwrap(), None, 0).unwrap();
        let new = NewWebhook {
            url: "http://127.0.0.1:9/".to_owned(),
            tournament: None,
            ends_only: false,
            key: SigningKey::draw().unwrap(),
            heard: Vec::new(),
        };
        let id = store.add_webhook(&new, &boss, 1, 0).unwrap();
        for body in bodies {
            let sql = "INSERT INTO deliveries (webhook, body, next_at) VALUES (?, ?, 0)";
            store.execute(sql, rusqlite::params![id.0, body]).unwrap();
        }
        (store, id)
    }

    #[test]
    fn what_has_arrived_is_not_sent_again_because_that_could_not_be_noted() {
        let folder = tempfile::tempdir().unwrap();
        let (store, id) = store(&folder, &["first", "second"]);
        let (limits, attempted) = (WebhookLimits::default(), UnnotedAttempts::default());
        let mut sent = Vec::new();
        let mut next = || {
            send_next(&store, &limits, &attempted, id, |delivery| {
                sent.push(delivery.body.clone());
                Ok("204".to_owned())
            })
        };
        let broken = "CREATE TRIGGER broken BEFORE DELETE ON deliveries BEGIN SELECT RAISE(ABORT, 'full'); END";
        store.execute(broken, []).unwrap();
        for _ in 0..3 {
            assert!(next().is_err());
        }
        store.execute("DROP TRIGGER broken", []).unwrap();
        while next().unwrap() {}
        assert_eq!(sent, ["first", "second"]);
        assert_eq!(store.webhooks().unwrap()[0].delivered, 2);
    }
}
