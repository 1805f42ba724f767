//! Round robin: each against each. It asks for no results.

use super::{Rounds, Rules};
use crate::{Director, Fixed, ScheduleError, Settings};

/// Each against each, a block in every round. It has no parameters.
pub(crate) struct RoundRobin;

impl Rules for RoundRobin {
    fn in_words(&self) -> &'static str {
        "round robin"
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
        let schedule = settings.schedule(bots)?;
        Ok(Box::new(Fixed::new(
            schedule.total(),
            schedule.per_round(),
            move |index| schedule.at(index),
        )))
    }
}
