//! The bot `rollout`: plays Phase 10 Flip by rollouts to the end of the round (Tesauro and Galperin,
//! "On-line Policy Improvement using Monte-Carlo Search", 1996). It samples what its seat does not
//! see, tries each action over the same cards, and compares them by [`halving`].
//!
//! Against `mcts`, which looks at any game in that way, its seats play by a policy for this game, and
//! so a playout is fast enough to reach the end of the round. There the standing is judged, which does
//! not depend on hands.

mod policy;

use flipside_bot::evaluation::{ExpectedScores, settled};
use flipside_bot::{Bot, Error, MatchContext, SessionPlayer, ready, view};
use flipside_games::phase10::{Phase10Action, Phase10Options, Variant};
use flipside_games::{Event, Game, Phase10, Seat, SeatTurn};
use flipside_protocol::{Hello, Ready, Turn as Question};
use rand::rngs::ChaCha8Rng;

use self::policy::RolloutPolicy;
use crate::halving;
use crate::refusal::check_game;

/// The games that the bot plays.
pub(crate) const GAMES: &[&str] = &["phase10-flip"];

/// How many playouts [`Rollout::default`] makes for a move: some 25 ms on a desktop machine.
pub const ROLLOUT_PLAYOUTS: u32 = 1000;

/// The phases, and the rounds of the variant `ten-rounds`.
const PHASES: u8 = 10;

/// The phases of the variant `short`, unless an option says otherwise.
const SHORT: u32 = 5;

/// What a phase and a point of the total are worth at the last phase. [`standing`] has the
/// formula. Fitted by least squares to the results of 20,000 matches of the policy against itself.
const PHASE: f64 = 2.6;
const POINT: f64 = 0.1;

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

    fn begin(&self, hello: &Hello) -> Result<Box<dyn SessionPlayer>, Error> {
        check_game(GAMES, &hello.game)?;
        Ok(Box::new(RolloutPlayer {
            place: MatchContext::of(hello)?,
            limits: *self,
            policy: RolloutPolicy::default(),
            round: 0,
        }))
    }
}

/// The bot in a match.
struct RolloutPlayer {
    place: MatchContext<Phase10>,
    limits: Rollout,
    policy: RolloutPolicy,
    /// The number of the present round.
    round: u32,
}

impl SessionPlayer for RolloutPlayer {
    fn choose(&mut self, turn: &Question, action: &mut String) -> Result<(), Error> {
        let view = view::<Phase10>(turn)?;
        self.round = view.round;
        let state = self.place.state(&view)?;
        let mut actions = self.place.actions(&state)?;
        let compared = self.policy.sort(&state, self.place.seat, &mut actions);
        let chosen = self.best(&state, &actions[..compared]);
        state.write_action(chosen, action);
        Ok(())
    }
}

impl RolloutPlayer {
    /// Returns the best of some actions.
    fn best(&mut self, state: &Phase10, actions: &[Phase10Action]) -> Phase10Action {
        let RolloutPlayer {
            place,
            limits,
            policy,
            round,
        } = self;
        let (seat, options) = (place.seat, &place.options);
        let limits = (limits.playouts.unwrap_or(u32::MAX), limits.ms);
        let play_out = |state: &mut Phase10, action, luck: &mut ChaCha8Rng| {
            state.apply(Event::Acts(&[(seat, action)]));
            play_out(state, policy, luck).unwrap_or_else(|| standing(state, options, *round))
        };
        halving::best(state, seat, actions, limits, &mut place.rng, play_out)
    }
}

/// Plays on to the end of the round. Returns the result if the match is over then.
fn play_out(
    state: &mut Phase10,
    policy: &mut RolloutPolicy,
    rng: &mut ChaCha8Rng,
) -> Option<ExpectedScores> {
    loop {
        match state.turn() {
            SeatTurn::Over(outcome) => return Some(settled(state, &outcome.points)),
            SeatTurn::Chance if state.is_between_rounds() => return None,
            SeatTurn::Chance => {
                let draw = state.sample(rng);
                state.apply(Event::Chance(&draw));
            }
            SeatTurn::Seats(seats) => {
                let seat = seats.lowest().expect("a turn asks somebody");
                let action = policy.choose(state, seat);
                state.apply(Event::Acts(&[(seat, action)]));
            }
        }
    }
}

/// Returns what all may expect after this round: a lead counts the more, the less is left.
fn standing(state: &Phase10, options: &Phase10Options, round: u32) -> ExpectedScores {
    let seats = 0..state.seats();
    let completed = |seat: Seat| state.standing(seat).0;
    let most = seats.clone().map(completed).max().unwrap_or(0);
    let (phase, left) = match options.variant {
        Variant::TenRounds => (0.0, u32::from(PHASES).saturating_sub(round)),
        Variant::Standard => (PHASE, u32::from(PHASES.saturating_sub(most))),
        Variant::Short => {
            let last = options.phases.map_or(SHORT, |phases| phases.get());
            (PHASE, last.saturating_sub(most.into()))
        }
    };
    let worth = |seat: Seat| {
        let (completed, total) = state.standing(seat);
        phase * f64::from(completed) - POINT * f64::from(total)
    };
    let mut prospects = ExpectedScores::default();
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
