//! Expectimax for FLIP 4, over all rolls of the dice. Each seat takes what is best for itself, so it
//! plays with any number of seats.
//!
//! An action leads to the same position whatever roll allowed it, except that doubles may reverse the
//! order of play. So a position looks at each action once or twice, and not once for each roll.

use flipside_bot::evaluation::flip4::{Flip4Layout, LineScore};
use flipside_bot::evaluation::{ExpectedScores, settled};
use flipside_bot::{Error, MatchContext, SessionPlayer, view};
use flipside_games::chance::shuffle;
use flipside_games::flip4::Direction;
use flipside_games::{Event, Flip4, Game, MAX_SEATS, Outcome, Seat, SeatTurn};
use flipside_protocol::{Hello, Turn as Question};

/// The faces of a die.
const FACES: u8 = 6;

type Flip4Act = <Flip4 as Game>::Action;
type ExpectimaxSample = <Flip4 as Game>::Chance;

/// Begins a match, in which the bot looks so many turns ahead.
pub(super) fn begin(turns: u32, hello: &Hello) -> Result<Box<dyn SessionPlayer>, Error> {
    let place = MatchContext::of(hello)?;
    let table = place.start()?;
    Ok(Box::new(Flip4Player {
        place,
        rolls: rolls(&table),
        layout: Flip4Layout::of(&table),
        step: 1,
        turns,
    }))
}

/// A roll of the dice in any order, as an outcome of chance.
struct Flip4Roll {
    sample: ExpectimaxSample,
    is_double: bool,
    /// In how many of the 36 ways it falls.
    ways: f64,
}

