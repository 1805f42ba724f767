//! Games by their ids, with the way out where there is no such game or option.

use flipside_games::{AnyGame, GAMES, OptionsError, Setup};

use crate::{Failure, Result};

/// A match of a game with these options.
///
/// # Errors
/// When the options or the number of seats do not fit; the hint says how the wrong one may be given.
pub fn set_up(game: &dyn AnyGame, options: &str, seats: u8) -> Result<Setup> {
    let setup = game.set_up(options, seats);
    setup.map_err(|error| {
        let info = game.info();
        let hint = if info.seats.contains(&seats) {
            hint(game, &error)
        } else {
            format!("--seats {}", info.least_seats())
        };
        Failure::usage(error).hint(hint)
    })
}

/// The way out of a wrong option: its default, as it is typed.
fn hint(game: &dyn AnyGame, error: &OptionsError) -> String {
    let id = game.info().id;
    let all = format!("`flipside rules {id}` lists the options");
    let named = error.0.strip_prefix("option ");
    let Some((name, _)) = named.and_then(|rest| rest.split_once(": ")) else {
        return all;
    };
    let default = &game.presets()[0].1;
    let default: serde_json::Value = serde_json::from_str(default).unwrap_or_default();
    let mut names = name.split('.');
    let value = names.try_fold(&default, |object, name| object.get(name));
    let Some(value) = value else {
        return all;
    };
    let wrap = |inner: String, name: &str| format!("{{\"{name}\":{inner}}}");
    let example = name.rsplit('.').fold(value.to_string(), wrap);
    format!("for example --options '{example}'; {all}")
}

/// The game of this id.
///
/// # Errors
/// When there is none; the hint names the nearest one.
pub fn find_game(id: &str) -> Result<&'static dyn AnyGame> {
    flipside_games::find(id).ok_or_else(|| {
        let ids = GAMES.iter().map(|game| game.info().id);
        let nearest =
            ids.max_by(|a, b| strsim::jaro_winkler(a, id).total_cmp(&strsim::jaro_winkler(b, id)));
        let failure = Failure::usage(format!("there is no game {id:?}"));
        match nearest.filter(|nearest| strsim::jaro_winkler(nearest, id) > 0.7) {
            Some(nearest) => failure.hint(format!(
                "did you mean {nearest}? `flipside games` lists them all"
            )),
            None => failure.hint("`flipside games` lists them all"),
        }
    })
}

/// The game of this id, or all games.
///
/// # Errors
/// See [`find_game`].
pub fn games_or_all(id: Option<&str>) -> Result<Vec<&'static dyn AnyGame>> {
    id.map_or_else(|| Ok(GAMES.to_vec()), |id| Ok(vec![find_game(id)?]))
}
