//! Sequential test: the first of two bots against the second. The test itself is in the crate of ratings.

use std::fmt;

use flipside_ratings::Sprt;

use super::rules::{FormatRules, Rounds};
use crate::director::Director;
use crate::formats::rules::FormatSettings;
use crate::schedule::ScheduleError;
use crate::sprt_director::SprtDirector;

/// The most blocks of a test, when no number of rounds is asked for.
const MAX_BLOCKS: u32 = 20_000;

impl FormatRules for Sprt {
    fn in_words(&self) -> &'static str {
        "sequential test"
    }

    fn details(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {self}")
    }

    fn rounds(&self) -> Rounds {
        Rounds::Blocks(|_, _| MAX_BLOCKS)
    }

    fn needs_all(&self) -> Option<&'static str> {
        Some("it tests the first of two bots against the second")
    }

    fn no_newcomers(&self, _: &dyn FormatSettings) -> Option<&'static str> {
        Some("it tests the first of two bots against the second")
    }

    fn director(
        &self,
        settings: &dyn FormatSettings,
        bots: usize,
    ) -> Result<Box<dyn Director>, ScheduleError> {
        let (seating, rounds) = (settings.seating()?, settings.rounds());
        Ok(Box::new(SprtDirector::of(*self, bots, seating, rounds)?))
    }
}
