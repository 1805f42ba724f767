//! Gauntlet: the first entrants, the challengers, against the others, the field. Neither play among
//! themselves. It asks for no results, so its matches are computed as they are asked for.

use std::fmt;

use flipside_referee::MatchResult;
use serde::{Deserialize, Serialize};

use super::{Rounds, Rules};
use crate::schedule::{choose, order_of_set, spread_set};
use crate::spec::{Heading, Key, described};
use crate::{Director, MAX_ENTRANTS, Next, Pairing, ScheduleError, Seating, Settings, Total};

described! {
    /// A gauntlet.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case", deny_unknown_fields)]
    pub struct Gauntlet {
        /// Let the first N bots play against the others
        challengers: u32 = 1 => Key::whole(Heading::Format, 1, MAX_ENTRANTS as u64).detail();
    }
}

impl Rules for Gauntlet {
    fn in_words(&self) -> &'static str {
        "gauntlet"
    }

    fn details(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.challengers {
            1 => f.write_str(" of 1 challenger"),
            challengers => write!(f, " of {challengers} challengers"),
        }
    }

    fn rounds(&self) -> Rounds {
        Rounds::Asked(|_, _| 1)
    }

    fn meets_again(&self, rounds: u32) -> bool {
        rounds > 1
    }

    fn director(
        &self,
        settings: &Settings,
        bots: usize,
    ) -> Result<Box<dyn Director>, ScheduleError> {
        let seating = settings.seating()?;
        let director = GauntletDirector::new(bots, seating, self.challengers, settings.rounds)?;
        Ok(Box::new(director))
    }
}

/// In every round each challenger plays a block against every set of the field that fills a match.
#[derive(Clone, Copy, Debug)]
struct GauntletDirector {
    challengers: u64,
    field: u64,
    /// Sets of the field.
    sets: u64,
    rounds: u32,
    seating: Seating,
    next: u64,
}

impl GauntletDirector {
    fn new(
        bots: usize,
        seating: Seating,
        challengers: u32,
        rounds: u32,
    ) -> Result<Self, ScheduleError> {
        let of_match = u64::from(seating.bots());
        let least = seating.bots().max(2).into();
        if !(least..=MAX_ENTRANTS).contains(&bots) {
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
        let gauntlet = GauntletDirector {
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

impl Director for GauntletDirector {
    fn next(&mut self) -> Next {
        if self.next == GauntletDirector::total(self) {
            return Next::Over;
        }
        self.next += 1;
        Next::Match(self.at(self.next - 1))
    }

    fn take(&mut self, _: u64, _: &MatchResult) {}

    fn total(&self) -> Total {
        Total::Exactly(GauntletDirector::total(self))
    }
}
