//! The bot `rollout`: plays Phase 10 Flip by rollouts to the end of the round (Tesauro and Galperin,
//! "On-line Policy Improvement using Monte-Carlo Search", 1996). It samples what its seat does not
//! see, tries each action over the same cards, and leaves out the worse half of the actions again and
//! again (sequential halving, Karnin, Koren and Somekh, 2013).
//!
//! Against `mcts`, which looks at any game in that way, its seats play by a policy for this game, and
//! so a playout is fast enough to reach the end of the round. There the standing is judged, which does
//! not depend on hands.

mod policy;

use std::time::{Duration, Instant};

use flipside_games::phase10::{Action, Variant};
use flipside_games::{Event, Game, Phase10, Seat, Turn, Viewer};
use flipside_protocol::{Hello, Ready, Turn as Question};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use self::policy::Policy;
use crate::evaluation::{Prospects, settled};
use crate::{Bot, Brain, Error, check_game, ready};

/// The games that the bot plays.
pub(crate) const GAMES: &[&str] = &["phase10-flip"];

/// How many playouts [`Rollout::default`] makes for a move: some 25 ms on a desktop machine.
pub const ROLLOUT_PLAYOUTS: u32 = 1000;

/// The phases, and the rounds of the variant `ten-rounds`.
const PHASES: u8 = 10;

/// The phases of the variant `short`, unless an option says otherwise.
const SHORT: u32 = 5;

/// What a phase and a point of the total are worth at the last phase. [`Seated::standing`] has the
/// formula. Fitted by least squares to the results of 20,000 matches of the policy against itself.
const PHASE: f64 = 2.6;
const POINT: f64 = 0.1;

type Options = <Phase10 as Game>::Options;

/// Plays by rollouts.
#[derive(Clone, Copy, Debug)]
pub struct Rollout {
    /// How many playouts for a move at most.
    pub playouts: Option<u32>,
    /// The milliseconds for a move. Not for modules, which have no clock.
    pub ms: Option<u32>,
}

impl Default for Rollout {
    fn default() -> Self {
        Rollout {
            playouts: Some(ROLLOUT_PLAYOUTS),
            ms: None,
        }
    }
}

impl Bot for Rollout {
    fn ready(&self) -> Ready {
        ready("rollout")
    }

    fn begin(&self, hello: &Hello) -> Result<Box<dyn Brain>, Error> {
        check_game(GAMES, &hello.game)?;
        let options: Options = serde_json::from_str(hello.options.get())
            .map_err(|error| Error::Options(error.to_string()))?;
        Ok(Box::new(Seated {
            options,
            seats: hello.seats,
            seat: hello.seat,
            rng: ChaCha8Rng::seed_from_u64(hello.seed),
            limits: *self,
            policy: Policy::default(),
            round: 0,
        }))
    }
}

/// The bot in a match.
struct Seated {
    options: Options,
    seats: u8,
    seat: Seat,
    rng: ChaCha8Rng,
    limits: Rollout,
    policy: Policy,
    /// The number of the present round.
    round: u32,
}

/// An action that is compared.
struct Arm {
    action: Action,
    /// The sum of what the seat could expect after its playouts.
    payoff: f64,
}

impl Brain for Seated {
    fn choose(&mut self, turn: &Question, action: &mut String) -> Result<(), Error> {
        let view: <Phase10 as Game>::View = serde_json::from_str(turn.view.get())
            .map_err(|error| Error::Turn(error.to_string()))?;
        self.round = view.round;
        let viewer = Viewer::Seat(self.seat);
        let state = Phase10::from_view(&self.options, self.seats, viewer, &view, &mut self.rng)
            .map_err(|error| Error::Turn(error.to_string()))?;
        let mut actions = Vec::new();
        state.actions(self.seat, &mut actions);
        if actions.is_empty() {
            return Err(Error::Turn("this seat has nothing to do".into()));
        }
        let compared = self.policy.sort(&state, self.seat, &mut actions);
        let chosen = self.best(&state, &actions[..compared]);
        state.write_action(chosen, action);
        Ok(())
    }
}

