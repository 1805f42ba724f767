//! What is new in the journal for each webhook.

use std::collections::HashMap;
use std::sync::Arc;

use flipside_store::{MatchRow, unix_ms};
use flipside_tournament::{Name, Tournament, TournamentId, utc};
use serde::Serialize;

use super::ranges::Ranges;
use super::rows::{Webhook, WebhookCursor, WebhookId};
use crate::shared::problem::Result;
use crate::shared::store::AccountStore;
use crate::site::{ReadContext, Site};

/// How far below the highest index a result may still come. Runs hand out far fewer matches at once; what is missing
/// below was left out.
const MAX_BEHIND: u64 = 100_000;

/// The most results that one look takes; the others are found by the next one.
const MAX_FOUND: usize = 500;

/// A message.
#[derive(Serialize)]
struct Message<T> {
    r#type: &'static str,
    /// When it was found, in UTC.
    timestamp: String,
    data: T,
}

/// Looks for news, and passes over tournaments that are as they were.
#[derive(Default)]
pub(super) struct Finder {
    /// What the tournaments were like when a webhook last heard all of them.
    known: FoundEvents,
    version: Option<u64>,
}

impl Finder {
    /// Notes what is new as messages.
    pub(super) async fn find(&mut self, site: &Arc<Site>) -> Result<()> {
        let webhooks = site.stored(|store| store.active_webhooks()).await?;
        let version = site.version();
        self.known
            .retain(|(id, _), _| webhooks.iter().any(|hook| hook.id == *id));
        let is_known = |hook: &Webhook| self.known.keys().any(|(id, _)| *id == hook.id);
        if webhooks.is_empty() || (self.version == Some(version) && webhooks.iter().all(is_known)) {
            return Ok(());
        }
        let known = std::mem::take(&mut self.known);
        let look = move |reading: &ReadContext<'_>| look(reading, &webhooks, known);
        let (known, is_all) = site.read(look).await?;
        self.known = known;
        self.version = is_all.then_some(version);
        Ok(())
    }
}

type FoundEvents = HashMap<(WebhookId, TournamentId), u64>;

/// Returns what is known now, and whether nothing is left for the next look.
fn look(
    reading: &ReadContext<'_>,
    webhooks: &[Webhook],
    mut known: FoundEvents,
) -> Result<(FoundEvents, bool)> {
    let store = &reading.site.accounts()?.store;
    let mut is_all = true;
    // What is read of a match is of the same moment as that it is there.
    let _moment = reading.journal.snapshot()?;
    for tournament in &reading.journal.tournaments()? {
        let hears = |hook: &&Webhook| hears_of(hook, tournament);
        if !webhooks.iter().any(|hook| hears(&hook)) {
            continue;
        }
        let is_over = reading.is_over(tournament)?;
        let stamp = reading.stamp_of_news(tournament, is_over)?;
        for hook in webhooks.iter().filter(hears) {
            let key = (hook.id, tournament.id);
            if known.get(&key) == Some(&stamp) {
                continue;
            }
            match look_at(reading, store, hook, tournament, is_over) {
                Ok(true) => {
                    known.insert(key, stamp);
                }
                Ok(false) => is_all = false,
                // The other webhooks and tournaments are looked at nevertheless, and this one again.
                Err(problem) => {
                    let name = tournament.name.as_str();
                    tracing::warn!(tournament = name, problem = problem.message, "webhooks");
                    is_all = false;
                }
            }
        }
    }
    Ok((known, is_all))
}

fn hears_of(hook: &Webhook, tournament: &Tournament) -> bool {
    let of = hook.tournament.as_deref();
    of.is_none_or(|name| name == tournament.name.as_str())
}

/// Notes what is new of a tournament. Returns whether that is all.
fn look_at(
    reading: &ReadContext<'_>,
    store: &AccountStore,
    hook: &Webhook,
    tournament: &Tournament,
    is_over: bool,
) -> Result<bool> {
    let mut heard = store.heard(hook.id, tournament.id)?;
    let before = (heard.matches.clone(), heard.is_over);
    let low = heard.matches.lowest_missing();
    let landed = match hook.ends_only {
        false => reading.journal.landed(tournament.id, low)?,
        true => Vec::new(),
    };
    let top = landed.last().copied().unwrap_or(0);
    let mut new = landed
        .into_iter()
        .filter(|index| !before.0.contains(*index));
    let mut bodies = Vec::new();
    for index in new.by_ref().take(MAX_FOUND) {
        let id = format!("{}-{index}", tournament.name);
        let result: MatchRow = reading.journal.match_row(&id)?;
        bodies.push(body("match.finished", result.without_stderr())?);
        heard.matches.insert(index);
    }
    let is_all = new.next().is_none();
    if is_all {
        heard.matches.insert_below(top.saturating_sub(MAX_BEHIND));
        if is_over && !heard.is_over {
            bodies.push(body("tournament.over", reading.row(tournament)?)?);
        }
        heard.is_over = is_over;
    }
    if before != (heard.matches.clone(), heard.is_over) {
        let limits = &reading.site.limits.webhooks;
        store.add_deliveries(hook.id, &heard, &bodies, limits, unix_ms())?;
    }
    Ok(is_all)
}

fn body(kind: &'static str, data: impl Serialize) -> Result<String> {
    let message = Message {
        r#type: kind,
        timestamp: utc(unix_ms()),
        data,
    };
    Ok(serde_json::to_string(&message)?)
}

/// All that is there already, which a new webhook is not told of.
pub(crate) fn since(reading: &ReadContext<'_>, of: Option<&Name>) -> Result<Vec<WebhookCursor>> {
    let wanted = match of {
        Some(name) => Vec::from_iter(reading.journal.find_tournament(name.as_str())?),
        None => reading.journal.tournaments()?,
    };
    let heard = wanted.iter().map(|tournament| {
        let landed = reading.journal.landed(tournament.id, 0)?;
        Ok(WebhookCursor {
            tournament: tournament.id,
            matches: landed.into_iter().collect::<Ranges>(),
            is_over: reading.is_over(tournament)?,
        })
    });
    heard.collect()
}
