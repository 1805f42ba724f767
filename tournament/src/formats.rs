//! Who plays whom. Each format is a file here: its parameters with their help and defaults, how it is told in words,
//! who directs it, and what ranks. A further format is such a file and a line in `formats!`.

pub(super) mod double_elimination;
pub(super) mod gauntlet;
mod growing;
pub(super) mod knockout;
pub(super) mod ladder;
pub(super) mod match_up;
mod plan;
pub(super) mod ranking;
mod round_robin;
pub(super) mod rules;
mod sprt;
pub(super) mod swiss;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use flipside_ratings::Sprt;
use serde::{Deserialize, Serialize};

use crate::names::head;
use crate::spec::described::{DescribedSettings, SettingsError, Values};
use crate::spec::key::SpecKey;

pub use self::ranking::{Ranked, Ranking};
pub(crate) use self::rules::FormatRules;
pub use self::rules::{Rounds, Seeding, SeedingError, TableOrder};
pub use double_elimination::DoubleElimination;
pub use gauntlet::Gauntlet;
pub use knockout::Knockout;
pub use ladder::{Ladder, MAX_LADDER_MATCHES, MIN_BATCH};
pub use match_up::{MAX_BEST_OF, MAX_TIE_BREAKS};
pub use ranking::{DecidedBy, Encounter};
pub use swiss::{Swiss, most_swiss_rounds, swiss_rounds};

macro_rules! formats {
    ($($(#[doc = $help:literal])+ $Format:ident($Parameters:ty) = $name:literal;)+) => {
        /// Who plays whom. A block is the same chance with the seats permuted.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub enum Format {
            /// Each against each, a block in every round.
            #[default]
            #[serde(rename = "round-robin")]
            RoundRobin,
            $($(#[doc = $help])+ #[serde(rename = $name)] $Format($Parameters),)+
        }

        /// The names of the formats.
        pub const FORMATS: &[&str] = &["round-robin", $($name),+];

        impl Format {
            /// Its name, as it is typed.
            pub fn name(&self) -> &'static str {
                match self {
                    Format::RoundRobin => "round-robin",
                    $(Format::$Format(_) => $name,)+
                }
            }

            /// What there is to know of it.
            pub(crate) fn rules(&self) -> &dyn FormatRules {
                match self {
                    Format::RoundRobin => &round_robin::RoundRobinRules,
                    $(Format::$Format(parameters) => parameters,)+
                }
            }

            /// The parameters of each format, by its name.
            pub(crate) fn keys() -> Vec<(&'static str, Vec<SpecKey>)> {
                vec![$(($name, <$Parameters>::keys()),)+]
            }

            /// This, with the values of its parameters.
            pub(crate) fn with(self, values: &Values) -> Result<Self, SettingsError> {
                match self {
                    Format::RoundRobin => Ok(self),
                    $(Format::$Format(parameters) => parameters.with(values).map(Format::$Format),)+
                }
            }

            /// The value of each parameter.
            pub(crate) fn values(&self) -> Vec<(String, serde_json::Value)> {
                match self {
                    Format::RoundRobin => Vec::new(),
                    $(Format::$Format(parameters) => parameters.values(),)+
                }
            }
        }

        impl FromStr for Format {
            type Err = FormatError;

            /// The format of a name, with what it is when nothing else is asked for.
            fn from_str(text: &str) -> Result<Self, FormatError> {
                match text {
                    "round-robin" => Ok(Format::RoundRobin),
                    $($name => Ok(Format::$Format(Default::default())),)+
                    _ => Err(FormatError(head(text))),
                }
            }
        }
    };
}

formats! {
    /// The first entrants against the others, and nobody else.
    Gauntlet(Gauntlet) = "gauntlet";
    /// Bots with about as many points meet, and nobody meets the same bot twice while it can be avoided.
    Swiss(Swiss) = "swiss";
    /// Who loses a match-up is out.
    Knockout(Knockout) = "knockout";
    /// Who loses two match-ups is out.
    DoubleElimination(DoubleElimination) = "double-elimination";
    /// The matches that tell most of the order of the bots.
    Ladder(Ladder) = "ladder";
    /// The first of two bots against the second, until it is told whether it is stronger, or the rounds are played.
    Sprt(Sprt) = "sprt";
}

/// A text that is no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a format; there are {formats}", formats = FORMATS.join(", "))]
pub struct FormatError(String);

impl Format {
    /// Where its seeds come from, if it asks for any.
    pub fn seeding(&self) -> Option<Seeding> {
        self.rules().seeding()
    }

    /// Whose number its rounds are, and the default.
    pub fn rounds(&self) -> Rounds {
        self.rules().rounds()
    }

    /// Whether the same bots can meet in more than one block of so many rounds, of their own accord and not by a tie.
    pub fn meets_again(&self, rounds: u32) -> bool {
        self.rules().meets_again(rounds)
    }

    /// What its table is ordered by.
    pub fn order(&self) -> TableOrder {
        self.rules().order()
    }

    /// Whether matches that are decided on and not played can become others when a bot leaves.
    pub fn pairs_again(&self) -> bool {
        self.rules().pairs_again()
    }

    /// The same with so many matches more, where the settings say how many there are.
    pub(crate) fn longer_by(self, more: u64) -> Self {
        match self {
            Format::Ladder(ladder) => Format::Ladder(ladder.longer_by(more)),
            other => other,
        }
    }

    /// The keys of its parameters.
    pub(crate) fn own_keys(&self) -> Vec<SpecKey> {
        let mut all = Format::keys().into_iter();
        all.find(|(name, _)| *name == self.name())
            .map_or_else(Vec::new, |(_, keys)| keys)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.rules().details(f)
    }
}
