//! mybot: looks one move ahead at every game. Make it think in `choose`.

use flipside_bot::evaluation::{expected, Mobility};
use flipside_bot::games::chance::one_of;
use flipside_bot::games::{Event, Game, Seat, Viewer};
use flipside_bot::rand::rngs::ChaCha8Rng;
use flipside_bot::{Knowing, Strategy};

/// How many possible states each action is tried on. One is enough in games without hidden
/// information and chance.
const TRIES: u32 = 20;

#[derive(Clone)]
struct MyBot;

impl Strategy for MyBot {
    const NAME: &'static str = "mybot";

    /// Returns a legal action for this seat. `state` shows what the seat sees; everything hidden in
    /// it is sampled, and `redeal` samples it again.
    fn choose<G: Game>(&self, state: &G, seat: Seat, rng: &mut ChaCha8Rng) -> G::Action {
        let mut actions = Vec::new();
        state.actions(seat, &mut actions);
        // Think here: search deeper, or write an evaluation of your own.
        let mut values = vec![0.0; actions.len()];
        for _ in 0..TRIES {
            let state = state.redeal(Viewer::Seat(seat), rng);
            for (value, &action) in values.iter_mut().zip(&actions) {
                *value += value_after(&state, seat, action, rng);
            }
        }
        let best = (0..actions.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]));
        actions[best.expect("a seat that is asked has an action")]
    }
}

/// What this seat may expect after an action, from 0 to 1. Others that choose at the same time play
/// any legal action.
fn value_after<G: Game>(before: &G, seat: Seat, action: G::Action, rng: &mut ChaCha8Rng) -> f64 {
    let mut acts = Vec::new();
    for other in before.turn().asked() {
        let mut choices = Vec::new();
        before.actions(other, &mut choices);
        let any = *one_of(rng, &choices);
        acts.push((other, if other == seat { action } else { any }));
    }
    let mut state = before.clone();
    state.apply(Event::Acts(&acts));
    expected(&state, &Mobility::default())[usize::from(seat)]
}

fn main() -> std::process::ExitCode {
    flipside_bot::main(Knowing(MyBot))
}
