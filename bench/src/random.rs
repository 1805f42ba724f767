//! Random matches without bots: how long a match is, and how long a question.

use flipside_games::{Seat, SeatTurn, Table, Viewer};
use flipside_operations::{Failure, Result, find_game};
use flipside_protocol::{TurnText, write_turn};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// How many matches are looked at.
const MATCHES: u64 = 20;

/// What random matches of a board game are like on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BenchRandom {
    /// The length of a question: the yardsticks get lines of that length.
    pub(crate) question_bytes: usize,
    /// The plies of a match.
    pub(crate) plies: f64,
}

impl BenchRandom {
    pub(crate) fn of(game: &str) -> Result<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let (mut bytes, mut questions) = (0, 0);
        for _ in 0..MATCHES {
            let setup = find_game(game)?.set_up("{}", 2).map_err(Failure::new)?;
            let mut table = setup.table;
            while let SeatTurn::Seats(seats) = table.turn() {
                let seat = seats.lowest().expect("a turn asks somebody");
                bytes += question(&mut *table, seat, questions).len();
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

/// The line of a question, with its newline.
fn question(table: &mut dyn Table, seat: Seat, id: u64) -> Vec<u8> {
    let (mut line, mut actions, mut view) = (Vec::new(), Vec::new(), Vec::new());
    table.write_actions(seat, &mut actions);
    table.write_view(Viewer::Seat(seat), &mut view);
    let turn = TurnText {
        actions: Some(&actions),
        clocks: &vec![10_000; table.seats().into()],
        fuel: None,
        charged: None,
        view: &view,
        events: None,
    };
    write_turn(&mut line, id, &turn);
    line
}
