//! Counting how the seats fare: from the events of a match while it runs, and from the lines of its record.

use flipside_games::{Seat, Table};

use crate::event::{Listener, MatchEvent};
use crate::record::{Line, NoteQuota, Record};
use crate::result::{LARGEST_NUMBER, MatchResult, SeatFault, SeatResult};
use crate::verify::VerifyError;

/// Counts how the seats fare while the match runs.
/// Their results are still without points and places.
#[derive(Debug)]
pub(crate) struct RefereeTally {
    pub(crate) seats: Vec<SeatResult>,
    notes: NoteQuota,
}

impl RefereeTally {
    pub(crate) fn of(seats: usize) -> Self {
        RefereeTally {
            seats: vec![SeatResult::default(); seats],
            notes: NoteQuota::default(),
        }
    }
}

impl Listener for RefereeTally {
    fn hear(&mut self, event: &MatchEvent<'_>, _: &dyn Table) {
        match event {
            MatchEvent::Acts(acts) => {
                for (seat, choice) in *acts {
                    // Only of the notes that the record holds, which tells the same result.
                    let (_, note) = self.notes.kept(*seat, choice.texts());
                    if let Some(us) = choice.us {
                        self.seats[usize::from(*seat)].acted(us, note);
                    }
                }
            }
            MatchEvent::Fault { seat, fault } => {
                let told = SeatFault::of(fault.kind, &fault.detail);
                self.seats[usize::from(*seat)].fault = Some(told);
            }
            MatchEvent::Ready(_)
            | MatchEvent::Opening(_)
            | MatchEvent::Chance(_)
            | MatchEvent::Asked(_)
            | MatchEvent::Over { .. } => {}
        }
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
            count(&mut seats, line).map_err(|what| VerifyError::at(*number, what))?;
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
                seat.acted(us, act.note.as_deref());
                if seat.used_us > LARGEST_NUMBER {
                    return Err("its times are too long");
                }
            }
        }
        Line::Fault(fault) => {
            let told = SeatFault::of(fault.fault, &fault.detail);
            seat_of(seats, fault.seat)?.fault = Some(told);
        }
        _ => {}
    }
    Ok(())
}

fn seat_of(seats: &mut [SeatResult], number: Seat) -> Result<&mut SeatResult, &'static str> {
    let seat = seats.get_mut(usize::from(number));
    seat.ok_or("its record has a seat too many")
}
