//! The list of leagues.

use askama::Template;
use axum::response::Response;
use axum::routing::get;
use flipside_tournament::league::League;

use super::actions::all;
use super::season::Season;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::Result;
use crate::site::stamp_of;

#[derive(Template)]
#[template(path = "leagues.html")]
struct LeaguesPage {
    leagues: Vec<LeagueListLine>,
}

#[derive(Hash)]
struct LeagueListLine {
    name: String,
    headline: String,
    games: usize,
    /// The number of the last season, and how far it is.
    season: Option<(u32, &'static str)>,
}

impl PageView for LeaguesPage {
    fn head(&self) -> PageHead {
        PageHead::new("Leagues", Section::Leagues)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/leagues", get(leagues))
}

async fn leagues(visit: Visit) -> Result<Response> {
    let lines = visit
        .site
        .stored(|store| {
            let line = |(league, last): (League, Option<Season>)| LeagueListLine {
                name: league.name.to_string(),
                headline: league.headline().to_owned(),
                games: league.games.len(),
                season: last.map(|season| (season.number, season.state.name())),
            };
            Ok(all(store)?.into_iter().map(line).collect::<Vec<_>>())
        })
        .await?;
    let key = format!("leagues {}", stamp_of(&lines));
    let page = LeaguesPage { leagues: lines };
    visit.page(key, move |_| Ok(page)).await
}
