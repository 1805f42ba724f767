//! The list of bots.

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use flipside_store::DescribedBot;

use crate::shared::lists::listed;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::Result;
use crate::shared::table::{Grid, TableQuery};
use crate::site::ReadContext;

#[derive(Template)]
#[template(path = "bots.html")]
struct BotsPage {
    bots: Grid,
    has_accounts: bool,
}

impl PageView for BotsPage {
    fn head(&self) -> PageHead {
        PageHead::new("Bots", Section::Bots)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/bots", get(bots))
}

async fn bots(Query(asked): Query<TableQuery>, visit: Visit) -> Result<Response> {
    let key = format!("bots {}", asked.key());
    visit.page(key, move |reading| make(reading, &asked)).await
}

fn make(reading: &ReadContext<'_>, asked: &TableQuery) -> Result<BotsPage> {
    // What authors say of their bots is in the bots' files: the page of each bot reads its own.
    let bots = reading.journal.bots()?.into_iter().map(DescribedBot::from);
    let bots: Vec<DescribedBot> = bots.collect();
    Ok(BotsPage {
        has_accounts: reading.site.accounts.is_some(),
        bots: listed("bots", "Bots", &bots, asked)
            .filtered(asked)
            .or("no bots yet"),
    })
}
