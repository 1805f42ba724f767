//! Asking for a match or a short series between bots. It is played before tournaments, and changes no rating.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use flipside_games::{GAMES, Info};
use serde::Deserialize;

use super::hosted::{names, watched};
use crate::Site;
use crate::accounts::{Posted, SignedIn};
use crate::actions::{MAX_ROUNDS, request_matches};
use crate::page::{Head, Section, View, Visit, private};
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
        Head {
            title: "Request matches".into(),
            section: Section::Account,
            live: None,
        }
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

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new().route("/request", get(form).post(request))
}

async fn form(
    State(site): State<Arc<Site>>,
    SignedIn(visitor): SignedIn,
    Query(For { bot }): Query<For>,
    visit: Visit,
) -> Result<Response> {
    let page = RequestPage {
        word: visitor.form_word(),
        bot,
        games: GAMES.iter().map(|game| game.info()).collect(),
        bots: site.read(|reading| reading.bot_names()).await?,
        max_rounds: MAX_ROUNDS,
    };
    Ok(private(&visit, &page))
}

async fn request(
    State(site): State<Arc<Site>>,
    Posted { visitor, form }: Posted<Asked>,
) -> Result<Response> {
    let Asked { game, bots, rounds } = form;
    let name = request_matches(&site, &visitor, game, names(&bots), rounds).await?;
    Ok(watched(&name))
}
