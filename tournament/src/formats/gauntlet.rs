//! Gauntlet: the first entrants, the challengers, against the others, the field. Neither play among
//! themselves. It asks for no results, so its matches are computed as they are asked for.

use std::fmt;

use flipside_ratings::Seating;
use serde::{Deserialize, Serialize};

use super::growing::{GrowingDirector, GrowingFormat, GrowingPart};
use super::rules::{FormatRules, Rounds};
use crate::director::Director;
use crate::formats::rules::FormatSettings;
use crate::limits::MAX_ENTRANTS;
use crate::schedule::{Pairing, ScheduleError, order_of_set, spread_set};
use crate::spec::described::described;
use crate::spec::key::{Heading, SpecKey};
use flipside_ratings::numbers::choose;

described! {
    /// A gauntlet.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case", deny_unknown_fields)]
    pub struct Gauntlet {
        /// Let the first N bots play against the others
        challengers: u32 = 1 => SpecKey::whole(Heading::Format, 1, MAX_ENTRANTS as u64).detail();
    }
}

impl FormatRules for Gauntlet {
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

    fn no_newcomers(&self, settings: &dyn FormatSettings) -> Option<&'static str> {
        match settings.seating() {
            Ok(seating) if seating.bots() > 2 => Some("its matches are of more than two bots"),
            _ => None,
        }
    }

    fn director(
        &self,
        settings: &dyn FormatSettings,
        bots: usize,
    ) -> Result<Box<dyn Director>, ScheduleError> {
        let seating = settings.seating()?;
        let challengers = self.challengers;
        // It says why there is no such schedule.
        GauntletSchedule::new(bots, seating, challengers, settings.rounds())?;
        let format = Challenge {
            seating,
            challengers,
        };
        Ok(Box::new(GrowingDirector::new(
            format,
            bots,
            settings.rounds(),
        )))
    }
}

/// The parts of a gauntlet.
struct Challenge {
    seating: Seating,
    challengers: u32,
}

impl Challenge {
    /// The challengers among these entrants.
    fn challengers_of(&self, bots: &[usize]) -> impl Iterator<Item = usize> {
        let all = bots.iter().copied();
        all.filter(|&bot| bot < self.challengers as usize)
    }
}

impl GrowingFormat for Challenge {
    fn rounds(&self, bots: usize, rounds: u32) -> Option<GrowingPart> {
        let schedule = GauntletSchedule::new(bots, self.seating, self.challengers, rounds);
        Some(schedule.ok()?.part(rounds))
    }

    fn rounds_between(&self, bots: &[usize], rounds: u32) -> Option<GrowingPart> {
        let number = u32::try_from(self.challengers_of(bots).count()).ok()?;
        let schedule = GauntletSchedule::new(bots.len(), self.seating, number, rounds).ok()?;
        Some(schedule.part(rounds).between(bots.to_vec()))
    }

    /// A newcomer joins the field: it plays against the challengers.
    fn newcomer(&self, entrant: usize, present: &[usize], rounds: u32) -> Option<GrowingPart> {
        let bots: Vec<usize> = self.challengers_of(present).chain([entrant]).collect();
        self.rounds_between(&bots, rounds)
    }
}

/// In every round each challenger plays a block against every set of the field that fills a match.
#[derive(Clone, Copy, Debug)]
pub(super) struct GauntletSchedule {
    challengers: u64,
    field: u64,
    /// Sets of the field.
    sets: u64,
    seating: Seating,
    /// How many matches there are.
    total: u64,
}

impl GauntletSchedule {
    pub(super) fn new(
        bots: usize,
        seating: Seating,
        challengers: u32,
        rounds: u32,
    ) -> Result<Self, ScheduleError> {
        let of_match = u64::from(seating.bots());
        ScheduleError::check_bots("gauntlet", bots, seating.bots().max(2).into())?;
        let challengers = u64::from(challengers);
        ScheduleError::check_range(
            "challengers, so that the others fill a match with one of them",
            1..=bots as u64 - (of_match - 1),
            challengers,
        )?;
        let field = bots as u64 - challengers;
        let sets = choose(field, of_match - 1);
        let blocks = sets.saturating_mul(challengers);
        Ok(GauntletSchedule {
            challengers,
            field,
            sets,
            total: ScheduleError::count_matches((bots, &seating), blocks, rounds)?,
            seating,
        })
    }

    /// It as a part of so many rounds.
    pub(super) fn part(self, rounds: u32) -> GrowingPart {
        GrowingPart {
            matches: self.total,
            orders: self.seating.orders(),
            rounds,
            at: Box::new(move |index| self.at(index)),
        }
    }

    fn per_round(&self) -> u64 {
        self.sets * self.challengers * self.seating.orders()
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
