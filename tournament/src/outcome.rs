//! Results of scheduled matches, as ratings and statistics read them.

use flipside_ratings::{Outcome, SeatOutcome, Seating, half_points, placed};
use flipside_referee::MatchResult;

use crate::policy::{away, is_unplayed};
use crate::schedule::Pairing;
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

/// By seat, its points in a match: what it adds to its bot's score in the table. A bot in several seats shares its points
/// out evenly among them, so that the points of all its seats in all its matches are its score.
pub fn seat_points(scored: &ScoredPairing, seating: &Seating) -> Vec<f64> {
    let all = placed(scored, seating);
    let seats = &scored.pairing.seats;
    let points = |entrant: &usize| {
        let bot = all.iter().find(|bot| bot.entrant == *entrant);
        let copies = seats.iter().filter(|other| *other == entrant).count();
        bot.map_or(0.0, |bot| bot.points(&all)) / copies as f64
    };
    seats.iter().map(points).collect()
}

/// The same of a match that is part of no tournament: every seat is taken by a bot of its own. `sides` are the sides of
/// the seats.
pub fn single_match_points(result: &MatchResult, sides: &[u8]) -> Vec<f64> {
    let scored = ScoredPairing {
        pairing: Pairing {
            seats: (0..result.seats.len()).collect(),
            ..Pairing::default()
        },
        result: result.clone(),
    };
    let seating = Seating::copies(sides, 1).expect("a seat for each bot always fits");
    seat_points(&scored, &seating)
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

#[cfg(test)]
mod tests {
    use flipside_referee::SeatFault;
    use proptest::prelude::*;

    use super::*;
    use crate::policy::FORFEIT;
    use crate::standings::Tally;
    use crate::testing::{in_teams, ranked};

    const BOTS: usize = 6;

    /// The seatings of matches: by how many bots, with how many seats of each, with partners.
    fn seatings() -> Vec<Seating> {
        let each = |seats: u8| (0..seats).collect::<Vec<u8>>();
        let copies = |sides: &[u8], copies| Seating::copies(sides, copies).unwrap();
        let mut all: Vec<Seating> = (2..=6).map(Seating::single).collect();
        all.extend([in_teams(4), in_teams(6)]);
        all.extend([
            copies(&each(4), 2),
            copies(&each(6), 2),
            copies(&each(6), 3),
        ]);
        all.extend([copies(&[0, 1, 0, 1], 2), copies(&[0, 1, 0, 1, 0, 1], 3)]);
        all
    }

    fn a_match(seating: Seating) -> impl Strategy<Value = ScoredPairing> {
        let seats: Vec<usize> = (0..usize::from(seating.bots()) * 6).collect();
        let drawn = (
            Just(seats).prop_shuffle(),
            proptest::collection::vec(1..=3_u8, 6),
            proptest::collection::vec(any::<bool>(), 6),
            any::<bool>(),
        );
        drawn.prop_map(move |(order, places, away, is_played)| {
            let set: Vec<u64> = {
                let mut bots: Vec<u64> = order.iter().map(|bot| (bot % BOTS) as u64).collect();
                let mut seen = std::collections::BTreeSet::new();
                bots.retain(|bot| seen.insert(*bot));
                bots.truncate(seating.bots().into());
                bots
            };
            let seats = seating.order(&set, 0, 0);
            // The seats of a side share their place.
            let of_side = |seat: usize| usize::from(seating.side(seat)) % places.len();
            let placed: Vec<(usize, u8)> = (seats.iter().enumerate())
                .map(|(seat, &bot)| (bot, places[of_side(seat)]))
                .collect();
            let mut scored = ranked(0, &placed);
            if !is_played {
                scored.result.reason = FORFEIT.into();
                for (seat, result) in scored.result.seats.iter_mut().enumerate() {
                    result.fault = away[of_side(seat)].then(|| SeatFault {
                        name: FORFEIT.into(),
                        detail: String::new(),
                    });
                }
            }
            scored
        })
    }

    proptest! {
        #[test]
        fn the_points_of_a_bots_seats_add_up_to_its_score(
            (seating, all) in proptest::sample::select(seatings()).prop_flat_map(|seating| {
                (Just(seating), proptest::collection::vec(a_match(seating), 0..30))
            }),
        ) {
            let mut tally = Tally::new(BOTS, &seating);
            let mut sums = [0.0; BOTS];
            for scored in &all {
                tally.take(scored);
                let points = seat_points(scored, &seating);
                prop_assert_eq!(points.len(), scored.pairing.seats.len());
                for (&bot, points) in scored.pairing.seats.iter().zip(points) {
                    prop_assert!((0.0..=1.0).contains(&points));
                    sums[bot] += points;
                }
            }
            let names: Vec<String> = (0..BOTS).map(|bot| bot.to_string()).collect();
            let table = tally.standings(&names, None, &tally.fit(None));
            for row in &table.rows {
                let sum = sums[row.bot.parse::<usize>().unwrap()];
                prop_assert!((sum - row.score).abs() < 1e-9, "{}: {sum}, {}", row.bot, row.score);
            }
        }
    }

    #[test]
    fn a_match_has_half_as_many_points_as_bots() {
        let two = |places: [u8; 2]| single_match_points(&MatchResult::of_places(places), &[0, 1]);
        assert_eq!(two([1, 2]), [1.0, 0.0]);
        assert_eq!(two([1, 1]), [0.5, 0.5]);
        let many = |places: &[u8], sides: &[u8]| {
            single_match_points(&MatchResult::of_places(places.iter().copied()), sides)
        };
        assert_eq!(many(&[3, 1, 2], &[0, 1, 2]), [0.0, 1.0, 0.5]);
        assert_eq!(many(&[2, 1, 2], &[0, 1, 2]), [0.25, 1.0, 0.25]);
        assert_eq!(many(&[1, 3, 1, 3], &[0, 1, 0, 1]), [1.0, 0.0, 1.0, 0.0]);
        assert_eq!(many(&[1, 1, 1, 1], &[0, 1, 0, 1]), [0.5; 4]);
    }
}
