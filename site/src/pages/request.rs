//! Asking for a match or a short series between bots. It is played before tournaments, and changes no rating.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use flipside_games::{GAMES, Info};
use flipside_operations::Failure;
use flipside_tournament::TournamentSpec;
use serde::Deserialize;

use super::hosted::{bot_names, names, put, start};
use crate::Site;
use crate::accounts::{Posted, SignedIn};
use crate::host::{Hosted, Rank, Wanted};
use crate::page::{Head, Section, View, Visit, private};
use crate::problem::{Problem, Result};

/// The most rounds of a request.
const MAX_ROUNDS: u32 = 20;

/// The most bots of a request.
const MAX_BOTS: usize = 6;

/// The most matches of a request.
const MAX_MATCHES: u64 = 60;

/// The most requests of an account that wait or are played.
const MAX_WAITING: usize = 3;

/// The clock of requests that name none.
const CLOCK: &str = "move=1s";

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
        bots: site.read(bot_names).await?,
        max_rounds: MAX_ROUNDS,
    };
    Ok(private(&visit, &page))
}

async fn request(
    State(site): State<Arc<Site>>,
    Posted { visitor, form }: Posted<Asked>,
) -> Result<Response> {
    let bots = names(&form.bots);
    let refused = |message: String| Err(Problem::new(StatusCode::BAD_REQUEST, message));
    if !(2..=MAX_BOTS).contains(&bots.len()) {
        return refused(format!("a request is for 2 to {MAX_BOTS} bots"));
    }
    if !(1..=MAX_ROUNDS).contains(&form.rounds) {
        return refused(format!("a request is for 1 to {MAX_ROUNDS} rounds"));
    }
    // Each set of parameters would be a bot of its own in the arena, for ever.
    if let Some(bot) = bots.iter().find(|bot| bot.matches(':').count() > 1) {
        return refused(format!(
            "{bot}: a request takes built-in bots without parameters"
        ));
    }
    let account = &visitor.account.name;
    let prefix = format!("request-{}-", visitor.account.id.0);
    let mut spec = TournamentSpec::default();
    let number = rand::random::<u32>();
    for (key, value) in [
        ("name", format!("{prefix}{number:08x}").into()),
        ("title", format!("Requested by {account}").into()),
        ("game", form.game.into()),
        ("bots", bots.into()),
        ("rounds", form.rounds.into()),
        ("clock", CLOCK.into()),
        ("unrated", true.into()),
    ] {
        put(&mut spec, key, value);
    }
    let matches = flipside_operations::Request::for_others(&spec)?.matches()?;
    if matches > MAX_MATCHES {
        return refused(format!(
            "these are {matches} matches, and a request is for {MAX_MATCHES} at most"
        ));
    }
    let may = move |hosted: &[Hosted]| {
        let own = hosted.iter().filter(|one| {
            one.tournament.as_str().starts_with(&prefix) && !matches!(one.wanted, Wanted::Failed(_))
        });
        if own.count() < MAX_WAITING {
            return Ok(());
        }
        let what = format!("{MAX_WAITING} of your requests are not over yet");
        Err(Failure::usage(what).hint("wait until one of them has been played"))
    };
    start(&site, spec, Rank::Request, account, may).await
}
