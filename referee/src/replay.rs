//! Stepping through a record: the table after every line, for people and pages.

use flipside_games::{Seat, Table};

use crate::clock::SeatClock;
use crate::record::{ActLine, Line, Record};
use crate::verify::{VerifyError, set_up};

/// A record on the table, line by line. It trusts the record as far as the rules do: a step that
/// the table refuses is an error. Whether all of it is true is [`verify`](crate::verify)'s question.
pub struct Replay<'a> {
    record: &'a Record,
    table: Box<dyn Table>,
    clocks: Vec<SeatClock>,
    at: usize,
}

impl Clone for Replay<'_> {
    fn clone(&self) -> Self {
        Replay {
            record: self.record,
            table: self.table.copy(),
            clocks: self.clocks.clone(),
            at: self.at,
        }
    }
}

impl<'a> Replay<'a> {
    /// The table before the first step.
    ///
    /// # Errors
    /// When the game is not known, or its options do not fit.
    pub fn new(record: &'a Record) -> Result<Self, VerifyError> {
        Ok(Replay {
            record,
            table: set_up(record, flipside_games::find)?.table,
            clocks: record
                .header
                .seat_clocks()
                .map(|(clock, patience)| SeatClock::new(clock, patience))
                .collect(),
            at: 0,
        })
    }

    /// The table as it is now.
    pub fn table(&self) -> &dyn Table {
        &*self.table
    }

    /// The time that a seat has for its next move, in microseconds; none for a seat that is not there.
    pub fn clock_us(&self, seat: Seat) -> Option<u64> {
        let clock = self.clocks.get(usize::from(seat));
        clock.map(SeatClock::for_move)
    }

    /// Takes the times of a line off the clocks. Whether they were in time is not asked here.
    fn charge(&mut self, line: &Line) {
        let clocks = &mut self.clocks;
        match line {
            Line::Ready(ready) => {
                if let Some(clock) = clocks.get_mut(usize::from(ready.seat)) {
                    clock.ready_took(ready.us);
                }
            }
            Line::Acts { acts } => {
                for act in acts {
                    let clock = clocks.get_mut(usize::from(act.seat));
                    if let (Some(us), Some(clock)) = (act.us, clock) {
                        clock.move_took(us);
                    }
                }
            }
            _ => {}
        }
    }

    /// Takes the next line of the record, and returns it; none when there is no more.
    ///
    /// # Errors
    /// When the table refuses the line.
    pub fn step(&mut self) -> Result<Option<&'a Line>, VerifyError> {
        self.step_by_act(|_, _| {})
    }

    /// The same, and shows each act with the table right after it: an opening has many, one after the other.
    ///
    /// # Errors
    /// As [`Replay::step`].
    pub fn step_by_act(
        &mut self,
        mut acted: impl FnMut(&dyn Table, &'a ActLine),
    ) -> Result<Option<&'a Line>, VerifyError> {
        let Some((number, line)) = self.record.lines.get(self.at) else {
            return Ok(None);
        };
        self.at += 1;
        self.charge(line);
        let act = |act: &'a ActLine| (act.seat, act.action.as_str());
        let taken = match line {
            Line::Chance { event } => self.table.chance(event.get()),
            Line::Acts { acts } => {
                let taken = (self.table).act(&acts.iter().map(act).collect::<Vec<_>>());
                if taken.is_ok() {
                    acts.iter().for_each(|act| acted(&*self.table, act));
                }
                taken
            }
            Line::Opening { acts } => acts.iter().try_for_each(|one| {
                self.table.act(&[act(one)])?;
                acted(&*self.table, one);
                Ok(())
            }),
            Line::Ready(_) | Line::Fault(_) | Line::Over(_) | Line::End { .. } => Ok(()),
        };
        if let Some(failure) = self.table.failure() {
            return Err(failure.into());
        }
        taken.map_err(|refusal| VerifyError::at(*number, refusal))?;
        Ok(Some(line))
    }
}
