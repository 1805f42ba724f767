//! Changing a tournament that has begun: bots leave it, it is extended, it ends. For organisers.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use flipside_operations::{ChangeMade, Extension, Joining, cancel, extend, join, withdraw};
use flipside_tournament::report::{headline, words};
use flipside_tournament::{BotRef, Name, Reason, State as Played, change_rows};
use serde::Deserialize;

use super::hosted::{host, log, names};
use super::organiser::refuse_authors;
use crate::Site;
use crate::accounts::{Organiser, Posted, Visitor};
use crate::page::{Head, Section, View, Visit, private};
use crate::problem::{Problem, Result};
use crate::site::Reading;

#[derive(Template)]
#[template(path = "change.html")]
struct ChangePage {
    word: String,
    name: String,
    title: String,
    state: &'static str,
    /// Whether matches are left that nobody plays.
    is_stopped: bool,
    /// Whether nothing can be changed any more.
    is_cancelled: bool,
    bots: Vec<String>,
    /// What was changed, in words.
    changes: Vec<String>,
}

impl View for ChangePage {
    fn head(&self) -> Head {
        Head {
            title: format!("Change {}", self.title),
            section: Section::Account,
            live: None,
        }
    }
}

pub(super) fn routes() -> Router<Arc<Site>> {
    let path = |verb: &str| format!("/organiser/tournaments/{{name}}{verb}");
    Router::new()
        .route(&path(""), get(page))
        .route(&path("/withdraw"), post(leave))
        .route(&path("/extend"), post(longer))
        .route(&path("/join"), post(enter))
        .route(&path("/cancel"), post(end))
}

async fn page(
    State(site): State<Arc<Site>>,
    Organiser(visitor): Organiser,
    Path(name): Path<String>,
    visit: Visit,
) -> Result<Response> {
    let word = visitor.form_word();
    let make = move |reading: &Reading<'_>| make(reading, &name, word);
    Ok(private(&visit, &site.read(make).await?))
}

fn make(reading: &Reading<'_>, name: &str, word: String) -> Result<ChangePage> {
    let tournament = reading.journal.tournament(name)?;
    let row = reading.row(&tournament)?;
    let changes = change_rows(reading.journal, &tournament)?;
    let changes = changes
        .iter()
        .map(|change| words::changed(&tournament, change));
    Ok(ChangePage {
        word,
        name: name.to_owned(),
        title: headline(&tournament).to_owned(),
        state: row.state_word(),
        is_stopped: row.state == Played::Stopped,
        is_cancelled: tournament.is_cancelled(),
        bots: tournament.entrants.iter().map(|bot| bot.label()).collect(),
        changes: changes.collect(),
    })
}

/// A reason that somebody has typed, or none.
fn reason(text: &str) -> Result<Option<Reason>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let reason = text.parse().map(Some);
    reason.map_err(|error| Problem::new(StatusCode::BAD_REQUEST, format!("the reason: {error}")))
}

#[derive(Deserialize)]
struct Leave {
    bot: String,
    #[serde(default)]
    disqualify: bool,
    #[serde(default)]
    reason: String,
}

async fn leave(
    State(site): State<Arc<Site>>,
    Path(name): Path<Name>,
    Posted { visitor, form }: Posted<Leave>,
) -> Result<Response> {
    let bot: BotRef = form.bot.parse().map_err(|error| {
        Problem::new(StatusCode::BAD_REQUEST, format!("the bot's name: {error}"))
    })?;
    let reason = reason(&form.reason)?;
    if form.disqualify && reason.is_none() {
        let message = "a bot is disqualified for a reason";
        return Err(Problem::new(StatusCode::BAD_REQUEST, message).hint("say why, in one line"));
    }
    let entrants = {
        let name = name.clone();
        let read =
            move |reading: &Reading<'_>| Ok(reading.journal.tournament(name.as_str())?.entrants);
        site.read(read).await?
    };
    if !entrants.iter().any(|entrant| bot.fits(entrant)) {
        return Err(Problem::not_found(format!("{bot} is not in {name}")));
    }
    change(site, visitor, name, move |site, name| {
        let (arena, is_disqualified) = (site.arena.path(), form.disqualify);
        let from = Some(name.as_str());
        Ok(withdraw(
            arena,
            &bot,
            from,
            is_disqualified,
            reason.as_ref(),
        )?)
    })
    .await
}

