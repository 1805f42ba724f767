//! What an organiser does with leagues: making them, announcing a season, cancelling one.

use askama::Template;
use axum::extract::Path;
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use flipside_tournament::Name;
use flipside_tournament::league::League;
use serde::Deserialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::actions;
use super::season::{Season, SeasonTimes};
use crate::accounts::posted::SignedInForm;
use crate::accounts::signed_in::Organiser;
use crate::shared::page::{PageHead, PageView, Routes, Section};
use crate::shared::problem::{Problem, Result};

#[derive(Template)]
#[template(path = "run_leagues.html")]
struct RunPage {
    word: String,
    leagues: Vec<LeagueLine>,
}

struct LeagueLine {
    name: String,
    headline: String,
    has_divisions: bool,
    /// The last season, if there is one.
    season: Option<Season>,
}

impl LeagueLine {
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

impl PageView for RunPage {
    fn head(&self) -> PageHead {
        PageHead::new("Leagues of this server", Section::Account)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/organiser/leagues", get(page).post(make))
        .route("/organiser/leagues/{name}/season", post(announce))
        .route("/organiser/leagues/{name}/cancel", post(cancel))
}

async fn page(Organiser(visit, visitor): Organiser) -> Result<Response> {
    let lines = visit
        .site
        .stored(|store| {
            let one = |(league, season): (League, Option<Season>)| LeagueLine {
                season,
                headline: league.headline().to_owned(),
                has_divisions: league.has_divisions(),
                name: league.name.to_string(),
            };
            Ok(actions::all(store)?.into_iter().map(one).collect())
        })
        .await?;
    let page = RunPage {
        word: visitor.form_word(),
        leagues: lines,
    };
    visit.private(&page)
}

#[derive(Deserialize)]
struct LeagueForm {
    toml: String,
}

async fn make(SignedInForm(site, visitor, form): SignedInForm<LeagueForm>) -> Result<Redirect> {
    actions::make(&site, &visitor, form.toml).await?;
    Ok(Redirect::to("/organiser/leagues"))
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
        Problem::unfit(format!("{what}: {text:?} is no time"))
            .hint("for example 2026-12-01T18:00, in UTC")
    })
}

async fn announce(
    Path(name): Path<Name>,
    SignedInForm(site, visitor, form): SignedInForm<Announced>,
) -> Result<Redirect> {
    let times = SeasonTimes {
        deadline: time("the deadline", &form.deadline)?,
        starts_at: time("the start", &form.starts_at)?,
        ends_at: time("the end", &form.ends_at)?,
    };
    actions::announce(&site, &visitor, name, times).await?;
    Ok(Redirect::to("/organiser/leagues"))
}

#[derive(Deserialize)]
struct Cancelled {
    season: u32,
    reason: String,
}

async fn cancel(
    Path(name): Path<Name>,
    SignedInForm(site, visitor, form): SignedInForm<Cancelled>,
) -> Result<Redirect> {
    actions::cancel(&site, &visitor, name, form.season, &form.reason).await?;
    Ok(Redirect::to("/organiser/leagues"))
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
