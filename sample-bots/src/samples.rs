//! The list of sample bots, and their names with parameters, such as `alphabeta:depth=4`.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use flipside_bot::{Bot, Error, StrategyBot};

use crate::alphabeta::AlphaBeta;
use crate::alphabeta::limits::SearchLimits;
use crate::expectimax::{Expectimax, TURNS};
use crate::first::First;
use crate::greedy::Greedy;
use crate::mcts::{Mcts, PLAYOUTS};
use crate::perfect::Perfect;
use crate::random::Random;
use crate::rollout::{ROLLOUT_PLAYOUTS, Rollout};
use crate::strong::Strong;
use crate::{alphabeta, expectimax, perfect, rollout};

/// A bot of this crate.
pub struct Sample {
    /// What it is called.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The games that it plays; nothing if it plays every game.
    pub games: Option<&'static [&'static str]>,
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// Makes the bot. The values are in the order of the parameters.
    make: fn(&[Option<u32>]) -> Box<dyn Bot>,
}

/// What can be set of a bot: a whole number.
#[derive(Debug)]
pub struct Parameter {
    /// What it is called.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The allowed values.
    pub range: RangeInclusive<u32>,
    /// The value that means the same as leaving the parameter out, if there is one.
    pub default: Option<u32>,
    /// Whether it needs a clock, which modules do not have.
    pub needs_a_clock: bool,
}

const fn parameter(
    name: &'static str,
    range: RangeInclusive<u32>,
    about: &'static str,
) -> Parameter {
    Parameter {
        name,
        about,
        range,
        default: None,
        needs_a_clock: false,
    }
}

/// The time for a move.
const MS: Parameter = Parameter {
    needs_a_clock: true,
    ..parameter("ms", 1..=3_600_000, "the milliseconds for a move")
};

/// The bots of this crate.
pub const SAMPLES: &[Sample] = &[
    Sample {
        name: "random",
        about: "plays any legal action, all alike",
        games: None,
        parameters: &[],
        make: |_| Box::new(Random),
    },
    Sample {
        name: "greedy",
        about: "looks one move ahead",
        games: None,
        parameters: &[],
        make: |_| Box::new(StrategyBot(Greedy)),
    },
    Sample {
        name: "mcts",
        about: "searches by playouts, a fixed number for each move",
        games: None,
        parameters: &[Parameter {
            default: Some(PLAYOUTS),
            ..parameter("playouts", 1..=100_000_000, "the playouts for a move")
        }],
        make: |values| {
            Box::new(StrategyBot(Mcts {
                playouts: values[0].unwrap_or(PLAYOUTS),
            }))
        },
    },
    Sample {
        name: "alphabeta",
        about: "searches the two-seat board games by alpha-beta, a fixed number of nodes for each move",
        games: Some(alphabeta::GAMES),
        parameters: &[
            parameter("depth", 1..=100, "the depth of the search in plies"),
            parameter(
                "nodes",
                1..=1_000_000_000,
                "the moves tried in the search for a move",
            ),
            MS,
        ],
        make: |values| match *values {
            [depth, nodes, ms] if values.iter().any(Option::is_some) => Box::new(AlphaBeta {
                limits: SearchLimits { depth, nodes, ms },
            }),
            _ => Box::new(AlphaBeta::default()),
        },
    },
    Sample {
        name: "perfect",
        about: "plays FlipFlop 3×3 without a mistake",
        games: Some(perfect::GAMES),
        parameters: &[],
        make: |_| Box::new(Perfect::default()),
    },
    Sample {
        name: "expectimax",
        about: "looks some turns ahead at FLIP 4 and Puissance 4 Flip, over all that chance can do",
        games: Some(expectimax::GAMES),
        parameters: &[Parameter {
            default: Some(TURNS),
            ..parameter("turns", 1..=6, "the turns looked ahead, its own included")
        }],
        make: |values| {
            Box::new(Expectimax {
                turns: values[0].unwrap_or(TURNS),
            })
        },
    },
    Sample {
        name: "rollout",
        about: "plays Phase 10 Flip by playouts to the end of the round, a fixed number for each move",
        games: Some(rollout::GAMES),
        parameters: &[
            Parameter {
                default: Some(ROLLOUT_PLAYOUTS),
                ..parameter("playouts", 1..=100_000_000, "the playouts for a move")
            },
            MS,
        ],
        make: |values| match *values {
            [None, None] => Box::new(Rollout::default()),
            [playouts, ms] => Box::new(Rollout { playouts, ms }),
            _ => unreachable!("there are two parameters"),
        },
    },
    Sample {
        name: "strong",
        about: "plays each game as the best of the other bots does",
        games: None,
        parameters: &[],
        make: |_| Box::new(Strong::default()),
    },
    Sample {
        name: "first",
        about: "plays the first legal action of the list",
        games: None,
        parameters: &[],
        make: |_| Box::new(First),
    },
];

