//! Openings: the first plies of a match, drawn from its seed instead of being asked for, so that matches
//! of the same seed begin alike whoever sits where, and not every match between two bots is the same.

use flipside_games::{GameFailure, Info, Refusal, Seat, SeatTurn, Table};
use rand::rngs::ChaCha8Rng;

/// The most plies of an opening.
pub const MAX_OPENING_PLIES: u32 = 60;

/// How many openings of a length are drawn before a shorter one is taken.
pub const OPENING_TRIES: u32 = 50;

/// Why a match cannot begin with an opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// The game's matches differ without one.
    #[error("{game} has no opening plies: it has {what}, so that its matches differ by themselves")]
    Game {
        /// The game's id.
        game: &'static str,
        /// What it has.
        what: &'static str,
    },
    /// More plies than may be.
    #[error("an opening has at most {MAX_OPENING_PLIES} plies, not {0}")]
    Plies(u32),
}

/// Whether a match of a game may begin with so many plies. Openings are for games in which one seat after
/// the other moves, and all is open.
///
/// # Errors
/// When the game is another, or the plies are too many.
pub fn opening_fits(info: &Info, plies: u32) -> Result<(), OpeningError> {
    let what = match info {
        _ if plies == 0 => return Ok(()),
        _ if plies > MAX_OPENING_PLIES => return Err(OpeningError::Plies(plies)),
        info if info.chance => "chance",
        info if info.secrets => "secrets",
        info if info.simultaneous => "simultaneous turns",
        _ => return Ok(()),
    };
    Err(OpeningError::Game {
        game: info.id,
        what,
    })
}

/// Draws the first plies of a match: legal actions, all alike, so that both sides still have play. If no
/// such opening is found in [`OPENING_TRIES`], it is one ply shorter, and so on; it may be empty.
///
/// # Errors
/// The program of the game fails.
pub(crate) fn draw(
    start: &dyn Table,
    plies: u32,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<(Seat, String)>, GameFailure> {
    for plies in (1..=plies).rev() {
        for _ in 0..OPENING_TRIES {
            if let Some(opening) = draw_once(start, plies, rng)? {
                return Ok(opening);
            }
        }
    }
    Ok(Vec::new())
}

/// A copy of a table.
///
/// # Errors
/// The program of the game fails.
fn copy(table: &dyn Table) -> Result<Box<dyn Table>, GameFailure> {
    let copy = table.copy();
    copy.failure().map_or(Ok(copy), Err)
}

/// Whether a table takes the action of a seat.
///
/// # Errors
/// The program of the game fails.
fn takes(table: &mut dyn Table, seat: Seat, action: &str) -> Result<bool, GameFailure> {
    match table.act(&[(seat, action)]) {
        Ok(()) => Ok(true),
        Err(Refusal::Failed(failure)) => Err(failure),
        Err(_) => Ok(false),
    }
}

fn draw_once(
    start: &dyn Table,
    plies: u32,
    rng: &mut ChaCha8Rng,
) -> Result<Option<Vec<(Seat, String)>>, GameFailure> {
    let mut table = copy(start)?;
    let mut opening = Vec::new();
    for _ in 0..plies {
        let Some(seat) = asked(&*table) else {
            return Ok(None);
        };
        let mut action = String::new();
        table.random_action(seat, rng, &mut action);
        if !takes(&mut *table, seat, &action)? {
            return Ok(None);
        }
        opening.push((seat, action));
    }
    Ok(both_have_play(&*table)?.then_some(opening))
}

/// Whether the seat to move has a choice, cannot end the match at once, and can leave a choice to the
/// other side.
fn both_have_play(table: &dyn Table) -> Result<bool, GameFailure> {
    let Some(seat) = asked(table) else {
        return Ok(false);
    };
    let actions = table.actions(seat);
    let mut leaves_a_choice = false;
    for action in &actions {
        let mut after = copy(table)?;
        if !takes(&mut *after, seat, action)? {
            return Ok(false);
        }
        let Some(next) = asked(&*after) else {
            return Ok(false);
        };
        let choice = || table.side(next) != table.side(seat) && after.actions(next).len() > 1;
        leaves_a_choice = leaves_a_choice || choice();
    }
    Ok(actions.len() > 1 && leaves_a_choice)
}

/// The seat that is asked, if it is one alone.
fn asked(table: &dyn Table) -> Option<Seat> {
    match table.turn() {
        SeatTurn::Seats(seats) if seats.len() == 1 => seats.lowest(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use flipside_games::GAMES;

    use super::*;
    use crate::seed::MatchSeed;

    fn board_games() -> impl Iterator<Item = &'static &'static dyn flipside_games::AnyGame> {
        GAMES.iter().filter(|game| !game.info().chance)
    }

    #[test]
    fn an_opening_is_legal_and_leaves_both_sides_play() {
        for game in board_games() {
            opening_fits(game.info(), 8).unwrap();
            let mut lengths = [0u32; 9];
            for seed in 0..100 {
                let start = game.set_up("{}", 2).unwrap().table;
                let draw = |plies| {
                    draw(&*start, plies, &mut MatchSeed::from_number(seed).opening()).unwrap()
                };
                let opening = draw(8);
                assert_eq!(opening, draw(8), "it is the seed's");
                lengths[opening.len()] += 1;
                let mut table = start.copy();
                for (seat, action) in &opening {
                    table.act(&[(*seat, action)]).unwrap();
                }
                let seat = asked(&*table).expect("it is not over");
                let actions = table.actions(seat);
                assert!(actions.len() > 1, "a choice");
                let mut replies = 0;
                for action in &actions {
                    let mut after = table.copy();
                    after.act(&[(seat, action)]).unwrap();
                    let next = asked(&*after).expect("nobody ends it at once");
                    assert_ne!(next, seat);
                    replies = replies.max(after.actions(next).len());
                }
                assert!(replies > 1, "a choice for the other");
            }
            println!("{}: openings by plies {lengths:?}", game.info().id);
            assert!(lengths[8] > 50, "{}: {lengths:?}", game.info().id);
        }
    }

    #[test]
    fn an_opening_that_cannot_be_as_long_is_shorter() {
        for game in board_games() {
            let start = game.set_up("{}", 2).unwrap().table;
            let mut rng = MatchSeed::from_number(1).opening();
            let opening = draw(&*start, MAX_OPENING_PLIES, &mut rng).unwrap();
            assert!(!opening.is_empty(), "{}", game.info().id);
            let mut table = start.copy();
            for (seat, action) in &opening {
                table.act(&[(*seat, action)]).unwrap();
            }
            assert!(both_have_play(&*table).unwrap());
        }
    }

    #[test]
    fn games_with_luck_and_too_many_plies_are_refused() {
        for game in GAMES {
            let info = game.info();
            assert_eq!(opening_fits(info, 0), Ok(()));
            let fits = !info.chance && !info.secrets && !info.simultaneous;
            assert_eq!(opening_fits(info, 4).is_ok(), fits, "{}", info.id);
        }
        let yonmoque = flipside_games::find("yonmoque").unwrap().info();
        let told = opening_fits(yonmoque, 61).unwrap_err().to_string();
        assert!(told.contains("at most 60"), "{told}");
        let flip4 = flipside_games::find("flip4").unwrap().info();
        let told = opening_fits(flip4, 1).unwrap_err().to_string();
        assert!(told.contains("flip4") && told.contains("chance"), "{told}");
    }
}
