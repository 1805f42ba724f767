//! The list of bots.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use flipside_tournament::DescribedBot;

use super::listed;
use crate::Site;
use crate::page::{Head, Section, View, Visit};
use crate::problem::Result;
use crate::site::Reading;
use crate::table::{Asked, Grid};

#[derive(Template)]
#[template(path = "bots.html")]
struct Bots {
    bots: Grid,
}

impl View for Bots {
    fn head(&self) -> Head {
        Head {
            title: "Bots".into(),
            section: Section::Bots,
            live: None,
        }
    }
}

pub(crate) fn routes() -> Router<Arc<Site>> {
    Router::new().route("/bots", get(bots))
}

async fn bots(State(site): State<Arc<Site>>, Query(asked): Query<Asked>, visit: Visit) -> Response {
    let key = format!("bots {}", asked.key());
    site.page(visit, key, move |reading| make(reading, &asked))
        .await
}

fn make(reading: &Reading<'_>, asked: &Asked) -> Result<Bots> {
    // What authors say of their bots is in the bots' files: the page of each bot reads its own.
    let bots = reading.journal.bots()?.into_iter().map(DescribedBot::from);
    let bots: Vec<DescribedBot> = bots.collect();
    Ok(Bots {
        bots: listed("bots", "Bots", &bots, asked)
            .filtered(asked)
            .or("no bots yet; `flipside submit ./mybot` adds one"),
    })
}
