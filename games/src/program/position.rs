//! A position as a program tells it, checked.

use flipside_protocol::game::{AskedSeat, GameState, WeightedOutcome};
use serde_json::value::RawValue;

use super::limits::{LONGEST_VIEW, check_action, check_object, check_outcome, quoted};
use super::processes::GameProcesses;
use crate::seats::{Outcome, Points, Seat, SeatTurn, Seats};

/// What a match waits for, as its program said last.
pub(super) struct Position {
    pub(super) turn: SeatTurn,
    /// The seats that choose, ascending.
    pub(super) asks: Vec<AskedSeat>,
    /// The outcomes that chance can have; none: the program samples.
    pub(super) outcomes: Option<Vec<WeightedOutcome>>,
    /// What everybody may see after the match.
    pub(super) open_view: Option<Box<RawValue>>,
    /// Which seats learn what has just happened.
    pub(super) seen: Option<Vec<Seats>>,
}

impl Position {
    /// Checks what a program says. `events` acts, or one outcome, led to it.
    pub(super) fn of(
        game: &GameProcesses,
        seats: u8,
        said: GameState,
        events: usize,
    ) -> Result<Self, String> {
        let seen = said.seen.map(|seen| seen_by(seen, seats, events));
        let seen = seen.transpose()?;
        let hides = |seen: &Vec<Seats>| seen.iter().any(|all| *all != Seats::first(seats));
        if !game.description.info.secrets && seen.as_ref().is_some_and(hides) {
            return Err("it hides an event, and says that there are no secrets".into());
        }
        let mut position = Position {
            turn: SeatTurn::Chance,
            asks: said.asks,
            outcomes: None,
            open_view: None,
            seen,
        };
        let info = game.description.info;
        position.turn = match (position.asks.is_empty(), said.chance, said.over) {
            (false, None, None) => SeatTurn::Seats(position.check_asks(game, seats)?),
            (true, Some(chance), None) => {
                if !info.chance {
                    return Err("it waits for chance, and the game has none".into());
                }
                position.outcomes = chance.outcomes;
                position.check_outcomes()?;
                SeatTurn::Chance
            }
            (true, None, Some(over)) => {
                if over.points.len() != usize::from(seats) {
                    let count = over.points.len();
                    return Err(format!("there are points for {count} of {seats} seats"));
                }
                check_object("the view of the end", &over.view, LONGEST_VIEW)?;
                position.open_view = Some(over.view);
                SeatTurn::Over(Outcome {
                    points: over.points.into_iter().collect::<Points>(),
                    reason: game.reason(&over.reason)?,
                })
            }
            _ => {
                let what = "a state has one of asks (not empty), chance and over";
                return Err(what.into());
            }
        };
        Ok(position)
    }

    fn check_asks(&self, game: &GameProcesses, seats: u8) -> Result<Seats, String> {
        let asks = &self.asks;
        if !asks.is_sorted_by(|one, next| one.seat < next.seat) {
            return Err("the seats that are asked are not ascending".into());
        }
        if let Some(other) = asks.iter().find(|asked| asked.seat >= seats) {
            return Err(format!(
                "seat {} is asked, and there are {seats}",
                other.seat
            ));
        }
        if asks.len() > 1 && !game.description.info.simultaneous {
            return Err("several seats are asked at once, and the game has turns".into());
        }
        for AskedSeat {
            seat,
            actions,
            view,
        } in asks
        {
            check_object(&format!("the view of seat {seat}"), view, LONGEST_VIEW)?;
            match (actions, game.description.lists) {
                (None, true) => return Err(format!("the actions of seat {seat} are not listed")),
                (Some(_), false) => {
                    return Err("it lists actions, and says that it does not".into());
                }
                (None, false) => {}
                (Some(actions), true) => {
                    if actions.is_empty() {
                        return Err(format!("seat {seat} is asked and has no actions"));
                    }
                    actions.iter().try_for_each(|action| check_action(action))?;
                    let mut pairs = actions.iter().zip(&actions[1..]);
                    if let Some((one, next)) = pairs.find(|(one, next)| one >= next) {
                        return Err(format!(
                            "the actions of seat {seat} are not in byte order, each once: {next:?} follows {one:?}"
                        ));
                    }
                }
            }
        }
        Ok(asks.iter().map(|asked| asked.seat).collect())
    }

    fn check_outcomes(&self) -> Result<(), String> {
        let Some(outcomes) = &self.outcomes else {
            return Ok(());
        };
        if outcomes.is_empty() {
            return Err("chance is due and has no outcomes".into());
        }
        let mut sum = 0u64;
        for WeightedOutcome { outcome, weight } in outcomes {
            check_outcome(outcome)?;
            if *weight == 0 {
                let outcome = quoted(outcome.get());
                return Err(format!("the weight of the outcome {outcome} is 0"));
            }
            sum += u64::from(*weight);
        }
        if sum > u64::from(u32::MAX) {
            return Err("the sum of the weights is over 2^32 - 1".into());
        }
        Ok(())
    }

    /// The seat as it is asked.
    pub(super) fn asked(&self, seat: Seat) -> Option<&AskedSeat> {
        self.asks.iter().find(|asked| asked.seat == seat)
    }
}

fn seen_by(seen: Vec<Vec<u8>>, seats: u8, events: usize) -> Result<Vec<Seats>, String> {
    if seen.len() != events {
        let count = seen.len();
        return Err(format!("seen has {count} lists, and {events} are due"));
    }
    if let Some(other) = seen.iter().flatten().find(|&&seat| seat >= seats) {
        return Err(format!("seen names seat {other}, and there are {seats}"));
    }
    Ok(seen.into_iter().map(Seats::from_iter).collect())
}
