//! Changing a tournament that has begun: bots leave it, it is extended, it ends. For organisers.

use askama::Template;
use axum::extract::Path;
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use flipside_games::words::counted;
use flipside_operations::{Extension, Leaving};
use flipside_report::{headline, words};
use flipside_store::{TournamentState, change_rows};
use flipside_tournament::Name;
use flipside_tournament::change_rules::always_counts;
use serde::Deserialize;

use super::actions;
use crate::accounts::posted::{NoFields, SignedInForm, names, number};
use crate::accounts::signed_in::Organiser;
use crate::accounts::visitor::refuse_authors;
use crate::requests::actions::delete_request;
use crate::shared::actions::done;
use crate::shared::page::{PageHead, PageView, Routes, Section};
use crate::shared::problem::{Problem, Result};
use crate::site::ReadContext;

#[derive(Template)]
#[template(path = "change.html")]
struct ChangePage {
    word: String,
    name: String,
    title: String,
    state: &'static str,
    /// Whether matches are left that nobody plays.
    is_stopped: bool,
    /// Whether nothing that is played can be changed any more.
    is_over: bool,
    /// Whether somebody has ended it.
    is_cancelled: bool,
    /// Whether the matches of a bot always count.
    always_counts: bool,
    bots: Vec<String>,
    /// Whether these are requested matches, which can be deleted.
    is_request: bool,
    /// What was changed, in words.
    changes: Vec<String>,
}

impl PageView for ChangePage {
    fn head(&self) -> PageHead {
        PageHead::new(format!("Change {}", self.title), Section::Account).live(&self.name)
    }
}

pub(crate) fn routes() -> Routes {
    let path = |verb: &str| format!("/organiser/tournaments/{{name}}{verb}");
    Routes::new()
        .route(&path(""), get(page))
        .route(&path("/withdraw"), post(leave))
        .route(&path("/extend"), post(longer))
        .route(&path("/join"), post(enter))
        .route(&path("/cancel"), post(end))
        .route(&path("/delete"), post(delete))
}

async fn page(Organiser(visit, visitor): Organiser, Path(name): Path<String>) -> Result<Response> {
    let word = visitor.form_word();
    let make = move |reading: &ReadContext<'_>| make(reading, &name, word);
    visit.private(&visit.site.read(make).await?)
}

fn make(reading: &ReadContext<'_>, name: &str, word: String) -> Result<ChangePage> {
    let tournament = reading.journal.tournament(name)?;
    let row = reading.row(&tournament)?;
    let changes = change_rows(reading.journal, &tournament)?;
    let changes = changes.iter().map(words::changed);
    Ok(ChangePage {
        word,
        name: name.to_owned(),
        title: headline(&tournament).to_owned(),
        state: row.state_word(),
        is_stopped: row.state == TournamentState::Stopped,
        is_over: tournament.is_cancelled() || row.state == TournamentState::Over,
        is_cancelled: tournament.is_cancelled(),
        always_counts: always_counts(&tournament.settings).is_some(),
        is_request: tournament.requested_by().is_some(),
        bots: tournament.entrants.iter().map(|bot| bot.label()).collect(),
        changes: changes.collect(),
    })
}

#[derive(Deserialize)]
struct Leave {
    bot: String,
    /// `withdraw`, `disqualify` or `void`.
    #[serde(default)]
    how: String,
    #[serde(default)]
    reason: String,
}

async fn leave(
    Path(name): Path<Name>,
    SignedInForm(site, visitor, form): SignedInForm<Leave>,
) -> Result<Redirect> {
    let back = page_of(&name);
    let bot = &form.bot;
    let (how, verb) = match &*form.how {
        "" | "withdraw" => (Leaving::Withdrawn, "withdrawn"),
        "disqualify" => (Leaving::Disqualified { counts: true }, "disqualified"),
        "void" => (
            Leaving::Disqualified { counts: false },
            "disqualified, and its matches do not count",
        ),
        _ => return Err(Problem::unfit("the form has a choice that is not understood").at("how")),
    };
    actions::withdraw(&site, &visitor, name, bot, how, &form.reason).await?;
    Ok(done(&site, &visitor, format!("{bot} is {verb}."), &back))
}

/// The address of the page.
fn page_of(name: &Name) -> String {
    format!("/organiser/tournaments/{name}")
}

#[derive(Deserialize)]
struct Enter {
    bots: String,
    #[serde(default)]
    reason: String,
}

async fn enter(
    Path(name): Path<Name>,
    SignedInForm(site, visitor, form): SignedInForm<Enter>,
) -> Result<Redirect> {
    let (back, bots) = (page_of(&name), names(&form.bots));
    let what = format!("Added: {}.", bots.join(", "));
    actions::join(&site, &visitor, name, bots, &form.reason).await?;
    Ok(done(&site, &visitor, what, &back))
}

#[derive(Deserialize)]
struct LongerForm {
    #[serde(default)]
    rounds: String,
    #[serde(default)]
    matches: String,
    #[serde(default)]
    reason: String,
}

async fn longer(
    Path(name): Path<Name>,
    SignedInForm(site, visitor, form): SignedInForm<LongerForm>,
) -> Result<Redirect> {
    let (rounds, matches) = (
        number::<u32>(&form.rounds, "rounds")?,
        number::<u64>(&form.matches, "matches")?,
    );
    let (by, field, what) = match (rounds, matches) {
        (Some(rounds), None) => (
            Extension::Rounds(rounds),
            "rounds",
            counted(rounds, "round"),
        ),
        (None, Some(matches)) => (
            Extension::Matches(matches),
            "matches",
            counted(matches, "match"),
        ),
        _ => {
            let message = "a tournament is extended either by rounds or by matches";
            return Err(Problem::unfit(message).at("rounds"));
        }
    };
    let back = page_of(&name);
    let extended = actions::extend(&site, &visitor, name, by, &form.reason).await;
    extended.map_err(|problem| problem.at_unless_known(field))?;
    Ok(done(&site, &visitor, format!("Extended by {what}."), &back))
}

#[derive(Deserialize)]
struct EndForm {
    #[serde(default)]
    reason: String,
}

async fn end(
    Path(name): Path<Name>,
    SignedInForm(site, visitor, form): SignedInForm<EndForm>,
) -> Result<Redirect> {
    let back = page_of(&name);
    actions::cancel(&site, &visitor, name, &form.reason).await?;
    Ok(done(&site, &visitor, "The tournament is cancelled.", &back))
}

/// For requested matches.
async fn delete(
    Path(name): Path<Name>,
    SignedInForm(site, visitor, _): SignedInForm<NoFields>,
) -> Result<Redirect> {
    refuse_authors(&visitor)?;
    let what = format!("The matches {name} are deleted.");
    delete_request(&site, &visitor, name).await?;
    Ok(done(&site, &visitor, what, "/requests"))
}
