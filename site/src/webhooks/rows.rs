//! Webhooks, what they have heard of, and their messages, in the store.

use flipside_tournament::{Name, TournamentId};
use rusqlite::{Connection, Row, params};
use schemars::JsonSchema;
use serde::Serialize;

use super::limits::WebhookLimits;
use super::ranges::{BadRange, Ranges};
use super::sign::SigningKey;
use crate::accounts::people::AccountRow;
use crate::shared::store::audit_log::note;
use crate::shared::store::error::Error;
use crate::shared::store::{AccountStore, first, one, rows, value};

/// Which webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub(crate) struct WebhookId(pub(crate) i64);

/// A webhook.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "WebhookRow")]
pub(crate) struct Webhook {
    /// Its number.
    #[serde(rename = "webhook")]
    #[schemars(with = "i64")]
    pub(crate) id: WebhookId,
    /// Where messages are sent.
    pub(crate) url: String,
    /// The tournament that it is told of; null: all.
    pub(crate) tournament: Option<String>,
    /// Whether it is told of the ends of tournaments only, and of no match.
    pub(crate) ends_only: bool,
    /// The account that registered it.
    pub(crate) by: String,
    /// Whether this account is disabled: nothing is sent meanwhile.
    pub(crate) disabled: bool,
    /// When, in milliseconds since 1970; in JSON, RFC 3339.
    #[serde(serialize_with = "flipside_tournament::serialize_utc")]
    #[schemars(with = "String")]
    pub(crate) created_at: u64,
    /// How many messages have arrived.
    pub(crate) delivered: u64,
    /// How many were given up.
    pub(crate) dropped: u64,
    /// How many wait.
    pub(crate) waiting: u64,
    /// How the last attempt ended: a status or an error.
    pub(crate) said: String,
}

/// A webhook that is registered.
pub(crate) struct NewWebhook {
    pub(crate) url: String,
    pub(crate) tournament: Option<Name>,
    /// Whether it is told of no match.
    pub(crate) ends_only: bool,
    pub(crate) key: SigningKey,
    /// What it need not be told of.
    pub(crate) heard: Vec<WebhookCursor>,
}

/// Of which results of a tournament a webhook was told, or need not be.
#[derive(Clone, Debug)]
pub(crate) struct WebhookCursor {
    pub(super) tournament: TournamentId,
    pub(super) matches: Ranges,
    pub(super) is_over: bool,
}

/// A message that has not arrived.
#[derive(Clone)]
pub(super) struct Delivery {
    pub(super) id: i64,
    pub(super) webhook: WebhookId,
    pub(super) url: String,
    pub(super) key: SigningKey,
    pub(super) body: String,
    /// Attempts until now.
    pub(super) attempts: u32,
}

const WEBHOOK: &str =
    "SELECT webhooks.id, url, tournament, accounts.name, webhooks.created_at, delivered, dropped,
    said, (SELECT count(*) FROM deliveries WHERE webhook = webhooks.id), accounts.disabled_at IS NOT NULL,
    ends_only FROM webhooks JOIN accounts ON accounts.id = webhooks.account";

fn webhook(row: &Row<'_>) -> Result<Webhook, Error> {
    Ok(Webhook {
        id: WebhookId(row.get(0)?),
        url: row.get(1)?,
        tournament: row.get(2)?,
        by: row.get(3)?,
        created_at: row.get(4)?,
        delivered: row.get(5)?,
        dropped: row.get(6)?,
        said: row.get(7)?,
        waiting: row.get(8)?,
        disabled: row.get(9)?,
        ends_only: row.get(10)?,
    })
}

fn put_heard(store: &Connection, webhook: WebhookId, heard: &WebhookCursor) -> Result<(), Error> {
    store.execute(
        "INSERT INTO heard (webhook, tournament, matches, is_over) VALUES (?, ?, ?, ?)
         ON CONFLICT (webhook, tournament) DO UPDATE SET matches = excluded.matches, is_over = excluded.is_over",
        params![
            webhook.0,
            heard.tournament.number(),
            heard.matches.to_string(),
            heard.is_over
        ],
    )?;
    Ok(())
}

