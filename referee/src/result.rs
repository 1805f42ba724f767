//! What came of a match. The referee, the verifier and tournaments all pass on the same [`MatchResult`].

use std::time::Duration;

use flipside_games::{Seat, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::{Listener, MatchEvent};
use crate::fault::Fault;
use crate::record::{Line, Record};
use crate::traffic::Exchanged;
use crate::verify::VerifyError;

/// What came of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchResult {
    /// Why it ended: the game's reason, `fault`, or `forfeit`.
    pub reason: String,
    /// Actions taken, of all seats, with those of the opening and of stand-ins.
    pub plies: u64,
    /// How each seat fared.
    pub seats: Vec<SeatResult>,
}

/// How a seat fared.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct SeatResult {
    /// Its points; more is better.
    pub points: i32,
    /// Its place, from 1; equal is a tie, and the place after a tie of two is two further.
    pub place: u8,
    /// What its bot did wrong, if anything.
    pub fault: Option<SeatFault>,
    /// The time that its bot used, in microseconds.
    pub used_us: u64,
    /// Actions of its bot.
    pub plies: u64,
}

/// What a bot did wrong, in a result.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatFault {
    /// The name of the fault.
    pub name: String,
    /// What happened, in words.
    pub detail: String,
}

/// A match that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// What came of it.
    pub result: MatchResult,
    /// What was seen of each seat's bot.
    pub seats: Vec<SeatTrace>,
    /// The record: JSON lines.
    pub record: String,
}

/// What was seen of a seat's bot, beside its result.
#[derive(Clone, Debug, Default)]
pub struct SeatTrace {
    /// If it was seen computing on the turns of others, how much CPU time it was seen to use there.
    pub pondered: Option<Duration>,
    /// If [`Referee::looking_for_files`](crate::Referee::looking_for_files): the names of some files that it made in
    /// its working directory, and that vanish with its jail.
    pub files: Vec<String>,
    /// The end of what it wrote to its standard error in this match: at most
    /// [`STDERR_TAIL`](flipside_sandbox::STDERR_TAIL) bytes, after a "…" where there was more.
    pub stderr: String,
    /// What it did wrong, with all that shows it.
    pub fault: Option<Fault>,
    /// If it did, the last lines that were said between the referee and it.
    pub traffic: Vec<Exchanged>,
}

/// The largest number that a journal keeps.
pub const LARGEST_NUMBER: u64 = i64::MAX as u64;

impl MatchResult {
    /// Returns a result that tells nothing but the places by seat.
    pub fn of_places(places: impl IntoIterator<Item = u8>) -> Self {
        let seat = |place| SeatResult {
            place,
            ..SeatResult::default()
        };
        MatchResult {
            seats: places.into_iter().map(seat).collect(),
            ..MatchResult::default()
        }
    }

    /// Returns the points by seat.
    pub fn points(&self) -> Vec<i32> {
        self.seats.iter().map(|seat| seat.points).collect()
    }

    /// Returns the places by seat.
    pub fn places(&self) -> Vec<u8> {
        self.seats.iter().map(|seat| seat.place).collect()
    }
}

impl SeatResult {
    fn acted(&mut self, us: u64) {
        self.plies += 1;
        self.used_us = self.used_us.saturating_add(us);
    }
}

impl Record {
    /// Returns the result that the record tells. Whether that is true is [`verify`](crate::verify)'s question.
    ///
    /// # Errors
    /// When a line names a seat that is not there or the times add up to more than 2⁶³ µs, or when the last line
    /// has not a result for every seat.
    pub fn result(&self) -> Result<MatchResult, VerifyError> {
        let over = &self.over;
        let mut seats = vec![SeatResult::default(); self.header.seats.len()];
        for (number, line) in &self.lines {
            count(&mut seats, line).map_err(|what| VerifyError::Line {
                line: *number,
                what: what.into(),
            })?;
        }
        if over.points.len().min(over.places.len()) < seats.len() {
            return Err(VerifyError::End(
                "it has not a result for every seat".into(),
            ));
        }
        for (seat, (&points, &place)) in seats.iter_mut().zip(over.points.iter().zip(&over.places))
        {
            (seat.points, seat.place) = (points, place);
        }
        Ok(MatchResult {
            reason: over.reason.clone(),
            plies: over.plies,
            seats,
        })
    }
}

/// Counts what a line of a record tells of the seats.
fn count(seats: &mut [SeatResult], line: &Line) -> Result<(), &'static str> {
    match line {
        Line::Acts { acts } => {
            for act in acts {
                let seat = seat_of(seats, act.seat)?;
                // The referee acted for who had fallen.
                let Some(us) = act.us else { continue };
                seat.acted(us);
                if seat.used_us > LARGEST_NUMBER {
                    return Err("its times are too long");
                }
            }
        }
        Line::Fault(fault) => {
            seat_of(seats, fault.seat)?.fault = Some(SeatFault {
                name: fault.fault.name().into(),
                detail: fault.detail.clone(),
            });
        }
        _ => {}
    }
    Ok(())
}

fn seat_of(seats: &mut [SeatResult], number: Seat) -> Result<&mut SeatResult, &'static str> {
    let seat = seats.get_mut(usize::from(number));
    seat.ok_or("its record has a seat too many")
}

/// Counts how the seats fare while the match runs.
#[derive(Debug)]
pub(crate) struct Tally {
    /// Their results, still without points and places.
    pub(crate) seats: Vec<SeatResult>,
    pub(crate) traces: Vec<SeatTrace>,
}

impl Tally {
    pub(crate) fn new(seats: usize) -> Self {
        Tally {
            seats: vec![SeatResult::default(); seats],
            traces: vec![SeatTrace::default(); seats],
        }
    }
}

impl Listener for Tally {
    fn hear(&mut self, event: &MatchEvent<'_>, _: &dyn Table) {
        match event {
            MatchEvent::Acts(acts) => {
                for (seat, choice) in *acts {
                    if let Some(us) = choice.us {
                        self.seats[usize::from(*seat)].acted(us);
                    }
                }
            }
            MatchEvent::Fault { seat, fault } => {
                let seat = usize::from(*seat);
                self.seats[seat].fault = Some(SeatFault {
                    name: fault.kind.name().into(),
                    detail: fault.detail.clone(),
                });
                self.traces[seat].fault = Some((*fault).clone());
            }
            MatchEvent::Ready(_)
            | MatchEvent::Opening(_)
            | MatchEvent::Chance(_)
            | MatchEvent::Asked(_)
            | MatchEvent::Over { .. } => {}
        }
    }
}
