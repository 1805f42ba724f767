//! Who plays whom. Each format is a file here: its parameters with their help and defaults, how it is told in words, who
//! directs it, and what ranks. A further format is such a file and a line in `formats!`.

mod double_elimination;
mod gauntlet;
mod growing;
mod knockout;
mod ladder;
mod match_up;
mod plan;
mod round_robin;
mod sprt;
mod swiss;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::{head, word};
use crate::spec::{DescribedSettings, Heading, SpecFileFault, SpecKey, Values};
use crate::{Director, ScheduleError, Settings};
use flipside_ratings::Fit;
use flipside_ratings::Sprt;
use plan::{Block, BlockPlan, FormatPlan, Planned, points};

pub use double_elimination::DoubleElimination;
pub use gauntlet::Gauntlet;
pub use knockout::Knockout;
pub use ladder::{Ladder, MAX_LADDER_MATCHES, MIN_BATCH};
pub use match_up::{DecidedBy, Encounter, MAX_BEST_OF, MAX_TIE_BREAKS};
pub use swiss::{Swiss, most_swiss_rounds, swiss_rounds};

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
    fn longer(&self) -> Longer {
        match self.rounds() {
            Rounds::Asked(_) | Rounds::Blocks(_) => Longer::Rounds,
            Rounds::Own => Longer::Never("it has as many rounds as it needs"),
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
    fn no_newcomers(&self, settings: &Settings) -> Option<&'static str>;

    /// Who says what is played, with these settings, between so many bots.
    fn director(
        &self,
        settings: &Settings,
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
pub(crate) enum Longer {
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
            pub(crate) fn with(self, values: &Values) -> Result<Self, SpecFileFault> {
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
    fn key() -> SpecKey {
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

/// The order of the bots by the rules of a format, where it is not that of the points alone.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Ranking {
    /// The headings of the cells: what decides, from the first to the last. Byes decide nothing, but explain points.
    pub by: Vec<&'static str>,
    /// The bots in order of rank.
    pub rows: Vec<Ranked>,
}

/// A bot in a ranking.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Ranked {
    /// From 1; bots that are level share it.
    pub rank: usize,
    /// The number of the entrant.
    pub entrant: usize,
    /// What the rank comes from, in words and numbers.
    pub cells: Vec<String>,
}

impl Ranking {
    /// The order by ratings of so many bots, as they are shown: who is level there is level.
    pub(crate) fn by_rating(bots: usize, fit: &Fit) -> Self {
        let key = |bot| (fit.rating(bot).points * 100.0).round() as i64;
        let keys: Vec<i64> = (0..bots).map(key).collect();
        let cells = |bot: usize| vec![format!("{:.2}", keys[bot] as f64 / 100.0)];
        Ranking::of(vec!["rating"], &keys, cells)
    }

    /// The entrants in order of these keys, the greater before the less; who has the same shares a rank.
    fn of<K: Ord>(by: Vec<&'static str>, keys: &[K], cells: impl Fn(usize) -> Vec<String>) -> Self {
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|&one, &other| keys[other].cmp(&keys[one]).then(one.cmp(&other)));
        let ranked = |&entrant: &usize| Ranked {
            rank: 1 + keys.iter().filter(|key| **key > keys[entrant]).count(),
            entrant,
            cells: cells(entrant),
        };
        Ranking {
            by,
            rows: order.iter().map(ranked).collect(),
        }
    }
}
