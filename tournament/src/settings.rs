//! What a tournament is fixed by. The schedule and every match follow from it. A further option is one field with its
//! key here, and its use.

use std::collections::BTreeSet;
use std::time::Duration;
use std::{fmt, iter};

use flipside_games::MAX_SEATS;
use flipside_games::words::joined;
use flipside_protocol::{Clock, Patience};
use flipside_ratings::Seating;
use flipside_referee::{MAX_OPENING_PLIES, MatchSeed, Salt, opening_fits};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::bot::Bot;
use crate::bots_settings::BotsSettings;
use crate::difference::Difference;
use crate::director::Director;
use crate::formats::rules::{FormatSettings, Rounds};
use crate::formats::{FORMATS, Format};
use crate::names::Text;
use crate::policy::PAUSE_AFTER;
use crate::schedule::{MAX_ROUNDS, Pairing, RoundRobin, ScheduleError};
use crate::seed::WholeSeed;
use crate::spec::described::{DescribedSettings, described};
use crate::spec::key::{Heading, SpecKey, shown};

described! {
    /// The settings of a tournament, all but the names of its bots.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Settings {
        /// The game's id.
        game: String = String::new();
        /// Set the game's options
        options: String = "{}".into() => SpecKey::object(Heading::Format).unlike_its_field();
        /// Play matches of N seats
        seats: u8 = 2 => SpecKey::whole(Heading::Format, 2, MAX_SEATS as u64).usually("fewest").such_as("2");
        /// Give each bot N seats, for copies of itself
        ///
        /// In a game of teams, the size of a team makes each bot a team.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        copies: u8 = 1 => SpecKey::whole(Heading::Format, 1, MAX_SEATS as u64).detail();
        /// Choose who plays whom
        format: Format = Format::RoundRobin
            => SpecKey::text::<Format>(Heading::Format, "FORMAT")
                .one_of(FORMATS)
                .unlike_its_field()
                .such_as("swiss");
        /// Play N rounds
        ///
        /// A swiss has by default as many as single out a winner, but not so many that a bot rests twice. A sequential
        /// test has 20000 blocks by default. Other formats that go by results have as many rounds as they need.
        rounds: u32 = 1 => SpecKey::whole(Heading::Format, 1, MAX_ROUNDS.into()).such_as("10");
        /// By seed, which entrant, in a format that asks for seeds; empty: in order of entry. They are made
        /// when the tournament begins, so that they stay when ratings change.
        #[serde(default, skip_serializing_if = "is_default")]
        seeds: Vec<usize> = Vec::new();
        /// Give each seat this clock
        ///
        /// `move=1s` is a second a move, `10s+100ms` a bank with an increment. `,start=5s` behind either is the time
        /// to start.
        clock: Clock = Clock::per_move(Duration::from_secs(1)) => SpecKey::text::<Clock>(Heading::Clock, "CLOCK");
        /// Give single bots a clock, memory, options or a network of their own
        ///
        /// For handicaps and slow bots. In a file, a table for each bot: [bot.NAME] with clock, memory, options, network,
        /// env and at_once. The bot receives its options in `hello`, as `bot_options`. With network = true, an isolated bot
        /// can use the network of this machine; by default it has none. env = ["LLM_API_KEY"] gives it variables of your
        /// environment: their values are stored nowhere. at_once = 1 plays its matches one after the other.
        #[serde(default, skip_serializing_if = "is_default")]
        bot: BotsSettings = BotsSettings::default()
            => SpecKey::table::<BotsSettings>(Heading::Clock).such_as(r#"{ slow = { clock = "move=10s" } }"#).detail();
        /// Let each bot pause its clock for so long in a match
        ///
        /// For bots that ask a language model, whose provider may be busy: such a bot writes `pause` before it answers,
        /// and its clock stands still until its next line. Records say for how long, and why. By default, no bot may
        /// pause. Modules never may.
        #[serde(default, skip_serializing_if = "is_default")]
        provider_patience: Option<Patience> = None
            => SpecKey::text::<Patience>(Heading::Clock, "TIME").such_as("5m").detail();
        /// Begin each block with N random plies
        ///
        /// For board games, whose matches would otherwise all be alike. All matches of a block share their opening.
        #[serde(default, skip_serializing_if = "is_default")]
        opening_plies: u32 = 0 => SpecKey::whole(Heading::Clock, 0, MAX_OPENING_PLIES.into()).such_as("4");
        /// Set the seed of all chance
        ///
        /// A number is combined with 32 random bytes, so nobody can predict the random events. A whole seed, N-DIGITS,
        /// which a tournament prints at its end, repeats them exactly, so bots may know them. A tournament that resumes
        /// keeps its seed.
        seed: u64 = 0 => SpecKey::seed(Heading::Clock).usually("drawn").such_as("7").stays();
        /// 32 random bytes, the other half of a whole seed.
        salt: Salt = Salt::default();
        /// Run processes without isolation
        ///
        /// They can then do whatever you can do. Records and tables say so.
        #[serde(default, skip_serializing_if = "is_default")]
        trust: bool = false => SpecKey::flag(Heading::Where);
        /// Let processes compute on others' turns
        ///
        /// By default, a process that computes outside its own turn is suspended there.
        #[serde(default, skip_serializing_if = "is_default")]
        ponder: bool = false => SpecKey::switch(Heading::Clock);
        /// Do not count the tournament in the arena's ratings
        ///
        /// Its own table has ratings all the same.
        #[serde(default, skip_serializing_if = "is_default")]
        unrated: bool = false => SpecKey::flag(Heading::Where).detail();
        /// Pause a bot after N faults in a row
        ///
        /// It counts matches in the order of the schedule. 0 pauses nobody. A paused bot forfeits its remaining matches,
        /// and so does a bot that was withdrawn or disqualified. If bots of two or more other sides remain, they play
        /// the match.
        pause_after: u32 = PAUSE_AFTER
            => SpecKey::whole(Heading::Clock, 0, u32::MAX.into()).stays_in_default_name().detail();
        /// Give the tournament a title
        ///
        /// One line of at most 100 characters, which tables and pages begin with. It may change when the tournament
        /// resumes.
        #[serde(default, skip_serializing_if = "is_default")]
        title: Option<Title> = None
            => SpecKey::text::<Title>(Heading::Where, "TEXT").such_as("Spring cup").may_change().detail();
        /// Add a note to the tournament
        ///
        /// Plain text of at most 1000 characters in at most 20 lines, which stands below the title. It may change when
        /// the tournament resumes.
        #[serde(default, skip_serializing_if = "is_default")]
        note: Option<TournamentNote> = None
            => SpecKey::text::<TournamentNote>(Heading::Where, "TEXT").such_as("Two rounds a week").may_change().detail();
    }
}

