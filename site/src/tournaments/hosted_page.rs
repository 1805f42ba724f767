//! What an organiser does with the tournaments of the server: starting them by a file, pausing, resuming.

use askama::Template;
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use flipside_tournament::Name;
use serde::Deserialize;

use super::actions::{self, begin_tournament, described};
use super::host::state::{DesiredState, QueuedTournament};
use super::host::tries::Retry;
use super::hosting::host;
use super::list_page::without_requests;
use crate::accounts::posted::SignedInForm;
use crate::accounts::signed_in::Organiser;
use crate::shared::actions::done;
use crate::shared::page::{PageHead, PageView, Routes, Section};
use crate::shared::problem::Result;
use crate::shared::times::When;
use crate::site::ReadContext;

/// How many tournaments are listed that can be changed, the latest.
const LATEST: usize = 50;

#[derive(Template)]
#[template(path = "hosted.html")]
struct HostedPage {
    word: String,
    hosted: Vec<HostedLine>,
    /// The latest tournaments of the arena, by name.
    latest: Vec<String>,
}

/// A tournament that the server plays.
struct HostedLine {
    name: String,
    since: When,
    state: &'static str,
    why: Option<String>,
    /// Whether it can be paused; otherwise it can be resumed.
    goes_on: bool,
}

impl PageView for HostedPage {
    fn head(&self) -> PageHead {
        PageHead::new("Tournaments of this server", Section::Account)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/organiser/tournaments", get(hosted))
        .route("/organiser/queue/file", post(begin_file))
        .route("/organiser/queue/pause", post(pause))
        .route("/organiser/queue/resume", post(resume))
        .route("/organiser/queue/remove", post(remove))
}

fn latest(reading: &ReadContext<'_>) -> Result<Vec<String>> {
    let latest = reading
        .journal
        .listed_tournaments(&without_requests(), LATEST)?;
    Ok(latest.iter().map(|one| one.name.to_string()).collect())
}

async fn hosted(Organiser(visit, visitor): Organiser) -> Result<Response> {
    let host = host(&visit.site)?;
    let now = host.now().map(|(name, _)| name);
    let (hosted, put_off) = (host.hosted(), host.put_off());
    let latest = visit.site.read(latest).await?;
    let page = HostedPage {
        word: visitor.form_word(),
        latest,
        hosted: (hosted.iter())
            .map(|one| HostedLine::of(one, now.as_ref(), put_off.get(&one.tournament)))
            .collect(),
    };
    visit.private(&page)
}

impl HostedLine {
    fn of(hosted: &QueuedTournament, now: Option<&Name>, put_off: Option<&Retry>) -> Self {
        let is_now = now == Some(&hosted.tournament);
        let (state, why) = match &hosted.wanted {
            DesiredState::Play if is_now => ("is being played", None),
            DesiredState::Play => match put_off {
                Some(put_off) => ("waits to go on", Some(put_off.in_words())),
                None => ("waits for its turn", None),
            },
            DesiredState::Pause if is_now => ("ends its running matches", None),
            DesiredState::Pause => ("paused", None),
            DesiredState::Failed(why) => ("failed", Some(why.clone())),
        };
        HostedLine {
            name: hosted.tournament.to_string(),
            since: When::at(hosted.since),
            state,
            why,
            goes_on: hosted.wanted == DesiredState::Play,
        }
    }
}

/// Where a tournament is seen as it is played.
pub(crate) fn watched(name: &Name) -> String {
    format!("/tournaments/{name}/live")
}

#[derive(Deserialize)]
struct TournamentDescription {
    toml: String,
}

async fn begin_file(
    SignedInForm(site, visitor, form): SignedInForm<TournamentDescription>,
) -> Result<Redirect> {
    let spec = described(&form.toml)?;
    let begun = begin_tournament(&site, &visitor, spec).await;
    let name = begun.map_err(|problem| problem.at("toml"))?;
    let what = format!("The tournament {name} has begun.");
    Ok(done(&site, &visitor, what, &watched(&name)))
}

#[derive(Deserialize)]
struct TournamentName {
    tournament: Name,
}

async fn pause(
    SignedInForm(site, visitor, form): SignedInForm<TournamentName>,
) -> Result<Redirect> {
    let what = format!(
        "The tournament {} is paused when its running matches are over.",
        form.tournament
    );
    actions::pause(&site, &visitor, form.tournament).await?;
    Ok(done(&site, &visitor, what, "/organiser/tournaments"))
}

async fn resume(
    SignedInForm(site, visitor, form): SignedInForm<TournamentName>,
) -> Result<Redirect> {
    let what = format!("The tournament {} goes on.", form.tournament);
    actions::resume(&site, &visitor, form.tournament).await?;
    Ok(done(&site, &visitor, what, "/organiser/tournaments"))
}

async fn remove(
    SignedInForm(site, visitor, form): SignedInForm<TournamentName>,
) -> Result<Redirect> {
    let what = format!(
        "The tournament {} is no longer in the queue.",
        form.tournament
    );
    actions::remove(&site, &visitor, form.tournament).await?;
    Ok(done(&site, &visitor, what, "/organiser/tournaments"))
}