#[derive(Deserialize)]
struct Enter {
    bots: String,
    #[serde(default)]
    reason: String,
}

async fn enter(
    State(site): State<Arc<Site>>,
    Path(name): Path<Name>,
    Posted { visitor, form }: Posted<Enter>,
) -> Result<Response> {
    let reason = reason(&form.reason)?;
    let bots = names(&form.bots);
    if bots.is_empty() {
        return Err(Problem::new(StatusCode::BAD_REQUEST, "no bot is named"));
    }
    change(site, visitor, name, move |site, name| {
        let joining = Joining {
            bots: &bots,
            files: false,
            reason: reason.as_ref(),
        };
        let mut note = |line: &str| tracing::info!("{line}");
        let made = join(site.arena.path(), name.as_str(), &joining, &mut note)?;
        let host = host(site)?;
        let tournament = site.arena.read_journal()?.tournament(name.as_str())?;
        // A ladder that the server keeps is played as often as it may.
        if !host.is_hosted(name) && !host.keeps(&tournament)? {
            host.resume(name)?;
        }
        Ok(made)
    })
    .await
}

#[derive(Deserialize)]
struct Longer {
    #[serde(default)]
    rounds: String,
    #[serde(default)]
    matches: String,
    #[serde(default)]
    reason: String,
}

async fn longer(
    State(site): State<Arc<Site>>,
    Path(name): Path<Name>,
    Posted { visitor, form }: Posted<Longer>,
) -> Result<Response> {
    let whole = |_| Problem::new(StatusCode::BAD_REQUEST, "the number is a whole number");
    let by = match (form.rounds.trim(), form.matches.trim()) {
        (rounds, "") => Extension::Rounds(rounds.parse().map_err(whole)?),
        ("", matches) => Extension::Matches(matches.parse().map_err(whole)?),
        _ => {
            let message = "a tournament is extended by rounds or by matches";
            return Err(Problem::new(StatusCode::BAD_REQUEST, message));
        }
    };
    let reason = reason(&form.reason)?;
    change(site, visitor, name, move |site, name| {
        let made = extend(site.arena.path(), name.as_str(), by, reason.as_ref())?;
        host(site)?.resume(name)?;
        Ok(vec![made])
    })
    .await
}

#[derive(Deserialize)]
struct End {
    #[serde(default)]
    reason: String,
}

async fn end(
    State(site): State<Arc<Site>>,
    Path(name): Path<Name>,
    Posted { visitor, form }: Posted<End>,
) -> Result<Response> {
    let reason = reason(&form.reason)?;
    change(site, visitor, name, move |site, name| {
        let made = cancel(site.arena.path(), name.as_str(), reason.as_ref())?;
        Ok(vec![made])
    })
    .await
}

/// Makes a change, writes it into the log, and leads back to the page.
async fn change(
    site: Arc<Site>,
    visitor: Arc<Visitor>,
    name: Name,
    make: impl FnOnce(&Site, &Name) -> Result<Vec<ChangeMade>> + Send + 'static,
) -> Result<Response> {
    refuse_authors(&visitor)?;
    let made = {
        let (site, name, span) = (Arc::clone(&site), name.clone(), tracing::Span::current());
        let make = move || span.in_scope(|| make(&site, &name));
        let made = tokio::task::spawn_blocking(make).await;
        made.map_err(|error| Problem::internal(&error))??
    };
    for ChangeMade {
        tournament, change, ..
    } in &made
    {
        let what = format!("{name}: {}", words::changed(tournament, change));
        log(&site, &visitor.account.name, what).await?;
    }
    Ok(Redirect::to(&format!("/organiser/tournaments/{name}")).into_response())
}
