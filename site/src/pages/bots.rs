//! The list of bots.

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use flipside_tournament::DescribedBot;

use super::listed;
use crate::page::{Head, Routes, Section, View, Visit};
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
        Head::new("Bots", Section::Bots)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/bots", get(bots))
}

async fn bots(Query(asked): Query<Asked>, visit: Visit) -> Result<Response> {
    let key = format!("bots {}", asked.key());
    visit.page(key, move |reading| make(reading, &asked)).await
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
