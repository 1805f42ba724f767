//! Continuous ladders: an organiser keeps one for a game, and the pages of the game and home show its table.

use askama::Template;
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use flipside_games::Info;
use flipside_games::words::counted;
use flipside_report::standings_table;
use flipside_tournament::StandingsRow;
use serde::Deserialize;

use super::actions;
use super::keep::{HostedLadder, LadderStatus, MAX_A_DAY, ladder_of};
use super::place::present_rows;
use crate::accounts::posted::{SignedInForm, names, number};
use crate::accounts::signed_in::Organiser;
use crate::shared::actions::done;
use crate::shared::known_games::offered;
use crate::shared::page::{PageHead, PageView, Routes, Section};
use crate::shared::problem::Result;
use crate::shared::table::Grid;
use crate::site::ReadContext;
use crate::tournaments::hosting::hosted_by;

/// About how many matches a ladder plays in 24 hours by default.
const A_DAY: u64 = 5_000;

#[derive(Template)]
#[template(path = "ladders.html")]
struct LaddersPage {
    word: String,
    ladders: Vec<LadderStatus>,
    games: Vec<&'static Info>,
    a_day: u64,
    max_a_day: u64,
}

impl PageView for LaddersPage {
    fn head(&self) -> PageHead {
        PageHead::new("Continuous ladders", Section::Account)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/organiser/ladders", get(page).post(keep))
        .route("/organiser/ladders/stop", post(stop))
}

async fn page(Organiser(visit, visitor): Organiser) -> Result<Response> {
    let ladders = hosted_by(&visit.site, |host| host.ladders()).await?;
    let page = LaddersPage {
        word: visitor.form_word(),
        ladders,
        games: offered(&visit.site).await?,
        a_day: A_DAY,
        max_a_day: MAX_A_DAY,
    };
    visit.private(&page)
}

/// The form.
#[derive(Deserialize)]
struct LadderForm {
    game: String,
    a_day: String,
    #[serde(default)]
    clock: String,
    #[serde(default)]
    bots: String,
}

async fn keep(SignedInForm(site, visitor, form): SignedInForm<LadderForm>) -> Result<Redirect> {
    let ladder = HostedLadder {
        game: form.game,
        a_day: number(&form.a_day, "a_day")?.unwrap_or(A_DAY),
        clock: form.clock,
        bots: names(&form.bots),
    };
    let a_day = counted(ladder.a_day, "match");
    let game = actions::keep(&site, &visitor, ladder).await?;
    let what = format!("The ladder of {game} plays up to {a_day} a day.");
    Ok(done(&site, &visitor, what, "/organiser/ladders"))
}

#[derive(Deserialize)]
struct LadderStopForm {
    game: String,
}

async fn stop(SignedInForm(site, visitor, form): SignedInForm<LadderStopForm>) -> Result<Redirect> {
    let what = format!("The ladder of {} has stopped.", form.game);
    actions::stop(&site, &visitor, form.game).await?;
    Ok(done(&site, &visitor, what, "/organiser/ladders"))
}

/// The table of a game's ladder.
pub(crate) struct LadderTable {
    /// The tournament's name.
    pub(crate) tournament: String,
    /// The best bots that have not left.
    pub(crate) rows: Vec<StandingsRow>,
    /// The same as a table.
    pub(crate) grid: Grid,
}

/// The best bots of the ladder that this server keeps for a game, if it has begun.
pub(crate) fn ladder_table(
    reading: &ReadContext<'_>,
    game: &str,
    most: usize,
) -> Result<Option<LadderTable>> {
    let Some(host) = reading.site.host() else {
        return Ok(None);
    };
    let kept = host.ladders()?;
    if !kept.iter().any(|one| one.ladder.game == game) {
        return Ok(None);
    }
    let (_, Some(tournament)) = ladder_of(reading.journal, game)? else {
        return Ok(None);
    };
    let mut standings = reading.table(&tournament)?.full.standings.clone();
    standings.rows = present_rows(reading, &tournament)?;
    standings.rows.truncate(most);
    standings.ranking = None;
    Ok(Some(LadderTable {
        tournament: tournament.name.to_string(),
        grid: Grid::plain("ladder", standings_table(&standings)),
        rows: standings.rows,
    }))
}
