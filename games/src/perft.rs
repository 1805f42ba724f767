//! Counts sequences of actions, the standard test of move generators.

use crate::game::{Event, Game};
use crate::seats::SeatTurn;

/// Why sequences cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PerftError {
    /// The game has chance.
    #[error("perft counts the actions of games without chance, and {0} draws lots")]
    Chance(&'static str),
    /// The game asks several seats at once.
    #[error("perft counts the actions of games in turns, and in {0} seats choose simultaneously")]
    Simultaneous(&'static str),
    /// A state of the game does not list the actions.
    #[error("perft counts the actions that a game lists, and {0} lists none")]
    Unlisted(&'static str),
    /// The count does not fit into 64 bits.
    #[error("the count is too large; take a smaller depth")]
    TooLarge,
}

/// Counts the sequences of `depth` actions from a state. Matches that end earlier add nothing.
///
/// # Errors
/// Returns an error when the game has chance or simultaneous turns, or the count is over 2^64 - 1.
pub fn perft<G: Game>(state: &G, depth: u32) -> Result<u64, PerftError> {
    let mut levels = (0..depth)
        .map(|_| (state.clone(), Vec::new()))
        .collect::<Vec<_>>();
    count(state, &mut levels)
}

/// Every level has its own state and list, so the recursion does not allocate.
fn count<G: Game>(state: &G, levels: &mut [(G, Vec<G::Action>)]) -> Result<u64, PerftError> {
    let Some(((child, actions), deeper)) = levels.split_first_mut() else {
        return Ok(1);
    };
    let seat = match state.turn() {
        SeatTurn::Over(_) => return Ok(0),
        SeatTurn::Chance => return Err(PerftError::Chance(G::INFO.id)),
        SeatTurn::Seats(seats) if seats.len() > 1 => {
            return Err(PerftError::Simultaneous(G::INFO.id));
        }
        SeatTurn::Seats(seats) => seats.lowest().expect("a turn asks somebody"),
    };
    if deeper.is_empty() {
        return Ok(state.count_actions(seat) as u64);
    }
    state.actions(seat, actions);
    let mut total: u64 = 0;
    for &action in actions.iter() {
        child.clone_from(state);
        child.apply(Event::Acts(&[(seat, action)]));
        total = total
            .checked_add(count(child, deeper)?)
            .ok_or(PerftError::TooLarge)?;
    }
    Ok(total)
}