/// Returns all rolls.
fn rolls(table: &Flip4) -> Vec<Flip4Roll> {
    let pairs = (1..=FACES).flat_map(|one| (one..=FACES).map(move |other| (one, other)));
    pairs
        .map(|(one, other)| Flip4Roll {
            sample: table
                .read_chance(&format!(r#"{{"roll":[{one},{other}]}}"#))
                .expect("a roll is an outcome of chance"),
            is_double: one == other,
            ways: if one == other { 1.0 } else { 2.0 },
        })
        .collect()
}

/// The bot in a match.
struct Flip4Player {
    place: MatchContext<Flip4>,
    rolls: Vec<Flip4Roll>,
    layout: Flip4Layout,
    /// What leads from a seat to the next, modulo their number.
    step: u8,
    turns: u32,
}

impl SessionPlayer for Flip4Player {
    fn choose(&mut self, turn: &Question, action: &mut String) -> Result<(), Error> {
        let view = view::<Flip4>(turn)?;
        self.step = match view.direction {
            Direction::Ascending => 1,
            Direction::Descending => self.place.seats - 1,
        };
        let state = self.place.state(&view)?;
        let mut actions = self.place.actions(&state)?;
        let chosen = self.best(&state, &mut actions);
        state.write_action(chosen, action);
        Ok(())
    }
}

/// What follows a roll, as far as it has been looked at: the prospects after an action, or after a
/// turn that is lost.
#[derive(Default)]
struct ChoiceCache(Vec<(Option<Flip4Act>, bool, ExpectedScores)>);

impl ChoiceCache {
    fn or_look(
        &mut self,
        action: Option<Flip4Act>,
        is_double: bool,
        look: impl FnOnce() -> ExpectedScores,
    ) -> ExpectedScores {
        let known =
            |it: &&(Option<Flip4Act>, bool, ExpectedScores)| (it.0, it.1) == (action, is_double);
        if let Some((.., prospects)) = self.0.iter().find(known) {
            return *prospects;
        }
        let prospects = look();
        self.0.push((action, is_double, prospects));
        prospects
    }
}

impl Flip4Player {
    /// Chooses one of the legal actions. All are looked at a few turns ahead, and only the best of
    /// those further. Sorts the actions.
    fn best(&mut self, state: &Flip4, actions: &mut Vec<Flip4Act>) -> Flip4Act {
        /// By the number of turns, how many actions are looked at so far ahead.
        const KEPT: [usize; 7] = [usize::MAX, usize::MAX, usize::MAX, 6, 4, 3, 2];
        shuffle(&mut self.place.rng, actions);
        let seat = self.place.seat;
        let own = usize::from(seat);
        for turns in 1..=self.turns {
            actions.truncate(KEPT[(turns as usize).min(KEPT.len() - 1)]);
            if actions.len() == 1 {
                break;
            }
            let mut rated: Vec<_> = actions
                .iter()
                .map(|&action| (self.after(state, seat, action, turns)[own], action))
                .collect();
            rated.sort_by(|(one, _), (other, _)| other.total_cmp(one));
            actions.clear();
            actions.extend(rated.into_iter().map(|(_, action)| action));
        }
        actions[0]
    }

    /// Returns what all may expect after an action, of so many turns ahead.
    fn after(&self, state: &Flip4, seat: Seat, action: Flip4Act, turns: u32) -> ExpectedScores {
        let mut next = state.clone();
        next.apply(Event::Acts(&[(seat, action)]));
        self.before_a_roll(&next, self.after_seat(seat), turns - 1)
    }

    /// Returns what all may expect of a table that waits for a roll, or whose match is over.
    ///
    /// `seat` is the one that rolls. After a double of more than two seats it may be another.
    fn before_a_roll(&self, state: &Flip4, seat: Seat, turns: u32) -> ExpectedScores {
        match state.turn() {
            SeatTurn::Over(Outcome { points, .. }) => return settled(state, &points),
            _ if turns == 0 => return self.judged(state, seat),
            _ => {}
        }
        let is_placing = is_placing(state);
        let mut known = ChoiceCache::default();
        let (mut total, mut ways) = ([0.0; MAX_SEATS], 0.0);
        let mut actions = Vec::new();
        for roll in &self.rolls {
            let mut rolled = state.clone();
            rolled.apply(Event::Chance(&roll.sample));
            let is_double = roll.is_double && self.place.seats > 2;
            let prospects = match rolled.turn() {
                SeatTurn::Seats(seats) => {
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
                SeatTurn::Chance if is_placing => continue,
                SeatTurn::Chance | SeatTurn::Over(_) => known.or_look(None, is_double, || {
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

impl Flip4Player {
    fn after_seat(&self, seat: Seat) -> Seat {
        (seat + self.step) % self.place.seats
    }

    /// Returns what all may expect of a table that waits for the roll of a seat: first each seat in turn
    /// completes a line or does not, and then the lines count.
    fn judged(&self, state: &Flip4, roller: Seat) -> ExpectedScores {
        /// What a likely completion is worth beyond the next roll.
        const LASTING: f64 = 2.0;
        let seats = self.place.seats;
        let pieces = |seat| state.pieces(seat).bits();
        let all = (0..seats).fold(0, |all, seat| all | pieces(seat));
        let mut looks = [LineScore::default(); MAX_SEATS];
        for seat in 0..seats {
            looks[usize::from(seat)] = self.layout.look(pieces(seat), all);
        }
        let rivals = f64::from(seats - 1);
        // Of those who do not win, each ties with the others.
        let beaten = 0.5 * (rivals - 1.0) / rivals;
        let mut prospects = [0.0; MAX_SEATS];
        let mut open = 1.0;
        let mut seat = roller;
        for _ in 0..seats {
            let wins = open * looks[usize::from(seat)].completes;
            for (other, prospect) in (0..seats).zip(&mut prospects) {
                *prospect += wins * if other == seat { 1.0 } else { beaten };
            }
            open -= wins;
            seat = self.after_seat(seat);
        }
        let worth = looks.map(|look| look.lines + LASTING * look.completes);
        let total: f64 = worth[..usize::from(seats)].iter().sum();
        for (prospect, own) in prospects.iter_mut().zip(worth).take(seats.into()) {
            let lead = own - (total - own) / rivals;
            *prospect += open * (0.5 + 0.5 * lead / (4.0 + lead * lead).sqrt());
        }
        prospects
    }
}

/// Returns whether pieces are still placed.
fn is_placing(state: &Flip4) -> bool {
    const PIECES: usize = 4;
    (0..state.seats()).any(|seat| state.pieces(seat).len() < PIECES)
}
