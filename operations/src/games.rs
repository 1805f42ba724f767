//! Games by their ids, with the way out where there is no such game or option.

use flipside_games::words::counted;
use flipside_games::{
    AnyGame, OptionsError, SeatTurn, Setup, Table, Viewer, all_games, current_games, unmarked,
    without_version,
};
use flipside_sandbox::shell::quoted;
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::game_table::play_at_random;
use crate::left_out::games_left_out;

/// A match of a game with these options.
///
/// # Errors
/// When the options or the number of seats do not fit; the hint says how the wrong one may be given.
pub fn set_up(game: &dyn AnyGame, options: &str, seats: u8) -> Result<Setup> {
    let setup = game.set_up(options, seats);
    setup.map_err(|error| {
        let info = game.info();
        let hint = if info.seats.contains(&seats) {
            hint(game, options, seats, &error)
        } else {
            format!("--seats {}", info.least_seats())
        };
        Failure::usage(error).hint(hint)
    })
}

/// The board of a game after so many random actions, or halfway through a match that is shorter, as SVG: always the same
/// one, to show what the game looks like. Nothing is hidden on it.
///
/// # Errors
/// When the game cannot be set up.
pub fn sample_board(game: &dyn AnyGame, actions: usize) -> Result<String> {
    let after = |actions: u64| {
        let mut table = set_up(game, &game.brief(), game.info().least_seats())?.table;
        let mut rng = ChaCha8Rng::seed_from_u64(SAMPLE_SEED);
        let played = play_at_random(&mut *table, &mut rng, actions)?;
        Ok::<_, Failure>((table, played))
    };
    let (mut table, played) = after(actions as u64)?;
    if matches!(table.turn(), SeatTurn::Over(_)) {
        (table, _) = after(played / 2)?;
    }
    Ok(table.svg(Viewer::Open))
}

/// The seed of the boards that show what games look like.
const SAMPLE_SEED: u64 = 4;

/// A position of a match that shows how a game goes.
#[derive(Clone, Debug)]
pub struct SampleScene {
    /// The board, as SVG without marks. Nothing is hidden on it.
    pub svg: String,
    /// What the position is, in words.
    pub caption: String,
}

/// Two positions of a match played at random that somebody wins, if one of a few does: halfway, and at the end. They
/// are always the same.
///
/// # Errors
/// When the game cannot be set up, or its program fails.
pub fn sample_scenes(game: &dyn AnyGame) -> Result<[SampleScene; 2]> {
    let play = |options: &str, seed: u64, actions: u64| {
        let mut table = set_up(game, options, game.info().least_seats())?.table;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let played = play_at_random(&mut *table, &mut rng, actions)?;
        Ok::<_, Failure>((table, played))
    };
    let brief = game.brief();
    // Where the limits of brief matches leave none that is won, the usual ones do.
    let mut shown = None;
    'found: for options in [&*brief, "{}"] {
        for seed in SAMPLE_SEED..=SAMPLE_SEED + SAMPLE_MATCHES {
            let (table, played) = play(options, seed, MAX_SAMPLE_ACTIONS)?;
            let is_won = is_won(&*table);
            shown = Some((options, seed, table, played));
            if is_won {
                break 'found;
            }
        }
    }
    let (options, seed, end, played) = shown.expect("at least one match was played");
    let (middle, halfway) = play(options, seed, played / 2)?;
    let scene = |table: &dyn Table, caption| SampleScene {
        svg: unmarked(&table.svg(Viewer::Open)),
        caption,
    };
    let actions = counted(halfway, "action");
    Ok([
        scene(
            &*middle,
            format!("A match of random moves, after {actions}"),
        ),
        scene(&*end, format!("The same match at its end, after {played}")),
    ])
}

/// The most actions of a match that shows how a game goes.
const MAX_SAMPLE_ACTIONS: u64 = 5_000;

/// How many more matches are played in search of one that somebody wins.
const SAMPLE_MATCHES: u64 = 30;

fn is_won(table: &dyn Table) -> bool {
    let SeatTurn::Over(outcome) = table.turn() else {
        return false;
    };
    let best = outcome.points.iter().max();
    outcome
        .points
        .iter()
        .filter(|points| Some(*points) == best)
        .count()
        < outcome.points.len()
}

/// The way out of a wrong option: its default, as it is typed.
fn hint(game: &dyn AnyGame, given: &str, seats: u8, error: &OptionsError) -> String {
    let id = game.info().id;
    // A game of the arena has a version in its id, and one that was named by its path does not.
    let all = match game.program().is_some() && without_version(id) == id {
        true => "`flipside rules GAME` lists the options, with the path of the game".to_owned(),
        false => format!("`flipside rules {id}` lists the options"),
    };
    let Some(name) = option_named(error) else {
        return all;
    };
    let default = &game.presets()[0].1;
    let default: Value = serde_json::from_str(default).unwrap_or_default();
    let mut names = name.split('.');
    let value = names.try_fold(&default, |object, name| object.get(name));
    let Some(value) = value.filter(|value| helps(game, given, seats, name, value)) else {
        return all;
    };
    let wrap = |inner: String, name: &str| format!("{{\"{name}\":{inner}}}");
    let example = name.rsplit('.').fold(value.to_string(), wrap);
    format!("for example --options {}; {all}", quoted(example))
}

