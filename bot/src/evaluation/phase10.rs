//! How a table of Phase 10 Flip looks: how many phases each seat has, how many cards are missing
//! to the next one, and how many it has to get rid of.

mod hand;

use flipside_games::{Game, MAX_SEATS, Phase10, Seat};

use super::scores::Scores;
pub use hand::{Hand, PhaseNeed};

/// What a phase is worth.
const PHASE: f64 = 0.8;

/// What part of it is left for each card that is missing.
const MISSING: f64 = 0.72;

/// What of it is there before a phase that could be laid is laid.
const READY: f64 = 0.85;

/// What each card costs that is still to get rid of, once the phase is laid.
const CARD: f64 = 0.05;

/// The cards of a hand before and after a turn, until the phase is laid.
const DEALT: f64 = 10.0;

/// What part of that it costs if it could be added to a group on the table.
const FITTING: f64 = 0.3;

/// What each point costs that the hand would score.
const POINT: f64 = 0.0008;

/// What each point of the total costs.
const TOTAL: f64 = 0.002;

pub(super) fn scores(game: &Phase10) -> Scores {
    let mut scores = [0.0; MAX_SEATS];
    for seat in 0..game.seats() {
        scores[usize::from(seat)] = score(game, seat);
    }
    scores
}

fn score(game: &Phase10, seat: Seat) -> f64 {
    let (completed, total) = game.standing(seat);
    let done = PHASE * f64::from(completed) - TOTAL * f64::from(total);
    if game.is_between_rounds() {
        return done;
    }
    let (mut cards, mut points) = (0.0, 0.0);
    let mut held = Hand::default();
    for face in game.hand(seat) {
        cards += 1.0;
        points += f64::from(face.score());
        held.add(face);
    }
    // A card that was drawn will be discarded again: what it counts says nothing.
    let done = if cards <= DEALT {
        done - POINT * points
    } else {
        done
    };
    if game.is_down(seat) {
        let mut stuck = game
            .hand(seat)
            .filter(|&face| !game.fits_on_table(face))
            .count() as f64;
        let mut fitting = cards - stuck;
        if game.is_to_discard(seat) {
            // One of them goes with the discard.
            if stuck > 0.0 {
                stuck -= 1.0;
            } else {
                fitting -= 1.0;
            }
        }
        done - CARD * (stuck + fitting * FITTING)
    } else if cards == 0.0 {
        // It does not play this round.
        done
    } else if game.groups_laid(seat) > 0 {
        // What is begun can be finished.
        done + PHASE * (READY + 0.05) - CARD * cards
    } else {
        let missing = held.need(&game.wanted(seat).collect::<Vec<_>>()).missing;
        let near = (0..missing).fold(1.0, |near, _| near * MISSING);
        done + PHASE * READY * near - CARD * DEALT
    }
}