/// A bot of this crate with its parameters. As text it is the name, and then each parameter that is
/// not left out, in the order of the list: two texts are the same exactly if the bots are.
#[derive(Clone)]
pub struct Spec {
    sample: &'static Sample,
    values: Vec<Option<u32>>,
}

impl Spec {
    /// Returns the bot without its parameters.
    pub fn sample(&self) -> &'static Sample {
        self.sample
    }

    /// Makes the bot.
    pub fn bot(&self) -> Box<dyn Bot> {
        (self.sample.make)(&self.values)
    }

    /// Sets a parameter by a text like `depth=4`.
    fn set(&mut self, text: &str) -> Result<(), SpecError> {
        let name = self.sample.name;
        let fail = |message: String| SpecError {
            message,
            hint: self.sample.usage(),
        };
        let Some((key, value)) = text.split_once('=') else {
            return Err(fail(format!("{text:?} is not a parameter like depth=4")));
        };
        let parameters = self.sample.parameters;
        let Some(place) = parameters.iter().position(|known| known.name == key) else {
            return Err(fail(format!("the bot {name} has no parameter {key:?}")));
        };
        let parameter = &parameters[place];
        let (least, most) = (parameter.range.start(), parameter.range.end());
        let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        let number = value
            .parse()
            .ok()
            .filter(|it| digits && parameter.range.contains(it));
        let Some(number) = number else {
            return Err(fail(format!(
                "{key} of {name} is a number from {least} to {most}, not {value:?}"
            )));
        };
        if parameter.needs_a_clock && cfg!(target_family = "wasm") {
            return Err(fail(format!(
                "{key} needs a clock, which a module does not have"
            )));
        }
        if self.values[place].is_some() {
            return Err(fail(format!("{key} is set twice")));
        }
        self.values[place] = Some(number);
        Ok(())
    }
}

impl Sample {
    /// Returns whether the bot plays a game of the rules crate.
    pub fn plays(&self, game: &str) -> bool {
        self.games.is_none_or(|games| games.contains(&game))
    }

    /// Returns whether the bot also plays games that this crate does not know: it chooses from the list of actions.
    pub fn plays_unknown(&self) -> bool {
        matches!(self.name, "random" | "first")
    }

    /// Says how the bot's name is written.
    fn usage(&self) -> String {
        if self.parameters.is_empty() {
            return format!("{} has no parameters", self.name);
        }
        let parameters: Vec<_> = self.parameters.iter().map(Parameter::usage).collect();
        format!("{} takes {}", self.name, parameters.join(", "))
    }
}

