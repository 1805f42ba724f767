//! Games by their ids, with the way out where there is no such game or option.

use flipside_games::{AnyGame, GAMES, OptionsError, Setup, Turn, Viewer};
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;

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

/// The board of a game after so many random actions, as SVG: always the same one, to show what the game looks like.
/// Nothing is hidden on it.
///
/// # Errors
/// When the game cannot be set up.
pub fn sample_board(game: &dyn AnyGame, actions: usize) -> Result<String> {
    let mut table = set_up(game, &game.brief(), game.info().least_seats())?.table;
    let mut rng = ChaCha8Rng::seed_from_u64(SAMPLE_SEED);
    let mut taken = 0;
    while taken < actions {
        match table.turn() {
            Turn::Over(_) => break,
            Turn::Chance => {
                let mut event = Vec::new();
                table.sample(&mut rng, &mut event);
                let event = String::from_utf8(event).expect("an event is JSON");
                table.chance(&event).map_err(Failure::new)?;
            }
            Turn::Seats(seats) => {
                for seat in seats {
                    let mut action = String::new();
                    table.random_action(seat, &mut rng, &mut action);
                    table.choose(seat, &action).map_err(Failure::new)?;
                    taken += 1;
                }
                table.play().map_err(Failure::new)?;
            }
        }
    }
    Ok(table.svg(Viewer::Open))
}

/// The seed of the boards that show what games look like.
const SAMPLE_SEED: u64 = 4;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_board_to_show() {
        for game in GAMES {
            let board = sample_board(*game, 8).unwrap();
            assert!(board.starts_with("<svg"), "{}", game.info().id);
            assert_eq!(board, sample_board(*game, 8).unwrap());
            assert_ne!(board, sample_board(*game, 0).unwrap());
        }
    }
}
