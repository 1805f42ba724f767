//! The bot `mcts`: Monte Carlo search with a fixed number of playouts. Never the clock: in a
//! sandbox clocks are virtual, and a move must be the same on every machine. For that reason no
//! logarithm either: of the functions of numbers with a point, machines agree on roots alone.
//!
//! What is seldom met twice teaches a tree little: after a roll of dice, a deal or a launch there
//! are more tables than playouts. So there are two ways. [`tree`] searches the games of skill, and
//! [`rollouts`] those whose tables have scores of their own, which are the games with dice, cards and
//! scatter.

mod rollouts;
mod tree;

use flipside_bot::Strategy;
use flipside_bot::evaluation::{Evaluator, look};
use flipside_games::{Game, Seat};
use rand::rngs::ChaCha8Rng;

pub use self::tree::{APPRAISED_STEPS, PLAYOUT_STEPS};
/// How many playouts [`Mcts::default`] makes for a move: some 10 ms on a desktop machine, where a
/// seat has some fifty actions. Where a playout takes longer there are fewer.
pub const PLAYOUTS: u32 = 3000;

/// Searches by playouts.
#[derive(Clone, Copy, Debug)]
pub struct Mcts {
    /// How many playouts for a move.
    pub playouts: u32,
}

impl Default for Mcts {
    fn default() -> Self {
        Mcts { playouts: PLAYOUTS }
    }
}

impl Strategy for Mcts {
    const NAME: &'static str = "mcts";

    fn choose<G: Game>(&self, state: &G, seat: Seat, rng: &mut ChaCha8Rng) -> G::Action {
        let mut actions = Vec::new();
        state.actions(seat, &mut actions);
        if let [only] = actions[..] {
            return only;
        }
        match look::<G>() {
            Evaluator::Scores { cost } => {
                rollouts::choose(state, seat, &actions, self.playouts / cost, rng)
            }
            Evaluator::Board | Evaluator::Mobility => {
                let playouts = affordable(self.playouts, actions.len());
                tree::choose(state, seat, &actions, playouts, rng)
            }
        }
    }
}

/// How many playouts a move gets, of so many that are meant for few actions: where each new node
/// looks at hundreds of them, one takes many times longer.
fn affordable(playouts: u32, actions: usize) -> u32 {
    const FEW_ACTIONS: u32 = 50;
    let many = (actions as u32).max(FEW_ACTIONS);
    (playouts * FEW_ACTIONS / many).max(1)
}