impl Parameter {
    fn usage(&self) -> String {
        let (least, most) = (self.range.start(), self.range.end());
        format!(":{}=N ({least} to {most})", self.name)
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let Some(sample) = SAMPLES.iter().find(|sample| sample.name == name) else {
            let names: Vec<_> = SAMPLES.iter().map(|sample| sample.name).collect();
            return Err(SpecError {
                message: format!("there is no sample bot {name:?}"),
                hint: format!("there are {}", names.join(", ")),
            });
        };
        let mut spec = Spec {
            sample,
            values: vec![None; sample.parameters.len()],
        };
        for part in parts {
            spec.set(part)?;
        }
        for (value, parameter) in spec.values.iter_mut().zip(sample.parameters) {
            *value = value.filter(|value| Some(*value) != parameter.default);
        }
        Ok(spec)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sample.name)?;
        for (parameter, value) in self.sample.parameters.iter().zip(&self.values) {
            if let Some(value) = value {
                write!(f, ":{}={value}", parameter.name)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spec({self})")
    }
}

/// Why a text names no bot of this crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// What is wrong.
    pub message: String,
    /// What is possible.
    pub hint: String,
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.hint)
    }
}

impl std::error::Error for SpecError {}

impl From<SpecError> for Error {
    fn from(error: SpecError) -> Self {
        Error::Other(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parameters_has_one_spelling() {
        for (text, spelling) in [
            ("mcts", "mcts"),
            ("mcts:playouts=3000", "mcts"),
            ("mcts:playouts=0500", "mcts:playouts=500"),
            ("alphabeta:nodes=7:depth=4", "alphabeta:depth=4:nodes=7"),
            ("alphabeta:ms=100", "alphabeta:ms=100"),
        ] {
            let spec: Spec = text.parse().expect("a bot");
            assert_eq!(spec.to_string(), spelling);
            assert_eq!(
                spelling.parse::<Spec>().expect("a bot").to_string(),
                spelling
            );
        }
    }

    #[test]
    fn every_parameter_takes_its_range_and_no_more() {
        for sample in SAMPLES {
            for parameter in sample.parameters {
                let (least, most) = (*parameter.range.start(), *parameter.range.end());
                let parse = |value: u64| {
                    format!("{}:{}={value}", sample.name, parameter.name).parse::<Spec>()
                };
                assert!(parse(least.into()).is_ok() && parse(most.into()).is_ok());
                let outside = [u64::from(least) - 1, u64::from(most) + 1];
                assert!(outside.iter().all(|&value| parse(value).is_err()));
            }
        }
    }

    #[test]
    fn what_is_no_bot_says_what_there_is() {
        for (text, message, hint) in [
            (
                "",
                "there is no sample bot \"\"",
                "there are random, greedy, mcts, alphabeta",
            ),
            (
                "deep:depth=4",
                "there is no sample bot \"deep\"",
                "there are random",
            ),
            (
                "random:depth=4",
                "the bot random has no parameter \"depth\"",
                "random has no parameters",
            ),
            (
                "mcts:depth=4",
                "the bot mcts has no parameter \"depth\"",
                "mcts takes :playouts=N (1 to 100000000)",
            ),
            (
                "alphabeta:depth=0",
                "depth of alphabeta is a number from 1 to 100, not \"0\"",
                "alphabeta takes :depth=N (1 to 100), :nodes=N (1 to 1000000000), :ms=N (1 to 3600000)",
            ),
            ("alphabeta:depth=+4", "not \"+4\"", "takes"),
            (
                "alphabeta:depth=99999999999",
                "not \"99999999999\"",
                "takes",
            ),
            (
                "alphabeta:depth",
                "\"depth\" is not a parameter like depth=4",
                "takes",
            ),
            ("alphabeta:", "\"\" is not a parameter", "takes"),
            ("alphabeta:depth=4:depth=4", "depth is set twice", "takes"),
        ] {
            let error = text.parse::<Spec>().expect_err("no bot");
            assert!(error.message.contains(message), "{text}: {error}");
            assert!(error.hint.contains(hint), "{text}: {error}");
        }
    }

    #[test]
    fn the_games_of_every_bot_are_there() {
        for sample in SAMPLES {
            for game in sample.games.unwrap_or_default() {
                assert!(
                    flipside_games::find(game).is_some(),
                    "{} {game}",
                    sample.name
                );
            }
        }
    }
}
