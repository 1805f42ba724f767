//! A sequential test as a format: two bots play blocks until the test is decided.

use flipside_ratings::{BlockScores, Running, Seating, Sprt, SprtDecision};
use flipside_referee::MatchResult;

use crate::change::Change;
use crate::director::{Director, Next, Total};
use crate::outcome::half_points_of;
use crate::schedule::{RoundRobin, ScheduleError};

/// Gives blocks of two entrants, a round each, until a test of the first against the second is decided, the rounds are
/// played, or neither comes to a match any more. It is decided at the end of a block, in order of the schedule, so that
/// it ends at the same match whatever order the matches finish in.
#[derive(Clone, Debug)]
pub struct SprtDirector {
    sprt: Sprt,
    schedule: RoundRobin,
    /// The index of the match that comes next.
    next: u64,
    /// How many results were taken.
    taken: u64,
    blocks: BlockScores,
    /// The first entrant's half points in the block that is not over.
    half_points: usize,
    llr: f64,
    decision: Option<SprtDecision>,
    /// By entrant, whether it comes to no match any more.
    absent: [bool; 2],
    /// The log-likelihood ratio after each block.
    path: Vec<f64>,
}

impl SprtDirector {
    /// A test of the first of two entrants against the second, with at most so many blocks.
    ///
    /// # Errors
    /// When a match of this seating is not for two bots.
    pub fn new(sprt: Sprt, seating: Seating, rounds: u32) -> Result<Self, ScheduleError> {
        Ok(SprtDirector {
            sprt,
            schedule: RoundRobin::seated(2, seating, rounds)?,
            next: 0,
            taken: 0,
            blocks: BlockScores::new(seating.matches_of_block()),
            half_points: 0,
            llr: 0.0,
            decision: None,
            absent: [false; 2],
            path: Vec::new(),
        })
    }

    /// The same, if there are two entrants.
    ///
    /// # Errors
    /// When there are not two, neither as entrants nor in a match.
    pub fn of(
        sprt: Sprt,
        entrants: usize,
        seating: Seating,
        rounds: u32,
    ) -> Result<Self, ScheduleError> {
        let format = "sequential test";
        if entrants != 2 {
            return Err(ScheduleError::TwoEntrants { format, entrants });
        }
        if seating.bots() != 2 {
            let bots = seating.bots();
            return Err(ScheduleError::TwoBots { format, bots });
        }
        SprtDirector::new(sprt, seating, rounds)
    }

    /// How the test stands.
    pub fn running(&self) -> Running {
        Running {
            blocks: self.blocks.total(),
            llr: self.llr,
            bounds: self.sprt.bounds(),
            decision: self.decision,
        }
    }

    /// Whether no further match can count: the test is decided, or neither entrant comes to a match.
    fn is_closed(&self) -> bool {
        self.decision.is_some() || self.absent == [true; 2]
    }

    /// The log-likelihood ratio after each block.
    pub fn path(&self) -> &[f64] {
        &self.path
    }
}

impl Director for SprtDirector {
    fn next(&mut self) -> Next {
        if self.is_closed() {
            return Next::Over;
        }
        match self.schedule.pairing(self.next) {
            Some(pairing) => {
                self.next += 1;
                Next::Match(pairing)
            }
            None => Next::Over,
        }
    }

    fn take(&mut self, index: u64, result: &MatchResult) {
        let Some(pairing) = self.schedule.pairing(index) else {
            return;
        };
        if self.decision.is_some() {
            return;
        }
        self.half_points += half_points_of([0, 1], &pairing.seats, result);
        self.taken += 1;
        if self.taken.is_multiple_of(self.schedule.orders()) {
            self.blocks.add(self.half_points);
            self.half_points = 0;
            self.llr = self.sprt.llr(&self.blocks);
            self.path.push(self.llr);
            self.decision = self.sprt.decision(self.llr);
        }
    }

    fn change(&mut self, change: &Change) {
        if let Change::Rounds { more } = change {
            self.schedule = self.schedule.longer_by(*more);
        }
    }

    fn absent(&mut self, entrant: usize) {
        // A journal that somebody changed may name one that is not there.
        if let Some(absent) = self.absent.get_mut(entrant) {
            *absent = true;
        }
    }

    fn is_decided(&self) -> bool {
        self.is_closed()
    }

