//! Many tables that are played together, as arrays.

use flipside_games::{AnyGame, SeatTurn, Table};
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use serde_json::json;

use super::messages::put;
use super::played::Refused;
use super::vocabulary::Vocabulary;
use crate::game_table::take_chance;

/// In place of a seat: the match is over.
const NOBODY: u8 = 255;

/// In place of an action: the match is over, and another begins.
const NO_ACTION: i64 = -1;

/// Tables that are played together. Where a match is over, the next one begins with the generator as it is.
pub(super) struct Batch {
    tables: Vec<(Box<dyn Table>, ChaCha8Rng)>,
    /// A match that has just begun.
    start: Box<dyn Table>,
    /// The bytes of the legal actions of a table.
    legal_bytes: usize,
    asked: Vec<u8>,
    legal: Vec<u8>,
    observations: Vec<u8>,
    points: Vec<u8>,
    list: Vec<u8>,
}

impl Batch {
    pub(super) fn begin(
        game: &'static dyn AnyGame,
        vocabulary: &Vocabulary,
        options: &str,
        seats: u8,
        tables: u32,
        seed: u64,
    ) -> Refused<Self> {
        if game.info().simultaneous {
            return Err(
                "seats of this game choose at once, so it has no batch; use reset and step".into(),
            );
        }
        if game.observation_form().is_none() {
            return Err(
                "what a seat sees of this game is no array, so it has no batch; use reset and step"
                    .into(),
            );
        }
        let start = game
            .set_up(options, seats)
            .map_err(|error| error.to_string())?
            .table;
        let mut begun = Vec::with_capacity(tables as usize);
        for seed in (seed..).take(tables as usize) {
            begun.push((start.copy(), ChaCha8Rng::seed_from_u64(seed)));
        }
        let mut batch = Batch {
            tables: begun,
            start,
            legal_bytes: vocabulary.len().div_ceil(8),
            asked: Vec::new(),
            legal: Vec::new(),
            observations: Vec::new(),
            points: Vec::new(),
            list: Vec::new(),
        };
        batch.settle()?;
        batch.look(vocabulary)?;
        Ok(batch)
    }

    /// Plays an action at each table.
    pub(super) fn play(&mut self, vocabulary: &Vocabulary, actions: &[i64]) -> Refused<()> {
        if actions.len() != self.tables.len() {
            return Err(format!(
                "the batch has {} tables, and there are {} actions",
                self.tables.len(),
                actions.len()
            ));
        }
        for (table, &action) in actions.iter().enumerate() {
            if !self.may_play(table, action) {
                return Err(format!(
                    "at the table {table}, {action} is not the index of a legal action"
                ));
            }
        }
        for ((table, _), &action) in self.tables.iter_mut().zip(actions) {
            if action == NO_ACTION {
                *table = self.start.copy();
                continue;
            }
            let seat = table.turn().asked().lowest().ok_or("somebody was asked")?;
            let action = u32::try_from(action)
                .ok()
                .and_then(|index| vocabulary.action(index));
            let action = action.ok_or("it was legal")?;
            table
                .act(&[(seat, action)])
                .map_err(|refusal| refusal.to_string())?;
        }
        self.settle()?;
        self.look(vocabulary)
    }

    fn may_play(&self, table: usize, action: i64) -> bool {
        if self.asked[table] == NOBODY {
            return action == NO_ACTION;
        }
        let Ok(index) = usize::try_from(action) else {
            return false;
        };
        let legal = &self.legal[table * self.legal_bytes..][..self.legal_bytes];
        legal
            .get(index / 8)
            .is_some_and(|byte| byte & bit(index) != 0)
    }

    /// Lets chance take its turns.
    fn settle(&mut self) -> Refused<()> {
        for (table, rng) in &mut self.tables {
            while table.turn() == SeatTurn::Chance {
                take_chance(&mut **table, rng).map_err(|failure| failure.to_string())?;
            }
        }
        Ok(())
    }

    /// Writes the arrays anew.
    fn look(&mut self, vocabulary: &Vocabulary) -> Refused<()> {
        for array in [&mut self.asked, &mut self.observations, &mut self.points] {
            array.clear();
        }
        self.legal.clear();
        self.legal.resize(self.tables.len() * self.legal_bytes, 0);
        for ((table, _), legal) in self
            .tables
            .iter_mut()
            .zip(self.legal.chunks_exact_mut(self.legal_bytes))
        {
            let turn = table.turn();
            let asked = turn.asked().lowest();
            self.asked.push(asked.unwrap_or(NOBODY));
            if let Some(seat) = asked {
                self.list.clear();
                table.write_actions(seat, &mut self.list);
                mark(vocabulary, &self.list, legal)?;
            }
            table.write_observation(asked.unwrap_or_default(), &mut self.observations);
            match turn {
                SeatTurn::Over(outcome) => {
                    self.points.extend(
                        outcome
                            .points
                            .iter()
                            .flat_map(|points| points.to_le_bytes()),
                    );
                }
                _ => self
                    .points
                    .resize(self.points.len() + 4 * usize::from(table.seats()), 0),
            }
        }
        Ok(())
    }

    /// Appends the answer: a line that says how long the arrays are, and the arrays, one after the other.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        let line = json!({
            "type": "arrays",
            "asked": self.asked.len(),
            "legal": self.legal.len(),
            "observations": self.observations.len(),
            "points": self.points.len(),
        });
        put(out, &line);
        out.push(b'\n');
        for array in [&self.asked, &self.legal, &self.observations, &self.points] {
            out.extend_from_slice(array);
        }
    }
}

/// Sets the bits of the actions that a list names. Actions of built-in games need no escapes.
fn mark(vocabulary: &Vocabulary, list: &[u8], legal: &mut [u8]) -> Refused<()> {
    let text = std::str::from_utf8(list).map_err(|error| error.to_string())?;
    for action in text.split('"').skip(1).step_by(2) {
        let index = vocabulary.index(action);
        let index = index
            .ok_or_else(|| format!("the game lists {action:?}, which is not in its notation"))?;
        legal[index as usize / 8] |= bit(index as usize);
    }
    Ok(())
}

/// The first index of a byte is its highest bit.
fn bit(index: usize) -> u8 {
    0x80 >> (index % 8)
}
