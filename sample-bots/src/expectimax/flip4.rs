//! Expectimax for FLIP 4, over all rolls of the dice. Each seat takes what is best for itself, so it
//! plays with any number of seats.
//!
//! An action leads to the same position whatever roll allowed it, except that doubles may reverse the
//! order of play. So a position looks at each action once or twice, and not once for each roll.

use flipside_games::chance::below;
use flipside_games::flip4::Direction;
use flipside_games::{Event, Flip4, Game, MAX_SEATS, Outcome, Seat, Turn, Viewer};
use flipside_protocol::{Hello, Turn as Question};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Deserialize;

use crate::evaluation::flip4::{Layout, Look};
use crate::evaluation::{Prospects, settled};
use crate::{Brain, Error};

/// The faces of a die.
const FACES: u8 = 6;

type Options = <Flip4 as Game>::Options;
type Action = <Flip4 as Game>::Action;
type Sample = <Flip4 as Game>::Chance;

/// Begins a match, in which the bot looks so many turns ahead.
pub(super) fn begin(turns: u32, hello: &Hello) -> Result<Box<dyn Brain>, Error> {
    let options: Options = serde_json::from_str(hello.options.get())
        .map_err(|error| Error::Options(error.to_string()))?;
    let table =
        Flip4::new(&options, hello.seats).map_err(|error| Error::Options(error.to_string()))?;
    Ok(Box::new(Seated {
        options,
        seats: hello.seats,
        seat: hello.seat,
        rng: ChaCha8Rng::seed_from_u64(hello.seed),
        rolls: rolls(&table),
        layout: Layout::of(&table),
        step: 1,
        turns,
    }))
}

/// A roll of the dice in any order, as an outcome of chance.
struct Roll {
    sample: Sample,
    is_double: bool,
    /// In how many of the 36 ways it falls.
    ways: f64,
}