/// The option that an error names.
fn option_named(error: &OptionsError) -> Option<&str> {
    let rest = error.0.strip_prefix("option ")?;
    rest.split_once(": ").map(|(name, _)| name)
}

/// Whether an option is right with this value beside the other options that are given. Where an error depends on two
/// options, a default may be refused, too.
fn helps(game: &dyn AnyGame, given: &str, seats: u8, name: &str, value: &Value) -> bool {
    let Ok(mut options) = serde_json::from_str::<Value>(given) else {
        return true;
    };
    let pointer = format!("/{}", name.replace('.', "/"));
    let Some(place) = options.pointer_mut(&pointer) else {
        // It is not given itself, so that a value of its own is not what is wrong.
        return false;
    };
    *place = value.clone();
    match game.set_up(&options.to_string(), seats) {
        Ok(_) => true,
        Err(error) => option_named(&error) != Some(name),
    }
}

/// The game of this id.
///
/// # Errors
/// When there is none; the hint names the nearest one.
pub fn find_game(id: &str) -> Result<&'static dyn AnyGame> {
    flipside_games::find(id).ok_or_else(|| {
        let known = current_games();
        let ids = known.iter().map(|game| game.info().id);
        let likeness = |known: &str| strsim::jaro_winkler(known, id);
        let nearest = ids.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let mut left_out = games_left_out().into_iter();
        if let Some((game, why)) =
            left_out.find(|(game, _)| [game, without_version(game)].contains(&id))
        {
            let failure = Failure::new(format!("the game {game} cannot be used: {why}"));
            return failure.hint("`flipside games` lists those that can");
        }
        let failure = Failure::usage(format!("there is no game {id:?}"));
        match nearest.filter(|nearest| likeness(nearest) > 0.7) {
            Some(nearest) => failure.hint(format!(
                "did you mean {nearest}? `flipside games` lists them all"
            )),
            None => failure.hint("`flipside games` lists them all"),
        }
    })
}

/// The game of this id, or all games, of which those of the arena come last.
///
/// # Errors
/// See [`find_game`].
pub fn games_or_all(id: Option<&str>) -> Result<Vec<&'static dyn AnyGame>> {
    id.map_or_else(|| Ok(all_games()), |id| Ok(vec![find_game(id)?]))
}

#[cfg(test)]
mod tests {
    use flipside_games::GAMES;

    use super::*;

    /// What `set_up` says of wrong options at `puissance4-basic`.
    fn hint_at_puissance4(options: &str) -> String {
        let game = find_game("puissance4-basic").unwrap();
        let failure = set_up(game, options, 2).err().expect("they are wrong");
        failure.hints().join("; ")
    }

    #[test]
    fn an_example_is_never_a_value_that_was_refused() {
        let all = "`flipside rules puissance4-basic` lists the options";
        for delay in ["flight", "reload", "reaction"] {
            // The default of the spread is refused, because the delay is as short.
            for spread in ["", r#","SPREAD":1"#, r#","SPREAD":99"#] {
                let spread = spread.replace("SPREAD", &format!("{delay}_spread"));
                let options = format!(r#"{{"model":{{"{delay}":1{spread}}}}}"#);
                assert_eq!(hint_at_puissance4(&options), all, "{options}");
            }
        }
        let example = r#"for example --options '{"model":{"flight_spread":1}}'; "#;
        for options in [
            r#"{"model":{"flight_spread":50}}"#,
            // The first mistake is shown, whatever else is wrong.
            r#"{"model":{"flight_spread":50,"reload":1}}"#,
            r#"{"model":{"flight_spread":"x","flight":1000}}"#,
        ] {
            let hint = hint_at_puissance4(options);
            assert_eq!(hint, format!("{example}{all}"), "{options}");
        }
    }

    #[test]
    fn every_game_has_a_board_to_show() {
        for game in GAMES {
            let board = sample_board(*game, 8).unwrap();
            assert!(board.starts_with("<svg"), "{}", game.info().id);
            assert_eq!(board, sample_board(*game, 8).unwrap());
            assert_ne!(board, sample_board(*game, 0).unwrap());
        }
    }

    #[test]
    fn every_game_is_shown_halfway_and_won_at_its_end() {
        for game in GAMES {
            let id = game.info().id;
            let [middle, end] = sample_scenes(*game).unwrap();
            for scene in [&middle, &end] {
                assert!(scene.svg.starts_with("<svg"), "{id}");
                assert!(!scene.svg.contains("data-mark"), "{id}");
            }
            assert_ne!(middle.svg, end.svg, "{id}");
            let [again, _] = sample_scenes(*game).unwrap();
            assert_eq!(again.svg, middle.svg, "{id}");
            assert!(
                end.svg.contains("wins") || end.svg.contains("points"),
                "{id}: {}",
                end.svg
            );
        }
    }
}
