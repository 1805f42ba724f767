//! A game: its rules, a board, its options, its best bots and tournaments.

use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::get;
use flipside_games::{AnyGame, Info};
use flipside_operations::{options_table, rules_page};
use flipside_store::TournamentFilter;

use super::list_page::board;
use crate::ladders::page::{LadderTable, ladder_table};
use crate::ratings::page::ladder;
use crate::shared::known_games::known;
use crate::shared::lists::listed;
use crate::shared::markdown;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::Result;
use crate::shared::table::{Grid, TableQuery};
use crate::site::ReadContext;
use crate::tournaments::list_page::without_requests;

/// How many bots and tournaments are shown.
const SHOWN: usize = 10;

#[derive(Template)]
#[template(path = "game.html")]
struct GamePage {
    info: &'static Info,
    board: String,
    /// HTML.
    rules: String,
    options: String,
    ladder: Option<LadderTable>,
    ratings: Grid,
    tournaments: Grid,
}

impl PageView for GamePage {
    fn head(&self) -> PageHead {
        PageHead::new(self.info.title, Section::Games)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/games/{id}", get(game))
}

async fn game(Path(id): Path<String>, visit: Visit) -> Result<Response> {
    let game = known(&id)?;
    let key = format!("game {}", game.info().id);
    visit.page(key, |reading| make(reading, game)).await
}

fn make(reading: &ReadContext<'_>, game: &'static dyn AnyGame) -> Result<GamePage> {
    let info = game.info();
    let page = rules_page(info.id)?;
    let of_game = TournamentFilter {
        game: Some(info.id.to_owned()),
        ..without_requests()
    };
    let of_game = reading.listed(&of_game, SHOWN)?;
    let rated = reading.ratings(info.id)?;
    let mut top = rated.0.clone();
    top.rows.truncate(SHOWN);
    let asked = TableQuery::default();
    let latest = listed("tournaments", "Latest tournaments", &of_game, &asked);
    Ok(GamePage {
        info,
        board: board(info.id)?,
        rules: markdown::html(page),
        options: markdown::rendered(&options_table(game), page.path),
        ladder: ladder_table(reading, info.id, SHOWN)?,
        ratings: ladder(&top, &asked).unsorted(),
        tournaments: latest.unsorted(),
    })
}
