//! What came of a match, for its organiser.

use flipside_games::{Seat, Table};

use crate::event::{Listener, MatchEvent};
use crate::fault::Fault;
use crate::state::Verdict;
use crate::traffic::Exchanged;

/// A match that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// What came of it.
    pub verdict: Verdict,
    /// Actions taken, of all seats.
    pub plies: u64,
    /// How each seat fared.
    pub seats: Vec<SeatReport>,
    /// The record: JSON lines.
    pub record: String,
}

/// How a seat fared.
#[derive(Clone, Debug, Default)]
pub struct SeatReport {
    /// Actions of its bot.
    pub plies: u64,
    /// The time that its bot used for them, in microseconds.
    pub used_us: u64,
    /// Whether its bot was seen computing on the turns of others.
    pub ponders: bool,
    /// What it did wrong, if anything.
    pub fault: Option<Fault>,
    /// If it did, the last lines that were said between the referee and its bot.
    pub traffic: Vec<Exchanged>,
}

/// Counts how the seats fare while the match runs.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) seats: Vec<SeatReport>,
}

impl Tally {
    pub(crate) fn new(seats: usize) -> Self {
        Tally {
            seats: vec![SeatReport::default(); seats],
        }
    }

    fn seat(&mut self, seat: Seat) -> &mut SeatReport {
        &mut self.seats[usize::from(seat)]
    }
}

impl Listener for Tally {
    fn hear(&mut self, event: &MatchEvent<'_>, _: &dyn Table) {
        match event {
            MatchEvent::Acts(acts) => {
                for (seat, choice) in *acts {
                    let Some(us) = choice.us else { continue };
                    let report = self.seat(*seat);
                    report.plies += 1;
                    report.used_us += us;
                }
            }
            MatchEvent::Fault { seat, fault } => self.seat(*seat).fault = Some((*fault).clone()),
            MatchEvent::Ready(_)
            | MatchEvent::Opening(_)
            | MatchEvent::Chance(_)
            | MatchEvent::Asked(_)
            | MatchEvent::Over { .. } => {}
        }
    }
}
