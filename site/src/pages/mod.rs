//! The pages, one file each: a route, a struct that says what the page says, and how it is made.

mod bot;
mod bots;
mod game;
mod games;
mod guides;
mod home;
mod matches;
mod one_match;
mod ratings;
mod tournament;
mod tournaments;

use std::sync::Arc;

use axum::Router;
use flipside_tournament::report::{Row, Table};

use crate::Site;
use crate::table::{Asked, Grid};

/// All pages.
pub(crate) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .merge(home::routes())
        .merge(games::routes())
        .merge(game::routes())
        .merge(ratings::routes())
        .merge(bots::routes())
        .merge(bot::routes())
        .merge(tournaments::routes())
        .merge(tournament::routes())
        .merge(matches::routes())
        .merge(one_match::routes())
        .merge(guides::routes())
}

/// A list that the command prints, as a table of a page.
fn listed<R: Row>(id: &'static str, title: &'static str, rows: &[R], asked: &Asked) -> Grid {
    Grid::of(id, Table::of(title, R::COLUMNS, rows), asked)
}