impl AccountStore {
    /// Registers a webhook.
    pub(super) fn add_webhook(
        &self,
        new: &NewWebhook,
        by: &AccountRow,
        most: usize,
        now: u64,
    ) -> Result<WebhookId, Error> {
        self.change(|store| {
            if one::<usize>(store, "SELECT count(*) FROM webhooks", [])? >= most {
                return Err(Error::TooManyWebhooks(most));
            }
            // Its messages would be others, which the receiver could not tell from news.
            let (url, of) = (&new.url, new.tournament.as_ref().map(Name::as_str));
            let same = "SELECT id FROM webhooks WHERE url = ?1
                        AND (tournament IS NULL OR ?2 IS NULL OR tournament = ?2)";
            if let Some(id) = first(store, same, params![url, of], value)? {
                return Err(Error::WebhookThere(id));
            }
            store.execute(
                "INSERT INTO webhooks (account, url, tournament, ends_only, secret, created_at)
                 VALUES (?, ?, ?, ?, ?, ?)",
                params![by.id.0, url, of, new.ends_only, new.key.bytes(), now],
            )?;
            let id = WebhookId(store.last_insert_rowid());
            for heard in &new.heard {
                put_heard(store, id, heard)?;
            }
            note(
                store,
                now,
                &by.name,
                &format!("registered webhook {}", id.0),
            )?;
            Ok(id)
        })
    }

    /// Removes a webhook with its messages. Says whether there was one.
    pub(super) fn remove_webhook(
        &self,
        id: WebhookId,
        by: &AccountRow,
        now: u64,
    ) -> Result<bool, Error> {
        self.change(|store| {
            let removed = store.execute("DELETE FROM webhooks WHERE id = ?", [id.0])?;
            if removed > 0 {
                note(store, now, &by.name, &format!("removed webhook {}", id.0))?;
            }
            Ok(removed > 0)
        })
    }

    /// All webhooks, in the order in which they were registered.
    pub(crate) fn webhooks(&self) -> Result<Vec<Webhook>, Error> {
        let query = format!("{WEBHOOK} ORDER BY webhooks.id");
        self.read(|store| rows(store, &query, [], webhook))
    }

    /// Those that are told of results now: not those of disabled accounts.
    pub(super) fn active_webhooks(&self) -> Result<Vec<Webhook>, Error> {
        let mut all = self.webhooks()?;
        all.retain(|webhook| !webhook.disabled);
        Ok(all)
    }

    /// What a webhook has heard of a tournament; nothing yet where it was begun later.
    pub(super) fn heard(
        &self,
        webhook: WebhookId,
        tournament: TournamentId,
    ) -> Result<WebhookCursor, Error> {
        let query = "SELECT matches, is_over FROM heard WHERE webhook = ? AND tournament = ?";
        let params = params![webhook.0, tournament.number()];
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let found: Option<(String, bool)> = self.read(|store| first(store, query, params, read))?;
        let (matches, is_over) = found.unwrap_or_default();
        let matches = matches.parse();
        Ok(WebhookCursor {
            tournament,
            matches: matches.map_err(|error: BadRange| Error::Value(error.to_string()))?,
            is_over,
        })
    }

