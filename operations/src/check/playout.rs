//! Random matches of a game, which the steps play.

use flipside_games::{AnyGame, Seat, SeatTurn, Seats, Table};
use flipside_referee::EventLog;

use crate::check::conversation::{Conversation, StepResult};
use crate::failure::{Failure, Result};
use crate::game_table::take_chance;

/// The most plies of a match of random play.
pub(super) const MAX_WALK: u32 = 2_000;

/// A match in which seats act by chance, or as they are told.
pub(super) struct RandomPlayout {
    pub(super) options: String,
    pub(super) seats: u8,
    pub(super) table: Box<dyn Table>,
    pub(super) random: rand::rngs::ChaCha8Rng,
    pub(super) event_log: EventLog,
}

impl RandomPlayout {
    /// A match at a game's brief options between as few seats as may be, and the lowest seat that is asked first.
    pub(super) fn of(game: &'static dyn AnyGame, seed: u64) -> StepResult<(Self, Seat)> {
        let mut playout =
            RandomPlayout::with(game, &game.brief(), game.info().least_seats(), seed)?;
        let first = playout.asked().and_then(|asked| asked.lowest());
        let first = first.ok_or_else(|| match playout.table.failure() {
            Some(failure) => Failure::new(failure),
            None => Failure::new(format!("a match of {} asks nobody", game.info().id)),
        })?;
        Ok((playout, first))
    }

    pub(super) fn with(
        game: &'static dyn AnyGame,
        options: &str,
        seats: u8,
        seed: u64,
    ) -> Result<Self> {
        let setup = game.set_up(options, seats).map_err(Failure::new)?;
        Ok(RandomPlayout {
            options: setup.options,
            seats,
            table: setup.table,
            random: rand::SeedableRng::seed_from_u64(seed),
            event_log: EventLog::new(seats.into()),
        })
    }

    /// The seats that are asked next, after what chance does; none: the match is over.
    pub(super) fn asked(&mut self) -> Option<Seats> {
        loop {
            match self.table.turn() {
                SeatTurn::Seats(seats) => return Some(seats),
                SeatTurn::Over(_) => return None,
                SeatTurn::Chance => {
                    // What a failing program does is told by the matches of the check.
                    let event = take_chance(&mut *self.table, &mut self.random).ok()?;
                    self.event_log.chance(&event, &*self.table);
                }
            }
        }
    }

    /// Lets all seats that are asked act by chance, but for those that have an action here.
    pub(super) fn step(&mut self, given: &[(Seat, String)]) {
        let Some(asked) = self.asked() else { return };
        let mut acts = Vec::new();
        for seat in asked {
            let theirs = given.iter().find(|(theirs, _)| *theirs == seat);
            let action = match theirs {
                Some((_, action)) => action.clone(),
                None => {
                    let mut action = String::new();
                    self.table
                        .random_action(seat, &mut self.random, &mut action);
                    action
                }
            };
            if self.table.choose(seat, &action).is_err() {
                return;
            }
            acts.push((seat, action));
        }
        if self.table.play().is_err() {
            return;
        }
        let acts: Vec<_> = acts.iter().map(|(seat, act)| (*seat, &**act)).collect();
        self.event_log.acts(&acts, &*self.table);
    }

    /// The same; what happens is told to nobody.
    pub(super) fn untold(self) -> Self {
        RandomPlayout {
            event_log: EventLog::new(0),
            ..self
        }
    }

    /// Tells a bot what this seat has learnt since its last turn. It is sent with the next turn, and what was not sent
    /// yet comes first.
    pub(super) fn tell(&mut self, conversation: &mut Conversation, seat: Seat) {
        if conversation.events.is_empty() {
            self.event_log.wants(seat, true);
            self.event_log.write(seat, &mut conversation.events);
        }
    }
}

/// Lets a bot play so many turns of one seat, where the others act by chance; gives its actions.
pub(super) fn play_turns(
    conversation: &mut Conversation,
    playout: &mut RandomPlayout,
    seat: Seat,
    turns: usize,
) -> StepResult<Vec<String>> {
    let mut actions = Vec::new();
    let mut plies = 0;
    while actions.len() < turns && plies < MAX_WALK {
        let Some(asked) = playout.asked() else { break };
        let mut given = Vec::new();
        if asked.contains(seat) {
            playout.tell(conversation, seat);
            let action = conversation.turn(&mut *playout.table, seat)?;
            actions.push(action.clone());
            given.push((seat, action));
        }
        playout.step(&given);
        plies += 1;
    }
    Ok(actions)
}
