//! Asking for a match or a short series between bots. It is played before tournaments, and changes no rating.

use askama::Template;
use axum::extract::Query;
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use flipside_games::Info;
use flipside_store::{TournamentFilter, TournamentRow};
use flipside_tournament::Name;
use serde::Deserialize;

use super::actions::{MAX_ROUNDS, delete_request, quota, request_matches};
use super::rows::Quota;
use crate::accounts::posted::{SignedInForm, names, number};
use crate::accounts::signed_in::SignedIn;
use crate::accounts::visitor::AccountVisitor;
use crate::shared::actions::done;
use crate::shared::known_games::offered;
use crate::shared::page::{PageHead, PageView, Routes, Section};
use crate::shared::problem::Result;
use crate::shared::times::When;
use crate::site::ReadContext;
use crate::tournaments::hosted_page::watched;

/// How many of one's own requests are listed, the latest.
const LATEST: usize = 50;

#[derive(Template)]
#[template(path = "request.html")]
struct RequestPage {
    word: String,
    bot: String,
    games: Vec<&'static Info>,
    bots: Vec<String>,
    max_rounds: u32,
    quota: Quota,
    /// When one more request is free, in UTC, if some are taken.
    free_at: Option<When>,
    /// The latest of one's own.
    own: Vec<TournamentRow>,
}

impl PageView for RequestPage {
    fn head(&self) -> PageHead {
        PageHead::new("Request matches", Section::Account)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct For {
    /// The bot that is to play.
    bot: String,
}

#[derive(Deserialize)]
struct RequestForm {
    game: String,
    bots: String,
    rounds: String,
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/request", get(form).post(request))
        .route("/request/delete", post(delete))
}

/// What somebody has requested.
pub(crate) fn requested_by(visitor: &AccountVisitor) -> TournamentFilter {
    TournamentFilter {
        requested_by: Some(visitor.account.id.0),
        ..TournamentFilter::default()
    }
}

async fn form(
    SignedIn(visit, visitor): SignedIn,
    Query(For { bot }): Query<For>,
) -> Result<Response> {
    let quota = quota(&visit.site, &visitor).await?;
    let of_own = requested_by(&visitor);
    let read = move |reading: &ReadContext<'_>| {
        Ok((reading.bot_names()?, reading.listed(&of_own, LATEST)?))
    };
    let (bots, own) = visit.site.read(read).await?;
    let page = RequestPage {
        word: visitor.form_word(),
        free_at: quota.free_at.map(When::at),
        quota,
        own,
        bot,
        games: offered(&visit.site).await?,
        bots,
        max_rounds: MAX_ROUNDS,
    };
    visit.private(&page)
}

async fn request(SignedInForm(site, visitor, form): SignedInForm<RequestForm>) -> Result<Redirect> {
    let RequestForm { game, bots, rounds } = form;
    let rounds = number(&rounds, "rounds")?.unwrap_or(1);
    let (name, _) = request_matches(&site, &visitor, game, names(&bots), rounds).await?;
    let what = "The matches are requested. They are played as soon as the server can.";
    Ok(done(&site, &visitor, what, &watched(&name)))
}

#[derive(Deserialize)]
struct Deleted {
    tournament: Name,
}

async fn delete(SignedInForm(site, visitor, form): SignedInForm<Deleted>) -> Result<Redirect> {
    let what = format!("The matches {} are deleted.", form.tournament);
    delete_request(&site, &visitor, form.tournament).await?;
    Ok(done(&site, &visitor, what, "/request"))
}
