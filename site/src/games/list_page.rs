//! The list of games.

use std::collections::BTreeMap;
use std::sync::Mutex;

use askama::Template;
use axum::extract::Path;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flipside_games::{AnyGame, Info, current_games};
use flipside_operations::sample_board;

use crate::shared::answer_headers::{etag, revalidated, tag};
use crate::shared::known_games::look_up;
use crate::shared::page::{PageHead, PageView, Routes, Section, Visit};
use crate::shared::problem::Result;
use crate::shared::threads::locked;
use crate::site::ReadContext;

/// After how many actions a board is shown.
const SHOWN_AFTER: usize = 12;

#[derive(Template)]
#[template(path = "games.html")]
struct GamesPage {
    games: Vec<GameCard>,
    /// Whether people play on this site.
    can_play: bool,
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
    Routes::new()
        .route("/games", get(games))
        .route("/games/{id}/board", get(picture))
}

async fn games(visit: Visit) -> Result<Response> {
    visit.page("games", make).await
}

/// The board of a game as a picture of its own.
async fn picture(Path(id): Path<String>, visit: Visit) -> Result<Response> {
    let game = look_up(&visit.site, id).await?;
    let svg = visit.site.wait_for(move |_| Ok(board(game))).await?;
    let etag = etag(&tag(&[svg.as_bytes()]));
    if let Some(unchanged) = visit.unchanged(&etag) {
        return Ok(unchanged);
    }
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("image/svg+xml")),
        (ETAG, etag),
        (CACHE_CONTROL, revalidated()),
    ];
    Ok((headers, svg).into_response())
}

fn make(reading: &ReadContext<'_>) -> Result<GamesPage> {
    let matches = reading.journal.matches_by_game()?;
    let card = |info: &'static Info| GameCard {
        info,
        matches: matches.get(info.id).copied().unwrap_or(0),
    };
    Ok(GamesPage {
        can_play: reading.site.accounts.is_some(),
        games: current_games()
            .iter()
            .map(|game| card(game.info()))
            .collect(),
    })
}

/// A board of a game, to show what it looks like; none where the program of the game fails. That of a program is made
/// once: while the first visitor waits for it, others see none.
pub(crate) fn board(game: &dyn AnyGame) -> String {
    static MADE: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let make = || sample_board(game, SHOWN_AFTER).unwrap_or_default();
    let Some(program) = game.program() else {
        return make();
    };
    let known = locked(&MADE).get(&program.sha256).cloned();
    known.unwrap_or_else(|| {
        locked(&MADE).insert(program.sha256.clone(), String::new());
        let board = make();
        locked(&MADE).insert(program.sha256.clone(), board.clone());
        board
    })
}