/// The title of a tournament.
pub type Title = Text<100, 1>;

/// The note to a tournament.
pub type TournamentNote = Text<1000, 20>;

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn one() -> u8 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_one(copies: &u8) -> bool {
    *copies == 1
}

impl Settings {
    /// How the bots of a match share out its seats.
    ///
    /// # Errors
    /// When they cannot be shared out so.
    pub fn seating(&self) -> Result<Seating, ScheduleError> {
        Ok(Seating::copies(&self.sides(), self.copies)?)
    }

    /// The clocks that seats may have: that of all, and those of single bots.
    pub fn clocks(&self) -> impl Iterator<Item = Clock> {
        let own = self.bot.iter().filter_map(|(_, settings)| settings.clock);
        iter::once(self.clock).chain(own)
    }

    /// By seat, the side that it is on; each on its own where the game is not known here.
    pub(crate) fn sides(&self) -> Vec<u8> {
        let table = flipside_games::find(&self.game)
            .and_then(|game| game.set_up(&self.options, self.seats).ok());
        let side = |seat: u8| table.as_ref().map_or(seat, |setup| setup.table.side(seat));
        (0..self.seats).map(side).collect()
    }

    /// All that the random events follow from.
    pub fn whole_seed(&self) -> WholeSeed {
        WholeSeed {
            number: self.seed,
            salt: self.salt,
        }
    }

    /// The seed of a match. The matches of a block share their chance, and nothing else that comes from it.
    pub fn match_seed(&self, pairing: &Pairing) -> MatchSeed {
        MatchSeed::of_block(self.seed, &self.salt, pairing.block).numbered(pairing.index)
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
                format: format.rules().in_words(),
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
        ScheduleError::check_range("rounds", 1..=MAX_ROUNDS.into(), self.rounds.into())?;
        let rules = self.format.rules();
        if matches!(rules.rounds(), Rounds::Own) && self.rounds != 1 {
            let format = rules.in_words();
            return Err(ScheduleError::NoRounds { format });
        }
        rules.director(self, bots)
    }

