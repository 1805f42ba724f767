//! The notations of all games: what bots answer, and the draws of records.
//!
//! The first line names a game, a number of seats and a preset; each further line is read as an
//! action and as a draw, in a match that goes on with it where the rules allow that and at random
//! otherwise.

use flipside_games::{Event, Game, SeatTurn, Visitor, visit};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::heads::{first_line, game_and_seats};

/// The most lines that are taken.
const MAX_LINES: usize = 100;

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let (head, lines) = first_line(text);
    if let Some((game, seats, preset)) = game_and_seats(head) {
        visit(
            game.info().id,
            Match {
                seats,
                preset,
                lines,
            },
        )
        .expect("it was found");
    }
}

struct Match<'a> {
    seats: u8,
    preset: &'a str,
    lines: &'a str,
}

impl Visitor for Match<'_> {
    type Out = ();

    fn visit<G: Game>(self) {
        if !G::INFO.seats.contains(&self.seats) {
            return;
        }
        let preset = G::presets()
            .into_iter()
            .find(|(name, _)| *name == self.preset);
        let options = preset.map(|(_, options)| options).unwrap_or_default();
        // A preset may be for other seats.
        let Ok(mut game) = G::new(&options, self.seats) else {
            return;
        };
        let notation = regex_lite::Regex::new(&format!("^(?:{})$", G::NOTATION))
            .expect("a notation is a regular expression");
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut legal = Vec::new();
        for line in self.lines.lines().take(MAX_LINES) {
            let action = game.read_action(line).ok();
            if let Some(action) = action {
                let written = write(&game, action);
                assert_eq!(game.read_action(&written), Ok(action), "{line:?}");
                assert!(notation.is_match(&written), "{line:?} is {written:?}");
            }
            if let Ok(draw) = game.read_chance(line) {
                let mut written = Vec::new();
                game.write_chance(&draw, &mut written);
                let written = String::from_utf8(written).expect("JSON is UTF-8");
                let again = game.read_chance(&written).expect("it was written");
                assert_eq!(format!("{again:?}"), format!("{draw:?}"), "{line:?}");
                if game.turn() == SeatTurn::Chance && game.check_chance(&draw).is_ok() {
                    game.apply(Event::Chance(&draw));
                    continue;
                }
            }
            match game.turn() {
                SeatTurn::Over(_) => return,
                SeatTurn::Chance => {
                    let draw = game.sample(&mut rng);
                    game.apply(Event::Chance(&draw));
                }
                SeatTurn::Seats(asked) => {
                    let mut acts = Vec::new();
                    for seat in asked {
                        game.actions(seat, &mut legal);
                        let listed = action.filter(|action| legal.contains(action));
                        assert_eq!(
                            listed,
                            action.filter(|&action| game.check(seat, action).is_ok()),
                            "seat {seat}, {line:?}"
                        );
                        let any = legal[line.len() % legal.len()];
                        acts.push((seat, listed.unwrap_or(any)));
                    }
                    game.apply(Event::Acts(&acts));
                }
            }
        }
    }
}

fn write<G: Game>(game: &G, action: G::Action) -> String {
    let mut text = String::new();
    game.write_action(action, &mut text);
    text
}
