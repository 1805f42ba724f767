//! What a record shows of its match's result, for whoever compares that with what somebody wrote down.

use flipside_referee::{Header, Line, OverLine, Record, VerifyError, verify};

use crate::SeatFault;

/// The largest number that a journal keeps.
pub(crate) const MOST: u64 = i64::MAX as u64;

/// What a record shows.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) header: Header,
    pub(crate) over: OverLine,
    /// By seat.
    pub(crate) seats: Vec<ShownSeat>,
    /// Faults that are on the referee's word; none of a record that was only read.
    pub(crate) faults_told: u64,
}

/// How a seat fared.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShownSeat {
    pub(crate) fault: Option<SeatFault>,
    /// The end of what the bot wrote to its standard error, if it had a fault.
    pub(crate) stderr: String,
    pub(crate) used_us: u64,
    pub(crate) plies: u64,
}

impl Shown {
    /// Referees a record again.
    pub(crate) fn verified(text: &str) -> Result<Self, VerifyError> {
        let found = verify(text)?;
        let shown = Shown::of(found.record)?;
        Ok(Shown {
            faults_told: found.faults_told,
            ..shown
        })
    }

    /// Reads a record, and checks nothing but its closing hash.
    pub(crate) fn read(text: &str) -> Result<Self, VerifyError> {
        Shown::of(Record::read(text)?)
    }

    fn of(record: Record) -> Result<Self, VerifyError> {
        let mut seats = vec![ShownSeat::default(); record.header.seats.len()];
        for (number, line) in record.lines {
            let taken = match line {
                Line::Acts { acts } => acts.iter().try_for_each(|act| {
                    let seat = seat(&mut seats, act.seat)?;
                    // The referee acted for who had fallen.
                    let Some(us) = act.us else { return Ok(()) };
                    let used = seat.used_us.checked_add(us).filter(|&used| used <= MOST);
                    seat.used_us = used.ok_or("its times are too long")?;
                    seat.plies += 1;
                    Ok(())
                }),
                Line::Fault(fault) => seat(&mut seats, fault.seat).map(|seat| {
                    seat.fault = Some(SeatFault {
                        name: fault.fault.name().into(),
                        detail: fault.detail,
                    });
                    seat.stderr = fault.stderr;
                }),
                _ => Ok(()),
            };
            taken.map_err(|what: &str| VerifyError::Line {
                line: number,
                what: what.into(),
            })?;
        }
        Ok(Shown {
            header: record.header,
            over: record.over,
            seats,
            faults_told: 0,
        })
    }
}

fn seat(seats: &mut [ShownSeat], number: u8) -> Result<&mut ShownSeat, &'static str> {
    seats
        .get_mut(usize::from(number))
        .ok_or("its record has a seat too many")
}