    /// Notes messages, and that they were found. One that was removed meanwhile gets none.
    pub(super) fn add_deliveries(
        &self,
        webhook: WebhookId,
        heard: &WebhookCursor,
        bodies: &[String],
        limits: &WebhookLimits,
        now: u64,
    ) -> Result<(), Error> {
        self.change(|store| {
            let is_there = "SELECT EXISTS (SELECT 1 FROM webhooks WHERE id = ?)";
            if !one::<bool>(store, is_there, [webhook.0])? {
                return Ok(());
            }
            put_heard(store, webhook, heard)?;
            for body in bodies {
                store.execute(
                    "INSERT INTO deliveries (webhook, body, next_at) VALUES (?, ?, ?)",
                    params![webhook.0, body, now],
                )?;
            }
            let dropped = store.execute(
                "DELETE FROM deliveries WHERE webhook = ?1 AND id NOT IN
                 (SELECT id FROM deliveries WHERE webhook = ?1 ORDER BY id DESC LIMIT ?2)",
                params![webhook.0, limits.waiting],
            )?;
            if dropped > 0 {
                store.execute(
                    "UPDATE webhooks SET dropped = dropped + ? WHERE id = ?",
                    params![dropped, webhook.0],
                )?;
            }
            Ok(())
        })
    }

    /// The webhooks that have a message whose time has come, without those of disabled accounts.
    pub(super) fn due_webhooks(&self, now: u64) -> Result<Vec<WebhookId>, Error> {
        let query =
            "SELECT webhooks.id FROM webhooks JOIN accounts ON accounts.id = webhooks.account
                     WHERE accounts.disabled_at IS NULL AND EXISTS
                     (SELECT 1 FROM deliveries WHERE webhook = webhooks.id AND next_at <= ?)";
        let ids: Vec<i64> = self.read(|store| rows(store, query, [now], value))?;
        Ok(ids.into_iter().map(WebhookId).collect())
    }

    /// The message of a webhook whose time has come first, if there is one.
    pub(super) fn due(&self, webhook: WebhookId, now: u64) -> Result<Option<Delivery>, Error> {
        let query = "SELECT deliveries.id, url, secret, body, attempts FROM deliveries
                     JOIN webhooks ON webhooks.id = deliveries.webhook
                     WHERE webhook = ? AND next_at <= ? ORDER BY next_at, deliveries.id LIMIT 1";
        let read = |row: &Row<'_>| {
            Ok(Delivery {
                id: row.get(0)?,
                webhook,
                url: row.get(1)?,
                key: SigningKey::of(row.get(2)?),
                body: row.get(3)?,
                attempts: row.get(4)?,
            })
        };
        self.read(|store| first(store, query, params![webhook.0, now], read))
    }

    /// A message has arrived, or was given up.
    pub(super) fn end_delivery(
        &self,
        delivery: &Delivery,
        said: &str,
        has_arrived: bool,
    ) -> Result<(), Error> {
        self.change(|store| {
            let removed = store.execute("DELETE FROM deliveries WHERE id = ?", [delivery.id])?;
            let column = if has_arrived { "delivered" } else { "dropped" };
            let query =
                format!("UPDATE webhooks SET {column} = {column} + ?, said = ? WHERE id = ?");
            store.execute(&query, params![removed, said, delivery.webhook.0])?;
            Ok(())
        })
    }

    /// A message is tried again at this time, and those behind it not before: they would fail as well, and keep the
    /// messages of other webhooks waiting.
    pub(super) fn put_off(
        &self,
        delivery: &Delivery,
        said: &str,
        next_at: u64,
    ) -> Result<(), Error> {
        self.change(|store| {
            store.execute(
                "UPDATE deliveries SET attempts = attempts + 1, next_at = ? WHERE id = ?",
                params![next_at, delivery.id],
            )?;
            store.execute(
                "UPDATE deliveries SET next_at = ?1 WHERE webhook = ?2 AND next_at < ?1",
                params![next_at, delivery.webhook.0],
            )?;
            store.execute(
                "UPDATE webhooks SET said = ? WHERE id = ?",
                params![said, delivery.webhook.0],
            )?;
            Ok(())
        })
    }

    /// Forgets what webhooks were told of a tournament that was deleted.
    pub(crate) fn forget_heard(&self, tournament: TournamentId) -> Result<(), Error> {
        let sql = "DELETE FROM heard WHERE tournament = ?";
        self.execute(sql, [tournament.number()])?;
        Ok(())
    }
}
