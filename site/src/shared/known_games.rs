//! The games by their ids in addresses. To look for one may read the journal, and so does to list them.

use std::sync::Arc;

use flipside_games::{AnyGame, Info, all_games, current_games, find};

use super::problem::{Problem, Result};
use crate::site::Site;

/// The game of an id in an address.
pub(crate) async fn look_up(site: &Arc<Site>, id: String) -> Result<&'static dyn AnyGame> {
    site.wait_for(move |_| known(&id)).await
}

/// The games that a form offers.
pub(crate) async fn offered(site: &Arc<Site>) -> Result<Vec<&'static Info>> {
    let games = |_: &Site| Ok(current_games().iter().map(|game| game.info()).collect());
    site.wait_for(games).await
}

/// The same for a thread that may wait.
pub(crate) fn known(id: &str) -> Result<&'static dyn AnyGame> {
    find(id).ok_or_else(|| {
        Problem::not_found(format!("there is no game {id:?}")).hint("the page Games lists them all")
    })
}

/// The game of this id; without one, all games. For a thread that may wait.
pub(crate) fn known_or_all(id: Option<&str>) -> Result<Vec<&'static dyn AnyGame>> {
    match id {
        Some(id) => Ok(vec![known(id)?]),
        None => Ok(all_games()),
    }
}
