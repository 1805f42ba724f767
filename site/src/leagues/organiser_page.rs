//! What an organiser does with leagues: making them, announcing a season, cancelling one.

use askama::Template;
use axum::extract::Path;
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use flipside_tournament::league::League;
use flipside_tournament::{Name, utc};
use serde::Deserialize;

use super::actions;
use super::season::{Season, SeasonTimes, ms_of};
use crate::accounts::posted::SignedInForm;
use crate::accounts::signed_in::Organiser;
use crate::shared::actions::done;
use crate::shared::page::{PageHead, PageView, Routes, Section};
use crate::shared::problem::{Problem, Result};

#[derive(Template)]
#[template(path = "run_leagues.html")]
struct RunPage {
    word: String,
    zones: Vec<String>,
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
        zones: ZONES.map(zone).into(),
        leagues: lines,
    };
    visit.private(&page)
}

#[derive(Deserialize)]
struct LeagueForm {
    toml: String,
}

async fn make(SignedInForm(site, visitor, form): SignedInForm<LeagueForm>) -> Result<Redirect> {
    let name = actions::make(&site, &visitor, form.toml).await?;
    let what = format!("The league {name} is made. Announce its first season.");
    Ok(done(&site, &visitor, what, "/organiser/leagues"))
}

/// Times as a browser sends them, and how far their zone is from UTC. In the zone of the browser, that is another
/// for each where clocks change between them.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Announced {
    zone: String,
    deadline: String,
    deadline_zone: String,
    starts_at: String,
    starts_at_zone: String,
    ends_at: String,
    ends_at_zone: String,
}

/// The zone that is the browser's.
const OF_BROWSER: &str = "browser";

impl Announced {
    fn times(&self) -> Result<SeasonTimes> {
        let read = |field, text, own| {
            let zone = match &*self.zone {
                OF_BROWSER => own,
                zone => zone,
            };
            time(field, text, zone)
        };
        Ok(SeasonTimes {
            deadline: read("deadline", &self.deadline, &self.deadline_zone)?,
            starts_at: read("starts_at", &self.starts_at, &self.starts_at_zone)?,
            ends_at: read("ends_at", &self.ends_at, &self.ends_at_zone)?,
        })
    }
}

/// The zones that can be chosen: how far they are from UTC, in minutes.
const ZONES: [i32; 38] = [
    -720, -660, -600, -570, -540, -480, -420, -360, -300, -240, -210, -180, -150, -120, -60, 0, 60,
    120, 180, 210, 240, 270, 300, 330, 345, 360, 390, 420, 480, 525, 540, 570, 600, 630, 660, 720,
    780, 840,
];

/// A zone as RFC 3339 has it: `+01:00`.
fn zone(minutes: i32) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.abs();
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// A time of a zone such as `2026-12-01T18:00`, with or without seconds, in milliseconds since 1970.
fn time(field: &'static str, text: &str, zone: &str) -> Result<u64> {
    let text = text.trim();
    let seconds = if text.matches(':').count() == 1 {
        ":00"
    } else {
        ""
    };
    let zone = if zone.is_empty() { "+00:00" } else { zone };
    ms_of(&format!("{text}{seconds}{zone}")).ok_or_else(|| {
        let what = format!("{text:?} is no time");
        let hint = "choose a date and a time, for example 2026-12-01T18:00";
        Problem::unfit(what).hint(hint).at(field)
    })
}

async fn announce(
    Path(name): Path<Name>,
    SignedInForm(site, visitor, form): SignedInForm<Announced>,
) -> Result<Redirect> {
    let times = form.times()?;
    let what = format!("bots can be entered until {}.", utc(times.deadline));
    let number = actions::announce(&site, &visitor, name, times).await?;
    let what = format!("Season {number} is announced: {what}");
    Ok(done(&site, &visitor, what, "/organiser/leagues"))
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
    let what = format!("Season {} is cancelled.", form.season);
    Ok(done(&site, &visitor, what, "/organiser/leagues"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_browsers_send_them() {
        let read = |text| time("deadline", text, "").map_err(|problem| problem.message);
        assert_eq!(read("1970-01-02T00:00").unwrap(), 86_400_000);
        assert_eq!(read("1970-01-02T00:00:01").unwrap(), 86_401_000);
        assert_eq!(read(" 2000-02-29T12:30 ").unwrap(), 951_827_400_000);
        let east = time("deadline", "2000-02-29T14:00", "+01:30").unwrap();
        assert_eq!(east, 951_827_400_000);
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

    #[test]
    fn times_of_the_zone_of_a_browser_have_a_distance_from_utc_each() {
        let announced = |zone: &str| Announced {
            zone: zone.to_owned(),
            deadline: "2026-10-24T12:00".to_owned(),
            deadline_zone: "+02:00".to_owned(),
            starts_at: "2026-10-25T12:00".to_owned(),
            starts_at_zone: "+01:00".to_owned(),
            ends_at: "2026-10-26T12:00".to_owned(),
            ends_at_zone: "+01:00".to_owned(),
        };
        const HOUR: u64 = 3_600_000;
        let own = announced(OF_BROWSER).times().unwrap();
        assert_eq!(own.starts_at - own.deadline, 25 * HOUR);
        assert_eq!(own.ends_at - own.starts_at, 24 * HOUR);
        let chosen = announced("+00:00").times().unwrap();
        assert_eq!(chosen.starts_at - chosen.deadline, 24 * HOUR);
        assert_eq!(chosen.deadline - own.deadline, 2 * HOUR);
    }

    #[test]
    fn zones_can_be_read_in_times() {
        for minutes in ZONES {
            let text = format!("2026-12-01T18:00:00{}", zone(minutes));
            assert!(ms_of(&text).is_some(), "{text}");
        }
        assert_eq!(zone(-210), "-03:30");
    }
}
