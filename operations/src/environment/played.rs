//! A table of an environment: a match, its generator, and what has happened.

use flipside_games::{AnyGame, Seat, SeatTurn, Table, Viewer};
use flipside_protocol::game::{GameAct, GameEvent};
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use serde_json::value::RawValue;

use super::messages::ChanceBy;
use crate::game_table::take_chance;

/// Why something is refused, in words for who wrote the client.
pub(super) type Refused<T> = std::result::Result<T, String>;

/// How a match begins.
#[derive(Clone)]
pub(super) struct Beginning {
    /// All options, as JSON.
    pub(super) options: String,
    pub(super) seats: u8,
    pub(super) chance: ChanceBy,
}

/// A match that is played on what the client says.
pub(super) struct PlayedTable {
    pub(super) table: Box<dyn Table>,
    pub(super) beginning: Beginning,
    rng: ChaCha8Rng,
    /// What has happened; nothing if what was hidden was dealt anew, so that no events lead here.
    events: Option<Vec<GameEvent>>,
}

impl PlayedTable {
    /// Begins a match.
    pub(super) fn begin(
        game: &dyn AnyGame,
        options: &str,
        seats: u8,
        chance: ChanceBy,
        seed: u64,
    ) -> Refused<Self> {
        let setup = game
            .set_up(options, seats)
            .map_err(|error| error.to_string())?;
        let mut begun = PlayedTable {
            table: setup.table,
            beginning: Beginning {
                options: setup.options,
                seats,
                chance,
            },
            rng: ChaCha8Rng::seed_from_u64(seed),
            events: Some(Vec::new()),
        };
        begun.settle()?;
        Ok(begun)
    }

    /// Lets chance take its turns, where nobody is asked for them.
    fn settle(&mut self) -> Refused<()> {
        self.refuse_failed()?;
        while self.beginning.chance == ChanceBy::Sampled && self.table.turn() == SeatTurn::Chance {
            self.sample()?;
        }
        Ok(())
    }

    fn refuse_failed(&self) -> Refused<()> {
        self.table
            .failure()
            .map_or(Ok(()), |failure| Err(failure.to_string()))
    }

    /// Plays the choices of the seats that are asked, by ascending seat.
    pub(super) fn act(&mut self, actions: &[&str]) -> Refused<()> {
        let asked = self.table.turn().asked();
        if asked.len() != actions.len() {
            return Err(format!(
                "{} seats are asked, not {}",
                asked.len(),
                actions.len()
            ));
        }
        let acts: Vec<(Seat, &str)> = asked.zip(actions.iter().copied()).collect();
        self.table
            .act(&acts)
            .map_err(|refusal| refusal.to_string())?;
        if let Some(events) = &mut self.events {
            let act = |&(seat, action): &(Seat, &str)| GameAct {
                seat,
                action: action.to_owned(),
            };
            events.push(GameEvent {
                acts: Some(acts.iter().map(act).collect()),
                chance: None,
            });
        }
        self.settle()
    }

    /// Samples an outcome of chance from the generator of this table.
    pub(super) fn sample(&mut self) -> Refused<()> {
        if self.table.turn() != SeatTurn::Chance {
            return Err("the table does not wait for chance".into());
        }
        let outcome =
            take_chance(&mut *self.table, &mut self.rng).map_err(|failure| failure.to_string())?;
        self.note_chance(outcome);
        Ok(())
    }

    /// Takes an outcome of chance.
    pub(super) fn chance(&mut self, outcome: &str) -> Refused<()> {
        self.table
            .chance(outcome)
            .map_err(|refusal| refusal.to_string())?;
        self.note_chance(outcome.to_owned());
        self.settle()
    }

    fn note_chance(&mut self, outcome: String) {
        if let Some(events) = &mut self.events {
            let outcome = RawValue::from_string(outcome).expect("an outcome is JSON");
            events.push(GameEvent {
                acts: None,
                chance: Some(outcome),
            });
        }
    }

    /// Takes an event as it was.
    fn take(&mut self, event: &GameEvent) -> Refused<()> {
        match event {
            GameEvent {
                acts: Some(acts),
                chance: None,
            } => {
                let acts: Vec<(Seat, &str)> =
                    acts.iter().map(|act| (act.seat, &*act.action)).collect();
                self.table
                    .act(&acts)
                    .map_err(|refusal| refusal.to_string())?;
            }
            GameEvent {
                acts: None,
                chance: Some(outcome),
            } => {
                self.table
                    .chance(outcome.get())
                    .map_err(|refusal| refusal.to_string())?;
            }
            _ => return Err("an event has either acts or chance".into()),
        }
        self.refuse_failed()?;
        if let Some(events) = &mut self.events {
            events.push(event.clone());
        }
        Ok(())
    }

    /// A match that has come as far as these events say.
    pub(super) fn restore(
        game: &dyn AnyGame,
        options: &str,
        seats: u8,
        chance: ChanceBy,
        seed: u64,
        events: &[GameEvent],
    ) -> Refused<Self> {
        // What chance did is among the events.
        let mut restored = PlayedTable::begin(game, options, seats, ChanceBy::Asked, seed)?;
        for (at, event) in events.iter().enumerate() {
            restored
                .take(event)
                .map_err(|why| format!("event {at}: {why}"))?;
        }
        restored.beginning.chance = chance;
        restored.settle()?;
        Ok(restored)
    }

    /// A copy, with a generator of its own if there is a seed.
    pub(super) fn copy(&self, seed: Option<u64>) -> Refused<Self> {
        let copy = PlayedTable {
            table: self.table.copy(),
            beginning: self.beginning.clone(),
            rng: seed.map_or_else(|| same(&self.rng), ChaCha8Rng::seed_from_u64),
            events: self.events.clone(),
        };
        copy.refuse_failed()?;
        Ok(copy)
    }

    /// A copy in which what the viewer does not know is sampled anew.
    pub(super) fn redealt(&self, viewer: Viewer, seed: u64) -> Refused<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let table = self.table.redeal(viewer, &mut rng);
        let has_secrets = table.info().secrets;
        let copy = PlayedTable {
            table,
            beginning: self.beginning.clone(),
            rng,
            events: self.events.clone().filter(|_| !has_secrets),
        };
        copy.refuse_failed()?;
        Ok(copy)
    }

    /// All that has happened.
    pub(super) fn events(&self) -> Refused<&[GameEvent]> {
        let events = self.events.as_deref();
        events.ok_or_else(|| "no events lead here, because what is hidden was dealt anew".into())
    }
}

/// A generator that goes on as this one does.
fn same(rng: &ChaCha8Rng) -> ChaCha8Rng {
    ChaCha8Rng::deserialize_state(&rng.serialize_state())
}
