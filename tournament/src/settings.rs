//! What a tournament is fixed by. The schedule and every match follow from it.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use flipside_protocol::Clock;
use flipside_referee::{MatchSeed, Salt, opening_fits};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::formats::{Gauntlet, Knockout, Planned, Rungs, Swiss};
use crate::schedule::unsalted_seed;
use crate::statistics::{Sprt, SprtDirector};
use crate::{
    Bot, Director, Fixed, MOST_ROUNDS, Pairing, Policy, RoundRobin, ScheduleError, Seating,
};

/// The settings of a tournament, all but the names of its bots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The game's id.
    pub game: String,
    /// All options of the game as canonical JSON, as the game's set-up gives them.
    pub options: String,
    /// How many seats a match has.
    pub seats: u8,
    /// How many of them each bot takes.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub copies: u8,
    /// Who plays whom.
    pub format: Format,
    /// How many rounds: rating periods. A knockout and a ladder have as many as they need; there it is 1.
    pub rounds: u32,
    /// By seed, which entrant, in a format that asks for seeds; empty: in order of entry. They are made
    /// when the tournament begins, so that they stay when ratings change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<usize>,
    /// The clock of every seat.
    pub clock: Clock,
    /// How many plies of a match are drawn before anybody is asked: the same for all matches of a block.
    #[serde(default, skip_serializing_if = "is_none")]
    pub opening_plies: u32,
    /// The number that the seeds of all matches come from, with the salt.
    pub seed: u64,
    /// What makes these seeds unguessable: it is drawn when the tournament begins. A tournament that has none
    /// is from before there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salt: Option<Salt>,
    /// Whether processes are started without a jail.
    #[serde(default, skip_serializing_if = "is_false")]
    pub trust: bool,
    /// Whether processes may compute on the turns of others.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ponder: bool,
    /// What becomes of bots that fail match after match. A tournament that says nothing of it is from
    /// before there was a policy, and pauses nobody.
    #[serde(default, skip_serializing_if = "Policy::is_none")]
    pub policy: Policy,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_none(plies: &u32) -> bool {
    *plies == 0
}

fn one() -> u8 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_one(copies: &u8) -> bool {
    *copies == 1
}

/// Who plays whom. A block is the same chance with the seats permuted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Format {
    /// Each against each, a block in every round.
    #[default]
    RoundRobin,
    /// The first entrants against the others, a block in every round, and nobody else.
    Gauntlet {
        /// How many of the first entrants play against all others.
        challengers: u32,
    },
    /// In every round those meet who have about as many points, and nobody the same bot twice while it can
    /// be avoided. Points decide, then Buchholz, then Sonneborn and Berger.
    Swiss {
        /// Who is better before the first round.
        seeding: Seeding,
    },
    /// Who loses an encounter is out.
    #[serde(rename_all = "kebab-case")]
    Knockout {
        /// An encounter is best of so many blocks.
        best_of: u32,
        /// So many blocks are played on, one by one, while an encounter is level; then the better seed
        /// goes on.
        tie_breaks: u32,
        /// Whether those who lose the semi-finals meet.
        third_place: bool,
        /// Who is the better seed.
        seeding: Seeding,
    },
    /// The matches that tell most of the order of the bots.
    Ladder {
        /// At least so many: the last block is played to its end.
        matches: u64,
    },
    /// The first of two bots against the second, until it is told whether it is stronger, or the rounds
    /// are played.
    Sprt(Sprt),
}

/// The names of the formats.
pub const FORMATS: [&str; 6] = [
    "round-robin",
    "gauntlet",
    "swiss",
    "knockout",
    "ladder",
    "sprt",
];

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

/// One thing that two settings do not agree in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What it is.
    pub what: String,
    /// How it was.
    pub was: String,
    /// How it would be now.
    pub is: String,
}

/// A text that is no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a format; there are {formats}", formats = FORMATS.join(", "))]
pub struct FormatError(String);

impl Settings {
    /// How the bots of a match share out its seats.
    ///
    /// # Errors
    /// When they cannot be shared out so.
    pub fn seating(&self) -> Result<Seating, ScheduleError> {
        Seating::copies(&self.sides(), self.copies)
    }

