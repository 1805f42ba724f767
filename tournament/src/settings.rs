//! What a tournament is fixed by. The schedule and every match follow from it.

use std::fmt;
use std::str::FromStr;

use flipside_protocol::Clock;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Bot, Policy, RoundRobin, ScheduleError, Seating};

/// The settings of a tournament, all but the names of its bots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// How many rounds: rating periods.
    pub rounds: u32,
    /// The clock of every seat.
    pub clock: Clock,
    /// The number that the seeds of all matches come from.
    pub seed: u64,
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

fn one() -> u8 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_one(copies: &u8) -> bool {
    *copies == 1
}

/// Who plays whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Each against each, in both seatings, every round.
    #[default]
    RoundRobin,
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
#[error("{0:?} is not a format; there is round-robin")]
pub struct FormatError(String);

impl Settings {
    /// How the bots of a match share out its seats.
    ///
    /// # Errors
    /// When they cannot be shared out so.
    pub fn seating(&self) -> Result<Seating, ScheduleError> {
        Seating::copies(&self.sides(), self.copies)
    }

    /// By seat, the side that it is on; each on its own where the game is not known here.
    pub(crate) fn sides(&self) -> Vec<u8> {
        let table = flipside_games::find(&self.game)
            .and_then(|game| game.set_up(&self.options, self.seats).ok());
        let side = |seat: u8| table.as_ref().map_or(seat, |setup| setup.table.side(seat));
        (0..self.seats).map(side).collect()
    }

    /// The schedule of so many bots.
    ///
    /// # Errors
    /// When the numbers of seats or of bots do not fit the format.
    pub fn schedule(&self, bots: usize) -> Result<RoundRobin, ScheduleError> {
        match self.format {
            Format::RoundRobin if self.copies == 1 => {
                RoundRobin::new(bots, self.seats, self.rounds)
            }
            Format::RoundRobin => RoundRobin::seated(bots, self.seating()?, self.rounds),
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
            clock,
            seed,
            trust,
            ponder,
            policy,
        } = self;
        [
            differs("game", game, &other.game),
            differs("options", options, &other.options),
            differs("seats", seats, &other.seats),
            differs("copies", copies, &other.copies),
            differs("format", format, &other.format),
            differs("rounds", rounds, &other.rounds),
            differs("clock", clock, &other.clock),
            differs("seed", seed, &other.seed),
            differs("trust", trust, &other.trust),
            differs("ponder", ponder, &other.ponder),
            differs(
                "pause-after",
                &policy.pause_after,
                &other.policy.pause_after,
            ),
            differs("paused", &policy.paused, &other.policy.paused),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// SHA-256, hexadecimal, over the settings and the files of the bots by entrant: equal when a
    /// tournament would play the same matches between the same bots.
    pub fn fingerprint(&self, bots: &[Bot]) -> String {
        let json = serde_json::to_string(self).expect("settings are always JSON");
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

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Format::RoundRobin => "round-robin",
        })
    }
}

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, FormatError> {
        match text {
            "round-robin" => Ok(Format::RoundRobin),
            _ => Err(FormatError(text.chars().take(80).collect())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paused;

    fn settings() -> Settings {
        Settings {
            game: "flipfour".into(),
            options: "{}".into(),
            seats: 2,
            copies: 1,
            format: Format::RoundRobin,
            rounds: 10,
            clock: "move=1s".parse().unwrap(),
            seed: u64::MAX,
            trust: false,
            ponder: false,
            policy: Policy::default(),
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
            clock: "10s+100ms".parse().unwrap(),
            seed: 0,
            trust: true,
            ponder: false,
            policy: Policy {
                pause_after: 3,
                paused: Paused::LeaveOut,
            },
            format: Format::RoundRobin,
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
                r#"options: {}, not {"size":5}"#,
                "seats: 2, not 3",
                "rounds: 10, not 12",
                "clock: move=1s, not 10s+100ms",
                "seed: 18446744073709551615, not 0",
                "trust: false, not true",
                "pause-after: 0, not 3",
                "paused: forfeit, not leave-out",
            ]
        );
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
        assert!(
            "swiss"
                .parse::<Format>()
                .unwrap_err()
                .to_string()
                .contains("round-robin")
        );
        assert_eq!(
            Format::RoundRobin.to_string().parse(),
            Ok(Format::RoundRobin)
        );
    }
}