    fn total(&self) -> Total {
        if self.is_closed() || self.taken == self.schedule.total() {
            Total::Exactly(self.taken)
        } else {
            Total::AtMost(self.schedule.total())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flipside_ratings::Model;

    fn director(rounds: u32) -> SprtDirector {
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05, Model::Logistic).unwrap();
        SprtDirector::new(sprt, Seating::single(2), rounds).unwrap()
    }

    /// The first entrant wins, whatever its seat, but for every so many matches.
    fn outcome(seats: &[usize], index: u64, loses_every: u64) -> MatchResult {
        let loser = usize::from(!index.is_multiple_of(loses_every));
        let places = seats.iter();
        MatchResult::of_places(places.map(|&entrant| if entrant == loser { 2 } else { 1 }))
    }

    fn play(director: &mut SprtDirector, ahead: usize, loses_every: u64) {
        let mut given = std::collections::VecDeque::new();
        loop {
            match director.next() {
                Next::Match(pairing) => given.push_back(pairing),
                Next::Wait => panic!("a test waits for nothing"),
                Next::Over => break,
            }
            if given.len() > ahead {
                let pairing: crate::schedule::Pairing = given.pop_front().unwrap();
                let outcome = outcome(&pairing.seats, pairing.index, loses_every);
                director.take(pairing.index, &outcome);
            }
        }
        for pairing in given {
            let outcome = outcome(&pairing.seats, pairing.index, loses_every);
            director.take(pairing.index, &outcome);
        }
    }

    #[test]
    fn it_is_over_at_the_end_of_the_block_that_crosses_a_bound_however_far_ahead_matches_began() {
        let mut alone = director(1_000);
        play(&mut alone, 0, 4);
        let running = alone.running();
        assert_eq!(running.decision, Some(SprtDecision::Elo1));
        assert!(running.llr >= running.bounds.upper);
        let path = alone.path();
        assert_eq!(
            (path.len() as u64, path.last()),
            (running.blocks, Some(&running.llr))
        );
        assert!(
            path[..path.len() - 1]
                .iter()
                .all(|llr| *llr < running.bounds.upper)
        );
        assert_eq!(alone.total(), Total::Exactly(2 * running.blocks));
        let one_less = {
            let mut counts: [u64; 5] = alone.blocks.counts().try_into().unwrap();
            let last = if (2 * running.blocks - 2).is_multiple_of(4) {
                2
            } else {
                4
            };
            counts[last] -= 1;
            alone.sprt.llr(&BlockScores::pentanomial(counts))
        };
        assert!(one_less < running.bounds.upper, "{one_less}");
        for ahead in [1, 2, 7, 100] {
            let mut beside = director(1_000);
            play(&mut beside, ahead, 4);
            assert_eq!(beside.running(), running);
            assert_eq!(beside.total(), alone.total());
        }
    }

    #[test]
    fn the_first_entrant_is_the_one_that_is_tested() {
        let mut losing = director(1_000);
        play(&mut losing, 3, 1);
        assert_eq!(losing.running().decision, Some(SprtDecision::Elo0));
    }

    #[test]
    fn without_a_decision_it_ends_with_its_rounds() {
        let mut short = director(3);
        assert_eq!(short.total(), Total::AtMost(6));
        play(&mut short, 0, 2);
        assert_eq!(short.running().decision, None);
        assert_eq!(
            (short.running().blocks, short.total()),
            (3, Total::Exactly(6))
        );
        assert_eq!(short.next(), Next::Over);
    }

    #[test]
    fn it_ends_undecided_when_neither_comes_to_a_match() {
        let mut director = director(1_000);
        let Next::Match(first) = director.next() else {
            panic!("a test begins with a match");
        };
        director.absent(0);
        let Next::Match(second) = director.next() else {
            panic!("one of the two still comes");
        };
        director.take(first.index, &outcome(&first.seats, first.index, 2));
        // Who is absent after a result is known before the director takes this result.
        director.absent(1);
        director.take(second.index, &outcome(&second.seats, second.index, 2));
        assert_eq!(director.next(), Next::Over);
        assert_eq!(director.total(), Total::Exactly(2));
        assert_eq!(
            (director.running().blocks, director.running().decision),
            (1, None)
        );
        assert!(director.is_decided());
        // A journal that somebody changed may name one that is not there.
        director.absent(7);
    }

    #[test]
    fn only_two_bots_can_be_tested() {
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05, Model::Logistic).unwrap();
        assert!(SprtDirector::new(sprt, Seating::single(3), 5).is_err());
        let shared = Seating::copies(&[0, 1, 2, 3], 2).unwrap();
        assert!(SprtDirector::new(sprt, shared, 5).is_ok());
    }
}
