//! The bot `greedy`: tries each action, and takes the one after which the table looks best.

use flipside_bot::Strategy;
use flipside_bot::evaluation::{Mobility, expected};
use flipside_games::chance::one_of;
use flipside_games::{Event, Game, Seat, SeatTurn, Viewer};
use rand::rngs::ChaCha8Rng;

/// How many possible tables each action is tried on, where something is hidden, drawn or chosen
/// by others at the same time.
const TRIES: u32 = 32;

/// How many in all where there are many actions, and how many for each at least.
const MAX_TRIED: u32 = 1000;
const FEWEST_TRIES: u32 = 4;

/// How many draws of chance are followed after an action before the table is judged as it is.
const DRAWS: u32 = 8;

/// Looks one move ahead: takes a win, avoids a loss, and else goes by how the table looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl Strategy for Greedy {
    const NAME: &'static str = "greedy";

    fn choose<G: Game>(&self, state: &G, seat: Seat, rng: &mut ChaCha8Rng) -> G::Action {
        let mut actions = Vec::new();
        state.actions(seat, &mut actions);
        let totals = ratings(state, seat, &actions, rng);
        let most = totals.iter().copied().fold(f64::MIN, f64::max);
        let best: Vec<_> = (0..actions.len())
            .filter(|&at| totals[at] == most)
            .collect();
        actions[*one_of(rng, &best)]
    }
}

/// What a seat may expect once it has taken an action; others that choose at the same time do
/// anything.
fn after<G: Game>(before: &G, seat: Seat, action: G::Action, rng: &mut ChaCha8Rng) -> f64 {
    let mut mobility = Mobility::default();
    let mut choices = Vec::new();
    let acts: Vec<_> = before
        .turn()
        .asked()
        .map(|other| {
            before.actions(other, &mut choices);
            mobility.note(other, choices.len());
            if other == seat {
                (seat, action)
            } else {
                (other, *one_of(rng, &choices))
            }
        })
        .collect();
    let mut state = before.clone();
    state.apply(Event::Acts(&acts));
    for _ in 0..DRAWS {
        if state.turn() != SeatTurn::Chance {
            break;
        }
        let draw = state.sample(rng);
        state.apply(Event::Chance(&draw));
    }
    for other in state.turn().asked() {
        mobility.note(other, state.count_actions(other));
    }
    expected(&state, &mobility)[usize::from(seat)]
}

/// How good each of a seat's actions looks, one move ahead: a sum over possible tables, the same
/// for all actions.
pub(crate) fn ratings<G: Game>(
    state: &G,
    seat: Seat,
    actions: &[G::Action],
    rng: &mut ChaCha8Rng,
) -> Vec<f64> {
    let mut totals = vec![0.0; actions.len()];
    let certain = !(G::INFO.secrets || G::INFO.chance || G::INFO.simultaneous);
    let tries = if certain {
        1
    } else {
        (MAX_TRIED / actions.len() as u32).clamp(FEWEST_TRIES, TRIES)
    };
    for _ in 0..tries {
        let deal = state.redeal(Viewer::Seat(seat), rng);
        for (&action, total) in actions.iter().zip(&mut totals) {
            *total += after(&deal, seat, action, rng);
        }
    }
    totals
}
