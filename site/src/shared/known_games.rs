//! The games by their ids in addresses.

use flipside_games::{AnyGame, all_games, find};

use super::problem::{Problem, Result};

/// The game of an id in an address.
pub(crate) fn known(id: &str) -> Result<&'static dyn AnyGame> {
    find(id).ok_or_else(|| {
        Problem::not_found(format!("there is no game {id:?}")).hint("the page Games lists them all")
    })
}

/// The game of this id; without one, all games.
pub(crate) fn known_or_all(id: Option<&str>) -> Result<Vec<&'static dyn AnyGame>> {
    match id {
        Some(id) => Ok(vec![known(id)?]),
        None => Ok(all_games()),
    }
}
