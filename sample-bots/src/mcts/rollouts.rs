//! Actions compared by [`halving`]: each is played on by seats that choose as they would at a glance
//! (the rollouts of Tesauro and Galperin, "On-line Policy Improvement using Monte-Carlo Search", 1996).

use flipside_bot::evaluation::{ExpectedScores, Mobility, expected, settled};
use flipside_games::chance::{below, one_of};
use flipside_games::{Event, Game, Seat, SeatTurn};
use rand::rngs::ChaCha8Rng;

use crate::{greedy, halving};

/// How many actions are compared: those that look best one move ahead. With 8 in place of 16
/// `mcts` won 55 % of its matches of `puissance4-basic` against `greedy` in place of 63 %.
const COMPARED: usize = 16;

/// How many steps, of seats and of chance, a playout goes before the table is judged as it is.
const STEPS: u32 = 16;

/// How many of its actions a seat glances at in a playout; where it has more, chance says which.
const GLANCED: usize = 12;

/// Chooses one of a seat's actions by about so many playouts, and at least one for each action and
/// halving.
pub(super) fn choose<G: Game>(
    state: &G,
    seat: Seat,
    actions: &[G::Action],
    playouts: u32,
    rng: &mut ChaCha8Rng,
) -> G::Action {
    let compared = best_looking(state, seat, actions, rng);
    let mut table = RolloutTable::new(state);
    let limits = (playouts, None);
    halving::best(
        state,
        seat,
        &compared,
        limits,
        rng,
        |state, action, luck| table.play_out(state, (seat, action), luck),
    )
}

/// The actions that are worth a closer look.
fn best_looking<G: Game>(
    state: &G,
    seat: Seat,
    actions: &[G::Action],
    rng: &mut ChaCha8Rng,
) -> Vec<G::Action> {
    let ratings = greedy::ratings(state, seat, actions, rng);
    let mut rated: Vec<_> = actions.iter().zip(ratings).collect();
    rated.sort_by(|(_, rating), (_, other)| other.total_cmp(rating));
    let best = rated.into_iter().take(COMPARED);
    best.map(|(&action, _)| action).collect()
}

/// Where matches are played on; it keeps its memory from one playout to the next.
struct RolloutTable<G: Game> {
    acts: Vec<(Seat, G::Action)>,
    actions: Vec<G::Action>,
    glance: Glance<G>,
}

impl<G: Game> RolloutTable<G> {
    fn new(state: &G) -> Self {
        RolloutTable {
            acts: Vec::new(),
            actions: Vec::new(),
            glance: Glance {
                after: state.clone(),
                acts: Vec::new(),
                others: Vec::new(),
            },
        }
    }

    /// Plays on from a state in which a seat takes this action first, and tells what may be expected at
    /// the end or when the steps are used up.
    fn play_out(
        &mut self,
        state: &mut G,
        first: (Seat, G::Action),
        rng: &mut ChaCha8Rng,
    ) -> ExpectedScores {
        let mut first = Some(first);
        for _ in 0..STEPS {
            match state.turn() {
                SeatTurn::Over(outcome) => return settled(state, &outcome.points),
                SeatTurn::Chance => {
                    let draw = state.sample(rng);
                    state.apply(Event::Chance(&draw));
                }
                SeatTurn::Seats(seats) => {
                    self.acts.clear();
                    let first = first.take();
                    for seat in seats {
                        let action = match first {
                            Some((own, action)) if own == seat => action,
                            _ => {
                                state.actions(seat, &mut self.actions);
                                self.glance.choose(state, seat, &mut self.actions, rng)
                            }
                        };
                        self.acts.push((seat, action));
                    }
                    state.apply(Event::Acts(&self.acts));
                }
            }
        }
        expected(state, &Mobility::default())
    }
}

/// Chooses by the look of the table right after an action.
struct Glance<G: Game> {
    after: G,
    acts: Vec<(Seat, G::Action)>,
    others: Vec<G::Action>,
}

impl<G: Game> Glance<G> {
    /// The best of the actions or, if there are many, of some that chance takes; others that choose
    /// at the same time do anything. Changes the order of the actions.
    fn choose(
        &mut self,
        state: &G,
        seat: Seat,
        actions: &mut [G::Action],
        rng: &mut ChaCha8Rng,
    ) -> G::Action {
        let mut best = (f64::MIN, actions[0]);
        if actions.len() == 1 {
            return best.1;
        }
        for at in 0..actions.len().min(GLANCED) {
            if actions.len() > GLANCED {
                let rest = (actions.len() - at) as u32;
                actions.swap(at, at + below(rng, rest) as usize);
            }
            let prospect = self.prospect(state, seat, actions[at], rng);
            if prospect > best.0 {
                best = (prospect, actions[at]);
            }
        }
        best.1
    }

    fn prospect(&mut self, state: &G, seat: Seat, action: G::Action, rng: &mut ChaCha8Rng) -> f64 {
        self.acts.clear();
        for other in state.turn().asked() {
            let act = if other == seat {
                action
            } else {
                state.actions(other, &mut self.others);
                *one_of(rng, &self.others)
            };
            self.acts.push((other, act));
        }
        self.after.clone_from(state);
        self.after.apply(Event::Acts(&self.acts));
        expected(&self.after, &Mobility::default())[usize::from(seat)]
    }
}
