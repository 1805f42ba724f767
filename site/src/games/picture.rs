//! The picture of a game: a board after some moves, and what the game is about.

use axum::extract::Path;
use axum::response::Response;
use axum::routing::get;
use flipside_games::Info;

use super::list_page::board;
use crate::shared::known_games::look_up;
use crate::shared::page::{Routes, SharedPicture, Visit};
use crate::shared::pictures::card::PictureCard;
use crate::shared::problem::{Problem, Result};
use crate::site::ReadContext;

pub(crate) fn routes() -> Routes {
    Routes::new().route("/games/{id}/board.png", get(picture))
}

/// Where the picture of a game is.
pub(super) fn picture_of(info: &Info) -> SharedPicture {
    SharedPicture {
        path: format!("/games/{}/board.png", info.id),
        alt: format!("A board of {} after some moves", info.title),
    }
}

async fn picture(Path(id): Path<String>, visit: Visit) -> Result<Response> {
    let game = look_up(&visit.site, id).await?;
    let info = game.info();
    let key = format!("picture of game {}", info.id);
    // A game does not change: its next version has another id.
    let stamp = |_: &ReadContext<'_>| Ok(0);
    let card = move |reading: &ReadContext<'_>| {
        let board = board(game);
        if board.is_empty() {
            return Err(Problem::not_found("the game has no board"));
        }
        Ok(PictureCard {
            board,
            title: info.title.to_owned(),
            words: info.summary.to_owned(),
            site: reading.site.settings.site_title().to_owned(),
            ..PictureCard::default()
        })
    };
    visit.picture(key, stamp, card).await
}
