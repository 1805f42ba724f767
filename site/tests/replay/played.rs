//! Records of random matches, made without bots.

use flipside_games::{AnyGame, Seat, SeatTurn, Table};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// What a match is to be like.
pub(crate) struct WantedMatch<'a> {
    pub(crate) game: &'static dyn AnyGame,
    pub(crate) options: String,
    pub(crate) seats: u8,
    pub(crate) seed: u64,
    /// The name of each bot, before its number.
    pub(crate) name: &'a str,
    /// The note of each action.
    pub(crate) note: Option<&'a str>,
}

impl<'a> WantedMatch<'a> {
    /// A short match.
    pub(crate) fn brief(game: &'static dyn AnyGame, seats: u8, seed: u64) -> Self {
        WantedMatch {
            game,
            options: game.brief(),
            seats,
            seed,
            name: "bot",
            note: None,
        }
    }

    /// Plays it, and returns its record.
    pub(crate) fn played(&self) -> String {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let setup = self.game.set_up(&self.options, self.seats).unwrap();
        let mut table = setup.table;
        let seats = (0..self.seats)
            .map(|seat| json!({ "bot": self.bot(seat), "kind": "person", "sha256": "" }));
        let mut record = line(&json!({
            "type": "match", "format": 1, "flipside": "0.1.0",
            "id": format!("{}-{}", self.game.info().id, self.seed),
            "game": self.game.info().id, "options": null, "clock": "move=10s",
            "limits": { "line": 65536, "memory": 268_435_456 },
            "isolation": "jail",
            "seats": seats.collect::<Vec<_>>(),
            "number": 0,
            "commitment": "0".repeat(64),
        }));
        // In their own order.
        let options = format!("\"options\":{}", setup.options);
        record = record.replace("\"options\":null", &options);
        let mut plies = 0;
        let outcome = loop {
            match table.turn() {
                SeatTurn::Over(outcome) => break outcome,
                SeatTurn::Chance => {
                    let mut event = Vec::new();
                    table.sample(&mut rng, &mut event);
                    let event = String::from_utf8(event).unwrap();
                    table.chance(&event).unwrap();
                    let event: Value = serde_json::from_str(&event).unwrap();
                    record += &line(&json!({ "type": "chance", "event": event }));
                }
                SeatTurn::Seats(asked) => {
                    let acts = self.acts(&mut *table, asked.into_iter(), &mut rng);
                    plies += acts.len();
                    record += &line(&json!({ "type": "acts", "acts": acts }));
                }
            }
        };
        let points: Vec<i32> = outcome.points.to_vec();
        let place = |mine: &i32| 1 + points.iter().filter(|other| *other > mine).count();
        record += &line(&json!({
            "type": "over", "points": points, "places": points.iter().map(place).collect::<Vec<_>>(),
            "reason": outcome.reason, "plies": plies, "seed": "0".repeat(64),
        }));
        let sum = hex::encode(Sha256::digest(&record));
        record + &line(&json!({ "type": "end", "sha256": sum }))
    }

    fn bot(&self, seat: Seat) -> String {
        format!("{}{seat}", self.name)
    }

    /// Chooses for all seats that are asked.
    fn acts(
        &self,
        table: &mut dyn Table,
        asked: impl Iterator<Item = Seat>,
        rng: &mut ChaCha8Rng,
    ) -> Vec<Value> {
        let mut acts = Vec::new();
        for seat in asked {
            let mut action = String::new();
            table.random_action(seat, rng, &mut action);
            table.choose(seat, &action).unwrap();
            let us: u32 = rng.random_range(1..2_000_000);
            let mut act = json!({ "seat": seat, "action": action, "us": us });
            if let Some(note) = self.note {
                act["note"] = note.into();
            }
            acts.push(act);
        }
        table.play().unwrap();
        acts
    }
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}