/// Returns all rolls.
fn rolls(table: &Flip4) -> Vec<Roll> {
    let pairs = (1..=FACES).flat_map(|one| (one..=FACES).map(move |other| (one, other)));
    pairs
        .map(|(one, other)| Roll {
            sample: table
                .read_chance(&format!(r#"{{"roll":[{one},{other}]}}"#))
                .expect("a roll is an outcome of chance"),
            is_double: one == other,
            ways: if one == other { 1.0 } else { 2.0 },
        })
        .collect()
}

/// The bot in a match.
struct Seated {
    options: Options,
    seats: u8,
    seat: Seat,
    rng: ChaCha8Rng,
    rolls: Vec<Roll>,
    layout: Layout,
    /// What leads from a seat to the next, modulo their number.
    step: u8,
    turns: u32,
}

impl Brain for Seated {
    fn choose(&mut self, turn: &Question, action: &mut String) -> Result<(), Error> {
        let view = serde_json::from_str(turn.view.get())
            .map_err(|error| Error::Turn(error.to_string()))?;
        let viewer = Viewer::Seat(self.seat);
        self.step = match read_direction(turn)? {
            Direction::Ascending => 1,
            Direction::Descending => self.seats - 1,
        };
        let state = Flip4::from_view(&self.options, self.seats, viewer, &view, &mut self.rng)
            .map_err(|error| Error::Turn(error.to_string()))?;
        let mut actions = Vec::new();
        state.actions(self.seat, &mut actions);
        if actions.is_empty() {
            return Err(Error::Turn("this seat has nothing to do".into()));
        }
        let chosen = self.best(&state, &mut actions);
        state.write_action(chosen, action);
        Ok(())
    }
}

/// What follows a roll, as far as it has been looked at: the prospects after an action, or after a
/// turn that is lost.
#[derive(Default)]
struct Known(Vec<(Option<Action>, bool, Prospects)>);

impl Known {
    fn or_look(
        &mut self,
        action: Option<Action>,
        is_double: bool,
        look: impl FnOnce() -> Prospects,
    ) -> Prospects {
        let known = |it: &&(Option<Action>, bool, Prospects)| (it.0, it.1) == (action, is_double);
        if let Some((.., prospects)) = self.0.iter().find(known) {
            return *prospects;
        }
        let prospects = look();
        self.0.push((action, is_double, prospects));
        prospects
    }
}

impl Seated {
    /// Chooses one of the legal actions. All are looked at a few turns ahead, and only the best of
    /// those further. Sorts the actions.
    fn best(&mut self, state: &Flip4, actions: &mut Vec<Action>) -> Action {
        /// By the number of turns, how many actions are looked at so far ahead.
        const KEPT: [usize; 7] = [usize::MAX, usize::MAX, usize::MAX, 6, 4, 3, 2];
        for at in (1..actions.len()).rev() {
            let other = below(&mut self.rng, at as u32 + 1) as usize;
            actions.swap(at, other);
        }
        let own = usize::from(self.seat);
        for turns in 1..=self.turns {
            actions.truncate(KEPT[(turns as usize).min(KEPT.len() - 1)]);
            if actions.len() == 1 {
                break;
            }
            let mut rated: Vec<_> = actions
                .iter()
                .map(|&action| (self.after(state, self.seat, action, turns)[own], action))
                .collect();
            rated.sort_by(|(one, _), (other, _)| other.total_cmp(one));
            actions.clear();
            actions.extend(rated.into_iter().map(|(_, action)| action));
        }
        actions[0]
    }

    /// Returns what all may expect after an action, of so many turns ahead.
    fn after(&self, state: &Flip4, seat: Seat, action: Action, turns: u32) -> Prospects {
        let mut next = state.clone();
        next.apply(Event::Acts(&[(seat, action)]));
        self.before_a_roll(&next, self.after_seat(seat), turns - 1)
    }

    /// Returns what all may expect of a table that waits for a roll, or whose match is over.
    ///
    /// `seat` is the one that rolls. After a double of more than two seats it may be another.
    fn before_a_roll(&self, state: &Flip4, seat: Seat, turns: u32) -> Prospects {
        match state.turn() {
            Turn::Over(Outcome { points, .. }) => return settled(state, &points),
            _ if turns == 0 => return self.judged(state, seat),
            _ => {}
        }
        let is_placing = is_placing(state);
        let mut known = Known::default();
        let (mut total, mut ways) = ([0.0; MAX_SEATS], 0.0);
        let mut actions = Vec::new();
        for roll in &self.rolls {
            let mut rolled = state.clone();
            rolled.apply(Event::Chance(&roll.sample));
            let is_double = roll.is_double && self.seats > 2;
            let prospects = match rolled.turn() {
                Turn::Seats(seats) => {
                    let seat = seats.lowest().expect("a turn asks somebody");
                    rolled.actions(seat, &mut actions);
                    let each = actions.iter().map(|&action| {
                        known.or_look(Some(action), is_double, || {
                            self.after(&rolled, seat, action, turns)
                        })
                    });
                    each.max_by(|one, other| {
                        one[usize::from(seat)].total_cmp(&other[usize::from(seat)])
                    })
                    .expect("a seat that is asked has an action")
                }
                // The same seat rolls again, with the same chances.
                Turn::Chance if is_placing => continue,
                Turn::Chance | Turn::Over(_) => known.or_look(None, is_double, || {
                    self.before_a_roll(&rolled, self.after_seat(seat), turns - 1)
                }),
            };
            for (sum, prospect) in total.iter_mut().zip(prospects) {
                *sum += roll.ways * prospect;
            }
            ways += roll.ways;
        }
        if ways == 0.0 {
            return self.judged(state, seat);
        }
        total.map(|sum| sum / ways)
    }
}

impl Seated {
    fn after_seat(&self, seat: Seat) -> Seat {
        (seat + self.step) % self.seats
    }

    /// Returns what all may expect of a table that waits for the roll of a seat: first each seat in turn
    /// completes a line or does not, and then the lines count.
    fn judged(&self, state: &Flip4, roller: Seat) -> Prospects {
        /// What a likely completion is worth beyond the next roll.
        const LASTING: f64 = 2.0;
        let pieces = |seat| state.pieces(seat).bits();
        let all = (0..self.seats).fold(0, |all, seat| all | pieces(seat));
        let mut looks = [Look::default(); MAX_SEATS];
        for seat in 0..self.seats {
            looks[usize::from(seat)] = self.layout.look(pieces(seat), all);
        }
        let rivals = f64::from(self.seats - 1);
        // Of those who do not win, each ties with the others.
        let beaten = 0.5 * (rivals - 1.0) / rivals;
        let mut prospects = [0.0; MAX_SEATS];
        let mut open = 1.0;
        let mut seat = roller;
        for _ in 0..self.seats {
            let wins = open * looks[usize::from(seat)].completes;
            for (other, prospect) in (0..self.seats).zip(&mut prospects) {
                *prospect += wins * if other == seat { 1.0 } else { beaten };
            }
            open -= wins;
            seat = self.after_seat(seat);
        }
        let worth = looks.map(|look| look.lines + LASTING * look.completes);
        let total: f64 = worth[..usize::from(self.seats)].iter().sum();
        for (prospect, own) in prospects.iter_mut().zip(worth).take(self.seats.into()) {
            let lead = own - (total - own) / rivals;
            *prospect += open * (0.5 + 0.5 * lead / (4.0 + lead * lead).sqrt());
        }
        prospects
    }
}

/// Reads the order of play from a view.
fn read_direction(turn: &Question) -> Result<Direction, Error> {
    #[derive(Deserialize)]
    struct View {
        direction: Direction,
    }
    serde_json::from_str(turn.view.get())
        .map(|View { direction }| direction)
        .map_err(|error| Error::Turn(error.to_string()))
}

/// Returns whether pieces are still placed.
fn is_placing(state: &Flip4) -> bool {
    const PIECES: usize = 4;
    (0..state.seats()).any(|seat| state.pieces(seat).len() < PIECES)
}
