//! What an organiser does with tournaments: starting them by a form or a file, pausing, resuming.

use askama::Template;
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use flipside_games::Info;
use flipside_tournament::{FORMATS, Name, TournamentSpec, utc};
use serde::Deserialize;

use super::actions::{self, begin_tournament, described};
use super::host::state::{DesiredState, QueuedTournament};
use super::host::tries::Retry;
use super::hosting::host;
use super::list_page::without_requests;
use crate::accounts::posted::{SignedInForm, names};
use crate::accounts::signed_in::Organiser;
use crate::shared::known_games::offered;
use crate::shared::page::{PageHead, PageView, Routes, Section};
use crate::shared::problem::{Problem, Result};
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
    games: Vec<&'static Info>,
    formats: &'static [&'static str],
    bots: Vec<String>,
}

/// A tournament that the server plays.
struct HostedLine {
    name: String,
    since: String,
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
        .route("/organiser/tournaments", get(hosted).post(begin))
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
    let lists = |reading: &ReadContext<'_>| Ok((reading.bot_names()?, latest(reading)?));
    let (bots, latest) = visit.site.read(lists).await?;
    let page = HostedPage {
        word: visitor.form_word(),
        latest,
        hosted: (hosted.iter())
            .map(|one| HostedLine::of(one, now.as_ref(), put_off.get(&one.tournament)))
            .collect(),
        games: offered(&visit.site).await?,
        formats: FORMATS,
        bots,
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
            since: utc(hosted.since),
            state,
            why,
            goes_on: hosted.wanted == DesiredState::Play,
        }
    }
}

/// The form: the keys that most tournaments need.
#[derive(Deserialize)]
struct TournamentForm {
    name: String,
    #[serde(default)]
    title: String,
    game: String,
    bots: String,
    format: String,
    #[serde(default)]
    rounds: String,
    #[serde(default)]
    clock: String,
}

impl TournamentForm {
    fn spec(self) -> Result<TournamentSpec> {
        let mut spec = TournamentSpec::default();
        spec.put("bots", names(&self.bots));
        for (key, text) in [
            ("name", self.name),
            ("title", self.title),
            ("game", self.game),
            ("format", self.format),
            ("clock", self.clock),
        ] {
            if !text.trim().is_empty() {
                spec.put(key, text.trim());
            }
        }
        if !self.rounds.trim().is_empty() {
            let whole = |_| Problem::unfit("the number of rounds is a whole number");
            let rounds: u32 = self.rounds.trim().parse().map_err(whole)?;
            spec.put("rounds", rounds);
        }
        Ok(spec)
    }
}

async fn begin(
    SignedInForm(site, visitor, form): SignedInForm<TournamentForm>,
) -> Result<Redirect> {
    let name = begin_tournament(&site, &visitor, form.spec()?).await?;
    Ok(watched(&name))
}

/// Leads to where a tournament is seen as it is played.
pub(crate) fn watched(name: &Name) -> Redirect {
    Redirect::to(&format!("/tournaments/{name}/live"))
}

#[derive(Deserialize)]
struct TournamentDescription {
    toml: String,
}

async fn begin_file(
    SignedInForm(site, visitor, form): SignedInForm<TournamentDescription>,
) -> Result<Redirect> {
    let name = begin_tournament(&site, &visitor, described(&form.toml)?).await?;
    Ok(watched(&name))
}

#[derive(Deserialize)]
struct TournamentName {
    tournament: Name,
}

async fn pause(
    SignedInForm(site, visitor, form): SignedInForm<TournamentName>,
) -> Result<Redirect> {
    actions::pause(&site, &visitor, form.tournament).await?;
    Ok(Redirect::to("/organiser/tournaments"))
}

async fn resume(
    SignedInForm(site, visitor, form): SignedInForm<TournamentName>,
) -> Result<Redirect> {
    actions::resume(&site, &visitor, form.tournament).await?;
    Ok(Redirect::to("/organiser/tournaments"))
}

async fn remove(
    SignedInForm(site, visitor, form): SignedInForm<TournamentName>,
) -> Result<Redirect> {
    actions::remove(&site, &visitor, form.tournament).await?;
    Ok(Redirect::to("/organiser/tournaments"))
}
