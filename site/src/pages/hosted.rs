//! What an organiser does with tournaments: starting them by a form or a file, pausing, resuming.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use flipside_games::{GAMES, Info};
use flipside_operations::Result as Outcome;
use flipside_tournament::report::words;
use flipside_tournament::{FORMATS, Name, TournamentSpec, unix_ms};
use serde::Deserialize;
use serde_json::Value;

use super::organiser::refuse_authors;
use crate::Site;
use crate::accounts::{Organiser, Posted, Visitor, note};
use crate::host::{Host, Hosted, Rank, Wanted};
use crate::page::{Head, Section, View, Visit, private};
use crate::problem::{Problem, Result};
use crate::site::Reading;

/// The longest description of a tournament, in bytes.
pub(super) const MAX_DESCRIPTION: usize = 32 << 10;

/// How many tournaments are listed that can be changed, the latest.
const LATEST: usize = 50;

#[derive(Template)]
#[template(path = "hosted.html")]
struct HostedPage {
    word: String,
    hosted: Vec<Line>,
    /// The latest tournaments of the arena, by name.
    latest: Vec<String>,
    games: Vec<&'static Info>,
    formats: &'static [&'static str],
    bots: Vec<String>,
}

/// A tournament that the server plays.
struct Line {
    name: String,
    since: String,
    state: &'static str,
    why: Option<String>,
    /// Whether it can be paused; otherwise it can be resumed.
    goes_on: bool,
}

impl View for HostedPage {
    fn head(&self) -> Head {
        Head {
            title: "Tournaments of this server".into(),
            section: Section::Account,
            live: None,
        }
    }
}

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/organiser/tournaments", get(hosted).post(begin))
        .route("/organiser/tournaments/file", post(begin_file))
        .route("/organiser/tournaments/pause", post(pause))
        .route("/organiser/tournaments/resume", post(resume))
        .route("/organiser/tournaments/remove", post(remove))
}

/// The host of a site that has accounts.
pub(super) fn host(site: &Site) -> Result<&Host> {
    let host = site.host();
    host.ok_or_else(|| Problem::not_found("this site plays no tournaments"))
}

