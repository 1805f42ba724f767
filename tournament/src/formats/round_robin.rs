//! Round robin: each against each. It asks for no results.

use flipside_ratings::Seating;

use super::gauntlet::GauntletSchedule;
use super::growing::{GrowingDirector, GrowingFormat, GrowingPart};
use super::rules::{FormatRules, Rounds};
use crate::director::Director;
use crate::formats::rules::FormatSettings;
use crate::schedule::{RoundRobin, ScheduleError};

/// Each against each, a block in every round. It has no parameters.
pub(crate) struct RoundRobinRules;

impl FormatRules for RoundRobinRules {
    fn in_words(&self) -> &'static str {
        "round robin"
    }

    fn rounds(&self) -> Rounds {
        Rounds::Asked(|_, _| 1)
    }

    fn meets_again(&self, rounds: u32) -> bool {
        rounds > 1
    }

    fn no_newcomers(&self, _: &dyn FormatSettings) -> Option<&'static str> {
        None
    }

    fn director(
        &self,
        settings: &dyn FormatSettings,
        bots: usize,
    ) -> Result<Box<dyn Director>, ScheduleError> {
        // It says why there is no such schedule.
        settings.round_robin(bots)?;
        let seating = settings.seating()?;
        Ok(Box::new(GrowingDirector::new(
            AllPlayAll { seating },
            bots,
            settings.rounds(),
        )))
    }
}

/// The parts of a round robin.
struct AllPlayAll {
    seating: Seating,
}

impl GrowingFormat for AllPlayAll {
    fn rounds(&self, bots: usize, rounds: u32) -> Option<GrowingPart> {
        let schedule = RoundRobin::seated(bots, self.seating, rounds).ok()?;
        Some(GrowingPart {
            matches: schedule.total(),
            orders: schedule.orders(),
            rounds,
            at: Box::new(move |index| schedule.at(index)),
        })
    }

    fn rounds_between(&self, bots: &[usize], rounds: u32) -> Option<GrowingPart> {
        Some(self.rounds(bots.len(), rounds)?.between(bots.to_vec()))
    }

    /// A newcomer is as a challenger of the others.
    fn newcomer(&self, entrant: usize, present: &[usize], rounds: u32) -> Option<GrowingPart> {
        let bots: Vec<usize> = [&[entrant], present].concat();
        let schedule = GauntletSchedule::new(bots.len(), self.seating, 1, rounds).ok()?;
        Some(schedule.part(rounds).between(bots))
    }
}
