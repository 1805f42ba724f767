//! The games that are known by their ids: the built-in ones, and those whose programs were opened.
//!
//! A game stays known for as long as the process runs, as all that is named after it does: matches, tables, pages.

use std::sync::{PoisonError, RwLock};

use crate::list;
use crate::program::ProgramGame;
use crate::table::AnyGame;

/// Games whose programs were opened.
static OPENED: RwLock<Vec<&'static ProgramGame>> = RwLock::new(Vec::new());

/// Two different programs want to be known as the same game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("another program is known as the game {0} already")]
pub struct GameTaken(pub String);

/// Returns the game with this id: a built-in one, or one that was made known.
pub fn find(id: &str) -> Option<&'static dyn AnyGame> {
    list::find(id).or_else(|| {
        let opened = OPENED.read().unwrap_or_else(PoisonError::into_inner);
        opened_as(&opened, id).map(|game| game as &'static dyn AnyGame)
    })
}

/// Makes a game known by its id. One with the same program may be known already: then it is the one that is returned.
///
/// # Errors
/// Another program has this id.
pub fn make_known(game: ProgramGame) -> Result<&'static dyn AnyGame, GameTaken> {
    let mut opened = OPENED.write().unwrap_or_else(PoisonError::into_inner);
    match opened_as(&opened, game.info().id) {
        Some(known) if known.program() == game.program() => Ok(known),
        Some(known) => Err(GameTaken(known.info().id.into())),
        None => {
            let game: &'static ProgramGame = Box::leak(Box::new(game));
            opened.push(game);
            Ok(game)
        }
    }
}

fn opened_as(opened: &[&'static ProgramGame], id: &str) -> Option<&'static ProgramGame> {
    opened.iter().find(|game| game.info().id == id).copied()
}