    /// The game's options as this version writes them; as they stand, where the game is not known here.
    pub fn complete_options(&self) -> String {
        let complete =
            flipside_games::find(&self.game).and_then(|game| game.complete(&self.options).ok());
        complete.unwrap_or_else(|| self.options.clone())
    }

    /// By seat, the side that it is on; each on its own where the game is not known here.
    pub(crate) fn sides(&self) -> Vec<u8> {
        let table = flipside_games::find(&self.game)
            .and_then(|game| game.set_up(&self.options, self.seats).ok());
        let side = |seat: u8| table.as_ref().map_or(seat, |setup| setup.table.side(seat));
        (0..self.seats).map(side).collect()
    }

    /// The seed of a match. The matches of a block share their chance, and nothing else that comes from it.
    pub fn match_seed(&self, pairing: &Pairing) -> MatchSeed {
        match &self.salt {
            None => MatchSeed::of(unsalted_seed(self.seed, pairing.block)),
            Some(salt) => {
                MatchSeed::of_block(self.seed, salt, pairing.block).numbered(pairing.index)
            }
        }
    }

    /// The schedule of so many bots, where it is fixed from the beginning: that of a round robin.
    ///
    /// # Errors
    /// When the numbers of seats or of bots do not fit the format, or the schedule depends on results.
    pub fn schedule(&self, bots: usize) -> Result<RoundRobin, ScheduleError> {
        match self.format {
            Format::RoundRobin if self.copies == 1 => {
                RoundRobin::new(bots, self.seats, self.rounds)
            }
            Format::RoundRobin => RoundRobin::seated(bots, self.seating()?, self.rounds),
            format => Err(ScheduleError::NotFixed {
                format: format.in_words(),
            }),
        }
    }

    /// Who says what is played between so many bots, before the first match.
    ///
    /// # Errors
    /// When the numbers of seats, of bots or of rounds do not fit the format.
    pub fn director(&self, bots: usize) -> Result<Box<dyn Director>, ScheduleError> {
        if let Some(game) = flipside_games::find(&self.game) {
            opening_fits(game.info(), self.opening_plies)?;
        }
        if !(1..=MOST_ROUNDS).contains(&self.rounds) {
            return Err(ScheduleError::Range {
                what: "rounds",
                least: 1,
                most: MOST_ROUNDS.into(),
                is: self.rounds.into(),
            });
        }
        if let Format::RoundRobin = self.format {
            return Ok(Box::new(Fixed::new(self.schedule(bots)?)));
        }
        let seating = self.seating()?;
        let planned = |plan| Ok::<Box<dyn Director>, _>(plan);
        if self.format.counts_its_rounds() && self.rounds != 1 {
            return Err(ScheduleError::NoRounds {
                format: self.format.in_words(),
            });
        }
        match self.format {
            Format::RoundRobin => unreachable!("its schedule is fixed"),
            Format::Gauntlet { challengers } => planned(Box::new(Gauntlet::new(
                bots,
                seating,
                challengers,
                self.rounds,
            )?)),
            Format::Swiss { .. } => {
                let swiss = Swiss::new(self.seeds(bots)?, seating, self.rounds)?;
                planned(Box::new(Planned::new(swiss, seating)))
            }
            Format::Knockout {
                best_of,
                tie_breaks,
                third_place,
                ..
            } => {
                let seeds = self.seeds(bots)?;
                let knockout = Knockout::new(seeds, seating, best_of, tie_breaks, third_place)?;
                planned(Box::new(Planned::new(knockout, seating)))
            }
            Format::Ladder { matches } => {
                let ladder = Rungs::new(bots, seating, matches)?;
                planned(Box::new(Planned::new(ladder, seating)))
            }
            // It would take what nobody played for results.
            Format::Sprt(_) if self.policy.leaves_out() => Err(ScheduleError::LeftOutOfTest),
            Format::Sprt(sprt) => planned(Box::new(SprtDirector::of(
                sprt,
                bots,
                seating,
                self.rounds,
            )?)),
        }
    }