    /// What is different in `other`, in the order in which people give it.
    pub fn difference(&self, other: &Settings) -> Vec<Difference> {
        let (were, are) = (self.shown(), other.shown());
        let of_both = were.iter().filter_map(|(name, was)| {
            // A parameter that only one of two formats has says no more than their names.
            let (_, is) = are.iter().find(|(other, _)| other == name)?;
            if name == "seed" && was == is {
                // Whoever asks for another salt does not learn the one that is kept.
                let number = &self.seed;
                let kept = || Difference {
                    what: name.clone(),
                    was: format!("{number} with a salt of its own"),
                    is: "with another one".into(),
                };
                return (self.salt != other.salt).then(kept);
            }
            differs(name, was, is)
        });
        let mut differences: Vec<Difference> = of_both.collect();
        let at = usize::from(self.game != other.game);
        differences.splice(at..at, options_difference(&self.options, &other.options));
        differences
    }

    /// All but the options by name, as people read it: a map whose order is that of the keys.
    fn shown(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        let keys = Settings::keys();
        for (name, value) in self.values() {
            match name.as_str() {
                // People give the seed and the salt as one.
                "options" | "salt" => {}
                "format" => {
                    all.push((name, self.format.name().into()));
                    let parameters = self.format.values().into_iter();
                    all.extend(parameters.map(|(name, value)| (name, shown(&value))));
                }
                "seeds" => all.push((name, in_order(&self.seeds))),
                _ => {
                    let key = keys.iter().find(|key| key.name == name);
                    let text = key.map_or_else(|| shown(&value), |key| key.shown(&value));
                    all.push((name, text));
                }
            }
        }
        all
    }

