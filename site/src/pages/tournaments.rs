//! The list of tournaments.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use flipside_tournament::TournamentRow;
use flipside_tournament::report::Row;

use super::listed;
use crate::Site;
use crate::page::{Head, Section, View, Visit};
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
        Head {
            title: "Tournaments".into(),
            section: Section::Tournaments,
            live: Some(String::new()),
        }
    }
}

pub(crate) fn routes() -> Router<Arc<Site>> {
    Router::new().route("/tournaments", get(tournaments))
}

async fn tournaments(
    State(site): State<Arc<Site>>,
    Query(asked): Query<Asked>,
    visit: Visit,
) -> Response {
    let key = format!("tournaments {}", asked.key());
    site.page(visit, key, move |reading| {
        let rows = reading.listed()?;
        let tournaments = listed("tournaments", "Tournaments", &rows, &asked);
        Ok(Tournaments {
            has_leagues: reading.site.leagues.is_some(),
            tournaments: tournaments.filtered(&asked).or(TournamentRow::NOTHING),
        })
    })
    .await
}
