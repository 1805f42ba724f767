//! Asking for a match or a short series between bots. It is played before tournaments, and changes no rating.

use askama::Template;
use axum::extract::Query;
use axum::response::{Redirect, Response};
use axum::routing::get;
use flipside_games::{GAMES, Info};
use serde::Deserialize;

use super::hosted::{names, watched};
use crate::accounts::{Posted, SignedIn};
use crate::actions::{MAX_ROUNDS, request_matches};
use crate::page::{Head, Routes, Section, View};
use crate::problem::Result;

#[derive(Template)]
#[template(path = "request.html")]
struct RequestPage {
    word: String,
    bot: String,
    games: Vec<&'static Info>,
    bots: Vec<String>,
    max_rounds: u32,
}

impl View for RequestPage {
    fn head(&self) -> Head {
        Head::new("Request matches", Section::Account)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct For {
    /// The bot that is to play.
    bot: String,
}

#[derive(Deserialize)]
struct Asked {
    game: String,
    bots: String,
    rounds: u32,
}

pub(super) fn routes() -> Routes {
    Routes::new().route("/request", get(form).post(request))
}

async fn form(
    SignedIn(visit, visitor): SignedIn,
    Query(For { bot }): Query<For>,
) -> Result<Response> {
    let page = RequestPage {
        word: visitor.form_word(),
        bot,
        games: GAMES.iter().map(|game| game.info()).collect(),
        bots: visit.site.read(|reading| reading.bot_names()).await?,
        max_rounds: MAX_ROUNDS,
    };
    visit.private(&page)
}

async fn request(Posted(site, visitor, form): Posted<Asked>) -> Result<Redirect> {
    let Asked { game, bots, rounds } = form;
    let name = request_matches(&site, &visitor, game, names(&bots), rounds).await?;
    Ok(watched(&name))
}