    /// SHA-256, hexadecimal, over the settings and the files of the bots by entrant: equal when a
    /// tournament would play the same matches between the same bots, if it began with the same ratings.
    /// The seeds that were made from those are left out.
    pub fn fingerprint(&self, bots: &[Bot]) -> String {
        let asked_for = Settings {
            seeds: Vec::new(),
            // What may change makes no other tournament.
            title: None,
            note: None,
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

impl FormatSettings for Settings {
    fn seating(&self) -> Result<Seating, ScheduleError> {
        Settings::seating(self)
    }

    fn round_robin(&self, bots: usize) -> Result<RoundRobin, ScheduleError> {
        self.schedule(bots)
    }

    fn seeds(&self, bots: usize) -> Result<Vec<usize>, ScheduleError> {
        if self.seeds.is_empty() {
            return Ok((0..bots).collect());
        }
        let mut sorted = self.seeds.clone();
        sorted.sort_unstable();
        if sorted.into_iter().eq(0..bots) {
            Ok(self.seeds.clone())
        } else {
            Err(ScheduleError::Seeds { bots })
        }
    }

    fn rounds(&self) -> u32 {
        self.rounds
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
    if by_name.is_empty() {
        Vec::from_iter(differs("options", &were, &are))
    } else {
        by_name
    }
}

/// Entrants by seed, in words.
fn in_order(seeds: &[usize]) -> String {
    match seeds {
        [] => "in order of entry".into(),
        seeds => format!("bots {}", joined(seeds.iter().map(|seed| seed + 1), ", ")),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::SALT;

    fn settings() -> Settings {
        Settings {
            game: "flipfour".into(),
            rounds: 10,
            seed: u64::MAX,
            ..Settings::default()
        }
    }

    #[test]
    fn rounds_have_a_range() {
        for (rounds, fits) in [
            (0, false),
            (1, true),
            (MAX_ROUNDS, true),
            (MAX_ROUNDS + 1, false),
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
            bot: serde_json::from_str(r#"{"yon":{"memory":"1G"}}"#).unwrap(),
            provider_patience: Some("5m".parse().unwrap()),
            opening_plies: 4,
            seed: 0,
            salt: SALT.parse().unwrap(),
            trust: true,
            ponder: false,
            unrated: true,
            pause_after: 3,
            format: "swiss".parse().unwrap(),
            title: Some("Spring cup".parse().unwrap()),
            note: None,
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
                "format: round-robin, not swiss",
                "rounds: 10, not 12",
                "seeds: in order of entry, not bots 2, 1",
                "clock: move=1s, not 10s+100ms",
                r#"bot: {}, not {"yon":{"memory":"1G"}}"#,
                "provider-patience: none, not 5m",
                "opening-plies: 0, not 4",
                "seed: 18446744073709551615, not 0",
                "trust: false, not true",
                "unrated: false, not true",
                "pause-after: 5, not 3",
                "title: none, not Spring cup",
            ]
        );
        // Where only the salts differ, neither is told: who knows one can predict the random events.
        let [one, other] = [SALT, &SALT.replace("00", "11")].map(|salt| Settings {
            salt: salt.parse().unwrap(),
            ..settings()
        });
        let [difference] = &one.difference(&other)[..] else {
            panic!("there is one difference");
        };
        assert_eq!(
            difference.to_string(),
            format!(
                "seed: {} with a salt of its own, not with another one",
                one.seed
            )
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
    fn a_match_of_too_few_or_too_many_seats_has_no_director() {
        for seats in [0, 1, 7, 9] {
            let settings = Settings {
                game: "nothing".into(),
                seats,
                ..Settings::default()
            };
            let refusal = settings.director(9).err().map(|error| error.to_string());
            let schedule = settings
                .schedule(9)
                .map(|_| ())
                .map_err(|error| error.to_string());
            assert_eq!(
                schedule,
                Err(refusal.expect("there is none")),
                "{seats} seats"
            );
        }
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
    fn settings_are_stored_under_the_keys_of_the_format() {
        let json = format!(
            r#"{{"game":"flipfour","options":"{{}}","seats":2,"format":"round-robin","rounds":10,"clock":"move=1s","seed":18446744073709551615,"salt":"{SALT}","pause_after":5}}"#
        );
        let settings = Settings {
            salt: SALT.parse().unwrap(),
            ..settings()
        };
        assert_eq!(serde_json::from_str::<Settings>(&json).unwrap(), settings);
        assert_eq!(serde_json::to_string(&settings).unwrap(), json);
        let salt = format!(r#","salt":"{SALT}""#);
        for missing in [&salt, r#","pause_after":5"#] {
            let other = json.replace(missing, "");
            assert_ne!(other, json);
            assert!(serde_json::from_str::<Settings>(&other).is_err());
        }
    }

    /// The same command must find its tournament again. The number was computed by a line of Python (hashlib) over the
    /// JSON.
    #[test]
    fn the_fingerprint_of_settings_never_changes() {
        let json = r#"{"game":"flipfour","options":"{\"max_plies\":20}","seats":2,"copies":2,"format":{"knockout":{"best-of":3,"tie-breaks":2,"third-place":true,"seeding":"ratings"}},"rounds":1,"clock":"10s+100ms","opening_plies":4,"seed":0,"salt":"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff","trust":true,"ponder":true,"pause_after":3}"#;
        let all: Settings = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&all).unwrap(), json);
        let pinned = "78bc187fd2de0abe8bf056521ab955e129f497125c67cf26c9effbf62ba95fe8";
        assert_eq!(all.fingerprint(&[]), pinned);
        // Seeds come from ratings, which change, and a title may change.
        let seeded = Settings {
            seeds: vec![1, 0],
            title: Some("Spring cup".parse().unwrap()),
            note: Some("a note".parse().unwrap()),
            ..all
        };
        assert_eq!(seeded.fingerprint(&[]), pinned);
    }

    #[test]
    fn matches_of_a_block_share_their_seed_and_not_their_commitment() {
        let of = |seed, salt, block, index| {
            let settings = Settings {
                seed,
                salt,
                ..settings()
            };
            settings.match_seed(&Pairing {
                index,
                round: 0,
                block,
                seats: vec![0, 1],
            })
        };
        let salt: Salt = SALT.parse().unwrap();
        let [one, other] = [6, 7].map(|index| of(7, salt, 3, index));
        assert_eq!(one.to_string(), other.to_string());
        assert_ne!(one.commitment(), other.commitment());
        let seeds = [
            one,
            of(7, salt, 4, 6),
            of(8, salt, 3, 6),
            of(7, Salt::draw().unwrap(), 3, 6),
        ];
        let seeds: BTreeSet<String> = seeds.iter().map(MatchSeed::to_string).collect();
        assert_eq!(seeds.len(), 4);
    }

    #[test]
    fn every_format_has_a_name_and_is_stored_with_what_it_was_asked_for() {
        for &name in FORMATS {
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