    /// By seed, which of so many entrants.
    fn seeds(&self, bots: usize) -> Result<Vec<usize>, ScheduleError> {
        if self.seeds.is_empty() {
            return Ok((0..bots).collect());
        }
        let mut sorted = self.seeds.clone();
        sorted.sort_unstable();
        match sorted.into_iter().eq(0..bots) {
            true => Ok(self.seeds.clone()),
            false => Err(ScheduleError::Seeds { bots }),
        }
    }

    /// What is different in `other`, in the order in which people give it.
    pub fn difference(&self, other: &Settings) -> Vec<Difference> {
        // Taken apart so that a new field cannot be forgotten here.
        let Settings {
            game,
            options,
            seats,
            copies,
            format,
            rounds,
            seeds,
            clock,
            opening_plies,
            seed,
            salt,
            trust,
            ponder,
            policy,
        } = self;
        let hex = |salt: &Option<Salt>| salt.map_or_else(|| "none".into(), |salt| salt.to_string());
        let differs_in = [
            differs("game", game, &other.game),
            differs("seats", seats, &other.seats),
            differs("copies", copies, &other.copies),
            differs("format", format, &other.format),
            differs("rounds", rounds, &other.rounds),
            differs("seeds", &in_order(seeds), &in_order(&other.seeds)),
            differs("clock", clock, &other.clock),
            differs("opening plies", opening_plies, &other.opening_plies),
            differs("seed", seed, &other.seed),
            differs("salt", &hex(salt), &hex(&other.salt)),
            differs("trust", trust, &other.trust),
            differs("ponder", ponder, &other.ponder),
            differs(
                "pause-after",
                &policy.pause_after,
                &other.policy.pause_after,
            ),
            differs("paused", &policy.paused, &other.policy.paused),
        ];
        let mut differences: Vec<Difference> = differs_in.into_iter().flatten().collect();
        let at = usize::from(game != &other.game);
        differences.splice(at..at, options_difference(options, &other.options));
        differences
    }

    /// SHA-256, hexadecimal, over the settings and the files of the bots by entrant: equal when a
    /// tournament would play the same matches between the same bots, if it began with the same ratings.
    /// The seeds that were made from those are left out.
    pub fn fingerprint(&self, bots: &[Bot]) -> String {
        let game = flipside_games::find(&self.game);
        let asked_for = Settings {
            seeds: Vec::new(),
            // An option that a later version added changes nothing, as long as it is not asked for.
            options: game.map_or_else(
                || self.options.clone(),
                |game| game.without_later(&self.options),
            ),
            ..self.clone()
        };
        let json = serde_json::to_string(&asked_for).expect("settings are always JSON");
        let mut hash = Sha256::new()
            .chain_update(b"flipside tournament settings\0")
            .chain_update(json);
        for bot in bots {
            hash.update(format!("\n{} {} {}", bot.label(), bot.kind, bot.sha256));
        }
        hex::encode(hash.finalize())
    }
}

/// The difference between two lists of entrants.
pub(crate) fn entrants_difference(were: &[String], are: &[String]) -> Vec<Difference> {
    if were.len() != are.len() {
        return differs("bots", &were.join(", "), &are.join(", "))
            .into_iter()
            .collect();
    }
    let numbered = were.iter().zip(are).enumerate();
    numbered
        .filter_map(|(at, (was, is))| differs(&format!("bot {}", at + 1), was, is))
        .collect()
}

/// The difference between all options of a game: those that differ, by name; as they stand where one is no object.
fn options_difference(were: &str, are: &str) -> Vec<Difference> {
    if were == are {
        return Vec::new();
    }
    let object = |text| serde_json::from_str::<serde_json::Map<String, Value>>(text);
    let by_name = match (object(were), object(are)) {
        (Ok(was), Ok(is)) => {
            let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
            let told = |value: Option<&Value>| match value {
                Some(Value::String(text)) => text.clone(),
                Some(value) => value.to_string(),
                None => "none".into(),
            };
            let differences = (names.into_iter()).filter_map(|name| {
                let what = format!("option {name}");
                differs(&what, &told(was.get(name)), &told(is.get(name)))
            });
            differences.collect()
        }
        _ => Vec::new(),
    };
    match by_name.is_empty() {
        true => Vec::from_iter(differs("options", &were, &are)),
        false => by_name,
    }
}

