//! The list of tournaments.

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use flipside_tournament::TournamentRow;
use flipside_tournament::report::Row;

use super::listed;
use crate::page::{Head, Routes, Section, View, Visit};
use crate::problem::Result;
use crate::site::Reading;
use crate::table::{Asked, Grid};

#[derive(Template)]
#[template(path = "tournaments.html")]
struct Tournaments {
    tournaments: Grid,
    /// Whether the site has leagues.
    has_leagues: bool,
}

impl View for Tournaments {
    fn head(&self) -> Head {
        Head::new("Tournaments", Section::Tournaments).live("")
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/tournaments", get(tournaments))
}

async fn tournaments(Query(asked): Query<Asked>, visit: Visit) -> Result<Response> {
    let key = format!("tournaments {}", asked.key());
    let make = move |reading: &Reading<'_>| {
        let rows = reading.listed()?;
        let tournaments = listed("tournaments", "Tournaments", &rows, &asked);
        Ok(Tournaments {
            has_leagues: reading.site.accounts.is_some(),
            tournaments: tournaments.filtered(&asked).or(TournamentRow::NOTHING),
        })
    };
    visit.page(key, make).await
}
