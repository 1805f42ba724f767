//! The list of games.

use askama::Template;
use axum::response::Response;
use axum::routing::get;
use flipside_games::{GAMES, Info};
use flipside_operations::sample_board;

use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::Result;
use crate::site::ReadContext;

/// After how many actions a board is shown.
const SHOWN_AFTER: usize = 12;

#[derive(Template)]
#[template(path = "games.html")]
struct GamesPage {
    games: Vec<GameCard>,
}

struct GameCard {
    info: &'static Info,
    matches: u64,
}

impl PageView for GamesPage {
    fn head(&self) -> PageHead {
        PageHead::new("Games", Section::Games)
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route("/games", get(games))
}

async fn games(visit: Visit) -> Result<Response> {
    visit.page("games", make).await
}

fn make(reading: &ReadContext<'_>) -> Result<GamesPage> {
    let matches = reading.journal.matches_by_game()?;
    let card = |info: &'static Info| GameCard {
        info,
        matches: matches.get(info.id).copied().unwrap_or(0),
    };
    Ok(GamesPage {
        games: GAMES.iter().map(|game| card(game.info())).collect(),
    })
}

/// A board of a game, to show what it looks like.
pub(crate) fn board(id: &str) -> Result<String> {
    Ok(sample_board(
        flipside_operations::find_game(id)?,
        SHOWN_AFTER,
    )?)
}
