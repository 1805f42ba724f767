//! Random matches without bots: how long a match is, and how long a question.

use flipside_games::SeatTurn;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::failure::{Failure, Result};
use crate::games::find_game;
use crate::tables::turn_line;

/// How many matches are looked at.
const MATCHES: u64 = 20;

/// What random matches of a board game are like on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BenchRandom {
    /// The length of a question: the yardsticks get lines of that length.
    pub(super) question_bytes: usize,
    /// The plies of a match.
    pub(super) plies: f64,
}

impl BenchRandom {
    pub(super) fn of(game: &str) -> Result<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let (mut bytes, mut questions) = (0, 0);
        for _ in 0..MATCHES {
            let setup = find_game(game)?.set_up("{}", 2).map_err(Failure::new)?;
            let mut table = setup.table;
            while let SeatTurn::Seats(seats) = table.turn() {
                let seat = seats.lowest().expect("a turn asks somebody");
                let (line, _) = turn_line(&mut *table, seat, questions, 10_000, true, None);
                bytes += line.len() + 1;
                questions += 1;
                let mut action = String::new();
                table.random_action(seat, &mut rng, &mut action);
                table.act(&[(seat, &action)]).map_err(Failure::new)?;
            }
        }
        Ok(BenchRandom {
            question_bytes: bytes / questions.max(1) as usize,
            plies: questions as f64 / MATCHES as f64,
        })
    }
}
