//! What an organiser does with leagues: making them, announcing a season, cancelling one.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use flipside_operations::Request;
use flipside_tournament::league::League;
use flipside_tournament::report::words;
use flipside_tournament::{Name, unix_ms};
use serde::Deserialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::Site;
use crate::accounts::{Organiser, Posted};
use crate::actions::{log, reason, refuse_authors, refuse_long, refused};
use crate::leagues::{Leagues, Season, Times};
use crate::page::{Head, Section, View, Visit, private};
use crate::problem::{Problem, Result};

#[derive(Template)]
#[template(path = "run_leagues.html")]
struct RunPage {
    word: String,
    leagues: Vec<Line>,
}

struct Line {
    name: String,
    headline: String,
    /// The last season, if there is one.
    season: Option<Season>,
}

impl Line {
    /// The number of the season that is on.
    fn on(&self) -> Option<u32> {
        let season = self.season.as_ref()?;
        (!season.state.is_past()).then_some(season.number)
    }

    fn state(&self) -> String {
        match &self.season {
            None => "no season yet".into(),
            Some(season) => format!("season {}: {}", season.number, season.state.name()),
        }
    }

    fn why(&self) -> Option<&str> {
        self.season.as_ref()?.why.as_deref()
    }
}

impl View for RunPage {
    fn head(&self) -> Head {
        Head {
            title: "Leagues of this server".into(),
            section: Section::Account,
            live: None,
        }
    }
}

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/organiser/leagues", get(page).post(make))
        .route("/organiser/leagues/{name}/season", post(announce))
        .route("/organiser/leagues/{name}/cancel", post(cancel))
}

fn leagues(site: &Site) -> Result<&Leagues> {
    let leagues = site.leagues.as_ref();
    leagues.ok_or_else(|| Problem::not_found("this site has no leagues"))
}

async fn page(
    State(site): State<Arc<Site>>,
    Organiser(visitor): Organiser,
    visit: Visit,
) -> Result<Response> {
    let lines = site
        .stored(|store| {
            let one = |league: League| {
                Ok(Line {
                    season: store.seasons(&league.name)?.pop(),
                    headline: league.headline().to_owned(),
                    name: league.name.to_string(),
                })
            };
            store.leagues()?.into_iter().map(one).collect()
        })
        .await?;
    let page = RunPage {
        word: visitor.form_word(),
        leagues: lines,
    };
    Ok(private(&visit, &page))
}

#[derive(Deserialize)]
struct Described {
    toml: String,
}

async fn make(
    State(site): State<Arc<Site>>,
    Posted { visitor, form }: Posted<Described>,
) -> Result<Response> {
    refuse_authors(&visitor)?;
    refuse_long(&form.toml)?;
    let league = League::from_toml(&form.toml).map_err(|error| {
        let problem = refused(error.to_string());
        error.hint.into_iter().fold(problem, Problem::hint)
    })?;
    // What does not fit a game is better known now than when the season begins.
    for game in &league.games {
        let two = vec!["sample:random".to_owned(), "sample:greedy".to_owned()];
        let described = league.tournament(1, 1, game, two);
        let (_, spec) = described.map_err(|error| refused(error.to_string()))?;
        let least = flipside_games::find(game).map_or(2, |game| game.info().least_seats());
        if least <= 2 {
            Request::for_others(&spec)?;
        }
    }
    let by = visitor.account.name.clone();
    site.stored(move |store| store.add_league(&league, &form.toml, &by, unix_ms()))
        .await?;
    Ok(Redirect::to("/organiser/leagues").into_response())
}

/// Times as a browser sends them, in UTC.
#[derive(Deserialize)]
struct Announced {
    deadline: String,
    starts_at: String,
    ends_at: String,
}

/// A time such as `2026-12-01T18:00`, with or without seconds, in milliseconds since 1970.
fn time(what: &str, text: &str) -> Result<u64> {
    let text = text.trim();
    let seconds = if text.matches(':').count() == 1 {
        ":00"
    } else {
        ""
    };
    let full = format!(
        "{text}{seconds}{}",
        if text.ends_with('Z') { "" } else { "Z" }
    );
    let read = OffsetDateTime::parse(&full, &Rfc3339).ok();
    let ms = read.and_then(|time| u64::try_from(time.unix_timestamp()).ok());
    let ms = ms.and_then(|seconds| seconds.checked_mul(1000));
    ms.ok_or_else(|| {
        refused(format!("{what}: {text:?} is no time")).hint("for example 2026-12-01T18:00, in UTC")
    })
}

async fn announce(
    State(site): State<Arc<Site>>,
    Path(name): Path<Name>,
    Posted { visitor, form }: Posted<Announced>,
) -> Result<Response> {
    refuse_authors(&visitor)?;
    let times = Times {
        deadline: time("the deadline", &form.deadline)?,
        starts_at: time("the start", &form.starts_at)?,
        ends_at: time("the end", &form.ends_at)?,
    };
    if times.starts_at < times.deadline || times.ends_at <= times.starts_at {
        return Err(refused(
            "a season starts at the deadline or later, and ends after that",
        ));
    }
    if times.ends_at <= unix_ms() {
        let now = words::utc(unix_ms());
        return Err(refused(format!(
            "it is {now} now: the season would be over"
        )));
    }
    let by = visitor.account.name.clone();
    site.stored(move |store| store.announce_season(&name, times, &by, unix_ms()))
        .await?;
    leagues(&site)?.wake();
    Ok(Redirect::to("/organiser/leagues").into_response())
}

#[derive(Deserialize)]
struct Cancelled {
    season: u32,
    reason: String,
}

async fn cancel(
    State(site): State<Arc<Site>>,
    Path(name): Path<Name>,
    Posted { visitor, form }: Posted<Cancelled>,
) -> Result<Response> {
    refuse_authors(&visitor)?;
    let Some(reason) = reason(&form.reason)? else {
        let problem = refused("a season is cancelled for a reason");
        return Err(problem.hint("say why, in one line"));
    };
    let (number, why) = (form.season, reason.as_str().to_owned());
    let what = format!("cancels season {number} of the league {name}: {why}");
    site.wait_for(move |site| Ok(leagues(site)?.cancel(&name, number, &why)?))
        .await?;
    log(&site, &visitor, what).await?;
    Ok(Redirect::to("/organiser/leagues").into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_browsers_send_them() {
        let read = |text| time("it", text).map_err(|problem| problem.message);
        assert_eq!(read("1970-01-02T00:00").unwrap(), 86_400_000);
        assert_eq!(read("1970-01-02T00:00:01").unwrap(), 86_401_000);
        assert_eq!(read(" 2000-02-29T12:30:00Z ").unwrap(), 951_827_400_000);
        for wrong in [
            "",
            "1.1.2000",
            "1969-12-31T23:59",
            "2001-02-29T00:00",
            "2000-01-01T25:00",
        ] {
            assert!(read(wrong).unwrap_err().ends_with("is no time"), "{wrong}");
        }
    }
}
