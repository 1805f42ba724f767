//! Results of scheduled matches, as ratings and statistics read them.

use flipside_ratings::{Outcome, SeatOutcome, half_points};
use flipside_referee::MatchResult;

use crate::policy::{away, is_unplayed};
use crate::scored_pairing::ScoredPairing;

/// No game has more seats than ratings know of.
const _: () = assert!(flipside_games::MAX_SEATS == flipside_ratings::MAX_SEATS);

impl Outcome for ScoredPairing {
    fn index(&self) -> u64 {
        self.pairing.index
    }

    fn round(&self) -> u32 {
        self.pairing.round
    }

    fn block(&self) -> u64 {
        self.pairing.block
    }

    fn entrants(&self) -> &[usize] {
        &self.pairing.seats
    }

    fn reason(&self) -> &str {
        &self.result.reason
    }

    fn is_unplayed(&self) -> bool {
        is_unplayed(&self.result)
    }

    fn seat(&self, seat: usize) -> SeatOutcome {
        let result = &self.result.seats[seat];
        SeatOutcome {
            place: result.place,
            is_away: away(&self.result)(result),
            is_faulty: result.fault.is_some(),
            used_us: result.used_us,
            plies: result.plies,
        }
    }
}

/// How many half points one of two bots has made against the other in a match, by their places in all their seats.
pub(crate) fn half_points_of(
    [own, rival]: [usize; 2],
    seats: &[usize],
    result: &MatchResult,
) -> usize {
    let places = |entrant: usize| -> u32 {
        let seats = seats.iter().zip(&result.seats);
        let own = seats.filter(|(sits, _)| **sits == entrant);
        own.map(|(_, seat)| u32::from(seat.place)).sum()
    };
    half_points(places(own), places(rival)) as usize
}
