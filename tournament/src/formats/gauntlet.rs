//! Gauntlet: the first entrants, the challengers, against the others, the field. Neither play among
//! themselves. It asks for no results, so its matches are computed as they are asked for.

use crate::schedule::{choose, order_of_set, spread_set};
use crate::{Director, MOST_ENTRANTS, Next, Outcome, Pairing, ScheduleError, Seating, Total};

/// In every round each challenger plays a block against every set of the field that fills a match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gauntlet {
    challengers: u64,
    field: u64,
    /// Sets of the field.
    sets: u64,
    rounds: u32,
    seating: Seating,
    next: u64,
}

impl Gauntlet {
    pub(crate) fn new(
        bots: usize,
        seating: Seating,
        challengers: u32,
        rounds: u32,
    ) -> Result<Self, ScheduleError> {
        let of_match = u64::from(seating.bots());
        let least = seating.bots().max(2).into();
        if !(least..=MOST_ENTRANTS).contains(&bots) {
            let format = "gauntlet";
            return Err(ScheduleError::Bots {
                format,
                bots,
                least,
            });
        }
        let most = bots as u64 - (of_match - 1);
        let challengers = u64::from(challengers);
        if !(1..=most).contains(&challengers) {
            return Err(ScheduleError::Range {
                what: "challengers, so that the others fill a match with one of them",
                least: 1,
                most,
                is: challengers,
            });
        }
        let field = bots as u64 - challengers;
        let sets = choose(field, of_match - 1);
        let gauntlet = Gauntlet {
            challengers,
            field,
            sets,
            rounds,
            seating,
            next: 0,
        };
        let total = sets
            .checked_mul(challengers)
            .and_then(|blocks| blocks.checked_mul(seating.orders()))
            .and_then(|matches| matches.checked_mul(rounds.into()));
        match total.filter(|&total| i64::try_from(total).is_ok()) {
            Some(_) => Ok(gauntlet),
            None => Err(ScheduleError::Matches {
                bots,
                of_match: seating.bots(),
            }),
        }
    }

    fn per_round(&self) -> u64 {
        self.sets * self.challengers * self.seating.orders()
    }

    fn total(&self) -> u64 {
        self.per_round() * u64::from(self.rounds)
    }

    fn at(&self, index: u64) -> Pairing {
        let (round, block) = (index / self.per_round(), index / self.seating.orders());
        let of_round = block % (self.sets * self.challengers);
        // Challengers take turns, so that none waits for all matches of another.
        let (set, challenger) = (of_round / self.challengers, of_round % self.challengers);
        let rivals = u64::from(self.seating.bots()) - 1;
        let mut bots = vec![challenger];
        let set = spread_set(self.field, rivals, self.sets, set);
        bots.extend(set.iter().map(|bot| bot + self.challengers));
        Pairing {
            index,
            round: u32::try_from(round).expect("a round is one of a u32"),
            block,
            seats: self
                .seating
                .order(&bots, order_of_set(round, of_round), index + block + round),
        }
    }
}

impl Director for Gauntlet {
    fn next(&mut self) -> Next {
        if self.next == Gauntlet::total(self) {
            return Next::Over;
        }
        self.next += 1;
        Next::Match(self.at(self.next - 1))
    }

    fn take(&mut self, _: u64, _: &Outcome) {}

    fn total(&self) -> Total {
        Total::Exactly(Gauntlet::total(self))
    }
}
