//! The picture of a match: its board at the end, and who won.

use axum::extract::Path;
use axum::response::Response;
use axum::routing::get;
use flipside_games::find;
use flipside_games::words::counted;
use flipside_report::words;
use flipside_store::MatchRow;

use super::results::{has_won, told};
use super::shown::{Detail, final_board};
use crate::shared::page::{Routes, SharedPicture, Visit};
use crate::shared::pictures::card::{CardSeat, PictureCard};
use crate::shared::problem::{Problem, Result};
use crate::shared::table::game_title;
use crate::site::{ReadContext, stamp_of};

pub(crate) fn routes() -> Routes {
    Routes::new().route("/matches/{id}/board.png", get(picture))
}

/// Where the picture of a match is.
pub(super) fn picture_of(row: &MatchRow) -> SharedPicture {
    SharedPicture {
        path: format!("/matches/{}/board.png", row.id),
        alt: format!("The board at the end of the match. {}.", told(row)),
    }
}

async fn picture(Path(id): Path<String>, visit: Visit) -> Result<Response> {
    let key = format!("picture of match {id}");
    let stamp = {
        let id = id.clone();
        move |reading: &ReadContext<'_>| {
            let row = reading.journal.match_row(&id)?;
            Ok(stamp_of(&Detail::of(reading, &row.tournament)?))
        }
    };
    visit
        .picture(key, stamp, move |reading| card(reading, &id))
        .await
}

fn card(reading: &ReadContext<'_>, id: &str) -> Result<PictureCard> {
    let row = reading.journal.match_row(id)?;
    let board = final_board(reading, &row);
    let board = board.ok_or_else(|| Problem::not_found("the match has no board"))?;
    let game = find(&row.game);
    let seats = (0..).zip(&row.seats).map(|(seat, sits)| CardSeat {
        look: game.and_then(|game| game.look(seat)),
        bot: sits.bot.clone(),
        points: words::points(sits.points),
        has_won: has_won(&row, &sits.bot) == Some(true),
    });
    Ok(PictureCard {
        title: game_title(&row.game),
        seats: seats.collect(),
        words: format!(
            "{}, {}",
            row.reason.replace('-', " "),
            counted(row.plies, "ply")
        ),
        site: reading.site.settings.site_title().to_owned(),
        board,
    })
}