impl Seated {
    /// Returns the best of some actions.
    fn best(&mut self, state: &Phase10, actions: &[Action]) -> Action {
        let arm = |&action: &Action| Arm {
            action,
            payoff: 0.0,
        };
        let mut arms: Vec<_> = actions.iter().map(arm).collect();
        let halvings = arms.len().next_power_of_two().ilog2();
        let clock = self.limits.ms.map(|ms| (Instant::now(), ms));
        let mut copy = state.clone();
        for halving in 1..=halvings {
            let playouts = self.limits.playouts.unwrap_or(u32::MAX);
            let tables = playouts / (halvings * arms.len() as u32);
            // Each halving has the same share of the time, and one table at least.
            let deadline = clock
                .map(|(start, ms)| start + Duration::from_millis(ms.into()) * halving / halvings);
            for table in 0..tables.max(1) {
                if table > 0 && deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    break;
                }
                let deal = state.redeal(Viewer::Seat(self.seat), &mut self.rng);
                let luck = self.rng.next_u64();
                for arm in &mut arms {
                    copy.clone_from(&deal);
                    copy.apply(Event::Acts(&[(self.seat, arm.action)]));
                    let mut luck = ChaCha8Rng::seed_from_u64(luck);
                    let prospects = self.play_out(&mut copy, &mut luck);
                    arm.payoff += prospects[usize::from(self.seat)];
                }
            }
            // All that are left have been tried on the same tables.
            arms.sort_by(|arm, other| other.payoff.total_cmp(&arm.payoff));
            arms.truncate(arms.len().div_ceil(2));
        }
        arms[0].action
    }

    /// Plays on to the end of the round, and tells what all may expect there.
    fn play_out(&mut self, state: &mut Phase10, rng: &mut ChaCha8Rng) -> Prospects {
        loop {
            match state.turn() {
                Turn::Over(outcome) => return settled(state, &outcome.points),
                Turn::Chance if state.is_between_rounds() => return self.standing(state),
                Turn::Chance => {
                    let draw = state.sample(rng);
                    state.apply(Event::Chance(&draw));
                }
                Turn::Seats(seats) => {
                    let seat = seats.lowest().expect("a turn asks somebody");
                    let action = self.policy.choose(state, seat);
                    state.apply(Event::Acts(&[(seat, action)]));
                }
            }
        }
    }

    /// Returns what all may expect after this round: a lead counts the more, the less is left.
    fn standing(&self, state: &Phase10) -> Prospects {
        let seats = 0..state.seats();
        let completed = |seat: Seat| state.standing(seat).0;
        let most = seats.clone().map(completed).max().unwrap_or(0);
        let (phase, left) = match self.options.variant {
            Variant::TenRounds => (0.0, u32::from(PHASES).saturating_sub(self.round)),
            Variant::Standard => (PHASE, u32::from(PHASES.saturating_sub(most))),
            Variant::Short => {
                let last = self.options.phases.map_or(SHORT, |phases| phases.get());
                (PHASE, last.saturating_sub(most.into()))
            }
        };
        let worth = |seat: Seat| {
            let (completed, total) = state.standing(seat);
            phase * f64::from(completed) - POINT * f64::from(total)
        };
        let mut prospects = Prospects::default();
        for seat in seats.clone() {
            let rivals = seats.clone().filter(|&rival| rival != seat);
            let against = rivals.map(|rival| {
                let lead = (worth(seat) - worth(rival)) / f64::from(left.max(1));
                0.5 + 0.5 * lead / (1.0 + lead * lead).sqrt()
            });
            prospects[usize::from(seat)] = against.sum::<f64>() / f64::from(state.seats() - 1);
        }
        prospects
    }
}
