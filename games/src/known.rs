//! The games that are known by their ids: the built-in ones, and those whose programs were opened.
//!
//! A game stays known for as long as the process runs, as all that is named after it does: matches, tables, pages.

use std::sync::{PoisonError, RwLock};

use crate::game::without_version;
use crate::list;
use crate::program::ProgramGame;
use crate::table::AnyGame;

/// Games whose programs were opened.
static OPENED: RwLock<Vec<&'static ProgramGame>> = RwLock::new(Vec::new());

/// The ids of those that another arena has brought.
static IMPORTED: RwLock<Vec<&'static str>> = RwLock::new(Vec::new());

/// Makes the games of an arena known that are not yet.
type LookForMore = Box<dyn Fn() + Send + Sync>;

/// Where more games are looked for.
static MORE: RwLock<Option<LookForMore>> = RwLock::new(None);

/// Lets more games be looked for by this function, which makes them known: whenever one is not known by its id, and
/// whenever all are listed.
pub fn look_for_more(look: impl Fn() + Send + Sync + 'static) {
    *MORE.write().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(look));
}

fn look() {
    if let Some(look) = &*MORE.read().unwrap_or_else(PoisonError::into_inner) {
        look();
    }
}

/// Two different programs want to be known as the same game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("another program is known as the game {0} already")]
pub struct GameTaken(pub String);

/// Returns the game with this id: a built-in one, or one that was made known. Without a version it is the latest one of
/// those of an arena.
pub fn find(id: &str) -> Option<&'static dyn AnyGame> {
    list::find(id).or_else(|| {
        let known = || opened_as(&OPENED.read().unwrap_or_else(PoisonError::into_inner), id);
        let found = known().or_else(|| {
            look();
            known().or_else(|| latest(id))
        });
        found.map(|game| game as &'static dyn AnyGame)
    })
}

/// The latest version that was added to the arena; where another arena has brought all, the latest of these.
fn latest(id: &str) -> Option<&'static ProgramGame> {
    let opened = OPENED.read().unwrap_or_else(PoisonError::into_inner);
    let imported = IMPORTED.read().unwrap_or_else(PoisonError::into_inner);
    let of_id = opened.iter().filter(|game| version(game).0 == id);
    let is_own = |game: &&&ProgramGame| !imported.contains(&game.info().id);
    of_id
        .max_by_key(|game| (is_own(game), version(game).1))
        .copied()
}

/// Returns the program of a game with this SHA-256, whatever version it has.
pub fn find_program(id: &str, sha256: &str) -> Option<&'static dyn AnyGame> {
    let opened = OPENED.read().unwrap_or_else(PoisonError::into_inner);
    let id = without_version(id);
    let is_it = |game: &&&ProgramGame| {
        let program = game.program();
        version(game).0 == id && program.is_some_and(|program| program.sha256 == sha256)
    };
    opened
        .iter()
        .find(is_it)
        .map(|game| *game as &'static dyn AnyGame)
}

/// The built-in games, and then every version of the games of the arena, by id and version.
pub fn all_games() -> Vec<&'static dyn AnyGame> {
    look();
    let opened = OPENED.read().unwrap_or_else(PoisonError::into_inner);
    let mut versions: Vec<&'static ProgramGame> = (opened.iter().copied())
        .filter(|game| version(game).1.is_some())
        .collect();
    versions.sort_by_key(|game| version(game));
    let versions = versions
        .into_iter()
        .map(|game| game as &'static dyn AnyGame);
    list::GAMES.iter().copied().chain(versions).collect()
}

/// The built-in games, and of each game of the arena the version that its id means without one.
pub fn current_games() -> Vec<&'static dyn AnyGame> {
    let mut all = all_games();
    all.retain(|game| {
        let id = game.info().id;
        let current = find(without_version(id));
        current.is_some_and(|current| current.info().id == id)
    });
    all
}

/// The same as [`make_known`] for a game that another arena has brought: its id without a version means it only if this
/// arena has no version of its own.
///
/// # Errors
/// Another program has this id.
pub fn make_known_imported(game: ProgramGame) -> Result<&'static dyn AnyGame, GameTaken> {
    let known = make_known(game)?;
    let mut imported = IMPORTED.write().unwrap_or_else(PoisonError::into_inner);
    if !imported.contains(&known.info().id) {
        imported.push(known.info().id);
    }
    Ok(known)
}

/// Makes a game known by its id. One with the same program may be known already: then that is the one that is returned,
/// and it is started as this one from now on.
///
/// # Errors
/// Another program has this id.
pub fn make_known(game: ProgramGame) -> Result<&'static dyn AnyGame, GameTaken> {
    let mut opened = OPENED.write().unwrap_or_else(PoisonError::into_inner);
    match opened_as(&opened, game.info().id) {
        Some(known) if sha256(known) == sha256(&game) => {
            known.start_with(game);
            Ok(known)
        }
        Some(known) => Err(GameTaken(known.info().id.into())),
        None => {
            let game: &'static ProgramGame = Box::leak(Box::new(game));
            opened.push(game);
            Ok(game)
        }
    }
}

fn sha256(game: &ProgramGame) -> Option<&str> {
    game.program().map(|program| &*program.sha256)
}

/// The id and the version of a game.
fn version(game: &ProgramGame) -> (&'static str, Option<u32>) {
    let id = game.info().id;
    match id.split_once('@') {
        None => (id, None),
        Some((id, version)) => (id, version.parse().ok()),
    }
}

fn opened_as(opened: &[&'static ProgramGame], id: &str) -> Option<&'static ProgramGame> {
    opened.iter().find(|game| game.info().id == id).copied()
}