/// Entrants by seed, in words.
fn in_order(seeds: &[usize]) -> String {
    match seeds {
        [] => "in order of entry".into(),
        seeds => {
            let numbers: Vec<String> = seeds.iter().map(|seed| (seed + 1).to_string()).collect();
            format!("bots {}", numbers.join(", "))
        }
    }
}

fn differs<T: PartialEq + fmt::Display>(what: &str, was: &T, is: &T) -> Option<Difference> {
    (was != is).then(|| Difference {
        what: what.into(),
        was: was.to_string(),
        is: is.to_string(),
    })
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, not {}", self.what, self.was, self.is)
    }
}

impl Format {
    /// Its name, as it is typed.
    pub fn name(&self) -> &'static str {
        match self {
            Format::RoundRobin => "round-robin",
            Format::Gauntlet { .. } => "gauntlet",
            Format::Swiss { .. } => "swiss",
            Format::Knockout { .. } => "knockout",
            Format::Ladder { .. } => "ladder",
            Format::Sprt(_) => "sprt",
        }
    }

    /// Its name within a sentence.
    pub fn in_words(&self) -> &'static str {
        match self {
            Format::RoundRobin => "round robin",
            Format::Sprt(_) => "sequential test",
            _ => self.name(),
        }
    }

    /// Whether it has as many rounds as it needs, so that nobody asks for some.
    pub fn counts_its_rounds(&self) -> bool {
        matches!(self, Format::Knockout { .. } | Format::Ladder { .. })
    }

    /// Where its seeds come from, if it asks for any.
    pub fn seeding(&self) -> Option<Seeding> {
        match *self {
            Format::Swiss { seeding } | Format::Knockout { seeding, .. } => Some(seeding),
            Format::RoundRobin
            | Format::Gauntlet { .. }
            | Format::Ladder { .. }
            | Format::Sprt(_) => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Format::RoundRobin => Ok(()),
            Format::Gauntlet { challengers: 1 } => f.write_str(" of 1 challenger"),
            Format::Gauntlet { challengers } => write!(f, " of {challengers} challengers"),
            Format::Swiss { seeding } => write!(f, " seeded by {seeding}"),
            Format::Knockout {
                best_of,
                tie_breaks,
                third_place,
                seeding,
            } => {
                let third = if *third_place {
                    " and a third place"
                } else {
                    ""
                };
                let tie_breaks = match tie_breaks {
                    1 => "1 tie-break".to_owned(),
                    more => format!("{more} tie-breaks"),
                };
                write!(
                    f,
                    ", best of {best_of} with {tie_breaks}{third}, seeded by {seeding}"
                )
            }
            Format::Ladder { matches: 1 } => f.write_str(" of 1 match"),
            Format::Ladder { matches } => write!(f, " of {matches} matches"),
            Format::Sprt(sprt) => write!(f, " {sprt}"),
        }
    }
}

impl fmt::Display for Seeding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Seeding::Entry => "entry",
            Seeding::Ratings => "ratings",
        })
    }
}

impl FromStr for Format {
    type Err = FormatError;

