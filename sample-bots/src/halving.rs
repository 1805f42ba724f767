//! Actions compared over the same luck: for each possible table every action is played on with the
//! same seed, and the worse half of the actions is left out again and again (sequential halving,
//! Karnin, Koren and Somekh, 2013). What the seat does not see is dealt anew for each table.

use std::time::{Duration, Instant};

use flipside_bot::evaluation::ExpectedScores;
use flipside_games::{Game, Seat, Viewer};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// Returns the best of a seat's actions by about so many playouts or in some milliseconds, whichever
/// ends first, and at least one playout for each action and halving. `play_out` takes an action of the
/// seat, plays on, and tells what may be expected then.
pub(crate) fn best<G: Game>(
    state: &G,
    seat: Seat,
    actions: &[G::Action],
    (playouts, ms): (u32, Option<u32>),
    rng: &mut ChaCha8Rng,
    mut play_out: impl FnMut(&mut G, G::Action, &mut ChaCha8Rng) -> ExpectedScores,
) -> G::Action {
    // Each with the sum of what the seat could expect after its playouts.
    let mut arms: Vec<_> = actions.iter().map(|&action| (action, 0.0)).collect();
    let halvings = arms.len().next_power_of_two().ilog2();
    let clock = ms.map(|ms| (Instant::now(), Duration::from_millis(ms.into())));
    let mut copy = state.clone();
    for halving in 1..=halvings {
        let tables = playouts / (halvings * arms.len() as u32);
        // Each halving has the same share of the time, and one table at least.
        let deadline = clock.map(|(start, time)| start + time * halving / halvings);
        for table in 0..tables.max(1) {
            if table > 0 && deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
            let deal = state.redeal(Viewer::Seat(seat), rng);
            let luck = rng.next_u64();
            for (action, payoff) in &mut arms {
                copy.clone_from(&deal);
                let mut luck = ChaCha8Rng::seed_from_u64(luck);
                *payoff += play_out(&mut copy, *action, &mut luck)[usize::from(seat)];
            }
        }
        // All that are left have been tried on the same tables.
        arms.sort_by(|(_, payoff), (_, other)| other.total_cmp(payoff));
        arms.truncate(arms.len().div_ceil(2));
    }
    arms[0].0
}
