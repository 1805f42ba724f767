//! What the rest of the program asks of a format, and what a format asks of the settings.

use std::fmt;
use std::str::FromStr;

use flipside_ratings::Seating;
use serde::{Deserialize, Serialize};

use crate::director::Director;
use crate::names::{head, word};
use crate::schedule::{RoundRobin, ScheduleError};
use crate::spec::key::{Heading, SpecKey};

/// What a format asks of the settings of a tournament.
pub(crate) trait FormatSettings {
    /// How the bots of a match share out its seats.
    ///
    /// # Errors
    /// When they cannot be shared out so.
    fn seating(&self) -> Result<Seating, ScheduleError>;

    /// The round robin of so many bots.
    ///
    /// # Errors
    /// When the numbers of seats or of bots do not fit it.
    fn round_robin(&self, bots: usize) -> Result<RoundRobin, ScheduleError>;

    /// By seed, which of so many entrants.
    ///
    /// # Errors
    /// When the seeds are not each entrant once.
    fn seeds(&self, bots: usize) -> Result<Vec<usize>, ScheduleError>;

    /// How many rounds are asked for.
    fn rounds(&self) -> u32;
}

/// What the rest of the program asks of a format.
pub(crate) trait FormatRules {
    /// Its name within a sentence.
    fn in_words(&self) -> &'static str;

    /// Its parameters in words, behind its name: ` of 2 challengers`.
    fn details(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }

    /// Whose number the rounds are, and the default.
    fn rounds(&self) -> Rounds {
        Rounds::Own
    }

    /// Where its seeds come from, if it asks for any.
    fn seeding(&self) -> Option<Seeding> {
        None
    }

    /// Whether the same bots can meet in more than one block of so many rounds, of their own accord and not by a tie.
    fn meets_again(&self, _: u32) -> bool {
        true
    }

    /// What its table is ordered by.
    fn order(&self) -> TableOrder {
        TableOrder::Points
    }

    /// By what it can be extended when it has begun.
    fn longer(&self) -> Extension {
        match self.rounds() {
            Rounds::Asked(_) | Rounds::Blocks(_) => Extension::Rounds,
            Rounds::Own => Extension::Never("it has as many rounds as it needs"),
        }
    }

    /// Whether matches that are decided on and not played can become others when a bot leaves.
    fn pairs_again(&self) -> bool {
        false
    }

    /// Why no bot can leave it, if none can.
    fn needs_all(&self) -> Option<&'static str> {
        None
    }

    /// Why no further bot can join it when it has begun with these settings, if none can.
    fn no_newcomers(&self, settings: &dyn FormatSettings) -> Option<&'static str>;

    /// Who says what is played, with these settings, between so many bots.
    fn director(
        &self,
        settings: &dyn FormatSettings,
        bots: usize,
    ) -> Result<Box<dyn Director>, ScheduleError>;
}

/// Whose number the rounds of a format are; the default by how many bots there are in all, and in a match.
#[derive(Clone, Copy, Debug)]
pub enum Rounds {
    /// Somebody asks for them.
    Asked(fn(usize, u8) -> u32),
    /// Somebody asks for them, and each is a block.
    Blocks(fn(usize, u8) -> u32),
    /// The format has as many as it needs: nobody asks for some.
    Own,
}

/// By what a format can be extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extension {
    /// Rounds.
    Rounds,
    /// Matches.
    Matches,
    /// Nothing, for this reason.
    Never(&'static str),
}

/// What the table of a format is ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableOrder {
    /// The points.
    Points,
    /// The ratings.
    Ratings,
    /// A ranking that the format makes from the results.
    Results,
}

/// Where seeds come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seeding {
    /// The order of entry.
    #[default]
    Entry,
    /// The ratings at the game when the tournament begins; bots without one come last, in order of entry.
    Ratings,
}

impl Seeding {
    /// The key of a format that asks for seeds.
    pub(super) fn key() -> SpecKey {
        SpecKey::text::<Seeding>(Heading::Format, "BY")
            .one_of(&["entry", "ratings"])
            .detail()
    }
}

/// A text that says nothing of where seeds come from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry or ratings, not {0:?}")]
pub struct SeedingError(String);

impl fmt::Display for Seeding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl FromStr for Seeding {
    type Err = SeedingError;

    fn from_str(text: &str) -> Result<Self, SeedingError> {
        word(text).ok_or_else(|| SeedingError(head(text)))
    }
}