    /// The format of a name, with what it is when nothing else is asked for.
    fn from_str(text: &str) -> Result<Self, FormatError> {
        match text {
            "round-robin" => Ok(Format::RoundRobin),
            "gauntlet" => Ok(Format::Gauntlet { challengers: 1 }),
            "swiss" => Ok(Format::Swiss {
                seeding: Seeding::Entry,
            }),
            "knockout" => Ok(Format::Knockout {
                best_of: 1,
                tie_breaks: 3,
                third_place: false,
                seeding: Seeding::Ratings,
            }),
            "ladder" => Ok(Format::Ladder { matches: 1_000 }),
            "sprt" => Ok(Format::Sprt(Sprt::default())),
            _ => Err(FormatError(text.chars().take(80).collect())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paused;
    use crate::testing::SALT;

    fn settings() -> Settings {
        Settings {
            game: "flipfour".into(),
            options: "{}".into(),
            seats: 2,
            copies: 1,
            format: Format::RoundRobin,
            rounds: 10,
            seeds: Vec::new(),
            clock: "move=1s".parse().unwrap(),
            opening_plies: 0,
            seed: u64::MAX,
            salt: None,
            trust: false,
            ponder: false,
            policy: Policy::default(),
        }
    }

    #[test]
    fn a_sequential_test_leaves_nothing_out() {
        let of = |pause_after, paused| Settings {
            format: Format::Sprt(Sprt::default()),
            policy: Policy {
                pause_after,
                paused,
            },
            ..settings()
        };
        assert!(of(2, Paused::Forfeit).director(2).is_ok());
        assert!(of(0, Paused::LeaveOut).director(2).is_ok());
        let refused = of(2, Paused::LeaveOut).director(2).err();
        assert_eq!(refused, Some(ScheduleError::LeftOutOfTest));
    }

    #[test]
    fn rounds_have_a_range() {
        for (rounds, fits) in [
            (0, false),
            (1, true),
            (MOST_ROUNDS, true),
            (MOST_ROUNDS + 1, false),
        ] {
            let settings = Settings {
                rounds,
                ..settings()
            };
            assert_eq!(settings.director(4).is_ok(), fits, "{rounds}");
        }
    }

    #[test]
    fn each_setting_that_differs_is_named() {
        let mine = settings();
        assert_eq!(mine.difference(&mine), []);
        let theirs = Settings {
            game: "flipflop".into(),
            options: r#"{"size":5}"#.into(),
            seats: 3,
            copies: 1,
            rounds: 12,
            seeds: vec![1, 0],
            clock: "10s+100ms".parse().unwrap(),
            opening_plies: 4,
            seed: 0,
            salt: Some(SALT.parse().unwrap()),
            trust: true,
            ponder: false,
            policy: Policy {
                pause_after: 3,
                paused: Paused::LeaveOut,
            },
            format: "swiss".parse().unwrap(),
        };
        let words: Vec<String> = mine
            .difference(&theirs)
            .iter()
            .map(Difference::to_string)
            .collect();
        assert_eq!(
            words,
            [
                "game: flipfour, not flipflop",
                "option size: none, not 5",
                "seats: 2, not 3",
                "format: round-robin, not swiss seeded by entry",
                "rounds: 10, not 12",
                "seeds: in order of entry, not bots 2, 1",
                "clock: move=1s, not 10s+100ms",
                "opening plies: 0, not 4",
                "seed: 18446744073709551615, not 0",
                &format!("salt: none, not {SALT}"),
                "trust: false, not true",
                "pause-after: 0, not 3",
                "paused: forfeit, not leave-out",
            ]
        );
    }

    #[test]
    fn only_the_options_that_differ_are_told() {
        let words = |were: &str, are: &str| -> Vec<String> {
            let all = options_difference(were, are);
            all.iter().map(Difference::to_string).collect()
        };
        let (were, are) = (
            r#"{"layout":"a","max_plies":40,"size":8}"#,
            r#"{"layout":"b","max_plies":60,"size":8}"#,
        );
        assert_eq!(
            words(were, are),
            ["option layout: a, not b", "option max_plies: 40, not 60"]
        );
        assert!(words(were, were).is_empty());
        // What cannot be told apart by name is told as it stands.
        assert_eq!(words("{}", "[]"), ["options: {}, not []"]);
        assert_eq!(words("{}", "{ }"), ["options: {}, not { }"]);
    }

    #[test]
    fn an_exchanged_bot_is_named() {
        let list = |names: &[&str]| {
            names
                .iter()
                .map(|&name| name.into())
                .collect::<Vec<String>>()
        };
        let words = |were: &[&str], are: &[&str]| {
            let all = entrants_difference(&list(were), &list(are));
            all.iter().map(Difference::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            words(&["a@1", "b@1"], &["a@1", "b@1"]),
            Vec::<String>::new()
        );
        assert_eq!(
            words(&["a@1", "b@1"], &["a@1", "b@2"]),
            ["bot 2: b@1, not b@2"]
        );
        assert_eq!(
            words(&["a@1", "b@1"], &["a@1"]),
            ["bots: a@1, b@1, not a@1"]
        );
    }

    #[test]
    fn settings_of_format_version_1_are_read_for_ever() {
        let json = r#"{"game":"flipfour","options":"{}","seats":2,"format":"round-robin","rounds":10,"clock":"move=1s","seed":18446744073709551615}"#;
        assert_eq!(serde_json::from_str::<Settings>(json).unwrap(), settings());
        assert_eq!(serde_json::to_string(&settings()).unwrap(), json);
        let pauses = Settings {
            policy: Policy::usual(),
            ..settings()
        };
        let with_policy = json.replace(
            r#""seed":18446744073709551615}"#,
            r#""seed":18446744073709551615,"policy":{"pause-after":5,"paused":"forfeit"}}"#,
        );
        assert_eq!(serde_json::to_string(&pauses).unwrap(), with_policy);
        assert_eq!(
            serde_json::from_str::<Settings>(&with_policy).unwrap(),
            pauses
        );
    }

    #[test]
    fn matches_of_a_block_share_their_seed_and_without_a_salt_their_commitment_as_before() {
        let pairing = |block, index| Pairing {
            index,
            round: 0,
            block,
            seats: vec![0, 1],
        };
        let of = |settings: &Settings, block, index| settings.match_seed(&pairing(block, index));
        let without = Settings {
            seed: 7,
            ..settings()
        };
        assert_eq!(of(&without, 3, 6), of(&without, 3, 7));
        assert_eq!(of(&without, 3, 6).number(), None);
        let salted = Settings {
            salt: Some(SALT.parse().unwrap()),
            ..without.clone()
        };
        let [one, other] = [6, 7].map(|index| of(&salted, 3, index));
        assert_eq!(one.to_string(), other.to_string());
        assert_ne!(one.commitment(), other.commitment());
        let seeds = [
            of(&without, 3, 6),
            one,
            of(&salted, 4, 6),
            of(
                &Settings {
                    seed: 8,
                    ..salted.clone()
                },
                3,
                6,
            ),
            of(
                &Settings {
                    salt: Some(Salt::draw().unwrap()),
                    ..salted.clone()
                },
                3,
                6,
            ),
        ];
        let seeds: BTreeSet<String> = seeds.iter().map(MatchSeed::to_string).collect();
        assert_eq!(seeds.len(), 5);
        let json = serde_json::to_string(&salted).unwrap();
        assert!(
            json.contains(&format!(r#""seed":7,"salt":"{SALT}""#)),
            "{json}"
        );
        assert_eq!(serde_json::from_str::<Settings>(&json).unwrap(), salted);
    }

    #[test]
    fn every_format_has_a_name_and_is_stored_with_what_it_was_asked_for() {
        for name in FORMATS {
            let format: Format = name.parse().unwrap();
            assert_eq!(format.name(), name);
            assert!(format.to_string().starts_with(name));
            let json = serde_json::to_string(&format).unwrap();
            assert_eq!(serde_json::from_str::<Format>(&json).unwrap(), format);
            assert!(json.contains(name));
        }
        let json =
            r#"{"knockout":{"best-of":3,"tie-breaks":2,"third-place":true,"seeding":"entry"}}"#;
        let stored: Format = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&stored).unwrap(), json);
        let told = "cup".parse::<Format>().unwrap_err().to_string();
        assert!(FORMATS.iter().all(|name| told.contains(name)), "{told}");
        for unknown in [
            r#"{"knockout":{"best-of":3,"tie-breaks":2,"third-place":true,"seeding":"entry","x":1}}"#,
            r#"{"swiss":{"seeding":"luck"}}"#,
            r#"{"gauntlet":{"challengers":-1}}"#,
            r#""cup""#,
        ] {
            assert!(
                serde_json::from_str::<Format>(unknown).is_err(),
                "{unknown}"
            );
        }
    }
}