/// Names of bots of the arena, each once.
pub(crate) fn bot_names(reading: &Reading<'_>) -> Result<Vec<String>> {
    let bots = reading.journal.bots()?;
    let mut names: Vec<String> = bots.iter().map(|bot| bot.name.to_string()).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

fn latest(reading: &Reading<'_>) -> Result<Vec<String>> {
    let tournaments = reading.tournaments()?;
    let latest = tournaments.all.iter().take(LATEST);
    Ok(latest.map(|one| one.name.to_string()).collect())
}

async fn hosted(
    State(site): State<Arc<Site>>,
    Organiser(visitor): Organiser,
    visit: Visit,
) -> Result<Response> {
    let now = host(&site)?.now().map(|(name, _)| name);
    let lines = host(&site)?.hosted();
    let (bots, latest) = site
        .read(|reading| Ok((bot_names(reading)?, latest(reading)?)))
        .await?;
    let page = HostedPage {
        word: visitor.form_word(),
        latest,
        hosted: lines
            .iter()
            .map(|one| Line::of(one, now.as_ref()))
            .collect(),
        games: GAMES.iter().map(|game| game.info()).collect(),
        formats: FORMATS,
        bots,
    };
    Ok(private(&visit, &page))
}

impl Line {
    fn of(hosted: &Hosted, now: Option<&Name>) -> Self {
        let is_now = now == Some(&hosted.tournament);
        let (state, why) = match &hosted.wanted {
            Wanted::Play if is_now => ("is being played", None),
            Wanted::Play => ("waits for its turn", None),
            Wanted::Pause if is_now => ("ends its running matches", None),
            Wanted::Pause => ("paused", None),
            Wanted::Failed(why) => ("failed", Some(why.clone())),
        };
        Line {
            name: hosted.tournament.to_string(),
            since: words::utc(hosted.since),
            state,
            why,
            goes_on: hosted.wanted == Wanted::Play,
        }
    }
}

/// The form: the keys that most tournaments need.
#[derive(Deserialize)]
struct Asked {
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

/// The names in a list with commas or spaces between them.
pub(super) fn names(list: &str) -> Vec<String> {
    let names = list
        .split([',', ' ', '\n', '\r'])
        .filter(|name| !name.is_empty());
    names.map(String::from).collect()
}

impl Asked {
    fn spec(self) -> Result<TournamentSpec> {
        let mut spec = TournamentSpec::default();
        put(&mut spec, "bots", names(&self.bots).into());
        for (key, text) in [
            ("name", self.name),
            ("title", self.title),
            ("game", self.game),
            ("format", self.format),
            ("clock", self.clock),
        ] {
            if !text.trim().is_empty() {
                put(&mut spec, key, text.trim().into());
            }
        }
        if !self.rounds.trim().is_empty() {
            let rounds: u32 = self.rounds.trim().parse().map_err(|_| {
                Problem::new(
                    StatusCode::BAD_REQUEST,
                    "the number of rounds is a whole number",
                )
            })?;
            put(&mut spec, "rounds", rounds.into());
        }
        Ok(spec)
    }
}

/// Asks for the value of a key.
pub(super) fn put(spec: &mut TournamentSpec, key: &str, value: Value) {
    spec.set(TournamentSpec::key(key).expect("it is declared"), value);
}

async fn begin(
    State(site): State<Arc<Site>>,
    Posted { visitor, form }: Posted<Asked>,
) -> Result<Response> {
    refuse_authors(&visitor)?;
    begin_spec(&site, form.spec()?, &visitor).await
}

/// Begins a tournament of an organiser. A ladder is for processors that are spare.
async fn begin_spec(site: &Arc<Site>, spec: TournamentSpec, visitor: &Visitor) -> Result<Response> {
    let is_ladder = spec.get("format").and_then(Value::as_str) == Some("ladder");
    let rank = match is_ladder {
        true => Rank::Ladder,
        false => Rank::Tournament,
    };
    start(site, spec, rank, &visitor.account.name, |_| Ok(())).await
}

#[derive(Deserialize)]
struct Described {
    toml: String,
}

async fn begin_file(
    State(site): State<Arc<Site>>,
    Posted { visitor, form }: Posted<Described>,
) -> Result<Response> {
    refuse_authors(&visitor)?;
    if form.toml.len() > MAX_DESCRIPTION {
        let message = format!("a description has at most {MAX_DESCRIPTION} bytes");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    let spec = TournamentSpec::from_toml(&form.toml).map_err(|error| {
        let problem = Problem::new(StatusCode::BAD_REQUEST, error.to_string());
        error.hint.into_iter().fold(problem, Problem::hint)
    })?;
    begin_spec(&site, spec, &visitor).await
}

/// Begins a tournament, writes it into the log, and leads to its page.
pub(super) async fn start(
    site: &Arc<Site>,
    spec: TournamentSpec,
    rank: Rank,
    by: &str,
    may: impl FnOnce(&[Hosted]) -> Outcome<()> + Send + 'static,
) -> Result<Response> {
    let name = hosted_by(site, move |host| host.begin(&spec, rank, may)).await?;
    log(site, by, format!("begins the tournament {name}")).await?;
    Ok(Redirect::to(&format!("/tournaments/{name}/live")).into_response())
}

pub(super) async fn log(site: &Arc<Site>, by: &str, what: String) -> Result<()> {
    let by = by.to_owned();
    let write = move |store: &crate::accounts::Store| {
        store.change(|store| note(store, unix_ms(), &by, &what))
    };
    site.stored(write).await
}

/// Asks the host for something that writes, on a thread that may wait.
pub(super) async fn hosted_by<T: Send + 'static>(
    site: &Arc<Site>,
    ask: impl FnOnce(&Host) -> Outcome<T> + Send + 'static,
) -> Result<T> {
    let (site, span) = (Arc::clone(site), tracing::Span::current());
    let ask = move || -> Result<T> { Ok(ask(host(&site)?)?) };
    let asked = tokio::task::spawn_blocking(move || span.in_scope(ask)).await;
    asked.map_err(|error| Problem::internal(&error))?
}

#[derive(Deserialize)]
struct Named {
    tournament: Name,
}

async fn pause(
    State(site): State<Arc<Site>>,
    Posted { visitor, form }: Posted<Named>,
) -> Result<Response> {
    refuse_authors(&visitor)?;
    let name = form.tournament.clone();
    if !hosted_by(&site, move |host| host.pause(&name)).await? {
        return Err(Problem::not_found(
            "this server does not play the tournament",
        ));
    }
    let what = format!("pauses the tournament {}", form.tournament);
    log(&site, &visitor.account.name, what).await?;
    Ok(Redirect::to("/organiser/tournaments").into_response())
}

async fn resume(
    State(site): State<Arc<Site>>,
    Posted { visitor, form }: Posted<Named>,
) -> Result<Response> {
    refuse_authors(&visitor)?;
    let name = form.tournament.clone();
    hosted_by(&site, move |host| host.resume(&name)).await?;
    let what = format!("resumes the tournament {}", form.tournament);
    log(&site, &visitor.account.name, what).await?;
    Ok(Redirect::to("/organiser/tournaments").into_response())
}

async fn remove(
    State(site): State<Arc<Site>>,
    Posted { visitor, form }: Posted<Named>,
) -> Result<Response> {
    refuse_authors(&visitor)?;
    let name = form.tournament.clone();
    if hosted_by(&site, move |host| host.remove(&name)).await? {
        let what = format!("removes the tournament {} from the queue", form.tournament);
        log(&site, &visitor.account.name, what).await?;
    }
    Ok(Redirect::to("/organiser/tournaments").into_response())
}
